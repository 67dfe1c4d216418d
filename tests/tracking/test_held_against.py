"""A possible fault names a player only where that is likely enough; otherwise it says that somebody broke the rule."""

from __future__ import annotations

import pytest

from companion.tracking.costs import HELD_AGAINST
from companion.tracking.verdict import Charge, _charges


@pytest.mark.parametrize(
    ("shares", "known", "expected"),
    [
        ({"Ann": 0.5, "Ben": 0.14}, None, [("Ann", 0.5)]),
        ({"Ann": 0.1}, None, []),
        ({"Ann": 0.1, "Ben": 0.1}, "Ann", [("Ann", 0.1)]),
        ({"Ann": 0.1, "Ben": 0.1}, None, [(None, 0.2)]),
        ({"Ann": 0.2, "Ben": HELD_AGAINST}, None, [("Ann", 0.2), ("Ben", HELD_AGAINST)]),
    ],
)
def test_a_fault_is_held_against_those_who_likely_broke_the_rule(
    shares: dict[str, float], known: str | None, expected: list[tuple[str | None, float]]
) -> None:
    codes = {("OUT_OF_TURN", player): share for player, share in shares.items()}
    found = _charges(1, codes, codes, {}, (), (), ("Ann", "Ben", "Cy"), known)
    assert found == [Charge("OUT_OF_TURN", player, False, pytest.approx(p)) for player, p in expected]
