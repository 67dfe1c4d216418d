"""Without a hub trains touch the engine wherever there is room, and are their owners' by the way they leave it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from bench.hub_kinds import hub_table
from bench.stand_ins.no_hub import Table, no_hub_table
from bench.stand_ins.seen_tables import HUB, LENGTH, SETUP, WIDTH, back, eastward, tile, train
from bench.stills import faults
from companion.geometry import PlacedTile, reconstruct
from companion.geometry.hub import owners
from companion.geometry.layout import SeenHub, SeenTile, TableView
from datasets.simulator.random_tables import random_table, setup_for
from tests.lanes import nightly


def exact(table: Table) -> bool:
    layout = reconstruct(table.view, table.setup, None)
    found = {name: [placed.laid for placed in tiles] for name, tiles in layout.trains.items() if tiles}
    return found == {name: laid for name, laid in table.trains.items() if laid}


@pytest.mark.parametrize(("turning", "count"), [nightly(0.0, 40), (0.6, 16), nightly(0.6, 40)])
def test_trains_that_touch_the_engine_are_their_owners(turning: float, count: int) -> None:
    assert [seed for seed in range(count) if not exact(no_hub_table(seed, tiles=30, turning=turning))] == []


def test_trains_that_turn_early_and_double_back_are_their_owners() -> None:
    for seed in (21, 22, 25):
        plan, table, trains, _ = random_table(seed, hub=seed % 2 == 0, bent=True)
        seen = [
            tile(*one.center_mm, one.heading_deg, one.laid.inner, one.laid.outer)
            for one in table.visible()
            if one.face_up
        ]
        hub = SeenHub((600.0, 450.0), plan.hub_radius_mm, 0.9) if plan.hub_radius_mm else None
        layout = reconstruct(TableView(tuple(seen), (), hub, plan.size_mm), setup_for(plan))
        corners = [
            (one.heading_deg - two.heading_deg) % 180
            for laid in layout.trains.values()
            for one, two in corner_pairs(laid)
        ]
        assert sum(60 < corner < 120 for corner in corners) >= 3
        assert {name: [one.laid for one in laid] for name, laid in layout.trains.items() if laid} == trains


def corner_pairs(laid: Sequence[PlacedTile]) -> list[tuple[SeenTile, SeenTile]]:
    """Neighbours of a train that both lie along it."""
    return [(one.seen, two.seen) for one, two in pairwise(laid) if not one.crosswise and not two.crosswise]


def test_every_place_at_the_engine_is_tried() -> None:
    """Three to eight trains a table, the engine lying along, across and askew."""
    tables = [no_hub_table(seed) for seed in range(30)]
    assert {len(table.trains) for table in tables} >= {3, 5, 8}
    headings = {round(seen.heading_deg) for table in tables for seen in table.view.tiles if seen.values == (12, 12)}
    assert headings >= {0, 90} and len(headings) > 5


def test_two_trains_beside_each_other_on_one_long_side() -> None:
    table = no_hub_table(0)
    middle = (600.0, 450.0)
    above = middle[1] - WIDTH / 2 - LENGTH / 2
    tiles = [
        tile(*middle, 0.0, 12, 12),
        tile(middle[0] - LENGTH / 4, above, -90.0, 12, 3),
        tile(middle[0] + LENGTH / 4, above, -90.0, 12, 5),
    ]
    setup = type(table.setup)(
        table.setup.family, ("Ann", "Ben"), {"Ann": -120.0, "Ben": -60.0}, 90.0, 12, (LENGTH, WIDTH, 9.0)
    )
    layout = reconstruct(type(table.view)(tuple(tiles), (), None), setup, None)
    assert (train(layout, "Ann"), train(layout, "Ben")) == ("12-3", "12-5")


def test_a_train_far_beside_its_station_is_still_its_owners_where_nobody_else_claims_it() -> None:
    stations = {"Ann": 0.0, "Ben": 30.0, "Cy": 60.0}
    assert owners([20.0, 50.0, 80.0], stations, 14.0) == ["Ann", "Ben", "Cy"]
    assert owners([22.0], {"Ann": 0.0, "Ben": 180.0}, 14.0) == ["Ann"]


def test_a_train_near_nobodys_station_is_nobodys() -> None:
    assert owners([100.0], {"Ann": 0.0, "Ben": 180.0}, 14.0) == [None]
    assert owners([5.0, -5.0], {"Ann": 0.0}, 14.0).count(None) == 1


PLATES = (SeenHub((200.0, 200.0), 60.0, 0.95), SeenHub((1000.0, 700.0), 90.0, 0.95))


@pytest.mark.parametrize("plate", PLATES)
def test_a_plate_beside_the_game_is_no_hub(plate: SeenHub) -> None:
    tables = [table for table in map(no_hub_table, range(15)) if _is_clear_of(table, plate)]
    assert len(tables) >= 5
    assert all(exact(replace(table, view=replace(table.view, hub=plate))) for table in tables)


def _is_clear_of(table: Table, plate: SeenHub) -> bool:
    far = plate.radius_mm + 1.5 * LENGTH
    return all(math.dist(seen.center_mm, plate.center_mm) > far for seen in table.view.tiles)


def test_the_place_for_an_engine_on_a_plate_is_no_engine_and_no_back() -> None:
    plate = PLATES[0]
    tables = [table for table in map(no_hub_table, range(12)) if _is_clear_of(table, plate)]
    assert len(tables) >= 3
    for table in tables:
        bare = reconstruct(table.view, table.setup, None)
        recess = back(plate.center_mm[0] + 4.0, plate.center_mm[1] - 20.0)
        view = replace(table.view, hub=plate, tiles=(*table.view.tiles, recess))
        layout = reconstruct(view, table.setup, None)
        assert layout.boneyard == bare.boneyard
        assert exact(replace(table, view=view))


def test_a_plate_stays_none_when_the_trains_begin() -> None:
    """The first tile of a round shows that the middle is elsewhere, and so it stays."""
    engine, first = tile(600.0, 450.0, 0.0, 12, 12), tile(600.0 + LENGTH, 450.0, 0.0, 12, 3)
    alone = reconstruct(TableView((engine,), (), PLATES[0]), SETUP, None)
    begun = reconstruct(TableView((engine, first), (), PLATES[0]), SETUP, alone)
    assert train(begun, "Ann") == "12-3"
    second = tile(600.0 + 2 * LENGTH, 450.0, 0.0, 3, 4)
    later = reconstruct(TableView((engine, first, second), (), PLATES[0]), SETUP, begun)
    assert train(later, "Ann") == "12-3 3-4"


def test_a_hub_at_which_a_train_points_is_one_wherever_the_double_lies() -> None:
    astray = tile(300.0, 200.0, 0.0, 12, 12)
    tiles = [astray, tile(300.0 + LENGTH, 200.0, 0.0, 12, 1), *eastward([(12, 5), (5, 7)])]
    layout = reconstruct(TableView(tuple(tiles), (), HUB), SETUP, None)
    assert train(layout, "Ann") == "12-5 5-7"


def test_the_engine_lies_anywhere_on_its_hub() -> None:
    hub = SeenHub((600.0, 450.0), 90.0, 0.9)
    engine = tile(600.0, 450.0 - 50.0, 0.0, 12, 12)
    first = tile(600.0 + 90.0 + LENGTH / 2, 450.0, 0.0, 12, 5)
    layout = reconstruct(TableView((engine, first), (), hub), SETUP, None)
    assert layout.engine is not None and layout.engine.laid == (12, 12)
    assert train(layout, "Ann") == "12-5"


@pytest.mark.parametrize("seed", range(5))
def test_an_engine_beside_the_middle_of_a_hub_that_is_not_seen_has_its_trains(seed: int) -> None:
    plan, table, trains, marked = hub_table(139950 + seed, "off centre")
    view = replace(table.view(), hub=None)
    assert faults(reconstruct(view, setup_for(plan)), trains, marked) == []


def test_where_trains_touch_the_engine_no_second_tile_begins_one() -> None:
    """A first tile that is not seen is missed: its train would seem to begin with a wrong value."""
    for seed in range(20):
        table = no_hub_table(seed)
        name = next(name for name, laid in table.trains.items() if len(laid) > 2)
        first, second = table.trains[name][:2]
        rest = tuple(one for one in table.view.tiles if one.values not in (tuple(first), tuple(first)[::-1]))
        assert len(rest) == len(table.view.tiles) - 1
        layout = reconstruct(replace(table.view, tiles=rest), table.setup, None)
        assert second not in [tiles[0].laid for tiles in layout.trains.values() if tiles]
