"""Square training pictures for the detector, cut from rendered tables at the scales the product looks at.

A crop shows tiles 26 to 110 px long: at run time the picture's scale is set from its own tiles, so the network needs
no other sizes. Which tables make empty crops (negatives) is decided here too: a table without tiles is cut as well.
"""

from __future__ import annotations

import json
import math
import multiprocessing
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rotated import shared

GREY = (114, 114, 114)


@dataclass(frozen=True, slots=True)
class CropSettings:
    """`size` of a crop in pixels, `copies` per table, the range of tile lengths, and the `kept` part of a box which
    must lie inside for it to be taught."""

    size: int = 416
    copies: int = 3
    lengths: tuple[float, float] = (26.0, 110.0)
    kept: float = 0.55
    on_a_thing: float = 0.8
    spoilt: float = 0.3
    """The share of crops that another camera might have taken in another room: darker, paler, noisier, coarser."""
    seed: int = 3


Box = tuple[int, NDArray[np.float64]]


def boxes_of(path: Path, width: int, height: int) -> list[Box]:
    """(class, (4, 2) px) of a YOLO oriented-box label file."""
    out = []
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if len(parts) == 9:
            out.append((int(parts[0]), np.array(parts[1:], float).reshape(4, 2) * [width, height]))
    return out


def length_of(quad: NDArray[np.float64]) -> float:
    return float(max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1])))


def cut(image: NDArray[np.uint8], boxes: list[Box], rng: np.random.Generator, settings: CropSettings):
    """One crop (size, size, 3) and its boxes in crop pixels."""
    height, width = image.shape[:2]
    lengths = [length_of(quad) for kind, quad in boxes if kind < 2]
    wanted = math.exp(rng.uniform(*np.log(settings.lengths)))
    typical = float(np.median(lengths)) if lengths else math.exp(rng.uniform(math.log(40), math.log(160)))
    scale = max(min(wanted / typical, 1.6), settings.size / width * 0.7)
    side = settings.size / scale
    if boxes and rng.random() < settings.on_a_thing:
        # Tiles are many and markers few: a crop is as likely to be around one kind as around another.
        kinds = sorted({kind for kind, _ in boxes})
        wanted_kind = kinds[rng.integers(len(kinds))]
        alike = [quad for kind, quad in boxes if kind == wanted_kind]
        centre = alike[rng.integers(len(alike))].mean(0) + rng.normal(0, side * 0.25, 2)
    else:
        centre = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    x0 = float(np.clip(centre[0] - side / 2, min(0, width - side), max(0, width - side)))
    y0 = float(np.clip(centre[1] - side / 2, min(0, height - side), max(0, height - side)))
    reduced = scale <= 0.9
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if reduced else image
    factor = 1.0 if reduced else scale
    shift = np.array([[factor, 0, -x0 * scale], [0, factor, -y0 * scale]], float)
    crop = cv2.warpAffine(small, shift, (settings.size, settings.size), borderValue=GREY)
    return crop, inside(boxes, (x0, y0), scale, settings)


def inside(boxes: list[Box], corner: tuple[float, float], scale: float, settings: CropSettings) -> list[Box]:
    """The boxes of which enough lies in the crop, in its pixels."""
    n = settings.size
    frame = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    out = []
    for kind, quad in boxes:
        moved = ((quad - corner) * scale).astype(np.float32)
        area = cv2.contourArea(moved)
        if area >= 30 and shared(moved, frame) / area >= settings.kept:
            out.append((kind, moved.astype(float)))
    return out


def spoilt(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """The same crop darker or lighter, paler, in coloured light, out of focus, enlarged from fewer pixels or noisy: one
    or several of these."""
    size = crop.shape[1], crop.shape[0]
    if rng.random() < 0.3:
        factor = rng.uniform(0.4, 0.8)
        small = cv2.resize(crop, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        crop = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.25:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.5, 1.3))
    x = crop.astype(np.float32) / 255
    if rng.random() < 0.6:
        x = x ** math.exp(rng.uniform(-0.8, 1.1))
    if rng.random() < 0.4:
        x = (x - 0.5) * rng.uniform(0.35, 0.8) + 0.5 + rng.uniform(-0.15, 0.15)
    if rng.random() < 0.3:
        x = x * np.exp(rng.normal(0, 0.15, 3)).astype(np.float32)
    if rng.random() < 0.4:
        x = x + rng.normal(0, rng.uniform(0.01, 0.07), x.shape).astype(np.float32)
    return np.asarray(np.clip(x * 255, 0, 255), np.uint8)


def cut_table(job: tuple[Path, Path, CropSettings]) -> int:
    """All crops of one table into `out`/images and `out`/labels; tables already cut are left alone."""
    path, out, settings = job
    cv2.setNumThreads(1)
    names = [f"{path.parent.parent.name}_{path.stem}_{k}" for k in range(settings.copies)]
    if all((out / "images" / f"{name}.jpg").is_file() for name in names):
        return 0
    image = cv2.imread(str(path))
    if image is None:
        return 0
    boxes = boxes_of(path.parent.parent / "labels" / f"{path.stem}.txt", image.shape[1], image.shape[0])
    rng = np.random.default_rng([settings.seed, *path.stem.encode()])
    for name in names:
        crop, found = cut(image, boxes, rng, settings)
        if rng.random() < settings.spoilt:
            crop = spoilt(crop, rng)
        rows = [
            f"{kind} " + " ".join(f"{v:.5f}" for v in np.clip(q / settings.size, 0, 1).ravel()) for kind, q in found
        ]
        (out / "labels" / f"{name}.txt").write_text("\n".join(rows), encoding="utf-8")
        cv2.imwrite(str(out / "images" / f"{name}.jpg"), crop, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return len(names)


def cut_folder(
    folder: Path, out: Path, settings: CropSettings, workers: int = 1, every: int = 1, first: int = 0
) -> int:
    """Crops of every table of a folder; returns how many were made."""
    for name in ("images", "labels"):
        (out / name).mkdir(parents=True, exist_ok=True)
    jobs = [(path, out, settings) for path in sorted((folder / "images").glob("*.jpg"))[first::every]]
    if not jobs:
        raise FileNotFoundError(f"{folder}: no rendered tables (images/*.jpg with labels/*.txt)")
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return sum(pool.imap_unordered(cut_table, jobs, chunksize=8))


def describe(out: Path, names: tuple[str, ...], train: str, held: str) -> Path:
    """The data file ultralytics reads."""
    path = out / "data.yaml"
    classes = json.dumps(dict(enumerate(names)))
    path.write_text(f"path: {out.resolve()}\ntrain: {train}\nval: {held}\nnames: {classes}\n", encoding="utf-8")
    return path
