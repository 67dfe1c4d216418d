"""A row of turns by which a change between two still tables may have come about. Source: docs/rules.md 9.

Rows of whole turns by the belief's successor generator, none likelier than another: the search of `exact`.

The moves of `MexicanState.moves` that assume an error of the camera are left out: both tables are as they are. Nobody
has said anything, and markers move last. A turn ends as `round_state` lets it end.

The same search while everybody lays the first train at the same time: a row that is no row.

Source: docs/rules.md section 9. A tile on a player's own train, and a marker on it, is that player's, in any
order. The rest (a tile on the Mexican train, a draw) belongs to anybody's first turn, or, when all have begun, to the
ordinary turns after the lap.

The belief's engine with no lag, exact and exhaustive: every row of turns that makes a change between two tables.

Source: docs/rules.md section 9. The successor generator is the belief's own; here nothing is likelier than anything
else, the camera never errs, and every turn of a row is over. Legal if any row is faultless; else the rows with the
fewest faulty turns are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import NamedTuple

from companion.log.events import TableChange
from companion.rules.notation import Change, Drawing, Vanishing, print_act
from companion.rules.position import Action, Draw, End, Mark, Pass, Play, Position, Unmark
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation
from companion.rules.violations import Violation as V
from companion.tracking.evidence import Evidence, Move, Pieces, Rest
from companion.tracking.mexican_rounds import MexicanState


@dataclass(frozen=True, slots=True)
class RowTurn:
    """One player's turn of a row: the acts in order and what is wrong with them."""

    player: str
    acts: tuple[Action, ...]
    codes: frozenset[Violation] = frozenset()

    def __str__(self) -> str:
        """`Ben: draw, play 10-3@Ben`; their marker is `mark`, another's `mark Q`; nothing laid or put is a `pass`."""
        parts = []
        for act in self.acts:
            if isinstance(act, End | Pass):
                continue
            own = isinstance(act, Mark | Unmark) and act.player == self.player
            parts.append(print_act(act).split()[0] if own else print_act(act))
        if not any(isinstance(act, Play | Mark) for act in self.acts):
            parts.append("pass")
        return f"{self.player}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Row:
    """Turns that together make exactly the change; faultless when every turn in it is.

    >>> from companion.rules import Laid
    >>> drew, played = RowTurn("Ann", (Draw(), Mark("Ann"))), RowTurn("Ben", (Play(Laid(12, 5), "Ben"),))
    >>> str(Row((drew, played)))
    'Ann: draw, mark; Ben: play 12-5@Ben'
    """

    turns: tuple[RowTurn, ...]

    @property
    def blames(self) -> dict[str, frozenset[Violation]]:
        """Player -> the codes of a faulty turn, in the order of the row."""
        return {turn.player: turn.codes for turn in self.turns if turn.codes}

    def __str__(self) -> str:
        blames = self.blames
        if not blames:
            return "; ".join(str(turn) for turn in self.turns)
        return "; ".join(f"!{'+'.join(sorted(codes))} by {player}" for player, codes in blames.items())


@dataclass(frozen=True, slots=True)
class Inference:
    """All the ways in which a change can have come about.

    >>> from companion.rules import Board, load_ruleset
    >>> from companion.rules.notation import parse_delta
    >>> rules, table = load_ruleset("tactic"), Board("tactic").position
    >>> for told in ("+12-5@Ann", "+12-5@Ben"):
    ...     found = infer(rules, table, parse_delta([told]), "Ann")
    ...     print(found.explainable, found.explanations)
    True ('Ann: play 12-5@Ann',)
    False ('!CLOSED_TRAIN by Ann', '!MARKER_MISSING+NO_DRAW by Ann', '!OUT_OF_TURN by Ben')
    """

    explainable: bool
    """There are ways without a fault."""
    rows: tuple[Row, ...] = ()
    """Those ways; without any, the ones with the fewest faulty turns."""
    vanished: bool = False
    """A laid tile is gone: nothing explains that, and nobody can be named."""

    @property
    def explanations(self) -> tuple[str, ...]:
        if self.vanished:
            return (f"!{Violation.TILE_MOVED} by ?",)
        return tuple(sorted({str(row) for row in self.rows}))


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
    """One whole turn."""

    turn: RowTurn
    rest: Rest
    """The part of the change explained after it."""
    move: Move
    """The move that ends it."""
    seen: bool
    """Some of the change belongs to it."""
    last: bool
    """It moved a marker of somebody without a turn in the row, so nobody may follow."""
    out: bool
    """The hand is empty after it."""

    @property
    def following(self) -> MexicanState:
        """The state with the next player to move."""
        state = self.move.state
        return state if isinstance(state, MexicanState) else state()

    @property
    def table(self) -> Position:
        return self.following.turn.position


class _Node(NamedTuple):
    """The middle of a turn."""

    state: MexicanState
    rest: Rest
    plays: tuple[Play, ...]
    places: tuple[int, ...]
    """Before which tile each draw comes."""
    codes: frozenset[V]


Rank = tuple[object, ...]
"""The draws of a turn may come at several places. The place of least rank is told: legal and early, or with the fewest
codes."""


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

        The rest of the change tells the tiles on the table; rows that meet again share their tails.
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
        # Of a row with a fault only the charges are told.
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
            # The order of the tiles is told of a faultless turn, and where draws are to be placed.
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
        """The turn that ends here. None where a marker is left that nobody can have moved: one on a player's train
        belongs to that player's turn or, without one in the row, to the last turn."""
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
    """Ranks a turn by where its draws come: the earliest legal place first, else the one that leaves the fewest codes.
    Where the boneyard cannot be counted, a turn that needs a draw has one."""
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
    """The state that the turn leaves, apart from its tiles."""
    table = made.table
    return (table.open, table.markers, table.flipped, table.boneyard, made.out, made.last)


PlayerShares = Mapping[str, tuple[Change, ...]]
"""Player -> what of the change is taken to be that player's."""


class FirstTrains(Rows):
    """The first turns of all who have not begun, and of those who go on, that make `changes`."""

    def __init__(self, rules: RuleSet, table: Position, changes: Sequence[Change]) -> None:
        super().__init__(rules, table, changes)
        start = table.players.index(table.turn)
        self.seats = table.players[start:] + table.players[:start]
        own: dict[str, tuple[Change, ...]] = dict.fromkeys(self.seats, ())
        self.units: list[Change] = []
        self.strangers: list[Change] = []
        for change in changes:
            match change:
                case Play(_, train) if train in own:
                    own[train] += (change,)
                case Play():
                    self.units.append(change)
                case Drawing(count):
                    self.units += [Drawing(1)] * count
                case Mark(player) | Unmark(player) if player in own:
                    own[player] += (change,)
                case Mark() | Unmark():
                    self.strangers.append(change)
        self.own: PlayerShares = own

    def with_faults(self, budget: int) -> Iterator[Row]:
        """All ways with exactly `budget` faulty turns, the turns in the order of the seats."""
        for shares in self._dealt_out():
            for turns, _ in self._first_turns(shares, budget):
                if _faulty(turns) == budget:
                    yield Row(turns)
        if self.units or self.strangers:
            yield from self._ordinary_after(budget)

    def out_of_turn(self) -> Iterator[Row]:
        """In this lap nobody is out of turn."""
        return iter(())

    def _dealt_out(self) -> Iterator[PlayerShares]:
        """Every way in which the players may have done what is left, beside what is their own."""
        for players in product(self.seats, repeat=len(self.units)):
            self.work.count()
            shares = dict(self.own)
            for unit, player in zip(self.units, players, strict=True):
                shares[player] += (unit,)
            if self.strangers:
                last = next((name for name in reversed(self.seats) if shares[name]), self.seats[0])
                shares[last] += tuple(self.strangers)
            yield shares

    def _first_turns(self, shares: PlayerShares, budget: int) -> Iterator[tuple[tuple[RowTurn, ...], Position]]:
        """The turns of all who have done something, with at most `budget` faulty ones, and the table after them.

        The order of players matters only where a tile lies there twice.
        """
        row = [player for player in self.seats if shares[player]]
        laid = [one.tile.tile for player in row for one in shares[player] if isinstance(one, Play)]
        orders = permutations(row) if len(set(laid)) < len(laid) else iter([tuple(row)])
        for order in orders:
            for turns, after in self._one_by_one(order, shares, self.table, budget):
                yield tuple(sorted(turns, key=lambda turn: self.seats.index(turn.player))), after

    def _one_by_one(
        self, order: tuple[str, ...], shares: PlayerShares, table: Position, budget: int
    ) -> Iterator[tuple[tuple[RowTurn, ...], Position]]:
        if not order:
            yield (), table
            return
        player, *later = order
        mine = Rows(self.rules, replace(table, turn=player, first_turn=True), shares[player], self.work)
        for made in mine.turns(state_of(self.rules, mine.table), mine.pieces.start, budget, ended=False):
            left = budget - bool(made.turn.codes)
            if made.rest == mine.done and left >= 0:
                for tail, after in self._one_by_one(tuple(later), shares, made.table, left):
                    yield (made.turn, *tail), after

    def _ordinary_after(self, budget: int) -> Iterator[Row]:
        """All have begun, and the rest belongs to ordinary turns. A player who has neither laid nor marked is at
        fault."""
        left = [*self.units, *self.strangers]
        for turns, after in self._first_turns(self.own, budget):
            late = [name for name in self.seats if not has_begun(after, name)]
            more = budget - _faulty(turns) - len(late)
            if more < 0:
                continue
            passes: list[RowTurn] = []
            for name in late:
                rows = Rows(self.rules, replace(after, turn=name, first_turn=True), (), self.work)
                passes += [
                    made.turn for made in rows.turns(state_of(self.rules, rows.table), rows.done, 1, ended=False)
                ]
            first = self._starter()
            tail = Rows(self.rules, replace(after, turn=first, first_turn=False), left, self.work)
            for row in tail.with_faults(more):
                yield Row((*turns, *passes, *row.turns))

    def _starter(self) -> str:
        """The player who started the round. The first of the seats is the next who has not begun; the starter begins
        the unbroken row of those before them who have."""
        starter = self.seats[0]
        for player in reversed(self.seats[1:]):
            if not has_begun(self.table, player):
                break
            starter = player
        return starter


def _faulty(turns: Sequence[RowTurn]) -> int:
    return sum(bool(turn.codes) for turn in turns)


def infer(rules: RuleSet, before: Position, delta: Iterable[Change], expected: str) -> Inference:
    """Explain the change `delta` of the table `before`, `expected` to move next. Source: docs/rules.md section 9."""
    changes = tuple(change for change in delta if change != Drawing(0))
    if any(isinstance(change, Vanishing) for change in changes):
        return Inference(explainable=False, vanished=True)
    if not changes:
        return Inference(explainable=True)
    first_turn = before.first_turn
    if expected != before.turn:
        first_turn = first_turn and not has_begun(before, expected)
    table = replace(before, turn=expected, first_turn=first_turn)
    together = rules.first_simultaneous and first_turn
    search = FirstTrains(rules, table, changes) if together else Rows(rules, table, changes)
    try:
        legal = tuple(search.with_faults(0))
        return Inference(bool(legal), legal or _fewest_faults(search, len(table.players)))
    except TooManyError:
        return Inference(explainable=False)


def _fewest_faults(search: Rows, players: int) -> tuple[Row, ...]:
    for budget in range(1, players + 1):
        rows = [*search.with_faults(budget)]
        if budget == 1:
            rows.extend(search.out_of_turn())
        if rows:
            return _undominated(rows)
    return ()


def _undominated(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Drop each row that blames the same players as another one and has all of its codes, and more."""
    distinct = {str(row): row for row in reversed(rows)}
    blames = {text: row.blames for text, row in distinct.items()}

    def includes_another(text: str) -> bool:
        mine = blames[text]
        others = (other for name, other in blames.items() if name != text and other.keys() == mine.keys())
        return any(all(mine[player] >= codes for player, codes in other.items()) for other in others)

    return tuple(row for text, row in distinct.items() if not includes_another(text))
