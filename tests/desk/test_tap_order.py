"""In a tapped game the order of taps between two tiles is not the order of acts: what a legal order explains is held
against nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.game.replay import replay
from companion.game.session import Session
from companion.log.events import Header
from tests.desk.making import ticking

TWO, THREE, FOUR = ("Ann", "Ben"), ("Ann", "Ben", "Cy"), ("Ann", "Ben", "Cy", "Dee")

Taps = str
"""Such as "Ann 12-5, Ben draw, Ann 5-7 @MX, mark Ben, Cy done"."""


def table(path: Path, rules: str, players: tuple[str, ...]) -> Session:
    box = "chinese" if rules == "jielong" else "double-12"
    path.mkdir(exist_ok=True)
    session = Session.create(path / "g.jsonl", Header(rules, box, players), ticking())
    session.start_round(starter="Ann")
    return session


def tap(session: Session, taps: Taps) -> Session:
    for one in taps.split(", "):
        first, second, *on = one.split()
        if first in ("mark", "unmark"):
            (session.mark if first == "mark" else session.unmark)(second)
        elif second in ("draw", "pass", "done", "discard"):
            verbs: dict[str, Callable[[str], object]] = {
                "draw": session.draw, "pass": session.pass_turn, "done": session.done, "discard": session.discard
            }  # fmt: skip
            verbs[second](first)
        else:
            inner, outer = map(int, second.split("-"))
            session.play((inner, outer), on[0][1:] if on else first, by=first)
    return session


def held(session: Session) -> list[tuple[str | None, str, bool]]:
    """Everything that stands: against whom, the code, whether it is certain."""
    return [
        (found.get("by") or play.get("by"), found["code"], found["certain"])
        for play in session.snapshot()["plays"]
        for found in play.get("violations", ())
    ]


@pytest.mark.parametrize(
    ("rules", "players", "taps", "turn"),
    [
        ("cz", THREE, "Ann 12-1, Ben 12-2, Cy 12-3, Ann done, Ben done, Cy done", "Ann"),
        ("tactic", TWO, "Ann 12-1, Ben 12-2, Ann done, Ben done", "Ann"),
        ("reeves", TWO, "Ann 12-1, Ben 12-2, Ann done, Ben done", "Ann"),
        ("jielong", TWO, "Ann 3-6 @R, Ben 6-4 @R, Ann done, Ben done", "Ann"),
        ("tactic", THREE, "Ann 12-1, Ben done, Ben 12-2, Ben done, Ben done, Cy 12-3", "Ann"),
        ("tactic", TWO, "Ann 12-1, Ben draw, Ben done, mark Ben, Ann 1-4, Ann done, Ann done, Ben 12-3 @MX", "Ann"),
        ("poltava", TWO, "Ann 12-1, Ann done, Ann 1-2, Ann done, Ben 12-3", "Ann"),
    ],
)
def test_my_turn_is_over_is_never_a_turn_of_its_own(
    tmp_path: Path, rules: str, players: tuple[str, ...], taps: Taps, turn: str
) -> None:
    session = tap(table(tmp_path, rules, players), taps)
    assert held(session) == []
    assert session.snapshot()["turn"] == turn


@pytest.mark.parametrize(
    ("rules", "players", "taps", "turn"),
    [
        ("tactic", TWO, "Ann 12-5, Ben draw, Ann 5-7, mark Ben", "Ben"),
        ("tactic", TWO, "Ann 12-5, Ben draw, Ann draw, mark Ben, mark Ann", "Ben"),
        ("tactic", TWO, "Ann draw, mark Ann, Ben 12-1, Ann 12-2, Ben 1-3, unmark Ann", "Ann"),
        ("tactic", THREE, "Ann 12-5, Ben draw, Cy 12-7, mark Ben", "Ann"),
        ("reeves", FOUR, "Ann 12-5, Cy 12-7, Ben draw, mark Ben, Dee 12-8", "Ann"),
        ("reeves", FOUR, "Ann 12-5, Ben draw, Cy draw, mark Cy, mark Ben, Dee 12-8", "Ann"),
        ("tactic", THREE, "Ben draw, mark Ben, Ann 12-5, Cy 12-6", "Ann"),
        ("tactic", THREE, "Ann 12-5, Ben draw, Cy 12-7 @Ben, mark Ben", "Ann"),
        ("poltava", THREE, "Ann 12-5, Cy 12-6, mark Ben, Ann 5-9", "Ben"),
        ("jielong", THREE, "Ann 3-6 @R, Cy 6-4 @R, Ben discard", "Ann"),
    ],
)
def test_a_marker_or_a_draw_tapped_late_or_early_belongs_to_the_turn_that_owes_it(
    tmp_path: Path, rules: str, players: tuple[str, ...], taps: Taps, turn: str
) -> None:
    session = tap(table(tmp_path, rules, players), taps)
    assert held(session) == []
    assert session.snapshot()["turn"] == turn
    live, lines = session.snapshot(), replay(session.journal.path).lines
    session.close()
    assert all(line.same for line in lines)
    assert Session.open(session.journal.path, ticking()).snapshot() == live


def test_who_plays_on_the_train_of_somebody_who_owes_a_marker_is_not_accused_for_it(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5, Ben draw, Cy 12-7 @Ben")
    assert held(session) == [("Ben", "MARKER_MISSING", False)]
    tap(session, "Ann 5-6, Ben 7-4, Cy 12-8 @MX")
    assert held(session) == [("Ben", "MARKER_MISSING", True)]


@pytest.mark.parametrize(
    ("rules", "taps", "late", "on", "code"),
    [
        ("tactic", "Ann draw, Ben 12-5", "mark Ann", "Cy 12-7, Ann 12-3, Ben 5-8", "MARKER_MISSING"),
        ("tactic", "Ann pass, Ben 12-5", "Ann draw, mark Ann", "Cy 12-7, Ann 12-3, Ben 5-8", "NO_DRAW"),
        ("tactic", "mark Ann, Ben 12-5", "Ann draw", "Cy 12-7, Ann 12-3, unmark Ann, Ben 5-8", "NO_DRAW"),
        (
            "tactic",
            "mark Ann, Ann draw, Ben 12-5, Cy 12-6, Ann 12-3, Ben 5-7",
            "unmark Ann",
            "Cy 6-8, Ann 3-4, Ben 7-9",
            "MARKER_NOT_REMOVED",
        ),
        (
            "tactic",
            "Ann 12-5, Ann 5-6",
            "Ben draw, mark Ben, Cy draw, mark Cy",
            "Ben 12-7, Cy 12-8, Ann 6-7, Ben 7-8",
            "EXTRA_TILE",
        ),
        (
            "tactic",
            "Ann 12-5, Cy 12-6 @Ben",
            "Ben draw, mark Ben",
            "Ann 5-8, Ben 12-9 @MX, Cy 12-4, Ann 8-1, Ben 9-6 @MX",
            "CLOSED_TRAIN",
        ),
        (
            "cz",
            "Ann 12-5, Cy 12-1, Ann 12-3 @MX",
            "mark Ben",
            "Ben 12-8, Cy 1-2, Ann 5-6, Ben 8-9, Cy 2-3, Ann 6-7",
            "MX_TOO_EARLY",
        ),
        (
            "jielong",
            "Ann 3-6 @R, Ben pass",
            "Ben discard",
            "Cy 6-3 @R, Ann 3-3 @R, Ben 3-1 @R, Cy 1-2 @R",
            "PASS_WITHOUT_DISCARD",
        ),
    ],
)
def test_what_a_tap_to_come_may_explain_is_certain_only_once_it_comes_too_late(
    tmp_path: Path, rules: str, taps: Taps, late: Taps, on: Taps, code: str
) -> None:
    session = tap(table(tmp_path / "late", rules, THREE), taps)
    # Two rules would be broken if the train were closed; that one tap is owed is told at once.
    at_once = "MARKER_MISSING" if code == "CLOSED_TRAIN" else code
    assert at_once in {found for _, found, _ in held(session)}
    assert not any(certain for _, _, certain in held(session))
    assert not any(certain for _, _, certain in held(tap(session, late)))
    session = tap(tap(table(tmp_path / "on", rules, THREE), taps), on)
    assert code in {found for _, found, certain in held(session) if certain}


def test_a_game_that_is_opened_again_waits_for_the_same_taps(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann draw, Ben 12-5")
    session.close()
    again = Session.open(tmp_path / "g.jsonl", ticking())
    assert held(again) == [("Ann", "MARKER_MISSING", False)]
    assert held(tap(again, "Cy 12-7, Ann 12-3, Ben 5-8")) == [("Ann", "MARKER_MISSING", True)]


def test_a_tile_put_away_after_a_tapped_pass_is_the_one_that_is_owed(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "jielong", THREE), "Ann 3-6 @R, Ben pass, Ben discard")
    assert held(session) == [] and session.snapshot()["turn"] == "Cy"


def test_who_never_marks_stays_accused(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5, Ben draw, Cy 12-7, Ann 5-6, Ben 12-4, Cy 7-8, Ann 6-6")
    assert held(session) == [("Ben", "MARKER_MISSING", True)]


@pytest.mark.parametrize(
    "taps",
    ["Ann 12-5, Ann draw, Ben 12-6", "Ann draw, Ann 12-5, Ben 12-6, Cy 12-7, Ann 5-8, Ann draw, Ben 6-9"],
)
def test_a_draw_tapped_after_the_own_tile_may_have_come_before_it(tmp_path: Path, taps: Taps) -> None:
    session = tap(table(tmp_path, "tactic", THREE), taps)
    assert held(session) == [("Ann", "EXTRA_DRAW", False)]


def test_what_is_undone_stands_as_it_stood(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", TWO), "Ann 12-5, Ben draw, Ann 5-7")
    before = session.snapshot()
    tap(session, "mark Ben")
    assert held(session) == []
    session.undo()
    after = session.snapshot()
    assert {**after, "seq": before["seq"]} == before


@pytest.mark.parametrize(("drawn", "sure"), [(1, []), (2, []), (3, [True])])
def test_tiles_drawn_for_a_last_tile_that_was_not_announced(tmp_path: Path, drawn: int, sure: list[bool]) -> None:
    """004 names no penalty, and two tiles are widely drawn."""
    header = Header("tactic", "double-12", THREE, {"hand_table": {"12": {"3": 2}}})
    session = Session.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-5")
    session.report("Ann", "no_last_tile")
    for _ in range(drawn):
        session.draw("Ann")
    tap(session, "Ben 12-6, Cy 12-7, Ann 5-8, Ben 6-9")
    found = [one for one in held(session) if one[1] == "EXTRA_DRAW"]
    assert len(found) == drawn and [certain for _, _, certain in found if certain] == sure


@pytest.mark.parametrize(("kept", "sure"), [(((3, 7), (8, 8)), []), (((12, 6), (12, 7)), [True])])
def test_a_draw_tapped_late_is_no_needless_one(
    tmp_path: Path, kept: tuple[tuple[int, int], ...], sure: list[bool]
) -> None:
    """Ann drew the 12-9 and laid it; only when she tapped the draw did the 9-3 of her hand fit."""
    header = Header("tactic", "double-12", TWO, {"hand_table": {"12": {"2": 3}}})
    session = Session.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-9, Ben 12-1, Ann draw, Ann 9-3, Ben 1-4")
    session.end_round("blocked_declared", None)
    session.show_hand("Ann", list(kept))
    session.show_hand("Ben", [(5, 5)])
    assert [certain for _, code, certain in held(session) if code == "NEEDLESS_DRAW"] == sure


def test_a_draw_that_an_earlier_marker_owed_is_no_needless_one(tmp_path: Path) -> None:
    header = Header("tactic", "double-12", TWO, {"hand_table": {"12": {"2": 3}}})
    session = Session.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "mark Ann, Ben 12-3 @MX, Ann draw, Ann 3-5 @MX, Ben 5-1 @MX, Ann 1-7 @MX, Ben 7-8 @MX")
    session.show_hand("Ann", [(3, 6), (2, 2)])
    assert [one for one in held(session) if one[2]] == []


def test_a_round_that_a_wrong_name_ended_goes_on_once_it_is_put_right(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("tactic", "double-12", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-5, Ben draw, mark Ben, Cy 12-7, Ann 5-8")
    assert session.phase == "ended"
    misnamed = next(play["seq"] for play in session.snapshot()["plays"] if play.get("tile") == [5, 8])
    session.correct(misnamed, {"by": "Ben"})
    assert session.phase == "playing"


@pytest.mark.parametrize("rules", ["tactic", "reeves"])
def test_a_tile_without_a_name_on_a_closed_train_is_its_owner_s(tmp_path: Path, rules: str) -> None:
    """Nobody said that it was the player to move, who may have drawn and marked without a tap as yet."""
    session = tap(table(tmp_path, rules, TWO), "Ann draw")
    session.play((12, 3), "Ben")
    assert held(session) == [("Ann", "MARKER_MISSING", False)]
    assert held(tap(session, "mark Ann")) == [] and session.snapshot()["turn"] == "Ann"


def test_a_tile_without_a_name_beyond_somebody_who_tapped_nothing_accuses_neither(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5")
    session.play((12, 3), "Cy")
    assert not any(certain for _, _, certain in held(session))
    session.cannot_play("Ben")
    assert held(session) == [] and session.snapshot()["turn"] == "Ann"


@pytest.mark.parametrize("rules", ["tactic", "reeves"])
def test_who_taps_a_tile_before_the_neighbour_does_is_accused_of_nothing(tmp_path: Path, rules: str) -> None:
    session = tap(table(tmp_path, rules, FOUR), "Ann 12-1, Cy 12-2")
    assert ("Cy", "OUT_OF_TURN", False) in held(session), "Ben may have passed, or be slower on his phone"
    tap(session, "Ben 12-3")
    assert held(session) == [] and session.snapshot()["turn"] == "Dee"
    tap(session, "Dee 12-4, Ann 1-8, Ben 3-6, Cy 2-5")
    assert held(session) == [] and session.snapshot()["turn"] == "Dee"


def test_a_tile_that_is_wrong_in_its_own_turn_too_is_no_quick_tap(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", FOUR), "Ann 12-1, Cy 1-2 @Ann, Ben 12-3, Dee 12-4, Ann 2-8, Ben 3-6")
    assert {one[:2] for one in held(session) if one[2]} & {("Cy", "CLOSED_TRAIN"), ("Cy", "OUT_OF_TURN")}


def test_a_wrong_name_in_the_common_lap_accuses_nobody_else(tmp_path: Path) -> None:
    """cz: Cy's 9-7 was tapped as Ben's; the lap goes on, and Cy lays the rest of a first train."""
    taps = "Ann 12-1, Ben 12-6, Ben 6-6, Cy 12-11, Cy 11-9, Ben 9-7 @Cy, Cy 7-8, Cy 8-8, Cy 8-9, Cy 9-5, Ann 12-9 @MX"
    assert held(tap(table(tmp_path, "cz", THREE), taps)) == [("Ben", "FIRST_TURN_OWN_ONLY", True)]


def test_a_draw_tapped_after_the_last_tile_leaves_the_hand_counted(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("reeves", "double-9", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 9-5, Ben 9-7, Cy 9-4, Ann draw, mark Ann, Ben 7-2")
    assert session.phase == "ended"
    tap(session, "Ben draw")
    assert session.phase == "playing" and session.position.hands["Ben"] == 1  # type: ignore[union-attr]
    tap(session, "Cy draw, mark Cy, Ann draw, Ann done, Ben 2-3")
    assert session.phase == "ended" and not [one for one in held(session) if one[2]]
