"""Hubs of every kind, and rings printed on the table."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.render.hubs import RARER, SHAPES, _rim
from datasets.render.table import TableCamera, TableHub, TableScene, TableTile, render_table

CAMERA = TableCamera(width=320, height=240, height_mm=260.0)
MIDDLE = (600.0, 450.0)


def around(shape: str, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """(360,) the rim's distance every degree, and the body's corners."""
    angle = np.radians(np.arange(360.0)).astype(np.float32)
    sector = 2 * np.pi / slots
    within = (angle / sector - np.round(angle / sector)) * sector
    return _rim(shape, np.ones_like(angle), angle, within.astype(np.float32), 60.0, slots)


@pytest.mark.parametrize("slots", [6, 9, 12])
def test_an_octagon_has_eight_corners_whatever_the_number_of_trains(slots: int) -> None:
    rim, corners = around("octagon", slots)
    assert len(corners) == 8
    assert np.allclose(np.hypot(*corners.T), 60.0)
    assert rim.min() == pytest.approx(60.0 * np.cos(np.pi / 8), abs=0.1)
    assert np.allclose(rim[:315], rim[45:], atol=1e-3)


def seen(shape: str | None) -> tuple[np.ndarray, list]:
    hub = None if shape is None else TableHub(MIDDLE, 62.0, 0.0, 6, shape)
    tiles = (TableTile(MIDDLE, 0.0, (6, 6)),)
    return render_table(TableScene(tiles=tiles, camera=CAMERA, set_max=6, hub=hub), 31)


@pytest.mark.parametrize("shape", [*SHAPES, *RARER])
def test_every_hub_can_be_seen(shape: str) -> None:
    image, labels = seen(shape)
    bare, _ = seen(None)
    changed = np.abs(image.astype(int) - bare).max(2) > 12
    assert changed.sum() > 60
    assert [one["kind"] for one in labels if one["cls"] == 3] == [shape]


def test_between_printed_rings_the_table_shows() -> None:
    image, labels = seen("print")
    bare, _ = seen(None)
    changed = np.abs(image.astype(int) - bare).max(2) > 12
    plate = np.abs(seen("disc")[0].astype(int) - bare).max(2) > 12
    assert changed.sum() < 0.5 * plate.sum()
    (ring,) = [one for one in labels if one["cls"] == 3]
    assert ring["vis"] < 0.5, "no detector is asked to find it"
