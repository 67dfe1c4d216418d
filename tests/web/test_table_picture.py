"""One photograph of the whole table ends a round: each hand by the seat before which it lies, and none is guessed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from bench.stand_ins.views import view_of
from companion.app.state import GameRepository
from companion.web.hands import hands_laid_open, shows_the_table
from tests.shown import state_of
from tests.web.reading import words
from tests.web.real_table import Table

FOUR = ("Ann", "Ben", "Cy", "Dee")
SIDE = 2000
LONG = 80.0
HANDS = {"Ann": ["1-2", "3-3"], "Ben": ["4-5"], "Cy": ["6-7", "8-9", "10-11"]}
TRAINS = {"Ann": "12-1 1-5", "Ben": "12-2", "Cy": "12-3", "Dee": "12-4 4-8"}


def tile(values: str | None, far: float, bearing: float, *, aside: float = 0.0, turned: float = 0.0) -> dict[str, Any]:
    """A tile so many tile lengths from the middle of the picture, in this direction: degrees clockwise from the right.

    `turned`: whoever took the photograph stood elsewhere.
    """
    ahead = (cos(radians(bearing + turned)), sin(radians(bearing + turned)))
    x, y = (SIDE / 2 + LONG * (far * a + aside * b) for a, b in zip(ahead, (-ahead[1], ahead[0]), strict=True))
    u, v = (LONG / 2 * ahead[0], LONG / 2 * ahead[1]), (-LONG / 4 * ahead[1], LONG / 4 * ahead[0])
    corners = [(x - u[0] + s * v[0], y - u[1] + s * v[1]) for s in (-1, 1)]
    corners += [(x + u[0] + s * v[0], y + u[1] + s * v[1]) for s in (1, -1)]
    halves = None if values is None else [int(half) for half in re.split("[-:]", values)]
    return {"quad": [[a / SIDE, b / SIDE] for a, b in corners], "values": halves, "face": "up", "counts": True}


def picture(*, turned: float = 0.0, hands: Mapping[str, list[str | None]] | None = None) -> dict[str, Any]:
    """The table from above: trains lead from the engine to their owners, who sit clockwise; the hands lie behind."""
    found = [tile("12-12", 0, 0, turned=turned)]
    for place, name in enumerate(FOUR):
        bearing = 90.0 * place
        found += [tile(one, 1.2 + n, bearing, turned=turned) for n, one in enumerate(TRAINS[name].split())]
        row = (HANDS if hands is None else hands).get(name, [])
        found += [tile(one, 7, bearing, aside=0.6 * n, turned=turned) for n, one in enumerate(row)]
    for one in found:
        one["counts"] = one["values"] in ([12, 12], [12, 1], [1, 5], [12, 2])
    return {"tiles": [], "unreadable": 0, "size": [SIDE, SIDE], "why": [], "found": found}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path, "tactic", "double-12", FOUR)
    for name, row in TRAINS.items():
        made.lay(name, row.split()[0], by=name)
    for name in ("Ann", "Dee"):
        made.session.play(tuple(map(int, TRAINS[name].split()[1].split("-"))), name, by=name)  # type: ignore[arg-type]
    yield made
    made.session.close()


def photographed(table: Table, read: Mapping[str, Any], by: str = "*table", **typed: str) -> TestResponse:
    state = table.client.application.extensions["companion_state"]  # type: ignore[attr-defined]
    known = state.repository or GameRepository(create=lambda *_: None, open=lambda _: None, look=lambda _: None)  # type: ignore[arg-type, return-value]
    state.repository = replace(known, read_hand=lambda _raw, _header: read)
    form = {"by": by, "how": "out", "page": "/round-end", "photo": (io.BytesIO(b"\xff\xd8\xff\xe0"), "t.jpg"), **typed}
    return table.client.post("/round-end/photo", data=form, content_type="multipart/form-data")


def hands_in(page: str) -> dict[str, str]:
    return dict(zip(FOUR, re.findall(r'name="hand_\d" value="([^"]*)"', page), strict=True))


@pytest.mark.parametrize("turned", [0.0, 30.0, 180.0, 290.0])
def test_every_hand_is_read_from_one_photograph_wherever_it_was_taken_from(table: Table, turned: float) -> None:
    page = photographed(table, picture(turned=turned)).text
    assert hands_in(page) == {"Ann": "1-2 3-3", "Ben": "4-5", "Cy": "6-7 8-9 10-11", "Dee": ""}
    assert page.count('class="counts"') == 6, "no tile of a train"
    assert page.count('class="whose p1"') == 2 and page.count('class="whose p3"') == 3
    assert state_of(table.session)["phase"] == "playing", "nothing counts before somebody says so"


def test_what_could_not_be_read_is_said_of_its_hand(table: Table) -> None:
    page = words(photographed(table, picture(hands={**HANDS, "Ben": ["4-5", None]})).text)
    assert "Ben: one tile read. One tile could not be read; add it by hand. Cy: 3 tiles read." in page


def test_tiles_at_the_trains_that_are_not_on_record_are_no_hand(table: Table) -> None:
    read = picture()
    read["found"].append(tile("8-8", 3.2, 270))
    page = photographed(table, read).text
    assert hands_in(page)["Dee"] == ""
    assert "One tile lies away from the hand and is not counted." in page


@pytest.mark.parametrize("by", ["Ann", "*table"])
def test_a_picture_of_the_whole_table_is_not_taken_for_a_hand(table: Table, by: str) -> None:
    page = photographed(table, picture(), by, hand_2="0-0").text
    assert hands_in(page)["Ann"] == "1-2 3-3"
    assert "This shows the whole table, so every hand was read from it." in page
    assert "it does not show 0-0" in words(page)


def test_whose_hand_it_is_is_never_guessed(table: Table) -> None:
    """Two hands that lie between two seats each."""
    read = picture(hands={})
    read["found"] += [tile("1-2", 7, 45), tile("4-5", 7, 225)]
    back = photographed(table, read, hand_1="0-0")
    assert back.status_code == 400 and "does not tell whose hand is whose" in back.text
    assert hands_in(back.text)["Ann"] == "0-0", "what was typed stays"


def test_of_a_round_that_nobody_tapped_the_hands_cannot_be_told_from_the_trains(tmp_path: Path) -> None:
    empty = Table(tmp_path, "tactic", "double-12", FOUR)
    back = photographed(empty, picture())
    assert back.status_code == 400 and "No tile of this round is on record" in back.text
    empty.session.close()


def test_one_hand_beside_a_train_is_still_one_hand(table: Table) -> None:
    read = {**picture(), "tiles": [[1, 2], [3, 3]]}
    for one in read["found"]:
        one["counts"] = one["values"] in ([1, 2], [3, 3], [1, 5])
    page = photographed(table, read, "Ann").text
    assert "whole table, so" not in page and hands_in(page)["Ann"] == "1-2 3-3"


def test_a_chinese_line_is_told_from_equal_tiles_in_the_hands(tmp_path: Path) -> None:
    """The players sit counter-clockwise, and each tile is in the box twice."""
    deal = Table(tmp_path, "jielong", "chinese", FOUR)
    for line in ("2:6", "6:4", "4:1"):
        deal.session.play(tuple(map(int, line.split(":"))), "R")  # type: ignore[arg-type]
    board = view_of({**state_of(deal.session), "hands": {"Ann": 1, "Ben": 2, "Cy": 3, "Dee": 4}})
    found = [tile(one, n - 1, 0) for n, one in enumerate(("2:6", "6:4", "4:1"))]
    counts = {"Ann": 1, "Dee": 4, "Cy": 3, "Ben": 2}
    for place, (name, count) in enumerate(counts.items()):
        found += [tile("4:1" if name == "Cy" else "3:5", 8, 90 * place, aside=0.6 * n) for n in range(count)]
    read = {"found": found, "size": [SIDE, SIDE]}
    laid = hands_laid_open(read, board)
    assert laid is not None and {name: len(hand) for name, hand in laid.hands.items()} == counts
    assert laid.hands["Cy"] == [(4, 1)] * 3
    assert shows_the_table(read, board), "more tiles than a hand has"
    assert not shows_the_table({**read, "found": found[:5]}, board)
    deal.session.close()
