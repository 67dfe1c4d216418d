"""The long run of planted faults: each is asked about, and as nobody answers none is certain."""

from __future__ import annotations

import pytest

from bench.long_plant import FOUND, NO_MOMENT, plant
from companion.rules.violations import Violation


@pytest.mark.parametrize("seed", [303, 300, 301, 311, 308, 2007])
def test_a_second_tile_is_asked_about_where_others_may_decline(seed: int) -> None:
    """It may be the next turn of whoever laid the first; that is a key of the question."""
    assert plant("cz", Violation.EXTRA_TILE, seed) == FOUND


@pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
def test_where_everybody_has_to_draw_it_is_asked_about(rules: str) -> None:
    results = [plant(rules, Violation.EXTRA_TILE, seed) for seed in range(300, 304)]
    assert results.count(FOUND) >= 3 and set(results) <= {FOUND, NO_MOMENT}


def test_a_marker_that_comes_off_within_a_lap_is_asked_about() -> None:
    """cz: it was left on for a lap; or it came off with the tile, and that was tapped a lap later."""
    assert plant("cz", Violation.MARKER_NOT_REMOVED, 1010) == FOUND
