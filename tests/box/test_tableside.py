"""Buttons and lamp joined to the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins import tables
from bench.stand_ins.views import view_of
from companion.game.game import Game
from companion.game.game_view import GameView
from companion.log.event_fields import Header
from companion.log.events import Passed
from companion.tableside import light_of, say
from hardware.panel import Done, Light, Press

CERTAIN = {"violations": [{"code": "CLOSED_TRAIN", "certain": True}]}


@pytest.mark.parametrize(
    ("snapshot", "lost", "light"),
    [
        (None, False, Light.OFF),
        (None, True, Light.NO_CAMERA),
        ({"phase": "playing"}, False, Light.READING),
        ({"phase": "playing"}, True, Light.NO_CAMERA),
        ({"phase": "match_over"}, False, Light.OFF),
        ({"questions": [{"seq": 3}]}, False, Light.UNSURE),
        ({"plays": [CERTAIN]}, False, Light.ILLEGAL),
        ({"plays": [CERTAIN], "questions": [{}]}, True, Light.ILLEGAL),
        ({"plays": [CERTAIN, {"violations": []}]}, False, Light.READING),
        ({"plays": [{**CERTAIN, "overruled": True}]}, False, Light.READING),
        ({"plays": [{**CERTAIN, "taken_back": True}]}, False, Light.READING),
    ],
)
def test_the_lamp_shows_the_state_of_the_game(snapshot: dict[str, Any] | None, lost: bool, light: Light) -> None:
    shown = None if snapshot is None else view_of({**tables.midgame(plays=[]), **snapshot})
    assert light_of(shown, lost) is light


def test_a_suspicion_never_lights_the_red_lamp() -> None:
    suspected = {"plays": [{"violations": [{"code": "COULD_HAVE_PLAYED", "certain": False}]}]}
    assert light_of(view_of({**tables.midgame(), **suspected}), False) is Light.READING


class GameControls:
    def __init__(self) -> None:
        self.said: list[tuple[str, str | None]] = []
        self.refuses = False

    def snapshot(self) -> GameView:
        return view_of(tables.midgame())

    def done(self, by: str) -> None:
        self.said.append(("done", by))

    def pass_turn(self, by: str | None) -> None:
        if self.refuses:
            raise ValueError("the round is over")
        self.said.append(("pass", by))

    def undo(self) -> None:
        self.said.append(("undo", None))


def test_buttons_say_what_a_person_would_tap() -> None:
    controls: Any = GameControls()
    assert say(controls, Press.PASS) and say(controls, Press.UNDO)
    assert controls.said == [("pass", "Ben"), ("undo", None)]


def test_a_button_that_is_refused_or_has_no_game_does_nothing() -> None:
    controls: Any = GameControls()
    controls.refuses = True
    assert not say(controls, Press.PASS) and not say(None, Press.PASS)
    assert controls.said == []


def test_a_player_s_own_button_says_who_has_done_the_turn(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    assert say(session, Done(1)) and not say(session, Done(4)), "nobody plays on the fourth seat"
    said = [event for event in session.events if isinstance(event, Passed)]
    assert [(event.by, event.done) for event in said] == [("Ann", True)]
    session.close()
