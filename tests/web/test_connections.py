"""Over real sockets: who is slow, greedy or hostile loses the connection, and nobody else notices."""

from __future__ import annotations

import contextlib
import errno
import http.client
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from flask import Flask
from werkzeug.exceptions import ServiceUnavailable

from bench.stand_ins.background import serve_in_background
from bench.stand_ins.fakes import PIN, FakeSession
from companion.app.state import AppState
from companion.web import access, serving
from companion.web.archive import SharedFile
from companion.web.serving import PIECE, SMALL_BODY, AddressTurns, Channel, ServingSettings
from companion.web.stream import ScreenPlaces, StreamSettings

LIMITS = ServingSettings(threads=16, of_one_address=10, idle_s=30)
PATIENCE_S = 30.0
FORM = "application/x-www-form-urlencoded"

Open = Callable[..., "Phone"]


class Phone:
    """A socket to the page, from any address of this machine's own network."""

    def __init__(self, port: int, address: str = "127.0.0.1", buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.bind((address, 0))
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(("127.0.0.1", port))

    def send(self, data: str | bytes) -> Phone:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)
        return self

    def ask(self, path: str, method: str = "GET", **headers: str) -> Phone:
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: 127.0.0.1",
            *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()),
        ]
        return self.send("\r\n".join(lines) + "\r\n\r\n")

    def answer(self) -> http.client.HTTPResponse:
        """The next one, whose body is still to be read."""
        answer = http.client.HTTPResponse(self.socket)
        answer.begin()
        return answer

    def status(self) -> int:
        """Of the next answer."""
        answer = self.answer()
        answer.read()
        return answer.status

    def hears(self, words: bytes) -> bool:
        found = b""
        while words not in found:
            part = self.socket.recv(65536)
            if not part:
                return False
            found += part
        return True

    def ended(self) -> bool:
        """Whether the page hangs up, whatever it says before."""
        with contextlib.suppress(ConnectionError):
            while self.socket.recv(65536):
                pass
        return True

    def close(self) -> None:
        self.socket.close()


@pytest.fixture
def limits() -> ServingSettings:
    return LIMITS


@pytest.fixture
def phone(app: Flask, limits: ServingSettings) -> Iterator[Open]:
    app.extensions["companion_stream"] = replace(app.extensions["companion_stream"], ping_s=10.0)
    server, port = serve_in_background(app, settings=limits)
    with ExitStack() as phones:

        def call(address: str = "127.0.0.1", buffer: int | None = None) -> Phone:
            made = Phone(port, address, buffer)
            phones.callback(made.close)
            return made

        yield call
        server.stop()


def until(true: Callable[[], bool]) -> None:
    deadline, nothing = time.monotonic() + PATIENCE_S, threading.Event()
    while not true():
        assert time.monotonic() < deadline
        nothing.wait(0.01)


def signed_in(app: Flask) -> str:
    client = app.test_client()
    answer = client.post("/api/pin", json={"pin": PIN})
    return answer.headers["Set-Cookie"].split(";")[0]


@pytest.mark.parametrize("does", ["recv", "send"])
def test_a_phone_that_goes_away_is_nothing_to_say(
    phone: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, does: str
) -> None:
    """The kernel reports a time-out once the phone acknowledges nothing any more."""

    def gone(*_: object, **__: object) -> None:
        raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

    with monkeypatch.context() as patched:
        patched.setattr(Channel, does, gone)
        assert phone().ask("/health").ended()
    assert phone().ask("/health").status() == 200
    assert caplog.records == []


@pytest.mark.parametrize("path", ["/health", "/hand"])
def test_a_cookie_of_any_bytes_takes_nobody_s_turn(phone: Open, path: str) -> None:
    """Of another program on this host, say. Such a request kept its turn for ever, and the fourth the address out."""
    for _ in range(LIMITS.answers + 1):
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {SMALL_BODY + 1}\r\n".encode()
        assert phone().send(head + b"Cookie: name=\xff\xfe\r\n\r\n").status() in (404, 405, 409, 413)
    assert phone().ask("/health").status() == 200


def test_a_request_whose_answer_cannot_begin_keeps_nobody_s_turn() -> None:
    def fail(_: Channel) -> None:
        raise ValueError

    turns = AddressTurns(1, fail)
    one = cast("Channel", SimpleNamespace(address="a", requests=[Asked()]))
    for _ in range(2):
        with pytest.raises(ValueError):
            turns.take(one)


class Asked:
    address = "a"


def test_a_request_that_was_called_off_keeps_nobody_s_turn() -> None:
    begun: list[Channel] = []
    turns = AddressTurns(1, begun.append)
    first, off, last = (cast("Channel", SimpleNamespace(address="a", requests=[Asked()])) for _ in "123")
    for one in (first, off, last):
        turns.take(one)
    off.requests.clear()
    turns.over(first.requests[0])
    assert begun == [first, last]
    turns.over(last.requests[0])
    turns.take(first)
    assert begun == [first, last, first]


@pytest.mark.parametrize("begun", ["", "GET / HTT", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
@pytest.mark.parametrize("limits", [replace(LIMITS, idle_s=1)])
def test_who_does_not_finish_asking_is_hung_up_on(phone: Open, begun: str) -> None:
    slow = phone().send(begun)
    assert phone().ask("/health").status() == 200
    assert slow.ended()


@pytest.mark.parametrize("limits", [replace(LIMITS, idle_s=1)])
def test_a_clock_that_is_set_back_keeps_no_connection_open(phone: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = phone().send("GET / HTT")
    assert phone().ask("/health").status() == 200
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() - 3600)
    assert phone().ask("/health").status() == 200
    assert slow.ended()


def test_a_clock_that_is_set_forward_hangs_up_on_nobody(phone: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = phone().send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    assert phone().ask("/health").status() == 200
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 3600)
    for _ in range(3):
        assert phone().ask("/health").status() == 200
    time.sleep(2)  # waitress looks for idle connections once a second
    assert slow.send("a\r\n\r\n").status() == 200


def test_the_oldest_connection_of_an_address_that_has_too_many_makes_room(phone: Open) -> None:
    other = phone("127.0.0.4")
    crowd = [phone("127.0.0.3") for _ in range(LIMITS.of_one_address)]
    assert phone("127.0.0.3").ask("/health").status() == 200
    assert crowd[0].ended() and crowd[-1].ask("/health").status() == 200
    assert other.ask("/health").status() == 200, "and none of another address"


@pytest.mark.parametrize("limits", [ServingSettings()])
def test_a_tap_is_answered_beside_two_dozen_guests_and_a_hostile_address(
    phone: Open, app: Flask, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The requests of the hostile address take for ever: whoever waited for them would wait for ever, too."""
    over = threading.Event()
    app.extensions["companion_seats"] = ScreenPlaces(StreamSettings().most)
    monkeypatch.setitem(app.view_functions, "static", lambda filename: str(over.wait(PATIENCE_S)))
    screens = [phone(f"127.0.1.{number}").ask("/api/stream") for number in range(1, 25)]
    assert all(screen.hears(b"id: 32") for screen in screens)
    half_open = "POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
    slow, stream = (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" for path in ("/static/x", "/api/stream"))
    for begun in (half_open, slow, stream, slow):
        for _ in range(60):
            with contextlib.suppress(ConnectionError):
                phone("127.0.0.66").send(begun)
    pin = {"X_Companion_Pin": PIN, "Content_Type": "application/json", "Content_Length": "2"}
    assert phone("127.0.1.1").ask("/api/draw", "POST", **pin).send("{}").status() == 200
    session.record(event="drew", by="Cyril", source="person")
    assert all(screen.hears(b"id: 33") for screen in screens)
    over.set()


@pytest.mark.parametrize("limits", [ServingSettings()])
def test_a_tap_does_not_wait_for_forty_addresses_that_are_not_signed_in(
    phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their requests take for ever: whoever waited for them would wait for ever, too."""
    over = threading.Event()
    monkeypatch.setitem(app.view_functions, "static", lambda filename: str(over.wait(PATIENCE_S)))
    for number in range(40):
        for _ in range(4):
            phone(f"127.0.2.{number + 1}").ask("/static/x")
    head = {"Cookie": signed_in(app), "Content_Type": "application/json", "Content_Length": "2"}
    assert phone("127.0.1.1").ask("/api/draw", "POST", **head).send("{}").status() == 200
    over.set()


def test_what_waits_for_its_addresss_turn_takes_no_thread(
    phone: Open, app: Flask, limits: ServingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    begun: list[str] = []
    monkeypatch.setitem(
        app.view_functions, "static", lambda filename: begun.append(filename) or str(over.wait(PATIENCE_S))
    )
    for address in range(1, 4):
        for _ in range(limits.of_one_address):
            phone(f"127.0.2.{address}").ask(f"/static/{address}")
    assert phone("127.0.1.1").ask("/health").status() == 200, "30 requests, 16 threads"
    assert sorted(begun) == sorted(["1", "2", "3"] * limits.answers)
    over.set()
    until(lambda: len(begun) == 3 * limits.of_one_address)


@pytest.mark.parametrize("limits", [replace(LIMITS, connections=60)])
def test_many_addresses_that_never_finish_asking_shut_nobody_out(phone: Open, limits: ServingSettings) -> None:
    for n in range(2, 9):
        for _ in range(limits.of_one_address):
            phone(f"127.0.0.{n}").send("GET / HT")
    assert phone("127.0.0.99").ask("/health").status() == 200


@pytest.mark.slow
@pytest.mark.parametrize("limits", [replace(LIMITS, idle_s=1)])
def test_a_download_that_nobody_takes_is_given_up_and_its_place_is_free_again(phone: Open, app: Flask) -> None:
    places = app.extensions["companion_source"].places

    def free() -> int:
        taken = []
        with contextlib.suppress(ServiceUnavailable):
            while True:
                taken.append(places.take())
        for give_back in taken:
            give_back()
        return len(taken)

    first = phone().ask("/source")
    assert first.hears(b"PK"), "packed now, so that the slow ones wait for nothing else"
    first.close()
    until(lambda: free() == 2)
    slow = [phone(buffer=4096).ask("/source") for _ in range(2)]
    for one in slow:
        assert one.hears(b"200 OK")
    until(lambda: free() == 2)
    assert phone().ask("/health").status() == 200


def test_a_long_file_is_held_in_memory_piece_by_piece(phone: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    read, pieces = SharedFile.readinto, []

    def counted(reader: SharedFile, buffer: bytearray) -> int:
        pieces.append(len(buffer))
        return read(reader, buffer)

    monkeypatch.setattr(SharedFile, "readinto", counted)
    assert phone().ask("/source").status() == 200
    assert len(pieces) > 10 and max(pieces) <= PIECE


@pytest.mark.parametrize("size", [10**9, 70_000])
@pytest.mark.parametrize("path", ["/api/play", "/round-end/photo", "/learn", "/", "/nowhere"])
def test_a_large_body_is_refused_before_it_is_sent(phone: Open, path: str, size: int) -> None:
    asked = phone().ask(path, "POST", Content_Length=str(size), Content_Type="application/octet-stream")
    assert asked.status() == 413


@pytest.mark.parametrize("path", ["/play", "/learn"])
def test_a_large_form_is_refused_by_a_page_in_the_familys_language(phone: Open, path: str) -> None:
    asked = phone().ask(path, "POST", Content_Length="70000", Content_Type=FORM, Accept_Language="de")
    answer = asked.send(b"a=" + b"x" * 69_998).answer()
    assert answer.status == 413 and answer.getheader("Content-Type", "").startswith("text/html")
    assert "Das ist zu groß." in answer.read().decode()
    assert asked.ended()


def test_who_has_the_pin_may_send_a_photograph_and_nothing_larger(phone: Open, app: Flask) -> None:
    cookie = signed_in(app)
    head = {"Content_Type": "multipart/form-data; boundary=x", "Cookie": cookie}
    for path in ("/round-end/photo", "/api/play"):
        assert phone().ask(path, "POST", Content_Length=str(10**9), **head).status() == 413
    assert sent_whole(phone(), photograph(app))[0] not in (413, 500)


BODY = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="hand.jpg"\r\n\r\n%s\r\n--x--\r\n' % (
    b"x" * 3_000_000
)
HEAD = {"Content_Length": str(len(BODY)), "Content_Type": "multipart/form-data; boundary=x"}


def photograph(app: Flask) -> dict[str, str]:
    """The head of a request by which a phone that is signed in sends one."""
    return {**HEAD, "Cookie": signed_in(app)}


def sent_whole(phone: Phone, head: dict[str, str], path: str = "/round-end/photo?how=out") -> tuple[int, str]:
    """The status and the page that answer to a photograph."""
    phone.ask(path, "POST", **head).send(BODY)
    answer = http.client.HTTPResponse(phone.socket)
    answer.begin()
    return answer.status, answer.read().decode()


def test_the_loop_that_reads_heads_compares_no_pin(phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def compares(*_: object) -> bytes:
        compared.append(threading.current_thread().name)
        return b""

    compared: list[str] = []
    monkeypatch.setattr(access, "_scrypt", compares)
    for pin in ("000000", PIN):
        assert phone("127.0.0.9").ask("/learn", "POST", X_Companion_Pin=pin, **HEAD).status() == 413
    assert compared == []
    small = {**HEAD, "Content_Length": "3"}
    assert phone("127.0.0.9").ask("/learn", "POST", X_Companion_Pin="000000", **small).send("--x").status() == 403
    assert len(compared) == 1 and compared[0].startswith("waitress")


def test_one_address_sends_four_photographs_at_a_time(phone: Open, app: Flask) -> None:
    head = photograph(app)
    for _ in range(4):
        phone("127.0.0.9").ask("/learn", "POST", **head).send(BODY[:70_000])
    assert phone("127.0.0.9").ask("/health").status() == 200, "the four heads before it are read"
    until(lambda: phone("127.0.0.9").ask("/learn", "POST", **head).status() == 503)
    assert sent_whole(phone("127.0.0.8"), head)[0] not in (413, 500, 503)


def test_all_addresses_together_send_no_more_than_fits(
    phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "UPLOADED_BYTES", 2 * len(BODY))
    head = photograph(app)
    slow = [phone(f"127.0.1.{n}").ask("/learn", "POST", **head).send(BODY[:70_000]) for n in range(2)]
    assert phone("127.0.1.0").ask("/health").status() == 200, "the heads before it are read"
    until(lambda: phone("127.0.1.7").ask("/learn", "POST", **head).status() == 503)
    slow[0].close()
    until(lambda: sent_whole(phone("127.0.1.8"), head)[0] not in (413, 500, 503))


def test_a_guest_with_many_addresses_leaves_room_for_the_phones_of_the_table(
    phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "UPLOADED_BYTES", 4 * len(BODY))
    monkeypatch.setattr(serving, "head_opens", lambda page, headers: True)  # as by the link of a round
    for n in range(2):
        phone(f"127.0.1.{n}").ask("/hand", "POST", **HEAD).send(BODY[:70_000])
    assert phone("127.0.1.0").ask("/health").status() == 200, "the heads before it are read"
    until(lambda: phone("127.0.1.7").ask("/hand", "POST", **HEAD).status() == 503)
    assert sent_whole(phone("127.0.1.8"), photograph(app))[0] not in (413, 500, 503)


def test_one_address_of_guests_leaves_room_for_another(
    phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "UPLOADED_BYTES", 4 * len(BODY))
    monkeypatch.setattr(serving, "head_opens", lambda page, headers: True)
    phone("127.0.1.0").ask("/hand", "POST", **HEAD).send(BODY[:70_000])
    until(lambda: phone("127.0.1.0").ask("/hand", "POST", **HEAD).status() == 503)
    assert sent_whole(phone("127.0.1.1"), HEAD, "/hand")[0] not in (413, 500, 503)


def test_what_is_refused_is_not_asked_for(phone: Open) -> None:
    refused = phone().ask("/learn", "POST", Expect="100-continue", **HEAD)
    assert refused.status() == 413


@pytest.mark.parametrize("limits", [replace(LIMITS, of_one_address=3)])
def test_who_has_too_many_connections_is_told_so(phone: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "PARKED_S", 0.1)
    screens = [phone().ask("/api/stream") for _ in range(3)]
    assert all(screen.hears(b"id: 32") for screen in screens)
    assert phone().ask("/health").hears(b"503 Service Unavailable")
    assert phone("127.0.0.7").ask("/health").status() == 200


def test_all_screens_of_a_house_behind_a_proxy_leave_room_for_its_pages() -> None:
    assert ServingSettings().of_one_address > StreamSettings().most


def test_a_screen_that_is_signed_in_gives_way_to_no_other() -> None:
    places = ScreenPlaces(3)
    owner, guest = places.take("192.168.1.5", known=True), places.take("192.168.1.6", known=False)
    strangers = [places.take(f"192.168.1.{number}", known=False) for number in range(7, 47)]
    assert owner in places and guest in places and sum(one in places for one in strangers) == 1
    again = [places.take("192.168.1.6", known=False) for _ in range(3)]
    assert guest not in places and again[-1] in places, "a phone that comes back takes its own earlier place"
    late = [places.take(f"192.168.2.{number}", known=True) for number in range(2)]
    assert all(one in places for one in (owner, *late))
    assert places.take("192.168.1.7", known=False) not in places


def test_a_phone_with_many_screens_costs_nobody_theirs_in_one_ipv6_network() -> None:
    places = ScreenPlaces(8)
    family = [places.take(f"fe80::{number}%eth0", known=True) for number in range(1, 5)]
    flood = [places.take("fe80::66%eth0", known=True) for _ in range(40)]
    assert all(one in places for one in family)
    assert [one in places for one in flood] == [False] * 36 + [True] * 4


def test_a_clock_that_is_set_back_keeps_the_page_alive(
    phone: Open, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = next(one for one in app.extensions["companion_state"].parts._parts.values() if one.name == "page")
    assert phone().ask("/health").status() == 200
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 3600)
    beats = part._beat_at
    until(lambda: part._beat_at > beats)
    assert phone().ask("/health").status() == 200


@pytest.mark.parametrize(
    "head",
    [
        "Content-Length: " + "9" * 5000,
        "Content-Length: -1",
        "Content-Length: 1e9",
        "No colon",
    ],
)
def test_a_request_that_makes_no_sense_is_refused_as_such(phone: Open, head: str) -> None:
    assert phone().send(f"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n\r\n").status() == 400


def test_a_browser_that_was_asked_for_https_is_told_so_at_once_in_one_sentence(phone: Open) -> None:
    hello = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="companion.local").do_handshake()
    asked = phone().send(hello.read())
    said = b""
    while part := asked.socket.recv(65536):
        said += part
    assert said.startswith(b"HTTP/1.0 400 Bad Request")
    assert b"This page speaks http and not https: write http:// in front of its address." in said


def test_a_body_of_unknown_length_has_the_same_limit(phone: Open) -> None:
    asked = phone().ask("/api/play", "POST", Transfer_Encoding="chunked")
    asked.send(b"10000\r\n" + b"x" * 0x10000 + b"\r\n" + b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
    assert asked.status() == 413


def test_a_screen_that_goes_gives_its_seat_back_at_once(phone: Open, app: Flask) -> None:
    seats = app.extensions["companion_seats"]
    screens = [phone().ask("/api/stream") for _ in range(5)]
    assert all(screen.hears(b"id: 32") for screen in screens) and len(seats) == 5
    for screen in screens:
        screen.close()
    until(lambda: len(seats) == 0)


def test_a_screen_that_is_signed_in_stays_beside_a_crowd_of_addresses(phone: Open, app: Flask) -> None:
    owner = phone("127.0.1.1").ask("/api/stream", Cookie=signed_in(app))
    assert owner.hears(b"id: 32")
    crowd = [phone(f"127.0.2.{number + 1}").ask("/api/stream") for number in range(10)]
    assert sum(screen.hears(b"id: 32") for screen in crowd) == 5, "six places in all"
    app.extensions["companion_state"].session.record(event="passed", by="Cyril", source="camera", violations=[])
    assert owner.hears(b"id: 33")


def test_a_screen_that_makes_room_is_told_and_hung_up_on(phone: Open) -> None:
    first = phone().ask("/api/stream")
    assert first.hears(b"id: 32")
    others = [phone().ask("/api/stream") for _ in range(6)]
    assert all(screen.hears(b"id: 32") for screen in others)
    assert first.hears(b"retry: 15000\n\n") and first.ended()


def test_an_old_browser_follows_too(phone: Open, session: FakeSession) -> None:
    screen = phone().send("GET /api/stream HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    assert screen.hears(b"id: 32")
    session.record(event="passed", by="Cyril", source="camera", violations=[])
    assert screen.hears(b"id: 33")


def test_closing_the_house_ends_every_stream_with_its_last_word(phone: Open, app_state: AppState) -> None:
    screen = phone().ask("/api/stream")
    assert screen.hears(b"id: 32")
    app_state.signal.close()
    assert screen.hears(b"0\r\n\r\n") and screen.ended()


def test_one_connection_carries_one_request_after_the_other(phone: Open) -> None:
    one = phone()
    assert [one.ask("/health").status() for _ in range(3)] == [200] * 3
    one.ask("/health").ask("/api/state")
    answer = http.client.HTTPResponse(one.socket)
    answer.begin()
    assert answer.status == 200 and b'"status"' in answer.read()


def test_a_fault_in_the_loop_that_serves_everybody_is_said_and_ends_nothing(app: Flask) -> None:
    server, port = serve_in_background(app)
    parts = app.extensions["companion_state"].parts
    with ExitStack() as ends:
        ends.callback(server.stop)
        for fault in (RuntimeError("a mistake of the program"), SystemExit(1)):
            failing = [fault]

            def readable(failing: list[BaseException] = failing) -> bool:
                if failing:
                    raise failing.pop()
                return bool(type(server._server).readable(server._server))

            server._server.readable = readable
            one = Phone(port)
            ends.callback(one.close)
            until(lambda failing=failing: not failing)  # type: ignore[misc]
            assert one.ask("/health").status() == 200
        until(lambda: parts.repairs() == [])


def test_requests_in_one_breath_are_answered_once_and_the_line_is_closed(phone: Open) -> None:
    """Browsers send none before the last one's answer; hundreds, read slowly, would keep a thread for a minute."""
    line = phone().send(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 500)
    answer = b"".join(iter(lambda: line.socket.recv(65536), b""))
    assert answer.count(b"HTTP/1.1 200") == 1 and b"connection: close" in answer.lower()
