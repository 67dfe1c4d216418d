"""Events and header: the contract's lines to the letter, and errors that name the field."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from bench.stand_ins import making
from companion.log.event_fields import EventError, Finding, Header
from companion.log.events import (
    EVENT_TYPES,
    Event,
    MarkerPlaced,
    MatchEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    event_from_json,
)
from companion.rules.tile import Laid

CONTRACT_EVENTS = (
    "round_started, tile_played, tile_taken_back, drew, passed, discarded, marker_placed, marker_removed, "
    "double_flipped, announced, player_left, hand_shown, unclear, corrected, round_ended, round_scored, match_ended"
)


def test_there_is_one_event_for_each_name_of_the_contract() -> None:
    assert ", ".join(EVENT_TYPES) == CONTRACT_EVENTS


@settings(max_examples=100, deadline=None)
@given(making.events)
def test_every_event_reads_back_as_it_was_written(event: Event) -> None:
    line = json.loads(json.dumps(event.to_json(), ensure_ascii=False))
    assert event_from_json(line) == event


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (
            {"seq": 1, "at": "...", "source": "person", "event": "round_started", "round": 1, "engine": [12, 12],
             "starter": "Ann"},
            RoundStarted(seq=1, at="...", round=1, engine=Laid(12, 12), starter="Ann"),
        ),
        (
            {"seq": 2, "at": "...", "source": "camera", "event": "tile_played", "by": "Ann", "tile": [12, 5],
             "train": "Ann", "violations": []},
            TilePlayed(seq=2, at="...", source="camera", by="Ann", tile=Laid(12, 5), train="Ann"),
        ),
        (
            {"seq": 3, "at": "...", "source": "camera", "event": "tile_played", "by": "Ben", "tile": [5, 5],
             "train": "Ann", "violations": [{"code": "CLOSED_TRAIN", "certain": True}]},
            TilePlayed(seq=3, at="...", source="camera", by="Ben", tile=Laid(5, 5), train="Ann",
                       violations=(Finding("CLOSED_TRAIN"),)),
        ),
    ],
)  # fmt: skip
def test_the_lines_of_the_contract_are_read_and_written_field_for_field(line: dict[str, Any], event: Event) -> None:
    assert event_from_json(line) == event
    assert event.to_json() == line


def test_a_marker_without_a_train_lies_on_the_players_own() -> None:
    assert event_from_json({"event": "marker_placed", "by": "Ann"}) == MarkerPlaced(by="Ann", train="Ann")


FOUND = (Finding("CLOSED_TRAIN"),)
POINTS = {"Ann": 4, "Ben": 0}
HELD = TilePlayed(by="Ben", tile=Laid(5, 5), train="Ann", violations=FOUND, maybe=("Ben", "Cy"))


@pytest.mark.parametrize(
    ("event", "lost"),
    [
        (HELD, {"violations"}),
        (replace(HELD, piece=7001, source="camera"), {"violations", "by", "maybe"}),
        (RoundScored(scores=POINTS, totals=POINTS, next_starter="Ann", source="person"), set()),
        (
            RoundScored(scores=POINTS, totals=POINTS, next_engine=Laid(9, 9), next_starter="Ann", source="rule"),
            {"scores", "totals", "next_engine", "next_starter"},
        ),
        (MatchEnded(winners=("Ben",), totals=POINTS, source="person"), {"winners", "totals"}),
    ],
)
def test_a_journal_holds_what_was_seen_and_said_and_nothing_that_was_concluded(event: Event, lost: set[str]) -> None:
    """The player of a seen act is a conclusion; the player of a tapped act is a statement."""
    told, line = event.to_json(), event.to_fact()
    assert {name for name, value in told.items() if line.get(name) != value} == lost
    assert "violations" not in line and event_from_json(line) == event.fact()
    assert event_from_json(told).fact() == event.fact(), "nor is it read where it stands"


PLAYED = {"seq": 7, "event": "tile_played", "by": "Ann", "tile": [1, 2], "train": "Ann"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (3, "expected an object"),
        ({"seq": 7}, "seq 7: event: expected one of"),
        ({"seq": "7", "event": "passed", "by": None}, "seq: expected a whole number"),
        ({"seq": 7, "event": "tile_played", "by": "Ann", "train": "Ann"}, "seq 7: tile: missing"),
        ({**PLAYED, "tile": [1, 2, 3]}, "seq 7: tile: expected two numbers"),
        ({**PLAYED, "tile": [1, -1]}, "seq 7: tile: expected two numbers"),
        ({**PLAYED, "tile": [1, True]}, "seq 7: tile: expected two numbers"),
        ({**PLAYED, "tile": None}, "seq 7: tile: expected two numbers"),
        ({**PLAYED, "by": ""}, "seq 7: by: expected a name"),
        ({**PLAYED, "train": 4}, "seq 7: train: expected text"),
        ({**PLAYED, "source": "rumour"}, "seq 7: source: expected one of camera, person, rule"),
        ({**PLAYED, "violations": [{"certain": True}]}, "seq 7: violations[0].code: missing; expected code"),
        ({**PLAYED, "violations": [{"code": "X", "certain": 1}]}, "seq 7: violations[0].certain: expected true"),
        ({"seq": 7, "event": "round_ended", "how": "boredom"}, "seq 7: how: expected one of out"),
        ({"seq": 7, "event": "round_started", "round": 0, "engine": None, "starter": None}, "seq 7: round: expected 1"),
        ({"seq": 7, "event": "passed", "by": "\ud800"}, "seq 7: by: expected text in UTF-8"),
        ({"seq": 7, "event": "round_scored", "scores": {"Ann": 1.5}, "totals": {}}, "seq 7: scores.Ann: expected a"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_what_was_expected(line: Any, complaint: str) -> None:
    with pytest.raises(EventError) as refused:
        event_from_json(line)
    assert str(refused.value).startswith(complaint)
    assert "\n" not in str(refused.value)


def test_a_header_reads_back_with_what_a_set_up_file_adds() -> None:
    line = {"journal": 1, "rules": "cz", "set": "double-9", "players": ["Ann", "Іва"], "options": {"rounds": 12},
            "tile_mm": [48, 24, 9]}  # fmt: skip
    header = Header.from_json(line)
    assert header.to_json() == line
    assert header.set_max == 9


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"set": "double-twelve"}, "set: expected double-6"),
        ({"players": ["Ann"]}, "players: expected 2 to 12, not 1"),
        ({"players": [f"P{seat}" for seat in range(100_000)]}, "players: expected 2 to 12, not 100000"),
        ({"players": ["Ann", "Ann"]}, "players: Ann sits there twice"),
        ({"players": ["Ann", "MX"]}, "players: MX is a train's name"),
        ({"players": ["Ann", "B\nn"]}, "players: expected names"),
        ({"rules": 4}, "rules: expected text"),
        ({"options": [1]}, "options: expected an object"),
    ],
)
def test_a_wrong_header_names_its_field(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(EventError, match=complaint):
        Header.from_json({**making.HEADER.to_json(), **change})
