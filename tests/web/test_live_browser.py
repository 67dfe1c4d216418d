"""The live page in a real browser: it follows the journal by itself, and survives a lost connection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Route, expect

from bench.first_view import view
from bench.stand_ins import tables
from bench.stand_ins.browser import complaints, has_focus, once_at_rest, served, stroke, with_pin
from bench.stand_ins.fakes import PIN, FakeSession
from companion.app.state import AppState
from tests.lanes import nightly

pytestmark = pytest.mark.browser


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app) as found:
        yield found


def test_an_event_appears_without_reloading(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = browser.new_page()
    heard = complaints(page)
    page.goto(address, wait_until="domcontentloaded")
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    page.evaluate("window.stayed = true")
    session.show(tables.illegal())
    expect(page.locator("#region-alerts")).to_contain_text("This train is closed")
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    expect(page.locator("#news")).to_contain_text("Ben played 0-11 on Cyril's train.")
    assert page.evaluate("window.stayed") is True
    page.close()
    assert heard == []


def test_a_screen_that_was_refused_comes_back_by_itself(browser: Browser, address: str, session: FakeSession) -> None:
    page = browser.new_page()
    refused: list[Route] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) < 2:
            refused.append(route)
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    page.route("**/api/stream*", refuse_twice)
    page.goto(address, wait_until="domcontentloaded")
    session.show(tables.midgame())
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    assert once_at_rest(page, lambda: len(refused) == 2)
    session.show(tables.illegal())
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    expect(page.locator("#lost")).to_be_hidden()
    page.close()


def test_what_is_being_typed_survives_news_from_elsewhere(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address)
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    page.check('#region-act input[name="train"][value="MX"]', force=True)
    page.focus('#region-act button[name="outer"][value="7"]')
    session.show(tables.midgame(boneyard=23))
    session.record(event="drew", by="Ben", source="camera", violations=[])
    expect(page.locator("#region-head")).to_contain_text("23")
    assert has_focus(page, '.enter button[name="outer"][value="7"]')
    expect(page.locator('.enter input[name="train"][value="MX"]')).to_be_checked()
    expect(page.locator("#region-act details").first).to_have_attribute("open", "")
    page.context.close()


def test_what_is_chosen_before_the_first_answer_comes_stays_chosen(browser: Browser, address: str) -> None:
    page = with_pin(browser, address)
    asked: list[Route] = []
    page.route("**/regions*", lambda route: asked.append(route))
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    page.check('#region-act input[name="train"][value="MX"]', force=True)
    page.focus('#region-act button[name="outer"][value="7"]')
    page.evaluate("window.puts = 0")
    page.evaluate("new MutationObserver(() => puts += 1).observe(live, {childList: true, subtree: true})")
    while not asked:
        page.wait_for_timeout(20)
    with page.expect_response("**/regions*") as answered:
        asked[0].continue_()
    answered.value.finished()
    page.wait_for_timeout(100)
    assert page.evaluate("document.querySelector('.enter').train.value") == "MX"
    assert page.evaluate("document.activeElement.closest('form').className") == "enter"
    assert page.evaluate("puts") == 0, "nothing that did not change is put in anew"
    page.context.close()


def test_what_has_no_name_keeps_the_focus_when_its_part_changes(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address)
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    held = ('form[action="/api/undo"] button', "details.more summary", "details.entry > summary")
    for seq, one in enumerate(held, start=33):
        page.focus(one)
        session.show(tables.midgame(seq=seq))
        expect(page.locator('.enter input[name="expected_seq"]')).to_have_value(str(seq))
        assert has_focus(page, one), one
    page.context.close()


def test_a_tap_moves_nothing_on_the_page(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.illegal())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    page.evaluate("window.stayed = true; scrollTo(0, 160)")
    key = page.locator('#region-act button[name="outer"][value="7"]')
    seen: list[object] = []

    def at_rest() -> object:
        """Where the key lies, seen twice in the same place."""
        once_at_rest(page, lambda: seen.append(key.bounding_box()), lambda _: seen[-2:-1] == seen[-1:])
        return seen[-1]

    before = at_rest()
    scrolled = page.evaluate("scrollY")
    with page.expect_response("**/api/play"):
        key.click()
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert at_rest() == before
    assert page.evaluate("window.stayed") is True and page.evaluate("scrollY") == scrolled
    assert [call[0] for call in session.calls] == ["play"]
    page.context.close()


def test_what_was_refused_is_said_over_the_keys_and_stays_filled_in(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    page.check('#region-act input[name="train"][value="MX"]', force=True)
    session.refuses = "the match is over"
    page.click('#region-act button[name="outer"][value="7"]')
    expect(page.locator("#region-act .complaint")).to_have_text("The match is over")
    assert page.evaluate("document.querySelector('.enter').train.value") == "MX"
    complaint = page.locator("#region-act .complaint")
    y = once_at_rest(page, lambda: (complaint.bounding_box() or {"y": -1.0})["y"], lambda y: 0 < y < 740)
    assert 0 < y < 740, "without scrolling"
    page.context.close()


def test_a_finger_that_taps_twice_sends_once(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(address, wait_until="domcontentloaded")
    with page.expect_response("**/api/draw"):
        page.get_by_role("button", name="Draw a tile").dblclick()
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert [call[0] for call in session.calls] == ["draw"]
    page.context.close()


def test_the_second_tap_of_two_in_a_row_meets_no_new_key(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    page.goto(address, wait_until="domcontentloaded")
    key = page.get_by_role("button", name="Draw a tile")
    key.hover()
    box = key.bounding_box()
    assert box is not None
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/api/draw") else None)
    for taps in (1, 2):
        with page.expect_response("**/api/draw"):
            page.mouse.click(*at)
        expect(page.locator("form[data-sent]")).to_have_count(0)
        page.mouse.click(*at)
        page.wait_for_timeout(900)
        assert len(sent) == taps
    page.context.close()


def test_news_takes_no_key_from_under_a_finger(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": 360, "height": 740})
    asked: list[Route] = []
    page.route("**/regions*", lambda route: asked.append(route))
    page.goto(address, wait_until="domcontentloaded")

    def next_asked() -> Route:
        while not asked:
            page.wait_for_timeout(20)
        return asked.pop(0)

    next_asked().continue_()  # The page asks once by itself, and would get the news unpressed.
    page.get_by_role("button", name="Draw a tile").hover()

    def news_while_pressed(boneyard: int) -> None:
        session.show(tables.midgame(boneyard=boneyard))
        session.record(event="drew", by="Ben", source="camera", violations=[])
        route = next_asked()
        answer = route.fetch()
        page.mouse.down()
        route.fulfill(response=answer)

    news_while_pressed(23)
    page.wait_for_timeout(100)
    assert "23" not in page.locator("#region-head").inner_text()
    with page.expect_response("**/api/draw"):
        page.mouse.up()
    expect(page.locator("#region-head")).to_contain_text("23")
    assert [call[0] for call in session.calls] == ["draw"]
    news_while_pressed(22)
    expect(page.locator("#region-head")).to_contain_text("22")
    page.context.close()


def test_one_stroke_from_a_number_to_a_train_is_a_tile_there(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.tap()
    train = page.locator('#region-act .chip:has(input[value="MX"])')
    with page.expect_response("**/api/play"):
        stroke(page, page.locator('#region-act button[name="outer"][value="7"]'), train)
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert [call[1] for call in session.calls] == [((5, 7), "MX")]
    page.context.close()


def test_sounds_are_off_until_asked_for(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    page = browser.new_page()
    heard = complaints(page)
    page.goto(address, wait_until="domcontentloaded")
    button = page.get_by_role("button", name="Sounds")
    expect(button).to_have_attribute("aria-pressed", "false")
    session.show(tables.uncovered_double())
    expect(page.locator("#news")).not_to_be_empty()
    assert page.evaluate("document.documentElement.dataset.rang") is None, "nothing sounds by itself"
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    session.show(tables.illegal() | {"seq": 33})
    expect(page.locator("html")).to_have_attribute("data-rang", "fault")
    button.click()
    session.show(tables.midgame(seq=34))
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(page.locator("html")).to_have_attribute("data-rang", "fault")
    page.close()
    assert heard == []


def test_the_cameras_state_follows(browser: Browser, address: str, app_state: AppState) -> None:
    page = browser.new_page()
    page.goto(address, wait_until="domcontentloaded")
    expect(page.locator(".camera")).to_contain_text("Up to date")
    app_state.camera.state = "hand"  # type: ignore[union-attr]
    app_state.signal.notify()
    expect(page.locator(".camera")).to_contain_text("Sees a hand")
    page.close()


def test_a_lost_connection_is_said_and_then_caught_up(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.midgame())
    context = browser.new_context()
    page = context.new_page()
    page.goto(address, wait_until="domcontentloaded")
    context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('offline'))")
    session.show(tables.illegal())
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#region-turn h2")).to_contain_text("Cyril")
    context.close()


def test_another_game_on_the_table_reloads_the_page(browser: Browser, address: str, app_state: AppState) -> None:
    page = browser.new_page()
    page.goto(address, wait_until="domcontentloaded")
    app_state.put_on_the_table(FakeSession(tables.chinese_line()), "second")
    expect(page.locator(".line")).to_be_visible()
    page.close()


def test_the_first_view_is_drawn_within_a_second_of_its_request(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address, wait_until="domcontentloaded")
    page.goto(address, wait_until="load")
    painted = page.evaluate(
        """new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
            .observe({ type: 'paint', buffered: true }))"""
    )
    sizes = page.evaluate(
        "performance.getEntriesByType('resource').filter((r) => !r.name.includes('/api/')).map((r) => r.name)"
    )
    page.close()
    assert painted > 0
    assert all(address in name for name in sizes), "nothing is loaded from anywhere else"


def test_it_works_without_scripts(browser: Browser, address: str, session: FakeSession) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/pin", wait_until="domcontentloaded")
    page.fill('input[name="pin"]', PIN)
    page.click("main .button")
    page.click('main button[value="Ann"]')
    page.locator("#region-act summary").first.click()
    page.check('#region-act input[name="train"][value="Dorothea"]', force=True)
    page.click('#region-act button[name="outer"][value="7"]')
    context.close()
    shown = {"turn": 1, "end": 11, "outer_only": True}
    assert session.calls == [("play", ((11, 7), "Dorothea"), {"by": "Ann", "lift": True, **shown})]


def test_the_first_view_is_small(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.eight_players())
    transferred, _drawn = view(browser, address, viewport={"width": 390, "height": 844})
    assert transferred < 150_000


def test_a_page_opened_before_the_game_sees_it_begin(
    browser: Browser, address: str, app_state: AppState, session: FakeSession
) -> None:
    app_state._session = None
    page = browser.new_page()
    heard = complaints(page)
    for path in ("/tv", "/"):
        answer = page.goto(f"{address}{path}", wait_until="domcontentloaded")
        assert answer is not None and answer.ok, path
        expect(page.locator("h1")).to_contain_text("No game is being played")
    app_state.put_on_the_table(session, "tonight")
    expect(page.locator("#region-turn h2")).to_be_visible()
    page.close()
    assert heard == []


def test_a_card_has_room_for_its_marker_and_for_its_end(browser: Browser, address: str, session: FakeSession) -> None:
    table = tables.midgame()
    for row in table["trains"]:
        row |= {"marker": True, "playable": False, "open": False}
    session.show(table | {"must_cover": {"train": "Ben", "value": 3, "by": "Ann", "since": 1}})
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address, wait_until="domcontentloaded")
    expect(page.locator(".end-word").first).to_have_text("after the double")
    between = """rows => rows.map((row) => row.querySelector('.end').getBoundingClientRect().left
      - Math.max(...[...row.querySelectorAll('h3, .tag')].map((e) => e.getBoundingClientRect().right)))"""
    assert min(page.locator("li.train").evaluate_all(between)) > 0
    page.close()


@pytest.mark.parametrize("signed_in", [True, False], ids=["with the PIN", "watching"])
def test_when_a_round_is_over_its_key_is_in_reach(
    browser: Browser, address: str, session: FakeSession, signed_in: bool
) -> None:
    """The last tile lies in the lowest row, which the page has scrolled to."""
    table = tables.midgame()
    table["plays"].append(tables.play(table["trains"][-1]["tiles"][-1]["seq"], "Ann", (8, 5), "MX"))
    session.show(table)
    context = browser.new_context(viewport={"width": 390, "height": 844})
    if signed_in:
        assert context.request.post(f"{address}/api/pin", data={"pin": PIN}).ok
    page = context.new_page()
    page.goto(address, wait_until="domcontentloaded")
    newest = page.locator(".train.mx .newest")
    expect(newest).to_be_in_viewport(ratio=1)
    session.show(table | {"phase": "round_over", "turn": None, "seq": 40})
    expect(page.get_by_role("link", name="Enter the hands")).to_have_count(1 if signed_in else 0)
    key = page.get_by_role("link", name="Enter the hands" if signed_in else "All scores").first
    expect(key).to_be_in_viewport(ratio=1)
    assert not signed_in or (key.bounding_box() or {"width": 0})["width"] > 360
    expect(newest).to_be_in_viewport(ratio=1)
    session.show(table | {"phase": "waiting", "turn": None, "seq": 41, "round": 2})
    expect(page.locator(".round-over h2")).to_be_visible()
    start = page.get_by_role("link", name="Start the round")
    expect(start).to_be_in_viewport(ratio=1) if signed_in else expect(start).to_have_count(0)
    expect(page.locator(".round-over h2")).to_be_in_viewport(ratio=1)
    context.close()


COVERED = """() => [...document.querySelectorAll('.yard a.at')].filter((tile) => {
  tile.focus();
  const box = tile.getBoundingClientRect();
  const seen = document.elementFromPoint((box.left + box.right) / 2, box.bottom - 2);
  return seen === null || !tile.contains(seen);
}).map((tile) => tile.getAttribute('href'))"""


def test_no_tile_that_has_the_focus_lies_under_the_keys(browser: Browser, address: str, session: FakeSession) -> None:
    session.show(tables.question())
    page = with_pin(browser, address, viewport={"width": 390, "height": 844})
    page.goto(address, wait_until="domcontentloaded")
    expect(page.locator("html[data-live]")).to_have_count(1)
    assert page.evaluate(COVERED) == []
    page.context.close()


def test_a_phone_held_sideways_has_table_and_keys(browser: Browser, address: str, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"].append(tables.play(table["trains"][-1]["tiles"][-1]["seq"], "Ann", (8, 5), "MX"))
    session.show(table)
    page = with_pin(browser, address, viewport={"width": 844, "height": 390})
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    keys = ('[name="outer"][value="0"]', '[name="outer"][value="12"]', 'form[action="/api/undo"] button')
    for part in (".train.mx .newest", *keys, "#region-act .quick > .rare > summary", "#region-turn h2"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    boxes = [page.locator(part).bounding_box() for part in (".train.mx .newest", ".dock")]
    assert boxes[0] and boxes[1] and boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"], "beside each other"
    session.show(table | {"phase": "round_over", "turn": None, "seq": 40})
    expect(page.get_by_role("link", name="Enter the hands")).to_be_in_viewport(ratio=1)
    session.show(table | {"phase": "waiting", "turn": None, "seq": 41, "round": 2})
    name = page.locator(".round-over tbody th .player span").first
    lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).fontSize)"
    assert name.evaluate(lines) < 2, "not one letter below the other"
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    session.show(tables.match_over() | {"seq": 42})
    expect(page.locator(".podium .won .token")).to_be_in_viewport(ratio=0.9)
    page.context.close()


@pytest.mark.parametrize(("width", "height"), [(1024, 768), nightly(1920, 1080)])
def test_the_keys_stay_on_a_wide_screen_and_cover_no_question(
    browser: Browser, address: str, session: FakeSession, width: int, height: int
) -> None:
    """They lay below the table, so that a tablet had to be scrolled at each turn."""
    session.show(tables.midgame())
    page = with_pin(browser, address, viewport={"width": width, "height": height})
    page.goto(address, wait_until="domcontentloaded")
    page.locator("#region-act summary").first.click()
    for part in ('[name="outer"][value="0"]', '[name="outer"][value="12"]', 'form[action="/api/undo"] button'):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    expect(page.locator("#region-turn h2")).to_be_in_viewport(ratio=1)
    for end in page.locator("li.train .end-value").all():
        expect(end).to_be_in_viewport(ratio=1)
    long = tables.wall(4, 14, 20)
    long["plays"] = [*long["plays"], tables.play(long["trains"][-1]["tiles"][-1]["seq"], "Ann", (8, 5), "MX")]
    session.show(long | {"seq": 40})
    expect(page.locator(".train.mx .newest")).to_be_in_viewport(ratio=1)
    expect(page.locator('[name="outer"][value="0"]')).to_be_in_viewport(ratio=1)
    session.show(long | {"seq": 41, "phase": "round_over", "turn": None})
    expect(page.get_by_role("link", name="Enter the hands").first).to_be_in_viewport(ratio=1)
    session.show(tables.question() | {"seq": 42})
    asked = page.locator(".alerts .question").first
    expect(asked).to_be_visible()
    below = "asked => { const keys = document.querySelector('.act').getBoundingClientRect(); return keys.top; }"
    top, box = asked.evaluate(below), asked.bounding_box()
    assert box is not None and box["y"] + box["height"] <= top + 1
    for key in (asked.locator("button").first, page.locator(".act .rare > summary")):
        expect(key).to_be_in_viewport(ratio=1)
    page.context.close()


def test_the_big_screen_on_a_phone_is_laid_out_for_the_phone(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.midgame())
    for width, height in ((320, 640), (390, 844), (844, 390)):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{address}/tv", wait_until="domcontentloaded")
        name, ends = (page.locator(part).first.bounding_box() for part in ("#region-turn h2", "#region-turn .ends"))
        assert name and ends and name["x"] + name["width"] <= ends["x"] + 1, "beside each other"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


@pytest.mark.parametrize("width", [320, nightly(390)])
def test_long_words_of_a_language_are_not_broken_by_the_letter(
    browser: Browser, address: str, session: FakeSession, width: int
) -> None:
    session.show(tables.midgame())
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(f"{address}/?lang=uk", wait_until="domcontentloaded")
    for part in (".end-word", ".train.mx .head-car h3"):
        lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
        assert [round(one.evaluate(lines)) for one in page.locator(part).all()] == [1] * page.locator(part).count()
    page.close()


def test_a_name_of_eleven_letters_is_whole_on_a_narrow_phone(
    browser: Browser, address: str, session: FakeSession
) -> None:
    session.show(tables.wall(3, 4, 4, names=("Ann", "Ben", "Bartholomew")))
    page = browser.new_page(viewport={"width": 320, "height": 640})
    page.goto(address, wait_until="load")
    rows = """title => {
      const name = document.createRange();
      name.selectNodeContents(title.lastChild);
      return name.getClientRects().length;
    }"""
    title = page.locator("#region-turn h2")
    expect(title).to_contain_text("Bartholomew")
    assert title.evaluate(rows) == 1
    page.close()
