"""Between two rounds the old table lies there for a while; it is not the next round's."""

from __future__ import annotations

from pathlib import Path

from companion.layout import reconstruct
from companion.notation import Laying
from companion.ruleset import load_ruleset
from companion.session import Session
from companion.setup_file import setup_from_json
from companion.tile import Laid, double_set
from companion.watch.session_desk import SessionDesk
from tests.table.tables import SETUP, eastward, tile, view


def test_the_old_table_begins_no_round_and_the_cleared_one_does(tmp_path: Path) -> None:
    setup = setup_from_json({"rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]})
    session = Session.create(tmp_path / "game.jsonl", setup.header)
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.observe([Laying(Laid(12, 5), "Ann"), Laying(Laid(12, 7), "Ben")])
    session.end_round()
    session.enter_scores({"Ann": 10, "Ben": 20})
    assert session.phase == "scored"
    desk = SessionDesk(session, load_ruleset("tactic"), setup, dict.fromkeys(double_set(12), 1))
    old = reconstruct(view([*eastward([(12, 5)]), tile(515.0, 450.0, 180.0, 12, 7)]), SETUP)
    before = session.journal.last_seq
    assert desk.first_table(old, "f1") is False
    assert session.journal.last_seq == before and session.phase == "scored"
    # The tiles are put away and the next engine lies in the middle.
    middle = view([])
    cleared = reconstruct(middle, SETUP)
    assert desk.first_table(cleared, "f2") is True
    assert session.phase == "playing"
    assert [event.KIND for event in session.events][-1] == "round_started"
