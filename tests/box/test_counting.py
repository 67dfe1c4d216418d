"""The benches count known, open, wrong, shown and false by these definitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.counting import AccusationLog, count_by, count_faults, count_plays
from bench.stand_ins.settling import confirm
from companion.game.game import Game
from companion.log.event_fields import Header
from tests.shown import state_of

TRUE = [("Ann", ((12, 5), "Ann")), ("Ben", ((12, 7), "Ben")), ("Cy", ((12, 9), "Cy")), ("Ann", ((5, 1), "Ann"))]


def played(tile: tuple[int, int], train: str, by: str | None, *codes: str, certain: bool = True) -> dict[str, Any]:
    found = [{"code": code, "certain": certain} for code in codes]
    return {"event": "tile_played", "tile": list(tile), "train": train, "by": by, "violations": found}


def test_nobody_is_no_right_name() -> None:
    counted = count_plays(
        TRUE, [played((12, 5), "Ann", "Ann"), played((12, 7), "Ben", None), played((12, 9), "Cy", "Ben")]
    )
    assert (counted.plays, counted.named, counted.unnamed) == (4, 1, 1)
    assert counted.misnamed == ("12-9@Cy by Ben",)
    assert counted.lost == ("5-1@Ann",)
    assert counted.extra == ()


def test_what_was_not_laid_is_extra_and_a_tile_taken_back_is_lost() -> None:
    taken_back = {**played((12, 5), "Ann", "Ann"), "taken_back": True}
    counted = count_plays(TRUE[:1], [taken_back, played((3, 3), "Ann", "Ann")])
    assert counted.lost == ("12-5@Ann",) and counted.extra == ("3-3@Ann",)


def test_of_two_equal_tiles_each_player_is_right_once() -> None:
    true = [("Ann", ((5, 5), "R")), ("Ben", ((5, 5), "R"))]
    counted = count_plays(true, [played((5, 5), "R", "Ann"), played((5, 5), "R", "Ann")])
    assert counted.named == 1 and counted.misnamed == ("5-5@R by Ann",)


def test_a_planted_fault_is_shown_nameless_possible_or_missed() -> None:
    planted = [("CLOSED_TRAIN", "Ann"), ("MISMATCH", "Ben"), ("EXTRA_TILE", "Cy"), ("WRONG_ROOT", "Dee")]
    recorded = [
        played((1, 2), "Ben", "Ann", "CLOSED_TRAIN"),
        played((3, 4), "Ben", None, "MISMATCH"),
        played((5, 6), "Cy", "Cy", "EXTRA_TILE", certain=False),
        played((5, 7), "Cy", None, "DOUBLE_ORDER", certain=False),
    ]
    counted = count_faults(planted, planted, recorded)
    assert (counted.planted, counted.shown, counted.nameless, counted.possible) == (4, 1, 1, 1)
    assert [kind for _, kind in counted.each] == ["shown", "nameless", "possible", "missed"]
    assert counted.missed == ("WRONG_ROOT by Dee",), (
        "a finding of the round with another code and no name is none of it"
    )
    assert counted.false == ()


def test_the_right_code_under_a_wrong_name_is_a_false_accusation_and_no_find() -> None:
    recorded = [played((1, 2), "Ben", "Cy", "CLOSED_TRAIN")]
    counted = count_faults([("CLOSED_TRAIN", "Ann")], [("CLOSED_TRAIN", "Ann")], recorded)
    assert counted.shown == 0 and counted.missed == ("CLOSED_TRAIN by Ann",)
    assert counted.false == ("CLOSED_TRAIN by Cy",)


def test_an_accusation_that_was_taken_back_counts_at_its_moment(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    log = AccusationLog(session)
    session.start_round((12, 12), "Ann", draws_seen=False)
    session.play((12, 5), "Ann")
    session.play((5, 9), "Ann", by="Ben")
    assert log.ever == set()
    confirm(session)
    session.undo()
    session.undo()
    assert log.ever == {("CLOSED_TRAIN", "Ben")}
    plays = state_of(session)["plays"]
    true = count_faults([], [("CLOSED_TRAIN", "Ben")], plays, log.ever)
    assert (true.false_ever, true.unsaid) == ((), ("CLOSED_TRAIN by Ben",))
    assert count_faults([], [], plays, log.ever).false_ever == ("CLOSED_TRAIN by Ben",)


class Shows:
    """A session that shows one entry, each time otherwise."""

    def __init__(self) -> None:
        self.plays: list[dict[str, Any]] = []

    def subscribe(self, look: Callable[[Any], None]) -> None:
        self.look = look

    def snapshot(self) -> Any:
        return SimpleNamespace(plays=self.plays)

    def show(self, by: str | None, *codes: str, **more: Any) -> None:
        self.plays = [{**played((12, 5), "Ann", by, *codes), "seq": 3, **more}]
        self.look(None)


def test_a_name_or_a_certain_finding_that_goes_and_comes_again_flips_twice() -> None:
    session = Shows()
    log = AccusationLog(session)  # type: ignore[arg-type]
    session.show(None)
    session.show("Ann")
    session.show("Ann", "MISMATCH")
    assert dict(log.flips) == {"names": 0, "certain": 0}, "what is shown for the first time has not changed"
    for by, codes in ((None, ("MISMATCH",)), ("Ann", ("MISMATCH",)), ("Ben", ()), ("Ben", ("MISMATCH",))):
        session.show(by, *codes)
    assert dict(log.flips) == {"names": 3, "certain": 2}
    session.show(None, taken_back=True)
    assert dict(log.flips) == {"names": 3, "certain": 2}


def test_plays_are_counted_by_the_arm_that_laid_them() -> None:
    kinds = ("plain", "plain", "from aside", "two hands")
    true = [(kind, player, laid) for kind, (player, laid) in zip(kinds, TRUE, strict=True)]
    recorded = [played((12, 5), "Ann", "Ann"), played((12, 7), "Ben", None), played((12, 9), "Cy", "Ben")]
    assert count_by(true, recorded) == {
        "plain": {"named": 1, "unnamed": 1, "misnamed": 0, "lost": 0},
        "from aside": {"named": 0, "unnamed": 0, "misnamed": 1, "lost": 0},
        "two hands": {"named": 0, "unnamed": 0, "misnamed": 0, "lost": 1},
    }


def test_of_two_equal_tiles_each_name_answers_for_its_own_play() -> None:
    true = [("plain", "Ann", ((5, 5), "R")), ("left hand", "Ben", ((5, 5), "R"))]
    counted = count_by(true, [played((5, 5), "R", "Ben"), played((5, 5), "R", "Ann")])
    assert all(one["named"] == 1 for one in counted.values())
