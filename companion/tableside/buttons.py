"""The button pod joined to the game: presses become the game's commands, the state of the game becomes a light.

The only place where hardware/panel and the game meet. Whoever sits at the table may press: a button needs no PIN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from companion.game.game_view import GameView
from companion.game.standing import is_fault, is_misfit
from hardware.panel import Done, Light, Press


class GameControls(Protocol):
    """The commands of a button."""

    def snapshot(self) -> GameView: ...

    def pass_turn(self, by: str | None) -> Any: ...

    def done(self, by: str) -> Any: ...

    def undo(self) -> Any: ...


def light_of(snapshot: GameView | None, camera_lost: bool) -> Light:
    """What the lamp shows. Illegal comes first, because somebody may be reaching for the next tile; then questions.
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


@dataclass(frozen=True, slots=True)
class Tableside:
    """`controls` gives the game that is being played, or None. A press that the game refuses changes nothing."""

    controls: Callable[[], GameControls | None]
    read_now: Callable[[], None]
    show_pin: Callable[[], None]

    def pressed(self, press: Press | Done) -> bool:
        """Do what the button says. False: there was nothing to do, or the game refused."""
        if press is Press.READ_NOW:
            self.read_now()
            return True
        if press is Press.SHOW_PIN:
            self.show_pin()
            return True
        controls = self.controls()
        if controls is None:
            return False
        try:
            if isinstance(press, Done):
                controls.done(controls.snapshot().players[press.seat - 1])
            elif press is Press.PASS:
                controls.pass_turn(by=controls.snapshot().turn)
            else:
                controls.undo()
        except (ValueError, LookupError):
            return False
        return True
