"""Hands at a round's end: notes at them, the tiles of a photographed one, and all of them in one of the whole table.

Notes at the hands of a round's end, before they count: what the record of the table says otherwise.

A note accuses nobody. It may as well be the record that has a gap, so people look once more and count as they like.

The tiles of a photographed hand, drawn where they lie: which of them count, and which a tap adds or drops.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, degrees, dist
from statistics import fmean, median
from typing import Any

from companion.game.game_view import GameView, Seat
from companion.rules.chinese import tiles_of
from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.rules.tile import chinese_set, double_set
from companion.web.languages import gettext as _
from companion.web.languages import listed, ngettext, with_colon
from companion.web.wording import show_tile, train_name

HandTiles = Sequence[tuple[int, int]]
Point = tuple[float, float]

OVERLOOKED = 3
"""At most this many tiles of the player who went out may lie there without being on record."""

MOST_TO_CHOOSE = 60
"""Among more tiles than these, typing two numbers is quicker than looking for one."""


def hand_notes(
    board: GameView, hands: Mapping[str, HandTiles], how: str, *, watched: bool = False
) -> dict[str, list[str]]:
    """Player -> sentences about that hand; players without any are left out. `watched`: a camera keeps the record, so
    that it holds also where nothing was laid.

    Of Chinese tiles those that were put away count with those still held.
    """
    found: dict[str, list[str]] = {}
    copies = copies_of(board)
    places = {} if board.chinese else places_of(board)
    shown = {tile: [where] for tile, where in places.items()}
    for laid in board.line:
        if not any(laid.unread):
            shown.setdefault(_sorted(laid.tile), []).append(_("on the table"))
    for player, hand in hands.items():
        notes = found.setdefault(player, [])
        for tile in hand:
            where, most = shown.setdefault(_sorted(tile), []), copies.get(_sorted(tile), 0)
            if len(where) >= most:
                notes.append(_too_often(board, player, tile, where, most, lies=_sorted(tile) in places))
            where.append(player)
        notes += _count_note(board, player, len(hand), how, watched)
    return {player: notes for player, notes in found.items() if notes}


def copies_of(board: GameView) -> Mapping[tuple[int, int], int]:
    """Tile, its lower half first -> how many of it this game's set has."""
    if not board.chinese:
        return {(tile.low, tile.high): 1 for tile in double_set(board.set_max)}
    rules = load_ruleset(board.rules, dict(board.options)) if board.rules in SHIPPED else None
    box = chinese_set() if rules is None else tiles_of(rules, len(board.players))
    return {(tile.low, tile.high): count for tile, count in box.items()}


def _too_often(
    board: GameView, player: str, tile: tuple[int, int], where: Sequence[str], most: int, *, lies: bool
) -> str:
    """The sentence on a tile of this hand that the set has no more of than are shown already: `where`."""
    written, places = show_tile(tile, board.family), listed(dict.fromkeys(where))
    if not most:
        return _("%(name)s: this set has no %(tile)s.", name=player, tile=written)
    if lies:
        return _("%(tile)s is already on the table: %(where)s.", tile=written, where=where[0])
    if not board.chinese:
        return _("%(tile)s is already in the hand of %(name)s.", tile=written, name=where[0])
    if most == 1:
        return _(
            "%(name)s: this set has only one %(tile)s, and it is shown already: %(where)s.",
            name=player, tile=written, where=places,
        )  # fmt: skip
    return _(
        "%(name)s: this set has only two %(tile)s, and both are shown already: %(where)s.",
        name=player, tile=written, where=places,
    )  # fmt: skip


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
        names=listed(empty),
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


def has_none_left(board: GameView, laid: tuple[int, int]) -> bool:
    """Whether as many of this Chinese tile lie in the line as the set has; some are in it twice."""
    lying = sum(_sorted(one.tile) == _sorted(laid) for one in board.line if not any(one.unread))
    return board.chinese and lying >= copies_of(board).get(_sorted(laid), 0)


def tiles_left(board: GameView) -> list[str]:
    """Every tile of this game's set that lies nowhere on the table, as it is typed, the lower half first, twice where
    two of it are left; [] where these are too many to choose from."""
    lying = Counter([*places_of(board), *(_sorted(laid.tile) for laid in board.line if not any(laid.unread))])
    left = sorted((Counter(copies_of(board)) - lying).elements())
    return [show_tile(tile, board.family) for tile in left] if len(left) <= MOST_TO_CHOOSE else []


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


AT_A_TRAIN, ONE_HEAP = 1.25, 2.0
"""In tile lengths from middle to middle: nearer to a tile of the table lies none of a hand, and so near to each other
lie those of one hand."""
A_TABLE = 3
"""So many tiles that lie on the table on record are no hand, where they are half of it."""
STEP, CLEARLY = 45.0, 1.0
"""A hand that lies so many degrees off its owner's train tells as much against that owner as one tile too many; so much
has to tell whose is whose from the next best."""
MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class LaidOpen:
    """The hands in a photograph of the whole table."""

    hands: Mapping[str, list[tuple[int, int]]]
    unread: Mapping[str, int]
    """How many more tiles lie in each hand."""
    whose: Mapping[int, str]
    """The place of a tile in `found` -> its player."""
    apart: int
    """How many open tiles lie at the trains and are not on record."""


def shows_the_table(read: Mapping[str, Any], board: GameView) -> bool:
    """Whether an apparent hand is really the tiles on the table: half of it lies there on record, or it is more than a
    hand can be."""
    hand = [_sorted(one["values"]) for one in read.get("found") or () if one["counts"] and one["values"] is not None]
    if board.chinese:
        return board.deals is not None and len(hand) > board.deals
    on_table = sum(tile in places_of(board) for tile in hand)
    return on_table >= A_TABLE and 2 * on_table >= len(hand)


def hands_laid_open(read: Mapping[str, Any], board: GameView) -> LaidOpen | None:
    """From what `hand_of` says of a photograph in which all hands lie open: each of them by the seat before which it
    lies. None where the record does not tell the hands from the trains, or whose is whose."""
    found, (wide, high) = read.get("found") or (), read["size"]
    quads = [[(x * wide, y * high) for x, y in one["quad"]] for one in found]
    length = median(dist(*_middles(quad)) for quad in quads) if quads else 1.0
    middles = list(map(_mean, quads))
    lying = _lying(found, middles, board)
    if not lying:
        return None
    loose = [n for n, one in enumerate(found) if one["face"] == "up" and n not in lying]
    near = [n for n in loose if min(dist(middles[n], middles[other]) for other in lying) < AT_A_TRAIN * length]
    heaps = _heaps([n for n in loose if n not in near], middles, ONE_HEAP * length)
    middle = _mean([middles[n] for n in lying])
    heaps.sort(key=lambda heap: _bearing(middle, _mean([middles[n] for n in heap])))
    bearings = [_bearing(middle, _mean([middles[n] for n in heap])) for heap in heaps]
    ahead = _ahead(board, middle, {tile: middles[n] for n, tile in lying.items()})
    owners = _owners([len(heap) for heap in heaps], bearings, ahead, board)
    if owners is None:
        return None
    rows = dict(zip(owners, heaps, strict=True))
    values = {n: (int(one["values"][0]), int(one["values"][1])) for n, one in enumerate(found) if one["values"]}
    hands = {name: [values[n] for n in sorted(heap) if n in values] for name, heap in rows.items()}
    unread = {name: len(heap) - len(hands[name]) for name, heap in rows.items()}
    return LaidOpen(hands, unread, {n: name for name, heap in rows.items() for n in heap}, len(near))


def _lying(found: Sequence[Mapping[str, Any]], middles: Sequence[Point], board: GameView) -> dict[int, tuple[int, int]]:
    """The place in `found` of each tile that lies on the table on record -> the tile; of equal ones those nearest to
    the others that do."""
    line = [(tile.inner, tile.outer) for tile in board.line]
    record = Counter(_sorted(tile) for tile in (line if board.chinese else places_of(board)))
    there: dict[tuple[int, int], list[int]] = {}
    for n, one in enumerate(found):
        if one["values"] is not None and _sorted(one["values"]) in record:
            there.setdefault(_sorted(one["values"]), []).append(n)
    sure = [middles[n] for tile, row in there.items() if len(row) <= record[tile] for n in row]
    if not sure:
        return {}
    for row in there.values():
        row.sort(key=lambda n: min(dist(middles[n], one) for one in sure))
    return {n: tile for tile, row in there.items() for n in row[: record[tile]]}


def _heaps(row: Sequence[int], middles: Sequence[Point], apart: float) -> list[list[int]]:
    """These tiles in groups that lie nearer to each other than `apart`."""
    heaps: list[list[int]] = []
    for n in row:
        near = [heap for heap in heaps if any(dist(middles[n], middles[other]) < apart for other in heap)]
        heaps = [*(heap for heap in heaps if heap not in near), [n, *(other for heap in near for other in heap)]]
    return heaps


def _ahead(board: GameView, middle: Point, lying: Mapping[tuple[int, int], Point]) -> dict[str, float]:
    """Player -> where the first tiles of the own train lie, as a bearing from the middle of the table."""
    found = {}
    for train in board.trains:
        row = [lying[tile] for one in train.tiles[:MOST_TOLD] if (tile := _sorted((one.inner, one.outer))) in lying]
        if row and train.owner:
            found[train.owner] = _bearing(middle, _mean(row))
    return found


def _owners(
    sizes: Sequence[int], bearings: Sequence[float], ahead: Mapping[str, float], board: GameView
) -> tuple[str, ...] | None:
    """The player of each heap of so many tiles, which stand clockwise: the players sit in this order, each behind the
    own train, with so many tiles as are on record. None where another way is nearly as good."""
    seats = [seat.name for seat in (reversed(board.seats) if board.chinese else board.seats)]
    if not sizes or len(sizes) > len(seats):
        return None
    due = {row.seat.name: row.hand for row in board.scores}

    def against(names: Sequence[str]) -> float:
        told = float(sum(min(MOST_TOLD, due.get(name) or 0) for name in seats if name not in names))
        for name, size, bearing in zip(names, sizes, bearings, strict=True):
            held = due.get(name)
            told += 0 if held is None else min(MOST_TOLD, abs(held - size))
            if name in ahead:
                told += abs((bearing - ahead[name] + 180) % 360 - 180) / STEP
        return told

    rows = [(*some[k:], *some[:k]) for some in combinations(seats, len(sizes)) for k in range(len(sizes))]
    best, *others = sorted(rows, key=against)
    return None if others and against(others[0]) - against(best) < CLEARLY else best


def _mean(points: Sequence[Point]) -> Point:
    return fmean(x for x, _ in points), fmean(y for _, y in points)


def _bearing(middle: Point, point: Point) -> float:
    """In degrees, clockwise as the picture shows it."""
    return degrees(atan2(point[1] - middle[1], point[0] - middle[0]))


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
    whose: Seat | None = None
    """In whose hand it is, where all of them lie there."""


@dataclass(frozen=True, slots=True)
class HandPicture:
    """A photograph of a hand with its tiles drawn over it."""

    seat: int
    """The number of the player whose hand it is; 0 where all of them lie there."""
    box: str
    """The part of the plane that is shown."""
    tiles: tuple[DrawnTile, ...]
    photograph: str = ""
    """Lies under the drawing, as a data address; "" where the reader gave none back."""
    size: tuple[float, float] = (0.0, 0.0)
    """The size of the photograph, in the plane."""


def hand_picture(
    read: Mapping[str, Any], board: GameView, seat: int, whose: Mapping[int, str] | None = None
) -> HandPicture | None:
    """From what `hand_of` says of a photograph; None where it shows no tile. `whose`: as in `LaidOpen`."""
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
    for n, (one, quad) in enumerate(zip(found, quads, strict=True)):
        owner = None if whose is None else board.seat(whose.get(n))
        values = None if one["values"] is None else (int(one["values"][0]), int(one["values"][1]))
        typed = "" if values is None else show_tile(values, family)
        some = values is None and any(value is not None for value in one.get("known") or ())
        ends = tuple("?" if value is None else str(value) for value in one["known"]) if some else ()
        name = typed or "-".join(ends) or (_("not read") if one["face"] == "up" or one["counts"] else _("face down"))
        counts = bool(one["counts"]) if whose is None else owner is not None
        said = with_colon(owner.name, name) if owner else name
        drawn.append(DrawnTile(_placed(quad), values, typed, ends, said, counts, owner))
    small = read.get("picture")
    photograph = f"data:image/jpeg;base64,{base64.b64encode(small).decode()}" if small else ""
    return HandPicture(seat, box, tuple(drawn), photograph, (wide * scale, high * scale))


def half_read(one: Mapping[str, Any]) -> str:
    """A sentence on a tile of `hand_of` with one half read and the other this or that; "" on others."""
    known = [value for value in one.get("known") or () if value is not None]
    maybe = [value for values in one.get("maybe") or () for value in values]
    if len(known) != 1 or not maybe:
        return ""
    return _("One half is %(known)s; the other may be %(maybe)s.", known=known[0], maybe=" / ".join(map(str, maybe)))


def _middles(quad: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The middles of a tile's two ends."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return ((ax + bx) / 2, (ay + by) / 2), ((cx + dx) / 2, (cy + dy) / 2)


def _placed(quad: Sequence[tuple[float, float]]) -> str:
    """The drawing's own plane laid over this outline, whose first value lies at the edge from corner 0 to corner 1."""
    (ox, oy), (ax, ay), (bx, by) = quad[1], quad[2], quad[0]
    numbers = ((ax - ox) / LONG, (ay - oy) / LONG, (bx - ox) / WIDE, (by - oy) / WIDE, ox, oy)
    return "matrix(" + " ".join(f"{number:.4g}" for number in numbers) + ")"
