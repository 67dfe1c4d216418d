"""How steady the eye is: the photographs read again turned, at a slant, smaller, darker, paler, blurred, noisy and
coarsely packed.

    python -m models.disturbed --photographs DIR [--into FILE] [NAME ...]

Other people's cameras and rooms cannot be had; what they would do to a picture can be done to the pictures at hand.
Every disturbance is scored like the photographs themselves (models/scoring.py), with its outlines moved along.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models import scoring
from models.evaluate import prediction, scored

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
"""(3, 3) homography: where a point of the picture lies in the disturbed one."""
STAYS: Matrix = np.eye(3)
AWAY = 1.2
BLUR_PER_PX = 1 / 2000
"""A blur of 1 is so many pixels (sigma) for every pixel of the longer side."""


def turned(image: Picture, degrees: float) -> tuple[Picture, Matrix]:
    """Turned about its middle, nothing cut off; the corners show the edge's last pixels."""
    h, w = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((w / 2, h / 2), degrees, 1.0)
    c, s = abs(matrix[0, 0]), abs(matrix[0, 1])
    wide, high = round(w * c + h * s), round(w * s + h * c)
    matrix[:, 2] += [(wide - w) / 2, (high - h) / 2]
    out = cv2.warpAffine(image, matrix, (wide, high), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8), np.vstack([matrix, [0.0, 0.0, 1.0]])


def slanted(image: Picture, degrees: float, towards: float) -> tuple[Picture, Matrix]:
    """As a camera sees the picture that stands AWAY longer sides away and leans by `degrees` over the axis that lies at
    `towards` degrees in it; as large as before on its longer side, the corners show the edge's last pixels."""
    h, w = image.shape[:2]
    away = AWAY * max(h, w)
    axis = np.radians(degrees) * np.array([np.cos(np.radians(towards)), np.sin(np.radians(towards)), 0.0])
    lain = np.array([[1.0, 0.0, -w / 2], [0.0, 1.0, -h / 2], [0.0, 0.0, 0.0]])
    there = cv2.Rodrigues(axis)[0] @ lain + np.array([[0.0] * 3, [0.0] * 3, [0.0, 0.0, away]])
    there = np.diag([away, away, 1.0]) @ there
    corners = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float64), there)[0]
    low, size = corners.min(0), np.ptp(corners, axis=0)
    scale = max(h, w) / size.max()
    matrix = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1.0]]) @ there
    wide, high = np.ceil(size * scale).astype(int)
    out = cv2.warpPerspective(image, matrix, (wide, high), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8), matrix / matrix[2, 2]


def smaller(image: Picture, factor: float) -> tuple[Picture, Matrix]:
    h, w = image.shape[:2]
    wide, high = max(1, round(w * factor)), max(1, round(h * factor))
    out = cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA)
    return np.asarray(out, np.uint8), np.diag([wide / w, high / h, 1.0])


def curve(image: Picture, power: float) -> tuple[Picture, Matrix]:
    """Darker (above 1) or lighter, black and white staying what they are."""
    table = (255 * np.linspace(0, 1, 256) ** power).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table), np.uint8), STAYS


def mixed(image: Picture, contrast: float, warmth: float = 1.0) -> tuple[Picture, Matrix]:
    """With less contrast around the middle grey, and more red than blue or the other way round."""
    out = ((image.astype(np.float32) - 127) * contrast + 127) * np.array([1 / warmth, 1.0, warmth], np.float32)
    return out.clip(0, 255).astype(np.uint8), STAYS


def blurred(image: Picture, amount: float) -> tuple[Picture, Matrix]:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), amount * max(image.shape) * BLUR_PER_PX), np.uint8), STAYS


def noisy(image: Picture, sigma: float) -> tuple[Picture, Matrix]:
    noise = np.random.default_rng(1).normal(0, sigma, image.shape)
    return (image + noise).clip(0, 255).astype(np.uint8), STAYS


def packed(image: Picture, quality: int) -> tuple[Picture, Matrix]:
    _, stream = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(stream, cv2.IMREAD_COLOR), np.uint8), STAYS


DISTURBANCES: dict[str, Callable[[Picture], tuple[Picture, Matrix]]] = {
    "as it is": lambda image: (image, STAYS),
    "turned by 30 degrees": lambda image: turned(image, 30),
    "turned by 90 degrees": lambda image: turned(image, 90),
    "upside down": lambda image: turned(image, 180),
    "at a slant of 20 degrees": lambda image: slanted(image, 20, 0),
    "at a slant of 30 degrees": lambda image: slanted(image, 30, 90),
    "at a slant of 40 degrees": lambda image: slanted(image, 40, 30),
    "0.6 of the size": lambda image: smaller(image, 0.6),
    "0.4 of the size": lambda image: smaller(image, 0.4),
    "darker (power 2.2)": lambda image: curve(image, 2.2),
    "lighter (power 0.5)": lambda image: curve(image, 0.5),
    "half the contrast": lambda image: mixed(image, 0.5),
    "warm light": lambda image: mixed(image, 1.0, 1.3),
    "cold light": lambda image: mixed(image, 1.0, 1 / 1.3),
    "blurred (0.1 % of the side)": lambda image: blurred(image, 2),
    "noise (sigma 12)": lambda image: noisy(image, 12),
    "JPEG quality 20": lambda image: packed(image, 20),
}


def moved(label: dict[str, Any], matrix: Matrix) -> dict[str, Any]:
    """A photograph's label where its tiles lie in the disturbed picture."""

    def at(points: Any) -> list[list[float]]:
        out: list[list[float]] = cv2.perspectiveTransform(np.asarray([points], np.float64), matrix)[0].tolist()
        return out

    tiles = []
    for tile in label["tiles"]:
        places = {"quad": at(tile["quad"])} if tile.get("quad") else {}
        centres = {"center": at([tile["center"]])[0]} if tile.get("center") else {}
        tiles.append(tile | places | centres)
    field = {"field_poly": at(label["field_poly"])} if label.get("field_poly") else {}
    return label | {"tiles": tiles} | field


def measured(folder: Path, eye: Any, name: str) -> dict[str, Any]:
    """The figures of all photographs under one disturbance."""
    from vision.pictures import open_picture

    predictions, labels = [], []
    for label in scoring.read_lines(folder / "labels.jsonl"):
        image, matrix = DISTURBANCES[name](open_picture(folder / label["image"]))
        labels.append(moved(label, matrix))
        predictions.append(prediction(label["image"], eye.look(image)))
    return scored(predictions, labels)["all"]


def main() -> None:
    from vision.eye import open_eye

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(DISTURBANCES)}".replace("%", "%%"))
    parser.add_argument("--photographs", type=Path, required=True)
    parser.add_argument("--into", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - DISTURBANCES.keys())
    if unknown:
        parser.error(f"no disturbance {unknown[0]!r}, expected one of {', '.join(DISTURBANCES)}")
    eye, figures = open_eye(), {}
    for name in options.names or DISTURBANCES:
        figures[name] = measured(options.photographs, eye, name)
        print(name, json.dumps(figures[name]), flush=True)
    if options.into is not None:
        options.into.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
