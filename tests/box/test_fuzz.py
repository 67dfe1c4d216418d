"""The short version of the fuzzing: a fixed number of harmed inputs at every door."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.box.fuzz import doors, knock

NAMES = ("journal", "notation", "setup", "judge", "pictures", "broker", "outbox", "pins")


@pytest.mark.parametrize("name", NAMES)
def test_a_door_refuses_in_one_line_or_takes_what_it_can(name: str, tmp_path: Path) -> None:
    known = doors(tmp_path)
    assert set(known) == set(NAMES)
    assert knock(known[name], seed=7, tries=300) == 300
