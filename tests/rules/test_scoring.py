"""Dealing, scoring, winning, ending: docs/rules.md sections 2.1, 2.6, 10 and 11."""

from __future__ import annotations

import pytest

from companion.rules.mexican.judge import (
    Deal,
    RoundEnd,
    ScoringError,
    announcement,
    deal,
    engine_due,
    last_round,
    match_winners,
    pips,
    round_end,
    score,
)
from companion.rules.referee import undealt
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Tile

TACTIC, REEVES, CZ, POLTAVA = (load_ruleset(name) for name in ("tactic", "reeves", "cz", "poltava"))


def tiles(text: str) -> list[Tile]:
    return [Tile(*map(int, word.split("-"))) for word in text.split()]


@pytest.mark.parametrize(
    ("rules", "set_max", "players", "expected"),
    [
        (POLTAVA, 12, 5, Deal(12, 30, "ok")),
        (POLTAVA, 9, 6, Deal(9, 0, "ok_empty_boneyard")),
        (POLTAVA, 9, 7, Deal(7, 5, "ok")),
        (POLTAVA, 9, 8, Deal(7, -2, "impossible")),
        (POLTAVA, 9, 9, Deal(None, None, "unsupported")),
        (POLTAVA, 12, 10, Deal(8, 10, "ok")),
        (CZ, 9, 4, Deal(15, -6, "impossible")),
        (CZ, 12, 6, Deal(11, 24, "ok")),
        (CZ, 12, 9, Deal(None, None, "unsupported")),
        (REEVES, 12, 7, Deal(10, 20, "ok")),
        (REEVES, 9, 4, Deal(10, 14, "ok")),
        (REEVES, 15, 9, Deal(None, None, "unsupported")),
        (TACTIC, 12, 8, Deal(9, 18, "ok")),
        (TACTIC, 9, 4, Deal(10, 14, "ok_quick")),
        (TACTIC, 9, 5, Deal(None, None, "unsupported")),
        (TACTIC, 12, 1, Deal(None, None, "unsupported")),
    ],
)
def test_a_round_is_dealt_by_the_hand_table(rules, set_max: int, players: int, expected: Deal) -> None:
    assert deal(rules, set_max, players) == expected


def test_tiles_cost_their_pips_and_the_double_blank_its_own_price() -> None:
    assert pips(TACTIC, tiles("5-7")) == 12
    assert pips(TACTIC, tiles("9-9")) == 18
    assert [pips(rules, tiles("0-0 7-1")) for rules in (TACTIC, POLTAVA, REEVES, CZ)] == [8, 8, 58, 58]


def test_by_penalty_everybody_writes_the_own_pips() -> None:
    hands = {"A": [], "B": tiles("6-5 4-2"), "C": tiles("2-1 3-3 9-11")}
    assert score(CZ, hands) == {"A": 0, "B": 17, "C": 29}


def test_the_winner_takes_the_pips_of_all_others() -> None:
    hands = {"A": [], "B": tiles("6-5 4-2"), "C": tiles("2-1 3-3 9-11")}
    assert score(CZ, hands, mode="winner_takes") == {"A": 46, "B": 0, "C": 0}
    assert score(load_ruleset("cz", {"scoring": "winner_takes"}), hands) == {"A": 46, "B": 0, "C": 0}
    assert score(CZ, {"A": tiles("1-1"), "B": tiles("6-5")}, mode="winner_takes", out="A") == {"A": 11, "B": 0}


def test_a_winner_who_takes_must_be_known() -> None:
    with pytest.raises(ScoringError, match="who went out"):
        score(CZ, {"A": tiles("1-1"), "B": tiles("6-5")}, mode="winner_takes")


def test_the_lowest_hand_wins_a_blocked_czech_round() -> None:
    hands = {"Ann": tiles("4-4"), "Ben": tiles("1-0 2-3")}
    assert score(CZ, hands, blocked=True) == {"Ann": 8, "Ben": 0}
    assert score(CZ, hands, blocked=True, mode="winner_takes") == {"Ann": 0, "Ben": 8}
    assert score(TACTIC, hands, blocked=True) == {"Ann": 8, "Ben": 6}


def test_all_who_share_the_lowest_sum_win_a_blocked_czech_round() -> None:
    hands = {"Ann": tiles("4-4"), "Ben": tiles("5-3"), "Cy": tiles("0-0")}
    assert score(CZ, hands, blocked=True) == {"Ann": 0, "Ben": 0, "Cy": 50}
    assert score(CZ, hands, blocked=True, mode="winner_takes") == {"Ann": 50, "Ben": 50, "Cy": 0}


def test_the_lowest_total_wins_the_match_and_a_tie_is_shared() -> None:
    assert match_winners({"Ann": 210, "Ben": 188, "Cy": 188}, "penalty") == ("Ben", "Cy")
    assert match_winners({"Ann": 210, "Ben": 188}, "winner_takes") == ("Ann",)


def test_the_first_lap_is_finished_where_the_rules_say_so() -> None:
    order = ("Ann", "Ben", "Cy", "Dee")
    for rules in (POLTAVA, CZ):
        assert round_end(rules, order, lap=1, moved=["Ann"], out="Ann") == RoundEnd(False, ("Ben", "Cy", "Dee"))
        assert round_end(rules, order, lap=1, moved=order, out="Ann") == RoundEnd(True, ())
        assert round_end(rules, order, lap=2, moved=["Ann"], out="Ann") == RoundEnd(True, ())
    for rules in (TACTIC, REEVES):
        assert round_end(rules, order, lap=1, moved=["Ann"], out="Ann") == RoundEnd(True, ())
    assert round_end(POLTAVA, order, lap=1, moved=order, out=None) == RoundEnd(False, ())


def test_the_last_tile_is_announced_where_the_rules_say_so() -> None:
    assert [announcement(rules, 1) for rules in (TACTIC, REEVES, CZ, POLTAVA)] == ["tap", "tap_or_say", None, None]
    assert [announcement(TACTIC, count) for count in (0, 2, 3)] == [None, None, None]


def test_each_round_has_the_next_lower_engine() -> None:
    assert [engine_due(REEVES, 12, n) for n in (1, 2, 13)] == [12, 11, 0]
    assert engine_due(TACTIC, 12, 1, first_engine=9) == 9
    assert (last_round(CZ, 12), last_round(load_ruleset("cz", {"rounds": 12}), 12)) == (13, 12)
    assert last_round(POLTAVA, 9) == 10
    assert last_round(load_ruleset("tactic", {"first_engine": 9}), 12) == 10


@pytest.mark.parametrize(
    ("name", "set_max", "players", "says"),
    [
        ("poltava", 9, 8, "57 tiles would be needed for 8 players, and double-9 has 55"),
        ("cz", 9, 4, "61 tiles would be needed for 4 players, and double-9 has 55"),
        ("tactic", 9, 5, "tactic is dealt for 2, 3, 4 players, not for 5"),
        ("chedeng", None, 3, "chedeng is dealt for 4 players, not for 3"),
        ("jielong", None, 5, "jielong is dealt for 2, 3, 4 players, not for 5"),
    ],
)
def test_what_cannot_be_dealt_is_said_in_a_sentence(name: str, set_max: int | None, players: int, says: str) -> None:
    assert undealt(load_ruleset(name), set_max, players) == says


def test_what_can_be_dealt_or_has_no_table_is_not_refused() -> None:
    assert undealt(load_ruleset("poltava"), 9, 6) is None
    assert undealt(load_ruleset("poltava"), 12, 10) is None
    assert undealt(load_ruleset("kkori"), None, 2) is None
    assert undealt(load_ruleset("reeves"), 15, 10) is None
