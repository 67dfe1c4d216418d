"""The places of a Chinese line, counted outwards from the tile that came first: so they stay while it grows.

The one line of the Chinese games, with its walls, and the tiles put away face down.

The line may fold back on itself: the ninth tile goes on the eighth, and so on (docs/rules.md section 4.2, stacking).
From above only the top tile of a wall is seen, so what lies below is history: a different tile in the place of a known
one is a tile laid on it, where the wall has come to that place; anywhere else it is a doubtful reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from companion.geometry.identity import (
    WALL,
    Finder,
    Known,
    copies_left,
    covered_at_the_turn,
    equal_cover,
    hides,
    inferred_from_cover,
    place_of_next,
    turned_like,
)
from companion.geometry.joints import ChainBuilder, Link, TileChain, TileShapes, distance, find_joints
from companion.geometry.layout import (
    Layout,
    PlacedTile,
    Problem,
    SeenTile,
    Trouble,
    sector_of,
)
from companion.rules.position import SOMEBODY
from companion.rules.tile import Laid


def as_read(line: Sequence[PlacedTile]) -> list[Laid | None]:
    """The reading of each tile; None where it was given."""
    return [None if tile.given else tile.laid for tile in line]


def as_recorded(layout: Layout, recorded: Sequence[Laid]) -> Layout:
    """The layout with the tiles of its line that were not read taken as they are on record."""
    line, seen = layout.line, as_read(layout.line)
    offset = record_begins(seen, recorded) if None in seen else None
    if offset is None:
        return layout
    tiles: list[PlacedTile] = []
    for n, (tile, laid) in enumerate(zip(line, seen, strict=True)):
        known = laid is None and 0 <= n - offset < len(recorded)
        tiles.append(replace(tile, seen=tile.read_as(recorded[n - offset])) if known else tile)
    return replace(layout, line=tuple(tiles))


def record_begins(seen: Sequence[Laid | None], recorded: Sequence[Laid]) -> int | None:
    """Before which tile of the line the record begins; None where it does not fit the tiles that were read, or does so
    in several places."""
    more = len(seen) - len(recorded)
    starts = range(min(0, more), max(0, more) + 1)
    fits = [
        start
        for start in starts
        if all(laid in (None, recorded[n - start]) for n, laid in enumerate(seen) if 0 <= n - start < len(recorded))
    ]
    return fits[0] if len(fits) == 1 else None


_LASTING = (Trouble.COVERED_TILE,)
"""Doubts that stay until another tile settles them."""

APART = 2.0
"""Tile lengths between the middles of a tile and of any in the line from which on it was not meant for the line."""

HARDLY_A_TILE = 0.2
"""A find beside the line that is less sure than this belongs to the cloth, though values are read of it: tiles that lie
there come to 0.22 in the worst light, checks of a cloth to 0.09."""


@dataclass(frozen=True, slots=True)
class LineStep:
    """A tile of the view that continues the line."""

    price: float
    n: int
    """The tile."""
    at_right: bool
    left_half: int
    """The half that lies to the left."""
    below: int | None
    """The tile that it covers, if any."""


@dataclass(slots=True)
class Growing:
    """A line under construction."""

    line: list[PlacedTile] = field(default_factory=list)
    """From left to right."""
    walls: dict[int, int] = field(default_factory=dict)
    """Tile -> the tile that it covers."""
    buried: tuple[int, ...] = ()
    """Places of tiles that were never seen."""

    @property
    def length(self) -> int:
        return len(self.line) + len(self.buried)

    def drop(self, gone: set[int]) -> None:
        self.line = [tile for tile in self.line if tile.id not in gone]
        self.walls = {top: below for top, below in self.walls.items() if top not in gone}


@dataclass(slots=True)
class LineFinder(Finder):
    """One reconstruction of a line under way."""

    next_id: int = 0
    uncovers: bool = False
    """Where a tile may have been laid on the line's last one, or have come to light under it: it came to light."""
    either: bool = field(init=False, default=False)
    """Both may have happened."""
    _come_to_light: dict[int, int] = field(init=False, default_factory=dict)
    """Index of a tile that lay unseen under one that was taken back -> the identity of the one under both."""
    _misread: frozenset[int] = field(init=False, default=frozenset())
    """As in `Layout`: no tile counts as laid on these."""

    def layout(self) -> Layout:
        shapes = TileShapes.of([tile.seen for tile in self.known], *self.setup.tile_mm[:2])
        members = [n for n, tile in enumerate(self.known) if tile.seen.face_up]
        if self.before is not None and self.before.line:
            growing, loose = self._continued(members)
        else:
            growing, loose = self._first(shapes, members)
        put_away = self._put_away(loose)
        down = Counter(self._sector(n) for n, tile in enumerate(self.known) if not tile.seen.face_up or n in put_away)
        if not self.setup.over:
            loose = [n for n in loose if n in put_away or self.known[n].seen.confidence >= HARDLY_A_TILE]
        astray = self._astray([n for n in loose if n not in put_away], growing)
        shown = self._put_away_face_up([n for n in loose if n not in put_away | astray], growing, down)
        apart = put_away.union(*shown.values())
        hands, free = self._beside([n for n in loose if n not in apart], astray)
        backs = tuple(self.placed(n) for n, tile in enumerate(self.known) if not tile.seen.face_up or n in put_away)
        seats = Counter(sector_of(tile.seen.center_mm, self.view, self.setup) for tile in backs)
        seats.update({player: len(tiles) for player, tiles in shown.items()})
        covered = set(growing.walls.values())
        for tile in growing.line:
            if tile.laid is None and tile.id not in covered:
                self.report(Trouble.UNREADABLE_TILE, tile)
        if self._hardly_the_rows_last(growing) and not self._is_old(growing.line[-1]):
            self.report(Trouble.COVERED_TILE, growing.line[-1])
        return Layout(
            line=tuple(growing.line),
            walls=growing.walls,
            buried=growing.buried,
            misread=self._misread,
            discards=self._by_player(seats) if self.setup.stations else {SOMEBODY: len(backs)},
            shown_discards={player: tuple(map(self.placed, tiles)) for player, tiles in shown.items()},
            hands=hands,
            face_down=backs,
            loose=free,
            problems=tuple(self.problems),
            next_id=self.next_id,
        )

    def _by_player(self, seats: Mapping[str | None, int]) -> dict[str, int]:
        return {player: seats.get(player, 0) for player in self.setup.players}

    def _is_old(self, tile: PlacedTile) -> bool:
        """Was this tile in the line without a doubt on the last still table?"""
        doubted = () if self.before is None else (p.tiles for p in self.before.problems if p.trouble in _LASTING)
        known = self.before is not None and any(one.id == tile.id for one in self.before.line)
        return known and (tile.id,) not in doubted

    def _first(self, shapes: TileShapes, members: Sequence[int]) -> tuple[Growing, list[int]]:
        """A line seen for the first time: the longest chain, its left end the one farther left in the picture."""
        chains = self._chains(shapes, [n for n in members if self.seat(n) is None])
        if not chains:
            return Growing(), list(members)
        longest = max(chains, key=lambda chain: len(chain.links))
        if len(chains) > 1 and len(longest.links) > 1:
            self.problems.append(Problem(Trouble.BROKEN_LINE, shapes.tiles[chains[-1].links[0].tile].center_mm))
        tiles = [self._place(link, shapes) for link in longest.links]
        first, last = tiles[0].seen, tiles[-1].seen
        leftward = first.center_mm[0] > last.center_mm[0] + 1.0
        if leftward or (len(tiles) == 1 and first.end_mm(0)[0] > first.end_mm(1)[0] + 1.0):
            tiles = [replace(tile, inner_half=1 - tile.inner_half) for tile in reversed(tiles)]
        placed = {tile.id for tile in tiles}
        return Growing(tiles), [n for n in members if self.ids[n] not in placed]

    def _continued(self, members: Sequence[int]) -> tuple[Growing, list[int]]:
        """The line as it was, and what is new at its ends or on top of it, in the order in which it can have come."""
        assert self.before is not None
        in_line = {tile.id for tile in self.before.line}
        lifted = self._lifted(members)
        due = place_of_next(self.before.line, self.before.buried)
        changed = [n for n in members if self.known[n].changed or (due and self._hides(n, due))]
        stacked = {n: self.ids[n] for n in changed if self.ids[n] in in_line}
        # A tile that showed another value long before there was a wall has not been laid on one now.
        others = frozenset(stacked.values())
        self._misread = others if len(self.before.line) <= WALL // 2 else others & self.before.misread
        stacked |= {n: below for n, below in self._come_to_light.items() if below in in_line}
        seen_now = {self.ids[n]: self.known[n].seen for n in members if n not in stacked}
        growing = Growing(
            [replace(tile, seen=seen_now.get(tile.id, tile.seen)) for tile in self.before.line],
            dict(self.before.walls),
            self.before.buried,
        )
        growing.drop(lifted)
        growing.drop(_taken_back(growing, seen_now.keys() | stacked.values()))
        in_line = {tile.id for tile in growing.line}
        waiting = [n for n in members if n in stacked or self.ids[n] not in in_line]
        self.next_id = max([*self.ids, self.before.next_id - 1]) + 1
        while waiting and growing.line:
            step = self._next(growing, waiting, stacked)
            if step is None:
                if self._uncover(growing, waiting, stacked):
                    continue
                break
            waiting.remove(step.n)
            self._lay(growing, step)
        growing.line = inferred_from_cover(growing.line, growing.walls)
        for n in waiting:
            if n in stacked:
                self.report(Trouble.VALUE_CHANGED, self.placed(n))
        return growing, [n for n in waiting if n not in stacked]

    def _lifted(self, members: Sequence[int]) -> set[int]:
        """Tiles of a wall that were taken off again: the place shows the values of the tile below.

        That tile gets its own identity back.
        """
        assert self.before is not None
        known = {tile.id: tile for tile in self.before.line}
        gone: set[int] = set()
        ids, tiles = list(self.ids), list(self.known)
        doubted, hidden = self._doubted_end()
        for n in members:
            below = known.get(self.before.walls.get(ids[n], -1))
            values = self.view.tiles[n].values
            if not tiles[n].changed or values is None:
                continue
            self.either = self.either or (ids[n] == doubted and sorted(values) == hidden)
            if self.uncovers and ids[n] == doubted and sorted(values) == hidden:
                # The tile on the row's last one was taken back; the one below comes to light, and counts as laid now.
                gone.add(ids[n])
                if ids[n] in self.before.walls:
                    self._come_to_light[n] = self.before.walls[ids[n]]
                ids[n] = max([*ids, self.before.next_id - 1]) + 1
                tiles[n] = Known(self.view.tiles[n], None)
                continue
            if below is None or below.seen.values is None:
                continue
            seen = self.view.tiles[n]
            # Lying as it lay: an equal tile may lie the other way round.
            again = turned_like(seen, below.seen).values == below.seen.values
            if again and not self._covers_the_next(ids[n], below, seen):
                gone.add(ids[n])
                ids[n] = below.id
                tiles[n] = Known(below.seen, below)
        self.ids, self.known = ids, tiles
        return gone

    def _hides(self, n: int, due: PlacedTile) -> bool:
        """Does tile n lie on the one on which the wall's next is due, though one of the two could not be read?"""
        return self.ids[n] == due.id and hides(self.view.tiles[n], due.seen)

    def _covers_the_next(self, top: int, below: PlacedTile, seen: SeenTile) -> bool:
        """May another tile of the values `below` have been laid on `top`, where the wall has come to? The last tile
        laid is taken off first; where the wall depends on it, assume that a matching tile was laid, as almost
        always."""
        assert self.before is not None and below.laid is not None
        line = self.before.line
        due = place_of_next(line, self.before.buried)
        if due is None or due.id != top or (line[-1].id == top and not _matches(line[-1], seen)):
            return False
        return copies_left(below.laid.tile, line, self.setup) > 0

    def _doubted_end(self) -> tuple[int | None, list[int]]:
        """The line's last tile, if it may lie on one that nobody saw, and the values of that one, the lower first."""
        assert self.before is not None
        last = self.before.line[-1]
        if (last.id,) not in [problem.tiles for problem in self.before.problems if problem.trouble in _LASTING]:
            return None, []
        hidden = covered_at_the_turn(self.before.line[:-1], self.setup, last, self.before.next_id, self.before.buried)
        return (None, []) if hidden is None or hidden.laid is None else (last.id, sorted(hidden.laid))

    def _lay(self, growing: Growing, step: LineStep) -> None:
        tile_id = self.ids[step.n]
        if step.below is not None:
            tile_id, self.next_id = self.next_id, self.next_id + 1
            growing.walls[tile_id] = step.below
        tile = PlacedTile(tile_id, self._as_seen(step.n, step.below), step.left_half)
        growing.line = [*growing.line, tile] if step.at_right else [tile, *growing.line]

    def _uncover(self, growing: Growing, waiting: Sequence[int], stacked: dict[int, int]) -> bool:
        """Nothing continues the line as it is seen. Lay what may lie unseen, where something continues it then.

        First a row's last tile under a tile that does not match where it seems to lie: so nothing was laid wrongly. An
        equal tile laid on that one would leave it wrong.
        """
        for trial in (*self._turned_unseen(growing), *self._with_equals(growing, stacked)):
            if self._next(trial, waiting, stacked) is not None:
                growing.line, growing.walls = trial.line, trial.walls
                self.next_id = max(self.next_id, *(tile.id + 1 for tile in trial.line))
                return True
        return False

    def _with_equals(self, growing: Growing, stacked: dict[int, int]) -> Iterator[Growing]:
        """The line with one, two ... tiles more that were laid on their equals."""
        trial, new_id = growing, self.next_id
        for _ in range(WALL):
            below = place_of_next(trial.line, trial.buried)
            cover = equal_cover(trial.line, self.setup, new_id, trial.buried)
            if below is None or cover is None or below.id in trial.walls.values() or below.id in stacked.values():
                return
            walls = {**trial.walls, cover.id: below.id}
            trial, new_id = Growing([*trial.line, cover], walls, trial.buried), new_id + 1
            yield trial

    def _turned_unseen(self, growing: Growing) -> Iterator[Growing]:
        """The line with its last tile not the last of its row, but lying on that one."""
        if growing.length < WALL:
            return
        last = growing.line[-1]
        hidden = covered_at_the_turn(growing.line[:-1], self.setup, last, self.next_id, growing.buried)
        if hidden is not None:
            below = growing.walls.get(last.id)
            under = {} if below is None else {hidden.id: below}
            turned = replace(last, inner_half=1 - last.inner_half)
            walls = {**growing.walls, **under, last.id: hidden.id}
            yield Growing([*growing.line[:-1], hidden, turned], walls, growing.buried)

    def _hardly_the_rows_last(self, growing: Growing) -> bool:
        """Does the line's last tile not match where it seems to lie, and would it if it lay on another one?"""
        last = growing.line[-1] if growing.line else None
        was_read = last is not None and last.halves is not None and last.halves[last.inner_half].value is not None
        return was_read and any(self._turned_unseen(growing))

    def _next(self, growing: Growing, waiting: Sequence[int], stacked: dict[int, int]) -> LineStep | None:
        """The tile that continues the line best, or None where nothing does."""
        steps: list[LineStep] = []
        for n in waiting:
            below = stacked.get(n)
            if below in self._misread:
                continue
            for at_right in (True, False):
                end = growing.line[-1] if at_right else growing.line[0]
                if below is not None and (not at_right or growing.length < WALL):
                    continue
                if below == end.id:
                    if growing.length % WALL == 0:
                        steps.append(self._turn(n, end))
                    continue
                touch = self._touch(end, at_right, n, below)
                if touch is not None:
                    price, half = touch
                    steps.append(LineStep(price, n, at_right, half if at_right else 1 - half, below))
        return min(steps, key=lambda step: step.price, default=None)

    def _turn(self, n: int, end: PlacedTile) -> LineStep:
        """The wall turns: the new tile's left half lies on the head's open half."""
        return LineStep(0.0, n, True, _on_the_open_half(end, self._as_seen(n, end.id)), end.id)

    def _touch(self, end: PlacedTile, at_right: bool, n: int, below: int | None) -> tuple[float, int] | None:
        """The price of tile n at the open half of `end`, and which of its halves touches it."""
        open_half = 1 - end.inner_half if at_right else end.inner_half
        pair = TileShapes.of([end.seen, self._as_seen(n, below)], *self.setup.tile_mm[:2])
        for joint in find_joints(pair, (0, 1)):
            own, other = pair.ports[0][joint.a_port], pair.ports[1][joint.b_port]
            if own.half == open_half and other.half is not None:
                return joint.price, other.half
        return None

    def _as_seen(self, n: int, below: int | None) -> SeenTile:
        """The tile as read now; where it covers another, without what was known of that one."""
        return self.view.tiles[n] if below is not None else self.known[n].seen

    def _put_away(self, loose: Sequence[int]) -> set[int]:
        """Unread tiles beside the line, where the player has laid no tile open: scratched backs.

        Tiles of these games lie in the line, face down at a player's side, or in a hand laid open at the round's end.
        Tiles put away face up open no hand.
        """
        shown = set() if self.before is None else {t.id for one in self.before.shown_discards.values() for t in one}
        read = [n for n in loose if self.known[n].seen.values is not None]
        opened = {self._sector(n) for n in read if self.ids[n] not in shown}
        # Once the round is over, a back that has become a face was turned over.
        over = self.setup.over
        there = {tile.id for tile in (self.before or Layout()).face_down if tile.face_up or not over}
        return {
            n
            for n in loose
            if _nothing_read(self.known[n].seen) and (self.ids[n] in there or not (over or self._sector(n) in opened))
        }

    def _astray(self, loose: Sequence[int], growing: Growing) -> set[int]:
        """Single tiles that lie open before a player since before the deal began, or since before anybody watched:
        nobody has put them away, and they are of no hand that is laid open later. Several at one seat are a hand."""
        if self.before is not None and self.before.line:
            known = {tile.id for tile in self.before.loose}
            return {n for n in loose if self.ids[n] in known}
        lay = None if self.before is None else {tile.id for tiles in self.before.hands.values() for tile in tiles}
        if self.setup.over or not growing.line:
            return set()
        seats: dict[str, set[int]] = {}
        for n in loose:
            owner = self.seat(n)
            if owner is not None and (lay is None or self.ids[n] in lay):
                seats.setdefault(owner, set()).add(n)
        return {n for tiles in seats.values() if len(tiles) == 1 for n in tiles}

    def _put_away_face_up(
        self, loose: Sequence[int], growing: Growing, down: Mapping[str | None, int]
    ) -> dict[str, set[int]]:
        """Player -> the tiles that lie open before them while the deal goes on, well apart from the line: put away face
        up. Of a player who lays down several at once they are the hand, and where fewer lie face `down` than before one
        of those was turned over: it stays of the hand, and so is what comes beside it. One that is not read is asked
        about until it is."""
        if self.setup.over or not growing.line:
            return {}
        known = {} if self.before is None else self.before.shown_discards
        lay_open = {} if self.before is None else self.before.hands
        alone = {tiles[0].id for tiles in lay_open.values() if len(tiles) == 1}
        opened = {tile.id for tiles in lay_open.values() for tile in tiles if tile.laid is not None}
        backs = () if self.before is None else (tile.seen.center_mm for tile in self.before.face_down)
        were_down = Counter(sector_of(place, self.view, self.setup) for place in backs)
        before = {tile.id: player for player, tiles in known.items() for tile in tiles}
        found: dict[str, set[int]] = {}
        fresh: dict[str, set[int]] = {}
        for n in loose:
            seen = self.known[n].seen
            owner = self.seat(n)
            if self.ids[n] in before:
                found.setdefault(before[self.ids[n]], set()).add(n)
            elif owner is not None and self._apart(seen, growing):
                fresh.setdefault(owner, set()).add(n)
        for owner, tiles in fresh.items():
            if any(self.ids[n] in opened for n in tiles) or down.get(owner, 0) < were_down[owner]:
                continue
            if len([n for n in tiles if self.ids[n] not in alone]) > 1:
                continue
            for n in tiles:
                if self.known[n].seen.values is None:
                    self.report(Trouble.LOOSE_TILE, self.placed(n))
                else:
                    found.setdefault(owner, set()).add(n)
        return found

    def _apart(self, seen: SeenTile, growing: Growing) -> bool:
        far = APART * self.setup.tile_mm[0]
        return all(distance(seen.center_mm, tile.seen.center_mm) > far for tile in growing.line)

    def _sector(self, n: int) -> str | None:
        return sector_of(self.known[n].seen.center_mm, self.view, self.setup)

    def _beside(
        self, loose: Sequence[int], astray: AbstractSet[int]
    ) -> tuple[dict[str, tuple[PlacedTile, ...]], tuple[PlacedTile, ...]]:
        """Face-up tiles outside the line: hands laid open at the table's edge, and loose ones, those `astray` too."""
        hands: dict[str, tuple[PlacedTile, ...]] = {}
        free: list[PlacedTile] = []
        for n in loose:
            tile = self.placed(n)
            owner = self.seat(n)
            if owner is not None and n not in astray:
                hands[owner] = (*hands.get(owner, ()), tile)
            else:
                free.append(tile)
                self.report(Trouble.LOOSE_TILE, tile)
        return hands, tuple(free)

    def _chains(self, shapes: TileShapes, members: Sequence[int]) -> list[TileChain]:
        builder = ChainBuilder(shapes)
        for joint in find_joints(shapes, members):
            builder.take_joint(joint)
        return sorted(builder.chains(members), key=lambda chain: -len(chain.links))

    def _place(self, link: Link, shapes: TileShapes) -> PlacedTile:
        ports = shapes.ports[link.tile]
        inward = ports[link.inward].half if link.inward is not None else None
        outward = ports[link.outward].half if link.outward is not None else None
        half = inward if inward is not None else (1 - outward if outward is not None else 0)
        return PlacedTile(self.ids[link.tile], self.known[link.tile].seen, half)


def _on_the_open_half(end: PlacedTile, seen: SeenTile) -> int:
    """Which half of a tile lying on the line's last one lies on that one's open half."""
    open_place = end.seen.end_mm(1 - end.inner_half)
    return 0 if distance(seen.end_mm(0), open_place) <= distance(seen.end_mm(1), open_place) else 1


def _matches(end: PlacedTile, seen: SeenTile) -> bool:
    """Whether a tile lying on the line's last one continues it."""
    half = _on_the_open_half(end, seen)
    return end.laid is not None and seen.values is not None and seen.values[half] == end.laid.outer


def _nothing_read(tile: SeenTile) -> bool:
    return tile.halves is not None and all(half.value is None for half in tile.halves)


def _taken_back(growing: Growing, present: AbstractSet[int]) -> set[int]:
    """Tiles at the ends of the line that are seen no more and are not covered."""
    covered = set(growing.walls.values())
    gone: set[int] = set()
    for order in (list(reversed(growing.line)), growing.line):
        for tile in order:
            if tile.id in present or tile.id in covered - {growing.walls.get(top) for top in gone}:
                break
            gone.add(tile.id)
    return gone
