"""Small pictures of the moments in which an arm was over the table, for a dispute about who laid what.

They are kept in memory until the table is read, and only the one over a change that is recorded is stored with it.

The changes of a still table, each with the vote of the arm over its place on who did it.

Arms say nothing where the seats contradict each other, where the players want it so, or where none was seen clearly. An
arm is evidence beside the turn order and never more: the belief decides whom it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.geometry import Layout, TableSetup, owners_of
from companion.geometry.diff import Observation
from companion.geometry.joints import distance
from companion.geometry.layout import Family, PlacedTile, Point, SeenMarker
from companion.perception.arm_votes import (
    Reaches,
    Sleeves,
    Vote,
    contradiction,
    counted_once,
    seats_of,
    shares,
    together,
    trouble_of,
    vote,
)
from companion.perception.settings import ObservationSink
from companion.perception.setup_file import GameSetup
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import LEFT, RIGHT, Mark, Play, Unmark
from companion.rules.tile import Tile
from vision.calibration import Calibration
from vision.frame import Frame, Image

MOST, WIDTH_PX = 12, 400
"""4 MB; where more moments come, every second one goes."""


@dataclass(slots=True)
class ArmPictures:
    """`see` gets every frame with an arm in it, in order; `nearest` gives the picture of one or of the next to it.

    >>> import numpy as np
    >>> pictures = ArmPictures()
    >>> for n in (1, 2):
    ...     pictures.see(Frame(np.full((60, 80, 3), n, np.uint8), 0.2 * n, f"frame-{n}"))
    >>> int(pictures.nearest("frame-2").max()), pictures.nearest("frame-3")
    (2, None)
    """

    _order: dict[str, int] = field(init=False, default_factory=dict)
    _kept: list[tuple[int, Image]] = field(init=False, default_factory=list)

    def see(self, frame: Frame) -> None:
        place = len(self._order)
        self._order[frame.name] = place
        w, h = frame.size_wh
        small = frame.reduced((min(w, WIDTH_PX), max(1, round(h * min(w, WIDTH_PX) / w))))
        self._kept.append((place, small.copy() if small is frame.image else small))
        if len(self._kept) > MOST:
            self._kept = self._kept[::2]

    def nearest(self, frame: str) -> Image | None:
        """None where no arm was seen in a frame of this name."""
        place = self._order.get(frame)
        if place is None or not self._kept:
            return None
        return min(self._kept, key=lambda one: abs(one[0] - place))[1]

    def forget(self) -> None:
        self._order.clear()
        self._kept.clear()


SAME_TILE_MM = 14.0
"""A face-down tile that lies this near to where one lay is that one."""


ALONE_MM = 120.0
"""A thing that lies so far from every tile and marker lies by itself: markers lie at the end of a train."""


@dataclass(frozen=True, slots=True)
class _TileVote:
    """The vote of arms on a tile that is not on record."""

    place: Point
    tile: Tile | None
    """None where it is not read."""
    vote: Vote
    final: bool = False
    """The table was read since."""


SHOWN_FROM = 0.8
"""A name is written at a hand in the live picture from this share on: one look at one arm, and no evidence."""


@dataclass(slots=True)
class Attribution:
    """Which player made each change, by the arms that were seen.

    >>> Attribution(("Ann", "Ben"), {"Ann": 0.0, "Ben": 180.0}).silent
    False
    >>> Attribution(("Ann", "Ben"), {"Ann": 0.0, "Ben": 5.0}).trouble
    'seats: Ann and Ben sit in one place (0 and 5 degrees), so arms name nobody'
    """

    players: tuple[str, ...]
    seats: Mapping[str, float]
    """Player -> degrees."""
    off: bool = False
    """The players do not want the camera to look at their arms."""
    draws_reached: bool = False
    """A reach into a stacked boneyard is a draw; only the belief of companion/tracking can weigh that."""
    trouble: str | None = field(init=False)
    """Why no arm names anybody, in one line; None where arms do."""
    votes: dict[Change, Vote] = field(init=False, default_factory=dict)
    """The votes on the last change, for people."""
    _reaches: Reaches = field(init=False, default_factory=Reaches)
    _sleeves: Sleeves = field(init=False, default_factory=Sleeves)
    _size_mm: tuple[float, float] = field(init=False, default=(0.0, 0.0))
    _marked: dict[str, Point] = field(init=False, default_factory=dict)
    _reported_at: dict[Change, tuple[Point, ...]] = field(init=False, default_factory=dict)
    _settled: bool = field(init=False, default=False)
    _tile_votes: list[_TileVote] = field(init=False, default_factory=list)
    _stacks: list[Point] = field(init=False, default_factory=list)
    """Where tiles of a wall lie on each other."""
    _things: tuple[Point, ...] = field(init=False, default=())
    _drawn: list[Vote] = field(init=False, default_factory=list)
    """Draws from a pile that are not on record yet: the change that they were seen with may have to wait."""
    _piled: list[Point] = field(init=False, default_factory=list)
    """Where the pile was found last: it stays there, and now and then the eye overlooks it."""
    _pictures: ArmPictures = field(init=False, default_factory=ArmPictures)

    def __post_init__(self) -> None:
        self.trouble = trouble_of(self.seats, self.players)

    @property
    def silent(self) -> bool:
        return self.off or self.trouble is not None

    def switch(self, on: bool) -> None:
        """Look at arms from now on, or at none; what was seen is forgotten."""
        self.off = not on
        self.forget()

    def see(self, frame: Frame, calibration: Calibration) -> None:
        """The next frame, whatever it shows."""
        if not self.silent:
            self._size_mm = calibration.size_mm
            if self._reaches.see(frame, calibration).arms:
                self._pictures.see(frame)

    def settled(self, frame: Frame, markers: Sequence[SeenMarker], layout: Layout, setup: TableSetup) -> None:
        """The table was read as it lies in this frame."""
        if not self.silent:
            self._reaches.still(frame)
            self._pictures.forget()
            self._settled = True
            self._tile_votes = [replace(one, final=True) for one in self._tile_votes]
            self._marked = _by_owner(markers, layout, setup)

    def noticed(self, things: Sequence[Point]) -> None:
        """Where a look at the whole table found something that is no tile, surely or not."""
        self._things = tuple(things)

    def taken(self) -> None:
        """Note that the change seen last is on record."""
        self._drawn = []

    def compare(self, sink: ObservationSink, frame: str) -> None:
        """Do those who were named sit where it was said? If not, it is asked once, and arms say nothing until then."""
        if self.silent or (pair := contradiction(sink.named())) is None:
            return
        player, seat = pair
        self.trouble = f"seats: {player}'s arm comes from where {seat} should sit, so arms name nobody"
        sink.ask_about_seats(player, seat, frame)

    def forget(self) -> None:
        """The camera was moved, or another round comes."""
        self._reaches = Reaches()
        self._sleeves = Sleeves()
        self._pictures.forget()
        self._marked = {}
        self._tile_votes = []
        self._things = ()
        self._piled = []
        self._drawn = []

    def over_now(self) -> list[tuple[Point, str]]:
        """The hands over the table in the last frame, each with the player at whose seat its arm clearly comes in, else
        "". For people to look at: nothing is concluded from it."""
        if self.silent:
            return []
        named = []
        for arm in self._reaches.now():
            likely = {} if arm.entry_mm is None else shares((arm,), self.seats, self._size_mm)
            best = max(likely, key=likely.__getitem__, default="")
            named.append((arm.tip_mm, best if likely.get(best, 0.0) >= SHOWN_FROM else ""))
        return named

    def pictures(self) -> dict[str, Image]:
        """Player -> a small picture with the arm that was clearly this player's over what has changed last."""
        found: dict[str, Image] = {}
        for tile_vote in self.votes.values():
            picture = None if tile_vote.clear is None else self._pictures.nearest(tile_vote.frame)
            if tile_vote.clear is not None and picture is not None:
                found.setdefault(tile_vote.clear, picture)
        return found

    def forget_pictures(self) -> None:
        """Delete all pictures. The votes of arms stay: they are numbers."""
        self._pictures.forget()

    def seen(
        self,
        observation: Observation,
        before: Layout,
        after: Layout,
        markers: Sequence[SeenMarker],
        setup: TableSetup,
    ) -> Observation:
        """The observation with what arms say of it: player -> decibans for each change; and draws only they show."""
        earlier, reported_at, settled = self.votes, self._reported_at, self._settled
        if observation.delta:
            # Looking for draws alone forgets nothing of what was reported and is not taken yet.
            self.votes, self._reported_at, self._settled = {}, {}, False
        if self.silent:
            return observation
        if after is not before:
            self._note_arms(before, after)
        marked = _by_owner(markers, after, setup)
        for change in observation.delta:
            places = tuple(_places(change, before, after, observation.news, self._marked, marked))
            known = earlier.get(change) if _alike(places, reported_at.get(change, ())) else None
            if known is not None and (known.decibans or settled):
                # It was reported before and not taken: a reach over it since then did not do it.
                tile_vote = known
            else:
                tile = change.tile.tile if isinstance(change, Play) else None
                tile_vote = together([self._vote_at(place, tile) for place in places], self.players)
            self.votes[change], self._reported_at[change] = tile_vote, places
        drawn: tuple[Change, ...] = ()
        if self.draws_reached and before.boneyard is None and setup.family is Family.MEXICAN:
            drawn = self._reached(observation, before, after)
        whose = {change: one.clear for change, one in self.votes.items() if one.clear is not None}
        return replace(observation, delta=(*observation.delta, *drawn), arms=counted_once(self.votes), whose=whose)

    def _reached(self, observation: Observation, before: Layout, after: Layout) -> tuple[Change, ...]:
        """Draws from a stacked boneyard: who reached into it took a tile, though it looks as before."""
        lying = [tile.seen.center_mm for tile in before]
        piled = [one.seen.center_mm for one in before.face_down] or self._pile(lying) or self._piled
        self._piled = piled
        changed = [place for change in observation.delta for place in self._reported_at[change]]
        changed += [place for place in (tile.seen.center_mm for tile in after) if not _near(place, lying)]
        for reach in self._reaches.reached(piled, changed):
            one = vote(reach, self.seats, self._size_mm, self._sleeves)
            if not any(one.frame == other.frame or not one.seen.isdisjoint(other.seen) for other in self._drawn):
                self._drawn.append(one)
        if not self._drawn:
            return ()
        draw = Drawing(len(self._drawn))
        self.votes[draw] = together(self._drawn, self.players)
        return (draw,)

    def _pile(self, lying: Sequence[Point]) -> list[Point]:
        """Where no back is recognised: from above a pile is a block with a shadow, a thing that lies by itself. Where
        several do, nobody knows which of them it is."""
        others = [*lying, *self._marked.values()]
        alone = [one for one in self._things if all(distance(one, other) > ALONE_MM for other in others)]
        return alone if len(alone) == 1 else []

    def _note_arms(self, before: Layout, after: Layout) -> None:
        """Ask of every tile that is not on record whose arm was over it: it may have to wait for one that is not read,
        and the arm is forgotten by then."""
        lying = [(tile.seen.center_mm, _value(tile)) for tile in _with_covered(before)]
        here = [(tile.seen.center_mm, _value(tile)) for tile in _with_covered(after)]
        self._stacks = [tile.seen.center_mm for tile in after.line if tile.id in after.walls]
        new = [one for one in here if not any(self._may_be_one(one, other) for other in lying)]
        self._tile_votes = [
            known if (known := self._known_at(*one)) is not None else _TileVote(*one, self._vote(one[0])) for one in new
        ]

    def _vote_at(self, place: Point, tile: Tile | None) -> Vote:
        known = self._known_at(place, tile)
        return self._vote(place) if known is None else known.vote

    def _known_at(self, place: Point, tile: Tile | None) -> _TileVote | None:
        """The vote on this tile. One that said nothing before the table was read may still say something."""
        there = (one for one in self._tile_votes if self._may_be_one((one.place, one.tile), (place, tile)))
        return next((one for one in there if one.final or one.vote.decibans), None)

    def _may_be_one(self, one: tuple[Point, Tile | None], other: tuple[Point, Tile | None]) -> bool:
        """Whether these two (where, what) may be the same tile. In a wall, where one lies on another, what is read
        tells them apart."""
        if distance(one[0], other[0]) > SAME_TILE_MM:
            return False
        return one[1] == other[1] or None in (one[1], other[1]) or not _near(one[0], self._stacks)

    def _vote(self, place: Point) -> Vote:
        return vote(self._reaches.over(place), self.seats, self._size_mm, self._sleeves)


def attribution_for(setup: GameSetup, off: bool = False) -> Attribution:
    """For this table; `off`: the players do not want their arms looked at."""
    players = setup.header.players
    off = off or setup.free or not setup.watch_arms
    return Attribution(players, seats_of(setup.seats, setup.stations, players), off, draws_reached=True)


def _places(
    change: Change,
    before: Layout,
    after: Layout,
    news: Sequence[int],
    marked_before: Mapping[str, Point],
    marked_after: Mapping[str, Point],
) -> Iterator[Point]:
    """Where on the table a change shows."""
    match change:
        case Play(tile, train):
            yield from (one.seen.center_mm for one in _row(after, train) if one.id in news and one.laid == tile)
        case Vanishing(tile, train):
            lying = {one.id for one in after}
            yield from (one.seen.center_mm for one in _row(before, train) if one.id not in lying and one.laid == tile)
        case Drawing():
            there = [one.seen.center_mm for one in after.face_down]
            for one in before.face_down:
                if all(distance(one.seen.center_mm, place) > SAME_TILE_MM for place in there):
                    yield one.seen.center_mm
        case Mark(player):
            if player in marked_after:
                yield marked_after[player]
        case Unmark(player):
            if player in marked_before:
                yield marked_before[player]


def _with_covered(layout: Layout) -> Iterator[PlacedTile]:
    """The tiles on the table, and those under others in a wall."""
    yield from layout
    covered = set(layout.walls.values())
    yield from (tile for tile in layout.line if tile.id in covered)


def _value(tile: PlacedTile) -> Tile | None:
    return None if tile.laid is None else tile.laid.tile


def _near(place: Point, places: Sequence[Point]) -> bool:
    return any(distance(place, one) <= SAME_TILE_MM for one in places)


def _alike(places: Sequence[Point], others: Sequence[Point]) -> bool:
    """Whether these are the same places: one draw is like another, but for where the tile lay."""
    return (
        bool(places)
        and len(places) == len(others)
        and all(distance(a, b) <= SAME_TILE_MM for a, b in zip(places, others, strict=True))
    )


def _row(layout: Layout, train: str) -> Sequence[PlacedTile]:
    if train in (LEFT, RIGHT) and layout.line:
        return layout.line
    return layout.trains.get(train, ()) or layout.loose


def _by_owner(markers: Sequence[SeenMarker], layout: Layout, setup: TableSetup) -> dict[str, Point]:
    """Where each player's marker lies."""
    found: dict[str, Point] = {}
    for marker in markers:
        for owner in owners_of(marker, layout, setup, layout):
            found[owner] = marker.center_mm
    return found
