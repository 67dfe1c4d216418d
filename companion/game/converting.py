"""Journals of versions 1 and 2 made into one of version 3, once: facts alone remain, and their numbers close up.

Conclusions of the rules and the belief go. A version 1 says nothing of what the camera saw: its acts stand for that,
those of one picture together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from companion.game.corrections import effective_events
from companion.game.course import act_of, action_of
from companion.log.event_fields import JOURNAL_VERSION, EventError
from companion.log.events import (
    Corrected,
    Discarded,
    DoubleFlipped,
    Event,
    RoundStarted,
    SeenLine,
    TableChange,
    TilePlayed,
    TileTakenBack,
    Unclear,
    event_from_json,
    is_evidence,
)
from companion.log.journal import JournalError, parse_journal, parse_line
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import SOMEBODY, Draw, Mark, Play, Unmark
from companion.storage.state_file import RunningChecksum, write_whole
from companion.tracking.evidence import Evidence

NUMBERS = frozenset({"seq", "before", "after", "answers", "order", "undoes"})
"""Fields of a correction, or of what is offered as an answer, that name other lines."""


def convert(old: Path, new: Path) -> int:
    """Write the journal `old` as `new`, in version 3; how many events it has. Raises JournalError."""
    if new.exists():
        raise JournalError(new, "is there already; expected the name of a new file")
    try:
        header, lines = _facts(old.read_bytes(), str(old))
        chain = RunningChecksum()
        sealed = (chain.sealed(json.dumps(one, ensure_ascii=False).encode()) + b"\n" for one in (header, *lines))
        write_whole(new, b"".join(sealed))
    except OSError as error:
        raise JournalError.of(error.filename or old, "cannot be read or written", error) from None
    return sum(not is_evidence(line) for line in lines)


def _facts(content: bytes, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    text = parse_journal(content, name, earlier=True)
    try:
        kept, seen = [line for one in text.events for line in _kept(one, text.events)], list(text.seen)
        if parse_line(content.partition(b"\n")[0]).get("journal", 1) == 1:
            kept, seen = _pictured(kept)
    except EventError as error:
        raise JournalError(name, str(error)) from None
    return {**text.header.to_json(), "journal": JOURNAL_VERSION}, list(_renumbered(kept, seen))


def _kept(line: Event, lines: Sequence[Event]) -> Iterator[Event]:
    """The facts of a line, one event put in by each."""
    if not isinstance(line, Corrected):
        yield line.fact()
        return
    if not 0 < line.corrects < line.seq:
        raise EventError(f"seq {line.seq}: corrects: there is no event {line.corrects} before it")
    about = lines[line.corrects - 1]
    if line.source == "rule" or (
        line.source == "camera" and action_of(about) is not None and "withdrawn" not in line.what
    ):
        return
    what = {name: value for name, value in line.what.items() if name != "violations"}
    put_in = list(what.pop("insert", ()))
    if "answer" in what and what["answer"] is not None and not put_in and getattr(about, "about", None) is None:
        offered = about.candidates if isinstance(about, Unclear) else ()
        if type(what["answer"]) is not int or not 0 <= what["answer"] < len(offered):
            raise EventError(f"seq {line.seq}: what.answer: event {line.corrects} offers no {what['answer']!r}")
        put_in, what["after"] = [one for one in offered[what["answer"]].events if "seq" not in one], True
    for one in put_in or [None]:
        yield replace(line, what={**what, **({} if one is None else {"insert": [one]})})
        what = {name: value for name, value in what.items() if name in ("after", "answers")}


def _renumbered(lines: Sequence[Event], seen: Sequence[SeenLine]) -> Iterator[dict[str, Any]]:
    place: dict[int, int] = {}
    for n, line in enumerate(lines, start=1):
        place.setdefault(line.seq, n)

    def again(value: Any, name: str = "") -> Any:
        if isinstance(value, Mapping):
            return {key: again(one, key) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [again(one, name) for one in value]
        return place.get(value, 0) if name in NUMBERS and type(value) is int else value

    looks, number = list(seen), 0
    for n, line in enumerate(lines, start=1):
        while looks and looks[0].after < line.seq:
            number += 1
            yield replace(looks.pop(0), seen=number, after=n - 1).to_json()
        fact = replace(line, seq=n).to_fact()
        for key in ("what", "candidates", "undoes"):
            if key in fact and line.KIND != "announced":
                fact[key] = again(fact[key], key)
        for key in ("corrects", "about"):
            if isinstance(fact.get(key), int):
                fact[key] = place.get(fact[key], 0)
        yield fact
    for look in looks:
        number += 1
        yield replace(look, seen=number, after=len(lines)).to_json()


def _pictured(lines: Sequence[Event]) -> tuple[list[Event], list[SeenLine]]:
    """The lines with what the camera must have seen for its acts among them, and which piece of it each act is."""
    there = {one.event.seq for one in effective_events(lines)}
    made, seen, number = list[Event](), list[SeenLine](), 0
    for picture, group in groupby(lines, key=lambda line: _picture(line, there)):
        row = list(group)
        if picture is None:
            for line in row:
                number = 0 if isinstance(line, RoundStarted) else number
                put_in = line.what.get("insert", ()) if isinstance(line, Corrected) else ()
                acts = [event_from_json(one) for one in put_in] if line.source == "person" else []
                number += sum(act_of(act) is not None for act in (line, *acts) if act.source == "person")
            made += row
            continue
        change = _change(row)
        free = [(piece.item, piece.act) for piece in Evidence.of(number, change).pieces]
        seen.append(SeenLine(len(seen) + 1, row[0].seq - 1, row[0].at, change))
        number += 1
        for line in row:
            piece = next((one for one in free if one[1] == action_of(line)), None)
            if piece is not None:
                free.remove(piece)
            made.append(line if piece is None else replace(line, piece=piece[0]))
    return made, seen


def _picture(line: Event, there: set[int]) -> tuple[object, ...] | None:
    """The picture that lines have in common; None for a line without one."""
    act = line.seq in there and action_of(line) is not None
    if line.source != "camera" or not (act or isinstance(line, TileTakenBack)):
        return None
    return line.frame, None if line.frame else line.at, isinstance(line, TileTakenBack)


def _change(row: Sequence[Event]) -> TableChange:
    changes, discards = list[Change](), dict[str, int]()
    for line in row:
        act = action_of(line)
        if isinstance(line, TilePlayed):
            changes.append(Play(line.tile, line.train))
        elif isinstance(line, TileTakenBack):
            changes.append(Vanishing(line.tile, line.train))
        elif isinstance(line, Discarded):
            discards[line.by or SOMEBODY] = discards.get(line.by or SOMEBODY, 0) + 1
        elif isinstance(act, Draw):
            changes.append(Drawing(1))
        elif isinstance(act, (Mark, Unmark)):
            changes.append(act)
    tiles = [line for line in row if isinstance(line, TilePlayed)]
    return TableChange(
        tuple(changes),
        flips=tuple(line.train for line in row if isinstance(line, DoubleFlipped)),
        discards=discards,
        frame=row[0].frame,
        readings={Play(line.tile, line.train): line.reading for line in tiles if line.reading is not None},
        clouded=True,
    )
