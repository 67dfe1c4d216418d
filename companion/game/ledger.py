"""The game on its journal: events go in, are judged, and reach the disk together with what follows from them.

Not safe for threads; `companion.game.session` holds the lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.event_fields import Finding
from companion.log.events import (
    OWN_FIELDS,
    Corrected,
    Event,
    MatchEnded,
    Passed,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TileTakenBack,
)
from companion.log.journal import Journal
from companion.log.table_change import Seen
from companion.play.event_actions import unsettled
from companion.play.match import Match
from companion.play.timeline import AppliedEvent, Timeline, first_looks
from companion.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Draft:
    """Lines that would be written together, and what the game comes to with them."""

    held: tuple[EffectiveEvent, ...]
    timeline: Timeline
    lines: tuple[Event, ...]


class Ledger:
    """Journal, events in force and history, always in step.

    `confirms`: whether an end of the round that follows from the counts is to be written now; the camera's belief may
    know better.
    """

    confirms: Callable[[RoundEnded], bool]

    def __init__(self, journal: Journal, rules: RuleSet) -> None:
        self.journal = journal
        self.rules = rules
        self.header = journal.header
        self.held = list(effective_events(journal.events))
        self.timeline = Timeline.of(self.header, rules, self.held, looks=self.looks)
        self.confirms = lambda due: True
        self._looked_on: int | None = None

    @property
    def lines(self) -> Sequence[Event]:
        """The journal's events, in order."""
        return self.journal.events

    @property
    def seen(self) -> Sequence[Seen]:
        """What the camera saw, in order."""
        return self.journal.seen

    @property
    def last_seq(self) -> int:
        return self.journal.last_seq

    def rehearsal(self) -> Ledger:
        """The game as it stands now, to be tried on: nothing reaches the disk."""
        other = copy(self)
        other.journal, other.held, other.timeline = self.journal.rehearsal(), list(self.held), self.timeline.copy()
        return other

    @property
    def match(self) -> Match:
        return self.timeline.match

    @property
    def watched(self) -> bool:
        """Whether the camera has looked at this round, though it saw no tile yet, what it saw was withdrawn, or the
        round was dealt again."""
        if self._looked_on is not None and self._looked_on == self._round:
            return True
        seen, number = False, None
        for line in reversed(self.journal.events):
            seen = seen or line.source == "camera"
            if isinstance(line, RoundStarted):
                if number not in (None, line.round):
                    return False
                if seen:
                    return True
                number = line.round
        return False

    @property
    def looks(self) -> Mapping[int, int]:
        """The line that began a round -> the last one before the camera first saw something in it."""
        return first_looks(self.journal.events, self.journal.looks)

    def look_on(self) -> None:
        """The camera looks at the table of this round."""
        self._looked_on = self._round

    @property
    def _round(self) -> int | None:
        course = self.timeline.match.course
        return None if course is None else course.number

    def record(self, *events: Event) -> tuple[Event, ...]:
        """Append events, each with its ruling, the passes it implies before it and what follows from it behind it.

        In a round that the camera watches nothing is certain that people tell, nor what comes of it.
        """
        timeline = self.timeline.copy()
        batch: list[Event] = []
        acts: dict[int, int] = {}
        doubted = False
        told: list[Event] = []
        for event in events:
            course = timeline.match.course
            watched = course is not None and (course.watched or self.watched)
            doubted = doubted or (event.source == "person" and watched)
            for implied in timeline.implied(event):
                told.append(implied)
                self._try(timeline, implied, batch, acts, doubted)
            told.append(event)
            self._try(timeline, event, batch, acts, doubted)
            self._follow(timeline, batch, acts)
        if (timeline.moved, timeline.doubts) != (self.timeline.moved, self.timeline.doubts):
            return self._record_reordered(told)
        stamped = self.journal.append_all(batch)
        held = list(self.held)
        for event in stamped:
            if isinstance(event, Corrected):
                _rule_anew(held, timeline, event)
            else:
                item = EffectiveEvent(event)
                held.append(item)
                if event.seq in acts:
                    timeline.rename(acts[event.seq], item)
        self.held, self.timeline = held, timeline
        return stamped

    def _record_reordered(self, told: Sequence[Event]) -> tuple[Event, ...]:
        """Append events with which the round took another order than that of the taps, and what reads otherwise now.

        `told`: with the passes that they implied; of these only what they still imply.
        """
        draft = self.draft((), told)
        still = {act.held.event.seq for act in draft.timeline.acts if act.event is not None}
        kept = [line for seq, line in enumerate(told, self.journal.last_seq + 1) if _is_told(line) or seq in still]
        return self.write(draft if len(kept) == len(told) else self.draft((), kept))

    def settle(self) -> tuple[Event, ...]:
        """Record what follows from the rules by now, if anything does (after a crash between two lines, say)."""
        timeline = self.timeline.copy()
        batch: list[Event] = []
        self._follow(timeline, batch, {})
        return self.record(*batch[:1]) if batch else ()

    def amend(self, event: Corrected | TileTakenBack) -> tuple[Event, ...]:
        """Append a change of the past, and the rulings that change with it."""
        return self.write(self.what_if(event))

    def what_if(self, event: Corrected | TileTakenBack) -> Draft:
        """What a change of the past would come to. Raises EventError where it cannot be applied."""
        return self.draft([event], (), doubted=event.source == "person" and self.watched)

    def draft(
        self,
        changes: Sequence[Corrected | TileTakenBack],
        new: Sequence[Event],
        *,
        doubted: bool = False,
    ) -> Draft:
        """Changes of the past and new events, all at once, each line with the ruling that it has in the end.

        `doubted`: nothing that they newly show is certain.
        """
        first = self.journal.last_seq
        lines = [replace(event, seq=seq) for seq, event in enumerate((*changes, *new), first + 1)]
        held = effective_events([*self.journal.events, *lines])
        timeline = Timeline.of(self.header, self.rules, held, base=self.timeline, looks=self.looks, doubted=doubted)
        found = {act.held.event.seq: timeline.findings(n) for n, act in enumerate(timeline.acts)}
        ruled = [
            _with_rulings(line, timeline) if isinstance(line, Corrected) else _with_findings(line, found[line.seq])
            for line in lines
            if isinstance(line, Corrected) or line.seq in found
        ]
        ruled += [line for line in lines if not isinstance(line, Corrected) and line.seq not in found]
        ruled.sort(key=lambda line: line.seq)
        return Draft(held, timeline, (*ruled, *_rulings_that_changed(held, timeline, first + 1)))

    def write(self, draft: Draft) -> tuple[Event, ...]:
        """Append the lines of a draft of this moment, and what follows from them."""
        stamped = self.journal.append_all(draft.lines)
        self.held = list(effective_events(self.journal.events))
        self.timeline = Timeline.of(self.header, self.rules, self.held, base=draft.timeline, looks=self.looks)
        return (*stamped, *self.settle())

    def _try(
        self, timeline: Timeline, event: Event, batch: list[Event], acts: dict[int, int], doubted: bool = False
    ) -> None:
        seq = self.journal.last_seq + len(batch) + 1
        act = timeline.take(EffectiveEvent(replace(event, seq=seq)), doubted=doubted, fresh=True)
        index = len(timeline.acts) - 1
        acts[seq] = index
        batch.append(_with_findings(replace(event, seq=seq), timeline.findings(index)))
        for key in act.late:
            self._rule_late(timeline.acts[key], timeline.findings(key), batch)

    def _rule_late(self, act: AppliedEvent, findings: tuple[Finding, ...], batch: list[Event]) -> None:
        """An earlier event is ruled on anew: in its own line while that is not written, else by a correction."""
        seq = act.held.event.seq
        if unsettled(act.held.event):
            return
        place = seq - self.journal.last_seq - 1
        if 0 <= place < len(batch):
            batch[place] = _with_findings(batch[place], findings)
        elif getattr(act.held.event, "violations", findings) != findings:
            batch.append(_ruling(seq, findings))

    def _follow(self, timeline: Timeline, batch: list[Event], acts: dict[int, int]) -> None:
        while (event := timeline.consequence()) is not None:
            if isinstance(event, RoundEnded) and not self.confirms(event):
                return
            self._try(timeline, event, batch, acts)


def _is_told(event: Event) -> bool:
    return not (isinstance(event, Passed) and event.source == "rule")


def _with_findings(event: Event, findings: tuple[Finding, ...]) -> Event:
    if "violations" not in {name for name, _, _ in OWN_FIELDS[event.KIND]}:
        return event
    changed: dict[str, Any] = {"violations": findings}
    return replace(event, **changed)


def _ruling(seq: int, findings: Sequence[Finding]) -> Corrected:
    return Corrected(source="rule", corrects=seq, what={"violations": [finding.to_json() for finding in findings]})


def _rule_anew(held: list[EffectiveEvent], timeline: Timeline, correction: Corrected) -> None:
    """Bring a ruling that `record` wrote as a correction into the events in force."""
    seq = correction.corrects
    for place in range(len(held) - 1, -1, -1):
        if held[place].event.seq != seq:
            continue
        findings = tuple(Finding(one["code"], one["certain"], one.get("by")) for one in correction.what["violations"])
        item = replace(held[place], event=_with_findings(held[place].event, findings))
        for index in range(len(timeline.acts) - 1, -1, -1):
            if timeline.acts[index].held is held[place]:
                timeline.rename(index, item)
                break
        held[place] = item
        return


def _with_rulings(correction: Corrected, timeline: Timeline) -> Corrected:
    """What a correction puts in carries its rulings from the start."""
    if "insert" not in correction.what:
        return correction
    lines = []
    for index, act in enumerate(timeline.acts):
        if act.held.event.seq == correction.seq:
            lines.append(_with_findings(act.held.event, timeline.findings(index)).to_insert())
    return replace(correction, what={**correction.what, "insert": lines}) if lines else correction


def _rulings_that_changed(held: Sequence[EffectiveEvent], timeline: Timeline, new_seq: int) -> list[Event]:
    """Corrections by the rules: rulings, scores and ends of rounds that read otherwise after a change of the past.

    Lines from `new_seq` on are about to be written and need none.
    """
    lines: list[Event] = []
    in_force = {id(act.held) for act in timeline.acts}
    lines_of = Counter(act.held.event.seq for act in timeline.acts)
    for item in held:
        dropped = id(item) not in in_force and not item.undone and not isinstance(item.event, TileTakenBack)
        if dropped and item.event.source == "rule" and item.event.seq < new_seq:
            lines.append(_withdrawn(item.event.seq))
    for index, act in enumerate(timeline.acts):
        event = act.held.event
        if event.seq >= new_seq or lines_of[event.seq] > 1:
            # Of several events that one line put in (journals of earlier releases) none can be meant by itself.
            continue
        if act.event is None and not isinstance(event, Passed):
            lines.append(_withdrawn(event.seq))
            continue
        stored = getattr(event, "violations", None)
        if stored is not None and set(stored) != set(timeline.findings(index)):
            lines.append(_ruling(event.seq, timeline.findings(index)))
        if isinstance(event, (RoundScored, MatchEnded, RoundEnded)) and event.source == "rule" and act.event:
            new = _new_values(event, act.event)
            if new:
                lines.append(Corrected(source="rule", corrects=event.seq, what=new))
    return lines


def _withdrawn(seq: int) -> Corrected:
    return Corrected(source="rule", corrects=seq, what={"withdrawn": True})


def _new_values(old: Event, new: Event) -> dict[str, Any]:
    before, after = old.to_json(), new.to_json()
    names = [name for name, _, _ in OWN_FIELDS[old.KIND] if name != "violations"]
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}
