"""Child processes: started, asked, shown pictures, and always got rid of.

`Child` is one process with a pipe to it. `Shelf` holds pictures in shared memory: one process fills a slot, another
empties it, and 36 MB a frame need no pickling. Messages over the pipe agree on who may touch a slot. The parent makes
and removes the shelf; a child that is killed leaves nothing behind.

`Worker` has questions answered by a child, which may hang, die or blow up: that costs one answer. A child that works is
left alone, however slow the machine is. It is given up once it uses no processor time, or has worked far longer than
any picture takes. To the child: ("shelf", name, slot_bytes), ("ask", question). From it: ("open",), ("answer", value),
("error", text).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import shared_memory
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from vision.frame import Image


class Closing(ABC):
    """Something that runs beside this process until it is closed."""

    @abstractmethod
    def close(self) -> None:
        """End it. Closing twice is no error."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


KILLED_S = 2.0
"""A process that was killed is gone by then, unless the system holds it."""


class Child:
    """`target(pipe, *arguments)` in a fresh interpreter. The pipe's other end is `pipe`; EOF on it means it has
    died."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(target, theirs, *arguments), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def send(self, message: Any) -> bool:
        """False when the child is no longer there to hear it."""
        try:
            self.pipe.send(message)
        except (OSError, ValueError):
            return False
        return True

    def kill(self) -> None:
        """At once; whoever waits for it hears that it has ended."""
        with contextlib.suppress(ValueError):  # it was closed meanwhile
            self._process.kill()

    def exit_code(self, patience_s: float = 0.5) -> int | None:
        """How it ended: minus the signal that ended it; None where it has not."""
        self._process.join(patience_s)
        return self._process.exitcode

    def end(self, patience_s: float = 0.5) -> None:
        """Hang up, wait a little, then kill; this leaves nothing behind, not even a zombie. No kill reaches a child
        that hangs in a driver: that one stays."""
        with contextlib.suppress(OSError):
            self.pipe.close()
        self._process.join(patience_s)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(KILLED_S)
        if not self._process.is_alive():
            self._process.close()


def _run(target: Callable[..., None], pipe: Connection, *arguments: Any) -> None:
    # Ctrl-C belongs to the parent, which then ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        target(pipe, *arguments)


def _die_with_parent() -> None:
    """Where the parent is killed, nobody is left to kill a child that hangs in its driver: it leaves by itself."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


SHARED = Path("/dev/shm")


class Shelf:
    """`slots` pictures of up to `slot_bytes` each. With `name`, the shelf another process has made. Raises OSError
    where there is not so much shared memory."""

    def __init__(self, slots: int, slot_bytes: int, name: str | None = None) -> None:
        self.slots, self.slot_bytes = slots, slot_bytes
        self._made_here = name is None
        self._memory = shared_memory.SharedMemory(name=name, create=name is None, size=slots * slot_bytes)
        if self._made_here:
            self._claim(slots * slot_bytes)

    def _claim(self, size: int) -> None:
        """Have every page now: writing to a page that is not there would kill the process (SIGBUS)."""
        try:
            handle = os.open(SHARED / self._memory.name.lstrip("/"), os.O_RDWR)
        except FileNotFoundError:
            return  # no Linux: the pages come another way
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError:
            self.close()
            raise
        finally:
            os.close(handle)

    @property
    def name(self) -> str:
        return self._memory.name

    def put(self, slot: int, image: Image, after: int = 0) -> None:
        """Copy `image` into the slot, `after` bytes from its start. The shape travels separately."""
        if after + image.nbytes > self.slot_bytes:
            raise ValueError(f"a slot holds {self.slot_bytes} bytes, not {after + image.nbytes}")
        self.view(slot, image.shape, after)[...] = image

    def take(self, slot: int, shape: tuple[int, ...], after: int = 0) -> Image:
        """A copy of the slot's picture of `shape`; the slot may be filled again afterwards."""
        return self.view(slot, shape, after).copy()

    def view(self, slot: int, shape: tuple[int, ...], after: int = 0) -> Image:
        """The slot's picture itself: it changes when the slot is filled again, and must be let go of before `close`."""
        import numpy as np

        return np.ndarray(shape, np.uint8, buffer=self._memory.buf, offset=slot * self.slot_bytes + after)

    def close(self) -> None:
        """Let go; the maker also removes it. Twice is no error."""
        self._memory.close()
        if self._made_here:
            self._made_here = False
            self._memory.unlink()


Answerer = Callable[..., Any]

LONGEST_S = 300.0
"""One answer of a process that works all the time. An emulated board needs up to 195 s for its first large picture."""

LONGEST_OPENINGS = 100
"""The same on a slower machine yet: so many times the processor time that opening took."""

CLOSING_S = 0.2
"""`close` waits so long for an answer that is nearly there."""

STIR_S = 0.05
"""Processor time below which a process does nothing: what its waiting threads use."""


CLOSED = "the reader was closed"


class NoAnswerError(Exception):
    """The question was not answered: refused, too slow, or the process died over it. One line."""


class RefusedError(NoAnswerError):
    """The question was answered with an error, and the process lives."""


class TooSlowError(NoAnswerError):
    """No answer in time."""


class DiedError(NoAnswerError):
    """The process ended over the question."""


@dataclass(frozen=True, slots=True)
class _OnShelf:
    shape: tuple[int, ...]


def answer_questions(pipe: Connection, opener: Callable[[], Answerer], memory_bytes: int | None, nice: int) -> None:
    """The child's whole life. A question that fails is answered with its error; only death ends the child."""
    os.nice(nice)
    _limit_memory(memory_bytes)
    try:
        answerer = opener()
    except Exception as error:
        pipe.send(("error", _line(error)))
        return
    pipe.send(("open",))
    shelf: Shelf | None = None
    while True:
        kind, *said = pipe.recv()
        if kind == "shelf":
            if shelf is not None:
                shelf.close()
            shelf = Shelf(1, said[1], said[0])
            continue
        try:
            # No copy of a picture: the asker waits for the answer before filling the shelf again.
            answer = answerer(*(_taken(one, shelf) for one in said[0]))
        except MemoryError:
            pipe.send(("error", "it needs more memory than it may have"))
        except Exception as error:
            pipe.send(("error", _line(error)))
        else:
            pipe.send(("answer", answer))


def _taken(one: Any, shelf: Shelf | None) -> Any:
    if not isinstance(one, _OnShelf):
        return one
    assert shelf is not None
    return shelf.view(0, one.shape)


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _limit_memory(memory_bytes: int | None) -> None:
    import resource

    if memory_bytes is not None:
        # Not RLIMIT_AS: what is only mapped (the weights, the libraries) takes no memory from anybody.
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


def processor_s(pid: int) -> float | None:
    """Seconds of processor time that the process has used; None where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_due(pid: int) -> bool:
    """Whether a thread of the process runs, or waits for a processor or a disk that others keep busy."""
    return any(state in ("R", "D") for state in thread_states(pid))


def thread_states(pid: int) -> Iterator[str]:
    """The letter of each of its threads: R runs or waits for a processor, D waits inside the system, S sleeps."""
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            yield stat.read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]


class Silence:
    """How long a child has neither said a word nor used processor time, nor been `due`. A slow machine is no reason to
    give one up."""

    def __init__(
        self,
        pid: int,
        clock: Callable[[], float],
        used: Callable[[int], float | None] = processor_s,
        due: Callable[[int], bool] = lambda pid: False,
    ) -> None:
        self._pid, self._clock, self._used, self._due = pid, clock, used, due
        self.heard()

    def heard(self) -> None:
        """It has said something."""
        self._looked = self._stirred = self._clock()
        self._spent_s = 0.0
        self._used_s = self._used(self._pid)
        self.works = False

    def left_s(self, silent_s: float, longest_s: float) -> float:
        """Until it has been silent for `silent_s`, or has worked for `longest_s` without a word. While it waits for a
        processor, only what it gets of it counts."""
        now, by_now, due = self._clock(), self._used(self._pid), self._due(self._pid)
        used_s = 0.0 if by_now is None or self._used_s is None else by_now - self._used_s
        passed_s = now - self._looked
        worked = used_s >= STIR_S
        self._spent_s += min(used_s, passed_s) if worked and due else passed_s
        self._looked = now
        self.works = worked or due
        if self.works:
            self._used_s, self._stirred = by_now, now
        return min(self._stirred + silent_s - now, longest_s - self._spent_s)


class Worker(Closing):
    """`ask(...)` is answered by the callable that `opener` makes in the child; both must be importable by name.

    Thread-safe, one question at a time. The child is started by the first question and put away after `idle_s` without
    one. Raises NoAnswerError; where the child is at fault, the next question gets a new one, which `restarts` counts.

    `took_s`: how long the last answer took.

    Args:
        silent_s: a child that neither uses nor wants processor time for so long is given up.
        opening_s: the same while it opens: a slow card gives it nothing to work on.
        longest_s: a child that has worked on one question for so long is given up, too; on a slow machine it gets
            `LONGEST_OPENINGS` times the processor time of its opening, on a busy one what others take is not counted.
        beat: called every `beat_s` while somebody waits, for the watchdog.
        busy: entered for as long as one question takes: what hangs is named on the page.
        works: called every `beat_s` in which the child was seen to work on it: slow is not hanging.
        clock: monotonic seconds.
        used, due: the processor time of the process of that id, and whether it wants some.
    """

    def __init__(
        self,
        opener: Callable[[], Answerer],
        *,
        silent_s: float = 15.0,
        opening_s: float = 60.0,
        longest_s: float = LONGEST_S,
        idle_s: float | None = None,
        memory_bytes: int | None = None,
        nice: int = 0,
        beat: Callable[[], None] = lambda: None,
        beat_s: float = 2.0,
        busy: Callable[[], AbstractContextManager[None]] = nullcontext,
        works: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[int], float | None] = processor_s,
        due: Callable[[int], bool] = is_due,
    ) -> None:
        self._opener, self._memory_bytes, self._nice = opener, memory_bytes, nice
        self._silent_s, self._opening_s, self._longest_s, self._idle_s = silent_s, opening_s, longest_s, idle_s
        self._beat, self._beat_s, self._busy, self._works, self._clock = beat, beat_s, busy, works, clock
        self._used, self._due = used, due
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._shelf: Shelf | None = None
        self._idle: threading.Timer | None = None
        self._closed = False
        self._opening_took_s = 0.0
        self.restarts = 0
        self.took_s = 0.0

    @property
    def pid(self) -> int:
        """The child's process id; 0 while none runs."""
        child = self._child
        return 0 if child is None else child.pid

    def open(self) -> None:
        """Start the child now, so that the first question need not wait. Raises NoAnswerError."""
        with self._turn():
            self._living()

    def ask(self, *question: Any) -> Any:
        """The child's answer. Raises NoAnswerError."""
        with self._turn():
            self._stop_waiting()
            child, asked_at = self._living(), self._clock()
            if not child.send(("ask", tuple(self._laid_out(child, one) for one in question))):
                raise self._replaced(DiedError, "the reader's process ended")
            kind, said = self._receive(child, self._silent_s)
            self.took_s = self._clock() - asked_at
            if self._idle_s is not None:
                self._idle = threading.Timer(self._idle_s, self._put_away_idle)
                self._idle.daemon = True
                self._idle.start()
            if kind == "error":
                raise RefusedError(said)
            return said

    def close(self) -> None:
        """End the child, in the middle of a question too. Twice is no error."""
        self._closed = True
        while not self._lock.acquire(timeout=CLOSING_S):
            if (child := self._child) is not None:
                child.kill()
        try:
            self._stop_waiting()
            self._put_away()
        finally:
            self._lock.release()

    def replace(self) -> None:
        """End a child that is at fault: the next question gets a new one."""
        with self._lock:
            self._put_away()
            self.restarts += 1

    def _put_away(self) -> None:
        child, shelf = self._child, self._shelf
        self._child = self._shelf = None
        if child is not None:
            child.end(patience_s=0.2)
        if shelf is not None:
            shelf.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One question at a time; the next one waits no longer than that takes."""
        while not self._lock.acquire(timeout=self._beat_s):
            self._beat()
        try:
            with self._busy():
                yield
        finally:
            self._lock.release()

    def _living(self) -> Child:
        if self._closed:
            raise NoAnswerError(CLOSED)
        if self._child is None:
            self._child = Child(answer_questions, self._opener, self._memory_bytes, self._nice)
            answer = self._receive(self._child, self._opening_s)
            if answer[0] == "error":
                self._put_away()
                raise NoAnswerError(f"the reader cannot be opened ({answer[1]})")
            self._opening_took_s = self._used(self._child.pid) or 0.0
        return self._child

    def _laid_out(self, child: Child, one: Any) -> Any:
        """Where a picture lies on the shelf, on a larger one where it does not fit; the picture itself, for the pipe,
        where there is no shared memory for it. Everything else as it is."""
        if getattr(one, "dtype", None) != "uint8":
            return one
        if self._shelf is None or self._shelf.slot_bytes < one.nbytes:
            if self._shelf is not None:
                self._shelf.close()
            self._shelf = None
            try:
                self._shelf = Shelf(1, one.nbytes)
            except OSError:
                return one
            child.send(("shelf", self._shelf.name, one.nbytes))
        self._shelf.put(0, one)
        return _OnShelf(one.shape)

    def _receive(self, child: Child, silent_s: float) -> tuple[Any, ...]:
        begun, silence = self._clock(), Silence(child.pid, self._clock, self._used, self._due)
        longest_s = max(self._longest_s, LONGEST_OPENINGS * self._opening_took_s)
        try:
            while (left := silence.left_s(silent_s, longest_s)) > 0:
                if silence.works:
                    self._works()
                if child.pipe.poll(min(left, self._beat_s)):
                    answer: tuple[Any, ...] = child.pipe.recv()
                    return answer
                self._beat()
        except (EOFError, OSError):
            raise self._replaced(DiedError, "the reader's process ended") from None
        raise self._replaced(TooSlowError, f"the reader did not answer within {self._clock() - begun:.0f} s")

    def _replaced(self, kind: type[NoAnswerError], why: str) -> NoAnswerError:
        self.replace()
        if self._closed:
            return NoAnswerError(CLOSED)
        return kind(f"{why}; it is started again for the next picture")

    def _put_away_idle(self) -> None:
        with self._lock:
            if threading.current_thread() is self._idle:
                self._put_away()

    def _stop_waiting(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
