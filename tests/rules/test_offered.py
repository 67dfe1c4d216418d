"""What the sources offer beside their main rules: plain points, chips, the end of a match, hands that a house names."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.events import Header
from companion.questions import answer
from companion.ruleset import load_ruleset
from companion.session import Session
from tests.desk.making import ticking

NAMES = ("Ann", "Ben", "Cy", "Dee")


def deal(session: Session, *pips: tuple[int, int]) -> None:
    """A whole deal in which everybody puts away one tile."""
    session.start_round(starter="Ann")
    session.end_round("blocked_declared")
    for name, tile in zip(NAMES, pips, strict=True):
        session.show_hand(name, [tile])


def test_plain_points_are_the_own_pips_and_the_fewest_win(tmp_path: Path) -> None:
    """002: «записувати очки та грати до певної кількості очок, або кількості партій»."""
    options = {"settlement": "points", "match_points": 20}
    session = Session.create(tmp_path / "g.jsonl", Header("jielong", "chinese", NAMES, options), ticking())
    deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
    assert session.scoreboard.totals == {"Ann": 3, "Ben": 11, "Cy": 10, "Dee": 4}
    assert session.phase == "scored"
    deal(session, (1, 2), (5, 6), (1, 1), (2, 2))
    assert session.phase == "over"
    assert session.scoreboard.winners == ("Ann",)


def test_a_match_of_so_many_deals_ends_by_itself(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("kkori", "chinese", NAMES, {"match_deals": 1}), ticking())
    deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
    assert session.phase == "over"
    assert session.scoreboard.winners == ("Ann",)


def test_without_an_agreement_the_table_says_when_a_chinese_match_ends(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("kkori", "chinese", NAMES), ticking())
    for _ in range(3):
        deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
        assert session.phase == "scored"
    session.end_match()
    assert session.phase == "over"


def test_in_poltava_a_single_round_is_won_by_whoever_finishes_first() -> None:
    """000: «Виграш стандартний - хто першим закінчив, або хто набрав менше очок»."""
    single = {"scoring": "first_out", "rounds": 1}
    hands = {"Ann": ["4-4"], "Ben": [], "Cy": ["0-0"]}
    question = {"id": 1, "kind": "score", "rules": "poltava", "options": single, "hands": hands}
    assert answer(question)["scores"] == {"Ann": 0, "Ben": 1, "Cy": 0}
    blocked = {**question, "hands": {"Ann": ["4-4"], "Ben": ["1-0"], "Cy": ["0-1", "1-1"]}, "end": "blocked"}
    assert answer(blocked)["scores"] == {"Ann": 0, "Ben": 1, "Cy": 0}
    totals = {"id": 1, "kind": "match", "rules": "poltava", "options": single, "totals": {"Ann": 0, "Ben": 1, "Cy": 0}}
    assert answer(totals)["winner"] == "Ben"


@pytest.mark.parametrize("players", [9, 12])
def test_in_reeves_a_house_names_the_hand_for_nine_to_twelve(players: int) -> None:
    """003: «9-12 প্লেয়ার/ডাবল-15 বা -18 সেট», without a number of tiles."""
    question = {"id": 1, "kind": "setup", "rules": "reeves", "set": 15, "players": players}
    assert answer(question)["verdict"] == "unsupported"
    assert answer({**question, "options": {"hand": 8}}) == {
        "id": 1, "hand": 8, "boneyard": 135 - 8 * players, "verdict": "ok",
    }  # fmt: skip
    assert load_ruleset("reeves", {"hand": 8}).players_allowed(15) == tuple(range(2, 13))


def test_a_session_of_twelve_is_dealt_from_a_double_eighteen_set(tmp_path: Path) -> None:
    many = tuple(f"P{number}" for number in range(12))
    session = Session.create(tmp_path / "g.jsonl", Header("reeves", "double-18", many, {"hand": 11}), ticking())
    session.start_round(starter="P0")
    assert session.snapshot()["boneyard"] == 189 - 132
