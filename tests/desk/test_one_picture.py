"""What one picture does not prove is certain only once another has left it so, or the round is over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from companion.game.session import Session
from companion.game.watched_round import PictureProof, steady
from companion.log.event_fields import Header
from companion.rules.notation import Laying, parse_delta
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import ITEMS, Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict
from datasets.bots.watching import table_change
from tests.shown import state_of
from tests.tracking.rounds import tracked

LAID = Laying(Laid(3, 4), "Cy")


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
    assert steady(LESS_SURE, NAMED_BEN, late=False) == replace(LESS_SURE, by="Ben", maybe=())
    assert steady(LESS_SURE, None, late=True) == steady(LESS_SURE, LESS_SURE, late=True) == LESS_SURE


def test_a_name_that_is_shaken_has_some_pictures_to_come_back() -> None:
    shaken = replace(LESS_SURE, p=0.8)
    assert steady(shaken, NAMED_BEN, late=True).by == "Ben"
    assert steady(shaken, NAMED_BEN, late=False) == shaken


@pytest.mark.parametrize(("pictures", "over", "by"), [(1, False, "Ben"), (7, False, None), (1, True, None)])
def test_it_goes_where_it_stays_shaken_or_the_round_is_over(pictures: int, over: bool, by: str | None) -> None:
    proof, sure, before = PictureProof(), after("+3-4@Cy"), {2 * ITEMS: NAMED_BEN}
    sure.verdicts = lambda: [replace(LESS_SURE, p=0.8)]  # type: ignore[method-assign]
    for picture in range(pictures):
        sure.log = [*sure.log, Evidence(3 + picture, (SimpleNamespace(doubt=None, denied=None),))]  # type: ignore[arg-type]
        before = proof.verdicts(sure, (), (), sure._start, before, over=over)
    assert before[2 * ITEMS].by == by


@pytest.mark.parametrize("other", [replace(LESS_SURE, p=0.6), replace(LESS_SURE, maybe=("Cy", "Ben"))])
def test_a_name_goes_where_it_is_a_guess_or_another_is_likelier(other: Verdict) -> None:
    assert steady(other, NAMED_BEN, late=True) == other


def test_nobody_is_accused_by_a_name_that_lags() -> None:
    accused = replace(LESS_SURE, p=0.997, charges=(FAULT,))
    assert steady(accused, NAMED_BEN, late=True) == accused
    assert steady(accused, replace(NAMED_BEN, charges=(FAULT,)), late=False).by == "Ben"
    doubtful = replace(accused, charges=(replace(FAULT, p=0.6),))
    assert steady(doubtful, replace(NAMED_BEN, charges=(FAULT,)), late=True) == doubtful


def test_a_fault_does_not_take_the_names_off_the_plays_before_it(tmp_path: Path) -> None:
    session = Session.create(
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
