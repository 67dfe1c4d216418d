"""From an empty box to the first tile: at most five taps on the phone that begins, in every game."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from bench.stand_ins.browser import served
from bench.stand_ins.fakes import PIN, QUICK
from companion.app.games import make_app_state
from companion.rules.ruleset import RULESET_NAMES
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("rules", RULESET_NAMES)
def test_a_fresh_phone_lays_the_first_tile_with_five_taps(tmp_path: Path, browser: Browser, rules: str) -> None:
    """It has scanned the code; names are typed. A Chinese first tile is two taps, any other one."""
    state = make_app_state(tmp_path)
    app = create_app(state, PageSettings(pin=PIN), PinLock.of(PIN, QUICK))
    tapped = list[str]()
    with served(app) as address:
        page = browser.new_page(
            base_url=address, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
        )

        def tap(key: Locator) -> None:
            tapped.append(key.inner_text())
            key.tap()

        page.goto(f"/join/{app.extensions['companion_evening'].code}")
        tap(page.locator(f'.rule-key[href="/setup?rules={rules}"]'))
        for seat, name in enumerate(("Ann", "Ben", "Cy", "Dee"), start=1):
            page.fill(f'input[name="player_{seat}"]', name)
        tap(page.get_by_role("button", name="Start the game: 4 players"))
        expect(page.locator('input[name="starter"][value="Ann"]')).to_be_checked()
        tap(page.locator(".whose").get_by_role("button", name="Ben"))
        keys = page.locator("#region-act form.enter")
        expect(keys).to_be_visible()
        assert state.session.phase == "playing"
        if state.session.snapshot().chinese:
            tap(keys.locator('label.key:has([name="inner"][value="5"])'))
        tap(keys.locator('button[name="outer"][value="6"]'))
        expect(page.locator(".laid")).to_have_count(1)
        expect(page.locator(".foot .about")).to_contain_text("Ben")
        page.close()
    state.session.close()  # type: ignore[attr-defined]
    state.repository.read_hand.close()  # type: ignore[union-attr]
    assert len(tapped) <= 5, tapped
