"""Arms in the belief: they name a player where the table leaves it open, and prove nothing against a legal story."""

from __future__ import annotations

import pytest

from companion.rules.notation import Change, Drawing
from companion.rules.position import Draw, Mark, Play
from companion.rules.tile import Laid
from companion.tracking.costs import NAMED
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Verdict
from tests.tracking.rounds import charges, dealt, play, see, tracked


def laid(inner: int, outer: int, train: str) -> Change:
    return Play(Laid(inner, outer), train)


def test_an_arm_weighs_between_those_whom_the_table_leaves_open() -> None:
    rounds = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"]
    alone, seen = tracked("reeves", rounds), tracked("reeves", rounds)
    see(alone, "+3-5@Cy")
    assert play(alone, "3-5@Cy").maybe == ("Ann", "Cy")
    see(seen, "+3-5@Cy", arms={laid(3, 5, "Cy"): {"Ann": 17, "Ben": 17}})
    assert play(seen, "3-5@Cy").maybe == ("Cy", "Ann")


def test_an_arm_against_a_legal_story_names_and_accuses_nobody_for_certain() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+12-4@MX", arms={laid(12, 4, "MX"): {"Ann": 18, "Cy": 18}})
    verdict = play(belief, "12-4@MX")
    assert verdict.by is None and verdict.maybe == ("Ann", "Ben")
    assert charges(verdict)["OUT_OF_TURN"] == ("Ben", False)


def test_whoever_reaches_over_is_forgotten_when_play_goes_on() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+1-4@Ann", arms={laid(1, 4, "Ann"): {"Ann": 12, "Cy": 12}})
    for text in ("+2-6@Ben", "+3-7@Cy", "+4-8@Ann", "+6-9@Ben"):
        see(belief, text)
    assert play(belief, "1-4@Ann").by == "Ann"


def test_a_draw_is_named_by_its_arm() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "boneyard-1, mark Ann", arms={Drawing(1): {"Ben": 16, "Cy": 16}, Mark("Ann"): {"Ben": 16, "Cy": 16}})
    assert drawn(belief).by == "Ann"


def test_a_reach_into_a_stacked_boneyard_is_a_draw_where_it_fits() -> None:
    rounds = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"]
    hers, his = (tracked("tactic", rounds, dealt(boneyard=None)) for _ in range(2))
    see(hers, "boneyard-1", arms={Drawing(1): {"Ben": 16, "Cy": 16}})
    see(his, "boneyard-1", arms={Drawing(1): {"Ann": 16, "Ben": 16}})
    assert drawn(hers).by == "Ann"
    assert drawn(his).by is None, "Cy has just had the turn, so perhaps nothing was taken"
    see(his, "+1-4@Ann")
    assert play(his, "1-4@Ann").by == "Ann"
    assert not any(charge.certain for verdict in his.verdicts() for charge in verdict.charges)


@pytest.mark.parametrize(
    ("first", "tile", "marker", "certain"),
    [
        ("+12-1@Ann, mark Ann", "Ann", "Ann", True),
        ("+12-1@Ann, mark Ann", None, "Ann", False),
        ("+12-1@Ann, mark Ann", "Ann", None, False),
        ("+12-1@Ann, mark Ann", "Ben", "Ann", False),
        ("+12-1@Ann, mark Ann", "Ann", "Ben", False),
    ],
)
def test_an_unearned_marker_is_certain_where_one_hand_laid_the_tile_and_put_it_on(
    first: str, tile: str | None, marker: str | None, certain: bool
) -> None:
    whose = {laid(12, 1, "Ann"): tile, Mark("Ann"): marker}
    arms = {change: others(player) for change, player in whose.items() if player}
    belief = tracked("reeves", [])
    see(belief, first, arms=arms, whose={change: player for change, player in whose.items() if player})
    for text in ("+12-2@Ben", "+12-3@Cy", "+12-4@MX", "+2-5@Ben", "+3-6@Cy"):
        see(belief, text)
    found = [charge for verdict in belief.verdicts() for charge in verdict.charges if charge.code == "MARKER_UNEARNED"]
    assert [(charge.by, charge.certain) for charge in found] == [("Ann", certain)]


@pytest.mark.parametrize("first", [["+12-1@Ann", "mark Ann"], ["+12-1@Ann, +1-7@Ann, mark Ann"]])
def test_no_arm_makes_it_certain_while_first_trains_are_laid_together(first: list[str]) -> None:
    """cz: whether a first train that has begun may be marked while others lay theirs is said by no source."""
    hers = (laid(12, 1, "Ann"), laid(1, 7, "Ann"), Mark("Ann"))
    belief = tracked("cz", [])
    for text in first:
        see(belief, text, arms={change: others("Ann") for change in hers}, whose=dict.fromkeys(hers, "Ann"))
    for text in ("+12-3@Cy", "+12-2@Ben", "+12-4@MX", "+2-5@Ben", "+3-6@Cy"):
        see(belief, text)
    found = [charge for verdict in belief.verdicts() for charge in verdict.charges]
    assert [(charge.code, charge.by, charge.certain) for charge in found] == [("MARKER_UNEARNED", "Ann", False)]


def test_a_marker_that_the_arms_say_was_earned_is_held_against_nobody() -> None:
    """Ann laid, Ben drew and marked: both in one change."""
    belief = tracked("reeves", [])
    whose = {laid(12, 1, "Ann"): "Ann", Drawing(1): "Ben", Mark("Ben"): "Ben"}
    see(belief, "+12-1@Ann, boneyard-1, mark Ben", arms={one: others(by) for one, by in whose.items()}, whose=whose)
    for text in ("+12-3@Cy", "+1-4@Ann", "+3-6@Cy"):
        see(belief, text)
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


@pytest.mark.parametrize(("arm", "certain"), [("Ben", True), (None, False)])
def test_a_tile_too_early_on_the_mexican_train_is_certain_where_the_hand_was_seen(
    arm: str | None, certain: bool
) -> None:
    belief = tracked("poltava", ["+12-1@Ann"])
    early = laid(12, 3, "MX")
    see(belief, "+12-3@MX", arms={early: others(arm)} if arm else {}, whose={early: arm} if arm else {})
    for text in ("+12-4@Cy", "+1-5@Ann", "+12-6@Ben", "+4-7@Cy", "+5-8@Ann"):
        see(belief, text)
    verdict = play(belief, "12-3@MX")
    assert [(c.code, c.certain) for c in verdict.charges if c.code == "MX_TOO_EARLY"] == [("MX_TOO_EARLY", certain)]


def test_a_neighbours_arm_over_a_wrong_tile_accuses_the_neighbour_of_nothing_for_certain() -> None:
    """Ann drew and marked, Ben laid a tile that does not fit, and Ann's arm was over it: all in one change."""
    first_lap = ["+12-6@Ann", "+12-0@Ben", "+12-8@Cy", "+12-7@Dee"]
    belief = tracked("tactic", first_lap, dealt("Ann Ben Cy Dee", boneyard=None))
    arms = {
        laid(1, 9, "Ben"): {"Ben": 16, "Cy": 16, "Dee": 16},
        Mark("Ann"): {"Ben": 8, "Cy": 8, "Dee": 8},
        Drawing(1): {"Ben": 8, "Cy": 8, "Dee": 8},
    }
    see(belief, "+1-9@Ben, mark Ann, boneyard-1", arms=arms, whose=dict.fromkeys(arms, "Ann"))
    verdict = play(belief, "1-9@Ben")
    assert verdict.by is None and verdict.p > NAMED
    assert charges(verdict)["MISMATCH"] == (None, True)
    assert charges(verdict)["CLOSED_TRAIN"] == ("Ann", False)


def others(player: str) -> dict[str, int]:
    """The decibans of a clear arm of `player`, of three."""
    return {name: 14 for name in ("Ann", "Ben", "Cy") if name != player}


def drawn(belief: RoundTracker) -> Verdict:
    return next(verdict for verdict in belief.verdicts() if isinstance(verdict.act, Draw))
