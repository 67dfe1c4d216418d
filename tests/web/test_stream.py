"""Server-sent events: the journal's lines under their own numbers, and nothing missed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeCamera, FakeSession
from companion.app.state import AppState, ChangeSignal
from companion.web.stream import Listener


def blocks(flow: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for part in flow:
        *whole, rest = (rest + part).split(b"\n\n")
        yield from whole


def messages(flow: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The stream's messages; comments come as {"comment": ...}."""
    for block in blocks(flow):
        message: dict[str, Any] = {"event": "message", "id": None}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(":")
            message["comment" if name == "" else name] = value.strip()
        if "data" in message:
            message["data"] = json.loads(message["data"])
        yield message


def numbers(flow: Iterator[bytes], last: int) -> list[int]:
    """The entries as they come, until `last`."""
    found = []
    for message in messages(flow):
        if message["id"] is not None:
            found.append(int(message["id"].partition("@")[0]))
            if found[-1] == last:
                return found
    raise AssertionError("the stream ended")


def listen(client: FlaskClient, **headers: str) -> Iterator[bytes]:
    answer = client.get("/api/stream", headers=headers)
    assert answer.mimetype == "text/event-stream"
    return iter(answer.response)  # type: ignore[arg-type]


def test_a_new_listener_gets_the_whole_game_in_order(anyone: FlaskClient) -> None:
    assert numbers(listen(anyone), 32) == list(range(1, 33))


def test_the_data_of_a_message_is_the_journals_line(anyone: FlaskClient, session: FakeSession) -> None:
    line = next(m for m in messages(listen(anyone)) if m["id"] == "32@tonight")
    assert line["data"] == session.lines[31]


def test_an_event_arrives_once_it_is_in_the_journal(anyone: FlaskClient, session: FakeSession) -> None:
    flow = listen(anyone)
    numbers(flow, 32)
    session.record(event="passed", by="Cyril", source="camera", violations=[])
    assert numbers(flow, 33) == [33]


def test_a_dropped_connection_resumes_with_nothing_missed_and_nothing_twice(
    anyone: FlaskClient, session: FakeSession
) -> None:
    numbers(listen(anyone), 32)
    for _ in range(3):
        session.record(event="passed", by="Cyril", source="camera", violations=[])
    assert numbers(listen(anyone, **{"Last-Event-ID": "32"}), 35) == [33, 34, 35]


def test_a_broken_last_event_id_starts_from_the_beginning(anyone: FlaskClient) -> None:
    for broken in ("x", "-1", "9" * 400, "１２"):
        assert numbers(listen(anyone, **{"Last-Event-ID": broken}), 32)[0] == 1


def test_silence_is_filled_with_beats_that_a_script_sees(anyone: FlaskClient) -> None:
    """A comment would not reach the page's script, which could not tell a quiet table from a dead line."""
    flow = itertools.islice(messages(listen(anyone)), 200)
    assert len(list(itertools.islice((m for m in flow if m["event"] == "beat"), 3))) == 3


def test_the_cameras_state_comes_without_a_number(anyone: FlaskClient, app_state: AppState) -> None:
    flow = messages(listen(anyone))
    assert next(m for m in flow if m["event"] == "camera")["data"] == {"state": "read"}
    assert isinstance(app_state.camera, FakeCamera)
    app_state.camera.state = "hand"
    app_state.signal.notify()
    seen = next(m for m in flow if m["event"] == "camera")
    assert seen["data"] == {"state": "hand"} and seen["id"] is None


def test_another_game_on_the_table_is_announced_and_told_from_its_start(
    anyone: FlaskClient, app_state: AppState
) -> None:
    flow = messages(listen(anyone))
    next(m for m in flow if m["id"] == "32@tonight")
    app_state.put_on_the_table(FakeSession(tables.waiting(), [{"seq": 1, "event": "round_started"}]), "second")
    assert next(m for m in flow if m["event"] == "game")["data"] == {"game": "second"}
    assert next(m for m in flow if m["id"] is not None)["id"] == "1@second"


def test_a_resume_after_an_entry_of_another_game_brings_all_of_the_one_on_the_table(
    anyone: FlaskClient, app_state: AppState
) -> None:
    last = next(m for m in messages(listen(anyone)) if m["id"] == "8@tonight")["id"]
    lines = [{"seq": seq, "event": "passed", "by": "Ann"} for seq in range(1, 12)]
    app_state.put_on_the_table(FakeSession(tables.waiting(), lines), "second")
    assert numbers(listen(anyone, **{"Last-Event-ID": last}), 11) == list(range(1, 12))
    flow = iter(anyone.get(f"/api/stream?after={last}").response)
    assert numbers(flow, 11) == list(range(1, 12))  # type: ignore[arg-type]
    assert numbers(listen(anyone, **{"Last-Event-ID": "8@second"}), 11) == [9, 10, 11]
    assert numbers(listen(anyone, **{"Last-Event-ID": "8"}), 11) == [9, 10, 11], "a mere number is of this game"


def test_a_game_that_changes_while_its_lines_are_sent_mixes_no_two(app_state: AppState) -> None:
    """The name and the session are of one moment."""
    listener = Listener(app_state, 31, "tonight")
    told = listener.news()
    assert b"id: 32@tonight" in told and b"id: 31@" not in told
    app_state.put_on_the_table(FakeSession(tables.waiting(), [{"seq": 1, "event": "round_started"}]), "second")
    assert b"id: 1@second" in listener.news()


def test_when_all_seats_are_taken_the_oldest_screen_of_whoever_has_most_makes_room(
    app: Flask, anyone: FlaskClient
) -> None:
    def watch(address: str) -> Iterator[bytes]:
        answer = anyone.get("/api/stream", environ_base={"REMOTE_ADDR": address})
        assert answer.status_code == 200
        return iter(answer.response)  # type: ignore[arg-type]

    lone = watch("192.168.1.2")
    crowd = [watch("192.168.1.66") for _ in range(5)]
    late = watch("192.168.1.3")
    assert b"retry: 15000\n\n" in list(crowd[0]), "it is told to come back later"
    for flow in (lone, late, *crowd[1:]):
        assert numbers(flow, 32)[-1] == 32


def test_a_seat_becomes_free_when_its_screen_goes(app: Flask, anyone: FlaskClient) -> None:
    answers = [anyone.get("/api/stream") for _ in range(6)]
    assert len(app.extensions["companion_seats"]) == 6
    for answer in answers:
        answer.response.close()  # type: ignore[attr-defined]
    assert len(app.extensions["companion_seats"]) == 0


def test_closing_the_house_ends_the_streams(anyone: FlaskClient, app_state: AppState) -> None:
    flow = listen(anyone)
    numbers(flow, 32)
    app_state.signal.close()
    left = list(messages(flow))
    assert all(m["id"] is None for m in left), "it ends, and nothing is told twice"


def test_a_notification_before_the_wait_ends_it_at_once() -> None:
    signal = ChangeSignal()
    signal.notify()
    assert signal.wait(0, timeout_s=60) == 1


def test_regions_are_rendered_once_for_many_phones(anyone: FlaskClient, session: FakeSession) -> None:
    first = anyone.get("/regions")
    asked = []
    real = session.snapshot
    session.snapshot = lambda at=None: asked.append(at) or real(at)  # type: ignore[method-assign, func-returns-value]
    assert anyone.get("/regions").json == first.json
    assert asked == []
    session.record(event="passed", by="Cyril", source="camera", violations=[])
    anyone.get("/regions")
    assert asked != []


def test_an_id_ahead_of_the_journal_begins_anew(anyone: FlaskClient) -> None:
    for ahead in ("33", "99"):
        assert numbers(listen(anyone, **{"Last-Event-ID": ahead}), 32)[0] == 1
