"""A train that is no longer understood as one still lies there: nobody took its tiles away."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import SETUP, eastward, tile, train, view
from companion.game.game import Game
from companion.geometry import Layout, PlacedTile, Problem, Trouble, reconstruct
from companion.geometry.diff import difference, worth_asking
from companion.geometry.layout import SeenHalf, SeenTile
from companion.log.event_fields import Header
from companion.log.events import TilePlayed, TileTakenBack, Unclear
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception.setup_file import setup_from_json
from companion.perception.understanding import named_as_recorded
from companion.rules.notation import Vanishing, print_laid
from companion.rules.position import Play, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, double_set
from companion.web.wording import candidate_text
from datasets.bots.watching import table_change
from datasets.simulator.random_tables import random_table, setup_for
from datasets.simulator.tabletop import TableFullError

CHAIN = ((12, 1), (1, 10), (10, 7))


def placed(number: int, inner: int, outer: int) -> PlacedTile:
    seen = SeenTile(
        (100.0 + 50.0 * number, 0.0), 0.0, 48.0, 24.0, True, (SeenHalf(inner, 1.0), SeenHalf(outer, 1.0)), 1.0
    )
    return PlacedTile(number, seen)


def test_the_tiles_of_a_train_that_came_loose_are_not_gone() -> None:
    train = tuple(placed(n, *tile) for n, tile in enumerate(CHAIN))
    before = Layout(trains={"Ben": train})
    after = Layout(loose=train, problems=(Problem(Trouble.LOOSE_TILE, (100.0, 0.0), (0,)),))
    seen = difference(before, after)
    assert seen.delta == ()
    assert [doubt.trouble for doubt in seen.doubts] == [Trouble.LOOSE_TILE]
    assert len(difference(before, replace(after, loose=())).gone) == len(CHAIN)


@pytest.mark.parametrize(("pushed_mm", "kept"), [(44.0, "12-5 5-7 7-1"), (300.0, "")])
def test_a_train_pushed_away_from_the_hub_keeps_its_owner(pushed_mm: float, kept: str) -> None:
    tiles = eastward([(12, 5), (5, 7), (7, 1)])
    before = reconstruct(view(tiles), SETUP)
    away = [replace(one, center_mm=(one.center_mm[0] + pushed_mm, one.center_mm[1])) for one in tiles]
    assert train(reconstruct(view(away), SETUP, before), "Ann") == kept
    assert train(reconstruct(view(away), SETUP), "Ann") == ""


def session(folder: Path, *, seen: bool = False) -> Game:
    """A round in which Ann and Ben have laid three tiles each; `seen` by the camera, else entered."""
    game = Game(
        Journal.create(folder / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben"))), load_ruleset("tactic")
    )
    game.start_round(Laid(12, 12), "Ann", draws_seen=False)
    for ann, ben in zip(((12, 4), (4, 5), (5, 6)), CHAIN, strict=True):
        for laid, player in ((ann, "Ann"), (ben, "Ben")):
            if seen:
                game.observe(table_change([Play(Laid(*laid), player)]))
            else:
                game.play(laid, player, by=player)
    return game


def test_a_whole_train_that_is_not_seen_any_more_is_asked_about(tmp_path: Path) -> None:
    game = session(tmp_path)
    events = game.observe(table_change([Vanishing(Laid(*tile), "Ben") for tile in CHAIN]))
    assert [event.KIND for event in events] == [Unclear.KIND]
    assert tuple(game.position.trains["Ben"]) == tuple(Laid(*tile) for tile in CHAIN)  # type: ignore[union-attr]


def test_one_tile_gone_from_within_a_train_was_moved(tmp_path: Path) -> None:
    game = session(tmp_path, seen=True)
    events = game.observe(table_change([Vanishing(Laid(1, 10), "Ben")]))
    taken = [event for event in events if isinstance(event, TileTakenBack)]
    assert [finding.code for event in taken for finding in event.violations] == ["TILE_MOVED"]


def test_a_tile_that_only_people_said_lies_there_was_not_moved(tmp_path: Path) -> None:
    game = session(tmp_path)
    events = game.observe(table_change([Vanishing(Laid(1, 10), "Ben")]))
    assert [event.KIND for event in events] == [Unclear.KIND]


def test_what_is_gone_from_a_clouded_table_was_not_moved(tmp_path: Path) -> None:
    game = session(tmp_path)
    events = game.observe(table_change([Vanishing(Laid(1, 10), "Ben")], clouded=True))
    assert [event.KIND for event in events] == [Unclear.KIND]
    assert sum(isinstance(event, TilePlayed) for event in game.events) == 6


def test_no_train_that_lost_its_beginning_is_lost_in_silence() -> None:
    """Where a train's first tile is not seen, and on every third table the hub neither, the rest is asked about."""
    looked_at = 0
    for seed in range(1000, 1060):
        try:
            plan, table, trains, _ = random_table(seed)
        except TableFullError:
            continue
        whole_view, setup = table.view(0.5, 0.5), setup_for(plan)
        names = [name for name, tiles in trains.items() if len(tiles) >= 4]
        if not names:
            continue
        name = names[seed % len(names)]
        whole = reconstruct(whole_view, setup).trains[name]
        unseen = {placed.seen.center_mm for placed in whole[: 1 + seed % 2]}
        cut = replace(whole_view, tiles=tuple(one for one in whole_view.tiles if one.center_mm not in unseen))
        layout = reconstruct(cut if seed % 3 else replace(cut, hub=None), setup)
        understood = {placed.seen.center_mm for tiles in layout.trains.values() for placed in tiles}
        left = {placed.seen.center_mm for placed in whole} - unseen - understood
        assert not left or worth_asking(layout), f"{len(left)} tiles of {name} on table {seed}"
        assert not left & {placed.seen.center_mm for tiles in layout.hands.values() for placed in tiles}
        looked_at += 1
    assert looked_at > 50


def at_the_hub(angle_deg: float, inner: int, outer: int) -> SeenTile:
    """A first tile that leaves the hub in this direction."""
    a = math.radians(angle_deg)
    return tile(600.0 + 85.0 * math.cos(a), 450.0 + 85.0 * math.sin(a), angle_deg, inner, outer)


class Watched:
    """Ann and Ben at a table: still tables told to the sink one after the other, as the watcher tells them."""

    def __init__(self, folder: Path) -> None:
        setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
        self.game = Game.create(folder / "game.jsonl", setup.header)
        self.game.start_round((12, 12), "Ann", draws_seen=True)
        self.sink = GameSink(self.game, setup, dict.fromkeys(double_set(12), 1))
        self.lying: list[SeenTile] = []
        self.layout = reconstruct(view(self.lying), SETUP)

    def lay(self, new: SeenTile) -> Layout:
        self.lying.append(new)
        before = named_as_recorded(self.layout, self.sink.recorded())
        after = reconstruct(view(self.lying), SETUP, before)
        taken = self.sink.record(self.sink.still_new(difference(before, after), after), after, "frame")
        self.sink.understood(after, "frame")
        self.layout = after if taken else before
        return after

    @property
    def trains(self) -> dict[str, str]:
        table = self.game.position
        assert isinstance(table, Position)
        return {name: " ".join(map(print_laid, chain)) for name, chain in table.trains.items() if chain}

    @property
    def charged(self) -> set[str]:
        return {finding.code for line in self.game.scoreboard.lines for finding in line.findings}


@pytest.mark.parametrize(("angle_deg", "doubted"), [(145.0, True), (165.0, False), (215.0, True)])
def test_a_first_tile_where_no_seat_is_may_begin_a_train_of_nobodys(
    tmp_path: Path, angle_deg: float, doubted: bool
) -> None:
    """It is nearest to Ben's empty place. Ann laid it there: before she is said to have played on his closed train it
    is asked whose train it is."""
    table = Watched(tmp_path)
    for new in (eastward([(12, 5)])[0], tile(600.0, 535.0, 90.0, 12, 4), at_the_hub(angle_deg, 12, 8)):
        table.lay(new)
    assert table.trains["Ben"] == "12-8" and ("CLOSED_TRAIN" in table.charged) != doubted
    keys = [[candidate_text(one.to_json()) for one in asked.candidates] for asked in table.game.questions]
    assert keys == [["Ben's train", "Second Mexican train"]] * doubted
    table.game.close()


def test_a_train_goes_on_under_the_name_that_somebody_gave_it(tmp_path: Path) -> None:
    table = Watched(tmp_path)
    for new in (eastward([(12, 5)])[0], tile(600.0, 535.0, 90.0, 12, 4), at_the_hub(145.0, 12, 8)):
        table.lay(new)
    (asked,) = table.game.questions
    table.game.answer(asked.seq, 1)
    assert table.trains == {"Ann": "12-5", "MX": "12-4", "MX2": "12-8"}
    beyond = math.radians(145.0)
    after = table.lay(tile(600.0 + 134.0 * math.cos(beyond), 450.0 + 134.0 * math.sin(beyond), 145.0, 8, 3))
    assert train(after, "MX2") == table.trains["MX2"] == "12-8 8-3"
    table.lay(at_the_hub(180.0, 12, 1))
    assert table.trains["Ben"] == "12-1"
    table.game.close()
