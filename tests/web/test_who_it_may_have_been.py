"""The page's dispute shows the hypotheses that `companion explain` prints of the same journal."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

from click.testing import CliRunner

from companion.app.state import AppState
from companion.cli.journals import explain
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.perception.settings import LookReason
from companion.rules.notation import parse_delta
from companion.rules.written import written
from companion.tracking.costs import Cause
from companion.tracking.verdict import UNLISTED
from companion.web.app import PageSettings, create_app
from companion.web.plays import HYPOTHESES
from companion.web.texts import code_title
from datasets.bots.watching import table_change
from tests.shown import state_of

DELTAS = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben"]
ROW = re.compile(r"<li><span><b>(.*?)</b>(.*?)</span> <small>(\d+) %</small></li>")


def test_the_page_shows_the_hypotheses_of_explain_and_their_shares_add_up(tmp_path: Path) -> None:
    """Ann lays on Cy's closed train, and everybody goes on in order."""
    header = Header("reeves", "double-12", ("Ann", "Ben", "Cy"))
    session = Game.create(tmp_path / "journal.jsonl", header)
    session.start_round((12, 12), "Ann")
    for n, change in enumerate(DELTAS):
        again = (str(LookReason.NO_LEGAL_PLAY),) if change == "+3-5@Cy" else ()
        session.observe(replace(table_change(parse_delta([change]), f"{n}.jpg"), again=again))
    app_state = AppState(session)
    client = create_app(app_state, PageSettings(pin="0000", testing=True)).test_client()
    compared = 0
    for play in [event for event in session.events if isinstance(event, TilePlayed)]:
        said = CliRunner().invoke(explain, [str(tmp_path / "journal.jsonl"), str(play.seq), "--json"])
        every = sorted(json.loads(said.output)["hypotheses"], key=lambda one: -one["p"])
        page = unescape(client.get(f"/play/{play.seq}/why").get_data(as_text=True))
        shown = ROW.findall(page)
        rest = re.search(r"in another way</span> <small>(\d+) %", page)
        told = every[: len(shown)]
        assert all(one["p"] < 0.01 for one in every[len(shown) :]), "less than one per cent needs no line"
        with client.application.test_request_context():
            words = [
                [code_title(code.split(" by ")[0]) for code in one["codes"]]
                + [written(HYPOTHESES)["assumed"][cause] for cause in one["assumes"]]
                for one in told
            ]
        assert [by for by, _, _ in shown] == [one["by"] for one in told]
        shares = [int(share) for _, _, share in shown]
        assert shares == sorted(shares, reverse=True), "the likeliest first"
        assert all(abs(share - 100 * one["p"]) <= 1 for share, one in zip(shares, told, strict=True))
        assert all(shares) and (not shown or sum(shares) + int(rest[1] if rest else 0) == 100)
        for (_, text, _), of_row in zip(shown, words, strict=True):
            assert [part.split(" (")[0] for part in text.split(" · ")[1:]] == of_row
        assert bool(shown) != ("This is settled" in page)
        alone = len(every) == 1 and rest is None and not words[0]
        charges = [one for one in json.loads(said.output)["violations"] if not one["certain"]]
        unnamed = [one for one in charges if not any(code_title(one["code"]) in titles for titles in words)]
        assert ("no other way is left" in page) == (alone and not unnamed), "a name and 100 % explain nothing"
        assert ("Possible in some of these ways: " in page) == bool(unnamed)
        assert f"/play/{play.seq}/why" in client.get(f"/play/{play.seq}").get_data(as_text=True)
        assert (json.loads(said.output)["again"] != []) == ("no legal play explained it" in page)
        assert ("no legal play explained it" in page) == (play.tile == (3, 5))
        compared += len(shown)
    session.close()
    assert compared > 3


def test_a_game_that_was_tapped_in_is_explained_as_it_is_ruled(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "journal.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    legal = session.play((12, 5), "Ann", by="Ann")[0].seq
    fault = session.play((5, 5), "Ann", by="Ben")[0].seq
    [question] = state_of(session)["questions"]
    session.answer(question["seq"], [one.get("kind") for one in question["candidates"]].index("so"), "Ben")
    [codes] = [
        [one["code"] for one in play["violations"] if one["certain"]]
        for play in state_of(session)["plays"]
        if play["seq"] == fault
    ]
    assert codes
    client = create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()
    pages = {seq: unescape(client.get(f"/play/{seq}/why").get_data(as_text=True)) for seq in (legal, fault)}
    assert ROW.findall(pages[legal]) == [("Ann", "", "100")]
    ((by, faults, share),) = ROW.findall(pages[fault])
    assert (by, share) == ("Ben", "100")
    assert all(code_title(code) in faults for code in codes)
    assert "No camera watched this round" in pages[legal]
    session.close()


def test_what_is_no_piece_is_answered_in_a_line(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "journal.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    app = create_app(AppState(session), PageSettings(pin="0000", testing=True))
    answer = app.test_client().get("/play/1/why")
    assert answer.status_code == 404
    assert "Nothing more is known about entry number 1." in answer.get_data(as_text=True)
    session.close()


def test_every_assumption_has_its_words() -> None:
    assert set(written(HYPOTHESES)["assumed"]) == set(Cause) - UNLISTED


def test_every_reason_for_another_look_has_its_words() -> None:
    assert set(written(HYPOTHESES)["again"]) == {str(why) for why in LookReason}
