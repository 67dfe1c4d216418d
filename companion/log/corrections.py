"""Applies a journal's corrections: the events as they count now.

The lines themselves stay (events.Corrected). A correction can change single fields of an earlier event, withdraw it,
put events before or behind it, answer an unclear one, overrule its ruling, or be withdrawn itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from companion.log.event_fields import EventError
from companion.log.events import (
    OWN_FIELDS,
    Corrected,
    Event,
    TileTakenBack,
    Unclear,
    event_from_json,
)
from companion.storage.records import shown

CHANGES = ("withdrawn", "insert", "after", "answer", "order", "so", "overruled")
"""Keys of `Corrected.what` besides the names of the corrected event's own fields."""

FOR_PEOPLE = ("note", "answers")
"""Keys that only say why. `answers`: the question to which this belongs."""

UNDONE = {"withdrawn": True, "note": "undo"}
"""Written by a step back. It is no step itself, so the next one goes further back."""

PUT_BACK = {"withdrawn": True, "note": "redo"}
"""Written to redo a step: it withdraws what the step back wrote, and is no step itself either."""


class CorrectionError(EventError):
    """A correction that names no earlier event or cannot be applied.

    Args:
        code: why, where people can be told in words of their own.
        params: what it is about.

    >>> str(CorrectionError.at(7, CorrectionError("what: says no change")))
    'seq 7: what: says no change'
    """

    def __init__(self, message: str, code: str | None = None, **params: object) -> None:
        super().__init__(message)
        self.code, self.params = code, params

    @classmethod
    def at(cls, seq: int, error: EventError) -> CorrectionError:
        """The same of line `seq`."""
        message = f"seq {seq}: {error}"
        return cls(message, error.code, **error.params) if isinstance(error, CorrectionError) else cls(message)


class TurnPlace(NamedTuple):
    """The turn to which an act belongs."""

    number: int
    """Its number in the round; 0: of the common first lap."""
    player: str
    own: int = 0
    """Its number among its player's, from 1; 0: nobody has counted."""
    astray: bool = False
    """It was out of turn."""
    lap: bool = False


@dataclass(frozen=True, slots=True)
class EffectiveEvent:
    """An event as it counts now.

    >>> from companion.log.events import Drew
    >>> lines = [Drew(seq=1, by="Ann"), Corrected(seq=2, corrects=1, what={"by": "Ben"})]
    >>> [one] = effective_events(lines)
    >>> one.event.who, one.original.who, one.changed_by
    ('Ben', 'Ann', (2,))
    """

    event: Event
    """Its `seq` is the line that brought it; for an inserted event, the correction's line."""
    changed_by: tuple[int, ...] = ()
    """The lines of the corrections that touched it."""
    original: Event | None = None
    """The line as first written, where it was changed."""
    overruled: bool = False
    """The table agreed that its violations do not count."""
    undone: bool = False
    """The tile was taken back again."""
    by_people: bool = False
    """A person changed what it says, not only the camera, which learns some names late."""
    ruling_open: bool = False
    """People name another player than the belief, so no ruling holds for both."""
    put_in: bool = False
    """An answer put it in, as forgotten."""
    place: TurnPlace | None = None
    """Its turn, where a belief says it."""


@dataclass(slots=True)
class _Entry:
    event: Event
    original: Event
    changed_by: list[int] = field(default_factory=list)
    before: list[_Entry] = field(default_factory=list)
    behind: list[_Entry] = field(default_factory=list)
    withdrawn: bool = False
    overruled: bool = False
    by_people: bool = False
    put_in: bool = False

    def held(self) -> Iterable[EffectiveEvent]:
        for entry in self.before:
            yield from entry.held()
        if not self.withdrawn and not isinstance(self.event, Corrected):
            original = self.original if self.changed_by and self.event != self.original else None
            people = self.by_people and original is not None
            yield EffectiveEvent(
                self.event, tuple(self.changed_by), original, self.overruled, by_people=people, put_in=self.put_in
            )
        for entry in self.behind:
            yield from entry.held()


def effective_events(events: Sequence[Event]) -> tuple[EffectiveEvent, ...]:
    """The events in force, in the order in which they happened; corrections and withdrawn events are left out.

    Raises EventError, naming the correction's seq, for one that names no earlier event or cannot be applied.
    """
    undone = withdrawn_corrections(events)
    entries: dict[int, _Entry] = {}
    for event in events:
        entry = _Entry(event, event)
        about_nothing = isinstance(event, Corrected) and event.corrects in undone
        if isinstance(event, Corrected) and event.seq not in undone and not about_nothing:
            try:
                _apply(event, entries)
            except EventError as error:
                raise CorrectionError.at(event.seq, error) from None
        entries[event.seq] = entry
    return marked_undone([held for entry in entries.values() for held in entry.held()])


def marked_undone(held: Sequence[EffectiveEvent]) -> tuple[EffectiveEvent, ...]:
    """Events whose tile was taken back are marked, so that they count no more."""
    undone = {item.event.undoes for item in held if isinstance(item.event, TileTakenBack)} - {None}
    if not undone:
        return tuple(held)
    return tuple(replace(item, undone=True) if item.event.seq in undone and not item.undone else item for item in held)


def open_questions(events: Sequence[Event]) -> tuple[Unclear, ...]:
    """The unclear events that nobody has answered or withdrawn yet."""
    undone = withdrawn_corrections(events)
    answered = {
        event.corrects
        for event in events
        if isinstance(event, Corrected)
        and event.seq not in undone
        and ("answer" in event.what or event.what.get("withdrawn"))
    }
    return tuple(event for event in events if isinstance(event, Unclear) and event.seq not in answered)


def last_step(events: Sequence[Event], held: Iterable[EffectiveEvent]) -> int | None:
    """The seq of the last thing recorded, corrected or answered that still counts: what a step back would withdraw."""
    return next(steps_back(events, held), None)


def steps_back(events: Sequence[Event], held: Iterable[EffectiveEvent]) -> Iterator[int]:
    """The seqs of what was recorded, corrected or answered and still counts, the last first.

    Lines by the rules follow by themselves, and so do questions that the camera drops.
    """
    standing = {item.event.seq for item in held if not item.undone}
    undone = withdrawn_corrections(events)
    for event in reversed(events):
        if event.source == "rule":
            continue
        if event.seq in standing:
            yield event.seq
        elif isinstance(event, Corrected) and event.source == "person" and dict(event.what) not in (UNDONE, PUT_BACK):
            about_nothing = event.corrects in undone and not event.what.get("withdrawn")
            if event.seq not in undone and not about_nothing:
                yield event.seq


def stepped_back(events: Sequence[Event]) -> Iterator[Corrected]:
    """The lines of the steps back after which nothing else has happened, the last first."""
    for event in reversed(events):
        if event.source == "rule":
            continue
        if not isinstance(event, Corrected) or dict(event.what) != UNDONE:
            return
        yield event


def withdrawn_corrections(events: Sequence[Event]) -> set[int]:
    """The seqs of corrections that a later correction, itself in force, takes back."""
    undone: set[int] = set()
    corrections = [event for event in events if isinstance(event, Corrected)]
    seqs = {event.seq for event in corrections}
    for event in reversed(corrections):
        takes_back = event.what.get("withdrawn") is True and event.corrects in seqs and event.corrects < event.seq
        if takes_back and event.seq not in undone:
            undone.add(event.corrects)
    return undone


def _apply(correction: Corrected, entries: Mapping[int, _Entry]) -> None:
    target = entries.get(correction.corrects)
    if target is None:
        raise CorrectionError(
            f"corrects: there is no event {correction.corrects} before it", "no_earlier_event", seq=correction.corrects
        )
    what = correction.what
    if isinstance(target.event, Corrected):
        target = _inserted_by(target, entries)
    _check_keys(what, target.event)
    target.changed_by.append(correction.seq)
    if "withdrawn" in what:
        target.withdrawn = what["withdrawn"] is True
    if "overruled" in what:
        target.overruled = what["overruled"] is True
    if "insert" in what:
        place = target.behind if what.get("after") is True else target.before
        place.append(_put_in(what["insert"], correction))
    if "answer" in what:
        _check_answer(what["answer"], target.event)
    own_fields = set(OWN_FIELDS[target.event.KIND]) - {"violations"}
    fields = {name: value for name, value in what.items() if name in own_fields and name not in FOR_PEOPLE}
    if fields:
        target.event = event_from_json({**target.event.to_json(), **fields})
        target.by_people |= correction.source == "person"
        if "by" in fields and "maybe" not in fields and getattr(target.event, "maybe", None):
            target.event = event_from_json({**target.event.to_json(), "maybe": []})


def _check_keys(what: Mapping[str, Any], event: Event) -> None:
    known = {*OWN_FIELDS[event.KIND], *CHANGES, *FOR_PEOPLE} - {"violations"}
    for name in what:
        if name not in known:
            raise CorrectionError(
                f"what: {event.KIND} has no {shown(name)}", "no_such_field", event=event.KIND, field=shown(name)
            )
    if not set(what) - set(FOR_PEOPLE):
        raise CorrectionError("what: says no change", "no_change")


def _inserted_by(target: _Entry, entries: Mapping[int, _Entry]) -> _Entry:
    """A correction of a correction is about the one event that it inserted."""
    seq = target.event.seq
    placed = (one for entry in entries.values() for one in (*entry.before, *entry.behind) if one.event.seq == seq)
    inserted = next(placed, None)
    if inserted is None:
        raise EventError(f"corrects: {seq} is a correction that brought no event")
    return inserted


def _put_in(value: Any, correction: Corrected) -> _Entry:
    """The one event that a correction puts in."""
    if not isinstance(value, (list, tuple)) or len(value) != 1:
        raise EventError(f"what.insert: expected a list of one event, not {shown(value)}")
    if not isinstance(value[0], dict):
        raise EventError(f"what.insert[0]: expected an event, not {shown(value[0])}")
    try:
        event = event_from_json({**value[0], "seq": correction.seq, "at": correction.at}).fact()
    except EventError as error:
        raise EventError(f"what.insert[0]: {error}") from None
    if isinstance(event, (Corrected, Unclear)):
        raise EventError(f"what.insert[0]: {event.KIND} cannot be put in")
    return _Entry(event, event, [correction.seq], put_in="answers" in correction.what)


def _check_answer(answer: Any, asked: Event) -> None:
    """Check the chosen key. The acts that the answer adds or corrects are corrections of their own."""
    if not isinstance(asked, Unclear):
        raise EventError(f"what.answer: event {asked.seq} asked nothing")
    count = len(asked.candidates)
    if answer is not None and (type(answer) is not int or not 0 <= answer < count):
        raise EventError(f"what.answer: expected 0 to {count - 1}, not {shown(answer)}")
