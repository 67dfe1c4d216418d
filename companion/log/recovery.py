"""What a damaged journal and its copy still hold of one game, put together line by line.

A line is known by its number and proved by its checksum, which covers all lines before it; so it does not matter in
which of the files, or where in it, a line lies. A single changed byte is put back. The game ends before the first line
that neither file holds: what lies behind it could only be read by guessing what is missing, and a guess may accuse
somebody. Bytes in, bytes out; which file is kept and what is said about it is decided elsewhere
(`companion.log.repair`).
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod

from companion.log.events import RoundScored, event_from_json
from companion.log.header import Header
from companion.log.journal import parse_line
from companion.log.table_change import Seen, is_evidence
from companion.storage.checksums import DIGITS, LENGTH, Chain, split_line, with_checksum

LONGEST_BYTE_SEARCH = 2048
"""Bytes of a line in which a changed byte is looked for: half a second on a small board."""

MOST_BYTE_SEARCHES = 4
"""Damaged pieces that are searched for one line: those nearest to where it should lie come first."""

LEAST_DIGITS = 12
"""So many digits of a damaged checksum still prove a line: by chance they agree once in 10**11 lines."""

MOST_CHOICES = 512
"""Ways to choose among lines without checksums that differ in the two files."""


_BYTES = tuple(bytes((value,)) for value in range(256))


@dataclass(frozen=True, slots=True)
class Recovered:
    """`content` is the game as whole lines, b"" where not even a header is left; `events` how many it holds.

    `unproved` are the numbers of the events in it (0 is the header) that no checksum proves, or before which something
    was seen that none proves; in files without checksums those that not both of them hold, and those that may rest on
    something seen whose line is lost. `beyond` counts the events that lie behind the first line missing and are not in
    it; where there are none, what was seen. `totals` are the points after the last round that was scored among those:
    what its checksum, with the line before it, proves; None where there is no such line.
    """

    content: bytes
    events: int
    unproved: tuple[int, ...] = ()
    beyond: int = 0
    totals: Mapping[str, int] | None = None


Place = tuple[int, int]
"""Where a line stands in a game: (n, 0) is event n, (0, 0) the header, (n, k) what was seen as number k after event n.
In a whole game the places grow from line to line."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line as some file holds it."""

    place: Place
    body: bytes
    checksum: str | None

    @property
    def raw(self) -> bytes:
        return self.body if self.checksum is None else with_checksum(self.body, self.checksum)

    @property
    def readable(self) -> bool:
        """Whether this program understands it; a proved line need not be understood."""
        try:
            value = parse_line(self.body)
            if self.place == (0, 0):
                Header.from_json(value)
            elif is_evidence(value):
                Seen.from_json(value)
            else:
                event_from_json(value)
        except ValueError:
            return False
        return True


@dataclass(slots=True)
class _Pieces:
    """Everything that the files hold: lines by place, each file as it lies there, and what is no line."""

    lines: dict[Place, list[_Line]] = field(default_factory=dict)
    files: list[list[bytes]] = field(default_factory=list)
    places: list[dict[bytes, int]] = field(default_factory=list)
    broken: list[bytes] = field(default_factory=list)
    checked: bool = False

    @classmethod
    def of(cls, files: Sequence[bytes]) -> _Pieces:
        pieces = cls()
        for content in files:
            raws = content.split(b"\n")
            pieces.files.append(raws)
            pieces.places.append({raw: place for place, raw in enumerate(raws)})
            for raw in raws:
                pieces._sort_in(raw)
        return pieces

    def at(self, *places: Place) -> list[_Line]:
        return [line for place in places for line in self.lines.get(place, [])]

    def event(self, seq: int) -> list[_Line]:
        return self.at((seq, 0))

    def before_event(self, seq: int) -> Iterator[_Line]:
        """What may stand right before event `seq`."""
        yield from (line for place, lines in self.lines.items() if place[0] == seq - 1 for line in lines)

    def suspects(self, due: Sequence[Place], before: _Line | None) -> Iterator[bytes]:
        """Pieces that may have been a line that is due, the likeliest first; `before` is the line before it."""
        for raws, places in zip(self.files, self.places, strict=True):
            place = 0 if before is None else places.get(before.raw, len(raws)) + 1
            yield from raws[place : place + 1]
            # A line feed came into being: two pieces were one line.
            if place + 1 < len(raws):
                yield b"\n".join(raws[place : place + 2])
        for line in self.at(*due):
            yield line.raw
        yield from self.broken

    def agree_on(self, line: _Line) -> bool:
        """Whether there are two files, and both hold this line and no other at its place."""
        everywhere = all(line.raw in places for places in self.places)
        return everywhere and len(self.places) > 1 and self.at(line.place) == [line]

    def _sort_in(self, raw: bytes) -> None:
        line = _line_of(raw)
        if line is not None:
            self._add(line)
        elif raw.strip(b"\x00"):
            self.broken.append(raw)
            for part in _parts(raw):
                joined = _line_of(part)
                if joined is not None:
                    self._add(joined)

    def _add(self, line: _Line) -> None:
        known = self.lines.setdefault(line.place, [])
        if line not in known:
            known.append(line)
        self.checked = self.checked or line.checksum is not None


def recover(files: Sequence[bytes]) -> Recovered:
    """The longest beginning of the game that can be put together. Where two files differ without a checksum to tell
    which is right, the first one counts."""
    walk = _Walk(_Pieces.of(files))
    walk.go()
    last = walk.events
    beyond = sorted(place for place in walk.pieces.lines if walk.lies_beyond(place))
    events = [seq for seq, seen in beyond if not seen]
    totals = next(filter(None, (_totals(walk.pieces, seq) for seq in reversed(events))), None)
    unproved = tuple(sorted({min(seq + bool(seen), last) for seq, seen in walk.unproved}))
    return Recovered(b"".join(walk.written()), last, unproved, len(events) or len(beyond), totals)


def _totals(pieces: _Pieces, seq: int) -> Mapping[str, int] | None:
    """The totals that line `seq` tells, if it scores a round and follows from a line before it."""
    for line in pieces.event(seq):
        before = (one.checksum for one in pieces.before_event(seq) if one.checksum is not None)
        if line.checksum is None or not any(Chain(sum_).after(line.body) == line.checksum for sum_ in before):
            continue
        with suppress(ValueError):
            event = event_from_json(parse_line(line.body))
            if isinstance(event, RoundScored):
                return event.totals
    return None


class _Walk:
    """From the header on, one line after the other, as long as there is a next one."""

    def __init__(self, pieces: _Pieces) -> None:
        self.pieces = pieces
        self.taken: list[_Line] = []
        self.unproved: set[Place] = set()
        self.seen = 0
        self._proof = Chain()
        self._checked = False
        self._broke = False
        self._tried_choices = False
        self._seen_after: dict[int, set[int]] = defaultdict(set)
        self._after_of: dict[int, set[int]] = defaultdict(set)
        for after, number in pieces.lines:
            if number:
                self._seen_after[after].add(number)
                self._after_of[number].add(after)

    def go(self) -> None:
        while (line := self._next()) is not None:
            self._take(line)
        if not self.pieces.checked:
            # Nothing could have been proved; what both files say alike is beyond doubt.
            self.unproved = {line.place for line in self.taken if not self.pieces.agree_on(line)}
            if self._seen_line_is_lost():
                after = max((line.place[0] for line in self.taken if line.place[1]), default=0)
                self.unproved |= {(seq, 0) for seq in range(after + 1, self.events + 1)}

    def lies_beyond(self, place: Place) -> bool:
        """Whether the line of that place is one that comes after all that were taken."""
        last = self.taken[-1].place if self.taken else (0, 0)
        return place > last or (not self.pieces.checked and place[1] > self.seen)

    def _seen_line_is_lost(self) -> bool:
        """Whether something later was seen right here, and the line that is due lies nowhere from here on: without
        checksums the numbers of the events do not show that a line between them is lost."""
        later = any(number > self.seen for number in self._seen_after.get(self.events, ()))
        return later and all(after < self.events for after in self._after_of.get(self.seen + 1, ()))

    @property
    def events(self) -> int:
        """How many events are taken."""
        return self.taken[-1].place[0] if self.taken else 0

    def _due(self, taken: int, events: int, seen: int) -> tuple[Place, ...]:
        """The places of which one is the next, after so many lines."""
        return ((events, seen + 1), (events + 1, 0)) if taken else ((0, 0),)

    def written(self) -> Iterator[bytes]:
        """The lines of the game, each with its checksum from the first on that had one."""
        chain, checked = Chain(), False
        for line in self.taken:
            checked = checked or line.checksum is not None
            checksum = chain.add(line.body)
            yield (with_checksum(line.body, checksum) if checked else line.body) + b"\n"

    def _take(self, line: _Line) -> None:
        computed = self._proof.add(line.body)
        self._checked = self._checked or line.checksum is not None
        if line.checksum == computed:
            if not self._broke:
                self.unproved.clear()
        else:
            self.unproved.add(line.place)
            if line.checksum is not None:
                # What was taken before it does not fit it; what lies behind it may.
                self._proof, self._broke = Chain(line.checksum), True
        self.taken.append(line)
        self.seen += line.place[1] > 0

    def _next(self) -> _Line | None:
        due = self._due(len(self.taken), self.events, self.seen)
        candidates = self.pieces.at(*due)
        proved = next((line for line in candidates if line.checksum == self._proof.after(line.body)), None)
        if proved is not None:
            return proved
        if not self._checked:
            if self._seen_line_is_lost():
                return None
            unchecked = next((line for line in candidates if line.checksum is None and line.readable), None)
            if unchecked is not None:
                return unchecked
        for line in candidates:
            if self._proved_by_the_next(line):
                return _Line(line.place, line.body, self._proof.after(line.body))
        restored = self._restored(due)
        if restored is not None:
            return restored
        if not self._checked and self._choose_again():
            return self._next()
        doubtful = (line for line in candidates if line.checksum is None or not self._checked)
        return next((line for line in doubtful if line.readable), None)

    def _proved_by_the_next(self, line: _Line) -> bool:
        chain = Chain(self._proof.after(line.body))
        due = self._due(len(self.taken) + 1, line.place[0], self.seen + (line.place[1] > 0))
        return any(one.checksum == chain.after(one.body) for one in self.pieces.at(*due))

    def _restored(self, due: Sequence[Place]) -> _Line | None:
        """A line that is due out of a damaged piece: its checksum was changed, or one byte of it."""
        if not self.pieces.checked:
            return None
        suspects = list(dict.fromkeys(self.pieces.suspects(due, self.taken[-1] if self.taken else None)))
        for piece in suspects:
            line = self._with_its_checksum_restored(piece)
            if line is not None and line.place in due:
                return line
        short = (piece for piece in suspects if LENGTH < len(piece) <= LONGEST_BYTE_SEARCH)
        for piece in islice(short, MOST_BYTE_SEARCHES):
            line = self._with_a_byte_restored(piece)
            if line is not None and line.place in due:
                return line
        return None

    def _with_its_checksum_restored(self, piece: bytes) -> _Line | None:
        if len(piece) <= LENGTH:
            return None
        body = piece[:-LENGTH] + b"}"
        right = with_checksum(body, self._proof.after(body))
        line = _line_of(right)
        if line is None:
            return None
        digits = slice(-2 - DIGITS, -2)
        agreeing = sum(a == b for a, b in zip(piece[digits], right[digits], strict=True))
        return line if agreeing >= LEAST_DIGITS or self._proved_by_the_next(line) else None

    def _with_a_byte_restored(self, piece: bytes) -> _Line | None:
        body, checksum = split_line(piece)
        if checksum is None:
            return None
        wanted = bytes.fromhex(checksum)
        begun = hashlib.sha256(self._proof.value.encode("ascii"))
        for place in range(len(body)):
            rest = body[place + 1 :]
            for byte in _BYTES:
                tried = begun.copy()
                tried.update(byte + rest)
                if tried.digest().startswith(wanted):
                    return _line_of(with_checksum(body[:place] + byte + rest, checksum))
            begun.update(body[place : place + 1])
        return None

    def _choose_again(self) -> bool:
        """Lines without checksums that differ in the files: is there a choice that the first checksum proves?"""
        if self._tried_choices:
            return False
        self._tried_choices = True
        options = [[one for one in self.pieces.at(line.place) if one.checksum is None] for line in self.taken]
        if prod(len(one) for one in options) > MOST_CHOICES:
            return False
        for choice in product(*options):
            chain = Chain()
            for line in choice:
                chain.add(line.body)
            due = self._due(len(choice), self.events, self.seen)
            if any(one.checksum == chain.after(one.body) for one in self.pieces.at(*due)):
                self.taken, self._proof = list(choice), chain
                return True
        return False


def _parts(raw: bytes) -> Iterator[bytes]:
    """The lines that stand in one because the line feeds between them were changed."""
    begin = 0
    for between in re.finditer(rb"(?<=\}).(?=\{)", raw, re.DOTALL):
        yield raw[begin : between.start()]
        begin = between.end()
    yield raw[begin:]


def _line_of(raw: bytes) -> _Line | None:
    body, checksum = split_line(raw)
    try:
        value = parse_line(body)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if "journal" in value:
        return _Line((0, 0), body, checksum)
    if is_evidence(value):
        number, after = value["seen"], value.get("after")
        if type(number) is int and type(after) is int and number > 0 and after >= 0:
            return _Line((after, number), body, checksum)
        return None
    seq = value.get("seq")
    return _Line((seq, 0), body, checksum) if type(seq) is int and seq > 0 else None
