"""Training views for the network that sees what of a tile is hidden: crops of whole tiles with things laid on them.

A thing is a cut-out (`models.cover_cutouts`), another tile, or a glare in which nothing is left to see. The answer is a
grid over the crop, of every cell the share that is hidden. Things beside the tile, a shadow on it and its
print hide nothing.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cover_cutouts import Cutouts
from models.crops import CONTEXT_WH, LEGIBLE, MARGIN, NONE, UNIT, Crops, table_crops, tables
from vision.hidden import CELL_PX, MASK_MARGIN, MASK_WH

F = np.float32
Images = NDArray[np.uint8]
Field = NDArray[np.float32]

BARE, SHADOW, BESIDE = 0.2, 0.08, 0.1
"""So many views have nothing on them, a shadow only, or a thing that lies beside the tile and not on it."""
A_TILE, A_GLARE = 0.14, 0.1
"""Of the things on tiles so many are other tiles, and so many glares."""
BURNT = 0.75
"""From this share of white on nothing is left to see."""
GAMMA = 2.2
WHOLE = 0.99
"""Of either half of a rendered tile on which nothing lies so much is seen."""


def whole_tiles(crops: Crops) -> Crops:
    """The crops in which a tile lies face up."""
    return crops.part(np.flatnonzero(crops.straight & (crops.labels < NONE).all(1)))


def bare_tiles(folder: Path) -> Crops:
    """The tiles of rendered tables on which nothing lies at all, however small and blurred."""
    rng, parts = np.random.default_rng(1), []
    for image, meta in tables(folder):
        bare = [thing for thing in meta["objects"] if thing["cls"] == 0 and _lies_bare(thing)]
        parts.append(whole_tiles(table_crops(image, bare, rng, negatives=0.0)))
    return Crops.together(parts)


def _lies_bare(thing: dict[str, Any]) -> bool:
    shown = min(thing["half_vis"]) >= WHOLE and (thing["in_frame"] or 0) >= WHOLE
    return bool(shown and min(thing.get("half_contrast", (255,))) >= LEGIBLE)


def covered_views(
    crops: Crops, picked: NDArray[np.intp], things: Cutouts, rng: np.random.Generator
) -> tuple[Images, Field]:
    """(n, high, wide, 3) uint8 BGR and (n, cells down, cells along) in 0..1: the picked tiles as the product would cut
    them, with things on them, and how much of every cell these hide."""
    wide, high = MASK_WH
    out = np.empty((len(picked), high, wide, 3), np.uint8)
    answer = np.empty((len(picked), high // CELL_PX, wide // CELL_PX), F)
    target = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], F) - F(0.5)
    for k, n in enumerate(picked):
        linear = (crops.context[n].astype(F) / 255) ** F(GAMMA)
        hidden = np.zeros(linear.shape[:2], F)
        chance = rng.random()
        if chance >= BARE:
            many = 2 if chance > 0.93 else 1
            for _ in range(many):
                linear, hidden = _laid(linear, hidden, crops, things, rng, float(crops.side_px[n]), chance)
        picture = (linear.clip(0, 1) ** F(1 / GAMMA) * 255).astype(np.uint8)
        frame = _askew(rng)
        if rng.random() < 0.5:
            frame = frame[[2, 3, 0, 1]]
        if rng.random() < 0.5:
            frame = frame[[3, 2, 1, 0]]
        transform = cv2.getPerspectiveTransform(frame - F(0.5), target)
        cv2.warpPerspective(picture, transform, (wide, high), dst=out[k], borderMode=cv2.BORDER_REPLICATE)
        seen = cv2.warpPerspective(hidden, transform, (wide, high), borderMode=cv2.BORDER_REPLICATE)
        answer[k] = cv2.resize(seen, answer.shape[2:0:-1], interpolation=cv2.INTER_AREA)
    return out, answer


def _laid(
    linear: Field, hidden: Field, crops: Crops, things: Cutouts, rng: np.random.Generator, side_px: float, chance: float
) -> tuple[Field, Field]:
    """One thing more on a tile's crop, and what is hidden then."""
    light = _light_here(linear)
    if chance < BARE + SHADOW:
        _, _, left = _thrown(things, rng, _on_tile(rng))
        return linear * left[..., None], hidden
    kind = rng.random()
    if chance < BARE + SHADOW + BESIDE:
        colour, shown, left = _thrown(things, rng, _beside(rng))
        x0, y0, x1, y1 = _inner()
        shown[y0:y1, x0:x1] = 0
        shown = cv2.erode(shown, np.ones((3, 3), np.uint8)) if rng.random() < 0.5 else shown
    elif kind < A_GLARE:
        return _burnt(linear, hidden, rng)
    elif kind < A_GLARE + A_TILE:
        colour, shown, left = _another_tile(crops, rng)
        return _blended(linear, hidden, colour, shown, left, side_px)
    else:
        colour, shown, left = _thrown(things, rng, _on_tile(rng))
    bright = F(math.exp(rng.normal(0, 0.25)))
    tint = light / max(float(light.mean()), 1e-3)
    colour = colour[..., ::-1] * (light.mean() * 2 * bright) * (0.5 + 0.5 * tint)
    return _blended(linear, hidden, colour, shown, left, side_px)


def _blended(
    linear: Field, hidden: Field, colour: Field, shown: Field, left: Field, side_px: float
) -> tuple[Field, Field]:
    # As unsharp as the tile below, which was reduced in its camera.
    blur = 0.35 * max(UNIT / max(side_px, 8.0) - 0.6, 0.0)
    soft = shown
    if blur > 0.25:
        soft = cv2.GaussianBlur(shown, (0, 0), blur)
        colour = cv2.GaussianBlur(colour * shown[..., None], (0, 0), blur) / np.maximum(soft, 1e-3)[..., None]
    alpha = soft[..., None]
    return linear * left[..., None] * (1 - alpha) + colour * alpha, np.maximum(hidden, shown)


def _thrown(things: Cutouts, rng: np.random.Generator, at: NDArray[np.float64]) -> tuple[Field, Field, Field]:
    """One of the things turned and a little larger or smaller, some point of it at `at` (px of the context crop)."""
    n = int(rng.integers(len(things)))
    shown = things.shown[n]
    ys, xs = np.nonzero(shown > 128)
    k = int(rng.integers(len(xs)))
    point = np.array([xs[k], ys[k]], float)
    angle, size = rng.uniform(0, 2 * math.pi), math.exp(rng.normal(0, 0.15))
    c, s = math.cos(angle) * size, math.sin(angle) * size
    matrix = np.array([[c, -s], [s, c]])
    if rng.random() < 0.5:
        matrix = matrix @ np.diag([-1.0, 1.0])
    move = np.column_stack([matrix, at - matrix @ point])
    colour = cv2.warpAffine(things.colour[n].astype(F), move, CONTEXT_WH, borderMode=cv2.BORDER_REPLICATE)
    # A hand or a sheet of paper goes on beyond its cut-out.
    over = cv2.warpAffine(shown, move, CONTEXT_WH, borderMode=cv2.BORDER_REPLICATE).astype(F) / 255
    left = cv2.warpAffine(things.shade[n], move, CONTEXT_WH, borderMode=cv2.BORDER_REPLICATE).astype(F) / 255
    return colour, over, left


def _another_tile(crops: Crops, rng: np.random.Generator) -> tuple[Field, Field, Field]:
    """A tile of some set across this one, with a shadow."""
    n = int(rng.integers(len(crops)))
    x0, y0, x1, y1 = (round(v * UNIT) for v in (MARGIN, MARGIN, MARGIN + 2, MARGIN + 1))
    face = (crops.context[n, y0:y1, x0:x1].astype(F) / 255) ** F(GAMMA)
    cover = np.zeros(face.shape[:2], F)
    r = round(UNIT * rng.uniform(0.02, 0.14))
    cv2.rectangle(cover, (r, 0), (x1 - x0 - 1 - r, y1 - y0 - 1), 1, -1)
    cv2.rectangle(cover, (0, r), (x1 - x0 - 1, y1 - y0 - 1 - r), 1, -1)
    for x in (r, x1 - x0 - 1 - r):
        for y in (r, y1 - y0 - 1 - r):
            cv2.circle(cover, (x, y), r, 1, -1)
    point = rng.uniform(0, 1, 2) * [x1 - x0, y1 - y0]
    angle = rng.uniform(0, 2 * math.pi) if rng.random() < 0.7 else rng.integers(4) * math.pi / 2 + rng.normal(0, 0.06)
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.array([[c, -s], [s, c]])
    move = np.column_stack([matrix, _on_tile(rng) - matrix @ point])
    colour = cv2.warpAffine(face, move, CONTEXT_WH)
    over = cv2.warpAffine(cover, move, CONTEXT_WH)
    shadow = cv2.warpAffine(over, np.float32([[1, 0, rng.normal(0, 5)], [0, 1, rng.normal(0, 5)]]), CONTEXT_WH)
    left = 1 - F(rng.uniform(0, 0.7)) * cv2.GaussianBlur(shadow, (0, 0), rng.uniform(0.8, 5))
    return colour, over, left


def _burnt(linear: Field, hidden: Field, rng: np.random.Generator) -> tuple[Field, Field]:
    """Something bright mirrored in the face: where it is white nothing is left to see."""
    h, w = hidden.shape
    x, y = _on_tile(rng)
    gx, gy = np.meshgrid(np.arange(w, dtype=F) - F(x), np.arange(h, dtype=F) - F(y))
    angle, long = rng.uniform(0, math.pi), UNIT * rng.uniform(0.15, 0.8)
    along = (gx * F(math.cos(angle)) + gy * F(math.sin(angle))) / F(long)
    across = (gy * F(math.cos(angle)) - gx * F(math.sin(angle))) / F(long * rng.uniform(0.25, 1.0))
    blob = np.exp(-((along**2 + across**2) ** F(rng.uniform(0.8, 3.0)))) * F(rng.uniform(0.5, 1.6))
    white = blob.clip(0, 1)
    lit = linear + (1.05 - linear) * white[..., None]
    gone = np.clip((white - BURNT) / (1 - BURNT) * 2, 0, 1).astype(F)
    return lit, np.maximum(hidden, gone)


def _light_here(linear: Field) -> Field:
    """(3,): what a bright thing on this tile would send back: the brightest of it, not of a spark."""
    x0, y0, x1, y1 = _inner()
    return np.percentile(linear[y0:y1, x0:x1].reshape(-1, 3), 92, axis=0).clip(0.06, 1).astype(F)


def _on_tile(rng: np.random.Generator) -> NDArray[np.float64]:
    return np.array([MARGIN + rng.uniform(-0.12, 2.12), MARGIN + rng.uniform(-0.12, 1.12)]) * UNIT


def _beside(rng: np.random.Generator) -> NDArray[np.float64]:
    edge = rng.integers(4)
    off = rng.uniform(0.05, 0.35)
    x, y = rng.uniform(0, 2), rng.uniform(0, 1)
    place = ((x, -off), (x, 1 + off), (-off, y), (2 + off, y))[edge]
    return (np.array(place) + MARGIN) * UNIT


def _inner() -> tuple[int, int, int, int]:
    m = round(MARGIN * UNIT)
    return m, m, m + 2 * UNIT, m + UNIT


def _askew(rng: np.random.Generator) -> Field:
    """The product's outline in a context crop, top left first: nearly where the tile lies."""
    inner = MARGIN - MASK_MARGIN
    x0, y0 = inner * UNIT, inner * UNIT
    x1, y1 = CONTEXT_WH[0] - x0, CONTEXT_WH[1] - y0
    frame = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], F)
    centre = np.array(CONTEXT_WH, F) / 2
    loose = rng.choice([1.0, 2.5, 5.0], p=[0.6, 0.28, 0.12])
    turn = rng.normal(0, 0.02) * loose
    c, s = math.cos(turn), math.sin(turn)
    offset = (frame - centre) * (1 + rng.normal(0, 0.02, 2) * loose) @ np.array([[c, s], [-s, c]])
    shift = rng.normal(0, 0.02, 2) * loose * UNIT
    return (centre + offset + shift + rng.normal(0, 0.01, (4, 2)) * UNIT).astype(F)
