"""A few evenings of honest people who tap late, early and twice (`bench.tapped` has hundreds)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.tapped import evening

EVENINGS = (5000, 5001, 5002, 5003, 5004, 5006, 5012)
"""One of each set of rules; those of a long lap cost a quarter of a minute each and are left to the bench."""


@pytest.mark.parametrize("seed", EVENINGS)
def test_what_a_legal_order_explains_is_held_against_nobody(tmp_path: Path, seed: int) -> None:
    told = evening(seed, tmp_path)
    accused = told.after if told.slips else told.accused
    assert told.taps > 20 and accused == [] and told.points


@pytest.mark.parametrize("seed", [5000, 5004, 5013])
def test_undoing_everything_gives_back_the_first_state(tmp_path: Path, seed: int) -> None:
    assert evening(seed, tmp_path, undo=True).undone
