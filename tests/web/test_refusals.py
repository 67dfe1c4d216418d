"""English messages from other rooms reach the viewer in their language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import companion.game.game
from bench.stand_ins.fakes import FakeCamera, FakeSession
from companion.app.state import AppState
from companion.game.corrections import CorrectionError
from companion.game.rejected import CommandRejected, RejectionReason
from companion.log.event_fields import EventError
from companion.rules.written import written
from companion.storage.repairs import Repair
from companion.supervise.parts import SILENT
from companion.supervise.pictures import CameraState
from companion.web.languages import catalogue
from companion.web.texts import REFUSALS, why

WORDS = written(REFUSALS)

CORRECTIONS = {"no_earlier_event": {"seq"}, "no_change": set(), "no_such_field": {"event", "field"}}
"""Faults that `companion.game.corrections` finds, each with its parameters."""


REFUSING = {"CommandRejected", "_act"}
"""The calls that are given a reason: the refusal itself, and the act of one family of games."""


def rejections() -> Iterator[tuple[RejectionReason, set[str]]]:
    """Every code with which the game rejects a command, and the params that come with it."""
    for path in Path(companion.game.game.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in REFUSING:
                for reason in node.args:
                    if isinstance(reason, ast.Attribute) and getattr(reason.value, "id", "") == "RejectionReason":
                        yield RejectionReason[reason.attr], {str(one.arg) for one in node.keywords}
    for code, params in CORRECTIONS.items():
        yield RejectionReason(code), params


def test_every_rejection_of_a_command_has_words_and_what_they_need() -> None:
    found = list(rejections())
    assert (
        {code for code, _ in found} == set(WORDS["refusals"]) == set(RejectionReason) - {RejectionReason.BAD_CORRECTION}
    )
    for code, params in found:
        assert set(re.findall(r"%\((\w+)\)s", WORDS["refusals"][code])) == params, code


def test_every_trouble_of_the_camera_is_known_to_the_page() -> None:
    assert {state.sentence for state in CameraState if state is not CameraState.LIVE} <= set(
        WORDS["troubles"]["others"]
    )


@pytest.mark.parametrize("language", ["uk", "cs", "ru", "bn"])
def test_refusals_are_said_in_the_viewers_language(keeper: FlaskClient, session: FakeSession, language: str) -> None:
    session.refuses = CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=17)
    answer = keeper.post(f"/api/draw?lang={language}", json={"by": "Ann"})
    assert answer.status_code == 409
    expected = catalogue(language).gettext(
        "no. %(seq)s is no open question: somebody answered it, or it settled itself"
    ) % {"seq": 17}
    assert answer.get_json()["error"] == expected[:1].upper() + expected[1:]


def test_an_unknown_refusal_is_shown_as_it_is(keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "the moon is full"
    assert keeper.post("/api/draw?lang=uk", json={"by": "Ann"}).get_json()["error"] == "The moon is full"


def test_troubles_and_a_lost_camera_are_said_where_the_table_is(anyone: FlaskClient, app_state: AppState) -> None:
    app_state.camera = FakeCamera("lost", "the picture is black: is the lens covered, is the light off? (12 of 255)")
    app_state.checks.append(lambda: ["only 120 MB are free for games and pictures"])
    english = anyone.get("/?lang=en").get_data(as_text=True)
    assert "The picture is black: is the lens covered, is the light off? (12 of 255)" in english
    assert "Only 120 MB are free" in english
    czech = anyone.get("/?lang=cs").get_data(as_text=True)
    assert "Obraz je černý: je zakrytý objektiv, je zhasnuto? (12 of 255)" in czech
    assert "Pro hry a snímky je volných jen 120 MB" in czech


def test_a_page_that_is_not_there_says_so_in_words(anyone: FlaskClient) -> None:
    assert "Taková stránka není." in anyone.get("/nowhere?lang=cs").get_data(as_text=True)


def test_templates_leave_no_two_ways_to_read_a_sentence() -> None:
    every = [*WORDS["refusals"].values(), *chain(*WORDS["troubles"].values())]
    assert len(set(every)) == len(every)
    assert all(len(re.sub(r"%\(\w+\)s", "", template).strip()) > 8 for template in every)


def test_a_rejection_is_a_code_and_what_it_is_about() -> None:
    error = CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=4)
    assert (error.code, error.params) == ("no_open_question", {"seq": 4})
    assert (str(error), why(error)) == (
        "no_open_question (seq: 4)",
        "No. 4 is no open question: somebody answered it, or it settled itself",
    )


def test_a_check_without_words_of_its_own_is_shown_as_it_is() -> None:
    error = CommandRejected.of(CorrectionError.at(4, EventError("what.answer: event 3 asked nothing")))
    assert (error.code, why(error)) == ("bad_correction", "What.answer: event 3 asked nothing")


def test_a_reader_that_is_slow_is_not_called_a_camera_that_is_away(anyone: FlaskClient, app_state: AppState) -> None:
    app_state.camera = FakeCamera(
        "lost", "the reader did not answer within 15 s; it is started again for the next picture", "slow"
    )
    app_state.repairs.report(Repair(SILENT, {"part": "reader"}))
    slow = "Reading is slow just now. Play on: what lies on the table is read next."
    for page in ("/?lang=en", "/tv?lang=en"):
        shown = anyone.get(page).text
        assert shown.count(slow) == 1 and "Reading is slow</" in shown
        assert not any(words in shown for words in ("Not connected", "did not answer", "No sign of life"))
    assert "Čtení je teď pomalé." in anyone.get("/?lang=cs").text
    assert slow in anyone.get("/repairs?lang=en").text
    assert anyone.get("/api/state").json["camera"]["state"] == "lost", "as the contract names it"


@pytest.mark.parametrize(
    ("message", "why", "words"),
    [
        ("the camera is not there; plug it in again, it comes back by itself", "away", "Not connected"),
        ("the camera was moved: check the four corners", "", "Not watching"),
        ("nothing is recorded just now (the referee gives no sign of life)", "", "Not watching"),
        ("", "", "Not connected"),
    ],
)
def test_only_a_camera_that_is_away_is_called_so(
    anyone: FlaskClient, app_state: AppState, message: str, why: str, words: str
) -> None:
    app_state.camera = FakeCamera("lost", message, why)
    assert f"{words}</a>" in anyone.get("/?lang=en").text
