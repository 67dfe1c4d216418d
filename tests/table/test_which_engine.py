"""No hub is found and the round's double lies nowhere: one tap says which tile is the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import back, tile
from companion.game.game import Game
from companion.geometry import Layout, TableSetup, Trouble, reconstruct
from companion.geometry.diff import difference
from companion.geometry.layout import SeenHub, SeenTile, TableView
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.observing.unread import MOST, engines_offered
from companion.perception.setup_file import setup_from_json
from companion.rules.position import Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, double_set
from companion.web.wording import event_text, reason_text
from tests.shown import state_of

HEADER = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}
SETUP = setup_from_json(HEADER)
TABLE = SETUP.table_setup()
SEATED = replace(TABLE, stations={"Ann": 0.0, "Ben": 180.0})


def lying() -> list[SeenTile]:
    """Two trains leave a 6-6 at its ends, one of them with a 3-3 across it."""
    return [
        tile(600.0, 450.0, 0.0, 6, 6),
        tile(649.0, 450.0, 0.0, 6, 3),
        tile(686.0, 450.0, 90.0, 3, 3),
        tile(551.0, 450.0, 180.0, 6, 1),
        back(200.0, 200.0),
    ]


def seen(tiles: list[SeenTile], engine: int | None, before: Layout | None = None) -> Layout:
    view = TableView(tuple(tiles), hub=None, size_mm=(1200.0, 900.0))
    return reconstruct(view, replace(TABLE, engine=engine), before)


def test_the_doubles_on_the_table_are_offered_and_a_tap_names_the_engine(tmp_path: Path) -> None:
    rules = load_ruleset("tactic")
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), rules)
    sink = GameSink(session, SETUP, dict.fromkeys(double_set(12), 1))
    lost = seen(lying(), sink.engine())
    assert lost.has(Trouble.NO_HUB)
    sink.first_table(lost, "1.jpg")
    for _ in range(2):
        sink.understood(lost, "1.jpg")
    (question,) = [one for one in session.questions if one.reason == "NO_HUB"]
    assert [one.story for one in question.candidates] == ["6-6", "3-3"]
    assert reason_text(question.to_json()) == "We cannot find the engine. Which tile is it?"
    session.answer(question.seq, 0)
    assert session.position is not None and session.position.engine == Laid(6, 6)
    assert sink.engine() == 6
    found = seen(lying(), sink.engine(), lost)
    assert not found.has(Trouble.NO_HUB)
    assert sorted(len(train) for train in found.trains.values() if train) == [1, 2]
    assert not [one for one in session.questions if one.reason == "NO_HUB"]


def test_a_wrong_engine_is_not_worded_as_if_it_were_right(tmp_path: Path) -> None:
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), load_ruleset("tactic"))
    session.start_round()
    session.ask("NO_HUB", engines_offered(seen(lying(), 12), session.events))
    session.answer(session.questions[0].seq, 0)
    (begun,) = [line for line in state_of(session)["plays"] if line["event"] == "round_started"]
    assert [one["code"] for one in begun["violations"]] == ["WRONG_ENGINE"]
    assert event_text(begun) == "6-6 lies in the middle, but 12-12 belongs there in round 1."
    assert event_text({**begun, "overruled": True}) == "Round 1 starts with 6-6. Ann goes first."
    assert event_text({**begun, "engine_due": None}) == (
        "6-6 lies in the middle, but another double belongs there in round 1."
    )
    assert event_text(session.events[3].to_json()) == "Correction: it was 6-6."


def test_the_engine_that_is_due_is_named_only_where_another_lies_there(tmp_path: Path) -> None:
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), load_ruleset("tactic"))
    session.start_round((12, 12))
    (begun,) = state_of(session)["plays"]
    assert "engine_due" not in begun
    assert event_text(begun) == "Round 1 starts with 12-12. Ann goes first."


def test_a_table_without_a_double_offers_none_and_the_words_ask_for_none() -> None:
    empty = seen([tile(600.0, 450.0, 0.0, 6, 5)], 12)
    assert engines_offered(empty, ()) == []
    assert reason_text({"reason": "NO_HUB", "candidates": []}) == "We cannot find the engine."


def test_no_more_doubles_are_offered_than_fit_on_a_page(tmp_path: Path) -> None:
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), load_ruleset("tactic"))
    session.start_round()
    spread = [tile(300.0 + 80.0 * value, 450.0, 90.0, value, value) for value in range(8)]
    offered = engines_offered(seen(spread, 12), session.events)
    assert len(offered) == MOST
    assert {one.story for one in offered} == {"2-2", "3-3", "4-4", "5-5"}


HUB = SeenHub((600.0, 450.0), 60.0, 0.9)


def on_a_hub(
    first: int, second: int, engine: int | None, before: Layout | None = None, table: TableSetup = TABLE
) -> Layout:
    """Two doubles lie side by side on a hub, the second nearer its middle, and two trains begin with the second one's
    value."""
    tiles = [
        tile(600.0, 432.0, 0.0, first, first),
        tile(600.0, 457.0, 0.0, second, second),
        tile(684.0, 450.0, 0.0, second, 3),
        tile(516.0, 450.0, 180.0, second, 1),
    ]
    return reconstruct(TableView(tuple(tiles), hub=HUB, size_mm=(1200.0, 900.0)), replace(table, engine=engine), before)


def test_of_two_doubles_on_the_hub_the_round_s_is_the_engine() -> None:
    layout = on_a_hub(12, 6, 12)
    assert layout.engine is not None and layout.engine.laid == Laid(12, 12)
    assert not layout.has(Trouble.NO_HUB)


def test_which_of_two_doubles_on_the_hub_is_the_engine_is_asked_and_not_guessed(tmp_path: Path) -> None:
    rules = load_ruleset("tactic")
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), rules)
    sink = GameSink(session, SETUP, dict.fromkeys(double_set(12), 1))
    lost = on_a_hub(7, 6, sink.engine())
    assert lost.engine is None and lost.has(Trouble.NO_HUB)
    sink.first_table(lost, "1.jpg")
    sink.understood(lost, "1.jpg")
    (question,) = session.questions
    assert [one.story for one in question.candidates] == ["6-6", "7-7"]
    assert not [found for event in session.events for found in getattr(event, "violations", ())]
    session.answer(question.seq, 0)
    found = on_a_hub(7, 6, sink.engine(), lost)
    assert found.engine is not None and found.engine.laid == Laid(6, 6)
    assert sorted(len(train) for train in found.trains.values() if train) == [1, 1]


def test_the_tap_has_the_table_read_again_and_nothing_else_is_asked_before_it(tmp_path: Path) -> None:
    rules = load_ruleset("tactic")
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), rules)
    sink = GameSink(session, SETUP, dict.fromkeys(double_set(12), 1), asks=True)
    session.start_round(starter="Ann")
    lost = on_a_hub(7, 6, sink.engine(), table=SEATED)
    sink.first_table(lost, "1.jpg")
    for picture in range(1, 6):
        sink.understood(lost, f"{picture}.jpg")
        assert not sink.stirred() and sink.waits_for_engine
    assert [question.reason for question in session.questions] == ["NO_HUB"], "not which train its tiles belong to"
    session.answer(session.questions[0].seq, 0)
    assert not sink.waits_for_engine
    assert sink.stirred() and not sink.stirred()
    found = on_a_hub(7, 6, sink.engine(), lost, SEATED)
    assert sink.record(sink.still_new(difference(lost, found), found), found, "5.jpg")
    sink.understood(found, "5.jpg")
    assert isinstance(session.position, Position)
    assert sorted(tile for train in session.position.trains.values() for tile in train) == [Laid(6, 1), Laid(6, 3)]
    assert not session.questions


@pytest.mark.parametrize("engine", [6, 7])
def test_another_double_beside_the_engine_begins_no_train_where_no_hub_is_seen(engine: int) -> None:
    other = 13 - engine
    tiles = (
        tile(600.0, 438.0, 0.0, engine, engine),
        tile(601.0, 466.0, 182.0, other, other),
        tile(684.0, 440.0, 0.0, engine, 3),
        tile(516.0, 440.0, 180.0, engine, 1),
        tile(600.0, 377.0, 270.0, engine, 4),
    )
    layout = reconstruct(TableView(tiles, hub=None, size_mm=(1200.0, 900.0)), replace(SEATED, engine=engine))
    assert layout.engine is not None and layout.engine.laid == Laid(engine, engine)
    begun = {placed.laid for train in layout.trains.values() for placed in train}
    assert begun == {Laid(engine, 3), Laid(engine, 1), Laid(engine, 4)}
    assert not layout.has(Trouble.LOOSE_TILE), "somebody left it there: nothing to be asked"


def test_a_double_that_is_laid_on_the_hub_later_leaves_the_engine_as_it_is() -> None:
    before = reconstruct(
        TableView((tile(600.0, 430.0, 0.0, 6, 6), tile(684.0, 450.0, 0.0, 6, 3)), hub=HUB, size_mm=(1200.0, 900.0)),
        replace(TABLE, engine=6),
    )
    tiles = (tile(600.0, 430.0, 0.0, 6, 6), tile(600.0, 456.0, 0.0, 7, 7), tile(684.0, 450.0, 0.0, 6, 3))
    after = reconstruct(TableView(tiles, hub=HUB, size_mm=(1200.0, 900.0)), replace(TABLE, engine=6), before)
    assert after.engine is not None and after.engine.laid == Laid(6, 6)


def test_a_round_begun_with_another_double_than_lies_there_accuses_nobody(tmp_path: Path) -> None:
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), load_ruleset("tactic"))
    sink = GameSink(session, SETUP, dict.fromkeys(double_set(12), 1), asks=True)
    session.start_round((11, 11), "Ann")
    bare = reconstruct(
        TableView((tile(600.0, 450.0, 0.0, 12, 12),), hub=HUB, size_mm=(1200.0, 900.0)), replace(SEATED, engine=11)
    )
    assert sink.first_table(bare, "1.jpg")
    sink.understood(bare, "1.jpg")
    (question,) = session.questions
    assert [one.story for one in question.candidates] == ["12-12", "11-11"]
    assert reason_text(question.to_json()) == (
        "Another double lies in the middle than this round began with. Which one is the engine?"
    )
    played = TableView(
        (tile(600.0, 450.0, 0.0, 12, 12), tile(684.0, 450.0, 0.0, 12, 7)), hub=HUB, size_mm=(1200.0, 900.0)
    )
    layout = reconstruct(played, replace(SEATED, engine=11), bare)
    assert not sink.record(difference(bare, layout), layout, "2.jpg")
    assert not [event for event in session.events if event.KIND == "tile_played"]
    session.answer(question.seq, 0)
    assert sink.stirred()
    layout = reconstruct(played, replace(SEATED, engine=12), bare)
    assert sink.record(difference(bare, layout), layout, "2.jpg")
    (laid,) = [event for event in session.events if event.KIND == "tile_played"]
    assert laid.violations == ()


def test_who_says_that_the_round_s_double_is_right_is_asked_no_more(tmp_path: Path) -> None:
    session = Game(Journal.create(tmp_path / "game.jsonl", SETUP.header), load_ruleset("tactic"))
    sink = GameSink(session, SETUP, dict.fromkeys(double_set(12), 1), asks=True)
    session.start_round((11, 11), "Ann")
    view = TableView((tile(600.0, 450.0, 0.0, 12, 12),), hub=HUB, size_mm=(1200.0, 900.0))
    bare = reconstruct(view, replace(SEATED, engine=11))
    sink.first_table(bare, "1.jpg")
    sink.understood(bare, "1.jpg")
    session.answer(session.questions[0].seq, 1)
    sink.understood(bare, "2.jpg")
    assert not session.questions and not sink.waits_for_engine
    assert session.position is not None and session.position.engine == Laid(11, 11)
