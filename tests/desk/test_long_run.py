"""The short version of the long run: some hundred turns of every rule set, set and number of players."""

from __future__ import annotations

import pytest

from bench.long_run import play_match
from companion.rules.ruleset import RULESET_NAMES
from tests.lanes import nightly


@pytest.mark.parametrize("latitude", [nightly(0.0), 0.3], ids=["plain", "with liberties"])
@pytest.mark.parametrize("first", range(len(RULESET_NAMES)), ids=RULESET_NAMES)
def test_no_legal_turn_is_ever_held_against_anybody(first: int, latitude: float) -> None:
    turns = 0
    for number in range(first, 30 * len(RULESET_NAMES), len(RULESET_NAMES)):
        if turns > 250:
            break
        result = play_match(number, rounds=2, latitude=latitude)
        assert result.accusations == ()
        turns += result.turns
    assert turns > 200
