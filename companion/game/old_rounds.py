"""Rounds of journals that do not say what the camera saw: its events stand for that, those of one picture together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from companion.log.corrections import effective_events
from companion.log.events import Discarded, DoubleFlipped, Event, TilePlayed, TileTakenBack
from companion.log.table_change import Seen, TableChange
from companion.play.event_actions import action_of
from companion.rules.actions import SOMEBODY, Draw, Mark, Unmark
from companion.rules.notation import Change, Drawing, Laying, Vanishing


def pictured(lines: Sequence[Event], until: int | None = None, *, clouded: bool = True) -> Iterator[Seen]:
    """What the camera must have seen for its events among `lines`, up to the line `until` (None: all), each before its
    events. `clouded`: nothing tells whether the table was understood."""
    there = {one.event.seq for one in effective_events(lines) if not one.undone}
    acts = [
        line
        for line in lines
        if line.source == "camera"
        and line.piece is None
        and (until is None or line.seq <= until)
        and (isinstance(line, TileTakenBack) or (line.seq in there and action_of(line) is not None))
    ]
    for _, group in groupby(acts, key=_picture):
        row = list(group)
        changes: list[Change] = []
        discards: dict[str, int] = {}
        for line in row:
            act = action_of(line)
            if isinstance(line, TilePlayed):
                changes.append(Laying(line.tile, line.train))
            elif isinstance(line, TileTakenBack):
                changes.append(Vanishing(line.tile, line.train))
            elif isinstance(line, Discarded):
                discards[line.by or SOMEBODY] = discards.get(line.by or SOMEBODY, 0) + 1
            elif isinstance(act, Draw):
                changes.append(Drawing(1))
            elif isinstance(act, (Mark, Unmark)):
                changes.append(act)
        tiles = [line for line in row if isinstance(line, TilePlayed)]
        change = TableChange(
            tuple(changes),
            flips=tuple(line.train for line in row if isinstance(line, DoubleFlipped)),
            discards=discards,
            frame=row[0].frame,
            readings={Laying(line.tile, line.train): line.reading for line in tiles if line.reading is not None},
            clouded=clouded,
        )
        yield Seen(0, row[0].seq - 1, row[0].at, change)


def _picture(line: Event) -> tuple[object, ...]:
    return line.frame, None if line.frame else line.at, isinstance(line, TileTakenBack)
