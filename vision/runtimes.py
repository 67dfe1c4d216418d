"""The runtimes of the detector's network: onnxruntime, the reference, or ncnn where `companion doctor` has found on
this very machine that it answers alike and sooner.

ncnn holds the network up to its last convolutions (`python -m models.export ncnn`); their answers are put together
here, so that a picture may have any size.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import platform
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vision.inference import Network, first_line
from vision.weights import RUNTIME, WeightsError, file_sha256

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
