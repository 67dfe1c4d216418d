"""A family's evening on a phone, on a real session: from setting up to the printed sheet, with the taps counted."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import pypdfium2
import pytest
from playwright.sync_api import Browser, FloatRect, Page, expect

from bench.stand_ins.browser import complaints, once_at_rest, served
from companion.app.games import make_app_state
from companion.web.access import PinLock, PinSettings
from companion.web.app import PageSettings, create_app
from datasets.render.table import TableCamera, TableScene, TableTile, render_table

pytestmark = pytest.mark.browser

PIN = "135790"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Page]:
    app_state = make_app_state(tmp_path_factory.mktemp("data"))
    assert app_state.repository is not None
    app = create_app(app_state, PageSettings(pin=PIN, screen_key="wall"), PinLock.of(PIN, PinSettings(n=2**4)))
    with served(app) as address:
        found = browser.new_page(base_url=address, viewport={"width": 360, "height": 740}, is_mobile=True)
        found.heard = complaints(found)  # type: ignore[attr-defined]
        yield found
        found.close()
    app_state.session.journal.close()  # type: ignore[attr-defined]
    app_state.repository.read_hand.close()  # type: ignore[union-attr]


BETWEEN = """() => {
  const tile = document.querySelector('.newest .domino'), dock = document.querySelector('.dock');
  if (!tile || !dock.offsetHeight || document.querySelector('.ask-back')) return true;
  const box = tile.getBoundingClientRect(), turn = document.getElementById('region-turn').getBoundingClientRect();
  return box.top >= turn.bottom - 1 && box.bottom <= dock.getBoundingClientRect().top + 1;
}"""


def lay(page: Page, train: str, outer: int) -> int:
    """Tap a play into the sheet of the table page; the number of taps."""
    if page.locator("#live").count() == 0:
        page.goto("/", wait_until="domcontentloaded")
    form, taps = page.locator("#region-act form.enter"), 1
    if not form.locator(f'[name="train"][value="{train}"]').is_checked():
        form.locator(f'label.chip:has([name="train"][value="{train}"])').click()
        taps += 1
    with page.expect_response("**/api/play"):
        form.locator(f'button[name="outer"][value="{outer}"]').click()
    expect(page.locator("form[data-sent]")).to_have_count(0)
    assert once_at_rest(page, lambda: page.evaluate(BETWEEN)), "the keys cover the tile that was just laid"
    return taps


def comes_into_view(page: Page, selector: str) -> bool:
    """Whether all of it can be seen without scrolling, once the page is at rest."""

    def inside(box: FloatRect | None) -> bool:
        return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 740

    box = once_at_rest(page, lambda: page.locator(selector).first.bounding_box(), inside)
    if not inside(box):
        print(selector, box, page.evaluate("scrollY"), page.locator("#live").inner_text())
    return inside(box)


def photographed(*hand: tuple[int, int]) -> bytes:
    """A hand laid open on a cloth, rendered as a phone's photograph."""
    tiles = tuple(TableTile((90.0 + 60.0 * n, 90.0), 80.0 + 12.0 * n, values) for n, values in enumerate(hand))
    scene = TableScene((240.0, 180.0), tiles, camera=TableCamera(width=1200, height=900, height_mm=330), set_max=12)
    return cv2.imencode(".jpg", render_table(scene, 21)[0])[1].tobytes()


def test_1_the_game_is_set_up(page: Page) -> None:
    page.goto("/", wait_until="domcontentloaded")
    page.get_by_role("link", name="New game").last.click()
    page.get_by_role("link", name="Mexican Train (boxed game)").click()
    page.get_by_role("link", name="Enter the PIN to start a game").click()
    page.fill('input[name="pin"]', PIN)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/setup?rules=tactic", wait_until="domcontentloaded")
    for seat, name in enumerate(("Ann", "Ben", "Cy"), start=1):
        page.fill(f'input[name="player_{seat}"]', name)
    page.fill('input[name="player_4"]', "Dee")
    expect(page.get_by_role("button", name="Start the game: 4 players")).to_be_visible()
    page.fill('input[name="player_4"]', "")
    page.get_by_role("button", name="Start the game: 3 players").click()
    expect(page.locator('input[name="engine"]')).to_have_value("12-12")
    page.get_by_role("button", name="Everybody's").click()
    expect(page.locator("#region-act form.enter")).to_be_visible()
    expect(page.locator("#region-turn h2")).to_contain_text("Ann")


def test_2_plays_are_tapped_in(page: Page) -> None:
    assert lay(page, "Ann", 5) == 1, "their own train is chosen already"
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    expect(page.locator(".train.p1 .laid")).to_have_count(1)
    assert lay(page, "MX", 7) == 2
    expect(page.locator("#region-turn h2")).to_contain_text("Cy")
    expect(page.locator("#region-alerts")).not_to_contain_text("!")


def test_3_an_illegal_play_is_named_at_once(page: Page) -> None:
    lay(page, "Ann", 6)
    expect(page.locator(".ask-back")).to_contain_text("Ann's train is closed to Cy. Who played 5-6?")
    page.locator(".ask-back").get_by_role("button", name="Cy").click()
    expect(page.locator("#region-asked h3")).to_have_text("Cy's 5-6: Ann's train is closed to Cy")
    expect(page.locator("#region-alerts")).not_to_contain_text("This train is closed")
    page.get_by_role("button", name="It was really so").click()
    expect(page.locator("#region-alerts")).to_contain_text("This train is closed")
    expect(page.locator("#region-alerts")).to_contain_text("Cy played 5-6 on Ann's train.")
    assert comes_into_view(page, "#region-alerts .fault") and comes_into_view(page, "#region-turn"), (
        "no scrolling to see a ruling"
    )
    assert comes_into_view(page, "#region-act .pad")


def test_4_the_dispute_shows_rule_and_source(page: Page) -> None:
    page.locator("#region-alerts").get_by_role("link", name="Look at it").click()
    expect(page.locator("main")).to_contain_text("only while it carries a marker")
    expect(page.locator("main")).to_contain_text("Leaflet of the boxed game")


def test_5_a_correction_is_previewed_and_kept(page: Page) -> None:
    page.locator('#correct select[name="train"]').select_option("MX")
    page.get_by_role("button", name="Move it there").click()
    expect(page.locator("main")).to_contain_text("What would change")
    expect(page.locator("main table")).to_contain_text("This train is closed")
    expect(page.locator("main table")).to_contain_text("within the rules")
    page.goto("/scores", wait_until="domcontentloaded")
    page.go_back()
    expect(page.locator("main table")).to_contain_text("within the rules")
    page.goto("/", wait_until="domcontentloaded")
    page.locator("#region-alerts").get_by_role("link", name="Look at it").click()
    page.get_by_role("button", name="We let it stand").click()
    expect(page.locator("main")).to_contain_text("You agreed to let it stand.")
    page.goto("/", wait_until="domcontentloaded")
    expect(page.locator("#region-alerts")).not_to_contain_text("This train is closed")
    expect(page.locator("#region-plays")).to_contain_text("let stand")


def test_6_undo_takes_back_the_last_play(page: Page) -> None:
    lay(page, "Ann", 8)
    expect(page.locator(".train.p1 .laid")).to_have_count(3)
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".train.p1 .laid")).to_have_count(2)
    expect(page.locator("#region-turn h2")).to_contain_text("Ann")
    page.get_by_role("button", name="Cannot play: draw, marker, next").click()
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    expect(page.locator(".train.p1 .tag.marker")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#region-turn h2")).to_contain_text("Ann")
    expect(page.locator(".train.p1 .tag.marker")).to_have_count(0)


def test_7_the_referee_is_asked(page: Page) -> None:
    page.goto("/ask?train=Cy&low=12&high=9", wait_until="domcontentloaded")
    expect(page.locator("main")).to_contain_text("No, you may not play 12-9 there now.")
    page.goto("/ask?train=MX&low=7&high=9", wait_until="domcontentloaded")
    expect(page.locator("main")).to_contain_text("Yes, you may play 7-9 there now.")


def test_8_the_round_ends_with_hands_typed_tapped_and_photographed(page: Page) -> None:
    page.goto("/round-end", wait_until="domcontentloaded")
    page.fill('input[name="hand_1"]', "")
    page.locator('input[name="hand_2"]').focus()
    keys = page.locator(".picker")
    for value in ("3", "4", "0", "9"):
        keys.get_by_role("button", name=value, exact=True).click()
    expect(page.locator('input[name="hand_2"]')).to_have_value("3-4 0-9")
    page.locator('select[name="by"]').select_option("Cy")
    photograph = {"name": "hand.jpg", "mimeType": "image/jpeg", "buffer": photographed((0, 3), (6, 6))}
    page.set_input_files('input[name="photo"]', photograph)
    page.get_by_role("button", name="Read it").click()
    expect(page.locator('[role="status"]').first).to_contain_text("Cy: 2 tiles read.", timeout=120_000)
    read = {tuple(sorted(tile.split("-"))) for tile in page.locator('input[name="hand_3"]').input_value().split()}
    assert read == {("0", "3"), ("6", "6")}, "by the real reader"
    expect(page.locator('input[name="hand_2"]')).to_have_value("3-4 0-9")
    expect(page.locator('[data-note="hand_2"]')).to_contain_text("should have")
    page.get_by_role("button", name="Count").click()
    expect(page.locator('[data-note="hand_1"]')).to_contain_text("should have")
    page.get_by_role("button", name="Count it all the same").click()
    totals = page.locator(".rounds tfoot td.total")
    expect(totals).to_have_text(["0", "15", "16"])


def test_9_the_next_round_starts_with_the_next_double(page: Page) -> None:
    page.get_by_role("link", name="Next round").click()
    expect(page.locator('input[name="engine"]')).to_have_value("11-11")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#region-head")).to_contain_text("2")
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")


def test_a_the_game_is_replayed_play_by_play(page: Page) -> None:
    page.goto("/games", wait_until="domcontentloaded")
    page.get_by_role("link", name="Replay").first.click()
    expect(page.locator(".told")).to_contain_text("Round 1 starts with 12-12")
    page.get_by_role("link", name="Forward").click()
    expect(page.locator(".told")).to_contain_text("Ann played 12-5 on their own train.")
    expect(page.locator(".train.p1 .laid")).to_have_count(1)


def test_b_the_language_is_switched_and_kept(page: Page) -> None:
    page.goto("/", wait_until="domcontentloaded")
    page.get_by_role("link", name="Čeština").click()
    expect(page.locator("#region-turn")).to_contain_text("první tah")
    page.goto("/scores", wait_until="domcontentloaded")
    expect(page.locator("h1")).to_have_text("Skóre")
    page.goto("/?lang=en", wait_until="domcontentloaded")


def test_c_the_wall_shows_the_same_game(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto("about:blank")  # A pending request of the last page must not bring its cookie back.
    page.goto("/tv?screen=wall", wait_until="domcontentloaded")
    expect(page.locator("#region-turn h2")).to_contain_text("Ben")
    expect(page.locator(".join")).to_contain_text(PIN)
    assert once_at_rest(page, lambda: page.evaluate("document.documentElement.scrollHeight <= innerHeight"))


def test_d_the_match_ends_after_a_look_at_who_wins(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/round-end", wait_until="domcontentloaded")
    page.locator("label.chip", has_text="Called off").click()
    page.get_by_role("button", name="Count").click()
    page.get_by_role("link", name="End the match").click()
    expect(page.locator("main")).to_contain_text("The totals so far decide")
    page.get_by_role("button", name="End the match").click()
    expect(page.locator("h1")).to_have_text("Ann wins")


def test_e_the_sheet_is_printed_on_one_page(page: Page) -> None:
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    paper = pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))
    text, *rest = (sheet.get_textpage().get_text_range() for sheet in paper)
    assert "Ann wins" in text and "Ann went out" in text
    # The list of changes begins on a page of its own; the sheet itself fits on one.
    assert rest and rest[0].lstrip().startswith("What was changed") and "What was changed" not in text


def test_f_the_same_players_begin_the_next_match_with_two_taps(page: Page) -> None:
    for name in ("The same players again", "Start"):
        page.get_by_role("button", name=name, exact=True).click()
        page.wait_for_load_state()
    expect(page.locator("#region-turn h2")).to_contain_text("Ann")


def test_g_the_browser_had_nothing_to_complain_about(page: Page) -> None:
    assert page.heard == []  # type: ignore[attr-defined]
