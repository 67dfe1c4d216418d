"""A few rounds of people who tap late, early and twice, and answer truthfully or never (`bench.tapped` has many)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.tapped import one_round
from bench.taps import measure
from tests.lanes import nightly


@pytest.mark.parametrize("never", [False, True], ids=["answered", "never answered"])
@pytest.mark.parametrize("seed", [nightly(5000), 5001, 5002])
def test_no_innocent_is_ever_certain_and_the_points_are_right(tmp_path: Path, seed: int, never: bool) -> None:
    told = one_round(seed, tmp_path, never=never)
    assert told.taps > 20 and told.innocent == 0 and told.innocent_at_end == 0 and told.points


def test_an_undisturbed_round_asks_nothing(tmp_path: Path) -> None:
    told = one_round(5000, tmp_path, share=0.0)
    assert told.taps > 20 and told.questions == 0 and told.exact and told.points


def test_the_train_of_three_tiles_in_four_is_chosen_already() -> None:
    found = measure("poltava", 4, 2, 7600)
    assert found["turns"] > 50 and found["number"] > 100 and found["cannot play"] > 10
    assert 4 * found["train"] < found["number"], found
