"""What one picture does not prove is certain only once another has left it so, or the round is over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from companion.game.watched_round import PictureProof
from companion.rules.notation import Laying
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import ITEMS, Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict
from tests.tracking.rounds import tracked

LAID = Laying(Laid(3, 4), "Cy")


class Sure(RoundTracker):
    """A belief that is sure of what it holds against whoever laid the third tile."""

    code, proved = "CLOSED_TRAIN", False

    def verdicts(self) -> list[Verdict]:
        charge = Charge(self.code, None, True, 0.999, self.proved)
        return [Verdict(2 * ITEMS, Play(LAID.tile, LAID.train), None, 0.5, ("Ann", "Cy"), (charge,))]


def found(tracker: Any, *, over: bool = False) -> list[bool]:
    verdicts = PictureProof().verdicts(tracker, (), (), tracker._start, over=over)
    return [charge.certain for charge in verdicts[2 * ITEMS].charges]


def after(*changes: str) -> Sure:
    """The belief after these changes of the table."""
    told = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", *changes])
    sure = Sure(load_ruleset("reeves"), told._start, "Ann")
    sure.log = told.log
    return sure


def test_what_the_belief_holds_waits_for_another_picture() -> None:
    assert found(after("+3-4@Cy")) == [False]
    assert found(after("+3-4@Cy", "+1-5@Ann")) == [True]


def test_what_people_say_is_no_other_picture() -> None:
    sure = after("+3-4@Cy")
    sure.log = [*sure.log, Evidence(3, tuple(SimpleNamespace(doubt=20, denied=None) for _ in range(1)))]  # type: ignore[misc]
    assert found(sure) == [False]


@pytest.mark.parametrize(("proved", "over"), [(True, False), (False, True)])
def test_what_a_picture_proves_waits_for_none_and_nothing_waits_when_the_round_is_over(
    proved: bool, over: bool
) -> None:
    sure = after("+3-4@Cy")
    sure.proved = proved
    assert found(sure, over=over) == [True]
