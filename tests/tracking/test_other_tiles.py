"""Which other tiles a reading leaves, and what the belief makes of them: a value is part of a hypothesis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.game.game import Game
from companion.log.event_fields import Confidence, Header
from companion.log.events import TilePlayed
from companion.rules.notation import parse_delta
from companion.rules.position import LinePosition, Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.costs import COST, Cause
from companion.tracking.evidence import Evidence, OtherTile, Piece, other_tiles
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Verdict, alternatives
from datasets.bots.watching import table_change
from tests.shown import state_of
from tests.tracking.rounds import play, see, tracked

NAMES = ("Ann", "Ben", "Cy")
FOUR = (*NAMES, "Dee")


def unsure(p: float, *others: tuple[int, float], outer: tuple[tuple[int, float], ...] = ()) -> Confidence:
    """A tile whose inner half was read with `p`; `others` are what that half may be, `outer` what the other one may."""
    q = 1.0 - sum(share for _, share in outer)
    return Confidence((p, q), (others, outer))


def laid(tracker: RoundTracker, change: str, reading: Confidence | None = None, **context: Any) -> None:
    (laying,) = parse_delta([change])
    assert isinstance(laying, Play)
    readings = {} if reading is None else {laying: reading}
    tracker.observe(Evidence.of(tracker.number, table_change([laying], readings=readings, **context)))


def mismatched(tracker: RoundTracker) -> bool:
    """Whether some tile certainly does not meet its neighbour."""
    return any(charge.code == "MISMATCH" and charge.certain for one in tracker.verdicts() for charge in one.charges)


def last(tracker: RoundTracker) -> Verdict:
    return tracker.verdicts()[-1]


# ---- what a reading leaves -----------------------------------------------------------------------------------------


def others_of(read: Laid, train: str, reading: Confidence | None) -> tuple[OtherTile, ...]:
    return other_tiles(read, train, reading)[1]


def test_a_reading_leaves_the_tiles_with_one_half_otherwise() -> None:
    reading = Confidence((0.8, 0.99), (((5, 0.16), (6, 0.04)), ((2, 0.01),)))
    found = others_of(Laid(8, 7), "Ann", reading)
    assert found == (OtherTile(7, Laid(5, 7)), OtherTile(13, Laid(6, 7)), OtherTile(20, Laid(8, 2)))


def test_where_neither_half_was_read_surely_both_may_be_others_for_the_price_of_the_dearer() -> None:
    reading = Confidence((0.8, 0.9), (((5, 0.16),), ((2, 0.09),)))
    assert OtherTile(10, Laid(5, 2)) in others_of(Laid(8, 7), "Ann", reading)
    sure = Confidence((0.8, 0.99), (((5, 0.16),), ((2, 0.01),)))
    assert Laid(5, 2) not in [tile for _, tile in others_of(Laid(8, 7), "Ann", sure)]


def test_what_is_hardly_possible_is_not_weighed() -> None:
    assert others_of(Laid(8, 7), "Ann", unsure(0.998, (5, 0.001))) == ()
    assert others_of(Laid(8, 7), "Ann", unsure(0.998, (5, 0.002))) == (OtherTile(27, Laid(5, 7)),)
    assert others_of(Laid(8, 7), "Ann", None) == ()


def test_what_lies_across_its_train_is_mostly_a_double_and_what_lies_along_it_mostly_none() -> None:
    across = Confidence((0.9, 0.9), (((5, 0.1),), ((5, 0.1),)), across=True)
    assert [tile for _, tile in others_of(Laid(7, 7), "Ann", across)] == [Laid(5, 5)]
    by_half = Confidence((0.9, 0.99), (((5, 0.1),), ()), across=True)
    assert other_tiles(Laid(7, 5), "Ann", by_half) == (13, (OtherTile(0, Laid(5, 5)),))
    along = Confidence((0.9, 0.99), (((5, 0.1),), ()), across=False)
    assert others_of(Laid(7, 5), "Ann", along) == (OtherTile(10 + COST[Cause.DOUBLE_ALONG], Laid(5, 5)),)
    assert others_of(Laid(7, 5), "R", along) == (OtherTile(10, Laid(5, 5)),)


@pytest.mark.parametrize(("train", "within", "beyond"), [("Ann", 0, 1), ("R", 0, 1), ("L", 1, 0)])
def test_a_tile_of_which_nothing_is_seen_may_be_all_that_fits(train: str, within: int, beyond: int) -> None:
    read, values = Laid(4, 6), range(13)
    halves = tuple(tuple((value, 1 / 13) for value in values if value != half) for half in read)
    unread = Piece(0, Play(read, train)).read_as(Confidence((1 / 13, 1 / 13), (halves[0], halves[1])))
    due = [one.tile for one in unread.fitting(9, None)]
    assert {tile[within] for tile in due} == {9} and sorted(tile[beyond] for tile in due) == [*values]
    both = [(tile[within], tile[beyond]) for _, tile in unread.fitting(9, 2)]
    assert both == [(9, 2)], "what lies before it and behind it tell one half each"


def test_where_no_tile_fits_both_neighbours_the_one_before_it_counts() -> None:
    """The one behind may break the rule."""
    doubtful = Piece(0, Play(Laid(4, 6), "Ann")).read_as(Confidence((0.6, 0.6), (((9, 0.4),), ((5, 0.4),))))
    assert [one.tile for one in doubtful.fitting(9, 2)] == [Laid(9, 5), Laid(9, 6)]


def test_nobody_takes_a_tile_of_which_nothing_is_seen_for_a_read_one() -> None:
    belief = tracked("tactic", ["+12-4@Ann", "+12-7@Ben"])
    nothing = tuple(tuple((value, 1 / 13) for value in range(13) if value != half) for half in (4, 6))
    laid(belief, "+4-6@Ann", Confidence((1 / 13, 1 / 13), (nothing[0], nothing[1])))
    tiles = dict(last(belief).tiles)
    assert len(tiles) > 8 and max(tiles.values()) < 0.2


def test_a_value_that_is_likelier_than_the_one_on_record_costs_nothing() -> None:
    """An unread tile has the values on record, which need not be what the eye thinks likeliest."""
    assert other_tiles(Laid(8, 7), "Ann", unsure(0.3, (5, 0.6))) == (3, (OtherTile(0, Laid(5, 7)),))
    assert other_tiles(Laid(8, 7), "Ann", unsure(0.6, (5, 0.3)))[0] == 0


def test_what_the_table_makes_of_a_tile_costs_what_the_eye_holds_against_it() -> None:
    """8-9 was given to what looks like an 8-7: the next tile decides, and where none comes the eye does."""
    given = Confidence((0.99, 0.2), ((), ((7, 0.8),)))
    belief = tracked("tactic", ["+12-8@Ann", "+12-7@Ben", "+12-3@Cy"])
    laid(belief, "+8-9@Ann", given)
    assert last(belief).act == Play(Laid(8, 7), "Ann")
    for change in ("+7-1@Ben", "+3-4@Cy", "+9-3@Ann"):
        laid(belief, change)
    assert [one.act.tile for one in belief.verdicts() if isinstance(one.act, Play)][3] == Laid(8, 9)


EITHER = ((9, 0.35), (2, 0.1))
"""What a half may be as well that looks most like a 4."""


def test_where_two_unread_tiles_meet_neither_is_told_by_the_other() -> None:
    """3-4 and 4-8, or 3-9 and 9-8: both fit, and a guess must not pass for a reading."""
    belief = tracked("poltava", [])
    first, second = Play(Laid(3, 4), "Ann"), Play(Laid(4, 8), "Ann")
    readings = {first: Confidence((0.999, 0.55), ((), EITHER)), second: Confidence((0.55, 0.999), (EITHER, ()))}
    see(belief, "+12-3@Ann, +3-4@Ann, +4-8@Ann", readings=readings)
    inner, outer = belief.verdicts()[-2:]
    assert inner.unread(readings[first]) == (False, True) and outer.unread(readings[second]) == (True, False)


def test_unread_tiles_in_a_long_first_train_leave_no_name_open() -> None:
    """They are on record as what they look like, and fit all the same: nobody looks for a broken rule."""
    belief = tracked("poltava", [])
    doubted = {
        Play(Laid(8, 5), "Ann"): Confidence((0.6, 0.6), (((7, 0.4),), ((1, 0.4),))),
        Play(Laid(3, 6), "Ann"): Confidence((0.6, 0.6), (((7, 0.4),), ((0, 0.4),))),
    }
    see(belief, "+12-7@Ann, +8-5@Ann, +1-4@Ann, +4-7@Ann, +3-6@Ann, +0-9@Ann", readings=doubted)
    see(belief, "+12-6@Ben, +6-2@Ben")
    assert [one.act for one in belief.verdicts()][1:5:3] == [Play(Laid(7, 1), "Ann"), Play(Laid(7, 0), "Ann")]
    assert {one.by for one in belief.verdicts()} == {"Ann", "Ben"}


# ---- what the belief makes of them ---------------------------------------------------------------------------------


def test_a_runner_up_that_fits_is_believed_before_a_broken_rule() -> None:
    """One play in two hundred breaks a rule; a runner-up of 2 % that fits is four times as likely."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    verdict = last(belief)
    assert verdict.act == Play(Laid(1, 7), "Ann") and verdict.by == "Ann" and verdict.charges == ()


def test_without_a_runner_up_that_fits_it_stays_what_was_read_and_is_held_against_somebody() -> None:
    """For certain only where it was read beyond doubt."""
    for p, certain in ((0.997, False), (0.9995, True)):
        belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
        laid(belief, "+8-7@Ann", unsure(p, (2, 1 - p)))
        verdict = last(belief)
        assert verdict.act == Play(Laid(8, 7), "Ann")
        assert [(one.code, one.certain) for one in verdict.charges] == [("MISMATCH", certain)]


@pytest.mark.parametrize(("across", "lies"), [(True, Laid(5, 5)), (False, Laid(5, 4))])
def test_of_two_tiles_that_fit_the_double_lies_across(across: bool, lies: Laid) -> None:
    belief = tracked("reeves", ["+12-5@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+5-4@Ann", Confidence((0.99, 0.9), ((), ((5, 0.1),)), across=across))
    assert last(belief).act == Play(lies, "Ann")


def test_a_tile_about_as_likely_another_as_illegal_stays_what_was_read_and_accuses_nobody_for_certain() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+8-7@Ann", unsure(0.997, (1, 0.0022)))
    verdict = last(belief)
    assert verdict.act == Play(Laid(8, 7), "Ann")
    assert [one.certain for one in verdict.charges] == [False]


def test_a_tile_that_lies_elsewhere_is_no_runner_up() -> None:
    """4-7 lies on Ben's train already, and the box has no other tile that fits."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-7@Ben", "+12-3@Cy", "+1-4@Ann", "+7-4@Ben", "+3-5@Cy"])
    laid(belief, "+9-7@Ann", unsure(0.97, (4, 0.02)))
    assert last(belief).act == Play(Laid(9, 7), "Ann")


def test_what_is_laid_next_tells_which_of_two_tiles_it_was() -> None:
    """Both fit, and the eye leans to 5; what lies on it shows that it is a 4."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+1-5@Ann", unsure(0.999, outer=((4, 0.1),)))
    assert last(belief).act == Play(Laid(1, 5), "Ann") and last(belief).by == "Ann"
    for change in ("+2-6@Ben", "+3-7@Cy", "+4-8@Ann"):
        laid(belief, change)
    assert play(belief, "1-4@Ann").by == "Ann" and play(belief, "1-4@Ann").charges == ()
    assert play(belief, "4-8@Ann").by == "Ann" and not any(one.certain for one in play(belief, "4-8@Ann").charges)


def test_it_is_what_was_read_after_all_where_the_next_tile_fits_only_that() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+1-5@Ann", unsure(0.999, outer=((4, 0.4),)))
    for change in ("+2-6@Ben", "+3-7@Cy", "+5-8@Ann"):
        laid(belief, change)
    assert play(belief, "1-5@Ann").by == "Ann"
    assert not any(verdict.charges for verdict in belief.verdicts())


def test_nobody_is_accused_on_what_lies_on_a_tile_that_is_believed_to_be_another() -> None:
    """By what was read 7-9 does not fit and 2-9 does; by what is believed it is the other way round."""
    for following in ("+7-9@Ann", "+2-9@Ann"):
        belief = tracked("reeves", ["+12-1@Ann", "+12-3@Ben", "+12-4@Cy"])
        laid(belief, "+8-2@Ann", Confidence((0.96, 0.96), (((1, 0.03),), ((7, 0.03),))))
        for change in ("+3-6@Ben", "+4-10@Cy", following):
            laid(belief, change)
        assert not any(one.certain for verdict in belief.verdicts() for one in verdict.charges), following


def test_of_two_tiles_of_one_change_the_outer_may_lie_on_one_that_was_hardly_read() -> None:
    """No runner-up is known, but one in twelve such halves shows something else."""
    for p, charged in ((0.92, []), (0.999, ["MISMATCH"])):
        belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
        inner, outer = parse_delta(["+1-1@Ann", "+4-8@Ann"])
        assert isinstance(inner, Play) and isinstance(outer, Play)
        readings = {inner: Confidence((0.999, p)), outer: Confidence((0.999, 0.999))}
        belief.observe(Evidence.of(belief.number, table_change([inner, outer], readings=readings)))
        assert [one.code for verdict in belief.verdicts() for one in verdict.charges] == charged


def test_nobody_ignored_for_certain_a_double_that_was_hardly_read() -> None:
    """It may be no double, or no tile at all."""
    for p, certain in ((0.999, True), (0.86, False)):
        belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+1-4@Ann", "+2-9@Ben"])
        laid(belief, "+3-3@Cy", Confidence((p, p)))
        see(belief, "boneyard-1, mark Cy")
        for change, player in (("+4-5@Ann", "Ann"), ("+9-7@Ben", "Ben")):
            (laying,) = parse_delta([change])
            arms = {laying: {name: 0 if name == player else 15 for name in ("Ann", "Ben", "Cy")}}
            laid(belief, change, arms=arms, whose={laying: player})
        charges = [one for verdict in belief.verdicts() for one in verdict.charges]
        assert "OPEN_DOUBLE_IGNORED" in [one.code for one in charges]
        assert any(one.certain for one in charges if one.code == "OPEN_DOUBLE_IGNORED") is certain


def test_a_second_mexican_train_is_never_certain() -> None:
    """It is more often a player's own that does not begin where it should."""
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+12-4@MX"])
    (laying,) = parse_delta(["+12-8@MX2"])
    laid(belief, "+12-8@MX2", arms={laying: {"Ann": 15, "Ben": 0, "Cy": 15}}, whose={laying: "Ben"})
    charges = [one for verdict in belief.verdicts() for one in verdict.charges]
    assert "SECOND_MEXICAN" in [one.code for one in charges]
    assert not any(one.certain for one in charges)


def test_an_arm_belongs_to_the_tile_whichever_it_is() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    (laying,) = parse_delta(["+8-7@Ann"])
    laid(belief, "+8-7@Ann", unsure(0.97, (1, 0.02)), arms={laying: {"Ann": 0, "Ben": 30, "Cy": 30}})
    assert last(belief).act == Play(Laid(1, 7), "Ann") and last(belief).by == "Ann"
    assert belief.entries[last(belief).item].piece.actors == {"Ann": 0, "Ben": 30, "Cy": 30}


def test_in_a_line_a_runner_up_that_fits_is_believed_too(tmp_path: Path) -> None:
    session = line(tmp_path)
    laid_down(session, "+3-6@R")
    laid_down(session, "+5-1@R", unsure(0.96, (6, 0.03)))
    laid_down(session, "+1-4@R")
    laid_down(session, "+4-2@R")
    assert [(play.tile, play.by) for play in plays(session)[:3]] == [((3, 6), "Ann"), ((6, 1), "Ben"), ((1, 4), "Cy")]
    assert not any(play.violations for play in plays(session))


def test_in_a_line_the_next_tile_tells_which_of_two_it_was(tmp_path: Path) -> None:
    session = line(tmp_path)
    laid_down(session, "+3-6@R", Confidence((0.99, 0.9), ((), ((5, 0.1),))))
    laid_down(session, "+5-4@R")
    assert [play.tile for play in plays(session)] == [(3, 5), (5, 4)]
    assert [play.by in (None, name) for play, name in zip(plays(session), NAMES, strict=False)] == [True, True]
    assert not any(one.certain for play in plays(session) for one in play.violations)


# ---- on record -----------------------------------------------------------------------------------------------------


def test_the_record_has_what_is_believed_and_the_evidence_what_was_read(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    (found,) = (one for one in plays(session) if one.tile == (1, 7))
    assert found.by == "Ann" and found.violations == ()
    assert found.reading == Confidence((0.02, 1.0), (((8, 0.97),), ()))
    assert session.journal.seen[-1].change.laid == (Play(Laid(8, 7), "Ann"),)


def test_a_tile_that_turns_out_to_be_another_is_put_right_on_record(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+1-5@Ann", unsure(0.999, outer=((4, 0.1),)))
    for change in ("+2-6@Ben", "+3-7@Cy", "+4-8@Ann"):
        laid_down(session, change)
    found = [(play.tile, play.by) for play in plays(session)]
    assert found[3:] == [((1, 4), "Ann"), ((2, 6), "Ben"), ((3, 7), "Cy"), ((4, 8), "Ann")]
    assert not any(one.certain for play in plays(session) for one in play.violations)


def test_what_people_have_put_right_keeps_its_place_when_a_tile_turns_out_to_be_another(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+1-5@Ann", unsure(0.999, outer=((4, 0.1),)))
    laid_down(session, "+2-6@Ben")
    session.correct(plays(session)[4].seq, {"by": "Ben"})
    before = [play.seq for play in plays(session)]
    for change in ("+3-7@Cy", "+4-8@Ann"):
        laid_down(session, change)
    assert [play.seq for play in plays(session)][: len(before)] == before
    assert [play.tile for play in plays(session)][3] == (1, 4)
    tile = state_of(session)["trains"][0]["tiles"][1]
    assert tile["tile"] == [1, 4] and tile["sure"] == 0.9505 and tile["others"] == [[[1, 5], 0.0495]]
    assert tile["unread"] == [False, True]
    session.close()


def test_opened_again_the_record_is_the_same_and_goes_on(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    before = [(play.seq, play.tile, play.by) for play in plays(session)]
    session.close()
    session = Game.open(tmp_path / "game.jsonl")
    laid_down(session, "+2-6@Ben")
    assert [(play.seq, play.tile, play.by) for play in plays(session)][: len(before)] == before
    laid_down(session, "+3-9@Cy")
    laid_down(session, "+7-5@Ann")
    assert [play.by for play in plays(session)] == ["Ann", "Ben", "Cy"] * 2 + ["Ann"]
    assert not any(play.violations for play in plays(session))
    session.close()


def test_a_tile_believed_to_be_another_that_is_taken_back_was_not_moved(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    session.observe(table_change(parse_delta(["-8-7@Ann"])))
    assert [play.tile for play in plays(session)] == [(12, 1), (12, 2), (12, 3)]
    assert not any(finding["certain"] for one in state_of(session)["plays"] for finding in one.get("violations") or ())
    session.close()


def test_what_a_person_says_that_it_is_counts(tmp_path: Path) -> None:
    session = mexican(tmp_path)
    laid_down(session, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    seq = next(play.seq for play in plays(session) if play.tile == (1, 7))
    session.correct(seq, {"tile": [1, 9]})
    laid_down(session, "+2-6@Ben")
    assert next(play.tile for play in plays(session) if play.seq == seq) == (1, 9)
    session.close()


def test_the_dispute_names_the_other_tile() -> None:
    belief = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", "+12-3@Cy"])
    laid(belief, "+8-7@Ann", unsure(0.97, (1, 0.02)))
    found = alternatives(belief.filter, last(belief).item)
    assert Laid(1, 7) in [one.tile for one in found if one.player == "Ann"]
    assert any(str(one).startswith("it is another tile than was read and Ann with 1-7: ") for one in found)
    assert any(one.tile is None and ("MISMATCH", "Ann") in one.codes for one in found)


def test_a_second_tile_of_a_kind_that_the_box_has_once_is_another(tmp_path: Path) -> None:
    """In poor light a 10-10 passed for the 12-12 that lay in the middle: both halves had erred."""
    session = mexican(tmp_path)
    for change in ("+1-10@Ann", "+2-6@Ben", "+3-7@Cy"):
        laid_down(session, change)
    laid_down(session, "+12-12@Ann", Confidence((0.9, 0.9), (((10, 0.09),), ((10, 0.09),)), across=True))
    assert plays(session)[-1].tile == (10, 10) and plays(session)[-1].violations == ()
    session.close()


def mexican(folder: Path) -> Game:
    """Three players, each with a first tile."""
    session = Game.create(folder / "game.jsonl", Header("reeves", "double-12", NAMES))
    session.start_round((12, 12), "Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        laid_down(session, change)
    return session


def line(folder: Path) -> Game:
    session = Game.create(folder / "game.jsonl", Header("jielong", "chinese", (*NAMES, "Dee")))
    session.start_round(starter="Ann")
    return session


def laid_down(session: Game, change: str, reading: Confidence | None = None) -> None:
    (laying,) = parse_delta([change])
    assert isinstance(laying, Play)
    session.observe(table_change([laying], readings={} if reading is None else {laying: reading}))


def plays(session: Game) -> list[TilePlayed]:
    lines = session.scoreboard.lines
    return [line.event for line in lines if isinstance(line.event, TilePlayed) and not line.undone]


@pytest.mark.parametrize(
    ("laid_p", "lying_p", "certain"),
    [
        ((0.9995, 0.6), (0.6, 0.9995), True),
        ((0.95, 0.9995), (0.9995, 0.9995), False),
        ((0.9995, 0.9995), (0.9995, 0.9), False),
    ],
)
def test_only_the_halves_that_meet_prove_that_they_do_not_match(
    laid_p: tuple[float, float], lying_p: tuple[float, float], certain: bool
) -> None:
    """In a train, and at both ends of a line."""

    def read(tile: Laid, p: tuple[float, float]) -> Confidence:
        inner, outer = (((value % 6 + 1, 1.0 - one),) for value, one in zip(tile, p, strict=True))
        return Confidence(p, (inner, outer))

    belief = tracked("tactic", ["+12-8@Ann", "+12-7@Ben", "+12-3@Cy"])
    laid(belief, "+8-5@Ann", read(Laid(8, 5), lying_p))
    laid(belief, "+7-1@Ben")
    laid(belief, "+3-4@Cy")
    laid(belief, "+4-9@Ann", read(Laid(4, 9), laid_p))
    laid(belief, "+1-6@Ben")
    assert mismatched(belief) == certain
    for arm, far, near, beyond in (("R", (1, 5), (3, 2), "+2-2@R"), ("L", (5, 6), (2, 4), "+2-2@L")):
        line = RoundTracker(load_ruleset("jielong", {"arms": 2}), LinePosition(FOUR, (), "Ann", {}, {}), "Ann")
        for change in ("+6-6@R", "+6-4@R", "+4-1@R"):
            laid(line, change)
        turned = slice(None, None, 1 if arm == "R" else -1)
        laid(line, f"+{far[0]}-{far[1]}@{arm}", read(Laid(*far), lying_p[turned]))
        laid(line, f"+{near[0]}-{near[1]}@{arm}", read(Laid(*near), laid_p[turned]))
        laid(line, beyond)
        assert mismatched(line) == certain, arm
