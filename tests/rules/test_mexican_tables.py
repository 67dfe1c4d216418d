"""Tables seen in one frame, dead doubles and blocks, and what happened between two still tables."""

from __future__ import annotations

import pytest

from companion.rules.mexican.turn import dead_status, provably_blocked
from companion.rules.ruleset import load_ruleset
from tests.rules.mexican_table import seen, stories, table

DEAD = {
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-1 1-5 5-2 2-3 3-4 4-2 2-2", "Ben": "6-0 0-2"},
    "open": ["Ann"],
    "turn": "Ben",
}
BLOCKED = {
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-2 2-1 1-4 4-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"},
    "turn": "Ann",
}


def test_a_good_table_is_possible() -> None:
    assert seen("tactic") == set()


def test_every_fault_of_a_table_is_named() -> None:
    assert seen("tactic", engine="12-11") == {"ENGINE_NOT_DOUBLE"}
    assert seen("reeves", engine="11-11", trains={"Ann": "11-3"}, round=1) == {"WRONG_ENGINE"}
    assert seen("reeves", engine="11-11", trains={"Ann": "11-3"}, round=2) == set()
    assert seen("tactic", trains={"Ann": "12-4", "MX": "12-5", "MX2": "12-6"}) == {"SECOND_MEXICAN"}
    assert seen("cz", trains={"Ann": "12-4 4-9", "Ben": "12-9 9-4"}) == {"DUPLICATE_TILE"}
    assert seen("cz", trains={"Ann": "12-14"}) == {"TILE_NOT_IN_SET"}


def test_round_three_of_a_double_nine_game() -> None:
    """docs/judge.md: 7-7 is due in round three; a wrong root and two tiles that do not meet."""
    trains = {"Ann": "7-0 0-4 4-4 4-7", "Ben": "7-1 2-5", "Cy": "6-6"}
    assert seen("reeves", set=9, round=3, engine="7-7", trains=trains) == {"MISMATCH", "WRONG_ROOT"}


def test_a_flip_is_judged_from_the_table() -> None:
    flipped = {**DEAD, "open": [], "flipped": ["Ann"]}
    assert seen("poltava", **flipped) == set()
    assert seen("tactic", **flipped) == {"FLIP_NOT_IN_RULES"}
    early = {**flipped, "trains": {"Ann": "6-2 2-2"}}
    assert seen("poltava", **early) == {"WRONG_FLIP"}


@pytest.mark.parametrize(
    ("ben", "train", "status"), [("6-0 0-2", "Ann", "certain"), ("6-0", "Ann", "possible"), ("6-0 0-2", "Ben", "no")]
)
def test_a_double_is_dead_when_its_whole_suit_lies_there(ben: str, train: str, status: str) -> None:
    assert dead_status(table(**{**DEAD, "trains": {**DEAD["trains"], "Ben": ben}}), train) == status


def test_a_block_is_proved_by_exhausted_ends() -> None:
    assert provably_blocked(load_ruleset("poltava"), table(**BLOCKED))


def test_a_mexican_train_not_yet_started_can_still_free_the_table() -> None:
    trains = {**BLOCKED["trains"], "MX": ""}
    assert not provably_blocked(load_ruleset("poltava"), table(**{**BLOCKED, "trains": trains}))


def test_where_dead_doubles_lock_one_is_enough() -> None:
    assert provably_blocked(load_ruleset("cz"), table(**DEAD))
    assert not provably_blocked(load_ruleset("tactic"), table(**DEAD))


@pytest.mark.parametrize(
    ("order", "dead_first", "dead_last"), [("fifo", True, False), ("lifo", False, True), ("either", False, False)]
)
def test_a_locked_table_is_blocked_only_if_no_double_that_is_due_can_be_covered(
    order: str, dead_first: bool, dead_last: bool
) -> None:
    rules = load_ruleset("tactic", {"dead_double": "blocks", "close_order": order})
    beside = {**DEAD, "trains": {**DEAD["trains"], "Cy": "6-4 4-4"}}
    assert provably_blocked(rules, table(**{**beside, "open": ["Ann", "Cy"]})) is dead_first
    assert provably_blocked(rules, table(**{**beside, "open": ["Cy", "Ann"]})) is dead_last


def test_a_pass_in_between_explains_a_later_players_tile() -> None:
    told = stories("reeves", ["+10-3@Ben"], "Ann", boneyard=0, markers=["Ann"])
    assert told == (True, {"Ann: pass; Ben: play 10-3@Ben"})


def test_every_faultless_story_is_told() -> None:
    told = stories("tactic", ["boneyard-1", "+10-10@Ben", "mark Ben", "+10-3@Ben"], "Ben")
    assert told == (
        True,
        {
            "Ben: play 10-10@Ben, draw, mark; Cy: play 10-3@Ben",
            "Ben: draw, mark; Cy: play 10-10@Ben, play 10-3@Ben",
        },
    )


def test_what_the_cheapest_faulty_stories_do_not_share_is_one_of() -> None:
    told = stories("reeves", ["-mark Cy", "+8-3@Cy", "+3-0@Cy"], "Cy", markers=["Cy"])
    assert told == (False, {"!CLOSED_TRAIN by Ann", "!EXTRA_TILE by Cy"})


def test_a_tile_by_somebody_else_is_out_of_turn() -> None:
    explainable, told = stories("tactic", ["+9-2@Ann"], "Cy")
    assert not explainable
    assert "!OUT_OF_TURN by Ann" in told


def test_a_vanished_tile_names_nobody() -> None:
    assert stories("tactic", ["-1-8@Cy"], "Cy") == (False, {"!TILE_MOVED by ?"})


def test_no_change_needs_no_story() -> None:
    assert stories("tactic", [], "Cy") == (True, set())


def test_draws_from_a_stack_are_assumed_where_a_turn_needs_them() -> None:
    told = stories("tactic", ["mark Cy"], "Cy", boneyard=None)
    assert told == (True, {"Cy: draw, mark"})


LAP_ONE = {"trains": {}, "first_turn": True, "turn": "Ann"}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (["+12-3@Cy"], {"Cy: play 12-3@Cy"}),
        (["+12-3@Cy", "+12-5@Ben", "+3-0@Cy"], {"Ben: play 12-5@Ben; Cy: play 12-3@Cy, play 3-0@Cy"}),
        (["mark Ben", "+12-3@Cy"], {"Ben: mark; Cy: play 12-3@Cy"}),
        (["+12-3@Cy", "+3-3@Cy", "boneyard-1", "mark Cy"], {"Cy: play 12-3@Cy, play 3-3@Cy, draw, mark"}),
    ],
)
def test_in_cz_first_trains_are_laid_in_any_order(changes: list[str], found: set[str]) -> None:
    """001: «mohou hrát všichni současně»."""
    assert stories("cz", changes, "Ann", **LAP_ONE) == (True, found)


def test_in_cz_a_first_train_goes_on_while_others_begin_theirs() -> None:
    begun = {**LAP_ONE, "trains": {"Ann": "12-4"}}
    assert stories("cz", ["+4-9@Ann", "+12-3@Cy"], "Ben", **begun) == (True, {"Cy: play 12-3@Cy; Ann: play 4-9@Ann"})


def test_in_cz_what_belongs_to_no_first_train_is_anybodys_fault_until_all_have_begun() -> None:
    too_early = {f"!MX_TOO_EARLY by {name}" for name in ("Ann", "Ben", "Cy")}
    assert stories("cz", ["+12-6@MX"], "Ann", **LAP_ONE) == (False, too_early)
    all_but_ann = {**LAP_ONE, "trains": {"Ben": "12-5", "Cy": "12-8"}}
    assert stories("cz", ["+12-6@MX"], "Ann", **all_but_ann) == (False, {*too_early, "!MARKER_MISSING by Ann"})
    assert stories("cz", ["+12-4@Ann", "+12-6@MX"], "Ann", **all_but_ann)[0]


def test_in_cz_either_of_two_who_laid_the_same_tile_may_be_the_one() -> None:
    _, found = stories("cz", ["+12-3@Cy", "+12-3@Ben"], "Ann", **LAP_ONE)
    assert found == {"!DUPLICATE_TILE by Ben", "!DUPLICATE_TILE by Cy"}


def test_elsewhere_first_trains_are_laid_one_after_the_other() -> None:
    found = stories("poltava", ["+12-3@Cy"], "Ann", **LAP_ONE)
    assert found == (False, {"!FIRST_TURN_OWN_ONLY by Ann", "!OUT_OF_TURN by Cy"})
