"""A round of Mexican Train as one hypothesis has it: the table in the middle of a turn, and what goes with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, TypeVar

from companion.rules.actions import Mark, Play, Unmark
from companion.rules.mexican.blocks import provably_blocked
from companion.rules.mexican.turn import TurnState
from companion.rules.position import Chain, LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, LATE_PICTURES, Cause
from companion.tracking.pieces import Pieces

FEW = 4
"""From here on the count of a hand or of the boneyard makes no difference yet: hypotheses that differ in it are one,
and told apart again once it does (`Hypothesis.told_apart`)."""


def _few(count: int | None) -> int | None:
    return count if count is None or count < FEW else FEW


StateT = TypeVar("StateT", bound="RoundState")


class RoundState:
    """The table in the middle of `turn`, treated as a value: a move forks it.

    `acted`: the turn has an act; `put_on`: the player has put their own marker on in it. `anchors`: items of the turn's
    last tile, last act, marker put on, marker taken off. `resume`: the turn is out of order, and that player is still
    expected. `moved` have had their first turn. `unseen_on` are markers that are held to lie there though no picture
    shows them, `unseen_off` the other way; `undrawn` are those who drew a tile that is not seen to be missing yet.
    `silent`: turns in a row without a tile. `anyone`: whose turn it is is not known. `between`: the turn began in the
    middle of the change that is being explained. `last`: who had the turn before. `another`: trains of which the last
    tile is held to be another one than was read, which is known; `misread`: to show other values, whichever; `unknown`:
    trains of which nobody can tell, because it was laid when much happened unseen. `began`: the part of `sign` that the
    turn began with, `tips` the one that the trains have. `waited`: how many more pictures have not shown each of the
    unseen markers.
    """

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
        self.put_on = False
        self.anchors: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        self.resume: str | None = None
        self.moved: frozenset[str] = frozenset()
        self.unseen_on: frozenset[str] = frozenset()
        self.unseen_off: frozenset[str] = frozenset()
        self.undrawn: tuple[str, ...] = ()
        self.silent = 0
        self.anyone = anyone
        self.between = False
        self.last: str | None = None
        self.another: frozenset[str] = frozenset()
        self.misread: frozenset[str] = frozenset()
        self.unknown: frozenset[str] = frozenset()
        self.waited: Mapping[str, int] = {}
        self.began: tuple[Position, tuple[object, ...]] | None = None
        self.tips: tuple[Mapping[str, Chain], tuple[Laid | None, ...]] | None = None

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
        """What can matter for what happens next, beside the tiles that all hypotheses have in common."""
        turn = self.turn
        boneyard, hand = turn.boneyard, turn.hand
        return (
            turn.player, self.acted, self.put_on, self.resume, self.moved, self.unseen_on, self.unseen_off,
            self.undrawn, self._passes, self.anyone, self.between, self.lap, self.another, self.misread,
            self.unknown, turn.complete, turn.drawn, turn.drawn_ever, turn.last_was_double, turn.took_off,
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
        """What of the sign no act of this turn changes, worked out once."""
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
        """What it costs that another picture does not show the markers that are held to lie there, or to be gone.

        Whoever is late makes up for it soon; what the eye has not seen for so long it will not see in the next picture.
        """
        if not self.waited:
            return 0
        return COST[Cause.MARKER_UNSEEN_AGAIN] * sum(pictures < LATE_PICTURES for pictures in self.waited.values())

    @property
    def pending(self) -> int:
        """What a complete turn still lacks, if nothing more comes: a marker to be moved mostly moves with the tile."""
        if not self.acted or not self.turn.complete:
            return 0
        judged = self.turn.copy()
        judged.finish()
        lacks = judged.codes - self.turn.codes or V.MARKER_NOT_REMOVED in judged.may - self.turn.may
        return COST[Cause.STILL_TO_COME] if lacks else 0

    @property
    def over(self) -> tuple[str, str | None] | None:
        """How the round has ended by the rules and the counts, and who went out. Source: docs/rules.md 2.6."""
        turn = self.turn
        finished = turn.complete or self.put_on
        if self.anyone or (self.acted and not finished):
            return None
        moved = self.moved | {turn.player} if self.acted else self.moved
        hands = dict(turn.position.hands)
        if turn.hand is not None:
            hands[turn.player] = turn.hand
        out = next((player for player in self.players if hands.get(player) == 0), None)
        if out is not None:
            laying = self.acted and turn.long and hands.get(turn.player) != 0
            waits = self.rules.finish_first_lap and (laying or not set(self.players) <= moved)
            return None if waits else ("out", out)
        if self.rules.block_rule == "provable_stop":
            # Where nobody can tell what lies at the end of a train, nobody can tell that nothing fits there.
            table = turn.table(turn.position.after(turn.player), False)
            return ("blocked_proved", None) if not self.unknown and provably_blocked(self.rules, table) else None
        silent = self.silent
        if self.acted:
            silent = 0 if turn.laid else 1 if self.put_on else self.silent + 1
        return ("blocked_declared", None) if turn.boneyard == 0 and silent >= len(self.players) else None

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
        # Whatever lies at these ends, it was laid on what is on record.
        unread = pieces.evidence.unread
        turn.open = tuple(name for name in turn.open if name not in unread)
        for piece in pieces.flips:
            turn.act(piece.act)
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
        other.unknown = self.unknown.union(unread)
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
        table.first_turn, table.boneyard, dict(hands), table.round, table.first_engine,
    )  # fmt: skip
