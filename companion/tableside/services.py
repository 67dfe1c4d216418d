"""Buttons, lamp, broker and watchdog beside a running page. A service that cannot start is one line, never an end."""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from companion.supervise.watchdog import Say, Watchdog, systemd_notifier
from companion.tableside.buttons import Tableside, light_of
from companion.web.house import House, NoGameError
from hardware.panel import Panel, PanelError, Press, open_panel

if TYPE_CHECKING:
    from companion.publish import Publisher

CAMERA_S, REFEREE_S, PAGE_S = 15.0, 60.0, 60.0
"""For how long one sign of life counts. The referee and the page may be busy; a camera's keeper never is."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """`broker`: host[:port] or None. `port`: the page's, asked for a sign of life; None where nobody serves it yet.
    `with_camera`: the camera's keeper has to beat as well."""

    data: Path
    port: int | None = None
    broker: str | None = None
    table_name: str = "Table 1"
    pins: Path | None = None
    with_camera: bool = False


class Services:
    """Use it in a `with` around the serving page. `notes` says in one line each what is not there and why."""

    def __init__(
        self,
        house: House,
        settings: ServiceSettings,
        *,
        read_now: Callable[[], None] = lambda: None,
        show_pin: Callable[[], None] = lambda: None,
        panel: Callable[[Callable[[Press], object], Path | None], Panel] = open_panel,
        say: Say | None = None,
        every_s: float = 5.0,
    ) -> None:
        """`panel` opens the buttons, `say` tells systemd (None: as the environment says); tests give their own."""
        self._house, self._settings, self._every_s = house, settings, every_s
        self.notes: list[str] = []
        self._open_panel = panel
        self._side = Tableside(self._desk, read_now, show_pin)
        self._panel: Panel | None = None
        self._publisher: Publisher | None = None
        parts = {"referee": REFEREE_S, "page": PAGE_S} | ({"camera": CAMERA_S} if settings.with_camera else {})
        self._dog = Watchdog(parts, say=say or systemd_notifier(), every_s=every_s)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tableside", daemon=True)

    def camera_lives(self) -> None:
        """Give this to SupervisedCamera as its `beat`."""
        if self._settings.with_camera:
            self._dog.beat("camera")

    def ready(self) -> None:
        """The page listens: systemd may call the start done."""
        self._dog.ready()

    def __enter__(self) -> Self:
        self._start_panel()
        self._start_publisher()
        self._dog.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._house.bell.ring()
        self._thread.join()
        self._dog.__exit__()
        if self._publisher is not None:
            self._publisher.close()
        if self._panel is not None:
            self._panel.close()

    @property
    def reasons(self) -> list[str]:
        """What `/health` should say of these services now."""
        if self._publisher is None:
            return []
        status = self._publisher.status
        return [] if status.connected else [f"the broker cannot be reached; {status.behind} events wait for it"]

    def _start_panel(self) -> None:
        try:
            self._panel = self._open_panel(self._side.pressed, self._settings.pins)
        except PanelError as error:
            self.notes.append(str(error))

    def _start_publisher(self) -> None:
        if self._settings.broker is None:
            return
        try:
            from companion.publish import Outbox, Publisher, parse_broker
            from companion.publish.recorded import unfinished
        except ImportError:
            self.notes.append(
                "nothing is published: paho-mqtt is not installed (pip install 'tabletop-companion[mqtt]')"
            )
            return
        outbox = Outbox(self._settings.data / "outbox.json")
        try:
            publisher = Publisher(parse_broker(self._settings.broker), self._settings.table_name, outbox)
        except ValueError as error:
            self.notes.append(f"nothing is published: {error}")
            return
        for name, game in unfinished(outbox, self._settings.data / "games"):
            publisher.catch_up(name, game)
        publisher.start()
        self._publisher = publisher
        self._house.follow(self._follow)

    def _follow(self, name: str, session: Any) -> None:
        if self._publisher is not None:
            self._publisher.follow(name, session)

    def _desk(self) -> Any:
        try:
            return self._house.session
        except NoGameError:
            return None

    def _run(self) -> None:
        heard = -1
        while not self._stop.is_set():
            self._look_after()
            if self._house.bell.closed:
                self._stop.wait(self._every_s)
            else:
                heard = self._house.bell.wait(heard, self._every_s)

    def _look_after(self) -> None:
        """Once: set the lamp from the game, and take the signs of life of referee and page."""
        desk = self._desk()
        try:
            snapshot = None if desk is None else desk.snapshot()
        except (ValueError, LookupError):
            snapshot = None
        self._dog.beat("referee")
        if self._page_answers():
            self._dog.beat("page")
        if self._panel is not None:
            camera = self._house.camera_status() or {}
            self._panel.show(light_of(snapshot, camera.get("state") == "lost"))

    def _page_answers(self) -> bool:
        if self._settings.port is None:
            return True
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._settings.port}/health", timeout=10) as answer:
                return bool(answer.status == 200)
        except (OSError, ValueError):
            return False
