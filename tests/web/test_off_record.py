"""Tiles that lie on the table and are not on record, on the page: drawn, and nothing claimed of what they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.views import view_of
from companion.game.view import Lying
from companion.log.event_fields import Candidate, Confidence, Question, QuestionKind
from companion.log.events import TableChange
from companion.publish.publisher import summary
from companion.rules.position import Play
from companion.rules.tile import Laid
from companion.tableside import light_of
from hardware.panel import Light
from tests.shown import state_of
from tests.web.real_table import Table


def row(page: str, name: str) -> str:
    """The words and signs of one train."""
    found = re.search(
        rf'<li class="train [^"]*">(?:(?!<li class="train).)*<h3>{name}</h3>.*?class="end".*?</li>', page, re.S
    )
    assert found is not None
    return found[0]


@pytest.mark.parametrize("where", ["/", "/tv"])
def test_the_page_draws_them_at_the_end_of_their_train(anyone: FlaskClient, session: FakeSession, where: str) -> None:
    session.show(tables.off_record())
    page = anyone.get(where).text
    dorothea = row(page, "Dorothea")
    assert dorothea.count('class="laid unrecorded"') == 2 and dorothea.count("tile that is not recorded") == 2
    assert "2 tiles lie here that are not recorded" in dorothea and "not recorded</span>" in dorothea
    assert "end value" not in dorothea and "None" not in dorothea and "cover!" not in dorothea
    assert "1 tile lies apart from the others and is not recorded." in page
    assert "unrecorded" not in row(page, "Cyril")


def test_each_leads_to_its_question(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.off_record())
    page = keeper.get("/").text
    assert 'href="#question-33"' in row(page, "Dorothea") and 'id="question-33"' in page
    session.show(tables.off_record() | {"questions": []})
    assert "#question" not in keeper.get("/").text, "nobody is asked, and they lie there all the same"


@pytest.mark.parametrize(("answered", "where"), [(None, "#question-"), (0, "/play/"), (1, "/play/")])
def test_a_half_that_nobody_can_read_is_drawn_as_one_and_asks_which_tile_it_is(
    tmp_path: Path, answered: int | None, where: str
) -> None:
    """Whoever confirms the guess on record has named the tile as well."""
    table = Table(tmp_path, "tactic", "double-12", ("Ann", "Ben"))
    laid, guess = Play(Laid(12, 5), "Ann"), Confidence((0.99, 0.2), ((), ((6, 0.2),)))
    table.session.observe(TableChange((laid,), readings={laid: guess}))
    seq = state_of(table.session)["trains"][0]["tiles"][0]["seq"]
    likely = [Candidate(f"12-{value}", ({"seq": seq, "tile": [12, value]},), p=0.5) for value in (6, 5)]
    asked = table.session.ask(Question(QuestionKind.UNREADABLE_TILE, train="Ann"), likely)[0].seq
    told = answered is not None
    if told:
        table.session.answer(asked, answered)
    table.session.ask(Question(QuestionKind.UNREADABLE_TILE, train="Ben"), [])
    shown = row(table.page, "Ann")
    assert f'href="{where}{seq if told else asked}"' in shown
    assert (shown.count('class="half-ask"'), ">12<i>-</i>?<" in shown) == ((0, False) if told else (1, True))
    assert ("end value" in shown) is told
    train = state_of(table.session)["trains"][0]
    assert train["tiles"][0].get("unread") == (None if told else [False, True])
    assert train["end"] == ({0: 6, 1: 5}[answered] if answered is not None else None)
    assert ("Ann played 12-? on their own train" in table.page) is not told


def test_nothing_of_it_is_on_a_page_without_such_tiles(keeper: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = keeper.get("/").text
    assert "not recorded" not in page and "unrecorded" not in page


@pytest.mark.parametrize(("left", "right"), [(1, 0), (0, 2)])
def test_a_line_has_them_at_its_ends(anyone: FlaskClient, session: FakeSession, left: int, right: int) -> None:
    ends: list[Any] = [None if left else 3, None if right else 4]
    line = tables.chinese_line() | {"arms": 2, "ends": ends}
    session.show(line | {"off_record": {"left": left, "right": right, "apart": 0}})
    page = anyone.get("/").text
    cars = re.findall(r'<li class="laid([^"]*)"', page)
    assert [index for index, car in enumerate(cars) if "unrecorded" in car] == ([0] if left else [10, 11])
    assert re.findall(r'class="end-chip"><b>(.+?)</b>', page) == (["?", "4"] if left else ["3", "?"])


def test_a_tapped_end_joins_the_last_tile_on_record(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", ("Ann", "Ben"))
    table.lay("Ann", "12-5")
    table.session.look(Lying({"Ann": (Laid(12, 5), None), "MX": (None,)}))
    assert [train["end"] for train in state_of(table.session)["trains"]] == [None, 12, None]
    table.send("play", train="Ann", outer=9, by="Ann")
    table.send("play", train="MX", outer=3, by="Ben")
    assert [(train, tile) for _, train, tile in table.plays()] == [("Ann", [12, 5]), ("Ann", [5, 9]), ("MX", [12, 3])]


def test_the_referee_is_asked_in_vain_what_fits_there(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", ("Ann", "Ben"))
    table.lay("Ann", "12-5")
    asked = "/ask?train=Ann&low=5&high=9"
    assert "not recorded" not in table.client.get(asked).text
    table.session.look(Lying({"Ann": (Laid(12, 5), None)}))
    answer = table.client.get(asked)
    assert "tile lies there that is not recorded" in answer.text and "Yes, you may" not in answer.text


def test_a_double_under_such_a_tile_holds_nobody_up(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", ("Ann", "Ben"))
    table.lay("Ann", "12-5", by="Ann")
    table.lay("Ben", "12-7", by="Ben")
    table.lay("Ann", "5-5", by="Ann")
    before = state_of(table.session)
    assert before["open_doubles"] and before["after_double"] == "Ann"
    assert "cover!" in table.page
    table.session.look(Lying({"Ann": (Laid(12, 5), Laid(5, 5), None), "Ben": (Laid(12, 7),)}))
    after = state_of(table.session)
    assert after["open_doubles"] == [] and after["after_double"] is None
    assert "cover!" not in table.page and "over the double" not in table.page
    assert not summary(view_of(after))["illegal"] and light_of(view_of(after), False) is Light.READING


def test_the_page_of_a_play_says_that_the_table_told_which_tile_it_is(tmp_path: Path) -> None:
    """12-5 was read badly; it is one once 5-9 lies on it."""
    table = Table(tmp_path, "tactic", "double-12", ("Ann", "Ben"))
    bad, sure = Confidence((0.999, 0.6), ((), ((6, 0.4),))), Confidence((0.999, 0.999))
    for tile, train, reading in (((12, 5), "Ann", bad), ((12, 7), "Ben", sure), ((5, 9), "Ann", sure)):
        laying = Play(Laid(*tile), train)
        table.session.observe(TableChange((laying,), readings={laying: reading}))
        first = next(one for one in state_of(table.session)["plays"] if one.get("tile") == [12, 5])
        page, told = table.client.get(f"/play/{first['seq']}").text, tile == (5, 9)
        assert ("The tiles around it tell which one it is." in page) == told
        assert first["unread"] == [False, not told]
    table.session.close()


def test_a_tile_that_was_not_read_gets_its_name_on_the_page(tmp_path: Path) -> None:
    """It is on record already: the answer puts it right where it lies, also one that the question does not offer."""
    for fields, tile in (({"choice": 1}, [12, 6]), ({"choice": -1, "train": "Ann", "outer": 11}, [12, 11])):
        folder = tmp_path / str(tile[1])
        folder.mkdir()
        table = Table(folder, "tactic", "double-12")
        laying = Play(Laid(12, 5), "Ann")
        reading = Confidence((0.99, 0.5), ((), ((6, 0.4),)))
        table.session.observe(TableChange((laying,), readings={laying: reading}))
        (play,) = [one for one in state_of(table.session)["plays"] if one["event"] == "tile_played"]
        offered = [Candidate(f"12-{n}", ({"seq": play["seq"], "tile": [12, n]},)) for n in (5, 6)]
        asked = table.session.ask(Question(QuestionKind.UNREADABLE_TILE, train="Ann"), offered)[0].seq
        assert play["seq"] == table.session.questions[0].on_record and "12-6" in table.page
        table.send("answer", seq=asked, **fields)
        assert table.plays() == [("Ann", "Ann", tile)] and table.session.questions == ()
        table.send("undo")
        assert table.plays() == [("Ann", "Ann", [12, 5])] and len(table.session.questions) == 1
        table.session.close()
