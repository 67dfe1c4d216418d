"""In a tapped game the order of taps is not always the order of acts. The game asks about a tap that does not fit, and
believes the answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import asked, confirm, kinds, settle
from companion.game.game import Game
from companion.game.replay import replay
from companion.log.event_fields import Header
from tests.shown import outcome, state_of

TWO, THREE, FOUR = ("Ann", "Ben"), ("Ann", "Ben", "Cy"), ("Ann", "Ben", "Cy", "Dee")

Taps = str
"""Such as "Ann 12-5, Ben draw, Ann 5-7 @MX, mark Ben, Cy done"."""


def table(path: Path, rules: str, players: tuple[str, ...]) -> Game:
    box = "chinese" if rules == "jielong" else "double-12"
    path.mkdir(exist_ok=True)
    session = Game.create(path / "g.jsonl", Header(rules, box, players), ticking())
    session.start_round(starter="Ann")
    return session


def tap(session: Game, taps: Taps) -> Game:
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


def held(session: Game) -> list[tuple[str | None, str, bool]]:
    """Everything that stands: against whom, the code, whether it is certain."""
    return [
        (found.get("by") or play.get("by"), found["code"], found["certain"])
        for play in state_of(session)["plays"]
        for found in play.get("violations", ())
    ]


@pytest.mark.parametrize(
    ("rules", "players", "taps", "turn"),
    [
        ("cz", THREE, "Ann 12-1, Ben 12-2, Cy 12-3, Ann done, Ben done, Cy done", "Ann"),
        ("tactic", TWO, "Ann 12-1, Ben 12-2, Ann done, Ben done", "Ann"),
        ("reeves", TWO, "Ann 12-1, Ben 12-2, Ann done, Ben done", "Ann"),
        ("jielong", TWO, "Ann 3-6 @R, Ben 6-4 @R, Ann done, Ben done", "Ann"),
    ],
)
def test_my_turn_is_over_is_never_a_turn_of_its_own(
    tmp_path: Path, rules: str, players: tuple[str, ...], taps: Taps, turn: str
) -> None:
    session = tap(table(tmp_path, rules, players), taps)
    assert held(session) == []
    assert state_of(session)["turn"] == turn


@pytest.mark.parametrize(
    ("rules", "players", "taps", "turn"),
    [
        ("reeves", FOUR, "Ann 12-5, Cy 12-7, Ben draw, mark Ben, Dee 12-8", "Ann"),
        ("tactic", THREE, "Ben draw, mark Ben, Ann 12-5, Cy 12-6", "Ann"),
        ("poltava", THREE, "Ann 12-5, Cy 12-6, mark Ben, Ann 5-9", "Ben"),
        ("jielong", THREE, "Ann 3-6 @R, Cy 6-4 @R, Ben discard", "Ann"),
    ],
)
def test_a_whole_turn_that_comes_before_another_player_has_acted_leaves_no_question(
    tmp_path: Path, rules: str, players: tuple[str, ...], taps: Taps, turn: str
) -> None:
    session = tap(table(tmp_path, rules, players), taps)
    assert held(session) == [] and asked(session) == []
    assert state_of(session)["turn"] == turn and len(state_of(session)["put_before"]) == 1
    same_when_opened_again(session)


def same_when_opened_again(session: Game) -> None:
    live = state_of(session)
    assert outcome(replay(session.journal.path).board) == outcome(session.scoreboard)
    session.close()
    assert state_of(Game.open(session.journal.path, ticking())) == live


LATE = [
    ("tactic", THREE, "Ann draw, mark Ann, Ben 12-1, Cy 12-4, Ann 12-2, Ben 1-3", "unmark Ann", "MARKER_NOT_REMOVED"),
    ("tactic", THREE, "Ann 12-5, Ben draw, Cy 12-7", "mark Ben", "MARKER_MISSING"),
    ("reeves", FOUR, "Ann 12-5, Ben draw, Cy draw, mark Cy", "mark Ben", "MARKER_MISSING"),
    ("tactic", THREE, "Ann 12-5, Ben draw, Cy 12-7 @Ben", "mark Ben", "MARKER_MISSING"),
    ("tactic", THREE, "Ann draw, Ben 12-5", "mark Ann", "MARKER_MISSING"),
    ("tactic", THREE, "Ann pass, Ben 12-5", "Ann draw, mark Ann", "NO_DRAW"),
    ("tactic", THREE, "mark Ann, Ben 12-5", "Ann draw", "NO_DRAW"),
    ("tactic", THREE, "Ann 12-5, Cy 12-6 @Ben", "Ben draw, mark Ben", "CLOSED_TRAIN"),
    ("jielong", THREE, "Ann 3-6 @R, Ben pass", "Ben discard", "PASS_WITHOUT_DISCARD"),
]
"""Rules, players, taps, what comes late, and what it looks like until then."""


@pytest.mark.parametrize("answer", ["missing", "later"])
@pytest.mark.parametrize("answered_first", [True, False])
@pytest.mark.parametrize(("rules", "players", "taps", "late", "code"), LATE)
def test_what_a_tap_to_come_explains_is_one_question_and_goes_with_its_answer(
    tmp_path: Path,
    rules: str,
    players: tuple[str, ...],
    taps: Taps,
    late: Taps,
    code: str,
    answered_first: bool,
    answer: str,
) -> None:
    """Whether people say that it was forgotten or that it is still to come, the tap is no second act and asks nothing
    more; nor does it matter which was first, the tap or the answer."""
    session = tap(table(tmp_path, rules, players), taps)
    assert code in {found for _, found, _ in held(session)}
    assert not any(certain for _, _, certain in held(session))
    if answer not in kinds(asked(session)[0]):
        assert answer == "later", "a turn that somebody has ended needs no more"
        answer = "missing"
    turn = state_of(session)["turn"]
    for step in (True, False) if answered_first else (False, True):
        if step:
            # Where a whole turn was missing, its taps have settled it.
            for _ in asked(session):
                settle(session, answer)
        else:
            tap(session, late)
            assert not any(certain for _, _, certain in held(session))
    assert held(session) == [] and asked(session) == [] and state_of(session)["to_come"] == []
    assert sum(event.KIND == "unclear" for event in session.events) == 1
    assert state_of(session)["turn"] == turn
    same_when_opened_again(session)


@pytest.mark.parametrize(
    ("rules", "players", "taps", "code"),
    [
        *((rules, players, taps, code) for rules, players, taps, _, code in LATE),
        ("tactic", THREE, "Ann 12-5, Ann 5-6, Ben 12-7, Cy 12-8, Ann 6-7", "EXTRA_TILE"),
        ("cz", THREE, "Ann 12-5, Cy 12-1, Ann 12-3 @MX, Ben 12-8, Cy 1-2, Ann 5-6", "MX_TOO_EARLY"),
    ],
)
def test_it_is_certain_once_somebody_says_that_it_was_so_and_never_before(
    tmp_path: Path, rules: str, players: tuple[str, ...], taps: Taps, code: str
) -> None:
    session = tap(table(tmp_path, rules, players), taps)
    assert code in {found for _, found, _ in held(session)}
    assert not any(certain for _, _, certain in held(session))
    confirm(session)
    assert code in {found for _, found, certain in held(session) if certain}
    same_when_opened_again(session)


def test_a_draw_tapped_twice_is_not_taken_for_the_one_that_was_forgotten_before(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "mark Ann, Ben 12-5")
    settle(session, "missing")
    tap(session, "Cy 12-4, Ann draw, Ann draw")
    assert held(session) == [("Ann", "EXTRA_DRAW", False)] and kinds(asked(session)[0])[0] == "twice"
    settle(session, "twice")
    assert held(session) == [] and asked(session) == []
    same_when_opened_again(session)


def test_who_plays_on_the_train_of_somebody_who_forgot_the_marker_is_cleared_with_it(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5, Ben draw, Cy 12-7 @Ben")
    assert held(session) == [("Ben", "MARKER_MISSING", False), ("Cy", "CLOSED_TRAIN", False)]
    settle(session, "missing")
    assert held(session) == [] and state_of(session)["markers"] == ["Ben"]


def test_however_long_nobody_answers_nobody_is_accused(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5, Ben draw, Cy 12-7, Ann 5-6, Ben 12-4, Cy 7-8, Ann 6-7")
    assert held(session) == [("Ben", "MARKER_MISSING", False)]
    tap(session, "Ben 4-1, Cy 8-9, Ann 7-2, Ben 1-3, Cy 9-9, Cy 9-4")
    assert held(session) == [("Ben", "MARKER_MISSING", False)] and len(asked(session)) == 1


def test_a_game_that_is_opened_again_asks_the_same(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann draw, Ben 12-5")
    question = asked(session)
    session.close()
    again = Game.open(tmp_path / "g.jsonl", ticking())
    assert held(again) == [("Ann", "MARKER_MISSING", False)] and asked(again) == question
    settle(again)
    assert held(again) == [("Ann", "MARKER_MISSING", True)]


@pytest.mark.parametrize(
    "taps",
    ["Ann 12-5, Ann draw, Ben 12-6", "Ann draw, Ann 12-5, Ben 12-6, Cy 12-7, Ann 5-8, Ann draw, Ben 6-9"],
)
def test_a_draw_tapped_after_the_own_tile_may_have_come_before_it(tmp_path: Path, taps: Taps) -> None:
    session = tap(table(tmp_path, "tactic", THREE), taps)
    assert held(session) == [("Ann", "EXTRA_DRAW", False)]
    settle(session, "earlier")
    assert held(session) == [] and state_of(session)["turn"] == "Cy"


def test_what_is_undone_stands_as_it_stood(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", TWO), "Ann 12-5, Ben draw, Ann 5-7")
    before = state_of(session)
    tap(session, "mark Ben")
    assert held(session) == [("Ben", "MARKER_MISSING", False)]
    session.undo()
    after = state_of(session)
    assert {**after, "seq": before["seq"]} == before


@pytest.mark.parametrize(("drawn", "asked"), [(1, 0), (2, 0), (3, 1)])
def test_two_tiles_drawn_for_a_last_tile_that_was_not_announced_are_usual(
    tmp_path: Path, drawn: int, asked: int
) -> None:
    """004 names no penalty, and two tiles are widely drawn."""
    header = Header("tactic", "double-12", THREE, {"hand_table": {"12": {"3": 2}}})
    session = Game.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-5")
    session.report("Ann", "no_last_tile")
    for _ in range(drawn):
        session.draw("Ann")
    tap(session, "Ben 12-6, Cy 12-7, Ann 5-8, Ben 6-9")
    found = [one for one in held(session) if one[1] == "EXTRA_DRAW"]
    assert len(found) == asked and not any(certain for _, _, certain in found)


@pytest.mark.parametrize(("kept", "sure"), [(((3, 7), (8, 8)), []), (((12, 6), (12, 7)), [True])])
def test_a_draw_tapped_late_is_no_needless_one(
    tmp_path: Path, kept: tuple[tuple[int, int], ...], sure: list[bool]
) -> None:
    """Ann drew the 12-9 and laid it; only when she tapped the draw did the 9-3 of her hand fit."""
    header = Header("tactic", "double-12", TWO, {"hand_table": {"12": {"2": 3}}})
    session = Game.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-9, Ben 12-1, Ann draw, Ann 9-3, Ben 1-4")
    session.end_round("blocked_declared", None)
    session.show_hand("Ann", list(kept))
    session.show_hand("Ben", [(5, 5)])
    assert [certain for _, code, certain in held(session) if code == "NEEDLESS_DRAW"] == sure


def test_a_draw_that_an_earlier_marker_owed_is_no_needless_one(tmp_path: Path) -> None:
    header = Header("tactic", "double-12", TWO, {"hand_table": {"12": {"2": 3}}})
    session = Game.create(tmp_path / "g.jsonl", header, ticking())
    session.start_round(starter="Ann")
    tap(session, "mark Ann, Ben 12-3 @MX, Ann draw, Ann 3-5 @MX, Ben 5-1 @MX, Ann 1-7 @MX, Ben 7-8 @MX")
    session.show_hand("Ann", [(3, 6), (2, 2)])
    assert [one for one in held(session) if one[2]] == []


def test_a_round_that_a_wrong_name_ended_goes_on_once_it_is_put_right(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 12-5, Ben draw, mark Ben, Cy 12-7, Ann 5-8")
    assert session.phase == "ended"
    misnamed = next(play["seq"] for play in state_of(session)["plays"] if play.get("tile") == [5, 8])
    session.correct(misnamed, {"by": "Ben"})
    assert session.phase == "playing"


@pytest.mark.parametrize("rules", ["tactic", "reeves"])
def test_a_tile_without_a_name_on_a_closed_train_is_its_owner_s(tmp_path: Path, rules: str) -> None:
    """Nobody said that it was the player to move, who may have drawn and marked without a tap as yet."""
    session = tap(table(tmp_path, rules, TWO), "Ann draw")
    session.play((12, 3), "Ben")
    assert state_of(session)["plays"][-2]["by"] == "Ben" and state_of(session)["turn"] == "Ann"
    assert held(session) == [("Ann", "MARKER_MISSING", False)]
    settle(session, "missing")
    assert held(session) == [] and state_of(session)["turn"] == "Ann"


def test_a_tile_without_a_name_beyond_somebody_who_tapped_nothing_accuses_neither(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5")
    session.play((12, 3), "Cy")
    assert held(session) == [] and state_of(session)["to_come"] == [["Ben", 1, 3]]
    tap(session, "Ben draw, mark Ben")
    assert held(session) == [] and state_of(session)["turn"] == "Ann" and state_of(session)["to_come"] == []


@pytest.mark.parametrize("rules", ["tactic", "reeves"])
def test_who_taps_a_tile_before_the_neighbour_does_is_asked_nothing(tmp_path: Path, rules: str) -> None:
    session = tap(table(tmp_path, rules, FOUR), "Ann 12-1, Cy 12-2")
    assert held(session) == [] and asked(session) == [], "Ben may be slower on his phone"
    assert state_of(session)["to_come"] == [["Ben", 1, 3]]
    tap(session, "Ben 12-3")
    assert held(session) == [] and state_of(session)["turn"] == "Dee"
    tap(session, "Dee 12-4, Ann 1-8, Ben 3-6, Cy 2-5")
    assert held(session) == [] and state_of(session)["turn"] == "Dee"


@pytest.mark.parametrize(("answer", "found"), [("so", [("Cy", "OUT_OF_TURN", True)]), ("later", []), ("missing", [])])
def test_who_is_passed_over_for_a_turn_is_asked_about(
    tmp_path: Path, answer: str, found: list[tuple[str, str, bool]]
) -> None:
    session = tap(table(tmp_path, "tactic", FOUR), "Ann 12-1, Cy 12-2, Dee 12-4")
    assert held(session) == [("Cy", "OUT_OF_TURN", False)]
    settle(session, answer)
    assert held(session) == found
    tap(session, "Ben 12-3" if answer != "missing" else "Ann 1-5")
    assert held(session) == found and asked(session) == []
    assert state_of(session)["turn"] == ("Ben" if answer == "missing" else state_of(session)["turn"])


def test_that_a_neighbour_was_quicker_can_be_taken_back(tmp_path: Path) -> None:
    """Cy was really out of turn, though Ben, who was jumped, then played after all."""
    session = tap(table(tmp_path, "tactic", FOUR), "Ann 12-1, Cy 12-2, Ben 12-3")
    ((_, quick),) = state_of(session)["put_before"]
    assert held(session) == []
    session.was_so(quick, by="Ben")
    assert held(session) == [("Cy", "OUT_OF_TURN", True)] and state_of(session)["put_before"] == []
    session.undo()
    assert held(session) == [] and len(state_of(session)["put_before"]) == 1


def test_a_tile_that_is_wrong_in_its_own_turn_too_is_asked_about_apart_from_the_turn(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", FOUR), "Ann 12-1, Cy 1-2 @Ann")
    assert held(session) == [("Cy", "CLOSED_TRAIN", False)]
    settle(session)
    assert {one for one in held(session) if one[2]} == {("Cy", "CLOSED_TRAIN", True)}
    tap(session, "Ben 12-3")
    assert held(session) == [("Cy", "CLOSED_TRAIN", True)], "Ben's turn was late: nobody was out of turn"
    ((_, quick),) = state_of(session)["put_before"]
    session.was_so(quick, by="Ben")
    assert {one for one in held(session) if one[2]} == {("Cy", "CLOSED_TRAIN", True), ("Cy", "OUT_OF_TURN", True)}
    tap(session, "Dee 12-4")
    assert not any(name != "Cy" for name, _, _ in held(session)), "the jumped player and the next may both go on"


def test_a_wrong_name_in_the_common_lap_accuses_nobody_else(tmp_path: Path) -> None:
    """cz: Cy's 9-7 was tapped as Ben's; the lap goes on, and Cy lays the rest of a first train."""
    taps = "Ann 12-1, Ben 12-6, Ben 6-6, Cy 12-11, Cy 11-9, Ben 9-7 @Cy, Cy 7-8, Cy 8-8, Cy 8-9, Cy 9-5, Ann 12-9 @MX"
    session = tap(table(tmp_path, "cz", THREE), taps)
    assert {(name, certain) for name, _, certain in held(session)} == {("Ben", False)} and len(asked(session)) == 1
    settle(session, "name")
    assert held(session) == [] and state_of(session)["turn"] == "Ben"


def test_a_draw_tapped_after_the_last_tile_leaves_the_hand_counted(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 9-5, Ben 9-7, Cy 9-4, Ann draw, mark Ann, Ben 7-2")
    assert session.phase == "ended"
    tap(session, "Ben draw")
    assert session.phase == "playing" and session.position.hands["Ben"] == 1  # type: ignore[union-attr]
    tap(session, "Cy draw, mark Cy, Ann draw, Ann done, Ben 2-3")
    assert session.phase == "ended" and not [one for one in held(session) if one[2]]


def test_who_passes_when_the_count_has_ended_the_round_holds_a_tile(tmp_path: Path) -> None:
    """Ben's draw was never tapped: by the count the 7-2 was his last tile. That his turn is over says nothing."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 9-5, Ben 9-7, Cy 9-4, Ann draw, mark Ann, Ben 7-2, Ben done")
    assert session.phase == "ended"
    tap(session, "Cy draw, mark Cy, Ann draw, Ann pass, Ben pass")
    assert session.phase == "playing" and "Ben" not in session.position.hands  # type: ignore[union-attr]


def test_nobody_is_out_of_whom_not_every_answer_says_so(tmp_path: Path) -> None:
    """By the count Ann has laid both her tiles; the second may have been Ben's."""
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 9-5 @MX, Ann 5-8 @MX")
    assert asked(session) and session.phase == "playing"
    session.end_round("out", "Ben")
    session.show_hand("Cy", [(1, 1), (1, 2)])
    assert session.phase == "ended", "Ann's tiles are unknown as well"
    session.show_hand("Ann", [(2, 2)])
    assert session.phase == "scored" and dict(session.scoreboard.totals) == {"Ann": 4, "Ben": 0, "Cy": 5}


def test_the_count_ends_the_round_once_it_was_really_so(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-9", THREE, {"hand": 2}), ticking())
    session.start_round(starter="Ann")
    tap(session, "Ann 9-5 @MX, Ann 5-8 @MX")
    settle(session)
    assert session.phase == "ended" and held(session) == [("Ann", "EXTRA_TILE", True)]


def test_a_report_of_a_wrong_deal_hides_no_question(tmp_path: Path) -> None:
    session = tap(table(tmp_path, "tactic", THREE), "Ann 12-5, Cy 5-9 @Ann")
    open_, found = asked(session), held(session)
    assert open_ and found == [("Cy", "CLOSED_TRAIN", False)]
    session.report("Ben", "dealt", 7)
    assert asked(session) == open_ and held(session) == [*found, ("Ben", "HAND_SIZE", True)]
