"""The bound of the search leaves out nothing that is within its reach."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from bench.belief import together
from companion.rules.ruleset import load_ruleset
from companion.tracking.costs import ILLEGAL
from companion.tracking.evidence import Evidence, Pieces
from companion.tracking.filter import Hypothesis, explain
from companion.tracking.mexican_rounds import MexicanState
from companion.tracking.tracker import RoundTracker
from datasets.bots import BotGame
from datasets.bots.watching import seen
from datasets.simulator.camera import VISIBLE_FAULTS


def explained(beam: list[Hypothesis], evidence: Evidence) -> set[tuple[object, ...]]:
    """Every explanation within 24 dB of the cheapest: parent, cost, state, who made which piece."""
    row = [(one.cost, one.state) for one in beam[:2]]
    found, cut = explain(row, Pieces.of(evidence), faults=True, reach=24, most=100_000, work=50_000)
    assert not cut
    return {
        (one.parent, round(one.cost, 3), one.state.sign, frozenset((step.item, step.player) for step in one.steps))
        for one in found
        if found[0].cost < 2 * ILLEGAL
    }


@pytest.mark.parametrize(("rules", "seed"), [("tactic", 366), ("reeves", 361), ("poltava", 361)])
def test_it_finds_every_explanation_of_one_fault_that_a_search_without_a_bound_finds(
    rules: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = BotGame(load_ruleset(rules), 6, seed, plant=VISIBLE_FAULTS, plant_rate=0.1, plants_per_round=2)
    table = next(islice(game.rounds(), 1))
    tracker = RoundTracker(load_ruleset(rules), table.start, table.starter)
    compared = 0
    for group in together(list(table.turns())[:20], Random(seed)):
        evidence = Evidence.of(tracker.number, seen(group, boneyard=rules != "tactic"))
        beam = tracker.filter.beam
        if type(beam[0].state) is MexicanState and 0 < len(evidence.laid) <= 2:
            bounded = explained(beam, evidence)
            with monkeypatch.context() as patched:
                patched.setattr(MexicanState, "at_least", lambda *_: 0)
                assert explained(beam, evidence) == bounded
            compared += bool(bounded)
        if not evidence.empty:
            tracker.observe(evidence)
    assert compared >= 5
