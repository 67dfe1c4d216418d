"""Keeps the inference runtime quiet: from version 1.31 onnxruntime reports to its maker unless it is told not to.

It decides when it is first imported, so `switch_off` has to run before that, in every process. Pure standard library:
the command line calls it before anything else is loaded.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = "ORT_DISABLE_TELEMETRY"
QUEUE = Path("Microsoft", "DeveloperTools", ".onnxruntime")
"""Below the cache folder: a device id and the reports that were not sent yet."""


def switch_off(environment: MutableMapping[str, str] = os.environ) -> None:
    """From here on neither this process nor one that it starts reports anything, whatever the environment said."""
    environment[VARIABLE] = "1"


def delete_queue(environment: MutableMapping[str, str] = os.environ) -> bool:
    """Delete what the runtime of an earlier release of this program left to be sent. True when there was something.

    A folder that cannot be deleted stays: nothing reads it any more.
    """
    try:
        cache = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a service's user without a home
        return False
    queue = cache / QUEUE
    if not queue.is_dir():
        return False
    shutil.rmtree(queue, ignore_errors=True)
    for folder in (queue.parent, queue.parent.parent):
        try:
            folder.rmdir()
        except OSError:
            break
    return True
