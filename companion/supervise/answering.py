"""Questions answered by a process of its own, under a limit of time and of memory.

For whatever reads strangers' files: a picture that hangs a decoder, kills it or blows it up costs one answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from companion.supervise.child import Child
from companion.supervise.closing import Closing

Answerer = Callable[..., Any]


class NoAnswerError(Exception):
    """The question was not answered: refused, too slow, or the process died over it. One line."""


def answer_questions(pipe: Connection, opener: Callable[[], Answerer], memory_bytes: int | None, nice: int) -> None:
    """The child's whole life. A question that fails is answered with its error; only death ends the child."""
    import os

    os.nice(nice)
    _limit_memory(memory_bytes)
    try:
        answerer = opener()
    except Exception as error:
        pipe.send(("error", _line(error)))
        return
    pipe.send(("open",))
    while True:
        question = pipe.recv()
        try:
            answer = answerer(*question)
        except MemoryError:
            pipe.send(("error", "it needs more memory than it may have"))
        except Exception as error:
            pipe.send(("error", _line(error)))
        else:
            pipe.send(("answer", answer))


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _limit_memory(memory_bytes: int | None) -> None:
    import resource

    if memory_bytes is not None:
        # Not RLIMIT_AS: what is only mapped (the weights, the libraries) takes no memory from anybody.
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


class Answering(Closing):
    """`ask(...)` is answered by the callable that `opener` makes in the child; both must be importable by name.

    Thread-safe, one question at a time. The child is started by the first question and put away after `idle_s` without
    one. Raises NoAnswerError; the next question then gets a new child.
    """

    def __init__(
        self,
        opener: Callable[[], Answerer],
        *,
        answer_s: float = 30.0,
        opening_s: float = 60.0,
        idle_s: float = 120.0,
        memory_bytes: int | None = None,
        nice: int = 5,
    ) -> None:
        self._opener, self._memory_bytes, self._nice = opener, memory_bytes, nice
        self._answer_s, self._opening_s, self._idle_s = answer_s, opening_s, idle_s
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._idle: threading.Timer | None = None
        self._closed = False

    @property
    def pid(self) -> int:
        """The child's process id; 0 while there is none."""
        child = self._child
        return 0 if child is None else child.pid

    def ask(self, *question: Any) -> Any:
        with self._lock:
            self._stop_waiting()
            child = self._living()
            if not child.send(question):
                self._fail("the reading process ended")
            answer = self._receive(child, self._answer_s)
            self._idle = threading.Timer(self._idle_s, self._put_away_idle)
            self._idle.daemon = True
            self._idle.start()
            if answer[0] == "error":
                raise NoAnswerError(answer[1])
            return answer[1]

    def close(self) -> None:
        """End the child. Twice is no error."""
        with self._lock:
            self._closed = True
            self._stop_waiting()
            self._put_away()

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

    def _receive(self, child: Child, within_s: float) -> tuple[Any, ...]:
        try:
            if not child.pipe.poll(within_s):
                self._fail(f"it was not read within {within_s:g} s")
            answer: tuple[Any, ...] = child.pipe.recv()
        except (EOFError, OSError):
            self._fail("the reading process ended")
        return answer

    def _fail(self, why: str) -> NoReturn:
        self._put_away()
        raise NoAnswerError(why)

    def _put_away(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end(patience_s=0.2)

    def _put_away_idle(self) -> None:
        with self._lock:
            if threading.current_thread() is self._idle:
                self._put_away()

    def _stop_waiting(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
