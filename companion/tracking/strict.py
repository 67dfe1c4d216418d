"""A round as it is told: its acts in one order, judged act by act, with no price on anything.

`Told` is one act in that order, `Fold` the table after some of them. An act that breaks a rule in this order is a
`Fault`. Whether it really happened so, or in another order, only the people at the table know (tracking.asked). A turn
that is still to come is an act of its own: nothing that depends on it is anybody's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import ClassVar, NamedTuple, Self

from companion.rules.chinese import apply, open_arms, tile_faults, tiles_of
from companion.rules.mexican.turn import TurnState
from companion.rules.position import (
    LEFT,
    Action,
    Discard,
    Draw,
    End,
    Flip,
    Leave,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    TableAct,
    Unmark,
    ruled,
    uncounted,
    without,
)
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V


class TurnPlace(NamedTuple):
    """The turn to which an act belongs."""

    number: int
    """Its number in the round; 0: of the common first lap."""
    player: str
    astray: bool = False
    """It was out of turn."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that somebody knows better than the count: how many tiles the boneyard holds (None: nobody can say)."""

    boneyard: int | None


@dataclass(frozen=True, slots=True)
class Start:
    """Another player began the round."""


class Told(NamedTuple):
    """One act in the order of a reading."""

    act: TableAct | Setting | Start | None
    """None: a turn of `by`, or the rest of one, that is still to come."""
    by: str
    tap: int | None = None
    """The line that told it; None for what an answer put in."""
    outer_only: bool = False
    """Nobody named the inner half: it is that of the end where the tile lies."""
    late: bool = False
    """It was told after the round was over."""
    before: int | None = None
    """The tap that does not fit without a turn still to come."""
    turn: int | None = None
    """The turn of the player, from 1, for which the phone showed the key."""
    end: int | None = None
    """The value at the train's end for which the phone showed the key."""
    fine: bool = False
    """It was drawn for a last tile that was not announced."""


class Fault(NamedTuple):
    """A rule that an act breaks."""

    tap: int | None
    """The line of the act; None for what an answer put in."""
    code: str
    player: str
    sure: bool = True
    """False: the source leaves open whether it is wrong at all."""


BEHIND_A_TURN_TO_COME = frozenset(
    {
        V.MISMATCH, V.WRONG_ROOT, V.OPEN_DOUBLE_IGNORED, V.DOUBLE_ORDER, V.CLOSED_TRAIN, V.DRAW_FROM_EMPTY,
        V.DUPLICATE_TILE,
    }
)  # fmt: skip
"""Faults that a turn still to come may explain: the tile below, a covered double, a marker, the boneyard."""

FEW_LEFT = 3
"""With so few tiles in the boneyard a turn to come may have taken the last one."""


class Fold:
    """The part of a round that every game has in common: whose turn it is, which one, and who may go on."""

    __slots__ = (
        "acted", "anybody", "astray", "closed", "excused", "expected", "gap", "gone", "last", "number", "player",
        "players", "rules", "to_come", "turns",
    )  # fmt: skip
    fields: ClassVar[tuple[str, ...]] = __slots__

    def __init__(self, rules: RuleSet, players: tuple[str, ...], starter: str, *, anybody: bool) -> None:
        self.rules = rules
        self.players = players
        self.player = starter
        self.expected: tuple[str, ...] = (starter,)
        """Players who may begin the next turn; (): anybody."""
        self.anybody = anybody
        self.acted = False
        """The player of the turn has done something."""
        self.closed = False
        """The turn at hand is over."""
        self.astray = False
        self.number = 0
        self.turns: Mapping[str, int] = {}
        """How many turns each player has had."""
        self.to_come: tuple[str, ...] = ()
        """Turns, or rests of turns, that are still to come."""
        self.gap = False
        """Right now more of this turn is to come."""
        self.last: int | None = None
        """The line of the last act of the turn."""
        self.excused = 0
        """How many tiles fit only if turns to come lie below."""
        self.gone: frozenset[str] = frozenset()
        """Players who have left."""

    def copy(self) -> Self:
        other = type(self).__new__(type(self))
        for name in self.fields:
            setattr(other, name, getattr(self, name))
        return other

    def after(self, player: str) -> str:
        place = self.players.index(player) + 1
        row = (*self.players[place:], *self.players[:place])
        return next((name for name in row if name not in self.gone), player)

    @property
    def turn(self) -> TurnPlace:
        """The turn of the act that was taken last. Ordinary turns count from 1, a common lap is 0 with what ends it."""
        return TurnPlace(self.number, self.player, self.astray)

    @property
    def mover(self) -> str:
        """The player to act: of an open turn, else of the next."""
        return self.player if self.acted and not self.closed else (self.expected or (self.player,))[0]

    def take(self, told: Told) -> tuple[Fold, tuple[Fault, ...]]:
        """The table after this act, and what is wrong: with it, and with the turn that it ends."""
        other = self.copy()
        faults = tuple(dict.fromkeys(other._take(told)))
        if other.to_come:
            held = tuple(fault for fault in faults if not other._depends(fault, told))
            other.excused += sum(fault.code in (V.MISMATCH, V.WRONG_ROOT) for fault in faults if fault not in held)
            return other, held
        return other, faults

    def _take(self, told: Told) -> list[Fault]:
        who, act = told.by, told.act
        if isinstance(act, Start):
            self.player, self.expected, self.anybody = who, (who,), False
            self._opened(who)
            return []
        if isinstance(act, Setting):
            self._set(act)
            return []
        if isinstance(act, Leave):
            self._leave_to_others(who)
            return []
        if told.fine:
            self._fined(who)
            return []
        if act is None:
            return self._wait_for(who)
        gap, self.gap = self.gap and self.player == who, False
        if gap:
            self.closed = False
        if isinstance(act, (End, Pass)) and self._says_nothing(who, act):
            return []
        faults: list[Fault] = (
            [Fault(told.tap, str(V.PLAY_AFTER_END), who)] if told.late and isinstance(act, Play) else []
        )
        if not (self.acted and not self.closed and self.player == who):
            faults += self._turn_to(who, told.tap)
        self.acted, self.last = True, told.tap
        faults += [Fault(told.tap, str(code), who, sure) for code, sure in self._act(act, told)]
        if isinstance(act, (End, Pass)):
            self.closed = True
            # While more of a turn is to come, nobody can say what it lacks.
            faults += [] if gap else self._close()
        return faults

    def _says_nothing(self, who: str, act: TableAct) -> bool:
        """Whether somebody says that a turn is over which is over already."""
        mine = self.acted and not self.closed and self.player == who
        may_begin = (
            self.anybody
            or who in self.expected
            or (self.acted and not self.closed and who in self._following(self.player))
        )
        return not mine and bool(self.turns.get(who)) and not (may_begin and isinstance(act, Pass))

    def _turn_to(self, who: str, tap: int | None) -> list[Fault]:
        """The turn at hand is over, `who` begins one."""
        faults = self._close() if self.acted and not self.closed else []
        astray = not self.anybody and who not in self.expected
        if astray:
            faults.append(Fault(tap, str(V.OUT_OF_TURN), who))
        jumped = self.expected[:1] if astray else ()
        self._begin(who)
        self.number += 1
        self.turns = {**self.turns, who: self.turns.get(who, 0) + 1}
        self.player, self.acted, self.closed, self.astray, self.anybody = who, False, False, astray, False
        self.expected = tuple(dict.fromkeys((*jumped, *self._following(who))))
        return faults

    def _wait_for(self, who: str) -> list[Fault]:
        """A turn of `who`, or the rest of the one at hand, is still to come."""
        if self.acted and not self.closed and self.player == who:
            self.to_come = (*self.to_come, who)
            self._leave()
            return []
        faults = self._turn_to(who, None)
        self.to_come = (*self.to_come, who)
        self.acted = True
        self._leave()
        return [fault for fault in faults if fault.code != V.OUT_OF_TURN]

    def _close(self) -> list[Fault]:
        """End the turn. Returns what it lacks."""
        self.closed = True
        return [Fault(self.last, str(code), self.player, sure) for code, sure in self._lacks()]

    def _leave(self) -> None:
        """End a turn that has more to come."""
        self.closed = self.gap = True

    def _leave_to_others(self, who: str) -> None:
        """`who` has left the round: an open turn of theirs is over, and nothing is due from it."""
        self.gone |= {who}
        self._put_aside(who)
        if self.player == who:
            self.closed = True
        self.expected = tuple(name for name in self.expected if name != who) or (self.after(who),)

    def _following(self, player: str) -> tuple[str, ...]:
        """Players who may begin the turn after one of this player."""
        return (self.after(player),)

    def missing_before(self, who: str, *, again: bool = False) -> list[str]:
        """The players whose turns must come before a new one of `who` fits; `again`: one of `who` is among them."""
        expected = self.after(self.player) if self.acted and not self.closed else (self.expected or (who,))[0]
        names: list[str] = []
        while expected != who and len(names) < len(self.players):
            names.append(expected)
            expected = self.after(expected)
        place = self.players.index(who)
        others = [name for name in (*self.players[place + 1 :], *self.players[:place]) if name not in self.gone]
        if again and not (self.acted and not self.closed and self.player == who):
            return [*names, who, *others]
        return others if not names and self.closed and self.player == who and self.turns else names

    def _depends(self, fault: Fault, told: Told) -> bool:
        raise NotImplementedError

    def _opened(self, who: str) -> None:
        raise NotImplementedError

    def _set(self, known: Setting) -> None:
        """Somebody knows better than the count. Where nobody draws there is nothing to know."""

    def _put_aside(self, who: str) -> None:
        raise NotImplementedError

    def _fined(self, who: str) -> None:
        """A tile was drawn for a last one that was not announced, where anybody draws."""

    def _begin(self, who: str) -> None:
        raise NotImplementedError

    def _act(self, act: TableAct, told: Told) -> list[tuple[V, bool]]:
        raise NotImplementedError

    def _lacks(self) -> list[tuple[V, bool]]:
        raise NotImplementedError

    @property
    def done(self) -> bool:
        """Whether the player has done in this turn what it asks for, so that nothing more of it is to come."""
        raise NotImplementedError

    def unable(self, player: str) -> list[Action]:
        """The acts of a player who has no tile that fits."""
        raise NotImplementedError

    def left(self, player: str) -> int | None:
        """How many tiles this player holds; None: nobody can say."""
        raise NotImplementedError

    def laid(self, told: Told) -> Laid | None:
        """The tile of this act as it lies: an inner half that nobody named is that of the end."""
        raise NotImplementedError


class TrainFold(Fold):
    """A round of Mexican Train.

    >>> from companion.rules import Board, load_ruleset
    >>> fold = TrainFold(load_ruleset("reeves"), Board("reeves").position, "Ann")
    >>> fold, faults = fold.take(Told(Play(Laid(12, 5), "Ben"), "Ben", 2))
    >>> [fault.code for fault in faults]
    ['OUT_OF_TURN']
    """

    __slots__ = ("lap", "late_tiles", "moved", "state", "through", "veiled")
    fields: ClassVar[tuple[str, ...]] = (*Fold.fields, *__slots__)

    def __init__(self, rules: RuleSet, table: Position, starter: str, *, anybody: bool = False) -> None:
        super().__init__(rules, table.players, starter, anybody=anybody)
        self.moved: frozenset[str] = frozenset()
        """Players who have had the first turn."""
        self.state = TurnState(rules, replace(table, turn=starter, first_turn=True))
        self.lap: Mapping[str, tuple[TurnState, int | None]] | None = {} if rules.first_simultaneous else None
        """The first trains that everybody lays at the same time, by player; None once ordinary turns have begun."""
        self.through: frozenset[str] = frozenset()
        """Players who have said that their first train is done."""
        self.late_tiles: frozenset[str] = frozenset()
        """Players who have laid a tile on it since all had begun, which may have been an ordinary turn."""
        self.veiled = False
        """A tile of this turn, whose inner half nobody named, may be a double because of turns to come."""

    def _opened(self, who: str) -> None:
        self.state = TurnState(self.rules, self.state.table(who, True))

    def _set(self, known: Setting) -> None:
        self.state = self.state.copy()
        self.state.boneyard = known.boneyard
        self.state.position = replace(self.state.position, boneyard=known.boneyard)

    def _put_aside(self, who: str) -> None:
        self.state = self.state.copy()
        self.state.position = without(self.state.position, who)
        self.moved |= {who}
        if self.state.player == who:
            self.state.hand = None

    def _fined(self, who: str) -> None:
        self.state = self.state.copy()
        table, left = self.state.position, self.state.boneyard
        hands = {name: count + (name == who) for name, count in table.hands.items()}
        self.state.position = replace(table, hands=hands)
        self.state.boneyard = left and left - 1
        if who == self.state.player and self.state.hand is not None:
            self.state.hand += 1

    def _begin(self, who: str) -> None:
        self.state = TurnState(self.rules, self.state.table(who, who not in self.moved))
        self.moved |= {who}
        self.veiled = False

    def _act(self, act: TableAct, told: Told) -> list[tuple[V, bool]]:
        if isinstance(act, Play):
            act = Play(self.laid(told) or act.tile, act.train)
            self.veiled = self.veiled or (told.outer_only and bool(self.to_come))
        codes, may = self._judged(methodcaller("act", ruled(act)))
        if codes & {V.DUPLICATE_TILE, V.TILE_NOT_IN_SET}:
            turn = self.state
            turn.hand = None
            turn.position = replace(turn.position, hands=uncounted(turn.position, (told.by,)).hands)
        return [*((code, True) for code in sorted(codes)), *((code, False) for code in sorted(may) if not codes)]

    def _judged(self, judge: Callable[[TurnState], None]) -> tuple[frozenset[V], frozenset[V]]:
        """The codes that are certain of this, and those that may be meant. The turn goes on with all of them."""
        turn = self.state = self.state.copy()
        known, maybe = turn.codes, turn.may
        turn.codes, turn.may = frozenset(), frozenset()
        judge(turn)
        codes, may = turn.codes, turn.may
        turn.codes, turn.may = known | codes, maybe | may
        return codes, may

    def laid(self, told: Told) -> Laid | None:
        if not isinstance(told.act, Play):
            return None
        return Laid(self.state.value_due(told.act.train), told.act.tile.outer) if told.outer_only else told.act.tile

    def _lacks(self) -> list[tuple[V, bool]]:
        before = self.state
        codes, may = self._judged(TurnState.finish)
        found = [(code, True) for code in sorted(codes - before.codes)]
        return found + [(code, False) for code in sorted(may - before.may) if not codes]

    @property
    def done(self) -> bool:
        turn = self.state
        return turn.complete or (turn.player in turn.markers and turn.player not in turn.position.markers)

    def left(self, player: str) -> int | None:
        return self.state.table().hands.get(player)

    def unable(self, player: str) -> list[Action]:
        draw: list[Action] = [] if self.state.boneyard == 0 else [Draw()]
        return [*draw, Pass() if player in self.state.markers else Mark(player)]

    def _depends(self, fault: Fault, told: Told) -> bool:
        if fault.code not in BEHIND_A_TURN_TO_COME:
            few = self.state.boneyard is not None and self.state.boneyard < FEW_LEFT
            drawn = fault.code == V.EXTRA_DRAW and self.to_come[-1] == fault.player
            return drawn or (fault.code == V.NO_DRAW and few) or (fault.code == V.EXTRA_TILE and self.veiled)
        if fault.code == V.CLOSED_TRAIN:
            return isinstance(told.act, Play) and told.act.train in self.to_come
        if fault.code == V.DUPLICATE_TILE:
            return told.outer_only
        return fault.code not in (V.MISMATCH, V.WRONG_ROOT) or self.excused < 2 * len(self.to_come)

    # ---- first trains laid at the same time ----------------------------------------------------------------------

    def _take(self, told: Told) -> list[Fault]:
        if self.lap is None or told.fine or isinstance(told.act, (Start, Setting, Leave)):
            faults = super()._take(told)
            if self.lap is not None and isinstance(told.act, Leave):
                mine = self._taken_up(told.by)
                mine.hand, self.closed = None, False
                self.through |= {told.by}
                faults += self._after_lap_act(told.by, mine)
            return faults
        who, act = told.by, told.act
        if self._begins_second_lap(who, act):
            faults = self._end_lap(who, told.tap)
            return [*faults, *super()._take(told)]
        mine = self._taken_up(who)
        if act is None:
            self.to_come = (*self.to_come, who)
            self.through |= {who} - set(self.lap)
            self.late_tiles |= {who} if len(self.lap) == len(self.players) else set()
            return self._after_lap_act(who, mine)
        if isinstance(act, (End, Pass)):
            if who in self.through:
                return []
            self.state, self.player, self.last = mine, who, told.tap
            faults = [Fault(told.tap, str(code), who, sure) for code, sure in self._lacks()]
            self.through |= {who}
            return [*faults, *self._after_lap_act(who, self.state)]
        if isinstance(act, Play) and len(self.lap) == len(self.players) and mine.laid:
            self.late_tiles |= {who}
        self.state, self.player, self.last, self.acted = mine, who, told.tap, True
        faults = [Fault(told.tap, str(code), who, sure) for code, sure in self._act(act, told)]
        if self.state.player in self.state.markers and not self.state.laid:
            self.through |= {who}
        return [*faults, *self._after_lap_act(who, self.state)]

    def _taken_up(self, who: str) -> TurnState:
        """The first turn of `who` on the table as it lies now."""
        assert self.lap is not None
        mine = self.lap[who][0].copy() if who in self.lap else TurnState(self.rules, self.state.table(who, True))
        table = self.state
        held = {player: turn.hand for player, (turn, _) in self.lap.items() if turn.hand is not None}
        mine.position = replace(mine.position, hands={**mine.position.hands, **held})
        mine.trains, mine.markers, mine.open = table.trains, table.markers, table.open
        mine.flipped, mine.seen, mine.boneyard = table.flipped, table.seen, table.boneyard
        return mine

    def _after_lap_act(self, who: str, mine: TurnState) -> list[Fault]:
        assert self.lap is not None
        self.lap, self.state = {**self.lap, who: (mine, self.last)}, mine
        self.turns = {**self.turns, who: 1}
        if self.through >= set(self.players):
            return self._end_lap(None, None)
        return []

    def _begins_second_lap(self, who: str, act: TableAct | None) -> bool:
        """Whether this can only be an act of an ordinary turn: everybody has begun, and `who` is done with the first
        train or lays elsewhere; or `who` is done with it and goes on before the others have begun."""
        assert self.lap is not None
        if act is None:
            return who in self.through and len(self.lap) == len(self.players)
        if isinstance(act, (End, Pass, Flip)):
            return False
        # Nobody begins a turn with a marker: one on somebody else's train belongs to the first turn too.
        own = isinstance(act, (Mark, Unmark)) or (isinstance(act, Play) and act.train == who)
        if len(self.lap) < len(self.players):
            return who in self.through
        marked = isinstance(act, Mark) and bool(self.lap[who][0].laid)
        return who in self.through or not own or (marked and who in self._may_begin(who))

    def _may_begin(self, who: str | None) -> tuple[str, ...]:
        """The starter begins ordinary turns; a later player where each before has laid one more tile on the own train,
        which may have been that turn."""
        begun, expected = self.expected[0], [self.expected[0]]
        while who is not None and begun != who and begun in self.late_tiles and begun not in self.through:
            begun = self.after(begun)
            expected.append(begun)
        return tuple(expected if who in expected else expected[:1])

    def missing_before(self, who: str, *, again: bool = False) -> list[str]:
        """While first trains are laid: those that nobody has begun, and the ordinary turns before that of `who`."""
        if self.lap is None:
            return super().missing_before(who, again=again)
        place = self.players.index(self.expected[0])
        row = [*self.players[place:], *self.players[:place]]
        before = [name for name in row[: row.index(who)] if name not in self.gone]
        return [*(name for name in row if name not in self.lap), *before]

    def _end_lap(self, who: str | None, tap: int | None) -> list[Fault]:
        """Ordinary turns begin; `who` makes the first."""
        assert self.lap is not None
        faults, lap = [], self.lap
        for player, (_, last) in lap.items():
            if player not in self.through and player not in self.to_come:
                self.state, self.player = self._taken_up(player), player
                faults += [Fault(last, str(code), player, sure) for code, sure in self._lacks()]
        if who is not None and set(lap) < set(self.players) and not self.to_come:
            faults.append(Fault(tap, str(V.OUT_OF_TURN), who))
        self.lap, self.moved = None, frozenset(self.players)
        self.turns = dict.fromkeys(self.players, 1)
        self.acted, self.closed, self.number = False, True, 0
        self.expected = self._may_begin(who)
        if who is not None and set(lap) < set(self.players):
            # Said already: somebody has not begun.
            self.expected = tuple(dict.fromkeys((who, *self.expected)))
        return faults


class LineFold(Fold):
    """A deal of a Chinese game.

    >>> from companion.rules import Board, load_ruleset
    >>> fold = LineFold(load_ruleset("jielong"), Board("jielong").position, "Ann")
    >>> for tile, by in ((Laid(2, 5), "Ann"), (Laid(4, 6), "Ben")):
    ...     fold, faults = fold.take(Told(Play(tile, "R"), by, 2))
    ...     print([fault.code for fault in faults])
    []
    ['MISMATCH']
    """

    __slots__ = ("away", "given", "strange", "table")
    fields: ClassVar[tuple[str, ...]] = (*Fold.fields, *__slots__)

    def __init__(self, rules: RuleSet, table: LinePosition, starter: str, *, anybody: bool = False) -> None:
        super().__init__(rules, table.players, starter, anybody=anybody)
        self.table = table
        self.given = 0
        """Tiles laid or put away in this turn."""
        self.strange: frozenset[str] = frozenset()
        """Players who have laid a tile that the set does not have left, and may hold one more than is counted."""
        self.away: tuple[tuple[str, int | None, frozenset[int]], ...] = ()
        """Each tile put away so far in place of one laid: by whom, at which line, and the ends that were open then."""

    def _opened(self, who: str) -> None:
        self.table = replace(self.table, turn=who)

    def _put_aside(self, who: str) -> None:
        self.table = without(self.table, who)

    def _begin(self, who: str) -> None:
        self.table, self.given = replace(self.table, turn=who), 0

    def _following(self, player: str) -> tuple[str, ...]:
        """The next who still has a tile, where hands are counted, and who may have one before."""
        found: list[str] = []
        following = self.after(player)
        for _ in self.players:
            left = self.table.hands.get(following)
            if left != 0 or following in self.strange:
                found.append(following)
            if left != 0:
                break
            following = self.after(following)
        return tuple(found) or (following,)

    def laid(self, told: Told) -> Laid | None:
        act, ends = told.act, self.table.ends
        if not isinstance(act, Play):
            return None
        if not told.outer_only or ends is None:
            return act.tile
        left = act.train == LEFT
        return Laid(act.tile.inner, ends[0]) if left else Laid(ends[1], act.tile.outer)

    def _act(self, act: TableAct, told: Told) -> list[tuple[V, bool]]:
        found: list[tuple[V, bool]] = []
        if isinstance(act, Play):
            act = Play(self.laid(told) or act.tile, act.train)
            faults = tile_faults(self.rules, self.table, act, tiles_of(self.rules, len(self.players) or None))
            found += [(code, n == 0) for n, code in enumerate(faults)]
            self.strange |= {told.by} if {V.MULTIPLICITY, V.TILE_NOT_IN_SET} & set(faults) else set()
        if isinstance(act, Discard):
            found += [(V.DISCARD_FACE_UP, True)] if act.face_up else []
            found += [(V.LEAD_MUST_PLAY, True)] if not self.table.line else []
            self.away = self.away if self.given else (*self.away, (told.by, told.tap, self._open_values()))
        if isinstance(act, (Play, Discard)):
            self.given += 1
            found += [(V.EXTRA_TILE, True)] if self.given > 1 else []
            self.table = apply(self.table, act)
            # Where nobody else has a tile left, the next is a turn of its own.
            self.expected = self.expected if self.astray else self._following(told.by)
            self.closed = told.by in self.expected
        return found

    def _open_values(self) -> frozenset[int]:
        ends = self.table.ends
        return frozenset() if ends is None else frozenset(ends[end != LEFT] for end in open_arms(self.rules))

    def _take(self, told: Told) -> list[Fault]:
        tile = None if told.outer_only else self.laid(told)
        faults = super()._take(told)
        if tile is not None and not self.to_come and not faults:
            # Nobody draws: a player who lays a tile had it when they put another one away.
            code = str(V.DISCARD_WITH_PLAYABLE)
            faults += [Fault(tap, code, who) for who, tap, ends in self.away if who == told.by and ends & set(tile)]
        return faults

    def _lacks(self) -> list[tuple[V, bool]]:
        return [] if self.given else [(V.PASS_WITHOUT_DISCARD, True)]

    @property
    def done(self) -> bool:
        return self.given > 0

    def left(self, player: str) -> int | None:
        return self.table.hands.get(player)

    def unable(self, player: str) -> list[Action]:
        return [Discard()]

    def _depends(self, fault: Fault, told: Told) -> bool:
        return fault.code in (V.MISMATCH, V.MULTIPLICITY, V.DISCARD_WITH_PLAYABLE)


def begun(rules: RuleSet, table: Position | LinePosition, starter: str, *, anybody: bool = False) -> Fold:
    """The round before anything has happened in it. `anybody`: nobody has said who begins."""
    if isinstance(table, LinePosition):
        return LineFold(rules, table, starter, anybody=anybody)
    return TrainFold(rules, table, starter, anybody=anybody)
