"""A long evening in a short time: `python -m bench.attacks.soak [SHARE] [--record]`. Short in test_endurance.py.

100,000 events in games of a thousand, and 200,000 small frames through the supervised camera with the shipped
detector on every hundredth. Memory, file descriptors and threads must be as flat at the end as after the first tenth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path

import cv2
import numpy as np

from bench.attacks.results import arguments, command, record
from companion.log.event_fields import Header
from companion.log.events import Drew
from companion.log.journal import Journal
from companion.supervise.camera import SupervisedCamera, SupervisionSettings
from companion.supervise.eye import EyeAwayError, SupervisedEye
from hardware.camera import Camera, CameraSettings
from hardware.camera.source import FrameSource
from vision.frame import Frame, Image

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))
EVENTS_PER_GAME = 1000
TILES = Path(__file__).parents[2] / "datasets" / "samples" / "trains.jpg"


PATIENT = SupervisionSettings(recording_silent_s=600.0, opening_s=600.0)
"""The soak measures what stays behind, not how fast a busy machine is."""


class EndlessTable(FrameSource):
    """`frames` pictures of 320 x 240 with tiles on them, as fast as they are taken; none may be left out (a
    recording)."""

    live = False

    def __init__(self, frames: int) -> None:
        self._frames, self._next = frames, 0
        self._pictures = windows(16)

    def read(self) -> Frame | None:
        if self._next >= self._frames:
            return None
        self._next += 1
        return Frame(self._pictures[self._next % 16], self._next / 25, str(self._next))


def windows(count: int) -> list[Image]:
    """(240, 320, 3) each: `count` places of the rendered sample picture, with a little noise."""
    sheet = cv2.imread(str(TILES))
    assert sheet is not None, f"{TILES} cannot be read"
    generator = np.random.default_rng(3)
    cut = []
    for _ in range(count):
        x, y = (
            int(generator.integers(0, side - least)) for side, least in zip(sheet.shape[1::-1], (320, 240), strict=True)
        )
        noise = generator.integers(0, 4, (240, 320, 3), dtype=np.uint8)
        cut.append(np.clip(sheet[y : y + 240, x : x + 320].astype(np.uint16) + noise, 0, 255).astype(np.uint8))
    return cut


def open_endless(source: str, settings: CameraSettings) -> Camera:
    return EndlessTable(int(source))


@dataclass(frozen=True, slots=True)
class Footprint:
    """The program and its two children together: resident memory in MB, open files, threads."""

    memory_mb: float
    files: int
    threads: int


def footprint(*children: int) -> Footprint:
    pids = [os.getpid(), *(pid for pid in children if pid)]
    files = sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in pids)
    threads = sum(len(list(Path(f"/proc/{pid}/task").iterdir())) for pid in pids)
    return Footprint(sum(resident_mb(pid) for pid in pids), files, threads)


def resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass(frozen=True, slots=True)
class SoakReport:
    """`prints` are the footprints at the end of each tenth; the first once the eye has looked twice. `given_up`
    looks had no answer, because the machine was too busy to answer within the eye's patience."""

    frames: int
    looks: int
    given_up: int
    tiles: int
    events: int
    prints: tuple[Footprint, ...]
    seconds: float

    @property
    def early(self) -> Footprint:
        return self.prints[0]

    @property
    def midway(self) -> Footprint:
        return self.prints[len(self.prints) // 2]

    @property
    def late(self) -> Footprint:
        return self.prints[-1]

    @property
    def growth_mb(self) -> float:
        return self.late.memory_mb - self.early.memory_mb


def soak(folder: Path, frames: int, events: int, look_every: int = 100) -> SoakReport:
    """Frames through the camera's process, every `look_every`-th through the eye's; events into journals alongside."""
    seen = looks = given_up = tiles = written = 0
    prints: list[Footprint] = []
    journal: Journal | None = None
    started = time.monotonic()
    # The last one is taken before the end, when the recording's process is still there to be measured.
    steps = {max(frames * tenth // 10, min(frames, 2 * look_every)) for tenth in range(1, 10)} | {frames - 10}
    with (
        SupervisedCamera(str(frames), supervision=PATIENT, opener=open_endless) as camera,
        SupervisedEye(opening_s=600.0) as eye,
    ):
        for frame in camera:
            seen += 1
            assert frame.name == str(seen), "no picture may be lost or doubled"
            if seen % look_every == 0:
                try:
                    tiles += len(eye.look(frame.image).tiles)
                    looks += 1
                except EyeAwayError:
                    given_up += 1
            while written < events * seen // frames:
                if written % EVENTS_PER_GAME == 0:
                    if journal is not None:
                        journal.close()
                    journal = Journal.create(folder / f"{written}.jsonl", HEADER)
                assert journal is not None
                journal.append(Drew(by="Ann"))
                written += 1
            if seen in steps:
                prints.append(footprint(camera.pid, eye.pid))
                print(f"{seen} frames, {looks} looks: {prints[-1]}", file=sys.stderr, flush=True)
        assert eye.restarts == given_up
    if journal is not None:
        journal.close()
    return SoakReport(seen, looks, given_up, tiles, written, tuple(prints), time.monotonic() - started)


def main() -> None:
    chosen = arguments("The soak; the first number is the share of the full one.", share=1.0)
    with tempfile.TemporaryDirectory() as folder:
        report = soak(Path(folder), round(200_000 * chosen.share), round(100_000 * chosen.share))
    print(
        f"{report.frames} frames, {report.looks} looks that saw {report.tiles} tiles, {report.events} events: "
        f"memory {report.early.memory_mb:.0f} -> {report.late.memory_mb:.0f} MB, files {report.early.files} -> "
        f"{report.late.files}, threads {report.early.threads} -> {report.late.threads}"
    )
    if chosen.record:
        facts = {
            "command": command("bench.attacks.soak"),
            "frames": report.frames,
            "looks": report.looks,
            "looks_given_up": report.given_up,
            "tiles_seen": report.tiles,
            "events": report.events,
            "memory_mb_files_threads": [
                [round(mb), files, threads] for mb, files, threads in map(astuple, report.prints)
            ],
            "minutes": round(report.seconds / 60),
        }
        record("soak", facts)


if __name__ == "__main__":
    main()
