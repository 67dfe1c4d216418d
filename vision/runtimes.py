"""The runtimes of the detector's network: onnxruntime, the reference, or ncnn where `companion doctor` has found on
this very machine that it answers alike and sooner.

ncnn holds the network up to its last convolutions (`python -m models.export ncnn`); their answers are put together
here, so that a picture may have any size. The trial runs in a process of its own, which may crash:

    python -m vision.runtimes

prints one JSON object: `worst`, the largest difference of a probability and of an edge in pixels where something is
seen, and `seconds` of each runtime for one picture.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import platform
import timeit
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.inference import Network, first_line
from vision.prints import prints_of
from vision.weights import RUNTIME, WeightsError, file_sha256, shipped_weights

Floats = NDArray[np.float32]
log = logging.getLogger(__name__)

NCNN = "ncnn"
STRIDES = (8, 16, 32)
PARTS = ("sides", "kinds", "turns")
"""Of each stride four distances to the sides, four kinds and one angle, in the order of ncnn's outputs."""


class Answering(Protocol):
    """(1, 3, h, w) RGB / 255, h and w multiples of 32 -> (1, 9, anchors), as the manifest says of `tiles`."""

    input_shape: tuple[Any, ...]
    output_shape: tuple[Any, ...]

    def __call__(self, values: Floats) -> Floats: ...


class NcnnDetector:
    """The detector in ncnn. Safe to ask from several threads. Raises ImportError without ncnn, WeightsError for files
    that it does not take."""

    def __init__(self, onnx: Path) -> None:
        import ncnn

        self._ncnn = ncnn
        self._net = ncnn.Net()
        options = self._net.opt
        options.num_threads = 1
        # The reference works out in single precision, and so does this.
        options.use_fp16_packed = options.use_fp16_storage = options.use_fp16_arithmetic = False
        options.use_bf16_storage = False
        layers, weights = files_of(onnx)
        if self._net.load_param(str(layers)) or self._net.load_model(str(weights)):
            raise WeightsError(f"{layers}: not a network that ncnn can run")
        self.input_shape = (1, 3, "height", "width")
        self.output_shape = (1, 9, "anchors")

    def __call__(self, values: Floats) -> Floats:
        extractor = self._net.create_extractor()
        extractor.input("in0", self._ncnn.Mat(values[0]).clone())
        outputs = []
        for number in range(len(PARTS) * len(STRIDES)):
            problem, out = extractor.extract(f"out{number}")
            if problem:
                raise RuntimeError(f"ncnn refused a picture of {values.shape} ({problem})")
            outputs.append(np.array(out, np.float32))
        return put_together(outputs)


def put_together(outputs: list[Floats]) -> Floats:
    """Nine maps (channels, h, w), sides, kinds and turns of each stride -> (1, 9, anchors): cx, cy, w, h in input px, a
    probability of each kind, the angle in radians."""
    answers = []
    for number, stride in enumerate(STRIDES):
        sides, kinds, turn = (outputs[part * len(STRIDES) + number] for part in range(len(PARTS)))
        high, wide = turn.shape[1:]
        y, x = np.mgrid[:high, :wide].astype(np.float32) + np.float32(0.5)
        (left, top, right, bottom), angle = sides, turn[0]
        along, down = (right - left) / 2, (bottom - top) / 2
        cos, sin = np.cos(angle), np.sin(angle)
        box = [along * cos - down * sin + x, along * sin + down * cos + y, left + right, top + bottom]
        answer = np.concatenate([np.stack(box) * np.float32(stride), (1 + np.tanh(kinds / 2)) / 2, turn])
        answers.append(answer.reshape(len(answer), -1))
    return np.concatenate(answers, 1, dtype=np.float32)[None]


def files_of(onnx: Path) -> tuple[Path, Path]:
    """ncnn's layers and weights of the network in this file."""
    return onnx.with_suffix(".ncnn.param"), onnx.with_suffix(".ncnn.bin")


def tried_with(onnx: Path) -> dict[str, str]:
    """The facts that a trial holds for: these networks, this ncnn, this machine. Raises OSError where a file is missing
    and ImportError without ncnn."""
    files = {file.name: file_sha256(file) for file in (onnx, *files_of(onnx))}
    return files | {"ncnn": importlib.metadata.version("ncnn"), "machine": f"{platform.machine()} {_processor()}"}


def _processor() -> str:
    """The system's name for the processor, and its abilities."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    told = ("model name", "flags", "Features", "CPU implementer", "CPU part")
    return " ".join(sorted({line.partition(":")[2].strip() for line in lines if line.startswith(told)}))


def open_detector(onnx: Path) -> Answering:
    """The runtime that was chosen for this network on this machine. Without a choice, or where it is missing, broken or
    not the one that was tried, the reference; the log says so. Raises WeightsError where the reference cannot open
    it."""
    kept = os.environ.get(RUNTIME, "")
    if kept and Path(kept).is_file():
        try:
            chosen = json.loads(Path(kept).read_text(encoding="utf-8"))
            if chosen["runtime"] == NCNN:
                if chosen["tried"] != tried_with(onnx):
                    raise WeightsError("it was tried with another version, network or machine")
                return NcnnDetector(onnx)
        except (ImportError, OSError, ValueError, KeyError, TypeError, WeightsError) as error:
            log.warning(
                "onnxruntime finds the tiles and not ncnn: %s; `companion doctor` tries it anew", first_line(error)
            )
    return Network(onnx)


SIZES = ((512, 512), (640, 384), (288, 1024))
"""Heights and widths; the first is timed."""
SEEN = 0.03
"""A box of less is never passed on as a tile."""
ALIKE = {"probability": 0.005, "edge_px": 0.25}
"""Differences far below what moves a corner or the order of two boxes; runtimes that work in single precision differ by
a thousandth of this."""
ROUNDS = 5


def picture(high: int, wide: int) -> NDArray[np.float32]:
    """(1, 3, high, wide) RGB / 255: dominoes at all angles on a green cloth."""
    image = np.full((high, wide, 3), (70, 110, 40), np.uint8)
    random = np.random.default_rng(high * wide)
    for y in range(56, high - 40, 96):
        for x in range(56, wide - 40, 96):
            _domino(image, (x, y), float(random.uniform(0, np.pi)), random.integers(0, 7, 2).tolist())
    blurred = cv2.GaussianBlur(image, (3, 3), 0)
    return np.ascontiguousarray(blurred[:, :, ::-1].transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def _domino(image: NDArray[np.uint8], at: tuple[int, int], angle: float, values: list[int]) -> None:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def put(x: float, y: float) -> tuple[int, int]:
        px = turn @ (x, y) + at
        return int(px[0]), int(px[1])

    corners = np.array([put(-34, -17), put(34, -17), put(34, 17), put(-34, 17)])
    cv2.fillConvexPoly(image, corners, (235, 240, 240), cv2.LINE_AA)
    cv2.line(image, put(0, -14), put(0, 14), (60, 60, 60), 2, cv2.LINE_AA)
    for side, value in zip((-17, 17), values, strict=True):
        for along, across in prints_of(value)[0]:
            cv2.circle(image, put(side + along * 9, across * 9), 3, (30, 30, 30), -1, cv2.LINE_AA)


def differences(wanted: NDArray[np.float32], got: NDArray[np.float32]) -> dict[str, float]:
    """Of two answers (1, 9, anchors): the worst probability of all, and the worst edge of what is seen."""
    seen = wanted[0, 4:-1].max(0) >= SEEN
    edges = np.abs(wanted[0, :4, seen] - got[0, :4, seen])
    # An angle moves an edge by half the box's length.
    edges = np.append(edges, np.abs(wanted[0, -1, seen] - got[0, -1, seen]) * wanted[0, 2:4, seen].max(1) / 2)
    worst = {"probability": np.abs(wanted[0, 4:-1] - got[0, 4:-1]).max(), "edge_px": edges.max(initial=0)}
    return {name: round(float(value), 6) for name, value in worst.items()}


def alike(worst: dict[str, float]) -> bool:
    """NaN is not."""
    return all(worst[name] <= most for name, most in ALIKE.items())


def seconds(runtime: Answering, values: NDArray[np.float32]) -> float:
    """The fastest of some answers."""
    return min(timeit.repeat(lambda: runtime(values), number=1, repeat=ROUNDS))


def main() -> None:
    onnx = shipped_weights("tiles")
    reference, other = Network(onnx), NcnnDetector(onnx)
    worst = dict.fromkeys(ALIKE, 0.0)
    for size in SIZES:
        values = picture(*size)
        found = differences(reference(values), other(values))
        worst = {name: float(np.maximum(worst[name], found[name])) for name in worst}
    values = picture(*SIZES[0])
    taken = {"onnxruntime": seconds(reference, values), NCNN: seconds(other, values)}
    print(json.dumps({"worst": worst, "seconds": taken}))


if __name__ == "__main__":
    main()
