"""Training crops of whole tiles, cut from rendered tables with the geometry the product reads with.

A *context crop* is a tile seen straight on with a wide margin, half 0 at the left; small shifts, turns and
perspective are applied to it afresh in every pass over the data, so one rendering gives many views. The labels of its
two halves are the values 0 to 18, `NONE` (no readable half of a face-up tile lies there), `BACK` (a tile lying face
down), `ILLEGIBLE` where the printed value cannot be told from the picture by anybody (burnt out, drowned in the dark,
blurred away), or `IGNORED` where a half is too covered to be taught and too visible to be called hidden.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import READ_MARGIN, TILE_SIDE, cut_tile
from vision.rotated import shared

CLASSES = (*(str(value) for value in range(19)), "none", "back")
NONE, BACK, IGNORED, ILLEGIBLE = 19, 20, -100, -50
LEGIBLE = 8
"""From this contrast on (of 255, see datasets/render/legibility.py) a careful eye tells a half's pips."""
OFTENER = 4.0
"""A crop of a value that few crops show comes at most so many times in a pass over the data."""
UNIT = 50
"""Pixels per tile width in a context crop: a little more than the reader's own, so that warping costs no sharpness."""
SLANTED = 0.2
"""The share of training views that show a tile in a box with other angles than its own."""
MARGIN = 0.4
"""The margin of a context crop on every side, in tile widths."""
CONTEXT_WH = (round(UNIT * (2 + 2 * MARGIN)), round(UNIT * (1 + 2 * MARGIN)))

Images = NDArray[np.uint8]
Labels = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Crops:
    """`context` (n, h, w, 3) uint8 BGR context crops, `labels` (n, 2), `side_px` (n,) the side of a half in the
    picture, `mirrored` (n,) whether the tile may be shown mirrored (numerals may not), `straight` (n,) whether a
    tile lies straight in the crop, so that its corners can be taught."""

    context: Images
    labels: Labels
    side_px: NDArray[np.float32]
    mirrored: NDArray[np.bool_]
    straight: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.labels)

    @staticmethod
    def together(parts: list[Crops]) -> Crops:
        return Crops(
            np.concatenate([p.context for p in parts]),
            np.concatenate([p.labels for p in parts]),
            np.concatenate([p.side_px for p in parts]),
            np.concatenate([p.mirrored for p in parts]),
            np.concatenate([p.straight for p in parts]),
        )

    def save(self, path: Path) -> None:
        np.savez(path, **{name: getattr(self, name) for name in Crops.__slots__})

    @staticmethod
    def load(path: Path) -> Crops:
        with np.load(path) as columns:
            return Crops(**columns)

    def part(self, picked: NDArray[np.intp]) -> Crops:
        columns = (self.context, self.labels, self.side_px, self.mirrored, self.straight)
        return Crops(*(column[picked] for column in columns))


def tables(folder: Path, every: int = 1, first: int = 0) -> Iterator[tuple[Images, dict[str, Any]]]:
    """Picture and labels of each rendered table in `folder` (images/NAME.jpg, meta/NAME.json), in name order."""
    for path in sorted((folder / "images").glob("*.jpg"))[first::every]:
        meta = folder / "meta" / f"{path.stem}.json"
        image = cv2.imread(str(path))
        if image is not None and meta.is_file():
            yield image, json.loads(meta.read_text(encoding="utf-8"))


def half_labels(thing: dict[str, Any]) -> tuple[int, int]:
    """The labels of a tile's two halves for training, from its values and from how much of each half is visible."""
    if thing["cls"] == 1:
        return (BACK, BACK) if min(thing["half_vis"]) > 0.6 else (IGNORED, IGNORED)
    out = []
    contrasts = thing.get("half_contrast", (255, 255))
    for value, visible, contrast in zip(thing["values"], thing["half_vis"], contrasts, strict=True):
        shown = int(value) if contrast >= LEGIBLE else ILLEGIBLE
        out.append(shown if visible >= 0.88 else NONE if visible < 0.5 else IGNORED)
    return out[0], out[1]


def table_crops(image: Images, things: list[dict[str, Any]], rng: np.random.Generator, negatives: float = 0.6) -> Crops:
    """All tiles of one table, and for each of them `negatives` places where no tile lies straight in the crop."""
    context, labels, sides, mirrored = [], [], [], []
    tiles = [t for t in things if t["cls"] in (0, 1)]
    for tile in tiles:
        quad = np.asarray(tile["quad"], np.float32)
        side = _side(quad)
        if side < 8 or tile["vis"] < 0.35:
            continue
        wanted = half_labels(tile)
        if wanted == (IGNORED, IGNORED):
            continue
        context.append(_context(image, quad))
        labels.append(wanted)
        sides.append(side)
        mirrored.append(not tile["style"]["numerals"])
    n_tiles = len(labels)
    for quad in _elsewhere(image.shape, tiles, rng, negatives):
        context.append(_context(image, quad))
        labels.append((NONE, NONE))
        sides.append(_side(quad))
        mirrored.append(True)
    n = len(labels)
    shape = (n, CONTEXT_WH[1], CONTEXT_WH[0], 3)
    return Crops(
        np.array(context, np.uint8).reshape(shape),
        np.array(labels, np.int16).reshape(n, 2),
        np.array(sides, np.float32),
        np.array(mirrored, bool),
        np.arange(n) < n_tiles,
    )


def collect(folder: Path, seed: int, every: int = 1, first: int = 0) -> Crops:
    """The crops of every rendered table in a folder."""
    rng = np.random.default_rng(seed)
    parts = [table_crops(image, meta["objects"], rng) for image, meta in tables(folder, every, first)]
    if not parts:
        raise FileNotFoundError(f"{folder}: no rendered tables (images/*.jpg with meta/*.json)")
    return Crops.together(parts)


def one_pass(crops: Crops, rng: np.random.Generator) -> NDArray[np.int64]:
    """The crops' numbers in the order of one pass over the data. A crop of which either half shows a rare value comes
    several times: double-12 sets and larger ones are few, and their high values a hundredth of what tables show."""
    count = np.bincount(crops.labels[crops.labels >= 0], minlength=len(CLASSES))
    rarity = np.clip((np.median(count[:NONE]) / np.maximum(count, 1)) ** 0.5, 1.0, OFTENER)
    times = np.where(crops.labels >= 0, rarity[np.maximum(crops.labels, 0)], 1.0).max(1)
    whole = np.floor(times + rng.random(len(times))).astype(np.int64)
    return rng.permutation(np.repeat(np.arange(len(crops)), whole))


def plain_views(crops: Crops, picked: NDArray[np.intp]) -> Images:
    """(n, side, 2 side, 3): the picked tiles exactly as the product would cut them."""
    return _views(crops, picked, np.repeat(_frame()[None], len(picked), 0))


def jittered_views(
    crops: Crops, picked: NDArray[np.intp], rng: np.random.Generator
) -> tuple[Images, Labels, NDArray[np.float32]]:
    """(n, side, 2 side, 3), (n, 2) and (n, 2, 4): the picked tiles as a detector's imperfect boxes would show them,
    half of them turned by 180 degrees and, where allowed, half of them mirrored; their labels; and where the two outer
    corners of each half lie off the place where a perfect box would show them, in tile widths."""
    n = len(picked)
    frames = np.repeat(_frame()[None], n, 0).astype(np.float32)
    corners = np.repeat(_tile()[None], n, 0).astype(np.float32)
    centre = np.array(CONTEXT_WH, np.float32) / 2
    loose = rng.choice([1.0, 2.6, 4.0], n, p=[0.6, 0.28, 0.12])[:, None, None]
    grown = 1 + rng.normal(0.01, 0.035, (n, 1, 2)) * loose
    # A box that takes the side of a thick tile for a part of its face is too large towards that side only.
    sided = np.where(rng.random((n, 1, 2)) < 0.12, rng.uniform(0.04, 0.28, (n, 1, 2)), 0.0) * (0.5, 1.0)
    away = rng.choice([-0.5, 0.5], (n, 1, 2)) * sided * (2 * UNIT, UNIT)
    offset = (frames - centre) * (grown + sided) + away
    turn = rng.normal(0, 0.03, n) * loose[:, 0, 0]
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
    offset = np.einsum("nij,nkj->nki", rotation, offset)
    # A right-angled box about a tile that is seen at a slant does not have its angles.
    slanted = np.where(rng.random((n, 1)) < SLANTED, rng.normal(0, 0.16, (n, 1)), 0.0)
    offset[:, :, 0] += np.clip(slanted, -0.4, 0.4) * offset[:, :, 1]
    shift = np.clip(rng.normal(0, (0.045, 0.035), (n, 1, 2)) * loose, -0.34, 0.34) * UNIT
    wobble = rng.normal(0, 0.015, (n, 4, 2)) * UNIT
    frames = centre + offset + shift + wobble
    labels = crops.labels[picked].copy()
    turned = rng.random(n) < 0.5
    flipped = (rng.random(n) < 0.5) & crops.mirrored[picked]
    for chosen, order in ((turned, [2, 3, 0, 1]), (flipped, [3, 2, 1, 0])):
        frames[chosen], corners[chosen] = frames[chosen][:, order], corners[chosen][:, order]
    labels[turned] = labels[turned][:, ::-1]
    frames = frames.astype(np.float32)
    return _views(crops, picked, frames), labels, _offsets(frames, corners)


def _offsets(frames: NDArray[np.float32], corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 2, 4): bottom left and top left of the left half, top right and bottom right of the right half, each as
    (dx, dy) off its nominal place, in tile widths of the crop's own frame."""
    m = READ_MARGIN
    unit = np.array([[-m, -m], [2 + m, -m], [2 + m, 1 + m], [-m, 1 + m]], np.float32)
    nominal = np.array([[0, 0], [2, 0], [2, 1], [0, 1]], np.float32)
    out = np.empty((len(frames), 2, 4), np.float32)
    for k, (frame, tile) in enumerate(zip(frames, corners, strict=True)):
        seen = cv2.perspectiveTransform(tile[None], cv2.getPerspectiveTransform(frame, unit))[0] - nominal
        out[k] = seen[[3, 0, 1, 2]].reshape(2, 4)
    return out


def _views(crops: Crops, picked: NDArray[np.intp], frames: NDArray[np.float32]) -> Images:
    wide, high = 2 * TILE_SIDE, TILE_SIDE
    target = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
    out = np.empty((len(picked), high, wide, 3), np.uint8)
    for k, i in enumerate(picked):
        transform = cv2.getPerspectiveTransform(frames[k] - np.float32(0.5), target)
        cv2.warpPerspective(crops.context[i], transform, (wide, high), dst=out[k], borderMode=cv2.BORDER_REPLICATE)
    return out


def _frame() -> NDArray[np.float32]:
    """The corners of the reader's own crop in a context crop: top left, top right, bottom right, bottom left."""
    inner = MARGIN - READ_MARGIN
    x0, y0 = inner * UNIT, inner * UNIT
    x1, y1 = CONTEXT_WH[0] - x0, CONTEXT_WH[1] - y0
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def _tile() -> NDArray[np.float32]:
    """The corners of the tile itself in a context crop, in the order of `_frame`."""
    x0, y0 = MARGIN * UNIT, MARGIN * UNIT
    x1, y1 = CONTEXT_WH[0] - x0, CONTEXT_WH[1] - y0
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)


def _context(image: Images, quad: NDArray[np.float32]) -> Images:
    return cut_tile(image, quad, CONTEXT_WH, MARGIN)


def _side(quad: NDArray[np.float32]) -> float:
    return float(np.sqrt(max(cv2.contourArea(quad.astype(np.float32)) / 2, 1.0)))


def _elsewhere(
    shape: tuple[int, ...], tiles: list[dict[str, Any]], rng: np.random.Generator, share: float
) -> list[NDArray[np.float32]]:
    """Outlines of tile shape that lie on no tile, or askew over one or two: what a detector finds by mistake."""
    high, wide = shape[:2]
    quads = [np.asarray(t["quad"], np.float32) for t in tiles]
    sides = [_side(q) for q in quads]
    typical = float(np.median(sides)) if sides else rng.uniform(20, 90)
    out = []
    for _ in range(max(3, round(share * len(quads)))):
        kind = rng.random()
        if quads and kind < 0.55:
            quad = quads[rng.integers(len(quads))]
            u, v = (quad[2] - quad[1]) / 2, quad[0] - quad[1]
            along, across = rng.uniform(0.42, 1.0) * rng.choice([-1, 1]), rng.normal(0, 0.08)
            if kind < 0.15:
                along, across = rng.normal(0, 0.3), rng.uniform(0.4, 0.9) * rng.choice([-1, 1])
            moved = quad + u * along + v * across
            if kind > 0.45:
                moved = _turned(moved)
        else:
            size = typical * np.exp(rng.normal(0, 0.3))
            moved = _rectangle(rng.uniform(0, wide), rng.uniform(0, high), size, rng.uniform(0, 2 * np.pi))
            if any(_overlap(moved, quad) > 0.12 for quad in quads):
                continue
        if (moved.min(0) < -2).any() or (moved.max(0) > [wide + 2, high + 2]).any():
            continue
        if _side(moved) >= 8:
            out.append(moved.astype(np.float32))
    return out


def _turned(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """The outline turned by 90 degrees about its centre."""
    centre = quad.mean(0)
    offset = quad - centre
    return (centre + np.stack([-offset[:, 1], offset[:, 0]], 1)).astype(np.float32)


def _rectangle(x: float, y: float, side: float, angle: float) -> NDArray[np.float32]:
    u = np.array([np.cos(angle), np.sin(angle)]) * side
    v = np.array([-u[1], u[0]]) / 2
    centre = np.array([x, y])
    return np.array([centre - u + v, centre - u - v, centre + u - v, centre + u + v], np.float32)


def _overlap(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """The shared part of two outlines in parts of the smaller one."""
    return float(shared(a, b) / max(min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b))), 1.0))
