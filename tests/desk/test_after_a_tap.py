"""After a tap the game is shown as the evidence has it now: nothing waits for the next change of the table."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from bench.table import FIRST_SEED, with_faults
from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Header
from companion.log.events import TableChange
from companion.rules.notation import parse_delta
from companion.rules.ruleset import RULESET_NAMES
from datasets.bots.watching import table_change
from datasets.simulator.room import BlankFilm
from tests.lanes import nightly
from tests.shown import state_of

SHOWN = ("by", "maybe", "violations", "tile", "train")


def plays(session: Game) -> list[dict[str, Any]]:
    return state_of(session)["plays"]


def shown(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: play.get(name) for name in ("seq", *SHOWN)} for play in lines]


def folded(session: Game, folder: Path) -> list[dict[str, Any]]:
    """The same journal, opened and worked out by a program that knows nothing else."""
    copy = folder / "folded.jsonl"
    copy.unlink(missing_ok=True)
    copy.write_bytes(session.journal.content)
    fresh = Game.open(copy)
    found = shown(plays(fresh))
    fresh.close()
    return found


class Tapping(Game):
    """Somebody taps a name, a withdrawal or "let it stand" for one play after every third change of the table."""

    def observe(self, change: TableChange) -> tuple[Any, ...]:
        brought = super().observe(change)
        self.rng: Random = getattr(self, "rng", None) or Random(7)
        acts = [one for one in plays(self) if one["event"] in ("tile_played", "drew") and not one.get("taken_back")]
        if not acts or self.rng.random() < 0.67:
            return brought
        unnamed = [one for one in acts if not one.get("by")]
        play, players = self.rng.choice(unnamed or acts), self.header.players
        what = self.rng.choice(
            [{"by": self.rng.choice(play.get("maybe") or players)}, {"withdrawn": True}, {"overruled": True}]
        )
        try:
            expected = list(self.what_if(play["seq"], what).plays)
            self.correct(play["seq"], what)
        except CommandRejected:
            return brought
        now = shown(plays(self))
        assert now == shown(expected), "what was announced is not what came"
        assert now == folded(self, Path(self.journal.path).parent), (play["seq"], what)
        self.taps = getattr(self, "taps", 0) + 1
        return brought


@pytest.mark.slow
@pytest.mark.parametrize("seed", [FIRST_SEED, FIRST_SEED + 3, nightly(FIRST_SEED + 5)])
def test_the_page_shows_what_the_journal_folds_to_and_what_the_preview_said(tmp_path: Path, seed: int) -> None:
    rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
    camera = UnfilmedRound(seed, with_faults(rules, 24), BlankFilm)
    session = Tapping.create(tmp_path / "game.jsonl", camera.setup().header)
    ToldTable(camera).tell(session)
    session.close()
    assert session.taps >= 2


def test_naming_one_play_names_the_others_that_hang_on_it(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann")
    for change in (["+12-1@Ann"], ["+12-2@Ben"], ["+12-3@Cy"], ["+2-7@Ben"], ["+3-5@Cy", "+5-9@Cy"]):
        session.observe(table_change(parse_delta(change)))
    open_ones = [play["seq"] for play in plays(session) if play["event"] == "tile_played" and not play["by"]]
    assert len(open_ones) == 3
    session.correct(open_ones[0], {"by": "Ann"})
    assert all(play["by"] for play in plays(session) if play["seq"] in open_ones)


@pytest.mark.parametrize(
    "what", [{"by": "Cy"}, {"by": "Ann"}, {"withdrawn": True}, {"tile": [5, 1]}, {"train": "MX"}, {"overruled": True}]
)
def test_undo_is_the_inverse_of_a_tap_about_what_the_camera_saw(tmp_path: Path, what: dict[str, Any]) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+2-7@Ben", "+3-5@Cy", "boneyard-1; mark Ann", "+5-9@Cy"):
        session.observe(table_change(parse_delta(change.split("; "))))
    before = shown(plays(session))
    for play in [play["seq"] for play in plays(session) if play["event"] == "tile_played"]:
        session.correct(play, what)
        session.undo()
        assert shown(plays(session)) == before, play


def test_a_ruling_that_changes_late_strikes_no_line_out(tmp_path: Path) -> None:
    """The round is called blocked, and a shown hand still has a tile that fits."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann", draws_seen=False)
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        session.observe(table_change(parse_delta([change])))
    session.end_round("blocked_declared")
    session.show_hand("Ann", [(1, 4), (5, 6)])
    ended = next(event.seq for event in session.events if event.KIND == "round_ended")
    assert ended in [one.corrects for one in session.read_otherwise() if "violations" in one.what], "ruled on anew"
    assert not [play["event"] for play in plays(session) if play.get("withdrawn")]
