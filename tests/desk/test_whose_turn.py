"""The page says whose turn the belief has: the record of a watched round follows the turns of the likeliest way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.rules.position import LinePosition
from datasets.simulator.camera import VISIBLE_FAULTS, SimSettings
from datasets.simulator.room import BlankFilm


class Followed(Game):
    """Notes after each change whose turn it is on the page and in the belief."""

    movers: list[tuple[str, str]]

    def observe(self, *args: Any, **named: Any) -> Any:
        events = super().observe(*args, **named)
        state = self.history.last.belief.likeliest.state if self.phase == "playing" else None
        if state is not None and not state.anyone and not state.lap:
            self.movers.append((self.snapshot().turn or "", _mover(state)))
        return events


def _mover(state: Any) -> str:
    if isinstance(getattr(state, "table", None), LinePosition):
        return str(state.table.after(state.table.turn) if state.done else state.table.turn)
    turn = state.turn
    over = state.acted and (turn.complete or state.put_on)
    return str(state.resume or turn.position.after(turn.player) if over else turn.player)


@pytest.mark.parametrize("rules, seed", [("tactic", 98700), ("reeves", 98701), ("cz", 7702), ("chedeng", 7705)])
def test_the_page_says_whose_turn_the_belief_has(rules: str, seed: int, tmp_path: Path) -> None:
    settings = SimSettings(rules=rules, players=4, plant=VISIBLE_FAULTS, plants=2, most_scenes=40)
    camera = UnfilmedRound(seed, settings, BlankFilm)
    session = Followed.create(tmp_path / "g.jsonl", camera.setup().header)
    assert isinstance(session, Followed)
    session.movers = []
    ToldTable(camera).tell(session)
    session.close()
    assert len(session.movers) > 10
    assert [one for one in session.movers if one[0] != one[1]] == []
