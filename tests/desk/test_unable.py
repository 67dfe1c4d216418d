"""*Cannot play*: one tap records everything that the rules then ask for, and one undo takes it back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Header
from companion.log.events import Discarded, Drew, MarkerPlaced, Passed
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def table(path: Path, rules: str = "tactic", players: tuple[str, ...] = NAMES, **round_: object) -> Game:
    box = "chinese" if rules in ("jielong", "chedeng", "kkori") else "double-12"
    session = Game.create(path / "game.jsonl", Header(rules, box, players), ticking())
    session.start_round(starter="Ann", **round_)  # type: ignore[arg-type]
    return session


def unable(session: Game) -> list[str]:
    return list(state_of(session)["unable"])


def test_who_cannot_play_draws_marks_and_is_done(tmp_path: Path) -> None:
    session = table(tmp_path)
    assert unable(session) == ["draw", "mark Ann", "end"]
    events = session.cannot_play()
    assert [type(event) for event in events] == [Drew, MarkerPlaced]
    shown = state_of(session)
    assert shown["turn"] == "Ben" and shown["markers"] == ["Ann"]
    assert not any(play["violations"] for play in shown["plays"])


def test_who_has_drawn_and_still_cannot_play_only_marks(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.draw()
    assert unable(session) == ["mark Ann", "end"]


def test_a_turn_that_has_broken_a_rule_can_be_ended_all_the_same(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 12), "Ann")
    assert unable(session) == ["draw", "mark Ann", "end"]
    session.cannot_play()
    shown = state_of(session)
    codes = [finding["code"] for play in shown["plays"] for finding in play["violations"]]
    assert shown["turn"] == "Ben" and codes == ["DUPLICATE_TILE"]


def test_a_train_that_is_marked_already_gets_no_second_marker(tmp_path: Path) -> None:
    session = table(tmp_path)
    for _ in NAMES:
        session.cannot_play()
    assert unable(session) == ["draw", "end"]
    assert [type(event) for event in session.cannot_play()] == [Drew, Passed]
    assert state_of(session)["turn"] == "Ben"


def laid_with_a_marker(path: Path, rules: str, *plays: tuple[tuple[int, int], str]) -> Game:
    """Ann has a marker on her train and lays these tiles, one a turn; the others pass."""
    session = table(path, rules)
    for _ in NAMES:
        session.cannot_play()
    for tile, train in plays:
        session.play(tile, train, lift=True)
    return session


@pytest.mark.parametrize("rules", ["tactic", "cz"])
def test_a_tile_on_the_own_train_takes_the_marker_off_without_a_tap(tmp_path: Path, rules: str) -> None:
    session = laid_with_a_marker(tmp_path, rules, ((12, 3), "Ann"))
    session.cannot_play()
    shown = state_of(session)
    assert "Ann" not in shown["markers"] and not any(play["violations"] for play in shown["plays"])


def test_a_double_keeps_the_turn_and_leaves_no_marker_behind(tmp_path: Path) -> None:
    session = laid_with_a_marker(tmp_path, "tactic", ((12, 3), "Ann"))
    for _ in range(2):
        session.cannot_play()
    for tile in ((3, 3), (3, 5)):
        session.play(tile, "Ann", lift=True)
    shown = state_of(session)
    assert shown["turn"] == "Ben" and "Ann" not in shown["markers"]
    assert not any(play["violations"] for play in shown["plays"])


def test_a_tile_and_its_marker_are_undone_as_one(tmp_path: Path) -> None:
    session = laid_with_a_marker(tmp_path, "tactic", ((12, 3), "Ann"))
    session.undo()
    shown = state_of(session)
    assert shown["turn"] == "Ann" and "Ann" in shown["markers"]
    assert not next(row for row in shown["trains"] if row["name"] == "Ann")["tiles"]


def test_where_the_marker_may_stay_it_stays(tmp_path: Path) -> None:
    session = laid_with_a_marker(tmp_path, "reeves", ((12, 3), "Ann"))
    session.play((3, 5), "Ann", by="Ben", lift=True)
    shown = state_of(session)
    assert "Ann" in shown["markers"] and not any(play["violations"] for play in shown["plays"])


def test_who_plays_elsewhere_keeps_the_marker(tmp_path: Path) -> None:
    session = laid_with_a_marker(tmp_path, "tactic", ((12, 3), "Ben"))
    assert "Ann" in state_of(session)["markers"]


def test_a_first_train_that_cannot_begin_draws_nothing(tmp_path: Path) -> None:
    assert unable(table(tmp_path, "poltava")) == ["mark Ann", "end"]


def test_after_a_double_one_more_tile_is_due_on_it(tmp_path: Path) -> None:
    session = table(tmp_path)
    for tile, train in (((12, 1), "Ann"), ((12, 2), "Ben"), ((12, 3), "Cy"), ((1, 1), "Ann")):
        session.play(tile, train)
    shown = state_of(session)
    assert (shown["turn"], shown["after_double"]) == ("Ann", "Ann")
    assert shown["unable"] == ["draw", "mark Ann", "end"]
    session.play((1, 5), "Ann")
    assert state_of(session)["after_double"] is None


def test_a_long_first_train_may_go_on_until_its_end_is_said(tmp_path: Path) -> None:
    session = table(tmp_path, "poltava")
    session.play((12, 3), "Ann")
    assert state_of(session)["still_laying"] == "Ann"
    session.pass_turn("Ann")
    assert state_of(session)["still_laying"] is None


def test_a_chinese_player_puts_a_tile_away(tmp_path: Path) -> None:
    session = table(tmp_path, "jielong")
    assert unable(session) == []
    with pytest.raises(CommandRejected, match="first_tile_due"):
        session.cannot_play()
    session.play((3, 6), "R")
    assert unable(session) == ["discard"]
    assert [type(event) for event in session.cannot_play()] == [Discarded]


def test_one_undo_takes_back_the_whole_tap(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.play((12, 3), "Ann")
    before = session.position
    session.cannot_play()
    session.undo()
    assert session.position == before
    session.undo()
    assert session.position is not None and session.position.turn == "Ann"


def test_two_taps_are_undone_one_by_one(tmp_path: Path) -> None:
    session = table(tmp_path)
    session.draw("Ann")
    drawn = session.position
    session.mark("Ann", by="Ann")
    session.undo()
    assert session.position == drawn


def test_who_passes_before_their_turn_is_recorded_and_waited_for(tmp_path: Path) -> None:
    session = table(tmp_path)
    told = session.cannot_play("Ben")
    assert [(type(event), event.who) for event in told] == [(Drew, "Ben"), (MarkerPlaced, "Ben")]
    assert session.questions == () and state_of(session)["to_come"] == [["Ann", 1, 2]]
    with pytest.raises(CommandRejected, match="no_such_player"):
        session.cannot_play("Zoe")


def named_ann(session: Game) -> None:
    """The one question is answered: it was Ann."""
    (question,) = session.questions
    kinds = [(key.kind, [event.get("by") for event in key.events]) for key in question.candidates]
    session.answer(question.seq, kinds.index(("name", ["Ann"])))


@pytest.mark.parametrize(("rules", "players"), [("tactic", ("Ann", "Ben", "Cy", "Di")), ("cz", NAMES)])
def test_a_tile_that_was_its_owners_after_all_takes_the_marker_off(
    tmp_path: Path, rules: str, players: tuple[str, ...]
) -> None:
    session = table(tmp_path, rules, players)
    for _ in players:
        session.cannot_play()
    session.play((12, 1), "Ann", "Cy", lift=True)
    before = state_of(session)
    named_ann(session)
    shown = state_of(session)
    assert "Ann" in before["markers"] and shown["turn"] == "Ben" and set(shown["markers"]) == {*players} - {"Ann"}
    assert session.questions == () and not any(play["violations"] for play in shown["plays"])
    session.undo()
    again = state_of(session)
    assert again["markers"] == before["markers"] and len(session.questions) == 1, "it is one step"


def test_a_marker_that_came_off_with_anothers_tile_is_on_again(tmp_path: Path) -> None:
    """In Poltava a tile takes the own marker off, wherever it is laid."""
    session = table(tmp_path, "poltava")
    for _ in NAMES:
        session.cannot_play()
    session.play((12, 1), "Ann", "Cy", lift=True)
    named_ann(session)
    shown = state_of(session)
    assert shown["turn"] == "Ben" and shown["markers"] == ["Ben", "Cy"] and session.questions == ()


def test_a_marker_stays_where_somebody_has_played_since(tmp_path: Path) -> None:
    """The page showed that train as open."""
    session = table(tmp_path, "cz")
    for _ in NAMES:
        session.cannot_play()
    session.play((12, 1), "Ann", "Cy", lift=True)
    session.play((1, 4), "Ann", "Ben", lift=True)
    about = session.questions[0]
    keys = [(key.kind, [event.get("by") for event in key.events]) for key in about.candidates]
    session.answer(about.seq, keys.index(("name", ["Ann"])))
    shown = state_of(session)
    assert "Ann" in shown["markers"] and "CLOSED_TRAIN" not in str(shown["plays"])
