"""Anti-flicker of a V4L2 webcam: its power-line frequency control, which OpenCV does not reach.

A driver lets a second open of the device set a control while the first one streams. Numbers from the kernel's
videodev2.h and v4l2-controls.h.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

VIDIOC_S_CTRL = 0xC008561C
"""_IOWR('V', 28, struct v4l2_control); the struct is a 32-bit control number and a signed 32-bit value."""

POWER_LINE_FREQUENCY = 0x00980918
"""V4L2_CID_POWER_LINE_FREQUENCY."""

MENU = {50.0: 1, 60.0: 2}
"""Its menu: 0 off, 1 is 50 Hz, 2 is 60 Hz, 3 automatic."""

Control = Callable[[int | str, int, int], bool]
"""(device, control, value) -> whether the driver took it."""


def set_control(device: int | str, control: int, value: int) -> bool:
    """Set one V4L2 control; False where the device or its driver has no such control."""
    path = Path(f"/dev/video{device}") if isinstance(device, int) else Path(device)
    try:
        from fcntl import ioctl

        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except (ImportError, OSError):
        return False
    try:
        ioctl(handle, VIDIOC_S_CTRL, struct.pack("=Ii", control, value))
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def follow_mains(device: int | str, mains_hz: float, control: Control = set_control) -> bool:
    """Let the camera expose in step with lamps on this mains frequency; False where it cannot be told to."""
    value = MENU.get(round(mains_hz / 10) * 10.0)
    return value is not None and control(device, POWER_LINE_FREQUENCY, value)
