"""The belief of a running round beside its exact setting, which `companion judge` answers with.

Both ask one successor generator; the exact setting is held to a plain second reading on every small table. The belief
goes on with a round and stops where something likely is found: a last turn may be unfinished there, and what its end
would show is still pending. So every change that the judge explains without a fault must be explained by the belief;
where only the belief explains one, something is pending; and a player whom the belief would hold for certain to be at
fault must be among those whom the judge names.
"""

from __future__ import annotations

from random import Random

import pytest

from companion.rules.position import Position
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.tracking.evidence import Evidence
from companion.tracking.exact import infer
from companion.tracking.filter import Explanation, TableFilter
from companion.tracking.mexican_rounds import FirstLapState, MexicanState
from companion.tracking.verdict import Marginals, judge_item
from datasets.bots import BotGame
from datasets.bots.planting import BY_HIDDEN_HANDS, plantable
from datasets.bots.watching import difference, table_change

MEXICAN = ("tactic", "reeves", "cz", "poltava")


def belief(rules: RuleSet, table: Position) -> TableFilter:
    """Past the first lap, with the player of `table` to move."""
    state = MexicanState(rules, table, table.turn)
    state.moved = frozenset(table.players)
    return TableFilter([state], lag=8)


def unfinished(explanation: Explanation) -> bool:
    """Whether the last player may still go on, or something is still to be moved."""
    return bool(explanation.state.pending) or not explanation.state.turn.complete


def blamed(filter_: TableFilter, evidence: Evidence) -> set[str]:
    """The players that a certain charge would accuse."""
    filter_.advance(evidence)
    marginals, players = Marginals.over(filter_.all), filter_.all[0].state.players
    verdicts = [judge_item(one.item, one.act, marginals, (), players) for one in evidence.pieces]
    sure = [(charge.by or verdict.by) for verdict in verdicts for charge in verdict.charges if charge.certain]
    return {player for player in sure if player is not None}


@pytest.mark.parametrize("name", MEXICAN)
def test_both_searches_clear_the_same_players(name: str) -> None:
    rules, chance = load_ruleset(name), Random(name)
    codes = [code for code in plantable(name) if code not in BY_HIDDEN_HANDS]
    legal = illegal = pending = 0
    for seed in range(4):
        game = BotGame(rules, 3, seed, set_max=9, rounds=1, plant=codes, plant_rate=0.3)
        played = next(iter(game.rounds()))
        for turn in list(played.turns())[:40]:
            before = turn.before
            assert isinstance(before, Position) and isinstance(turn.after, Position)
            delta = difference(before, turn.after, boneyard=True)
            flips = sorted(turn.after.flipped - before.flipped)
            settled = not before.first_turn and turn.player == before.turn
            if not settled or flips or not delta or chance.random() >= 0.8:
                continue
            judged = infer(rules, before, delta, before.turn)
            evidence = Evidence.of(0, table_change(delta))
            faultless = [one for one in belief(rules, before).explanations(evidence) if not one.errs]
            if judged.explainable:
                legal += 1
                assert faultless, (turn.actions, judged.explanations)
            elif faultless:
                pending += 1
                assert all(map(unfinished, faultless)), turn.actions
            elif judged.rows:
                illegal += 1
                named = {player for row in judged.rows for player in row.blames}
                assert blamed(belief(rules, before), evidence) <= named, (turn.actions, judged.explanations)
    assert legal > 15 and illegal > 4, (legal, illegal, pending)


def in_the_lap(rules: RuleSet, table: Position, starter: str) -> TableFilter:
    state = FirstLapState(rules, table, starter)
    state.moved = frozenset(name for name in table.players if table.trains.get(name) or name in table.markers)
    return TableFilter([state], lag=8)


@pytest.mark.slow
def test_both_clear_the_same_first_trains() -> None:
    """cz, while everybody lays the first train at the same time: one turn or two in one change, with faults planted."""
    rules = load_ruleset("cz")
    codes = [code for code in plantable("cz") if code not in BY_HIDDEN_HANDS]
    legal = illegal = 0
    for seed in range(24):
        game = BotGame(rules, 4, seed, set_max=12, rounds=1, plant=codes if seed % 2 else [], plant_rate=0.3)
        played = next(iter(game.rounds()))
        turns = list(played.turns())[:4]
        for first, last in ((0, 0), (1, 1), (1, 2), (2, 3), (3, 3)):
            before, after = turns[first].before, turns[last].after
            assert isinstance(before, Position) and isinstance(after, Position)
            delta = difference(before, after, boneyard=True)
            if not before.first_turn or after.flipped != before.flipped or not delta:
                continue
            judged = infer(rules, before, delta, before.turn)
            explanations = in_the_lap(rules, before, played.starter).explanations(Evidence.of(0, table_change(delta)))
            faultless = [one for one in explanations if not one.errs]
            if judged.explainable:
                legal += 1
                assert faultless, (seed, first, judged.explanations)
            else:
                illegal += 1
                assert all(map(unfinished, faultless)), (seed, first, judged.explanations)
    assert legal > 60 and illegal > 12, (legal, illegal)
