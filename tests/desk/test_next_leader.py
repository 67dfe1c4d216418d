"""The leader of the next deal in a connecting game. Source: docs/rules.md 4.2, "who leads"."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import RoundScored
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Tile
from datasets.bots import BotGame

PLAYERS = ("Ann", "Ben", "Cy")


def scored(path: Path, options: dict[str, object]) -> RoundScored:
    """A deal that Cy leads and wins."""
    session = Game.create(path / "game.jsonl", Header("kkori", "chinese", PLAYERS, options), ticking())
    session.start_round(starter="Cy")
    session.play((5, 6), "R", by="Cy")
    session.end_round("blocked_declared")
    session.show_hand("Ann", [(6, 6), (4, 6)])
    session.show_hand("Ben", [(1, 6)])
    events = session.show_hand("Cy", [(1, 1)])
    return next(event for event in events if isinstance(event, RoundScored))


def test_the_winner_leads_the_next_deal(tmp_path: Path) -> None:
    assert scored(tmp_path, {}).next_starter == "Cy"


def test_a_house_may_let_the_lead_go_round(tmp_path: Path) -> None:
    assert scored(tmp_path, {"next_leader": "rotate"}).next_starter == "Ann"


def test_where_the_holder_of_2_5_leads_nobody_is_named_before_the_deal(tmp_path: Path) -> None:
    assert scored(tmp_path, {"next_leader": "holder_of_2:5"}).next_starter is None


@pytest.mark.parametrize("seed", range(4))
def test_bots_let_the_holder_of_2_5_lead(seed: int) -> None:
    game = BotGame(load_ruleset("kkori", {"next_leader": "holder_of_2:5"}), 3, seed, set_max=6)
    for played in game.rounds():
        assert Tile(2, 5) in played.dealt[played.starter]
        for _ in played.turns():
            pass
