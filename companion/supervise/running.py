"""Watching goes on whatever happens to camera and eye; this is the loop that sees to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from companion.supervise.eye import EyeAwayError
from companion.supervise.health import AwayError, Why
from companion.supervise.parts import PAUSES_S, line_of
from hardware.camera import CameraError

log = logging.getLogger(__name__)


def keep_watching(
    step: Callable[[], bool],
    *,
    lost: Callable[[str, Why], None],
    back: Callable[[], None],
    beat: Callable[[], None] = lambda: None,
    broken: Callable[[], None] = lambda: None,
    stop: threading.Event | None = None,
    pauses_s: Sequence[float] = PAUSES_S,
) -> None:
    """Call `step` (one frame; False when the source has ended) until the end or `stop`.

    `lost` hears each new reason why nothing is recorded, in one line and as a code; `back` is called before the first
    step that goes well again, so that the watcher forgets what it had half seen. `beat` is a sign of life. Whatever
    else a step raises (the disk that takes nothing, a mistake of the program) ends nothing either: `broken` lets go of
    what may be half done, and after a pause it begins anew, from the journal.
    """
    stop = threading.Event() if stop is None else stop
    trouble, failures = "", 0
    while not stop.is_set():
        beat()
        try:
            going_on = step()
        except BaseException as error:
            away = isinstance(error, (AwayError, EyeAwayError, CameraError))
            if isinstance(error, AwayError):
                message = error.health.message
            else:
                message = str(error) if away else f"nothing is recorded just now ({line_of(error)})"
            if not away:
                log.exception("watching failed and begins anew")
                broken()
            if message != trouble:
                trouble = message
                lost(message, getattr(error, "why", Why.OTHER))
            if not away:
                stop.wait(pauses_s[min(failures, len(pauses_s) - 1)])
                failures += 1
            continue
        failures = 0
        if trouble:
            trouble = ""
            back()
        if not going_on:
            return
