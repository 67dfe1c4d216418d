"""How the benches lay boneyards in a heap and open hands otherwise than in a row."""

from __future__ import annotations

import numpy as np
import pytest

from bench.beside import OpenTable
from bench.markers import BACKS, Scripted, heap
from companion.rules.tile import Tile
from datasets.simulator.placing import overlap
from datasets.simulator.plan import TablePlan
from datasets.simulator.random_tables import PLAYERS

HAND = [Tile(0, value) for value in range(6)]


def test_a_heap_has_every_tile_and_none_on_another() -> None:
    table = Scripted.of(230500).table
    table.boneyard = heap(table)
    assert len(table.boneyard) == BACKS
    rects = table.rects()
    assert not any(overlap(one, other) for n, one in enumerate(rects) for other in rects[:n])


@pytest.mark.parametrize(("lying", "lapped"), [("close", 0), ("arc", 0), ("heap", 0), ("lapped", 1)])
def test_a_hand_lies_open_with_every_tile_and_only_lapped_one_on_another(lying: str, lapped: int) -> None:
    players = PLAYERS[:4]
    stations = {name: 90.0 - 90.0 * n for n, name in enumerate(players)}
    plan = TablePlan(players, (900.0, 675.0), (48.0, 24.0, 9.0), 0.0, stations, False)
    row, table = OpenTable(plan, np.random.default_rng(3)), OpenTable(plan, np.random.default_rng(3))
    table.lying = lying
    for player in players:
        assert row.show_hand(player, HAND) and table.show_hand(player, HAND)
        laid = table.hands[player]
        assert [one.laid.tile for one in laid] == HAND and laid != row.hands[player]
        rects = [one.rect(48.0, 24.0) for one in laid]
        assert sum(overlap(one, other) for n, one in enumerate(rects) for other in rects[:n]) == lapped
