"""The long run of planted faults: what cannot be told from legal play is counted apart, and nothing else is."""

from __future__ import annotations

import pytest

from bench.long_plant import FOUND, NOT_PROVABLE, ONE_OF, plant
from companion.rules.violations import Violation


@pytest.mark.parametrize(
    ("seed", "result"),
    [(303, FOUND), (300, ONE_OF), (301, NOT_PROVABLE), (311, ONE_OF), (308, ONE_OF), (2007, ONE_OF)],
    ids=[
        "found",
        "or one did not tap",
        "declined",
        "or a double was left",
        "or the marker was left on",
        "after a late train",
    ],
)
def test_a_second_tile_may_be_the_next_turn_where_others_may_decline(seed: int, result: str) -> None:
    assert plant("cz", Violation.EXTRA_TILE, seed) == result


@pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
def test_where_everybody_has_to_draw_it_is_found(rules: str) -> None:
    results = [plant(rules, Violation.EXTRA_TILE, seed) for seed in range(300, 304)]
    assert results.count(FOUND) >= 2 and set(results) <= {FOUND, ONE_OF, "no moment"}


def test_a_marker_that_comes_off_within_a_lap_was_tapped_late() -> None:
    """cz: it was left on for a lap; or it came off with the tile, and that was tapped a lap later."""
    assert plant("cz", Violation.MARKER_NOT_REMOVED, 1010) == NOT_PROVABLE
