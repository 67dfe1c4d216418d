"""\"My turn is over. I am Ann.\": the effect on a name, as a phone and a program meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.rules.notation import parse_delta
from tests.desk.watching import table_change
from tests.web.real_table import Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Somebody has laid 3-5 on Cy's closed train: Ann, whose turn it is, or Cy a second time."""
    table = Table(tmp_path, "reeves", "double-12")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy"):
        table.session.observe(table_change(parse_delta([change])))
    return table


def test_an_unclear_play_gets_the_name_of_whoever_presses(table: Table) -> None:
    assert table.plays()[-1] == (None, "Cy", [3, 5])
    answer = table.post("done", by="Ann")
    assert answer.status_code == 303
    assert table.plays()[-1] == ("Ann", "Cy", [3, 5])
    shown = table.client.get("/api/state").get_json()
    assert shown["turn"] == "Ben"
    assert "Ann ended their turn." in table.page and "Ann passed." not in table.page
    assert [(by, code, certain) for by, code, certain in table.held()] == [("Ann", "CLOSED_TRAIN", False)]
    assert table.post("undo").status_code == 303
    assert table.plays()[-1] == (None, "Cy", [3, 5])


def test_a_program_is_told_the_name_at_once(table: Table) -> None:
    events = table.client.post("/api/done", json={"by": "Ann"}).get_json()["events"]
    assert [event["event"] for event in events] == ["passed", "corrected"]
    assert events[0]["done"] is True and events[1]["what"]["by"] == "Ann"


def test_who_does_not_play_ends_no_turn(table: Table) -> None:
    before = table.session.seq
    answer = table.client.post("/api/done", json={"by": "Zoe"})
    assert answer.status_code == 400 and answer.get_json()["error"].count("\n") == 0
    assert table.session.seq == before and table.plays()[-1][0] is None


def test_the_page_offers_it_to_everybody(table: Table) -> None:
    page = table.page
    form = page[page.index('action="/api/done"') :]
    form = form[: form.index("</form>")]
    assert all(f'value="{name}"' in form for name in ("Ann", "Ben", "Cy"))


def test_a_chinese_turn_is_over_too(tmp_path: Path) -> None:
    table = Table(tmp_path, "jielong", "chinese")
    table.session.observe(table_change(parse_delta(["+6-6@R"])))
    table.send("done", by="Ann")
    assert [code for _, code, certain in table.held() if certain] == []
