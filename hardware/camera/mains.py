"""The mains frequency: which one a country has, and how a V4L2 webcam is told of it, which OpenCV does not reach.

A driver lets a second open of the device set a control while the first one streams. Numbers from the kernel's
videodev2.h and v4l2-controls.h.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

SIXTY_HZ = (
    "AG AI AS AW BM BR BS BZ CA CO CR CU DO EC FM GT GU GY HN HT KN KR KY MH MP MS MX NI PA PE PH PR PW SA SR SV SX "
    "TC TT TW US VE VG VI"
)
"""Countries and territories whose lamps run on 60 Hz (IEC, World Plugs, 2026); everybody else has 50 Hz."""

BOTH = frozenset({"JP"})
"""East of the river Fuji 50 Hz, west of it 60: only the lamps themselves can tell."""


def mains_of_country(code: str) -> int | None:
    """50 or 60 by the two-letter code of a country; None where that does not settle it."""
    if len(code) != 2 or not code.isalpha() or code.upper() in BOTH:
        return None
    return 60 if code.upper() in SIXTY_HZ.split() else 50


def country_here(zone_file: Path = Path("/etc/localtime"), zone: str | None = None) -> str:
    """The country of this machine's time zone, as a two-letter code; "" where the zone belongs to none (UTC)."""
    from babel.core import get_global

    if zone is None:
        zone = os.environ.get("TZ", "").removeprefix(":") or _zone_of(zone_file)
    zone = str(get_global("zone_aliases").get(zone, zone))
    country = str(get_global("zone_territories").get(zone, ""))
    return country if country.isalpha() and country != "ZZ" else ""


def _zone_of(zone_file: Path) -> str:
    """`Europe/Prague`, from where the system's link leads or the file beside it says."""
    where = str(zone_file.resolve())
    if "zoneinfo/" in where:
        return where.partition("zoneinfo/")[2]
    try:
        return zone_file.with_name("timezone").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


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
