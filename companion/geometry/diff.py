"""The change between two still tables: the part that the referee can judge, and the rest.

Trains are compared by their tiles, not by their places: a train pushed aside as a whole is no change. Unread and
doubtful tiles stay out of the delta, so that nobody is ever accused of a misreading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import takewhile

from companion.geometry.layout import Layout, PlacedTile, Point, Problem, TableSetup, TableView, Trouble, sector_of
from companion.log.events import TableChange
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import LEFT, RIGHT, SOMEBODY, Mark, Play, Unmark
from companion.rules.tile import Tile

DOUBTS = frozenset(
    {
        Trouble.UNREADABLE_TILE,
        Trouble.VALUE_CHANGED,
        Trouble.FORKED_TRAIN,
        Trouble.LOOSE_TILE,
        Trouble.EITHER_TRAIN,
        Trouble.CROWDED_STATION,
        Trouble.EITHER_MARKER,
        Trouble.NO_HUB,
        Trouble.NO_STATIONS,
        Trouble.COVERED_TILE,
    }
)
"""Problems that make a new table worth a question. A marker in the supply or a wide gap is not worth one."""


SURE_TILE = 0.8
"""A thing that joins nothing and shows no values is asked about only where the eye is this sure that it is a tile."""


@dataclass(frozen=True, slots=True)
class Observation(TableChange):
    """A change of the table, and beside it what the game is not told. A train's tiles are in order from the inside
    out."""

    hands: Mapping[str, tuple[Tile, ...]] = field(default_factory=dict)
    """The tiles newly laid open, per seat."""
    doubts: tuple[Problem, ...] = ()
    """The problems to ask about."""
    news: tuple[int, ...] = ()
    """The identities of the new tiles."""
    maybe_marked: frozenset[str] = frozenset()
    """Players beside whose trains something lies that was not recognised."""
    given: frozenset[Play] = frozenset()
    """New tiles that were not read, and have values that were given to them."""

    @property
    def change(self) -> TableChange:
        """The part of it that the game is told."""
        return TableChange(**{one.name: getattr(self, one.name) for one in fields(TableChange)})

    @property
    def empty(self) -> bool:
        return not (self.delta or self.flips or self.discards or self.hands)

    @property
    def key(self) -> tuple[object, ...]:
        """Two readings of one table count as equal if this is the same. Of an unread tile it is only that it came."""
        doubts = tuple(sorted((doubt.trouble.value, doubt.tiles) for doubt in self.doubts))
        back = self.returned if self.gone else 0
        delta = tuple((one.train,) if one in self.given else one for one in self.delta if isinstance(one, Play))
        rest = tuple(one for one in self.delta if not isinstance(one, Play))
        return delta, rest, self.flips, tuple(self.discards.items()), tuple(self.hands.items()), doubts, back

    @property
    def only_draws(self) -> bool:
        """Were tiles drawn, and nothing else done?"""
        others = bool(self.flips or self.discards or self.hands)
        return bool(self.delta) and not others and all(isinstance(change, Drawing) for change in self.delta)


def difference(before: Layout, after: Layout) -> Observation:
    """Compare two still tables of one round."""
    # A train that lost its hold on the hub lies there still: its tiles are a riddle, and nobody took them away.
    loose = {tile.id for tile in after.loose}
    parts = []
    for name in sorted({*before.trains, *after.trains}, key=lambda name: _train_order(name, after)):
        old = [tile for tile in before.trains.get(name, ()) if tile.id not in loose]
        parts.append(_train_changes(old, after.trains.get(name, ()), name))
    parts += [_line_changes(before, after), _free_changes(before, after)]
    changes = [change for part, _ in parts for change in part]
    changes += [Mark(name) for name in sorted(after.markers - before.markers)]
    changes += [Unmark(name) for name in sorted(before.markers - after.markers)]
    more = 0 if before.boneyard is None or after.boneyard is None else after.boneyard - before.boneyard
    if more < 0:
        changes.append(Drawing(-more))
    laid = [change for change in changes if isinstance(change, Play)]
    news = tuple(tile_id for _, part in parts for tile_id in part)
    unread = {tile.id for tile in after if tile.given}
    clouded = bool(worth_asking(after) or (after.markers - before.markers) & after.supposed)
    return Observation(
        tuple(changes),
        flips=tuple(sorted(after.flipped - before.flipped)),
        discards=_more(before.discards, after.discards),
        faces=_faces(before, after),
        clouded=clouded,
        two_mexican=after.two_mexican and not clouded,
        stray=tuple(sorted(after.stray - before.stray)),
        returned=max(0, more),
        hands=_new_hands(before, after),
        doubts=_doubts(before, after),
        news=news,
        given=frozenset(one for one, tile_id in zip(laid, news, strict=True) if tile_id in unread),
    )


def with_backs(
    layout: Layout, places: Sequence[Point], view: TableView, setup: TableSetup, on_record: int | None
) -> Layout:
    """The layout with tiles face down that were overlooked at these places. Beside a Chinese line they count as far as
    more are `on_record`; the others were put away and overlooked as they came."""
    if layout.boneyard is not None:
        return replace(layout, boneyard=layout.boneyard + len(places))
    known = places[: max(0, (on_record or 0) - sum(layout.discards.values()))]
    more = Counter(sector_of(place, view, setup) or SOMEBODY for place in known)
    return replace(layout, discards=more + Counter(layout.discards)) if more else layout


def _train_order(name: str, layout: Layout) -> int:
    names = list(layout.trains)
    return names.index(name) if name in names else len(names)


def _train_changes(old: Sequence[PlacedTile], new: Sequence[PlacedTile], train: str) -> tuple[list[Change], list[int]]:
    """The changes and the identities of the tiles laid: tiles that lie the same stay, whatever happened between them.

    A new tile that is not read ends the comparison: what lies beyond it waits until it is. So what lay beyond an unread
    tile before was never reported, and counts as new once that one is read.
    """
    old = list(takewhile(lambda tile: tile.laid is not None, old))
    both = _common(old, new)
    kept_old, kept_new = {n for n, _ in both}, {n for _, n in both}
    gone = _vanishings([(tile, train) for n, tile in enumerate(old) if n not in kept_old])
    laid, news = _layings([(tile, train) for n, tile in enumerate(new) if n not in kept_new])
    return [*gone, *laid], news


def _common(old: Sequence[PlacedTile], new: Sequence[PlacedTile]) -> Sequence[tuple[int, int]]:
    """Indices of the tiles that both have, in order: the longest common subsequence by identity or by value."""

    @cache
    def common(i: int, j: int) -> tuple[tuple[int, int], ...]:
        if i == len(old) or j == len(new):
            return ()
        if _same(old[i], new[j]):
            return ((i, j), *common(i + 1, j + 1))
        return max(common(i + 1, j), common(i, j + 1), key=len)

    return common(0, 0)


def _same(old: PlacedTile, new: PlacedTile) -> bool:
    """The same tile lying the same way. A changed reading of one tile is a doubt, not a move."""
    if old.id == new.id:
        return True
    return old.laid is not None and old.laid == new.laid


def _line_changes(before: Layout, after: Layout) -> tuple[list[Change], list[int]]:
    """Tiles added at or taken from the ends of a Chinese line.

    As in trains an unread tile ends the comparison, and what lies beyond it waits until it is read.
    """
    read_part = _read_part(before.line)
    if not read_part:
        return _layings([(tile, RIGHT) for tile in takewhile(lambda tile: tile.laid is not None, after.line)])
    old, new = [tile.id for tile in read_part], [tile.id for tile in after.line]
    kept = [tile_id for tile_id in new if tile_id in old]
    if not kept:
        return [], []
    start, stop = new.index(kept[0]), new.index(kept[-1]) + 1
    lay_left = old[: old.index(kept[0])]
    gone = _vanishings([(tile, LEFT if tile.id in lay_left else RIGHT) for tile in read_part if tile.id not in kept])
    left = [(tile, LEFT) for tile in takewhile(lambda tile: tile.laid is not None, reversed(after.line[:start]))]
    right = [(tile, RIGHT) for tile in takewhile(lambda tile: tile.laid is not None, after.line[stop:])]
    changes, news = _layings([*left, *right])
    return [*gone, *changes], news


def _read_part(line: Sequence[PlacedTile]) -> Sequence[PlacedTile]:
    """The read tiles around the one that lay there first: identities are given in the order of coming."""
    read = [n for n, tile in enumerate(line) if tile.laid is not None]
    if not read:
        return ()
    first = min(read, key=lambda n: line[n].id)
    start = next((n + 1 for n in range(first, -1, -1) if line[n].laid is None), 0)
    return line[start : next((n for n in range(first, len(line)) if line[n].laid is None), len(line))]


def _free_changes(before: Layout, after: Layout) -> tuple[list[Change], list[int]]:
    """Tiles of a board that has no trains: new and gone ones, by identity. One that lay there unread is not new when it
    is read."""
    if before.trains or after.trains or before.line or after.line:
        return [], []
    known = {tile.id for tile in before.loose}
    here = {tile.id for tile in after}
    gone = _vanishings([(tile, "") for tile in before.loose if tile.id not in here])
    laid, news = _layings([(tile, "") for tile in after.loose if tile.id not in known and tile.laid is not None])
    return [*gone, *laid], news


def _vanishings(tiles: Sequence[tuple[PlacedTile, str]]) -> list[Change]:
    return [Vanishing(tile.laid, train) for tile, train in tiles if tile.laid is not None]


def _layings(tiles: Sequence[tuple[PlacedTile, str]]) -> tuple[list[Change], list[int]]:
    """The tiles up to the first one that is not read, and their identities."""
    read = list(takewhile(lambda one: one[0].laid is not None, tiles))
    return [Play(tile.laid, train) for tile, train in read if tile.laid is not None], [tile.id for tile, _ in read]


def _more(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}


def _faces(before: Layout, after: Layout) -> dict[str, tuple[Tile, ...]]:
    """Tiles newly put away face up before each player."""
    known = {tile.id for tiles in before.shown_discards.values() for tile in tiles}
    new = {name: [tile for tile in tiles if tile.id not in known] for name, tiles in after.shown_discards.items()}
    return {name: tuple(tile.laid.tile for tile in tiles if tile.laid) for name, tiles in new.items() if tiles}


def _new_hands(before: Layout, after: Layout) -> dict[str, tuple[Tile, ...]]:
    """Hands as laid open now, of the seats where they changed; only wholly read ones."""
    hands: dict[str, tuple[Tile, ...]] = {}
    for name, tiles in after.hands.items():
        laid = [tile.laid for tile in tiles]
        if any(one is None for one in laid):
            continue
        values = tuple(sorted(one.tile for one in laid if one is not None))
        was = Counter(tile.laid.tile for tile in before.hands.get(name, ()) if tile.laid is not None)
        if Counter(values) != was:
            hands[name] = values
    return hands


def _doubts(before: Layout, after: Layout) -> tuple[Problem, ...]:
    """Problems that were not there before. Problems of tiles known by identity count once."""
    known = {(problem.trouble, problem.tiles) for problem in before.problems}
    return tuple(p for p in worth_asking(after) if (p.trouble, p.tiles) not in known)


def worth_asking(layout: Layout) -> tuple[Problem, ...]:
    """Problems of the table that are worth a question; finds that are hardly tiles are left out."""
    phantoms = {tile.id for tile in layout.loose if tile.laid is None and tile.seen.confidence < SURE_TILE}
    return tuple(p for p in layout.problems if p.trouble in DOUBTS and not (p.tiles and p.tiles[0] in phantoms))
