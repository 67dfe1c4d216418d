"""Counts in the belief: a round is over only where every likely hypothesis leaves a player without tiles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TableChange
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker
from tests.tracking.rounds import dealt

WATCHED = Path(__file__).with_name("counted_down.jsonl")
"""A filmed round of tactic for two, as its camera told it: Ben has just laid 0-0, and holds one tile more. Thirty
changes before, 4-10 on Ann's marked train was hers or Ben's, one as likely as the other."""


def changes() -> Iterator[TableChange]:
    return (TableChange.from_json(json.loads(line)) for line in WATCHED.read_text().splitlines())


def watched() -> RoundTracker:
    table = replace(dealt("Ben Ann", boneyard=58, hand=16), engine=Laid(11, 11))
    tracker = RoundTracker(load_ruleset("tactic"), table, "Ben")
    for change in changes():
        tracker.observe(Evidence.of(tracker.number, change))
    return tracker


def test_nobody_is_out_by_a_tile_that_may_have_been_somebody_elses() -> None:
    tracker = watched()
    assert Laid(0, 0) in tracker.table.trains["Ben"]
    assert tracker.end() is None


def test_the_count_that_was_open_is_told_apart_where_it_matters() -> None:
    """One tile of Ben's may have been Ann's: he has none left, or one and she one less."""
    left = {tuple(one.state.counts[:2]) for one in watched().filter.all if one.cost < 3}
    assert left == {(0, 7), (1, 6)}


def test_a_hand_whose_count_is_open_is_not_said_to_be_inconsistent(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ben", "Ann"), {}))
    session.start_round(Laid(11, 11), "Ben", draws_seen=True)
    for change in changes():
        session.observe(change)
    assert session.phase == "playing" and session.position is not None and "Ben" not in session.position.hands
    session.end_round("blocked_declared")
    for tiles in ([Tile(2, 3)], [Tile(2, 3), Tile(6, 6), Tile(1, 3)]):
        shown = session.show_hand("Ben", tiles)
        assert not any(getattr(event, "violations", ()) for event in shown)
