"""One signal for all phones: whoever waits for news is woken, and then reads what it has not read yet.

There is no queue for each listener. A listener remembers the last journal `seq` it has sent, and after each
notification reads on from the journal itself, so live delivery and catching up after a lost connection are the same
code.
"""

from __future__ import annotations

import secrets
import threading


class ChangeSignal:
    """Counts its notifications; waiting for the next one needs only the last known count."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._closed = False
        self._run = secrets.token_hex(4)

    @property
    def mark(self) -> str:
        """Names this moment among all of all runs: a screen that shows another one shows something old."""
        return f"{self._run}.{self.count}"

    @property
    def count(self) -> int:
        with self._changed:
            return self._count

    @property
    def closed(self) -> bool:
        with self._changed:
            return self._closed

    def notify(self) -> None:
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody for the last time."""
        with self._changed:
            self._closed = True
            self._count += 1
            self._changed.notify_all()

    def wait(self, known: int, timeout_s: float) -> int:
        """The count, at once if it differs from `known`, else at the next notification or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != known, timeout_s)
            return self._count
