"""A round that ends in its first lap: a marker closes a first turn as a tile does."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.position import Position
from tests.shown import state_of

FOUR = ("Ann", "Ben", "Cy", "Dee")


def out_at_once(path: Path, rules: str, players: tuple[str, ...]) -> Game:
    """A table on which Ann has laid all her tiles, ten or fifteen, as her first train."""
    session = Game.create(path / "g.jsonl", Header(rules, "double-9", players), ticking())
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
    assert not [found for play in state_of(session)["plays"] for found in play["violations"]]
    for n, player in enumerate(players[1:]):
        session.show_hand(player, [(9, 5 + n)])
    assert session.phase == "scored" and session.scoreboard.totals["Ann"] == 0


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ("poltava", ("Cy", "Ben")),
        ("cz", ("Cy", "Ben")),
        ("poltava", ("Dee", "Ben", "Cy")),
        ("poltava", ("Dee", "Cy", "Ben")),
    ],
)
def test_a_marker_tapped_before_its_player_s_turn_counts_when_it_comes(
    tmp_path: Path, rules: str, order: tuple[str, ...]
) -> None:
    session = out_at_once(tmp_path, rules, FOUR[: len(order) + 1])
    for player in order:
        assert session.phase == "playing"
        session.mark(player)
    assert session.phase == "ended"
    assert not [found for play in state_of(session)["plays"] for found in play["violations"]]


@pytest.mark.parametrize("coins", [{0: "Ben"}, {0: "Cy"}, {2: "Cy"}, {2: "Ben", 4: "Cy"}, {2: "Cy", 4: "Ben"}])
def test_markers_tapped_while_a_first_train_is_laid_cost_nobody_anything(tmp_path: Path, coins: dict[int, str]) -> None:
    """Whether anybody answers or not: nothing is certain, and the points are those of the hands."""
    session = Game.create(tmp_path / "g.jsonl", Header("poltava", "double-9", FOUR[:3]), ticking())
    session.start_round(starter="Ann")
    chain = (9, 0, 1, 2, 0, 3, 1, 4, 0, 5, 1, 6, 2, 3, 4, 5)
    for n, tile in enumerate(pairwise(chain[: session.position.hands["Ann"] + 1])):  # type: ignore[union-attr]
        if n in coins:
            session.mark(coins[n])
        session.play(tile, "Ann", by="Ann")
    for player in ("Ben", "Cy"):
        if player not in coins.values():
            session.mark(player)
    if session.phase == "playing":
        session.end_round("out", out="Ann")
    for player, tile in (("Ben", (9, 8)), ("Cy", (9, 9))):
        session.show_hand(player, [tile])
    assert session.phase == "scored" and session.scoreboard.totals == {"Ann": 0, "Ben": 17, "Cy": 18}
    assert session.scoreboard.faults == (), "nor that the round ended in its first lap, while that hangs on an answer"


@pytest.mark.parametrize("rules", ["poltava", "tactic"])
def test_a_marker_tapped_before_its_player_s_turn_is_that_turn(tmp_path: Path, rules: str) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "double-9", FOUR[:3]), ticking())
    session.start_round(starter="Ann")
    session.play((9, 5), "Ann", by="Ann")
    session.mark("Cy")
    session.play((9, 7), "Ben", by="Ben")
    session.done("Ben")
    if rules == "tactic":
        session.draw("Cy")
    session.play((5, 1), "Ann", by="Ann")
    assert state_of(session)["turn"] == "Ben"
    assert not [found for play in state_of(session)["plays"] for found in play["violations"]]


def test_a_marker_put_on_after_a_tile_is_no_early_one(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("poltava", "double-9", FOUR[:3]), ticking())
    session.start_round(starter="Ann")
    for player, tile in (("Ann", (9, 5)), ("Ben", (9, 7))):
        session.play(tile, player, by=player)
    session.mark("Ben")
    for player, tile in (("Cy", (9, 3)), ("Ann", (5, 1))):
        session.play(tile, player, by=player)
    found = [one["code"] for play in state_of(session)["plays"] for one in play["violations"]]
    assert found == ["MARKER_UNEARNED"] and state_of(session)["turn"] == "Ben"


def test_a_first_train_that_may_go_on_ends_when_its_player_says_so(tmp_path: Path) -> None:
    session = out_at_once(tmp_path, "poltava", FOUR[:2])
    session.play((9, 8), "Ben", by="Ben")
    assert session.phase == "playing"
    session.done("Ben")
    assert session.phase == "ended"


def test_no_tile_is_lost_that_another_lays_on_a_first_train_that_goes_on(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("cz", "double-9", FOUR[:3]), ticking())
    session.start_round(starter="Ann")
    for tile, by in (((9, 1), "Ann"), ((1, 2), "Ben"), ((2, 3), "Ann")):
        session.play(tile, "Ann", by=by)
    position = session.position
    assert isinstance(position, Position) and [tuple(tile) for tile in position.trains["Ann"]] == [
        (9, 1),
        (1, 2),
        (2, 3),
    ]


def test_hands_shown_after_the_real_end_bring_no_counted_end_back(tmp_path: Path) -> None:
    session = out_at_once(tmp_path, "poltava", FOUR)
    for player in FOUR[1:]:
        session.mark(player)
    counted = next(play["seq"] for play in state_of(session)["plays"] if play["event"] == "round_ended")
    end = session.position.trains["Ann"][-1].outer  # type: ignore[union-attr]
    session.play((end, 8), "Ann", by="Ann")
    assert session.phase == "playing"
    session.end_round("out", "Ben")
    for n, player in enumerate(FOUR):
        if player != "Ben":
            session.show_hand(player, [(7, 5 + n)])
    shown = state_of(session)["plays"]
    assert [play["seq"] for play in shown if play["event"] == "round_ended" and play.get("withdrawn")] == [counted]
    assert "PLAY_AFTER_END" not in {found["code"] for play in shown for found in play.get("violations", ())}
