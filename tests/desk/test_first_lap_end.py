"""A round that ends in its first lap: a marker closes a first turn as a tile does."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from companion.game.session import Session
from companion.log.events import Header
from companion.rules.position import Position
from tests.desk.making import ticking

FOUR = ("Ann", "Ben", "Cy", "Dee")


def out_at_once(path: Path, rules: str, players: tuple[str, ...]) -> Session:
    """A table on which Ann has laid all her tiles, ten or fifteen, as her first train."""
    session = Session.create(path / "g.jsonl", Header(rules, "double-9", players), ticking())
    session.start_round(starter="Ann")
    hand = session.position.hands["Ann"]  # type: ignore[union-attr]
    chain = (9, 0, 1, 2, 0, 3, 1, 4, 0, 5, 1, 6, 2, 3, 4, 5)
    for inner, outer in pairwise(chain[: hand + 1]):
        session.play((inner, outer), "Ann", by="Ann")
    return session


@pytest.mark.parametrize(("rules", "players"), [("poltava", FOUR), ("poltava", FOUR[:2]), ("cz", FOUR[:3])])
def test_the_last_first_turn_is_a_marker_and_the_round_is_over(
    tmp_path: Path, rules: str, players: tuple[str, ...]
) -> None:
    session = out_at_once(tmp_path, rules, players)
    for player in players[1:]:
        assert session.phase == "playing"
        session.mark(player)
    assert session.phase == "ended"
    assert not [found for play in session.snapshot()["plays"] for found in play["violations"]]
    for n, player in enumerate(players[1:]):
        session.show_hand(player, [(9, 5 + n)])
    assert session.phase == "scored" and session.scoreboard.totals["Ann"] == 0


def test_a_first_train_that_may_go_on_ends_when_its_player_says_so(tmp_path: Path) -> None:
    session = out_at_once(tmp_path, "poltava", FOUR[:2])
    session.play((9, 8), "Ben", by="Ben")
    assert session.phase == "playing"
    session.done("Ben")
    assert session.phase == "ended"


def test_no_tile_is_lost_that_another_lays_on_a_first_train_that_goes_on(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("cz", "double-9", FOUR[:3]), ticking())
    session.start_round(starter="Ann")
    for tile, by in (((9, 1), "Ann"), ((1, 2), "Ben"), ((2, 3), "Ann")):
        session.play(tile, "Ann", by=by)
    position = session.position
    assert isinstance(position, Position) and [tuple(tile) for tile in position.trains["Ann"]] == [
        (9, 1),
        (1, 2),
        (2, 3),
    ]
