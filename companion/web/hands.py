"""Hands at a round's end: notes at them, and the tiles of a photographed one.

Notes at the hands of a round's end, before they count: what the record of the table says otherwise.

A note accuses nobody. It may as well be the record that has a gap, so people look once more and count as they like.

The tiles of a photographed hand, drawn where they lie: which of them count, and which a tap adds or drops.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist
from statistics import median
from typing import Any

from companion.game.game_view import GameView
from companion.rules.tile import double_set
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.wording import show_tile, train_name

HandTiles = Sequence[tuple[int, int]]

OVERLOOKED = 3
"""At most this many tiles of whoever went out may lie there without being on record."""

MOST_TO_CHOOSE = 60
"""Among more tiles than these, typing two numbers is quicker than looking for one."""


def hand_notes(
    board: GameView, hands: Mapping[str, HandTiles], how: str, *, watched: bool = False
) -> dict[str, list[str]]:
    """Player -> sentences about that hand; players without any are left out. `watched`: a camera keeps the record, so
    that it holds also where nothing was laid.

    Chinese tiles come twice, so only their number is compared: what was put away and what is still held.
    """
    found: dict[str, list[str]] = {}
    places = {} if board.chinese else places_of(board)
    held: dict[tuple[int, int], str] = {}
    for player, hand in hands.items():
        notes = found.setdefault(player, [])
        for tile in hand:
            one = _sorted(tile)
            if one in places:
                notes.append(_("%(tile)s is already on the table: %(where)s.", tile=show_tile(tile), where=places[one]))
            if one in held and not board.chinese:
                notes.append(_("%(tile)s is already in the hand of %(name)s.", tile=show_tile(tile), name=held[one]))
            held.setdefault(one, player)
        notes += _count_note(board, player, len(hand), how, watched)
    return {player: notes for player, notes in found.items() if notes}


def empty_notes(
    board: GameView, hands: Mapping[str, HandTiles], how: str, *, watched: bool = False
) -> dict[str, list[str]]:
    """The same for hands that were left empty although somebody else's is empty too, nobody went out, or their player
    still holds many; who is out on record is silent.

    It is asked when everybody has been entered: until then every hand is empty.
    """
    empty = [player for player, hand in hands.items() if not hand]
    if how == "blocked_declared" and not board.chinese:
        return {name: [_("Nobody went out, so %(name)s has tiles left. Tap them.", name=name)] for name in empty}
    if how != "out" or board.chinese:
        return {}
    if len(empty) == 1:
        many = any(row.seat.name in empty and (row.hand or 0) > OVERLOOKED for row in board.scores)
        notes = _count_note(board, empty[0], 0, "", watched) if many else []
        return {empty[0]: notes} if notes else {}
    out = {row.seat.name for row in board.scores if row.hand == 0}
    words = _(
        "These hands are empty: %(names)s. Leave only the hand of the player who went out empty.",
        names=", ".join(empty),
    )
    return {player: [words] for player in empty if player not in out}


def mark_of(notes: Mapping[str, Sequence[str]]) -> str:
    """Names these notes, so that a form can say that its sender has read them."""
    return hashlib.sha256(repr(sorted(notes.items())).encode()).hexdigest()[:12] if notes else ""


def unread(notes: Mapping[str, Sequence[str]], seen: object) -> bool:
    """Whether there are notes, and others than those that the form says its sender has `seen`."""
    return bool(notes) and mark_of(notes) != str(seen or "")


def places_of(board: GameView) -> dict[tuple[int, int], str]:
    """Tile of Mexican Train, its lower half first -> where it lies, in words."""
    places = {}
    if board.engine:
        places[_sorted(board.engine)] = _("the engine")
    for train in board.trains:
        for tile in train.tiles:
            if not tile.unrecorded:
                places[_sorted((tile.inner, tile.outer))] = train_name(train.name)
    return places


def tiles_left(board: GameView) -> list[str]:
    """Every tile of Mexican Train that lies nowhere on the table, as it is typed, the lower half first; [] where these
    are too many to choose from."""
    if board.chinese:
        return []
    lying = places_of(board)
    left = sorted((tile.low, tile.high) for tile in double_set(board.set_max) if (tile.low, tile.high) not in lying)
    return [f"{low}-{high}" for low, high in left] if len(left) <= MOST_TO_CHOOSE else []


def _count_note(board: GameView, player: str, count: int, how: str, watched: bool) -> list[str]:
    """Whether the record expects another number of tiles; silent where nobody wrote down what was played."""
    row = next((row for row in board.scores if row.seat.name == player), None)
    recorded = watched or bool(board.line) or any(train.tiles for train in board.trains)
    if not recorded or row is None or row.hand is None or (how == "out" and count == 0 and not board.chinese):
        return []
    left = row.hand + (board.discards.get(player, 0) if board.chinese else 0)
    if left == count:
        return []
    return [ngettext("%(name)s should have one tile.", "%(name)s should have %(num)s tiles.", left, name=player)]


def _sorted(tile: Sequence[int]) -> tuple[int, int]:
    return min(tile), max(tile)


LONG, WIDE = 208, 108
"""A tile as the page draws it (`bits.html`)."""
AROUND = 40
"""The margin beside the outermost tiles."""


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """A tile of a hand, drawn over the photograph."""

    place: str
    """Where the drawing goes."""
    values: tuple[int, int] | None
    typed: str
    """How it is written into the hand; "" where it was not read."""
    ends: tuple[str, ...]
    """Where only one half was read: what stands at either end, "3" and "?"."""
    name: str
    counts: bool


@dataclass(frozen=True, slots=True)
class HandPicture:
    """A photograph of a hand with its tiles drawn over it."""

    seat: int
    """The number of the player whose hand it is."""
    box: str
    """The part of the plane that is shown."""
    tiles: tuple[DrawnTile, ...]
    photograph: str = ""
    """Lies under the drawing, as a data address; "" where the reader gave none back."""
    size: tuple[float, float] = (0.0, 0.0)
    """Of the photograph, in the plane."""


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
