"""Writing pictures and labels to a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.render.labels import yolo_obb
from datasets.render.picture import Picture, draw_crop, draw_picture


@dataclass(frozen=True, slots=True)
class Job:
    seed: int
    index: int
    width: int
    height: int
    out: Path
    scene: str | None = None
    tile_px: tuple[float, float] | None = None
    surface: str | None = None
    tilt_deg: tuple[float, float] | None = None


def prepare(out: Path) -> None:
    for name in ("images", "labels", "meta"):
        (out / name).mkdir(parents=True, exist_ok=True)


def write_one(job: Job) -> Path:
    """Renders picture (with `tile_px`: crop) `index` of `seed` and writes its three files; returns the image's path."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([job.seed, job.index])
    if job.tile_px is not None:
        picture = draw_crop(rng, job.width, job.height, job.tile_px, job.scene, job.surface, job.tilt_deg)
    else:
        picture = draw_picture(rng, job.width, job.height, job.scene, surface=job.surface, tilt_deg=job.tilt_deg)
    return save(picture, job.out, f"s{job.seed}_{job.index:06d}")


def save(picture: Picture, out: Path, name: str) -> Path:
    height, width = picture.image.shape[:2]
    image = out / "images" / f"{name}.jpg"
    if not cv2.imwrite(str(image), picture.image, [cv2.IMWRITE_JPEG_QUALITY, picture.quality]):
        raise OSError(f"{image}: could not be written")
    (out / "labels" / f"{name}.txt").write_text("\n".join(yolo_obb(picture.objects, width, height)), "utf-8")
    (out / "meta" / f"{name}.json").write_text(json.dumps({**picture.meta, "objects": picture.objects}), "utf-8")
    return image
