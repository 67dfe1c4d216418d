"""Applies a journal's corrections: the events as they count now.

The lines themselves stay (events.Corrected). A correction can change single fields of an earlier event, withdraw it,
put events before or behind it, answer an unclear one, overrule its ruling, or be withdrawn itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from companion.log.event_fields import EventError, Finding
from companion.log.events import OWN_FIELDS, Corrected, Event, TileTakenBack, Unclear, event_from_json
from companion.storage.records import shown
from companion.tracking.strict import TurnPlace

CHANGES = frozenset({"withdrawn", "insert", "after", "answer", "order", "so", "overruled"})
"""Keys of `Corrected.what` besides the names of the corrected event's own fields."""

FOR_PEOPLE = frozenset({"note", "answers"})
"""Keys that only say why. `answers`: the question to which this belongs."""

UNDONE = {"withdrawn": True, "note": "undo"}
"""Written by a step back. It is no step itself, so the next one goes further back."""

PUT_BACK = {"withdrawn": True, "note": "redo"}
"""Written to redo a step: it withdraws what the step back wrote, and is no step itself either."""


class CorrectionError(EventError):
    """A correction that names no earlier event or cannot be applied.

    Args:
        code: why, where people can be told in words of their own; else they are told the message.
        params: what it is about.

    >>> str(CorrectionError.at(7, CorrectionError("what: says no change")))
    'seq 7: what: says no change'
    """

    def __init__(self, message: str, code: str | None = None, **params: object) -> None:
        super().__init__(message)
        self.code = "bad_correction" if code is None else code
        self.params = {"fault": message} if code is None else params

    @classmethod
    def at(cls, seq: int, error: EventError) -> CorrectionError:
        """The same of line `seq`."""
        known = error if isinstance(error, CorrectionError) else cls(str(error))
        return cls(f"seq {seq}: {error}", known.code, **known.params)


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
    put_right: frozenset[str] = frozenset()
    """The fields that a person has put right."""
    ruling_open: bool = False
    """People name another player than the belief, so no ruling holds for both."""
    put_in: bool = False
    """An answer put it in, as forgotten."""
    place: TurnPlace | None = None
    """Its turn, where a belief says it."""

    @property
    def seq(self) -> int:
        return self.event.seq

    @property
    def by_people(self) -> bool:
        """Whether a person changed what it says, not only the camera, which learns some names late."""
        return bool(self.put_right) and self.original is not None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The violations that stand; none where the table overruled them, or the tile was taken back."""
        found: tuple[Finding, ...] = getattr(self.event, "violations", ())
        return () if self.overruled or self.undone else found


class _Fold:
    """The events in their order, each as it counts by the corrections so far."""

    def __init__(self) -> None:
        self.row: list[int] = []
        self.now: dict[int, EffectiveEvent] = {}
        self.behind: dict[int, int] = {}
        """Event -> the one that was put in behind it last."""
        self.withdrawn: set[int] = set()

    def add(self, event: Event) -> None:
        self.row.append(event.seq)
        self.now[event.seq] = EffectiveEvent(event)

    def correct(self, line: Corrected) -> None:
        held, what = self.now.get(line.corrects), line.what
        if held is None:
            fault = f"corrects: there is no event {line.corrects} before it"
            raise CorrectionError(fault, "no_earlier_event", seq=line.corrects)
        event, own = held.event, set(OWN_FIELDS[held.event.KIND]) - {"violations"}
        for name in (shown(name) for name in what if name not in own | CHANGES | FOR_PEOPLE):
            raise CorrectionError(f"what: {event.KIND} has no {name}", "no_such_field", event=event.KIND, field=name)
        if not what.keys() - FOR_PEOPLE:
            raise CorrectionError("what: says no change", "no_change")
        if "withdrawn" in what:
            (self.withdrawn.add if what["withdrawn"] is True else self.withdrawn.discard)(line.corrects)
        if "insert" in what:
            self._put_in(line)
        if "answer" in what:
            # The acts that the answer adds or corrects are corrections of their own.
            if not isinstance(event, Unclear):
                raise EventError(f"what.answer: event {event.seq} asked nothing")
            answer, last = what["answer"], len(event.candidates) - 1
            if answer is not None and (type(answer) is not int or not 0 <= answer <= last):
                raise EventError(f"what.answer: expected 0 to {last}, not {shown(answer)}")
        fields = {name: what[name] for name in what if name in own - FOR_PEOPLE}
        if fields:
            if "by" in fields and event.perhaps:
                fields = {"maybe": []} | fields
            event = event_from_json(event.to_json() | fields)
        self.now[line.corrects] = replace(
            held,
            event=event,
            changed_by=(*held.changed_by, line.seq),
            original=held.original or held.event,
            overruled=what.get("overruled", held.overruled) is True,
            put_right=held.put_right.union(fields if line.source == "person" else ()),
        )

    def _put_in(self, line: Corrected) -> None:
        """Put in the one event that this line brings, behind all that were put in there before."""
        brought = line.what["insert"]
        if not isinstance(brought, (list, tuple)) or len(brought) != 1 or not isinstance(brought[0], dict):
            raise EventError(f"what.insert: expected a list of one event, not {shown(brought)}")
        try:
            event = event_from_json({**brought[0], "seq": line.seq, "at": line.at}).fact()
        except EventError as error:
            raise EventError(f"what.insert[0]: {error}") from None
        if isinstance(event, (Corrected, Unclear)):
            raise EventError(f"what.insert[0]: {event.KIND} cannot be put in")
        self.now[line.seq] = EffectiveEvent(event, (line.seq,), put_in="answers" in line.what)
        place, after = line.corrects, line.what.get("after") is True
        while after and place in self.behind:
            place = self.behind[place]
        self.row.insert(self.row.index(place) + after, line.seq)
        if after:
            self.behind[line.corrects] = line.seq

    def held(self) -> Iterator[EffectiveEvent]:
        there = [self.now[seq] for seq in self.row if seq not in self.withdrawn]
        undone = {one.event.undoes for one in there if isinstance(one.event, TileTakenBack)}
        for one in there:
            if one.original is not None or one.event.seq in undone:
                original = None if one.original == one.event else one.original
                one = replace(one, original=original, undone=one.event.seq in undone)
            yield one


def effective_events(events: Sequence[Event]) -> tuple[EffectiveEvent, ...]:
    """The events in force, in the order in which they happened; corrections and withdrawn events are left out.

    Raises EventError, naming the correction's seq, for one that names no earlier event or cannot be applied.
    """
    undone, fold = withdrawn_corrections(events), _Fold()
    for event in events:
        if not isinstance(event, Corrected):
            fold.add(event)
        elif not undone.intersection((event.seq, event.corrects)):
            try:
                fold.correct(event)
            except EventError as error:
                raise CorrectionError.at(event.seq, error) from None
    return tuple(fold.held())


def withdrawn_corrections(events: Sequence[Event]) -> set[int]:
    """The seqs of corrections that a later correction, itself in force, takes back."""
    corrections = {event.seq: event for event in events if isinstance(event, Corrected)}
    undone: set[int] = set()
    for seq in reversed(corrections):
        event = corrections[seq]
        if event.what.get("withdrawn") is True and event.corrects < seq and seq not in undone:
            undone.add(event.corrects)
    return undone & corrections.keys()


def standing_corrections(events: Sequence[Event]) -> list[Corrected]:
    """Those that no later one, itself in force, takes back."""
    undone = withdrawn_corrections(events)
    return [event for event in events if isinstance(event, Corrected) and event.seq not in undone]


def open_questions(events: Sequence[Event]) -> tuple[Unclear, ...]:
    """The unclear events that nobody has answered or withdrawn yet."""
    settling = (one for one in standing_corrections(events) if "answer" in one.what or one.what.get("withdrawn"))
    settled = {one.corrects for one in settling}
    return tuple(event for event in events if isinstance(event, Unclear) and event.seq not in settled)


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


def last_step(events: Sequence[Event], held: Iterable[EffectiveEvent]) -> tuple[int, ...]:
    """The seqs of the last step, in their order: one command may have written several lines. () where there is none."""
    seqs = tuple[int, ...]()
    for seq in steps_back(events, held):
        seqs = (seq, *seqs)
        if not of_one_command(events, events[seq - 1]):
            break
    return seqs


def last_step_back(events: Sequence[Event]) -> list[Corrected]:
    """The lines that the last step back wrote, the last first, if nothing else has happened since."""
    steps = list[Corrected]()
    for line in (one for one in reversed(events) if one.source != "rule"):
        if not isinstance(line, Corrected) or dict(line.what) != UNDONE:
            break
        if steps and not of_one_command(events, events[line.corrects - 1]):
            break
        steps.append(line)
    return steps


def of_one_command(events: Sequence[Event], line: Event) -> bool:
    """Whether one command brought a line and the one before it: both are undone as one."""
    before = events[line.seq - 2 : line.seq - 1]
    stamp = ("person", line.at, line.author)
    return line.source == "person" and any((one.source, one.at, one.author) == stamp for one in before)
