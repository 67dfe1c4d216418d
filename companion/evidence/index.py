"""A played tile from close by: which crops lie beside the journal, and where the tile is in them.

The index beside a picture (`evidence-....json`) lists the tiles that lay on the table: `values` as read, `p` of each
half, `quad` (4 points, half 0 at the edge 0-1) and `size` in pixels of the crops, the crops' names, whether the tile
was `new` in that picture, and whether it `stood` on the still table before it already. It is a file like any other, so
nothing in it is believed before it was checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST_INDEX = 200_000
"""Bytes; sixty tiles take 15 000."""


@dataclass(frozen=True, slots=True)
class Label:
    """One half's value where it is written over the crop."""

    x: float
    y: float
    value: str
    p: float | None


@dataclass(frozen=True, slots=True)
class CloseUp:
    """`outline` is the tile as an SVG polygon in a picture of `width` x `height`; `type_px` a size for its labels."""

    after: str
    before: str | None
    width: int
    height: int
    outline: str
    labels: tuple[Label, Label]
    type_px: float

    @property
    def unread(self) -> bool:
        """Nothing was read there: not a half of a tile, or no tile lies there at all."""
        return all(label.value == "?" for label in self.labels)


def close_up(folder: Path, frames: Iterable[str], tile: Sequence[int], after: str = "") -> CloseUp | None:
    """The crops of `tile` in the first of these pictures that knows it.

    `frames` are names of pictures in the journal, the most likely one first. Crops made at the picture `after` or
    earlier show another tile of these values, one of the round before or the first of two in the box.
    """
    found = _found(folder, frames, tile)
    return next((made for row, made in found if not after or photographed_at(row) > Path(after).stem), None)


def unread_close_up(folder: Path, frame: str) -> CloseUp | None:
    """The crops of the tile that is new in this picture and not read; None where there are several of them."""
    found = list(_found(folder, [frame], None))
    return found[0][1] if len(found) == 1 else None


def stood_before(folder: Path, frame: str, tile: Sequence[int] | None) -> bool:
    """Whether `tile` lay there already on the picture that was kept as the table before `frame`."""
    return any(row.get("stood") is True for row in rows_of(folder, frame) if _shows(row, tile))


def lies_in(folder: Path, frame: str, tile: Sequence[int] | None) -> bool:
    """Whether this picture is known to show `tile`, or with None one that is new in it and not read."""
    return any(_shows(row, tile) for row in rows_of(folder, frame))


def rows_of(folder: Path, frame: str) -> list[Mapping[str, Any]]:
    """The index of this picture."""
    return read_index(folder / f"{Path(frame).stem}.json")


def photographed_at(row: Mapping[str, Any]) -> str:
    """The name without its ending of the picture with which a row's crops were kept. Names sort by time."""
    return str(row["after"]).partition("-tile-")[0]


def find_tile(folder: Path, frames: Iterable[str], tile: Sequence[int] | None) -> Mapping[str, Any] | None:
    """The checked index row that `close_up` shows."""
    return next((row for row, _made in _found(folder, frames, tile)), None)


def _found(
    folder: Path, frames: Iterable[str], tile: Sequence[int] | None
) -> Iterator[tuple[Mapping[str, Any], CloseUp]]:
    for frame in frames:
        fitting = [row for row in rows_of(folder, frame) if _shows(row, tile)]
        # Chinese tiles exist twice, and what was new in a picture is what its play laid.
        for row in sorted(fitting, key=lambda row: not row.get("new")):
            made = _made(folder, row)
            if made is not None:
                yield row, made


def read_index(path: Path) -> list[Mapping[str, Any]]:
    """The tiles of one picture; [] for no index, or a broken one."""
    try:
        if path.stat().st_size > LARGEST_INDEX:
            return []
        rows = json.loads(path.read_text(encoding="utf-8")).get("tiles")
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _shows(row: Mapping[str, Any], tile: Sequence[int] | None) -> bool:
    values = row.get("values")
    if not isinstance(values, list) or len(values) != 2:
        return False
    if tile is None:
        return bool(row.get("new")) and None in values
    return None not in values and sorted(values, key=str) == sorted(tile, key=str)


def _made(folder: Path, row: Mapping[str, Any]) -> CloseUp | None:
    try:
        quad = [(float(x), float(y)) for x, y in row["quad"]]
        width, height = (int(side) for side in row["size"])
        values = list(row["values"])
        p = [None if one is None else float(one) for one in row.get("p") or (None, None)]
        after, before = str(row["after"]), row.get("before")
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    numbers = [number for point in quad for number in point]
    if len(quad) != 4 or len(p) != 2 or not (0 < width < 9000 and 0 < height < 9000):
        return None
    if not all(math.isfinite(number) for number in numbers) or not _lies_in(folder, after):
        return None
    length = math.dist(_middle(quad[0], quad[1]), _middle(quad[2], quad[3]))
    return CloseUp(
        after=after,
        before=before if isinstance(before, str) and _lies_in(folder, before) else None,
        width=width,
        height=height,
        outline=" ".join(f"{x:.1f},{y:.1f}" for x, y in quad),
        labels=(_label(quad, 0, values[0], p[0]), _label(quad, 1, values[1], p[1])),
        type_px=max(10.0, round(0.3 * length, 1)),
    )


def _label(quad: Sequence[tuple[float, float]], half: int, value: Any, p: float | None) -> Label:
    """Beside the half, where trains leave room: beyond its end the next tile lies."""
    near, far = _middle(quad[0], quad[1]), _middle(quad[2], quad[3])
    end, other = (near, far) if half == 0 else (far, near)
    side, across = _middle(quad[1], quad[2]), _middle(quad[3], quad[0])
    x, y = (0.75 * end[i] + 0.25 * other[i] + 0.95 * (side[i] - across[i]) for i in (0, 1))
    return Label(round(x, 1), round(y, 1), "?" if value is None else str(value)[:3], p)


def _middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _lies_in(folder: Path, name: str) -> bool:
    """Whether it is a picture of this folder, and no link to one elsewhere."""
    path = folder / name
    return path.name == name and name.endswith(".jpg") and path.is_file() and not path.is_symlink()
