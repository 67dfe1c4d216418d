"""The page on a finished deal of a connecting game: its end, the tiles put away, and every payment with its reason."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.web.app import PageSettings, create_app
from tests.shown import state_of
from tests.web.reading import words

NAMES = ("Ann", "Ben", "Cy", "Dee")
HANDS = {
    "Ann": [],
    "Ben": [(1, 2), (4, 6), (5, 5), (1, 3)],
    "Cy": [(2, 2), (1, 3)],
    "Dee": [(6, 6), (6, 6), (5, 6), (4, 6), (1, 6), (1, 6), (5, 5), (3, 3)],
}  # 0, 27, 8 and 75 pips


def counted(tmp_path: Path, rules: str, how: str = "out", **options: str) -> tuple[Game, FlaskClient]:
    """A deal that Ann led, ended so, and everybody's tiles shown."""
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "chinese", NAMES, options))
    session.start_round(starter="Ann")
    session.end_round(how)
    asked = "Turn over the tiles you put away" if how == "out" else "Show the tiles you put away or still hold"
    assert asked in _page(session).get("/tv").text
    for name, tiles in HANDS.items():
        session.show_hand(name, tiles)
    client = create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()
    assert client.post("/api/pin", json={"pin": "0000"}).status_code == 200
    return session, client


def summary(client: FlaskClient, path: str = "/") -> str:
    text = re.sub(r"<[^>]*>", " ", words(client.get(path).text.split('class="round-over')[1].split("</article>")[0]))
    return re.sub(r"[ \n]+", " ", unescape(text)).replace("\xa0", " ")


def test_who_pays_whom_twice_is_a_sum_that_anybody_can_check(tmp_path: Path) -> None:
    session, client = counted(tmp_path, "chedeng")
    for path in ("/", "/tv"):
        told = summary(client, path)
        assert "All tiles are played or put away" in told and "somebody went out" not in told
        assert "no tiles Ben +27 × 2, Cy +8 × 2, Dee +75 × 4 = +370 +370 370" in told
        assert "Pips: 27 Ann −27 × 2, Cy −19, Dee +48 × 2 = +23 +23 23" in told
        assert "Pips: 8 Ann −8 × 2, Ben +19, Dee +67 × 2 = +137 +137 137" in told
        assert "Pips: 75 Ann −75 × 4, Ben −48 × 2, Cy −67 × 2 = −530 −530 −530" in told
        assert "× 2: Ann put nothing away and gets twice as much." in told
        assert "× 2: Dee put 8 tiles away and pays twice as much." in told
        assert told.count("twice as much") == 2
    assert client.get("/").text.split("round-over")[1].split("</table>")[0].count('class="domino"') == 14
    session.close()


def test_nobody_gets_plus_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDS, "Cy", HANDS["Ben"])
    monkeypatch.setitem(HANDS, "Dee", [(6, 6), (6, 6), (5, 6), (4, 6), (4, 5)])
    session, client = counted(tmp_path, "jielong")
    assert "Pips: 27 Ann −27, Dee +27 = 0 0 0 C" in summary(client)
    session.close()


@pytest.mark.parametrize(
    ("rules", "options", "told", "why"),
    [
        ("jielong", {}, "Pips: 27 Ann −27, Cy −19, Dee +48 = +2", ""),
        ("kkori", {}, "no tiles Dee pays 1 to Ann", "The most pips pay the winner one chip"),
        ("jielong", {"settlement": "winner_chip"}, "no tiles Ben +1, Cy +1, Dee +1 = +3", "Everybody pays the winner"),
    ],
)
def test_each_way_to_pay_is_told(tmp_path: Path, rules: str, options: dict[str, str], told: str, why: str) -> None:
    session, client = counted(tmp_path, rules, **options)
    assert told in summary(client) and why in summary(client) and "twice" not in summary(client)
    session.close()


def test_of_two_players_it_is_said_who_pays_whom(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", NAMES[:2]))
    session.start_round(starter="Ann")
    session.end_round("out")
    assert "Turn over the tiles you put away" in _page(session).get("/").text
    for name, tiles in (("Ann", [(1, 2)]), ("Ben", [(2, 6)])):
        session.show_hand(name, tiles)
    told = summary(_page(session))
    assert told.count("Ben pays 5 to Ann") == 2 and "= " not in told
    session.close()


def _page(session: Game) -> FlaskClient:
    return create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()


def test_where_everybody_writes_down_their_pips_nobody_pays(tmp_path: Path) -> None:
    session, client = counted(tmp_path, "jielong", how="blocked_declared", settlement="points")
    told = summary(client)
    assert "Put away or held" in told and "Pips: 27 +27 27" in told and "=" not in told
    session.close()


def test_the_hands_of_a_deal_are_filled_in_to_be_put_right(tmp_path: Path) -> None:
    session, client = counted(tmp_path, "chedeng")
    page = client.get("/round-end?round=1").text
    assert re.findall(r'name="hand_\d" value="([^"]*)"', page) == [
        "", "1:2 4:6 5:5 1:3", "2:2 1:3", "6:6 6:6 5:6 4:6 1:6 1:6 5:5 3:3",
    ]  # fmt: skip
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.split('data-notes="')[1]))
    typed = {
        "hand_1": "",
        "hand_2": "1:2 4:6 5:5 1:3",
        "hand_3": "2:2 1:1",
        "hand_4": "6:6 6:6 5:6 4:6 1:6 1:6 5:5 3:3",
    }
    before = session.seq
    assert client.post("/round-end?round=1", data={**hidden, **typed}).status_code == 303
    assert state_of(session)["shown"]["Cy"] == [[2, 2], [1, 1]]
    assert "Pips: 6 Ann −6 × 2, Ben +21, Dee +69 × 2 = +147" in summary(client)
    assert [event.by for event in session.events[before:] if event.source == "person"] == ["Cy"]
    session.close()


def test_tiles_put_away_are_told_as_such(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", NAMES[:2]))
    session.start_round(starter="Ann")
    session.play((1, 1), "R")
    while session.phase == "playing":
        session.cannot_play()
    session.show_hand("Ben", [], [(5, 6)] * 16)
    assert state_of(session)["shown"]["Ben"] == [[5, 6]] * 16
    client = create_app(AppState(session), PageSettings(pin="0000", testing=True)).test_client()
    assert "Ben put away: 5:6 5:6" in words(client.get("/").text)
    session.close()


def test_the_sheet_and_its_copies_say_how_a_deal_ended(tmp_path: Path) -> None:
    session, client = counted(tmp_path, "chedeng")
    for path in ("/scores", "/share"):
        page = client.get(path).text
        assert "all tiles are played or put away" in page and "somebody went out" not in page, path
    session.close()
