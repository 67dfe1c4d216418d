"""The record of a watched round is a projection of its evidence: told again after a restart it is the same.

The rounds are told with planted faults. The program writes a line when a piece is first seen and never corrects it;
who it was and what stands against it comes out of the evidence and of what people said.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.playing import begin
from bench.table import FIRST_SEED, with_faults
from bench.told import Meddled, ToldTable, UnfilmedRound
from companion.game.course import action_of
from companion.game.game import Game
from companion.game.round import History, Round
from companion.log.event_fields import Header
from companion.log.events import Corrected, TilePlayed
from companion.log.journal import read_journal
from companion.rules.ruleset import RULESET_NAMES
from datasets.bots.watching import seen
from datasets.simulator.room import BlankFilm
from tests.lanes import nightly
from tests.shown import state_of


def told(path: Path, seed: int, rules: str, kind: type[Game]) -> Game:
    camera = UnfilmedRound(seed, with_faults(rules, None), BlankFilm)
    Meddled.rng = random.Random(seed)
    session = kind.create(path, Header.from_json(dict(camera.setup().header.to_json())))
    ToldTable(camera).tell(session)
    return session


ROUNDS = [
    *((n, rules, Game) for n, rules in enumerate(RULESET_NAMES)),
    # The others' meddled rounds are the dearest; `bench.meddling` tells them all.
    *((n, rules, Meddled) for n, rules in enumerate(RULESET_NAMES) if rules not in ("tactic", "cz", "poltava")),
]
EVERY_DAY = [("poltava", Game), ("cz", Game), ("jielong", Game), ("jielong", Meddled), ("kkori", Meddled)]


def otherwise(session: Game) -> dict[int, dict[str, Any]]:
    """Line -> what of it reads otherwise by now than it was told first."""
    return {one.corrects: dict(one.what) for one in session.read_otherwise()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "rules", "kind"),
    [one if one[1:] in EVERY_DAY else nightly(*one) for one in ROUNDS],
)
def test_a_round_told_again_from_its_evidence_is_the_same(tmp_path: Path, n: int, rules: str, kind: type[Game]) -> None:
    path = tmp_path / "g.jsonl"
    session = told(path, FIRST_SEED + n, rules, kind)
    live, said = state_of(session), (session.events, session.fallen, otherwise(session))
    session.close()
    again = Game.open(path)
    assert state_of(again) == live
    assert (again.events, again.fallen, otherwise(again)) == said
    assert len(live["plays"]) > 10
    again.close()


@pytest.mark.slow
def test_the_lines_of_a_watched_round_hold_no_name_and_no_ruling_and_are_never_corrected(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    session = told(path, FIRST_SEED, RULESET_NAMES[0], Game)
    if session.phase == "playing":
        session.end_round("blocked_declared")
    now, first, later = state_of(session)["plays"], session.events, otherwise(session)
    session.close()
    events = read_journal(path).events
    assert not [one for one in events if isinstance(one, Corrected) and action_of(events[one.corrects - 1])]
    pieces = [event for event in events if event.piece is not None]
    assert len(pieces) > 10
    assert not [one for one in pieces if one.who or one.perhaps or getattr(one, "violations", ())]
    assert any(play.get("by") != first[play["seq"] - 1].who for play in now), "some names came later"
    for play in now:
        what = later.get(play["seq"], {})
        read = {**first[play["seq"] - 1].to_json(), **({"maybe": []} if "by" in what else {}), **what}
        names = ("event", "tile", "train", "by", "maybe", "violations")
        assert [read.get(name) or None for name in names] == [play.get(name) or None for name in names]


def watched_game(path: Path, rounds: int) -> Game:
    """Rounds of a few watched turns each, broken off; the last one goes on."""
    session, bots = begin(path, "reeves", 3, seed=5, rounds=rounds)
    for number, played in enumerate(bots.rounds(), start=1):
        session.start_round(played.engine, played.starter, after=number - 1 if number > 1 else None)
        for turn in list(played.turns())[:6]:
            session.observe(seen([turn]))
        if number < rounds:
            session.end_round("abandoned")
    return session


def test_opening_a_game_takes_every_act_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.jsonl"
    watched_game(path, 5).close()
    taken, take = 0, Round.take

    def counted(self: Round, *args: Any, **named: Any) -> Any:
        nonlocal taken
        taken += 1
        return take(self, *args, **named)

    monkeypatch.setattr(Round, "take", counted)
    Game.open(path).close()
    assert 0 < taken <= len(read_journal(path).events)


def test_a_moment_of_the_past_is_the_same_whatever_was_told_since(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    session = watched_game(path, 3)
    first = next(event for event in session.events if isinstance(event, TilePlayed))
    session.correct(first.seq, {"by": next(name for name in session.header.players if name != first.by)})
    text = read_journal(path)
    for seq in range(5, len(text.events), 7):
        past = [one for one in text.seen if one.after < seq]
        then = History(session.header, session.rules, text.events[:seq], past)
        begun = max(then.rounds)
        alone = [(one.event.seq, one.event.who) for one in then.held if one.event.seq >= begun]
        assert alone == [(play["seq"], play.get("by")) for play in state_of(session, at=seq)["plays"]]
    session.close()
