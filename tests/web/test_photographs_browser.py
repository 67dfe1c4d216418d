"""A phone's photograph of any real size arrives whole, through Chromium's own form, wherever a form can bring one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import served
from bench.stand_ins.fakes import PIN, FakeDesk, FakeSession
from companion.app.state import AppState
from companion.web.uploads import PHOTO_LIMIT

pytestmark = pytest.mark.browser

SIZES_KB = (100, 242, 1_000, 5_000, 16_000)
ENDS_KB = (100, 16_000)
"""At every other door."""


@cache
def photograph(kb: int) -> bytes:
    """A JPEG of just about so many kilobytes: grain of a camera at night, more of it for a larger file."""
    high = max(64, round((kb * 1000 / 0.95 * 3 / 4) ** 0.5))
    grain = np.random.default_rng(kb).integers(0, 256, (high, high * 4 // 3, 3), np.uint8)
    best = b""
    for quality in (95, 85, 75, 60, 45, 30):
        best = cv2.imencode(".jpg", grain, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
        if len(best) <= kb * 1000:
            break
    # The bytes that a phone appends (a preview, a few frames of motion) make up the rest.
    return best + b"\0" * (kb * 1000 - len(best))


@pytest.fixture
def arrived(app_state: AppState) -> dict[str, list[str]]:
    """Photographs that arrived, by their hash."""
    found: dict[str, list[str]] = {"hand": [], "row": []}

    def read_hand(raw: bytes, _header: Mapping[str, Any]) -> dict[str, Any]:
        found["hand"].append(hashlib.sha256(raw).hexdigest())
        return {"tiles": [[1, 2]], "unreadable": 0}

    assert app_state.repository is not None
    app_state.repository = replace(app_state.repository, read_hand=read_hand)

    class Desk(FakeDesk):
        def begin(self, task: str, tile_set: str, photograph: bytes | None = None) -> bool:
            found["row"].append(hashlib.sha256(photograph or b"").hexdigest())
            return True

    app_state.learning = Desk()
    return found


@pytest.fixture
def page(app: Flask, browser: Browser, session: FakeSession) -> Iterator[Page]:
    session.show(tables.round_over())
    with served(app) as address:
        context = browser.new_context(base_url=address, viewport={"width": 360, "height": 740})
        assert context.request.post("/api/pin", data={"pin": PIN}).ok
        yield context.new_page()
        context.close()


def send(page: Page, path: str, button: str, file: Path) -> int:
    page.goto(path, wait_until="domcontentloaded")
    page.set_input_files("input[name=photo]", file)
    with page.expect_navigation(wait_until="domcontentloaded") as answer:
        page.click(button)
    return answer.value.status if answer.value is not None else 0


def send_all(page: Page, tmp_path: Path, path: str, button: str, sizes_kb: Sequence[int] = SIZES_KB) -> list[str]:
    """The hashes of what was sent; every answer was a page."""
    sent = []
    for kb in sizes_kb:
        raw = photograph(kb)
        file = tmp_path / f"{kb}.jpg"
        file.write_bytes(raw)
        assert send(page, path, button, file) == 200, f"a photograph of {kb} kB was refused"
        sent.append(hashlib.sha256(raw).hexdigest())
    return sent


def test_a_photograph_of_a_hand_arrives_whole(page: Page, tmp_path: Path, arrived: dict[str, list[str]]) -> None:
    sent = send_all(page, tmp_path, "/round-end", "button[formaction='/round-end/photo']")
    assert arrived["hand"] == sent


def test_a_photograph_of_the_doubles_arrives_whole(page: Page, tmp_path: Path, arrived: dict[str, list[str]]) -> None:
    assert send_all(page, tmp_path, "/learn", "button[value=learn]", ENDS_KB) == arrived["row"]


def test_a_photograph_that_was_chosen_and_not_read_does_not_hinder_the_count(
    page: Page, tmp_path: Path, session: FakeSession, arrived: dict[str, list[str]]
) -> None:
    table = tables.round_over()
    table["hands"]["Ann"] = 0
    session.show(table)
    send_all(page, tmp_path, "/round-end?hand_2=4-4&hand_3=3-3&hand_4=1-2", "form .button:not(.quiet)", ENDS_KB)
    counted = [call for call in session.calls if call[0] == "show_hands"]
    assert [list(call[1][0]) for call in counted] == [tables.round_over()["players"]] * len(ENDS_KB)


@pytest.mark.parametrize("kb", [PHOTO_LIMIT // 1000 + 200, 40_000])
def test_a_file_that_is_too_large_is_refused_and_the_typed_hands_stay(
    page: Page, tmp_path: Path, arrived: dict[str, list[str]], kb: int
) -> None:
    file = large(tmp_path, kb)
    page.goto("/round-end", wait_until="domcontentloaded")
    page.fill("input[name=hand_2]", "5-5 3-4")
    page.set_input_files("input[name=photo]", file)
    expect(page.locator(".by-photo [role=alert]")).to_contain_text("larger than 16 MB")
    page.click("button[formaction='/round-end/photo']")
    expect(page.locator(".by-photo [role=alert]")).to_contain_text("Choose a photograph first")
    expect(page.locator("input[name=hand_2]")).to_have_value("5-5 3-4")
    assert arrived["hand"] == []
    page.set_input_files("input[name=photo]", file)
    page.set_input_files("input[name=photo]", {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": photograph(100)})
    expect(page.locator(".by-photo [role=alert].of-photo")).to_have_count(0)


def test_without_scripts_a_file_that_is_too_large_takes_no_typed_hand_along(
    app: Flask, browser: Browser, session: FakeSession, tmp_path: Path, arrived: dict[str, list[str]]
) -> None:
    session.show(tables.round_over())
    with served(app) as address:
        context = browser.new_context(base_url=address, java_script_enabled=False)
        assert context.request.post("/api/pin", data={"pin": PIN}).ok
        page = context.new_page()
        page.goto("/round-end", wait_until="domcontentloaded")
        expect(page.locator("input[name=photo]")).to_be_hidden()
        page.fill("input[name=hand_2]", "5-5 3-4")
        page.click("noscript button")
        for kb, shown in ((40_000, "The photograph is larger than 16 MB"), (100, "one tile read")):
            page.set_input_files("input[name=photo]", large(tmp_path, kb))
            page.click("text=Read it")
            expect(page.locator("main")).to_contain_text(shown)
            assert len(arrived["hand"]) == (kb == 100)
        expect(page.locator("input[name=hand_2]")).to_have_value("5-5 3-4")
        context.close()


def large(folder: Path, kb: int) -> Path:
    file = folder / "large.jpg"
    file.write_bytes(b"\xff\xd8\xff" + b"\0" * (kb * 1000))
    return file
