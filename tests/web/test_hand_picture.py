"""The tiles of a photographed hand on the page: which of them count is seen, and a tap adds or drops one."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import served
from bench.stand_ins.fakes import PIN, FakeSession
from companion.app.state import AppState
from tests.web.reading import words

JPEG = b"\xff\xd8\xff\xe0"


def lying(x: float, y: float, values: list[int] | None, counts: bool, face: str = "up") -> dict[str, Any]:
    """A tile that stands on end in the picture, its first value on top."""
    quad = [[x, y], [x + 0.05, y], [x + 0.05, y + 0.2], [x, y + 0.2]]
    return {"quad": quad, "values": values, "face": face, "counts": counts}


HAND = {
    "tiles": [[3, 5], [1, 1]],
    "unreadable": 1,
    "size": [1000, 500],
    "why": ["these tiles carry digits; teach it your set first"],
    "found": [
        lying(0.4, 0.4, [3, 5], True),
        lying(0.5, 0.4, [1, 1], True),
        lying(0.6, 0.4, None, True),
        lying(0.05, 0.05, [6, 2], False),
    ],
}


@pytest.fixture
def photographed(app_state: AppState, session: FakeSession) -> None:
    def read_hand(_raw: bytes, _header: Mapping[str, Any]) -> dict[str, Any]:
        return HAND

    assert app_state.repository is not None
    app_state.repository = replace(app_state.repository, read_hand=read_hand)
    session.show(tables.round_over())


@pytest.mark.usefixtures("photographed")
def test_the_page_shows_which_tiles_of_a_photograph_count(keeper: FlaskClient) -> None:
    form = {"by": "Ben", "photo": (io.BytesIO(JPEG), "hand.jpg")}
    page = keeper.post("/round-end/photo", data=form, content_type="multipart/form-data").text
    assert page.count('class="counts" transform="matrix(') == 3
    assert 'data-counts="hand_2"' in page and 'data-tile="6-2"' in page
    # The first value lies on top: the drawing, 208 long, is turned by a right angle and 100 px become 208.
    assert 'transform="matrix(0 1 -0.963 0 936 416)"' in page
    assert "tiles carry digits; teach it" in page, "what is amiss with the whole picture is said"


def test_of_a_tile_half_read_the_other_half_is_asked_for(
    keeper: FlaskClient, app_state: AppState, session: FakeSession
) -> None:
    one = lying(0.6, 0.4, None, True) | {"known": [3, None], "maybe": [[], [4, 2]]}
    assert app_state.repository is not None
    app_state.repository = replace(app_state.repository, read_hand=lambda _raw, _header: HAND | {"found": [one]})
    session.show(tables.round_over())
    form = {"by": "Ben", "photo": (io.BytesIO(JPEG), "hand.jpg")}
    page = keeper.post("/round-end/photo", data=form, content_type="multipart/form-data").text
    assert 'aria-label="3-?"' in page and ">3</text>" in page and ">?</text>" in page
    assert "One half is 3; the other may be 4 / 2." in page


@pytest.mark.usefixtures("photographed")
def test_what_a_photograph_took_the_place_of_is_said(keeper: FlaskClient) -> None:
    def read(typed: str) -> str:
        form = {"by": "Ben", "hand_2": typed, "photo": (io.BytesIO(JPEG), "hand.jpg")}
        return words(keeper.post("/round-end/photo", data=form, content_type="multipart/form-data").text)

    page = read("5-3, 2-4 9")
    assert 'value="3-5 1-1"' in page
    assert "took the place of what was typed; it does not show 2-4 9." in page
    assert "took the place" not in read("1-1 5-3"), "nothing is lost"


@pytest.fixture
def page(app: Flask, browser: Browser, photographed: None) -> Iterator[Page]:
    with served(app) as address:
        context = browser.new_context(base_url=address, viewport={"width": 390, "height": 844})
        assert context.request.post("/api/pin", data={"pin": PIN}).ok
        yield context.new_page()
        context.close()


@pytest.mark.browser
def test_a_tap_adds_a_tile_and_drops_it(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "hand.jpg"
    file.write_bytes(JPEG)
    page.goto("/round-end", wait_until="domcontentloaded")
    page.select_option("select[name=by]", "Ben")
    page.set_input_files("input[name=photo]", file)
    page.click("button[formaction='/round-end/photo']")
    field, aside, first = page.locator("[name=hand_2]"), page.get_by_label("6-2"), page.get_by_label("3-5")
    expect(field).to_have_value("3-5 1-1")
    expect(aside).to_have_attribute("aria-pressed", "false")
    aside.click()
    expect(field).to_have_value("3-5 1-1 6-2")
    first.click()
    expect(field).to_have_value("1-1 6-2")
    expect(first).to_have_attribute("aria-pressed", "false")
    field.fill("1-1 5-3")
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(aside).to_have_attribute("aria-pressed", "false")
    page.get_by_label("not read").click()
    expect(field).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
