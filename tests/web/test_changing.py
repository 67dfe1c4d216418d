"""A tap that arrives twice counts once, and nobody changes a table that they have not looked at."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.exceptions import Conflict

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeDesk, FakeSession, FakeTable
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.rules.notation import Drawing
from companion.web.access import PinLock, PinSettings
from companion.web.app import PageSettings, create_app
from companion.web.changing import Repeats
from datasets.bots.watching import table_change
from tests.shown import state_of

PIN = "135790"
GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}}

FORM = re.compile(r'<form method="post" action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
HIDDEN = re.compile(r'type="hidden" name="(expected_game|expected_seq|once|at|page|seen)" value="([^"]*)"')
FIELD = re.compile(r'name="(expected_seq|once)" value="[^"]+"')
PAGES = (
    "/", "/setup?rules=tactic", "/table", "/seats", "/learn", "/round-start", "/round-end", "/games", "/play/32",
)  # fmt: skip
HARMLESS = re.compile(r"/pin|/play/\d+/preview|/api/read-now")
"""Forms that record nothing."""


@pytest.fixture
def real(tmp_path: Path) -> Iterator[AppState]:
    (tmp_path / "games").mkdir()
    app_state = make_app_state(tmp_path)
    app_state.start_game({"journal": 1, **GAME})
    app_state.session.start_round((12, 12), "Ann")  # type: ignore[attr-defined]
    yield app_state
    app_state.signal.close()
    app_state.session.journal.close()  # type: ignore[attr-defined]


@pytest.fixture
def served(real: AppState) -> Flask:
    return create_app(real, PageSettings(pin=PIN, testing=True), PinLock.of(PIN, PinSettings(n=2**4)))


def phone(app: Flask) -> FlaskClient:
    client = app.test_client()
    assert client.post("/api/pin", json={"pin": PIN}).status_code == 200
    return client


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """All together, each in a thread of its own, none before all are there."""
    gate = threading.Barrier(len(calls))

    def wait_and(call: Callable[[], Any]) -> Any:
        gate.wait(30)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(wait_and, calls))


def kinds(app_state: AppState) -> list[str]:
    return [event.KIND for event in app_state.session.events if event.source == "person"]


TAPS = (
    ("/api/play", {"tile": [12, 5], "train": "Ann", "by": "Ann"}, "tile_played"),
    ("/api/draw", {"by": "Ann"}, "drew"),
    ("/api/pass", {"by": "Ann"}, "passed"),
    ("/api/done", {"by": "Ann"}, "passed"),
    ("/api/mark", {"train": "Ann", "by": "Ann"}, "marker_placed"),
    ("/api/announce", {"by": "Ann"}, "announced"),
    ("/api/end-round", {"how": "abandoned"}, "round_ended"),
)


@pytest.mark.parametrize(("path", "fields", "kind"), TAPS, ids=[tap[0][5:] for tap in TAPS])
@pytest.mark.parametrize("key", ["expected_seq", "once", "header"])
def test_a_double_tap_counts_once_and_is_answered_twice(
    served: Flask, real: AppState, path: str, fields: dict[str, Any], kind: str, key: str
) -> None:
    named = {"expected_seq": {"expected_seq": 1}, "once": {"once": "a1"}, "header": {}}[key]
    headers = {"Idempotency-Key": "a1"} if key == "header" else {}
    phones = [phone(served) for _ in range(4)]
    answers = at_once([lambda p=p: p.post(path, json={**fields, **named}, headers=headers) for p in phones])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.get_data() for answer in answers}) == 1, "everybody hears of the same event"
    assert kinds(real).count(kind) == 1


def test_a_double_tap_on_undo_takes_back_one_thing(served: Flask, real: AppState) -> None:
    first, second = phone(served), phone(served)
    first.post("/api/play", json={"tile": [12, 5], "train": "Ann", "by": "Ann"})
    first.post("/api/play", json={"tile": [12, 7], "train": "Ben", "by": "Ben"})
    seen = state_of(real.session)["seq"]
    at_once([lambda p=p: p.post("/api/undo", json={"expected_seq": seen}) for p in (first, second)])
    plays = [play for play in state_of(real.session)["plays"] if play["event"] == "tile_played"]
    assert [(play["by"], bool(play.get("withdrawn"))) for play in plays if not play.get("withdrawn")] == [
        ("Ann", False)
    ]


def test_of_two_changes_to_one_table_the_later_is_refused(served: Flask, real: AppState) -> None:
    acts = [("/api/draw", {"by": "Ann"}), ("/api/pass", {"by": "Ann"}), ("/api/undo", {})]
    phones = [phone(served) for _ in acts]
    answers = at_once(
        [lambda p=p, a=a: p.post(a[0], json={**a[1], "expected_seq": 1}) for p, a in zip(phones, acts, strict=True)]
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    [refused, _] = [answer.json["error"] for answer in answers if answer.status_code == 409]
    assert "changed meanwhile" in refused


def test_the_same_act_at_another_table_is_another_act(served: Flask, real: AppState) -> None:
    keeper = phone(served)
    for _ in range(2):
        seen = state_of(real.session)["seq"]
        assert keeper.post("/api/draw", json={"by": "Ann", "expected_seq": seen}).status_code == 200
    assert kinds(real).count("drew") == 2


def test_a_program_without_a_key_may_do_the_same_twice(served: Flask, real: AppState) -> None:
    keeper = phone(served)
    for _ in range(2):
        keeper.post("/api/draw", json={"by": "Ann"})
    assert kinds(real).count("drew") == 2


def test_a_change_meant_for_another_game_is_refused(served: Flask, real: AppState) -> None:
    answer = phone(served).post("/api/draw", json={"by": "Ann", "expected_seq": 1, "expected_game": "last-night"})
    assert answer.status_code == 409
    assert kinds(real) == ["round_started"]


def test_a_new_game_begun_with_two_taps_is_one_game(served: Flask, real: AppState) -> None:
    before, phones = real.games(), [phone(served) for _ in range(3)]
    form = {"rules": "tactic", "player_1": "Ann", "player_2": "Ben", "once": "k", "expected_game": real.game}
    answers = at_once([lambda p=p: p.post("/setup?rules=tactic", data=form) for p in phones])
    assert {answer.status_code for answer in answers} == {303}
    assert len(real.games()) == len(before) + 1
    late = phone(served).post("/setup?rules=tactic", data={**form, "once": "another phone"})
    assert late.status_code == 409 and len(real.games()) == len(before) + 1


def test_hands_sent_twice_are_counted_once(served: Flask, real: AppState) -> None:
    form = {"how": "out", "hand_1": "", "hand_2": "1-2", "hand_3": "3-3", "expected_seq": "1"}
    phones = [phone(served) for _ in range(3)]
    answers = at_once([lambda p=p: p.post("/round-end", data=form) for p in phones])
    assert {answer.status_code for answer in answers} == {303}
    assert kinds(real).count("round_ended") == 1 and kinds(real).count("hand_shown") <= 3
    assert state_of(real.session)["totals"] == {"Ann": 0, "Ben": 3, "Cy": 6}


@pytest.mark.parametrize("address", ["/round-end", "/round-points/1"])
def test_what_the_camera_still_sees_refuses_no_count(served: Flask, real: AppState, address: str) -> None:
    points = {"points_1": "0", "points_2": "3", "points_3": "6", "out": "Ann"}
    form = points if "points" in address else {"how": "out", "hand_1": "", "hand_2": "1-2", "hand_3": "3-3"}
    host, other = phone(served), phone(served)
    shown = [dict(HIDDEN.findall(one.get(address).text)) for one in (host, other)]
    real.session.observe(table_change([Drawing(1)]))  # type: ignore[attr-defined]
    assert host.post(address, data=shown[0] | form).status_code == 303
    assert state_of(real.session)["totals"] == {"Ann": 0, "Ben": 3, "Cy": 6}
    before = kinds(real)
    late = other.post(address, data=shown[1] | form)
    assert late.location == "/scores" and kinds(real) == before, "both have counted the same"


def test_a_refused_change_may_be_tried_again(app: Flask, keeper: FlaskClient, session: FakeSession) -> None:
    session.refuses = "the match is over"
    assert keeper.post("/api/draw", json={"once": "x"}).status_code == 409
    session.refuses = None
    assert keeper.post("/api/draw", json={"once": "x"}).status_code == 200
    assert [call[0] for call in session.calls] == ["draw", "draw"]


def test_another_photograph_from_the_same_form_is_another_change(keeper: FlaskClient, app_state: AppState) -> None:
    import io

    desk = FakeDesk()
    app_state.learning = desk
    for content in (b"\xff\xd8\xff1", b"\xff\xd8\xff1", b"\xff\xd8\xff2"):
        form = {"do": "learn", "set": "double-9", "once": "x", "photo": (io.BytesIO(content), "row.jpg")}
        assert keeper.post("/learn", data=form, content_type="multipart/form-data").status_code == 303
    assert [photograph for _, _, photograph in desk.begun] == [b"\xff\xd8\xff1", b"\xff\xd8\xff2"]


def test_the_second_waits_for_the_answer_of_the_first() -> None:
    repeats, begun, go_on = Repeats(), threading.Event(), threading.Event()
    made = []

    def make() -> Response:
        begun.set()
        go_on.wait(30)
        made.append(1)
        return Response(b"done", 201)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(repeats.once, b"m", make)
        begun.wait(30)
        second = pool.submit(repeats.once, b"m", make)
        go_on.set()
        answers = [first.result(), second.result()]
    assert [(answer.status_code, answer.get_data()) for answer in answers] == [(201, b"done")] * 2
    assert made == [1]


def test_who_waits_too_long_is_told_so() -> None:
    repeats, go_on = Repeats(patience_s=0), threading.Event()
    begun = threading.Event()

    def make() -> Response:
        begun.set()
        go_on.wait(30)
        return Response()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(repeats.once, b"m", make)
        begun.wait(30)
        with pytest.raises(Conflict):
            repeats.once(b"m", make)
        go_on.set()


def test_only_the_latest_changes_are_remembered() -> None:
    repeats, made = Repeats(most=3), []
    for number in (1, 2, 3, 4, 4, 1):
        repeats.once(str(number).encode(), lambda n=number: made.append(n) or Response(status=204))
    assert made == [1, 2, 3, 4, 1]


@pytest.mark.parametrize(
    "make", [tables.midgame, tables.illegal, tables.question, tables.chinese_line, tables.waiting, tables.round_over]
)
def test_every_form_that_changes_something_says_what_its_sender_looked_at(
    keeper: FlaskClient, session: FakeSession, app_state: AppState, make: Callable[[], dict[str, Any]]
) -> None:
    app_state.table, app_state.learning, app_state.camera = FakeTable(), FakeDesk(), None
    app_state.learning.told |= {"lesson": {}}
    app_state.delete_pictures = lambda: 0
    session.show(make())
    found = 0
    pages = (
        "/",
        "/setup?rules=tactic",
        "/table",
        "/seats",
        "/learn",
        "/round-start",
        "/round-end",
        "/games",
        "/play/32",
    )
    for path in pages:
        text = keeper.get(path).text
        assert text.count('method="post"') == len(FORM.findall(text)), f"{path}: a form that this test does not see"
        for action, inside in FORM.findall(text):
            if HARMLESS.match(action):
                continue
            found += 1
            assert FIELD.search(inside), f"{path}: the form of {action} can be sent twice"
            assert 'name="expected_game" value="tonight"' in inside, f"{path}: {action}"
    assert found > 4


def test_a_region_stays_the_same_while_the_table_does(
    keeper: FlaskClient, app_state: AppState, session: FakeSession
) -> None:
    before = keeper.get("/regions").json["regions"]["act"]
    app_state.signal.notify()
    assert keeper.get("/regions").json["regions"]["act"] == before, "a choice half made would be lost"
