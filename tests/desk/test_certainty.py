"""How surely a tile was read goes on record with the play, and a person's word is sure."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Confidence, EventError, Header
from companion.log.events import TilePlayed, event_from_json
from companion.rules.notation import parse_delta
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

READ = Confidence((0.97, 0.72), ((), ((10, 0.2), (9, 0.05))))
LAYING = Play(Laid(12, 4), "Ann")


def watched(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")), ticking())
    session.start_round(starter="Ann")
    session.observe(table_change([LAYING], "0001.jpg", readings={LAYING: READ}))
    return session


def first_tile(session: Game) -> dict[str, Any]:
    tile: dict[str, Any] = state_of(session)["trains"][0]["tiles"][0]
    return tile


def test_the_table_shows_how_surely_each_tile_was_read(tmp_path: Path) -> None:
    shown = first_tile(watched(tmp_path))
    near = partial(pytest.approx, abs=0.03)
    assert shown["sure"] == near(0.72 / 0.97)
    assert shown["others"] == [[[12, 10], near(0.2 / 0.97)], [[12, 9], near(0.05 / 0.97)]]
    assert shown["unread"] == [False, True]


def test_the_certainty_survives_the_journal(tmp_path: Path) -> None:
    session = watched(tmp_path)
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    event = again.events[-1]
    assert isinstance(event, TilePlayed)
    assert event.reading == READ
    assert first_tile(again) == first_tile(session)


def test_whoever_presses_done_ends_the_own_turn_once(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben")), ticking())
    session.start_round(starter="Ann")
    session.draw(by="Ann")
    ended = session.done("Ann")
    assert [event.KIND for event in ended if event.source == "person"] == ["passed"]
    assert state_of(session)["turn"] == "Ben"
    session.play((12, 3), "Ben", by="Ben")
    assert session.done("Ben") == () and state_of(session)["turn"] == "Ann"
    with pytest.raises(CommandRejected):
        session.done("Zoe")


def test_whose_arm_it_clearly_was_stays_with_the_play(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")), ticking())
    session.start_round(starter="Ann")
    session.observe(table_change([LAYING], "0001.jpg", arms={LAYING: {"Ben": 15}}, whose={LAYING: "Ann"}))
    assert state_of(session)["plays"][-1]["arm"] == "Ann"
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert isinstance(again.events[-1], TilePlayed) and again.events[-1].arm == "Ann"


def test_what_a_person_says_is_not_doubted(tmp_path: Path) -> None:
    session = watched(tmp_path)
    session.correct(2, {"tile": [12, 10]}, by="Ann")
    assert first_tile(session)["tile"] == [12, 10]
    assert first_tile(session)["sure"] is None


def test_a_play_without_a_reading_says_nothing_of_it(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")), ticking())
    session.start_round(starter="Ann")
    (event,) = session.observe(table_change([LAYING]))
    assert "reading" not in event.to_json()


@pytest.mark.parametrize("broken", [[], {"p": [1]}, {"p": [1, 2]}, {"p": [1, 1], "others": [[[1]], []]}, {"p": "no"}])
def test_a_broken_certainty_is_named(broken: object) -> None:
    line = {"seq": 2, "event": "tile_played", "by": "Ann", "tile": [12, 4], "train": "Ann", "reading": broken}
    with pytest.raises(EventError, match="reading"):
        event_from_json(line)


def test_of_a_line_that_people_put_right_nothing_is_certain(tmp_path: Path) -> None:
    """Ben could not have laid it either: whoever is named by a person alone is accused of nothing for certain."""
    session = Game.create(tmp_path / "game.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round((12, 12), "Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann"):
        session.observe(table_change(parse_delta([change])))
    play = next(event for event in session.events if getattr(event, "tile", None) == (1, 4))
    assert play.who == "Ann"
    session.correct(play.seq, {"by": "Ben"})
    shown = next(one for one in state_of(session)["plays"] if one["seq"] == play.seq)
    assert shown["by"] == "Ben"
    assert not any(one["certain"] for one in shown["violations"])
    session.close()
