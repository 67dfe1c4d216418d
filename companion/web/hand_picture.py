"""The tiles of a photographed hand, drawn where they lie: which of them count, and which a tap adds or drops."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist
from statistics import median
from typing import Any

from companion.game.game_view import GameView
from companion.web.languages import gettext as _
from companion.web.wording import show_tile

LONG, WIDE = 208, 108
"""A tile as the page draws it (`bits.html`)."""
AROUND = 40
"""What is shown beside the outermost tiles."""


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """`place`: where the drawing of a tile goes; `typed`: how it is written into the hand, "" where it was not read;
    `ends`: where only one half was read, what stands at either end, "3" and "?"."""

    place: str
    values: tuple[int, int] | None
    typed: str
    ends: tuple[str, ...]
    name: str
    counts: bool


@dataclass(frozen=True, slots=True)
class HandPicture:
    """`seat`: the number of the player whose hand it is; `box`: the part of the plane that is shown; `photograph`: what
    lies under it, as a data address, and its size in the plane; "" where the reader gave none back."""

    seat: int
    box: str
    tiles: tuple[DrawnTile, ...]
    photograph: str = ""
    size: tuple[float, float] = (0.0, 0.0)


def hand_picture(read: Mapping[str, Any], board: GameView, seat: int) -> HandPicture | None:
    """From what `hand_of` says of a photograph; None where it shows no tile."""
    found = read.get("found") or ()
    if not found:
        return None
    wide, high = read["size"]
    quads = [[(x * wide, y * high) for x, y in one["quad"]] for one in found]
    long = median(dist(*_middles(quad)) for quad in quads)
    scale = LONG / max(long, 1e-6)
    quads = [[(x * scale, y * scale) for x, y in quad] for quad in quads]
    xs, ys = ([point[axis] for quad in quads for point in quad] for axis in (0, 1))
    left, top = min(xs) - AROUND, min(ys) - AROUND
    box = f"{left:.0f} {top:.0f} {max(xs) + AROUND - left:.0f} {max(ys) + AROUND - top:.0f}"
    family = "chinese" if board.chinese else "mexican"
    drawn = []
    for one, quad in zip(found, quads, strict=True):
        values = None if one["values"] is None else (int(one["values"][0]), int(one["values"][1]))
        typed = "" if values is None else show_tile(values, family)
        half_read = values is None and any(value is not None for value in one.get("known") or ())
        ends = tuple("?" if value is None else str(value) for value in one["known"]) if half_read else ()
        name = typed or "-".join(ends) or (_("not read") if one["face"] == "up" or one["counts"] else _("face down"))
        drawn.append(DrawnTile(_placed(quad), values, typed, ends, name, bool(one["counts"])))
    small = read.get("picture")
    photograph = f"data:image/jpeg;base64,{base64.b64encode(small).decode()}" if small else ""
    return HandPicture(seat, box, tuple(drawn), photograph, (wide * scale, high * scale))


def _middles(quad: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of a tile's two ends."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return ((ax + bx) / 2, (ay + by) / 2), ((cx + dx) / 2, (cy + dy) / 2)


def _placed(quad: Sequence[tuple[float, float]]) -> str:
    """The drawing's own plane laid over this outline, whose first value lies at the edge from corner 0 to corner 1."""
    (ox, oy), (ax, ay), (bx, by) = quad[1], quad[2], quad[0]
    numbers = ((ax - ox) / LONG, (ay - oy) / LONG, (bx - ox) / WIDE, (by - oy) / WIDE, ox, oy)
    return "matrix(" + " ".join(f"{number:.4g}" for number in numbers) + ")"
