"""Between two rounds the old table lies there for a while; it is not the next round's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.seen_tables import SETUP, eastward, tile, view
from companion.game.game import Game
from companion.geometry import Layout, reconstruct
from companion.geometry.layout import PlacedTile, SeenHalf, SeenTile, TableView
from companion.observing.game_sink import GameSink
from companion.observing.next_round import surely_laid
from companion.perception.setup_file import RoundLaid, setup_from_json
from companion.rules.position import Play
from companion.rules.tile import Laid, double_set
from datasets.bots.watching import table_change


def test_the_old_table_begins_no_round_and_the_cleared_one_does(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.observe(table_change([Play(Laid(12, 5), "Ann"), Play(Laid(12, 7), "Ben")]))
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    assert session.phase == "scored"
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    old = reconstruct(view([*eastward([(12, 5)]), tile(515.0, 450.0, 180.0, 12, 7)]), SETUP)
    before = session.journal.last_seq
    assert sink.first_table(old, "f1") is False
    assert session.journal.last_seq == before and session.phase == "scored"
    # The tiles are put away and the next engine lies in the middle.
    middle = view([])
    cleared = reconstruct(middle, SETUP)
    assert sink.first_table(cleared, "f2") is True
    assert session.phase == "playing"
    assert [event.KIND for event in session.events][-1] == "round_started"


def test_an_old_train_that_ends_in_the_next_engine_begins_no_round_either(tmp_path: Path) -> None:
    """Without a hub the next round's double is the middle; seen from the old train's end its tiles lie backwards."""
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((12, 12), "Ann", draws_seen=False)
    laid = [(12, 5), (5, 8), (8, 11), (11, 11)]
    session.observe(table_change([Play(Laid(*values), "Ann") for values in laid]))
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    engine, train = tile(600.0, 450.0, 90.0, 12, 12), eastward(laid[:3])
    end = tile(train[-1].center_mm[0] + 37.0, 450.0, 90.0, 11, 11)
    bare = TableView((engine, *train, end), hub=None, size_mm=(1200.0, 900.0))
    old = reconstruct(bare, replace(SETUP, engine=11))
    assert [tile.laid for seen in old.trains.values() for tile in seen][:3] == [(11, 8), (8, 5), (5, 12)]
    assert sink.first_table(old, "f1") is False and session.phase == "scored"
    # The same double with other tiles around it is the next round.
    dealt = TableView((end, tile(end.center_mm[0] + 37.0, 450.0, 0.0, 11, 2)), hub=None, size_mm=(1200.0, 900.0))
    assert sink.first_table(reconstruct(dealt, replace(SETUP, engine=11)), "f2") is True
    assert session.phase == "playing"


def test_an_old_table_of_which_no_train_is_told_begins_no_round(tmp_path: Path) -> None:
    """The next engine lies apart, in a hand that was laid open, say: nothing touches it, and all trains are loose."""
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((12, 12), "Ann", draws_seen=False)
    laid = [(12, 5), (5, 8), (8, 1), (1, 2), (2, 4), (4, 9), (9, 0), (0, 3)]
    session.observe(table_change([Play(Laid(*values), "Ann") for values in laid]))
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))

    def table(*tiles: SeenTile) -> Layout:
        view = TableView((tile(300.0, 200.0, 90.0, 11, 11), *tiles), hub=None, size_mm=(1200.0, 900.0))
        return reconstruct(view, replace(SETUP, engine=11))

    spread = [tile(400.0 + 90.0 * n, 700.0, 35.0 * n, *values) for n, values in enumerate(laid)]
    old = table(*spread[:6])
    assert not any(old.trains.values())
    assert sink.first_table(old, "f1") is False and session.phase == "scored"
    assert sink.first_table(table(*spread[:2]), "f2") is True


@pytest.mark.parametrize(
    ("said", "lies", "number", "codes"),
    [
        ({"engine": [9, 9]}, (9, 9), 4, []),
        ({}, (9, 9), 4, []),
        ({"engine": [9, 9], "number": 4}, (9, 9), 4, []),
        ({"engine": [12, 12]}, (9, 9), 1, ["WRONG_ENGINE"]),
        ({"engine": [9, 9], "number": 2}, (9, 9), 2, ["WRONG_ENGINE"]),
        ({"number": 1}, (9, 9), 1, ["WRONG_ENGINE"]),
        ({"engine": [9, 8]}, (9, 8), 1, ["ENGINE_NOT_DOUBLE"]),
    ],
)
def test_a_match_that_was_begun_before_is_watched_from_its_later_round(
    tmp_path: Path, said: dict[str, Any], lies: tuple[int, int], number: int, codes: list[str]
) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "round": said})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    assert sink.first_table(reconstruct(view([], engine=lies), replace(SETUP, engine=None)), "f1") is True
    begun = session.events[-1].to_json()
    assert begun["round"] == number and tuple(begun["engine"]) == lies
    assert [finding["code"] for finding in begun.get("violations") or ()] == codes
    assert setup_from_json(setup.to_json()) == setup


def test_the_later_rounds_count_on_from_the_first_one(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((9, 9), "Ann", first_number=4)
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    session.start_round(first_number=11)
    begun = session.events[-1].to_json()
    assert begun["round"] == 5 and tuple(begun["engine"]) == (8, 8) and not begun.get("violations")


def test_who_starts_is_waited_for_where_somebody_can_say_it(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    box = dict.fromkeys(double_set(12), 1)
    sink = GameSink(session, setup, box, asks=True)
    table = reconstruct(view(eastward([(12, 5)])), SETUP)
    assert sink.first_table(table, "f1") is False and session.phase == "waiting"
    session.start_round((12, 12), "Ben")
    assert sink.first_table(table, "f2") is True
    assert [event.KIND for event in session.events] == ["round_started", "tile_played"]
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    # The next one's starter follows from the rules.
    again = GameSink(session, setup, box, asks=True)
    assert again.first_table(reconstruct(view([]), SETUP), "f3") is True and session.phase == "playing"


def test_a_starter_in_the_set_up_file_need_not_be_said_again(tmp_path: Path) -> None:
    said = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "round": {"starter": "Ben"}}
    setup = setup_from_json(said)
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1), asks=True)
    assert sink.first_table(reconstruct(view([]), SETUP), "f1") is True
    assert session.events[0].to_json()["starter"] == "Ben"


@pytest.mark.parametrize(("p", "engine", "codes"), [(0.999, (11, 11), ["WRONG_ENGINE"]), (0.9, (12, 12), [])])
def test_a_wrong_engine_is_one_that_was_surely_read(
    tmp_path: Path, p: float, engine: tuple[int, int], codes: list[str]
) -> None:
    said = {"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "round": {"number": 1, "starter": "Ann"}}
    setup = setup_from_json(said)
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    seen = view([], engine=(11, 11))
    halves = tuple(replace(half, p=p) for half in seen.tiles[0].halves or ())
    unsure = replace(seen, tiles=(replace(seen.tiles[0], halves=halves),))
    sink.first_table(reconstruct(unsure, replace(SETUP, engine=None)), "f1")
    begun = session.events[0].to_json()
    assert tuple(begun["engine"]) == engine
    assert [finding["code"] for finding in begun.get("violations") or ()] == codes


def test_the_engine_in_the_middle_is_the_games_own_in_every_round(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    box = dict.fromkeys(double_set(12), 1)
    sink = GameSink(session, setup, box)
    assert sink.engine() is None, "nobody has said which round lies there"
    assert GameSink(session, replace(setup, round=RoundLaid(Laid(9, 9))), box).engine() == 9
    assert GameSink(session, replace(setup, round=RoundLaid(number=2)), box).engine() == 11
    session.start_round((12, 12), "Ben")
    assert sink.engine() == 12
    session.end_round()
    assert sink.engine() == 12, "the hands are laid open around it"
    session.enter_scores({"Ann": 10, "Ben": 20})
    assert sink.engine() == 11, "the next one is dealt"
    session.start_round((3, 5), "Ann")
    assert sink.engine() is None, "a tile that is no double is found by where it lies"


def test_a_table_on_which_play_has_begun_is_recorded_once_it_is_understood(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    bens = tile(515.0, 450.0, 180.0, 12, 7)
    misread = [*eastward([(6, 5)]), bens, tile(900.0, 700.0, 30.0, 8, 9)]
    assert sink.first_table(reconstruct(view(misread), SETUP), "f1") is False
    assert [event.KIND for event in session.events] == ["round_started"]
    assert sink.first_table(reconstruct(view([*eastward([(12, 5)]), bens]), SETUP), "f2") is True
    assert [event.KIND for event in session.events][1:] == ["tile_played", "tile_played"]
    assert not session.scoreboard.violations


def test_a_first_table_that_is_never_understood_is_looked_at_twice(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Game.create(tmp_path / "game.jsonl", setup.header)
    sink = GameSink(session, setup, dict.fromkeys(double_set(12), 1))
    odd = reconstruct(view([*eastward([(6, 5)]), tile(900.0, 700.0, 30.0, 8, 9)]), SETUP)
    assert [sink.first_table(odd, name) for name in ("f1", "f2")] == [False, True]
    findings = [finding for line in session.scoreboard.lines for finding in line.findings]
    assert not any(finding.certain for finding in findings)


@pytest.mark.parametrize(("p", "engine"), [(0.9, None), (0.997, None), (0.9995, Laid(10, 12))])
def test_an_engine_is_no_double_only_beyond_doubt(p: float, engine: Laid | None) -> None:
    """A twelve was once read as a ten with .997; nobody lays such an engine nearly so often."""
    for inner, expected in ((10, engine), (12, Laid(12, 12) if p > 0.98 else None)):
        halves: tuple[SeenHalf, SeenHalf] = (SeenHalf(inner, p), SeenHalf(12, 0.9999))
        seen = replace(tile(600.0, 450.0, 0.0, inner, 12), halves=halves)
        assert surely_laid(PlacedTile(0, seen)) == expected
