"""The button pod: four buttons and a lamp on the Raspberry Pi's pins, through gpiozero; a "done" button for each player
who wants one.

gpiozero is imported only here and only when a panel is opened. A machine without it, or without pins, gets a PanelError
in one line and plays on without buttons.
"""

from __future__ import annotations

import contextlib
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HIGHEST_PIN = 27
"""BCM numbers of the 40-pin header run from 0 to 27; 0 and 1 belong to the board's own memory chip."""


class Press(StrEnum):
    """The meanings of the buttons. Undo has to be held, so that a sleeve takes nothing back."""

    PASS = "pass"
    UNDO = "undo"
    READ_NOW = "read-now"
    SHOW_PIN = "show-pin"


@dataclass(frozen=True, slots=True)
class Done:
    """A player's own button says that this turn is over. `seat` counts from 1, in the order of the players."""

    seat: int


MOST_SEATS = 12
"""So many play at most."""


class Light(StrEnum):
    """The meanings of the lamp: steady green, slowly blinking amber, quickly blinking red, blinking blue, dark."""

    READING = "reading"
    UNSURE = "unsure"
    ILLEGAL = "illegal"
    NO_CAMERA = "no-camera"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Glow:
    """(red, green, blue) on or off, and the blinking's half period; 0 is steady."""

    colour: tuple[int, int, int]
    half_period_s: float = 0.0


GLOWS: Mapping[Light, Glow] = {
    Light.READING: Glow((0, 1, 0)),
    Light.UNSURE: Glow((1, 1, 0), 0.8),
    Light.ILLEGAL: Glow((1, 0, 0), 0.25),
    Light.NO_CAMERA: Glow((0, 0, 1), 0.8),
    Light.OFF: Glow((0, 0, 0)),
}


class PanelError(Exception):
    """There is no panel here, or its pins make no sense. One line; playing goes on without."""


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """BCM pins; `buttons` may leave some out, `done` has one for each seat with a button of its own, `lamp` is (red,
    green, blue) or None. `bounce_s`: a contact chatters for some milliseconds; `hold_s`: how long undo is held."""

    buttons: Mapping[Press, int] = field(default_factory=dict)
    done: Mapping[int, int] = field(default_factory=dict, kw_only=True)
    lamp: tuple[int, int, int] | None = None
    bounce_s: float = 0.03
    hold_s: float = 0.8


def load_settings(path: Path | None = None) -> PanelSettings:
    """The pins of `path`, or the ones the project's wiring uses. Raises PanelError naming file and field."""
    try:
        text = (
            resources.files(__package__).joinpath("panel.toml").read_text(encoding="utf-8")
            if path is None
            else path.read_text(encoding="utf-8")
        )
        data = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise PanelError(f"{path}: not a file of pins ({str(error).splitlines()[0]})") from None
    return _settings(data, str(path or "panel.toml"))


def _settings(data: Mapping[str, Any], where: str) -> PanelSettings:
    buttons: dict[Press, int] = {}
    for name, pin in _table(data, "buttons", where).items():
        if name not in set(Press):
            raise PanelError(f"{where}: no button called {name!r}; known are {', '.join(Press)}")
        buttons[Press(name)] = _pin(pin, f"{where}: buttons.{name}")
    done: dict[int, int] = {}
    for name, pin in _table(data, "done", where).items():
        if name not in (str(seat) for seat in range(1, MOST_SEATS + 1)):
            raise PanelError(f"{where}: done.{name}: expected the number of a player, from 1 to {MOST_SEATS}")
        done[int(name)] = _pin(pin, f"{where}: done.{name}")
    colours = _table(data, "lamp", where)
    lamp = None
    if colours:
        if set(colours) != {"red", "green", "blue"}:
            raise PanelError(f"{where}: a lamp has red, green and blue, not {', '.join(sorted(colours))}")
        red, green, blue = (_pin(colours[name], f"{where}: lamp.{name}") for name in ("red", "green", "blue"))
        lamp = (red, green, blue)
    used = [*buttons.values(), *done.values(), *(lamp or ())]
    for pin in used:
        if used.count(pin) > 1:
            raise PanelError(f"{where}: pin {pin} is used twice")
    return PanelSettings(buttons, lamp, done=done)


def _table(data: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise PanelError(f"{where}: {name}: expected a table of pins")
    return table


def _pin(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 2 <= value <= HIGHEST_PIN:
        raise PanelError(f"{where}: expected a BCM pin from 2 to {HIGHEST_PIN}, not {value!r}")
    return value


class Panel:
    """Calls `pressed(press)` for each press, from gpiozero's own thread; `show(light)` sets the lamp.

    `pressed` may raise nothing that matters: a button that fails must not end the others.
    """

    def __init__(
        self,
        settings: PanelSettings,
        pressed: Callable[[Press | Done], object],
        *,
        pin_factory: Any = None,
    ) -> None:
        """`pin_factory`: gpiozero's; None is the board's own. Raises PanelError where there are no pins."""
        try:
            import gpiozero
        except ImportError:
            raise PanelError("gpiozero is not installed (pip install gpiozero)") from None
        self._pressed = pressed
        self._light: Light | None = None
        self._devices: list[Any] = []
        self._lamp: Any = None
        try:
            # gpiozero warns once for each kind of pins it tries; the one line below says it all.
            warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
            own = [(Done(seat), pin) for seat, pin in settings.done.items()]
            wires: list[tuple[Press | Done, int]] = [*settings.buttons.items(), *own]
            for press, pin in wires:
                self._devices.append(self._button(gpiozero, press, pin, settings, pin_factory))
            if settings.lamp is not None:
                self._lamp = gpiozero.RGBLED(*settings.lamp, pwm=False, pin_factory=pin_factory)
                self._devices.append(self._lamp)
        except (gpiozero.GPIOZeroError, OSError, RuntimeError, ImportError) as error:
            self.close()
            raise PanelError(f"no buttons or lamp here ({str(error).splitlines()[0]})") from None
        self.show(Light.OFF)

    def show(self, light: Light) -> None:
        """Set the lamp; the light it already shows is left alone, so that blinking does not stutter."""
        if self._lamp is None or light is self._light:
            return
        self._light = light
        glow = GLOWS[light]
        if glow.half_period_s:
            half = glow.half_period_s
            self._lamp.blink(on_time=half, off_time=half, on_color=glow.colour)
        else:
            self._lamp.color = glow.colour

    def close(self) -> None:
        """Give the pins back, the lamp dark. Twice is no error."""
        if self._lamp is not None:
            with contextlib.suppress(Exception):
                self._lamp.off()
        while self._devices:
            with contextlib.suppress(Exception):
                self._devices.pop().close()
        self._lamp = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _button(self, gpiozero: Any, press: Press | Done, pin: int, settings: PanelSettings, pin_factory: Any) -> Any:
        button = gpiozero.Button(
            pin,
            pull_up=True,
            bounce_time=settings.bounce_s,
            hold_time=settings.hold_s,
            pin_factory=pin_factory,
        )
        if press is Press.UNDO:
            button.when_held = lambda: self._say(press)
        else:
            button.when_pressed = lambda: self._say(press)
        return button

    def _say(self, press: Press | Done) -> None:
        with contextlib.suppress(Exception):
            self._pressed(press)


def open_panel(pressed: Callable[[Press | Done], object], path: Path | None = None) -> Panel:
    """The panel on this machine's pins. Raises PanelError in one line if there is no panel."""
    return Panel(load_settings(path), pressed)
