"""Examples of every question and of the sources (docs/rules.md 11), as they stand there.

Where an example writes no `may`, none is asked for.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.judge_api.questions import answer
from tests.rules.mexican_table import BASE

DOUBLE_FOURS = {
    **BASE,
    "trains": {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "", "MX": "12-6 6-6"},
    "open": ["MX", "Ann"],
}
SEVEN_TWOS = {
    **BASE,
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-1 1-5 5-2 2-3 3-4 4-2 2-2", "Ben": "6-0 0-2", "Cy": "", "MX": ""},
    "open": ["Ann"],
}
BLOCKED = {
    **BASE,
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-2 2-1 1-4 4-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"},
    "open": [],
}
FOUR = ["Ann", "Ben", "Cy", "Dee"]

LEGAL = {"verdict": "legal", "codes": [], "may": []}


def illegal(*codes: str) -> dict[str, Any]:
    return {"verdict": "illegal", "codes": sorted(codes), "may": []}


def ask(kind: str, rules: str, **fields: Any) -> dict[str, Any]:
    told = answer({"id": 7, "kind": kind, "rules": rules, **fields})
    assert told.pop("id") == 7
    return told


EXAMPLES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (
        "turn",
        "cz",
        {"state": {**BASE, "turn": "Ben", "markers": ["Cy"]}, "action": "draw; play 8-3@Cy; end"},
        LEGAL,
    ),
    (
        "turn",
        "tactic",
        {"state": BASE, "action": "play 9-2@Ann; mark Cy; end"},
        illegal("CLOSED_TRAIN", "MARKER_UNEARNED"),
    ),
    (
        "turn",
        "reeves",
        {"state": BASE, "action": "end"},
        {"verdict": "illegal", "codes": ["MARKER_MISSING", "NO_DRAW"]},
    ),
    ("turn", "poltava", {"state": DOUBLE_FOURS, "action": "play 4-0@Ann; end"}, LEGAL),
    (
        "turn",
        "tactic",
        {"state": DOUBLE_FOURS, "action": "play 4-0@Ann; end"},
        {"verdict": "illegal", "codes": ["DOUBLE_ORDER"]},
    ),
    (
        "state",
        "reeves",
        {
            "state": {
                **BASE,
                "set": 9,
                "round": 3,
                "engine": "7-7",
                "trains": {"Ann": "7-0 0-4 4-4 4-7", "Ben": "7-1 2-5", "Cy": "6-6", "MX": ""},
            }
        },
        illegal("MISMATCH", "WRONG_ROOT"),
    ),
    ("setup", "poltava", {"set": 12, "players": 5}, {"hand": 12, "boneyard": 30, "verdict": "ok"}),
    ("setup", "cz", {"set": 9, "players": 4}, {"hand": 15, "boneyard": -6, "verdict": "impossible"}),
    ("dead", "reeves", {"state": SEVEN_TWOS, "train": "Ann"}, {"status": "certain"}),
    (
        "dead",
        "reeves",
        {"state": {**SEVEN_TWOS, "trains": {**SEVEN_TWOS["trains"], "Ben": "6-0"}}, "train": "Ann"},
        {"status": "possible"},
    ),
    ("dead", "reeves", {"state": SEVEN_TWOS, "train": "Ben"}, {"status": "no"}),
    ("block", "poltava", {"state": BLOCKED}, {"provable": True}),
    (
        "block",
        "poltava",
        {"state": {**BLOCKED, "trains": {**BLOCKED["trains"], "MX": ""}}},
        {"provable": False},
    ),
    (
        "score",
        "cz",
        {"mode": "penalty", "hands": {"Ann": [], "Ben": ["0-0", "7-1"]}},
        {"scores": {"Ann": 0, "Ben": 58}},
    ),
    ("score", "tactic", {"hands": {"Ann": [], "Ben": ["0-0", "7-1"]}}, {"scores": {"Ann": 0, "Ben": 8}}),
    (
        "score",
        "cz",
        {"mode": "winner_takes", "end": "blocked", "hands": {"Ann": ["4-4"], "Ben": ["1-0", "2-3"]}},
        {"scores": {"Ann": 0, "Ben": 8}},
    ),
    ("match", "reeves", {"totals": {"Ann": 210, "Ben": 188, "Cy": 188}}, {"winner": ["Ben", "Cy"]}),
    (
        "round_end",
        "poltava",
        {"order": FOUR, "lap": 1, "moved": ["Ann"], "out": "Ann"},
        {"ends_now": False, "remaining_turns": ["Ben", "Cy", "Dee"]},
    ),
    ("announce", "tactic", {"hand_after": 3}, {"required": False, "form": None}),
    (
        "audit",
        "poltava",
        {
            "decision": "pass",
            "ends": [6],
            "later_played": ["6-1", "2-6", "3-3"],
            "declared": [],
            "draws_after": 2,
        },
        {"code": "PASSED_WITH_PLAYABLE", "status": "possible", "offence": True},
    ),
    (
        "audit",
        "tactic",
        {"decision": "draw", "ends": [5, 12], "later_played": ["5-5"], "declared": ["1-12"], "draws_after": 1},
        {"code": "NEEDLESS_DRAW", "status": "certain", "offence": True},
    ),
    (
        "inference",
        "reeves",
        {
            "before": {**BASE, "boneyard": 0, "markers": ["Ann"]},
            "delta": ["+10-3@Ben"],
            "expected_player": "Ann",
        },
        {"explainable": True, "explanations": ["Ann: pass; Ben: play 10-3@Ben"]},
    ),
    (
        "inference",
        "tactic",
        {
            "before": BASE,
            "delta": ["boneyard-1", "+10-10@Ben", "mark Ben", "+10-3@Ben"],
            "expected_player": "Ben",
        },
        {
            "explainable": True,
            "explanations": [
                "Ben: play 10-10@Ben, draw, mark; Cy: play 10-3@Ben",
                "Ben: draw, mark; Cy: play 10-10@Ben, play 10-3@Ben",
            ],
        },
    ),
    (
        "inference",
        "reeves",
        {
            "before": {**BASE, "markers": ["Cy"]},
            "delta": ["-mark Cy", "+8-3@Cy", "+3-0@Cy"],
            "expected_player": "Cy",
        },
        {"explainable": False, "explanations": ["!CLOSED_TRAIN by Ann", "!EXTRA_TILE by Cy"]},
    ),
    ("cn_turn", "chedeng", {"state": {"players": FOUR, "line": "2:6 6:4"}, "action": "play 4:4@R"}, LEGAL),
    (
        "cn_turn",
        "jielong",
        {"options": {"arms": 2}, "state": {"players": FOUR, "line": "3:6"}, "action": "play 1:2@L"},
        illegal("MISMATCH"),
    ),
    ("cn_setup", "kkori", {"players": 4}, {"verdict": "ok", "hand": 8, "tiles": 32, "unused": 0}),
    (
        "cn_setup",
        "kkori",
        {"hand": ["1:1", "2:2", "3:3", "4:4", "5:5", "6:6", "6:6", "1:2"]},
        {"verdict": "play"},
    ),
    (
        "cn_setup",
        "chedeng",
        {"hand": ["1:1", "2:2", "3:3", "4:4", "5:5", "6:6", "6:6", "1:2"]},
        {"verdict": "redeal"},
    ),
    (
        "cn_settle",
        "kkori",
        {"order": FOUR, "pips": {"Ann": 8, "Ben": 33, "Cy": 12, "Dee": 31}},
        {"result": {"Ann": 2, "Ben": -1, "Cy": 0, "Dee": -1}, "winner": "Ann"},
    ),
    (
        "cn_settle",
        "chedeng",
        {
            "order": FOUR,
            "pips": {"Ann": 9, "Ben": 0, "Cy": 41, "Dee": 9},
            "discards": {"Ann": 2, "Ben": 0, "Cy": 8, "Dee": 1},
        },
        {"result": {"Ann": 46, "Ben": 200, "Cy": -292, "Dee": 46}, "winner": "Ben"},
    ),
    (
        "cn_audit",
        "chedeng",
        {"ends": [5], "later_played": ["1:5"], "declared": ["2:2"], "draws_after": 0},
        {"code": "DISCARD_WITH_PLAYABLE", "status": "certain"},
    ),
    (
        "cn_block",
        "jielong",
        {"arms": 1, "line": "3:1 1:3 3:3 3:3 3:2 2:4 4:3 3:5 5:6 6:3"},
        {"provable": True},
    ),
]


@pytest.mark.parametrize(("kind", "rules", "fields", "expected"), EXAMPLES)
def test_the_example_is_answered_as_written(
    kind: str, rules: str, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    told = ask(kind, rules, **fields)
    for each in (told, expected):
        if "explanations" in each:
            each["explanations"] = sorted(each["explanations"])
    if "may" not in expected:
        told.pop("may", None)
    assert told == expected


def test_the_contract_s_example_is_answered_as_written() -> None:
    state = {
        "set": 12,
        "players": ["Ann", "Ben"],
        "engine": "12-12",
        "trains": {"Ann": "12-3", "Ben": "12-8", "MX": ""},
        "markers": [],
        "open": [],
        "turn": "Ann",
        "first_turn": False,
        "boneyard": 40,
    }
    asked = {"id": 1, "kind": "turn", "rules": "tactic", "state": state, "action": "play 8-1@Ben; end"}
    assert answer(asked) == {"id": 1, "verdict": "illegal", "codes": ["CLOSED_TRAIN"], "may": []}


def test_the_czech_leaflet_s_worked_round() -> None:
    hands = {"A": [], "B": ["6-5", "4-2"], "C": ["2-1", "3-3", "9-11"]}
    assert ask("score", "cz", hands=hands) == {"scores": {"A": 0, "B": 17, "C": 29}}
    assert ask("score", "cz", hands=hands, mode="winner_takes") == {"scores": {"A": 46, "B": 0, "C": 0}}


def test_the_boxed_game_s_worked_tiles() -> None:
    assert ask("score", "tactic", hands={"A": [], "B": ["5-7"], "C": ["9-9"]}) == {"scores": {"A": 0, "B": 12, "C": 18}}


def test_the_ukrainian_settlement_with_its_slip_put_right() -> None:
    pips = {"Kateryna": 2, "Serhii": 12, "Andrii": 34, "Hanna": 18}
    assert ask("cn_settle", "jielong", order=list(pips), pips=pips) == {
        "result": {"Kateryna": 58, "Serhii": 18, "Andrii": -70, "Hanna": -6},
        "winner": "Kateryna",
    }


def test_the_ukrainian_deals_add_up() -> None:
    assert [ask("cn_setup", "kkori", players=n) for n in (3, 2)] == [
        {"verdict": "ok", "hand": 8, "tiles": 24, "unused": 0},
        {"verdict": "ok", "hand": 12, "tiles": 24, "unused": 0},
    ]
    assert [ask("cn_setup", "jielong", players=n) for n in (3, 2)] == [
        {"verdict": "ok", "hand": 10, "tiles": 32, "unused": 2},
        {"verdict": "ok", "hand": 16, "tiles": 32, "unused": 0},
    ]
    assert ask("cn_setup", "chedeng", players=3) == {
        "verdict": "players_must_be_4",
        "hand": None,
        "tiles": None,
        "unused": None,
    }
