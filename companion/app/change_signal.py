"""One signal for all phones: whoever waits for news is woken, and then reads what it has not read yet.

There is no queue for each listener. A listener remembers the last journal `seq` it has sent, and after each ring reads
on from the journal itself, so live delivery and catching up after a lost connection are the same code.
"""

from __future__ import annotations

import threading


class ChangeSignal:
    """Counts its rings; waiting for the next one needs only the count last heard."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._rings = 0
        self._closed = False

    @property
    def rings(self) -> int:
        with self._changed:
            return self._rings

    @property
    def closed(self) -> bool:
        with self._changed:
            return self._closed

    def ring(self) -> None:
        with self._changed:
            self._rings += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody for the last time."""
        with self._changed:
            self._closed = True
            self._rings += 1
            self._changed.notify_all()

    def wait(self, heard: int, timeout_s: float) -> int:
        """The number of rings, at once if it differs from `heard`, else at the next ring or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._rings != heard, timeout_s)
            return self._rings
