"""A name on a certain fault is an accusation, and needs more than the fault itself."""

from __future__ import annotations

import pytest

from companion.rules.position import Play
from companion.rules.tile import Laid
from companion.tracking.costs import ACCUSED, CERTAIN
from companion.tracking.verdict import Marginals, judge_item
from tests.tracking.rounds import charges, dealt, play, tracked

PLAYERS = ("Ann", "Ben", "Cy")
ACT = Play(Laid(8, 4), "Ben")


@pytest.mark.parametrize(("share", "accused"), [(0.9964, None), (0.9985, "Ben")])
def test_one_more_broken_rule_may_speak_for_somebody_else(share: float, accused: str | None) -> None:
    """A fault that the picture proves stays certain, whoever it was."""
    assert CERTAIN < 0.9964 < ACCUSED < 0.9985
    shares = {"Ben": share, "Cy": 1.0 - share}
    codes = {("MISMATCH", player): p for player, p in shares.items()}
    verdict = judge_item(1, ACT, Marginals({1: shares}, {1: codes}), ("MISMATCH",), PLAYERS)
    assert [(charge.code, charge.by, charge.certain) for charge in verdict.charges] == [("MISMATCH", accused, True)]
    assert verdict.by == accused


TWO_BROKE_A_RULE = """
+12-5@Ann, +5-5@Ann, +5-7@Ann, +7-7@Ann, +7-2@Ann, +2-4@Ann, +4-6@Ann, +6-6@Ann, +6-10@Ann, +10-1@Ann, +1-8@Ann
+12-3@Ben, +3-8@Ben, +8-9@Ben, +9-10@Ben, +10-7@Ben, +7-0@Ben, +0-0@Ben, +0-6@Ben, +6-1@Ben, +1-4@Ben, +4-3@Ben,+3-2@Ben
+12-4@Cy, +4-0@Cy, +0-1@Cy, +1-1@Cy
+12-11@Dee, +11-1@Dee, +1-5@Dee, +5-3@Dee, +3-7@Dee, +7-1@Dee, +1-12@Dee, +12-8@Dee, +8-5@Dee, +5-2@Dee
+12-9@MX
+9-5@MX
+5-6@MX
+6-12@MX
mark Ann, boneyard-1
mark Ben, boneyard-1
+8-8@Ann, +8-7@Ann
mark Dee, boneyard-1
+2-9@Dee
+7-4@Ann
+9-3@Dee
+4-4@Ann
boneyard-1
+11-9@Cy
boneyard-1
+4-8@Ann, boneyard-1
+9-0@Cy
+2-2@Ben, boneyard-1
boneyard-1
+2-11@Ben
+8-11@Ann
+12-0@MX
+11-11@Ben
boneyard-1
+11-3@Ben
+11-10@Ann
+10-8@Ann, -mark Ann, boneyard-1
+0-8@MX
+3-10@Ben
+3-0@Dee, -mark Dee
"""


def test_who_is_likely_only_if_nobody_broke_another_rule_is_not_accused() -> None:
    """Ann laid 11-9, which does not meet 1-1. Three turns on Dee laid 9-0 on Cy's closed train; the page cannot know,
    for Cy may have laid it, if Dee laid the 11-9 and all turns since were one player later."""
    changes = TWO_BROKE_A_RULE.strip().splitlines()
    tracker = tracked("cz", changes, dealt("Ann Ben Cy Dee", boneyard=30, hand=15))
    verdict = play(tracker, "11-9@Cy")
    assert verdict.by is None and charges(verdict)["MISMATCH"] == (None, True)
    assert {"Ann", "Dee"} <= set(verdict.maybe)
