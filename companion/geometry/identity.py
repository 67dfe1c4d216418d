"""Which tile is which: identities carried from one still table to the next.

A tile that lies where one lay is that tile: a nudge is no change, and what glare hides now was read before. Physics is
the only hard constraint here: a laid tile keeps its value, so a different value in its place is reported as such.

A blank tile that looks like a back: face down there, where no tile of a train can lie face down.

Only the last tile of a train is ever turned over. So an apparent back exactly between two tiles, one of which ends in a
blank, is the double blank, or a tile that cannot be read.

Tiles that a wall hides: a tile laid on its equal shows nothing, nor does one that the next tile covers in the same
moment.

A Chinese line folds back on itself (docs/rules.md section 4.2, stacking), so the place of the next tile is known. Which
tile a later one proves to lie there is told here; whether that is believed is for others to decide.

A wall that is seen for the first time in the middle of the game: which of its eight tiles lie on others?

Eight tiles in a row may be the whole line, or the top of one that has folded back on itself as often as it will. The
next tile tells: it lies beside the wall's last one. The tiles under the others were never seen and are never guessed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from companion.geometry.joints import Joint, JointLimits, TileShapes, distance, find_joints, value_at
from companion.geometry.layout import (
    Family,
    Layout,
    PlacedTile,
    Point,
    Problem,
    SeenHalf,
    SeenTile,
    TableSetup,
    TableView,
    Trouble,
    leans_from,
    seat_of,
    turn,
    wrapped,
)
from companion.rules.tile import Laid, Tile, chinese_set

SAME_PLACE = 0.5
"""Tile widths a tile may have moved and still be itself without its values to prove it."""

SAME_VALUES_REACH = 1.5
"""Tile widths within which an equal tile is the same one, pushed aside."""

SHIFT_REACH = 4.0
"""Tile widths by which the whole table may have jumped (camera or cloth pulled) between two still tables."""

LARGEST_TURN_DEG = 30.0


@dataclass(frozen=True, slots=True)
class Known:
    """A tile of the view, as seen now with what was known before."""

    seen: SeenTile
    old: PlacedTile | None = None
    """The tile as it was on the last still table; None: it is new."""
    changed: bool = False
    """It shows another value in the same place."""


@dataclass(slots=True)
class Finder:
    """One reconstruction under way: what is known, what has been decided, what went wrong. Tiles by their place in the
    view."""

    view: TableView
    known: Sequence[Known]
    setup: TableSetup
    before: Layout | None
    ids: Sequence[int]
    problems: list[Problem] = field(default_factory=list)

    def seat(self, n: int) -> str | None:
        """The player in whose strip it lies."""
        return seat_of(self.known[n].seen.center_mm, self.view, self.setup)

    def placed(self, n: int) -> PlacedTile:
        return PlacedTile(self.ids[n], self.known[n].seen)

    def report(self, trouble: Trouble, *tiles: PlacedTile) -> None:
        self.problems.append(Problem(trouble, tiles[0].seen.center_mm, tuple(tile.id for tile in tiles)))


def identify(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> list[Known]:
    """One Known for each tile, in order. Each earlier tile is given away once: to the one watched as that tile, then
    to the nearest of those that nobody has watched so long."""
    matched = _watched(tiles, before)
    given = set(matched.values())
    rest = [n for n in range(len(tiles)) if n not in matched]
    left = [m for m in range(len(before)) if m not in given]
    if rest and left:
        found = _nearest([tiles[n] for n in rest], [before[m] for m in left], width)
        matched |= {rest[n]: left[m] for n, m in found.items()}
    return [_known(tile, before[matched[n]]) if n in matched else Known(tile, None) for n, tile in enumerate(tiles)]


def _watched(tiles: Sequence[SeenTile], before: Sequence[PlacedTile]) -> dict[int, int]:
    """Index of a tile -> index of the earlier one that is the same track. Of several that lie on each other in a wall,
    which were one track after the other, it is the one that shows the same values."""
    earlier: dict[int, list[int]] = {}
    for m, old in enumerate(before):
        if old.seen.track is not None:
            earlier.setdefault(old.seen.track, []).append(m)
    found: dict[int, int] = {}
    for n, tile in enumerate(tiles):
        if tile.track is not None and tile.track in earlier:
            found[n] = min(earlier[tile.track], key=lambda m: not _same_values(tile, before[m].seen))
    return found


def _nearest(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> dict[int, int]:
    """Index of a tile -> index of the earlier one that lay there, by where it lies and what it shows."""
    shift = _common_shift(tiles, before, width)
    offers: list[tuple[float, int, int]] = []
    farthest = max(SAME_VALUES_REACH, SAME_PLACE) * width
    for n, tile in enumerate(tiles):
        for m, old in enumerate(before):
            was = old.seen.center_mm
            aside, along = tile.center_mm[0] - was[0] - shift[0], tile.center_mm[1] - was[1] - shift[1]
            if abs(aside) > farthest or abs(along) > farthest:
                continue
            apart = math.hypot(aside, along)
            same = _same_values(tile, old.seen)
            reach = SAME_VALUES_REACH if same else SAME_PLACE
            if apart <= reach * width and (same or _turn(tile, old.seen) <= LARGEST_TURN_DEG):
                offers.append((apart if same else apart + 0.25 * width, n, m))
    offers.sort()
    matched: dict[int, int] = {}
    given: set[int] = set()
    for _, n, m in offers:
        if n not in matched and m not in given:
            matched[n] = m
            given.add(m)
    return matched


def _known(tile: SeenTile, old: PlacedTile) -> Known:
    """The tile turned so that its halves lie as the old one's, with what was read earlier where nothing is read now."""
    tile = turned_like(tile, old.seen)
    was = old.seen.halves
    if was is None:
        return Known(tile, old)
    if not tile.face_up or tile.halves is None:
        return Known(replace(tile, halves=was), old)
    merged = (_merged(tile.halves[0], was[0]), _merged(tile.halves[1], was[1]))
    changed = any(
        now.value is not None and then.value is not None and now.value != then.value
        for now, then in zip(tile.halves, was, strict=True)
    )
    return Known(replace(tile, halves=merged), old, changed)


def _merged(now: SeenHalf, then: SeenHalf) -> SeenHalf:
    """The half as read now, else as read earlier. A value that was given is given anew."""
    return then if now.value is None and then.value is not None and not then.given else now


def turned_like(tile: SeenTile, old: SeenTile) -> SeenTile:
    """Turned so that half 0 is the same end as in `old`, where the reader took the other end first."""
    if abs(turn(tile.heading_deg, old.heading_deg)) <= 90.0:
        return tile
    halves = None if tile.halves is None else (tile.halves[1], tile.halves[0])
    box = tile.box_px
    turned = None if box is None else (box[2], box[3], box[0], box[1])
    return replace(tile, heading_deg=wrapped(tile.heading_deg + 180.0), halves=halves, box_px=turned)


def _same_values(a: SeenTile, b: SeenTile) -> bool:
    """Equal and fully read, in whichever direction."""
    first, second = a.values, b.values
    return a.face_up and b.face_up and first is not None and second is not None and sorted(first) == sorted(second)


def _turn(a: SeenTile, b: SeenTile) -> float:
    """The angle between two tiles' long axes, 0 to 90 degrees."""
    turned = abs(turn(a.heading_deg, b.heading_deg))
    return min(turned, 180.0 - turned)


def _common_shift(tiles: Sequence[SeenTile], before: Sequence[PlacedTile], width: float) -> Point:
    """By how much everything moved together: the median over tiles that are read the same; (0, 0) with few of them."""
    moves: list[Point] = []
    for tile in tiles:
        near = [
            old.seen.center_mm
            for old in before
            if distance(tile.center_mm, old.seen.center_mm) <= SHIFT_REACH * width and _same_values(tile, old.seen)
        ]
        if len(near) == 1:
            moves.append((tile.center_mm[0] - near[0][0], tile.center_mm[1] - near[0][1]))
    if len(moves) < 3:
        return 0.0, 0.0
    shift = median(x for x, _ in moves), median(y for _, y in moves)
    agree = sum(math.hypot(x - shift[0], y - shift[1]) <= 0.3 * width for x, y in moves)
    return shift if agree * 2 > len(moves) else (0.0, 0.0)


LIMITS = JointLimits(gap=0.25, overlap=0.25, lateral=0.25, angle_deg=20.0)

UNREAD = (SeenHalf(None, 0.0), SeenHalf(None, 0.0))


def turned_up(known: Sequence[Known], length: float, width: float) -> list[Known]:
    """The tiles with such backs face up; their halves are what they were read as before, else unread.

    `length`, `width`: a tile's, in mm.
    """
    backs = {n for n, tile in enumerate(known) if not tile.seen.face_up}
    up = {n for n, tile in enumerate(known) if tile.seen.face_up and tile.seen.halves is not None}
    if not backs or len(up) < 2:
        return list(known)
    shapes = TileShapes.of([tile.seen for tile in known], length, width)
    sides: dict[int, list[tuple[int, int, bool]]] = {}
    for joint in find_joints(shapes, backs | up, limits=LIMITS, one_of=backs):
        back, port, other = _of_a_back(joint, backs)
        if other in up:
            sides.setdefault(back, []).append((port, other, _ends_in_a_blank(shapes, joint, other)))
    out = list(known)
    for back, joined in sides.items():
        if any(blank and a != b and _opposite(shapes, back, p, q) for p, a, blank in joined for q, b, _ in joined):
            old = known[back].old
            halves = UNREAD if old is None or old.seen.halves is None else old.seen.halves
            out[back] = replace(known[back], seen=replace(known[back].seen, face_up=True, halves=halves))
    return out


def _of_a_back(joint: Joint, backs: set[int]) -> tuple[int, int, int]:
    """(the back, its port, the other tile)."""
    return (joint.a, joint.a_port, joint.b) if joint.a in backs else (joint.b, joint.b_port, joint.a)


def _ends_in_a_blank(shapes: TileShapes, joint: Joint, tile: int) -> bool:
    port = joint.a_port if joint.a == tile else joint.b_port
    return all(value in (0, None) for value in value_at(shapes.tiles[tile], shapes.ports[tile][port]))


def _opposite(shapes: TileShapes, tile: int, p: int, q: int) -> bool:
    a, b = shapes.ports[tile][p], shapes.ports[tile][q]
    return a.kind is b.kind and a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1] < -0.5


WALL = 8
"""Tiles in a wall's first row: the ninth lies on the eighth."""

INFERRED = 0.5
"""How sure the halves of a tile are that nobody saw: never as sure as a reading."""

LEAST_ALIKE = 5
"""At least this many of a wall's eight tiles have to lie on top as they are on record."""


LEANING = 4.0
"""A reading of the place of a wall's next tile names no value, but another one is so much likelier (6 dB) than what lay
there: something else lies there now. Another tile is what is expected there."""


def hides(now: SeenTile, then: SeenTile) -> bool:
    """Does another tile lie on this one, where the wall's next is due, though one of the two could not be read?

    An unread tile that somebody reached for once more, and that is read as something else, lies under that.
    """
    now = turned_like(now, then)
    return leans_from(now, then, LEANING) or leans_from(then, now, 1.0)


def place_of_next(line: Sequence[PlacedTile], buried: Sequence[int] = ()) -> PlacedTile | None:
    """The tile on which the next one of a wall lies; None while the first row is not full."""
    layer, k = divmod(len(line) + len(buried), WALL)
    place = WALL * layer - 1 - k
    return None if layer == 0 else line[place - sum(below < place for below in buried)]


def under_the_next(layout: Layout | None) -> SeenTile | None:
    """The tile that is seen now where the next tile of a wall will lie."""
    below = None if layout is None else place_of_next(layout.line, layout.buried)
    return None if below is None else below.seen


def equal_cover(
    line: Sequence[PlacedTile], setup: TableSetup, new_id: int, buried: Sequence[int] = ()
) -> PlacedTile | None:
    """The equal tile that may have been laid, unseen, where the wall has come to; None where none could match."""
    below = place_of_next(line, buried)
    if below is None or below.laid is None or line[-1].laid is None:
        return None
    laid = Laid(below.laid.outer, below.laid.inner)
    if laid.inner != line[-1].laid.outer or copies_left(laid.tile, line, setup) < 1:
        return None
    return replace(below, id=new_id, inner_half=1 - below.inner_half)


def covered_at_the_turn(
    line: Sequence[PlacedTile], setup: TableSetup, new: PlacedTile, new_id: int, buried: Sequence[int] = ()
) -> PlacedTile | None:
    """The last tile of a row, covered by `new` before it was ever seen; None where `new` may be that last tile itself.

    `new` is placed as if it were the last of its row. It matches nothing so, but as the first tile of the next row it
    lies on a tile that leads from the line's end to it, and only one tile does. Where the half of `new` that tells is
    not read, that tile's outer half is not known either.
    """
    length = len(line) + len(buried)
    if setup.arms != 1 or not line or length % WALL != WALL - 1 or new.halves is None or line[-1].laid is None:
        return None
    end = line[-1].laid.outer
    inner, outer = new.halves[new.inner_half], new.halves[1 - new.inner_half]
    if inner.value == end:
        return None
    if outer.value is not None and copies_left(Tile(end, outer.value), [*line, new], setup) < 1:
        return None
    halves = [SeenHalf(outer.value, INFERRED if outer.value is not None else 0.0)] * 2
    halves[new.inner_half] = SeenHalf(end, INFERRED)
    return PlacedTile(new_id, replace(new.seen, halves=(halves[0], halves[1])), new.inner_half)


def inferred_from_cover(line: Sequence[PlacedTile], walls: Mapping[int, int]) -> list[PlacedTile]:
    """The line with the outer half of every tile that was not read before the wall turned on it, as the tile that
    covers it tells: the two halves lie on each other. As sure as what nobody saw."""
    filled = list(line)
    for n, (below, above) in enumerate(pairwise(line)):
        if below.halves is None or walls.get(above.id) != below.id or above.laid is None:
            continue
        inner, outer = below.halves[below.inner_half], below.halves[1 - below.inner_half]
        if inner.value is not None and outer.value is None:
            halves = (inner, SeenHalf(above.laid.inner, INFERRED))
            filled[n] = replace(
                below, seen=replace(below.seen, halves=halves if below.inner_half == 0 else halves[::-1])
            )
    return filled


def covered(layout: Layout, setup: TableSetup) -> Layout | None:
    """The layout with an equal tile laid on the wall's next place, which looks the same; None where none could be."""
    below = place_of_next(layout.line, layout.buried)
    cover = equal_cover(layout.line, setup, layout.next_id, layout.buried)
    if cover is None or below is None or below.id in layout.walls.values():
        return None
    walls = {**layout.walls, cover.id: below.id}
    return replace(layout, line=(*layout.line, cover), walls=walls, next_id=layout.next_id + 1)


def copies_left(tile: Tile, line: Iterable[PlacedTile], setup: TableSetup) -> int:
    """How many of this tile are not in the line."""
    box: Mapping[Tile, int] = chinese_set()
    each = setup.copies if setup.copies is not None else box.get(tile, 0)
    return each - Counter(placed.laid.tile for placed in line if placed.laid is not None)[tile]


def with_history(layout: Layout, recorded: Sequence[Laid]) -> Layout:
    """A wall seen for the first time, with what is on record under its tiles.

    Unchanged where the line is no wall yet, or where what lies on top is not what should. A few tiles may lie there
    that are not on record yet: the next comparison finds them.
    """
    row = layout.line
    if len(recorded) <= WALL or len(row) != WALL:
        return layout
    line: list[PlacedTile] = []
    tops: dict[int, int] = {}
    walls: dict[int, int] = {}
    new_id = layout.next_id
    for n, laid in enumerate(recorded):
        layer, k = divmod(n, WALL)
        slot = k if layer % 2 == 0 else WALL - 1 - k
        seen = row[slot]
        inner = seen.inner_half if layer % 2 == 0 else 1 - seen.inner_half
        halves = [SeenHalf(laid.outer, 1.0)] * 2
        halves[inner] = SeenHalf(laid.inner, 1.0)
        line.append(PlacedTile(new_id, replace(seen.seen, halves=(halves[0], halves[1])), inner))
        if slot in tops:
            walls[new_id] = tops[slot]
        tops[slot] = new_id
        new_id += 1
    by_id = {tile.id: tile for tile in line}
    alike = sum(by_id[top].seen.values == row[slot].seen.values for slot, top in tops.items())
    if alike < LEAST_ALIKE:
        return layout
    return replace(layout, line=tuple(line), walls=walls, next_id=new_id)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which the wall may have come so far: towards the left, or towards the right in a layer above."""

    layout: Layout
    mismatches: int


def may_be_a_wall(layout: Layout, setup: TableSetup) -> bool:
    """Is this a row of eight that may hide any number of tiles below?"""
    whole = len(layout.line) == WALL and not layout.walls and not layout.buried
    return setup.family is Family.CHINESE and setup.arms == 1 and whole


def before_the_next(row: Layout, now: Layout, width_mm: float) -> Layout | None:
    """The wall as it was in `row`, told by the tiles laid on it since, in `now`; both seen for the first time.

    None where nothing new lies on it, or where two ways are equally likely.
    """
    if len(row.line) != WALL or len(now.line) != WALL:
        return None
    pairs = list(zip(row.line, now.line, strict=True))
    if any(distance(old.seen.center_mm, new.seen.center_mm) > width_mm / 2 for old, new in pairs):
        return None
    new = [n for n, (was, lies) in enumerate(pairs) if None not in (was.laid, lies.laid) and was.laid != lies.laid]
    if not new or new != list(range(new[0], new[-1] + 1)):
        return None
    ways = [way for way in (_leftward(row, now, new), _rightward(row, now, new)) if way is not None]
    ways.sort(key=lambda way: way.mismatches)
    if not ways or (len(ways) == 2 and ways[0].mismatches == ways[1].mismatches):
        return None
    return ways[0].layout


def _leftward(row: Layout, now: Layout, new: Sequence[int]) -> _Way | None:
    """The last layer comes from the right end, and the new tiles go on to the left of it."""
    last = new[-1]
    end = row.line[-1].laid if last == WALL - 1 else row.line[last + 1].laid
    laid = now.line[last].laid
    if end is None or laid is None or laid.outer != (end.outer if last == WALL - 1 else end.inner):
        return None
    below, tops = row.line[: last + 1], [_turned(tile) for tile in reversed(row.line[last + 1 :])]
    buried = tuple(range(last + 1, WALL))
    return _Way(replace(row, line=(*below, *tops), buried=buried), _mismatches(below) + _mismatches(tops))


def _rightward(row: Layout, now: Layout, new: Sequence[int]) -> _Way | None:
    """The layer below came from the right end; the last one turned at the left end and goes on to the right."""
    first = new[0]
    end = row.line[0].laid if first == 0 else row.line[first - 1].laid
    laid = now.line[first].laid
    if end is None or laid is None or laid.inner != (end.inner if first == 0 else end.outer):
        return None
    below, tops = [_turned(tile) for tile in reversed(row.line[first:])], row.line[:first]
    buried = (*range(WALL), *range(2 * WALL - first, 2 * WALL))
    return _Way(replace(row, line=(*below, *tops), buried=buried), _mismatches(below) + _mismatches(tops))


def _turned(tile: PlacedTile) -> PlacedTile:
    return replace(tile, inner_half=1 - tile.inner_half)


def _mismatches(tiles: Sequence[PlacedTile]) -> int:
    laid = [tile.laid for tile in tiles]
    return sum(a is not None and b is not None and a.outer != b.inner for a, b in pairwise(laid))
