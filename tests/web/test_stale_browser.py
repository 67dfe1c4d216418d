"""A page never shows an old table without saying so, and no tap is lost in silence, whatever the line does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

import companion.web
from bench.stand_ins import tables
from bench.stand_ins.browser import FLAGS, chromium, once_at_rest, served, with_pin
from bench.stand_ins.fakes import PIN, FakeSession
from tests.lanes import nightly
from tests.web.moody import Mood, MoodyLine, moody

pytestmark = pytest.mark.browser

STATIC = Path(companion.web.__file__).parent / "static"

TOO_NEW = {
    "?.": r"\?\.(?!\d)",
    "??": r"\?\?",
    "||=": r"(\|\||&&)=",
    "private fields": r"\bthis\.#",
    "newer methods": r"replaceChildren|replaceAll\(|\.at\(|requestSubmit|structuredClone|fromEntries|\.flat(Map)?\(",
    "newer globals": r"\bglobalThis\b|\ballSettled\b|navigator\.locks|AbortSignal\.",
}
"""Features that the browsers of televisions of 2019 lack."""

FORGET = """
delete Element.prototype.replaceChildren;
delete HTMLFormElement.prototype.requestSubmit;
delete SubmitEvent.prototype.submitter;
delete String.prototype.replaceAll; delete String.prototype.at; delete Array.prototype.at;
delete Array.prototype.flat; delete Array.prototype.flatMap; delete Object.fromEntries;
delete Promise.allSettled; delete window.structuredClone; delete window.BroadcastChannel;
"""


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app, threads=24) as found:
        yield found


@pytest.fixture
def line(address: str) -> Iterator[tuple[MoodyLine, str]]:
    with moody(address) as found:
        yield found


def shows_now_or_says_not(page: Page) -> bool:
    now = "Cyril" in (page.text_content("#region-turn h2") or "")
    return now or page.locator("#lost").is_visible()


def following(page: Page, address: str, path: str = "/") -> None:
    """The page is open, has its stream and shows Ben's turn."""
    page.goto(address + path, wait_until="load")
    expect(page.locator("html")).to_have_attribute("data-live", "1")
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    page.wait_for_timeout(200)


@pytest.mark.parametrize(
    ("mood", "path"),
    [("old_ones_dead", "/"), nightly("buffers", "/"), nightly("dead", "/"), nightly("dead", "/tv"), ("buffers", "/tv")],
)
def test_whatever_the_line_does_the_table_is_of_now_or_said_to_be_old(
    browser: Browser, line: tuple[MoodyLine, str], session: FakeSession, mood: Mood, path: str
) -> None:
    moody_line, address = line
    session.show(tables.midgame())
    page = browser.new_page()
    following(page, address, path)
    moody_line.mood = mood
    session.show(tables.illegal())
    assert once_at_rest(page, lambda: shows_now_or_says_not(page))
    if mood == "dead":
        expect(page.locator("#lost")).to_contain_text("last heard")
        moody_line.mood = "pass"
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    expect(page.locator("#lost")).to_be_hidden()
    page.close()


def test_a_tap_without_a_line_is_kept_and_counts_once(
    browser: Browser, line: tuple[MoodyLine, str], session: FakeSession
) -> None:
    moody_line, address = line
    session.show(tables.midgame())
    page = with_pin(browser, address)
    following(page, address)
    moody_line.mood = "dead"
    page.get_by_role("button", name="Draw a tile").click()
    expect(page.locator("#unsent")).to_contain_text("Your tap is kept")
    moody_line.mood = "pass"
    expect(page.locator("#unsent")).to_be_hidden()
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert [call[0] for call in session.calls] == ["draw"]
    page.context.close()


def test_a_kept_tap_carries_the_turn_and_the_end_for_which_it_was_shown(
    browser: Browser, line: tuple[MoodyLine, str], session: FakeSession
) -> None:
    moody_line, address = line
    session.show(tables.midgame())
    page = with_pin(browser, address, name="Ann")
    following(page, address)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.post_data or "") if one.url.endswith("/api/play") else None)
    page.locator("#region-act summary").first.click()
    moody_line.mood = "dead"
    page.click('#region-act button[name="outer"][value="9"]')
    expect(page.locator("#unsent")).to_contain_text("Your tap is kept")
    session.show(tables.midgame(seq=33, turn="Cyril", trains=[tables.train("Ann", "10-5", engine=10)]))
    moody_line.mood = "pass"
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert len(sent) > 1 and len(set(sent)) == 1
    fields = dict(parse_qsl(sent[-1]))
    assert (fields["by"], fields["turn"], fields["train"], fields["end:Ann"]) == ("Ann", "Ben", "Ann", "12")
    page.context.close()


def test_a_tap_that_is_left_behind_is_sent_when_the_page_comes_back(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address)
    following(page, address)
    page.route("**/api/draw", lambda route: None)
    page.get_by_role("button", name="Draw a tile").click()
    page.unroute("**/api/draw")
    page.goto(address)
    assert once_at_rest(page, lambda: [call[0] for call in session.calls] == ["draw"])
    expect(page.locator("#unsent")).to_be_hidden()
    page.context.close()


def test_a_lost_line_is_said_where_the_keys_are(
    browser: Browser, line: tuple[MoodyLine, str], session: FakeSession
) -> None:
    moody_line, address = line
    session.show(tables.midgame())
    page = browser.new_context(viewport={"width": 390, "height": 500}).new_page()
    following(page, address)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    moody_line.mood = "dead"
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.locator("#lost")).to_be_in_viewport()
    box = page.locator("#lost").bounding_box()
    assert box is not None
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).id", middle) == "lost", "nothing lies over it"


def test_a_lost_line_covers_nobodys_name(browser: Browser, line: tuple[MoodyLine, str], session: FakeSession) -> None:
    moody_line, address = line
    session.show(tables.midgame())
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    following(page, address)
    moody_line.mood = "dead"
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.locator("#lost")).to_be_visible()
    page.evaluate("scrollTo(0, 300)")
    gap = "document.getElementById('region-turn').getBoundingClientRect().top - lost.getBoundingClientRect().bottom"
    assert once_at_rest(page, lambda: page.evaluate(gap), lambda apart: apart >= -1) >= -1
    expect(page.locator("#region-turn h2")).to_be_in_viewport(ratio=1)


def test_eight_tabs_of_one_browser_all_follow_the_table(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    context = browser.new_context()
    pages = [context.new_page() for _ in range(8)]
    for page in pages:
        following(page, address)
    session.show(tables.illegal())
    for page in pages:
        expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    # The page that has the stream is closed: another one goes on.
    pages[0].close()
    session.show(tables.midgame(seq=40))
    for page in pages[1:]:
        expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    context.close()


def test_a_frozen_tab_catches_up_when_it_thaws(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    context = browser.new_context()
    page = context.new_page()
    following(page, address)
    control = context.new_cdp_session(page)
    control.send("Page.setWebLifecycleState", {"state": "frozen"})
    session.show(tables.illegal())
    control.send("Page.setWebLifecycleState", {"state": "active"})
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    context.close()


@pytest.fixture
def caching(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that keeps pages for the way back, which playwright switches off."""
    launched = browser.browser_type.launch(
        executable_path=chromium(), args=list(FLAGS), ignore_default_args=["--disable-back-forward-cache"]
    )
    yield launched.new_context()
    launched.close()


def test_back_from_another_page_the_table_is_of_now(
    caching: BrowserContext, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = caching.new_page()
    page.add_init_script("addEventListener('pageshow', (event) => (window.fromCache = event.persisted))")
    following(page, address)
    page.goto(f"{address}/scores")
    session.show(tables.illegal())
    page.go_back(wait_until="commit")
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    assert page.evaluate("window.fromCache") is True, "the page came from the cache, or this tests nothing"
    session.show(tables.midgame(seq=40))
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")


@pytest.mark.parametrize("script", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_the_scripts_can_be_read_by_browsers_of_2019(script: Path) -> None:
    text = re.sub(r"^\s*//.*$", "", script.read_text(), flags=re.MULTILINE)
    assert {name: found[0] for name, new in TOO_NEW.items() if (found := re.search(new, text))} == {}


def test_without_what_came_later_everything_still_works(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    context = browser.new_context()
    context.add_init_script(FORGET)
    assert context.request.post(f"{address}/api/pin", data={"pin": PIN}).ok
    page = context.new_page()
    following(page, address)
    page.get_by_role("button", name="Draw a tile").click()
    expect(page.locator("form[data-sent]")).to_have_count(0)
    page.locator("#region-act summary").first.click()
    page.click('#region-act button[name="outer"][value="9"]')
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert [call[0] for call in session.calls] == ["draw", "play"]
    session.show(tables.illegal())
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    context.close()


def styled_as_by_browsers_of_2020(page: Page) -> None:
    """Its styles have no `:has()`, no container queries and no subgrid."""

    def older(route: Route) -> None:
        answer = route.fetch()
        text = answer.text().replace("@supports not (width: 1cqw)", "@supports (width: 1px)")
        for new, unknown in ((":has(", ":none("), ("cqw", "xqw"), ("cqh", "xqh"), ("subgrid", "nogrid")):
            text = text.replace(new, unknown)
        text = re.sub(r"@container[^{]*", "@media not all ", text).replace("container-type", "unknown-type")
        route.fulfill(response=answer, body=text)

    page.route("**/static/*.css*", older)


@pytest.mark.parametrize(
    ("path", "size"), [("/", (390, 844)), ("/tv", (1920, 1080)), nightly("/", (320, 640)), nightly("/", (1024, 768))]
)
def test_without_newer_styles_every_tile_is_seen(
    browser: Browser, address: str, session: FakeSession, path: str, size: tuple[int, int]
) -> None:
    session.show(tables.wall(8, 22, 12) if path == "/tv" else tables.midgame())
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    styled_as_by_browsers_of_2020(page)
    page.goto(f"{address}{path}", wait_until="load")
    boxes = [found for tile in page.locator(".laid .domino").all() if (found := tile.bounding_box())]
    assert len(boxes) == page.locator(".laid").count() > 0
    assert all(20 < max(one["width"], one["height"]) < 120 for one in boxes)
    assert min(min(one["width"], one["height"]) for one in boxes) > 15
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.close()


def test_without_newer_styles_the_key_after_a_round_is_on_a_phone_held_sideways(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame(phase="round_over", how="out"))
    page = with_pin(browser, address, viewport={"width": 844, "height": 390})
    styled_as_by_browsers_of_2020(page)
    page.goto(address, wait_until="load")
    on_top = "key => { const at = key.getBoundingClientRect(); \
return key.contains(document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2)) }"
    assert once_at_rest(page, lambda: page.locator("a.dock-key").evaluate(on_top))
    page.context.close()


def test_a_screen_that_cannot_read_the_scripts_is_loaded_anew(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = browser.new_page()
    page.route("**/static/page.js*", lambda route: route.fulfill(body="let not = valid ++ script"))
    page.clock.install()
    page.goto(f"{address}/tv", wait_until="load")
    session.show(tables.illegal())
    page.clock.fast_forward(20_000)
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    page.close()


def test_a_screen_without_scripts_is_loaded_anew(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/tv")
    assert page.locator('meta[http-equiv="refresh"]').get_attribute("content") == "15"
    context.close()
