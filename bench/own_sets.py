"""Sets that the reader was not made for, before and after `teach`: `python -m bench.own_sets --first 7000`.

Seven double-6 sets: digits in a typeface that the reader has never seen, with and without a dividing line, coloured
and black pips without one, a 3-D print in one colour with its layers across, clear acrylic through which the table
shows, pips dotted by hand. Of each the whole box is laid out in two hands and read, then its doubles are laid in a row
and learned (`vision.teaching`), and the hands are read again. Printed are tiles: `exact`, `wrong` (a
value claimed that is not there), `unread` and `lost`; and why a row was not learned, where it was not.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.held import held_scene
from bench.prints import _by_hand, _embossed, _inked, _pale, _said, _shown, counted
from companion.rules.tile import Tile, double_set
from datasets.render.chance import stream
from datasets.render.colour import linear
from datasets.render.styles import TYPESET, Lettering, TileStyle, make_style, resized
from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from vision.adaptation import AdaptationError
from vision.eye import Eye, open_eye
from vision.frame import Image
from vision.teaching import teach

Rng = np.random.Generator
HIGHEST = 6
SIZE_WH = (1600, 1200)


def _digits(style: TileStyle, rng: Rng) -> TileStyle:
    style = _inked(_pale(style, rng), np.full(3, rng.uniform(0.03, 0.12)))
    letters = Lettering(TYPESET, rng.uniform(0.5, 0.7), rng.uniform(0.08, 0.2), 1.0, True)
    return replace(style, pips=replace(style.pips, numerals=True, lettering=letters, relief="print"))


def _bare(style: TileStyle) -> TileStyle:
    return replace(style, divider=replace(style.divider, shown=False, pin_radius=0.0))


def _coloured(style: TileStyle, rng: Rng) -> TileStyle:
    inks = np.clip(rng.uniform(0.05, 0.6, (19, 3)), 0, 1)
    return _bare(_inked(_pale(style, rng), inks))


def _dotted(style: TileStyle, rng: Rng) -> TileStyle:
    """Black dots, larger or smaller than usual."""
    style = _bare(_inked(_pale(style, rng), np.full(3, rng.uniform(0.03, 0.12))))
    pips = replace(style.pips, relief="print", radius=style.pips.radius * rng.choice([0.7, 1.3]))
    return replace(style, pips=pips)


def _printed_in_3d(style: TileStyle, rng: Rng) -> TileStyle:
    """One colour of plastic, pips pressed in; `layered` draws the layers."""
    style = _embossed(style, rng)
    body = linear(np.array([0.85, 0.3, 0.1]) * rng.uniform(0.7, 1.0))
    scratched = replace(style.body, colour=body, back_colour=body, scratches=8.0)
    inks = np.tile(body * 0.75, (19, 1)).astype(np.float32)
    return replace(style, body=scratched, pips=replace(style.pips, palette=inks))


def _clear(style: TileStyle, rng: Rng) -> TileStyle:
    """Clear acrylic with white pips; `seen_through` lets the table show."""
    style = _inked(_pale(style, rng), np.full(3, 0.95))
    grey = linear(np.array([0.55, 0.58, 0.6]) * rng.uniform(0.9, 1.1))
    body = replace(style.body, colour=grey, back_colour=grey, swirl=0.25, gloss=1.2, roughness=0.03)
    return replace(style, body=body)


SETS: Mapping[str, Callable[[TileStyle, Rng], TileStyle]] = {
    "digits": _digits,
    "digits, no line": lambda style, rng: _bare(_digits(style, rng)),
    "coloured, no line": _coloured,
    "dotted, no line": _dotted,
    "3-D print": _printed_in_3d,
    "clear": _clear,
    "by hand": _by_hand,
}


def dressed(name: str, seed: int) -> TileStyle:
    rng = stream(seed, name)
    return SETS[name](make_style(rng, "western", HIGHEST), rng)


SEEN_THROUGH = 0.5
"""The share of a clear tile's light that comes from the table under it."""
LAYERS, DEEP = 40, 0.08
"""So many layers along a tile, and how much darker their joints are."""


def drawn(name: str, scene: TableScene, seed: int) -> tuple[Image, list[dict[str, Any]]]:
    """The picture of a scene, and its labels, with what the renderer's materials cannot do."""
    image, objects = render_table(scene, seed)
    if name == "clear":
        bare = render_table(replace(scene, tiles=()), seed)[0].astype(np.float32)
        here = _on_tiles(image, objects)[..., None] * SEEN_THROUGH
        pips = (image.min(2, keepdims=True) > np.percentile(image.min(2), 99)).astype(np.float32)
        share = here * (1 - pips)
        image = (image * (1 - share) + bare * share).astype(np.uint8)
    if name == "3-D print":
        out = image.astype(np.float32)
        for thing in objects:
            if "index" in thing:
                to_tile = cv2.getPerspectiveTransform(
                    np.array(thing["quad"], np.float32), np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.float32)
                )
                ys, xs = np.nonzero(_on_tiles(image, [thing]) > 0)
                along = cv2.perspectiveTransform(np.stack([xs, ys], 1).astype(np.float32)[None], to_tile)[0, :, 0]
                out[ys, xs] *= (1 - DEEP * (np.sin(along * LAYERS * 2 * np.pi) > 0.5))[:, None]
        image = out.astype(np.uint8)
    return image, objects


def _on_tiles(image: Image, objects: list[dict[str, Any]]) -> NDArray[np.float32]:
    mask = np.zeros(image.shape[:2], np.float32)
    for thing in objects:
        if "index" in thing:
            cv2.fillConvexPoly(mask, np.array(thing["quad"]).round().astype(np.int32), 1.0)
    return mask


def hands(name: str, seed: int) -> list[TableScene]:
    """The whole box in two hands."""
    chance, box = random.Random(f"own {name} {seed}"), sorted(double_set(HIGHEST))
    chance.shuffle(box)
    out = []
    for half in (box[: len(box) // 2], box[len(box) // 2 :]):
        scene = held_scene(chance, half, (0.0, 15.0), SIZE_WH)
        style = resized(dressed(name, seed), *scene.tile_size_mm)
        out.append(replace(scene, style=style, set_max=HIGHEST, soft_light=True))
    return out


def row(name: str, seed: int) -> TableScene:
    """The doubles side by side, lowest first."""
    pitch = 30.0
    tiles = tuple(TableTile((40.0 + pitch * n, 60.0), 90.0, (n, n)) for n in range(HIGHEST + 1))
    size = (80.0 + pitch * HIGHEST, 120.0)
    scene = TableScene(size, tiles, camera=TableCamera(*SIZE_WH, height_mm=300))
    return replace(scene, style=resized(dressed(name, seed), *scene.tile_size_mm), set_max=HIGHEST, soft_light=True)


def read(eye: Eye, seen: list[tuple[TableScene, Image, list[dict[str, Any]]]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for scene, image, objects in seen:
        tiles = [_shown(scene, image, thing) for thing in objects if "index" in thing]
        reading = eye.look(image)
        for tile, found in counted(reading, tiles)[1]:
            said = [None if found is None else _said(found, tile, half) for half in (0, 1)]
            wrong = any(one not in (None, true) for one, true in zip(said, tile.values, strict=True))
            exact = tuple(said) == tile.values
            sums["lost" if found is None else "wrong" if wrong else "exact" if exact else "unread"] += 1
        sums.update(f"says: {one}" for one in reading.warnings)
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--sets", type=int, default=1, help="of each kind")
    parser.add_argument("--only", choices=tuple(SETS), nargs="+", default=tuple(SETS))
    parser.add_argument("--keep", type=Path, help="save the pictures here")
    options = parser.parse_args()
    eye = open_eye()
    doubles = [tile.low for tile in sorted(double_set(HIGHEST)) if tile == Tile(tile.low, tile.low)]
    for name in options.only:
        for seed in range(options.first, options.first + options.sets):
            seen = [(scene, *drawn(name, scene, seed)) for scene in hands(name, seed)]
            picture = drawn(name, row(name, seed), seed)[0]
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                for n, one in enumerate([picture, *(image for _, image, _ in seen)]):
                    cv2.imwrite(str(options.keep / f"{name} {seed} {n}.jpg"), one)
            before, why, after = read(eye, seen), "", None
            try:
                with TemporaryDirectory() as folder:
                    teach(eye, picture, doubles, "double-6").adaptation.save(Path(folder) / "set.npz")
                    after = read(open_eye(Path(folder) / "set.npz"), seen)
            except AdaptationError as problem:
                why = str(problem)
            print(json.dumps({"set": name, "before": before, "after": after, "why not": why}), flush=True)


if __name__ == "__main__":
    main()
