"""The corners in a real browser: dragged by mouse and finger, moved by keys, and really sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from bench.stand_ins.browser import complaints, once_at_rest, served
from bench.stand_ins.fakes import PIN, FakeCamera, FakeTable
from companion.app.state import AppState

pytestmark = pytest.mark.browser


class Filming(FakeCamera):
    def still(self) -> bytes:
        return cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()


@pytest.fixture
def table(app_state: AppState) -> FakeTable:
    app_state.camera, app_state.table = Filming(), FakeTable()
    return app_state.table


@pytest.fixture
def page(browser: Browser, app: Flask, table: FakeTable, tmp_path: Path) -> Iterator[Page]:
    with served(app) as address:
        context = browser.new_context(viewport={"width": 900, "height": 1400}, has_touch=True, base_url=address)
        assert context.request.post(f"{address}/api/pin", data={"pin": PIN}).ok
        found = context.new_page()
        found.heard = complaints(found)  # type: ignore[attr-defined]
        found.goto("/table", wait_until="load")
        expect(found.locator(".corner")).to_have_count(4)
        yield found
        assert found.heard == []  # type: ignore[attr-defined]
        context.close()


def shares(page: Page, n: int) -> tuple[float, float]:
    return tuple(float(page.locator(f'input[name="{axis}{n}"]').input_value()) for axis in "xy")  # type: ignore[return-value]


def lies_at(page: Page, n: int, place: tuple[float, float], tolerance: float = 0.5) -> bool:
    """Whether corner `n` comes to lie there, in percent of the picture."""
    near = pytest.approx(place, abs=tolerance)
    return once_at_rest(page, lambda: shares(page, n), lambda seen: seen == near) == near


def test_a_corner_follows_the_mouse(page: Page, table: FakeTable) -> None:
    box = page.locator(".placing img").bounding_box()
    knob = page.locator(".corner").first.bounding_box()
    assert box is not None and knob is not None
    page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.2 * box["height"], steps=4)
    expect(page.locator(".loupe")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".loupe")).to_be_hidden()
    assert lies_at(page, 0, (25, 20))
    page.fill('input[name="width_mm"]', "1200")
    page.fill('input[name="height_mm"]', "900")
    page.get_by_role("button", name="Use these corners").click()
    expect(page.get_by_role("heading", name="Camera and table")).to_be_visible()
    ((corners, size),) = table.placed
    assert corners[0] == pytest.approx([0.25, 0.2], abs=0.005) and size == [1200.0, 900.0]


def test_a_corner_follows_the_arrow_keys(page: Page) -> None:
    knob = page.get_by_role("button", name="Corner 3")
    knob.focus()
    before = shares(page, 2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    assert lies_at(page, 2, (before[0] - 0.1, before[1] - 2.0), 0.011)
    expect(knob).to_have_attribute("aria-label", f"Corner 3: {shares(page, 2)[0]:.2f} %, {shares(page, 2)[1]:.2f} %")


def test_a_corner_follows_the_finger(page: Page) -> None:
    box = page.locator(".placing img").bounding_box()
    assert box is not None
    x, y = box["x"] + 0.8 * box["width"], box["y"] + 0.3 * box["height"]
    finger = {"pointerId": 7, "pointerType": "touch", "isPrimary": True, "bubbles": True}
    knob = page.locator(".corner").nth(1)
    # Only a trusted event can be captured, so the capture is played.
    page.evaluate("Element.prototype.setPointerCapture = () => {}; Element.prototype.hasPointerCapture = () => true")
    knob.dispatch_event("pointerdown", finger)
    knob.dispatch_event("pointermove", {**finger, "clientX": x, "clientY": y})
    knob.dispatch_event("pointerup", finger)
    assert lies_at(page, 1, (80, 30))
    assert page.evaluate("getComputedStyle(document.querySelector('.corner')).touchAction") == "none"


def test_numbers_move_the_corners_too(page: Page) -> None:
    page.get_by_text("Corners as numbers").click()
    page.fill('input[name="x0"]', "33")
    knob = page.locator(".corner").first
    assert once_at_rest(page, lambda: knob.evaluate("knob => knob.style.left == '33%'"))


def test_a_name_is_dragged_to_where_the_train_starts(page: Page, table: FakeTable) -> None:
    page.goto("/seats", wait_until="load")
    expect(page.locator(".corner.seat")).to_have_text(["Ann", "Ben", "Mexican train"])
    box = page.locator(".placing img").bounding_box()
    knob = page.locator(".corner.seat", has_text="Ben").bounding_box()
    assert box is not None and knob is not None
    page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    page.mouse.up()
    spoke = page.locator(".placing line").nth(1)
    near = pytest.approx(20, abs=0.5)
    assert once_at_rest(page, lambda: float(spoke.get_attribute("x2") or 0), lambda seen: seen == near) == near
    page.get_by_role("button", name="Use these places").click()
    page.wait_for_url("**/")
    assert table.seated["Ben"] == pytest.approx((0.2, 0.6), abs=0.005) and set(table.seated) == {"Ann", "Ben", "MX"}


def test_what_the_camera_sees_now_is_drawn_for_whoever_may_see_it(page: Page) -> None:
    tile = {"quad": [[0.4, 0.4], [0.5, 0.4], [0.5, 0.45], [0.4, 0.45]], "values": [3, 11]}
    seen = {"picture": "/camera.jpg", "size": [640, 480], "tiles": [tile], "arms": [{"at": [0.5, 0.5], "name": "Ann"}]}
    page.route("**/api/view", lambda route: route.fulfill(json=seen))
    page.goto("/", wait_until="domcontentloaded")
    expect(page.locator(".eye polygon.tile")).to_have_count(1)
    expect(page.locator(".eye svg text")).to_have_text(["3", "11", "Ann"])
    close = page.locator(".eye svg").get_attribute("viewBox")
    page.locator(".eye .seen").click()
    expect(page.locator('.eye svg[viewBox="0 0 640 480"]')).to_have_count(1)
    assert close != "0 0 640 480", "the part with the tiles comes first"
    page.context.clear_cookies()
    page.goto("/", wait_until="domcontentloaded")
    expect(page.locator(".eye")).to_have_count(0)
    expect(page.locator('script[src*="view.js"]')).to_have_count(0)
