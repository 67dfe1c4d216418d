"""A few evenings of honest people who tap late, early and twice (`bench.tapped` has hundreds)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.tapped import evening
from companion.rules.ruleset import RULESET_NAMES

FIRST = 5000


@pytest.mark.parametrize("seed", range(FIRST, FIRST + len(RULESET_NAMES)))
def test_what_a_legal_order_explains_is_held_against_nobody(tmp_path: Path, quick_disk: None, seed: int) -> None:
    told = evening(seed, tmp_path)
    accused = told.after if told.slips else told.accused
    assert told.taps > 20 and accused == [] and told.points


@pytest.mark.parametrize("seed", [FIRST, FIRST + 4, FIRST + 13])
def test_undoing_everything_gives_back_the_first_state(tmp_path: Path, quick_disk: None, seed: int) -> None:
    assert evening(seed, tmp_path, undo=True).undone
