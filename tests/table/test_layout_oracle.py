"""`reconstruct(lay_out(position) + jitter)` gives the position back: for growing jitter, until it breaks."""

from __future__ import annotations

import pytest

from companion.geometry import reconstruct
from datasets.simulator.random_tables import random_table, setup_for
from datasets.simulator.tabletop import TableFullError
from tests.lanes import nightly

BREAKING_MM = 2.5
"""Jitter (one standard deviation in mm, and as many degrees) at which the first of 40 tables of 45 tiles is misread, as
last measured: single tiles are then up to 8 mm from where they touch. Below it every table must be exact."""


def exact(seed: int, jitter: float, hub: bool) -> bool:
    plan, table, trains, marked = random_table(seed, hub=hub)
    layout = reconstruct(table.view(jitter, jitter), setup_for(plan))
    found = {name: [placed.laid for placed in tiles] for name, tiles in layout.trains.items()}
    return found == trains and layout.markers == frozenset(marked) and layout.boneyard == 25


@pytest.mark.parametrize("hub", [True, False], ids=["hub", "engine only"])
@pytest.mark.parametrize("jitter", [nightly(0.0), nightly(0.5), nightly(1.0), 1.5])
def test_every_table_comes_back_below_the_breaking_point(jitter: float, hub: bool) -> None:
    assert jitter < BREAKING_MM
    wrong = []
    for seed in range(20):
        try:
            if not exact(seed, jitter, hub):
                wrong.append(seed)
        except TableFullError:
            continue
    assert wrong == []


def test_far_beyond_the_breaking_point_tables_are_not_exact() -> None:
    """The oracle can fail: with 6 mm of jitter no layout is read by luck."""
    assert not any(exact(seed, 6.0, True) for seed in range(4))
