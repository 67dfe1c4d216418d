"""A name that a person changes accuses nobody by itself, and the mark of the change is never hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.log.journal import PHONE
from companion.rules.position import Play
from companion.rules.tile import Laid
from companion.web.app import PageSettings, create_app
from companion.web.wording import proof_text
from datasets.bots.watching import table_change
from tests.shown import state_of

GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cem"], "options": {}}
LAID = (
    ("Ann", (12, 1)), ("Ben", (12, 2)), ("Cem", (12, 3)), ("Ann", (1, 4)), ("Ben", (2, 7)), ("Cem", (3, 5)),
    ("Ann", (4, 6)),
)  # fmt: skip


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AppState]:
    made = make_app_state(tmp_path)
    made.start_game(GAME)
    made.session.start_round((12, 12), "Ann")  # type: ignore[attr-defined]
    yield made
    made.session.close()  # type: ignore[attr-defined]


@pytest.fixture
def ann(state: AppState) -> FlaskClient:
    client = create_app(state, PageSettings(pin="135790", testing=True)).test_client()
    client.post("/api/pin", json={"pin": "135790", "name": "Ann"})
    return client


def lay(session: Any, watched: bool) -> None:
    for name, tile in LAID:
        if watched:
            session.observe(table_change([Play(Laid(*tile), name)]))
        else:
            session.play(tile, name, name)


@pytest.mark.parametrize("seq", range(2, 9))
@pytest.mark.parametrize("name", ["Ann", "Ben", "Cem"])
def test_in_a_watched_round_no_single_name_makes_a_certain_fault(state: AppState, seq: int, name: str) -> None:
    session: Any = state.session
    lay(session, watched=True)
    try:
        session.correct(seq, {"by": name})
    except ValueError:
        return
    plays = state_of(session)["plays"]
    assert [one for play in plays for one in play["violations"] if one["certain"]] == []


def test_a_phone_without_a_name_begins_its_sentence_with_a_capital() -> None:
    finding = {"code": "MISMATCH", "certain": True, "confirmed_by": PHONE}
    assert proof_text({"violations": [finding]}) == "A phone without a name said that it was really so."


def test_in_a_tapped_game_the_page_says_by_whom_it_was_entered_and_changed(state: AppState, ann: FlaskClient) -> None:
    lay(state.session, watched=False)
    assert ann.post("/api/correct", json={"seq": 8, "tile": [9, 11]}).status_code == 200
    shown: Any = ann.get("/api/state").json
    play = next(one for one in shown["plays"] if one["seq"] == 8)
    assert (play["by"], play["corrected"], play["changers"]) == ("Ann", True, ["Ann"])
    assert play["violations"] == [{"code": "MISMATCH", "certain": False, "open": True}]
    page = ann.get("/").text
    assert '<span class="tag">to settle</span>' in page and '<span class="tag">corrected</span>' in page, (
        "the one does not hide the other"
    )
    [question] = shown["questions"]
    so = [one["kind"] for one in question["candidates"]].index("so")
    assert ann.post("/api/answer", json={"seq": question["seq"], "choice": so}).status_code == 200
    for path in ("/", "/play/8", "/tv"):
        assert "Ann said that it was really so." in ann.get(path).text, path
    assert "against the rules" in ann.get("/").text


def test_the_name_of_one_never_stands_beside_the_ruling_of_another(state: AppState, ann: FlaskClient) -> None:
    """Ben's train is closed, Ben laid on it, and the table says that it was Ann."""
    session: Any = state.session
    lay(session, watched=True)
    seq = next(play["seq"] for play in state_of(session)["plays"] if play.get("tile") == [2, 7])
    page, preview = f"/play/{seq}", {"by": "Ann", "page": f"/play/{seq}"}
    assert "Within the rules" in ann.get(page).text
    shown = ann.post(f"{page}/preview", data=preview).text
    assert "ruling open" in shown and "No ruling changes" not in shown
    session.correct(seq, {"by": "Ann"})
    shown = ann.get(page).text
    assert "You say that it was Ann." in shown and "Within the rules" not in shown
    session.undo()
    assert "Within the rules" in ann.get(page).text
    session.correct(seq, {"by": "Ben"})
    assert "Within the rules" in ann.get(page).text, "people and pictures agree"
