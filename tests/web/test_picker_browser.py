"""A hand is entered with one tap for each tile, from those that lie nowhere on the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion.app.state import AppState
from companion.game.session import Session
from companion.log.event_fields import Header
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from tests.web.browser import served
from tests.web.conftest import PIN, QUICK

pytestmark = pytest.mark.browser

LYING = {(6, 6), (5, 6)}

TEN = ("0-1", "0-2", "0-3", "1-1", "1-2", "2-4", "3-3", "4-4", "4-6", "5-5")


def test_ten_tiles_are_ten_taps(tmp_path: Path, browser: Browser) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("tactic", "double-6", ("Ann", "Ben")))
    session.start_round((6, 6), "Ann")
    session.play((6, 5), "Ann", "Ann")
    app = create_app(AppState(session), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))
    with served(app) as address:
        page = browser.new_page(
            base_url=address, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
        )
        page.request.post("/api/pin", data={"pin": PIN})
        page.goto("/round-end", wait_until="domcontentloaded")
        field = page.locator('input[name="hand_2"]')
        field.tap()
        tiles = page.locator(".picker .tiles button")
        assert tiles.all_inner_texts() == [f"{a}-{b}" for a in range(7) for b in range(a, 7) if (a, b) not in LYING]
        for tile in TEN:
            key(page, tile).tap()
        expect(field).to_have_value(" ".join(TEN))
        key(page, "1-1").tap()
        expect(field).to_have_value(" ".join(tile for tile in TEN if tile != "1-1"))
        page.locator('input[name="hand_1"]').tap()
        expect(key(page, "1-2")).to_be_disabled()
        expect(key(page, "1-1")).to_be_enabled()
        pips = page.locator('output[data-sum="hand_1"]')
        for typed, told in (
            ("3-3", "Pips: 6"),
            ("abc 99", "A tile is written like 12-5."),
            ("7-1", "A tile is written"),
        ):
            page.locator('input[name="hand_1"]').fill(typed)
            expect(pips).to_contain_text(told)
        page.close()
    session.close()


def key(page: Page, tile: str) -> Locator:
    return page.locator(".picker .tiles").get_by_text(tile, exact=True).locator("..")
