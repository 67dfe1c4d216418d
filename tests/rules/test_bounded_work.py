"""However odd a change is, the referee answers with rows of turns, or says that it knows none and blames nobody."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bench.referee import mid_game_table
from companion.rules.position import Play, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, double_set
from companion.tracking import exact
from companion.tracking.exact import Work, infer


def thrown_down(seed: int, tiles: int) -> tuple[Position, list[Play]]:
    """A table of eight and so many new tiles lying where they hardly ever fit."""
    table, chance = mid_game_table(seed, laid=24), random.Random(seed)
    left = chance.sample(sorted(double_set(12) - table.visible), tiles)
    return table, [Play(Laid(tile.low, tile.high), chance.choice(table.train_names())) for tile in left]


@pytest.mark.slow
@pytest.mark.parametrize("boneyard", [10, None])
def test_eight_tiles_thrown_on_the_table_are_not_searched_for_ever(
    boneyard: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[Work] = []

    class Counted(Work):
        def __init__(self) -> None:
            super().__init__()
            searches.append(self)

    monkeypatch.setattr(exact, "Work", Counted)
    rules = load_ruleset("tactic")
    given_up = 0
    for seed in range(2):
        table, delta = thrown_down(seed, 8)
        found = infer(rules, replace(table, boneyard=boneyard), delta, table.turn)
        assert searches[-1].done <= exact.MOST_WORK + 1
        given_up += not found.rows
        assert not found.explainable
        assert found.rows or found.explanations == ()
    # Where draws leave no trace each of them may have come anywhere.
    assert bool(given_up) == (boneyard is None)
    assert len(searches) == 2


def test_four_tiles_that_fit_nowhere_are_always_told() -> None:
    rules = load_ruleset("reeves")
    for seed in range(6):
        table, delta = thrown_down(seed, 4)
        found = infer(rules, table, delta, table.turn)
        assert found.explanations, (table, delta)
        blamed = {player for row in found.rows for player in row.blames}
        assert blamed <= set(table.players)
        for row in found.rows:
            assert sum(isinstance(act, Play) for turn in row.turns for act in turn.acts) == 4
