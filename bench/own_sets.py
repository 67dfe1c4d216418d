"""Sets that the reader was not made for, before and after `teach`: `python -m bench.own_sets --first 7000`.

Six double-6 sets: printed digits with and without a dividing line, coloured pips without one, a 3-D print in one
colour, clear acrylic, pips dotted by hand. Of each the whole box is laid out in two hands and read, then its doubles
are laid in a row and learned (`vision.teaching`), and the hands are read again. Printed are tiles: `exact`, `wrong` (a
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

import cv2
import numpy as np

from bench.held import held_scene
from bench.prints import _by_hand, _embossed, _inked, _pale, _said, _shown, counted
from companion.rules.tile import Tile, double_set
from datasets.render.chance import stream
from datasets.render.colour import linear
from datasets.render.styles import Lettering, TileStyle, make_style, resized
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
    fonts = (cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX)
    letters = Lettering(int(rng.choice(fonts)), rng.uniform(0.5, 0.7), rng.uniform(0.08, 0.14), 1.0, True)
    return replace(style, pips=replace(style.pips, numerals=True, lettering=letters, relief="print"))


def _bare(style: TileStyle) -> TileStyle:
    return replace(style, divider=replace(style.divider, shown=False, pin_radius=0.0))


def _coloured(style: TileStyle, rng: Rng) -> TileStyle:
    inks = np.clip(rng.uniform(0.05, 0.6, (19, 3)), 0, 1)
    return _bare(_inked(_pale(style, rng), inks))


def _printed_in_3d(style: TileStyle, rng: Rng) -> TileStyle:
    """One colour of plastic, pips pressed in, the layers of the print across the face."""
    style = _embossed(style, rng)
    body = linear(np.array([0.85, 0.3, 0.1]) * rng.uniform(0.7, 1.0))
    scratched = replace(style.body, colour=body, back_colour=body, scratches=8.0)
    inks = np.tile(body * 0.75, (19, 1)).astype(np.float32)
    return replace(style, body=scratched, pips=replace(style.pips, palette=inks))


def _clear(style: TileStyle, rng: Rng) -> TileStyle:
    """Clear acrylic on the table: as grey as what shines through, with white pips."""
    style = _inked(_pale(style, rng), np.full(3, 0.95))
    grey = linear(np.array([0.55, 0.58, 0.6]) * rng.uniform(0.9, 1.1))
    body = replace(style.body, colour=grey, back_colour=grey, swirl=0.25, gloss=1.2, roughness=0.03)
    return replace(style, body=body)


SETS: Mapping[str, Callable[[TileStyle, Rng], TileStyle]] = {
    "digits": _digits,
    "digits, no line": lambda style, rng: _bare(_digits(style, rng)),
    "coloured, no line": _coloured,
    "3-D print": _printed_in_3d,
    "clear": _clear,
    "by hand": _by_hand,
}


def dressed(name: str, seed: int) -> TileStyle:
    rng = stream(seed, name)
    return SETS[name](make_style(rng, "western", HIGHEST), rng)


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


def read(eye: Eye, drawn: list[tuple[TableScene, Image, list[dict[str, object]]]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for scene, image, objects in drawn:
        tiles = [_shown(scene, image, thing) for thing in objects if "index" in thing]
        reading = eye.look(image)
        for tile, seen in counted(reading, tiles)[1]:
            said = [None if seen is None else _said(seen, tile, half) for half in (0, 1)]
            wrong = any(one not in (None, true) for one, true in zip(said, tile.values, strict=True))
            exact = tuple(said) == tile.values
            sums["lost" if seen is None else "wrong" if wrong else "exact" if exact else "unread"] += 1
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
            drawn = [(scene, *render_table(scene, seed)) for scene in hands(name, seed)]
            picture = render_table(row(name, seed), seed)[0]
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                for n, one in enumerate([picture, *(image for _, image, _ in drawn)]):
                    cv2.imwrite(str(options.keep / f"{name} {seed} {n}.jpg"), one)
            before, why, after = read(eye, drawn), "", None
            try:
                with TemporaryDirectory() as folder:
                    teach(eye, picture, doubles, "double-6").adaptation.save(Path(folder) / "set.npz")
                    after = read(open_eye(Path(folder) / "set.npz"), drawn)
            except AdaptationError as problem:
                why = str(problem)
            print(json.dumps({"set": name, "before": before, "after": after, "why not": why}), flush=True)


if __name__ == "__main__":
    main()
