"""A Chinese tile put away with its pips showing: from where it lies to what is held against whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import back, tile
from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from companion.game.game import Game
from companion.geometry import Layout, Trouble, reconstruct
from companion.geometry.diff import difference
from companion.geometry.layout import SeenHalf, SeenTile
from companion.log.event_fields import EventError, Header
from companion.log.events import Discarded, TableChange
from companion.rules.notation import parse_delta
from companion.rules.position import Discard
from companion.rules.tile import Tile
from datasets.bots.watching import table_change
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from tests.shown import state_of
from tests.table.test_line import SETUP, in_row, line, table

NAMES = ("Ann", "Ben", "Cy", "Dee")
BEGUN = in_row(1, 4, 6)
BEFORE_ANN = tile(500.0, 740.0, 90.0, 3, 2)


@pytest.fixture
def before() -> Layout:
    return reconstruct(table(BEGUN), SETUP)


def test_a_tile_that_lies_open_before_its_player_is_put_away(before: Layout) -> None:
    after = reconstruct(table(BEGUN, BEFORE_ANN), SETUP, before)
    assert line(after) == "4:6" and not after.hands and not after.has(Trouble.LOOSE_TILE)
    seen = difference(before, after)
    assert (seen.discards, seen.faces) == ({"Ann": 1}, {"Ann": (Tile(2, 3),)})
    again = reconstruct(table(BEGUN, BEFORE_ANN, back(530.0, 740.0)), SETUP, after)
    then = difference(after, again)
    assert (then.discards, then.faces) == ({"Ann": 1}, {}), "the next one lies face down"
    assert difference(again, reconstruct(table(BEGUN, BEFORE_ANN, back(530.0, 740.0)), SETUP, again)).empty


def test_a_hand_a_tile_near_the_line_and_one_that_is_not_read_are_none(before: Layout) -> None:
    hand = reconstruct(table(BEGUN, BEFORE_ANN, tile(530.0, 740.0, 90.0, 1, 2)), SETUP, before)
    assert not hand.shown_discards and len(hand.hands["Ann"]) == 2
    near_the_edge = tile(349.0, 740.0, 0.0, 4, 6)
    line_there = reconstruct(table(near_the_edge), SETUP)
    sloppy = reconstruct(table(near_the_edge, tile(409.0, 740.0, 0.0, 6, 2)), SETUP, line_there)
    assert not sloppy.shown_discards
    unread = replace(BEFORE_ANN, halves=(SeenHalf(3, 0.99), SeenHalf(None, 0.4)))
    assert not reconstruct(table(BEGUN, unread), SETUP, before).shown_discards


def test_one_that_is_not_read_at_once_is_asked_about_and_takes_no_other_with_it(before: Layout) -> None:
    unread = replace(BEFORE_ANN, halves=(SeenHalf(3, 0.99), SeenHalf(None, 0.4)))
    after = reconstruct(table(BEGUN, unread), SETUP, before)
    assert after.has(Trouble.LOOSE_TILE) and not after.shown_discards
    other = tile(530.0, 740.0, 90.0, 1, 2)
    again = reconstruct(table(BEGUN, unread, other), SETUP, after)
    assert difference(after, again).faces == {"Ann": (Tile(1, 2),)}
    read = reconstruct(table(BEGUN, BEFORE_ANN, other), SETUP, again)
    assert difference(again, read).faces == {"Ann": (Tile(2, 3),)} and not read.has(Trouble.LOOSE_TILE)


def test_a_scratched_back_beside_one_put_away_face_up_is_put_away(before: Layout) -> None:
    shown = reconstruct(table(BEGUN, BEFORE_ANN), SETUP, before)
    scratched = tile(530.0, 740.0, 90.0, None, None)
    then = difference(shown, reconstruct(table(BEGUN, BEFORE_ANN, scratched), SETUP, shown))
    assert (then.discards, then.faces) == ({"Ann": 1}, {})


def test_what_is_turned_over_at_the_end_was_put_away_face_down(before: Layout) -> None:
    away = reconstruct(table(BEGUN, back(500.0, 740.0)), SETUP, before)
    turned: SeenTile = tile(500.0, 740.0, 90.0, 3, 2)
    first = reconstruct(table(BEGUN, turned), SETUP, away)
    again = reconstruct(table(BEGUN, turned), SETUP, first)
    assert not first.shown_discards and difference(first, again).empty, "nor is it put away at the next look"
    beside = reconstruct(table(BEGUN, turned, tile(530.0, 740.0, 90.0, 1, 2)), SETUP, again)
    assert not beside.shown_discards and len(beside.hands["Ann"]) == 2, "the hand is laid open tile by tile"
    over = reconstruct(table(BEGUN, BEFORE_ANN), replace(SETUP, over=True), before)
    assert not over.shown_discards and "Ann" in over.hands


@pytest.mark.parametrize("begins", ["before the deal", "in mid-deal"])
def test_a_tile_that_lies_open_from_the_first_is_asked_about_and_nobody_put_it_away(begins: str) -> None:
    first = reconstruct(table(BEFORE_ANN) if begins == "before the deal" else table(BEGUN, BEFORE_ANN), SETUP)
    begun = reconstruct(table(BEGUN, BEFORE_ANN), SETUP, first)
    assert not difference(first, begun).discards and not begun.shown_discards
    assert begun.has(Trouble.LOOSE_TILE)
    turned = tile(530.0, 740.0, 90.0, 1, 2)
    shown = reconstruct(table(BEGUN, BEFORE_ANN, turned), replace(SETUP, over=True), begun)
    assert [one.laid.tile for one in shown.hands["Ann"] if one.laid] == [Tile(1, 2)], "it is of no hand"


def test_what_is_hardly_a_tile_is_put_away_by_nobody_and_asked_about_by_nobody(before: Layout) -> None:
    """Checks of a cloth were read as 6-6 in every other look, and kept three discards off the record."""
    after = reconstruct(table(BEGUN, replace(BEFORE_ANN, confidence=0.09)), SETUP, before)
    assert difference(before, after).empty and not difference(before, after).doubts
    assert difference(before, reconstruct(table(BEGUN, replace(BEFORE_ANN, confidence=0.25)), SETUP, before)).faces


def test_it_goes_on_record_with_its_face_and_is_possible_never_certain(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("jielong", "chinese", NAMES))
    session.start_round(starter="Ann")
    session.observe(table_change(parse_delta(["+4-6@R"])))
    session.observe(TableChange(discards={"Ben": 1}, faces={"Ben": (Tile(2, 3),)}))
    for change in ("+6-5@R", "+5-1@R", "+1-1@R"):
        session.observe(table_change(parse_delta([change])))
    put_away = [play for play in state_of(session)["plays"] if play["event"] == "discarded"]
    on_record = [event for event in session.events if isinstance(event, Discarded)]
    assert [(one.by, one.tile, one.face_up) for one in on_record] == [("Ben", Tile(2, 3), True)]
    found = [(one["code"], one["certain"]) for one in put_away[0]["violations"]]
    assert found == [("DISCARD_FACE_UP", False)]


def test_who_lays_a_tile_as_well_may_only_have_shown_the_other(tmp_path: Path) -> None:
    """Ben lays 6-5 and shows 2-3, or he puts 2-3 away and Cy lays 6-5: nobody is accused for certain."""
    session = Game.create(tmp_path / "game.jsonl", Header("jielong", "chinese", NAMES))
    session.start_round(starter="Ann")
    session.observe(table_change(parse_delta(["+4-6@R"])))
    session.observe(TableChange(tuple(parse_delta(["+6-5@R"])), discards={"Ben": 1}, faces={"Ben": (Tile(2, 3),)}))
    for change in ("+5-1@R", "+1-1@R"):
        session.observe(table_change(parse_delta([change])))
    certain = [one for play in state_of(session)["plays"] for one in play.get("violations", ()) if one["certain"]]
    assert not certain


def test_faces_are_kept_in_the_journal_and_nonsense_is_named() -> None:
    change = TableChange(discards={"Ann": 1}, faces={"Ann": (Tile(2, 3),)})
    assert TableChange.from_json(change.to_json()) == change
    with pytest.raises(EventError, match=r"faces: expected an object, not 7"):
        TableChange.from_json({"delta": [], "faces": 7})
    with pytest.raises(EventError, match=r"faces\.Ann"):
        TableChange.from_json({"delta": [], "faces": {"Ann": [[9]]}})


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, nightly(11)])
def test_in_a_whole_deal_every_tile_put_away_is_on_record_and_nobody_is_accused_for_it(
    tmp_path: Path, seed: int
) -> None:
    settings = SimSettings(
        rules="jielong",
        plant=("DISCARD_FACE_UP",),
        plant_rate=0.4,
        troubles=Troubles.none(),
        hand_frames=3,
        still_frames=7,
        most_scenes=14,
    )
    camera = sketched(seed, settings)
    session, _, watcher = watching(camera, tmp_path / "g.jsonl")
    watcher.run()
    acts = [act for filmed in camera.truth for _, act in filmed.scene.plays if isinstance(act, Discard)]
    shown = sorted(act.tile for act in acts if act.tile is not None)
    recorded = [event for event in session.events if isinstance(event, Discarded)]
    assert shown, "else nothing is shown by this test"
    assert sorted(event.tile for event in recorded if event.tile is not None) == shown
    assert len(recorded) == len(acts)
    planted = [turn.player for filmed in camera.truth for turn in filmed.scene.turns if turn.planted is not None]
    for play in state_of(session)["plays"]:
        certain = [one for one in play.get("violations", ()) if one["certain"]]
        assert all(one.get("by", play["by"]) in (None, *planted) for one in certain), play
        assert {one["code"] for one in certain} <= {"DISCARD_FACE_UP"}
