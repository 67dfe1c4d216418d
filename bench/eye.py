"""The eye's speed on 12 MP photographs, beside ultralytics' own `predict` where it is installed.

One shows sixty tiles, read with their length known, as a table's camera knows it, and without; the other twenty tiles
on a cloth printed with dominoes, of unknown scale: everything printed is found and read as well. `one reading pass`
puts the finds of the first through the reading network once, as any reader has to.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from bench.stopwatch import seconds_per_unit
from datasets.render.table import TableCamera, TableHub, TableScene, TableTile, render_table
from vision.eye import Eye, open_eye
from vision.frame import Image

SIZE_WH = (4056, 3040)
TABLE_MM = (1200.0, 900.0)
TRAIN_PYTHON = Path(os.environ.get("COMPANION_TRAIN_PYTHON", ".venv-train/bin/python"))
ROUNDS = 5

PREDICT = """
import sys, time, statistics, cv2
from models.ultralytics_here import YOLO
model = YOLO(sys.argv[1], task="obb"); image = cv2.imread(sys.argv[2]); times = []
for _ in range(int(sys.argv[3]) + 1):
    start = time.perf_counter(); model.predict(image, imgsz=1280, verbose=False, device="cpu")
    times.append(time.perf_counter() - start)
print(statistics.median(times[1:]))
"""

PEAK = """
import re, sys
from pathlib import Path
from vision.eye import open_eye
from vision.pictures import open_picture
eye = open_eye()
for _ in range(2):
    eye.look(open_picture(Path(sys.argv[1])))
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def sixty_tiles(seed: int = 3) -> Image:
    """Ten rows of six tiles from a double-12 set, a little askew, as a 12 MP camera at 1.26 m sees them."""
    rng = random.Random(seed)
    box = [(a, b) for a in range(13) for b in range(a, 13)]
    tiles = tuple(
        TableTile(
            (90.0 + 190 * (i % 6) + rng.uniform(-25, 25), 60.0 + 84 * (i // 6) + rng.uniform(-12, 12)),
            rng.uniform(-180, 180),
            values,
        )
        for i, values in enumerate(rng.sample(box, 60))
        if not (i % 6 in (2, 3) and 4 <= i // 6 <= 5)
    )
    scene = TableScene(size_mm=TABLE_MM, tiles=tiles, hub=TableHub((600.0, 450.0)), camera=TableCamera(*SIZE_WH))
    return render_table(scene, seed)[0]


def on_a_board(seed: int = 150703) -> Image:
    """Twenty tiles that lie about on a cloth with two hundred dominoes printed on it, seen from 1.1 m."""
    rng = random.Random(seed)
    box = [(a, b) for a in range(13) for b in range(a, 13)]
    tiles = tuple(
        TableTile(
            (130.0 + 190 * (i % 5) + rng.uniform(-25, 25), 90.0 + 170 * (i // 5) + rng.uniform(-30, 30)),
            rng.uniform(-180, 180),
            values,
        )
        for i, values in enumerate(rng.sample(box, 20))
    )
    camera = TableCamera(*SIZE_WH, height_mm=1100.0)
    return render_table(TableScene((1000.0, 750.0), tiles, camera=camera, background="dominoes"), seed)[0]


def processor() -> str:
    """The processor's name and how many of its cores are used."""
    told = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = next(
        (line.split(":", 1)[1].strip() for line in told.splitlines() if line.startswith("model name")), "unknown"
    )
    wide = " with AVX-512" if "avx512f" in told else ""
    return f"{name}{wide}, {os.cpu_count()} cores"


def measure() -> dict[str, float]:
    print(f"  {processor()}")
    image, board, eye = sixty_tiles(), on_a_board(), open_eye()
    first = eye.look(image)
    finds = np.array([tile.quad_px for tile in first.tiles], np.float32)
    side = statistics.median(float(np.linalg.norm(t.quad_px[1] - t.quad_px[2])) for t in first.tiles)
    region = (1500, 1100, 1500 + int(4 * side), 1100 + int(4 * side))
    times = seconds_per_unit(
        {
            "whole": (lambda: eye.look(image), 1),
            "known": (lambda: eye.look(image, side), 1),
            "board": (lambda: eye.look(board), 1),
            "pass": (lambda: eye.reader.scores(image, finds), 1),
            "region": (lambda: eye.look_again(image, [region], side), 1),
        },
        ROUNDS,
    )
    figures = {
        "tiles in the picture that are found": float(len(first.tiles)),
        "one 12 MP picture, s": times["whole"],
        "the same, how long a tile is being known, s": times["known"],
        "of unknown scale in the time of known": times["whole"] / times["known"],
        "one on a board with printed dominoes, s": times["board"],
        "one reading pass over the same finds, s": times["pass"],
        "a changed region read again, s": times["region"],
        "import of the eye, s": import_seconds(),
        "peak memory of reading it, MB": peak_megabytes(image),
    }
    theirs = predict_seconds(image, eye)
    if theirs is not None:
        figures["ultralytics predict at 1280, finding only, s"] = theirs
        figures["our whole reading in the time of one predict"] = theirs / times["whole"]
        figures["the same with a reading pass on its finds"] = (theirs + times["pass"]) / times["whole"]
    return figures


def peak_megabytes(image: Image) -> float:
    """Peak memory of a fresh process that reads the picture twice; the picture itself is a file to it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jpg"
        cv2.imwrite(str(path), image)
        done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def import_seconds() -> float:
    """Median time to import the eye in a fresh process, less the time to start one."""

    def taken(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    return statistics.median(taken("import vision.eye") - taken("pass") for _ in range(ROUNDS))


def predict_seconds(image: Image, eye: Eye) -> float | None:
    """Ultralytics' own end-to-end time on the same picture with the same weights; None without `make train-env`."""
    if not TRAIN_PYTHON.exists():
        print(f"  {TRAIN_PYTHON} is not there (make train-env): ultralytics is left out", file=sys.stderr)
        return None
    from vision.weights import shipped_weights

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.png"
        cv2.imwrite(str(path), image)
        command = [str(TRAIN_PYTHON), "-c", PREDICT, str(shipped_weights("tiles")), str(path), str(ROUNDS)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  ultralytics could not run: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])
