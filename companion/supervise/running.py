"""Watching goes on whatever happens to camera and eye; this is the loop that sees to it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from companion.supervise.eye import EyeAwayError
from companion.supervise.health import AwayError
from hardware.camera import CameraError


def keep_watching(
    step: Callable[[], bool],
    *,
    lost: Callable[[str], None],
    back: Callable[[], None],
    beat: Callable[[], None] = lambda: None,
    stop: threading.Event | None = None,
) -> None:
    """Call `step` (one frame; False when the source has ended) until the end or `stop`.

    `lost` hears each new reason why there is nothing to read, in one line for the page; `back` is called before the
    first step that goes well again, so that the watcher forgets what it had half seen. `beat` tells the watchdog.
    Errors of the program itself are not caught: the watchdog then starves and systemd restarts us, from the journal.
    """
    trouble = ""
    while stop is None or not stop.is_set():
        beat()
        try:
            going_on = step()
        except (AwayError, EyeAwayError, CameraError) as error:
            message = error.health.message if isinstance(error, AwayError) else str(error)
            if message != trouble:
                trouble = message
                lost(message)
            continue
        if trouble:
            trouble = ""
            back()
        if not going_on:
            return
