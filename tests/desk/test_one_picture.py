"""A fault that one picture does not prove becomes certain only after another picture or at the end of the round."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.game.watched_round import PictureProof, steady
from companion.log.event_fields import Header
from companion.rules.notation import parse_delta
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import ITEMS, Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict
from datasets.bots.watching import table_change
from tests.shown import state_of
from tests.tracking.rounds import tracked

LAID = Play(Laid(3, 4), "Cy")


class Sure(RoundTracker):
    """A belief that is sure of what it holds against whoever laid the third tile."""

    code, proved = "CLOSED_TRAIN", False

    def verdicts(self) -> list[Verdict]:
        charge = Charge(self.code, None, True, 0.999, self.proved)
        return [Verdict(2 * ITEMS, Play(LAID.tile, LAID.train), None, 0.5, ("Ann", "Cy"), (charge,))]


def found(tracker: Any, *, over: bool = False) -> list[bool]:
    verdicts = PictureProof().verdicts(tracker, (), (), tracker._start, {}, over=over)
    return [charge.certain for charge in verdicts[2 * ITEMS].charges]


def after(*changes: str) -> Sure:
    """The belief after these changes of the table."""
    told = tracked("reeves", ["+12-1@Ann", "+12-2@Ben", *changes])
    sure = Sure(load_ruleset("reeves"), told._start, "Ann")
    sure.log = told.log
    return sure


def test_what_the_belief_holds_waits_for_another_picture() -> None:
    assert found(after("+3-4@Cy")) == [False]
    assert found(after("+3-4@Cy", "+1-5@Ann")) == [True]


def test_what_people_say_is_no_other_picture() -> None:
    sure = after("+3-4@Cy")
    sure.log = [*sure.log, Evidence(3, tuple(SimpleNamespace(doubt=20, denied=None) for _ in range(1)))]  # type: ignore[misc]
    assert found(sure) == [False]


@pytest.mark.parametrize(("proved", "over"), [(True, False), (False, True)])
def test_what_a_picture_proves_waits_for_none_and_nothing_waits_when_the_round_is_over(
    proved: bool, over: bool
) -> None:
    sure = after("+3-4@Cy")
    sure.proved = proved
    assert found(sure, over=over) == [True]


NAMED_BEN = Verdict(2 * ITEMS, Play(LAID.tile, LAID.train), "Ben", 0.97)
LESS_SURE = replace(NAMED_BEN, by=None, p=0.93, maybe=("Ben", "Cy"))
FAULT = Charge("MISMATCH", None, True, 0.999, True)


def test_a_name_that_was_shown_stays_while_it_is_by_far_the_likeliest() -> None:
    assert steady(LESS_SURE, NAMED_BEN, lately=False) == replace(LESS_SURE, by="Ben", maybe=())
    assert steady(LESS_SURE, None, lately=True) == steady(LESS_SURE, LESS_SURE, lately=True) == LESS_SURE


@pytest.mark.parametrize(
    "shaken", [replace(LESS_SURE, p=0.5), replace(LESS_SURE, maybe=("Cy", "Ben")), replace(NAMED_BEN, by="Cy")]
)
def test_a_name_that_is_shaken_has_some_pictures_to_come_back(shaken: Verdict) -> None:
    assert steady(shaken, NAMED_BEN, lately=True).by == "Ben"
    assert steady(shaken, NAMED_BEN, lately=False) == shaken


def shown_over(verdicts: list[Verdict], before: Verdict, *, over: bool = False) -> list[Verdict]:
    """The verdicts shown for one piece, picture by picture."""
    proof, sure, shown = PictureProof(), after("+3-4@Cy"), [before]
    for picture, one in enumerate(verdicts):
        sure.verdicts = lambda one=one: [one]  # type: ignore[method-assign,misc]
        sure.log = [*sure.log, Evidence(3 + picture, (SimpleNamespace(doubt=None, denied=None),))]  # type: ignore[arg-type]
        shown += proof.verdicts(sure, (), (), sure._start, {2 * ITEMS: shown[-1]}, over=over).values()
    return shown[1:]


def test_it_goes_where_it_stays_shaken() -> None:
    cy = replace(NAMED_BEN, by="Cy")
    assert [one.by for one in shown_over([NAMED_BEN, *[cy] * 4], NAMED_BEN)] == ["Ben"] * 4 + ["Cy"]


def test_a_first_name_is_shown_once_it_has_lasted() -> None:
    course = [LESS_SURE, NAMED_BEN, LESS_SURE, NAMED_BEN, NAMED_BEN]
    assert [one.by for one in shown_over(course, LESS_SURE)] == [None, None, None, None, "Ben"]
    assert shown_over(course[:2], LESS_SURE, over=True)[1].by == "Ben"
    accused = replace(NAMED_BEN, charges=(FAULT,))
    assert shown_over([LESS_SURE, accused], LESS_SURE)[1].by == "Ben", "what is certain is said at once"


def test_and_where_the_round_is_over() -> None:
    assert shown_over([replace(LESS_SURE, p=0.8)], NAMED_BEN, over=True)[0].by is None


def test_a_finding_that_was_taken_back_is_certain_again_when_the_round_is_over() -> None:
    certain = replace(NAMED_BEN, p=0.999, charges=(replace(FAULT, by="Ben"),))
    doubted = replace(certain, charges=(replace(FAULT, by="Ben", p=0.99, certain=False),))
    course = [certain, doubted, certain, certain]
    assert [one.charges[0].certain for one in shown_over(course, certain)] == [True, False, False, False]
    assert shown_over(course, certain, over=True)[-1].charges[0].certain


def test_nobody_is_accused_by_a_name_that_lags() -> None:
    accused = replace(LESS_SURE, p=0.997, charges=(FAULT,))
    assert steady(accused, NAMED_BEN, lately=True) == accused
    assert steady(accused, replace(NAMED_BEN, charges=(FAULT,)), lately=False).by == "Ben"
    doubtful = replace(accused, charges=(replace(FAULT, p=0.6),))
    assert steady(doubtful, replace(NAMED_BEN, charges=(FAULT,)), lately=True) == doubtful


def test_a_fault_does_not_take_the_names_off_the_plays_before_it(tmp_path: Path) -> None:
    session = Game.create(
        tmp_path / "g.jsonl", Header("chedeng", "chinese", ("Ann", "Ben", "Cy", "Dee"), {}), ticking()
    )
    session.start_round(None, "Ann", draws_seen=True)
    session.observe(table_change(parse_delta(["+5-3@R"])))
    session.observe(table_change(discards={"Ben": 1}))
    names = []
    for tile in ("3-2", "2-4", "4-1", "6-1", "1-6"):
        session.observe(table_change(parse_delta([f"+{tile}@R"])))
        names.append([play["by"] for play in state_of(session)["plays"] if play["event"] == "tile_played"])
    assert [row[:4] for row in names[2:]] == [["Ann", "Cy", "Dee", "Ann"]] * 3
