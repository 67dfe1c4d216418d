"""Taps that come in order, lap after lap: that each of them is one turn late never becomes the likelier story."""

from __future__ import annotations

import pytest

from companion.rules.actions import MEXICAN, Draw, Mark, Pass, Play
from companion.rules.position import Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.tapped_round import TappedRound


@pytest.mark.parametrize("rules", ["poltava", "reeves"])
def test_nobody_owes_a_draw_however_long_both_draw_and_pass(rules: str) -> None:
    trains = {"Ann": (Laid(12, 9),), "Ben": (Laid(12, 2),), MEXICAN: ()}
    table = Position(12, ("Ann", "Ben"), Laid(12, 12), trains, turn="Ann", boneyard=80)
    story = TappedRound(load_ruleset(rules), table, "Ann")
    story.take(Play(Laid(9, 10), "Ann"), "Ann")
    story.take(Draw(), "Ben")
    story.take(Mark("Ben"), "Ben")
    story.take(Play(Laid(10, 10), "Ann"), "Ann")
    story.take(Draw(), "Ann")
    story.take(Mark("Ann"), "Ann")
    for _ in range(28):
        for player in ("Ben", "Ann"):
            story.take(Draw(), player)
            story.take(Pass(), player)
            assert story.charges() == {}
    assert list(story.likeliest.state.debts()) == []
