"""A hand is entered with one tap or one stroke for each tile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from bench.stand_ins.browser import served, stroke
from bench.stand_ins.fakes import PIN, QUICK
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.chinese import tiles_of
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Tile
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app

pytestmark = pytest.mark.browser

LYING = {(6, 6), (5, 6)}

TEN = ("0-1", "0-2", "0-3", "1-1", "1-2", "2-4", "3-3", "4-4", "4-6", "5-5")


@contextmanager
def hands_of(tmp_path: Path, browser: Browser, tiles: str, engine: int, rules: str = "tactic") -> Iterator[Page]:
    """The form for all hands on a phone, after one tile. `engine` of the Chinese games: the left half of that tile."""
    chinese = tiles == "chinese"
    names = ("Ann", "Ben", "Cy", "Dee") if chinese else ("Ann", "Ben")
    session = Game.create(tmp_path / "g.jsonl", Header(rules, tiles, names))
    session.start_round(None if chinese else (engine, engine), "Ann")
    session.play((engine, 5), "R" if chinese else "Ann", "Ann")
    app = create_app(AppState(session), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))
    with served(app) as address:
        page = browser.new_page(
            base_url=address, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
        )
        page.request.post("/api/pin", data={"pin": PIN})
        page.goto("/round-end", wait_until="domcontentloaded")
        yield page
        page.close()
    session.close()


def test_ten_tiles_are_ten_taps(tmp_path: Path, browser: Browser) -> None:
    with hands_of(tmp_path, browser, "double-6", 6) as page:
        expect(page.locator(".picker")).to_have_attribute("data-for", "hand_1")  # Without a tap.
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


@pytest.mark.parametrize("rules", ["jielong", "chedeng", "kkori"])
def test_five_chinese_tiles_are_five_taps_and_come_twice_where_the_set_has_two(
    tmp_path: Path, browser: Browser, rules: str
) -> None:
    with hands_of(tmp_path, browser, "chinese", 6, rules) as page:
        tiles = page.locator(".picker .tiles button")
        named = tiles.all_inner_texts()
        left = Counter(tiles_of(load_ruleset(rules), 4)) - Counter([Tile(5, 6)])
        assert named == [f"{tile.low}:{tile.high}" for tile in sorted(left.elements())]
        field = page.locator('input[name="hand_1"]')
        field.tap()
        first, second = key(page, "1:1").all()
        for one in (key(page, "2:4"), second, key(page, "5:6"), key(page, "3:4"), first):
            one.tap()
        expect(field).to_have_value("2:4 1:1 5:6 3:4 1:1")
        first.tap()
        expect(field).to_have_value("2:4 5:6 3:4 1:1")
        expect(second).to_have_attribute("aria-pressed", "true")
        expect(first).to_have_attribute("aria-pressed", "false")
        other = page.locator('input[name="hand_2"]')
        other.tap()
        first, second = key(page, "1:1").all()
        expect(first).to_be_disabled()
        expect(second).to_be_enabled()
        expect(key(page, "5:6")).to_be_disabled()
        faults = Axe().run(page, options={"runOnly": ["target-size"]}).response["violations"]
        assert faults == []


@pytest.mark.parametrize(("rules", "pips"), [("reeves", "Pips: 53"), ("tactic", "Pips: 3")])
def test_the_double_blank_counts_as_these_rules_say(tmp_path: Path, browser: Browser, rules: str, pips: str) -> None:
    with hands_of(tmp_path, browser, "double-12", 12, rules) as page:
        page.locator('input[name="hand_2"]').fill("0-0 1-2")
        expect(page.locator('output[data-sum="hand_2"]')).to_have_text(pips)


def test_where_many_tiles_are_left_one_stroke_makes_a_tile(tmp_path: Path, browser: Browser) -> None:
    with hands_of(tmp_path, browser, "double-12", 12) as page:
        field = page.locator('input[name="hand_2"]')
        field.tap()
        expect(page.locator(".picker .tiles")).to_have_count(0)
        for one, other in (("12", "3"), ("0", "11"), ("7", "6"), ("10", "9")):
            stroke(page, number(page, one), number(page, other))
        expect(field).to_have_value("12-3 0-11 7-6 10-9")
        for value in ("8", "8", "4", "1"):
            number(page, value).tap()
        expect(field).to_have_value("12-3 0-11 7-6 10-9 8-8 4-1")
        number(page, "2").tap()
        stroke(page, number(page, "5"), number(page, "0"))
        number(page, "⌫").tap()
        expect(field).to_have_value("12-3 0-11 7-6 10-9 8-8 4-1")
        expect(page.locator(".picker .numbers .over, .picker .numbers [aria-pressed=true]")).to_have_count(0)


def number(page: Page, value: str) -> Locator:
    return page.locator(".picker .numbers").get_by_text(value, exact=True).locator("..")


def key(page: Page, tile: str) -> Locator:
    return page.locator(".picker .tiles").get_by_text(tile, exact=True).locator("..")
