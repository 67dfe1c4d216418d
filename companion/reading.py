"""Photographs for other programs: the tiles in a picture, and the trains of a table in it.

    from companion.reading import open_eye, open_picture

    reading = open_eye().look(open_picture("table.jpg"), set=12)
    print([tile.values for tile in reading.tiles])

A value is a claim: a half that cannot be read is None, never a guess. Unusable input raises `ReadingError` with one
line, and nothing else. Needs numpy, OpenCV and onnxruntime, which installing the program brings along;
`companion.rules` needs none of them.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.geometry import TableSetup, reconstruct
from companion.geometry.layout import COMMON_TILE_MM, PlacedTile, TableView, Trouble
from companion.perception.projection import LEAST_THING_CONFIDENCE, on_table
from companion.rules.board import Board
from companion.rules.notation import parse_laid, print_laid
from companion.rules.ruleset import RuleSet
from companion.rules.tile import RulesError, chinese_set, highest_double
from vision import eye as vision_eye
from vision.adaptation import AdaptationError
from vision.calibration import CalibrationError, calibration_from_tiles
from vision.hand_group import in_hand as hand_group
from vision.known_set import KnownSet
from vision.pictures import PictureError
from vision.pictures import open_picture as _open
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.weights import WeightsError

__all__ = [
    "Found",
    "HalfReading",
    "PhotographedTable",
    "PictureReader",
    "PictureReading",
    "ReadingError",
    "TileReading",
    "in_hand",
    "lay_out",
    "open_eye",
    "open_picture",
]

NAMED_ENGINE = 'lay_out(..., engine="12-12")'
UNREAD = "?"
"""Stands for a tile that lies there and cannot be read."""
SMALLEST, LARGEST = 16, 64_000_000
"""The shorter side of a picture that is read, in pixels, and how many it has at most."""
HIGHEST_DOUBLE = 18


class ReadingError(Exception):
    """Raised by every public function of `companion.reading` for input that it cannot use, or cannot tell from a
    picture.

    The text is one line: what, what was expected, and what was given.

    >>> lay_out("table.jpg", {"Ann": 90, "Ben": 270})
    Traceback (most recent call last):
        ...
    companion.reading.ReadingError: reading: expected what look returns, not 'table.jpg'
    """


class PictureReader:
    """Reads pictures of dominoes; `open_eye` makes one, in about a second. Pictures do not influence each other.

    >>> reading = open_eye().look(open_picture("docs/examples/hands/ann.jpg"))
    >>> sorted(sorted(tile.values) for tile in reading.tiles)
    [[1, 6], [2, 7], [3, 3], [5, 12]]
    """

    def __init__(self, learned: str | Path | None = None) -> None:
        """As `open_eye`."""
        path = None if learned is None else _path("learned", learned)
        try:
            self._eye = vision_eye.open_eye(path)
        except (WeightsError, AdaptationError) as wrong:
            raise ReadingError(str(wrong)) from None

    def look(self, image: NDArray[np.uint8], *, set: int | str | None = None) -> PictureReading:
        """All tiles, markers and the hub in a picture.

        Args:
            image: (h, w, 3) uint8, BGR, as `open_picture` opens it.
            set: what may lie there: the highest double of a set, 12 or `"double-12"`, or `"chinese"`. It helps where a
                tile is hard to read. None forces the readings into no set.

        Raises ReadingError.
        """
        array = isinstance(image, np.ndarray) and image.ndim == 3 and image.shape[2] == 3 and image.dtype == np.uint8
        if not array or min(image.shape[:2]) < SMALLEST or image.shape[0] * image.shape[1] > LARGEST:
            given = f"an array {image.shape} of {image.dtype}" if isinstance(image, np.ndarray) else _kind(image)
            raise ReadingError(f"image: expected (h, w, 3) uint8 of {SMALLEST} to 64 million pixels, not {given}")
        return self._eye.look(image, known=_known(set))


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
        set: the highest double of the set, as `lay_out` was given it; `board` takes it unless it is given another.

    >>> table = PhotographedTable("12-12", {"Ann": "12-5 ?", "Ben": ""}, frozenset(), (), None, ())
    >>> table.unread
    1
    """

    engine: str | None
    trains: Mapping[str, str]
    markers: frozenset[str]
    loose: tuple[str, ...]
    boneyard: int | None
    troubles: tuple[str, ...]
    set: int | None = None

    @property
    def unread(self) -> int:
        """How many of the tiles that are seen, in the trains or as the engine, cannot be read."""
        return (self.engine == UNREAD) + sum(chain.split().count(UNREAD) for chain in self.trains.values())

    def board(
        self,
        rules: str | Path | RuleSet = "tactic",
        *,
        options: Mapping[str, Any] | None = None,
        set: int | str | None = None,
        turn: str | None = None,
        round: int | None = None,
        open: Iterable[str] | None = None,
        flipped: Iterable[str] = (),
        boneyard: int | None = None,
    ) -> Board:
        """The table as a `Board`, to be judged; the arguments are that class's own.

        No picture shows whose turn it is: without `turn` it is that of the first player of `stations`.

        Raises ReadingError while a tile cannot be read or the middle is not known, for no ruling rests on a guess; and
        where the rules or the options cannot be used.
        """
        if self.unread:
            tiles = "1 tile" if self.unread == 1 else f"{self.unread} tiles"
            raise ReadingError(f"{tiles} of this table cannot be read: take a nearer or brighter picture")
        if any(trouble.startswith(Trouble.NO_HUB) for trouble in self.troubles):
            missing = "expected the hub or the engine in the picture"
            raise ReadingError(
                f"the middle of the table is not found: {missing}; it may help to name it, {NAMED_ENGINE}"
            )
        if self.engine is None:
            raise ReadingError(f"the engine is not seen in the middle: name it, such as {NAMED_ENGINE}")
        players = [name for name in self.trains if name not in ("MX", "MX2")]
        try:
            return Board(
                rules,
                players,
                options=options,
                set=self.set if set is None else set,
                engine=self.engine,
                turn=turn,
                round=round,
                trains=self.trains,
                markers=self.markers,
                open=open,
                flipped=flipped,
                boneyard=boneyard,
            )
        except RulesError as wrong:
            raise ReadingError(str(wrong)) from None


def open_eye(learned: str | Path | None = None) -> PictureReader:
    """A reader of pictures, with the shipped networks. `learned` is the file that `companion teach` wrote of a set.

    Raises ReadingError.
    """
    return PictureReader(learned)


def open_picture(path: str | Path) -> NDArray[np.uint8]:
    """A picture file as an (h, w, 3) uint8 array, BGR, turned as the camera was held; of 64 megapixels at most.

    JPEG, PNG, WebP, BMP, TIFF, HEIC and AVIF are read. Raises ReadingError.

    >>> open_picture("docs/examples/table.jpg").shape
    (780, 1040, 3)
    """
    try:
        return _open(_path("path", path))
    except PictureError as wrong:
        raise ReadingError(f"{path}: {wrong}") from None


def in_hand(reading: PictureReading) -> tuple[TileReading, ...]:
    """The tiles of a hand laid open: the group nearest to the picture's middle. Other tiles do not count.

    Raises ReadingError.

    >>> reading = open_eye().look(open_picture("docs/examples/hands/ben.jpg"))
    >>> len(in_hand(reading))
    3
    """
    _expect_reading(reading)
    counted = hand_group(reading.tiles, reading.size_wh)
    return tuple(tile for tile, counts in zip(reading.tiles, counted, strict=True) if counts)


def lay_out(
    reading: PictureReading,
    stations: Mapping[str, float],
    *,
    set: int | str | None = 12,
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
        set: the highest double of the set, 12 or "double-12"; None where it is not known.
        engine: the round's engine, `"12-12"`, where you know it. It helps to find the middle where no hub lies, and it
            stands where the engine is covered or cannot be read. The hub or the engine must be in sight all the same.
        tile_mm: length, width and thickness of the tiles.

    Raises:
        ReadingError: fewer than two players, too few tiles, tiles that do not lie in one plane, as in a sheet of
            several photographs, or an argument that cannot be used.

    >>> reading = open_eye().look(open_picture("docs/examples/table.jpg"), set=12)
    >>> table = lay_out(reading, {"Ann": 90, "Ben": 180, "Cy": 0, "MX": 270})
    >>> table.trains["MX"]
    '12-0 0-11'
    >>> table.board("tactic").status().verdict
    'illegal'
    """
    _expect_reading(reading)
    degrees = _stations(stations)
    players = tuple(name for name in degrees if name != "MX")
    set_max: Any = highest_double(set)
    if set_max is not None and not _is_number(set_max, 1, HIGHEST_DOUBLE):
        raise ReadingError(f"set: expected a whole number from 1 to {HIGHEST_DOUBLE}, or None, not {_kind(set)}")
    if not (
        isinstance(tile_mm, (tuple, list)) and len(tile_mm) == 3 and all(_is_number(mm, 1, 1000) for mm in tile_mm)
    ):
        raise ReadingError(f"tile_mm: expected length, width and thickness in mm, (48, 24, 9), not {_kind(tile_mm)}")
    if engine is not None and not isinstance(engine, str):
        raise ReadingError(f'engine: expected a tile, "12-12", not {_kind(engine)}')
    quads = [tile.quad_px for tile in reading.tiles if tile.face == "up"]
    try:
        known = None if engine is None else parse_laid(engine)
        calibration = calibration_from_tiles(quads, tile_mm[:2], reading.size_wh)
    except (CalibrationError, RulesError) as wrong:
        raise ReadingError(str(wrong)) from None
    seen = on_table(reading, calibration, tile_mm)
    setup = TableSetup(
        players=players,
        stations={name: degrees[name] for name in players},
        mexican_station=degrees.get("MX"),
        engine=None if known is None else known.inner,
        tile_mm=tile_mm,
        set_max=set_max,
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
        set=set_max,
    )


def _written(tile: PlacedTile) -> str:
    return UNREAD if tile.laid is None else f"{tile.laid.inner}-{tile.laid.outer}"


def _stations(given: Any) -> dict[str, float]:
    """Raises ReadingError unless it is a direction for each of two or more players."""
    if not isinstance(given, Mapping) or len([name for name in given if name != "MX"]) < 2:
        wanted = "a direction for each of two or more players, {'Ann': 90, 'Ben': 270}"
        found = " ".join(repr(given).split())[:80] if isinstance(given, Mapping) else _kind(given)
        raise ReadingError(f"stations: expected {wanted}, not {found}")
    for name, degrees in given.items():
        if not isinstance(name, str) or not _is_number(degrees, -1e6, 1e6):
            raise ReadingError(f"stations: expected name -> degrees, not {name!r} -> {_kind(degrees)}")
    return {name: float(degrees) for name, degrees in given.items()}


def _known(set: Any) -> KnownSet | None:
    set = highest_double(set)
    if set is None:
        return None
    if isinstance(set, str) and set == "chinese":
        return KnownSet(set, {(tile.low, tile.high): n for tile, n in chinese_set().items()})
    if isinstance(set, int) and _is_number(set, 1, HIGHEST_DOUBLE):
        return KnownSet.double(set)
    raise ReadingError(
        f'set: expected a highest double from 1 to {HIGHEST_DOUBLE}, "chinese" or None, not {_kind(set)}'
    )


def _is_number(value: Any, least: float, most: float) -> bool:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and math.isfinite(value) and least <= value <= most


def _expect_reading(given: Any) -> None:
    if not isinstance(given, PictureReading):
        raise ReadingError(f"reading: expected what look returns, not {_kind(given)}")


def _path(name: str, given: Any) -> Path:
    if not isinstance(given, (str, Path)):
        raise ReadingError(f"{name}: expected the path of a file, not {_kind(given)}")
    return Path(given)


def _kind(given: Any) -> str:
    """A value in an error: numbers and texts as they are, the name of the type of everything else."""
    return repr(given)[:60] if isinstance(given, (int, float, str)) else type(given).__name__
