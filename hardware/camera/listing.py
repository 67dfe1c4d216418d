"""The cameras at this machine: by names that last, with what they would film."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hardware.camera.v4l2 import Offer, best_mode, offer_of, users_of

LASTING = ("by-id", "by-path")
"""Folders of /dev/v4l: by the camera's own name and number, else by where it is plugged in."""


@dataclass(frozen=True, slots=True)
class Listed:
    """`source` is what to type after --camera; `size_wh` and `words` the mode that is used unless another size is
    asked for; `sizes` what may be asked for; `users` the programs that hold it now."""

    source: str
    name: str
    size_wh: tuple[int, int] | None
    words: str
    sizes: tuple[tuple[int, int], ...] = ()
    users: tuple[str, ...] = ()


def lasting_name(node: Path, root: Path = Path("/")) -> str:
    """The path under /dev/v4l that leads to this node and to no other, whatever is plugged in tomorrow; else the node
    itself. Two cameras of one make without a number share their name by id: the place of the plug tells them apart."""
    for folder in LASTING:
        links = sorted((root / "dev/v4l" / folder).glob("*"))
        for link in links:
            if link.resolve() == node.resolve():
                return f"/dev/v4l/{folder}/{link.name}"
    return f"/dev/{node.name}"


def usb_listed(
    root: Path = Path("/"), offer: Callable[[int | str], Offer | None] = offer_of, processes: Path = Path("/proc")
) -> list[Listed]:
    """USB cameras that give pictures: the first node of each device."""
    found = []
    for node in sorted((root / "sys/class/video4linux").glob("video*"), key=lambda one: int(one.name[5:] or 0)):
        try:
            on_usb = "/usb" in str((node / "device").resolve())
            first = (node / "index").read_text(encoding="ascii").strip() == "0"
            name = (node / "name").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        if not on_usb or not first:
            continue
        device = root / "dev" / node.name
        offered = offer(str(device))
        modes = () if offered is None else offered.modes
        mode = best_mode(modes)
        words = mode.words if mode else _why_unknown(device)
        sizes = tuple(sorted({one.size_wh for one in modes}, reverse=True))
        users = tuple(users_of(device, processes))
        found.append(Listed(lasting_name(device, root), name, mode.size_wh if mode else None, words, sizes, users))
    return found


def _why_unknown(device: Path) -> str:
    if device.exists() and not os.access(device, os.R_OK | os.W_OK):
        return "this user may not open it: sudo usermod --append --groups video $USER, then log in again"
    return "its driver does not say what it offers"


ASK_PICAMERA2 = (
    "from picamera2 import Picamera2\nfor c in Picamera2.global_camera_info(): print(c.get('Model', 'camera'))"
)


def ribbon_cameras() -> list[str]:
    """Raspberry Pi cameras, asked for in a process of its own: the camera stack can hang."""
    if importlib.util.find_spec("picamera2") is None:
        return []
    try:
        answer = subprocess.run(
            [sys.executable, "-c", ASK_PICAMERA2], capture_output=True, text=True, timeout=15, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [f"picamera ({line})" for line in answer.stdout.splitlines() if line] if answer.returncode == 0 else []
