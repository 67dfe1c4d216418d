"""\"My turn is over. I am Ann.\": the effect on a name, as a phone and a program meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.rules.notation import parse_delta
from companion.web.stream import Listener
from datasets.bots.watching import table_change
from tests.shown import state_of
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


def told(table: Table, after: int) -> list[dict[str, Any]]:
    """The corrections that a screen hears which has the journal's lines up to `after`."""
    app_state = table.client.application.extensions["companion_state"]
    text = Listener(app_state, after).news().decode()
    lines = [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: {")]
    return [line for line in lines if line.get("event") == "corrected"]


def test_a_screen_hears_the_name_also_when_it_comes_back_later(table: Table) -> None:
    play = state_of(table.session)["plays"][-1]["seq"]
    assert told(table, 0) == []
    table.send("done", by="Ann")
    for after in (0, table.session.seq):
        (line,) = told(table, after)
        assert (line["corrects"], line["what"]["by"], line["source"]) == (play, "Ann", "rule")
    assert "corrected" not in [event.KIND for event in table.session.events], "it comes out of what was seen and said"
    table.send("undo")
    (line,) = told(table, table.session.seq)
    assert line["what"]["by"] is None, "whoever comes back hears that it is open again"


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
