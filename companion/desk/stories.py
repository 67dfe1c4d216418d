"""What may have happened between two still tables, told as events that continue the course of the round.

Every row of turns from the open turn on is tried, each tile, draw and marker in somebody's turn, the players between
passing unseen. A last turn may be unfinished: nothing is held against it that a later act can mend. If any telling is
faultless the change is legal; among those the one with the fewest turns is preferred, and where several are equally
short nobody is named for what they dispute. If none is, the cheapest faulty ones are weighed: what they share is
certain, the rest is "one of these". Source: docs/rules.md sections 5.2 and 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.desk.acts import action_of
from companion.desk.course import Course
from companion.event_fields import Finding
from companion.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    TilePlayed,
)
from companion.notation import Change, Drawing, Laying
from companion.position import Position
from companion.turn import Mark, Unmark
from companion.violation import Violation

MOST_TRIALS = 1500
"""Events tried for one change before the search gives up and a person is asked; so many more for each tile."""

TRIALS_A_TILE = 100

TRIED = 1_000_000
"""Keys of events that are only tried lie above this."""

MOST_CHARGES = 3
"""Charges beside the least, with which a change of many tiles is still explained."""

Blame = frozenset[tuple[str, str]]
"""(player, code) pairs."""


@dataclass(slots=True)
class Effort:
    """Trials that several searches share. Once `left` is used up each further search finds nothing."""

    left: int

    @property
    def spent(self) -> bool:
        return self.left <= 0


@dataclass(frozen=True, slots=True)
class Telling:
    """One way in which it may have happened. `blame` is empty where it is legal, `turns` how many players it needs.

    `pending`: what the last turn would be blamed for if it ended like this; a moment later it may be put right.
    `resumed`: acts of players who had ended their turn with a marker, which is as unlikely as a fault.
    """

    events: tuple[Event, ...]
    course: Course
    blame: Blame = frozenset()
    turns: int = 0
    pending: int = 0
    resumed: int = 0

    @property
    def cost(self) -> tuple[int, int, int]:
        passes = sum(isinstance(event, Passed) for event in self.events)
        return len(self.blame), self.pending, self.turns + passes


@dataclass(frozen=True, slots=True)
class _Rest:
    """What has still to be told: tiles per train from the inside out, flips, draws, markers, discards by player."""

    tiles: tuple[tuple[Laying, ...], ...] = ()
    flips: tuple[str, ...] = ()
    draws: int = 0
    markers: tuple[Mark | Unmark, ...] = ()
    discards: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (any(self.tiles) or self.flips or self.draws or self.markers or self.discards)


def tell_with_faults(
    course: Course,
    delta: Iterable[Change],
    faults: int,
    *,
    flips: Sequence[str] = (),
    discards: Mapping[str, int] | None = None,
    source: str = "camera",
    effort: Effort | None = None,
) -> tuple[Telling, ...]:
    """The tellings in which exactly `faults` players break a rule, the cheapest first; none where it is too much.

    A search that was cut short has seen only some of the faulty ones, and what these share proves nothing. Then only
    those with few charges are looked for, of which all can be seen: somebody who broke one rule has not broken five.

    `effort` is shared with other searches and pays for this one; what an exhausted one cuts short proves nothing.
    """
    if effort is not None and effort.spent:
        return ()
    rest = _rest_of(delta, flips, discards)
    search = _Search(course, source)
    found = search.all(rest, faults)
    if effort is not None:
        effort.left -= search.trials
    if not search.given_up or (found and not faults):
        return tuple(found)
    for charges in range(faults, faults + MOST_CHARGES) if faults else ():
        search = _Search(course, source, charges)
        found = search.all(rest, faults)
        if effort is not None:
            effort.left -= search.trials
        if found or search.given_up:
            return () if search.given_up else tuple(found)
    return ()


def _rest_of(delta: Iterable[Change], flips: Sequence[str], discards: Mapping[str, int] | None) -> _Rest:
    changes = tuple(delta)
    trains: dict[str, list[Laying]] = {}
    for change in changes:
        if isinstance(change, Laying):
            trains.setdefault(change.train, []).append(change)
    return _Rest(
        tiles=tuple(map(tuple, trains.values())),
        flips=tuple(flips),
        draws=sum(change.count for change in changes if isinstance(change, Drawing)),
        markers=tuple(dict.fromkeys(change for change in changes if isinstance(change, (Mark, Unmark)))),
        discards=tuple(player for player, count in (discards or {}).items() for _ in range(count)),
    )


def order_of_doubles(course: Course) -> tuple[str, ...]:
    """The open doubles as this course has them: in which order they were laid matters to whoever closes them."""
    return course.table.open if isinstance(course.table, Position) else ()


def _what(event: Event) -> tuple[object, ...]:
    """What happened, whoever did it. Each draw and pass is somebody's own."""
    if isinstance(event, (Drew, Passed, Discarded)):
        return event.KIND, event.by
    return event.KIND, getattr(event, "tile", None), getattr(event, "train", None)


class _Search:
    """Tries events on the course, act by act."""

    def __init__(self, course: Course, source: str, most_charges: int | None = None) -> None:
        self.most_charges = most_charges
        self.course = course
        self.source = source
        self.trials = 0
        self.most_trials = MOST_TRIALS
        first = course.turn.player if course.turn is not None else course.mover
        start = course.players.index(first)
        order = course.players[start:] + course.players[:start]
        self.row = (*order, first) if course.turn is not None else order
        self.at = -1 if course.turn is None else 0
        self.base = max((*(course.turn.keys if course.turn else ()), TRIED)) + 1
        self.known: set[tuple[int, Finding]] = set()
        if course.turn is not None:
            told = course.turn.findings(course.referee, over=course.turn.passed is not None)
            self.known = {(key, finding) for key, found in told.items() for finding in found}

    @property
    def given_up(self) -> bool:
        return self.trials > self.most_trials

    def all(self, rest: _Rest, budget: int) -> list[Telling]:
        """The distinct tellings with exactly `budget` faulty players, the cheapest first; dominated ones left out."""
        best: dict[object, Telling] = {}
        self.most_trials = MOST_TRIALS + TRIALS_A_TILE * sum(map(len, rest.tiles))
        for telling in self._go(Telling((), self.course), rest, self.row, self.at, budget):
            if max(len({player for player, _ in telling.blame}), telling.resumed) != budget:
                continue
            acts = frozenset((_what(event), getattr(event, "by", None)) for event in telling.events)
            key = (telling.blame, acts, order_of_doubles(telling.course))
            if key not in best or telling.cost < best[key].cost:
                best[key] = telling
        found = sorted(best.values(), key=lambda telling: telling.cost)
        if not budget:
            return found
        kept = [telling for telling in found if not any(_beats(other, telling) for other in found)]
        return [telling for telling in kept if _only_the_moment(telling)] or kept

    def _go(self, so_far: Telling, rest: _Rest, row: tuple[str, ...], at: int, budget: int) -> Iterator[Telling]:
        if rest.empty:
            turn = so_far.course.turn
            done = turn is not None and turn.finished(so_far.course.rules)
            codes = turn.end_codes(so_far.course.referee) if turn is not None and done else frozenset[Violation]()
            blame = so_far.blame
            if so_far.resumed and not blame and turn is not None:
                blame = frozenset((turn.player, str(code)) for code in codes)
            yield replace(so_far, pending=len(codes), blame=blame)
            return
        if self.trials > self.most_trials:
            return
        if so_far.course.laying_together:
            yield from self._lay_together(so_far, rest, row, at, budget)
            return
        for seat in range(max(at, 0), len(row)):
            if self.given_up:
                return
            passed = self._pass_until(so_far, row, at, seat, budget)
            begun = [] if passed is None else [passed]
            if budget and seat > at + 1:
                begun.append(so_far)
            for start in begun:
                for event, left in self._acts(rest, row[seat], start.events):
                    told = self._try(start, event, budget, new_turn=seat > at or not so_far.events)
                    if told is not None:
                        yield from self._go(told, left, row, seat, budget)

    def _lay_together(
        self, so_far: Telling, rest: _Rest, row: tuple[str, ...], at: int, budget: int
    ) -> Iterator[Telling]:
        """First trains laid at the same time: each player's tiles are his, in whatever order. What belongs to none of
        them is an ordinary turn's once everybody has begun; before that it is a fault, of whoever did it or of those
        who have not begun."""
        course = so_far.course
        own = self._of_a_first_train(course, rest, so_far.events)
        if own is not None:
            event, left = own
            other = course.turn is None or course.turn.player != getattr(event, "by", None)
            told = self._try(so_far, event, budget, new_turn=other)
            if told is not None:
                yield from self._go(told, left, row, at, budget)
        if course.all_begun:
            yield from self._first_ordinary_turn(so_far, rest, budget)
            return
        if own is not None:
            return
        for player in course.players:
            for event, left in self._acts(rest, player, so_far.events):
                told = self._try(so_far, event, budget, new_turn=True)
                if told is not None:
                    yield from self._go(told, left, row, at, budget)
        late: Telling | None = so_far
        for player in course.players:
            if late is not None and player not in course.begun:
                late = self._try(late, Passed(by=player, source="rule"), budget, new_turn=False)
        if late is not None:
            yield from self._first_ordinary_turn(late, rest, budget)

    def _of_a_first_train(self, course: Course, rest: _Rest, told: Sequence[Event]) -> tuple[Event, _Rest] | None:
        """A tile on somebody's own train or somebody's own marker, as far as it can belong to the first train."""
        for player in course.players:
            for event, left in self._acts(rest, player, told):
                action = action_of(event)
                if action is None or getattr(event, "train", None) != player or isinstance(event, DoubleFlipped):
                    continue
                if course.laying(player, action):
                    return event, left
        return None

    def _first_ordinary_turn(self, so_far: Telling, rest: _Rest, budget: int) -> Iterator[Telling]:
        """The rest as turns one after the other, from whoever may be the first to make one."""
        players = so_far.course.players
        for first in so_far.course.movers:
            start = players.index(first)
            row = players[start:] + players[:start]
            for seat, player in enumerate(row):
                if self.given_up:
                    return
                passed = self._pass_until(so_far, row, -1, seat, budget)
                begun_here = [] if passed is None else [passed]
                if budget and seat:
                    begun_here.append(so_far)
                for start_of_turn in begun_here:
                    for event, left in self._acts(rest, player, start_of_turn.events):
                        told = self._try(start_of_turn, event, budget, new_turn=True)
                        if told is not None and not told.course.laying_together:
                            yield from self._go(told, left, row, seat, budget)

    def _acts(self, rest: _Rest, player: str, told: Sequence[Event]) -> Iterator[tuple[Event, _Rest]]:
        """What `player` may have done next, with what is left then.

        A marker is moved by its owner, or by the last to act where its owner did nothing. Source: docs/rules.md 9.
        """
        for n, train in enumerate(rest.flips):
            left = replace(rest, flips=rest.flips[:n] + rest.flips[n + 1 :])
            yield DoubleFlipped(by=player, train=train, source=self.source), left
        for n, tiles in enumerate(rest.tiles):
            if tiles:
                left = replace(rest, tiles=(*rest.tiles[:n], tiles[1:], *rest.tiles[n + 1 :]))
                yield TilePlayed(by=player, tile=tiles[0].tile, train=tiles[0].train, source=self.source), left
        if rest.draws:
            yield Drew(by=player, source=self.source), replace(rest, draws=rest.draws - 1)
        for n, name in enumerate(rest.discards):
            if name == player:
                left = replace(rest, discards=rest.discards[:n] + rest.discards[n + 1 :])
                yield Discarded(by=player, source=self.source), left
        alone = not (any(rest.tiles) or rest.draws or rest.flips or rest.discards)
        for n, marker in enumerate(rest.markers):
            idle = alone and not any(getattr(event, "by", None) == marker.player for event in told)
            if marker.player == player or idle:
                left = replace(rest, markers=rest.markers[:n] + rest.markers[n + 1 :])
                kind = MarkerPlaced if isinstance(marker, Mark) else MarkerRemoved
                yield kind(by=player, train=marker.player, source=self.source), left

    def _pass_until(self, so_far: Telling, row: tuple[str, ...], at: int, seat: int, budget: int) -> Telling | None:
        """The players between two seats of the row have passed unseen."""
        told: Telling | None = so_far
        for between in range(at + 1, seat):
            if told is None:
                return None
            told = self._try(told, Passed(by=row[between], source="rule"), budget, new_turn=False)
        return told

    def _try(self, so_far: Telling, event: Event, budget: int, *, new_turn: bool) -> Telling | None:
        """One more event, where the blame stays within the budget."""
        self.trials += 1
        course, blame, events = so_far.course, set(so_far.blame), list(so_far.events)
        for implied in course.passes_before(event):
            step = course.take(implied, self.base + len(events))
            course = step.course
            self._blame(blame, events, implied, step.findings, step.late)
            events.append(implied)
        step = course.take(event, self.base + len(events))
        self._blame(blame, events, event, step.findings, step.late)
        events.append(event)
        resumed = so_far.resumed + self._resumes(so_far.course, event)
        if len({player for player, _ in blame}) + resumed > budget:
            return None
        if self.most_charges is not None and len(blame) > self.most_charges:
            return None
        return Telling(tuple(events), step.course, frozenset(blame), so_far.turns + new_turn, resumed=resumed)

    def _resumes(self, course: Course, event: Event) -> bool:
        """Whether somebody who has put the marker on goes on laying or drawing all the same."""
        turn = course.turn
        if turn is None or turn.player != getattr(event, "by", None) or not isinstance(event, (TilePlayed, Drew)):
            return False
        return turn.finished(course.rules) and not turn.complete(course.rules)

    def _blame(
        self,
        blame: set[tuple[str, str]],
        events: list[Event],
        event: Event,
        findings: Sequence[Finding],
        late: Mapping[int, tuple[Finding, ...]],
    ) -> None:
        out_of_turn = any(finding.code == Violation.OUT_OF_TURN for finding in findings)
        for finding in findings:
            if out_of_turn and not finding.certain and finding.code != Violation.OUT_OF_TURN:
                continue
            blame.add((finding.by or str(getattr(event, "by", "")), finding.code))
        for key, found in late.items():
            turn_player = self._player_of_key(key, events)
            for finding in found:
                if (key, finding) not in self.known:
                    blame.add((finding.by or turn_player, finding.code))

    def _player_of_key(self, key: int, events: list[Event]) -> str:
        if key >= self.base:
            return str(getattr(events[key - self.base], "by", ""))
        turn = self.course.turn
        return turn.player if turn is not None else ""


def _only_the_moment(telling: Telling) -> bool:
    """Out of turn is a story only where the turn is faultless but for its moment. Source: docs/rules.md section 9."""
    early = {player for player, code in telling.blame if code == Violation.OUT_OF_TURN}
    return not any(player in early and code != Violation.OUT_OF_TURN for player, code in telling.blame)


def _beats(one: Telling, other: Telling) -> bool:
    """Of two that blame the same players the one whose codes include all of the other's is dropped, and of two with the
    same codes the dearer one, unless somebody else would be to move after it."""
    if one.blame == other.blame:
        return one.cost < other.cost and one.course.mover == other.course.mover
    same = {player for player, _ in one.blame} == {player for player, _ in other.blame}
    return same and one.blame < other.blame
