"""`python -m datasets.render --out DIR --n N --seed S --workers W --size 1280 [--scene KIND]`
`python -m datasets.render --out DIR --n N --seed S --crops 512 [--tile-px 26 110]`

Writes DIR/images/*.jpg, DIR/labels/*.txt (YOLO oriented boxes: tile_face_up, tile_face_down, marker, hub) and
DIR/meta/*.json (quads, values, visibility, style).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from datasets.render.scenes import SCENES
from datasets.render.surfaces import KINDS as SURFACES

STEEPEST = 60
"""A camera that leans further sees the horizon, degrees."""


def main(argv: list[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    low, high = arguments.tile_px
    if not 0 < low <= high:
        parser.error(f"--tile-px {low:g} {high:g}: expected two lengths in pixels, the smaller first")
    if arguments.tilt and not 0 <= arguments.tilt[0] <= arguments.tilt[1] <= STEEPEST:
        parser.error(
            f"--tilt {arguments.tilt[0]:g} {arguments.tilt[1]:g}: expected two angles up to {STEEPEST} degrees"
        )
    if min(arguments.n, arguments.size, *(arguments.crops or (1,))) < 1:
        parser.error("--n, --size and --crops must be at least 1")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from datasets.render.writing import Job, prepare, write_one

    try:
        prepare(arguments.out)
    except OSError as problem:
        parser.exit(1, f"{arguments.out}: cannot write there ({problem.strerror})\n")
    width = arguments.size
    height = arguments.height or width * 3 // 4
    tile_px = None
    if arguments.crops:
        width, height = arguments.crops
        tile_px = tuple(arguments.tile_px)
    tilt = tuple(arguments.tilt) if arguments.tilt else None
    jobs = [
        Job(arguments.seed, i, width, height, arguments.out, arguments.scene, tile_px, arguments.surface, tilt)
        for i in range(arguments.start, arguments.start + arguments.n)
    ]
    begun, done = time.monotonic(), 0
    for _ in _run(write_one, jobs, arguments.workers):
        done += 1
        if done % max(1, arguments.n // 20) == 0:
            rate = done / (time.monotonic() - begun)
            print(f"{done}/{arguments.n} {rate:.2f} pictures a second", file=sys.stderr, flush=True)
    print(f"{done} pictures in {arguments.out}, {time.monotonic() - begun:.1f} s")
    return 0


def _run(work, jobs: list, workers: int) -> Iterator[Path]:
    if workers <= 1:
        yield from map(work, jobs)
        return
    with multiprocessing.get_context("fork").Pool(workers, maxtasksperchild=200) as pool:
        yield from pool.imap_unordered(work, jobs, chunksize=2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m datasets.render", description="Render domino tables with labels.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--n", type=int, default=20, help="number of pictures")
    parser.add_argument("--seed", type=int, default=0, help="pictures are named after seed and number")
    parser.add_argument("--start", type=int, default=0, help="number of the first picture")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--size", type=int, default=1280, help="width in pixels; the height is 3/4 of it")
    parser.add_argument("--height", type=int, default=0, help="height in pixels")
    parser.add_argument("--scene", choices=sorted(SCENES), default=None, help="only this kind of table")
    parser.add_argument("--surface", choices=SURFACES, default=None, help="only this kind of table top")
    slant = {"nargs": 2, "type": float, "default": None, "metavar": ("LOW", "HIGH")}
    parser.add_argument("--tilt", **slant, help="the camera leans so many degrees away from the vertical")
    parser.add_argument("--crops", type=_crop_size, default=None, metavar="W[xH]", help="small cuts at a tile's scale")
    low_high = {"nargs": 2, "type": float, "default": [26.0, 110.0], "metavar": ("LOW", "HIGH")}
    parser.add_argument("--tile-px", **low_high, help="how long tiles are in crops, pixels")
    return parser


def _crop_size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height or width)


if __name__ == "__main__":
    sys.exit(main())
