"""A label knows what was printed; legibility knows whether anything of it is left in the picture."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.render import picture
from datasets.render.chance import stream
from datasets.render.legibility import half_contrast
from datasets.render.styles import make_style, resized
from datasets.render.table import TableCamera, TableScene, TableTile, render_table
from models.crops import LEGIBLE

SCENE = TableScene(
    tiles=(TableTile((500.0, 450.0), 20.0, (3, 5)), TableTile((700.0, 450.0), 200.0, (6, 0))),
    camera=TableCamera(width=640, height=480, height_mm=500.0),
    set_max=6,
)


def _contrasts(image: np.ndarray, labels: list, seed: int, scene: TableScene = SCENE) -> list[int]:
    style = resized(make_style(stream(seed, "style"), scene.family, scene.set_max), *scene.tile_size_mm)
    return [c for o in labels for c in half_contrast(image, np.array(o["quad"]), style, tuple(o["values"]))]


def test_sharp_pips_stand_out() -> None:
    for seed in range(5):
        image, labels = render_table(SCENE, seed)
        assert min(_contrasts(image, labels, seed)) > 25


def test_pips_that_run_together_in_blur_do_not() -> None:
    image, labels = render_table(SCENE, 1)
    labels = [o for o in labels if o["values"] == [3, 5]]
    assert max(_contrasts(cv2.GaussianBlur(image, (0, 0), 12), labels, 1)) < 12


def test_pips_that_a_movement_runs_together_do_not_though_the_ground_beside_their_rows_is_clear() -> None:
    scene = replace(SCENE, tiles=(TableTile((600.0, 450.0), 0.0, (12, 12)),), set_max=12)
    for seed in range(3):
        image, labels = render_table(scene, seed)
        moved = np.ones((1, 21), np.float32) / 21
        along, across = (cv2.filter2D(image, -1, kernel) for kernel in (moved, moved.T))
        sharp, *smeared = (max(_contrasts(one, labels, seed, scene)) for one in (image, along, across))
        assert sharp > 25 and min(smeared) < sharp / 6


@pytest.mark.parametrize(("value", "moved_px"), [(8, 9), (9, 9)])
def test_neither_do_pips_drawn_out_into_columns_while_the_rows_stay_apart(value: int, moved_px: int) -> None:
    scene = replace(SCENE, tiles=(TableTile((600.0, 450.0), 0.0, (value, value)),), set_max=12)
    image, labels = render_table(scene, 1)
    across = cv2.filter2D(image, -1, np.ones((moved_px, 1), np.float32) / moved_px)
    assert min(_contrasts(image, labels, 1, scene)) > 100
    assert max(_contrasts(across, labels, 1, scene)) < LEGIBLE


def test_nothing_stands_out_in_a_black_or_a_burnt_picture() -> None:
    image, labels = render_table(SCENE, 1)
    assert max(_contrasts(np.zeros_like(image), labels, 1)) == 0
    assert max(_contrasts(np.full_like(image, 255), labels, 1)) == 0


def test_chinese_pips_are_looked_for_where_they_are_printed() -> None:
    tiles = tuple(
        TableTile((400.0 + 90 * i, 450.0), 90.0, pair) for i, pair in enumerate([(3, 3), (6, 6), (1, 3), (4, 4)])
    )
    scene = replace(SCENE, family="chinese", tiles=tiles)
    for seed in range(4):
        image, labels = render_table(scene, seed)
        assert min(_contrasts(image, labels, seed, scene)) > 20


def test_what_is_measured_is_what_the_file_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "packed", lambda image, _quality: np.zeros_like(image))
    tables = [picture.draw_picture(stream(seed, "a table"), 480, 360, scene="hand").objects for seed in range(3)]
    measured = [max(one["half_contrast"]) for objects in tables for one in objects if "half_contrast" in one]
    assert measured and max(measured) == 0


def test_faint_pips_may_drown_in_a_coarse_file() -> None:
    image = np.full((64, 64, 3), 250, np.uint8)
    image[30:32, 30:32] = 238
    fine, coarse = (picture.packed(image, quality).astype(int) for quality in (98, 10))
    assert np.ptp(fine) >= 8 > np.ptp(coarse)
