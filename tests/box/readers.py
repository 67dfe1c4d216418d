"""Readers of photographs that fail in every way there is. A child that gets one imports this file and no more."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any


def nervous(photograph: bytes, set_name: str, learned: str = "") -> dict[str, Any]:
    """Hangs, dies, eats memory or refuses, as the photograph says."""
    if photograph == b"hang":
        signal.pause()
    if photograph == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    if photograph == b"eat":
        bytearray(3_000_000_000)
    if photograph == b"refuse":
        raise ValueError("damaged picture\nand more")
    return {"tiles": [[1, 2]], "unreadable": 0, "set": set_name, "learned": learned}


def open_nervous() -> Callable[[bytes, str, str], dict[str, Any]]:
    return nervous


def open_nothing() -> Callable[[bytes, str, str], dict[str, Any]]:
    raise ValueError("pips.onnx: truncated")
