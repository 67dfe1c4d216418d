"""A half that cannot be read is looked at once more: does a marker stand on it?"""

import numpy as np
import pytest

from datasets.render.table import TableCamera, TableMarker, TableScene, TableTile, render_table
from vision.eye import open_eye
from vision.markers import markers_on
from vision.reading import Found, HalfReading, TileReading
from vision.rectify import half_corners

READ, UNREAD = HalfReading(5, 0.99), HalfReading(None, 0.4)
ON = (450.0 - 12.0, 220.0)


@pytest.fixture(scope="module")
def table():
    """(image, quads) of four tiles, on whose last one a toy train stands."""
    tiles = tuple(TableTile((120.0 + 110 * n, 220.0), 0.0, (n + 2, 6)) for n in range(4))
    markers = (TableMarker(ON, "#d02020", 90.0, "train"),)
    camera = TableCamera(width=1200, height=900, height_mm=620)
    scene = TableScene(size_mm=(600.0, 450.0), tiles=tiles, markers=markers, camera=camera, background="cloth")
    image, labels = render_table(scene, 4)
    quads = [np.array(label["quad"], np.float32) for label in labels if label["cls"] == 0]
    return image, sorted(quads, key=lambda quad: float(quad[:, 0].mean()))


@pytest.fixture(scope="module")
def judge():
    return open_eye().judge


def tile(quad, first, second, confidence=0.9):
    return TileReading(quad, "up", (first, second), confidence)


def test_a_marker_on_an_unread_half_is_found_there(table, judge):
    image, quads = table
    found = markers_on(image, [tile(quad, UNREAD, READ) for quad in quads], [], judge)
    assert len(found) == 1
    middle = half_corners(quads[3], 0).mean(0)
    assert np.linalg.norm(found[0].quad_px.mean(0) - middle) < 12
    assert found[0].confidence >= 0.6


def test_one_marker_on_both_halves_is_one(table, judge):
    image, quads = table
    assert len(markers_on(image, [tile(quads[3], UNREAD, UNREAD)], [], judge)) == 1


def test_who_found_it_already_is_not_told_again(table, judge):
    image, quads = table
    there = Found(half_corners(quads[3], 0).astype(np.float32), 0.8)
    assert markers_on(image, [tile(quads[3], UNREAD, READ)], [there], judge) == []


def test_a_half_that_is_read_is_not_asked_about(table, judge):
    image, quads = table
    assert markers_on(image, [tile(quads[3], READ, READ), tile(quads[3], UNREAD, READ, 0.1)], [], judge) == []
    assert markers_on(image, [], [], judge) == []
