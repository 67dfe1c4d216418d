"""This evening's code lets phones play without the PIN: shown to few, over in time, and not the key to the house."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import segno
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import complaints, served
from bench.stand_ins.fakes import PIN, FakeClock, FakeSession
from companion.app.state import AppState
from companion.web import guests
from companion.web.access import EVENING_FILE, LASTS_S, OF_THE_HOUSE, SHARED, Evening, PinLock, PinSettings
from companion.web.app import PageSettings, create_app
from tests.web.reading import words


@pytest.fixture
def coded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The address in each QR code, in order."""
    said: list[str] = []

    def draw(address: str) -> bytes:
        said.append(address)
        return b"<svg/>"

    monkeypatch.setattr(guests, "qr_svg", draw)
    yield said


def evening_of(app: Flask) -> Evening:
    found: Evening = app.extensions["companion_evening"]
    return found


def scanned(app: Flask) -> FlaskClient:
    """A phone that has scanned the code."""
    client = app.test_client()
    assert client.get(f"/join/{evening_of(app).code}").status_code == 303
    return client


def test_whoever_scans_the_code_plays_without_the_pin(app: Flask, anyone: FlaskClient, session: FakeSession) -> None:
    assert anyone.post("/api/draw", json={}).status_code == 401
    answer = anyone.get(f"/join/{evening_of(app).code}")
    assert answer.headers["Location"] == "/whose?next=/"
    anyone.post("/whose", data={"name": "Ben", "next": "/"})
    assert anyone.post("/api/draw", data={"by": "Ben"}).status_code == 303
    assert session.calls == [("draw", ("Ben",), {})]
    assert anyone.get(f"/join/{evening_of(app).code}").headers["Location"] == "/", "scanned again, nothing is asked"


def test_before_the_first_game_the_code_leads_to_the_table(tmp_path: Path) -> None:
    app = create_app(AppState(data_dir=tmp_path), PageSettings(pin=PIN))
    assert app.test_client().get(f"/join/{evening_of(app).code}").headers["Location"] == "/"


def test_the_code_is_shown_to_whoever_plays_and_on_the_box_alone(
    app: Flask, anyone: FlaskClient, keeper: FlaskClient, coded: list[str]
) -> None:
    plain, code = "http://192.168.1.23:8000", evening_of(app).code
    box = app.test_client()
    box.get("/tv?screen=the-boxes-own")
    for client, says in ((anyone, plain), *((one, f"{plain}/join/{code}") for one in (keeper, box, scanned(app)))):
        answer = client.get("/qr.svg")
        assert coded[-1] == says and answer.headers["Cache-Control"] == "no-store"
        client.get("/qr.svg?watch=1")
        assert coded[-1] == plain
    for path in ("/tv", "/invite", "/", "/pin", "/regions?tv=1"):
        for client in (anyone, keeper, box):
            assert code not in client.get(path).text, path


def test_the_code_is_drawn_in_large_squares() -> None:
    plain = segno.make("http://192.168.1.23:8000", error="l").version
    assert isinstance(plain, int)
    made = segno.make(f"http://192.168.178.123:8000/join/{Evening().code}", error="l")
    assert isinstance(made.version, int) and made.version <= plain + 1


def test_an_invitation_to_watch_gives_no_right(keeper: FlaskClient, anyone: FlaskClient) -> None:
    play, watch = keeper.get("/invite").text, keeper.get("/invite?watch=1").text
    assert "&amp;watch=1" in watch and "&amp;watch=1" not in play
    assert 'href="/invite?watch=1"' in play and 'href="/invite"' in watch
    assert "may play this evening" in play and "may play this evening" not in watch
    assert ">192.168.1.23:8000<" in play and ">192.168.1.23:8000<" in watch
    shown = anyone.get("/invite").text
    assert "may play this evening" not in shown and 'href="/invite?watch=1"' not in shown


def test_a_wrong_or_an_old_code_opens_nothing(app: Flask, anyone: FlaskClient) -> None:
    old = evening_of(app).code
    evening_of(app).end()
    for code in ("x", old, "%F0%9F%81%A2", "é" * 300, old[:-1]):
        answer = anyone.get(f"/join/{code}")
        assert answer.status_code == 410 and "of another evening" in answer.text
    assert anyone.get("/join/").status_code == 404
    assert anyone.post("/api/draw", json={}).status_code == 401


def test_it_is_over_when_every_phone_is_signed_out(app: Flask, keeper: FlaskClient) -> None:
    client, code = scanned(app), evening_of(app).code
    keeper.post("/pin/out", data={"all": "1"})
    assert client.post("/api/draw", json={}).status_code == 401
    assert app.test_client().get(f"/join/{code}").status_code == 410
    assert evening_of(app).code != code


def test_whoever_came_by_the_code_signs_out_alone(app: Flask, keeper: FlaskClient) -> None:
    client, other, code = scanned(app), scanned(app), evening_of(app).code
    assert 'name="all"' not in client.get("/pin").text and 'name="all"' in keeper.get("/pin").text
    client.post("/pin/out", data={"all": "1"})
    assert client.post("/api/draw", json={}).status_code == 401
    assert [one.post("/api/draw", json={}).status_code for one in (other, keeper)] == [200, 200]
    assert evening_of(app).code == code


def test_it_is_over_with_the_evening_and_with_another_pin(app: Flask, tmp_path: Path) -> None:
    ran = FakeClock()
    app.extensions["companion_evening"] = Evening(tmp_path / "e.json", monotonic=ran)
    client = scanned(app)
    ran.now_s += LASTS_S - 1
    assert client.post("/api/draw", json={}).status_code == 200
    ran.now_s += 2
    assert client.post("/api/draw", json={}).status_code == 401
    client = scanned(app)
    app.extensions["companion_lock"] = PinLock.of("another", PinSettings(n=2**4), FakeClock())
    assert client.post("/api/draw", json={}).status_code == 401


@pytest.mark.parametrize("endpoint", sorted(OF_THE_HOUSE))
def test_the_code_opens_nothing_of_the_house(app: Flask, session: FakeSession, endpoint: str) -> None:
    [rule] = [one for one in app.url_map.iter_rules() if one.endpoint == endpoint]
    path = re.sub(r"<[^>]+>", "tonight", rule.rule)
    client = scanned(app)
    post = "POST" in (rule.methods or set())
    answer = client.post(path, json={}) if post else client.get(path)
    assert answer.status_code == 401, "the PIN is asked for"
    assert session.calls == []
    with_pin = {"X-Companion-Pin": PIN}
    answer = client.post(path, json={}, headers=with_pin) if post else client.get(path, headers=with_pin)
    assert answer.status_code != 401


def test_a_phone_that_gives_the_pin_later_keeps_whose_it_is(app: Flask) -> None:
    client = scanned(app)
    client.post("/whose", data={"name": SHARED})
    assert client.post("/pin", data={"pin": PIN}).headers["Location"] == "/"
    evening_of(app).end()
    assert client.post("/api/draw", json={}).status_code == 200


def test_a_restart_shuts_nobody_out_of_the_evening(tmp_path: Path) -> None:
    path, clock = tmp_path / EVENING_FILE, FakeClock()
    code = Evening(path, clock).code
    assert path.stat().st_mode & 0o077 == 0, "readable by the box alone"
    clock.now_s += LASTS_S / 2
    ran = FakeClock()
    again = Evening(path, clock, ran)
    assert again.code == code
    ran.now_s += LASTS_S / 2 + 1
    assert again.code != code, "the hours before the restart count"


@pytest.mark.parametrize("later_s", [LASTS_S + 1, 30 * 86400.0])
def test_the_next_evening_has_another_code(tmp_path: Path, later_s: float) -> None:
    clock = FakeClock()
    code = Evening(tmp_path / EVENING_FILE, clock).code
    clock.now_s += later_s
    assert Evening(tmp_path / EVENING_FILE, clock).code != code


def test_a_clock_that_was_set_back_ends_no_evening(tmp_path: Path) -> None:
    clock = FakeClock()
    code = Evening(tmp_path / EVENING_FILE, clock).code
    clock.now_s -= 30 * 86400
    assert Evening(tmp_path / EVENING_FILE, clock).code == code


def test_a_date_years_ahead_does_not_have_a_code_live_for_years(tmp_path: Path) -> None:
    clock = FakeClock()
    clock.now_s += 5 * 365 * 86400
    code = Evening(tmp_path / EVENING_FILE, clock).code
    clock.now_s -= 5 * 365 * 86400
    assert Evening(tmp_path / EVENING_FILE, clock).code == code
    clock.now_s += LASTS_S + 1
    assert Evening(tmp_path / EVENING_FILE, clock).code != code


NAN = '{"code": "a code of sixteen characters", "at": NaN}'
THEN = '{"code": "x", "at": "then"}'


@pytest.mark.parametrize("kept", ["", "{", "[]", "{}", '{"code": "short", "at": 1}', THEN, NAN])
def test_a_damaged_file_is_another_code(tmp_path: Path, kept: str) -> None:
    path = tmp_path / EVENING_FILE
    path.write_text(kept)
    code = Evening(path).code
    assert len(code) >= 16 and json.loads(path.read_text())["code"] == code


def test_a_disk_that_takes_nothing_keeps_nobody_from_playing(tmp_path: Path) -> None:
    tonight = Evening(tmp_path / "no" / "folder" / EVENING_FILE)
    assert tonight.lets_in(tonight.code)


def test_the_code_is_in_no_log_and_in_no_trail(
    app: Flask, tmp_path: Path, keeper: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client, code = scanned(app), evening_of(app).code
    client.post("/whose", data={"name": "Ann"})
    client.post("/games/tonight/open", data={})
    app.test_client().get(f"/join/{code}x")
    keeper.post("/pin/out", data={"all": "1"})
    assert code not in caplog.text
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and code.encode() in path.read_bytes()]
    assert kept == []
    assert code not in words(keeper.get("/games/tonight/changes").text)


def test_a_join_that_fails_does_not_log_its_code(
    app: Flask, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError

    app.config["PROPAGATE_EXCEPTIONS"] = False
    code = evening_of(app).code
    monkeypatch.setattr(guests, "let_in", fail)
    assert app.test_client().get(f"/join/{code}").status_code == 500
    assert "Exception on /join/<code> [GET]" in caplog.text and code not in caplog.text


def test_a_screen_is_shown_each_new_code(app: Flask, session: FakeSession) -> None:
    session.show(tables.midgame())
    box = app.test_client()
    box.get("/tv?screen=the-boxes-own")
    before = box.get("/regions?tv=1").json["regions"]["join"]
    assert before == box.get("/regions?tv=1").json["regions"]["join"]
    evening_of(app).end()
    assert box.get("/regions?tv=1").json["regions"]["join"] != before


@pytest.mark.browser
def test_two_taps_after_scanning_a_tile_is_on_record(browser: Browser, app: Flask, session: FakeSession) -> None:
    session.show(tables.midgame())
    app.extensions["companion_state"].camera = None
    with served(app) as address:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        heard = complaints(page)
        page.goto(f"{address}/join/{evening_of(app).code}")
        page.get_by_role("button", name="Ben").click()
        page.locator('.enter button[name="outer"][value="9"]').click()
        expect(page.locator("form[data-sent]")).to_have_count(0)
        expect(page.locator(".entry > summary")).to_contain_text("Ben")
        expect(page.locator(".about")).to_contain_text("Ben")
        page.close()
    assert heard == []
    shown = {"turn": 1, "end": 4, "outer_only": True}
    assert session.calls == [("play", ((4, 9), "Ben"), {"by": "Ben", "lift": True, **shown})]
