"""What a journal and its copy still hold of one game, put together line by line.

A line is known by its number and proved by its checksum, which covers all lines before it; so it does not matter in
which of the files, or where in it, a line lies. The game ends before the first line that neither file holds whole: what
lies behind it could only be read by guessing what is missing, and a guess may accuse somebody. Bytes in, bytes out;
which file is kept and what is said about it is decided in `companion.log.repair`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.log.events import event_from_json
from companion.log.header import Header
from companion.log.journal import parse_line
from companion.log.table_change import is_evidence
from companion.storage.checksums import Chain, split_line


@dataclass(frozen=True, slots=True)
class Recovered:
    """`content` is the game as whole lines, b"" where not even a header is left; `events` how many it holds.

    `unproved` are the numbers of the events in it (0 is the header) that no checksum covers and that not both files
    hold alike. `beyond` counts the events that lie behind the first line missing and are not in it; where there are
    none, what was seen.
    """

    content: bytes
    events: int
    unproved: tuple[int, ...] = ()
    beyond: int = 0


Place = tuple[int, int]
"""Where a line stands in a game: (n, 0) is event n, (0, 0) the header, (n, k) what was seen as number k after event n.
In a whole game the places grow from line to line."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line as some file holds it. `readable`: this program understands it; a proved line need not be understood."""

    place: Place
    raw: bytes
    body: bytes
    checksum: str | None
    readable: bool


def recover(files: Sequence[bytes]) -> Recovered:
    """The longest beginning of the game that can be put together. Where two files differ without a checksum to tell
    which is right, the first one counts."""
    found = [_lines_of(content) for content in files]
    held: dict[Place, list[_Line]] = {}
    for lines in found:
        for line in lines:
            held.setdefault(line.place, []).append(line)
    taken = _walk(held)
    if not any(line.checksum for line in taken):
        # Where lines without checksums differ, the first checksum behind them tells which file is right.
        other = _walk({place: lines[::-1] for place, lines in held.items()})
        taken = other if any(line.checksum for line in other) else taken
    last = taken[-1].place if taken else (0, 0)
    proved = next((n for n in range(len(taken), 0, -1) if taken[n - 1].checksum is not None), 0)
    unproved = tuple(
        line.place[0] for line in taken[proved:] if len(files) < 2 or not all(line in lines for lines in found)
    )
    beyond = [place for place in held if place > last]
    events = [place for place in beyond if not place[1]]
    content = b"".join(line.raw + b"\n" for line in taken)
    return Recovered(content, last[0], unproved, len(events) or len(beyond))


def _walk(held: Mapping[Place, Sequence[_Line]]) -> list[_Line]:
    """From the header on, one line after the other, as long as there is a next one."""
    taken: list[_Line] = []
    chain, checked, seen = Chain(), False, 0
    due: list[Place] = [(0, 0)]
    while True:
        candidates = [line for place in due for line in held.get(place, ())]
        line = next((one for one in candidates if one.checksum == chain.after(one.body)), None)
        if line is None and not checked:
            line = next((one for one in candidates if one.checksum is None and one.readable), None)
        if line is None:
            return taken
        taken.append(line)
        chain.add(line.body)
        checked = checked or line.checksum is not None
        event, number = line.place
        seen = number or seen
        due = [(event, seen + 1), (event + 1, 0)]


def _lines_of(content: bytes) -> list[_Line]:
    return [line for raw in content.split(b"\n") if (line := _line_of(raw)) is not None]


def _line_of(raw: bytes) -> _Line | None:
    body, checksum = split_line(raw)
    try:
        value = parse_line(body)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    event, number = (value.get("after"), value["seen"]) if is_evidence(value) else (value.get("seq"), 0)
    if "journal" in value:
        event, number = 0, 0
    elif type(event) is not int or type(number) is not int or min(event, number) < 0 or (event, number) == (0, 0):
        return None
    place = event, number
    return _Line(place, raw, body, checksum, checksum is not None or _is_understood(value, place))


def _is_understood(value: dict[str, object], place: Place) -> bool:
    """What the camera saw was never written without a checksum: nothing would show that such a line is lost."""
    try:
        if place == (0, 0):
            Header.from_json(value)
        elif place[1]:
            return False
        else:
            event_from_json(value)
    except ValueError:
        return False
    return True
