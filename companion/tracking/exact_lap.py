"""The same search while everybody lays the first train at the same time: a row that is no row.

Source: docs/rules.md section 9. A tile on a player's own train, and a marker on it, is that player's, in any
order. What is left over (a tile on the Mexican train, a draw) belongs to anybody's first turn, or, when all have begun,
to the ordinary turns after the lap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product

from companion.rules.actions import Mark, Unmark
from companion.rules.notation import Change, Drawing, Laying
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.tracking.exact_rows import Rows, has_begun, state_of
from companion.tracking.row import Row, RowTurn

Shares = Mapping[str, tuple[Change, ...]]
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
                case Laying(_, train) if train in own:
                    own[train] += (change,)
                case Laying():
                    self.units.append(change)
                case Drawing(count):
                    self.units += [Drawing(1)] * count
                case Mark(player) | Unmark(player) if player in own:
                    own[player] += (change,)
                case Mark() | Unmark():
                    self.strangers.append(change)
        self.own: Shares = own

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

    def _dealt_out(self) -> Iterator[Shares]:
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

    def _first_turns(self, shares: Shares, budget: int) -> Iterator[tuple[tuple[RowTurn, ...], Position]]:
        """The turns of all who have done something, with at most `budget` faulty ones, and the table after them.

        Whose tile came first matters only where one lies there twice.
        """
        row = [player for player in self.seats if shares[player]]
        laid = [one.tile.tile for player in row for one in shares[player] if isinstance(one, Laying)]
        orders = permutations(row) if len(set(laid)) < len(laid) else iter([tuple(row)])
        for order in orders:
            for turns, after in self._one_by_one(order, shares, self.table, budget):
                yield tuple(sorted(turns, key=lambda turn: self.seats.index(turn.player))), after

    def _one_by_one(
        self, order: tuple[str, ...], shares: Shares, table: Position, budget: int
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
        """All have begun, and what is left over belongs to ordinary turns. Whoever has neither laid nor marked is at
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
        """Who started the round, when the first of the seats is the next who has not begun: whoever begins the row of
        those before him who have."""
        starter = self.seats[0]
        for player in reversed(self.seats[1:]):
            if not has_begun(self.table, player):
                break
            starter = player
        return starter


def _faulty(turns: Sequence[RowTurn]) -> int:
    return sum(bool(turn.codes) for turn in turns)
