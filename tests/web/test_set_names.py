"""A set is 12, "12" or "double-12" wherever somebody names one."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from companion.judge_api.questions import answer
from companion.log.event_fields import EventError, Header
from companion.perception.setup_file import setup_from_json
from companion.reading import ReadingError, lay_out
from companion.rules import Board, RulesError
from tests.shown import state_of
from vision.reading import PictureReading

NAMES = (12, "12", "double-12")
WRONG = (0, True, 12.0, "double-0", "double-twelve", "double-12 ", -6, "١٢", [12])


@pytest.mark.parametrize("name", NAMES)
def test_every_way_to_name_a_set_means_the_same(name: Any, keeper: FlaskClient, app_state: AppState) -> None:
    header = {"rules": "tactic", "set": name, "players": ["Ann", "Ben"]}
    assert Header.from_json(header).set == "double-12"
    assert setup_from_json({**header, "layout": "free"}).header.set == "double-12"
    assert Board("tactic", set=name).position == Board("tactic").position
    asked = {"id": 1, "kind": "setup", "rules": "tactic", "set": name, "players": 4}
    assert answer(asked) == answer({**asked, "set": 12}) and "error" not in answer(asked)
    with pytest.raises(ReadingError) as plain:
        lay_out(PictureReading((10, 10), ()), {"Ann": 0}, set=12)
    with pytest.raises(ReadingError) as named:
        lay_out(PictureReading((10, 10), ()), {"Ann": 0}, set=name)
    assert str(named.value) == str(plain.value)
    made = keeper.post("/api/games", json=header)
    assert made.status_code == 200, made.text
    assert isinstance(app_state.session, FakeSession) and state_of(app_state.session)["set"] == "double-12"


@pytest.mark.parametrize("name", WRONG)
def test_what_names_no_set_is_refused_in_words(name: Any, keeper: FlaskClient) -> None:
    header = {"rules": "tactic", "set": name, "players": ["Ann", "Ben"]}
    with pytest.raises(EventError, match="set"):
        Header.from_json(header)
    with pytest.raises(RulesError, match="set: expected a whole number"):
        Board("tactic", set=name)
    assert "error" in answer({"id": 1, "kind": "setup", "rules": "tactic", "set": name, "players": 4})
    assert keeper.post("/api/games", json=header).status_code == 400
