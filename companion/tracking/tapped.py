"""A round that people tap in, no camera looking on: the same belief, its acts certain.

Who did what is tapped, and nothing is misread. What is open is when: between two tiles the order of taps is not the
order of acts. A draw, a marker, a tile put away or the end of a turn may be tapped late or early, by no more than a
round of the table; a tile may be tapped before that of the player whose turn it is. Source: docs/rules.md, third
reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import ClassVar, Self

from companion.rules.actions import MEXICAN, Action, Discard, Draw, End, Mark, Play, Unmark
from companion.rules.mexican.turn import TurnState
from companion.rules.position import LinePosition, Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.costs import COST, Cause
from companion.tracking.endings import Unseen, endings
from companion.tracking.evidence import Piece
from companion.tracking.explain import State
from companion.tracking.first_lap import FirstLapState
from companion.tracking.line import LineState
from companion.tracking.mexican import MexicanState
from companion.tracking.pieces import Move, Pieces, Rest, Step

TO_COME = Unseen(Cause.DRAW_TO_COME, Cause.MARKER_TO_COME, Cause.MARKER_TO_COME)


TO_COME_CAUSES = frozenset(TO_COME)

LATE_ALREADY = 2 * (COST[Cause.DRAW_TO_COME] - COST[Cause.NOTHING_NEW])
"""What a turn may cost less because other taps are late as well."""

TILE_EARLY = 9
"""What it costs more that a tile was tapped before its turn, where it fits: neighbours tap on phones of their own, and
the second is quicker. Judgement: as rare as a broken rule, so that either may be, and neither is certain."""


def owed(owners: Iterator[str], waited: Mapping[str, int], player: str, acted: bool) -> Mapping[str, int]:
    """Debt -> how many turns of others have been tapped since, once `player`'s turn is over."""
    return {key: waited.get(key, 0) + (acted and key[1:] != player) for key in owners}


def old(debts: Iterable[str], waited: Mapping[str, int], turns: int) -> tuple[str, ...]:
    """Those that it is high time to pay; of the others it makes no difference how young they are."""
    return tuple(key for key in debts if waited.get(key, 0) >= turns - 1)


class TappedState(MexicanState):
    """A round of Mexican Train. `unseen_on`, `unseen_off` and `undrawn` are those who have still to tap a marker put
    on, one taken off, a draw; `waited` says how many turns of others were tapped since. `kept`: (player, act, item)
    tapped before its turn. `perhaps_drew`: whose last turn lacks nothing, and may have had a draw all the same."""

    __slots__ = ()
    errors: ClassVar[bool] = False
    unseen: ClassVar[Unseen | None] = TO_COME
    shown_late: ClassVar[tuple[Cause, ...]] = (Cause.TAPPED_LATE,)
    after_marking: ClassVar[Cause] = Cause.MARKED_FIRST
    in_parts: ClassVar[tuple[Cause, ...]] = ()
    most_undrawn: ClassVar[int] = 8

    @property
    def sign(self) -> tuple[object, ...]:
        late = old(self.debts(), self.waited, len(self.players))
        return (*super().sign, self.kept, late, self.perhaps_drew, self.turn.position.perhaps_marked)

    def at_rest(self) -> Self:
        if not self.between:
            return self
        other = self.copy()
        other.between = False
        return other

    @property
    def due(self) -> tuple[str, ...]:
        """Whose turn it must be, or is next."""
        me = self.mover
        done = self.turn.complete and not self.turn.long
        return (self.turn.position.after(me),) if done else (me,) if not self.acted else ()

    def debts(self) -> Iterator[str]:
        """What is still to be tapped: a marker put on, one taken off, a draw, each with its player."""
        yield from (f"+{name}" for name in sorted(self.unseen_on))
        yield from (f"-{name}" for name in sorted(self.unseen_off))
        yield from (f"d{name}" for name in self.undrawn)

    @property
    def overdue(self) -> int:
        """What it costs that what is assumed is not tapped by now: it counts for nothing when it comes."""
        return self._late(len(self.players) + 1)

    @property
    def pending(self) -> int:
        """The same for whoever looks now."""
        return super().pending + self._late(len(self.players))

    def _late(self, turns: int) -> int:
        now = owed(self.debts(), self.waited, self.mover, self.acted)
        return COST[Cause.TAP_OVERDUE] * any(since >= turns for since in now.values())

    @property
    def unpaid(self) -> int:
        """What it costs that nothing is tapped any more."""
        return COST[Cause.TAP_OVERDUE] * any([*self.debts(), *self.kept])

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        me = self.turn.player
        (piece,) = pieces.evidence.pieces
        if (self.acted or not self.anyone) and rest == pieces.start:
            yield from self._out_of_time(piece, pieces.done)
        yield from nothing_new(self, pieces, rest)
        drew = isinstance(piece.act, Draw) and piece.arm in self.perhaps_drew and rest == pieces.start
        if drew and piece.arm is not None and (self.acted or piece.arm != self.last):
            late = partial(self._drew_before, piece.arm)
            cost = COST[Cause.DRAW_TO_COME]
            yield Move(cost, late, pieces.done, Step(piece.arm, piece.act, piece.item, (), (Cause.TAPPED_LATE,), cost))
        mine = [n for n, (player, _, _) in enumerate(self.kept) if player == me]
        for n in mine:
            yield from self._of_kept(n, rest)
        another = piece.arm is not None and piece.arm != getattr(piece.act, "player", piece.arm)
        for move in super().moves(pieces, rest, faults=faults, within=within + LATE_ALREADY):
            step = move.step
            if isinstance(step.act, End):
                # Whoever acts now has not been passed over, nor anybody twice.
                silent = not self.acted and move.rest.ends == rest.ends
                if not mine and not (silent and (piece.by or piece.arm) == me) and not (silent and me in self.undrawn):
                    move = dearer(move) if silent and step.codes else self._with_debts(of_end(move, rest, piece))
                    if not self.turn.complete and not silent:
                        move = move._replace(state=partial(_perhaps_marked, move.state))
                    yield move
            elif step.item is None:
                if not mine:
                    yield dearer(move)
            elif not (another and step.item == piece.item):
                yield move

    def _with_debts(self, move: Move) -> Move:
        """Who is late with one tap is late with the others: only the first costs."""
        step = move.step
        late = [cause for cause in step.causes if cause in TO_COME]
        if not late:
            return move
        free = len(late) - (not any(self.debts()))
        cost = step.cost - free * (COST[late[0]] - COST[Cause.NOTHING_NEW])
        return move._replace(cost=cost, step=step._replace(cost=cost))

    def _hasty(self, pieces: Pieces, rest: Rest) -> list[str]:
        """Nobody begins out of turn but for this tap."""
        (piece,) = pieces.evidence.pieces
        could = [name for name in self.players if not pieces.ends and name not in piece.actors]
        return [name for name in could if name not in (self.turn.player, self.last)]

    def _done(self, piece: Piece, faults: bool) -> tuple[int, Self, tuple[str, ...], tuple[Cause, ...]]:
        cost, other, codes, causes = super()._done(piece, faults)
        if isinstance(piece.act, Draw) and str(V.EXTRA_DRAW) in codes and self._drawn_before():
            # Nobody draws who has no tile left.
            surely = (Cause.TAPPED_LATE,) if self.turn.hand == 0 else ()
            return COST[Cause.DRAW_TO_COME], other, (), (Cause.DRAW_TO_COME, *surely)
        if codes and (other.turn.fines or self.turn.codes.issuperset(map(V, codes))):
            # Drawn for a last tile that was not announced, or one more of what was wrong before.
            cost, causes = COST[Cause.ALSO_ILLEGAL], (Cause.ALSO_ILLEGAL,)
        return cost, other, codes, causes

    def kept_and_due(self) -> list[int]:
        """The items of what was tapped early and has happened by now: turns that need nothing more, one after the other
        from the next one on."""
        turn, moved, due = self.turn, self.moved | {self.mover}, list[int]()
        goes_on = turn.long and turn.complete and turn.hand != 0
        while self.kept and not goes_on and (turn.complete or self.put_on or due):
            player = turn.position.after(turn.player)
            turn = TurnState(self.rules, turn.table(player, player not in moved))
            mine = [(act, item) for who, act, item in self.kept if who == player]
            for act, _ in mine:
                turn.act(act)
            turn.finish()
            if not mine or turn.codes:
                break
            moved, due = moved | {player}, [*due, *(item for _, item in mine)]
        return due

    def _drawn_before(self) -> bool:
        """Whether a draw tapped now may have come before the last tile of this turn."""
        turn = self.turn
        if not turn.laid or not turn.drawn:
            return bool(turn.laid) and _may_have_drawn(self.rules, turn)
        # Another draw came after that tile, a double.
        before = turn.position.boneyard
        once = before is not None and turn.boneyard == before - 1
        return once and _goes(self.rules, turn, [*turn.laid[:-1], Draw(), *turn.laid[-1:], Draw()])

    def _drew_before(self, player: str) -> Self:
        other = self.counted([*(int(name == player) for name in self.players), -1])
        other.perhaps_drew = self.perhaps_drew - {player}
        return other

    def _out_of_time(self, piece: Piece, done: Rest) -> Iterator[Move]:
        """The tap explained without the turn at hand: it says nothing new, it comes early, it is a marker on a train of
        somebody else."""
        act, who = piece.act, piece.arm
        if not isinstance(act, (Play, Draw, Mark, Unmark)) or who is None:
            return
        if isinstance(act, (Mark, Unmark)):
            due = self.unseen_on if isinstance(act, Mark) else self.unseen_off
            if (act.player in self.turn.markers) == isinstance(act, Mark) and act.player not in due:
                cost = COST[Cause.NOTHING_NEW]
                yield Move(cost, self, done, Step(who, act, piece.item, (), (Cause.NOTHING_NEW,), cost))
            if act.player != who:
                yield on_anothers(self, piece, done)
                return
        early = self._early(act, who)
        if early is not None and len(self.kept) < self.most_undrawn:
            other = self.copy()
            other.kept = (*self.kept, (who, act, piece.item))
            # Whoever has just tapped something else taps on in the same turn.
            goes_on = piece.follows and all(player != who for player, _, _ in self.kept)
            cost = early + COST[Cause.TAPPED_EARLY] * goes_on
            yield Move(cost, other, done, Step(who, act, piece.item, (), (Cause.TAPPED_EARLY,), cost))

    def _early(self, act: Action, who: str) -> int | None:
        """What it costs that `who` tapped this before their turn; None where that does not explain it. A tile or a draw
        is the next player's, and a tile fits in that turn, while nobody has laid one in the turn at hand."""
        me = self.turn.player
        if who == me or not (isinstance(act, (Mark, Unmark)) or self.turn.position.after(me) == who):
            return None
        if not isinstance(act, Play):
            return COST[Cause.NOTHING_NEW if self.kept else Cause.TAPPED_EARLY]
        theirs = TurnState(self.rules, self.turn.table(who, who not in self.moved))
        fits = not self.turn.laid and not theirs.faults_of(act.tile, act.train)[0]
        return COST[Cause.TAPPED_EARLY] + TILE_EARLY if fits else None

    def _of_kept(self, n: int, rest: Rest) -> Iterator[Move]:
        """What was tapped early happens now."""
        me, act, item = self.kept[n]
        other = self.copy()
        other.kept = (*self.kept[:n], *self.kept[n + 1 :])
        if isinstance(act, Draw):
            _, drawn, codes, _ = other._done(Piece(item, act), False)
            if not codes:
                yield Move(0, drawn, rest, Step(me, act, item, (), (), 0))
        elif isinstance(act, Play):
            if not self.turn.faults_of(act.tile, act.train)[0]:
                cost, laid = self._where(act.train), partial(other._with_play, act.tile, act.train, item)
                yield Move(cost, laid, rest, Step(me, act, item, (), (), cost))
        else:
            yield Move(0, other._with_marker(act, item), rest, Step(me, act, item, (), (), 0))

    def _next(
        self,
        who: str,
        turn: TurnState,
        moved: frozenset[str],
        on: frozenset[str],
        off: frozenset[str],
        undrawn: tuple[str, ...],
        between: bool,
    ) -> MexicanState:
        other = super()._next(who, turn, moved, on, off, undrawn, between)
        assert isinstance(other, TappedState)
        other.waited = owed(other.debts(), self.waited, turn.player, self.acted)
        before = self.perhaps_drew - {turn.player}
        other.perhaps_drew = before | {turn.player} if _may_have_drawn(self.rules, turn) else before
        return other


def on_anothers(state: MexicanState, piece: Piece, done: Rest) -> Move:
    """A marker on the train of somebody else, or off it."""
    act, who, cost = piece.act, piece.arm, COST[Cause.RARELY_ILLEGAL]
    assert isinstance(act, (Mark, Unmark)) and who is not None
    codes = (str(V.MARKER_WRONG_TRAIN),) if act.player in state.players else ()
    moved = partial(state._strayed, act.player, isinstance(act, Mark))
    return Move(cost, moved, done, Step(who, act, piece.item, codes, (Cause.RARELY_ILLEGAL,), cost))


def too_early(step: Step) -> tuple[str, ...]:
    """What is wrong with a tile on a train that is not its player's, while first trains are laid."""
    if str(V.OUT_OF_TURN) not in step.codes:
        return step.codes
    code = V.MX_TOO_EARLY if isinstance(step.act, Play) and step.act.train == MEXICAN else V.FIRST_TURN_OWN_ONLY
    others = {one for one in step.codes if one not in (V.OUT_OF_TURN, V.CLOSED_TRAIN)}
    return tuple(sorted({*others, str(code)}))


def of_end(move: Move, rest: Rest, piece: Piece) -> Move:
    """The end of a turn that has no act: what it lacks is held against the tap that tells of it."""
    if move.step.item is not None or move.rest.ends == rest.ends:
        return move
    return move._replace(step=move.step._replace(item=piece.item))


def dearer(move: Move) -> Move:
    """Somebody was passed over, or has come too early: another tap that is late is likelier."""
    cost = move.cost + COST[Cause.ALSO_ILLEGAL]
    return move._replace(cost=cost, step=move.step._replace(cost=cost))


def _may_have_drawn(rules: RuleSet, turn: TurnState) -> bool:
    """Whether a draw that is not tapped as yet may have come before the last tile of a turn, or before its end."""
    if turn.drawn_ever or turn.boneyard == 0 or (turn.long and turn.laid):
        return False
    return _goes(rules, turn, [*turn.laid[:-1], Draw(), *turn.laid[-1:]])


def _goes(rules: RuleSet, turn: TurnState, acts: Iterable[Action]) -> bool:
    """Whether the turn may have gone like this, and no more is wrong with it."""
    other = TurnState(rules, turn.position)
    for act in acts:
        other.act(act)
    return other.codes <= turn.codes


def nothing_new(state: State, pieces: Pieces, rest: Rest) -> Iterator[Move]:
    """The end of a turn that is tapped late, early or twice says nothing; a pass hardly ever."""
    for piece in pieces.ends if rest == pieces.start else ():
        cause = Cause.NOTHING_NEW if piece.arm is None else Cause.TAPPED_EARLY
        cost = COST[cause] + (COST[Cause.ILLEGAL] if piece.arm is not None and piece.by in state.due else 0)
        yield Move(cost, state, pieces.done, Step(piece.by or "", None, piece.item, (), (cause,), cost))


def _perhaps_marked(move: partial[MexicanState]) -> MexicanState:
    """The state after a turn without a tile: a marker may lie there that nobody taps, and whoever plays on that train
    is not accused for it."""
    other = move()
    player, table = other.last, other.turn.position
    if player is None or player in table.markers:
        return other
    other.turn = TurnState(other.rules, replace(table, perhaps_marked=table.perhaps_marked | {player}))
    return other


class TappedLapState(FirstLapState):
    """The common first lap of the same."""

    __slots__ = ()
    errors: ClassVar[bool] = False
    in_parts: ClassVar[tuple[Cause, ...]] = ()
    unseen: ClassVar[Unseen | None] = TO_COME
    shown_late: ClassVar[tuple[Cause, ...]] = (Cause.TAPPED_LATE,)
    after: ClassVar[type[MexicanState]] = TappedState
    due: ClassVar[tuple[str, ...]] = ()

    @property
    def sign(self) -> tuple[object, ...]:
        return (*super().sign, self.kept, self.through)

    @property
    def unpaid(self) -> int:
        return COST[Cause.TAP_OVERDUE] * any(self.debts())

    def at_rest(self) -> Self:
        return self

    def kept_and_due(self) -> list[int]:
        return []

    def debts(self) -> Iterator[str]:
        return (f"+{name}" for name in sorted(self.unseen_on))

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        yield from nothing_new(self, pieces, rest)
        (piece,) = pieces.evidence.pieces
        in_time = len(self.kept) < TappedState.most_undrawn
        if in_time and isinstance(piece.act, Draw) and piece.arm is not None and rest == pieces.start:
            # Of the turn after the lap.
            other = self.copy()
            other.kept = (*self.kept, (piece.arm, piece.act, piece.item))
            cost = COST[Cause.TAPPED_EARLY]
            yield Move(
                cost, other, pieces.done, Step(piece.arm, piece.act, piece.item, (), (Cause.TAPPED_EARLY,), cost)
            )
        if isinstance(piece.act, (Mark, Unmark)) and piece.arm not in (None, piece.act.player) and rest == pieces.start:
            yield on_anothers(self, piece, pieces.done)
            return
        for move in super().moves(pieces, rest, faults=faults, within=within):
            step = move.step
            if isinstance(step.act, End):
                yield from self._done_with_train(move, piece, faults)
            elif step.item is None or step.player not in piece.actors:
                if isinstance(step.act, Mark) and step.player in self.unseen_on:
                    move.state.unseen_on = self.unseen_on - {step.player}
                codes = too_early(step) if isinstance(step.act, Play) and step.player in self.moved else step.codes
                yield move._replace(step=step._replace(codes=codes))

    def _taken_up(self) -> tuple[Cause, ...]:
        # Once all have begun and somebody is through, others rather make ordinary turns.
        closed = self.through and self.moved.issuperset(self.players)
        return (Cause.TURN_IN_PARTS, Cause.TURN_IN_PARTS) if closed else ()

    def _done_with_train(self, move: Move, piece: Piece, faults: bool) -> Iterator[Move]:
        """Somebody says that their first train is done; whoever has laid none owes what such a turn asks for."""
        player, state = move.step.player, move.state
        state.through = self.through | {player}
        if self.turn.trains.get(player):
            yield move
            return
        own = self._begun(player, self.turn, self.moved - {player})
        for end in endings(own.turn, self.unseen_on, self.unseen_off, faults=faults, unseen=self.unseen):
            if not end.undrawn:
                other = state.copy()
                other.turn, other.unseen_on = TurnState(self.rules, end.turn.table(self.starter, True)), end.on
                yield Move(end.cost, other, move.rest, Step(player, End(), piece.item, end.codes, end.causes, end.cost))

    def _layers(self, piece: Piece, train: str, faults: bool) -> tuple[str, ...]:
        return tuple(name for name in self.players if name not in piece.actors and (faults or name == train))


class TappedLineState(LineState):
    """A deal of a Chinese game."""

    __slots__ = ()
    errors: ClassVar[bool] = False
    put_away_unseen: ClassVar[Cause] = Cause.DRAW_TO_COME
    shown_late: ClassVar[tuple[Cause, ...]] = (Cause.TAPPED_LATE,)

    @property
    def sign(self) -> tuple[object, ...]:
        late = old(self.debts(), self.waited, len(self.players))
        return (*super().sign, self.kept, late)

    def debts(self) -> Iterator[str]:
        """Who has still to tap a tile put away."""
        return (f"p{name}" for name in self.unseen)

    @property
    def overdue(self) -> int:
        return self._owed(len(self.players) + 1)

    @property
    def pending(self) -> int:
        return self._owed(len(self.players))

    def _owed(self, turns: int) -> int:
        now = owed(self.debts(), self.waited, self.mover, bool(self.done))
        return COST[Cause.TAP_OVERDUE] * any(since >= turns for since in now.values())

    def kept_and_due(self) -> list[int]:
        return []

    @property
    def due(self) -> tuple[str, ...]:
        return (self.table.after(self.mover) if self.done else self.mover,)

    @property
    def unpaid(self) -> int:
        return COST[Cause.TAP_OVERDUE] * any([*self.unseen, *self.kept])

    def moves(self, pieces: Pieces, rest: Rest, *, faults: bool, within: float = inf) -> Iterator[Move]:
        me = self.mover
        (piece,) = pieces.evidence.pieces
        who = piece.by
        early = isinstance(piece.act, Discard) and who == self.table.after(me) and rest == pieces.start
        if early and not self.anyone:
            assert who is not None
            other = self.copy()
            other.kept = (*self.kept, (who, piece.act, piece.item))
            cost = COST[Cause.TAPPED_EARLY]
            step = Step(who, piece.act, piece.item, (), (Cause.TAPPED_EARLY,), cost)
            yield Move(cost, other, pieces.done, step)
        yield from nothing_new(self, pieces, rest)
        mine = [n for n, (player, _, _) in enumerate(self.kept) if player == me]
        for n in mine:
            _, act, item = self.kept[n]
            for cost, state, codes, _ in self._with(act, item, False, 99):
                if not codes:
                    state.kept = (*self.kept[:n], *self.kept[n + 1 :])
                    yield Move(cost, state, rest, Step(me, act, item, (), (), cost))
        for move in super().moves(pieces, rest, faults=faults, within=within):
            ends = isinstance(move.step.act, End) and move.step.player == me
            if ends:
                silent = not self.done and move.rest.ends == rest.ends
                if mine or (silent and (who == me or me in self.unseen)):
                    continue
                move = dearer(move) if silent and move.step.codes else of_end(move, rest, piece)
                over: TappedLineState = move.state
                over.waited = owed(over.debts(), self.waited, me, bool(self.done))
            elif move.step.item is None and (pieces.ends or move.step.player in piece.actors):
                continue
            yield move


def starting(rules: RuleSet, table: Position | LinePosition, starter: str, *, anyone: bool = False) -> State:
    """The round before anything has happened in it."""
    if isinstance(table, LinePosition):
        return TappedLineState(rules, table, anyone=anyone)
    return (TappedLapState if rules.first_simultaneous else TappedState)(rules, table, starter, anyone=anyone)
