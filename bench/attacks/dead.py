"""Each long-lived part of the box killed at its steps: `python -m bench.attacks.dead [HASTE] [--record]`.

Referee, reader, camera, pictures, copies, page, lamp, publisher, game, address and watchdog run as in the product. At
each step one raises, exits or hangs, until `/health` says so; then the cause ends, and the part has to go on by itself.
The table SECURITY.md has of them names the same steps. HASTE shortens the parts' seconds; 1 measures the product's.
Short in tests/box/test_dead.py.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.attacks.results import arguments, command, record
from bench.stand_ins.background import serve_in_background
from bench.stand_ins.cameras import open_nervous, open_troubled, set_mode, table_picture
from bench.stand_ins.fakes import FakePanel
from bench.stand_ins.telling import CORNERS, telling_table, until
from companion.app.state import AppState
from companion.log.copies import CopyKeeper
from companion.log.journal import read_journal
from companion.publish import Outbox, Publisher, parse_broker
from companion.supervise import camera as camera_module
from companion.supervise.camera import SupervisedCamera
from companion.supervise.eye import SupervisedEye
from companion.supervise.parts import Watchdog
from companion.supervise.pictures import AwayError
from companion.tableside import ButtonPod
from companion.web.app import PageSettings, create_app
from companion.web.serving import OwnAddress
from vision.frame import Frame

KINDS = ("exception", "exit", "hang")

SAID_WITHIN_S, BACK_WITHIN_S = 10.0, 30.0


@dataclass(frozen=True, slots=True)
class Death:
    """`said_s`: until `/health` named it; `back_s`: until it went on after the cause had ended. None: never."""

    part: str
    step: str
    kind: str
    said_s: float | None
    back_s: float | None

    @property
    def good(self) -> bool:
        return self.said_s is not None and self.back_s is not None


class Fault:
    """A fault at a step from now on, until `end`."""

    def __init__(self, kind: str) -> None:
        self._kind, self._over = kind, threading.Event()

    def strike(self) -> None:
        if self._over.is_set():
            return
        if self._kind == "exception":
            raise ArithmeticError("made up")
        if self._kind == "exit":
            sys.exit(3)
        self._over.wait()

    def end(self) -> None:
        self._over.set()


class Box:
    """The long-lived parts, all of them, over a table that is played."""

    def __init__(self, folder: Path, haste: float) -> None:
        (folder / "camera").mkdir(parents=True)
        set_mode(folder / "camera", "good")
        self.table = telling_table(folder / "data", haste=haste, every_s=0.1)
        self.state: AppState = self.table._app_state
        self.app = create_app(self.state, PageSettings(pin="135790"))
        self._close = ExitStack()
        self._close.callback(self.table.close)
        games = folder / "data" / "games"
        self.copies = CopyKeeper(games, soon_s=0.05, loop=self.state.parts.add("copies").loop)
        self._close.callback(self.copies.close)
        self.state.follow(self.copies.follow)  # type: ignore[arg-type]
        outbox = Outbox(folder / "data" / "published.json")
        self.publisher = Publisher(parse_broker("127.0.0.1:9"), "bench", outbox, self.state.parts.add("publisher").loop)
        self.publisher.start()
        self._close.callback(self.publisher.close)
        self.state.follow(self.publisher.follow)  # type: ignore[arg-type]
        self.panel = FakePanel()
        self._close.enter_context(ButtonPod(self.state, opener=self.panel.open, every_s=0.2))
        server, _ = serve_in_background(self.app)
        self.server = server._server
        self._close.callback(server.stop)
        self._over = threading.Event()
        self.address = OwnAddress(server._server.socket)
        follow = partial(self.address.follow, lambda found: None, self._over)
        threading.Thread(target=self.state.parts.add("address").loop, args=(follow,), daemon=True).start()
        loop = self.state.parts.add("game").loop
        threading.Thread(target=loop, args=(self._ask,), daemon=True).start()
        self._close.callback(self._over.set)
        source = f"usb:{folder / 'camera'}"
        self.camera = SupervisedCamera(source, opener=open_troubled, part=self.state.parts.add("camera"))
        threading.Thread(target=self._film, daemon=True).start()
        threading.Thread(target=self._keep_pictures, daemon=True).start()
        self._close.callback(self.camera.close)
        self.eye = SupervisedEye(open_nervous, silent_s=15 / haste, busy=self.state.parts.add("reader").busy)
        self._close.callback(self.eye.close)
        self.watchdog = Watchdog(self.state.parts, every_s=1 / haste)
        self._close.enter_context(self.watchdog)
        self.eye.open()
        assert self.camera.wait_for(lambda health: health.ok, 120.0), "the camera did not start"

    def _ask(self) -> bool:
        with self.state.session.hold():
            self.state.session.mend()
        return not self._over.wait(0.2)

    def _film(self) -> None:
        """Somebody takes the camera's pictures, as the referee does."""
        while not self._over.is_set():
            with suppress(AwayError):
                self.camera.read()

    def _keep_pictures(self) -> None:
        """Somebody has a picture kept now and then, as the referee does with each play."""
        frame = Frame(table_picture(), 0.0, "f")
        while not self._over.wait(0.5):
            self.table._evidence.keep(self.state.game, frame, CORNERS.tolist())

    def look(self) -> None:
        """Somebody has a picture read, as the referee does."""
        with suppress(Exception):
            self.eye.look(table_picture())

    def is_said(self, part: str) -> bool:
        health = self.app.test_client().get("/health").json or {}
        sign = health["parts"][part]
        return bool(health["status"] == "degraded" and (sign["hangs"] or sign["trouble"] or part in LOST_BY_ITSELF))

    def is_well(self, part: str) -> bool:
        health = self.app.test_client().get("/health").json or {}
        sign = health["parts"][part]
        well = not sign["hangs"] and not sign["trouble"]
        return bool(well and (part not in LOST_BY_ITSELF or health["status"] == "ok"))

    def lost(self) -> int:
        """Lines that a watcher was told are on record, and are not."""
        told = {seq for watcher in self.table.watchers for seq in list(watcher.told)}  # first: the table plays on
        path = self.state.session.journal.path  # type: ignore[attr-defined]
        return len(told - {event.seq for event in read_journal(path).events})

    def close(self) -> None:
        self._close.close()
        self.state.session.close()  # type: ignore[attr-defined]
        self.state.signal.close()


LOST_BY_ITSELF = frozenset({"referee"})
"""Says what is wrong as the camera's state."""


@contextmanager
def struck(thing: Any, name: str, fault: Fault) -> Iterator[None]:
    """Strike every call of `thing.name` first."""
    own = vars(thing).get(name)
    original = getattr(thing, name)

    def call(*given: Any, **named: Any) -> Any:
        fault.strike()
        return original(*given, **named)

    setattr(thing, name, call)
    try:
        yield
    finally:
        if own is None:
            delattr(thing, name)
        else:
            setattr(thing, name, own)


@dataclass(frozen=True, slots=True)
class Step:
    """Where a part is hit; `prod` makes it come there."""

    part: str
    name: str
    thing: Callable[[Box], Any]
    method: str
    prod: Callable[[Box], None] = lambda box: None


def _end_camera(box: Box) -> None:
    if box.camera.pid:
        os.kill(box.camera.pid, signal.SIGKILL)


STEPS = (
    Step("referee", "asks the camera", lambda box: box.table.camera, "read"),
    Step("referee", "looks for the table", lambda box: box.table, "_begin", lambda box: box.table._fresh.set()),
    Step("referee", "reads and records", lambda box: box.table.watchers[-1], "see"),
    Step("referee", "deletes old pictures", lambda box: box.table._evidence, "tidy"),
    Step("camera", "starts its process", lambda box: camera_module, "Child", _end_camera),
    Step("camera", "takes a picture over", lambda box: box.camera, "_handle"),
    Step("pictures", "writes a picture", lambda box: box.table._evidence, "_write"),
    Step("copies", "copies the game", lambda box: box.copies, "_copy"),
    Step("publisher", "works off its mail", lambda box: box.publisher, "_handle"),
    Step("lamp", "shows the light", lambda box: box.panel, "show", lambda box: box.state.signal.notify()),
    Step("page", "looks after its connections", lambda box: box.server, "readable"),
    Step("game", "is asked for", lambda box: box.state.session, "mend"),
    Step("address", "looks for it", lambda box: box.address, "_look"),
    Step("watchdog", "looks at the parts", lambda box: box.watchdog, "feed"),
)


def kill(box: Box, step: Step, kind: str) -> Death:
    """Strike, wait until it is said, end the cause, wait until all is well."""
    if step.part == "camera":
        box.camera.wait_for(lambda health: health.ok, 60.0)  # a process that is starting comes to no step
    fault = Fault(kind)
    with struck(step.thing(box), step.method, fault):
        began = time.monotonic()
        step.prod(box)
        said = until(partial(box.is_said, step.part), SAID_WITHIN_S)
        said_s = time.monotonic() - began
        fault.end()
    ended = time.monotonic()
    back = until(partial(box.is_well, step.part), BACK_WITHIN_S)
    if step.part == "referee":
        back = back and box.table.tells_more(BACK_WITHIN_S)
    back_s = time.monotonic() - ended
    return Death(step.part, step.name, kind, round(said_s, 2) if said else None, round(back_s, 2) if back else None)


def kill_reader(box: Box, how: signal.Signals) -> Death:
    """The eye's process stopped or ended while somebody waits for it."""
    os.kill(box.eye.pid, how)
    began = time.monotonic()
    looking = threading.Thread(target=box.look, daemon=True)
    looking.start()
    if how is signal.SIGSTOP:
        said = until(partial(box.is_said, "reader"), SAID_WITHIN_S)
    else:
        looking.join(SAID_WITHIN_S)  # the referee hears of it at once, and says it as the camera's state
        said = box.eye.restarts > 0
    said_s = time.monotonic() - began
    looking.join(BACK_WITHIN_S)
    ended = time.monotonic()
    box.eye.look(table_picture())
    back = until(partial(box.is_well, "reader"), BACK_WITHIN_S)
    back_s = time.monotonic() - ended
    kind = "hang" if how is signal.SIGSTOP else "exit"
    return Death("reader", "reads", kind, round(said_s, 2) if said else None, round(back_s, 2) if back else None)


def kill_all(
    folder: Path, haste: float, steps: Sequence[tuple[Step, str]], tell: Callable[[Death], None] = lambda death: None
) -> tuple[list[Death], int]:
    """One death after the other; how many lines were lost."""
    box = Box(folder, haste)
    deaths = []
    try:
        kills = [partial(kill, box, step, kind) for step, kind in steps]
        for one in (*kills, *(partial(kill_reader, box, how) for how in (signal.SIGSTOP, signal.SIGKILL))):
            deaths.append(one())
            tell(deaths[-1])
        return deaths, box.lost()
    finally:
        box.close()


def tell(death: Death) -> None:
    said = f"said {death.said_s} s, back {death.back_s} s"
    print(f"{death.part:10} {death.step:28} {death.kind:10} {said}", flush=True)


def main() -> None:
    asked = arguments("each long-lived part, killed", haste=1.0)
    steps = tuple((step, kind) for step in STEPS for kind in KINDS)
    with tempfile.TemporaryDirectory() as folder:
        deaths, lost = kill_all(Path(folder), asked.haste, steps, tell)
    report = {
        "deaths": len(deaths),
        "silent": sum(death.said_s is None for death in deaths),
        "not back": sum(death.back_s is None for death in deaths),
        "slowest to be said, s": max(death.said_s or 0.0 for death in deaths),
        "slowest back, s": max(death.back_s or 0.0 for death in deaths),
        "lines lost": lost,
    }
    print(json.dumps(report))
    if asked.record:
        record("dead", {**report, "command": command("bench.attacks.dead")})


if __name__ == "__main__":
    main()
