"""The tables with all kinds of hubs that `bench.stills --hubs` draws are what their kinds say."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.hub_kinds import CUT_DEG, KINDS, OFF_CENTRE_MM, HubFilm, free_place, hub_table
from bench.stand_ins.seen_tables import half
from bench.stills import LeaningFilm, by_kind, faults, total_of
from bench.train_kinds import train_kinds
from companion.geometry import reconstruct
from companion.rules.tile import Laid
from datasets.simulator.film import FilmSettings
from datasets.simulator.lying import Lying
from datasets.simulator.plan import HUB_RADIUS_MM, TablePlan
from datasets.simulator.random_tables import setup_for
from datasets.simulator.tabletop import TableTop

SMALL = FilmSettings(size_wh=(240, 180))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_laid_out_and_understood_where_all_is_seen(kind: str) -> None:
    plan, table, trains, marked = hub_table(139900, kind)
    view = table.view()
    assert (view.hub is None) == (kind == "false")
    assert faults(reconstruct(view, setup_for(plan)), trains, marked) == []
    assert sum(map(len, trains.values())) == 45


def test_an_engine_off_centre_lies_beside_the_middle_of_its_hub() -> None:
    plan, table, _, _ = hub_table(139901, "off centre")
    engine = next(iter(table.all_tiles()))
    away = math.dist(engine.center_mm, plan.center_mm)
    assert OFF_CENTRE_MM[0] <= away <= OFF_CENTRE_MM[1]


def test_a_cut_hub_reaches_over_the_edge_and_its_trains_do_not() -> None:
    plan, table, _, _ = hub_table(139902, "cut")
    assert plan.center_mm[0] < HUB_RADIUS_MM
    assert all(abs(angle) < CUT_DEG + 5 for angle in plan.stations.values())
    assert all(0 < tile.center_mm[0] < plan.size_mm[0] for train in table.trains.values() for tile in train)


def test_a_false_hub_lies_beside_the_game() -> None:
    _, table, _, _ = hub_table(139903, "false")
    place = free_place(table, np.random.default_rng(1))
    assert place is not None
    assert min(math.dist(place, tile.center_mm) for tile in table.all_tiles()) > HUB_RADIUS_MM


@pytest.mark.parametrize("kind", ["printed", "false"])
def test_the_hub_is_drawn_where_it_lies(kind: str) -> None:
    plan, table, _, _ = hub_table(139904, kind)
    hub = HubFilm(plan, 139904, SMALL, kind=kind)._scene(table).hub
    assert hub is not None
    assert (hub.center_mm == plan.center_mm) == (kind != "false")
    assert hub.shape == ("print" if kind == "printed" else "disc")


def test_a_leaning_camera_shows_the_whole_table() -> None:
    plan = TablePlan(("Ann", "Ben"))
    film = LeaningFilm(plan, 5, SMALL, lean=(30.0, 35.0))
    assert 30.0 <= film._camera((0.0, 0.0)).lean_deg <= 35.0
    corners = film.corners_px()
    assert (corners > 0).all() and (corners < SMALL.size_wh).all()


def test_trains_are_told_apart_by_how_they_run() -> None:
    table = TableTop(TablePlan(("Ann", "Ben", "Cy")), np.random.default_rng(1))

    def at(x: float, y: float, heading_deg: float) -> Lying:
        return Lying(Laid(1, 2), (x, y), heading_deg, came_deg=heading_deg)

    table.trains = {
        "Ann": [at(700, 450, 0), at(749, 450, 0), at(798, 450, 0)],
        "Ben": [at(600, 300, -90), at(637, 260, 0), at(686, 270, 0)],
        "Cy": [at(500, 450, 180), at(460, 487, 90), at(497, 530, 0)],
        "MX": [],
    }
    kinds = train_kinds(table)
    assert kinds == {"Ann": {"straight"}, "Ben": {"turns"}, "Cy": {"doubles back"}}
    table.trains["Ben"].append(at(798, 490, 0))
    assert train_kinds(table)["Ben"] == {"turns", "beside another", "ends beside another"}
    assert train_kinds(table)["Ann"] == {"straight", "beside another", "ends beside another"}


def test_faults_count_against_the_kinds_of_their_trains() -> None:
    kinds = {"Ann": frozenset({"turns"}), "Anna": frozenset({"turns", "beside another"})}
    assert by_kind(kinds, ["Anna: misread", "Ann: unread", "markers"]) == {"beside another": [0, 1], "turns": [1, 2]}


def test_the_total_of_a_table_is_right_wrong_or_open() -> None:
    _, table, _, _ = hub_table(139905, "round")
    tiles = list(table.view().tiles)
    assert total_of(table, tiles) == "right"
    up = next(n for n, one in enumerate(tiles) if one.values is not None and sum(one.values))
    assert total_of(table, tiles[:up] + tiles[up + 1 :]) == "wrong"
    unread = replace(tiles[up], halves=(half(None), half(3)))
    assert total_of(table, [*tiles[:up], unread, *tiles[up + 1 :]]) == "open"
