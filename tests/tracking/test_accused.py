"""A name on a certain fault is an accusation, and needs more than the fault itself."""

from __future__ import annotations

import pytest

from companion.rules.position import Play
from companion.rules.tile import Laid
from companion.tracking.costs import ACCUSED, CERTAIN
from companion.tracking.verdict import Marginals, judge_item

PLAYERS = ("Ann", "Ben", "Cy")
ACT = Play(Laid(8, 4), "Ben")


@pytest.mark.parametrize(("share", "accused"), [(0.9964, None), (0.9985, "Ben")])
def test_one_more_broken_rule_may_speak_for_somebody_else(share: float, accused: str | None) -> None:
    """What the picture proves stays certain, whoever it was."""
    assert CERTAIN < 0.9964 < ACCUSED < 0.9985
    shares = {"Ben": share, "Cy": 1.0 - share}
    codes = {("MISMATCH", player): p for player, p in shares.items()}
    verdict = judge_item(1, ACT, Marginals({1: shares}, {1: codes}), ("MISMATCH",), PLAYERS)
    assert [(charge.code, charge.by, charge.certain) for charge in verdict.charges] == [("MISMATCH", accused, True)]
    assert verdict.by == accused
