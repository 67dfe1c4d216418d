"""Rows of whole turns by the belief's successor generator, none likelier than another: the search of `exact`.

Of the ways on that `MexicanState.moves` knows, those are left out that assume an error of the camera: both tables are
as they are. Nobody has said anything, and markers move last. A turn ends as `endings` lets it end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from companion.log.table_change import TableChange
from companion.rules.actions import Action, Draw, End, Mark, Play, Unmark
from companion.rules.notation import Change
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation as V
from companion.tracking.evidence import Evidence
from companion.tracking.mexican import MexicanState
from companion.tracking.pieces import Move, Pieces, Rest
from companion.tracking.row import Row, RowTurn

MOST_WORK = 10_000
"""Middles of turns that are looked at before the search gives up: nothing is explained and nobody is blamed. Six tiles
that fit nowhere, at a table of eight where draws cannot be counted, take some thousands of it."""


class TooManyError(Exception):
    """The search has looked at more than it is worth."""


class Work:
    """How much a search, with all that it asks for, has looked at."""

    def __init__(self) -> None:
        self.done = 0

    def count(self) -> None:
        self.done += 1
        if self.done > MOST_WORK:
            raise TooManyError


class Made(NamedTuple):
    """One whole turn, what of the change is explained after it, and the move that ends it.

    `seen`: some of the change belongs to it. `last`: it moved a marker of somebody without a turn in the row, so that
    nobody may follow. `out`: the hand is empty after it.
    """

    turn: RowTurn
    rest: Rest
    move: Move
    seen: bool
    last: bool
    out: bool

    @property
    def following(self) -> MexicanState:
        """The state with the next player to move."""
        state = self.move.state
        return state if isinstance(state, MexicanState) else state()

    @property
    def table(self) -> Position:
        return self.following.turn.position


class _Node(NamedTuple):
    """The middle of a turn: `places` says before which tile each draw comes."""

    state: MexicanState
    rest: Rest
    plays: tuple[Play, ...]
    places: tuple[int, ...]
    codes: frozenset[V]


Rank = tuple[object, ...]
"""Of the places where the draws of a turn may come, the least is told: legal and early, or with the fewest codes."""


class ExactState(MexicanState):
    """The state of a round at which no camera looks."""

    __slots__ = ()

    errors = False
    unseen = False


def has_begun(table: Position, player: str) -> bool:
    return bool(table.trains.get(player)) or player in table.markers


def state_of(rules: RuleSet, table: Position) -> MexicanState:
    """The belief's state with `table.turn` to move, nothing done; who has had a first turn shows on the table."""
    state = ExactState(rules, table, table.turn)
    state.moved = frozenset(
        player
        for player in table.players
        if not table.first_turn or (player != table.turn and has_begun(table, player))
    )
    return state


class Rows:
    """The rows of turns from `table.turn` on that make `changes`."""

    def __init__(self, rules: RuleSet, table: Position, changes: Sequence[Change], work: Work | None = None) -> None:
        self.rules = rules
        self.table = table
        self.pieces = Pieces.of(Evidence.of(0, TableChange(tuple(changes))))
        self.done = self.pieces.done
        self.work = Work() if work is None else work
        self._tails: dict[object, tuple[tuple[RowTurn, ...], ...]] = {}

    def with_faults(self, budget: int) -> Iterator[Row]:
        """All rows with exactly `budget` faulty turns (0: the faultless ones)."""
        start = state_of(self.rules, self.table)
        for turns in self._from(start, self.pieces.start, budget, ended=False):
            yield Row(turns)

    def out_of_turn(self) -> Iterator[Row]:
        """Another player than the expected one made the whole change in one turn, faultless but for its moment."""
        for player in self.table.players:
            if player == self.table.turn:
                continue
            first_turn = self.table.first_turn and not has_begun(self.table, player)
            state = state_of(self.rules, replace(self.table, turn=player, first_turn=first_turn))
            for made in self.turns(state, self.pieces.start, 0, ended=False):
                if made.rest == self.done:
                    yield Row((replace(made.turn, codes=frozenset({V.OUT_OF_TURN})),))
                    break

    def _from(self, state: MexicanState, rest: Rest, budget: int, *, ended: bool) -> tuple[tuple[RowTurn, ...], ...]:
        """The rows from the player to move on, with `budget` faulty turns in them.

        What is left of the change tells the tiles on the table; rows that meet again share their tails.
        """
        turn = state.turn
        table = (turn.player, tuple(turn.open), frozenset(turn.flipped), frozenset(turn.markers), turn.boneyard)
        key = (table, tuple(turn.position.hands.items()), rest, budget, ended, state.moved)
        known = self._tails.get(key)
        if known is None:
            known = self._tails[key] = tuple(self._going_on(state, rest, budget, ended=ended))
        return known

    def _going_on(self, state: MexicanState, rest: Rest, budget: int, *, ended: bool) -> Iterator[tuple[RowTurn, ...]]:
        last_seat = self.table.after(state.mover) == self.table.turn
        for made in self.turns(state, rest, budget, ended=ended):
            left = budget - bool(made.turn.codes)
            if made.rest == self.done:
                if made.seen and not left:
                    yield (made.turn,)
            elif left >= 0 and not last_seat and not made.last:
                for tail in self._from(made.following, made.rest, left, ended=ended or made.out):
                    yield (made.turn, *tail)

    # ---- one turn --------------------------------------------------------------------------------------------------

    def turns(self, state: MexicanState, rest: Rest, budget: int, *, ended: bool) -> Iterator[Made]:
        """Every turn of the player to move, whole, with its draws at the earliest legal place; faulty ones only with a
        `budget`. Once somebody is out (`ended`) a tile is a fault by itself, but in a first turn that is still due."""
        ended = ended and not (self.rules.finish_first_lap and state.mover not in state.moved)
        best: dict[object, tuple[Rank, Made]] = {}
        for plays, rank, made in self._whole_turns(state, rest, budget, ended=ended):
            known = best.get((plays, made.rest))
            if known is None or rank < known[0]:
                best[plays, made.rest] = rank, made
        if not budget:
            yield from (made for _, made in best.values())
            return
        # Of a row with a fault only what is held against whom is told.
        alike: dict[object, Made] = {}
        for _, made in best.values():
            alike.setdefault((made.turn.codes, made.rest, _left_open(made)), made)
        yield from alike.values()

    def _whole_turns(
        self, start: MexicanState, began: Rest, budget: int, *, ended: bool
    ) -> Iterator[tuple[tuple[Play, ...], Rank, Made]]:
        drawing = start.turn.boneyard is None or began.draws < self.done.draws
        waiting = [_Node(start, began, (), (), frozenset())]
        known: set[object] = set()
        while waiting:
            node = waiting.pop()
            # What order the tiles came in is told of a faultless turn, and where draws are to be placed.
            order = node.plays if drawing or not budget else None
            # The acts in their order tell the state.
            key = (None if order is not None else node.state.sign, node.rest, order, node.places, node.codes)
            if key in known:
                continue
            known.add(key)
            self.work.count()
            for move in node.state.moves(self.pieces, node.rest, faults=budget > 0):
                step = move.step
                if step.act is None or step.player != start.mover:
                    continue
                if isinstance(step.act, End):
                    made = self._whole(node, began, move, ended=ended)
                    if made is not None and (budget or not made.turn.codes):
                        yield node.plays, _rank(node, made) if drawing else (), made
                elif _markers_come_last(began, node.rest, move.rest):
                    waiting.append(_after(node, move))
            if start.turn.boneyard is None and node.rest.markers == began.markers:
                drawn = _with_assumed_draw(node)
                if drawn is not None:
                    waiting.append(drawn)

    def _whole(self, node: _Node, began: Rest, move: Move, *, ended: bool) -> Made | None:
        """The turn that ends here. None where that leaves a marker that nobody can have moved: one on a player's train
        belongs to that player's turn, or, where there is none in the row, to the last."""
        mover, rest = node.state.mover, node.rest
        own: list[Action] = []
        others: list[Action] = []
        for n, piece in enumerate(self.pieces.markers):
            assert isinstance(piece.act, Mark | Unmark)
            mine = piece.act.player == mover
            if not rest.markers >> n & 1:
                if mine:
                    return None
            elif not began.markers >> n & 1:
                (own if mine else others).append(piece.act)
        if others and rest != self.done:
            return None
        acts: list[Action] = []
        for n in range(len(node.plays) + 1):
            acts += [Draw()] * node.places.count(n)
            acts += node.plays[n : n + 1]
        codes = node.codes.union(map(V, move.step.codes))
        if ended and node.plays:
            codes = frozenset({V.PLAY_AFTER_END})
        out = node.state.turn.hand == 0
        return Made(RowTurn(mover, (*acts, *own, *others), codes), rest, move, rest != began, bool(others), out)


def _rank(node: _Node, made: Made) -> Rank:
    """The earliest legal place of each draw is least; where there is none, the one that leaves the fewest codes. Where
    the boneyard cannot be counted, a turn that needs a draw has one."""
    codes = made.turn.codes
    judged = node.state.turn.copy()
    judged.finish()
    may = judged.may - codes
    lacks = judged.boneyard is None and V.NO_DRAW in may
    wrong = (1, len(codes), len(may)) if codes or lacks else (0,)
    return (*wrong, len(node.places), node.places)


def _markers_come_last(began: Rest, before: Rest, after: Rest) -> bool:
    """Whether a turn may go on so: after a marker only another one, in the order of the change."""
    moved = before.markers & ~began.markers
    return after.markers & ~before.markers > moved if after.markers != before.markers else not moved


def _after(node: _Node, move: Move) -> _Node:
    state = move.state if isinstance(move.state, MexicanState) else move.state()
    plays, places = node.plays, node.places
    if isinstance(move.step.act, Play):
        plays = (*plays, move.step.act)
    elif isinstance(move.step.act, Draw):
        places = (*places, len(plays))
    return _Node(state, move.rest, plays, places, node.codes.union(map(V, move.step.codes)))


def _with_assumed_draw(node: _Node) -> _Node | None:
    """Where the boneyard cannot be counted a draw leaves no trace; None where it would break a rule."""
    state = node.state
    if state.turn.complete or state.turn.drawn:
        return None
    other = state.copy()
    other.turn = state.turn.copy()
    other.turn.draw()
    other.acted = True
    if other.turn.codes != state.turn.codes:
        return None
    return node._replace(state=other, places=(*node.places, len(node.plays)))


def _left_open(made: Made) -> tuple[object, ...]:
    """What the turn leaves behind beside its tiles."""
    table = made.table
    return (table.open, table.markers, table.flipped, table.boneyard, made.out, made.last)
