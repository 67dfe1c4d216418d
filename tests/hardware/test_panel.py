"""The button pod on gpiozero's own mock pins: the test drives the wires and looks at what was said."""

from __future__ import annotations

import queue
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import gpiozero.pins.mock
import pytest

import hardware.panel
from hardware.panel import Done, Light, Panel, PanelError, PanelSettings, Press, load_settings, open_panel

PATIENCE_S = 30.0


@pytest.fixture
def pins() -> Iterator[gpiozero.pins.mock.MockFactory]:
    factory = gpiozero.pins.mock.MockFactory()
    yield factory
    factory.reset()


@pytest.fixture
def said() -> queue.Queue[Press]:
    return queue.Queue()


@pytest.fixture
def panel(pins: gpiozero.pins.mock.MockFactory, said: queue.Queue[Press]) -> Iterator[Panel]:
    settings = load_settings()
    quick = PanelSettings(settings.buttons, settings.lamp, bounce_s=0.001, hold_s=0.01)
    with Panel(quick, said.put, pin_factory=pins) as panel:
        yield panel


def colour(pins: gpiozero.pins.mock.MockFactory) -> tuple[int, int, int]:
    lamp = load_settings().lamp
    assert lamp is not None
    red, green, blue = (int(pins.pin(number).state) for number in lamp)
    return red, green, blue


@pytest.mark.parametrize("press", Press)
def test_each_button_says_its_word(
    panel: Panel, pins: gpiozero.pins.mock.MockFactory, said: queue.Queue[Press], press: Press
) -> None:
    pins.pin(load_settings().buttons[press]).drive_low()
    assert said.get(timeout=PATIENCE_S) is press
    assert said.empty()


def test_a_player_s_own_button_says_whose_it_is(pins: gpiozero.pins.mock.MockFactory, tmp_path: Path) -> None:
    file = tmp_path / "pins.toml"
    file.write_text("[buttons]\npass = 5\n[done]\n1 = 23\n3 = 24\n", encoding="utf-8")
    heard: queue.Queue[Press | Done] = queue.Queue()
    with Panel(load_settings(file), heard.put, pin_factory=pins):
        pins.pin(24).drive_low()
        assert heard.get(timeout=PATIENCE_S) == Done(3)
    assert heard.empty()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[done]\nBen = 23\n", "done.Ben: expected the number of a player, from 1 to 12"),
        ("[done]\n1 = 99\n", "done.1: expected a BCM pin from 2 to 27, not 99"),
        ("[buttons]\npass = 23\n[done]\n1 = 23\n", "pin 23 is used twice"),
    ],
)
def test_a_button_that_cannot_be_anybody_s_is_said(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "pins.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PanelError, match=re.escape(says)):
        load_settings(file)


def test_undo_has_to_be_held(pins: gpiozero.pins.mock.MockFactory, said: queue.Queue[Press]) -> None:
    settings = PanelSettings({Press.UNDO: 6, Press.PASS: 5}, None, bounce_s=0.001, hold_s=1000.0)
    with Panel(settings, said.put, pin_factory=pins):
        pins.pin(6).drive_low()
        pins.pin(6).drive_high()
        pins.pin(5).drive_low()
        assert said.get(timeout=PATIENCE_S) is Press.PASS
        assert said.empty(), "brushing over undo says nothing"


@pytest.mark.parametrize(
    ("light", "expected"),
    [
        (Light.READING, (0, 1, 0)),
        (Light.OFF, (0, 0, 0)),
    ],
)
def test_steady_lights(
    panel: Panel, pins: gpiozero.pins.mock.MockFactory, light: Light, expected: tuple[int, int, int]
) -> None:
    panel.show(light)
    assert colour(pins) == expected


@pytest.mark.parametrize("light", [Light.UNSURE, Light.ILLEGAL, Light.NO_CAMERA])
def test_what_needs_somebody_blinks_in_its_colour(
    panel: Panel, pins: gpiozero.pins.mock.MockFactory, light: Light
) -> None:
    lamp = load_settings().lamp
    assert lamp is not None
    for number in lamp:
        pins.pin(number).clear_states()
    panel.show(light)

    def seen() -> tuple[int, ...]:
        return tuple(int(any(state.state for state in pins.pin(number).states)) for number in lamp)

    wanted = hardware.panel.panel.GLOWS[light].colour
    nothing = threading.Event()
    for _ in range(int(PATIENCE_S / 0.01)):
        # gpiozero blinks in a thread of its own, which switches one colour after the other.
        if seen() == wanted:
            break
        nothing.wait(0.01)
    assert seen() == wanted


def test_a_closed_panel_is_dark_and_gives_its_pins_back(pins: gpiozero.pins.mock.MockFactory) -> None:
    settings = load_settings()
    first = Panel(settings, lambda press: None, pin_factory=pins)
    first.show(Light.READING)
    first.close()
    first.close()
    assert colour(pins) == (0, 0, 0)
    Panel(settings, lambda press: None, pin_factory=pins).close()


def test_a_listener_that_fails_does_not_silence_the_buttons(pins: gpiozero.pins.mock.MockFactory) -> None:
    heard: queue.Queue[Press] = queue.Queue()

    def listen(press: Press) -> None:
        heard.put(press)
        raise RuntimeError("the page is down")

    with Panel(PanelSettings({Press.PASS: 5}, None, bounce_s=0.0001), listen, pin_factory=pins):
        for _ in range(2):
            pins.pin(5).drive_low()
            assert heard.get(timeout=PATIENCE_S) is Press.PASS
            pins.pin(5).drive_high()


def test_a_machine_without_pins_says_so_in_one_line() -> None:
    if Path("/dev/gpiochip0").exists():
        pytest.skip("this machine has pins")
    with pytest.raises(PanelError) as refusal:
        open_panel(lambda press: None)
    assert "\n" not in str(refusal.value)


def test_without_gpiozero_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero", None)
    with pytest.raises(PanelError, match="pip install"):
        open_panel(lambda press: None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[buttons]\nfire = 5", "no button called 'fire'"),
        ("[buttons]\npass = 40", "from 2 to 27"),
        ("[buttons]\npass = true", "from 2 to 27"),
        ("[buttons]\npass = 5\nundo = 5", "used twice"),
        ("[lamp]\nred = 4", "red, green and blue"),
        ("buttons = 3", "expected a table"),
        ("[", "not a file of pins"),
    ],
)
def test_pins_that_make_no_sense_are_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "pins.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PanelError, match=re.escape(complaint)) as refusal:
        load_settings(file)
    assert str(file) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_wiring_guide_shows_the_pins_the_program_uses() -> None:
    guide = (Path(hardware.panel.__file__).parents[1] / "WIRING.md").read_text(encoding="utf-8")
    header_pin = {5: 29, 6: 31, 13: 33, 19: 35, 17: 11, 27: 13, 22: 15}
    settings = load_settings()
    assert settings.lamp is not None
    named = {**settings.buttons, **dict(zip(("red", "green", "blue"), settings.lamp, strict=True))}
    for name, pin in named.items():
        assert re.search(rf"\| {name}\b[^|]*\| {pin} \| {header_pin[pin]} \|", guide), name
