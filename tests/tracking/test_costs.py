"""The table of priors: whole decibans, each with its source."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest

from companion.rules.mexican.turn import TurnState
from companion.rules.position import Action, Draw, Flip, Mark, Play, Unmark
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.rules.violations import Violation
from companion.tracking.costs import ILLEGAL, PRIORS, RARE, Cause, decibans, fault, misread
from companion.tracking.mexican_rounds import MexicanState
from tests.tracking.rounds import dealt


def test_every_cause_has_a_price_and_a_source() -> None:
    assert set(PRIORS) == set(Cause)
    for prior in PRIORS.values():
        assert isinstance(prior.decibans, int) and prior.decibans >= 0
        assert prior.text and prior.source


def test_decibans_are_ten_times_the_logarithm() -> None:
    assert [decibans(p) for p in (1.0, 0.5, 0.1, 0.005, 0.0)] == [0, 3, 10, 23, 99]


def test_a_half_that_was_hardly_read_is_likelier_misread_than_a_rule_broken() -> None:
    assert misread(0.9) < ILLEGAL < misread(0.99)


def test_no_reading_is_surer_than_the_tail_that_was_measured() -> None:
    assert misread(0.9999999) == misread(None) == PRIORS[Cause.MISREAD].decibans


def test_beside_a_guessed_tile_a_misreading_is_likelier_than_a_rule_broken() -> None:
    assert PRIORS[Cause.DOUBTFUL_NEIGHBOUR].decibans < ILLEGAL


def test_nobody_lays_two_tiles_by_oversight() -> None:
    assert fault([Violation.EXTRA_TILE]) is Cause.RARELY_ILLEGAL
    assert fault([Violation.EXTRA_TILE, Violation.MISMATCH]) is Cause.ILLEGAL
    assert Violation.CLOSED_TRAIN not in RARE


@pytest.mark.parametrize("rules", ["poltava", "cz", "reeves", "tactic"])
@pytest.mark.parametrize(
    "acts",
    [
        [Play(Laid(12, 5), "Ann"), Play(Laid(5, 5), "Ann"), Play(Laid(3, 4), "MX")],
        [Mark("Ann"), Unmark("Ben")],
        [Flip("Ben")],
        [Draw()],
        [],
    ],
)
def test_what_a_copied_turn_does_leaves_the_other_as_it_was(rules: str, acts: list[Action]) -> None:
    table = replace(dealt(), trains={**dealt().trains, "Ben": (Laid(12, 12),)}, open=("Ben",))
    turn = TurnState(load_ruleset(rules), replace(table, markers=frozenset({"Ben"})))
    before = {name: deepcopy(getattr(turn, name)) for name in TurnState.__slots__ if name != "rules"}
    other = turn.copy()
    assert all(getattr(other, name) == was for name, was in before.items())
    for act in acts:
        other.act(act)
    other.finish()
    assert all(getattr(turn, name) == was for name, was in before.items())
    assert any(getattr(other, name) != was for name, was in before.items())


def test_a_copied_state_has_every_field() -> None:
    state = MexicanState(load_ruleset("reeves"), dealt(), "Ann")
    other = state.copy()
    for name in MexicanState.__slots__:
        assert getattr(other, name) == getattr(state, name), name
