"""`python -m datasets.traced --out DIR --n N --seed S [--size 640] [--tilt LOW HIGH] [--scene KIND]`

Writes DIR/images/*.jpg, DIR/labels/*.txt and DIR/meta/*.json as `datasets.render` does. Needs the environment that
`make trace-env` makes. Picture `i` of seed `s` is of the same table every time; `--start` goes on with a set.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.picture import Picture, packed
from datasets.render.scenes import SCENES
from datasets.render.sensor import develop
from datasets.render.writing import prepare, save
from datasets.traced.tables import STEEPEST, Table, make_table

Traced = tuple[NDArray[np.float32], NDArray[np.int16]]


def finished(rng: np.random.Generator, table: Table, traced: Traced) -> Picture:
    """The traced light as the table's camera takes it, with its labels."""
    light, owners = traced
    camera, plan = table.camera, table.plan
    light = light * table.balance
    if camera.distortion:
        light = cv2.remap(light, *camera.undistort_maps(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    image, quality = develop(light, rng)
    meta = {
        "scene": plan.kind,
        "background": table.surface.kind,
        "printed_dominoes": table.surface.kind == "dominoes",
        "view_mm": round(camera.view_mm, 1),
        "tilt_deg": round(float(np.degrees(camera.tilt)), 1),
        "px_per_mm": round(camera.scale_at(plan.centre), 3),
        "set_kind": plan.style.family,
        "nmax": plan.style.set_max,
        "jpeg_q": quality,
        "width": camera.width,
        "height": camera.height,
    }
    return Picture(image, table.labels(camera.bent(owners), packed(image, quality)), meta, quality)


def main(argv: list[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    low, high = arguments.tilt
    if not 0 <= low <= high <= STEEPEST:
        parser.error(f"--tilt {low:g} {high:g}: expected two angles up to {STEEPEST:g} degrees, the smaller first")
    if min(arguments.n, arguments.samples, arguments.threads) < 1 or arguments.size < 64:
        parser.error("--n, --samples and --threads must be at least 1, --size at least 64")
    try:
        from datasets.traced.cycles import trace
    except ModuleNotFoundError as missing:
        parser.exit(
            1, f"no {missing.name} here: run `make trace-env`, then .venv-trace/bin/python -m datasets.traced\n"
        )
    try:
        prepare(arguments.out)
    except OSError as problem:
        parser.exit(1, f"{arguments.out}: cannot write there ({problem.strerror})\n")
    cv2.setNumThreads(arguments.threads)
    begun = time.monotonic()
    for index in range(arguments.start, arguments.start + arguments.n):
        rng = np.random.default_rng([arguments.seed, index])
        table = make_table(rng, arguments.size, arguments.size, arguments.scene, (low, high))
        picture = finished(rng, table, trace(table, arguments.samples, arguments.threads))
        save(picture, arguments.out, f"t{arguments.seed}_{index:06d}")
        print(
            f"{index + 1 - arguments.start}/{arguments.n} {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True
        )
    print(f"{arguments.n} pictures in {arguments.out}, {time.monotonic() - begun:.1f} s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m datasets.traced", description="Trace domino tables with labels.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--n", type=int, default=20, help="number of pictures")
    parser.add_argument("--seed", type=int, default=0, help="pictures are named after seed and number")
    parser.add_argument("--start", type=int, default=0, help="number of the first picture")
    parser.add_argument("--size", type=int, default=640, help="width and height in pixels")
    parser.add_argument("--samples", type=int, default=8, help="rays a pixel")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scene", choices=sorted(SCENES), default=None, help="only this kind of table")
    parser.add_argument(
        "--tilt",
        nargs=2,
        type=float,
        default=[0.0, STEEPEST],
        metavar=("LOW", "HIGH"),
        help="the camera leans so many degrees away from the vertical",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
