"""A tile keeps the value that it had before a toy came to stand on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.geometry.layout import Family, TableSetup
from companion.perception.settings import TableReading
from companion.perception.table_reader import TableReader
from datasets.render.table import TableCamera, TableMarker, TableScene, TableTile, corners_px, render_table
from vision.calibration import Calibration
from vision.eye import open_eye
from vision.frame import Frame
from vision.known_set import KnownSet

VALUES = ((12, 4), (9, 7), (4, 9), (8, 3))
KNOWN = KnownSet.double(12)


@pytest.mark.slow
def test_a_tile_keeps_the_value_that_it_had_before_the_toy_came() -> None:
    tiles = tuple(TableTile((70.0 + 75 * n, 100.0 + 30 * (n % 2)), 40.0 * n, pair) for n, pair in enumerate(VALUES))
    camera = TableCamera(width=1000, height=700, height_mm=320)
    before = TableScene((360.0, 240.0), tiles, camera=camera, background="cloth", set_max=12)
    middle, angle = tiles[1].center_mm, np.radians(tiles[1].heading_deg)
    on_its_7 = (middle[0] + 12 * float(np.cos(angle)), middle[1] + 12 * float(np.sin(angle)))
    after = replace(before, markers=(TableMarker(on_its_7, "#d02020", 30.0, "train"),))
    eye, corners = open_eye(one_box=True), np.asarray(corners_px(before), np.float32)
    calibration = Calibration.from_corners(corners, before.size_mm, before.tile_size_mm[2], size_wh=(1000, 700))
    setup = TableSetup(Family.MEXICAN, ("Ann", "Ben"), {"Ann": 0.0, "Ben": 180.0}, 90.0, 12, before.tile_size_mm)
    reader = TableReader(eye, calibration, setup, KNOWN)
    bare, toy = (Frame(render_table(scene, 2)[0], 0.0, "table") for scene in (before, after))
    for _ in range(2):
        reader.read(bare, TableReading(bare, None, ()), None)
    reader.keep(bare)
    reader.memory.begin()
    read = eye.look(toy.image, calibration.px_per_mm * before.tile_size_mm[0], KNOWN)
    assert sorted(sorted(tile.values) for tile in read.tiles if tile.values) == [[3, 8], [4, 9], [4, 12]]
    for _ in range(2):
        reader.read(toy, TableReading(toy, None, ()), None)
    assert len(reader.memory.seen_markers()) == 1
    assert sorted(sorted(tile.values or ()) for tile in reader.memory.tiles()) == [[3, 8], [4, 9], [4, 12], [7, 9]]
