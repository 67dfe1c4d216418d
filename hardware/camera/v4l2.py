"""A V4L2 camera's offer, asked of its driver: name, formats, sizes, rates; and why it cannot be opened.

OpenCV's reader says of all this only that it did not work. Structures and numbers are those of the kernel's
videodev2.h.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hardware.camera.source import CameraError, CameraFault, without_camera

QUERYCAP = 0x80685600
ENUM_FMT = 0xC0405602
REQBUFS = 0xC0145608
ENUM_FRAMESIZES = 0xC02C564A
ENUM_FRAMEINTERVALS = 0xC034564B

VIDEO_CAPTURE = 1
MEMORY_MMAP = 1
CAN_CAPTURE, HAS_DEVICE_CAPS = 0x00000001, 0x80000000
DISCRETE = 1

MOTION_JPEG = "MJPG"
READABLE = (MOTION_JPEG, "JPEG", "YUYV", "UYVY", "NV12", "YU12", "BGR3", "RGB3", "GREY")
"""Formats that OpenCV's V4L2 reader turns into pictures, the smallest on the wire first."""

COLOURLESS = ("GREY",)

LEAST_PER_S = 5.0
"""A larger picture that comes more seldom than this is not worth it: hands would be missed."""

Ioctl = Callable[[int, int, bytes], bytes]
"""(handle, request, structure) -> the structure as the driver filled it in. Raises OSError."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way of filming. `per_s` 0: the driver does not say how fast."""

    size_wh: tuple[int, int]
    per_s: float
    pixels: str

    @property
    def words(self) -> str:
        rate = f", {self.per_s:g} pictures a second" if self.per_s else ""
        return f"{self.size_wh[0]}x{self.size_wh[1]}{rate}, {self.pixels}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A camera as its driver describes it; `modes` empty: it does not list any."""

    name: str
    modes: tuple[Mode, ...]


def kernel_ioctl(handle: int, request: int, data: bytes) -> bytes:
    from fcntl import ioctl

    return ioctl(handle, request, data)


def device_path(device: int | str) -> Path:
    return Path(f"/dev/video{device}") if isinstance(device, int) else Path(device)


def offer_of(device: int | str, ioctl: Ioctl = kernel_ioctl) -> Offer | None:
    """The driver's offer; None where it cannot be asked."""
    try:
        handle = os.open(device_path(device), os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        told = ioctl(handle, QUERYCAP, bytes(104))
        return Offer(told[16:48].split(b"\0")[0].decode(errors="replace"), tuple(_modes(handle, ioctl)))
    except OSError:
        return None
    finally:
        os.close(handle)


def best_mode(modes: tuple[Mode, ...], wanted_wh: tuple[int, int] | None = None) -> Mode | None:
    """The largest picture that comes `LEAST_PER_S` times a second, or the wanted size; None where there is no such.

    In colour where there is colour. Of several ways to film that size, Motion JPEG, and no faster than is of use.
    """
    usable = [mode for mode in modes if mode.pixels in READABLE]
    coloured = [mode for mode in usable if mode.pixels not in COLOURLESS]
    usable = coloured or usable
    if wanted_wh is None:
        usable = [mode for mode in usable if mode.per_s == 0 or mode.per_s >= LEAST_PER_S] or usable
        if not usable:
            return None
        wanted_wh = max((mode.size_wh for mode in usable), key=lambda wh: (wh[0] * wh[1], wh))
    chosen = [mode for mode in usable if mode.size_wh == wanted_wh]
    return min(chosen, key=_preference, default=None)


def _preference(mode: Mode) -> tuple[bool, int, float]:
    """A rate that is fast enough, then little on the wire, then the slowest such rate."""
    enough = mode.per_s == 0 or mode.per_s >= 2 * LEAST_PER_S
    return not enough, READABLE.index(mode.pixels), mode.per_s if enough else -mode.per_s


def _modes(handle: int, ioctl: Ioctl) -> Iterator[Mode]:
    for index in range(64):
        try:
            told = ioctl(handle, ENUM_FMT, struct.pack("=II56x", index, VIDEO_CAPTURE))
        except OSError:
            return
        code = told[44:48]
        for size_wh in _sizes(handle, ioctl, code):
            rates = list(_rates(handle, ioctl, code, size_wh))
            for per_s in rates or [0.0]:
                yield Mode(size_wh, per_s, code.decode("ascii", "replace").strip())


def _sizes(handle: int, ioctl: Ioctl, code: bytes) -> Iterator[tuple[int, int]]:
    for index in range(128):
        try:
            told = ioctl(handle, ENUM_FRAMESIZES, struct.pack("=I4s36x", index, code))
        except OSError:
            return
        kind, first, second, _step, _least, tallest = struct.unpack("=6I", told[8:32])
        if kind == DISCRETE:
            yield first, second
        else:
            # A range: its largest is all that counts here.
            yield second, tallest
            return


def _rates(handle: int, ioctl: Ioctl, code: bytes, size_wh: tuple[int, int]) -> Iterator[float]:
    for index in range(128):
        try:
            told = ioctl(handle, ENUM_FRAMEINTERVALS, struct.pack("=I4sII36x", index, code, *size_wh))
        except OSError:
            return
        kind, over, under = struct.unpack("=3I", told[16:28])
        if over == 0:
            return
        yield round(under / over, 2)
        if kind != DISCRETE:
            return


def why_not(device: int | str, ioctl: Ioctl = kernel_ioctl, processes: Path = Path("/proc")) -> CameraError:
    """Why this device gives no pictures, in one line with its own mend: absent, forbidden, busy, no camera at all."""
    path = device_path(device)
    label = f"camera {path}"
    if sys.platform != "linux":
        return without_camera(f"camera {device} cannot be opened: unplugged, in use, or not allowed in the settings")
    try:
        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM):
            mend = "sudo usermod --append --groups video $USER, then log in again"
            return without_camera(f"{label} may not be opened by this user: {mend}", CameraFault.FORBIDDEN)
        if error.errno == errno.EBUSY:
            return _busy(label, path, processes)
        return without_camera(f"{label} is not there ({error.strerror}); plug it in and try again")
    try:
        told = ioctl(handle, QUERYCAP, bytes(104))
        able, of_this_node = struct.unpack("=II", told[84:92])
        if not (of_this_node if able & HAS_DEVICE_CAPS else able) & CAN_CAPTURE:
            mend = "`companion cameras` lists those that give pictures"
            return without_camera(f"{label} is a node without pictures: {mend}", CameraFault.FORMAT)
        ioctl(handle, REQBUFS, struct.pack("=5I", 1, VIDEO_CAPTURE, MEMORY_MMAP, 0, 0))
        ioctl(handle, REQBUFS, struct.pack("=5I", 0, VIDEO_CAPTURE, MEMORY_MMAP, 0, 0))
    except OSError as error:
        if error.errno == errno.EBUSY:
            return _busy(label, path, processes)
        if error.errno == errno.ENOMEM:
            return without_camera(
                f"{label}: its driver has no memory for pictures; close other programs", CameraFault.MEMORY
            )
        if error.errno in (errno.ENODEV, errno.ENXIO):
            return without_camera(f"{label} was unplugged while it was opened; plug it in again")
        if error.errno in (errno.ENOTTY, errno.EINVAL):
            mend = "`companion cameras` lists those that give pictures"
            return without_camera(
                f"{label} is no camera that gives pictures ({error.strerror}): {mend}", CameraFault.FORMAT
            )
        return without_camera(f"{label}: its driver refuses ({error.strerror})", CameraFault.CRASHED)
    finally:
        os.close(handle)
    if users_of(path, processes):
        return _busy(label, path, processes)
    return without_camera(f"{label}: its driver lets it be opened and gives no pictures", CameraFault.CRASHED)


def _busy(label: str, path: Path, processes: Path) -> CameraError:
    users = users_of(path, processes)
    who = f"in use by {' and '.join(users)}: end it" if users else "in use by another program: end that one"
    return without_camera(f"{label} is {who}", CameraFault.BUSY)


def users_of(path: Path, processes: Path = Path("/proc")) -> list[str]:
    """The programs that hold this device open, as `name (process id)`; of other users only root sees any."""
    real, found = path.resolve(), []
    for process in sorted(processes.glob("[0-9]*"), key=lambda one: int(one.name)):
        if process.name == str(os.getpid()):
            continue
        try:
            if any(handle.resolve() == real for handle in (process / "fd").iterdir()):
                found.append(f"{(process / 'comm').read_text(encoding='utf-8').strip()} (process {process.name})")
        except OSError:
            continue
    return found
