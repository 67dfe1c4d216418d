"""Tiles nobody has measured are measured in the picture."""

from __future__ import annotations

import numpy as np
import pytest

from companion.perception.setup_file import GameSetup, setup_from_json
from companion.perception.table_reader import with_measured_tiles
from vision.calibration import Calibration
from vision.frame import Frame
from vision.reading import PictureReading, TileReading

CALIBRATION = Calibration.from_corners([[0, 0], [2400, 0], [2400, 1800], [0, 1800]], (1200, 900), 9.0)
FRAME = Frame(np.zeros((1800, 2400, 3), np.uint8), 0.0, "f")
GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}


def lying(length: float, width: float, n: int, face: str = "up") -> TileReading:
    """The n-th tile of a row, on the table in mm."""
    x, y = 150.0 + 100.0 * n, 450.0
    corners = [[x, y + width], [x, y], [x + length, y], [x + length, y + width]]
    return TileReading(CALIBRATION.to_px(corners).astype(np.float32), face, None, 0.99)


class Seeing:
    def __init__(self, *tiles: TileReading) -> None:
        self.tiles = tiles

    def look(self, *_arguments: object) -> PictureReading:
        return PictureReading((2400, 1800), self.tiles)


def measured(said: dict[str, object], *tiles: TileReading) -> GameSetup:
    return with_measured_tiles(setup_from_json({**GAME, **said}), FRAME, CALIBRATION, Seeing(*tiles))  # type: ignore[arg-type]


def test_a_larger_set_is_measured_by_its_engine_and_by_its_backs() -> None:
    assert measured({}, lying(56, 28, 0)).tile_size_mm == pytest.approx((56, 28, 9), abs=0.2)
    backs = [lying(56, 28, n, "down") for n in range(4)]
    assert measured({}, *backs).tile_size_mm == pytest.approx((56, 28, 9), abs=0.2)
    assert measured({}, lying(41, 20, 0), *backs).tile_size_mm == pytest.approx((41, 20, 9), abs=0.2)


@pytest.mark.parametrize(
    ("said", "tiles"),
    [
        ({"tile_mm": [48, 24, 9]}, [lying(56, 28, 0)]),
        ({}, []),
        ({}, [lying(49, 25, 0)]),
        ({}, [lying(56, 28, n, "down") for n in range(3)]),
        ({}, [lying(100, 50, 0)]),
        ({}, [lying(56, 50, 0)]),
        ({}, [lying(56, 28, 0), lying(40, 20, 1), lying(70, 30, 2)]),
    ],
)
def test_what_is_said_or_not_plainly_seen_stays_the_common_size(
    said: dict[str, object], tiles: list[TileReading]
) -> None:
    assert measured(said, *tiles).tile_size_mm == (48.0, 24.0, 9.0)


def test_only_what_is_known_is_written_down() -> None:
    assert "tile_mm" not in setup_from_json(GAME).to_json()
    assert setup_from_json({**GAME, "tile_mm": [50, 25, 8]}).to_json()["tile_mm"] == [50, 25, 8]
