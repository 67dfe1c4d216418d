"""A round on record as evidence for the belief: what each picture showed, and what people say of it.

What people say goes to the belief as statements: that somebody else did it, that another tile lies there, that it never
happened. What they withdrew of what the camera saw is told as well, for nobody is accused because of a statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from companion.log.corrections import EffectiveEvent, withdrawn_corrections
from companion.log.events import Corrected, Event, Passed, RoundStarted, TilePlayed, TileTakenBack
from companion.play.event_actions import action_of
from companion.rules.actions import Action, Discard, End, Pass, Play
from companion.tracking.evidence import ITEMS, Evidence, Piece
from companion.tracking.other_tiles import other_tiles
from companion.tracking.tracker import RoundTracker

Arms = tuple[Mapping[str, int], str | None]


@dataclass(frozen=True, slots=True)
class View:
    """How the change of the table was seen to which an event belongs. `number` tells changes apart, `arms` is what the
    arms over it said of each act: player -> decibans, and whose arm it clearly was. `adopted`: it lay there before
    anybody watched, or after a tile that is not on record, which lies on the `unread` trains.
    """

    number: int
    clouded: bool = False
    guessed: bool = False
    arms: Mapping[Action, Arms] = field(default_factory=dict)
    adopted: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """An event that the belief knows as `item`, of change `number`; `stated`: only people say so, `withdrawn`: people
    have taken it off the record."""

    event: Event
    item: int
    number: int
    stated: bool
    withdrawn: bool = False


def remember(
    tracker: RoundTracker,
    held: Sequence[EffectiveEvent],
    lines: Sequence[Event],
    views: Mapping[int, View] | None = None,
) -> Iterator[Known]:
    """Tell the belief a whole round again, `held` being its events in force and `lines` the journal.

    `views` says by seq how the camera saw each; an event of an earlier evening has none, and counts as one of a table
    that was not understood as a whole. Without `views` every table counts as understood.
    """
    every = list(_with_withdrawn(held, lines))
    acts = [one for one in every if not one.undone and (act_of(one.event) or _moved(one.event))]
    for (kind, *_), group in groupby(acts, key=lambda one: _picture(one, lines, views or {})):
        row = list(group)
        if kind == "stated":
            for item, event in enter_again(tracker, row, every):
                yield Known(event, item, item // ITEMS, stated=True)
        else:
            yield from _shown_again(tracker, row, lines, views)


def enter_again(
    tracker: RoundTracker, row: Iterable[EffectiveEvent], held: Sequence[EffectiveEvent]
) -> Iterator[tuple[int, Event]]:
    """Tell the belief what people have entered; the item of each. `held` is the whole round."""
    for one in row:
        act, by = act_of(one.event), one.event.who
        if isinstance(act, Pass) and _laid_in_turn(one, held):
            act = End()
        if act is not None:
            yield tracker.enter(act, by), one.event


def _laid_in_turn(passed: EffectiveEvent, held: Sequence[EffectiveEvent]) -> bool:
    """Whether whoever passes has laid a tile since anybody else did anything."""
    place = next((n for n, one in enumerate(held) if one is passed), 0)
    for one in reversed(held[:place]):
        if act_of(one.event) is None or one.undone:
            continue
        if one.event.who != passed.event.who:
            return False
        if isinstance(one.event, TilePlayed):
            return True
    return False


def _shown_again(
    tracker: RoundTracker, row: Sequence[EffectiveEvent], lines: Sequence[Event], views: Mapping[int, View] | None
) -> Iterator[Known]:
    first = row[0].event
    number = tracker.number
    if isinstance(first, TileTakenBack):
        tracker.observe(Evidence(number, (), ((first.tile, first.train),)))
        return
    view = (views or {}).get(first.seq, View(number, clouded=views is not None))
    pieces = tuple(_piece(number * ITEMS + n, one, view.arms) for n, one in enumerate(row))
    seen = Evidence(
        number,
        pieces,
        frame=first.frame,
        clouded=view.clouded,
        guessed=view.guessed,
        adopted=view.adopted,
        unread=view.unread,
    )
    tracker.observe(seen)
    for piece, one in zip(pieces, row, strict=True):
        event = one.event
        if is_put_right(one, lines, "by"):
            tracker.name_player(piece.item, event.who)
        if is_put_right(one, lines, "tile") or is_put_right(one, lines, "train"):
            tracker.put_right(piece.item, act_of(event))
        if _is_withdrawn(one):
            tracker.withdraw(piece.item)
        yield Known(event, piece.item, number, stated=False, withdrawn=_is_withdrawn(one))


def _piece(item: int, one: EffectiveEvent, arms: Mapping[Action, Arms]) -> Piece:
    """As the camera saw it."""
    event = one.event if one.original is None else one.original
    act = act_of(event)
    assert act is not None
    reading = event.reading if isinstance(event, TilePlayed) else None
    by = event.who
    p = None if reading is None else reading.p
    actors, arm = arms.get(act, ({}, None))
    others = other_tiles(act.tile, act.train, reading) if isinstance(act, Play) else ()
    return Piece(item, act, p, actors, arm, by=by if isinstance(act, Discard) else None, others=others)


WITHDRAWN = (-1,)
"""Marks an event that is here only because the camera saw it."""


def _with_withdrawn(held: Sequence[EffectiveEvent], lines: Sequence[Event]) -> Iterable[EffectiveEvent]:
    """The events in force, and at their places those of the camera's that people have withdrawn."""
    start = held[0].event.seq if held else 0
    undone = withdrawn_corrections(lines)
    withdrawn = {
        line.corrects
        for line in lines[start:]
        if isinstance(line, Corrected)
        and line.source == "person"
        and line.seq not in undone
        and line.what.get("withdrawn") is True
    }
    there = {one.event.seq for one in held}
    gone = [
        EffectiveEvent(lines[seq - 1], WITHDRAWN)
        for seq in sorted(withdrawn - there)
        if lines[seq - 1].source == "camera" and act_of(lines[seq - 1]) is not None
    ]
    for one in held:
        while gone and not isinstance(one.event, RoundStarted) and gone[0].event.seq < one.event.seq:
            yield gone.pop(0)
        yield one
    yield from gone


def withdrawals(seq: int, lines: Sequence[Event]) -> Iterator[int]:
    """The lines with which people have taken the event `seq` off the record, as far as they are in force."""
    undone = withdrawn_corrections(lines)
    for line in lines[seq:]:
        if not isinstance(line, Corrected) or line.corrects != seq or line.seq in undone:
            continue
        if line.source == "person" and line.what.get("withdrawn") is True:
            yield line.seq


def _is_withdrawn(one: EffectiveEvent) -> bool:
    return one.changed_by == WITHDRAWN


def is_stated(one: EffectiveEvent, lines: Sequence[Event]) -> bool:
    """Whether people say that this happened, and not the camera."""
    return one.event.source == "person" or lines[one.event.seq - 1].source == "person"


def is_put_right(one: EffectiveEvent, lines: Sequence[Event], name: str) -> bool:
    """Whether a person has put the field `name` of this event right."""
    if _is_withdrawn(one):
        return False
    changes = [lines[seq - 1] for seq in one.changed_by]
    return any(isinstance(line, Corrected) and line.source == "person" and name in line.what for line in changes)


def act_of(event: Event) -> Action | None:
    """What somebody must have done for this event; a pass that the rules imply is nothing that anybody saw."""
    if isinstance(event, Passed):
        act = End() if event.done else Pass()
        return act if event.source == "person" else None
    return action_of(event)


def _moved(event: Event) -> bool:
    return isinstance(event, TileTakenBack) and event.undoes is None


def _picture(one: EffectiveEvent, lines: Sequence[Event], views: Mapping[int, View]) -> tuple[object, ...]:
    event = one.event
    if _moved(event):
        return "moved", event.seq
    if is_stated(one, lines):
        return "stated", event.seq
    view = views.get(event.seq)
    if view is not None:
        return "seen", view.number
    return "read", event.frame, event.at if event.frame is None else None
