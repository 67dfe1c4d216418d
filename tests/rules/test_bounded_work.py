"""However odd a change is, the referee answers: with stories, or by saying that it knows none and blames nobody."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bench.referee import mid_game_table
from companion.rules.actions import Play
from companion.rules.mexican import inference
from companion.rules.notation import Laying
from companion.rules.position import Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, double_set


def thrown_down(seed: int, tiles: int) -> tuple[Position, list[Laying]]:
    """A table of eight and so many new tiles lying where they hardly ever fit."""
    table, chance = mid_game_table(seed, laid=24), random.Random(seed)
    left = chance.sample(sorted(double_set(12) - table.visible), tiles)
    return table, [Laying(Laid(tile.low, tile.high), chance.choice(table.train_names())) for tile in left]


@pytest.mark.slow
@pytest.mark.parametrize("boneyard", [10, None])
def test_eight_tiles_thrown_on_the_table_are_not_searched_for_ever(
    boneyard: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = 0

    def counted(*args: object, **more: object) -> object:
        nonlocal judged
        judged += 1
        return judge(*args, **more)  # type: ignore[arg-type]

    judge = inference.judge_turn
    monkeypatch.setattr(inference, "judge_turn", counted)
    rules = load_ruleset("tactic")
    given_up = 0
    for seed in range(4):
        table, delta = thrown_down(seed, 8)
        judged = 0
        found = inference.infer(rules, replace(table, boneyard=boneyard), delta, table.turn)
        assert judged <= inference.MOST_WORK
        given_up += not found.stories
        assert not found.explainable
        assert found.stories or found.explanations == ()
    assert given_up


def test_four_tiles_that_fit_nowhere_are_always_told() -> None:
    rules = load_ruleset("reeves")
    for seed in range(6):
        table, delta = thrown_down(seed, 4)
        found = inference.infer(rules, table, delta, table.turn)
        assert found.explanations, (table, delta)
        blamed = {player for story in found.stories for player in story.blames}
        assert blamed <= set(table.players)
        for story in found.stories:
            assert sum(isinstance(act, Play) for turn in story.turns for act in turn.acts) == 4
