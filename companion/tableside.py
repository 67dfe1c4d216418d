"""The button pod joined to the game: presses become the game's commands, the state of the game becomes a light.

The only place where hardware/panel and the game meet. Everybody at the table may press: a button needs no PIN.

The button pod beside a running page. A box without one plays on; `note` says in one line what is missing.

The button pod joined to the game: presses become verbs of the session, the state of the game becomes a light.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from companion.app.state import AppState, NoGameError
from companion.game.game import Game
from companion.game.game_view import GameView, is_fault, is_misfit
from companion.log.journal import BUTTON, entered_by
from companion.supervise.parts import line_of
from hardware.panel import Done, Light, Panel, PanelError, Press, open_panel


def light_of(snapshot: GameView | None, camera_lost: bool) -> Light:
    """The light of the lamp. Illegal comes first, because somebody may be reaching for the next tile; then questions.
    Whether a tap was right is asked on the phone that tapped, and lights nothing."""
    if snapshot is None or snapshot.phase == "match_over":
        return Light.NO_CAMERA if camera_lost else Light.OFF
    if is_accused(snapshot):
        return Light.ILLEGAL
    if not all(map(is_misfit, snapshot.questions)):
        return Light.UNSURE
    return Light.NO_CAMERA if camera_lost else Light.READING


def is_accused(snapshot: GameView) -> bool:
    """Whether a fault stands against the newest entry."""
    plays = [play for play in snapshot.plays if not is_misfit(play)]
    return is_fault(plays[-1]) if plays else False


def say(game: Game | None, press: Press | Done) -> bool:
    """Do what a button says in the game. False: there is none, or it refused; then nothing has changed."""
    if game is None:
        return False
    try:
        if isinstance(press, Done):
            game.done(game.snapshot().players[press.seat - 1])
        elif press is Press.PASS:
            game.pass_turn(by=game.snapshot().turn)
        else:
            game.undo()
    except (ValueError, LookupError):
        return False
    return True


log = logging.getLogger(__name__)

PIN_S = 30.0
"""Long enough to type six digits, short enough that nobody finds them there later."""


class ButtonPod:
    """Use it in a `with` around the serving page: it listens to the buttons and keeps the lamp up to date."""

    def __init__(
        self,
        app_state: AppState,
        *,
        read_now: Callable[[], None] = lambda: None,
        pin_s: float = PIN_S,
        pins: Path | None = None,
        opener: Callable[[Callable[[Press | Done], object], Path | None], Panel] = open_panel,
        every_s: float = 5.0,
    ) -> None:
        """`pins` names a file of pins other than the project's. `every_s`: the lamp is looked after at least as often,
        and at once whenever the page has news. `opener` opens the panel; tests give their own. The PIN is shown on the
        box's own screen for `pin_s` seconds."""
        self._app_state, self._pins, self._opener, self._every_s = app_state, pins, opener, every_s
        self._read_now, self._pin_s = read_now, pin_s
        self._hiding: threading.Timer | None = None
        self._panel: Panel | None = None
        self._stop = threading.Event()
        self._presses, lamp = app_state.parts.add("buttons"), app_state.parts.add("lamp")
        self._known = -1
        self._thread = threading.Thread(target=lamp.loop, args=(self._run,), name="button-pod", daemon=True)
        self.note = ""

    def __enter__(self) -> Self:
        try:
            self._panel = self._opener(self._pressed, self._pins)
        except PanelError as error:
            self.note = str(error)
        else:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._hiding is not None:
            self._hiding.cancel()
        self._app_state.signal.notify()
        if self._panel is not None:
            self._thread.join()
            self._panel.close()

    def _show_pin(self) -> None:
        """Shown now, hidden by itself; a second press begins anew."""
        if self._hiding is not None:
            self._hiding.cancel()
        self._hiding = threading.Timer(self._pin_s, self._app_state.show_pin, (False,))
        self._hiding.daemon = True
        self._app_state.show_pin()
        self._hiding.start()

    def _controls(self) -> Game | None:
        try:
            return self._app_state.session
        except NoGameError:
            return None

    def _pressed(self, press: Press | Done) -> bool:
        """A press that fails is said on the page, and the thread that brought it goes on."""
        try:
            with entered_by(BUTTON):
                done = self._do(press)
        except Exception as fault:
            log.exception("a press came to nothing")
            self._presses.fail(line_of(fault))
            return False
        self._presses.fail("")
        return done

    def _do(self, press: Press | Done) -> bool:
        if press is Press.READ_NOW:
            self._read_now()
        elif press is Press.SHOW_PIN:
            self._show_pin()
        else:
            return say(self._controls(), press)
        return True

    def _run(self) -> bool:
        self._light_up()
        if self._app_state.signal.closed:
            self._stop.wait(self._every_s)
        else:
            self._known = self._app_state.signal.wait(self._known, self._every_s)
        return not self._stop.is_set()

    def _light_up(self) -> None:
        controls = self._controls()
        try:
            snapshot = None if controls is None else controls.snapshot()
        except (ValueError, LookupError):
            return
        camera = self._app_state.camera_status() or {}
        if self._panel is not None:
            self._panel.show(light_of(snapshot, camera.get("state") == "lost"))


__all__ = ["ButtonPod", "is_accused", "light_of", "say"]
