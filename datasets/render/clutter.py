"""Other things on a table: vessels, dice, phones, pens, racks, food, tiles standing on edge. None of it is labelled.

Tiles standing on edge are clutter by decision: their faces cannot be read from above, and a box around them would teach
the detector that any dark or pale bar is a tile.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from datasets.render.camera import axes, disc_outline, rounded_outline
from datasets.render.chance import pick
from datasets.render.colour import any_colour, linear
from datasets.render.gadgets import (
    draw_blister,
    draw_brick,
    draw_calculator,
    draw_chocolate,
    draw_remote,
    draw_ruler,
)
from datasets.render.gbuffer import GBuffer, Texture
from datasets.render.markers import blank, sharpness
from datasets.render.paper import draw_box, draw_cards, draw_paper, draw_sticky_note
from datasets.render.pips import make_maker, western
from datasets.render.spot import Spot

F = np.float32


_VESSELS = {  # radius and height, mm
    "cup": ((32, 48), (60, 110)),
    "bowl": ((50, 90), (35, 60)),
    "tin": ((30, 60), (20, 60)),
    "coaster": ((40, 52), (1.5, 6)),
    "glass": ((28, 40), (70, 130)),
    "button_jar": ((18, 26), (8, 20)),
}


def _vessel(kind: str) -> Callable[[GBuffer, np.random.Generator, Spot], None]:
    def draw(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
        radius, tall = (rng.uniform(*r) for r in _VESSELS[kind])
        colour = any_colour(rng, (0, 230), (40, 250))
        res = sharpness(spot.px_per_mm * 1.1, 2 * radius, 700)
        albedo, relief, u, v = blank(2 * radius, 2 * radius, res, colour, radius)
        d = np.hypot(u, v)
        relief[..., 2] = rng.uniform(0.3, 1.4)
        if kind == "coaster":
            if rng.random() < 0.6:
                for share in rng.uniform(0.2, 0.95, int(rng.integers(1, 5))):
                    ring = np.clip(0.5 - (np.abs(d - radius * share) - 1) * res, 0, 1)
                    albedo[..., :3] += (any_colour(rng) - albedo[..., :3]) * ring[..., None]
        else:
            rim = radius - rng.uniform(2, 5)
            hollow = np.clip(0.5 - (d - rim) * res, 0, 1)
            albedo[..., :3] += (any_colour(rng, (20, 220), (20, 240)) - albedo[..., :3]) * hollow[..., None]
            relief[..., 3] *= 1 - 0.55 * hollow * np.clip(1.6 - (rim - d) / (radius * 0.35), 0.35, 1)
            if kind in ("cup", "glass"):
                drink = np.clip(0.5 - (d - rim * 0.93) * res, 0, 1)
                tint = linear(pick(rng, [(0.2, 0.1, 0.05), (0.6, 0.4, 0.2), (0.75, 0.75, 0.72)], [0.5, 0.3, 0.2]))
                albedo[..., :3] += (tint - albedo[..., :3]) * drink[..., None]
                relief[..., 3] += (0.85 - relief[..., 3]) * drink
                relief[..., 2] += (1.2 - relief[..., 2]) * drink
        frame, lid = axes(spot.heading), Texture(albedo, relief, res)
        g.prism(spot.base, frame, disc_outline(radius, 40), tall, colour * 0.55, colour * 0.9, texture=lid, gloss=0.6)
        if kind == "cup":
            handle = spot.base + frame[0] * (radius + 8) + frame[2] * tall * 0.5
            g.prism(handle, frame, rounded_outline(22, 9, 4, 3), tall * 0.3, colour * 0.6, colour, gloss=0.6)

    return draw


def _dice(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    maker = make_maker(rng)
    for _ in range(rng.integers(1, 6)):
        edge = rng.uniform(10, 22)
        at = spot.base + np.append(rng.normal(0, 24, 2), 0)
        colour = pick(
            rng,
            [linear([0.92, 0.92, 0.9]), linear([0.7, 0.06, 0.06]), linear([0.05, 0.05, 0.06]), any_colour(rng)],
            [0.5, 0.2, 0.15, 0.15],
        )
        res = sharpness(spot.px_per_mm, edge)
        albedo, relief, u, v = blank(edge, edge, res, colour, edge * 0.15)
        ink = linear([0.95] * 3) if colour.mean() < 0.4 else linear([0.05] * 3)
        for a, b in western(int(rng.integers(1, 7)), maker):
            dot = np.clip(0.5 - (np.hypot(u - a * edge * 0.27, v - b * edge * 0.27) - edge * 0.1) * res, 0, 1)
            albedo[..., :3] += (ink - albedo[..., :3]) * dot[..., None]
        relief[..., 2] = 1
        shape = rounded_outline(edge, edge, edge * 0.15, 3)
        lid = Texture(albedo, relief, res)
        g.prism(at, axes(rng.uniform(0, 6.3)), shape, edge, colour * 0.8, texture=lid, gloss=0.8)


def _phone(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    w, h = rng.uniform(138, 162), rng.uniform(66, 78)
    colour = linear(np.array([0.04, 0.04, 0.05]) * rng.uniform(0.5, 2))
    res = sharpness(spot.px_per_mm, w, 500)
    albedo, relief, u, v = blank(w, h, res, colour, 9)
    if rng.random() < 0.3:
        albedo[..., :3][np.maximum(np.abs(u) - w / 2 + 5, np.abs(v) - h / 2 + 4) < 0] = any_colour(rng)
    relief[..., 2] = 1.2
    lid = Texture(albedo, relief, res)
    shape = rounded_outline(w, h, 9, 4)
    g.prism(spot.base, axes(spot.heading), shape, 8, colour, colour * 2 + 0.05, texture=lid, gloss=1)


def _pen(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    length, radius, colour, frame = (
        rng.uniform(120, 160),
        rng.uniform(3.5, 5.5),
        any_colour(rng, (60, 255)),
        axes(spot.heading),
    )
    for k, share in ((0, 1.0), (1, 0.7), (2, 0.35)):
        shape = rounded_outline(length, 2 * radius * share, radius * 0.3, 3)
        base = spot.base + frame[2] * k * radius * 0.6
        top = colour * (0.85 + 0.15 * k)
        g.prism(base, frame, shape, radius * 0.6, colour * 0.6, colour * 0.8, top_colour=top, gloss=1)
    shape = rounded_outline(length * 0.2, 2.1 * radius, radius * 0.3, 3)
    base = spot.base + frame[0] * length * 0.4 + frame[2] * 0.5
    g.prism(base, frame, shape, radius * 1.9, colour * 0.2, colour * 0.25, gloss=1)


def _standing(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """Tiles of the set in play on their long edges in front of a player."""
    body, frame, u = spot.style.body, axes(spot.heading), 0.0
    shape = rounded_outline(body.length, body.thickness, min(1.5, body.thickness * 0.3), 3)
    for _ in range(rng.integers(2, 9)):
        at = spot.base + frame[0] * u + frame[1] * rng.normal(0, 2.0)
        lean = axes(spot.heading + rng.normal(0, 0.05))
        top = body.colour * rng.uniform(0.94, 1.02)
        g.prism(at, lean, shape, body.width, body.colour * 0.9, body.colour, top_colour=top, gloss=0.6)
        u += body.length + rng.uniform(0, 4)


def _rack(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    length, width = rng.uniform(150, 300), rng.uniform(18, 40)
    wooden = linear(np.array([0.6, 0.42, 0.25]) * rng.uniform(0.4, 1.2))
    colour = wooden if rng.random() < 0.7 else any_colour(rng)
    frame, tall = axes(spot.heading), rng.uniform(8, 18)
    shape = rounded_outline(length, width, 1.5, 2)
    g.prism(spot.base, frame, shape, tall, colour * 0.6, colour * 0.8, top_colour=colour, gloss=0.4)
    tile = spot.style.body.colour if rng.random() < 0.6 else linear([0.92, 0.9, 0.84])
    thick, wide, u = rng.uniform(7, 12), rng.uniform(22, 27), -length / 2 + 16
    while u < length / 2 - 14:
        if rng.random() < 0.9:
            at = spot.base + frame[0] * u + frame[2] * 6
            top = tile * rng.uniform(0.92, 1.04)
            shape = rounded_outline(wide, thick, 1.2, 2)
            g.prism(at, frame, shape, rng.uniform(38, 50), tile * 0.8, tile, top_colour=top, gloss=0.5)
        u += wide + rng.uniform(0.3, 2)


def _crisps(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    for _ in range(rng.integers(2, 9)):
        colour = linear([0.9, 0.75, 0.4]) * F(rng.uniform(0.6, 1.05))
        radius = rng.uniform(10, 24)
        shape = disc_outline(1, 14) * [radius, radius * rng.uniform(0.6, 1)]
        at = spot.base + np.append(rng.normal(0, 30, 2), 0)
        frame = axes(rng.uniform(0, 6.3), rng.normal(0, 0.15), rng.normal(0, 0.15))
        g.prism(at, frame, shape, rng.uniform(1, 5), colour * 0.6, colour * 0.8, top_colour=colour, gloss=0.3)


def _block(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """Erasers, blocks and boxes of about a tile's size, plain: no pips, no divider."""
    w, h = rng.uniform(15, 60), rng.uniform(10, 30)
    colour = any_colour(rng, (0, 250), (40, 250))
    shape = rounded_outline(w, h, rng.uniform(0.5, 6), 3)
    tall, gloss = rng.uniform(3, 20), rng.uniform(0.1, 1)
    g.prism(spot.base, axes(spot.heading), shape, tall, colour * 0.7, colour * 0.9, top_colour=colour, gloss=gloss)


def _beads(g: GBuffer, rng: np.random.Generator, spot: Spot) -> None:
    """Loose round counters and buttons, which are not pips."""
    colour = any_colour(rng, (0, 255), (20, 255))
    radius = rng.uniform(2, 8)
    for _ in range(rng.integers(3, 16)):
        at = spot.base + np.append(rng.normal(0, 25, 2), 0)
        ink = colour if rng.random() < 0.7 else any_colour(rng)
        shape = disc_outline(radius, 16)
        g.prism(at, axes(0), shape, radius * 0.6, ink * 0.6, ink * 0.8, top_colour=ink, gloss=rng.uniform(0.3, 2))


_DRAW: dict[str, tuple[float, Callable[[GBuffer, np.random.Generator, Spot], None]]] = {
    "cup": (0.10, _vessel("cup")),
    "coaster": (0.07, _vessel("coaster")),
    "dice": (0.10, _dice),
    "cards": (0.12, draw_cards),
    "paper": (0.11, draw_paper),
    "phone": (0.06, _phone),
    "pen": (0.07, _pen),
    "box": (0.06, draw_box),
    "glass": (0.05, _vessel("glass")),
    "rack": (0.05, _rack),
    "bowl": (0.03, _vessel("bowl")),
    "tin": (0.03, _vessel("tin")),
    "crisps": (0.04, _crisps),
    "sticky": (0.05, draw_sticky_note),
    "block": (0.06, _block),
    "standing": (0.06, _standing),
    "beads": (0.05, _beads),
    "remote": (0.03, draw_remote),
    "brick": (0.04, draw_brick),
    "blister": (0.03, draw_blister),
    "calculator": (0.02, draw_calculator),
    "chocolate": (0.03, draw_chocolate),
    "ruler": (0.02, draw_ruler),
}
KINDS = tuple(_DRAW)
FLAT = ("coaster", "cards", "paper", "sticky")  # drawn before the tiles: they lie under, never on top


def any_kind(rng: np.random.Generator) -> str:
    return pick(rng, KINDS, [w for w, _ in _DRAW.values()])


def draw_clutter(g: GBuffer, rng: np.random.Generator, kind: str, spot: Spot) -> None:
    _DRAW[kind][1](g, rng, spot)
