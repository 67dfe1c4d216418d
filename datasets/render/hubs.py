"""Mexican Train hubs: round plates with slots, stars, train-station polygons, gears, trays; plastic, card or wood.

Some are pale or octagonal whatever the number of trains, and of some there is nothing but rings printed on the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import axes, disc_outline
from datasets.render.chance import aside, pick
from datasets.render.colour import Rgb, any_colour, linear
from datasets.render.gbuffer import GBuffer, Texture
from datasets.render.markers import DrawnThing, blank, sharpness
from datasets.render.styles import TileStyle

F = np.float32
Image = NDArray[np.float32]
SHAPES = ("disc", "poly", "star", "gear", "tray")
_SHAPE_WEIGHTS = (0.4, 0.25, 0.13, 0.12, 0.1)
RARER = ("octagon", "print")
_RARE, _PALE = 0.12, 0.2
"""The share of hubs of each rarer shape, and of all that are pale."""
_TITLES = ("MEXICAN TRAIN", "STATION", "DOUBLE 12", "TRAIN HUB", "DOMINOES", "CENTRAL")


@dataclass(frozen=True, slots=True)
class PlacedHub:
    """`slots` slots around, the first at `heading` (radians); `radius` mm.
    `shape` and `made_of` (plastic, card, wood) None: any, by chance."""

    x: float
    y: float
    radius: float
    heading: float
    slots: int
    shape: str | None = None
    made_of: str | None = None


def draw_hub(
    g: GBuffer, rng: np.random.Generator, hub: PlacedHub, px_per_mm: float, style: TileStyle, colour: Rgb | None = None
) -> tuple[DrawnThing, float]:
    """The labelled hub and its thickness (mm)."""
    made_of = pick(rng, ["plastic", "card", "wood"], [0.6, 0.25, 0.15])
    made_of = hub.made_of or made_of
    shape = hub.shape or pick(rng, SHAPES, _SHAPE_WEIGHTS)
    later = aside(rng)
    if hub.shape is None and (rare := int(later.random() / _RARE)) < len(RARER):
        shape = RARER[rare]
    own_colour = colour is None
    if colour is None:
        colour = pick(
            rng,
            [linear([0.9, 0.9, 0.88]), linear([0.07, 0.07, 0.08]), any_colour(rng), linear([0.72, 0.5, 0.3])],
            [0.25, 0.25, 0.35, 0.15],
        )
        if made_of == "wood":
            colour = linear(np.array([0.7, 0.48, 0.28]) * rng.uniform(0.6, 1.1))
    if own_colour and later.random() < _PALE:
        colour = any_colour(later, (0, 60), (190, 250))
    if shape == "print":
        return _printed(g, rng, hub, px_per_mm, np.asarray(colour, F)), 0.0
    colour = np.asarray(colour, F)
    thickness = {"plastic": rng.uniform(2, 9), "card": 0.8, "wood": rng.uniform(3, 8)}[made_of]
    radius, sector = hub.radius, 2 * math.pi / hub.slots
    res = sharpness(px_per_mm, 2 * radius, 1400)
    albedo, relief, u, v = blank(2 * radius, 2 * radius, res, colour, radius)
    d, around = np.hypot(u, v), np.arctan2(v, u)
    within = (around / sector - np.round(around / sector)) * sector
    rim, outline = _rim(shape, d, around, within, radius, hub.slots)
    albedo[..., 3] = np.clip(0.5 - (d - rim) * res, 0, 1)
    relief[..., 2] = {"plastic": rng.uniform(0.4, 1.2), "card": rng.uniform(0.1, 0.5), "wood": 0.4}[made_of]
    _slots(rng, albedo, relief, d, around, within, res, radius, hub.slots, style, colour, made_of != "card")
    _middle(rng, albedo, relief, u, v, res, style, colour)
    if rng.random() < 0.5:
        for share in rng.uniform(0.5, 0.97, int(rng.integers(1, 4))):
            ring = np.clip(0.5 - (np.abs(d - rim * share) - 0.5) * res, 0, 1)
            albedo[..., :3] *= (1 - 0.5 * ring)[..., None]
    if made_of == "card" or rng.random() < 0.3:
        _title(rng, albedo)
    if made_of == "card" and rng.random() < 0.5:
        _tracks(rng, albedo, d, around, res, radius)
    owner = g.new_owner()
    drawn = g.prism(
        (hub.x, hub.y, 0),
        axes(hub.heading),
        outline,
        thickness,
        colour * 0.6,
        colour * 0.8,
        texture=Texture(albedo, relief, res),
        owner=owner,
    )
    return DrawnThing(3, owner, drawn.hull, shape), thickness


_EIGHTH = math.pi / 4


def _printed(g: GBuffer, rng: np.random.Generator, hub: PlacedHub, px_per_mm: float, ink: Image) -> DrawnThing:
    """One to three rings on the table or a cloth, with a stroke for every train, and the table between them."""
    res = sharpness(px_per_mm, 2 * hub.radius, 1400)
    albedo, relief, u, v = blank(2 * hub.radius, 2 * hub.radius, res, ink, hub.radius)
    d, around = np.hypot(u, v), np.arctan2(v, u)
    sector = 2 * math.pi / hub.slots
    within = (around / sector - np.round(around / sector)) * sector
    wide = rng.uniform(0.8, 3.0)
    shown = np.zeros_like(d)
    for share in (0.97, *rng.uniform(0.35, 0.85, int(rng.integers(0, 3)))):
        shown = np.maximum(shown, np.clip(0.5 - (np.abs(d - hub.radius * share) - wide / 2) * res, 0, 1))
    stroke = np.maximum(np.abs(d * np.sin(within)) - wide / 2, hub.radius * 0.8 - d)
    shown = np.maximum(shown, np.clip(0.5 - stroke * res, 0, 1) * (d < hub.radius))
    albedo[..., 3] = shown
    owner = g.new_owner()
    outline = disc_outline(hub.radius, 40)
    drawn = g.prism(
        (hub.x, hub.y, 0),
        axes(hub.heading),
        outline,
        0.0,
        ink,
        texture=Texture(albedo, relief, res),
        casts=False,
        owner=owner,
    )
    return DrawnThing(3, owner, drawn.hull, "print")


def _rim(
    shape: str, d: Image, around: Image, within: Image, radius: float, slots: int
) -> tuple[Image, NDArray[np.float64]]:
    """The rim's distance from the middle in each direction, and a convex outline for the body's sides."""
    if shape == "octagon":
        slots, shape, within = 8, "poly", (around / _EIGHTH - np.round(around / _EIGHTH)) * _EIGHTH
    sector = 2 * math.pi / slots
    if shape == "poly":
        corners = (np.arange(slots) + 0.5) * sector
        return (
            (radius * math.cos(sector / 2) / np.cos(within)).astype(F),
            np.stack([radius * np.cos(corners), radius * np.sin(corners)], 1),
        )
    if shape == "star":
        return (radius * (0.86 + 0.14 * np.cos(around * slots))).astype(F), disc_outline(radius * 0.94, 40)
    if shape == "gear":  # arms for the trains with gaps between them
        deep = np.clip((np.abs(within) - sector * 0.3) / (sector * 0.06), 0, 1)
        return (radius * (1 - 0.22 * deep)).astype(F), disc_outline(radius * 0.8, 40)
    if shape == "tray":  # a square plate
        square = 0.72 * radius / np.maximum(np.maximum(np.abs(np.cos(around)), np.abs(np.sin(around))), 1e-3)
        corner = 0.72 * radius
        return square.astype(F), np.array([(-corner, -corner), (corner, -corner), (corner, corner), (-corner, corner)])
    return np.full_like(d, radius), disc_outline(radius, 40)


def _slots(
    rng: np.random.Generator,
    albedo: Image,
    relief: Image,
    d: Image,
    around: Image,
    within: Image,
    res: float,
    radius: float,
    slots: int,
    style: TileStyle,
    colour: Rgb,
    raised: bool,
) -> None:
    """One radial slot to a train, open to the rim."""
    depth = rng.uniform(0.25, 0.55) * radius
    width = min(style.body.width * 1.08, 2 * (radius - depth) * math.sin(math.pi / slots) * 0.95)
    outside = np.maximum(np.abs(d * np.sin(within)) - width / 2, (radius - depth) - d * np.cos(within))
    inside = np.clip(0.5 - outside * res, 0, 1)
    if rng.random() < 0.35:
        each = np.stack([any_colour(rng) for _ in range(slots)])
        paint = each[np.round(around / (2 * math.pi / slots)).astype(int) % slots]
    else:
        paint = any_colour(rng) if rng.random() < 0.35 else colour * F(rng.uniform(0.35, 0.9))
    albedo[..., :3] += (paint - albedo[..., :3]) * inside[..., None]
    if raised:
        edge = np.clip(0.5 - (np.abs(outside) - 0.5) * res, 0, 1) * (d < radius)
        relief[..., 3] *= (1 - 0.5 * edge) * (1 - 0.18 * inside)


def _middle(
    rng: np.random.Generator,
    albedo: Image,
    relief: Image,
    u: Image,
    v: Image,
    res: float,
    style: TileStyle,
    colour: Rgb,
) -> None:
    """The recess for the engine."""
    outside = np.maximum(np.abs(u) - style.body.length * 0.55, np.abs(v) - style.body.width * 0.575)
    inside = np.clip(0.5 - outside * res, 0, 1)
    albedo[..., :3] += (colour * F(rng.uniform(0.5, 1.1)) - albedo[..., :3]) * inside[..., None]
    relief[..., 3] *= 1 - 0.45 * np.clip(0.5 - (np.abs(outside) - 0.6) * res, 0, 1)


def _title(rng: np.random.Generator, albedo: Image) -> None:
    h, w = albedo.shape[:2]
    text = _TITLES[rng.integers(len(_TITLES))]
    mask = np.zeros((h, w), np.uint8)
    scale = h / 22 / len(text) * 0.6
    at = (int(w * 0.22), int(h * rng.uniform(0.3, 0.72)))
    cv2.putText(mask, text, at, cv2.FONT_HERSHEY_DUPLEX, scale, 255, max(1, int(scale * 2)), cv2.LINE_AA)
    albedo[..., :3] += (any_colour(rng) - albedo[..., :3]) * (mask.astype(F) / 255)[..., None]


def _tracks(rng: np.random.Generator, albedo: Image, d: Image, around: Image, res: float, radius: float) -> None:
    """Printed rails around the rim."""
    ring = radius * rng.uniform(0.75, 0.9)
    rails = np.clip(0.5 - (np.abs(np.abs(d - ring) - 3) - 0.5) * res, 0, 1)
    sleepers = (np.abs(d - ring) < 4.5) & (np.cos(around * 40) > 0.6)
    ink = np.maximum(rails, sleepers.astype(F))
    albedo[..., :3] *= (1 - 0.6 * ink)[..., None]
