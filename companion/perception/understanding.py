"""How many tiles can lie face down: one more that is seen is no tile, and when it is gone again nobody drew it.

The rules say how many are left over when all have their hands, and only a tile that is taken back adds one. Sometimes
the eye takes a shadow or a print for a back; before this every such find ended as a draw that nobody had made.

Where the engine looks blank, no blank is sure; and no back lies between two blanks of a train.

The engine's value is known, so its reading shows how the eye errs on this box: where the double twelve reads as a
double blank, its pips are lost in their ground, and every other blank of the table may be a twelve as well. A tile
without pips and a tile's back look alike; of the two only the double blank joins a blank to a blank.

A tile that was not read is given the values that it looks most like, of a tile that lies nowhere else; the belief
decides what it is. One laid on its equal in a wall of stacks leaves nothing to see.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from companion.geometry import Layout, PlacedTile, TableSetup, Trouble, covered, reconstruct
from companion.geometry.chinese_line import as_recorded
from companion.geometry.diff import SURE_TILE, Observation, difference
from companion.geometry.layout import Point, SeenHalf, SeenTile, TableView
from companion.perception.settings import LINE, ObservationSink
from companion.rules.tile import Laid, Tile


@dataclass(slots=True)
class BackCount:
    """How many tiles lie face down.

    >>> BackCount(most=5).real(Layout(boneyard=7), None).boneyard
    5
    """

    most: int | None = None
    """No more can lie there; None where nobody knows."""

    def real(self, layout: Layout, before: Layout | None) -> Layout:
        """The layout with no more backs than can be; of tiles that lay there `before` and are gone each may be one."""
        if self.most is None or layout.boneyard is None:
            return layout
        ids, tiles = {tile.id for tile in layout}, {tile.laid.tile for tile in layout if tile.laid is not None}
        gone = [tile for tile in before or () if tile.seen.face_up and tile.id not in ids]
        # A tile that has another number, but lies there all the same, was not taken back.
        back = sum(tile.laid is None or tile.laid.tile not in tiles for tile in gone)
        return replace(layout, boneyard=min(layout.boneyard, self.most + back))

    def settled(self, before: Layout | None, after: Layout) -> None:
        """Note that the table as it lies is on record."""
        if self.most is None or before is None or before.boneyard is None or after.boneyard is None:
            return
        drawn = max(0, before.boneyard - after.boneyard)
        self.most = max(self.most - drawn, after.boneyard)


def at_most(layout: Layout, backs: int) -> Layout:
    """The layout with at most this many backs: others that the eye saw were no tiles."""
    return layout if layout.boneyard is None else replace(layout, boneyard=min(layout.boneyard, backs))


TOUCHING = 0.3
"""An end so many tile widths from a flank touches it."""
LIKELY_BLANK = SeenHalf(None, 0.5, ((0, 0.5),))


def blanks_in_doubt(layout: Layout, tiles: Sequence[SeenTile], engine: int | None) -> tuple[SeenTile, ...] | None:
    """`tiles` with all blanks unread, each as likely the engine's value; None where the engine does not look blank.

    That happened on none of 40 stills (362000 to 362039). Of four sketched rounds in which every twelve reads as a
    blank (363000 to 363003) 73 of 77 plays are named with it, and 28 without; nobody is accused either way.
    """
    middle = None if layout.engine is None else layout.engine.halves
    if not engine or middle is None:
        return None
    seen = {half.value for half in middle}
    if 0 not in seen or not seen <= {0, None, engine}:
        return None
    return tuple(_with_blanks_open(tile, engine) for tile in tiles)


def _with_blanks_open(tile: SeenTile, engine: int) -> SeenTile:
    if not tile.face_up or tile.halves is None:
        return tile
    first, second = (_either(half, engine) for half in tile.halves)
    return replace(tile, halves=(first, second))


def _either(half: SeenHalf, engine: int) -> SeenHalf:
    """The half with what speaks for a blank shared between it and the engine's value."""
    p = dict(half.others)
    if half.value is not None:
        p[half.value] = max(half.p, p.get(half.value, 0.0))
    if 0 not in p or half.value == engine:
        return half
    both = p.pop(0) + p.pop(engine, 0.0)
    shared = {**p, 0: both / 2, engine: both / 2}
    ranked = tuple(sorted(shared.items(), key=lambda one: -one[1]))
    if half.value not in (0, None):
        return SeenHalf(half.value, half.p, tuple(one for one in ranked if one[0] != half.value))
    return SeenHalf(None, ranked[0][1], ranked)


def back_between_blanks(layout: Layout, tiles: Sequence[SeenTile]) -> tuple[SeenTile, ...] | None:
    """`tiles` with the one back that joins a train's open blank to a blank beyond it face up, likely the double blank.

    None where none lies so, where several do, and where the double blank lies elsewhere. A back in line with its train
    is in the train already; this is for one behind which the train turns a corner.
    """
    if any(tile.values == (0, 0) for tile in tiles):
        return None
    open_ends = [train[-1] for train in layout.trains.values() if train]
    joining = [
        down.seen
        for down in layout.face_down
        if down.halves is None
        and any(_joins(down.seen, a, b) for a in _blank_ends(open_ends) for b in _blank_ends(layout.loose, outer=False))
    ]
    if len(joining) != 1:
        return None
    blank = replace(joining[0], face_up=True, halves=(LIKELY_BLANK, LIKELY_BLANK))
    return tuple(blank if tile is joining[0] else tile for tile in tiles)


def _blank_ends(placed: Sequence[PlacedTile], outer: bool = True) -> Iterator[Point]:
    """Where blanks lie at the short ends of tiles, in mm; only at the `outer` ends of those in trains."""
    for one in placed:
        for half in (0, 1):
            if one.halves is not None and one.halves[half].value == 0 and not (outer and half == one.inner_half):
                yield one.seen.end_mm(half)


def _joins(back: SeenTile, before: Point, beyond: Point) -> bool:
    """Whether a tile lies between two ends, in mm: one at each of its halves, or at both flanks of its middle."""
    first, second = back.halves_mm
    if math.dist(before, beyond) < back.width_mm / 2:
        return False
    return any(
        _touches(back, before, one) and _touches(back, beyond, other)
        for one, other in ((first, second), (second, first), (back.center_mm, back.center_mm))
    )


def _touches(back: SeenTile, end: Point, middle: Point) -> bool:
    """Whether an end lies half a tile width from the middle of a half or of the tile."""
    return abs(math.dist(end, middle) - back.width_mm / 2) < TOUCHING * back.width_mm


GUESS = 0.3
"""A find that is not surely a tile counts as an unread one from this probability on."""


def values_of(box: Iterable[Tile]) -> frozenset[int]:
    return frozenset(value for tile in box for value in (tile.low, tile.high))


def likely_tiles(
    halves: tuple[SeenHalf, SeenHalf], inner_half: int, box: Mapping[Tile, int], lying: Mapping[Tile, int]
) -> list[tuple[float, Laid]]:
    """(probability, the tile inner half first), likeliest first.

    `box` says how often each tile exists, `lying` how often it is seen elsewhere.
    """
    values = values_of(box)
    inner, outer = (half.odds(values) for half in (halves[inner_half], halves[1 - inner_half]))
    left = {tile for tile, count in box.items() if lying.get(tile, 0) < count}
    weights = {Laid(a, b): p * q for a, p in inner.items() for b, q in outer.items() if Tile(a, b) in left}
    total = sum(weights.values())
    return sorted(((weight / total, laid) for laid, weight in weights.items()), reverse=True) if total > 0.0 else []


def with_given_values(
    layout: Layout, engine: int | None, box: Mapping[Tile, int], recorded: Mapping[str, Sequence[Laid]]
) -> Layout:
    """The layout with the unread tiles of trains and lines as they are on record, else as what they look most like.

    `recorded` are the trains as the game has them. The engine is the round's own double unless it was read as another
    tile. A value filled in is no reading: the eye's own odds go with it, and the belief alone decides what it is.
    """
    known = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    given: dict[int, Laid] = {}
    middle = layout.engine
    if engine is not None and middle is not None and middle.laid is None and _may_be(middle, engine):
        given[middle.id] = Laid(engine, engine)
    covered = set(layout.walls.values()).union(*(one.tiles for one in layout.problems if one.trouble in OPEN_IN_LINE))
    line = as_recorded(layout, recorded.get(LINE, ())).line
    rows = [(train, recorded.get(name, ())) for name, train in layout.trains.items()]
    # The last one may lie on a tile that nobody saw, or at this one against the rules: the next one tells.
    unread = {tile.id for tile in line if tile.laid is None}
    covered |= {tile.id for tile in line[-1:] if layout.walls.get(tile.id) in unread}
    for row, on_record in [*rows, ([tile for tile in line if tile.id not in covered], ())]:
        for n, tile in enumerate(row):
            if tile.laid is None and tile.face_up and tile.halves is not None:
                laid = on_record[n] if n < len(on_record) else _as_it_looks(tile, box, known)
                if laid is not None:
                    known[laid.tile] += 1
                    given[tile.id] = laid
    for tile, cover in pairwise(line):
        if tile.laid is None and tile.halves is not None and layout.walls.get(cover.id) == tile.id:
            inner, laid = tile.halves[tile.inner_half].value, given.get(cover.id, cover.laid)
            if inner is not None and laid is not None:
                given[tile.id] = Laid(inner, laid.inner)
    for tile, read in zip(layout.line, line, strict=True):
        if tile.laid is None and read.laid is not None:
            given[tile.id] = read.laid
    return layout.with_values(given)


OPEN_IN_LINE = (Trouble.COVERED_TILE,)
"""A tile with this trouble may lie on another one: the next tile tells."""


def _as_it_looks(tile: PlacedTile, box: Mapping[Tile, int], known: Mapping[Tile, int]) -> Laid | None:
    """The tile that it looks like most, of those that lie nowhere else. A find that may be no tile needs `GUESS`."""
    likely = likely_tiles(tile.halves, tile.inner_half, box, known) if tile.halves is not None else []
    least = 0.0 if tile.seen.confidence >= SURE_TILE else GUESS
    return likely[0][1] if likely and likely[0][0] >= least else None


def _may_be(tile: PlacedTile, value: int) -> bool:
    """Does neither half say clearly that it shows something else?"""
    return tile.face_up and tile.halves is not None and all(half.value in (None, value) for half in tile.halves)


MOST_UNSEEN = 2
"""At most this many tiles in a row may have been laid on their equals."""


def understood(
    view: TableView,
    setup: TableSetup,
    sink: ObservationSink,
    box: Mapping[Tile, int],
    before: Layout | None,
    held_back: Layout | None,
) -> Layout:
    """The layout, with one more chance for a tile that was not read.

    `before` is the layout on record, `held_back` one that was asked about instead. `box`: tile -> how often the set
    has it, empty where that is not known.
    """
    before, held_back = _as_recorded(before, sink), _as_recorded(held_back, sink)
    layout = reconstruct(view, setup, held_back or before)
    if held_back is not None and layout.has(Trouble.VALUE_CHANGED):
        # The layout held back was a misreading.
        layout = reconstruct(view, setup, before)
    doubted = blanks_in_doubt(layout, view.tiles, setup.engine) or back_between_blanks(layout, view.tiles)
    if doubted is not None:
        view = replace(view, tiles=doubted)
        layout = reconstruct(view, setup, held_back or before)
    if not box or not layout.has(Trouble.UNREADABLE_TILE):
        return layout
    return with_given_values(layout, setup.engine, box, sink.recorded())


def _as_recorded(layout: Layout | None, sink: ObservationSink) -> Layout | None:
    """A tile of a line that was not read may lie under others by now: what is on record there is known all the same."""
    return None if layout is None else as_recorded(layout, sink.recorded().get(LINE, ()))


def named_as_recorded(layout: Layout, recorded: Mapping[str, Sequence[Laid]]) -> Layout:
    """The layout with each train under the name of the one on record that begins with the same tile: somebody may have
    said whose it is."""
    whose = {Laid(*chain[0]): name for name, chain in recorded.items() if chain}
    began = {name: train for name, train in layout.trains.items() if train}
    names = {name: name if (laid := train[0].laid) is None else whose.get(laid, name) for name, train in began.items()}
    if len({*names.values()}) < len(names) or all(name == old for old, name in names.items()):
        return layout
    trains = dict.fromkeys(layout.trains, ()) | {names[name]: train for name, train in began.items()}
    return replace(layout, trains=trains)


def with_unseen(
    observation: Observation, layout: Layout, before: Layout, setup: TableSetup, sink: ObservationSink
) -> Iterator[tuple[Observation, Layout]]:
    """The view and its layout, then both with one more tile that nobody saw, then with two."""
    yield observation, layout
    if not layout.line or observation.empty:
        return
    for _ in range(MOST_UNSEEN):
        more = covered(layout, setup)
        if more is None:
            return
        layout = more
        yield sink.still_new(difference(before, layout), layout), layout
