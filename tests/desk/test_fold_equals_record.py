"""The record of a watched round is what a fold of its evidence alone gives: every player, and every fault, sure or not.

The rounds are told with planted faults, and nobody taps. Whatever the game writes down beside the evidence, it must
come out of the evidence again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.table import FIRST_SEED, with_faults
from bench.told import ToldTable, UnfilmedRound
from companion.game.evidence_run import EvidenceRun, round_of
from companion.game.session import Session
from companion.log.corrections import effective_events
from companion.log.events import Header, RoundStarted
from companion.log.journal import read_journal
from companion.play.match import Match
from companion.rules.actions import Play
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.tracking.tracker import RoundTracker
from datasets.simulator.room import BlankFilm

Line = tuple[tuple[int, ...], str, str | None, frozenset[tuple[str, bool, str | None]]]


def told(path: Path, seed: int, rules: str) -> Session:
    camera = UnfilmedRound(seed, with_faults(rules, None), BlankFilm)
    session = Session.create(path, Header.from_json(dict(camera.setup().header.to_json())))
    ToldTable(camera).tell(session)
    return session


def on_record(session: Session) -> list[Line]:
    lines: list[Line] = []
    for play in session.snapshot()["plays"]:
        if play["event"] == "tile_played" and not play["taken_back"] and not play.get("withdrawn"):
            lines.append((tuple(play["tile"]), play["train"], play["by"], _held(play["violations"], play["by"])))
    return lines


def folded(path: Path) -> list[Line]:
    text = read_journal(path)
    rules = load_ruleset(text.header.rules, text.header.options)
    held = round_of(effective_events(text.events))
    begun = held[0].event
    assert isinstance(begun, RoundStarted)
    match = Match.of(text.header, rules)
    starter = begun.starter or match.next_starter
    tracker = RoundTracker(rules, match.table_of(begun, starter), starter, starter_known=begun.starter is not None)
    assert EvidenceRun(tracker, held, text.events, text.seen).run()
    lines: list[Line] = []
    for verdict in tracker.verdicts():
        if isinstance(verdict.act, Play) and not verdict.taken_back and verdict.item >= 0:
            charges = [{"code": one.code, "certain": one.certain, "by": one.by} for one in verdict.charges]
            lines.append((tuple(verdict.act.tile), verdict.act.train, verdict.by, _held(charges, verdict.by)))
    return lines


def _held(findings: list[dict[str, Any]], by: str | None) -> frozenset[tuple[str, bool, str | None]]:
    return frozenset((one["code"], one["certain"], one.get("by") or by) for one in findings)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rules"), list(enumerate(RULESET_NAMES)))
def test_the_record_is_what_the_evidence_alone_gives(tmp_path: Path, n: int, rules: str) -> None:
    path = tmp_path / "g.jsonl"
    session = told(path, FIRST_SEED + n, rules)
    lines = on_record(session)
    session.close()
    assert len(lines) > 10
    assert sorted(folded(path), key=str) == sorted(lines, key=str)
