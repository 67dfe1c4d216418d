"""Toys on real photographs: what does the eye say of a half that a toy train, a coin or a hand hides in part?

    python -m bench.covered ../shared/photos --toys 500 [--out FILE.json]

Toys are rendered alone at each photograph's own scale, laid over a part of one half of labelled tiles (5 to 70 % of
it), and the photograph is read. `wrong` is a value claimed that is not printed there, `right` one that is, `unread`
none. `gone` are tiles that are not found at all. Beside them: what became of the halves that nothing lies on, which
must be read as in the photograph without toys. A tile that the photograph without toys reads the other way round than
its label (two Chinese ones, whose label is wrong) tells nothing. No picture is written unless `--show DIR` says where.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.folder_argument import LABELLED, folder_with
from models.cover_cutouts import TILE_WIDTH_MM, cutout
from vision.eye import open_eye
from vision.frame import Image
from vision.pictures import open_picture
from vision.reading import PictureReading
from vision.rectify import half_corners
from vision.rotated import iou, sides

GAMMA = 2.2
HIDES = (0.05, 0.7)
A_PHOTOGRAPHS_SHARE, MOST_A_PHOTOGRAPH = 0.3, 8
KINDS = ("marker", "marker", "marker", "hand", "block")
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Half:
    """A half of a labelled tile, and how much of it is hidden by what was laid on the photograph."""

    tile: int
    half: int
    value: int
    hidden: float


def labelled(folder: Path) -> list[tuple[str, list[tuple[Floats, tuple[int, int]]]]]:
    """The tiles of every photograph whose outline, values and their order are known."""
    out = []
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tiles = [
            (np.array(t["quad"], np.float32), (int(t["values"][0]), int(t["values"][1])))
            for t in row["tiles"]
            if t.get("quad") and t.get("values")
        ]
        if tiles:
            out.append((str(row["image"]), tiles))
    return out


def laid(image: Image, quad: Floats, half: int, rng: np.random.Generator) -> tuple[Image, Floats] | None:
    """The photograph with one thing on that half, and the (h, w) share of every pixel that it hides."""
    width = float(min(np.min(one) for one in sides(quad[None])))
    px_per_mm = width / TILE_WIDTH_MM
    side = int(np.clip(round(90 * px_per_mm), 48, 900))
    made = cutout(rng, str(rng.choice(KINDS)), px_per_mm, side)
    if made is None:
        return None
    colour, shown, left = made
    ys, xs = np.nonzero(shown > 0.5)
    middle = half_corners(quad, half).mean(0) + rng.normal(0, 0.38, 2) * width
    k = int(rng.integers(len(xs)))
    at = np.round(middle - [xs[k], ys[k]]).astype(int)
    h, w = image.shape[:2]
    x0, y0, x1, y1 = max(at[0], 0), max(at[1], 0), min(at[0] + side, w), min(at[1] + side, h)
    if x1 - x0 < 8 or y1 - y0 < 8:
        return None
    part = np.s_[y0 - at[1] : y1 - at[1], x0 - at[0] : x1 - at[0]]
    here = (image[y0:y1, x0:x1].astype(np.float32) / 255) ** GAMMA
    corners = quad.astype(np.int32)
    on_tile = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(on_tile, corners, 1)
    bright = np.percentile((image[on_tile > 0].astype(np.float32) / 255) ** GAMMA, 92)
    # As sharp as the photograph is: the edge of a thing is not sharper than a pip's.
    soft = cv2.GaussianBlur(shown[part], (0, 0), 0.8)[..., None]
    paint = colour[part][..., ::-1] * float(max(bright, 0.06)) * 2 * math.exp(rng.normal(0, 0.2))
    paint = paint + rng.normal(0, 0.004, paint.shape)
    there = here * left[part][..., None] * (1 - soft) + paint * soft
    out = image.copy()
    out[y0:y1, x0:x1] = (there.clip(0, 1) ** (1 / GAMMA) * 255).astype(np.uint8)
    hides = np.zeros((h, w), np.float32)
    hides[y0:y1, x0:x1] = shown[part]
    return np.asarray(out, np.uint8), hides


def share_hidden(hides: Floats, quad: Floats, half: int) -> float:
    mask = np.zeros(hides.shape, np.uint8)
    cv2.fillConvexPoly(mask, half_corners(quad, half).round().astype(np.int32), 1)
    return float(hides[mask > 0].mean()) if mask.any() else 0.0


def answers(reading: PictureReading, quad: Floats) -> list[int | None] | None:
    """The reading of a labelled tile's two halves, in the label's order; None where it was not found."""
    best = max(reading.tiles, key=lambda tile: iou(np.asarray(tile.quad_px, np.float32), quad), default=None)
    if best is None or iou(np.asarray(best.quad_px, np.float32), quad) < 0.5:
        return None
    if best.halves is None:
        return [None, None]
    said = [half.value for half in best.halves]
    ends = [half_corners(best.quad_px, n).mean(0) for n in (0, 1)]
    first = half_corners(quad, 0).mean(0)
    return said if np.linalg.norm(ends[0] - first) <= np.linalg.norm(ends[1] - first) else said[::-1]


def crowded(
    image: Image, tiles: list[tuple[Floats, tuple[int, int]]], most: int, rng: np.random.Generator
) -> tuple[Image, list[Half]]:
    """The photograph with at most so many toys, and all halves of its tiles."""
    hides = np.zeros(image.shape[:2], np.float32)
    count = min(most, max(1, round(A_PHOTOGRAPHS_SHARE * len(tiles))), MOST_A_PHOTOGRAPH)
    placed = 0
    for n in rng.permutation(len(tiles)):
        if placed == count:
            break
        quad, half = tiles[n][0], int(rng.integers(2))
        if any(share_hidden(hides, quad, k) > 0 for k in (0, 1)):
            continue
        for _ in range(6):
            tried = laid(image, quad, half, rng)
            if tried is not None and HIDES[0] <= share_hidden(tried[1], quad, half) <= HIDES[1]:
                image, hides = tried[0], np.maximum(hides, tried[1])
                placed += 1
                break
    halves = [
        Half(n, k, values[k], share_hidden(hides, quad, k)) for n, (quad, values) in enumerate(tiles) for k in (0, 1)
    ]
    return image, halves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photographs", type=folder_with(LABELLED))
    parser.add_argument("--toys", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path, help="write pictures of what was claimed wrongly here (never to be kept)")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    eye = open_eye()
    photographs = labelled(options.photographs)
    before: dict[str, PictureReading] = {}
    on_covered, on_bare, wrong = Counter[str](), Counter[str](), []
    round_of, n = 0, 0
    while on_covered.total() < options.toys:
        name, tiles = photographs[n]
        image = open_picture(options.photographs / name)
        if name not in before:
            before[name] = eye.look(image)
        picture, halves = crowded(image, tiles, options.toys - on_covered.total(), rng)
        reading = eye.look(picture)
        for half in halves:
            quad = tiles[half.tile][0]
            now, then = answers(reading, quad), answers(before[name], quad)
            if then == list(tiles[half.tile][1])[::-1] and then[0] != then[1]:
                continue
            said = "gone" if now is None else kind_of(now[half.half], half.value)
            if HIDES[0] <= half.hidden <= HIDES[1]:
                on_covered[said] += 1
                if said == "wrong" and now is not None:
                    wrong.append([name, half.tile, half.half, half.value, now[half.half], round(half.hidden, 2)])
                    if options.show:
                        show(options.show, picture, quad, len(wrong), half.value, now[half.half])
            elif half.hidden == 0 and then is not None and then[half.half] == half.value:
                on_bare[said] += 1
        n = (n + 1) % len(photographs)
        round_of += n == 0
    result = {"covered": dict(on_covered), "bare, right before": dict(on_bare), "wrong": wrong}
    print(json.dumps(result))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def kind_of(said: int | None, true: int) -> str:
    return "unread" if said is None else "right" if said == true else "wrong"


def show(folder: Path, picture: Image, quad: Floats, number: int, true: int, said: int | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    middle, reach = quad.mean(0), float(np.max(sides(quad[None])))
    x0, y0 = np.maximum((middle - reach).astype(int), 0)
    part = picture[y0 : int(middle[1] + reach), x0 : int(middle[0] + reach)]
    cv2.imwrite(str(folder / f"{number:03d}-{true}-as-{said}.png"), part)


if __name__ == "__main__":
    main()
