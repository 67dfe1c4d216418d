"""The game with its past: after each event the match as it stood, and what every event is found to be by now.

Live play and replay both go through `Timeline.of`, so that a game read from its journal has the rulings it had. What
follows from the rules alone (a pass that somebody's tile implies, the end of a round, a score) is worked out anew each
time; its lines in the journal only carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from companion.play.misfits import with_proved
from companion.play.round import Findings
from companion.play.round_over import over_by_rule
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Certainty, Violation

REPORTED_CODES = frozenset(str(code) for code in Violation if code.certainty is Certainty.REPORTED)
"""Codes that only a person can report; they stay as they were said."""

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


def never(seq: int) -> bool:
    """No line is doubted."""
    return False


class Timeline:
    """Acts in order. Grows by `take`; a change of the past makes a new one that shares what did not change."""

    def __init__(self, header: Header, rules: RuleSet) -> None:
        self.start = Match.of(header, rules)
        self.acts: list[AppliedEvent] = []
        self.found: dict[int, tuple[Finding, ...]] = {}

    @classmethod
    def of(
        cls,
        header: Header,
        rules: RuleSet,
        held: Sequence[EffectiveEvent],
        base: Timeline | None = None,
        doubted: Callable[[int], bool] = never,
    ) -> Timeline:
        """The history of these events; `base` lends the acts up to the first difference, `doubted` says of a line's
        number what `take` is told of its event."""
        in_force = _in_force(held)
        timeline = cls(header, rules)
        if base is not None:
            timeline.start = base.start
            for act, item in zip(base.acts, in_force, strict=False):
                if act.held is not item and act.held != item:
                    break
                timeline._keep(act if act.held is item else replace(act, held=item))
        for item in in_force[len(timeline.acts) :]:
            timeline.take(item, doubted(item.event.seq))
        return timeline

    def copy(self) -> Timeline:
        """Another one to try something with."""
        other = Timeline.__new__(Timeline)
        other.start, other.acts, other.found = self.start, list(self.acts), dict(self.found)
        return other

    @property
    def match(self) -> Match:
        return self.acts[-1].after if self.acts else self.start

    def findings(self, index: int) -> tuple[Finding, ...]:
        """What is known by now against the event of an act."""
        return self.found.get(index, ())

    def take(self, held: EffectiveEvent, doubted: bool = False) -> AppliedEvent:
        """Add an event. `doubted`: nothing that it newly shows is certain."""
        event, before = self._as_it_counts(held.event), self.match
        if event is None:
            act = AppliedEvent(held, None, self.match)
        else:
            step = self.match.take(event, len(self.acts))
            reported = tuple(finding for finding in getattr(event, "violations", ()) if finding.code in REPORTED_CODES)
            findings = (*step.findings, *(finding for finding in reported if finding not in step.findings))
            act = AppliedEvent(held, event, step.match, findings, step.late)
            if findings or step.late:
                act = self._as_far_as_seen(act, doubted)
            if before.course is not None and not unsettled(event):
                findings = with_proved(before.course.rules, before.course.position, held.event, act.findings)
                act = replace(act, findings=findings)
        self._keep(act)
        return act

    def _as_far_as_seen(self, act: AppliedEvent, doubted: bool) -> AppliedEvent:
        """What an act shows, and what is certain of it.

        Where the camera watches, it and people tell what happened in an order of their own each, and neither waits for
        the other: what comes of putting both together accuses nobody for certain. What was certain before stays so, and
        what was not.
        """
        watched = act.after.course is not None and act.after.course.watched
        findings = _weighed(act.held.event, act.findings, watched, doubted)
        late = {
            key: _weighed(self.acts[key].held.event, found, watched, doubted or watched) if key >= 0 else found
            for key, found in act.late.items()
        }
        return replace(act, findings=findings, late=late)

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
