"""Do the trained detector, its ONNX and its ncnn export find the same tiles?

    python -m models.parity --pictures DIR [--weights work/detector/best.pt]

Every picture is fitted into one square of 640 px, put through each engine, and the boxes left after the same
suppression are compared with the trained model's, or the ONNX file's without one: the same class at an IoU of 0.9 or
more.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scoring import hull, iou
from vision.rotated import quads_of, suppress
from vision.runtimes import NcnnDetector
from vision.weights import shipped_weights

SIDE = 640
Raw = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def square(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(1, 3, 640, 640) RGB / 255 with the whole picture in it."""
    scale = SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    canvas = np.full((SIDE, SIDE, 3), 114, np.uint8)
    canvas[: small.shape[0], : small.shape[1]] = small[:SIDE, :SIDE]
    return np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def trained(weights: Path) -> Raw:
    import torch

    from models.ultralytics_here import YOLO

    model = YOLO(str(weights)).model.float().fuse().eval()

    def run(blob: NDArray[np.float32]) -> NDArray[np.float32]:
        with torch.inference_mode():
            out = model(torch.from_numpy(blob))
        return (out[0] if isinstance(out, list | tuple) else out)[0].numpy()

    return run


def onnx(path: Path) -> Raw:
    from models.export import session

    run = session(path)
    return lambda blob: run.run(None, {"images": blob})[0][0]


def ncnn() -> Raw:
    run = NcnnDetector(shipped_weights("tiles"))
    return lambda blob: run(blob)[0]


def found(raw: NDArray[np.float32], confidence: float = 0.3) -> list[tuple[int, NDArray[np.float32]]]:
    """(class, (4, 2)) of what is left of (9, anchors) after the suppression the product uses."""
    classes = raw[4:-1]
    scores = classes.max(0)
    keep = np.flatnonzero(scores >= confidence)
    quads = quads_of(np.concatenate([raw[:4, keep], raw[-1:, keep]]).T.astype(np.float32))
    kept = suppress(quads, scores[keep].astype(np.float32), 0.3)
    return [(int(classes[:, keep[i]].argmax()), quads[i]) for i in kept]


def same(a: list, b: list, least: float = 0.9) -> int:
    """How many of `a` have a partner in `b`: the same class on nearly the same outline, each used once."""
    free = [(kind, hull(quad.tolist())) for kind, quad in b]
    count = 0
    for kind, quad in a:
        outline = hull(quad.tolist())
        partner = next((i for i, (k, o) in enumerate(free) if k == kind and iou(outline, o) >= least), None)
        if partner is not None:
            free.pop(partner)
            count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, help="the trained detector (.pt)")
    parser.add_argument("--pictures", type=Path, required=True)
    options = parser.parse_args()
    engines: dict[str, Raw] = {"onnx": onnx(shipped_weights("tiles")), "ncnn": ncnn()}
    reference = trained(options.weights) if options.weights else engines["onnx"]
    total, alike, extra = 0, dict.fromkeys(engines, 0), dict.fromkeys(engines, 0)
    for path in sorted(p for p in options.pictures.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png")):
        image = cv2.imread(str(path))
        if image is None:
            continue
        blob = square(image)
        expected = found(reference(blob))
        total += len(expected)
        for name, run in engines.items():
            boxes = found(run(blob))
            shared = same(expected, boxes)
            alike[name] += shared
            extra[name] += len(boxes) - shared
    print(json.dumps({"boxes": total, "same": alike, "only_there": extra}))


if __name__ == "__main__":
    main()
