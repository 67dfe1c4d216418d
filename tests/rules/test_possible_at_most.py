"""Where a text contradicts itself, says only "may" or leaves it to custom, a fault is possible and never certain."""

from __future__ import annotations

from typing import Any

import pytest

from companion.judge_api.questions import answer as answer_of
from companion.rules.mexican.turn import open_codes
from companion.rules.ruleset import load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.violations import Violation

TABLE = {
    "set": 12, "players": ["Ann", "Ben", "Cy"], "engine": "12-12", "markers": [], "turn": "Ann", "first_turn": False,
    "trains": {"Ann": "12-4 4-4", "Ben": "12-10 10-10", "Cy": "12-1 1-1", "MX": "12-6"}, "open": ["Ann", "Cy", "Ben"],
    "boneyard": 31,
}  # fmt: skip


def answer(action: str, *, rules: str = "reeves", options: dict[str, Any] | None = None, **state: Any) -> Any:
    question = {"id": 1, "kind": "turn", "rules": rules, "options": options or {}, "action": action}
    found = answer_of({**question, "state": {**TABLE, **state}})
    return found["verdict"], set(found["codes"]), set(found["may"])


@pytest.mark.parametrize(
    ("play", "codes", "may"),
    [("4-0@Ann", set(), {"DOUBLE_ORDER"}), ("1-0@Cy", {"DOUBLE_ORDER"}, {"CLOSED_TRAIN"}), ("10-0@Ben", set(), set())],
)
def test_where_closing_in_reverse_is_a_may(play: str, codes: set[str], may: set[str]) -> None:
    assert answer(f"play {play}; end", options={"order": "either"})[1:] == (codes, may)


@pytest.mark.parametrize(("play", "codes"), [("4-0@Ann", {"DOUBLE_ORDER"}), ("10-0@Ben", set())])
def test_a_house_that_closes_in_reverse_has_settled_it(play: str, codes: set[str]) -> None:
    assert answer(f"play {play}; end", options={"order": "lifo"})[1:] == (codes, set())


@pytest.mark.parametrize("fines", [1, 2, 3])
@pytest.mark.parametrize("house", [0, 1, 2])
@pytest.mark.parametrize("rules", ["reeves", "tactic"])
def test_the_house_says_how_many_tiles_a_missed_announcement_costs(rules: str, house: int, fines: int) -> None:
    action = "play 6-0@MX; " + "draw; " * fines + "end"
    found = answer(action, rules=rules, options={"announce_penalty": house}, open=[], hands={"Ann": 2})
    assert found[1:] == ((set(), set()) if fines <= house else ({"EXTRA_DRAW"}, set()))


@pytest.mark.parametrize("asked", [{"hands": {"Ann": 3}}, {}, {"rules": "poltava", "hands": {"Ann": 2}}])
def test_an_extra_draw_with_more_tiles_or_without_an_announcement_is_one(asked: dict[str, Any]) -> None:
    assert answer("play 6-0@MX; draw; end", **{"open": [], **asked})[1] == {"EXTRA_DRAW"}


def test_the_penalty_is_none_one_or_two_tiles() -> None:
    with pytest.raises(RuleSetError, match="announce_penalty: expected a whole number from 0 to 2"):
        load_ruleset("tactic", {"announce_penalty": 3})


def test_a_text_that_contradicts_itself_accuses_nobody_for_certain() -> None:
    hidden = {Violation.NEEDLESS_DRAW, Violation.PASSED_WITH_PLAYABLE}
    assert hidden <= open_codes(load_ruleset("reeves"))
    assert not hidden & open_codes(load_ruleset("tactic"))
    assert not hidden & open_codes(load_ruleset("reeves", {"may_decline": False}))
    question = {"id": 1, "kind": "audit", "rules": "reeves", "decision": "draw", "ends": [5, 12]}
    found = answer_of({**question, "later_played": ["5-5"], "declared": ["1-12"], "draws_after": 1})
    assert (found["status"], found["offence"]) == ("certain", True)
