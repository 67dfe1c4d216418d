"""On a phone's home screen: the manifest and its icons, the screen that stays on, the phone's share menu."""

from __future__ import annotations

import io
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from playwright.sync_api import Browser, expect

from bench.stand_ins.browser import complaints, served


def content(client: FlaskClient, address: str) -> bytes:
    with client.get(address) as answer:
        assert answer.status_code == 200
        return answer.data


def test_the_manifest_speaks_the_readers_language_and_names_icons_that_are_there(anyone: FlaskClient) -> None:
    assert 'rel="manifest" href="/manifest.webmanifest"' in anyone.get("/").text
    answer = anyone.get("/manifest.webmanifest", headers={"Accept-Language": "de"})
    assert answer.mimetype == "application/manifest+json"
    said = answer.get_json(force=True)
    assert (said["lang"], said["start_url"], said["display"]) == ("de", "/", "standalone")
    assert said["name"] != anyone.get("/manifest.webmanifest").get_json(force=True)["name"]
    for icon in said["icons"]:
        drawn = content(anyone, icon["src"])
        if icon["type"] == "image/png":
            assert "x".join(map(str, Image.open(io.BytesIO(drawn)).size)) == icon["sizes"]
        else:
            assert drawn.startswith(b"<svg")


def test_phones_of_apple_have_an_icon_that_fills_its_square(anyone: FlaskClient) -> None:
    [address] = re.findall(r'rel="apple-touch-icon" href="([^"]+)"', anyone.get("/").text)
    picture = Image.open(io.BytesIO(content(anyone, address))).convert("RGBA")
    assert {picture.getpixel((x, y)) for x in (0, 511) for y in (0, 511)} == {(0x12, 0x35, 0x2C, 255)}


INSECURE = "Object.defineProperty(window, 'isSecureContext', {value: false})"
LOCK = """window.locks = 0;
Object.defineProperty(navigator, 'wakeLock', {value: {
  request: async () => { locks += 1; return { release: async () => { locks -= 1; } }; }}});"""
SHARE = """window.shared = [];
navigator.canShare = () => true;
navigator.share = async (data) => shared.push([data.files.map((file) => file.name + ' ' + file.type), data.text]);"""


@pytest.mark.browser
def test_the_screen_stays_on_where_the_browser_lets_it(browser: Browser, app: Flask) -> None:
    with served(app) as address:
        context = browser.new_context(base_url=address)
        context.add_init_script(LOCK)
        page = context.new_page()
        heard = complaints(page)
        page.goto("/", wait_until="domcontentloaded")
        page.locator("#awake").click()
        expect(page.locator('html[data-awake="1"]')).to_have_count(1)
        assert page.evaluate("locks") == 1
        page.reload(wait_until="domcontentloaded")
        expect(page.locator('html[data-awake="1"]')).to_have_count(1)
        page.locator("#awake").click()
        expect(page.locator('html[data-awake="0"]')).to_have_count(1)
        assert page.evaluate("locks") == 0
        page.goto("/tv", wait_until="domcontentloaded")
        expect(page.locator('html[data-awake="1"]')).to_have_count(1)
        expect(page.locator("#awake")).to_have_count(0)
        context.close()
        page = browser.new_page()
        page.add_init_script("delete Navigator.prototype.wakeLock")
        page.goto(address, wait_until="domcontentloaded")
        expect(page.locator("html[data-live]")).to_have_count(1)
        expect(page.locator("#awake")).to_be_hidden()
        page.close()
    assert heard == []


@pytest.mark.browser
def test_scores_go_to_the_phones_share_menu_where_there_is_one(browser: Browser, app: Flask) -> None:
    with served(app) as address:
        page = browser.new_page(base_url=address)
        page.add_init_script(SHARE)
        with page.expect_response("**/scores.png"):
            page.goto("/share", wait_until="networkidle")
        page.locator("[data-share]").click()
        [[files, text]] = page.evaluate("shared")
        assert files == ["scores.png image/png"] and text.startswith("Mexican Train")
        page.close()
        page = browser.new_page(base_url=address)
        page.add_init_script("delete Navigator.prototype.share")
        page.goto("/share", wait_until="domcontentloaded")
        expect(page.locator("[data-copy]")).to_be_visible()
        expect(page.locator("[data-share]")).to_be_hidden()
        page.close()


@pytest.mark.browser
def test_what_a_box_without_a_certificate_cannot_do_is_said_there_alone(browser: Browser, app: Flask) -> None:
    with served(app) as address:
        for secure in (True, False):
            page = browser.new_page(base_url=address)
            if not secure:
                page.add_init_script(INSECURE)
            page.goto("/home-screen", wait_until="domcontentloaded")
            shown, other = (
                page.get_by_text("This page comes by https"),
                page.get_by_text("This page comes without https"),
            )
            expect(shown if secure else other).to_be_visible()
            expect(other if secure else shown).to_be_hidden()
            page.close()
