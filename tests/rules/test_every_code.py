"""Every code of docs/rules.md section 6 has a smallest example here; a code without one fails the last test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.game.course import DEALT, NO_LAST_TILE, reported
from companion.log.events import Announced
from companion.rules.audit import (
    AuditEntry,
    Reveal,
    Status,
    audit_round,
    count_is_inconsistent,
    is_false_block,
    lap_was_cut,
    unaccounted,
    wrong_scores,
)
from companion.rules.chinese import judge_turn as judge_line
from companion.rules.chinese import must_redeal, settle
from companion.rules.mexican.judge import score
from companion.rules.notation import parse_action, parse_chain
from companion.rules.position import Action, Discard, Draw, End, LinePosition, Position
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.tile import Laid, Tile, double_set
from companion.rules.violations import Violation
from tests.rules.mexican_table import codes, may, seen, stories

MATCH_DAY = {"Ann": "12-4", "Ben": "12-10", "Cy": "", "MX": ""}
OPEN_FOUR = {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "", "MX": "12-6 6-6"}


def turn(rules: str, action: str, **changes: object) -> Callable[[], set[str]]:
    return lambda: codes(rules, action, **changes)


def table(rules: str, **changes: object) -> Callable[[], set[str]]:
    return lambda: seen(rules, **changes)


def line(rules: str, chain: str, action: str) -> Callable[[], set[str]]:
    def judged() -> set[str]:
        position = LinePosition(players=("Ann", "Ben", "Cy", "Dee"), line=parse_chain(chain, ":"), turn="Ann")
        return {str(code) for code in judge_line(load_ruleset(rules), position, parse_action(action, ":")).codes}

    return judged


def told(rules: str, delta: list[str], expected: str) -> Callable[[], set[str]]:
    """The one code of the one story that explains the change."""

    def inferred() -> set[str]:
        explainable, found = stories(rules, delta, expected)
        assert not explainable
        return {story.removeprefix("!").split(" by ")[0] for story in found}

    return inferred


def revealed(rules: str, act: Action, *, strict: bool = False) -> Callable[[], set[str]]:
    """One decision of Ann's, who could have laid 4-7 and shows it at the end."""

    def audited() -> set[str]:
        could = frozenset({Tile(4, 7)})
        turned = {"Ann": [Tile(4, 7)]} if isinstance(act, Discard) else {}
        shown = () if turned else [Tile(4, 7), Tile(4, 8)]
        log = [AuditEntry("Ann", act, could | {Tile(4, 8)}, first_train=strict)]
        house = load_ruleset(rules, {"strict_first_train": True} if strict else None)
        found = audit_round(house, log, Reveal({"Ann": shown}, turned))
        return {str(finding.code) for finding in found if finding.status is Status.CERTAIN and finding.offence}

    return audited


def said(what: str, value: int | None = None) -> Callable[[], set[str]]:
    """Somebody says it of Ann, who has one tile left."""
    table = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": (), "Ben": (), "MX": ()}, hands={"Ann": 1})
    return lambda: {one.code for one in reported(TACTIC, table, Announced(by="Ann", what=what, value=value))}


def where(code: str, holds: Callable[[], bool]) -> Callable[[], set[str]]:
    return lambda: {code} if holds() else set()


POLTAVA, TACTIC, CHEDENG = load_ruleset("poltava"), load_ruleset("tactic"), load_ruleset("chedeng")

EXAMPLES: dict[Violation, Callable[[], set[str]]] = {
    Violation.WRONG_ENGINE: table("tactic", round=2),
    Violation.ENGINE_NOT_DOUBLE: table("tactic", engine="12-11", trains={}),
    Violation.TILE_NOT_IN_SET: turn("tactic", "play 8-13@Cy"),
    Violation.DUPLICATE_TILE: turn("tactic", "play 8-1@Cy"),
    Violation.MULTIPLICITY: line("jielong", "3:6", "play 6:3@R"),
    Violation.MISMATCH: turn("tactic", "play 7-3@Cy"),
    Violation.WRONG_ROOT: turn("tactic", "play 7-3@Cy", trains=MATCH_DAY),
    Violation.SECOND_MEXICAN: turn("tactic", "play 12-3@MX2"),
    Violation.HAND_SIZE: said(DEALT, 14),
    Violation.CLOSED_TRAIN: turn("tactic", "play 10-3@Ben"),
    Violation.FIRST_TURN_OWN_ONLY: turn("cz", "play 10-3@Ben", trains=MATCH_DAY, first_turn=True),
    Violation.MX_TOO_EARLY: turn("cz", "play 12-3@MX", trains=MATCH_DAY, first_turn=True),
    Violation.OPEN_DOUBLE_IGNORED: turn("tactic", "play 12-3@Cy", trains=OPEN_FOUR, open=["MX"]),
    Violation.DOUBLE_ORDER: turn("reeves", "play 4-0@Ann", trains=OPEN_FOUR, open=["MX", "Ann"]),
    Violation.EXTRA_NOT_ON_DOUBLE: turn("cz", "play 8-8@Cy; play 6-3@MX"),
    Violation.EXTRA_NOT_ON_FIRST_DOUBLE: turn("reeves", "play 8-8@Cy; play 6-6@MX; play 6-3@MX"),
    Violation.DOUBLE_NOT_FOLLOWED: turn("tactic", "play 8-8@Cy; end"),
    Violation.EXTRA_TILE: turn("tactic", "play 8-3@Cy; play 3-0@Cy"),
    Violation.DEAD_TRAIN: turn("poltava", "play 9-4@Ann", flipped=["Ann"], markers=["Ann"]),
    Violation.WRONG_FLIP: turn("poltava", "play 4-0@Ann; flip MX", trains=OPEN_FOUR, open=["MX", "Ann"]),
    Violation.FLIP_NOT_IN_RULES: turn("tactic", "play 8-3@Cy; flip MX"),
    Violation.TILE_MOVED: told("tactic", ["-1-8@Cy"], "Cy"),
    Violation.OUT_OF_TURN: where(
        "OUT_OF_TURN", lambda: "!OUT_OF_TURN by Ben" in stories("tactic", ["+10-3@Ben"], "Cy")[1]
    ),
    Violation.PLAY_AFTER_END: turn("tactic", "play 8-3@Cy", ended=True),
    Violation.MARKER_MISSING: turn("tactic", "draw; end"),
    Violation.MARKER_UNEARNED: turn("tactic", "play 8-3@Cy; mark Cy"),
    Violation.MARKER_REMOVED_WRONGLY: turn("tactic", "play 6-3@MX; unmark Cy", markers=["Cy"]),
    Violation.MARKER_NOT_REMOVED: turn("tactic", "play 8-3@Cy", markers=["Cy"]),
    Violation.MARKER_WRONG_TRAIN: turn("tactic", "play 8-3@Cy; mark Ben"),
    Violation.NO_DRAW: turn("tactic", "mark Cy; end"),
    Violation.EXTRA_DRAW: turn("tactic", "draw; draw; mark Cy"),
    Violation.DRAW_FIRST_TURN: turn("cz", "draw; mark Cy", trains=MATCH_DAY, first_turn=True),
    Violation.DRAW_FROM_EMPTY: turn("tactic", "draw; mark Cy", boneyard=0),
    Violation.NEEDLESS_DRAW: revealed("tactic", Draw()),
    Violation.PASSED_WITH_PLAYABLE: revealed("tactic", End()),
    Violation.FIRST_TRAIN_NOT_MAXIMAL: revealed("poltava", End(), strict=True),
    Violation.HAND_COUNT_INCONSISTENT: where(
        "HAND_COUNT_INCONSISTENT", lambda: count_is_inconsistent(dealt=15, drawn=1, laid=3, shown=12)
    ),
    Violation.UNACCOUNTED_TILE: where(
        "UNACCOUNTED_TILE", lambda: unaccounted(dict.fromkeys(double_set(1), 1), [Tile(1, 1)], {"Ann": []}, 1)
    ),
    Violation.ANNOUNCE_MISSING: said(NO_LAST_TILE),
    Violation.FIRST_LAP_NOT_FINISHED: where(
        "FIRST_LAP_NOT_FINISHED", lambda: lap_was_cut({"Ann"}, ("Ann", "Ben"), POLTAVA)
    ),
    Violation.FALSE_BLOCK: where(
        "FALSE_BLOCK", lambda: is_false_block(POLTAVA, {"Ann": [Tile(4, 7)]}, {"Ann": [Tile(4, 7)]}, 0)
    ),
    Violation.SCORE_ERROR: where(
        "SCORE_ERROR",
        lambda: wrong_scores({"Ann": 11, "Ben": 1}, score(TACTIC, {"Ann": [Tile(4, 7)], "Ben": []})) != (),
    ),
    Violation.SETTLEMENT_ERROR: where(
        "SETTLEMENT_ERROR",
        lambda: wrong_scores({"A": 3, "B": -4}, settle(CHEDENG, ("A", "B"), {"A": 1, "B": 5}).result) == ("A",),
    ),
    Violation.CLOSED_END: line("jielong", "3:6", "play 1:3@L"),
    Violation.PASS_WITHOUT_DISCARD: line("jielong", "3:6", "pass"),
    Violation.DISCARD_FACE_UP: line("jielong", "3:6", "discard faceup"),
    Violation.LEAD_MUST_PLAY: line("jielong", "", "discard"),
    Violation.DISCARD_WITH_PLAYABLE: revealed("jielong", Discard()),
    Violation.REDEAL_MISSED: where(
        "REDEAL_MISSED", lambda: must_redeal(CHEDENG, [Tile(n, n) for n in (1, 1, 2, 2, 3, 3, 4)])
    ),
}
"""Code -> a game in which exactly this code is certain."""

NEVER_CERTAIN: dict[Violation, str] = {
    Violation.DRAW_WHEN_BLOCKED: "only in `may`: nobody is accused of not having seen a block",
    Violation.MX_MARKER_MISSING: "a hint on the page, never in an answer",
    Violation.OPEN_END_UNDECLARED: "said or not said: only a person reports it (tests/rules/test_offered.py)",
}


@pytest.mark.parametrize("code", list(EXAMPLES))
def test_the_smallest_example_gives_this_code_alone(code: Violation) -> None:
    assert EXAMPLES[code]() == {str(code)}


def test_a_draw_from_a_blocked_table_is_a_possibility() -> None:
    trains = {"Ann": "6-2 2-2 2-1 1-4 4-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"}
    blocked = {"set": 6, "engine": "6-6", "trains": trains}
    assert may("poltava", "draw; mark Cy", **blocked) == {"DRAW_WHEN_BLOCKED"}
    assert codes("poltava", "draw; mark Cy", **blocked) == set()


def test_every_code_has_an_example_or_a_reason_why_it_is_never_certain() -> None:
    assert set(EXAMPLES) | set(NEVER_CERTAIN) == set(Violation)
    assert not set(EXAMPLES) & set(NEVER_CERTAIN)
    assert all(code.games and code.games <= set(RULESET_NAMES) for code in Violation)
