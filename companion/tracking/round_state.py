"""A round of Mexican Train as one hypothesis has it: the table in the middle of a turn, and what goes with it.

A lower bound on the cost of the rest of a change, whoever made it, so that the search leaves ways that become dear.

The ways in which a turn of Mexican Train may end: whatever it then lacks is a fault, or something that no picture
showed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import ClassVar, NamedTuple, Self, TypeVar

from companion.rules.mexican.turn import TurnState
from companion.rules.position import MEXICAN, Chain, LinePosition, Mark, Play, Position, Unmark, ruled, without
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, LATE_PICTURES, Cause, fault
from companion.tracking.evidence import Below, Piece, Pieces, Rest

FEW = 4
"""From here on the count of a hand or of the boneyard makes no difference yet: hypotheses that differ in it are one,
and told apart again once it does (`Hypothesis.told_apart`)."""


def _few(count: int | None) -> int | None:
    return count if count is None or count < FEW else FEW


StateT = TypeVar("StateT", bound="RoundState")


class RoundState:
    """The table in the middle of `turn`, treated as a value: a move forks it."""

    __slots__ = (
        "acted", "anchors", "another", "anyone", "began", "between", "last", "misread", "moved", "put_on", "resume",
        "rules", "silent", "starter", "tips", "turn", "undrawn", "unknown", "unseen_off", "unseen_on", "waited",
    )  # fmt: skip

    lap: ClassVar[bool] = False
    """Whether the common first lap is going on: `FirstLapState`."""

    def __init__(self, rules: RuleSet, table: Position, starter: str, *, anyone: bool = False) -> None:
        self.rules = rules
        self.starter = starter
        self.turn = TurnState(rules, table)
        self.acted = False
        """The turn has an act."""
        self.put_on = False
        """The player has put their own marker on in this turn."""
        self.anchors: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        """Items of the turn's last tile, last act, marker put on, marker taken off."""
        self.resume: str | None = None
        """The turn is out of order, and this player is still expected."""
        self.moved: frozenset[str] = frozenset()
        """Players who have had their first turn."""
        self.unseen_on: frozenset[str] = frozenset()
        """Markers assumed to lie there though no picture shows them."""
        self.unseen_off: frozenset[str] = frozenset()
        """Markers assumed to be gone though pictures show them."""
        self.undrawn: tuple[str, ...] = ()
        """Players who drew a tile that is not seen to be missing yet."""
        self.silent = 0
        """Turns in a row without a tile."""
        self.anyone = anyone
        """Nobody knows whose turn it is."""
        self.between = False
        """The turn began in the middle of the change that is being explained."""
        self.last: str | None = None
        """The player of the turn before."""
        self.another: frozenset[str] = frozenset()
        """Trains whose last tile is another one than was read, and known."""
        self.misread: frozenset[str] = frozenset()
        """Trains whose last tile shows other values than were read, whichever."""
        self.unknown: frozenset[str] = frozenset()
        """Trains with an unknown last tile, laid when much happened unseen."""
        self.waited: Mapping[str, int] = {}
        """How many more pictures have not shown each of the unseen markers."""
        self.began: tuple[Position, tuple[object, ...]] | None = None
        """The part of `sign` that the turn began with."""
        self.tips: tuple[Mapping[str, Chain], tuple[Laid | None, ...]] | None = None
        """The part of `sign` that the trains have."""

    def copy(self) -> Self:
        return self.copied_as(type(self))

    def copied_as(self, kind: type[StateT]) -> StateT:
        other = kind.__new__(kind)
        other.acted = self.acted
        other.anchors = self.anchors
        other.another = self.another
        other.anyone = self.anyone
        other.began = self.began
        other.between = self.between
        other.last = self.last
        other.misread = self.misread
        other.moved = self.moved
        other.put_on = self.put_on
        other.resume = self.resume
        other.rules = self.rules
        other.silent = self.silent
        other.starter = self.starter
        other.tips = self.tips
        other.turn = self.turn
        other.undrawn = self.undrawn
        other.unknown = self.unknown
        other.unseen_off = self.unseen_off
        other.unseen_on = self.unseen_on
        other.waited = self.waited
        return other

    @property
    def players(self) -> tuple[str, ...]:
        return self.turn.position.players

    @property
    def mover(self) -> str:
        return self.turn.player

    @property
    def sign(self) -> tuple[object, ...]:
        """Everything that can affect later moves, beside the tiles that all hypotheses have in common."""
        turn = self.turn
        boneyard, hand = turn.boneyard, turn.hand
        return (
            turn.player, self.acted, self.put_on, self.resume, self.moved, self.unseen_on, self.unseen_off,
            self.undrawn, self._passes, self.anyone, self.between, self.lap, self.another, self.misread,
            self.unknown, turn.complete, turn.drawn, turn.drawn_ever, turn.last_was_double, turn.own_marker,
            bool(turn.laid) and turn.qualifies,
            bool(turn.laid), turn.doubles, turn.live, turn.open, turn.markers, turn.flipped,
            boneyard if boneyard is None or boneyard < FEW else FEW, hand if hand is None or hand < FEW else FEW,
            self._since_it_began, self._ends_of_trains,
        )  # fmt: skip

    @property
    def _ends_of_trains(self) -> tuple[Laid | None, ...]:
        """The last tile of each train, worked out once while no tile is laid."""
        trains = self.turn.trains
        known = self.tips
        if known is None or known[0] is not trains:
            ends = tuple([chain[-1] if chain else None for chain in trains.values()])
            known = self.tips = (trains, ends)
        return known[1]

    @property
    def _since_it_began(self) -> tuple[object, ...]:
        """The part of the sign that no act of this turn changes, worked out once."""
        position = self.turn.position
        known = self.began
        if known is None or known[0] is not position:
            hands = position.hands
            counts = tuple(map(_few, hands.values()))
            known = self.began = (position, (counts, tuple(hands), self.turn.player in position.markers))
        return known[1]

    @property
    def counts(self) -> tuple[int | None, ...]:
        """How many tiles each of the `players` holds, and last how many are left to draw; None: nobody knows."""
        turn, hands = self.turn, self.turn.position.hands
        held = (turn.hand if name == turn.player else hands.get(name) for name in self.players)
        return (*held, turn.boneyard)

    def counted(self, more: Sequence[int]) -> Self:
        """The same state where each count (`counts`) is so many `more`; what nobody knows stays unknown."""
        other = self.copy()
        turn = other.turn = self.turn.copy()
        of = dict(zip((*self.players, None), more, strict=True))
        turn.position = with_hands(turn.position, {name: n + of[name] for name, n in turn.position.hands.items()})
        turn.hand = None if turn.hand is None else turn.hand + of[turn.player]
        turn.boneyard = None if turn.boneyard is None else turn.boneyard + of[None]
        return other

    @property
    def _passes(self) -> int:
        """The passes in a row, where they may soon end the round; before, they make no difference."""
        boneyard = self.turn.boneyard
        return 0 if boneyard is None or boneyard >= FEW else min(self.silent, len(self.players))

    @property
    def overdue(self) -> int:
        """The cost of one more picture that contradicts the markers assumed to lie there, or to be gone.

        People who are late soon make up for it; a marker that the eye has missed for so long it will miss in the next
        picture too.
        """
        if not self.waited:
            return 0
        return COST[Cause.MARKER_UNSEEN_AGAIN] * sum(pictures < LATE_PICTURES for pictures in self.waited.values())

    @property
    def pending(self) -> int:
        """The cost of what a complete turn still lacks, if nothing more comes: a marker mostly moves with the tile."""
        if not self.acted or not self.turn.complete:
            return 0
        judged = self.turn.copy()
        judged.finish()
        lacks = judged.codes - self.turn.codes or V.MARKER_NOT_REMOVED in judged.may - self.turn.may
        return COST[Cause.STILL_TO_COME] if lacks else 0

    @property
    def over(self) -> tuple[str, str | None] | None:
        """How the round has ended by the rules and the counts, and who went out."""
        turn = self.turn
        finished = turn.complete or self.put_on
        if self.anyone or (self.acted and not finished):
            return None
        moved = self.moved | {turn.player} if self.acted else self.moved
        table = turn.table(turn.position.after(turn.player), False)
        laying = self.acted and turn.long and table.hands.get(turn.player) != 0
        waits = self.rules.finish_first_lap and (laying or not set(self.players) <= moved)
        silent = self.silent
        if self.acted:
            silent = 0 if turn.laid else 1 if self.put_on else self.silent + 1
        return Referee(self.rules).over(table, silent=silent, first_lap=waits, hidden=bool(self.unknown))

    def without(self, player: str) -> Self:
        """The same where this player has left the round, in the middle of a turn too."""
        turn = self.turn.copy()
        turn.position = without(turn.position, player)
        other = self.copy() if turn.player != player else self._begun(turn.position.after(player), turn, self.moved)
        if turn.player != player:
            other.turn = turn
        other.moved = self.moved | {player}
        other.resume = None if self.resume == player else self.resume
        other.undrawn = tuple(name for name in self.undrawn if name != player)
        return other

    def at_rest(self) -> Self:
        """The same state between two changes of the table."""
        late = self.unseen_on | self.unseen_off
        if not (self.between or late or self.waited):
            return self
        other = self.copy()
        other.between = False
        other.waited = {owner: self.waited.get(owner, -1) + 1 for owner in sorted(late)}
        return other

    def _begun(self, player: str, before: TurnState, moved: frozenset[str]) -> Self:
        """`player` has the turn; nothing is done in it yet."""
        other = self.copy()
        other.turn = TurnState(self.rules, before.table(player, player not in moved))
        other.acted = other.put_on = False
        other.anchors = (None, None, None, None)
        other.moved = moved
        other.resume = None
        return other

    # ---- what nobody can explain -------------------------------------------------------------------------------

    def after_outlier(self, pieces: Pieces, *, unknown: bool) -> RoundState:
        """The table as it lies after the change, whoever made it; anybody may be next. `unknown`: what was laid may be
        other tiles, which nobody has looked for."""
        turn = self.turn.copy()
        for train, row in pieces.trains:
            chain: Chain = turn.trains.get(train, ())
            turn.open = tuple(name for name in turn.open if name != train)
            for piece in row:
                assert isinstance(piece.act, Play)
                chain = (*chain, piece.act.tile)
                turn.seen |= {piece.act.tile.tile}
            turn.trains = {**turn.trains, train: chain}
            if chain[-1].is_double:
                turn.open = (*turn.open, train)
        for piece in pieces.flips:
            turn.act(ruled(piece.act))
        for piece in pieces.markers:
            if isinstance(piece.act, Mark):
                turn.markers |= {piece.act.player}
            elif isinstance(piece.act, Unmark):
                turn.markers -= {piece.act.player}
        if turn.boneyard is not None:
            turn.boneyard = max(0, turn.boneyard - len(pieces.draws))
        turn.hand = None
        table = with_hands(turn.table(turn.player, False), {})
        have_begun = {name for name in self.players if table.trains.get(name) or name in table.markers}
        other = self.copy()
        other.turn = TurnState(self.rules, table)
        other.moved = self.moved | have_begun
        other.acted = other.put_on = False
        other.anchors = (None, None, None, None)
        other.resume = None
        other.unseen_on = other.unseen_off = frozenset()
        other.undrawn = ()
        other.waited = {}
        other.silent = 0
        other.anyone = True
        other.last = None
        other.another = other.misread = frozenset()
        if unknown:
            other.unknown |= {train for train, _ in pieces.trains}
        return other

    def on_table(self, table: Position | LinePosition) -> Self:
        """The same state of the round with these tiles."""
        assert isinstance(table, Position)
        other = self.copy()
        other.turn = self.turn.copy()
        turn = other.turn
        turn.trains, turn.seen = table.trains, table.visible
        ends = {name for name, chain in turn.trains.items() if chain and chain[-1].is_double}
        was = {name for name, chain in self.turn.trains.items() if chain and chain[-1].is_double}
        still = [name for name in turn.open if name in ends]
        turn.open = (*still, *sorted(ends - was - turn.flipped))
        other.another = frozenset()
        return other


def with_hands(table: Position, hands: Mapping[str, int]) -> Position:
    return Position(
        table.set_max, table.players, table.engine, table.trains, table.markers, table.open, table.flipped, table.turn,
        table.first_turn, table.boneyard, dict(hands), table.round, table.first_engine, table.gone,
    )  # fmt: skip


def begun(rest: Rest) -> bool:
    """Whether some of the change is explained already."""
    return bool(rest.draws or rest.flips or rest.markers or any(rest.tiles))


LEAST_FAULT = COST[Cause.ILLEGAL] - COST[Cause.ON_MEXICAN_TRAIN]
"""A broken rule costs so much more than the place where a tile lies."""


def due_on(turn: TurnState, train: str) -> int | None:
    """The value that the next tile of a train has to show; None where that is open."""
    chain = turn.trains.get(train)
    return chain[-1].outer if chain else None if train == MEXICAN else turn.position.engine.outer


class Ahead(NamedTuple):
    """The rest of a change, whoever's turn it is."""

    tiles: int
    closing: int
    """Tiles that are no doubles."""
    misfits: int
    """The least cost of the tiles that do not fit."""
    places: int
    """The least cost of the places where they lie."""
    begun: bool
    """Some of the change is explained already."""


def at_least(
    turn: TurnState, pieces: Pieces, rest: Rest, *, several: bool, between: bool, misread: frozenset[str], turns: int
) -> int:
    """A lower bound, in decibans: each further tile that is no double costs another turn, as does everybody who has yet
    to move, and each misfit a fault or a misreading. Where two rules are broken it may be a few decibans too high.

    `several`: this turn may have more than one tile that is no double, as a long first one. `between`: the turn began
    in the middle of this change. A tile on one of the trains `misread` may fit all the same. So many `turns` must end,
    unless somebody breaks a rule.
    """
    trains = turn.trains
    ends = tuple([trains[train][-1] if trains.get(train) else None for train, _ in pieces.trains])
    key = (rest, ends, misread)
    ahead = pieces.ahead.get(key)
    if ahead is None:
        ahead = pieces.ahead[key] = _ahead(turn, pieces, rest, misread)
    first = COST[Cause.ANOTHER_IN_BETWEEN if between else Cause.TURN_IN_BETWEEN]
    more = max(1, ahead.closing) if turn.complete and ahead.tiles and ahead.begun else max(0, ahead.closing - 1)
    least = ahead.misfits
    if more and not several:
        least += first + COST[Cause.ANOTHER_IN_BETWEEN] * (more - 1)
    if turns:
        passed = COST[Cause.PASS_AT_DOUBLE if turn.open or turn.live else Cause.SILENT_PASS]
        ended = first + COST[Cause.ANOTHER_IN_BETWEEN] * (turns - 1) if ahead.begun else passed * (turns - 1)
        least = max(least, min(ended, LEAST_FAULT))
    if not several and not turn.open and not turn.live and (turn.complete or not turn.laid):
        least += ahead.places
    return least


def _ahead(turn: TurnState, pieces: Pieces, rest: Rest, misread: frozenset[str]) -> Ahead:
    closing = tiles = misfits = places = 0
    unsure = pieces.unsure
    doubles = False
    rows = [(train, row[done:]) for (train, row), done in zip(pieces.trains, rest.tiles, strict=True)]
    for train, row in rows:
        due = due_on(turn, train)
        doubted = train in misread
        before: Piece | None = None
        for piece in row:
            assert isinstance(piece.act, Play)
            tile = piece.act.tile
            another = _as_another(piece, before) if unsure else 99
            before = piece
            tiles += 1
            double = tile.is_double or (unsure and any(other.tile.is_double for other in piece.others))
            closing += not double
            doubles = doubles or double
            if due is not None and tile.inner != due and doubted:
                # It fits what was misread.
                doubted = False
            elif due is not None and tile.inner != due:
                doubted = True
                cost = min(COST[Cause.ILLEGAL], another, misreading(turn, piece, train, pieces, joint=False)[0])
                misfits += max(0, cost - COST[Cause.ON_MEXICAN_TRAIN])
            elif tile.tile in turn.seen:
                broken = Cause.ILLEGAL if train in turn.flipped else Cause.RARELY_ILLEGAL
                cost = min(COST[broken], another, misreading(turn, piece, train, pieces, joint=False)[0])
                misfits += max(0, cost - COST[Cause.ON_MEXICAN_TRAIN])
            due = tile.outer
    if not doubles:
        players = len(turn.position.players)
        own = 1 + (closing - 1) // players
        for train, row in rows:
            if train == MEXICAN:
                places += len(row) * COST[Cause.MARKED_ON_MEXICAN_TRAIN]
            elif row and row[0].stray:
                places += len(row) * COST[Cause.ON_OWN_TRAIN]
            else:
                mine = min(len(row), own)
                others = len(row) - mine
                places += mine * COST[Cause.ON_OWN_TRAIN] + others * COST[Cause.ON_ANOTHERS_TRAIN]
    return Ahead(tiles, closing, misfits, places, begun(rest))


def _as_another(piece: Piece, before: Piece | None) -> int:
    """The least cost of the tile, or the one before it in this change, being another."""
    costs = [one.others[0].cost for one in (piece, before) if one is not None and one.others]
    if before is not None and not before.is_sure:
        costs.append(before.cost_of_another)
    return min(costs, default=99)


def misreading(turn: TurnState, piece: Piece, train: str, pieces: Pieces, *, joint: bool) -> tuple[int, Below | None]:
    """The cost of other values than were read, on the tile or on the one it lies on, and the latter where that is the
    likelier of the two. `joint`: only how the halves that meet were read matters."""
    cost = piece.cost_at(0) if joint else piece.cost_of_another
    if pieces.evidence.guessed:
        cost = min(cost, COST[Cause.DOUBTFUL_NEIGHBOUR])
    chain = turn.trains.get(train)
    below = pieces.evidence.doubtful_tiles.get(Play(chain[-1], train)) if chain else None
    if below is None or below.cost >= cost or not chain:
        return cost, None
    assert isinstance(piece.act, Play)
    return below.cost, below.told(Laid(chain[-1].inner, piece.act.tile.inner))


CHEAPEST = min(map(COST.__getitem__, (Cause.MISSED_DRAW, Cause.MARKER_NOT_SEEN, Cause.MARKER_STILL_SEEN)))
"""The least cost of something unseen that a turn seems to lack."""


class TurnEnding(NamedTuple):
    """One end of a turn."""

    cost: int
    turn: TurnState
    """The turn, closed."""
    codes: tuple[str, ...]
    """The violations of the player."""
    causes: tuple[Cause, ...]
    """The assumptions."""
    on: frozenset[str]
    """Markers that lie there though no picture shows them yet."""
    off: frozenset[str]
    """Markers that are gone though pictures still show them."""
    undrawn: bool = False
    """A draw is still to be seen."""


def endings(
    turn: TurnState,
    on: frozenset[str],
    off: frozenset[str],
    *,
    faults: bool,
    unseen: bool = True,
    within: float = inf,
) -> Iterator[TurnEnding]:
    """The ways in which `turn` may end. `on` are markers assumed to lie there though no picture shows them, `off` the
    other way. With `faults` also against a rule, with `unseen` also with something that nothing has shown. Ways that
    cost more than `within` may be left out."""
    me = turn.player
    if me in off and not turn.complete:
        # It still lies there: nobody has to put it on again.
        turn = turn.copy()
        turn.markers |= {me}
        off = off - {me}
    before = turn.codes
    judged = turn.copy()
    judged.finish()
    codes = judged.codes - before
    if me in on and V.MARKER_NOT_REMOVED in codes and unseen:
        # No picture ever showed it.
        turn = turn.copy()
        turn.markers -= {me}
        on = on - {me}
        judged = turn.copy()
        judged.finish()
        codes = judged.codes - before
    if not codes:
        causes = tuple(_unusual(turn, judged, on))
        yield TurnEnding(sum(COST[cause] for cause in causes), judged, (), causes, on, off)
        return
    if unseen and within >= CHEAPEST:
        yield from _unseen_endings(turn, codes, on, off)
    if faults and within >= COST[Cause.ALSO_ILLEGAL]:
        first = Cause.ALSO_ILLEGAL if before else fault(codes)
        causes = (first, *(Cause.ALSO_ILLEGAL for _ in range(len(codes) - 1)))
        cost = sum(COST[cause] for cause in causes)
        yield TurnEnding(cost, judged, tuple(sorted(map(str, codes))), causes, on, off)


def _unusual(turn: TurnState, judged: TurnState, on: frozenset[str]) -> Iterator[Cause]:
    """Ends of this turn that break no rule, and yet hardly ever happen."""
    doubts = judged.may - turn.may
    if V.MARKER_NOT_REMOVED in doubts and turn.player not in on:
        yield Cause.MARKER_LEFT_ON
    uncounted = (V.NO_DRAW, V.DOUBLE_NOT_FOLLOWED) if turn.boneyard is None else ()
    if doubts.difference((V.MARKER_NOT_REMOVED, *uncounted)):
        yield Cause.UNSETTLED_END


def _unseen_endings(
    turn: TurnState, codes: Iterable[V], on: frozenset[str], off: frozenset[str]
) -> Iterator[TurnEnding]:
    """The same end without a fault, if something was not seen: a draw, a marker put on or taken off."""
    me = turn.player
    mended = turn.copy()
    before = turn.codes
    causes: list[Cause] = []
    found = set(codes)
    if found & {V.NO_DRAW, V.DOUBLE_NOT_FOLLOWED}:
        mended.draw()
        causes.append(Cause.MISSED_DRAW)
    if found & {V.MARKER_MISSING, V.DOUBLE_NOT_FOLLOWED}:
        mended.markers |= {me}
        on = on | {me}
        causes.append(Cause.MARKER_NOT_SEEN)
    if V.MARKER_NOT_REMOVED in found:
        mended.markers -= {me}
        off = off | {me}
        causes.append(Cause.MARKER_STILL_SEEN)
    if not causes:
        return
    mended.finish()
    if mended.codes - before:
        return
    undrawn = Cause.MISSED_DRAW in causes and mended.boneyard is not None
    yield TurnEnding(sum(COST[cause] for cause in causes), mended, (), tuple(causes), on, off, undrawn)
