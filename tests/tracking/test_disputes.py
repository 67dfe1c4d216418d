"""`companion explain`: a play of a journal, and what each hypothesis about it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli.journals import explain
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.log.journal import read_journal
from companion.rules.notation import parse_delta
from datasets.bots.watching import table_change

HEADER = Header("reeves", "double-12", ("Ann", "Ben", "Cy"))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Ann lays on Cy's closed train, and everybody goes on in order."""
    path = tmp_path / "game.jsonl"
    session = Game.create(path, HEADER)
    session.start_round((12, 12), "Ann")
    deltas = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben"]
    for n, change in enumerate(deltas):
        session.observe(table_change(parse_delta([change]), f"{n}.jpg"))
    session.close()
    return path


def seq_of(journal: Path, tile: tuple[int, int]) -> str:
    """The number under which the tile stands in the journal."""
    events = read_journal(journal).events
    return str(next(one.seq for one in events if isinstance(one, TilePlayed) and tuple(one.tile) == tile))


def test_a_dispute_names_the_player_and_shows_the_price_of_each_hypothesis(journal: Path) -> None:
    seq = seq_of(journal, (3, 5))
    answer = CliRunner().invoke(explain, [str(journal), seq])
    assert answer.exit_code == 0, answer.output
    lines = answer.output.splitlines()
    assert lines[0] == f"no. {seq}, play 3-5@Cy: Ann"
    assert any("Ann (CLOSED_TRAIN): " in line for line in lines)
    assert any("dB, " in line for line in lines), "each assumption has its source"


def test_the_same_as_json(journal: Path) -> None:
    answer = json.loads(CliRunner().invoke(explain, [str(journal), seq_of(journal, (3, 5)), "--json"]).output)
    assert answer["by"] == "Ann"
    costs = [one["decibans"] for one in answer["hypotheses"]]
    assert costs == sorted(costs) and len(costs) > 1
    assert {one["by"] for one in answer["hypotheses"]} >= {"Ann", "Cy"}


def test_what_a_person_entered_is_evidence_with_a_price_for_being_wrong(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    session = Game.create(path, HEADER)
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.observe(table_change(parse_delta(["mark Ann"]), "0.jpg"))
    session.play((12, 4), "MX", by="Cy")
    session.close()
    answer = json.loads(CliRunner().invoke(explain, [str(path), seq_of(path, (12, 4)), "--json"]).output)
    assert answer["hypotheses"][0]["decibans"] < answer["hypotheses"][1]["decibans"]
    assert {one["by"] for one in answer["hypotheses"]} >= {"Cy", "Ben"}


@pytest.mark.parametrize("seq", ["1", "99", "-3"])
def test_what_is_no_play_is_refused_in_one_line(journal: Path, seq: str) -> None:
    answer = CliRunner().invoke(explain, [str(journal), "--", seq])
    assert answer.exit_code == 1
    assert answer.output.splitlines() == [
        f"Error: no. {seq} is no tile, draw, marker or discard that stands in this journal"
    ]


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing.jsonl"
    path.write_text("hello\n")
    answer = CliRunner().invoke(explain, [str(path), "1"])
    assert answer.exit_code == 1 and "Traceback" not in answer.output
