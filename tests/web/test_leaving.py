"""Somebody leaves in the middle of a round, by one tap; somebody joins for the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shown import state_of
from tests.web.reading import words
from tests.web.real_table import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path, "tactic", "double-12")
    made.lay("Ann", "12-3")
    yield made
    made.session.close()


def test_one_tap_lets_the_others_play_on_and_one_takes_it_back(table: Table) -> None:
    assert "Somebody has to go in the middle of this round" in table.page
    assert table.page.count('<select name="by" required><option value="" selected disabled>') == 3, "nobody is proposed"
    assert table.post("leave", by="").status_code == 400
    assert table.post("leave", by="Ben").status_code == 303
    shown = state_of(table.session)
    assert (shown["turn"], shown["gone"]) == ("Cy", ["Ben"])
    assert "<small>has left</small>" in table.page and "Ben has left the round." in table.page
    assert "Undo: Ben has left the round" in table.page
    assert "Somebody has to go" not in table.page, "two are needed to play on"
    assert table.post("leave", by="Cy").status_code == 409
    assert table.post("undo").status_code == 303
    assert state_of(table.session)["turn"] == "Ben"


@pytest.mark.parametrize(
    ("hand", "points", "lead"), [("", 0, "Ann and Ben share the lead, 2 ahead."), ("0-1", 1, "Ann leads by 1.")]
)
def test_the_hand_aside_counts_as_it_is_typed_and_is_not_taken_for_one_that_went_out(
    table: Table, hand: str, points: int, lead: str
) -> None:
    table.post("leave", by="Ben")
    asked = table.client.get("/round-end").text
    assert asked.count("has left this round. The tiles that lie aside count as you type them") == 1
    typed = {"how": "out", "hand_1": "", "hand_2": hand, "hand_3": "1-1", "page": "/round-end"}
    back = table.client.post("/round-end", data=typed)
    if back.status_code == 200:  # the record counts more tiles with Ann and Cy: sent again, it counts
        assert "Leave only the hand" not in back.text
        seen = re.search(r'name="seen" value="(\w+)"', back.text)
        assert seen is not None
        back = table.client.post("/round-end", data={**typed, "seen": seen[1]})
    assert back.status_code == 303
    assert state_of(table.session)["totals"] == {"Ann": 0, "Ben": points, "Cy": 2}
    assert "Ben has no tiles left" not in table.page, "nobody said so"
    page = table.page
    assert "Ben <small>has left</small>" in page[page.index('class="round-over') :], "not taken for one with no points"
    for path in ("/scores", "/share"):
        assert "Round 1: Ben has left the round." in table.client.get(path).text, path
    assert lead in words(page), "Ben is a player of the next round"
    assert 'value="Ben"' not in table.client.get("/players").text, "the form proposes who is there"


def test_the_phone_of_whoever_has_left_says_so_and_has_no_keys_of_a_turn(table: Table) -> None:
    table.client.post("/whose", data={"name": "Ben"})
    assert 'action="/api/play"' in table.page
    table.post("leave", by="Ben")
    acts = table.page[table.page.index('id="region-act"') : table.page.index('id="region-scores"')]
    assert "Ben has left this round already" in words(acts) and "Undo: Ben has left the round" in words(acts)
    assert set(re.findall(r'action="/api/([\w-]+)"', acts)) == {"undo"}
    table.client.post("/whose", data={"name": "Cy"})
    assert 'action="/api/play"' in table.page
    table.client.post("/whose", data={"name": "Ben"})
    table.post("undo")
    assert 'action="/api/play"' in table.page
