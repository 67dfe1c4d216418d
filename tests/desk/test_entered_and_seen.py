"""A round that the camera watches and people have a say in: neither waits for the other, and nobody pays for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.settling import confirm
from companion.game.game import Game
from companion.log.event_fields import Candidate, Confidence, Header
from companion.rules.notation import Vanishing, parse_change
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

PLAYERS = ("Ann", "Ben", "Cy")


def table(tmp_path: Path) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", PLAYERS), ticking())
    session.start_round(starter="Ann")
    return session


def watch(session: Game, *changes: str) -> None:
    for change in changes:
        session.observe(table_change([parse_change(change)]))


def findings(session: Game) -> dict[str, bool]:
    """Every code that stands by now, and whether it is certain."""
    plays: list[dict[str, Any]] = state_of(session)["plays"]
    return {one["code"]: one["certain"] for play in plays for one in play.get("violations") or ()}


def laid(session: Game) -> list[dict[str, Any]]:
    plays: list[dict[str, Any]] = state_of(session)["plays"]
    return [play for play in plays if play["event"] == "tile_played"]


def test_a_play_entered_while_the_camera_watches_is_faulty_only_perhaps(tmp_path: Path) -> None:
    """The marker that opens Ann's train may lie there already: it is read a moment later."""
    session = table(tmp_path)
    watch(session, "+12-3@Ann")
    session.play((3, 7), "Ann", by="Ben")
    assert findings(session)["CLOSED_TRAIN"] is False


@pytest.mark.parametrize(("tile", "code"), [((12, 13), "TILE_NOT_IN_SET"), ((12, 12), "DUPLICATE_TILE")])
def test_a_mistyped_tile_is_no_certain_fault_before_the_camera_saw_any(
    tmp_path: Path, tile: tuple[int, int], code: str
) -> None:
    session = table(tmp_path)
    session.play(tile, "Ann", by="Ann")
    assert findings(session)[code] is False


def test_without_a_camera_the_same_play_is_faulty_once_somebody_says_so(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann", by="Ann")
    session.play((3, 7), "Ann", by="Ben")
    assert findings(session)["CLOSED_TRAIN"] is False
    confirm(session)
    assert findings(session)["CLOSED_TRAIN"] is True


def test_what_a_correction_brings_up_is_perhaps_so_and_goes_with_it(tmp_path: Path) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+3-7@Ann")
    assert findings(session) == {}
    session.correct(laid(session)[0]["seq"], {"tile": [12, 4]})
    assert findings(session) == {"MISMATCH": False}
    session.undo()
    assert findings(session) == {}


@pytest.mark.parametrize("after", [False, True])
def test_what_is_put_in_shows_its_time_before_the_next_start_too(tmp_path: Path, after: bool) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy")
    put_in = [{"event": "drew", "by": "Ann"}, {"event": "marker_placed", "by": "Ann", "train": "Ann"}]
    last = laid(session)[-1]["seq"]
    for line in put_in:
        session.correct(last, {"insert": [line], "after": after})
    shown: list[dict[str, Any]] = state_of(session)["plays"]
    assert [play["event"] for play in shown if play["event"] in ("drew", "marker_placed")] == ["drew", "marker_placed"]
    assert all(play["at"] for play in shown)
    session.close()
    opened = Game.open(tmp_path / "g.jsonl")
    assert state_of(opened)["plays"] == shown
    opened.close()


@pytest.mark.parametrize("after", [False, True])
def test_what_is_put_in_clears_the_play_that_it_was_put_beside(tmp_path: Path, after: bool) -> None:
    """The camera saw the marker go a lap late. Later still somebody says when it went."""
    session = Game.create(tmp_path / "g.jsonl", Header("tactic", "double-12", PLAYERS), ticking())
    session.start_round(starter="Ann")
    watch(session, "boneyard-1", "mark Ann", "+12-10@Ben", "+12-11@Cy", "+12-3@Ann", "+10-4@Ben", "+11-5@Cy")
    watch(session, "boneyard-1", "-mark Ann", "+4-2@Ben", "+5-1@Cy", "+3-6@Ann")
    before, removal = findings(session), {"MARKER_NOT_REMOVED", "MARKER_REMOVED_WRONGLY"}
    assert before.keys() >= removal
    first = next(play["seq"] for play in laid(session) if play["by"] == "Ann")
    session.correct(first, {"insert": [{"event": "marker_removed", "by": "Ann", "train": "Ann"}], "after": after})
    assert not removal & findings(session).keys()
    session.close()
    opened = Game.open(tmp_path / "g.jsonl")
    assert findings(opened) == findings(session)
    opened.undo()
    assert findings(opened) == before
    opened.close()


def test_what_the_camera_has_proved_stays_certain_when_people_have_their_say(tmp_path: Path) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+4-7@Ann")
    assert findings(session)["MISMATCH"] is True
    session.pass_turn(by="Ben")
    session.undo()
    session.correct(laid(session)[1]["seq"], {"by": "Ben"})
    assert findings(session)["MISMATCH"] is True


def test_the_rulings_are_the_same_when_the_journal_is_opened_again(tmp_path: Path) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann", "+12-10@Ben", "+12-11@Cy", "+3-7@Ann")
    session.correct(laid(session)[0]["seq"], {"tile": [12, 4]})
    session.play((10, 5), "Ben", by="Cy")
    before = findings(session)
    session.close()
    assert findings(Game.open(tmp_path / "g.jsonl")) == before != {}


def test_an_answer_of_two_tiles_can_be_put_right_tile_by_tile_and_is_undone_as_one(tmp_path: Path) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann")
    lines = [
        {"event": "tile_played", "source": "camera", "by": by, "tile": tile, "train": by}
        for by, tile in (("Ben", [12, 8]), ("Cy", [12, 6]))
    ]
    asked = session.ask("which", [Candidate("8 and 6", tuple(lines))])
    session.answer(asked[0].seq, 0)
    assert [play["tile"] for play in laid(session)] == [[12, 3], [12, 8], [12, 6]]
    first, second = laid(session)[1:]
    assert first["seq"] != second["seq"]
    session.correct(second["seq"], {"tile": [12, 9]})
    assert [play["tile"] for play in laid(session)] == [[12, 3], [12, 8], [12, 9]]
    session.undo()
    session.undo()
    assert [play["tile"] for play in laid(session)] == [[12, 3]]
    assert [question.seq for question in session.questions] == [asked[0].seq]


@pytest.mark.parametrize(("p", "kinds"), [(0.99, ["tile_taken_back"]), (0.9, ["unclear"])])
def test_a_tile_that_was_never_read_surely_is_no_proof_that_it_was_moved(
    p: float, kinds: list[str], tmp_path: Path
) -> None:
    session = table(tmp_path)
    first = Play(Laid(12, 3), "Ann")
    session.observe(table_change([first], readings={first: Confidence((0.995, p))}))
    watch(session, "+12-10@Ben", "+12-11@Cy")
    events = session.observe(table_change([Vanishing(Laid(12, 3), "Ann")]))
    assert [event.KIND for event in events] == kinds
    assert findings(session) == ({"TILE_MOVED": True} if p > 0.98 else {})


@pytest.mark.parametrize(("how", "block"), [("blocked_declared", {"FALSE_BLOCK": False}), ("blocked_proved", {})])
def test_who_plays_on_when_somebody_has_ended_a_watched_round_may_be_right(
    how: str, block: dict[str, bool], tmp_path: Path
) -> None:
    session = table(tmp_path)
    watch(session, "+12-3@Ann")
    session.end_round(how)
    watch(session, "+12-10@Ben")
    assert findings(session) == {"PLAY_AFTER_END": False} | block
    while session.phase != "playing":
        session.undo()
    watch(session, "+12-10@Ben")
    assert findings(session) == {}


@pytest.mark.parametrize("entered", ["done", "pass", "play"])
@pytest.mark.parametrize("rules", ["reeves", "jielong"])
def test_what_was_entered_and_undone_before_anybody_looked_leaves_no_doubt(
    tmp_path: Path, rules: str, entered: str
) -> None:
    mexican = rules == "reeves"
    session = Game.create(
        tmp_path / "g.jsonl", Header(rules, "double-12" if mexican else "chinese", PLAYERS), ticking()
    )
    session.start_round(starter="Ann")
    if mexican:
        watch(session, "+12-3@Ann", "+5-7@Ben", "+12-11@Cy", "+3-7@Ann")
    else:
        watch(session, "+3-6@R", "+5-5@R", "+5-1@R", "+1-4@R", "+4-4@R")
    assert True in findings(session).values()
    before = laid(session)
    assert {
        "done": lambda: session.done("Cy"),
        "pass": lambda: session.pass_turn("Cy"),
        "play": lambda: session.play((7, 4), "Ben", "Cy") if mexican else session.play((4, 2), "R", "Cy"),
    }[entered]()
    session.undo()
    assert laid(session) == before
