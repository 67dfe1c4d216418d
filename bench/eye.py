"""The eye's speed on one 12 MP photograph with sixty tiles, beside ultralytics' own `predict` where it is installed."""

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


def measure() -> dict[str, float]:
    image, eye = sixty_tiles(), open_eye()
    first = eye.look(image)
    side = statistics.median(float(np.linalg.norm(t.quad_px[1] - t.quad_px[2])) for t in first.tiles)
    region = (1500, 1100, 1500 + int(4 * side), 1100 + int(4 * side))
    times = seconds_per_unit(
        {"whole": (lambda: eye.look(image), 1), "region": (lambda: eye.look_again(image, [region], side), 1)}, ROUNDS
    )
    figures = {
        "tiles in the picture that are found": float(len(first.tiles)),
        "one 12 MP picture, s": times["whole"],
        "a changed region read again, s": times["region"],
        "import of the eye, s": import_seconds(),
        "peak memory of reading it, MB": peak_megabytes(image),
    }
    theirs = predict_seconds(image, eye)
    if theirs is not None:
        figures["ultralytics predict at 1280, finding only, s"] = theirs
        figures["our whole reading in the time of one predict"] = theirs / times["whole"]
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
