"""The score sheet and the set-up in a real browser: on the smallest phone, on paper, and with few taps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pypdfium2
import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import has_focus, once_at_rest, served, with_pin
from bench.stand_ins.fakes import PIN, FakeSession
from companion.app.state import AppState
from tests.lanes import nightly

pytestmark = pytest.mark.browser


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app) as found:
        yield found


def whole_match(count: int) -> dict[str, Any]:
    """Thirteen rounds, three-figure totals, long names."""
    names = [name[:24] for name in tables.LONG_NAMES[:count]]
    rounds = [
        {"round": n + 1, "engine": [12 - n, 12 - n], "how": "out", "out": names[n % count],
         "scores": {name: (n * 7 + i * 13) % 60 for i, name in enumerate(names)}}
        for n in range(13)
    ]  # fmt: skip
    totals = {name: 900 - 57 * i for i, name in enumerate(names)}
    return tables.match_over() | {
        "players": names, "rounds_played": rounds, "totals": totals, "winner": [names[-1]], "trains": [], "hands": {},
    }  # fmt: skip


@pytest.mark.parametrize(("width", "count"), [nightly(320, 2), nightly(320, 4), (320, 8), (1280, 8)])
def test_the_sheet_fits_its_screen_and_no_label_of_the_chart_is_cut(
    browser: Browser, address: str, session: FakeSession, width: int, count: int
) -> None:
    session.show(whole_match(count))
    page = browser.new_page(viewport={"width": width, "height": 640})
    page.goto(f"{address}/scores", wait_until="load")
    assert once_at_rest(page, lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    table = page.locator(".sheet-of-scores .scroll")
    assert once_at_rest(page, lambda: table.evaluate("(e) => e.scrollWidth <= e.clientWidth"))
    chart = page.locator(".chart:visible")
    expect(chart).to_have_count(1)
    outside = """(svg) => [...svg.querySelectorAll('text')].filter((t) => {
            const [a, b] = [t.getBoundingClientRect(), svg.getBoundingClientRect()];
            return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1;
        }).map((t) => t.textContent)"""
    assert once_at_rest(page, lambda: chart.evaluate(outside), lambda found: found == []) == []
    page.close()


def printed(page: Page) -> tuple[int, float, float, str]:
    """Pages of the sheet itself, without that of what was changed; their width and height in points, and the text of
    the first one."""
    paper = pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))
    first = paper[0]
    texts = [sheet.get_textpage().get_text_range() for sheet in paper]
    own = next((n for n, text in enumerate(texts) if text.lstrip().startswith("What was changed")), len(texts))
    return own, *first.get_size(), texts[0]


@pytest.mark.parametrize(("count", "landscape"), [(4, False), (5, True), (8, True)])
def test_the_sheet_fits_one_page_of_paper(
    browser: Browser, address: str, session: FakeSession, count: int, landscape: bool
) -> None:
    session.show(whole_match(count))
    page = browser.new_page()
    page.goto(f"{address}/scores", wait_until="load")
    pages, width, height, text = printed(page)
    assert (width > height) is landscape
    assert {round(width), round(height)} == {595, 842}, "A4"
    first_words = {name.split()[0].split("-")[0] for name in whole_match(count)["players"]}
    assert all(word in text for word in first_words), "full names on paper"
    assert "went out" in text and "Rank" in text and "Place:" in text
    assert pages == 1 and "13" in text
    page.close()


def test_the_same_players_begin_again_with_two_taps(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.match_over())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(address, wait_until="load")
    taps = 0
    for name in ("The same players again", "Start"):
        page.get_by_role("button", name=name, exact=True).click()
        taps += 1
        page.wait_for_load_state()
    assert taps == 2
    expect(page.locator("#live")).to_be_visible()
    page.context.close()


def test_as_many_seats_are_offered_as_the_set_is_dealt_to(browser: Browser, address: str, session: FakeSession) -> None:
    page = with_pin(browser, address)
    page.goto(f"{address}/setup?rules=reeves", wait_until="domcontentloaded")
    seats = page.locator('input[name^="player_"]')
    page.check('input[name="set"][value="double-9"]', force=True)
    expect(seats.nth(3)).to_be_visible()
    expect(seats.nth(4)).to_be_hidden()
    page.check('input[name="set"][value="double-12"]', force=True)
    seats.nth(7).fill("Eve")
    expect(seats.nth(8)).to_be_hidden()
    page.check('input[name="set"][value="double-9"]', force=True)
    expect(seats.nth(7)).to_be_visible()  # A typed entry is never hidden.
    page.select_option('select[name="option_hand"]', "5")
    expect(seats.nth(9)).to_be_visible()
    page.context.close()


def test_players_change_seats_by_drag_and_by_keys(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.match_over())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(f"{address}/setup?rules=tactic", wait_until="load")
    seats = page.locator('input[name^="player_"]')

    def sit(names: list[str]) -> None:
        for n, name in enumerate(names):
            expect(seats.nth(n)).to_have_value(name)

    page.get_by_role("button", name="Move Ann").focus()
    page.keyboard.press("ArrowDown")
    sit(["Ben", "Ann", "Cyril"])
    assert has_focus(page, '[aria-label="Move Ann"]')
    handle, goal = page.get_by_role("button", name="Move Cyril"), seats.nth(0)
    handle.scroll_into_view_if_needed()
    box, end = handle.bounding_box(), goal.bounding_box()
    assert box is not None and end is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, end["y"] + 10, steps=8)
    page.mouse.up()
    sit(["Cyril", "Ben", "Ann"])
    page.context.close()


def test_enter_goes_on_to_the_next_seat_and_starts_in_an_empty_one(
    browser: Browser, address: str, session: FakeSession
) -> None:
    page = browser.new_page(base_url=address, viewport={"width": 390, "height": 844})
    page.request.post("/api/pin", data={"pin": PIN})
    page.goto("/setup?rules=tactic", wait_until="load")
    for n in range(1, 9):
        page.fill(f"[name=player_{n}]", "")
    page.locator("[name=player_1]").focus()
    for name in ("Zoë", "Ben", "Cy"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    assert has_focus(page, "[name=player_4]")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}/round-start")
    expect(page.get_by_role("radio")).to_have_count(3)
    page.close()


def test_another_language_takes_along_what_was_typed(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.round_over())
    page = browser.new_page(base_url=address, viewport={"width": 390, "height": 844}, locale="en")
    page.request.post("/api/pin", data={"pin": PIN})
    page.goto("/setup?rules=tactic", wait_until="load")
    page.fill('input[name="player_1"]', "Zoë")
    page.locator(".house select").first.select_option(index=1)
    chosen = page.locator(".house select").first.input_value()
    page.get_by_role("link", name="Čeština").click()
    expect(page.locator("html")).to_have_attribute("lang", "cs")
    expect(page.locator('input[name="player_1"]')).to_have_value("Zoë")
    expect(page.locator(".house select").first).to_have_value(chosen)
    page.goto("/round-end", wait_until="load")
    page.fill('input[name="hand_2"]', "8-3 nonsense")
    page.locator(".row button.button").last.click()
    expect(page.locator(".complaint")).to_be_visible()
    page.get_by_role("link", name="Русский").click()
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    expect(page.locator('input[name="hand_2"]')).to_have_value("8-3 nonsense")
    page.goto("/round-end?lang=en", wait_until="load")
    expect(page.locator('input[name="hand_2"]')).to_have_value("8-3 nonsense")
    page.close()


def test_the_sheet_of_an_earlier_match_needs_no_pin(browser: Browser, address: str, app_state: AppState) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(f"{address}/games", wait_until="load")
    page.get_by_role("link", name="Score sheet").first.click()
    expect(page.locator(".rounds tfoot td.total").first).to_have_text("37")
    page.close()


def test_going_back_from_what_changes_keeps_the_names(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    context = browser.new_context(base_url=address)
    assert context.request.post("/api/pin", data={"pin": PIN}).ok
    page = context.new_page()
    page.goto("/players", wait_until="domcontentloaded")
    page.fill("[name=player_5]", "Emil")
    page.fill("[name=points]", "20")
    page.click("form[action='/players'] .button")
    expect(page.locator("ul.points")).to_contain_text("Emil joins")
    page.go_back(wait_until="domcontentloaded")
    expect(page.locator("[name=points]")).to_have_value("20")
    expect(page.locator("[name=player_5]")).to_have_value("Emil")
    context.close()


@pytest.mark.parametrize(("most_win", "points", "out"), [(False, "7 0 3 4", "Ben"), (True, "0 0 31 0", "Cyril")])
def test_who_alone_has_the_points_of_going_out_is_proposed(
    browser: Browser, address: str, session: FakeSession, most_win: bool, points: str, out: str
) -> None:
    session.show(tables.midgame(most_points_win=most_win))
    page = browser.new_page(base_url=address)
    page.request.post("/api/pin", data={"pin": PIN})
    page.goto("/round-points/3", wait_until="load")
    chosen = page.locator("[name=out]:checked")
    for n, one in enumerate(points.split(), start=1):
        expect(chosen).to_have_count(0)
        page.fill(f"[name=points_{n}]", one)
    expect(chosen).to_have_value(out)
    page.fill("[name=points_1]", "0" if not most_win else "3")
    expect(chosen).to_have_count(0)
    page.locator("label.chip", has_text="blocked").click()
    page.fill("[name=points_1]", points.split()[0])
    expect(chosen).to_have_value("")
    page.close()


def test_who_went_out_follows_points_that_are_put_right(browser: Browser, address: str, session: FakeSession) -> None:
    one = {"round": 3, "how": "out", "out": "Ann", "scores": {"Ann": 0, "Ben": 15, "Cyril": 4, "Dorothea": 9}}
    session.show(tables.midgame(phase="waiting", rounds_played=[one | {"totals": one["scores"]}]))
    page = browser.new_page(base_url=address)
    page.request.post("/api/pin", data={"pin": PIN})
    page.goto("/round-points/3", wait_until="load")
    chosen = page.locator("[name=out]:checked")
    page.fill("[name=points_3]", "5")
    expect(chosen).to_have_value("Ann")
    page.fill("[name=points_2]", "0")
    expect(chosen).to_have_count(0)
    page.fill("[name=points_1]", "12")
    expect(chosen).to_have_value("Ben")
    page.close()


def test_what_is_typed_stays_on_the_phone_until_it_is_taken(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.round_over())
    context = browser.new_context(base_url=address)
    assert context.request.post("/api/pin", data={"pin": PIN}).ok
    page = context.new_page()
    page.goto("/round-end", wait_until="load")
    page.fill("[name=hand_2]", "8-3 0-1")
    page.goto("/round-points/3", wait_until="load")
    page.fill("[name=points_2]", "12")
    page.locator("label.chip", has_text="Ann").click()
    page.goto("/setup?rules=tactic", wait_until="load")
    page.fill("[name=player_1]", "Zoë")
    page.locator(".house select").first.select_option(index=1)
    rule = page.locator(".house select").first.input_value()
    page.close()  # a tab that the phone dropped
    page = context.new_page()
    for _ in range(2):
        page.goto("/setup?rules=tactic", wait_until="load")
        expect(page.locator("[name=player_1]")).to_have_value("Zoë")
        expect(page.locator(".house select").first).to_have_value(rule)
        page.goto("/round-points/3", wait_until="load")
        expect(page.locator("[name=points_2]")).to_have_value("12")
        expect(page.locator("[name=out]:checked")).to_have_value("Ann")
        page.goto("/round-end", wait_until="load")
        expect(page.locator("[name=hand_2]")).to_have_value("8-3 0-1")
        expect(page.locator('[data-sum="hand_2"]')).to_have_text("Pips: 12")
    page.fill("[name=hand_3]", "nonsense")
    page.get_by_role("button", name="Count", exact=True).click()
    expect(page.locator(".complaint")).to_be_visible()
    page.goto("/round-end", wait_until="load")
    expect(page.locator("[name=hand_3]")).to_have_value("nonsense")
    page.goto("/setup?rules=tactic", wait_until="load")
    page.goto("/round-points/3", wait_until="load")
    for n in (1, 3, 4):
        page.fill(f"[name=points_{n}]", "0")
    page.get_by_role("button", name="Write the points down").click()
    expect(page.locator("h1")).to_have_text("Scores")
    page.goto("/round-points/3", wait_until="load")
    expect(page.locator("[name=points_2]")).to_have_value("")
    page.goto("/round-end", wait_until="load")
    expect(page.locator("[name=hand_2]")).to_have_value("8-3 0-1")
    context.close()


def test_a_note_that_goes_moves_no_field_from_under_a_finger(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.round_over())
    page = with_pin(browser, address, viewport={"width": 390, "height": 844})
    told = {"notes": {"hand_1": ["A sentence of a few lines. " * 6]}, "seen": "", "sent": {}, "otherwise": []}
    page.route("**/round-end/notes*", lambda route: route.fulfill(json=told))
    page.goto(f"{address}/round-end", wait_until="load")
    first, second = page.locator("[data-hand]").nth(0), page.locator("[data-hand]").nth(1)
    first.fill("12-5")
    expect(page.locator("[data-note=hand_1]")).to_contain_text("A sentence")
    second.focus()
    page.evaluate("scrollTo(0, 250)")
    told["notes"] = {}
    second.evaluate("field => field.dispatchEvent(new Event('input', {bubbles: true}))")
    before = second.evaluate("field => field.getBoundingClientRect().top")
    expect(page.locator("[data-note=hand_1]")).to_be_empty()
    assert abs(second.evaluate("field => field.getBoundingClientRect().top") - before) < 2
    page.close()
