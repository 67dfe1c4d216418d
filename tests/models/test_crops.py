"""Training crops carry the right label at the right end, and the corners of a shifted tile."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from models.crops import BACK, IGNORED, NONE, Crops, half_labels, jittered_views, one_pass, plain_views, table_crops
from vision.rectify import READ_MARGIN, cut_tile, put_right

QUAD = [[60.0, 130.0], [60.0, 80.0], [160.0, 80.0], [160.0, 130.0]]


def tile(**changed: Any) -> dict[str, Any]:
    plain = {
        "cls": 0,
        "quad": QUAD,
        "values": [5, 2],
        "vis": 1.0,
        "half_vis": [1.0, 1.0],
        "style": {"numerals": False},
    }
    return plain | changed


def two_coloured_tile() -> np.ndarray:
    """A grey table with one tile: half 0 pure blue, half 1 pure red."""
    image = np.full((220, 240, 3), 90, np.uint8)
    cv2.rectangle(image, (60, 80), (109, 129), (255, 0, 0), -1)
    cv2.rectangle(image, (110, 80), (159, 129), (0, 0, 255), -1)
    return image


def one_table() -> Crops:
    return table_crops(two_coloured_tile(), [tile()], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("changed", "labels"),
    [
        ({}, (5, 2)),
        ({"half_vis": [1.0, 0.2]}, (5, NONE)),
        ({"half_vis": [0.6, 1.0]}, (IGNORED, 2)),
        ({"cls": 1, "values": None}, (BACK, BACK)),
        ({"cls": 1, "values": None, "half_vis": [1.0, 0.3]}, (IGNORED, IGNORED)),
    ],
)
def test_a_half_teaches_only_what_can_be_seen_of_it(changed: dict[str, Any], labels: tuple[int, int]) -> None:
    assert half_labels(tile(**changed)) == labels


def test_half_0_lies_at_the_left_of_the_crop() -> None:
    crops = one_table()
    view = plain_views(crops, np.array([0]))[0]
    assert crops.labels[0].tolist() == [5, 2]
    assert view[20:28, 20:28].mean((0, 1)) == pytest.approx([255, 0, 0], abs=8)
    assert view[20:28, 68:76].mean((0, 1)) == pytest.approx([0, 0, 255], abs=8)


def test_training_sees_a_tile_as_the_product_cuts_it() -> None:
    crops = one_table()
    product = cut_tile(two_coloured_tile(), QUAD).astype(float)
    taught = plain_views(crops, np.array([0]))[0].astype(float)
    assert np.abs(product - taught)[4:-4, 4:-4].mean() < 4


def test_a_turned_view_turns_its_labels_too() -> None:
    crops = one_table()
    views, labels, _ = jittered_views(crops, np.zeros(40, int), np.random.default_rng(3))
    for view, (left, right) in zip(views, labels, strict=True):
        blue_is_left = view[20:28, 16:28, 0].mean() > view[20:28, 68:80, 0].mean()
        assert (left, right) == ((5, 2) if blue_is_left else (2, 5))
    assert {tuple(pair) for pair in labels.tolist()} == {(5, 2), (2, 5)}


def test_the_taught_offsets_put_an_askew_outline_right() -> None:
    """An outline is moved off a tile; the offsets taught for that view must lead back to the tile."""
    rng = np.random.default_rng(8)
    true = np.array(QUAD)
    for _ in range(20):
        wrong = true + rng.normal(0, 3, (4, 2))
        nominal = np.array([[0, 1], [0, 0], [2, 0], [2, 1]], np.float32)
        to_unit = cv2.getPerspectiveTransform(wrong.astype(np.float32), nominal)
        offsets = cv2.perspectiveTransform(true[:, None].astype(np.float32), to_unit)[:, 0] - nominal
        assert put_right(wrong, offsets.reshape(2, 4)) == pytest.approx(true, abs=0.05)


def test_the_offsets_of_jittered_views_point_at_the_tiles_corners() -> None:
    crops = one_table()
    views, labels, offsets = jittered_views(crops, np.zeros(60, int), np.random.default_rng(5))
    side = 48 / (1 + 2 * READ_MARGIN)
    for view, pair, corners in zip(views, labels, offsets, strict=True):
        left = view[..., 0 if tuple(pair) == (5, 2) else 2].astype(float) - view[..., 1]
        ys, xs = np.nonzero(left > 120)
        if len(xs) < 200 or xs.min() < 2 or ys.min() < 2 or ys.max() > 45:
            continue
        bottom_left, top_left = corners[0].reshape(2, 2)
        expected_x = (READ_MARGIN + (bottom_left[0] + top_left[0]) / 2) * side
        expected_top = (READ_MARGIN + top_left[1]) * side
        assert xs.min() == pytest.approx(expected_x, abs=3.5)
        assert ys.min() == pytest.approx(expected_top, abs=4.5)


def test_places_without_a_tile_teach_none() -> None:
    wide_table = cv2.copyMakeBorder(two_coloured_tile(), 0, 400, 0, 400, cv2.BORDER_CONSTANT, value=(90, 90, 90))
    crops = table_crops(wide_table, [tile()], np.random.default_rng(0), negatives=12)
    assert crops.straight.tolist()[0] is True
    assert not crops.straight[1:].any()
    assert (crops.labels[1:] == NONE).all()
    assert len(crops) > 1


def test_rare_values_come_several_times_in_a_pass_and_nothing_is_left_out():
    labels = np.array(
        [[value % 10, 1 + value % 9] for value in range(900)] + [[18, 0], [NONE, NONE], [IGNORED, BACK]], np.int16
    )
    n = len(labels)
    crops = Crops(np.zeros((n, 1, 1, 3), np.uint8), labels, np.full(n, 30, np.float32), *np.ones((2, n), bool))
    times = np.bincount(one_pass(crops, np.random.default_rng(0)), minlength=n)
    assert times.min() == 1
    assert times[900] == times.max() == 4
    assert times[:900].mean() < 1.2, "what is common comes once"
