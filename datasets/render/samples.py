"""`python -m datasets.render.samples [--out datasets/samples]`: the sample sheets of the data card, 150 kB at most."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.labels import LabelObject
from datasets.render.picture import Picture, draw_crop, draw_picture
from datasets.render.styles import TileStyle, make_style

Sheet = Callable[[np.random.Generator, int], Picture]
_CELL = (320, 240)
_COLOURS = ((60, 220, 60), (240, 160, 40), (40, 40, 240), (220, 60, 220))
MAX_BYTES = 150_000


def _moulded(rng: np.random.Generator) -> TileStyle:
    style = make_style(rng, "western", 6)
    while not style.pips.moulded:
        style = make_style(rng, "western", 6)
    return style


def _kind(*scenes: str, family: str | None = "western", set_max: int | None = None) -> Sheet:
    def draw(rng: np.random.Generator, i: int) -> Picture:
        return draw_picture(rng, *_CELL, scenes[i % len(scenes)], family, set_max)

    return draw


SHEETS: dict[str, Sheet] = {
    "trains": _kind("train", set_max=12),
    "close": _kind("close", "hand"),
    "lines": _kind("snake", "scatter", "pile", "mixed", family=None),
    "moulded": lambda rng, i: draw_picture(rng, *_CELL, ("snake", "hand", "close")[i % 3], style=_moulded(rng)),
    "chinese": _kind("hand", "close", "scatter", family="chinese"),
    "negatives": _kind("neg", family=None),
    "mats": lambda rng, i: draw_picture(rng, *_CELL, ("train", "snake", "mixed")[i % 3], surface="mat"),
    "crops": lambda rng, i: draw_crop(rng, *_CELL),
    "labels": lambda rng, i: _marked(draw_picture(rng, *_CELL, ("train", "snake", "mixed")[i % 3])),
}


def make_sheet(name: str, seed: int = 2026, columns: int = 4, rows: int = 4) -> NDArray[np.uint8]:
    """`columns` x `rows` pictures drawn by `SHEETS[name]`."""
    draw = SHEETS[name]
    cells = [draw(np.random.default_rng([seed, i]), i).image for i in range(columns * rows)]
    return np.vstack([np.hstack(cells[r * columns : (r + 1) * columns]) for r in range(rows)])


def _marked(picture: Picture) -> Picture:
    """The labels drawn over: green face up, orange face down, red markers, pink hub; a dot at the first half."""
    image = picture.image.copy()
    for thing in picture.objects:
        if thing["vis"] >= 0.3:
            _outline(image, thing)
    return Picture(image, picture.objects, picture.meta, picture.quality)


def _outline(image: NDArray[np.uint8], thing: LabelObject) -> None:
    quad = np.array(thing["quad"])
    colour = _COLOURS[thing["cls"]]
    cv2.polylines(image, [np.round(quad).astype(np.int32).reshape(-1, 1, 2)], True, colour, 1, cv2.LINE_AA)
    if thing["cls"] == 0:
        end = np.round(quad[:2].mean(0) * 0.9 + quad[2:].mean(0) * 0.1).astype(int)
        cv2.circle(image, (int(end[0]), int(end[1])), 2, (0, 0, 255), -1, cv2.LINE_AA)


def encode(sheet: NDArray[np.uint8]) -> bytes:
    """JPEG at the best quality under `MAX_BYTES`."""
    for quality in (88, 80, 72, 62, 50, 38, 25):
        data = cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        if len(data) < MAX_BYTES:
            break
    return data


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.render.samples", description="Make the sample sheets.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "samples")
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in SHEETS:
        path = arguments.out / f"{name}.jpg"
        path.write_bytes(encode(make_sheet(name, arguments.seed)))
        print(f"{path} {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
