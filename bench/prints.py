"""Hands of the prints and lights that are hard to read, each apart: `python -m bench.prints --first 150000`.

Eight to fourteen tiles of a double-6, double-9 or double-12 set, photographed by hand as in `bench.held`, one picture
a condition and seed. Counted are tiles: found, read exactly, and finds too many; and halves: legible by the renderer's
own measure (datasets/render/legibility.py), and of these read right, read wrong and unread; halves that are not
legible and were claimed all the same, rightly or wrongly, stand apart. `--keep DIR` saves what was lost or wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.held import held_scene
from companion.rules.tile import double_set
from datasets.render.chance import pick, stream
from datasets.render.colour import linear, luminance
from datasets.render.legibility import half_contrast
from datasets.render.styles import TileStyle, make_style, resized
from datasets.render.table import TableScene, render_table
from models import scoring
from models.crops import LEGIBLE
from vision.eye import open_eye
from vision.frame import Image
from vision.reading import PictureReading, TileReading

Rng = np.random.Generator
Rgb = tuple[float, float, float]

SETS, WEIGHTS = (6, 9, 12), (0.35, 0.2, 0.45)
LEAN_DEG = (0.0, 30.0)
BURNT, OF_A_TILE, A_PIP, MOST_TRIES, SMALLER = 240, 0.04, 0.012, 12, 4
"""Glare is where so many grey levels cover so much of a black tile, and at most so much a pale pip; so many tables are
tried until one has it, drawn smaller by a factor."""
SAME_PLACE = 0.5
CASTS: Mapping[str, tuple[Rgb, Rgb]] = {
    "lamplight": ((1.4, 0.9, 0.35), (2.0, 1.1, 0.65)),
    "shade": ((0.5, 0.9, 1.4), (0.75, 1.1, 2.0)),
    "tube": ((0.7, 1.15, 0.6), (0.9, 1.4, 0.85)),
    "violet": ((1.2, 0.65, 1.2), (1.5, 0.85, 1.6)),
}
"""A wrong white balance: from and to which factors on red, green and blue."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A change that makes a maker's set hard to read, and the light on it."""

    dressed: Callable[[TileStyle, Rng], TileStyle]
    soft_light: bool = True
    cast: bool = False
    glare: bool = False


def _pale(style: TileStyle, rng: Rng) -> TileStyle:
    """White or ivory, clean, no numerals."""
    tint = np.array(pick(rng, [(0.93, 0.93, 0.92), (0.93, 0.88, 0.75)], [0.7, 0.3])) * rng.uniform(0.88, 1.0)
    return _bodied(style, linear(tint))


def _bodied(style: TileStyle, colour: NDArray[np.float32]) -> TileStyle:
    body = replace(style.body, material="white", colour=colour, back_colour=colour, two_tone=False, swirl=0.0, film=0.0)
    return replace(style, body=body, pips=replace(style.pips, moulded=False, numerals=False, painted_dome=False))


def _inked(style: TileStyle, srgb: NDArray[np.float64]) -> TileStyle:
    """One ink for all values, the bar of it too; or an ink for each value (19, 3)."""
    inks = np.broadcast_to(linear(srgb), (19, 3)).astype(np.float32)
    divider = replace(style.divider, colour=inks[1])
    return replace(style, pips=replace(style.pips, palette=inks, palette_name="mono"), divider=divider)


def _plain(style: TileStyle, rng: Rng) -> TileStyle:
    return _inked(_pale(style, rng), np.full(3, rng.uniform(0.04, 0.13)))


def _deep(strong: tuple[int, ...], low: float, high: float) -> Callable[[TileStyle, Rng], TileStyle]:
    def dressed(style: TileStyle, rng: Rng) -> TileStyle:
        ink = rng.uniform(0.02, 0.1, 3)
        ink[list(strong)] = rng.uniform(low, high)
        return _inked(_pale(style, rng), ink)

    return dressed


def _many_deep(style: TileStyle, rng: Rng) -> TileStyle:
    """Another dark ink for each value."""
    inks = rng.uniform(0.02, 0.1, (19, 3))
    for ink in inks:
        ink[rng.choice(3, rng.integers(1, 3), replace=False)] = rng.uniform(0.2, 0.45)
    return _inked(_pale(style, rng), inks)


def _black(style: TileStyle, rng: Rng) -> TileStyle:
    style = _bodied(style, linear(np.full(3, 0.09) * rng.uniform(0.5, 1.9)))
    style = replace(style, body=replace(style.body, material="black"))
    pale = np.array([0.92, 0.92, 0.9]) * rng.uniform(0.8, 1.0)
    return _inked(style, pale if rng.random() < 0.8 else np.array([0.85, 0.68, 0.25]))


def _filmed(style: TileStyle, rng: Rng) -> TileStyle:
    """Grease, dust and scratches of years, here more and there less."""
    style = _black(style, rng)
    return replace(
        style,
        body=replace(
            style.body,
            film=rng.uniform(0.04, 0.14),
            dirt=rng.uniform(0.04, 0.14),
            scratches=rng.uniform(0, 9),
            roughness=rng.uniform(0.09, 0.3),
        ),
    )


def _glossy(style: TileStyle, rng: Rng) -> TileStyle:
    style = _black(style, rng)
    gloss, roughness = rng.uniform(0.7, 1.2), rng.uniform(0.015, 0.12)
    return replace(style, body=replace(style.body, gloss=gloss, roughness=roughness))


def _by_hand(style: TileStyle, rng: Rng) -> TileStyle:
    """Pips dotted with a pen on card or wood."""
    ground = pick(rng, [(0.93, 0.92, 0.9), (0.8, 0.62, 0.4), (0.78, 0.66, 0.5)], [0.5, 0.3, 0.2])
    style = _bodied(style, linear(np.array(ground) * rng.uniform(0.85, 1.03)))
    pen = pick(
        rng, [(0.05, 0.05, 0.06), (0.08, 0.1, 0.45), (0.6, 0.08, 0.08), (0.05, 0.3, 0.12)], [0.5, 0.25, 0.15, 0.1]
    )
    style = _inked(style, np.array(pen))
    return replace(style, pips=replace(style.pips, relief="print", by_hand=rng.uniform(0.15, 0.45), rim=0.0))


def _coloured(style: TileStyle, rng: Rng) -> TileStyle:
    """The maker's own inks on white, many where the set has many values."""
    pale = make_style(rng, "western", max(style.set_max, 9))
    while luminance(pale.body.colour) < 0.5 or pale.pips.numerals or pale.pips.moulded:
        pale = make_style(rng, "western", max(style.set_max, 9))
    return pale


def _embossed(style: TileStyle, rng: Rng) -> TileStyle:
    """Pips pressed into the body, without paint."""
    ground = pick(rng, [np.full(3, 0.92), np.array([0.93, 0.88, 0.75]), np.full(3, 0.5)], [0.5, 0.3, 0.2])
    style = _bodied(style, linear(ground * rng.uniform(0.85, 1.0)))
    inks = np.tile(style.body.colour, (19, 1))
    slope = rng.uniform(0.7, 1.3)
    pips = replace(style.pips, palette=inks, palette_name="mono", relief="dimple", slope=slope)
    return replace(style, pips=pips, divider=replace(style.divider, colour=style.body.colour, engraved=True))


CONDITIONS: Mapping[str, Condition] = {
    "black on white": Condition(_plain),
    "dark red on white": Condition(_deep((0,), 0.22, 0.5)),
    "dark green, blue or violet": Condition(_many_deep),
    "black with a film": Condition(_filmed),
    "black in a glare": Condition(_glossy, soft_light=False, glare=True),
    "coloured, wrong balance": Condition(_coloured, cast=True),
    "by hand": Condition(_by_hand),
    "by hand, wrong balance": Condition(_by_hand, cast=True),
    "embossed": Condition(_embossed, soft_light=False),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A tile as it lies in the picture: its outline (4, 2), values from the edge 0-1 on, and how far each half's pips
    stand out."""

    quad: NDArray[np.float64]
    values: tuple[int, int]
    contrast: tuple[int, int]


def photographed(seed: int, name: str) -> tuple[list[Shown], Image]:
    """One hand under a condition, and the picture of it."""
    for again in range(MOST_TRIES):
        scene = _laid_out(seed, name, again)
        camera = scene.camera
        small = replace(camera, width=camera.width // SMALLER, height=camera.height // SMALLER)
        if not CONDITIONS[name].glare or _burnt(*_drawn(replace(scene, camera=small), seed + again)):
            break
    return _drawn(scene, seed + again)


def _laid_out(seed: int, name: str, again: int) -> TableScene:
    condition = CONDITIONS[name]
    chance, rng = random.Random(f"prints {name} {seed} {again}"), stream(seed, f"{name} {again}")
    highest = pick(rng, SETS, WEIGHTS)
    hand = chance.sample(sorted(double_set(highest)), chance.randint(8, 14))
    scene = held_scene(chance, hand, LEAN_DEG, (1600, 1200))
    style = resized(condition.dressed(make_style(rng, "western", highest), rng), *scene.tile_size_mm)
    cast = (1.0, 1.0, 1.0)
    if condition.cast:
        low, high = CASTS[pick(rng, sorted(CASTS), [1.0] * len(CASTS))]
        r, g, b = rng.uniform(low, high)
        cast = (float(r), float(g), float(b))
    return replace(scene, style=style, set_max=highest, soft_light=condition.soft_light, cast=cast)


def _drawn(scene: TableScene, seed: int) -> tuple[list[Shown], Image]:
    image, objects = render_table(scene, seed)
    return [_shown(scene, image, thing) for thing in objects if "index" in thing], image


def _shown(scene: TableScene, image: Image, thing: Mapping[str, Any]) -> Shown:
    assert scene.style is not None
    quad, values = np.asarray(thing["quad"], float), (int(thing["values"][0]), int(thing["values"][1]))
    a, b = half_contrast(image, quad, scene.style, values)
    return Shown(quad, values, (a, b))


def _burnt(tiles: list[Shown], image: Image) -> bool:
    """Does a light mirror itself in one of these black tiles?"""
    for tile in tiles:
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, tile.quad.round().astype(np.int32), 1)
        inside = image[mask > 0].min(1)
        if len(inside) and float((inside >= BURNT).mean()) > OF_A_TILE + A_PIP * sum(tile.values):
            return True
    return False


def counted(reading: PictureReading, tiles: list[Shown]) -> tuple[Counter[str], list[tuple[Shown, TileReading | None]]]:
    """The figures of one picture, and each tile with what was made of it."""
    found: Counter[str] = Counter({"pictures": 1, "tiles": len(tiles)})
    left, pairs = list(reading.tiles), []
    for tile in tiles:
        over = [scoring.iou(scoring.hull(tile.quad), scoring.hull(one.quad_px)) for one in left]
        best = int(np.argmax(over)) if over else -1
        seen = left.pop(best) if over and over[best] >= SAME_PLACE else None
        pairs.append((tile, seen))
        found["found"] += seen is not None
        right = 0
        for half in (0, 1):
            said = None if seen is None else _said(seen, tile, half)
            legible = tile.contrast[half] >= LEGIBLE
            found["legible" if legible else "not legible"] += 1
            is_right = said == tile.values[half]
            right += is_right
            if said is not None:
                found[("" if legible else "not legible, ") + ("right" if is_right else "wrong")] += 1
            elif legible:
                found["unread"] += 1
        found["exact"] += right == 2
    found["too many"] = len(left)
    return found, pairs


def _said(seen: TileReading, tile: Shown, half: int) -> int | None:
    """The value read where this half lies."""
    if seen.halves is None:
        return None
    turned = math.dist(seen.quad_px[:2].mean(0), tile.quad[:2].mean(0)) > math.dist(
        seen.quad_px[:2].mean(0), tile.quad[2:].mean(0)
    )
    return seen.halves[1 - half if turned else half].value


def _kept(folder: Path, name: str, image: Image, pairs: list[tuple[Shown, TileReading | None]]) -> None:
    for n, (tile, seen) in enumerate(pairs):
        said = [None if seen is None else _said(seen, tile, half) for half in (0, 1)]
        if tuple(said) == tile.values:
            continue
        wrong = any(one not in (None, value) for one, value in zip(said, tile.values, strict=True))
        how = "wrong" if wrong else "lost" if seen is None else "unread"
        low, high = tile.quad.min(0).astype(int) - 12, tile.quad.max(0).astype(int) + 12
        cut = image[max(0, low[1]) : high[1], max(0, low[0]) : high[0]]
        lies, told = "-".join(map(str, tile.values)), "-".join("x" if one is None else str(one) for one in said)
        cv2.imwrite(str(folder / f"{how} {name} {n} {lies} as {told}.png"), cut)


def main() -> None:
    parser = argparse.ArgumentParser(description="hands of hard prints and lights, each condition apart")
    parser.add_argument("--first", type=int, required=True, help="the first seed")
    parser.add_argument("--pictures", type=int, default=24, help="of each condition")
    parser.add_argument("--only", choices=tuple(CONDITIONS), nargs="+", default=tuple(CONDITIONS))
    parser.add_argument("--keep", type=Path, help="save what was lost, unread or wrong here")
    args = parser.parse_args()
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    eye = open_eye()
    for name in args.only:
        sums: Counter[str] = Counter()
        for seed in range(args.first, args.first + args.pictures):
            tiles, image = photographed(seed, name)
            found, pairs = counted(eye.look(image), tiles)
            sums.update(found)
            if args.keep:
                _kept(args.keep, f"{name} {seed}", image, pairs)
        print(name, json.dumps(sums), flush=True)


if __name__ == "__main__":
    main()
