"""Does ncnn answer as the reference does on this machine, and sooner? In a process of its own, which may crash:

    python -m vision.runtime_trial

prints one JSON object: `worst`, the largest difference of a probability and of an edge in pixels where something is
seen, and `seconds` of each runtime for one picture.
"""

from __future__ import annotations

import json
import time

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.inference import Network
from vision.prints import prints_of
from vision.runtimes import NCNN, Answering, NcnnDetector
from vision.weights import shipped_weights

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
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        runtime(values)
        taken.append(time.perf_counter() - start)
    return min(taken)


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
