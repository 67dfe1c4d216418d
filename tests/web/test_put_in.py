"""A forgotten draw, marker or pass is put in from the page of a play; what the preview promises is what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins.making import ticking
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.game.game import Game
from companion.game.game_view import as_json
from companion.log.event_fields import Header
from companion.web.app import PageSettings, create_app
from companion.web.changing import changes_between
from companion.web.plays import reads_otherwise
from tests.desk.test_tap_order import held, tap
from tests.shown import state_of
from tests.web.reading import words


def opened(path: Path, rules: str, taps: str) -> tuple[FlaskClient, Game]:
    box = "double-12" if rules == "tactic" else "chinese"
    session = Game.create(path / "g.jsonl", Header(rules, box, ("Ann", "Ben")), ticking())
    session.start_round(starter="Ann")
    client = create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()
    assert client.post("/api/pin", json={"pin": "0000"}).status_code == 200
    return client, tap(session, taps)


def preview(client: FlaskClient, seq: int, **fields: str) -> tuple[str, dict[str, str]]:
    """The page's preview of the change, and the fields that keep it."""
    shown = client.post(f"/play/{seq}/preview", data={"page": f"/play/{seq}", "form": "act", **fields}).text
    form = re.search(r'<form method="post" action="/api/correct".*?</form>', shown, re.DOTALL)
    assert form is not None, shown
    return shown, dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0]))


def line_of(session: Game, event: str, number: int = 0) -> int:
    return [int(play["seq"]) for play in state_of(session)["plays"] if play["event"] == event][number]


@pytest.mark.parametrize(
    ("taps", "beside", "put_in", "turn"),
    [
        ("Ann 12-5, mark Ben, Ann 5-7", ("marker_placed", 0, "before"), ("Ben", "draw"), "Ben"),
        ("Ann 12-5, Ben draw, Ann 5-7, Ben 12-3", ("drew", 0, "after"), ("Ben", "mark"), "Ann"),
        ("Ann draw, mark Ann, Ben 12-1, Ann 12-2, Ben 1-3", ("tile_played", 1, "after"), ("Ann", "unmark"), "Ann"),
        ("Ann draw, mark Ann, Ben 12-1, Ann draw, Ben 1-3", ("drew", 1, "after"), ("Ann", "pass"), "Ann"),
        ("Ann 12-5, Ben 12-1", ("tile_played", 1, "after"), ("Ben", "done"), "Ann"),
    ],
)
def test_what_was_forgotten_is_put_in_as_the_page_promises(
    tmp_path: Path, taps: str, beside: tuple[str, int, str], put_in: tuple[str, str], turn: str
) -> None:
    client, session = opened(tmp_path, "tactic", taps)
    event, number, at = beside
    seq, before = line_of(session, event, number), state_of(session)
    page = client.get(f"/play/{seq}").text
    assert f'<option value="{put_in[1]}">' in page and "is missing here" in page
    shown, kept = preview(client, seq, insert_by=put_in[0], insert_event=put_in[1], insert_at=at)
    assert "Put in:" in shown
    promised: Any = as_json(session.what_if(seq, {"insert": [inserted(put_in)], "after": at == "after"}))
    assert client.post("/api/correct", data=kept).status_code in (200, 302, 303)
    after: dict[str, Any] = dict(state_of(session))
    assert after["turn"] == turn and [one for one in held(session) if one[2]] == []
    assert told(after) == told(promised)
    assert any("insert" in (getattr(line, "what", None) or {}) for line in session.journal.events)
    session.undo()
    assert without_numbers(state_of(session)) == without_numbers(before)


def without_numbers(shown: Any) -> dict[str, Any]:
    """A snapshot without the lines that ask, which are written anew when they are asked again."""
    asked = [(one["about"], one["candidates"], one.get("alive")) for one in shown["questions"]]
    plays = [play for play in shown["plays"] if play["event"] != "unclear"]
    return {**shown, "seq": 0, "questions": asked, "plays": plays}


def told(shown: Any) -> tuple[Any, ...]:
    plays = [(play["event"], play.get("by"), play.get("violations")) for play in shown["plays"]]
    return plays, shown["turn"], shown["trains"], shown["boneyard"]


def inserted(put_in: tuple[str, str]) -> dict[str, Any]:
    by, act = put_in
    kinds = {"draw": "drew", "mark": "marker_placed", "unmark": "marker_removed", "pass": "passed", "done": "passed"}
    own = {"train": by} if act in ("mark", "unmark") else {"done": True} if act == "done" else {}
    return {"event": kinds[act], "source": "person", "by": by, "violations": [], **own}


def test_a_tile_put_away_is_put_in_in_a_chinese_game(tmp_path: Path) -> None:
    client, session = opened(tmp_path, "jielong", "Ann 3-6 @R, Ann 6-4 @R")
    seq = line_of(session, "tile_played", 1)
    assert '<option value="draw">' not in client.get(f"/play/{seq}").text
    _, kept = preview(client, seq, insert_by="Ben", insert_event="discard", insert_at="before")
    client.post("/api/correct", data=kept)
    assert held(session) == [] and state_of(session)["turn"] == "Ben"


@pytest.mark.parametrize(
    ("field", "value"), [("insert_event", "discard"), ("insert_at", "later"), ("insert_by", "Zoe")]
)
def test_what_makes_no_sense_is_refused_in_one_line(tmp_path: Path, field: str, value: str) -> None:
    client, session = opened(tmp_path, "tactic", "Ann 12-5")
    fields = {"seq": 2, "insert_event": "draw", "insert_by": "Ben", "insert_at": "after", field: value}
    refused = client.post("/api/correct", json=fields)
    assert refused.status_code == 400 and field in refused.get_json()["error"] + "insert_by"
    assert len(state_of(session)["plays"]) == 2


def test_a_double_turned_over_and_an_announcement_are_put_in_and_stand_in_the_trail(tmp_path: Path) -> None:
    state = make_app_state(tmp_path)
    state.start_game({"rules": "poltava", "set": "double-9", "players": ["Ann", "Ben"], "options": {}})
    session = state.session
    assert isinstance(session, Game)
    session.start_round((9, 9), "Ann")
    client = create_app(state, PageSettings(pin="0000", testing=True)).test_client()
    assert client.post("/api/pin", json={"pin": "0000", "name": "Olena"}).status_code == 200
    tap(session, "Ann 9-5, Ann 5-5, Ann done, Ben 9-1, Ben done")
    before, seq = state_of(session), line_of(session, "tile_played", 2)
    page = client.get(f"/play/{seq}").text
    assert '<option value="announce">' in page and '<option value="flip:Ann">' in page and "flip:Ben" not in page
    for act, event in (("flip:Ann", "double_flipped"), ("announce", "announced")):
        shown, kept = preview(client, seq, insert_by="Ben", insert_event=act, insert_at="after")
        assert "Put in:" in shown
        assert client.post("/api/correct", data=kept).status_code in (200, 302, 303)
        assert line_of(session, event)
    assert next(train for train in state_of(session)["trains"] if train["name"] == "Ann")["flipped"]
    trail = client.get(f"/games/{state.game}/changes").text
    assert (
        trail.count("Olena") >= 2
        and "Ben announced the last tile" in words(trail)
        and "The dead double is turned over: Ann" in words(trail)
    )
    session.undo()
    session.undo()
    assert {**state_of(session), "seq": 0} == {**before, "seq": 0}


def test_a_preview_lists_nothing_that_reads_as_before() -> None:
    """The player who put a marker on a train is known late, and its sentence names nobody."""
    marker = {"seq": 5, "event": "marker_placed", "train": "Ann", "by": None, "violations": []}
    laid = {"seq": 6, "event": "tile_played", "tile": [0, 7], "train": "Ann", "by": None, "violations": []}
    then = [{**marker, "by": "Ann"}, {**laid, "by": "Ann"}]
    found = changes_between([marker, laid], then)
    assert [(one.seq, reads_otherwise(one)) for one in found] == [(5, False), (6, True)]
    fault = {**marker, "violations": [{"code": "MARKER_NOT_EARNED", "certain": True}]}
    assert [reads_otherwise(one) for one in changes_between([marker], [fault])] == [True]
