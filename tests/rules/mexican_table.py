"""A small table in the notation, and the rulings on it as plain sets: what the tests of the Mexican judge speak."""

from __future__ import annotations

from typing import Any

from companion.rules.mexican.judge import judge_state, judge_turn
from companion.rules.notation import parse_action, parse_chain, parse_delta, parse_laid
from companion.rules.position import Position
from companion.rules.ruleset import load_ruleset
from companion.tracking.exact import infer

BASE: dict[str, Any] = {
    "set": 12,
    "players": ["Ann", "Ben", "Cy"],
    "engine": "12-12",
    "trains": {"Ann": "12-4 4-9", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6"},
    "markers": [],
    "open": [],
    "turn": "Cy",
    "first_turn": False,
    "boneyard": 31,
}
UNSTARTED = {"Ann": "", "Ben": "", "Cy": "", "MX": ""}


def table(**changes: Any) -> Position:
    state = {**BASE, **changes}
    trains = {**UNSTARTED, **state["trains"]}
    return Position(
        set_max=state["set"],
        players=tuple(state["players"]),
        engine=parse_laid(state["engine"]),
        trains={name: parse_chain(chain) for name, chain in trains.items()},
        markers=frozenset(state["markers"]),
        open=tuple(state["open"]),
        flipped=frozenset(state.get("flipped", ())),
        turn=state["turn"],
        first_turn=state["first_turn"],
        boneyard=state["boneyard"],
        hands=state.get("hands", {}),
        round=state.get("round"),
        first_engine=state.get("first_engine"),
    )


def codes(
    rules: str, action: str, *, options: dict[str, Any] | None = None, ended: bool = False, **changes: Any
) -> set[str]:
    """The certain faults of the turn."""
    ruling = judge_turn(load_ruleset(rules, options), table(**changes), parse_action(action), after_round_end=ended)
    return {str(code) for code in ruling.codes}


def may(rules: str, action: str, *, options: dict[str, Any] | None = None, **changes: Any) -> set[str]:
    ruling = judge_turn(load_ruleset(rules, options), table(**changes), parse_action(action))
    return {str(code) for code in ruling.may}


def seen(rules: str, *, options: dict[str, Any] | None = None, **changes: Any) -> set[str]:
    """The certain faults of the table in one frame."""
    return {str(code) for code in judge_state(load_ruleset(rules, options), table(**changes)).codes}


def stories(rules: str, delta: list[str], expected: str, **changes: Any) -> tuple[bool, set[str]]:
    inference = infer(load_ruleset(rules), table(**changes), parse_delta(delta), expected)
    return inference.explainable, set(inference.explanations)
