"""The exact setting of the belief's engine: both tables are as they are, every turn is over, every row is looked at."""

from __future__ import annotations

from typing import Any

from companion.rules.notation import parse_delta
from companion.rules.ruleset import load_ruleset
from companion.tracking.costs import ERRORS, Cause
from companion.tracking.evidence import Evidence, Pieces
from companion.tracking.exact import infer, state_of
from companion.tracking.mexican_rounds import MexicanState
from datasets.bots.watching import table_change
from tests.rules.mexican_table import table

FIRST_LAP = {
    "trains": {"Ann": "12-4", "Ben": "12-10", "Cy": "", "MX": ""},
    "turn": "Cy",
    "first_turn": True,
    "hands": {"Cy": 1},
}
"""Ann and Ben have had their first turns; Cy is about to, with one tile."""


def inferred(rules: str, delta: list[str], expected: str = "Cy", **changes: Any) -> tuple[bool, set[str]]:
    found = infer(load_ruleset(rules), table(**changes), parse_delta(delta), expected)
    return found.explainable, set(found.explanations)


def test_the_last_first_train_ends_the_round_when_it_takes_the_last_tile() -> None:
    assert inferred("poltava", ["+12-3@Cy"], **FIRST_LAP) == (True, {"Cy: play 12-3@Cy"})
    explainable, found = inferred("poltava", ["+12-3@Cy", "+4-9@Ann"], **FIRST_LAP)
    assert (explainable, found) == (False, {"!FIRST_TURN_OWN_ONLY by Cy", "!PLAY_AFTER_END by Ann"})


def test_while_somebody_has_not_begun_the_first_lap_goes_on_after_an_empty_hand() -> None:
    begun = {**FIRST_LAP, "trains": {"Ann": "", "Ben": "12-10", "Cy": "", "MX": ""}}
    assert inferred("poltava", ["+12-3@Cy", "+12-4@Ann"], **begun)[0]


def test_once_somebody_is_out_only_first_turns_are_still_due() -> None:
    """Cy was passed over in the first lap; then Ann goes out, and Ben lays on."""
    passed_over = {**FIRST_LAP, "turn": "Ann", "first_turn": False, "hands": {"Ann": 1}}
    explainable, found = inferred("poltava", ["+4-9@Ann", "+10-3@Ben"], "Ann", **passed_over)
    assert not explainable and "!PLAY_AFTER_END by Ben" in found


def test_no_half_was_misread_and_no_draw_missed() -> None:
    assert inferred("tactic", ["+7-2@Cy"]) == (False, {"!MISMATCH by Cy"})
    assert inferred("tactic", ["mark Cy"]) == (False, {"!NO_DRAW by Cy"})


def test_a_turn_that_is_not_over_yet_is_judged_as_if_it_were() -> None:
    assert inferred("reeves", ["+8-8@Cy"]) == (False, {"!DOUBLE_NOT_FOLLOWED by Cy"})


def test_a_marker_is_its_owners_where_the_row_reaches_him_and_else_the_last_ones() -> None:
    assert inferred("tactic", ["boneyard-1", "mark Ann", "+8-3@Cy"])[1] == {"Cy: play 8-3@Cy; Ann: draw, mark"}
    explainable, found = inferred("tactic", ["+8-3@Cy", "mark Ben"])
    assert not explainable
    assert found == {"!MARKER_WRONG_TRAIN by Cy", "!MARKER_MISSING+MARKER_WRONG_TRAIN+NO_DRAW by Ann"}


def test_of_errors_only_those_of_players_are_looked_for() -> None:
    """A hand counted down to none means that the round is over here, and nothing was miscounted."""
    of_players = {
        Cause.ILLEGAL, Cause.RARELY_ILLEGAL, Cause.ALSO_ILLEGAL, Cause.UNSETTLED_END, Cause.MISCOUNTED_HAND,
    }  # fmt: skip
    rules, lying = load_ruleset("reeves"), table()
    delta = parse_delta(["+7-2@Cy", "boneyard-1", "mark Cy", "mark Ann"])
    pieces = Pieces.of(Evidence.of(0, table_change(delta)))

    def assumed(state: MexicanState) -> set[Cause]:
        moves = [*state.moves(pieces, pieces.start, faults=True)]
        return {cause for move in moves for cause in move.step.causes} & ERRORS

    camera = {Cause.MISREAD, Cause.PHANTOM_DRAW, Cause.NO_MARKER, Cause.MISSED_DRAW, Cause.MARKER_NOT_SEEN}
    assert camera <= assumed(MexicanState(rules, lying, lying.turn))
    assert assumed(state_of(rules, lying)) <= of_players
