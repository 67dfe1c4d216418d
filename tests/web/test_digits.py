"""Digits of every script and the dashes of other keyboards are read in hands, points, numbers and the PIN."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import served
from bench.stand_ins.fakes import PIN, FakeSession
from companion.web.forms import plain_digits, plain_signs
from tests.shown import state_of
from tests.web.real_table import Table

HANDS = [
    "12-5 3-3", "১২-৫ ৩-৩", "12–5 3‑3", "１２－５　３：３", "١٢-٥، ٣-٣", "१२−५；३—३", "１２-５，3:3", "12—5؛3-3",
]  # fmt: skip


@pytest.mark.parametrize("hand", HANDS)
def test_a_hand_is_read_in_every_script(tmp_path: Path, hand: str) -> None:
    table = Table(tmp_path, "tactic", "double-12")
    table.session.end_round("blocked_declared")
    table.send("show-hand", by="Ann", tiles=hand)
    assert state_of(table.session)["shown"]["Ann"] == [[5, 12], [3, 3]]
    table.session.close()


@pytest.mark.parametrize("points", ["31", "৩১", "３１", "٣١"])
def test_points_are_read_in_every_script(tmp_path: Path, points: str) -> None:
    table = Table(tmp_path, "tactic", "double-12")
    sent = {"points_1": plain_digits("০"), "points_2": points, "points_3": "২", "out": "Ann"}
    assert table.client.post("/round-points/1", data=sent).status_code == 303
    assert state_of(table.session)["totals"] == {"Ann": 0, "Ben": 31, "Cy": 2}
    table.session.close()


@pytest.mark.parametrize("minus", ["-", "−", "–", "－"])
def test_a_minus_is_read_as_it_is_typed(tmp_path: Path, minus: str) -> None:
    table = Table(tmp_path, "jielong", "chinese")
    sent = {"points_1": "５", "points_2": f"{minus}３", "points_3": f"{minus}2", "how": "out"}
    assert table.client.post("/round-points/1", data=sent).status_code == 303
    assert state_of(table.session)["totals"] == {"Ann": 5, "Ben": -3, "Cy": -2}
    table.session.close()


@pytest.mark.parametrize("zero", ["0", "০", "０", "٠", "०"])
def test_the_pin_is_taken_in_every_script(anyone: FlaskClient, zero: str) -> None:
    typed = "".join(chr(ord(zero) + int(digit)) for digit in PIN)
    assert anyone.post("/api/pin", json={"pin": typed}).status_code == 200
    assert anyone.post("/api/pin", json={"pin": typed[::-1]}).status_code != 200, "and no other one"


def test_what_is_no_digit_stays_what_it_is() -> None:
    for text in ("12-5", "², ½ Ⅻ 一二", "Zoë"):
        assert plain_digits(text) == text
    assert plain_signs("²–½") == "²-½"


@pytest.mark.browser
def test_the_page_adds_up_what_is_typed_in_every_script(browser: Browser, app, session: FakeSession) -> None:
    session.show(tables.round_over())
    with served(app) as address:
        page = browser.new_page(base_url=address)
        page.request.post("/api/pin", data={"pin": PIN})
        page.goto("/round-end", wait_until="load")
        for hand in HANDS:
            page.fill("[name=hand_1]", hand)
            expect(page.locator('[data-sum="hand_1"]')).to_have_text("Pips: 23")
        page.fill("[name=hand_1]", "৫-৫")
        page.locator("[name=hand_1]").focus()
        for key in ("3", "4"):
            page.locator(".picker").get_by_role("button", name=key, exact=True).click()
        expect(page.locator("[name=hand_1]")).to_have_value(re.compile("^5-5 3-4$"))
        page.goto("/round-points/3", wait_until="load")
        for n, points in enumerate(("৭", "০", "３", "٤"), start=1):
            page.fill(f"[name=points_{n}]", points)
        expect(page.locator("[name=out]:checked")).to_have_value("Ben")
        page.close()
