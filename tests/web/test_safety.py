"""Hostile and clumsy requests: a clear sentence with a 4xx status, nothing changed, never a 5xx."""

from __future__ import annotations

import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.fakes import PIN, FakeCamera, FakeClock, FakeDesk, FakeSession, FakeTable
from companion.app.state import AppState
from companion.web import access
from companion.web.access import (
    EVENING_FILE,
    MOST_SIGNED_IN,
    PHONES_FILE,
    PinCrowdError,
    PinLock,
    PinSettings,
    SignedIn,
    TooManyTriesError,
    head_opens,
    new_secret,
)
from companion.web.app import PageSettings, create_app
from companion.web.guard import host_is_ours, of_this_house, own_names

VERBS = (
    "play", "draw", "pass", "discard", "mark", "unmark", "flip", "announce", "undo", "answer", "correct",
    "start-round", "show-hand", "end-round", "games",
)  # fmt: skip

BAD_BODIES = {
    "not JSON": b"{",
    "not UTF-8": b'{"train": "\xff\xfe"}',
    "nested a hundred thousand deep": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nested within the length limit": b'{"a":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "NaN": b'{"outer": NaN, "train": "Ann"}',
    "Infinity": b'{"outer": -Infinity, "train": "Ann"}',
    "a number beyond floats": b'{"outer": 1e999, "train": "Ann"}',
    "a number of five thousand digits": b'{"outer": ' + b"9" * 5000 + b', "train": "Ann"}',
    "a list": b"[1, 2]",
    "a lone surrogate": b'{"train": "\\ud800", "outer": 3}',
    "control characters": b'{"train": "An\\u0000n", "outer": 3}',
    "too large": b'{"train": "' + b"x" * 70_000 + b'"}',
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_change_without_the_pin_is_refused(anyone: FlaskClient, session: FakeSession, verb: str) -> None:
    answer = anyone.post(f"/api/{verb}", json={})
    assert answer.status_code == 401
    assert "PIN" in answer.json["error"]
    assert session.calls == []


@pytest.mark.parametrize("what", BAD_BODIES)
def test_a_broken_body_is_refused_with_a_sentence(keeper: FlaskClient, session: FakeSession, what: str) -> None:
    for verb in ("play", "correct", "pin"):
        answer = keeper.post(f"/api/{verb}", data=BAD_BODIES[what], content_type="application/json")
        assert answer.status_code in (400, 413), what
        sentence = answer.json["error"]
        assert sentence.endswith(".") and len(sentence) < 250 and "Traceback" not in sentence
    assert session.calls == []


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"train": "Nobody", "outer": 3}, "no train 'Nobody'"),
        ({"train": "Ann"}, "'tile' is missing"),
        ({"train": "Ann", "outer": 19}, "between 0 and 18"),
        ({"train": "Ann", "outer": "x"}, "whole number"),
        ({"train": "Ann", "outer": True}, "whole number"),
        ({"train": "Ann", "outer": 2.5}, "whole number"),
        ({"train": ["Ann"], "outer": 2}, "must be a text"),
        ({"train": "Ann", "tile": [1, 2, 3]}, "written like"),
        ({"train": "Ann", "tile": "12"}, "written like"),
        ({"train": "Ann", "tile": {"a": 1}}, "written like"),
        ({"train": "Ann", "outer": 3, "by": "Zoe"}, "is not playing"),
        ({"train": "Ann", "outer": 3, "expected_seq": 1}, "changed meanwhile"),
    ],
)
def test_a_play_that_makes_no_sense_is_refused(
    keeper: FlaskClient, session: FakeSession, body: dict[str, object], part: str
) -> None:
    answer = keeper.post("/api/play", json=body)
    assert answer.status_code in (400, 409)
    assert part in answer.json["error"]
    assert session.calls == []


def test_a_refusal_of_the_session_is_passed_on_in_its_words(keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "no round is being played"
    answer = keeper.post("/api/draw", json={})
    assert answer.status_code == 409
    assert answer.json == {"error": "No round is being played"}


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("192.168.1.23:8000", True),
        ("127.0.0.1", True),
        ("[fe80::1]:8000", True),
        ("localhost:8000", True),
        ("BOX.local", True),
        ("box.local.", True),
        ("evil.example", False),
        ("192.168.1.23.evil.example", False),
        ("box.local@evil.example", False),
        ("", False),
        ("box.local:99999", False),
        ("box.local/path", False),
    ],
)
def test_only_the_boxes_own_names_are_answered(host: str, ours: bool) -> None:
    assert host_is_ours(host, {"localhost", "box.local"}) is ours


def test_a_rebound_name_sees_nothing(anyone: FlaskClient) -> None:
    answer = anyone.get("/api/state", headers={"Host": "evil.example"})
    assert answer.status_code == 421
    assert "Ann" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "chrome-extension://localhost"},
        {"Origin": "//localhost"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_sites_form_cannot_change_the_game(
    keeper: FlaskClient, session: FakeSession, headers: dict[str, str]
) -> None:
    assert keeper.post("/api/undo", json={}, headers=headers).status_code == 403
    assert session.calls == []


def test_our_own_form_can(keeper: FlaskClient, session: FakeSession) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert keeper.post("/api/undo", json={}, headers=headers).status_code == 200
    assert [call[0] for call in session.calls] == ["undo"]


def test_a_program_may_send_the_pin_with_each_request(anyone: FlaskClient, session: FakeSession) -> None:
    assert anyone.post("/api/undo", json={}, headers={"X-Companion-Pin": PIN}).status_code == 200
    assert anyone.post("/api/undo", json={}, headers={"X-Companion-Pin": "000000"}).status_code == 403
    assert len(session.calls) == 1


def test_a_program_on_windows_may_begin_with_a_mark_of_its_encoding(anyone: FlaskClient) -> None:
    body = b"\xef\xbb\xbf" + f'{{"pin": "{PIN}"}}'.encode()
    assert anyone.post("/api/pin", data=body, content_type="application/json").status_code == 200


def test_every_answer_forbids_inline_script_and_framing(anyone: FlaskClient) -> None:
    for path in ("/", "/tv", "/api/state", "/nowhere", "/pin"):
        headers = anyone.get(path).headers
        policy = headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_no_page_carries_inline_script_or_style(keeper: FlaskClient) -> None:
    for path in ("/", "/tv", "/setup?rules=cz", "/round-end", "/play/32", "/scores", "/games/tonight/replay"):
        page = keeper.get(path).text
        assert "<script>" not in page and "<style" not in page and ' style="' not in page
        assert "onclick=" not in page and "javascript:" not in page


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(anyone: FlaskClient) -> None:
    cookie = anyone.post("/api/pin", json={"pin": PIN}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert PIN not in cookie


def test_a_phone_counts_the_month_by_its_own_clock(anyone: FlaskClient) -> None:
    """A date by the clock of a box that starts in 1970 lies in the past: the PIN would be asked for again and again."""
    cookie = anyone.post("/api/pin", json={"pin": PIN}).headers["Set-Cookie"]
    assert "Max-Age=2678400" in cookie and "Expires" not in cookie


def test_the_pin_is_guessed_only_slowly(anyone: FlaskClient, clock: FakeClock) -> None:
    for _ in range(5):
        assert anyone.post("/api/pin", json={"pin": "000000"}).status_code == 403
    waiting = anyone.post("/api/pin", json={"pin": PIN})
    assert waiting.status_code == 429, "even the right PIN has to wait now"
    assert int(waiting.headers["Retry-After"]) == 30
    clock.now_s += 30
    assert anyone.post("/api/pin", json={"pin": PIN}).status_code == 200


def test_each_further_wrong_pin_doubles_the_wait() -> None:
    clock = FakeClock()
    lock = PinLock.of("111111", PinSettings(n=2**4), clock)
    waits = []
    for _ in range(4):
        lock.opens("0", "a")
    for _ in range(4):
        assert not lock.opens("0", "a")
        with pytest.raises(TooManyTriesError) as refused:
            lock.opens("0", "a")
        waits.append(refused.value.wait_s)
        clock.now_s += refused.value.wait_s
    assert waits == [30, 60, 120, 240]


def test_one_guesser_does_not_lock_out_another_phone() -> None:
    lock = PinLock.of("111111", PinSettings(n=2**4), FakeClock())
    for _ in range(5):
        lock.opens("0", "guesser")
    assert lock.opens("111111", "friend")


def test_many_addresses_together_are_slowed_down_to_one_try_each() -> None:
    lock = PinLock.of("111111", PinSettings(n=2**4), FakeClock())
    for number in range(60):
        assert not lock.opens("0", f"address {number}")
    assert not lock.opens("0", "one more")
    with pytest.raises(TooManyTriesError):
        lock.opens("111111", "one more")


def test_fifty_wrong_pins_from_ten_addresses_do_not_lock_the_owner_out() -> None:
    lock = PinLock.of("111111", PinSettings(n=2**4), FakeClock())
    for number in range(50):
        lock.opens("0", f"address {number % 10}")
    assert lock.opens("111111", "owner"), "an address without wrong tries always has one"
    assert not lock.opens("0", "guest")
    with pytest.raises(TooManyTriesError):
        lock.opens("111111", "guest")
    assert lock.opens("111111", "owner"), "the right PIN has forgotten the wrong ones of its address alone"


def slow_lock(
    monkeypatch: pytest.MonkeyPatch, settings: PinSettings
) -> tuple[PinLock, threading.Semaphore, threading.Event]:
    """A lock; what is released when it begins to compare; and what has it end."""
    lock, plain = PinLock.of("111111", settings, FakeClock()), access._scrypt
    begun, over = threading.Semaphore(0), threading.Event()

    def slow(pin: str, salt: bytes, settings: PinSettings) -> bytes:
        begun.release()
        over.wait(30)
        return plain(pin, salt, settings)

    monkeypatch.setattr(access, "_scrypt", slow)
    return lock, begun, over


def test_few_pins_wait_to_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each keeps a thread of the page waiting, and a tap needs one."""
    lock, begun, over = slow_lock(monkeypatch, PinSettings(n=2**4, at_once=2, waiting=0))
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(lock.opens, "0", f"address {number}") for number in range(2)]
        assert begun.acquire(timeout=30) and begun.acquire(timeout=30)
        for _ in range(9):
            with pytest.raises(PinCrowdError):
                lock.opens("111111", "owner")
        over.set()
        assert [one.result() for one in waiting] == [False, False]
    assert lock.opens("111111", "owner"), "a try that was not compared is no try"


def test_who_has_guessed_nothing_waits_for_those_who_have(monkeypatch: pytest.MonkeyPatch) -> None:
    lock, begun, over = slow_lock(monkeypatch, PinSettings(n=2**4, at_once=1))
    with ThreadPoolExecutor(2) as pool:
        guessed = pool.submit(lock.opens, "0", "guesser")
        assert begun.acquire(timeout=30)
        owner = pool.submit(lock.opens, "111111", "owner")
        with pytest.raises(PinCrowdError):
            lock.opens("0", "guesser")
        over.set()
        assert owner.result() and not guessed.result()


def test_a_crowd_that_guesses_is_called_one(app: Flask, anyone: FlaskClient) -> None:
    app.extensions["companion_lock"] = PinLock.of(PIN, PinSettings(n=2**4, at_once=0, waiting=0), FakeClock())
    answer = anyone.post("/api/pin", json={"pin": PIN})
    assert answer.status_code == 429 and answer.headers["Retry-After"] == "3"
    assert "wrong" not in answer.json["error"] and "Many phones" in answer.json["error"]


def test_a_guesser_beside_it_keeps_no_phone_out_that_has_given_an_earlier_pin(app: Flask, keeper: FlaskClient) -> None:
    app.extensions["companion_lock"] = PinLock.of("another", PinSettings(n=2**4), FakeClock())
    for _ in range(5):
        assert app.test_client().post("/api/pin", json={"pin": "000000"}).status_code == 403
    assert app.test_client().post("/api/pin", json={"pin": "another"}).status_code == 429
    assert keeper.post("/api/pin", json={"pin": "another"}).status_code == 200


def test_many_tries_at_once_are_counted_before_they_are_compared() -> None:
    lock = PinLock.of("111111", PinSettings(n=2**10), FakeClock())

    def guess(_: int) -> str:
        try:
            return str(lock.opens("0", "guesser"))
        except TooManyTriesError:
            return "waits"

    with ThreadPoolExecutor(16) as pool:
        tried = list(pool.map(guess, range(64)))
    assert tried.count("False") == 5 and tried.count("waits") == 59


@pytest.mark.parametrize(
    ("peer", "welcome"),
    [
        ("192.168.1.5", True),
        ("::ffff:192.168.1.5", True),
        ("::ffff:8.8.8.8", True),
        ("::1", True),
        ("fe80::1%eth0", True),
        ("fd12:3456::5", True),
        ("2a01:4f8:0:1::5", True),
        ("2a01:4f8:0:2::5", False),
    ],
)
def test_over_ipv6_the_internet_does_not_get_in(peer: str, welcome: bool) -> None:
    assert of_this_house(peer, "2a01:4f8:0:1::9") is welcome


def test_one_ipv6_network_is_one_guesser(anyone: FlaskClient) -> None:
    for number in range(5):
        away = {"REMOTE_ADDR": f"2001:db8:0:1::{number}"}
        assert anyone.post("/api/pin", json={"pin": "000000"}, environ_base=away).status_code == 403
    there = {"REMOTE_ADDR": "2001:db8:0:1:ffff::1"}
    assert anyone.post("/api/pin", json={"pin": PIN}, environ_base=there).status_code == 429
    assert (
        anyone.post("/api/pin", json={"pin": PIN}, environ_base={"REMOTE_ADDR": "2001:db8:0:2::1"}).status_code == 200
    )


def cookie_of(phone: FlaskClient) -> str:
    return str(phone.application.config["SESSION_COOKIE_NAME"])


def test_a_cookie_opens_nothing_after_signing_out(app: Flask, keeper: FlaskClient) -> None:
    kept = keeper.get_cookie(cookie_of(keeper))
    assert kept is not None
    assert "Sign out" in keeper.get("/").text
    assert keeper.post("/pin/out").status_code == 303
    thief = app.test_client()
    thief.set_cookie(cookie_of(thief), kept.value)
    assert thief.post("/api/undo", json={}).status_code == 401
    assert not head_opens(app, {"COOKIE": f"{cookie_of(keeper)}={kept.value}"})


def test_every_phone_can_be_signed_out_by_somebody_with_the_pin(app: Flask, keeper: FlaskClient) -> None:
    other = app.test_client()
    other.post("/api/pin", json={"pin": PIN})
    app.test_client().post("/pin/out", data={"all": "1"})
    assert other.post("/api/undo", json={}).status_code == 200, "a stranger signs out nobody"
    keeper.post("/pin/out", data={"all": "1"})
    assert other.post("/api/undo", json={}).status_code == 401


def test_the_oldest_of_very_many_browsers_is_signed_out() -> None:
    known = SignedIn(most=2)
    first, second, third = known.add(), known.add(), known.add()
    assert not known.gave_pin(first) and known.gave_pin(second) and known.gave_pin(third)


def test_who_joins_again_and_again_signs_out_nobody(app: Flask) -> None:
    """All phones of a house are in one IPv6 network."""
    code = app.extensions["companion_evening"].code
    home = [{"REMOTE_ADDR": f"2001:db8:0:1::{n:x}"} for n in range(2)]
    player, other = app.test_client(), app.test_client(use_cookies=False)
    player.get(f"/join/{code}", environ_base=home[0])
    for _ in range(MOST_SIGNED_IN + 1):
        assert other.get(f"/join/{code}", environ_base=home[1]).status_code == 303
    assert player.post("/api/draw", json={}, environ_base=home[0]).status_code == 200


def test_a_restart_lets_nobody_in_who_has_signed_out(tmp_path: Path) -> None:
    known = SignedIn(tmp_path / PHONES_FILE, most=10)
    owner, guest, gone = known.add(), new_secret(), new_secret()
    known.remove(gone)
    again = SignedIn(tmp_path / PHONES_FILE, most=10)
    assert again.gave_pin(owner) and not again.gave_pin(guest)
    assert again.has_left(gone) and again.has_left(None) and not again.has_left(guest)


def test_a_phone_whose_pin_was_forgotten_comes_back_by_the_code_without_it(app: Flask, keeper: FlaskClient) -> None:
    app.extensions["companion_signed_in"].clear()
    keeper.get(f"/join/{app.extensions['companion_evening'].code}")
    assert keeper.post("/api/draw", json={}).status_code == 200
    assert keeper.get("/games/tonight/export.zip").status_code == 401


def started(folder: Path, pin: str = PIN) -> Flask:
    return create_app(AppState(data_dir=folder), PageSettings(pin=pin, testing=True))


def test_a_restart_signs_nobody_out_and_another_pin_everybody(tmp_path: Path) -> None:
    before = started(tmp_path)
    phone = before.test_client()
    phone.post("/api/pin", json={"pin": PIN})
    cookie = phone.get_cookie(cookie_of(phone))
    assert cookie is not None
    for after, status in ((started(tmp_path), 404), (started(tmp_path, "another1"), 401), (started(tmp_path), 404)):
        other = after.test_client()
        other.set_cookie(cookie_of(other), cookie.value)
        assert other.post("/api/undo", json={}).status_code == status
    assert (tmp_path / PHONES_FILE).stat().st_mode & 0o777 == 0o600
    assert cookie.value not in (tmp_path / PHONES_FILE).read_text()
    other.post("/pin/out", data={"all": "1"})
    again = started(tmp_path).test_client()
    again.set_cookie(cookie_of(again), cookie.value)
    assert again.post("/api/undo", json={}).status_code == 401, "who was signed out stays so over a restart"


def test_a_restart_with_a_fresh_pin_signs_nobody_out(tmp_path: Path) -> None:
    def started_again(pin: str, drawn: bool = True) -> Flask:
        return create_app(AppState(data_dir=tmp_path), PageSettings(pin=pin, pin_is_drawn=drawn, testing=True))

    phone = started_again("111111").test_client()
    phone.post("/api/pin", json={"pin": "111111"})
    cookie = phone.get_cookie(cookie_of(phone))
    assert cookie is not None
    for after, status in ((started_again("222222"), 404), (started_again("chosen", drawn=False), 401)):
        other = after.test_client()
        other.set_cookie(cookie_of(other), cookie.value)
        assert other.post("/api/undo", json={}).status_code == status
    assert started_again("222222").test_client().post("/api/pin", json={"pin": "111111"}).status_code == 403


def test_only_a_page_that_is_opened_renews_the_cookie(keeper: FlaskClient) -> None:
    """The answer to a request that the page makes by itself may come after a tap has changed the cookie."""
    assert "Max-Age=" in keeper.get("/").headers["Set-Cookie"]
    for path in ("/regions?tv=0", "/api/state"):
        answer = keeper.get(path)
        assert "Set-Cookie" not in answer.headers, path
    assert "Cookie" in keeper.get("/regions?tv=0").headers["Vary"]


@pytest.mark.parametrize("kept", [b"", b"{}", b'{"key": "00", "salt": "", "browsers": []}', b"[" * 100_000])
def test_a_damaged_file_of_phones_signs_out_and_breaks_nothing(tmp_path: Path, kept: bytes) -> None:
    for name in (PHONES_FILE, EVENING_FILE):
        (tmp_path / name).write_bytes(kept)
    app = started(tmp_path)
    said = app.extensions["companion_state"].repairs.open()
    assert {one.about["file"] for one in said if one.code == "STATE_FILE"} == {PHONES_FILE, EVENING_FILE}
    page = app.test_client()
    assert page.post("/api/undo", json={}).status_code == 401
    assert page.post("/api/pin", json={"pin": PIN}).status_code == 200
    assert page.post("/api/undo", json={}).status_code == 404


def test_a_disk_that_takes_nothing_lets_people_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(access, "write_state", refuse)
    page = started(tmp_path).test_client()
    page.post("/api/pin", json={"pin": PIN})
    assert page.post("/api/undo", json={}).status_code == 404


def test_a_clock_that_is_set_back_and_right_again_signs_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = started(tmp_path).test_client()
    page.post("/api/pin", json={"pin": PIN})
    now = time.time()
    for days in (-4000, 0, 4000, 0):
        monkeypatch.setattr(time, "time", lambda days=days: now + days * 86400)
        assert page.post("/api/undo", json={}).status_code == 404


def test_the_lock_keeps_no_plain_pin() -> None:
    lock = PinLock.of("824613", PinSettings(n=2**4), FakeClock())
    assert "824613" not in repr(lock)


def test_another_pin_signs_everybody_out(app, keeper: FlaskClient) -> None:
    app.extensions["companion_lock"] = PinLock.of("another", PinSettings(n=2**4), FakeClock())
    assert keeper.post("/api/undo", json={}).status_code == 401


def test_signing_in_leads_only_to_our_own_pages(anyone: FlaskClient) -> None:
    for target in ("//evil.example", "https://evil.example/x", "/\\evil.example", "/pin"):
        answer = anyone.post("/pin", data={"pin": PIN, "next": target})
        assert answer.status_code == 303
        assert answer.headers["Location"] in ("/whose?next=/", "/whose?next=/x")


def test_a_wrong_pin_in_the_form_says_so(anyone: FlaskClient) -> None:
    answer = anyone.post("/pin", data={"pin": "1"})
    assert answer.status_code == 403 and "not the PIN" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/play/99999999999999999999",
        "/play/-1",
        "/games/../../etc/passwd/replay",
        "/games/%2e%2e/replay",
        "/games/tonight/pictures/..%2fjournal.jsonl",
        "/games/tonight/pictures/journal.jsonl",
        "/games/tonight/replay?at=x",
        "/static/../app.py",
        "/%ff%fe",
        "/api/nothing",
        "/ask?train=%00&low=1&high=1",
        "/ask?train=Ann&low=99&high=1",
        "/?lang=xx",
        "/?theme=<script>",
        "/regions?tv=NaN",
        "/pin?next=http://[",
        "/setup?rules=%f0%28%8c%28",
    ],
)
def test_strange_addresses_never_break_the_page(anyone: FlaskClient, path: str) -> None:
    answer = anyone.get(path)
    assert answer.status_code < 500
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/api/undo", "/setup", "/round-end"])
def test_a_form_of_no_address_is_answered(anyone: FlaskClient, path: str) -> None:
    answer = anyone.post(path, data={"page": "http://[", "then": "http://["}, headers={"Referer": "http://["})
    assert answer.status_code < 500


def test_a_pin_with_a_form_of_no_address_signs_in(anyone: FlaskClient) -> None:
    answer = anyone.post("/pin", data={"pin": PIN, "then": "http://[", "next": "http://["})
    assert answer.status_code == 303


def test_a_wrong_method_is_refused(anyone: FlaskClient) -> None:
    assert anyone.get("/api/play").status_code == 405
    assert anyone.delete("/api/state").status_code == 405


PHOTO = b"\xff\xd8\xff" + b"x" * 100


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"MZ" + b"x" * 50, 400), (b"", 400), (PHOTO + b"broken", 400), (PHOTO, 200)],
    ids=["not a picture", "empty", "truncated", "a photograph"],
)
def test_uploads_are_looked_at_before_they_are_read(keeper: FlaskClient, content: bytes, status: int) -> None:
    form = {"by": "Ann", "photo": (io.BytesIO(content), "hand.jpg")}
    answer = keeper.post("/round-end/photo", data=form, content_type="multipart/form-data")
    assert answer.status_code == status


def test_an_upload_of_twenty_megabytes_is_refused_unread(keeper: FlaskClient) -> None:
    answer = keeper.post(
        "/round-end/photo",
        input_stream=io.BytesIO(b"--x\r\n"),
        content_type="multipart/form-data; boundary=x",
        environ_overrides={"CONTENT_LENGTH": "20000000"},
    )
    assert answer.status_code == 413


def test_an_upload_without_the_pin_is_not_even_read(anyone: FlaskClient) -> None:
    form = {"by": "Ann", "photo": (io.BytesIO(PHOTO), "hand.jpg")}
    answer = anyone.post("/round-end/photo", data=form, content_type="multipart/form-data")
    assert answer.status_code == 303 and "/pin" in answer.headers["Location"]


def test_the_live_camera_is_seen_only_with_the_pin(
    anyone: FlaskClient, keeper: FlaskClient, app_state: AppState
) -> None:
    class Camera(FakeCamera):
        def still(self) -> bytes | None:
            return b"\xff\xd8\xffeverything, the room included"

    app_state.camera, app_state.table, app_state.learning = Camera(), FakeTable(), FakeDesk()
    assert anyone.get("/camera.jpg").status_code == 401
    assert keeper.get("/camera.jpg").status_code == 200
    for page in ("/setup?rules=tactic", "/table", "/seats", "/learn"):
        assert "/camera.jpg" not in anyone.get(page).text, page
        assert "/camera.jpg" in keeper.get(page).text, page


def test_the_names_that_a_router_gives_the_box_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Companion.fritz.box")
    ours = (
        "companion",
        "companion.local:8000",
        "companion.fritz.box",
        "companion.lan",
        "companion.home.arpa",
        "[fe80::1]:8000",
    )
    for host in ours:
        assert host_is_ours(host, own_names()), host
    for host in ("companion.example.com", "other.lan", "lan", "companion.lan.example.com"):
        assert not host_is_ours(host, own_names()), host
