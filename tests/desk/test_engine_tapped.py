"""People begin a round with another engine than the rules name: the game asks, and believes it once confirmed."""

from __future__ import annotations

from pathlib import Path

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import asked, kinds, settle
from companion.game.game import Game
from companion.log.event_fields import ANOTHER_ENGINE, Candidate, Finding, Header
from companion.log.journal import entered_by
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def begun_with(path: Path, engine: int, phone: str | None = "Ann") -> Game:
    """Round 1, begun with that double: on a phone, or by the camera."""
    session = Game.create(path / "g.jsonl", Header("tactic", "double-12", NAMES), ticking())
    if phone is None:
        session.start_round((engine, engine), "Ann", frame="1.jpg")
    else:
        with entered_by(phone):
            session.start_round((engine, engine), "Ann")
    return session


def found(session: Game) -> list[tuple[str, bool, bool, str | None]]:
    """Findings against the start of round 1: code, certain, open, who confirmed it."""
    board = session.scoreboard
    rows: tuple[Finding, ...] = board.lines[0].findings
    return [(one.code, one.certain, one.open, one.confirmed_by) for one in rows]


OPEN = [("WRONG_ENGINE", False, True, None)]


def test_another_engine_is_open_with_two_keys_until_somebody_confirms_it(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    assert found(session) == OPEN and session.scoreboard.faults == ()
    assert [kinds(one) for one in asked(session)] == [["start", "so"]]
    session.play((11, 3), "Ann", "Ann")
    settle(session, "so", "Ben")
    assert found(session) == [("WRONG_ENGINE", True, False, "Ben")] and not asked(session)
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert found(again) == [("WRONG_ENGINE", True, False, "Ben")]
    again.undo()
    assert found(again) == OPEN and len(asked(again)) == 1


def test_the_engine_that_the_rules_name_takes_its_place_with_one_key(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    settle(session, "start", "Ben")
    assert found(session) == [] and not asked(session)
    assert state_of(session)["engine"] == [12, 12]
    session.undo()
    assert state_of(session)["engine"] == [11, 11] and found(session) == OPEN and len(asked(session)) == 1


def test_whoever_puts_the_engine_right_says_what_lies_there(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    with entered_by("Cy"):
        session.correct(1, {"engine": [9, 9]})
    assert found(session) == [("WRONG_ENGINE", True, False, "Cy")] and not asked(session)


def test_what_nobody_confirmed_stays_open_in_the_next_round(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    session.end_round("abandoned")
    with entered_by("Ann"):
        session.start_round((11, 11), "Ben", after=1)
    assert found(session) == OPEN and not asked(session)
    session.correct(1, {"engine": [12, 12]})
    assert found(session) == []


def test_where_the_camera_asks_which_engine_it_is_nobody_is_asked_twice(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    camera = session.ask(ANOTHER_ENGINE, [Candidate("12-12", ({"seq": 1, "engine": [12, 12]},)), Candidate("11-11")])[
        0
    ].seq
    assert asked(session) == [], "one of them is enough"
    session.drop_question(camera)
    assert [kinds(one) for one in asked(session)] == [["start", "so"]]
    assert sum(event.KIND == "unclear" for event in session.events) == 2, "it was asked once"


def test_whoever_tells_the_camera_which_engine_it_is_has_said_so(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    offered = [Candidate("12-12", ({"seq": 1, "engine": [12, 12]},)), Candidate("11-11")]
    camera = session.ask(ANOTHER_ENGINE, offered)[0].seq
    session.answer(camera, 1, "Ben")
    assert found(session) == [("WRONG_ENGINE", True, False, "Ben")] and not asked(session)
    session.undo()
    assert found(session) == OPEN and asked(session) == []


def test_a_confirmation_counts_while_the_camera_watches(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    session.observe(table_change([Play(Laid(11, 3), "Ann")]))
    assert found(session) == OPEN
    settle(session, "so", "Ben")
    assert found(session) == [("WRONG_ENGINE", True, False, "Ben")]
    session.undo()
    assert found(session) == OPEN


def test_a_camera_that_began_the_round_has_read_its_engine(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11, phone=None)
    assert found(session) == [("WRONG_ENGINE", True, False, None)] and not asked(session)


def test_it_is_told_as_a_correction_and_as_it_stands_to_whoever_comes_back(tmp_path: Path) -> None:
    session = begun_with(tmp_path, 11)
    settle(session, "so", "Ben")
    now = [one.to_json()["what"]["violations"] for one in session.read_otherwise() if one.corrects == 1]
    assert [[one["certain"] for one in row] for row in now] == [[True]]
