"""What other rooms say in English reaches the viewer in his language."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import companion.game.open_game
import companion.game.session
from companion.app.state import House
from companion.game.refusal import SessionError
from companion.supervise.health import SENTENCES, State
from companion.web.languages import catalogue
from companion.web.refusals import CORRECTIONS, REFUSALS, TROUBLES
from tests.web.fakes import FakeCamera, FakeSession


def test_every_refusal_of_the_desk_is_known_to_the_page() -> None:
    told = set()
    for path in Path(companion.game.session.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "SessionError":
                first = node.args[0]
                told.add(constants[first.id] if isinstance(first, ast.Name) else first.value)  # type: ignore[attr-defined]
    assert told - set(REFUSALS) == {"%(fault)s"}, "what a correction's own check says"
    assert set(REFUSALS) <= told, "no sentence is kept that nobody says"


def test_every_trouble_of_the_camera_is_known_to_the_page() -> None:
    assert {words for state, words in SENTENCES.items() if state is not State.LIVE} <= set(TROUBLES)


@pytest.mark.parametrize("language", ["uk", "cs", "ru", "bn"])
def test_refusals_are_said_in_the_viewers_language(keeper: FlaskClient, session: FakeSession, language: str) -> None:
    session.refuses = "no. 17 is no open question"
    answer = keeper.post(f"/api/draw?lang={language}", json={"by": "Ann"})
    assert answer.status_code == 409
    expected = catalogue(language).gettext("no. %(seq)s is no open question") % {"seq": 17}
    assert answer.get_json()["error"] == expected[:1].upper() + expected[1:]


def test_an_unknown_refusal_is_shown_as_it_is(keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "the moon is full"
    assert keeper.post("/api/draw?lang=uk", json={"by": "Ann"}).get_json()["error"] == "The moon is full"


def test_troubles_and_a_lost_camera_are_said_where_the_table_is(anyone: FlaskClient, house: House) -> None:
    house.camera = FakeCamera("lost", "the picture is black: is the lens covered, is the light off? (12 of 255)")
    house.checks.append(lambda: ["only 120 MB are free for games and pictures"])
    english = anyone.get("/?lang=en").get_data(as_text=True)
    assert "The picture is black: is the lens covered, is the light off? (12 of 255)" in english
    assert "Only 120 MB are free" in english
    czech = anyone.get("/?lang=cs").get_data(as_text=True)
    assert "Obraz je černý: je zakrytý objektiv, je zhasnuto? (12 of 255)" in czech
    assert "Pro hry a snímky je volných jen 120 MB" in czech


def test_a_page_that_is_not_there_says_so_in_words(anyone: FlaskClient) -> None:
    assert "Taková stránka není." in anyone.get("/nowhere?lang=cs").get_data(as_text=True)


def test_templates_leave_no_two_ways_to_read_a_sentence() -> None:
    every = [*REFUSALS, *CORRECTIONS, *TROUBLES]
    assert len(set(every)) == len(every)
    assert all(len(re.sub(r"%\(\w+\)s", "", template).strip()) > 8 for template in every)


def test_a_refusal_carries_its_template_and_its_values() -> None:
    error = SessionError("no. %(seq)s is no open question", seq=4)
    assert (str(error), error.template, error.values) == (
        "no. 4 is no open question", "no. %(seq)s is no open question", {"seq": 4}
    )  # fmt: skip
