"""Questions answered by a process of its own, which may hang, die or blow up: that costs one answer.

A process that works is left alone, however slow the machine is: only one that uses no processor time any more is given
up, or one that has worked for far longer than any picture takes. Pictures travel in shared memory.

To the child: ("shelf", name, slot_bytes), ("ask", question). From it: ("open",), ("answer", value), ("error", text).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from companion.supervise.child import Child
from companion.supervise.closing import Closing
from companion.supervise.shelf import Shelf

Answerer = Callable[..., Any]

LONGEST_S = 300.0
"""One answer of a process that works all the time. An emulated board needs 60 s for its first large picture."""

STIR_S = 0.05
"""Processor time below which a process does nothing: what its waiting threads use."""


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
            # No copy of a picture: whoever asked waits for the answer before he fills the shelf again.
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


class Worker(Closing):
    """`ask(...)` is answered by the callable that `opener` makes in the child; both must be importable by name.

    Thread-safe, one question at a time. The child is started by the first question and put away after `idle_s` without
    one. Raises NoAnswerError; where the child is at fault, the next question gets a new one, which `restarts` counts.

    `took_s`: how long the last answer took.

    Args:
        silent_s: a child that uses no processor time for so long is given up.
        opening_s: the same while it opens: a slow card gives it nothing to work on.
        longest_s: a child that has worked on one question for so long is given up, too.
        beat: called every `beat_s` while somebody waits, for the watchdog.
        busy: entered for as long as one question takes: what hangs is named on the page.
        clock: monotonic seconds.
        used: the processor time of the process of that id.
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
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[int], float | None] = processor_s,
    ) -> None:
        self._opener, self._memory_bytes, self._nice = opener, memory_bytes, nice
        self._silent_s, self._opening_s, self._longest_s, self._idle_s = silent_s, opening_s, longest_s, idle_s
        self._beat, self._beat_s, self._busy, self._clock = beat, beat_s, busy, clock
        self._used = used
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._shelf: Shelf | None = None
        self._idle: threading.Timer | None = None
        self._closed = False
        self.restarts = 0
        self.took_s = 0.0

    @property
    def pid(self) -> int:
        """The child's process id; 0 while there is none."""
        child = self._child
        return 0 if child is None else child.pid

    def open(self) -> None:
        """Start the child now, so that the first question need not wait. Raises NoAnswerError."""
        with self._turn():
            self._living()

    def ask(self, *question: Any) -> Any:
        """What the child answers. Raises NoAnswerError."""
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
        """End the child. Twice is no error."""
        with self._lock:
            self._closed = True
            self._stop_waiting()
            self._put_away()

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
        """One question at a time; whoever waits for another's answer waits no longer than that takes."""
        while not self._lock.acquire(timeout=self._beat_s):
            self._beat()
        try:
            with self._busy():
                yield
        finally:
            self._lock.release()

    def _living(self) -> Child:
        if self._closed:
            raise NoAnswerError("the reader was closed")
        if self._child is None:
            self._child = Child(answer_questions, self._opener, self._memory_bytes, self._nice)
            answer = self._receive(self._child, self._opening_s)
            if answer[0] == "error":
                self._put_away()
                raise NoAnswerError(f"the reader cannot be opened ({answer[1]})")
        return self._child

    def _laid_out(self, child: Child, one: Any) -> Any:
        """Where a picture lies on the shelf, on a larger one where it does not fit; the picture itself, for the pipe,
        where there is no shared memory for it. Everything else as it is."""
        if not isinstance(one, np.ndarray) or one.dtype != np.uint8:
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
        begun = stirred = self._clock()
        used = self._used(child.pid)
        try:
            while (left := min(stirred + silent_s, begun + self._longest_s) - self._clock()) > 0:
                if child.pipe.poll(min(left, self._beat_s)):
                    answer: tuple[Any, ...] = child.pipe.recv()
                    return answer
                self._beat()
                by_now = self._used(child.pid)
                if by_now is not None and used is not None and by_now - used >= STIR_S:
                    used, stirred = by_now, self._clock()
        except (EOFError, OSError):
            raise self._replaced(DiedError, "the reader's process ended") from None
        raise self._replaced(TooSlowError, f"the reader did not answer within {self._clock() - begun:.0f} s")

    def _replaced(self, kind: type[NoAnswerError], why: str) -> NoAnswerError:
        self.replace()
        return kind(f"{why}; it is started again for the next picture")

    def _put_away_idle(self) -> None:
        with self._lock:
            if threading.current_thread() is self._idle:
                self._put_away()

    def _stop_waiting(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
