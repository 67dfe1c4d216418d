"""Faults of single screens, each at the size and in the language that showed it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import once_at_rest, served, with_pin
from bench.stand_ins.fakes import PIN, QUICK, FakeSession
from bench.stand_ins.settling import confirm
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from companion.web.languages import LANGUAGES
from tests.lanes import nightly

pytestmark = pytest.mark.browser

SMALL, PHONE, SIDEWAYS, TABLET = (320, 640), (390, 844), (844, 390), (1024, 768)
FAMILY = ("Hildegard", "Bo", "Maximilian", "Olena")


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app) as found:
        yield found


def opened(browser: Browser, address: str, size: tuple[int, int], path: str = "/", language: str = "de") -> Page:
    """The page in this language on a screen of this size, with the right to play."""
    page = with_pin(browser, address, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page.goto(f"{address}{path}?lang={language}", wait_until="load")
    return page


def box(part: Locator) -> FloatRect:
    found = part.first.bounding_box()
    assert found is not None
    return found


@contextmanager
def out_of_turn(folder: Path, *, settled: bool) -> Iterator[str]:
    """Olena laid on Hildegard's closed train: what was it, is asked, or it was so."""
    session = Game.create(folder / "g.jsonl", Header("tactic", "double-9", FAMILY))
    session.start_round((9, 9), FAMILY[0])
    for name, outer in zip(FAMILY, (7, 1, 2, 3), strict=True):
        session.play((9, outer), name, name)
    for name, tile in zip(FAMILY, ((7, 4), (1, 5), (2, 6)), strict=False):
        session.play(tile, name, name)
    [laid] = [one for one in session.play((4, 0), FAMILY[0], "Olena") if isinstance(one, TilePlayed)]
    if settled:
        confirm(session)
    with served(create_app(AppState(session), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))) as address:
        yield f"{address}/play/{laid.seq}"
    session.close()


@pytest.mark.parametrize("language", ["de", nightly("uk"), nightly("fr"), nightly("bn")])
def test_the_header_of_a_tablet_has_the_pages_beside_the_name(
    browser: Browser, address: str, session: FakeSession, language: str
) -> None:
    session.show(tables.midgame())
    page = opened(browser, address, TABLET, language=language)
    brand, menu = box(page.locator(".brand")), box(page.locator(".masthead .menu"))
    assert abs(brand["y"] + brand["height"] / 2 - menu["y"] - menu["height"] / 2) < 12
    page.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_narrow_window_has_its_pages_in_one_line(
    browser: Browser, address: str, session: FakeSession, language: str
) -> None:
    """Desktop Firefox takes 15 px of 320 for its bar."""
    session.show(tables.wall(2, 3, 2, names=FAMILY) | {"turn": FAMILY[0]})
    page = opened(browser, address, (305, 640), language=language)
    parts = page.locator(".masthead .brand, .masthead .straight a:visible, .masthead summary").all()
    middles = [round(at["y"] + at["height"] / 2) for at in map(box, parts)]
    assert len(parts) == 4 and max(middles) - min(middles) < 12
    assert page.evaluate("document.documentElement.scrollWidth") <= 305
    name = page.locator("#region-turn h2")
    assert name.evaluate("h2 => h2.getBoundingClientRect().height < 3 * parseFloat(getComputedStyle(h2).fontSize)")
    page.context.close()


def test_no_empty_strip_lies_over_a_tablets_page(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.waiting())
    page = opened(browser, address, TABLET)
    assert page.locator("#region-act").evaluate("act => act.offsetHeight") == 0
    page.context.close()


def test_a_tablets_keys_hide_the_whole_row_below_them_and_fill_theirs(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = opened(browser, address, TABLET)
    page.locator("#region-act summary").first.click()
    act, row = box(page.locator("#region-act")), box(page.locator(".train.moves"))
    beside = "row => ['left', 'right'].map((side) => -parseFloat(getComputedStyle(row, '::before')[side]))"
    left, right = page.locator(".train.moves").evaluate(beside)
    assert left > 0 < right
    assert act["x"] <= row["x"] - left and act["x"] + act["width"] >= row["x"] + row["width"] + right
    rows = [box(key)["y"] for key in page.locator("#region-act .pad > .key, #region-act .pad > .more").all()]
    assert len(rows) == 14 and {rows.count(y) for y in rows} == {7}
    page.context.close()


def test_a_ruling_stays_in_sight_over_a_tablets_keys(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = opened(browser, address, TABLET)
    page.locator("#region-act summary").first.click()
    session.show(tables.illegal())
    title = page.locator(".alerts .fault h3")
    expect(title).to_be_visible()

    def below_the_name() -> bool:
        turn, ruling = box(page.locator("#region-turn")), box(title)
        return turn["y"] + turn["height"] <= ruling["y"] < box(page.locator("#region-act"))["y"]

    page.locator(".newest.fault").wait_for()
    page.wait_for_timeout(300)  # It was there, and then the page moved to the tile.
    assert once_at_rest(page, below_the_name)
    page.context.close()


@pytest.mark.parametrize("language", ["de", "uk", *map(nightly, ("ru", "cs", "fr", "es", "ko", "bn"))])
def test_the_second_train_is_whole_on_a_small_phone(
    browser: Browser, address: str, session: FakeSession, language: str
) -> None:
    table = tables.wall(2, 1, 1, names=FAMILY) | {"turn": FAMILY[0]}
    for row in table["trains"]:
        row |= {"tiles": [], "end": 12, "playable": row["owner"] != FAMILY[1]}
    session.show(table)
    page = opened(browser, address, SMALL, language=language)
    page.locator("#region-act summary").first.click()
    lane, train = box(page.locator("#region-act .lane")), box(page.locator('.lane .chip:has([value="MX"])'))
    assert train["x"] + train["width"] <= lane["x"] + lane["width"]
    page.context.close()


def test_a_small_phones_keys_are_as_wide_as_a_finger(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = opened(browser, address, SMALL)
    page.locator("#region-act summary").first.click()
    assert min(box(key)["width"] for key in page.locator("#region-act .pad > .key").all()) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": SIDEWAYS[0], "height": SIDEWAYS[1]})
    assert box(page.locator(".brand"))["width"] >= 44
    page.context.close()


def test_a_question_is_whole_on_a_phone_and_leaves_a_third_to_the_table(browser: Browser, tmp_path: Path) -> None:
    with out_of_turn(tmp_path, settled=False) as laid:
        page = opened(browser, laid.partition("/play")[0], PHONE)
        asked = page.locator("#region-asked")
        expect(asked.get_by_role("button", name="Später")).to_be_in_viewport(ratio=1)
        assert asked.evaluate("asked => asked.scrollHeight - asked.clientHeight") <= 1
        for key in page.locator('.dock .quick form[action="/api/undo"] .button, .dock .rare > summary').all():
            expect(key).to_be_in_viewport(ratio=1)
        assert once_at_rest(page, lambda: box(page.locator(".dock"))["y"], lambda y: y > PHONE[1] / 3) > PHONE[1] / 3
        page.context.close()


@pytest.mark.parametrize("language", ["de", nightly("ko"), nightly("zh")])
def test_a_question_is_whole_on_top_of_a_small_phones_page(browser: Browser, tmp_path: Path, language: str) -> None:
    with out_of_turn(tmp_path, settled=False) as laid:
        page = opened(browser, laid.partition("/play")[0], SMALL, language=language)
        title = page.locator("#region-asked h3")
        expect(title).to_be_visible()
        page.mouse.wheel(0, -2000)
        page.evaluate("scrollTo(0, 0)")
        on_top = "title => { const at = title.getBoundingClientRect(); \
return title.contains(document.elementFromPoint(at.left + 5, at.top + 3)) }"
        assert once_at_rest(page, lambda: title.evaluate(on_top))
        page.context.close()


@pytest.mark.parametrize("language", ["de", nightly("uk"), nightly("ru")])
def test_what_a_correction_changes_is_whole_on_a_small_phone(browser: Browser, tmp_path: Path, language: str) -> None:
    with out_of_turn(tmp_path, settled=True) as laid:
        address, _, seq = laid.partition("/play")
        page = opened(browser, address, SMALL, language=language)
        page.goto(f"{address}/play{seq}/correction?by={FAMILY[0]}", wait_until="load")
        assert page.locator("tbody td").count() >= 2
        assert page.locator(".scroll").evaluate("part => part.scrollWidth <= part.clientWidth")
        page.context.close()


@pytest.mark.parametrize("language", ["fr", nightly("ko")])
def test_the_own_name_of_a_game_stays_in_one_piece(browser: Browser, tmp_path: Path, language: str) -> None:
    with served(create_app(make_app_state(tmp_path), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))) as address:
        page = opened(browser, address, SMALL, language=language)
        pieces = "(own) => { const at = document.createRange(), key = [...document.querySelectorAll('.button')]\
.map((one) => one.firstChild).find((one) => one.data?.includes(own)), from = key.data.indexOf(own);\
at.setStart(key, from); at.setEnd(key, from + own.length); return at.getClientRects().length; }"
        assert page.evaluate(pieces, "꼬리붙이기") == 1
        page.context.close()


def test_a_phone_held_sideways_has_the_answers_down_to_its_edge(browser: Browser, tmp_path: Path) -> None:
    with out_of_turn(tmp_path, settled=False) as laid:
        page = opened(browser, laid.partition("/play")[0], SIDEWAYS)
        asked, hidden = page.locator("#region-asked"), "asked => asked.scrollHeight - asked.clientHeight"
        end = once_at_rest(page, lambda: box(asked)["y"] + box(asked)["height"], lambda y: y > SIDEWAYS[1] - 10)
        assert asked.evaluate(hidden) <= 1 or end > SIDEWAYS[1] - 10
        page.context.close()


def test_the_four_keys_of_a_replay_stand_in_one_row(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = opened(browser, address, SMALL, "/games/tonight/replay")
    keys = [box(key) for key in page.locator(".scrub .button").all()]
    assert len(keys) == 4 and len({key["y"] for key in keys}) == 1
    assert [key["x"] for key in keys] == sorted(key["x"] for key in keys)
    page.context.close()


def test_the_answers_are_as_wide_as_their_card(browser: Browser, tmp_path: Path) -> None:
    with out_of_turn(tmp_path, settled=False) as laid:
        address, _, seq = laid.partition("/play")
        page = opened(browser, address, PHONE, f"/play{seq}")
        card, key = box(page.locator("article.card .settle")), box(page.locator(".settle .answers button"))
        assert key["x"] - card["x"] < 30
        page.context.close()


@pytest.mark.parametrize("language", ["uk", *map(nightly, ("ru", "bn", "fr"))])
def test_the_common_first_lap_leaves_a_third_of_a_small_phone_to_the_table(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    names = (*FAMILY, "Kateryna", "Jo", "Ann", "Ben")
    session = Game.create(tmp_path / "g.jsonl", Header("cz", "double-12", names))
    session.start_round((12, 12), names[0])
    session.play((12, 4), names[0], names[0])
    with served(create_app(AppState(session), PageSettings(pin=PIN), PinLock.of(PIN, QUICK))) as address:
        page = opened(browser, address, SMALL, language=language)
        tile = page.locator(".newest .domino")
        tile.wait_for()
        above, below = page.locator("#region-turn"), page.locator(".dock")

        def shown() -> bool:
            at = box(tile)
            return box(above)["y"] + box(above)["height"] <= at["y"] < at["y"] + at["height"] < box(below)["y"]

        assert once_at_rest(page, shown) and box(below)["y"] > SMALL[1] / 3
        last = page.locator(".built button").last
        last.scroll_into_view_if_needed()
        expect(last).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= SMALL[0]
        page.context.close()
    session.close()


@pytest.mark.parametrize("language", ["uk", *map(nightly, ("ru", "ko", "de"))])
def test_both_keys_of_each_act_are_on_a_small_phone(browser: Browser, tmp_path: Path, language: str) -> None:
    with out_of_turn(tmp_path, settled=False) as laid:
        address = laid.partition("/play")[0]
        page = opened(browser, address, SMALL, language=language)
        [question] = page.request.get(f"{address}/api/state").json()["questions"]
        page.goto(f"{address}/question/{question['seq']}/order", wait_until="load")
        card, rows = box(page.locator(".card")), [box(row) for row in page.locator(".in-order li").all()]
        assert rows and max(row["x"] + row["width"] for row in rows) < card["x"] + card["width"]
        for row, key in zip(rows, page.locator('.in-order [data-move="1"]').all(), strict=True):
            assert box(key)["x"] + box(key)["width"] < row["x"] + row["width"]
        page.context.close()


def test_the_numbers_are_on_the_screen_with_the_hand_that_they_fill(browser: Browser, tmp_path: Path) -> None:
    """Few tiles lie on the table, so that most may be left."""
    with out_of_turn(tmp_path, settled=True) as laid:
        width, height = SMALL
        context = browser.new_context(viewport={"width": width, "height": height}, is_mobile=True, has_touch=True)
        address = laid.partition("/play")[0]
        assert context.request.post(f"{address}/api/pin", data={"pin": PIN}).ok
        page = context.new_page()
        page.goto(f"{address}/round-end", wait_until="load")
        assert page.locator(".picker .tiles button").count() == 46
        field, last = box(page.locator('input[name="hand_1"]')), box(page.locator(".picker .numbers button").last)
        assert last["y"] + last["height"] - field["y"] < height
        context.close()


INK = """h2 => {
  const baseline = (part) => { const mark = document.createElement('i'); mark.style.display = 'inline-block';
    part.append(mark); const at = mark.getBoundingClientRect().bottom; mark.remove(); return at; };
  const size = (part) => parseFloat(getComputedStyle(part).fontSize), small = h2.querySelector('small');
  return baseline(h2) - 0.88 * size(h2) - baseline(small) - 0.12 * size(small);
}"""
"""How far two lines of Chinese characters are apart, which fill 0.88 of their size above the baseline, 0.12 below."""


def test_two_lines_of_chinese_do_not_touch(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.round_over())
    page = opened(browser, address, PHONE, language="zh")
    assert page.locator("#region-turn h2").evaluate(INK) >= 3
    page.context.close()
