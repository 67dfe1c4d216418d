"""Statements about a round are evidence with a cost, whenever they come, and never grounds for an accusation."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from companion.rules.position import Draw, Mark, Pass, Play, Unmark
from companion.rules.tile import Laid
from companion.tracking.tracker import RoundFold, RoundTracker
from companion.tracking.verdict import Verdict
from datasets.bots.watching import table_change
from tests.tracking.rounds import charges, dealt, play, see, tracked


def certain(tracker: RoundTracker) -> list[str]:
    return [charge.code for verdict in tracker.verdicts() for charge in verdict.charges if charge.certain]


def standing(verdicts: Iterable[Verdict]) -> list[tuple[object, str | None]]:
    return [(verdict.act, verdict.by) for verdict in verdicts if not verdict.taken_back]


def test_a_play_that_was_entered_is_there_before_the_camera_sees_it() -> None:
    belief = tracked("reeves", ["+12-1@Ann"])
    belief.enter(Play(Laid(12, 2), "Ben"), "Ben")
    assert play(belief, "12-2@Ben").by == "Ben"
    see(belief, "+12-3@Cy")
    assert play(belief, "12-3@Cy").by == "Cy"


def test_a_play_that_the_camera_sees_afterwards_is_the_same() -> None:
    belief = tracked("reeves", ["+12-1@Ann"])
    item = belief.enter(Play(Laid(12, 2), "Ben"), "Ben")
    see(belief, "+12-2@Ben")
    see(belief, "+12-3@Cy")
    assert standing(belief.verdicts()) == [
        (Play(Laid(12, 1), "Ann"), "Ann"),
        (Play(Laid(12, 2), "Ben"), "Ben"),
        (Play(Laid(12, 3), "Cy"), "Cy"),
    ]
    assert item in {verdict.item for verdict in belief.verdicts()}
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_draw_seen_after_the_entered_tile_came_before_it() -> None:
    belief = tracked("reeves", ["+12-1@Ann"])
    belief.enter(Play(Laid(12, 2), "Ben"), "Ben")
    see(belief, "boneyard-1, +12-2@Ben")
    see(belief, "+12-3@Cy")
    assert [by for _, by in standing(belief.verdicts())] == ["Ann", "Ben", "Ben", "Cy"]
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_draw_that_is_reported_after_one_that_was_entered_is_another_one() -> None:
    """Whoever reports what the camera saw has taken off the draws that people had entered before."""
    belief = tracked("reeves", ["+12-1@Ann"])
    belief.enter(Draw(), "Ben")
    see(belief, "mark Ben")
    see(belief, "boneyard-1, mark Cy")
    see(belief, "+1-4@Ann")
    drawn = [verdict.by for verdict in belief.verdicts() if isinstance(verdict.act, Draw)]
    assert drawn == ["Ben", "Cy"]
    assert play(belief, "1-4@Ann").by == "Ann"
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_the_same_act_a_lap_later_is_another_one() -> None:
    belief = tracked("reeves", ["+12-1@Ann"])
    belief.enter(Draw(), "Ben")
    for change in ("mark Ben", "+12-3@Cy", "+1-4@Ann", "boneyard-1", "+3-5@Cy"):
        see(belief, change)
    assert sum(isinstance(verdict.act, Draw) for verdict in belief.verdicts()) == 2


def test_a_pass_that_was_entered_tells_who_comes_next() -> None:
    table = dealt(boneyard=None)
    belief = tracked("tactic", ["mark Ann", "+12-2@Ben", "+12-3@Cy"], table)
    belief.enter(Pass(), "Ann")
    see(belief, "+12-4@MX")
    assert play(belief, "12-4@MX").by == "Ben"


def test_a_pass_that_is_entered_too_late_changes_nothing() -> None:
    belief = tracked("reeves", ["boneyard-1, mark Ann", "+12-2@Ben"])
    belief.enter(Pass(), "Ann")
    see(belief, "+12-3@Cy")
    assert (play(belief, "12-2@Ben").by, play(belief, "12-3@Cy").by) == ("Ben", "Cy")
    assert not certain(belief)


def test_a_marker_that_was_entered_although_it_lay_there_accuses_nobody() -> None:
    belief = tracked("reeves", ["boneyard-1, mark Ann"])
    belief.enter(Mark("Ann"), "Ann")
    see(belief, "+12-2@Ben")
    assert play(belief, "12-2@Ben").by == "Ben"
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_a_marker_that_was_entered_is_doubted_no_more_than_a_tile() -> None:
    """Cy has passed and Dee and Ann in silence: else somebody entered a marker that nobody took off."""
    passed = ["mark Ann", "mark Ben", "mark Cy", "mark Dee", "+12-5@MX", "+12-1@Ben"]
    belief = tracked("reeves", passed, dealt("Ann Ben Cy Dee", boneyard=0, hand=2))
    belief.enter(Unmark("Ben"), "Ben")
    belief.enter(Pass(), "Cy")
    see(belief, "+1-4@Ben")
    assert play(belief, "1-4@Ben").by == "Ben"
    assert belief.end() == ("out", "Ben")


def test_a_statement_about_an_earlier_piece_names_the_later_ones() -> None:
    table = dealt(boneyard=None)
    belief = tracked("tactic", ["mark Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX", "+4-6@MX"], table)
    assert (play(belief, "12-4@MX").by, play(belief, "4-6@MX").by) == (None, None)
    item = play(belief, "12-4@MX").item
    belief.name_player(item, "Ann")
    assert (play(belief, "12-4@MX").by, play(belief, "4-6@MX").by) == ("Ann", "Ben")
    belief.name_player(item, "Ben")
    assert play(belief, "12-4@MX").by == "Ben" and play(belief, "4-6@MX").maybe[0] == "Cy"
    belief.name_player(item, None)
    assert (play(belief, "12-4@MX").by, play(belief, "4-6@MX").by) == (None, None)


def test_whatever_is_taken_back_leaves_the_belief_as_it_was() -> None:
    changes = ["+12-1@Ann", "boneyard-1, mark Ben", "+12-3@Cy", "+1-4@Ann", "boneyard-1, +12-5@Ben, -mark Ben"]
    belief = tracked("reeves", changes)
    before = belief.verdicts()
    item = play(belief, "12-3@Cy").item
    belief.withdraw(item)
    assert play(belief, "12-3@Cy").taken_back and belief.verdicts() != before
    belief.restore(item)
    belief.put_right(item, Play(Laid(12, 9), "Cy"))
    assert play(belief, "12-9@Cy").item == item
    belief.put_right(item, None)
    belief.name_player(item, "Ben")
    belief.name_player(item, None)
    assert belief.verdicts() == before
    entered = belief.enter(Play(Laid(3, 6), "Cy"), "Cy")
    belief.withdraw(entered)
    assert [one for one in belief.verdicts() if one.item != entered] == before


def test_a_tile_that_is_put_right_is_no_fault_any_more() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+5-6@Ann"])
    item = play(belief, "5-6@Ann").item
    assert certain(belief) == ["MISMATCH"]
    belief.put_right(item, Play(Laid(1, 6), "Ann"))
    assert play(belief, "1-6@Ann").by == "Ann" and not certain(belief)
    belief.put_right(item, None)
    assert certain(belief) == ["MISMATCH"]


def test_nobody_is_accused_beside_a_tile_that_only_a_person_has_seen() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    belief.enter(Play(Laid(1, 4), "Ann"), "Ann")
    see(belief, "+2-5@Ben")
    see(belief, "+3-6@Cy")
    see(belief, "+5-7@Ann")
    assert "MISMATCH" in charges(play(belief, "5-7@Ann")) and not certain(belief)


def test_a_statement_alone_accuses_nobody_for_certain() -> None:
    """Without the statement the fault is certain and Ann's: somebody says that it was Cy."""
    changes = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy", "+1-8@Ann", "+6-9@Ben"]
    belief = tracked("reeves", changes)
    assert certain(belief) == ["CLOSED_TRAIN"]
    belief.name_player(play(belief, "3-5@Cy").item, "Cy")
    assert not [
        charge for verdict in belief.verdicts() for charge in verdict.charges if charge.certain and charge.by == "Cy"
    ]


@pytest.mark.parametrize("rules", ["reeves", "tactic", "poltava", "cz"])
def test_a_wrong_name_for_an_innocent_play_accuses_nobody(rules: str) -> None:
    table = dealt(boneyard=None) if rules == "tactic" else dealt()
    belief = tracked(rules, ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann", "+2-5@Ben", "+3-6@Cy"], table)
    for tile, player in (("1-4@Ann", "Ben"), ("2-5@Ben", "Cy"), ("3-6@Cy", "Ben")):
        item = play(belief, tile).item
        belief.name_player(item, player)
        assert not certain(belief)


def test_what_is_withdrawn_and_lies_there_accuses_nobody() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann"])
    belief.withdraw(play(belief, "1-4@Ann").item)
    see(belief, "+2-5@Ben")
    see(belief, "+3-6@Cy")
    see(belief, "+4-7@Ann")
    assert not certain(belief)


def test_a_number_that_the_caller_gives_is_kept() -> None:
    from companion.rules.notation import parse_delta
    from companion.tracking.evidence import ITEMS, Evidence

    belief = tracked("reeves", [])
    assert belief.observe(Evidence.of(17, table_change(parse_delta(["+12-1@Ann"])))) == 17
    assert belief.observe(Evidence.of(3, table_change(parse_delta(["+12-2@Ben"])))) == 18
    assert [verdict.item for verdict in belief.verdicts()] == [17 * ITEMS, 18 * ITEMS]
    with pytest.raises(KeyError):
        belief.name_player(5 * ITEMS, "Ann")


def test_while_people_have_another_table_in_mind_nothing_is_certain() -> None:
    """Somebody takes the tile that closed a double off the record; what is laid then ignores no open double."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-1@Ann, +1-4@Ann"])
    belief.withdraw(play(belief, "1-4@Ann").item)
    for change in ("+2-5@Ben", "+3-6@Cy", "+4-7@Ann", "+5-8@Ben", "+6-9@Cy"):
        see(belief, change)
        assert not certain(belief)


def test_a_fault_on_a_train_that_nobody_touched_stays_certain() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+3-2@Ben", "+12-3@Cy"])
    belief.withdraw(play(belief, "12-3@Cy").item)
    see(belief, "+1-4@Ann")
    assert certain(belief) == ["WRONG_ROOT"]


def test_what_a_picture_shows_again_after_it_was_withdrawn_did_happen_then() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "boneyard-1, mark Cy"])
    item = play(belief, "12-2@Ben").item
    belief.withdraw(item)
    see(belief, "+12-2@Ben, +1-4@Ann")
    assert (play(belief, "12-2@Ben").item, play(belief, "12-2@Ben").by, play(belief, "1-4@Ann").by) == (
        item,
        "Ben",
        "Ann",
    )
    assert len(belief.verdicts()) == 5 and not any(verdict.charges for verdict in belief.verdicts())


def test_a_tile_that_others_rest_on_is_still_believed_where_somebody_withdraws_it() -> None:
    changes = ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann", "+2-5@Ben", "+3-6@Cy", "+4-7@Ann", "+5-8@Ben"]
    belief = tracked("reeves", changes)
    belief.withdraw(play(belief, "1-4@Ann").item)
    assert play(belief, "1-4@Ann").taken_back and not certain(belief)
    tiles = ("2-5@Ben", "3-6@Cy", "4-7@Ann", "5-8@Ben")
    assert [play(belief, tile).by for tile in tiles] == ["Ben", "Cy", "Ann", "Ben"]


def test_a_name_costs_one_fold_of_the_changes_since(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nobody had said anything is what was believed before: no change is explained for that again."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+5-4@Ann", "+2-6@Ben", "+3-7@Cy"])
    taken, step = [], RoundFold.step
    monkeypatch.setattr(RoundFold, "step", lambda fold, change: (taken.append(change.number), step(fold, change))[1])
    second = play(belief, "12-2@Ben").item
    belief.name_player(second, "Ben")
    assert "MISMATCH" in certain(belief)
    assert [number for number in taken if number >= 1] == [1, 2, 3, 4, 5]
    taken.clear()
    belief.name_player(second, None)
    assert "MISMATCH" in certain(belief)
    assert [number for number in taken if number >= 1] == [1, 2, 3, 4, 5]
