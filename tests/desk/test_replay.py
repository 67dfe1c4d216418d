"""A game read from its journal has the rulings and the scores that it had: live play, replay and fixture are one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bench.stand_ins.making import ticking
from bench.stand_ins.playing import begin, play_out
from bench.stand_ins.settling import asked, confirm, kinds, settle
from companion.cli.journals import replay as command
from companion.game.game import Game
from companion.game.replay import replay, replay_text
from companion.log.event_fields import Finding, Header
from companion.log.events import Corrected, TilePlayed
from companion.log.journal import read_journal
from companion.rules.ruleset import RULESET_NAMES, SHIPPED
from tests.games.record import GAMES as RECORDED
from tests.games.record import TOLD_SUFFIX, record
from tests.lanes import nightly
from tests.shown import outcome, state_of

GAMES = sorted((Path(__file__).parent.parent / "games").glob("*.jsonl"))


LONG = "tactic-5"
"""Recorded anew at night and replayed every day; another of its rules is shorter."""


def test_there_is_a_recorded_game_of_every_rule_set() -> None:
    assert {read_journal(path).header.rules for path in GAMES} == set(SHIPPED)


def last_told(path: Path) -> dict[int, dict[str, Any]]:
    """Line of the recorded game -> its ruling and points, as they were told last."""
    found: dict[int, dict[str, Any]] = {}
    for line in map(json.loads, path.with_suffix(TOLD_SUFFIX).read_text(encoding="utf-8").splitlines()):
        found.setdefault(line.get("corrects", line["seq"]), {}).update(line.get("what", line))
    return found


@pytest.mark.parametrize("path", GAMES, ids=[path.stem for path in GAMES])
def test_a_recorded_game_replays_to_the_rulings_and_scores_that_were_told(path: Path) -> None:
    again, told = replay_text(read_journal(path)), last_told(path)
    for line in again.to_json():
        said = {"violations": [], **told.pop(line["seq"], {})}
        assert {name: line.get(name) for name in said} == said
    assert told == {}, "each line of which something was told is there"
    assert sum(1 for _ in again.violations) >= 3
    assert all(sheet.scores for sheet in again.board.rounds)


@pytest.mark.parametrize(
    "number",
    [nightly(n) if name == LONG else n for n, (name, *_) in enumerate(RECORDED)],
    ids=[name for name, *_ in RECORDED],
)
def test_a_game_comes_out_as_it_was_recorded_byte_for_byte(tmp_path: Path, number: int) -> None:
    """After a change on purpose record the games anew (`python -m tests.games.record`) and read the diff."""
    name, rules_name, set_max, players, options = RECORDED[number]
    again = tmp_path / f"{name}.jsonl"
    record(again, rules_name, set_max, players, dict(options), seed=number + 1)
    kept = next(path for path in GAMES if path.stem == name)
    assert again.read_text(encoding="utf-8").splitlines() == kept.read_text(encoding="utf-8").splitlines()
    assert again.read_bytes() == kept.read_bytes()
    assert again.with_suffix(TOLD_SUFFIX).read_text("utf-8") == kept.with_suffix(TOLD_SUFFIX).read_text("utf-8")


@settings(
    max_examples=5,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(name=st.sampled_from(RULESET_NAMES), seed=st.integers(0, 10_000), data=st.data())
def test_replay_equals_live_whatever_is_played_and_corrected(
    tmp_path_factory: pytest.TempPathFactory, name: str, seed: int, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("game") / "g.jsonl"
    codes = data.draw(st.lists(st.sampled_from(["CLOSED_TRAIN", "MISMATCH", "EXTRA_TILE", "NO_DRAW", "OUT_OF_TURN"])))
    mexican = name in ("tactic", "reeves", "cz", "poltava")
    set_max, players = (9, 3) if mexican else (6, 4)
    session, game = begin(path, name, players, seed, set_max=set_max, plant=codes, plant_rate=0.2, rounds=1)
    play_out(session, next(iter(game.rounds())))
    for _ in range(data.draw(st.integers(0, 3))):
        played = [event for event in session.events if isinstance(event, TilePlayed)]
        event = data.draw(st.sampled_from(played))
        what = data.draw(
            st.sampled_from(
                [{"withdrawn": True}, {"by": session.header.players[0]}, {"overruled": True}, {"tile": [1, 6]}]
            )
        )
        session.correct(event.seq, what)
    for _ in range(data.draw(st.integers(0, 3)) if asked(session) else 0):
        if asked(session):
            settle(session, data.draw(st.sampled_from(kinds(asked(session)[0])[:-1])))
    live, board = state_of(session), session.scoreboard
    session.close()
    assert outcome(replay(path).board) == outcome(board)
    with_again = Game.open(path, ticking())
    assert state_of(with_again) == live
    assert with_again.scoreboard == board
    with_again.close()


def run(*arguments: str) -> tuple[int, list[str], str]:
    result = CliRunner().invoke(command, arguments)
    return result.exit_code, result.stdout.splitlines(), result.stderr


def test_the_command_tells_every_ruling_and_the_scores() -> None:
    status, lines, _ = run(str(GAMES[0]), "--json")
    told = [json.loads(line) for line in lines]
    assert status == 0
    assert [line["seq"] for line in told[:-1]] == sorted(line["seq"] for line in told[:-1])
    assert told[-1]["totals"] == dict(replay(GAMES[0]).board.totals)
    assert told[-1]["violations"] == sum(len(line["violations"]) for line in told[:-1])
    status, lines, _ = run(str(GAMES[0]))
    assert status == 0
    assert lines[-2].split()[0] == "total" or lines[-1].split()[0] == "total"


def test_the_command_tells_what_is_open_apart_from_what_is_certain(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", ("Ann", "Ben", "Cy")), ticking())
    session.start_round(starter="Ann")
    session.play((3, 6), "R", "Ann")
    session.discard("Ben")
    session.play((6, 4), "R", "Cy")
    session.play((4, 1), "R", "Ann")
    session.play((1, 6), "R", "Ben")
    away = next(event for event in session.events if event.KIND == "discarded").seq
    _, lines, _ = run(str(tmp_path / "g.jsonl"))
    (told,) = (line for line in lines if line.split()[0] == str(away))
    assert "Open, nobody has said that it was so" in told and "DISCARD_WITH_PLAYABLE" in told
    assert "Against the rules" not in "".join(lines) and "Perhaps" not in told
    confirm(session)
    _, lines, errors = run(str(tmp_path / "g.jsonl"))
    (told,) = (line for line in lines if line.split()[0] == str(away))
    assert "Against the rules" in told and "DISCARD_WITH_PLAYABLE" in told and "Open" not in told
    assert errors == ""


def test_a_tap_that_may_have_been_doubled_is_open_in_the_journal_too(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", ("Ann", "Ben", "Cy")), ticking())
    session.start_round(starter="Ann")
    session.play((3, 6), "R", "Ann")
    session.discard("Ben")
    again = session.discard("Ben")[0]
    assert kinds(asked(session)[0])[0] == "twice"
    session.correct(again.seq, {"by": "Cy"})
    assert not list(replay(tmp_path / "g.jsonl").violations)
    session.undo()
    ((line, finding),) = replay(tmp_path / "g.jsonl").violations
    assert line.event.seq == again.seq and finding.open
    assert outcome(replay(tmp_path / "g.jsonl").board) == outcome(session.scoreboard)
    settle(session, "twice")
    told = replay(tmp_path / "g.jsonl")
    assert again.seq not in [line.event.seq for line in told.lines]
    assert outcome(told.board) == outcome(session.scoreboard)


def test_what_an_answer_put_in_gives_way_to_the_tap_that_comes_after_all(tmp_path: Path) -> None:
    names = ("Ann", "Ben", "Cy", "Dee")
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", names), ticking())
    session.start_round(starter="Ann")
    session.play((3, 6), "R", "Ann")
    session.play((6, 4), "R", "Cy")
    session.play((4, 1), "R", "Dee")
    settle(session, "missing")
    (put_in,) = (line for line in replay(tmp_path / "g.jsonl").lines if line.event.KIND == "discarded")
    assert put_in.put_in
    session.discard("Ben")
    told = replay(tmp_path / "g.jsonl")
    (tapped,) = (line for line in told.lines if line.event.KIND == "discarded")
    assert not tapped.put_in and not list(told.violations)
    assert outcome(told.board) == outcome(session.scoreboard)
    assert [event.what for event in session.read_otherwise() if event.corrects == put_in.event.seq] == [
        {"withdrawn": True}
    ]
    shown = state_of(session)
    assert shown["discards"] == {"Ann": 0, "Ben": 1, "Cy": 0, "Dee": 0} and shown["turn"] == "Ann"
    assert sorted(play.get("withdrawn", False) for play in shown["plays"] if play["event"] == "discarded") == [
        False,
        True,
    ]


def test_a_torn_last_line_is_reported_and_the_rest_is_told(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    content = GAMES[0].read_bytes()
    path.write_bytes(content[:-30])
    status, lines, errors = run(str(path), "--json")
    assert status == 0
    assert "the last line is torn" in errors
    assert json.loads(lines[-1])["torn"] is True


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda lines: [], "is empty; expected a header line"),
        (lambda lines: lines[1:], "line 1: header: missing"),
        (lambda lines: [lines[0], lines[1], *lines[3:]], "line 3: seq 2 is missing; expected seq 2"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], "line 4: seq 2 stands there a second time"),
        (lambda lines: [lines[0], "nonsense", *lines[1:]], "line 2: is not JSON"),
        (lambda lines: [lines[0].replace('"journal": 3', '"journal": 2'), *lines[1:]], "companion convert OLD NEW"),
        (lambda lines: [lines[0].replace("chedeng", "bridge"), *lines[1:]], "no rule set"),
        (lambda lines: [lines[0].replace('"chinese"', '"double-12"'), *lines[1:]], "set: double-12 is no set for"),
        (lambda lines: [lines[0].replace(', "Dee"', ""), *lines[1:]], "players: chedeng is dealt for 4 players"),
        (lambda lines: [lines[0].replace('"options": {}', '"options": {"rounds": 3}'), *lines[1:]], "options.rounds"),
    ],
)  # fmt: skip
def test_a_bad_journal_is_refused_in_one_line(tmp_path: Path, spoil: object, complaint: str) -> None:
    lines = next(path for path in GAMES if path.stem == "chedeng-4").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "g.jsonl"
    path.write_text("".join(line + "\n" for line in spoil(lines)), encoding="utf-8")  # type: ignore[operator]
    status, told, errors = run(str(path))
    assert status == 1
    assert told == []
    assert complaint in errors
    assert len(errors.splitlines()) == 1


def test_a_journal_that_another_program_wrote_is_ruled_on_all_the_same(tmp_path: Path) -> None:
    """It has no passes, and only the contract's own fields. Its conclusions do not count: a false fault, wrong points,
    the end of the match."""
    path = tmp_path / "g.jsonl"
    header = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}}
    wrong, other = {"Ann": 30, "Ben": 40, "Cy": 50}, {"code": "MISMATCH", "certain": True}
    events = [
        {"event": "round_started", "round": 1, "engine": [12, 12], "starter": "Ann", "source": "person"},
        {"event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "violations": [other]},
        {"event": "tile_played", "by": "Ben", "tile": [5, 5], "train": "Ann", "violations": []},
        {"event": "round_ended", "how": "blocked_declared"},
        {"event": "hand_shown", "by": "Ann", "tiles": [[1, 2]]},
        {"event": "hand_shown", "by": "Ben", "tiles": [[1, 3]]},
        {"event": "hand_shown", "by": "Cy", "tiles": [[1, 1]]},
        {"event": "round_scored", "scores": wrong, "totals": wrong, "source": "rule"},
        {"event": "match_ended", "winners": ["Ben"], "source": "rule"},
    ]
    lines = [header, *({"seq": n, "at": "2026-11-20T18:00:00Z", **event} for n, event in enumerate(events, start=1))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    again = replay(path)
    found = [(line.event.seq, finding) for line, finding in again.violations]
    assert (3, Finding("CLOSED_TRAIN", certain=False, open=True)) in found
    assert "MISMATCH" not in [finding.code for _, finding in found]
    assert again.board.totals == {"Ann": 3, "Ben": 4, "Cy": 2}
    assert not again.board.over


def test_a_correction_in_the_journal_is_no_event_of_the_game() -> None:
    assert not any(isinstance(line.event, Corrected) for line in replay(GAMES[0]).lines)
