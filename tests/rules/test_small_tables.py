"""The referee and the plain reading agree on every table of a double-3 set; all of it: `bench.small_tables`.

Here, drawn by `SEED` and each as likely as any other: every turn of one act on a seventh of the tables with up to two
tiles laid (hands not counted or of one tile), in two houses a seventh of the changes of one tile on the dealt table.
Which values are renamed is drawn for each table as well.
"""

from __future__ import annotations

import random

import pytest

from bench.plain_reading import HOUSES, Act, Table
from bench.small_tables import (
    Compared,
    action_of,
    compare_changes,
    compare_turns,
    layouts,
    namings,
    position_of,
    reachable,
    renamed,
    tables,
    turns,
)
from companion.rules.mexican.judge import judge_turn
from companion.rules.ruleset import load_ruleset
from tests.lanes import nightly

SEED = 1
EVERY_HOUSE = pytest.mark.parametrize("rules", sorted(HOUSES))


def test_all_layouts_of_the_double_three_set_are_counted() -> None:
    assert [sum(1 for _ in layouts(laid)) for laid in range(10)] == [
        1, 10, 55, 241, 853, 2419, 5317, 8629, 10735, 11407,
    ]  # fmt: skip


@pytest.mark.slow
@EVERY_HOUSE
def test_every_turn_of_one_act_is_ruled_as_the_plain_reading_rules_it(rules: str) -> None:
    found = Compared()
    compare_turns(rules, 2, 1, found, hands=(None, 1), share=0.15, seed=SEED)
    assert found.differences == []
    assert found.tables > 60 and found.passed_over > 400 and found.rulings == 77 * found.tables


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["poltava", "reeves"])
def test_every_change_of_one_tile_is_explained_as_the_plain_reading_explains_it(rules: str) -> None:
    found = Compared()
    compare_changes(rules, 0, 1, found, share=0.15, seed=SEED)
    assert found.differences == []
    assert found.changes + found.passed_over == 3316 and found.changes > 400


@EVERY_HOUSE
def test_everything_that_legal_play_can_reach_is_among_the_tables(rules: str) -> None:
    known = {
        (tuple(table["trains"].values()), table["markers"], table["open"])
        for table in tables(rules, 1, 0, hands=(None,))
    }
    reached = reachable(rules, 1)
    assert reached <= known
    assert len(reached) > 8


@pytest.mark.slow
@pytest.mark.parametrize("rules", [nightly("cz"), "tactic"])
def test_values_with_other_names_are_ruled_alike(rules: str) -> None:
    known = load_ruleset(rules)

    def other(act: Act, names: tuple[int, ...]) -> Act:
        return ("play", tuple((*names, 4)[half] for half in act[1]), act[2]) if act[0] == "play" else act

    every, rng = list(turns(1)), random.Random(SEED)
    for table in tables(rules, 1, 0):
        for names in rng.sample(namings()[1:], 2):
            trains = renamed(tuple(table["trains"].values()), names)
            twin: Table = {**table, "trains": dict(zip(table["trains"], trains, strict=True))}
            here, there = position_of(table), position_of(twin)
            for turn in every:
                ruling = judge_turn(known, here, [action_of(act) for act in turn])
                assert judge_turn(known, there, [action_of(other(act, names)) for act in turn]) == ruling
