"""Unseen acts and misread tiles: the belief keeps the explanations that blame nobody."""

from __future__ import annotations

import pytest

from companion.log.event_fields import Confidence
from companion.rules.notation import parse_delta
from companion.rules.position import Draw, LinePosition, Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.chinese_deals import LineState
from companion.tracking.costs import LATE_PICTURES, PRIORS, Cause
from companion.tracking.evidence import Evidence, Pieces
from companion.tracking.mexican_rounds import MexicanState
from companion.tracking.tracker import RoundTracker
from datasets.bots.watching import table_change
from tests.tracking.rounds import charges, dealt, play, see, tracked

PLAYERS = ("Ann", "Ben", "Cy", "Dee")


def started() -> LinePosition:
    return LinePosition(PLAYERS, (), "Ann", dict.fromkeys(PLAYERS, 0), dict.fromkeys(PLAYERS, 8))


def pieces(change: str) -> Pieces:
    return Pieces.of(Evidence.of(99, table_change(parse_delta([change]))))


def test_a_tile_put_away_that_shows_late_gives_nobody_a_certain_fault() -> None:
    """Cy put one away before the second 4-4, and it showed four changes later: every turn since was one seat early."""
    tiles = "6-4 4-3 3-2 2-6 6-4 Ben 4-4 4-5 5-3 3-6 6-5 5-1 1-4+Ben 4-4 4-2 2-5 2-2 Ann+Cy+Dee Ben"
    belief = RoundTracker(load_ruleset("chedeng"), started(), "Ann")
    for change in tiles.split():
        things = change.split("+")
        delta = parse_delta([f"+{one}@R" for one in things if one not in PLAYERS])
        discards = {one: 1 for one in things if one in PLAYERS}
        belief.observe(Evidence.of(belief.number, table_change(delta, discards=discards)))
        certain = [charge for one in belief.verdicts() for charge in one.charges if charge.certain and charge.by]
        assert not certain
    assert "MISMATCH" in charges(play(belief, "2-2@R"))


def test_what_lies_on_a_tile_laid_unseen_may_not_fit_and_nobody_is_to_blame() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-3@Ben", "+12-4@Cy"])
    after = belief.filter.beam[0].state.after_outlier(pieces("+3-8@Ben"), unknown=True)
    next_tile = pieces("+5-9@Ben")
    laid = [move for move in after._known("Ben").moves(next_tile, next_tile.start, faults=False) if move.step.act]
    misfit = [move for move in laid if move.step.item is not None]
    assert [(move.step.codes, move.step.causes) for move in misfit] == [((), (Cause.MISREAD,))]
    # After it the end of the train is known again.
    again = pieces("+5-9@Ben")
    then = misfit[0].state()
    assert not [m for m in then._acts(again, again.start, False) if m.step.causes == (Cause.MISREAD,)]


def test_the_same_holds_at_an_end_of_a_chinese_line() -> None:
    rules = load_ruleset("chedeng")
    state = LineState(rules, started())
    after = state.after_outlier(pieces("+6-4@R"), unknown=True)
    assert after.unknown == {"L", "R"}
    after.anyone = False
    next_tile = pieces("+3-2@R")
    laid = [move for move in after.moves(next_tile, next_tile.start, faults=False) if move.step.item is not None]
    assert [(move.cost, move.step.codes) for move in laid if move.step.causes == (Cause.MISREAD,)] == [(0, ())]


@pytest.mark.parametrize("rules", ["cz", "tactic"])
def test_a_marker_that_the_eye_goes_on_showing_shifts_nobodys_turn(rules: str) -> None:
    """Ann has taken hers off with 1-5, and no picture shows it. Ben on her train time and again is no likelier."""
    begun = ["+12-1@Ann", "+12-2@Ben", "+12-3@MX", "+3-4@MX", "boneyard-1, mark Ann", "boneyard-1, mark Ben"]
    own = ["1-5", "5-7", "7-9", "9-11", "11-3", "3-8"]
    mexican = ["4-6", "6-8", "8-10", "10-0", "0-5", "5-9"]
    after = [
        f"+{tile}@{train}"
        for both in zip(own, mexican, strict=True)
        for tile, train in zip(both, ("Ann", "MX"), strict=True)
    ]
    belief = tracked(rules, [*begun, *after], dealt("Ann Ben"))
    assert {play(belief, f"{tile}@Ann").by for tile in own[1:]} == {"Ann"}
    assert {play(belief, f"{tile}@MX").by for tile in mexican[1:-1]} == {"Ben"}
    assert not [charge for one in belief.verdicts() for charge in one.charges if charge.certain]


def test_only_the_next_pictures_speak_against_a_marker_that_is_not_seen() -> None:
    state = MexicanState(load_ruleset("reeves"), dealt(), "Ann")
    state.unseen_on = frozenset({"Ben"})
    costs = []
    for _ in range(LATE_PICTURES + 2):
        state = state.at_rest()
        costs.append(state.overdue)
    again = PRIORS[Cause.MARKER_UNSEEN_AGAIN].decibans
    assert costs == [again] * LATE_PICTURES + [0, 0]
    state.unseen_on = frozenset()
    assert state.at_rest().overdue == 0
    state = state.at_rest()
    state.unseen_off = frozenset({"Ben"})
    assert state.at_rest().overdue == again


def test_a_draw_that_shows_late_is_the_one_that_was_missed() -> None:
    """The eye had overlooked a tile of the boneyard, and counts as many as lie there now."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "mark Ann", "boneyard-2, +2-5@Ben"], dealt("Ann Ben"))
    assert [one.maybe[0] for one in belief.verdicts() if isinstance(one.act, Draw)] == ["Ann", "Ben"]
    assert belief.filter.beam[0].state.undrawn == ()
    assert play(belief, "2-5@Ben").by == "Ben"
    assert not [charge for one in belief.verdicts() for charge in one.charges]


def test_a_draw_that_is_missed_is_waited_for() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "mark Ann", "+2-5@Ben"], dealt("Ann Ben"))
    waiting = {one.state.undrawn for one in belief.filter.beam}
    assert ("Ann",) in waiting
    state = next(one.state for one in belief.filter.beam if one.state.undrawn)
    assert state._drawn_late("Ann").undrawn == ()
    assert state.after_outlier(pieces("+2-5@Ben"), unknown=False).undrawn == ()


def test_a_double_with_an_unread_tile_on_it_is_not_open_and_nobody_ignores_it() -> None:
    """Whatever lies on it, the double is covered."""
    begun = ["+12-5@Ann", "+12-7@Ben", "+12-3@Cy", "+5-5@Ann"]
    later = ["+7-2@Ben", "+3-4@Cy", "+12-8@MX", "+2-6@Ben", "+4-9@Cy"]
    anything = Confidence((0.1, 0.1), (((5, 0.1), (6, 0.1)), ((9, 0.1), (8, 0.1))))
    for unread in (True, False):
        belief = tracked("reeves", begun)
        if unread:
            see(belief, "+5-9@Ann", readings={Play(Laid(5, 9), "Ann"): anything})
        for change in later:
            see(belief, change)
        accused = [
            charge for one in belief.verdicts() for charge in one.charges if charge.code == "OPEN_DOUBLE_IGNORED"
        ]
        assert bool(accused) != unread
