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
    Corrected,
    Event,
    Header,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TileTakenBack,
    Unclear,
)
from companion.play.event_actions import action_of, unsettled
from companion.play.match import Match
from companion.play.round import Findings
from companion.play.round_over import over_by_rule
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation

REPORTED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REPORTED)
"""Codes that only a person can report; they stay as they were said."""

REVEALED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REVEAL)
"""Codes that shown hands tell of earlier acts; they are worked out anew with the hands."""

COUNTED = frozenset(
    map(
        str,
        (
            Violation.NO_DRAW,
            Violation.EXTRA_DRAW,
            Violation.DRAW_FROM_EMPTY,
            Violation.DRAW_FIRST_TURN,
            Violation.EXTRA_TILE,
            Violation.PASS_WITHOUT_DISCARD,
            Violation.OUT_OF_TURN,
            Violation.MARKER_WRONG_TRAIN,
            Violation.MARKER_MISSING,
            Violation.MARKER_NOT_REMOVED,
        ),
    )
)
"""Faults that rest on how many face-down tiles the camera found, on the order of turns alone, on whose hand moved a
marker, which nobody saw, or on a marker that is not found or is held to lie there still: one thing overlooked, one hand
mistaken for another must accuse nobody. So they are never certain where the camera watches."""


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


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one that shares what did not change."""

    def __init__(self, header: Header, rules: RuleSet, looks: Mapping[int, int] = NO_LOOKS) -> None:
        """`looks`: the line that began a round -> the last one before the camera first saw something in it."""
        self.start = Match.of(header, rules)
        self.looks = looks
        self.acts: list[AppliedEvent] = []
        self.found: dict[int, tuple[Finding, ...]] = {}

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
            for act, item in zip(base.acts, in_force, strict=False):
                if act.held is not item and act.held != item:
                    break
                timeline._keep(act if act.held is item else replace(act, held=item))
        for item in in_force[len(timeline.acts) :]:
            timeline.take(item, doubted=doubted)
        return timeline

    def copy(self) -> Timeline:
        """Another one to try something with."""
        other = Timeline.__new__(Timeline)
        other.start, other.acts, other.found = self.start, list(self.acts), dict(self.found)
        other.looks = self.looks
        return other

    @property
    def match(self) -> Match:
        return self.acts[-1].after if self.acts else self.start

    def findings(self, index: int) -> tuple[Finding, ...]:
        """What is known by now against the event of an act."""
        return self.found.get(index, ())

    def take(self, held: EffectiveEvent, *, doubted: bool = False, fresh: bool = False) -> AppliedEvent:
        """Add an event. `doubted`: nothing that it newly shows is certain.

        Where the journal holds what the camera saw, what is held against the acts of the round is the belief's to say
        and stands in their lines. `fresh`: this line has not been written yet, and nobody has weighed it.
        """
        event = self._as_it_counts(held.event)
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.match.take(event, len(self.acts))
            reported = tuple(finding for finding in getattr(event, "violations", ()) if finding.code in REPORTED_CODES)
            findings = (*step.findings, *(finding for finding in reported if finding not in step.findings))
            course = step.match.course
            watched = course is not None and course.watched
            believed = course is not None and held.event.seq > self.looks.get(course.start_seq, held.event.seq)
            late = step.late
            if not believed:
                late = {key: self._weighed_late(key, found, doubted or watched) for key, found in late.items()}
            elif action_of(event) is None:
                late = {key: self._with_revealed(key, found) for key, found in late.items()}
            else:
                late = {}
            if believed and not fresh and action_of(event) is not None:
                findings = tuple(one for one in held.event.violations if one.code not in REVEALED_CODES)  # type: ignore[attr-defined]
            elif findings:
                findings = _weighed(held.event, findings, watched, doubted)
            act = AppliedEvent(held, event, step.match, findings, late)
        self._keep(act)
        return act

    def _weighed_late(self, key: int, found: tuple[Finding, ...], doubted: bool) -> tuple[Finding, ...]:
        return found if key < 0 else _weighed(self.acts[key].held.event, found, doubted, doubted)

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

    def rename(self, index: int, held: EffectiveEvent) -> None:
        """Put the recorded event, with its seq and time, in the place of the one that was tried."""
        act = self.acts[index]
        event = None if act.event is None else replace(act.event, seq=held.event.seq, at=held.event.at)
        self.acts[index] = replace(act, held=held, event=event)

    def _keep(self, act: AppliedEvent) -> None:
        if act.findings:
            self.found[len(self.acts)] = act.findings
        self.acts.append(act)
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
                untouched = event.seq == len(self.acts) + 1
                return event if untouched else None
            return replace(due, seq=event.seq, at=event.at)
        if isinstance(event, (Unclear, Corrected)) or (match.course is None and not isinstance(event, RoundStarted)):
            return event
        if unsettled(event) or isinstance(event, TileTakenBack):
            return event
        if getattr(event, "violations", ()):
            kept = tuple(finding for finding in event.violations if finding.code in REPORTED_CODES)  # type: ignore[attr-defined]
            changed: dict[str, Any] = {"violations": kept}
            return replace(event, **changed)
        return event


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
