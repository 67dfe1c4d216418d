"""What goes wrong, on stderr, where the service's log takes it: with its traceback, once a minute, without secrets."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import TextIO

SAY_AGAIN_S = 60.0
"""Whatever fails at every picture says so once a minute, and how often it was."""

MOST_KINDS = 200


class ErrorLog(logging.Handler):
    """Writes errors to stderr. Of one kind (the same words, raised at the same place) one a minute; the next one says
    how many were left out. None of `secrets` of two characters or more stands there."""

    def __init__(
        self,
        secrets: Iterable[str] = (),
        *,
        out: Callable[[], TextIO] = lambda: sys.stderr,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._secrets = sorted({secret for secret in secrets if len(secret) > 1}, key=len, reverse=True)
        self._out, self._clock = out, clock
        self._said: dict[tuple[object, ...], tuple[float, int]] = {}
        self._saying = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        kind, now = _kind_of(record), self._clock()
        with self._saying:
            said, left_out = self._said.get(kind, (now - SAY_AGAIN_S, 0))
            if now - said < SAY_AGAIN_S:
                self._said[kind] = said, left_out + 1
                return
            if kind not in self._said and len(self._said) >= MOST_KINDS:
                del self._said[next(iter(self._said))]
            self._said[kind] = now, 0
        try:
            text = self.format(record) + (f"\n  (and {left_out} more like it since the last)" if left_out else "")
            for secret in self._secrets:
                text = text.replace(secret, "…")
            self._out().write(f"{text}\n")
            self._out().flush()
        except (OSError, ValueError):
            # Nobody reads it any more.
            return


def _kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    """Where it was said, what, and where it was raised; not whom or which picture it is about."""
    fault = record.exc_info[1] if record.exc_info else None
    place = fault.__traceback__ if fault is not None else None
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    raised = None if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
    return record.name, record.msg, type(fault), raised
