"""Names the author of each line: the name under which a phone is signed in stands in every line a person brings.

It is set where the request or the press arrives, and the journal takes it from there; no command has to hand it on.

The journal: a game as an append-only file of JSON lines that survives a pulled plug.

The live log, the replay file and a test's fixture are this one format (docs/api.md, "The journal"). An event is
acknowledged only after it has reached the disk; one writer at a time holds the file; no line is ever rewritten. Each
line on the disk carries a checksum of everything up to it (`companion.storage.state_file`); older files have none, and
the lines added to them have. A last line that a power cut tore is not an event, since nobody was told of it: it is set
aside beside the journal and reported. Anything else that is wrong with a file is an error with its line, never mended
in silence.

Changes that the camera saw have lines of their own (`Seen`), each written before the events that it brought. They have
numbers of their own, so that events are numbered 1, 2, 3 without a gap. An event's line holds what is a fact of it
(`Event.fact`): nothing that was concluded is written, or read where it stands.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from companion.log.event_fields import JOURNAL_VERSION, EventError, Header
from companion.log.events import Event, SeenLine, TableChange, event_from_json, is_evidence
from companion.storage.records import shown
from companion.storage.state_file import LARGEST, RunningChecksum, split_line, sync_folder

PHONE, BUTTON, ASSISTANT = "*phone", "*button", "*assistant"
"""A phone without a name, a button at the table, and one in Home Assistant. No name of a person begins with a star."""


@dataclass(slots=True)
class Entering:
    """One request or press."""

    author: str
    lines: int = 0
    """How many lines of a journal it has brought."""


_now: ContextVar[Entering | None] = ContextVar("entering", default=None)


@contextmanager
def entered_by(author: str) -> Iterator[Entering]:
    """Make this author the one of everything entered in this thread until the context is left."""
    entering = Entering(author)
    token = _now.set(entering)
    try:
        yield entering
    finally:
        _now.reset(token)


def entering() -> Entering | None:
    """The author in this thread now, or None."""
    return _now.get()


Clock = Callable[[], datetime]
SomeEvent = TypeVar("SomeEvent", bound=Event)

CONVERT = "companion convert OLD NEW"

LONGEST_LINE = 1_000_000
"""Bytes. A line of the largest game is a few thousand."""

ONLY_THE_OWNER = 0o600
"""Mode of the files: names and games are nobody else's business on a shared machine."""


class JournalError(Exception):
    """The journal cannot be read or written; one line that says what, where and what was expected.

    >>> str(JournalError("game.jsonl", "line 3: seq is 5, expected 2"))
    'game.jsonl: line 3: seq is 5, expected 2'
    """

    def __init__(self, where: str | Path, why: str, *, errno: int | None = None, cause: str = "") -> None:
        super().__init__(f"{where}: {why}")
        self.why = why
        """That line without the file's place, for a page that anybody may see."""
        self.cause = cause
        """The system's own words, where the system refused."""
        self.errno = errno
        """Its number for that."""

    @classmethod
    def of(cls, where: str | Path, what: str, error: OSError) -> JournalError:
        """An error of the system; `what` was tried."""
        cause = error.strerror or str(error)
        return cls(where, f"{what}: {cause}", errno=error.errno, cause=cause)


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """UTC, ISO 8601, milliseconds: 2026-11-20T17:40:43.123Z."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class JournalText:
    """A journal as it was read."""

    header: Header
    events: tuple[Event, ...]
    torn: bytes
    """The bytes after the last whole line, or b""."""
    good_bytes: int
    """Length up to the end of the last whole line."""
    checksum: str
    """Covers all whole lines."""
    complete: bool = True
    """False: the last whole line lacks only its line feed."""
    seen: tuple[SeenLine, ...] = ()
    """The camera's lines, in order."""


def read_journal(path: str | Path) -> JournalText:
    """The journal at `path`, only looked at. Raises JournalError naming file, line, seq and field."""
    return parse_journal(_content(Path(path)), str(path))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return _read_all(file.fileno())
    except FileNotFoundError:
        raise JournalError(path, "there is no such file") from None
    except OSError as error:
        raise JournalError.of(path, "cannot be read", error) from None


def parse_journal(content: bytes, name: str = "journal", *, earlier: bool = False) -> JournalText:
    """Bytes as a journal. Raises JournalError; `name` stands for the file in its messages. `earlier`: of version 1 or
    2, with what was concluded."""
    lines = content.split(b"\n")
    tail = lines.pop()
    reader = _Reader(name, earlier=earlier)
    for number, line in enumerate(lines, start=1):
        reader.read(line, number)
    torn = bool(tail) and reader.header is not None and not _is_json(tail)
    if tail and not torn:
        reader.read(tail, len(lines) + 1)
    if reader.header is None:
        raise JournalError(name, "is empty; expected a header line")
    good_bytes = len(content) - (len(tail) if torn else 0)
    return JournalText(
        reader.header,
        tuple(reader.events),
        tail if torn else b"",
        good_bytes,
        reader.chain.value,
        complete=torn or not tail,
        seen=tuple(reader.seen),
    )


class _Reader:
    """Reads a journal line by line. Each must fit its checksum, and have one where an earlier line has."""

    def __init__(self, name: str, *, earlier: bool) -> None:
        self.header: Header | None = None
        self._earlier = earlier
        self.events: list[Event] = []
        self.seen: list[SeenLine] = []
        self.chain = RunningChecksum()
        self._name = name
        self._checked = False

    def read(self, line: bytes, number: int) -> None:
        if not line and self.header is not None:
            return
        body, checksum = split_line(line)
        try:
            value = parse_line(body)
            if self.header is None:
                self.header = Header.from_json(value)
                check_version(value, earlier=self._earlier)
            elif is_evidence(value):
                self.seen.append(self._next_seen(SeenLine.from_json(value)))
            else:
                event = self._due(event_from_json(value))
                self.events.append(event if self._earlier else event.fact())
            self._check(body, checksum)
        except ValueError as error:
            raise JournalError(self._name, f"line {number}: {error}") from None

    def _due(self, event: Event) -> Event:
        due = len(self.events) + 1
        if event.seq == due:
            return event
        if event.seq < due:
            fault = f"seq {event.seq} stands there a second time" if event.seq else "seq: missing"
        elif event.seq == due + 1:
            fault = f"seq {due} is missing"
        else:
            fault = f"seq {due} to {event.seq - 1} are missing"
        raise EventError(f"{fault}; expected seq {due}")

    def _next_seen(self, seen: SeenLine) -> SeenLine:
        due = len(self.seen) + 1
        if seen.seen != due:
            raise EventError(f"seen {seen.seen}; expected seen {due}")
        if seen.after != len(self.events):
            raise EventError(f"seen {due}: after {seen.after}; expected {len(self.events)}")
        return seen

    def _check(self, body: bytes, checksum: str | None) -> None:
        expected = self.chain.add(body)
        if checksum is None:
            if self._checked:
                raise EventError("has no checksum; expected one, as the line before it has")
        elif checksum != expected:
            raise EventError("does not fit its checksum: this line, or one before it, was changed")
        else:
            self._checked = True


def check_version(header: Mapping[str, Any], *, earlier: bool = False) -> None:
    """Whether this program reads the journal that begins so, or an `earlier` one. Raises EventError."""
    version = header.get("journal", 1)
    if earlier and version in (1, 2) and type(version) is int:
        return
    if earlier:
        raise EventError(f"journal: expected version 1 or 2, not {shown(version)}")
    if version in (1, 2) and type(version) is int:
        raise EventError(f"journal: version {version}; make version {JOURNAL_VERSION} of it: {CONVERT}")
    if version != JOURNAL_VERSION or isinstance(version, bool):
        raise EventError(f"journal: this program reads version {JOURNAL_VERSION}, not {shown(version)}")


def _is_json(line: bytes) -> bool:
    try:
        parse_line(line)
    except ValueError:
        return False
    return True


def parse_line(line: bytes | str) -> Any:
    """One line of JSON, hostile or not. Raises EventError (a ValueError) for whatever is not plain JSON in UTF-8."""
    if len(line) > LONGEST_LINE:
        raise EventError(f"is longer than {LONGEST_LINE} bytes")
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise EventError("is not UTF-8") from None
    except RecursionError:
        raise EventError("is nested too deeply") from None
    except ValueError as error:
        text = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise EventError(f"is not JSON: {text}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise EventError(f"{name} is not a number")


class Journal:
    """The one writer of a game's file. Make one with `create` or `open`; close it, or use it in a `with`.

    Safe to use from several threads. `set_aside` names the file that holds a torn last line, if opening found one.

    >>> from tempfile import mkdtemp
    >>> from companion.log.events import Drew
    >>> path = mkdtemp() + "/game.jsonl"
    >>> with Journal.create(path, Header("tactic", "double-12", ("Ann", "Ben"))) as journal:
    ...     drew = journal.append(Drew(by="Ann"))
    >>> drew.seq, len(read_journal(path).events)
    (1, 1)
    """

    def __init__(self, path: Path, descriptor: int, text: JournalText, content: bytes, clock: Clock) -> None:
        self.path = path
        self.header = text.header
        self.set_aside: Path | None = None
        self._descriptor = descriptor
        self._events = list(text.events)
        self._seen = list(text.seen)
        self._pending: list[TableChange] = []
        self._blocks = [content]
        self._size = len(content)
        self._checksum = text.checksum
        self._clock = clock
        self._lock = threading.Lock()
        self._broken: str | None = None

    @classmethod
    def create(cls, path: str | Path, header: Header, clock: Clock = utc_now) -> Journal:
        """A new game. The file appears whole, with its header, or not at all. Raises JournalError if there is one."""
        path = Path(path)
        chain = RunningChecksum()
        line = _line({**header.to_json(), "journal": JOURNAL_VERSION}, chain)
        fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            descriptor = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, ONLY_THE_OWNER)
            try:
                _hold(descriptor, path)
                _write_all(descriptor, line)
                os.fsync(descriptor)
                os.link(fresh, path)
                sync_folder(path.parent)
            except BaseException:
                os.close(descriptor)
                raise
            finally:
                fresh.unlink()
        except FileExistsError:
            raise JournalError(path, "there is a journal already; open it instead") from None
        except OSError as error:
            raise JournalError.of(path, "cannot be written", error) from None
        return cls(path, descriptor, JournalText(header, (), b"", len(line), chain.value), line, clock)

    @classmethod
    def open(cls, path: str | Path, clock: Clock = utc_now) -> Journal:
        """An earlier game, to be continued. A torn last line is set aside first. Raises JournalError."""
        path = Path(path)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise JournalError.of(path, "cannot be opened", error) from None
        try:
            _hold(descriptor, path)
            with suppress(OSError):
                os.fchmod(descriptor, ONLY_THE_OWNER)
            content = _read_all(descriptor)
            text = parse_journal(content, str(path))
            whole = content[: text.good_bytes] + (b"" if text.complete else b"\n")
            journal = cls(path, descriptor, text, whole, clock)
            if text.torn:
                journal.set_aside = _keep_aside(path, text.torn)
                os.ftruncate(descriptor, text.good_bytes)
                os.fsync(descriptor)
            elif not text.complete:
                _write_all(descriptor, b"\n")
                os.fsync(descriptor)
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError):
                raise JournalError.of(path, "cannot be opened", error) from None
            raise
        return journal

    @property
    def events(self) -> Sequence[Event]:
        """All events so far, in order; event n has seq n + 1. A copy, so that it stays what it was."""
        with self._lock:
            return tuple(self._events)

    @property
    def seen(self) -> Sequence[SeenLine]:
        """The camera's lines, in order."""
        with self._lock:
            return tuple(self._seen)

    @property
    def looks(self) -> Sequence[int]:
        """The last event before each thing that was seen, also of what has not reached the disk yet."""
        with self._lock:
            return [*(one.after for one in self._seen), *(len(self._events) for _ in self._pending)]

    def see(self, change: TableChange) -> None:
        """Keep what the camera saw: it reaches the disk before the events of the next `append_all`."""
        with self._lock:
            self._pending.append(change)

    def unsee(self) -> None:
        """Let go of what has not reached the disk."""
        with self._lock:
            self._pending.clear()

    @property
    def content(self) -> bytes:
        """The whole file as it should lie on the disk, from memory: a failing card has no say in it."""
        with self._lock:
            return self._whole()

    def _whole(self) -> bytes:
        self._blocks = [b"".join(self._blocks)]
        return self._blocks[0]

    def mend(self) -> None:
        """Where the card has refused even to take back what was half written: open the file anew. Raises JournalError
        while the card goes on refusing."""
        with self._lock:
            if self._broken and self._descriptor >= 0:
                self._mend()

    def _mend(self) -> None:
        """Bring the file to what was acknowledged, be there more or less of it by now."""
        whole = self._whole()
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            os.close(self._descriptor)
            self._descriptor = descriptor
            _hold(descriptor, self.path)
            found = _read_all(descriptor)
            if found[: len(whole)] != whole[: len(found)]:
                raise JournalError(self.path, "holds something else than was written; start the companion again")
            os.ftruncate(descriptor, min(len(found), len(whole)))
            _write_all(descriptor, whole[len(found) :])
            os.fsync(descriptor)
        except OSError as error:
            raise JournalError.of(self.path, self._broken or "cannot be opened", error) from None
        self._broken = None

    @property
    def last_seq(self) -> int:
        return len(self._events)

    def append(self, event: SomeEvent) -> SomeEvent:
        """Write one event, with its seq and time; when this returns it is on the disk. Raises JournalError."""
        stamped = self.append_all((event,))[0]
        assert isinstance(stamped, type(event))
        return stamped

    def stamped(self, events: Iterable[Event], after: int | None = None, at: str = "") -> list[Event]:
        """Events as the lines behind line `after` (None: the last one): of now, by the person who enters now."""
        at, person = at or self._moment(), entering()
        numbered = enumerate(events, (self.last_seq if after is None else after) + 1)
        return [replace(event, seq=seq, at=at, author=_author(event, person)).fact() for seq, event in numbered]

    def _moment(self) -> str:
        """Now, and not the moment of the last line: what one command writes is told by its moment from what another
        does."""
        now = self._clock()
        last = self._events[-1].at if self._events else ""
        return stamp(now) if stamp(now) != last else stamp(now + timedelta(milliseconds=1))

    def append_all(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Write the facts of events that belong together, and before them the changes seen (`see`), with one trip to
        the disk. Those that are `stamped` keep their time.

        After a crash a first part may be there. Events that cannot be written are not kept either. Raises JournalError,
        also for an event that could not be read back.
        """
        with self._lock:
            self._check_open()
            events = self._readable(events)
            pending, self._pending = self._pending, []
            at, after = self._moment(), len(self._events)
            seen = [SeenLine(number, after, at, change) for number, change in enumerate(pending, len(self._seen) + 1)]
            lines = self.stamped(events, after, at) if any(not line.at for line in events) else events
            if not lines and not seen:
                return ()
            chain = RunningChecksum(self._checksum)
            written = (*(one.to_json() for one in seen), *(line.to_fact() for line in lines))
            block = b"".join(_line(line, chain) for line in written)
            self._write(block)
            self._size += len(block)
            self._blocks.append(block)
            self._checksum = chain.value
            self._seen.extend(seen)
            self._events.extend(lines)
            person = entering()
            if person is not None and self._descriptor >= 0:
                person.lines += sum(line.source == "person" for line in lines)
            return tuple(lines)

    def _readable(self, events: Iterable[Event]) -> list[Event]:
        lines = list(events)
        for line in lines:
            try:
                event_from_json(line.to_fact())
            except EventError as error:
                raise JournalError(self.path, f"{line.KIND}: {error}") from None
        return lines

    def rehearsal(self) -> Journal:
        """The same game in memory: what is written there reaches no disk."""
        with self._lock:
            text = JournalText(
                self.header, tuple(self._events), b"", self._size, self._checksum, True, tuple(self._seen)
            )
            return _Rehearsal(self.path, -1, text, b"", self._clock)

    def _check_open(self) -> None:
        if self._descriptor < 0:
            raise JournalError(self.path, "is closed")
        if self._broken:
            self._mend()

    def _write(self, block: bytes) -> None:
        try:
            _write_all(self._descriptor, block)
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back(error)

    def _take_back(self, error: OSError) -> NoReturn:
        """Remove what was not acknowledged, or a retry would write it twice."""
        reason = error.strerror or str(error)
        try:
            os.ftruncate(self._descriptor, self._size)
            os.fsync(self._descriptor)
        except OSError:
            self._broken = f"could not be written ({reason})"
        raise JournalError.of(self.path, "nothing was recorded", error) from None

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Rehearsal(Journal):
    def _check_open(self) -> None:
        pass

    def _write(self, block: bytes) -> None:
        pass


class ClosedBook(Journal):
    """An earlier game's journal for looking only: it holds no file open, and nothing can be written into it."""

    def __init__(self, path: Path) -> None:
        content = _content(path)
        super().__init__(path, -1, parse_journal(content, str(path)), content, utc_now)

    def _check_open(self) -> None:
        raise JournalError(self.path, "it is only being looked at")


def _author(event: Event, person: Entering | None) -> str | None:
    """The author of a line: for a person's line, the one who enters something now."""
    return event.author if person is None or event.source != "person" else person.author


def _line(value: dict[str, Any], chain: RunningChecksum) -> bytes:
    return chain.sealed(json.dumps(value, ensure_ascii=False, allow_nan=False).encode()) + b"\n"


def _hold(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise JournalError(path, "another program is writing this game") from None


def _read_all(descriptor: int) -> bytes:
    if os.fstat(descriptor).st_size > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST // 2**20} MB, as no game is")
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return file.read()


def _write_all(descriptor: int, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep_aside(path: Path, torn: bytes) -> Path:
    """Write the torn bytes to the first free `NAME.torn-N` beside the journal."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.torn-{number}")
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, ONLY_THE_OWNER)
        except FileExistsError:
            number += 1
            continue
        try:
            _write_all(descriptor, torn)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        sync_folder(path.parent)
        return aside
