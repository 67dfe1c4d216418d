"""The question about a tap in a real browser, on a phone and on a wide screen: a key is one tap, and a list moves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.stand_ins.browser import once_at_rest, served
from bench.stand_ins.fakes import PIN
from companion.app.state import AppState
from companion.web.app import PageSettings, create_app
from tests.desk.test_retractions import accused
from tests.lanes import nightly
from tests.web.test_misfits import Evening

pytestmark = pytest.mark.browser

LEAST_PX = 44
"""The least height of a key for a finger."""


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.table.session.close()


def opened(browser: Browser, url: str, name: str, width: int, height: int, *, scripts: bool = True) -> Page:
    """A phone that has given the PIN and is `name`'s."""
    context = browser.new_context(viewport={"width": width, "height": height}, java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{url}/pin")
    page.fill("[name=pin]", PIN)
    page.click("form[action='/pin'] button")
    page.click(f"button[value={name!r}]")
    return page


@contextmanager
def asked_of_cy(browser: Browser, evening: Evening, width: int, height: int) -> Iterator[Page]:
    """Cy's phone while it is asked where Ben's turn is."""
    evening.jumped()
    with served(evening.table.client.application) as url:
        yield opened(browser, url, "Cy", width, height)


@pytest.mark.parametrize(("width", "height"), [(390, 844), nightly(1920, 1080)])
def test_the_question_is_seen_whole_and_answered_with_one_tap(
    browser: Browser, evening: Evening, width: int, height: int
) -> None:
    with asked_of_cy(browser, evening, width, height) as page:
        card = page.locator("#region-asked article.settle")
        expect(card.locator("h3")).to_have_text("Cy's 3-8: Ben's turn before it is not tapped yet")
        for key in card.locator("button, a.button").all():
            box = key.bounding_box()
            assert box is not None and box["height"] >= LEAST_PX
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            assert box["y"] >= 0 and box["y"] + box["height"] <= height, "no key lies outside the screen"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width < height:
            dock, header = page.locator(".dock").bounding_box(), page.locator("#region-turn").bounding_box()
            assert dock and header and dock["y"] - header["y"] - header["height"] > 90, "the table is seen above it"
        card.get_by_text("Later").click()
        expect(page.locator("#region-asked details.settle summary")).to_contain_text("One thing to settle")
        evening.lay("Ann", "Ann", 6)
        card.get_by_text("Ben's turn is not tapped yet").click()
        expect(page.locator("#region-asked .settle")).to_have_count(0)
        assert evening.state["questions"] == []


@pytest.mark.parametrize(("width", "height"), [(320, 568), nightly(360, 740), nightly(375, 667)])
def test_on_a_small_phone_the_question_is_not_under_the_header(
    browser: Browser, evening: Evening, width: int, height: int
) -> None:
    with asked_of_cy(browser, evening, width, height) as page:
        sentence = page.locator("#region-asked h3")
        expect(sentence).to_have_text("Cy's 3-8: Ben's turn before it is not tapped yet")
        seen = """one => [0.1, 0.9].every(share => {
            const box = one.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + 5, box.y + share * box.height);
            return one === top || one.contains(top);
        })"""
        assert sentence.evaluate(seen)


IN_VIEW = """keys => keys.filter((key) => {
  const box = key.getBoundingClientRect();
  return !box.height || box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth;
}).map((key) => key.textContent.trim())"""
KEYS = "#region-act .pad > button, #region-act > .quick > form button, #region-act > .quick > .rare > summary"


@pytest.mark.parametrize(("width", "height", "answers"), [(320, 640, 3), nightly(390, 844, 3), (844, 390, 1)])
def test_no_key_leaves_the_screen_while_something_is_asked(
    browser: Browser, evening: Evening, width: int, height: int, answers: int
) -> None:
    """The number of rows and what is asked below them pushed the last keys out."""
    with asked_of_cy(browser, evening, width, height) as page:
        expect(page.locator("#region-asked h3")).to_be_in_viewport(ratio=1)
        for n in range(answers):
            expect(page.locator("#region-asked .answers button").nth(n)).to_be_in_viewport(ratio=1)
        assert once_at_rest(page, lambda: page.locator(KEYS).evaluate_all(IN_VIEW), lambda out: out == []) == []
        more, undo = (page.locator(one).bounding_box() for one in (".act .rare > summary", "form[action='/api/undo']"))
        assert more and undo and abs(more["y"] - undo["y"]) < LEAST_PX, "More stands alone in no row"


def test_after_a_step_back_no_key_leaves_a_small_screen(browser: Browser, evening: Evening) -> None:
    evening.begun()
    with served(evening.table.client.application) as url:
        page = opened(browser, url, "Cy", 320, 568)
        page.locator("#region-act form[action='/api/undo'] button").click()
        expect(page.locator("#region-act form[action='/api/put-back'] button")).to_be_in_viewport(ratio=1)
        assert page.locator(KEYS).evaluate_all(IN_VIEW) == []


def test_before_the_first_tile_a_phone_held_sideways_has_every_key(browser: Browser, evening: Evening) -> None:
    with served(evening.table.client.application) as url:
        page = opened(browser, url, "Ann", 844, 390)
        assert once_at_rest(page, lambda: page.locator(KEYS).evaluate_all(IN_VIEW), lambda out: out == []) == []


@pytest.mark.parametrize("scripts", [True, False])
def test_acts_are_put_in_order_with_keys_alone(browser: Browser, evening: Evening, scripts: bool) -> None:
    seq = evening.jumped()
    [question] = evening.state["questions"]
    with served(evening.table.client.application) as url:
        page = opened(browser, url, "Cy", 390, 844, scripts=scripts)
        page.goto(f"{url}/question/{seq}/order")
        order = page.locator("input[name=order]")
        expect(order).to_have_value(" ".join(map(str, question["order"])))
        up = page.locator("[data-line='7'] [data-move='-1']")
        up.focus()
        page.keyboard.press("Enter")
        row = list(question["order"])
        place = row.index(7)
        row[place - 1 : place + 1] = [7, row[place - 1]]
        expect(order).to_have_value(" ".join(map(str, row)))
        page.get_by_text("It was in this order").click()
        page.wait_for_url(f"{url}/")
    answers = [line.what for line in evening.table.session.events if line.KIND == "corrected" and "order" in line.what]
    assert [one["order"] for one in answers] == [row]


def test_whoever_has_a_turn_to_come_sees_it_on_top(browser: Browser, evening: Evening) -> None:
    evening.jumped()
    with served(evening.table.client.application) as url:
        page = opened(browser, url, "Ben", 390, 844)
        expect(page.locator("html")).to_have_attribute("data-live", "1")
        expect(page.locator(".further")).to_contain_text("Your turn before Cy's 3-8")
        page.get_by_text("I am further on").click()
        expect(page.locator("[name='own_turn:Ben']").first).to_have_value("3")
        page.get_by_text("Back to that turn").click()
        expect(page.locator("[name='own_turn:Ben']").first).to_have_value("2")
        page.locator("#region-act .chip", has_text="Mexican").click()
        page.locator("#region-act button[name=outer][value='1']").click()
        said = "Ben's 9-1 was tapped late. It now stands before Cy's 3-8."
        expect(page.locator("#region-asked")).to_contain_text(said)
    assert evening.state["questions"] == [] and evening.state["put_before"]


@pytest.mark.parametrize("language", ["de", *map(nightly, ("en", "ru"))])
def test_no_key_of_a_ruling_is_cut_on_a_narrow_phone(browser: Browser, tmp_path: Path, language: str) -> None:
    session = accused(tmp_path)
    app = create_app(AppState(session), PageSettings(pin=PIN, testing=True))
    with served(app) as url:
        page = opened(browser, url, "Ben", 320, 640)
        page.goto(f"{url}/?lang={language}")
        key = page.locator("#region-alerts .fault > form button").bounding_box()
        keys = page.locator("#region-act").bounding_box()
        assert key is not None and keys is not None and key["y"] + key["height"] <= keys["y"]
    session.close()
