"""WCAG 2.2 AA in a real browser: axe finds nothing, nothing is cut off, everything can be reached and hit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page

from bench.stand_ins import tables
from bench.stand_ins.browser import complaints, has_focus, once_at_rest, served
from bench.stand_ins.fakes import PIN, FakeDesk, FakeSession, FakeTable
from companion.app.state import AppState
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.rules.notation import parse_delta
from companion.web.app import PageSettings, create_app
from datasets.bots.watching import table_change
from tests.lanes import nightly

pytestmark = pytest.mark.browser

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
ONLY_FAULTS = {"resultTypes": ["violations"]}
"""Leave out the long list of elements that pass."""

RULES = {"runOnly": {"type": "tag", "values": list(TAGS)}, **ONLY_FAULTS}

COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}, **ONLY_FAULTS}
"""All that another theme can change."""

PAGES = (
    "/", "/tv", "/scores", "/ask?train=Ann&low=1&high=2", "/games", "/setup", "/setup?rules=cz", "/pin", "/play/32",
    "/table", "/seats", "/learn", "/match-end", "/round-points/2", "/pictures/delete", "/play", "/round-start",
    "/round-end", "/repairs", "/games/tonight/replay?at=3", "/nowhere", "/whose", "/invite", "/manual",
    "/statistics", "/home-screen",
)  # fmt: skip


@pytest.fixture
def address(app: Flask, app_state: AppState) -> Iterator[str]:
    app_state.table, app_state.learning = FakeTable(), FakeDesk()
    app_state.learning.told |= {"last": {"task": "test", "right": 25, "wrong": 0, "unread": 1}, "lesson": {}}
    with served(app) as found:
        yield found


def signed_in(context: BrowserContext, address: str) -> None:
    assert context.request.post(f"{address}/api/pin", data={"pin": PIN}).ok


@pytest.mark.parametrize(
    ("theme", "width", "height"),
    [
        nightly("light", 1280, 900),
        ("dark", 390, 900),
        *(nightly(*case) for case in (("light", 320, 640), ("light", 844, 390), ("dark", 1024, 768))),
        nightly("dark", 1920, 1080),
    ],
)
def test_axe_finds_no_violation_on_any_page(
    browser: Browser, address: str, session: FakeSession, theme, width: int, height: int
) -> None:
    session.answers["judge"] = {"verdict": "illegal", "codes": ["MISMATCH"], "may": []}
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    signed_in(context, address)
    page = context.new_page()
    found = []
    for path in PAGES:
        page.goto(address + path, wait_until="domcontentloaded")
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")  # Keys that stay half cover some tile.
        result = Axe().run(page, options=RULES)
        found += [
            f"{path}: {fault['id']}: {fault['nodes'][0]['html'][:160]}" for fault in result.response["violations"]
        ]
    context.close()
    assert found == []


def violations(page: Page) -> list[tuple[str, str, str]]:
    """Faults that axe finds on the page by day, and in its colours by night."""
    found = []
    for theme, rules in (("light", RULES), ("dark", COLOURS)):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        faults = Axe().run(page, options=rules).response["violations"]
        found += [(theme, fault["id"], fault["nodes"][0]["html"][:160]) for fault in faults]
    return found


@pytest.mark.parametrize(
    "make",
    [tables.question, *map(nightly, (tables.unscored, tables.uncovered_double)), tables.illegal, tables.chinese_line],
)
def test_axe_finds_no_violation_on_the_table_of_a_phone(
    browser: Browser, address: str, session: FakeSession, make
) -> None:
    session.show(make())
    context = browser.new_context(viewport={"width": 390, "height": 844})
    signed_in(context, address)
    page = context.new_page()
    page.goto(address, wait_until="domcontentloaded")
    found = violations(page)
    context.close()
    assert found == []


def test_axe_finds_no_violation_on_who_it_may_have_been(browser: Browser, tmp_path: Path) -> None:
    session = Game.create(tmp_path / "journal.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    for n, change in enumerate([["boneyard-1", "mark Ann"], ["+12-2@Ben"], ["+12-3@Cy"], ["+2-5@Ben"]]):
        session.observe(table_change(parse_delta(change), f"{n}.jpg"))
    seq = next(one.seq for one in session.events if isinstance(one, TilePlayed) and one.tile == (2, 5))
    with served(create_app(AppState(session), PageSettings(pin=PIN, testing=True))) as address:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{address}/play/{seq}/why", wait_until="domcontentloaded")
        assert page.locator(".log li").count() > 1
        found = violations(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        page.close()
    session.close()
    assert found == []
    assert wide <= 390


@pytest.mark.parametrize(
    ("width", "height", "phone", "locale"),
    [(320, 640, True, "ru"), nightly(768, 1024, False, "bn"), nightly(3840, 2160, False, "cs")],
)
def test_no_page_is_wider_than_its_screen(
    browser: Browser, address: str, session: FakeSession, width: int, height: int, phone: bool, locale: str
) -> None:
    """A phone zooms out of a page that is too wide, so its own idea of the width proves nothing. `bench.widths` looks
    at every language at 320, 360 and 390 px."""
    session.show(tables.eight_players())
    context = browser.new_context(
        viewport={"width": width, "height": height}, is_mobile=phone, has_touch=phone, locale=locale
    )
    signed_in(context, address)
    page = context.new_page()
    heard = complaints(page)
    wide = []
    for path in PAGES[:-1]:
        page.goto(address + path, wait_until="domcontentloaded")
        if not once_at_rest(
            page, lambda: page.evaluate("(width) => document.documentElement.scrollWidth <= width", width)
        ):
            wide.append(path)
    context.close()
    assert wide == []
    assert [line for line in heard if "404" not in line] == [], "the content policy refuses nothing of our own"


@pytest.mark.parametrize("make", [tables.eight_players, tables.illegal, tables.chinese_line])
def test_the_wall_shows_everything_without_scrolling(
    browser: Browser, address: str, session: FakeSession, make
) -> None:
    session.show(make())
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/tv", wait_until="domcontentloaded")
    cut = [(size, found) for size in WALLS if (found := overflowing(page, *size))]
    context.close()
    assert cut == []


WALLS = ((1280, 720), (1920, 1080), (3840, 2160), (1366, 768))


def overflowing(page: Page, width: int, height: int) -> list[str]:
    """Texts that do not fit on a screen of this size."""
    page.set_viewport_size({"width": width, "height": height})
    outside = """[...document.querySelectorAll('.end, .laid, .put-away li, .board tbody tr')].filter((part) => {
            const box = part.getBoundingClientRect();
            return box.bottom > innerHeight || box.right > innerWidth;
        }).map((part) => part.textContent.trim().slice(0, 40))"""
    return once_at_rest(page, lambda: page.evaluate(outside), lambda found: found == [])


def test_everything_that_is_tapped_is_large_enough(browser: Browser, address: str, session: FakeSession) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    signed_in(context, address)
    page = context.new_page()
    small = []
    for path in ("/", "/play/32", "/round-end", "/setup?rules=cz", "/ask", "/games"):
        page.goto(address + path, wait_until="domcontentloaded")
        small += page.evaluate(
            """[...document.querySelectorAll('a, button, select, input:not([type=hidden]), summary')].filter((part) => {
                const box = part.getBoundingClientRect();
                if (!box.width || part.closest('p') || part.matches('.skip')) return false;
                const inline = part.matches('.laid a');
                return box.height < 47.5 || box.width < (inline ? 24 : 47.5);
            }).map((part) => location.pathname + ' ' + part.outerHTML.slice(0, 120))"""
        )
    context.close()
    assert small == []


def test_the_keyboard_alone_enters_a_play(browser: Browser, address: str, session: FakeSession) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    signed_in(context, address)
    page = context.new_page()
    page.goto(address, wait_until="domcontentloaded")
    page.keyboard.press("Tab")
    assert has_focus(page, ".skip"), "the first stop leads past the menu"
    page.focus(".entry > summary")
    page.keyboard.press("Enter")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert has_focus(page, '.enter button[value="1"]'), "the train that fits is chosen already"
    with page.expect_response("**/api/play"):
        page.keyboard.press("Enter")
    context.close()
    shown = {"end": 11, "outer_only": True}
    assert session.calls[0] == ("play", ((11, 1), "Cyril"), {"by": None, "lift": True, **shown})


LINES = """() => [...document.querySelectorAll('.whole')].map((whole) => {
  const range = document.createRange();
  range.selectNodeContents(whole);
  return range.getClientRects().length;
})"""


def test_a_label_keeps_its_text_and_a_tile_its_line(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 800})
    signed_in(context, address)
    page = context.new_page()
    page.goto(address + "/setup?rules=cz", wait_until="domcontentloaded")
    lines = page.evaluate(LINES)
    assert len(lines) > 3 and set(lines) <= {0, 1}, "0: folded away"
    assert page.locator("label > .whole").first.evaluate("one => getComputedStyle(one).display") == "contents"
    context.close()


def test_motion_stops_for_who_asked_for_less(browser: Browser, address: str) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(address, wait_until="domcontentloaded")
    moving = once_at_rest(page, lambda: page.evaluate("document.getAnimations().length"), lambda found: found == 0)
    context.close()
    assert moving == 0


def test_two_programs_on_one_host_keep_their_cookies_apart(tmp_path: Path) -> None:
    """A browser sends the cookies of a host to each of its ports."""
    jar: dict[str, str] = {}
    clients = []
    for n, pin in enumerate(("424242", "515151")):
        folder = tmp_path / str(n)
        folder.mkdir()
        clients.append(
            create_app(AppState(data_dir=folder), PageSettings(pin=pin, testing=True)).test_client(use_cookies=False)
        )

    def ask(n: int, path: str, method: str = "POST", **fields: str) -> int:
        answer = clients[n].open(
            path, method=method, json=fields, headers={"Cookie": "; ".join(f"{k}={v}" for k, v in jar.items())}
        )
        for cookie in answer.headers.getlist("Set-Cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            jar[name] = value
        return answer.status_code

    assert ask(0, "/api/pin", pin="424242") == 200 and ask(1, "/api/pin", pin="515151") == 200
    assert ask(0, "/api/undo") != 401 and ask(1, "/api/undo") != 401
    again = create_app(AppState(data_dir=tmp_path / "0"), PageSettings(pin="424242", testing=True))
    assert again.config["SESSION_COOKIE_NAME"] in jar, "the same after a restart"
