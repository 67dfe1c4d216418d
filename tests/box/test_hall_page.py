"""The hall's page and what is known of each table."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli.serve import hall as hall_command
from companion.cli.serve import serve as serve_command
from companion.hall.page import create_hall_app
from companion.hall.tables import Tables
from companion.log.event_fields import Header
from companion.log.events import Corrected, HandShown, MatchEnded, RoundEnded, RoundScored, RoundStarted, Unclear
from companion.rules.tile import Laid, Tile

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))


def evening() -> list[dict[str, Any]]:
    events = (
        RoundStarted(round=1, engine=Laid(9, 9), starter="Ann"),
        RoundEnded(how="blocked_declared"),
        HandShown(by="Ann", tiles=()),
        HandShown(by="Ben", tiles=(Tile(3, 4),)),
        RoundScored(source="rule", scores={"Ann": 0, "Ben": 7}, totals={"Ann": 0, "Ben": 7}),
    )
    return [{**event.to_json(), "seq": seq, "at": "2026-11-20T19:00:00.000Z"} for seq, event in enumerate(events, 1)]


def head(seq: int, game: str = "g") -> dict[str, Any]:
    return {"name": "Table 1", "game": game, "header": HEADER.to_json(), "seq": seq}


def told(order: list[int]) -> Tables:
    tables, lines = Tables(), evening()
    tables.status("t1", True)
    tables.head("t1", head(5))
    for seq in order:
        tables.event("t1", {"game": "g", "event": lines[seq - 1]})
    return tables


@pytest.mark.parametrize("order", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [1, 1, 3, 2, 2, 5, 4, 4, 1]])
def test_events_count_once_in_their_order_however_they_arrive(order: list[int]) -> None:
    [table] = told(order)
    assert [event.seq for event in table.events] == [1, 2, 3, 4, 5]
    shown = table.as_json()
    assert shown["complete"]
    assert shown["totals"] == {"Ann": 0, "Ben": 7}


def test_a_question_is_open_until_somebody_answers_it() -> None:
    tables = told([1])
    asked = Unclear(seq=2, at="2026-11-20T19:00:01.000Z", reason="several_explanations", source="camera")
    answer = Corrected(seq=3, at="2026-11-20T19:00:02.000Z", corrects=2, what={"answer": None})
    for event, due in ((asked, 1), (answer, 0)):
        tables.event("t1", {"game": "g", "event": event.to_json()})
        [table] = tables
        assert table.as_json()["questions"] == due


def test_behind_a_gap_nothing_is_shown_as_if_it_were_whole() -> None:
    [table] = told([1, 2, 4, 5])
    assert len(table.events) == 2
    assert table.missing
    assert not table.as_json()["complete"]


def test_another_game_begins_a_new_sheet() -> None:
    tables = told([1, 2, 3, 4, 5])
    tables.head("t1", head(0, game="next"))
    [table] = tables
    assert table.events == []
    assert not table.missing


def test_nobody_can_fill_the_memory_with_made_up_tables_or_numbers() -> None:
    tables = told([1])
    for number in range(10_000):
        tables.status(f"made-up-{number}", True)
        tables.event("t1", {"game": "g", "event": {**evening()[1], "seq": number + 100}})
    assert len(list(tables)) <= 200
    table = tables.get("t1")
    assert table is not None
    assert len(table.ahead) <= 2000


class Said:
    def __init__(self, tables: Tables, connected: bool = True) -> None:
        self._tables, self._connected = tables, connected

    def snapshot(self) -> dict[str, Any]:
        return {"connected": self._connected, "tables": [table.as_json() for table in self._tables]}


def test_the_page_shows_players_and_points_and_hides_nothing_that_is_wrong() -> None:
    client = create_hall_app(Said(told([1, 2, 3, 4, 5]))).test_client()
    page = client.get("/").text
    for word in ("Table 1", "Ann", "Ben", ">7<", "Live"):
        assert word in page
    assert client.get("/api/hall").json["tables"][0]["totals"]["Ben"] == 7
    assert client.get("/health").json == {"status": "ok", "reasons": []}
    lost = create_hall_app(Said(told([1]), connected=False)).test_client()
    assert "Catching up" in lost.get("/").text
    assert lost.get("/health").json["status"] == "degraded"


@pytest.mark.parametrize(("winners", "words"), [(("Ann",), "Ann wins"), (("Ann", "Ben"), "Shared win: Ann, Ben")])
def test_a_match_that_is_over_names_its_winners_as_the_table_does(winners: tuple[str, ...], words: str) -> None:
    tables = told([1, 2, 3, 4, 5])
    tables.head("t1", head(6))
    ended = MatchEnded(seq=6, at="2026-11-20T19:30:00.000Z", winners=winners)
    tables.event("t1", {"game": "g", "event": ended.to_json()})
    assert f". {words}</p>" in create_hall_app(Said(tables)).test_client().get("/").text


def test_a_table_has_its_name_before_its_first_game_and_faults_are_counted() -> None:
    tables = Tables()
    tables.status("kuche-1a2b3c4d", True)
    tables.head("kuche-1a2b3c4d", {"name": "Küche", "game": "", "header": None, "seq": 0})
    [table] = tables
    page = create_hall_app(Said(tables)).test_client().get("/").text
    assert table.name == "Küche" and "Küche" in page and "No game yet" in page
    table.header, table.events = Header.from_json(HEADER.to_json()), []
    shown = {**table.as_json(), "illegal": 2}
    faulty = create_hall_app(SaidSo({"connected": True, "tables": [shown]})).test_client()
    assert "Plays against the rules: 2" in faulty.get("/").text


class SaidSo:
    def __init__(self, snapshot: dict[str, Any]) -> None:
        self._snapshot = snapshot

    def snapshot(self) -> dict[str, Any]:
        return self._snapshot


def test_a_player_s_name_is_text_and_never_markup() -> None:
    tables = Tables()
    header = Header("tactic", "double-9", ("<b>Ann</b>", "Ben"))
    tables.head("t1", {"name": "<script>", "game": "g", "header": header.to_json(), "seq": 0})
    page = create_hall_app(Said(tables)).test_client().get("/").text
    assert "<b>Ann" not in page
    assert "<script>" not in page


def test_another_site_s_name_is_refused() -> None:
    client = create_hall_app(Said(Tables())).test_client()
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_broker_that_cannot_be_is_wrong_usage() -> None:
    result = CliRunner().invoke(hall_command, ["--broker", "host:port"])
    assert result.exit_code == 2
    assert "expected a port" in result.output


def test_one_table_s_nonsense_leaves_the_others_shown() -> None:
    tables = told([1, 2, 3, 4, 5])
    for what in ({"answer": 3}, {"insert": [{"event": "round_scored", "scores": {}, "totals": {}}]}, {"by": "Ann"}):
        wrong = {
            "event": "corrected",
            "seq": 1,
            "at": "2026-11-20T19:00:00.000Z",
            "source": "person",
            "corrects": 9,
            "what": what,
        }
        name = f"odd{len(list(tables))}"
        tables.head(name, head(1, "other") | {"name": name})
        tables.event(name, {"game": "other", "event": wrong})

    class Hall:
        def snapshot(self) -> dict[str, Any]:
            return {"connected": True, "tables": [table.as_json() for table in tables]}

    client = create_hall_app(Hall(), {"localhost"}).test_client()
    page = client.get("/", headers={"Host": "localhost"})
    assert page.status_code == 200 and "Table 1" in page.text and ">7<" in page.text
    assert client.get("/api/hall", headers={"Host": "localhost"}).status_code == 200
    assert client.get("/health", headers={"Host": "localhost"}).status_code == 200


def test_events_that_make_no_game_are_said_at_their_table_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = told([1, 2, 3, 4, 5])
    [table] = tables
    table.events.insert(0, table.events.pop())  # a round scored before it began
    shown = table.as_json()
    assert shown["name"] == "Table 1"
    page = create_hall_app(
        type("H", (), {"snapshot": lambda self: {"connected": True, "tables": [shown]}})(), {"localhost"}
    )
    assert page.test_client().get("/", headers={"Host": "localhost"}).status_code == 200


@pytest.mark.parametrize("command", [hall_command, serve_command])
def test_a_password_among_the_arguments_is_refused(command: Any) -> None:
    result = CliRunner().invoke(command, ["--broker", "ann:secret@box.local"])
    assert result.exit_code == 2 and "COMPANION_BROKER" in result.output and "secret" not in result.output
