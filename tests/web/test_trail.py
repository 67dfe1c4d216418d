"""The trail of changes: it lists every change by a person, with author, time, before and after; nothing vanishes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.fakes import FakeCamera, FakeDesk, FakeTable
from companion.app.games import make_app_state
from companion.app.state import AppState
from companion.cli.reporting import Redaction
from companion.log.event_fields import Candidate
from companion.log.journal import BUTTON, entered_by
from companion.storage.repairs import Repair
from companion.storage.trail import MOST_BYTES, Trail
from companion.web.app import PageSettings, create_app
from companion.web.changing import NOTED
from tests.shown import state_of
from tests.web.reading import words

GAME = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cem"], "options": {}}
PIN = "135790"
PICTURE_BY_HAND = "/round-end/photo"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AppState]:
    made = make_app_state(tmp_path)
    made.start_game(GAME)
    yield made
    made.session.close()  # type: ignore[attr-defined]
    made.signal.close()


@pytest.fixture
def page(state: AppState) -> Flask:
    return create_app(state, PageSettings(pin=PIN, testing=True))


def phone(page: Flask, name: str | None = None) -> FlaskClient:
    client = page.test_client()
    given = {"pin": PIN} | ({} if name is None else {"name": name})
    assert client.post("/api/pin", json=given).status_code == 200
    return client


def tap(client: FlaskClient, path: str, **fields: Any) -> None:
    answer = client.post(path, json=fields)
    assert answer.status_code == 200, (path, answer.text)


def trail(page: Flask) -> str:
    return words(page.test_client().get("/games/game-0001/changes").get_data(as_text=True))


def played(page: Flask, client: FlaskClient) -> None:
    tap(client, "/api/start-round", engine="12-12", starter="Ann")
    for tile, train in (("12-1", "Ann"), ("12-2", "Ben"), ("12-3", "Cem"), ("1-4", "Ann")):
        tap(client, "/api/play", tile=tile, train=train, by=train)


def test_who_entered_what_is_on_the_page_and_undone_things_stay(page: Flask) -> None:
    ben, stranger = phone(page, "Ben"), phone(page)
    played(page, ben)
    assert "1-4" in trail(page) and "<s>" not in trail(page)
    tap(stranger, "/api/undo")
    text = trail(page)
    assert "<s>Ann played 1-4 on their own train.</s>" in text, "what an undo removes is not gone"
    assert "a phone without a name" in text and "Ben ·" in text
    sheet = words(page.test_client().get("/scores").get_data(as_text=True))
    assert 'class="printed second-page"' in sheet and "<s>Ann played 1-4" in sheet
    assert "12-2" not in sheet.partition("second-page")[2], "entries that stand are the game itself"


def test_a_correction_says_what_was_before_and_after(page: Flask) -> None:
    ben = phone(page, "Ben")
    played(page, ben)
    tap(ben, "/api/correct", seq=3, by="Cem")
    row = trail(page).partition("Correction: it was Cem")[2]
    assert "Before: Ben played 12-2 on their own train. → After: Cem played 12-2 on Ben&#39;s train." in row


def test_a_correction_that_was_undone_is_not_what_stood_before_the_next(page: Flask) -> None:
    ben = phone(page, "Ben")
    played(page, ben)
    tap(ben, "/api/correct", seq=3, by="Cem")
    tap(ben, "/api/undo")
    tap(ben, "/api/correct", seq=3, by="Ann")
    row = trail(page).partition("Correction: it was Ann")[2]
    assert "Before: Ben played 12-2 on their own train. → After: Ann played 12-2 on Ben&#39;s train." in row


def test_points_hands_and_ends_carry_their_author(page: Flask, state: AppState) -> None:
    ann = phone(page, "Ann")
    played(page, ann)
    tap(ann, "/api/end-round", how="blocked_declared")
    for name in GAME["players"]:
        tap(ann, "/api/show-hand", by=name, tiles="1-1")
    tap(ann, "/api/end-match")
    authors = {event.KIND: event.author for event in state.session.events if event.source == "person"}
    assert set(authors.values()) == {"Ann"}
    assert {"round_started", "tile_played", "round_ended", "hand_shown", "match_ended"} <= set(authors)
    assert all(event.author is None for event in state.session.events if event.source == "rule")


def test_a_button_is_said_to_be_one(page: Flask, state: AppState) -> None:
    played(page, phone(page))
    with entered_by(BUTTON):
        state.session.pass_turn()  # type: ignore[attr-defined]
    assert "a button at the table" in trail(page)


@pytest.mark.parametrize(
    "name",
    [
        "B\u200ben",
        "В" + "en",
        "camera",
        "Rule",
        "MX",
        "*phone",
        "x" * 25,
        "Ben\u202e",
        "Ben\u3164",
        "\u2800Ben",
        "\u115f",
        "\ufe0f",
        "cam\u0435ra",
    ],
)
def test_a_phone_is_not_called_what_could_be_taken_for_somebody(page: Flask, name: str) -> None:
    answer = page.test_client().post("/api/pin", json={"pin": PIN, "name": name})
    assert answer.status_code == 400, "nobody corrects as Ben with an invisible sign, or as the camera"
    assert answer.json is not None and answer.json["field"] == "name"


def test_a_guest_of_another_name_is_a_phone_of_that_name(page: Flask) -> None:
    played(page, phone(page, "Grandma"))
    assert "a phone signed in as “Grandma”" in trail(page)


def test_every_route_that_changes_something_leaves_a_trail(page: Flask, state: AppState, tmp_path: Path) -> None:
    """Each route either writes into the journal with its author, or is named in NOTED, or changes nothing kept."""
    state.table, state.camera, state.learning = FakeTable(), FakeCamera(), FakeDesk()  # type: ignore[assignment]
    state.delete_pictures = lambda: 3
    state.table.is_film = True  # type: ignore[misc]
    state.repairs.report_damaged(tmp_path / "x.json.damaged-1")
    report = state.repairs.open()[0].id
    case = Repair("CLOCK_LEAPT", {"last": "2026-11-20"})
    state.repairs.check(lambda: (case,))
    state.repairs.actions[case.code] = lambda: None
    ann = phone(page, "Ann")
    played(page, ann)
    seats = {"places": {"Ann": [0.5, 0.8], "Ben": [0.2, 0.5], "Cem": [0.4, 0.2], "MX": [0.8, 0.5]}}
    corners = {"corners": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], "size_mm": [1200, 900]}
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "games.delete_pictures": ("/pictures/delete", {}),
        "placing.place": ("/api/table", corners),
        "placing.read_now": ("/api/read-now", {}),
        "placing.film": ("/api/filming", {"size": "1920x1080"}),
        "placing.watch_again": ("/api/watch-again", {}),
        "seating.keep": ("/api/seats", seats),
        "learning.begin": ("/learn", {"do": "forget", "set": "double-12"}),
        "setup.keep_rules": ("/setup/rules", {"rules": "tactic", "title": "Ours"}),
        "setup.forget_rules": ("/setup/rules/forget", {"own": "ours"}),
        "repairing.seen": (f"/repairs/{report}/seen", {}),
        "repairing.do": (f"/repairs/{case.id}/do", {}),
    }
    for endpoint, (path, fields) in asked.items():
        answer = ann.post(path, json=fields)
        assert answer.status_code in (200, 303), (path, answer.text)
        last = state.trail.lines()[-1]
        assert (last["what"], last["author"], last["game"]) == (endpoint, "Ann", "game-0001")
    text = trail(page)
    for endpoint in asked:
        words = NOTED[endpoint].replace("'", "&#39;")
        assert words in text, endpoint
    before = len(state.trail.lines())
    assert ann.post("/api/table", json={**corners, "do": "try"}).status_code == 200
    assert len(state.trail.lines()) == before, "what is only tried changes nothing"
    changed = {"player_1": "Ben", "player_2": "Ann", "points": "0"}
    around = (
        ("/api/games", GAME, "setup.start", "game-0002"),
        ("/games/game-0001/open", {}, "games.reopen", "game-0001"),
        ("/games/game-0002/delete", {}, "games.delete_game", "game-0001"),
        ("/players/change", changed, "changing_players.change", "game-0003"),
        ("/pin/out", {"all": "1"}, "access.sign_out", "game-0003"),
    )
    for path, fields, endpoint, game in around:
        answer = ann.post(path, data=fields) if endpoint == "changing_players.change" else ann.post(path, json=fields)
        assert answer.status_code in (200, 303), (path, answer.text)
        last = state.trail.lines()[-1]
        assert (last["what"], last["author"], last["game"]) == (endpoint, "Ann", game)
    assert {*asked, *(endpoint for _, _, endpoint, _ in around)} == set(NOTED), "every one of them was walked"


JOURNALED = {
    "api.play", "api.turn_act", "api.done", "api.marker_act", "api.cannot_play", "api.announce", "api.report",
    "api.undo", "api.put_back", "api.answer", "api.correct", "api.start_round", "api.show_hand", "api.end_match",
    "api.end_round", "api.leave", "plays.is_this_tile", "rounds.count", "rounds.write_points", "settling.was_so",
}  # fmt: skip
CHANGES_NOTHING = {
    "access.sign_in",
    "access.sign_in_by_program",
    "changing_players.preview",
    "guests.send",  # a guest's own hand counts when somebody confirms it, who is then its author
    "plays.preview",
    "rounds.photo",
    "settling.further",  # of this phone alone
    "settling.later",  # of this phone alone
    "setup.own_file",
    "whose.choose",  # of this phone alone
}


def test_every_route_that_enters_something_names_its_author(page: Flask, state: AppState) -> None:
    ann, session = phone(page, "Ann"), state.session
    played(page, ann)
    walked: set[str] = set()

    def walk(path: str, **fields: Any) -> None:
        before = len(session.events)
        answer = ann.post(path, data=fields, headers={"Accept": "application/json"})
        assert answer.status_code in (200, 303), (path, answer.text)
        mine = [event for event in session.events[before:] if event.source == "person"]
        assert mine and {event.author for event in mine} == {"Ann"}, path
        walked.add(page.url_map.bind("").match(path, "POST")[0])

    tap(ann, "/api/undo")
    walk("/api/undo")
    walk("/api/put-back")
    walk("/api/undo")
    walk("/api/play", tile="12-3", train="Cem", by="Cem")
    walk(f"/play/{len(session.events)}/tile", tile="12-4")
    walk("/api/cannot-play", by="Ann")
    walk("/api/draw", by="Ben")
    walk("/api/done", by="Ben")
    walk("/api/mark", train="Ben", by="Ben")
    walk("/api/announce", by="Cem")
    walk("/api/report", by="Cem", what="dealt", value="14", again="1")
    walk("/api/correct", seq="2", by="Cem")
    asked = session.ask("a tile cannot be read")[0].seq  # type: ignore[attr-defined]
    walk("/api/answer", seq=str(asked), choice="-1")
    walk("/api/end-round", how="blocked_declared")
    for name, tile in (("Ann", "1-1"), ("Ben", "2-2"), ("Cem", "3-3")):
        walk("/api/show-hand", by=name, tiles=tile)
    walk("/api/start-round", engine="11-11", starter="Ben")
    for by, outer in (("Ben", 1), ("Ann", 2), ("Cem", 3)):
        walk("/api/play", train=by, outer=str(outer), by=by)
    [(_late, jumped)] = state_of(session)["put_before"]
    walk("/api/was-so", seq=str(jumped))
    walk("/round-end", how="abandoned")
    walk("/api/start-round", engine="11-11", starter="Ben")
    walk("/api/leave", by="Cem")
    walk("/api/undo")
    walk("/round-points/2", points_1="1", points_2="0", points_3="5", out="Ben")
    walk("/api/end-match")
    assert walked == JOURNALED


def test_no_route_is_forgotten(page: Flask) -> None:
    routes = {rule.endpoint for rule in page.url_map.iter_rules() if "POST" in (rule.methods or ())}
    assert routes == {*NOTED, *JOURNALED, *CHANGES_NOTHING}


def test_the_export_holds_what_was_changed(page: Flask) -> None:
    ben = phone(page, "Ben")
    played(page, ben)
    tap(ben, "/api/undo")
    answer = ben.get("/games/game-0001/export.zip")
    with zipfile.ZipFile(io.BytesIO(answer.get_data())) as archive:
        text = archive.read("game-0001/what-was-changed.txt").decode()
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0] == ["When", "Who", "What", "Before", "After", "Undone"]
    undone = [row for row in rows if row[5] == "undone"]
    assert [(row[1], row[2]) for row in undone] == [("Ben", "Ann played 1-4 on their own train.")]


def test_a_disk_that_takes_no_line_says_so_and_loses_none(
    state: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.storage import trail as trail_module

    path = tmp_path / "changes.jsonl"

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(trail_module.os, "fsync", refuse)
        state.trail.note("Ann", "game-0001", "games.delete_pictures", {})
        assert [one.about["part"] for one in state.parts.repairs()] == ["trail"]
    state.try_the_disk()
    assert state.parts.repairs() == [] and "Ann" in [line["author"] for line in Trail(path).lines()]
    state.trail.note("Ben", "game-0001", "games.delete_pictures", {})
    assert [line["author"] for line in state.trail.lines()][-1] == "Ben"
    assert "Ann" in [line["author"] for line in state.trail.lines()]


def test_a_damaged_trail_breaks_no_page(page: Flask, state: AppState, tmp_path: Path) -> None:
    played(page, phone(page))
    (tmp_path / "changes.jsonl").write_bytes(b"\xff\xfe\n{}\n[1]\n" + b"[" * 100_000 + b'\n{"at": 1}\n{"torn')
    assert "12-2" in trail(page)


def test_a_torn_end_swallows_no_later_line_and_the_newest_are_read(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    path.write_bytes(b'{"at": "2026-11-26T13:00:00.000Z", "auth')
    trail = Trail(path)
    trail.note("Ben", "game-0001", "games.delete_pictures", {})
    assert [line["author"] for line in trail.lines()] == ["Ben"], "the line after a power cut is whole"
    path.write_bytes(b"#" * MOST_BYTES)
    trail.note("Cem", "game-0001", "games.delete_pictures", {})
    assert [line["author"] for line in trail.lines()] == ["Cem"], "of a long file the last lines count"


def test_what_a_full_disk_took_half_of_stands_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from companion.storage import trail as trail_module

    trail, left = Trail(tmp_path / "changes.jsonl"), [10]

    def half(descriptor: int, block: bytes) -> int:
        if not left:
            raise OSError(28, "No space left on device")
        return write(descriptor, block[: left.pop()])

    write = trail_module.os.write
    with monkeypatch.context() as patched:
        patched.setattr(trail_module.os, "write", half)
        trail.note("Ann", "game-0001", "games.delete_pictures", {})
    trail.note("Ben", "game-0001", "games.delete_pictures", {})
    assert [line["author"] for line in Trail(tmp_path / "changes.jsonl").lines()] == ["Ann", "Ben"]


def test_nobodys_name_leaves_the_house_in_the_diagnostics() -> None:
    line = {"seq": 1, "event": "drew", "author": "Grandma", "by": "Ann"}
    assert Redaction({"Ann": "P1"}).event(line)["author"] == "somebody"


def test_an_engine_put_right_by_an_answer_is_told_as_it_was_and_as_it_is(page: Flask, state: AppState) -> None:
    ann = phone(page, "Ann")
    state.session.start_round((11, 11), "Ann")  # type: ignore[attr-defined]
    assert "not known" not in trail(page), "what begins by itself has no author"
    engine: dict[str, Any] = {"seq": 1, "engine": [12, 12]}
    asked = state.session.ask("ANOTHER_ENGINE", [Candidate("12-12", (engine,)), Candidate("11-11", ())])[0].seq  # type: ignore[attr-defined]
    tap(ann, "/api/answer", seq=asked, choice=0)
    told = trail(page)
    assert "→ After: Round 1 starts with 12-12." in told and "12-12 lies in the middle" not in told
    assert "Which one is the engine? → After: 12-12" in told
