"""A round that people tap, as they tell it: taps and answers in, out come the order of the acts, what does not fit, and
what people have confirmed.

Nothing is inferred. A tap that fits the round as told is taken; one that does not is asked about (`tracking.edits`).
While a question is open each of its keys, and the round as told, stays a `ActOrder`. A tap that fits one of them asks
nothing and strikes out the others. An answer is attached to the tap that it is about, so that the order in which people
answer changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from companion.rules.position import (
    Action,
    Draw,
    End,
    Leave,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    TableAct,
    Unmark,
)
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Violation as V
from companion.tracking.edits import AGAIN, Edit, EditKind, applied, edits, likeliest
from companion.tracking.strict import Fault, Fold, Told, TurnPlace, begun

MOST_KEYS = 7
"""Keys of a question besides *It was really so*; the page shows four before *More*."""

MOST_READINGS = 12


class TapAnswer(NamedTuple):
    """An answer to the question about a tap."""

    kind: EditKind
    events: tuple[Mapping[str, Any], ...]
    """The changes that the answer makes, as its key had them."""
    by: str = ""
    """The person who answered."""
    seq: int = 0
    """The line of the answer."""


class Confirmed(NamedTuple):
    """A person's confirmation of a tap, and its line."""

    by: str
    seq: int


class Tap(NamedTuple):
    """One act that somebody tapped."""

    seq: int
    """The line of the tap."""
    act: TableAct
    by: str
    """The player whose act it is."""
    outer_only: bool = False
    late: bool = False
    turn: int | None = None
    """The turn of the player that it belongs to by the phone's screen, from 1."""
    end: int | None = None
    """The value of the train's end for which a tile was tapped."""
    put_in: bool = False
    """An answer put it in, so the tap itself may still come."""
    fines: int = 0
    """How many draws of this player may be for a last tile that was not announced."""

    @property
    def told(self) -> Told:
        return Told(self.act, self.by, self.seq, self.outer_only, self.late, turn=self.turn, end=self.end)


class TapQuestion(NamedTuple):
    """A tap that does not fit, and what may have been."""

    seq: int
    """The line of the tap."""
    faults: tuple[Fault, ...]
    """The reasons why it does not fit."""
    keys: tuple[Edit, ...]
    """The possible answers, the likeliest first."""
    alive: frozenset[int]
    """Those of `keys`, by their place, that fit all that was tapped since."""
    whose: str
    again: int = 0
    """It was asked before, and the answer left something open."""


class ActOrder:
    """Acts in one order with the table after each, and what is wrong with it.

    >>> from companion.rules import Board, load_ruleset
    >>> from companion.rules.position import Play
    >>> order = ActOrder(begun(load_ruleset("reeves"), Board("reeves").position, "Ann"))
    >>> order = order.told(Told(Play(Laid(12, 5), "Ann"), "Ann", 2)).told(Told(Play(Laid(3, 6), "Ben"), "Ben", 3))
    >>> [[fault.code for fault in row] for row in order.faults]
    [[], ['WRONG_ROOT']]
    """

    __slots__ = ("allowed", "faults", "folds", "items", "picks", "start")

    def __init__(self, start: Fold) -> None:
        self.start = start
        self.items: tuple[Told, ...] = ()
        self.folds: tuple[Fold, ...] = ()
        self.faults: tuple[tuple[Fault, ...], ...] = ()
        self.allowed: frozenset[Fault] = frozenset()
        """Faults that are asked about or were confirmed."""
        self.picks: tuple[tuple[tuple[int, int], int | None], ...] = ()
        """The key of each question, as far as it has been read so."""

    @property
    def now(self) -> Fold:
        return self.folds[-1] if self.folds else self.start

    def told(self, told: Told) -> ActOrder:
        """The same with one more act, fitting or not."""
        after, faults = self.now.take(told)
        other = copy(self)
        other.items, other.folds, other.faults = (*self.items, told), (*self.folds, after), (*self.faults, faults)
        return other

    def wrong(self, since: int = 0) -> tuple[Fault, ...]:
        """The certain faults in this order that nobody has allowed."""
        row = self.faults[since:]
        return tuple(fault for found in row for fault in found if fault.sure and fault not in self.allowed)

    def altered(self, items: Sequence[Told], *, fits: bool = True) -> ActOrder | None:
        """The same acts in another order; with `fits` None where something is wrong with it."""
        same = 0
        for one, other in zip(self.items, items, strict=False):
            if one != other:
                break
            same += 1
        new = copy(self)
        fold = self.folds[same - 1] if same else self.start
        folds, found = list(self.folds[:same]), list(self.faults[:same])
        for told in items[same:]:
            fold, faults = fold.take(told)
            if fits and any(fault.sure and fault not in self.allowed for fault in faults):
                return None
            folds.append(fold)
            found.append(faults)
        new.items, new.folds, new.faults = tuple(items), tuple(folds), tuple(found)
        return new

    def allowing(self, faults: Sequence[Fault]) -> ActOrder:
        other = copy(self)
        other.allowed = self.allowed.union(faults)
        return other

    def picked(self, question: tuple[int, int], key: int | None) -> ActOrder:
        other = copy(self)
        other.picks = (*(pick for pick in self.picks if pick[0] != question), (question, key))
        return other


class _Moment(NamedTuple):
    """After a tap: what may have been, the likeliest first, and what has been asked."""

    readings: tuple[ActOrder, ...]
    asked: tuple[TapQuestion, ...]
    confirmed: Mapping[Fault, Confirmed]
    filled: tuple[tuple[int, int], ...] = ()


class AskedRound:
    """One round tap by tap. It can go back to before any of them.

    Args:
        answers: what people said of taps, by the line of the tap, in the order in which they said it.

    >>> from companion.rules import Board, load_ruleset
    >>> from companion.rules.position import Play
    >>> round = AskedRound(load_ruleset("reeves"), Board("reeves").position, "Ann")
    >>> for seq, by, tile in ((2, "Ann", (12, 5)), (3, "Ben", (4, 6)), (4, "Ann", (5, 6))):
    ...     round.take(Tap(seq, Play(Laid(*tile), by), by))
    >>> [(question.seq, [str(key.kind) for key in question.keys]) for question in round.questions()]
    [(3, ['later', 'later'])]
    """

    def __init__(
        self,
        rules: RuleSet,
        table: Position | LinePosition,
        starter: str,
        *,
        starter_known: bool = True,
        answers: Mapping[int, Sequence[TapAnswer]] | None = None,
    ) -> None:
        self.rules = rules
        self.answers = answers or {}
        self.taps: tuple[Tap, ...] = ()
        self._put_in: frozenset[int] = frozenset()
        first = ActOrder(begun(rules, table, starter, anybody=not starter_known))
        self._moments: tuple[_Moment, ...] = (_Moment((first,), (), {}),)

    def take(self, tap: Tap) -> None:
        self._moments = (*self._moments, self._after(self._moments[-1], tap))
        self.taps = (*self.taps, tap)
        self._put_in |= {tap.seq} if tap.put_in else set()

    # ---- what came of it -----------------------------------------------------------------------------------------

    @property
    def reading(self) -> ActOrder:
        """The acts as people have told them; the likeliest order where something is asked."""
        return self._moments[-1].readings[0]

    def turns(self) -> dict[int, TurnPlace]:
        """Line of each tap -> the turn to which it belongs, in the order in which the acts happened; taps that were
        doubled are left out."""
        row = zip(self.reading.items, self.reading.folds, strict=True)
        return {told.tap: fold.turn for told, fold in row if told.tap is not None}

    def tiles(self) -> dict[int, Laid]:
        """Line of each tile whose inner half nobody named -> the tile as it lies by now."""
        found: dict[int, Laid] = {}
        fold = self.reading.start
        for told, after in zip(self.reading.items, self.reading.folds, strict=True):
            if told.outer_only and told.tap is not None:
                tile = fold.laid(told)
                found |= {} if tile is None else {told.tap: tile}
            fold = after
        return found

    def questions(self) -> tuple[TapQuestion, ...]:
        """The questions to ask now. Where whole turns are most likely still to come, a question waits until one more
        player has acted."""
        return tuple(question for question in self._moments[-1].asked if not self._waits(question))

    def silent(self) -> tuple[TapQuestion, ...]:
        """The questions that still wait."""
        return tuple(question for question in self._moments[-1].asked if self._waits(question))

    def filled(self) -> tuple[tuple[int, int], ...]:
        """Taps that were put before others in silence, each with the tap before which it is: a neighbour was
        quicker."""
        return self._moments[-1].filled

    def came(self, question: TapQuestion) -> dict[int, int]:
        """Keys of the question that say that turns are still to come -> the last tap of those, where they have been
        told by now."""
        return dict(found for one in self._moments[-1].readings if (found := _came(one, question)))

    def _waits(self, question: TapQuestion) -> bool:
        first = question.keys[0] if question.keys else None
        if first is None or not _whole_turns(first, question):
            return False
        later = self.taps[next(n for n, tap in enumerate(self.taps) if tap.seq == question.seq) + 1 :]
        begun = self._begun_turns()
        return all(tap.by == question.whose or tap.seq in begun for tap in later)

    def _begun_turns(self) -> set[int | None]:
        """The taps of turns that are not yet complete."""
        items = self.reading.items
        found: set[int | None] = set()
        for n, one in enumerate(items):
            while one.act is None and n and items[n - 1].by == one.by and items[n - 1].act is not None:
                n -= 1
                found.add(items[n].tap)
        return found

    def to_come(self) -> list[tuple[str, int, int | None, tuple[Action, ...]]]:
        """The turns still to come: player, the number of that player's turn, the line of the tap that it precedes, and
        the acts that end it where no tile fits."""
        row = zip(self.reading.items, self.reading.folds, strict=True)
        return [
            (told.by, fold.turns.get(told.by, 1), told.before, self._unable(n))
            for n, (told, fold) in enumerate(row)
            if told.act is None
        ]

    def _unable(self, hole: int) -> tuple[Action, ...]:
        items = self.reading.items
        drawn = hole > 0 and items[hole - 1].by == items[hole].by and isinstance(items[hole - 1].act, Draw)
        acts = self.reading.folds[hole].unable(items[hole].by)
        return tuple(End() if isinstance(act, Pass) else act for act in acts if not (drawn and isinstance(act, Draw)))

    def is_out(self, player: str) -> bool:
        """Whether this player has no tile left by the counts of all that may have been."""
        left = [one.now.left(player) for one in self._moments[-1].readings]
        return all(count is not None and count <= 0 for count in left)

    def against(self) -> dict[int, list[tuple[Fault, Confirmed | None]]]:
        """Line of a tap -> what stands there: confirmed by whom; None: open, or the source leaves it open."""
        found: dict[int, list[tuple[Fault, Confirmed | None]]] = {}
        moment = self._moments[-1]
        for row in self.reading.faults:
            for fault in row:
                if fault.tap is not None and (not fault.sure or fault in moment.confirmed):
                    found.setdefault(fault.tap, []).append((fault, moment.confirmed.get(fault)))
        for question in self.questions():
            for fault in question.faults:
                place = question.seq if fault.tap is None else fault.tap
                if all(fault != one for one, _ in found.get(place, ())):
                    found.setdefault(place, []).append((fault, None))
        return found

    # ---- one more tap --------------------------------------------------------------------------------------------

    def _after(self, before: _Moment, tap: Tap) -> _Moment:
        after = self._taken(before, tap)
        for question in after.asked:
            for answer in self.answers.get(question.seq, ()):
                if question.seq < tap.seq == _due(answer):
                    after = self._sorted(after, question, answer, tap)
        return after

    def _sorted(self, after: _Moment, question: TapQuestion, answer: TapAnswer, tap: Tap) -> _Moment:
        """The taps up to this one in the order that somebody gave them when asked about an earlier one."""
        as_told = ((question.seq, question.again), None)
        base = next((one for one in after.readings if as_told in one.picks), after.readings[0])
        told = base.altered(applied(base.items, answer.events), fits=False)
        assert told is not None
        told.allowed -= set(question.faults) - set(after.confirmed)
        rest = tuple(one for one in after.asked if one.seq not in (question.seq, tap.seq))
        return self._asked(after._replace(asked=rest), told, (), tap)

    def _taken(self, before: _Moment, tap: Tap) -> _Moment:
        if isinstance(tap.act, Leave):
            return before._replace(readings=tuple(one.told(tap.told) for one in before.readings))
        base = before.readings[0]
        again = self._drawn_again(base, tap)
        fitting = [] if again else [one for one in (self._placed(reading, tap) for reading in before.readings) if one]
        if fitting:
            return self._struck(before, fitting)
        # Asked is what is wrong in the reading that the tap fits best.
        carried = [again] if again else [one.told(self._as_shown(one, tap)) for one in before.readings]
        best = min(range(len(carried)), key=lambda n: len(carried[n].wrong()))
        others = [one for n, one in enumerate(before.readings) if n != best]
        return self._asked(before, carried[best], others, tap)

    def _struck(self, before: _Moment, readings: list[ActOrder]) -> _Moment:
        """Keep the readings that the tap fits, and strike the others. A whole turn that was missing and is now told
        settles its question."""
        asked: list[TapQuestion] = []
        filled = before.filled
        for question in before.asked:
            name = (question.seq, question.again)
            keys = {key for one in readings for number, key in one.picks if number == name}
            came = [(one, *found) for one in readings if (found := _came(one, question))]
            told = [
                (one, late) for one, key, late in came if _settles(question.keys[key], question, alone=len(keys) == 1)
            ]
            if told:
                readings, filled = [one for one, _ in told], (*filled, (told[0][1], question.seq))
                continue
            asked.append(question._replace(alive=frozenset(key for key in keys if key is not None)))
        return before._replace(readings=tuple(readings), asked=tuple(asked), filled=filled)

    def _asked(self, before: _Moment, told: ActOrder, others: Sequence[ActOrder], tap: Tap) -> _Moment:
        """The tap fits nothing: it is asked about, or was answered."""
        confirmed, asked = before.confirmed, before.asked
        said = [answer for answer in self.answers.get(tap.seq, ()) if _due(answer) <= tap.seq]
        number, settled = 0, set[Fault]()
        while faults := told.wrong():
            number += 1
            if not said:
                break
            answer = said.pop(0)
            others = ()
            if answer.kind is EditKind.SO:
                meant = [fault for fault in faults if _is_meant(fault, answer, tap)]
                confirmed = {**confirmed, **dict.fromkeys(meant, Confirmed(answer.by, answer.seq))}
                told, settled = told.allowing(meant), {*settled, *meant}
            else:
                now = told.altered(applied(told.items, answer.events), fits=False)
                assert now is not None
                told = now
        else:
            return before._replace(readings=(told,), confirmed=confirmed)
        at = next(n for n, row in enumerate(told.faults) if any(fault in faults for fault in row))
        fold, rest = told.folds[at - 1] if at else told.start, told.items[at + 1 :]
        made: dict[tuple[Told, ...], ActOrder] = {}

        def fits(items: tuple[Told, ...]) -> bool:
            reading = told.altered(items)
            # Every other answer has to keep what somebody has just confirmed.
            if reading is None or not settled <= {fault for row in reading.faults for fault in row}:
                return False
            made[items] = reading
            return True

        here = [fault for fault in faults if fault in told.faults[at]]
        found = [edit._replace(items=(*edit.items, *rest)) for edit in edits(told.items[: at + 1], fold, here)]
        keys = likeliest(found, fits, MOST_KEYS)
        early = [fault for fault in here if fault.code == V.OUT_OF_TURN]
        if early and len(early) < len(here) and not keys:
            # No turn that is still to come makes the rest legal: that is asked first, and the turn by itself.
            told = told.allowing(early)
            faults = told.wrong()
            keys = likeliest(found, fits, MOST_KEYS)
        name = (tap.seq, number)
        readings = [made[key.items].picked(name, n) for n, key in enumerate(keys)]
        readings.append(told.allowing(faults).picked(name, None))
        for other in others[: MOST_READINGS - len(readings)]:
            carried = other.told(tap.told)
            readings.append(carried.allowing(carried.wrong()).picked(name, None))
        question = TapQuestion(tap.seq, faults, tuple(keys), frozenset(range(len(keys))), tap.by, number)
        return _Moment(tuple(readings), (*asked, question), confirmed, before.filled)

    # ---- where a tap belongs -------------------------------------------------------------------------------------

    def _placed(self, reading: ActOrder, tap: Tap) -> ActOrder | None:
        """The reading with this tap where it fits best: in a turn that the phone showed and that is not the present
        one; else where the train ends as the phone showed it, and no turn to come has to explain anything. None:
        nowhere."""
        best, least = None, 3
        for placed, meant in self._places(reading, tap):
            if placed is None:
                continue
            doubts = 0 if meant else (placed.now.excused > reading.now.excused) + self._ends_otherwise(placed, tap)
            if doubts < least:
                best, least = placed, doubts
            if not least:
                break
        return best

    def _ends_otherwise(self, placed: ActOrder, tap: Tap) -> bool:
        """Whether the tile would lie at another end than the one for which it was tapped."""
        if tap.end is None or not tap.outer_only:
            return False
        told = tap.told
        n = placed.items.index(told)
        tile = (placed.folds[n - 1] if n else placed.start).laid(told)
        return tile is not None and tap.end not in tile

    def _places(self, reading: ActOrder, tap: Tap) -> Iterator[tuple[ActOrder | None, bool]]:
        """Where it may belong: in the turn that the phone showed; with what the same player has just told; as the next
        act; in place of one that an answer put in; in a turn that is still to come. And whether the phone said so."""
        told, items = tap.told, reading.items
        holes = [n for n, one in enumerate(items) if one.act is None and one.by == tap.by]
        shown = [n for n in holes if tap.turn is not None and reading.folds[n].turns.get(tap.by) == tap.turn]
        breath = [n for n in holes if n not in shown and self._goes_on(reading, tap, n)]
        meant = tap.turn is not None and tap.turn != reading.now.turns.get(tap.by)
        # A marker goes with the turn that lacks it.
        astray = self._marker_astray(reading, tap)
        lacking = [n for n in holes if astray and n and items[n - 1].by == tap.by]
        for n in dict.fromkeys((*shown, *breath, *lacking)):
            yield self._filling(reading, told, n), meant and n in shown
        behind = self._behind(reading, tap)
        if behind is not None:
            yield reading.altered((*items[:behind], told, *items[behind:])), False
        stands = [n for n, one in enumerate(items) if self._stands_for(one, tap) and not self._again(items, tap)]
        first = stands if astray else []
        for n in first:
            yield reading.altered((*items[:n], told, *items[n + 1 :])), False
        if not self._crossed(reading, tap):
            placed = reading.told(told)
            yield None if placed.wrong(len(items)) else placed, False
        for n in stands[len(first) :]:
            yield reading.altered((*items[:n], told, *items[n + 1 :])), False
        for n in holes:
            if n not in shown and n not in breath and self._may_fill(reading, n):
                yield self._filling(reading, told, n), False
        if sum(one.fine and one.by == tap.by for one in items) < tap.fines:
            yield reading.told(told._replace(fine=True)), False

    def _marker_astray(self, reading: ActOrder, tap: Tap) -> bool:
        """Whether a turn would begin with a marker, or move two in a row, as none does."""
        now, last = reading.now, reading.items[-1] if reading.items else None
        if not isinstance(tap.act, (Mark, Unmark)):
            return False
        begins = not (now.acted and not now.closed and now.player == tap.by)
        return begins or (last is not None and last.by == tap.by and isinstance(last.act, (Mark, Unmark)))

    def _crossed(self, reading: ActOrder, tap: Tap) -> bool:
        """Whether the end for which the tile was tapped is no longer there."""
        if tap.end is None or not isinstance(tap.act, Play):
            return False
        here = reading.now.laid(Told(tap.act, tap.by, outer_only=True))
        return here is not None and tap.end not in here

    def _drawn_again(self, reading: ActOrder, tap: Tap) -> ActOrder | None:
        """With a second draw in the turn for which the phone showed its keys, where that turn has one and more of it is
        still to come: it is no draw of the next turn."""
        if not isinstance(tap.act, Draw) or tap.turn is None:
            return None
        for n, one in enumerate(reading.items):
            shown = one.act is None and one.by == tap.by and reading.folds[n].turns.get(tap.by) == tap.turn
            if shown and n and reading.items[n - 1].by == tap.by and isinstance(reading.items[n - 1].act, Draw):
                return reading.altered((*reading.items[:n], tap.told, *reading.items[n:]), fits=False)
        return None

    def _as_shown(self, reading: ActOrder, tap: Tap) -> Told:
        """The act of this tap; with both halves where the same key of the same picture has been tapped before, and the
        train has gone on since: another tile with that half is not meant."""
        told, act = tap.told, tap.act
        if tap.end is None or not isinstance(act, Play) or not self._crossed(reading, tap):
            return told
        key = (act.train, act.tile.outer, tap.end)
        for known in self.taps:
            if isinstance(known.act, Play) and (known.act.train, known.act.tile.outer, known.end) == key:
                return told._replace(act=replace(act, tile=Laid(tap.end, act.tile.outer)), outer_only=False)
        return told

    def _stands_for(self, one: Told, tap: Tap) -> bool:
        """Whether an answer put this act in, and the tap is the same."""
        if one.act != tap.act or one.by != tap.by:
            return False
        return one.tap is None or one.tap in self._put_in

    def _again(self, items: Sequence[Told], tap: Tap) -> bool:
        """Whether the same player has just tapped the same."""
        return (
            bool(items) and (items[-1].act, items[-1].by) == (tap.act, tap.by) and not self._stands_for(items[-1], tap)
        )

    def _goes_on(self, reading: ActOrder, tap: Tap, hole: int) -> bool:
        """Whether the same player, nobody between, has told the act before this turn's rest."""
        last = self.taps[-1] if self.taps else None
        return last is not None and last.by == tap.by and hole > 0 and reading.items[hole - 1].tap == last.seq

    def _behind(self, reading: ActOrder, tap: Tap) -> int | None:
        """The place right behind what the same player has just told, where that came before other acts."""
        last = self.taps[-1] if self.taps else None
        if last is None or last.by != tap.by:
            return None
        place = next((n + 1 for n, one in enumerate(reading.items) if one.tap == last.seq), None)
        return None if place == len(reading.items) else place

    def _may_fill(self, reading: ActOrder, hole: int) -> bool:
        """Whether a turn may be filled in without a question: only one that nobody has begun to tell, unless somebody
        has said that it is still to come."""
        items = reading.items
        whole = hole == 0 or items[hole - 1].by != items[hole].by or not reading.folds[hole].acted
        return whole or self._is_answered(items[hole])

    def _is_answered(self, hole: Told) -> bool:
        said = {"event": "turn_to_come", "by": hole.by, "before": hole.before}
        return any(event == said for row in self.answers.values() for answer in row for event in answer.events)

    def _filling(self, reading: ActOrder, told: Told, hole: int) -> ActOrder | None:
        """The tap in a turn that is still to come: with it that turn is told, or the rest of it is still to come."""
        items = reading.items
        whole = (*items[:hole], told, *items[hole + 1 :])
        placed = reading.altered(whole)
        if placed is not None and (placed.folds[hole].done or isinstance(told.act, (End, Pass))):
            return placed
        return reading.altered((*items[:hole], told, *items[hole:]))


def _due(answer: TapAnswer) -> int:
    """The last tap that this answer moves; 0: none but the one that was asked about."""
    return max((seq for event in answer.events for seq in event.get("order", ())), default=0)


def _came(reading: ActOrder, question: TapQuestion) -> tuple[int, int] | None:
    """The key of this reading, where it says that turns were still to come and they have been told by now, and the
    last tap of those."""
    key = next((key for number, key in reading.picks if number == (question.seq, question.again)), None)
    if key is None or question.keys[key].kind is not EditKind.LATER:
        return None
    holes = {event["before"] for event in question.keys[key].events}
    if any(one.act is None and one.before in holes for one in reading.items):
        return None
    place = max((n for n, one in enumerate(reading.items) if one.tap in holes), default=0)
    late = max((one.tap or 0 for one in reading.items[:place]), default=0)
    return (key, late) if late else None


def _is_meant(fault: Fault, answer: TapAnswer, tap: Tap) -> bool:
    """Whether "It was really so" confirms this fault: one of those shown then, or any of the tap where none was
    shown."""
    shown = {(event["violation"], event["by"]) for event in answer.events}
    return (fault.code, fault.player) in shown if shown else fault.tap == tap.seq


def _settles(key: Edit, question: TapQuestion, *, alone: bool) -> bool:
    """Whether this key is the answer once its turns are told: whole turns were missing, or, where no other reading fits
    any more (`alone`), turns of the others between two acts of one player."""
    if _whole_turns(key, question):
        return True
    others = all(event["before"] == question.seq and event["by"] != question.whose for event in key.events)
    again = all(fault.tap == question.seq and fault.code in AGAIN for fault in question.faults)
    return alone and others and again


def _whole_turns(key: Edit, question: TapQuestion) -> bool:
    """Whether this key says that whole turns are still to come, and nothing of them has been told."""
    out_of_turn = any(fault.code == V.OUT_OF_TURN for fault in question.faults)
    return key.kind is EditKind.LATER and out_of_turn and all(fault.tap == question.seq for fault in question.faults)
