"""The detector's training pictures: tiles at the sizes the product looks at, boxes where the tiles are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.detector_crops import CropSettings, cut, cut_folder, length_of, spoilt

WHITE_TILE = np.array([[300.0, 260.0], [300.0, 200.0], [420.0, 200.0], [420.0, 260.0]])
SETTINGS = CropSettings(size=256, copies=2)


def table() -> np.ndarray:
    image = np.full((480, 640, 3), 40, np.uint8)
    cv2.fillConvexPoly(image, WHITE_TILE.astype(int), (250, 250, 250))
    return image


def test_tiles_come_out_at_the_lengths_the_product_looks_at() -> None:
    rng = np.random.default_rng(1)
    lengths = [length_of(quad) for _ in range(40) for _, quad in cut(table(), [(0, WHITE_TILE)], rng, SETTINGS)[1]]
    assert len(lengths) > 20
    assert min(lengths) >= 26 * 0.99
    assert max(lengths) <= 110 * 1.01


def test_a_box_lies_where_the_tile_is_drawn() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        crop, boxes = cut(table(), [(0, WHITE_TILE)], rng, SETTINGS)
        for _, quad in boxes:
            if quad.min() < 3 or quad.max() > 253:
                continue
            x, y = quad.mean(0).astype(int)
            assert crop[y, x].min() > 200
            drawn = float((crop.min(2) > 150).sum())
            assert drawn == pytest.approx(cv2.contourArea(quad.astype(np.float32)), rel=0.12)


def test_a_tile_mostly_outside_is_not_taught() -> None:
    rng = np.random.default_rng(3)
    edge = WHITE_TILE + np.array([240, 0])
    kept = [cut(table(), [(0, edge)], rng, SETTINGS)[1] for _ in range(20)]
    assert all(cv2.contourArea(q.astype(np.float32)) > 0 for boxes in kept for _, q in boxes)
    assert sum(len(boxes) for boxes in kept) < 20


def test_a_table_without_tiles_gives_empty_crops(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    for name in ("images", "labels"):
        (tables / name).mkdir(parents=True)
    cv2.imwrite(str(tables / "images" / "s1_000000.jpg"), np.full((480, 640, 3), 90, np.uint8))
    (tables / "labels" / "s1_000000.txt").write_text("", encoding="utf-8")
    assert cut_folder(tables, tmp_path / "out", SETTINGS) == 2
    labels = sorted((tmp_path / "out" / "labels").iterdir())
    assert [path.read_text(encoding="utf-8") for path in labels] == ["", ""]


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no rendered tables"):
        cut_folder(tmp_path, tmp_path / "out", SETTINGS)


def test_a_spoilt_crop_keeps_its_size_and_mostly_shows_what_it_showed() -> None:
    rng, plain = np.random.default_rng(4), table()
    tile, cloth = np.s_[220:240, 320:400], np.s_[20:40, 20:100]
    many = [spoilt(plain, rng) for _ in range(60)]
    assert all(one.shape == plain.shape and one.dtype == np.uint8 for one in many)
    assert sum(float(one[tile].mean()) > float(one[cloth].mean()) + 15 for one in many) >= 55
    assert sum(float(np.abs(one.astype(float) - plain).mean()) > 2 for one in many) >= 40


def test_the_same_crop_comes_out_of_one_seed(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    for name in ("images", "labels"):
        (tables / name).mkdir(parents=True)
    cv2.imwrite(str(tables / "images" / "s1_000000.jpg"), table())
    (tables / "labels" / "s1_000000.txt").write_text("", encoding="utf-8")
    often = CropSettings(size=128, copies=4, spoilt=1.0)
    for out in ("a", "b"):
        cut_folder(tables, tmp_path / out, often)
    first, second = (sorted((tmp_path / out / "images").iterdir()) for out in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
