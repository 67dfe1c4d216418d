"""Accusations that no longer stand: what was held against somebody for certain, and is not any more.

Two moments of the game are compared, before and after everything that one change brought. Between them lines come and
go that nobody ever saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.game.game_view import RetractionShown
from companion.game.timeline import Timeline
from companion.log.corrections import UNDONE, withdrawn_corrections
from companion.log.events import Corrected, Event, RoundStarted, TilePlayed

Act = tuple[object, ...]
"""An act by what it is, so that it is the same one where it is recorded anew."""


@dataclass(frozen=True, slots=True)
class Accusation:
    """A finding that is certain; `by` None: it is open who it was."""

    act: Act
    code: str
    by: str | None


def accusations(timeline: Timeline) -> frozenset[Accusation]:
    """What stands for certain."""
    found = set()
    for index, act in enumerate(timeline.acts):
        held, event = act.held, act.event
        if event is None or held.overruled or held.undone:
            continue
        for finding in timeline.findings(index):
            if finding.certain:
                by = finding.by or event.who
                found.add(Accusation(_act(timeline, index, event), finding.code, by))
    return frozenset(found)


def retracted(
    before: frozenset[Accusation], timeline: Timeline
) -> Mapping[int, tuple[tuple[Accusation, ...], tuple[dict[str, Any], ...]]]:
    """Line of an act that is on record still -> the accusations that fell, and what is found against it now.

    What was let stand, taken back or withdrawn has nothing to retract: people know what they did.
    """
    now_stand = accusations(timeline)
    # A fault of which it is known by now whose it was has not fallen.
    known = {(one.act, one.code) for one in now_stand}
    fallen = {one for one in before - now_stand if one.by is not None or (one.act, one.code) not in known}
    if not fallen:
        return {}
    lines: dict[int, tuple[tuple[Accusation, ...], tuple[dict[str, Any], ...]]] = {}
    lines_of = Counter(act.held.event.seq for act in timeline.acts)
    for index, act in enumerate(timeline.acts):
        if lines_of[act.held.event.seq] > 1:
            # Of several events that one line put in (journals of earlier releases) none can be meant by itself.
            continue
        if act.event is None or act.held.overruled or act.held.undone or not hasattr(act.held.event, "violations"):
            continue
        mine = tuple(sorted((one for one in fallen if one.act == _act(timeline, index, act.event)), key=str))
        if mine:
            now = tuple(finding.to_json() for finding in timeline.findings(index))
            lines[act.held.event.seq] = (mine, now)
    return lines


def retractions(events: Sequence[Event], accused: frozenset[tuple[int, str, str | None]]) -> list[RetractionShown]:
    """This round's lines that say what stands no longer, as a snapshot shows them.

    `accused` are (line, code, player) of what stands for certain by now: an accusation may stand again. What somebody
    has undone, and what came of undoing it, is no news any more: it stays in the journal.
    """
    start = max((n for n, event in enumerate(events) if isinstance(event, RoundStarted)), default=len(events))
    undone = withdrawn_corrections(events)
    gone = {
        event.corrects
        for event in events
        if isinstance(event, Corrected) and event.seq not in undone and event.what.get("withdrawn") is True
    }
    shown: list[RetractionShown] = []
    cause: Event | None = None
    for event in events[start:]:
        if event.source != "rule":
            cause = event
        step_back = isinstance(cause, Corrected) and dict(cause.what) == UNDONE
        if step_back or (cause is not None and cause.seq in gone) or getattr(event, "corrects", None) in gone:
            continue
        if not isinstance(event, Corrected) or "retracts" not in event.what or event.seq in undone:
            continue
        said = event.what["retracts"]
        fallen = tuple(one for one in said if (event.corrects, one["code"], one.get("by")) not in accused)
        if fallen:
            shown.append(RetractionShown(event.seq, event.corrects, fallen, event.what.get("because")))
    return shown


def _act(timeline: Timeline, index: int, event: Event) -> Act:
    course = timeline.acts[index].after.course
    number = None if course is None else course.number
    if isinstance(event, TilePlayed):
        return number, event.tile, event.train
    return number, event.KIND, event.seq
