"""Faults that the tables alone prove: rulings on small rounds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench.provable import Planted, proofs
from companion.rules.notation import Change, parse_delta
from companion.rules.position import Mark, Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import Evidence
from datasets.bots.watching import table_change
from tests.tracking.rounds import dealt


def proved(
    changes: list[str],
    planted: Planted,
    *,
    rules: str = "reeves",
    weighed: bool = False,
    whose: Mapping[Change, str] | None = None,
) -> str:
    """The proof that these changes, each with its items separated by commas, give of a fault after the deal for Ann,
    Ben and Cy. `whose` names the arms that were clearly seen."""
    deltas = [parse_delta(item.strip() for item in change.split(",")) for change in changes]
    evidence = [Evidence.of(n, table_change(delta, whose=whose or {})) for n, delta in enumerate(deltas)]
    return proofs(load_ruleset(rules), dealt(), "Ann", evidence, [planted], weighed=weighed)[0]


FIRST_LAP = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"]


def test_a_closed_train_is_proved_once_the_others_go_on_in_turn() -> None:
    """Until then Cy may have laid it out of turn."""
    fault = Planted("CLOSED_TRAIN", "Ann", 3)
    changes = [*FIRST_LAP, "+3-5@Cy"]
    assert proved(changes, fault) == "open"
    assert proved([*changes, "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben", "+7-9@Cy", "+8-10@Ann"], fault) == "named"


def test_a_tile_that_does_not_fit_is_proved_whoever_laid_it() -> None:
    """Ann marks in silence after a draw that lies in the same picture, so that nobody knows who laid 5-6."""
    fault = Planted("MISMATCH", "Ann", 3, Play(Laid(5, 6), "MX"))
    assert proved([*FIRST_LAP, "boneyard-1, mark Ann, +5-6@MX"], fault) == "nameless"


def test_a_marker_that_another_turn_explains_is_open() -> None:
    """Ann may have passed and Ben may have laid on the train that she had just opened."""
    fault = Planted("MARKER_UNEARNED", "Ann", 3)
    assert proved([*FIRST_LAP, "boneyard-1, +1-4@Ann, mark Ann", "+2-5@Ben", "+3-6@Cy"], fault) == "open"


@pytest.mark.parametrize(
    ("tile", "marker", "found"),
    [("Ann", "Ann", "named"), ("Ann", None, "open"), (None, "Ann", "open"), ("Ben", "Ann", "open")],
)
def test_one_hand_over_tile_and_marker_excludes_the_other_turn(
    tile: str | None, marker: str | None, found: str
) -> None:
    fault = Planted("MARKER_UNEARNED", "Ann", 3)
    changes = [*FIRST_LAP, "boneyard-1, +1-4@Ann, mark Ann", "+2-5@Ben", "+3-6@Cy"]
    arms: dict[Change, str | None] = {Play(Laid(1, 4), "Ann"): tile, Mark("Ann"): marker}
    assert proved(changes, fault, whose={change: arm for change, arm in arms.items() if arm}) == found


def test_a_legal_round_proves_nothing() -> None:
    assert proved([*FIRST_LAP, "+1-4@Ann", "+2-5@Ben"], Planted("CLOSED_TRAIN", "Ann", 3)) == "open"


def test_a_turn_that_no_table_shows_proves_nothing() -> None:
    assert proved(FIRST_LAP, Planted("MARKER_MISSING", "Ann", None)) == "open"


def test_a_missed_draw_is_a_way_only_where_errors_are_weighed() -> None:
    """Ann passes without having drawn: her marker lies there, and no draw was seen."""
    changes = [*FIRST_LAP, "mark Ann", "+2-5@Ben", "+3-6@Cy", "boneyard-1, +1-7@Ann", "+5-8@Ben", "+6-9@Cy"]
    fault = Planted("NO_DRAW", "Ann", 3)
    assert proved(changes, fault) == "named"
    assert proved(changes, fault, weighed=True) == "open"
