"""The belief's rulings on small rounds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from companion.rules.tile import Laid
from companion.tracking.costs import NAMED, Cause
from companion.tracking.verdict import alternatives
from tests.tracking.rounds import charges, dealt, play, see, tracked


def test_turn_order_names_whoever_lays() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX"])
    assert [play(belief, tile).by for tile in ("12-1@Ann", "12-2@Ben", "12-3@Cy", "12-4@MX")] == [
        "Ann",
        "Ben",
        "Cy",
        "Ann",
    ]
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_two_turns_between_two_tables_are_told_apart_by_the_trains() -> None:
    belief = tracked("reeves", ["+12-1@Ann, +12-2@Ben"])
    assert (play(belief, "12-1@Ann").by, play(belief, "12-2@Ben").by) == ("Ann", "Ben")


def test_a_draw_and_a_marker_are_a_pass() -> None:
    belief = tracked("reeves", ["boneyard-1, mark Ann", "+12-2@Ben"])
    assert play(belief, "12-2@Ben").by == "Ben"
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_tile_that_does_not_meet_its_neighbour_is_certain_whoever_laid_it() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+5-6@Ann"])
    assert charges(play(belief, "5-6@Ann"))["MISMATCH"][1]


def test_a_wrong_first_tile_stays_certain_while_it_lies_there() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+3-2@Ben", "+12-3@Cy", "+1-4@Ann", "+2-5@Ben", "+3-6@Cy", "+4-7@Ann"])
    assert charges(play(belief, "3-2@Ben"))["WRONG_ROOT"][1]


def test_a_hardly_read_half_accuses_nobody_for_certain() -> None:
    from companion.log.event_fields import Confidence
    from companion.rules.position import Play
    from companion.rules.tile import Laid

    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+5-6@Ann", readings={Play(Laid(5, 6), "Ann"): Confidence((0.9, 0.99))})
    assert charges(play(belief, "5-6@Ann"))["MISMATCH"] == (None, False)


def test_beside_a_hardly_read_half_nobody_is_accused_for_certain() -> None:
    """Where a half that is misread one time in thirty does not fit, the tile on it may well be right."""
    from companion.log.event_fields import Confidence
    from companion.rules.position import Play
    from companion.rules.tile import Laid

    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+1-6@Ann", readings={Play(Laid(1, 6), "Ann"): Confidence((0.999, 0.969))})
    see(belief, "+2-4@Ben")
    see(belief, "+3-7@Cy")
    see(belief, "+5-8@Ann")
    assert charges(play(belief, "5-8@Ann"))["MISMATCH"] == (None, False)


def test_beside_a_surely_read_half_the_fault_is_certain() -> None:
    from companion.log.event_fields import Confidence
    from companion.rules.position import Play
    from companion.rules.tile import Laid

    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+1-6@Ann", readings={Play(Laid(1, 6), "Ann"): Confidence((0.999, 0.995))})
    see(belief, "+2-4@Ben")
    see(belief, "+3-7@Cy")
    see(belief, "+5-8@Ann")
    assert charges(play(belief, "5-8@Ann"))["MISMATCH"][1]


def test_a_tile_on_a_closed_train_may_have_been_its_owner_out_of_turn() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy"])
    verdict = play(belief, "3-5@Cy")
    assert verdict.by is None and set(verdict.maybe) >= {"Ann", "Cy"}
    assert not any(charge.certain for charge in verdict.charges)


def test_what_follows_decides_who_it_was() -> None:
    """Ann laid on the closed train of Cy: then Ben, Cy and Ann go on as they should."""
    belief = tracked(
        "reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben"]
    )
    verdict = play(belief, "3-5@Cy")
    assert verdict.by == "Ann" and verdict.p >= NAMED
    assert "CLOSED_TRAIN" in charges(verdict)


def test_a_marker_that_comes_a_change_late_accuses_nobody() -> None:
    belief = tracked("reeves", ["boneyard-1", "+12-2@Ben, mark Ann", "+12-3@Cy"])
    assert play(belief, "12-2@Ben").by == "Ben"
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_a_marker_put_on_for_nothing_is_told_and_never_certain() -> None:
    """Whether it was earned rests on a draw that was counted, and on whose turn it was."""
    belief = tracked("reeves", ["+12-1@Ann, mark Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX", "+2-5@Ben", "+3-6@Cy"])
    found = [charge for verdict in belief.verdicts() for charge in verdict.charges if charge.code == "MARKER_UNEARNED"]
    assert [(charge.by, charge.certain) for charge in found] == [("Ann", False)]
    assert found[0].p > NAMED


def test_a_draw_and_a_marker_beside_a_tile_on_a_closed_train_accuse_nobody() -> None:
    """Ann drew and marked, Ben laid on Dee's closed train: in the common first lap Dee may have laid it as well."""
    trains = {
        "Ann": "12-0 0-7 7-8 8-10 10-10 10-11 11-9 9-12 12-5 5-4",
        "Ben": "12-3 3-6 6-2 2-0 0-5 5-2 2-1 1-7 7-7",
        "Cy": "12-8 8-5 5-5 5-3 3-1 1-11 11-11 11-3 3-3 3-0 0-0",
        "Dee": "12-6 6-6 6-5 5-1 1-9 9-7 7-4 4-2 2-8 8-9 9-2 2-10",
    }
    first_lap = [f"+{tile}@{name}" for name, tiles in trains.items() for tile in tiles.split()]
    then = ["boneyard-1, +10-1@Dee, mark Ann", "boneyard-1, mark Cy", "+4-8@Ann"]
    belief = tracked("cz", [*first_lap, *then], dealt("Ann Ben Cy Dee", hand=15))
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_a_second_marker_waits_for_the_next_turn() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "boneyard-1, mark Ben", "+1-2@Ann"])
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_first_trains_of_cz_come_in_any_order() -> None:
    belief = tracked("cz", ["+12-1@Cy, +1-2@Cy", "+12-3@Ann", "+12-4@Ben, +4-5@Ben", "+3-6@Ann"])
    assert [play(belief, tile).by for tile in ("12-1@Cy", "12-3@Ann", "4-5@Ben", "3-6@Ann")] == [
        "Cy",
        "Ann",
        "Ben",
        "Ann",
    ]
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_silent_pass_under_a_marker_leaves_the_name_open() -> None:
    table = dealt(boneyard=None)
    belief = tracked("tactic", ["mark Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX"], table)
    verdict = play(belief, "12-4@MX")
    assert verdict.by is None and {"Ann", "Ben"} <= set(verdict.maybe)


def test_tiles_taken_back_were_never_laid() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben"])
    see(belief, "-12-2@Ben")
    see(belief, "+12-5@Ben")
    assert play(belief, "12-2@Ben").taken_back
    assert play(belief, "12-5@Ben").by == "Ben"
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_tile_taken_away_later_was_moved() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "-12-1@Ann")
    assert [charge.code for verdict in belief.verdicts() for charge in verdict.charges] == ["TILE_MOVED"]


def test_what_nothing_explains_blames_nobody_for_certain() -> None:
    belief = tracked("reeves", ["+12-1@Ann"])
    see(belief, "+12-2@Ben, +2-3@Ben, +12-4@Cy, +4-5@Cy, +1-6@Ann, +6-7@Ann, +12-8@MX", clouded=True)
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_an_arm_from_one_side_outweighs_the_turn_order_only_by_its_likelihood() -> None:
    from companion.rules.notation import parse_change

    table = dealt(boneyard=None)
    changes = ["mark Ann", "+12-2@Ben", "+12-3@Cy"]
    laid = parse_change("+12-4@MX")
    belief = tracked("tactic", changes, table)
    see(belief, "+12-4@MX", arms={laid: {"Ann": 20, "Cy": 20}})
    assert play(belief, "12-4@MX").by == "Ben"


def test_what_is_settled_stays_settled() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    before = play(belief, "12-1@Ann")
    for n, change in enumerate(["+1-4@Ann", "+2-5@Ben", "+3-6@Cy", "+4-7@Ann", "+5-8@Ben", "+6-9@Cy"] * 1):
        see(belief, change)
        assert belief.number == 4 + n
    assert play(belief, "12-1@Ann") == before


def test_a_dispute_shows_what_each_hypothesis_rests_on() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy"])
    found = alternatives(belief.filter, play(belief, "3-5@Cy").item)
    assert {one.player for one in found} >= {"Ann", "Cy"}
    assert found == sorted(found, key=lambda one: (one.cost, one.player))
    assert any(str(one).startswith("Ann (CLOSED_TRAIN): ") for one in found)
    assert any(one.player == "Cy" and one.cost > found[0].cost for one in found)


def test_a_dispute_has_a_way_for_each_player_whom_one_hypothesis_leaves_open() -> None:
    """Once Ben has gone on, it makes no difference who laid which of the two tiles on the Mexican train."""
    changes = ["mark Ann", "+12-2@Ben", "mark Cy", "+12-4@MX", "+4-5@MX", "+2-5@Ben"]
    belief = tracked("tactic", changes, dealt(boneyard=None))
    verdict = play(belief, "4-5@MX")
    found = alternatives(belief.filter, verdict.item)
    shares = {name: sum(one.p for one in found if one.player == name) for name in verdict.maybe}
    assert verdict.by is None and shares.keys() == {"Ann", "Ben", "Cy"}
    assert all(0.3 < share < 0.4 for share in shares.values())
    assert sum(shares.values()) == pytest.approx(1.0, abs=0.001)
    assert all(round(-10 * math.log10(one.p / found[0].p)) == one.cost - found[0].cost for one in found if one.p > 0.1)


def test_a_dispute_holds_a_fault_against_nobody_who_may_not_have_made_it() -> None:
    """Much happened unseen in a cluttered picture: whoever laid it, no other player's fault is told of them."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    see(belief, "+3-5@Cy", clouded=True)
    found = alternatives(belief.filter, play(belief, "3-5@Cy").item)
    unseen = [one for one in found if Cause.UNSEEN_IN_CLUTTER in one.assumes]
    assert {one.player for one in unseen} == {"Ann", "Ben", "Cy"} and not any(one.codes for one in unseen)
    assert ("CLOSED_TRAIN", "Ann") in {key for one in found if one.player == "Ann" for key in one.codes}
    assert not {key for one in found if one.player != "Ann" for key in one.codes} & {("CLOSED_TRAIN", "Ann")}


def test_a_statement_settles_what_the_table_leaves_open() -> None:
    table = dealt(boneyard=None)
    belief = tracked("tactic", ["mark Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX"], table)
    verdict = play(belief, "12-4@MX")
    belief.name_player(verdict.item, "Ben")
    assert play(belief, "12-4@MX").by == "Ben"
    see(belief, "+3-5@Cy")
    assert play(belief, "3-5@Cy").by == "Cy"


def test_a_statement_against_the_table_is_weighed_and_not_obeyed() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    belief.name_player(play(belief, "12-2@Ben").item, "Cy")
    assert play(belief, "12-2@Ben").by in (None, "Ben", "Cy")
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_a_round_ends_when_a_hand_is_counted_down() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann"], dealt(hand=2))
    assert belief.end() == ("out", "Ann")


def test_a_round_goes_on_while_hands_cannot_be_counted() -> None:
    belief = tracked("tactic", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann"], dealt(boneyard=None))
    assert belief.end() is None


def test_the_first_lap_is_finished_before_a_round_ends() -> None:
    table = dealt(hand=2)
    belief = tracked("poltava", ["+12-1@Ann, +1-4@Ann", "+12-2@Ben"], table)
    assert belief.end() is None
    see(belief, "+12-3@Cy")
    assert belief.end() is None, "Cy may lay another tile of his first train"
    see(belief, "+3-5@Cy")
    assert belief.end() == ("out", "Ann")


def test_a_fault_that_hangs_on_a_name_is_asked_about_once() -> None:
    from companion.rules.position import Play
    from companion.tracking.verdict import Charge, Verdict, question

    laid = Play(Laid(3, 5), "Cy")
    open_ = Verdict(7000, laid, None, 0.55, ("Ann", "Cy"), (Charge("CLOSED_TRAIN", "Ann", False, 0.55),))
    found = question([open_], [7000])
    assert found is not None and found.players == ("Ann", "Cy")
    assert question([open_], [8000]) is None, "what follows may tell by itself"
    assert question([replace(open_, p=0.9)], [7000]) is None, "one of them is far likelier"
    assert question([replace(open_, charges=())], [7000]) is None, "nothing hangs on it"
    assert question([replace(open_, by="Ann")], [7000]) is None


def test_a_tile_on_the_mexican_train_is_too_early_while_somebody_has_not_begun() -> None:
    belief = tracked("cz", ["+12-3@Cy", "+12-6@MX"])
    assert "MX_TOO_EARLY" in charges(play(belief, "12-6@MX"))


def test_who_has_begun_and_lays_elsewhere_is_at_most_out_of_turn() -> None:
    changes = ["+12-3@Cy", "+12-4@Ann", "+12-5@Ben", "+12-6@MX", "+3-7@Cy", "+7-8@Cy", "+8-9@Cy", "+9-10@Cy"]
    belief = tracked("cz", [])
    for change in changes:
        see(belief, change)
        assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)


def test_what_much_unseen_costs_never_falls() -> None:
    """Outliers and the hypotheses beside them count from the same table, also where changes were explained anew."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann"])
    see(belief, "+5-6@MX, mark Ben", clouded=True)
    born = belief.filter.outliers[0].born
    before = 0.0
    for change in ("boneyard-1, mark Cy", "+4-5@Ann", "+3-9@Cy", "+12-6@Ben"):
        see(belief, change)
        alive = [one.cost for one in belief.filter.outliers if one.born == born]
        if not alive:
            return
        assert belief.filter.spent + min(alive) >= before
        before = belief.filter.spent + min(alive)
    assert before > 0.0


def test_a_picture_that_was_not_understood_proves_no_mismatch() -> None:
    tiles = "+12-1@Ann, +3-2@Ann, +2-3@Ann, +4-6@Ann, +6-4@Ann, +4-4@Ann, +4-3@Ann, +3-1@Ann"
    belief = tracked("reeves", [])
    see(belief, tiles, guessed=True)
    assert not charges(play(belief, "3-2@Ann"))
    assert not any(charge.certain for verdict in belief.verdicts() for charge in verdict.charges)
