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
from companion.play.counts import misdealt
from companion.play.event_actions import act_of, action_of, is_act, unsettled
from companion.play.match import Match
from companion.play.reports import DEALT
from companion.play.round import Course, Findings
from companion.play.round_over import over_by_rule
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation
from companion.tracking.tapped_round import NEAR, TappedRound
from companion.tracking.verdict import COUNTED

REPORTED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REPORTED)
"""Codes that only a person can report; they stay as they were said."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

NO_LOOKS: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class AppliedEvent:
    """One event: what was held, the event as it counts, the match after it, and what it showed.

    `event` is None where the line only carried something that does not follow any more. `findings` are its own at its
    time, `late` those of earlier acts (by index) that changed with it.
    """

    held: EffectiveEvent
    event: Event | None
    after: Match
    findings: tuple[Finding, ...] = ()
    late: Findings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reordered:
    """After so many events had been `taken`, their acts, each with its place among these, were put in another order."""

    taken: int
    acts: Sequence[tuple[int, AppliedEvent]]


@dataclass(frozen=True, slots=True)
class Refused:
    """After so many events had been `taken`, the lines in this order lessened nothing of the `burden`."""

    taken: int
    row: Sequence[int]
    burden: int


MOST_ACTS_TO_MOVE = 40
"""Longer than the longest first train with all that goes with it."""

BY_ORDER = frozenset(
    map(
        str,
        (
            Violation.CLOSED_TRAIN,
            Violation.OPEN_DOUBLE_IGNORED,
            Violation.DOUBLE_NOT_FOLLOWED,
            Violation.EXTRA_TILE,
            Violation.OUT_OF_TURN,
            Violation.PLAY_AFTER_END,
            Violation.FIRST_TURN_OWN_ONLY,
            Violation.MX_TOO_EARLY,
            Violation.MARKER_MISSING,
            Violation.MARKER_UNEARNED,
            Violation.MARKER_REMOVED_WRONGLY,
            Violation.MARKER_NOT_REMOVED,
            Violation.NO_DRAW,
            Violation.EXTRA_DRAW,
            Violation.DRAW_FIRST_TURN,
            Violation.DRAW_FROM_EMPTY,
            Violation.PASS_WITHOUT_DISCARD,
        ),
    )
)
"""Faults that the order of acts may explain; the others lie on the table in any order."""


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one that shares what did not change.

    `taken` are the events in the order in which they were told, `acts` in the order in which they are held to have
    happened: in a round that people tap in that is the order of the belief (tracking.tapped_round). `moved` says where
    they part. `taps`: the places in `taken` of the taps of this round. `settled`: a place in an earlier round that was
    tapped -> what is known against it. `unsure`: (line, code) of what is only possible because the journal says so.
    `doubted`: some of this round was taken so.
    """

    def __init__(self, header: Header, rules: RuleSet, looks: Mapping[int, int] = NO_LOOKS) -> None:
        """`looks`: the line that began a round -> the last one before the camera first saw something in it."""
        self.start = Match.of(header, rules)
        self.looks = looks
        self.taken: list[EffectiveEvent] = []
        self.acts: list[AppliedEvent] = []
        self.found: dict[int, tuple[Finding, ...]] = {}
        self.moved: list[Reordered] = []
        self.refused: list[Refused] = []
        self.taps: list[int] = []
        self.settled: dict[int, tuple[Finding, ...]] = {}
        self._besides: dict[int, tuple[Finding, ...]] | None = None
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
    ) -> Timeline:
        """The history of these events; `base` lends the acts up to the first difference. `doubted`: see `take`."""
        in_force = _in_force(held)
        timeline = cls(header, rules, looks)
        if base is not None:
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
            if not finding.certain and any(one.certain and one.code == finding.code for one in self._found_by_now(n))
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
        self.refused = [refused for refused in base.refused if refused.taken <= alike]
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
        other.settled, other._besides = self.settled, self._besides
        other.refused = list(self.refused)
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
        found = self._found_by_now(index)
        return tuple(
            replace(one, certain=one.certain and (held.event.seq, one.code) not in self.unsure) for one in found
        )

    def _found_by_now(self, index: int) -> tuple[Finding, ...]:
        place = self._places[id(self.acts[index].held)]
        if place in self.settled:
            return self.settled[place]
        found = self.found.get(index, ())
        sure = (replace(one, certain=one.certain and self._is_sure(index, one)) for one in found)
        return (*sure, *self._possible().get(place, ()))

    def _possible(self) -> Mapping[int, tuple[Finding, ...]]:
        """Place of each tap of this round -> what may be wrong with it in another order than the acts are in: the
        belief finds it possible."""
        if self._besides is None:
            self._besides = {} if self._belief is None else self._possible_now(self._belief)
        return self._besides

    def _possible_now(self, belief: TappedRound) -> dict[int, tuple[Finding, ...]]:
        begun = _begun([one.held for one in self.acts])
        told: dict[tuple[str, str | None], list[int]] = {}
        for n, several in self.found.items():
            held = self.acts[n].held
            for one in several if n > begun else ():
                told.setdefault((one.code, one.by or _whose(held.event)), []).append(self._tap_of(held))
        found: dict[int, tuple[Finding, ...]] = {}
        for tap, charges in belief.possible(over=self._told_to_the_end()).items():
            place = self.taps[tap]
            event = self.taken[place].event
            new = [
                Finding(code, certain=False, by=None if player == _whose(event) else player)
                for code, player in charges
                if code in BY_ORDER and all(abs(at - tap) > NEAR for at in told.get((code, player), ()))
            ]
            if new:
                found[place] = tuple(new)
        return found

    def _told_to_the_end(self) -> bool:
        """Whether nothing of this round is still to be tapped."""
        for act in reversed(self.acts):
            if isinstance(act.event, RoundStarted):
                return False
            if isinstance(act.event, (HandShown, RoundScored)):
                return True
        return False

    def _is_sure(self, index: int, finding: Finding) -> bool:
        """Whether what is found stands in every order in which this round may have gone, that is likely at all."""
        act = self.acts[index]
        course = act.after.course
        if isinstance(act.held.event, Drew) and finding.code in REVEALED_CODES:
            return self._stayed_in_its_turn(index)
        if finding.code not in BY_ORDER or course is None or not self._goes_by_taps(act.held, course):
            return True
        player = finding.by or _whose(act.held.event)
        tap = self._tap_of(act.held)
        return self._believes().is_sure(tap, finding.code, player, over=self._told_to_the_end())

    def _tap_of(self, held: EffectiveEvent) -> int:
        """The tap that this event is, or came after."""
        return max(0, bisect_right(self.taps, self._places[id(held)]) - 1)

    def _stayed_in_its_turn(self, index: int) -> bool:
        """Whether the same tiles of this player come before the act in the order of taps and in the one it is in."""
        act = self.acts[index].held
        before = ([one.held for one in self.acts[:index]], self.taken[: self._places[id(act)]])
        own = [
            {id(one) for one in row if isinstance(one.event, TilePlayed) and one.event.by == act.event.who}
            for row in before
        ]
        return own[0] == own[1]

    def take(self, held: EffectiveEvent, *, doubted: bool = False, fresh: bool = False) -> AppliedEvent:
        """Add an event. `doubted`: nothing that it newly shows is certain.

        Where the journal holds what the camera saw, what is held against the acts of the round is the belief's to say
        and stands in their lines. `fresh`: this line has not been written yet, and nobody has weighed it.
        """
        if isinstance(held.event, RoundStarted):
            self._settle()
        self._besides = None
        self._places[id(held)] = len(self.taken)
        self.taken.append(held)
        self.doubted = doubted or (self.doubted and not isinstance(held.event, RoundStarted))
        act, course = act_of(held.event), self.match.course
        if isinstance(held.event, Announced) and held.event.what == DEALT:
            self._belief = None
        if doubted or act is None or held.event.source != "person" or not self._goes_by_taps(held, course):
            return self._take(held, doubted=doubted, fresh=fresh)
        self._believes()
        self.taps.append(len(self.taken) - 1)
        self._take(held, fresh=fresh)
        self._put_in_order()
        return next(act for act in reversed(self.acts) if act.held is held)

    def _goes_by_taps(self, held: EffectiveEvent, course: Course | None) -> bool:
        """Whether a round runs that people tap in and no camera watches."""
        if course is None or course.watched or self._believed(held, course):
            return False
        turns = course.turns if course.turn is None else (*course.turns, course.turn)
        return all(len(turn.actions) <= MOST_ACTS_TO_MOVE for turn in turns)

    def _believed(self, held: EffectiveEvent, course: Course) -> bool:
        return held.event.seq > self.looks.get(course.start_seq, held.event.seq)

    def _take(self, held: EffectiveEvent, *, doubted: bool = False, fresh: bool = False) -> AppliedEvent:
        event = self._as_it_counts(held.event)
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.match.take(event, len(self.acts))
            reported = tuple(finding for finding in getattr(event, "violations", ()) if finding.code in REPORTED_CODES)
            findings = (*step.findings, *(finding for finding in reported if finding not in step.findings))
            course = step.match.course
            watched = course is not None and course.watched
            believed = course is not None and self._believed(held, course)
            late = step.late
            if not believed:
                late = {key: self._weighed_late(key, found, doubted or watched) for key, found in late.items()}
            elif action_of(event) is None:
                late = {key: self._with_revealed(key, found) for key, found in late.items()}
            else:
                late = {}
            if believed and not fresh and action_of(event) is not None:
                findings = tuple(one for one in held.event.violations if one.code not in REVEALED_CODES)  # type: ignore[attr-defined]
            elif findings and (watched or doubted):
                findings = _weighed(held.event, findings, watched, doubted)
            act = AppliedEvent(held, event, step.match, findings, late)
        self._keep(act)
        return act

    def _weighed_late(self, key: int, found: tuple[Finding, ...], doubted: bool) -> tuple[Finding, ...]:
        return _weighed(self.acts[key].held.event, found, doubted, doubted) if doubted and key >= 0 else found

    def _with_revealed(self, key: int, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """What stands against an act of a watched round, with what the shown hands tell of it."""
        if key < 0 or action_of(self.acts[key].held.event) is None:
            return found
        known = self.findings(key)
        return (*known, *(one for one in found if one.code in REVEALED_CODES and one not in known))

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
            due = over_by_rule(match.course)
            counted_down = due is not None and due.how == "out" and match.course.watched
            return None if counted_down and self.misses_a_draw() else due
        if match.phase == "ended":
            return match.scored()
        return match.match_end() if match.phase == "scored" else None

    def misses_a_draw(self) -> bool:
        """Whether a turn of this round seems to lack its draw: the hands may then hold more than was counted."""
        begun = max((n for n, act in enumerate(self.acts) if isinstance(act.event, RoundStarted)), default=0)
        findings = (finding for n, found in self.found.items() if n >= begun for finding in found)
        return any(finding.code == Violation.NO_DRAW for finding in findings)

    # ---- the order of acts ---------------------------------------------------------------------------------------

    def _believes(self) -> TappedRound:
        """The belief about this round, with all that was tapped in it."""
        if self._belief is None:
            begun = _begun([act.held for act in self.acts])
            course = self.acts[begun].after.course
            assert course is not None
            known, table = course.starter_known, course.table
            for player in self._wrongly_dealt():
                table, _ = misdealt(table, None, player)
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
        tapped = held.event.source == "person" and act_of(held.event) is not None
        return tapped and self._goes_by_taps(held, self.acts[index - 1].after.course)

    def _put_in_order(self) -> None:
        """Put this round's acts in the order in which they most likely happened."""
        burden = self._burden()
        if not burden:
            return
        begun = _begun([act.held for act in self.acts])
        places = [n for n in range(begun + 1, len(self.acts)) if not _is_implied(self.acts[n].held.event)]
        row = self._row()
        alike = 0
        for place, (held, counts) in zip(places, row, strict=True):
            act = self.acts[place]
            if (
                act.held is not held
                or (act.event is None and counts and held.event.source == "person")
                or (act.event is not None and not counts)
            ):
                break
            alike += 1
        if alike == len(row):
            return
        # The passes between are worked out anew, also those right before.
        first = places[alike - 1] + 1 if alike else begun + 1
        if self._was_refused(row, burden):
            return
        other = self._from(first)
        for held, counts in row[alike:]:
            if counts:
                other._go_on(held, self, first)
            else:
                other._keep(AppliedEvent(held, None, other.match))
        there = {id(act.held) for act in other.acts}
        for act in self.acts[first:]:
            if id(act.held) not in there:
                other._keep(AppliedEvent(act.held, None, other.match))
        if other._burden() < burden:
            self.moved.append(Reordered(len(self.taken), self._placed()))
            self.acts, self.found = other.acts, other.found
        else:
            self.refused.append(Refused(len(self.taken), [held.event.seq for held, _ in row], burden))

    def _was_refused(self, row: Sequence[tuple[EffectiveEvent, bool]], burden: int) -> bool:
        """Whether this order, but for what was tapped last, lessened nothing, and no more is found since."""
        last = self.refused[-1] if self.refused else None
        if last is None or burden > last.burden or any(moved.taken > last.taken for moved in self.moved[-1:]):
            return False
        later = {one.event.seq for one in self.taken[last.taken :]}
        same = [held.event.seq for held, _ in row[: len(last.row)]] == last.row
        return same and all(held.event.seq in later for held, _ in row[len(last.row) :])

    def _burden(self) -> int:
        """How much is found in this round that rests on the order of acts, the turn at hand included."""
        course = self.match.course
        over = course is not None and course.turn is not None and course.turn.finished(course.rules)
        found = {**self.found, **(course.close()[1] if over and course is not None else {})}
        begun = _begun([act.held for act in self.acts])
        late = sum(self._after_end(n) for n in range(begun + 1, len(self.acts)))
        return late + sum(one.code in BY_ORDER for n, several in found.items() if n > begun for one in several)

    def _after_end(self, index: int) -> bool:
        """Whether a tile was laid, drawn or put away in a round that was over by the counts."""
        before = self.acts[index - 1].after.course
        over = before is not None and before.ended is not None and before.ended_by == "rule"
        return over and isinstance(self.acts[index].event, (TilePlayed, Drew, Discarded))

    def _row(self) -> list[tuple[EffectiveEvent, bool]]:
        """What was told of this round in the order in which it most likely happened; and whether it says anything."""
        order = {tap: n for n, tap in enumerate(self._believes().order())}
        number = {place: n for n, place in enumerate(self.taps)}
        row: list[tuple[tuple[int, bool, int], bool]] = []
        latest = -1
        for place in range(_begun(self.taken) + 1, len(self.taken)):
            event = self.taken[place].event
            tap = number.get(place)
            if _is_implied(event):
                continue
            if tap in order:
                latest = max(latest, order[tap])
                row.append(((order[tap], False, place), True))
            else:
                later = self.taken[place + 1 :] if isinstance(event, RoundEnded) else ()
                nothing = tap is not None or _may_be_nothing(event, [one.event for one in later])
                row.append(((latest, True, place), not nothing))
        return [(self.taken[place], counts) for (_, _, place), counts in sorted(row)]

    def _from(self, first: int) -> Timeline:
        """The acts up to place `first`, of which those from place `first` on come in another order."""
        other = self.copy()
        other.acts, other.found = [], {}
        for act in self.acts[:first]:
            other._keep(act)
        return other

    def _go_on(self, item: EffectiveEvent, taps: Timeline, first: int) -> None:
        """Take this act next, and before it the passes that it implies, whose lines are among the acts of `taps` from
        place `first` on."""
        for passed in self.implied(item.event):
            used = {id(act.held) for act in self.acts[first:]}
            lines = (act.held for act in taps.acts[first:] if _is_implied(act.held.event) and id(act.held) not in used)
            line = next((one for one in lines if one.event.who == passed.by), None)
            if line is not None:
                self._take(line)
        self._take(item)

    def _settle(self) -> None:
        """Another round begins: what another order explains stays open."""
        begun = _begun([one.held for one in self.acts])
        if begun >= 0 and self._belief is not None:
            known = {self._places[id(self.acts[n].held)]: self._found_by_now(n) for n in range(begun, len(self.acts))}
            self.settled = {**self.settled, **known}
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
        if known is not item and known != item and not (tapped and _says_the_same(known, item)):
            return n
    return min(len(base.taken), len(held))


def _says_the_same(known: EffectiveEvent, item: EffectiveEvent) -> bool:
    """Whether two lines say that somebody did the same, whenever it was written and whatever was found."""
    a, b = known.event, item.event
    if type(a) is not type(b) or known.by_people != item.by_people or not is_act(a) or unsettled(a):
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


def _weighed(event: Event, findings: tuple[Finding, ...], watched: bool, doubted: bool) -> tuple[Finding, ...]:
    """The findings, of which new ones are uncertain where they are doubted, and in a `watched` round where they are
    counted or about an act that somebody told."""
    if action_of(event) is None:
        return findings
    stored: tuple[Finding, ...] = getattr(event, "violations", ())
    known = {finding.code: finding.certain for finding in stored}

    def certain(code: str) -> bool:
        return known.get(code, not (doubted or (watched and (code in COUNTED or event.source == "person"))))

    return tuple(replace(one, certain=one.certain and certain(one.code)) for one in findings)
