"""What the belief knows of counts: a round is over only where every likely way of things has come to no tile left."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from companion.log.table_change import TableChange
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker
from tests.tracking.rounds import dealt

WATCHED = Path(__file__).with_name("counted_down.jsonl")
"""A filmed round of tactic for two, as its camera told it: Ben has just laid 0-0, and holds one tile more. Thirty
changes before, 4-10 on Ann's marked train was hers or Ben's, one as likely as the other."""


def watched() -> RoundTracker:
    table = replace(dealt("Ben Ann", boneyard=58, hand=16), engine=Laid(11, 11))
    tracker = RoundTracker(load_ruleset("tactic"), table, "Ben")
    for line in WATCHED.read_text().splitlines():
        tracker.observe(Evidence.of(tracker.number, TableChange.from_json(json.loads(line))))
    return tracker


def test_nobody_is_out_by_a_tile_that_may_have_been_somebody_elses() -> None:
    tracker = watched()
    assert Laid(0, 0) in tracker.table.trains["Ben"]
    assert tracker.end() is None


def test_the_count_that_was_open_is_told_apart_where_it_matters() -> None:
    """One tile of Ben's may have been Ann's: he has none left, or one and she one less."""
    left = {tuple(one.state.counts[:2]) for one in watched().filter.all if one.cost < 3}
    assert left == {(0, 7), (1, 6)}
