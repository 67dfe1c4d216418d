"""The big screen in a real browser: no two labels touch, nothing is cut off and nothing lies under anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import once_at_rest, served
from bench.stand_ins.fakes import FakeSession
from companion.app.state import AppState
from tests.lanes import nightly

pytestmark = pytest.mark.browser

SCREENS = {"720p": (1280, 720), "1080p": (1920, 1080), "4K": (3840, 2160), "a tablet": (1024, 768)}
EVERY_DAY = ["720p", *map(nightly, ("1080p", "4K", "a tablet"))]

TABLES = {
    "two players, first tiles": tables.wall(2, 1, 1),
    "two players, long trains": tables.wall(2, 20, 30, alerts=5),
    "four players": tables.wall(4, 12, 8, alerts=1),
    "eight players, first tiles": tables.wall(8, 1, 1),
    "eight players, trains of twenty, a Mexican train of thirty": tables.wall(8, 20, 30),
    "the same with five alerts at once": tables.wall(8, 20, 30, alerts=5),
    "eight short names": tables.wall(8, 9, 14, alerts=2, names=("Ann", "Ben", "Cy", "Dee", "Eva", "Fay", "Gus", "Hal")),
    "eight players, an open double": tables.wall_under_a_double(),
    "a double-eighteen set": tables.wall(6, 14, 10) | {"set_max": 18, "set": "double-18"},
    "tiles that are not recorded": tables.off_record(),
    "a Chinese wall": tables.chinese_line() | {"line": tables.chinese_line()["line"] * 3},
    "hands to be shown": tables.round_over(),
    "a match won by two": tables.match_over() | {"winner": ["Ann", "Dorothea"]},
}

FULLEST = (
    "two players, long trains",
    "the same with five alerts at once",
    "a double-eighteen set",
    "a Chinese wall",
    "hands to be shown",
)
"""Tables that have little room left for letters of another size."""

LETTERS = """() => Math.min(99, ...[...document.querySelectorAll('.laid .num')].map((e) =>
  parseFloat(getComputedStyle(e).fontSize)))"""
"""How high the smallest number at a tile is, in px."""

MEASURE = """() => {
  const found = [];
  const known = new Map();
  const seen = (e) => {
    if (e === null) return true;
    if (!known.has(e)) {
      const style = getComputedStyle(e);
      const away = e.hidden || style.display === 'none' || style.visibility === 'hidden';
      known.set(e, !away && !style.clipPath.startsWith('inset') && seen(e.parentElement));
    }
    return known.get(e);
  };
  const box = (r, name, element) => ({ l: r.left, t: r.top, r: r.right, b: r.bottom, name, element });
  const texts = [];
  const walk = document.createTreeWalker(document.querySelector('#live'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (!node.data.trim() || node.parentElement.closest('svg, script') || !seen(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects())
      if (r.width && r.height) texts.push(box(r, node.data.trim().slice(0, 30), node.parentElement));
  }
  const pictures = [...document.querySelectorAll('#live svg.domino, #live svg.token, #live .join img')]
    .filter(seen).map((e) => box(e.getBoundingClientRect(), e.getAttribute('class') || 'QR code', e));
  const hiddenAway = (b) => {
    const list = b.element.closest('.log');
    return list !== null && b.l >= list.getBoundingClientRect().right - 1;
  };
  const all = [...texts, ...pictures].filter((b) => !hiddenAway(b));
  for (const b of all) {
    if (b.l < -1 || b.t < -1 || b.r > innerWidth + 1 || b.b > innerHeight + 1) found.push(`off the screen: ${b.name}`);
    for (let up = b.element.parentElement; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const clip = up.getBoundingClientRect();
      if (b.l < clip.left - 1 || b.t < clip.top - 2 || b.r > clip.right + 1 || b.b > clip.bottom + 2)
        found.push(`cut off by ${up.className || up.id}: ${b.name}`);
    }
  }
  // Glyphs are lower than their line: what touches by less than a fifth of it does not touch.
  const touch = (a, b) => Math.min(a.r, b.r) - Math.max(a.l, b.l) > 1
    && Math.min(a.b, b.b) - Math.max(a.t, b.t) > 0.22 * Math.min(a.b - a.t, b.b - b.t);
  for (let i = 0; i < all.length; i++)
    for (let j = i + 1; j < all.length; j++) {
      const [a, b] = [all[i], all[j]];
      if (!touch(a, b)) continue;
      if (a.element === b.element || a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const tile = a.element.closest('.laid, .engine');
      if (tile && tile === b.element.closest('.laid, .engine')) continue;
      found.push(`${a.name} touches ${b.name}`);
    }
  for (const e of document.querySelectorAll('#live *'))
    if (seen(e) && getComputedStyle(e).textOverflow === 'ellipsis' && e.scrollWidth > e.clientWidth + 1)
      found.push(`shortened: ${e.textContent.trim().slice(0, 30)}`);
  return [...new Set(found)];
}"""


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app) as found:
        yield found


@pytest.mark.parametrize("screen", EVERY_DAY)
def test_nothing_touches_and_nothing_is_cut_off(
    browser: Browser, address: str, session: FakeSession, screen: str
) -> None:
    width, height = SCREENS[screen]
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    faults: dict[str, Any] = {}
    letters: dict[str, float] = {}
    for name, table in TABLES.items():
        session.show(table)
        page.goto(f"{address}/tv", wait_until="load")
        faults[name] = once_at_rest(page, lambda: page.evaluate(MEASURE), lambda found: found == [])
        letters[name] = page.evaluate(LETTERS)
    page.close()
    least = 0.09 * min(width / 16, height / 9)
    assert {name: size for name, size in letters.items() if size < least} == {}, "too small to be read"
    assert {name: found for name, found in faults.items() if found} == {}


FONTS = {
    "tall lines": "ascent-override: 107%; descent-override: 30%; size-adjust: 97%",
    "narrow letters": "ascent-override: 91%; descent-override: 21%; size-adjust: 88%",
}
"""Metrics of other fonts, such as Noto Sans and Liberation Sans."""

PUT_ON = """(metrics) => {
  const known = ['DejaVu Sans', 'Noto Sans', 'Liberation Sans'];
  const face = (bold, weights) =>
    `@font-face { font-family: Other; font-weight: ${weights}; ${metrics};
      src: ${known.map((name) => `local("${name}${bold}")`).join()} }`;
  const css = new CSSStyleSheet();
  css.replaceSync(face('', '100 500') + face(' Bold', '600 900') + 'body { font-family: Other }');
  document.adoptedStyleSheets = [css];
  return document.fonts.load("700 20px Other").then((found) => found.length);
}"""


@pytest.mark.parametrize("font", ["tall lines", nightly("narrow letters")])
def test_nothing_touches_in_other_fonts(browser: Browser, address: str, session: FakeSession, font: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    faults: dict[str, Any] = {}
    for name in FULLEST:
        session.show(TABLES[name])
        page.goto(f"{address}/tv", wait_until="load")
        assert page.evaluate(PUT_ON, FONTS[font]) == 1
        faults[name] = once_at_rest(page, lambda: page.evaluate(MEASURE), lambda found: found == [])
    page.close()
    assert {name: found for name, found in faults.items() if found} == {}


IN_THEIR_TILES = """() => {
  const found = [];
  const number = (e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getBoundingClientRect();
  };
  for (const laid of document.querySelectorAll('.long .laid')) {
    const text = laid.querySelector('.num');
    const [tile, shown] = [laid.querySelector('.body').getBoundingClientRect(), number(text)];
    if (shown.left < tile.left || shown.right > tile.right) found.push(`wider than its tile: ${text.textContent}`);
  }
  const flags = [...document.querySelectorAll('.long .flag')].map((flag) => flag.getBoundingClientRect());
  const pen = document.createElement('canvas').getContext('2d');
  for (const text of document.querySelectorAll('.long .num')) {
    // How high a figure stands in its line is another matter in each font.
    const style = getComputedStyle(text), box = number(text);
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const ink = pen.measureText('0123456789'), line = box.top + ink.fontBoundingBoxAscent;
    const [top, bottom] = [line - ink.actualBoundingBoxAscent, line + ink.actualBoundingBoxDescent];
    for (const flag of flags)
      if (flag.left < box.right && flag.right > box.left && flag.top < bottom && flag.bottom > top)
        found.push(`under a sign: ${text.textContent}`);
  }
  return found;
}"""


def test_a_long_train_takes_the_rows_that_there_is_room_for(
    browser: Browser, address: str, session: FakeSession
) -> None:
    table = tables.wall(2, 24, 34)
    for row in table["trains"]:
        row["tiles"][4]["tile"] = [11, 11]
        for tile in row["tiles"][1:20:3]:
            tile["tile"], tile["sure"] = [12, 11], 0.5
    session.show(table)
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    page.goto(f"{address}/tv", wait_until="load")
    assert once_at_rest(page, lambda: page.evaluate(IN_THEIR_TILES), lambda found: found == []) == []
    assert page.locator(".long .flag").count() > 9
    assert page.evaluate(LETTERS) > 25, "two rows at the width of the screen would make it 17"
    page.close()


def test_longer_words_have_room_too(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(TABLES["the same with five alerts at once"])
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    faults: dict[str, Any] = {}
    for language in ("ru", "bn"):
        page.goto(f"{address}/tv?lang={language}", wait_until="load")
        faults[language] = once_at_rest(page, lambda: page.evaluate(MEASURE), lambda found: found == [])
    page.close()
    assert {language: found for language, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    "spoil",
    [
        ".num { font-size: 3rem !important }",
        ".side { height: 40vh }",
        ".join { position: fixed; left: 9rem; top: 16rem }",
    ],
)
def test_the_measure_finds_what_it_is_for(browser: Browser, address: str, session: FakeSession, spoil: str) -> None:
    session.show(TABLES["eight short names"])
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{address}/tv", wait_until="load")
    page.evaluate(
        "(css) => { const s = new CSSStyleSheet(); s.replaceSync(css); document.adoptedStyleSheets = [s]; }", spoil
    )
    assert once_at_rest(page, lambda: page.evaluate(MEASURE)) != []
    page.close()


def test_a_fault_leaves_the_big_screen_after_two_turns(browser: Browser, address: str, session: FakeSession) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    table = tables.illegal()
    session.show(table)
    page.goto(f"{address}/tv", wait_until="load")
    expect(page.locator(".notice h3")).to_have_text(["This train is closed"])
    for seq, by in ((33, "Cyril"), (34, "Dorothea")):
        table = table | {"seq": seq, "plays": [*table["plays"], tables.play(seq, by, (1, 2), by)]}
    session.show(table)
    expect(page.locator(".notice.fading")).to_have_count(1)
    session.show(table | {"seq": 35, "plays": [*table["plays"], tables.play(35, "Ann", (1, 2), "Ann")]})
    expect(page.locator(".notice")).to_have_count(0)
    expect(page.locator(".log .fault")).to_have_count(1)
    page.close()


def test_how_to_join_in_leaves_after_its_time_and_comes_back_for_a_key(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.clock.install()
    page.goto(f"{address}/tv", wait_until="load")
    expect(page.locator("#join")).to_be_visible()
    page.keyboard.press("Shift")  # The minute begins here, however long the page took to come.
    page.clock.fast_forward(40_000)
    expect(page.locator("#join")).to_be_visible()
    page.clock.fast_forward(21_000)
    expect(page.locator("#join")).to_be_hidden()
    page.keyboard.press("Shift")
    expect(page.locator("#join")).to_be_visible()
    page.close()


LARGE = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [code, words] = [box('.welcome img'), box('.welcome .address text')];
  return {
    code: Math.min(code.width, code.height) / Math.min(innerWidth / 2, innerHeight),
    words: words.width / innerWidth, apart: words.left - code.right,
    fits: code.bottom <= innerHeight && words.right <= innerWidth && code.top >= 0,
  };
}"""


@pytest.mark.parametrize("screen", EVERY_DAY)
@pytest.mark.parametrize("begun", [False, True], ids=["no game", "before its first round"])
def test_before_the_first_game_the_way_in_takes_the_screen(
    browser: Browser, address: str, app_state: AppState, session: FakeSession, screen: str, begun: bool
) -> None:
    session.show(tables.waiting())
    if not begun:
        app_state._session = None
    width, height = SCREENS[screen]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{address}/tv", wait_until="load")
    expect(page.locator(".welcome .address").first).to_have_text("192.168.1.23:8000")
    expect(page.locator("#join")).to_have_count(0)
    assert page.locator(".welcome img").evaluate("(code) => code.decode().then(() => code.naturalWidth)") > 0
    seen = page.evaluate(LARGE)
    assert seen["fits"] and seen["apart"] > 0, seen
    assert seen["code"] > (0.6 if begun else 0.8) and seen["words"] > (0.25 if begun else 0.4), seen
    if not begun:
        app_state.put_on_the_table(session, "tonight")
        expect(page.locator("#region-turn h2")).to_be_visible()
    session.show(tables.midgame())
    expect(page.locator(".welcome")).to_have_count(0)
    expect(page.locator("#join")).to_be_visible()
    page.close()


BROKEN = """() => [...document.querySelectorAll('.board .player span')].map((name) => {
  const range = document.createRange();
  range.selectNodeContents(name.firstChild);
  return [name.firstChild.textContent.trim(), range.getClientRects().length];
}).filter(([, lines]) => lines > 1)"""


def test_a_long_name_is_whole_beside_large_payments(browser: Browser, address: str, session: FakeSession) -> None:
    names = {"Ann": "Maximilian", "Ben": "Wilhelmina", "Cyril": "Bartholomew"}
    table = tables.chinese_line()
    renamed = [names.get(name, name) for name in table["players"]]
    page = browser.new_page()
    hands, totals = (dict(zip(renamed, of, strict=True)) for of in ((9, 10, 8, 11), (-52, -104, 38, 118)))
    discards = dict.fromkeys(renamed, 0)
    session.show(table | {"players": renamed, "turn": renamed[1], "starter": renamed[2], "hands": hands,
                          "totals": totals, "discards": discards, "plays": [], "rounds_played": []})  # fmt: skip
    page.goto(f"{address}/tv", wait_until="domcontentloaded")
    for width, height in ((1366, 768), *SCREENS.values()):
        page.set_viewport_size({"width": width, "height": height})
        found = once_at_rest(page, lambda: page.evaluate(BROKEN), lambda broken: broken == [])
        assert found == [], f"broken over lines at {width} px"
    page.close()
