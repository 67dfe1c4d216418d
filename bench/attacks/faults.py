"""Faults that a box must survive, and how often: `python -m bench.attacks.faults [SHARE] [--record]`.

The short version runs with the other tests (test_endurance.py). SHARE is the part of the full numbers to do, 1 by
default. One after the other: writers killed, the power cut at every byte, a camera's troubles, a siege of the page, and
four tables on a broker that is killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.attacks.power_cut import cut_everywhere
from bench.attacks.results import arguments, command, record
from bench.attacks.siege import lay_siege
from bench.stand_ins.cameras import open_troubled, set_mode
from bench.stand_ins.club import meet
from companion.log.copies import copy_of, journal_of, repair_game
from companion.log.event_fields import Header
from companion.log.journal import Journal, read_journal
from companion.supervise.camera import SupervisedCamera, SupervisionSettings
from companion.supervise.pictures import CameraState

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))
KILLS_PER_JOURNAL = 50

WRITER = """
import os, sys
from pathlib import Path
from companion.log.events import Drew
from companion.log.journal import Journal
from companion.log.copies import CopyKeeper
class Session:
    def subscribe(self, tell): self.tell = tell
session = Session()
path = Path(sys.argv[1])
with Journal.open(path) as session.journal:
    CopyKeeper(path.parent.parent).follow(path.parent.name, session)
    while True:
        event = session.journal.append(Drew(by="Ann"))
        os.write(1, b"%d\\n" % event.seq)
        session.tell(event)
"""


@dataclass(frozen=True, slots=True)
class KillReport:
    kills: int
    acknowledged: int
    lost: int
    false_alarms: int
    uncopied: int
    slowest_reopening_s: float


def kill_writers(folder: Path, kills: int, seed: int = 1) -> KillReport:
    """Kill a process that writes a journal and its copy in the middle of its work, `kills` times.

    Every entry it had acknowledged must be there. A kill is no damage: comparing journal and copy reports nothing
    (`false_alarms`). `uncopied` counts the entries that the copy had not got yet.
    """
    chance = random.Random(seed)
    acknowledged = lost = false_alarms = uncopied = 0
    slowest = 0.0
    path = folder / "none"
    for number in range(kills):
        if number % KILLS_PER_JOURNAL == 0:
            path = journal_of(folder / "games", f"game-{number}")
            path.parent.mkdir(parents=True)
            Journal.create(path, HEADER).close()
        before = len(read_journal(path).events)
        told = _write_and_kill(path, chance.randint(1, 25))
        start = time.perf_counter()
        copy = copy_of(folder / "games", path.parent.name)
        behind = path.read_bytes().count(b"\n") - (copy.read_bytes().count(b"\n") if copy.exists() else 0)
        uncopied += max(0, behind)
        false_alarms += len(repair_game(folder / "games", path.parent.name))
        with Journal.open(path) as journal:
            slowest = max(slowest, time.perf_counter() - start)
            there = [event.seq for event in journal.events]
        acknowledged += len(told)
        lost += len(set(told) - set(there))
        assert there == list(range(1, len(there) + 1))
        assert all(seq > before for seq in told)
    return KillReport(kills, acknowledged, lost, false_alarms, uncopied, slowest)


def _write_and_kill(path: Path, after: int) -> list[int]:
    """The numbers a writer acknowledged before it was killed, `after` events or a little later."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        try:
            told = [int(writer.stdout.readline()) for _ in range(after)]
        finally:
            writer.kill()
        rest = writer.stdout.read()
    # The last line may be torn in the pipe; it was not acknowledged then.
    return told + [int(line) for line in rest.split(b"\n")[:-1] if line]


@dataclass(frozen=True, slots=True)
class TroubleReport:
    """Seconds from the trouble to its being said, and from its end to the next trusted picture."""

    trouble: str
    noticed_s: float
    recovered_s: float


TROUBLES = {
    "hang": CameraState.SILENT,
    "crash": CameraState.CRASHED,
    "unplugged": CameraState.GONE,
    "frozen": CameraState.FROZEN,
    "black": CameraState.BLACK,
    "white": CameraState.OVEREXPOSED,
    "moved": CameraState.MOVED,
}


def trouble_camera(folder: Path, trouble: str, settings: SupervisionSettings | None = None) -> TroubleReport:
    """One trouble from beginning to end, with the settings the product ships."""
    set_mode(folder, "good")
    with SupervisedCamera(f"usb:{folder}", supervision=settings, opener=open_troubled) as camera:
        assert camera.wait_for(lambda health: health.state is CameraState.LIVE, 60)
        frame = camera.read()
        assert frame is not None
        camera.remember_view(frame.image)
        start = time.monotonic()
        set_mode(folder, trouble)
        assert camera.wait_for(lambda health: health.state is TROUBLES[trouble], 60)
        noticed = time.monotonic() - start
        start = time.monotonic()
        set_mode(folder, "good")
        assert camera.wait_for(lambda health: health.state is CameraState.LIVE, 60)
        return TroubleReport(trouble, noticed, time.monotonic() - start)


def kill_children(folder: Path, kills: int, seed: int = 1) -> int:
    """Kill the camera's process again and again; how many processes are left over at the end (none)."""
    chance = random.Random(seed)
    set_mode(folder, "good")
    victims = []
    with SupervisedCamera(f"usb:{folder}", opener=open_troubled) as camera:
        for _ in range(kills):
            assert camera.wait_for(lambda health: health.state is CameraState.LIVE, 60)
            for _ in range(chance.randint(0, 5)):
                camera.read()
            victims.append(camera.pid)
            os.kill(victims[-1], signal.SIGKILL)
            assert camera.wait_for(lambda health: health.state is not CameraState.LIVE, 60)
    return sum(1 for pid in victims if Path(f"/proc/{pid}").exists())


def _kills(folder: Path, share: float) -> dict[str, Any]:
    report = kill_writers(folder, max(1, round(1000 * share)))
    return {**asdict(report), "slowest_reopening_s": round(report.slowest_reopening_s, 3)}


def _troubles(folder: Path, share: float) -> dict[str, Any]:
    seen = {trouble: trouble_camera(folder, trouble) for trouble in TROUBLES}
    told = {
        name: {"noticed_s": round(r.noticed_s, 1), "recovered_s": round(r.recovered_s, 1)} for name, r in seen.items()
    }
    kills = max(1, round(50 * share))
    return {**told, "camera_processes_killed": kills, "left_over": kill_children(folder, kills)}


def _siege(folder: Path, share: float) -> dict[str, Any]:
    def part(full: int) -> int:
        return max(1, round(full * share))

    report = lay_siege(folder, viewers=part(24), connects=part(500), slow=part(100), events=part(200))
    return {
        "viewers": report.viewers,
        "events_each": report.events,
        "answers": {str(status or "hung up"): count for status, count in sorted(report.statuses.items(), key=str)},
        "memory_mb": [round(report.memory_before_mb), round(report.memory_after_mb)],
    }


RUNS: dict[str, Callable[[Path, float], dict[str, Any]]] = {
    "writers_killed": _kills,
    "power_cuts": lambda folder, share: asdict(cut_everywhere(folder, rounds=2, step=max(1, round(1 / share)))),
    "camera_troubles": _troubles,
    "siege": _siege,
    "club": lambda folder, share: asdict(meet(folder, 4, max(20, round(2000 * share)), max(1, round(10 * share)))),
}


def main() -> None:
    chosen = arguments("All faults; the first number is the share of the full numbers.", share=1.0)
    for name, run in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            facts = run(Path(folder), chosen.share)
        print(f"{name}: {facts}", flush=True)
        if chosen.record:
            record(name, {"command": command("bench.attacks.faults"), **facts})


if __name__ == "__main__":
    main()
