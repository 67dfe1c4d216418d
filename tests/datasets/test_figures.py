"""Markers that no network was trained on: each body is drawn where it stands, and moves with its train."""

from __future__ import annotations

import numpy as np
import pytest

from bench.toys import ToyFilm
from companion.rules.tile import Laid
from datasets.render.clutter import KINDS as CLUTTER
from datasets.render.figures import BODIES
from datasets.render.markers import KINDS
from datasets.render.table import TableCamera, TableMarker, TableScene, render_table
from datasets.simulator.film import FilmSettings
from datasets.simulator.plan import TablePlan
from datasets.simulator.tabletop import TableTop

SMALL = TableCamera(width=320, height=240, height_mm=260.0)


FAMILIES_HAVE = {
    "engine", "wagon", "plane", "car", "animal", "meeple", "pawn", "checker", "coin", "button", "chip", "cap", "ring",
    "die",
}  # fmt: skip
FALLEN = {"pawn": "fallen pawn", "skittle": "fallen skittle", "engine": "fallen engine", "standing meeple": "meeple"}
NO_MARKERS = {"cup", "glass", "phone", "cards", "crisps", "dice", "beads", "coaster", "pen", "paper"}


def test_thirty_bodies_and_more_can_stand_for_a_player() -> None:
    drawn = {*BODIES, *KINDS}
    assert len(drawn) >= 30
    assert drawn >= {*FAMILIES_HAVE, *FALLEN, *FALLEN.values()}
    assert set(CLUTTER) >= NO_MARKERS


def test_training_draws_none_of_them_by_chance() -> None:
    assert not set(BODIES) & set(KINDS)


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_every_body_shows_in_the_middle_and_nowhere_else(kind: str) -> None:
    size = (240.0, 180.0)
    empty, _ = render_table(TableScene(size, camera=SMALL), 3)
    marker = TableMarker((120.0, 90.0), "#c8281e", 30.0, kind)
    drawn, _ = render_table(TableScene(size, camera=SMALL, markers=(marker,)), 3)
    changed = np.abs(drawn.astype(int) - empty.astype(int)).max(2) > 25
    assert changed[90:150, 130:190].sum() > 30
    changed[60:180, 100:220] = False
    assert changed.mean() < 0.02


def test_every_second_players_toy_stands_on_the_last_tile_and_moves_on() -> None:
    players = ("Ann", "Ben")
    plan = TablePlan(players, stations={"Ann": 0.0, "Ben": 180.0, "MX": 90.0})
    table = TableTop(plan, np.random.default_rng(1))
    table.set_up(Laid(12, 12), 0)
    film = ToyFilm(plan, 2, FilmSettings(size_wh=(320, 240)))
    for n, player in enumerate(players):
        table.lay(Laid(12, n), player)
        table.mark(player)
    beside, on = film._scene(table).markers
    assert (beside.z_mm, beside.center_mm) == (0.0, table.markers["Ann"])
    assert on.z_mm == plan.tile_mm[2]
    table.lay(Laid(1, 5), "Ben")
    moved = film._scene(table).markers[1]
    assert (moved.kind, moved.colour) == (on.kind, on.colour)
    last = table.trains["Ben"][-1].center_mm
    assert np.hypot(moved.center_mm[0] - last[0], moved.center_mm[1] - last[1]) == pytest.approx(12.0, abs=0.1)
