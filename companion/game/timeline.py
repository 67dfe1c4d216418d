"""The game with its past: after each event the match as it stood, and what every event is found to be by now.

Live play and replay both go through `Timeline.of`, so that a game read from its journal has the rulings it had. What
follows from the rules alone (a pass that somebody's tile implies, the end of a round, a score) is worked out anew each
time; its lines in the journal only carry it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.corrections import EffectiveEvent
from companion.log.event_fields import Finding
from companion.log.events import (
    Announced,
    Corrected,
    Discarded,
    Drew,
    Event,
    HandShown,
    Header,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.play.course import Course, Place
from companion.play.event_actions import act_of, action_of, is_act, uncounted, unsettled
from companion.play.match import Findings, Match
from companion.play.reports import DEALT
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation
from companion.tracking.tapped_round import OF_END, TappedRound
from companion.tracking.verdict import NEVER_CERTAIN

REPORTED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REPORTED)
"""Codes that only a person can report; they stay as they were said."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

NO_LOOKS: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """One event: what was held, the event as it counts, the match after it, and what it showed.

    `event` is None where the line only carried something that does not follow any more. `findings` are its own at its
    time, `late` those of earlier acts (by index) that changed with it. `place`: its turn, as far as the belief says.
    """

    held: EffectiveEvent
    event: Event | None
    after: Match
    findings: tuple[Finding, ...] = ()
    late: Findings = field(default_factory=dict)
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Reordered:
    """After so many events had been `taken`, their acts, each with its place among these, were put in another order."""

    taken: int
    acts: Sequence[tuple[int, AppliedEvent]]


MOST_ACTS = 40
"""Longer than the longest first train with all that goes with it. Nothing is held against anybody for what follows a
longer turn, which a damaged journal may hold."""


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one that shares what did not change.

    `taken` are the events in the order in which they were told, `acts` in the order in which they are held to have
    happened: in a round that people tap in that is the order of the belief (tracking.tapped_round). `moved` says where
    they part. `taps`: the places in `taken` of the taps of this round. `settled`: a place in an earlier round that was
    tapped -> what is held against it. `found`: what no order of acts has to do with (what people reported, what shown
    hands tell, a tile after the end), and in rounds that a camera watches what stands in the lines. `unsure`: (line,
    code) of what is only possible because the journal says so. `doubted`: some of this round was taken so.
    """

    def __init__(self, header: Header, rules: RuleSet, looks: Mapping[int, int] = NO_LOOKS) -> None:
        """`looks`: the line that began a round -> the last one before the camera first saw something in it."""
        self.start = Match.of(header, rules)
        self.looks = looks
        self.taken: list[EffectiveEvent] = []
        self.acts: list[AppliedEvent] = []
        self.found: dict[int, tuple[Finding, ...]] = {}
        self.moved: list[Reordered] = []
        self.taps: list[int] = []
        self.settled: dict[int, tuple[Finding, ...]] = {}
        self._now: Mapping[int, tuple[Finding, ...]] | None = None
        self._places: dict[int, int] = {}
        self._belief: TappedRound | None = None
        self.unsure: frozenset[tuple[int, str]] = frozenset()
        self.doubted = False

    @classmethod
    def of(
        cls,
        header: Header,
        rules: RuleSet,
        held: Sequence[EffectiveEvent],
        base: Timeline | None = None,
        *,
        looks: Mapping[int, int] = NO_LOOKS,
        doubted: bool = False,
        known: Sequence[Timeline] = (),
    ) -> Timeline:
        """The history of these events; `base`, or one of `known` that has more of them, lends the acts up to the first
        difference. `doubted`: see `take`."""
        in_force = _in_force(held)
        timeline = cls(header, rules, looks)
        if base is not None:
            base = max((base, *known), key=lambda one: _alike(one, in_force)) if known else base
            timeline.start = base.start
            timeline._share(base, in_force)
        for item in in_force[len(timeline.acts) :]:
            timeline.take(item, doubted=doubted)
        if base is None:
            timeline.unsure = timeline._written_as_possible()
        return timeline

    def _written_as_possible(self) -> frozenset[tuple[int, str]]:
        """What the journal holds to be only possible, for a reason that its lines do not tell: a camera looked on that
        saw nothing. What the belief holds to be possible may become certain."""
        return frozenset(
            (act.held.event.seq, finding.code)
            for n, act in enumerate(self.acts)
            if act.after.course is None or not self._believed(act.held, act.after.course)
            for finding in getattr(act.held.event, "violations", ())
            if not finding.certain and any(one.certain and one.code == finding.code for one in self.findings(n))
        )

    def _share(self, base: Timeline, in_force: Sequence[EffectiveEvent]) -> None:
        """Take over what the first of these events came to in `base`."""
        alike = _alike(base, in_force)
        acts = next((moved.acts for moved in base.moved if moved.taken > alike), None) or base._placed()
        self.unsure, self.doubted = base.unsure, base.doubted
        for place, act in acts[:alike]:
            self._keep(_as_held(act, in_force[place]))
        self.taken = list(in_force[:alike])
        self._places = {id(item): n for n, item in enumerate(self.taken)}
        self.settled = {place: found for place, found in base.settled.items() if place < _begun(self.taken)}
        self.moved = [moved for moved in base.moved if moved.taken <= alike]
        same_deal = _begun(self.taken) == _begun(base.taken) and self._wrongly_dealt() == base._wrongly_dealt()
        if base._belief is not None and same_deal:
            self.taps = [place for place in base.taps if place < alike]
            self._belief = base._belief.copy()
            self._belief.back_to(len(self.taps))

    def _placed(self) -> list[tuple[int, AppliedEvent]]:
        """The acts, each with its place among the events that were taken."""
        return [(self._places[id(act.held)], act) for act in self.acts]

    def copy(self) -> Timeline:
        """Another one to try something with."""
        other = Timeline.__new__(Timeline)
        other.start, other.acts, other.found = self.start, list(self.acts), dict(self.found)
        other.taken, other.moved, other._places = list(self.taken), list(self.moved), dict(self._places)
        other.settled, other._now = self.settled, self._now
        other.looks, other.unsure, other.taps = self.looks, self.unsure, list(self.taps)
        other.doubted = self.doubted
        other._belief = None if self._belief is None else self._belief.copy()
        return other

    @property
    def match(self) -> Match:
        return self.acts[-1].after if self.acts else self.start

    def findings(self, index: int) -> tuple[Finding, ...]:
        """What is known by now against the event of an act."""
        held = self.acts[index].held
        place = self._places[id(held)]
        found = self.settled[place] if place in self.settled else self._believed_now().get(place)
        if found is None:
            found = self.found.get(index, ())
        return tuple(
            replace(one, certain=one.certain and (held.event.seq, one.code) not in self.unsure) for one in found
        )

    def _believed_now(self) -> Mapping[int, tuple[Finding, ...]]:
        """Place of each tap of this round, and of each pass that it implies -> what is held against it by now."""
        if self._now is None:
            self._now = {} if self._belief is None else self._held_against(self._believes())
        return self._now

    def _held_against(self, belief: TappedRound) -> dict[int, tuple[Finding, ...]]:
        charges = belief.charges(over=self._told_to_the_end())
        taps = {place: n for n, place in enumerate(self.taps)}
        found: dict[int, tuple[Finding, ...]] = {}
        last: dict[str | None, int] = {}
        for n in range(max(0, _begun([one.held for one in self.acts])), len(self.acts)):
            event, place = self.acts[n].held.event, self._places[id(self.acts[n].held)]
            whose, besides = _whose(event), self._besides(n)
            if place in taps:
                now = tuple(one.of(whose) for one in charges.get(taps[place], ()))
                now = self._proved(n, now)
                course = self.acts[n].after.course
                mine = (*(_weighed(event, now) if course is not None and course.watched else now), *besides)
                if self.doubted:
                    mine = tuple(replace(one, certain=False) for one in mine)
            elif _is_implied(event) and self.acts[n].event is not None and whose in last:
                # What the turn lacks shows at its end.
                before = found[last[whose]]
                ended = tuple(one for one in before if one.by is None and one.code in OF_END)
                found[last[whose]] = tuple(one for one in before if one not in ended)
                mine = (*ended, *besides)
            else:
                continue
            found[place], last[whose] = mine, place
        return found

    def _proved(self, index: int, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Of what is held against a tile that is certain which the table itself proves."""
        before = self.acts[index - 1].after.course
        if before is None or all(one.certain for one in found):
            return found
        proved = before.misfits(self.acts[index].held.event)
        return tuple(replace(one, certain=one.certain or one.code in proved) for one in found)

    def _besides(self, index: int) -> tuple[Finding, ...]:
        """What no order of acts has to do with. What shown hands tell of a draw or a pass they tell of the turn in
        which it is held to have happened."""
        found = self.found.get(index, ())
        sure = not any(one.code in REVEALED_CODES for one in found) or self._stayed_in_its_turn(index)
        return tuple(replace(one, certain=one.certain and (sure or one.code not in REVEALED_CODES)) for one in found)

    def _told_to_the_end(self) -> bool:
        """Whether nothing of this round is still to be tapped."""
        for act in reversed(self.acts):
            if isinstance(act.event, RoundStarted):
                return False
            if isinstance(act.event, (HandShown, RoundScored)):
                return True
        return False

    def _stayed_in_its_turn(self, index: int) -> bool:
        """Whether the same tiles of this player come before the act in the order of taps and in the one it is in;
        before a pass, the same draws as well."""
        act = self.acts[index].held
        kinds = (TilePlayed,) if isinstance(act.event, Drew) else (TilePlayed, Drew)
        before = ([one.held for one in self.acts[:index]], self.taken[: self._places[id(act)]])
        own = [
            {id(one) for one in row if isinstance(one.event, kinds) and one.event.who == act.event.who}
            for row in before
        ]
        return own[0] == own[1]

    def take(self, held: EffectiveEvent, *, doubted: bool = False) -> AppliedEvent:
        """Add an event. `doubted`: nothing that is found in this round is certain.

        Where the journal holds what the camera saw, what is held against the acts of the round is the belief's to say
        and stands in their lines.
        """
        if isinstance(held.event, RoundStarted):
            self._settle()
        self._now = None
        self._places[id(held)] = len(self.taken)
        self.taken.append(held)
        self.doubted = (doubted or self.doubted) and not isinstance(held.event, RoundStarted)
        act, course = act_of(held.event), self.match.course
        if isinstance(held.event, Announced) and held.event.what == DEALT:
            self._belief = None
        if act is None or not self._is_told_of(held, course):
            return self._take(held)
        assert course is not None
        self._believes()
        self.taps.append(len(self.taken) - 1)
        if course.watched or held.event.source == "camera":
            # A round of an old journal: what the camera named stays in its order.
            return self._take(held)
        self._put_in_order()
        return next(act for act in reversed(self.acts) if act.held is held)

    def _is_told_of(self, held: EffectiveEvent, course: Course | None) -> bool:
        """Whether the belief in taps hears of this: no camera's belief has it, and it may be part of a game."""
        if course is None or self._believed(held, course):
            return False
        turns = course.turns if course.turn is None else (*course.turns, course.turn)
        return all(len(turn.actions) <= MOST_ACTS for turn in turns)

    def _believed(self, held: EffectiveEvent, course: Course) -> bool:
        return held.event.seq > self.looks.get(course.start_seq, held.event.seq)

    def _take(self, held: EffectiveEvent, place: Place | None = None) -> AppliedEvent:
        event = self._as_it_counts(held.event)
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.match.take(event, len(self.acts), place)
            found, course = (*step.findings, *_reported(event)), step.match.course
            if is_act(event) and course is not None and self._believed(held, course):
                # What the belief has against it stands in its line.
                told: tuple[Finding, ...] = getattr(held.event, "violations", ())
                found = (*(one for one in told if one.code not in REVEALED_CODES), *found)
            act = AppliedEvent(held, event, step.match, tuple(dict.fromkeys(found)), step.late, place)
        self._keep(act)
        return act

    def implied(self, event: Event) -> tuple[Passed, ...]:
        """The passes that have to be recorded before `event`."""
        course = self.match.course
        return () if course is None else course.passes_before(event)

    def consequence(self) -> Event | None:
        """What follows from the rules now and is not recorded yet: the end of the round, its score, the match's end."""
        match = self.match
        if match.course is None:
            return None
        if match.phase == "playing":
            due = match.course.over
            counted_down = due is not None and due.how == "out" and match.course.watched
            return None if counted_down and self.misses_a_draw() else due
        if match.phase == "ended":
            return match.scored()
        return match.match_end() if match.phase == "scored" else None

    def misses_a_draw(self) -> bool:
        """Whether a turn of this round seems to lack its draw: the hands may then hold more than was counted."""
        begun = max(0, _begun([act.held for act in self.acts]))
        return any(one.code == Violation.NO_DRAW for n in range(begun, len(self.acts)) for one in self.findings(n))

    # ---- the order of acts ---------------------------------------------------------------------------------------

    def _believes(self) -> TappedRound:
        """The belief about this round, with all that was tapped in it."""
        if self._belief is None:
            begun = _begun([act.held for act in self.acts])
            course = self.acts[begun].after.course
            assert course is not None
            known, table = course.starter_known, course.table
            wrongly = self._wrongly_dealt()
            table = uncounted(table, wrongly, boneyard=True) if wrongly else table
            self._belief = TappedRound(course.rules, table, course.starter, starter_known=known)
            taps = {id(act.held) for n, act in enumerate(self.acts) if n > begun and self._is_tap(n)}
            self.taps = [place for place, one in enumerate(self.taken) if id(one) in taps]
        for place in self.taps[len(self._belief) :]:
            event = self.taken[place].event
            act = act_of(event)
            assert act is not None
            self._belief.take(act, _whose(event), event.perhaps)
        return self._belief

    def _wrongly_dealt(self) -> list[str]:
        """Whose hand of this round somebody has reported to be of the wrong size: nothing can be counted since."""
        begun = _begun([act.held for act in self.acts])
        events = (act.event for act in self.acts[begun + 1 :] if act.findings)
        reports = [event for event in events if isinstance(event, Announced) and event.what == DEALT]
        return [report.by for report in reports if report.by is not None]

    def _is_tap(self, index: int) -> bool:
        """Whether this act is one that somebody tapped in a round that no camera watches."""
        held = self.acts[index].held
        return act_of(held.event) is not None and self._is_told_of(held, self.acts[index - 1].after.course)

    def _put_in_order(self) -> None:
        """Put this round's acts in the order in which they most likely happened, each in its turn."""
        begun = _begun([act.held for act in self.acts])
        row = self._row()
        places = [n for n in range(begun + 1, len(self.acts)) if not _is_implied(self.acts[n].held.event)]
        alike = 0
        for n, (held, turn, counts) in zip(places, row, strict=False):
            act = self.acts[n]
            if act.held is not held or act.place != turn or (act.event is None) == counts:
                break
            alike += 1
        # The passes between are worked out anew, also those right before.
        first = places[alike - 1] + 1 if alike else begun + 1
        other = self._from(first)
        for held, turn, counts in row[alike:]:
            if counts:
                other._go_on(held, turn, self, first)
            else:
                other._keep(AppliedEvent(held, None, other.match, place=turn))
        there = {id(act.held) for act in other.acts}
        for act in self.acts[first:]:
            if id(act.held) not in there:
                other._keep(AppliedEvent(act.held, None, other.match))
        if first < len(self.acts):
            self.moved.append(Reordered(len(self.taken), self._placed()))
        self.acts, self.found = other.acts, other.found

    def _row(self) -> list[tuple[EffectiveEvent, Place | None, bool]]:
        """What was told of this round in the order in which it most likely happened, with the turn to which it belongs;
        and whether it says anything."""
        turns = self._believes().turns()
        order = {tap: n for n, tap in enumerate(turns)}
        number = {place: n for n, place in enumerate(self.taps)}
        row: list[tuple[tuple[int, bool, int], Place | None, bool]] = []
        latest = -1
        for place in range(_begun(self.taken) + 1, len(self.taken)):
            event = self.taken[place].event
            tap = number.get(place)
            if _is_implied(event):
                continue
            if tap is not None and tap in order:
                latest = max(latest, order[tap])
                row.append(((order[tap], False, place), turns[tap], True))
            else:
                later = self.taken[place + 1 :] if isinstance(event, RoundEnded) else ()
                nothing = tap is not None or _may_be_nothing(event, [one.event for one in later])
                row.append(((latest, True, place), None, not nothing))
        return [(self.taken[key[2]], turn, counts) for key, turn, counts in sorted(row, key=lambda one: one[0])]

    def _from(self, first: int) -> Timeline:
        """The acts up to place `first`, of which those from place `first` on come in another order."""
        other = self.copy()
        other.acts, other.found = [], {}
        for act in self.acts[:first]:
            other._keep(act)
        return other

    def _go_on(self, item: EffectiveEvent, turn: Place | None, taps: Timeline, first: int) -> None:
        """Take this act next, and before it the passes that it implies, whose lines are among the acts of `taps` from
        place `first` on."""
        for passed in self.implied(item.event):
            used = {id(act.held) for act in self.acts[first:]}
            lines = (act.held for act in taps.acts[first:] if _is_implied(act.held.event) and id(act.held) not in used)
            line = next((one for one in lines if one.event.who == passed.by), None)
            if line is not None:
                self._take(line)
        self._take(item, turn)

    def _settle(self) -> None:
        """Another round begins: what another order explains stays open."""
        begun = _begun([one.held for one in self.acts])
        if begun >= 0 and self._belief is not None:
            self.settled = {**self.settled, **self._believed_now()}
        self.taps, self._belief = [], None

    def rename(self, index: int, held: EffectiveEvent) -> None:
        """Put the recorded event, with its seq and time, in the place of the one that was tried."""
        act = self.acts[index]
        place = self._places.pop(id(act.held))
        self.taken[place], self._places[id(held)] = held, place
        self.acts[index] = _as_held(act, held)

    def _keep(self, act: AppliedEvent) -> None:
        self.acts.append(act)
        if act.findings:
            self.found[len(self.acts) - 1] = act.findings
        for earlier, findings in act.late.items():
            event = self.acts[earlier].event if earlier >= 0 else None
            if event is None or not unsettled(event):
                self.found[earlier] = findings

    def _as_it_counts(self, event: Event) -> Event | None:
        """The event without rulings, which are made anew; what follows from the rules is worked out again.

        Where nothing was ever corrected, an end or a score that cannot be worked out stands as it was written.
        """
        match = self.match
        if event.source == "rule" and isinstance(event, (RoundEnded, RoundScored, MatchEnded)):
            due = self.consequence()
            other_end = isinstance(due, RoundEnded) and isinstance(event, RoundEnded) and due.how != event.how
            if due is None or type(due) is not type(event) or other_end:
                told_in_order = event.seq == len(self.acts) + 1 and not self.moved
                return event if told_in_order and not any(act.held.by_people for act in self.acts) else None
            return replace(due, seq=event.seq, at=event.at)
        if isinstance(event, MatchEnded):
            # People say that it is over; who has won follows from the points.
            now = match.ended_now()
            return replace(event, winners=now.winners, totals=now.totals)
        if _is_implied(event) and match.course is not None and not _is_due(match.course, event):
            return None
        if isinstance(event, (Unclear, Corrected)) or (match.course is None and not isinstance(event, RoundStarted)):
            return event
        if unsettled(event) or isinstance(event, TileTakenBack):
            return event
        if getattr(event, "violations", ()):
            kept = tuple(finding for finding in event.violations if finding.code in REPORTED_CODES)  # type: ignore[attr-defined]
            changed: dict[str, Any] = {"violations": kept}
            return replace(event, **changed)
        return event


def _whose(event: Event) -> str | None:
    """Who makes the act: a marker's owner where nobody is named."""
    return event.who or getattr(event, "train", None)


def _begun(row: Sequence[EffectiveEvent]) -> int:
    """Where the last round begins; -1 before the first."""
    return next((n for n in range(len(row) - 1, -1, -1) if isinstance(row[n].event, RoundStarted)), -1)


def _may_be_nothing(event: Event, later: Sequence[Event]) -> bool:
    """Whether it may have been no end of the round that the counts alone told: somebody goes on who should have no
    tile left, or lays one where nobody could."""
    if not isinstance(event, RoundEnded) or event.source != "rule" or any(isinstance(one, HandShown) for one in later):
        return False
    if event.how == "out":
        return any(isinstance(one, (TilePlayed, Drew, Discarded)) and one.who == event.out for one in later)
    return event.how == "blocked_declared" and any(isinstance(one, TilePlayed) for one in later)


def _is_implied(event: Event) -> bool:
    """Whether it is a pass that the rules wrote, because somebody else went on."""
    return isinstance(event, Passed) and event.source == "rule"


def _is_due(course: Course, event: Event) -> bool:
    """Whether a pass that somebody's act implied when it was written can still be one: a turn without a tile is open.
    In a round that a camera watches it is the belief's."""
    turn = course.turn
    return course.watched or turn is None or (turn.player == event.who and not turn.finished(course.rules))


def first_looks(events: Sequence[Event], looks: Iterable[int]) -> Mapping[int, int]:
    """The line that began a round -> the last one before the camera first saw something in it; `looks` are the last
    lines before all that it saw."""
    begun = [event.seq for event in events if isinstance(event, RoundStarted)]
    found: dict[int, int] = {}
    for look in looks:
        place = bisect_right(begun, look)
        if place:
            found.setdefault(begun[place - 1], look)
    return found


def _as_held(act: AppliedEvent, held: EffectiveEvent) -> AppliedEvent:
    """The same act by a line that differs in nothing that it comes to."""
    if act.held is held:
        return act
    event = None if act.event is None else replace(act.event, seq=held.event.seq, at=held.event.at)
    return replace(act, held=held, event=event)


def _alike(base: Timeline, held: Sequence[EffectiveEvent]) -> int:
    """How many of these events, from the first on, come to what they came to in `base`. In a round that people tap in
    every ruling is made anew, and what stands in a line of it says nothing."""
    tapped = False
    for n, (known, item) in enumerate(zip(base.taken, held, strict=False)):
        event = item.event
        if isinstance(event, RoundStarted):
            tapped = not base.doubted and event.seq not in base.looks
        tapped = tapped and event.source != "camera"
        if known is not item and not _counts_the_same(known, item) and not (tapped and _says_the_same(known, item)):
            return n
    return min(len(base.taken), len(held))


def _counts_the_same(known: EffectiveEvent, item: EffectiveEvent) -> bool:
    """Whether nothing but which lines changed them tells two events in force apart."""
    return known.by_people == item.by_people and known.event == item.event


def _says_the_same(known: EffectiveEvent, item: EffectiveEvent) -> bool:
    """Whether two lines say that somebody did or showed the same, whenever it was written and whatever was found."""
    a, b = known.event, item.event
    if type(a) is not type(b) or known.by_people != item.by_people or unsettled(a):
        return False
    if not is_act(a) and not isinstance(a, HandShown):
        return False
    said: dict[str, Any] = {"violations": b.violations, "at": b.at}  # type: ignore[attr-defined]
    return replace(a, **said) == b and _reported(a) == _reported(b)


def _reported(event: Event) -> list[Finding]:
    return [one for one in getattr(event, "violations", ()) if one.code in REPORTED_CODES]


def _in_force(held: Sequence[EffectiveEvent]) -> tuple[EffectiveEvent, ...]:
    """Without tiles that were taken back, and without the passes that a tile implied which is gone again."""
    there = [
        item
        for item in held
        if not item.undone and not (isinstance(item.event, TileTakenBack) and item.event.undoes is not None)
    ]
    kept: list[EffectiveEvent] = []
    following: Event | None = None
    for item in reversed(there):
        event = item.event
        if isinstance(event, Passed) and event.source == "rule":
            if following is None or following.who == event.by:
                continue
        elif action_of(event) is not None or isinstance(event, RoundEnded):
            following = event
        elif isinstance(event, RoundStarted):
            following = None
        kept.append(item)
    return tuple(reversed(kept))


def _weighed(event: Event, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """What is held against an act of an old journal's round that a camera watched: certain as the journal has it, and
    nothing new that such a camera could not prove."""
    stored = {one.code: one.certain for one in getattr(event, "violations", ())}
    provable = event.source == "camera"
    return tuple(
        replace(one, certain=one.certain and stored.get(one.code, provable and one.code not in NEVER_CERTAIN))
        for one in found
    )
