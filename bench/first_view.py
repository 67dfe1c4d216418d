"""The first view of the table in Chromium: what is transferred, and how long it takes to be drawn."""

from __future__ import annotations

import statistics
from typing import Any

from playwright.sync_api import Browser, Response

from bench.stand_ins import tables
from bench.stand_ins.browser import served, started
from bench.stand_ins.fakes import FakeCamera, FakeSession
from companion.app.state import AppState
from companion.web.app import PageSettings, create_app

VIEWS = 7

DRAWN = """() => new Promise(done => {
  const look = () => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    paint ? done(paint.startTime) : requestAnimationFrame(look);
  };
  look();
})"""


def view(browser: Browser, address: str, **context: Any) -> tuple[int, float]:
    """(bytes over the line with headers, milliseconds until the first contents were drawn), nothing in the cache."""
    seen: list[Response] = []
    fresh = browser.new_context(**context)
    page = fresh.new_page()
    page.on("response", lambda answer: seen.append(answer))
    page.goto(address, wait_until="load")
    drawn = float(page.evaluate(DRAWN))
    page.wait_for_timeout(300)
    plain = [answer for answer in seen if "/api/stream" not in answer.url]
    sizes = [answer.request.sizes() for answer in plain]
    fresh.close()
    return sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes), drawn


def measure() -> dict[str, float]:
    """The fullest table, eight players, on a phone."""
    app = create_app(
        AppState(FakeSession(tables.eight_players()), camera=FakeCamera(), game="bench"), PageSettings(pin="1")
    )
    with served(app) as address, started() as browser:
        views = [view(browser, address, viewport={"width": 390, "height": 844}) for _ in range(VIEWS)]
    return {
        "first view of a phone, kB transferred": max(size for size, _ in views) / 1000,
        "first view drawn, median, ms": statistics.median(drawn for _, drawn in views),
        "first view drawn, worst, ms": max(drawn for _, drawn in views),
    }
