"""Photographs for other programs: what lies in a picture, and the trains of a table in it.

    from companion.reading import open_eye, open_picture

    reading = open_eye().look(open_picture("table.jpg"))
    print([tile.values for tile in reading.tiles])

A value is a claim: a half that cannot be read is None, never a guess. Needs numpy, OpenCV and onnxruntime, which
installing the program brings along; `companion.rules` needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.geometry import TableSetup, reconstruct
from companion.geometry.layout import PlacedTile, Trouble
from companion.geometry.table_setup import COMMON_TILE_MM
from companion.geometry.table_view import TableView
from companion.perception.projection import LEAST_THING_CONFIDENCE, on_table
from companion.rules.board import Board
from companion.rules.notation import NotationError, parse_laid, print_laid
from companion.rules.ruleset import RuleSet
from vision.adaptation import AdaptationError
from vision.calibration import CalibrationError
from vision.eye import Eye, open_eye
from vision.hand_group import in_hand as hand_group
from vision.known_set import KnownSet
from vision.pictures import PictureError
from vision.pictures import open_picture as _open
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.tilt import calibration_from_tiles
from vision.weights import WeightsError

__all__ = [
    "AdaptationError",
    "Eye",
    "Found",
    "HalfReading",
    "KnownSet",
    "PhotographedTable",
    "PictureError",
    "PictureReading",
    "ReadingError",
    "TileReading",
    "WeightsError",
    "in_hand",
    "lay_out",
    "open_eye",
    "open_picture",
]

NAMED_ENGINE = 'lay_out(..., engine="12-12")'
UNREAD = "?"
"""Stands for a tile that lies there and cannot be read."""


class ReadingError(Exception):
    """What was read in a picture does not say how the table lies, in one line."""


@dataclass(frozen=True, slots=True)
class PhotographedTable:
    """A table of Mexican Train as one picture shows it; nothing is known of what happened before.

    Args:
        engine: the tile in the middle in notation: as it is seen, else as `lay_out` was given it. None while it is
            neither, `?` where it is seen and cannot be read.
        trains: player, or `MX`, -> tiles from the engine outwards, `"12-5 5-7"`; `?` is a tile that cannot be read.
        markers: whose trains carry a marker.
        loose: face-up tiles that belong to no train, in notation.
        boneyard: how many tiles lie face down in the picture. None where none is seen: they may lie beside it.
        troubles: what is doubtful about the table, such as `LOOSE_TILE at (120, 340) mm` (docs/library.md has a table
            of the words). They accuse nobody.
    """

    engine: str | None
    trains: Mapping[str, str]
    markers: frozenset[str]
    loose: tuple[str, ...]
    boneyard: int | None
    troubles: tuple[str, ...]

    @property
    def unread(self) -> int:
        """How many of the tiles that are seen, in the trains or as the engine, cannot be read."""
        return (self.engine == UNREAD) + sum(chain.split().count(UNREAD) for chain in self.trains.values())

    def board(self, rules: str | Path | RuleSet = "tactic", **options: Any) -> Board:
        """The table as a `Board`, to be judged. `options` are those of `Board`, such as `set`, `round` or `turn`.

        No picture shows whose turn it is: without `turn` it is that of the first player of `stations`.

        Raises ReadingError while a tile cannot be read or the middle is not known: no ruling rests on a guess.
        Raises RulesError.
        """
        if self.unread:
            tiles = "1 tile" if self.unread == 1 else f"{self.unread} tiles"
            raise ReadingError(f"{tiles} of this table cannot be read: take a nearer or brighter picture")
        if any(trouble.startswith(Trouble.NO_HUB) for trouble in self.troubles):
            raise ReadingError("the middle of the table is not found: expected the hub or the engine in the picture")
        if self.engine is None:
            raise ReadingError(f"the engine is not seen in the middle: name it, such as {NAMED_ENGINE}")
        players = [name for name in self.trains if name not in ("MX", "MX2")]
        return Board(rules, players, engine=self.engine, trains=self.trains, markers=self.markers, **options)


def open_picture(path: str | Path) -> Any:
    """A picture file as an (h, w, 3) uint8 array, BGR, turned as the camera was held; of 64 megapixels at most.

    JPEG, PNG, WebP, BMP, TIFF, HEIC and AVIF are read. Raises PictureError.
    """
    return _open(Path(path))


def in_hand(reading: PictureReading) -> tuple[TileReading, ...]:
    """The tiles of a hand laid open: the group nearest to the picture's middle. What lies elsewhere does not count."""
    quads = np.array([tile.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2)
    counted = hand_group(quads, reading.size_wh)
    return tuple(tile for tile, counts in zip(reading.tiles, counted, strict=True) if counts)


def lay_out(
    reading: PictureReading,
    stations: Mapping[str, float],
    *,
    set: int | None = 12,
    engine: str | None = None,
    tile_mm: tuple[float, float, float] = COMMON_TILE_MM,
) -> PhotographedTable:
    """The trains of a table in a photograph, from above or held at a slant; the tiles themselves say how it leans.

    Args:
        reading: what `Eye.look` found.
        stations: where each player's train begins as seen from the middle, in degrees clockwise: 0 is to the right in
            the picture, 90 below, 180 to the left, 270 above. `MX` may have a station too; a train that begins at none
            is the Mexican train. Nothing in a picture contradicts a wrong direction: it gives a train to the neighbour.
            Show the trains to a person before you judge them.
        set: the highest double of the set, None where it is not known.
        engine: the round's engine, `"12-12"`, where you know it. It helps to find the middle where no hub lies, and it
            stands where the engine is covered or cannot be read. The hub or the engine must be in sight all the same.
        tile_mm: length, width and thickness of the tiles.

    Raises:
        ReadingError: fewer than two players, too few tiles, or tiles that do not lie in one plane, as in a sheet of
            several photographs.
    """
    players = tuple(name for name in stations if name != "MX")
    if len(players) < 2:
        raise ReadingError("stations: expected a direction for each of two or more players")
    quads = [tile.quad_px for tile in reading.tiles if tile.face == "up"]
    try:
        calibration = calibration_from_tiles(quads, tile_mm[:2], reading.size_wh)
        known = None if engine is None else parse_laid(engine)
    except (CalibrationError, NotationError) as wrong:
        raise ReadingError(str(wrong)) from None
    seen = on_table(reading, calibration, tile_mm)
    setup = TableSetup(
        players=players,
        stations={name: float(stations[name]) for name in players},
        mexican_station=stations.get("MX"),
        engine=None if known is None else known.inner,
        tile_mm=tile_mm,
        set_max=set,
    )
    markers = tuple(marker for marker in seen.markers if marker.confidence >= LEAST_THING_CONFIDENCE)
    layout = reconstruct(TableView(seen.tiles, markers, seen.hub, calibration.size_mm), setup)
    middle = None if layout.engine is None else _written(layout.engine)
    if known is not None and layout.middle is not None and middle in (None, UNREAD):
        middle = print_laid(known)
    return PhotographedTable(
        engine=middle,
        trains={name: " ".join(map(_written, train)) for name, train in layout.trains.items()},
        markers=layout.markers,
        loose=tuple(_written(tile) for tile in layout.loose),
        boneyard=layout.boneyard or None,
        troubles=tuple(str(problem) for problem in layout.problems),
    )


def _written(tile: PlacedTile) -> str:
    return UNREAD if tile.laid is None else f"{tile.laid.inner}-{tile.laid.outer}"
