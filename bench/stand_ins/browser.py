"""A real Chromium for the tests: one browser for all of them, a fresh context for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from flask import Flask
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from bench.stand_ins.background import serve_in_background
from bench.stand_ins.fakes import PIN
from companion.web.serving import ServingSettings

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",  # no spare process, which would be made for each new page
)


def chromium() -> str:
    """The browser's path: COMPANION_CHROMIUM, or the system's own. It keeps the pages that one may go back to."""
    known = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    found = os.environ.get("COMPANION_CHROMIUM") or next(filter(None, known), None)
    assert found, "no Chromium found: install it, or name it in COMPANION_CHROMIUM"
    return found


def quickest() -> str:
    """The same browser's headless shell where it is installed: it draws the same for half of the processor's time."""
    return os.environ.get("COMPANION_CHROMIUM") or shutil.which("chromium-headless-shell") or chromium()


PATIENCE_MS = 60_000
"""How long any step may take: a busy machine is slow, and a step that never comes fails all the same."""


@contextmanager
def started() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=quickest(), args=list(FLAGS), timeout=2 * PATIENCE_MS)
        for method in ("new_context", "new_page"):
            setattr(browser, method, _patient(getattr(browser, method)))
        yield browser
        browser.close()


def _patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, its pages as patient as all others."""

    def made(**options: Any) -> Any:
        found = make(**options)
        found.set_default_timeout(PATIENCE_MS)
        return found

    return made


@contextmanager
def served(app: Flask, threads: int = 16) -> Iterator[str]:
    """The app on a free port of this machine; its address."""
    server, port = serve_in_background(app, settings=ServingSettings(threads=threads))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


def with_pin(browser: Browser, address: str, name: str | None = None, **options: Any) -> Page:
    """A page in a context of its own that has given the PIN there, as `name` where one is given."""
    context = browser.new_context(**options)
    who = {} if name is None else {"name": name}
    assert context.request.post(f"{address}/api/pin", data={"pin": PIN, **who}).ok
    return context.new_page()


Seen = TypeVar("Seen")


def once_at_rest(page: Page, look: Callable[[], Seen], fine: Callable[[Seen], bool] = bool) -> Seen:
    """The first look that is fine, or the last one if none is. A page is measured while it still moves."""
    seen = look()
    for _ in range(100):
        if fine(seen):
            break
        page.wait_for_timeout(100)
        seen = look()
    return seen


def stroke(page: Page, start: Locator, end: Locator) -> None:
    """A finger goes from one key to the other without leaving the screen."""
    keys = [key.bounding_box() for key in (start, end)]
    (ax, ay), (bx, by) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in keys if box]
    touch = page.context.new_cdp_session(page)
    path = [{"x": ax + (bx - ax) * n / 8, "y": ay + (by - ay) * n / 8} for n in range(9)]
    for kind, points in [("touchStart", path[:1]), *(("touchMove", [at]) for at in path[1:]), ("touchEnd", [])]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.detach()


def has_focus(page: Page, selector: str) -> bool:
    """Whether the page's focus comes to lie there; whether the browser's window is in front does not matter."""
    look = "(selector) => document.activeElement?.matches(selector) === true"
    return once_at_rest(page, lambda: bool(page.evaluate(look, selector)))


def complaints(page: Page) -> list[str]:
    """Collects what the page's console says as an error from now on, refusals of the content policy included."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard
