"""Corrections: the line stays, the game is read otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bench.stand_ins import making
from companion.game.corrections import effective_events, open_questions
from companion.game.match import Scoreboard, fold_held
from companion.log.event_fields import Candidate, EventError, Finding
from companion.log.events import Corrected, Event, Passed, RoundScored, RoundStarted, TilePlayed, Unclear
from companion.rules.tile import Laid

STARTED = RoundStarted(round=1, engine=Laid(12, 12), starter="Ann")
PLAYED = TilePlayed(by="Ann", tile=Laid(12, 5), train="Ann")
STRANGER = TilePlayed(by="Ben", tile=Laid(5, 5), train="Ann", violations=(Finding("CLOSED_TRAIN"),))


def journal(*events: Event) -> list[Event]:
    return [replace(event, seq=seq) for seq, event in enumerate(events, start=1)]


def board_of(*events: Event) -> Scoreboard:
    return fold_held(making.HEADER.players, effective_events(journal(*events)), making.HEADER.brought)


def corrected(seq: int, **what: Any) -> Corrected:
    return Corrected(corrects=seq, what=what, by="Ann")


def test_who_changed_a_line_is_known_and_the_camera_is_nobody() -> None:
    late = replace(corrected(2, by="Ben"), source="camera")
    for change, people in ((late, False), (corrected(2, by="Ben"), True), (corrected(2, overruled=True), False)):
        (held,) = (one for one in effective_events(journal(STARTED, PLAYED, change)) if one.event.seq == 2)
        assert held.by_people is people


def test_a_corrected_tile_is_read_otherwise_and_the_line_stays() -> None:
    events = journal(STARTED, PLAYED, STRANGER, corrected(2, tile=[12, 6]))
    held = effective_events(events)
    assert held[1].event == TilePlayed(seq=2, by="Ann", tile=Laid(12, 6), train="Ann")
    assert held[1].original == events[1]
    assert held[1].changed_by == (4,)
    assert [item.event.seq for item in held] == [1, 2, 3]


def test_a_withdrawn_event_did_not_happen() -> None:
    held = effective_events(journal(STARTED, PLAYED, STRANGER, corrected(3, withdrawn=True)))
    assert [item.event.seq for item in held] == [1, 2]


def test_a_correction_can_be_withdrawn_and_that_withdrawn_again() -> None:
    events = journal(STARTED, PLAYED, corrected(2, withdrawn=True), corrected(3, withdrawn=True))
    assert [item.event.seq for item in effective_events(events)] == [1, 2]
    events = journal(*events, corrected(4, withdrawn=True))
    assert [item.event.seq for item in effective_events(events)] == [1]


def test_a_forgotten_pass_is_put_in_before_a_play() -> None:
    events = journal(STARTED, PLAYED, STRANGER, corrected(3, insert=[{"event": "passed", "by": "Ben"}]))
    held = effective_events(events)
    assert [item.event.KIND for item in held] == ["round_started", "tile_played", "passed", "tile_played"]
    assert held[2].event.seq == 4
    assert held[2].changed_by == (4,)


def test_what_was_put_in_can_be_corrected_by_its_corrections_seq() -> None:
    events = journal(STARTED, PLAYED, corrected(2, insert=[{"event": "passed", "by": "Ben"}], after=True))
    events = journal(*events, corrected(3, by="Cy"))
    held = effective_events(events)
    assert isinstance(held[2].event, Passed)
    assert held[2].event.by == "Cy"
    assert [item.event.KIND for item in effective_events(journal(*events, corrected(3, withdrawn=True)))] == [
        "round_started",
        "tile_played",
    ]


def test_what_was_put_in_beside_something_put_in_can_be_corrected_too() -> None:
    drew = {"event": "drew", "by": "Ben"}
    events = journal(
        STARTED,
        PLAYED,
        corrected(2, insert=[drew], after=True),
        corrected(3, insert=[{"event": "passed", "by": "Ben"}], after=True),
        corrected(2, insert=[drew], after=True),
        corrected(3, insert=[drew]),
        corrected(4, by="Cy"),
    )
    held = effective_events(events)
    assert [item.event.seq for item in held] == [1, 2, 6, 3, 4, 5]
    assert (held[4].event.who, held[4].changed_by) == ("Cy", (4, 7))


def test_an_answer_brings_the_events_of_its_candidate() -> None:
    asked = Unclear(
        reason="Is this 8-5 or 9-5?",
        candidates=(
            Candidate("8-5", ({"event": "tile_played", "by": "Ann", "tile": [5, 8], "train": "Ann"},)),
            Candidate("9-5"),
        ),
    )
    events = journal(STARTED, asked)
    assert [question.seq for question in open_questions(events)] == [2]
    answered = journal(*events, corrected(2, answer=0, insert=list(asked.candidates[0].events), after=True))
    assert open_questions(answered) == ()
    played = effective_events(answered)[2].event
    assert isinstance(played, TilePlayed)
    assert played.tile == Laid(5, 8)
    assert [item.event.seq for item in effective_events(journal(*events, corrected(2, answer=None)))] == [1, 2]


def test_naming_the_player_ends_the_doubt() -> None:
    doubtful = replace(PLAYED, by=None, maybe=("Ann", "Ben"))
    held = effective_events(journal(STARTED, doubtful, corrected(2, by="Ben")))
    assert held[1].event == TilePlayed(seq=2, by="Ben", tile=Laid(12, 5), train="Ann")


def test_an_overruled_violation_stays_in_the_log_and_counts_no_more() -> None:
    board = board_of(STARTED, PLAYED, STRANGER, corrected(3, overruled=True))
    assert board.violations == ()
    assert board.lines[2].overruled
    assert board.lines[2].event == replace(STRANGER, seq=3)


@pytest.mark.parametrize(
    ("correction", "complaint"),
    [
        (corrected(9, withdrawn=True), "seq 4: corrects: there is no event 9 before it"),
        (corrected(4, withdrawn=True), "seq 4: corrects: there is no event 4 before it"),
        (corrected(2, tile=[1]), "seq 4: seq 2: tile: expected two numbers"),
        (corrected(2, colour="red"), "seq 4: what: tile_played has no 'colour'"),
        (corrected(2), "seq 4: what: says no change"),
        (corrected(2, answer=0), "seq 4: what.answer: event 2 asked nothing"),
        (corrected(2, insert=[]), "seq 4: what.insert: expected a list of one event, not []"),
        (corrected(2, insert=[{}, {}]), "seq 4: what.insert: expected a list of one event, not [{}, {}]"),
        (corrected(2, insert=[7]), "seq 4: what.insert: expected a list of one event, not [7]"),
        (corrected(2, insert=[{"event": "corrected", "corrects": 1, "what": {}}]), "seq 4: what.insert[0]: corrected"),
    ],
)
def test_a_correction_that_cannot_be_applied_is_named(correction: Corrected, complaint: str) -> None:
    events = journal(STARTED, PLAYED, STRANGER)
    with pytest.raises(EventError) as refused:
        effective_events([*events, replace(correction, seq=len(events) + 1)])
    assert str(refused.value).startswith(complaint)


def test_the_scoreboard_adds_up_the_rounds() -> None:
    points = {"Ann": 0, "Ben": 17, "Cy": 29}
    board = board_of(STARTED, RoundScored(scores=points, totals=points, next_engine=Laid(11, 11), next_starter="Ben"))
    assert board.totals == points
    assert board.next_starter == "Ben"
    assert board.rounds[0].scores == points
    assert not board.over


def test_a_withdrawn_score_is_gone_from_the_totals() -> None:
    scored = RoundScored(scores={"Ann": 5}, totals={"Ann": 5})
    assert board_of(STARTED, scored, corrected(2, withdrawn=True)).totals["Ann"] == 0
