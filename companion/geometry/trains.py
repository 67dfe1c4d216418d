"""Markers to trains: a marker belongs to the train it lies on or beside, at its start or at its end.

Trains around an engine: owners, markers, flipped doubles, the boneyard and hands laid open.

A table that follows no plan the program knows: every tile for itself, with its identity.

The one way in: a view of a still table becomes a layout.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.geometry.chinese_line import LineFinder
from companion.geometry.hub import (
    MIDDLE,
    OFF_STATION_DEG,
    believed_hub,
    beside_the_engine,
    find_middle,
    find_roots,
    lies_on,
    outside,
    owners,
    station_angles,
    station_tolerance,
    without_prints,
)
from companion.geometry.identity import UNREAD, Finder, Known, identify, turned_up
from companion.geometry.joints import (
    FAR_LIMITS,
    TIE_MM,
    ChainBuilder,
    Joint,
    JointLimits,
    Link,
    PortKind,
    Root,
    TileChain,
    TileShapes,
    distance,
    find_joints,
    forks,
)
from companion.geometry.layout import (
    MEXICAN,
    SECOND_MEXICAN,
    Family,
    Layout,
    Middle,
    PlacedTile,
    Point,
    Problem,
    SeenHub,
    SeenMarker,
    TableSetup,
    TableView,
    Trouble,
    seat_of,
    turn,
)

REACH = 2.2
"""Tile widths from a train within which a marker belongs to it; farther out it lies in somebody's supply."""

CLEAR_LEAD = 0.35
"""Tile widths by which the nearest train must be nearer than the next one."""

SLOT_DEPTH = 1.0
"""Tile widths outside the rim where the empty place of a train is."""


def place_markers(
    markers: Sequence[SeenMarker],
    trains: Mapping[str, tuple[PlacedTile, ...]],
    middle: Middle | None,
    setup: TableSetup,
    before: Layout | None,
) -> tuple[frozenset[str], list[Problem]]:
    """The players whose trains carry a marker. Doubtful markers are reported and keep the place they had before."""
    found: set[str] = set()
    problems: list[Problem] = []
    had = before.markers if before is not None else frozenset()
    width = setup.tile_mm[1]
    for marker in markers:
        near = sorted(_distances(marker.center_mm, trains, middle, setup).items(), key=lambda item: item[1])
        if not near or near[0][1] > REACH * width:
            problems.append(Problem(Trouble.LONE_MARKER, marker.center_mm))
            continue
        close = [name for name, away in near if away <= near[0][1] + CLEAR_LEAD * width]
        if len(close) > 1:
            kept = [name for name in close if name in (had if marker.owner is None else {marker.owner})]
            likely = kept or [name for name in close if _at_an_end(marker.center_mm, trains[name], setup)]
            if len(likely) != 1:
                problems.append(Problem(Trouble.EITHER_MARKER, marker.center_mm))
                found.update(kept)
                continue
            close = likely
        # The Mexican train's own marker is a hint, never a player's.
        if close[0] not in (MEXICAN, SECOND_MEXICAN):
            found.add(close[0])
    return frozenset(found), problems


def owners_of(marker: SeenMarker, layout: Layout, setup: TableSetup, before: Layout | None) -> frozenset[str]:
    """The players whose trains would carry this marker, if it was one more of those on this table."""
    return place_markers([marker], layout.trains, layout.middle, setup, before)[0]


def _at_an_end(place: Point, train: Sequence[PlacedTile], setup: TableSetup) -> bool:
    """Whether of all tiles of a train the first or the last is the nearest to a place: there people put markers."""
    length, width = setup.tile_mm[:2]
    spots = [max(0.0, outside(tile.seen, place, (length, width))) for tile in train]
    return not spots or min(spots) in (spots[0], spots[-1])


def _distances(
    place: Point, trains: Mapping[str, tuple[PlacedTile, ...]], middle: Middle | None, setup: TableSetup
) -> dict[str, float]:
    length, width = setup.tile_mm[:2]
    away: dict[str, float] = {}
    for name, train in trains.items():
        spots = [max(0.0, outside(tile.seen, place, (length, width))) for tile in train]
        angle = setup.mexican_station if name == MEXICAN else setup.stations.get(name)
        if not train and middle is not None and angle is not None:
            reach = middle.rim_mm + SLOT_DEPTH * width
            slot = (
                middle.center_mm[0] + reach * math.cos(math.radians(angle)),
                middle.center_mm[1] + reach * math.sin(math.radians(angle)),
            )
            spots.append(max(0.0, distance(place, slot) - width))
        if spots:
            away[name] = min(spots)
    return away


FLIP_LIMITS = JointLimits(gap=0.2, overlap=0.2, lateral=0.2, angle_deg=15.0)
"""A face-down tile that was never seen face up counts as a flipped double only where it closes a train exactly."""

AMONG_BACKS = 1.5
"""Within this many tile lengths of a tile that lies face down, an unread one lies face down too."""

CLEAR_DEG, CLEAR_TILES = 75.0, 2.0
"""A train that begins so far beside a station, or so many tile lengths away from the hub, is not that player's own."""


@dataclass(slots=True)
class TrainFinder(Finder):
    """One reconstruction of trains under way."""

    plate: SeenHub | None = None
    """A thing beside the game that looks like a hub."""
    playing_on: tuple[Known, ...] = ()
    """Tiles at a seat that go on with a train although the round passes for over."""
    stray: frozenset[str] = frozenset()
    """As in `Layout`."""

    def layout(self) -> Layout:
        self.known = turned_up(self.known, *self.setup.tile_mm[:2])
        if not self._began_at_the_hub():
            hub = believed_hub(self.view, self.known, self.setup)
            self.plate = self.view.hub if hub is None else None
            self.view = replace(self.view, hub=hub)
        shapes = TileShapes.of([tile.seen for tile in self.known], *self.setup.tile_mm[:2])
        engine = None if self.before is None else self.before.engine
        earlier = (None, None) if engine is None else (engine.seen.center_mm, engine.id)
        middle = find_middle(self.view, self.known, self.setup, *earlier)
        self._doubt_the_engine(middle)
        self.playing_on = tuple(self._that_play_on(shapes))
        members = [
            n
            for n, tile in enumerate(self.known)
            if n != (middle and middle.engine) and self._may_join(tile) and not self._in_the_middle(tile, middle)
        ]
        if middle is None:
            self.problems.append(Problem(Trouble.NO_HUB))
        builder, refused = self._build(shapes, members, middle)
        chains = builder.chains(members)
        chains = without_prints(self._close_with_backs(shapes, builder, chains, members), middle, shapes, self.known)
        chains = [part for chain in chains for part in self._without_hand(chain, shapes)]
        self._forget_cut_joints(chains)
        trains, loose = self._name([c for c in chains if c.root], [c for c in chains if not c.root], middle, shapes)
        self._doubtful_joints(builder, refused, loose)
        return self._finish(middle, trains, loose)

    def _began_at_the_hub(self) -> bool:
        before = self.before
        return (
            before is not None and before.middle is not None and before.middle.has_hub and any(before.trains.values())
        )

    def _doubt_the_engine(self, middle: Middle | None) -> None:
        """Leave a tile unread that lies in the middle of the trains and shows something else than the round's
        double."""
        due = self.setup.engine
        if middle is None or middle.engine is None or middle.has_hub or due is None or self.before is not None:
            return
        tile = self.known[middle.engine]
        if tile.seen.values not in (None, (due, due)):
            seen = replace(tile.seen, halves=UNREAD)
            self.known = [replace(one, seen=seen) if n == middle.engine else one for n, one in enumerate(self.known)]

    def _may_join(self, tile: Known) -> bool:
        """Face-up tiles, and backs of tiles that lay in a train when they were last seen; no open hands."""
        return self._lay_in_a_train(tile) or (tile.seen.face_up and not self._laid_open(tile))

    def _lay_in_a_train(self, tile: Known) -> bool:
        return self.before is not None and tile.old is not None and self.before.train_of(tile.old.id) is not None

    def _in_the_middle(self, tile: Known, middle: Middle | None) -> bool:
        """Does it lie wholly on the hub (one of its slots, say) or side by side with the engine?

        No train begins there.
        """
        hub = self.view.hub
        if middle is None or self._lay_in_a_train(tile):
            return False
        if hub is not None and lies_on(hub, tile):
            return True
        return middle.engine is not None and beside_the_engine(tile.seen, self.known[middle.engine].seen, self.setup)

    def _is_a_recess(self, tile: Known) -> bool:
        """Does it lie in the middle of a plate, which has a place for an engine there, or on the hub, which has slots?
        Both look like backs."""
        hub = self.view.hub
        if hub is not None and distance(tile.seen.center_mm, hub.center_mm) < hub.radius_mm:
            return True
        if self.plate is None:
            return False
        return distance(tile.seen.center_mm, self.plate.center_mm) < MIDDLE * self.setup.tile_mm[0]

    def _laid_open(self, tile: Known) -> bool:
        """Is this part of a hand? Hands are laid along the table's edge when the round is over."""
        if not self.setup.over or any(tile is one for one in self.playing_on):
            return False
        return seat_of(tile.seen.center_mm, self.view, self.setup) is not None

    def _that_play_on(self, shapes: TileShapes) -> Iterator[Known]:
        """The one tile that came to a seat and continues a train exactly, and in value: a play, so the round had not
        ended.

        An end that was only counted may be wrong. Several new tiles at a seat, or beside a hand, do not count.
        """
        before = self.before
        if not self.setup.over or before is None:
            return
        came: dict[str, list[int]] = {}
        for n, tile in enumerate(self.known):
            seat = self.seat(n)
            if seat is not None and tile.old is None and tile.seen.face_up:
                came.setdefault(seat, []).append(n)
        ends = {train[-1].id: train[-1] for train in before.trains.values() if train}
        lasts = [n for n, tile_id in enumerate(self.ids) if tile_id in ends]
        for seat, tiles in came.items():
            if len(tiles) > 1 or before.hands.get(seat):
                continue
            for joint in find_joints(shapes, [*lasts, *tiles], one_of=tiles):
                last = joint.a if joint.b == tiles[0] else joint.b
                end, values = ends[self.ids[last]].laid, self.known[tiles[0]].seen.values
                if joint.matches and end is not None and values is not None and end.outer in values:
                    yield self.known[tiles[0]]
                    break

    def _build(
        self, shapes: TileShapes, members: Sequence[int], middle: Middle | None
    ) -> tuple[ChainBuilder, list[Joint]]:
        builder = ChainBuilder(shapes)
        joints = find_joints(shapes, members, self._kept_pairs())
        roots = find_roots(shapes, members, middle, self.setup, self._kept_roots()) if middle is not None else []
        refused: list[Joint] = []
        kept_first = self._kept_roots()
        for tile in kept_first - {root.tile for root in roots}:
            builder.hold(tile)
        steps: list[Joint | Root] = [*joints, *roots]
        for step in sorted(steps, key=lambda step: step.order):
            if isinstance(step, Root):
                builder.take_root(step)
            elif not builder.take_joint(step) and builder.group(step.a) != builder.group(step.b):
                refused.append(step)
        self._far_joints(shapes, builder, members)
        return builder, refused

    def _far_joints(self, shapes: TileShapes, builder: ChainBuilder, members: Sequence[int]) -> None:
        """Tiles that touch nothing but point at exactly one train: joined, and reported."""
        outside = {n for n in members if not builder.rooted(n)}
        if not outside:
            return
        far = [
            joint
            for joint in find_joints(shapes, members, limits=FAR_LIMITS, one_of=outside)
            if builder.rooted(joint.a) != builder.rooted(joint.b)
        ]
        for joint in far:
            outer = joint.b if builder.rooted(joint.a) else joint.a
            if builder.rooted(outer):
                continue
            rivals = [
                other
                for other in far
                if outer in (other.a, other.b) and other is not joint and other.price < joint.price + 3 * TIE_MM
            ]
            inner = joint.a if outer == joint.b else joint.b
            if any(inner not in (other.a, other.b) for other in rivals) or not builder.take_joint(joint):
                continue
            self.report(Trouble.LOOSE_JOINT, self.placed(outer), self.placed(inner))

    def _forget_cut_joints(self, chains: Sequence[TileChain]) -> None:
        """Tiles that are joined no more, since they are of a hand, are no loose joint either."""
        parts = [{self.ids[link.tile] for link in chain.links} for chain in chains]
        self.problems = [
            one
            for one in self.problems
            if one.trouble is not Trouble.LOOSE_JOINT or any(part.issuperset(one.tiles) for part in parts)
        ]

    def _close_with_backs(
        self, shapes: TileShapes, builder: ChainBuilder, chains: Sequence[TileChain], members: Sequence[int]
    ) -> list[TileChain]:
        """Backs nobody saw before, lying exactly across the end of a train: flipped doubles."""
        backs = [n for n, tile in enumerate(self.known) if not tile.seen.face_up and tile.old is None]
        if self.before is not None or not backs:
            return list(chains)
        ends = {chain.links[-1].tile for chain in chains if chain.root is not None}
        for joint in find_joints(shapes, [*ends, *backs], limits=FLIP_LIMITS):
            back, end = (joint.a, joint.b) if joint.a in backs else (joint.b, joint.a)
            port = shapes.ports[back][joint.a_port if back == joint.a else joint.b_port]
            if end in ends and back in backs and port.kind is PortKind.MIDDLE:
                builder.take_joint(joint)
        return builder.chains([*members, *(back for back in backs if builder.rooted(back))])

    def _without_hand(self, chain: TileChain, shapes: TileShapes) -> Iterator[TileChain]:
        """The train and the hand laid open against its end: in a hand alone single tiles lie long side to long side."""
        for n, (link, after) in enumerate(itertools.pairwise(chain.links)):
            tiles = [self.known[one.tile] for one in (link, after)]
            seats = {self.seat(one.tile) for one in (link, after)}
            if None in seats or len(seats) > 1 or any(map(self._lay_in_a_train, tiles)) or chain.root is None or not n:
                continue
            meet = [_kind(shapes, one, port) for one, port in ((link, link.outward), (after, after.inward))]
            in_line = _kind(shapes, link, link.inward) is PortKind.MIDDLE and any(tile.seen.double for tile in tiles)
            if set(meet) == {PortKind.MIDDLE} and not in_line:
                head, rest = [*chain.links[:n]], [*chain.links[n:]]
                yield replace(chain, links=(*head[:-1], replace(head[-1], outward=None)))
                yield TileChain((replace(rest[0], inward=None), *rest[1:]))
                return
        yield chain

    def _name(
        self, rooted: Sequence[TileChain], unrooted: Sequence[TileChain], middle: Middle | None, shapes: TileShapes
    ) -> tuple[dict[str, tuple[PlacedTile, ...]], list[TileChain]]:
        """Owners by history first, then by the stations beside which they leave; what nobody owns is the Mexican
        train."""
        angles = station_angles(self.setup)
        trains: dict[str, tuple[PlacedTile, ...]] = dict.fromkeys((*self.setup.players, MEXICAN), ())
        nameless: list[TileChain] = []
        fresh: list[TileChain] = []
        for chain in rooted:
            earlier = self._earlier_name(chain)
            if earlier is None:
                fresh.append(chain)
            elif trains.get(earlier):
                self.report(Trouble.CROWDED_STATION, self.placed(chain.links[0].tile))
                nameless.append(chain)
            else:
                trains[earlier] = self._placed(chain, shapes)
        leave = [chain.root.angle_deg for chain in fresh if chain.root is not None]
        free = {name: angle for name, angle in angles.items() if not trains.get(name)}
        tolerance = station_tolerance(angles)
        for chain, angle, name in zip(fresh, leave, owners(leave, free, tolerance), strict=True):
            if name is not None:
                trains[name] = self._placed(chain, shapes)
                off = abs(turn(angle, angles[name])) > OFF_STATION_DEG
                self.stray |= {name} if off and self.before is not None and name != MEXICAN else set()
                continue
            if any(abs(turn(angle, station)) <= tolerance for station in angles.values()):
                self.report(Trouble.CROWDED_STATION, self.placed(chain.links[0].tile))
            nameless.append(chain)
        loose: list[TileChain] = []
        for chain in unrooted:
            owner = self._pushed_away(chain)
            if owner is not None and not trains[owner]:
                trains[owner] = self._placed(self._facing(chain, middle, shapes, owner), shapes)
                continue
            turned = self._mexican_apart(chain, middle, shapes)
            if turned is None:
                loose.append(chain)
            else:
                nameless.append(turned)
        for chain in nameless:
            name = MEXICAN if not trains[MEXICAN] else SECOND_MEXICAN
            if not angles and self.setup.players:
                self.report(Trouble.NO_STATIONS, self.placed(chain.links[0].tile))
            if trains.get(name):
                # Two trains are nobody's; a third stays loose.
                loose.append(chain)
            else:
                trains[name] = self._placed(chain, shapes)
        return trains, loose

    def _mexican_apart(self, chain: TileChain, middle: Middle | None, shapes: TileShapes) -> TileChain | None:
        """A Mexican train may lie apart from the hub where it has no station: then its engine end is its inner end."""
        if self._earlier_name(chain) == MEXICAN:
            return self._facing(chain, middle, shapes)
        in_a_hand = all(self.seat(link.tile) is not None for link in chain.links)
        if self.setup.mexican_station is not None or middle is None or in_a_hand:
            return None
        return self._facing(chain, middle, shapes)

    def _pushed_away(self, chain: TileChain) -> str | None:
        """The owner of this train, where the tile it began with lies by its old place but no longer begins at the
        hub."""
        owner = self._earlier_name(chain)
        if self.before is None or owner not in self.setup.players:
            return None
        first, far = self.before.trains[owner][0], 2 * self.setup.tile_mm[1]
        places = [self.known[link.tile].seen.center_mm for link in chain.links if self.ids[link.tile] == first.id]
        return owner if any(distance(place, first.seen.center_mm) <= far for place in places) else None

    def _facing(self, chain: TileChain, middle: Middle | None, shapes: TileShapes, name: str = MEXICAN) -> TileChain:
        """Inner end first: the end known as first, else the one showing the engine, else the one nearer the middle."""
        if self.before is not None:
            order = {tile.id: n for n, tile in enumerate(self.before.trains.get(name, ()))}
            places = [order[self.ids[link.tile]] for link in chain.links if self.ids[link.tile] in order]
            if len(places) > 1:
                return chain if places[0] < places[-1] else _reversed(chain)
            if places:
                return chain if self.ids[chain.links[0].tile] in order else _reversed(chain)
        first, last = self._open_value(chain, shapes), self._open_value(_reversed(chain), shapes)
        due = self.setup.engine
        if (first == due) != (last == due):
            return chain if first == due else _reversed(chain)
        if middle is None or len(chain.links) == 1:
            return chain
        place = [shapes.tiles[link.tile].center_mm for link in (chain.links[0], chain.links[-1])]
        nearer = distance(place[0], middle.center_mm) <= distance(place[1], middle.center_mm)
        return chain if nearer else _reversed(chain)

    def _open_value(self, chain: TileChain, shapes: TileShapes) -> int | None:
        """The value that the chain's first tile turns to the world."""
        link = chain.links[0]
        halves = shapes.tiles[link.tile].halves
        if halves is None:
            return None
        if link.outward is None:
            values = [half.value for half in halves]
            return self.setup.engine if self.setup.engine in values else values[0]
        half = shapes.ports[link.tile][link.outward].half
        return halves[0].value if half is None else halves[1 - half].value

    def _placed(self, chain: TileChain, shapes: TileShapes) -> tuple[PlacedTile, ...]:
        placed: list[PlacedTile] = []
        due = self.setup.engine
        for link in chain.links:
            tile = self._place(link, shapes, due)
            laid = tile.laid
            due = laid.outer if laid is not None else None
            placed.append(tile)
        return tuple(placed)

    def _place(self, link: Link, shapes: TileShapes, due: int | None) -> PlacedTile:
        tile, ports = self.known[link.tile], shapes.ports[link.tile]
        inward = ports[link.inward] if link.inward is not None else None
        outward = ports[link.outward] if link.outward is not None else None
        crosswise = PortKind.MIDDLE in {port.kind for port in (inward, outward) if port is not None}
        if inward is not None and inward.half is not None:
            half = inward.half
        elif outward is not None and outward.half is not None:
            half = 1 - outward.half
        elif self._was_inner(tile) is not None:
            half = self._was_inner(tile) or 0
        else:
            # Joined at the middle of its long side, or nowhere: geometry is silent, so the value due decides.
            halves = tile.seen.halves
            half = 1 if halves is not None and halves[0].value != due and halves[1].value == due else 0
        return PlacedTile(self.ids[link.tile], tile.seen, half, crosswise)

    def _was_inner(self, tile: Known) -> int | None:
        if tile.old is None or self.before is None or self.before.train_of(tile.old.id) is None:
            return None
        return tile.old.inner_half

    def _doubtful_joints(self, builder: ChainBuilder, refused: Sequence[Joint], loose: Sequence[TileChain]) -> None:
        """Forks, and new tiles that lie equally well at two trains."""
        loose_tiles = {link.tile: n for n, chain in enumerate(loose) for link in chain.links}
        for tile, touched in forks(builder, loose_tiles):
            self.report(Trouble.FORKED_TRAIN, self.placed(tile), self.placed(touched))
        for joint in refused:
            for tile, other in ((joint.a, joint.b), (joint.b, joint.a)):
                taken = builder.prices.get(tile)
                fresh = self.known[tile].old is None
                if fresh and taken is not None and taken[:2] == joint.order[:2] and builder.rooted(other):
                    self.report(Trouble.EITHER_TRAIN, self.placed(tile), self.placed(other))

    def _finish(
        self,
        middle: Middle | None,
        trains: Mapping[str, tuple[PlacedTile, ...]],
        loose: Sequence[TileChain],
    ) -> Layout:
        hands: dict[str, list[PlacedTile]] = {}
        free: list[PlacedTile] = []
        forked = {
            tile for problem in self.problems if problem.trouble is Trouble.FORKED_TRAIN for tile in problem.tiles
        }
        for n, known in enumerate(self.known):
            if known.seen.face_up and not self._may_join(known):
                owner = self.seat(n)
                assert owner is not None
                hands.setdefault(owner, []).append(self.placed(n))
        lie = Counter(self.seat(link.tile) for chain in loose for link in chain.links)
        for chain in loose:
            tiles = [self.placed(link.tile) for link in chain.links]
            owners = [self.seat(link.tile) for link in chain.links]
            # Where another player has laid a hand open, one tile that touches a train is a hand as well.
            shown = {owner: any(n > 1 for seat, n in lie.items() if seat not in (None, owner)) for owner in owners}
            apart = [
                owner is None or (tile.id in forked and not shown[owner])
                for tile, owner in zip(tiles, owners, strict=True)
            ]
            if len(tiles) > 1 and None not in owners and len(set(owners)) == 1:
                apart = [False] * len(tiles)  # several tiles at one seat are a hand, whatever train they touch
            elif sum(apart) * 2 >= len(tiles):  # a train runs to the table's edge, a hand does not run to its middle
                apart = [True] * len(tiles)
            for tile, owner, alone in zip(tiles, owners, apart, strict=True):
                if alone or owner is None:
                    free.append(tile)
                else:
                    hands.setdefault(owner, []).append(tile)
            if any(one and tile.id not in forked for one, tile in zip(apart, tiles, strict=True)):
                self.report(Trouble.LOOSE_TILE, self.placed(chain.links[-1 if apart[-1] else apart.index(True)].tile))
        engine = None if middle is None or middle.engine is None else self.placed(middle.engine)
        in_trains = {tile.id for train in trains.values() for tile in train}
        backs = [
            self.placed(n)
            for n, tile in enumerate(self.known)
            if not tile.seen.face_up and self.ids[n] not in in_trains and not self._is_a_recess(tile)
        ]
        backs += self._scratched(hands, backs)
        markers, marker_problems = place_markers(self.view.markers, trains, middle, self.setup, self.before)
        recognised = [marker for marker in self.view.markers if marker.recognised]
        plain, _ = place_markers(recognised, trains, middle, self.setup, self.before)
        self.problems.extend(marker_problems)
        self._value_problems(trains, engine)
        return Layout(
            trains=dict(trains),
            engine=engine,
            markers=markers,
            supposed=markers - plain,
            two_mexican=_two_mexican(trains, middle, self.setup),
            stray=self.stray,
            flipped=frozenset(name for name, train in trains.items() if train and not train[-1].face_up),
            boneyard=len(backs) if self.setup.boneyard_spread else None,
            hands={name: tuple(tiles) for name, tiles in hands.items()},
            face_down=tuple(backs),
            loose=tuple(free),
            problems=tuple(self.problems),
            middle=middle,
        )

    def _scratched(self, hands: dict[str, list[PlacedTile]], backs: Sequence[PlacedTile]) -> list[PlacedTile]:
        """Take the scratched backs out of the hands: tiles among others lying face down that read as blank or not at
        all, where the player has laid no tile open."""
        there = set() if self.before is None else {tile.id for tile in self.before.face_down}
        reach = AMONG_BACKS * self.setup.tile_mm[0]
        found: list[PlacedTile] = []
        for player, tiles in list(hands.items()):
            opened = self.setup.over or any(tile.laid is not None for tile in tiles)
            scratched = [
                tile
                for tile in tiles
                if (tile.id in there or not opened)
                and tile.halves is not None
                and all(not half.value for half in tile.halves)
                and tile.laid is None
                and any(distance(tile.seen.center_mm, back.seen.center_mm) <= reach for back in backs)
            ]
            found += scratched
            hands[player] = [tile for tile in tiles if tile not in scratched]
            if not hands[player]:
                del hands[player]
        return found

    def _value_problems(self, trains: Mapping[str, tuple[PlacedTile, ...]], engine: PlacedTile | None) -> None:
        laid: Iterable[PlacedTile] = [tile for train in trains.values() for tile in train]
        changed = {
            self.ids[n] for n, tile in enumerate(self.known) if tile.changed and not (tile.old and tile.old.given)
        }
        for tile in [*laid, *([engine] if engine is not None else [])]:
            if tile.face_up and tile.laid is None:
                self.report(Trouble.UNREADABLE_TILE, tile)
            if tile.id in changed:
                self.report(Trouble.VALUE_CHANGED, tile)

    def _earlier_name(self, chain: TileChain) -> str | None:
        """The train that most of these tiles lay in on the last still table."""
        if self.before is None:
            return None
        olds = [self.known[link.tile].old for link in chain.links]
        names = Counter(name for old in olds if old is not None and (name := self.before.train_of(old.id)) is not None)
        return names.most_common(1)[0][0] if names else None

    def _kept_pairs(self) -> set[tuple[int, int]]:
        """Pairs of indices that were neighbours in a train on the last still table."""
        if self.before is None:
            return set()
        index = {tile_id: n for n, tile_id in enumerate(self.ids)}
        pairs = set()
        for train in self.before.trains.values():
            for inner, outer in itertools.pairwise(train):
                if inner.id in index and outer.id in index:
                    pairs.add((index[inner.id], index[outer.id]))
        return pairs

    def _kept_roots(self) -> set[int]:
        if self.before is None:
            return set()
        first = {train[0].id for train in self.before.trains.values() if train}
        return {n for n, tile_id in enumerate(self.ids) if tile_id in first}


def _two_mexican(trains: Mapping[str, Sequence[PlacedTile]], middle: Middle | None, setup: TableSetup) -> bool:
    """Whether two trains that are nobody's begin clear of the stations of all players who have none."""
    nobodys = [trains.get(name) for name in (MEXICAN, SECOND_MEXICAN)]
    waiting = [setup.stations.get(name) for name in setup.players if not trains.get(name)]
    if middle is None or None in waiting:
        return False
    for train in nobodys:
        if not train:
            return False
        dx, dy = (a - b for a, b in zip(train[0].seen.center_mm, middle.center_mm, strict=True))
        near = math.hypot(dx, dy) - middle.rim_mm <= CLEAR_TILES * setup.tile_mm[0]
        angle = math.degrees(math.atan2(dy, dx))
        if near and any(abs(turn(angle, station or 0.0)) <= CLEAR_DEG for station in waiting):
            return False
    return True


def _kind(shapes: TileShapes, link: Link, port: int | None) -> PortKind | None:
    return None if port is None else shapes.ports[link.tile][port].kind


def _reversed(chain: TileChain) -> TileChain:
    return replace(chain, links=tuple(Link(link.tile, link.outward, link.inward) for link in reversed(chain.links)))


def lay_free(known: Sequence[Known], ids: Sequence[int]) -> Layout:
    """All face-up tiles are loose, all others lie face down; unread and changed ones are reported."""
    tiles = [PlacedTile(tile_id, tile.seen) for tile_id, tile in zip(ids, known, strict=True)]
    problems = [
        Problem(trouble, tile.seen.center_mm, (placed.id,))
        for placed, tile in zip(tiles, known, strict=True)
        for trouble, here in (
            (Trouble.UNREADABLE_TILE, placed.face_up and placed.laid is None),
            (Trouble.VALUE_CHANGED, tile.changed),
        )
        if here
    ]
    return Layout(
        loose=tuple(tile for tile in tiles if tile.face_up),
        face_down=tuple(tile for tile in tiles if not tile.face_up),
        problems=tuple(problems),
    )


def reconstruct(view: TableView, setup: TableSetup, before: Layout | None = None) -> Layout:
    """Reconstruct the layout from geometry alone; `before` is the last still table of the same round.

    Never raises, whatever lies on the table: a thing that cannot be understood is a Problem in the layout.
    """
    known = identify(view.tiles, list(before) if before is not None else [], setup.tile_mm[1])
    ids, next_id = _number(known, before.next_id if before is not None else 1)
    if setup.family is Family.MEXICAN:
        layout = TrainFinder(view, known, setup, before, ids).layout()
    elif setup.family is Family.CHINESE:
        finder = LineFinder(view, known, setup, before, ids)
        layout = finder.layout()
        if finder.either and before is not None:
            later = replace(before, next_id=max(next_id, layout.next_id))
            layout = replace(layout, otherwise=LineFinder(view, known, setup, later, ids, uncovers=True).layout())
    else:
        layout = lay_free(known, ids)
    layout = replace(layout, next_id=max(next_id, layout.next_id))
    if before is None or before.otherwise is None:
        return layout
    other = reconstruct(view, setup, before.otherwise)
    doubted = layout.has(Trouble.VALUE_CHANGED)
    if doubted != other.has(Trouble.VALUE_CHANGED):
        return other if doubted else layout
    # Where the next tile goes on with both, the plain one stays.
    return replace(layout, otherwise=other if len(layout.line) == len(before.line) else None)


def _number(known: Sequence[Known], first: int) -> tuple[list[int], int]:
    """Identities: old tiles keep theirs, new ones count on."""
    ids: list[int] = []
    for tile in known:
        if tile.old is not None:
            ids.append(tile.old.id)
        else:
            ids.append(first)
            first += 1
    return ids, first
