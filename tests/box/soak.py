"""A long evening in a short time: `python -m tests.box.soak [SHARE]`. The short version is in test_endurance.py.

100,000 events in games of a thousand, and 200,000 small frames through the supervised camera with the shipped
detector on every hundredth. Memory, file descriptors and threads must be as flat at the end as after the first tenth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.events import Drew
from companion.header import Header
from companion.journal import Journal
from companion.supervise import SupervisedCamera, SupervisedEye
from hardware.camera import Camera, CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))
EVENTS_PER_GAME = 1000


class EndlessTable(FrameSource):
    """`frames` noisy pictures of 320 x 240 as fast as they are taken; none may be left out (a recording)."""

    live = False

    def __init__(self, frames: int) -> None:
        self._frames, self._next = frames, 0
        generator = np.random.default_rng(3)
        self._pictures = [generator.integers(90, 140, (240, 320, 3), dtype=np.uint8) for _ in range(16)]

    def read(self) -> Frame | None:
        if self._next >= self._frames:
            return None
        self._next += 1
        return Frame(self._pictures[self._next % 16], self._next / 25, str(self._next))


def open_endless(source: str, settings: CameraSettings) -> Camera:
    return EndlessTable(int(source))


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a process and its children take: resident memory in MB, open files, threads."""

    memory_mb: float
    files: int
    threads: int


def footprint(*children: int) -> Footprint:
    memory = sum(resident_mb(pid) for pid in (os.getpid(), *children) if pid)
    return Footprint(memory, len(list(Path("/proc/self/fd").iterdir())), threading.active_count())


def resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass(frozen=True, slots=True)
class SoakReport:
    frames: int
    looks: int
    events: int
    early: Footprint
    late: Footprint

    @property
    def growth_mb(self) -> float:
        return self.late.memory_mb - self.early.memory_mb


def soak(folder: Path, frames: int, events: int, look_every: int = 100) -> SoakReport:
    """Frames through the camera's process, every `look_every`-th through the eye's; events into journals alongside."""
    seen = looks = written = 0
    early: Footprint | None = None
    journal: Journal | None = None
    with SupervisedCamera(str(frames), opener=open_endless) as camera, SupervisedEye(nice=10) as eye:
        for frame in camera:
            seen += 1
            assert frame.name == str(seen), "no picture may be lost or doubled"
            if seen % look_every == 0:
                eye.look(frame.image)
                looks += 1
            while written < events * seen // frames:
                if written % EVENTS_PER_GAME == 0:
                    if journal is not None:
                        journal.close()
                    journal = Journal.create(folder / f"{written}.jsonl", HEADER)
                assert journal is not None
                journal.append(Drew(by="Ann"))
                written += 1
            if seen == max(frames // 10, min(frames, 2 * look_every)):
                early = footprint(camera.pid, eye.pid)
        late = footprint(camera.pid, eye.pid)
    if journal is not None:
        journal.close()
    assert early is not None
    return SoakReport(seen, looks, written, early, late)


def main() -> None:
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as folder:
        report = soak(Path(folder), round(200_000 * share), round(100_000 * share))
    print(
        f"{report.frames} frames, {report.looks} looks, {report.events} events: memory {report.early.memory_mb:.0f} -> "
        f"{report.late.memory_mb:.0f} MB, files {report.early.files} -> {report.late.files}, "
        f"threads {report.early.threads} -> {report.late.threads}"
    )


if __name__ == "__main__":
    main()
