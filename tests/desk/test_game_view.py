"""The view of a game has the types that it declares: JSON made by them is read back by them as the same view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.views import view_of
from companion.game.game import Game
from companion.log.event_fields import Header
from tests.shown import state_of

GAMES = Path(__file__).parents[1] / "games"


@pytest.mark.parametrize("game", ["reeves-2", "jielong-3"])
def test_a_view_is_the_same_once_it_was_json(game: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes((GAMES / f"{game}.jsonl").read_bytes())
    session = Game.open(path)
    for at in (0, 1, 20, 40, None):
        assert view_of(state_of(session, at)) == session.snapshot(at)
    with pytest.raises(AssertionError, match="more"):
        view_of({**state_of(session), "more": 1})
    session.close()


def test_what_there_is_nothing_of_is_left_out(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    waiting = state_of(session)
    assert not {"brought", "left", "colours", "off_record", "reminders", "turns_over", "announces"} & waiting.keys()
    assert (waiting["turn"], waiting["trains"], waiting["must_cover"]) == (None, [], None)
    session.start_round((12, 12), "Ann")
    playing = state_of(session)
    assert (playing["reminders"], playing["turns_over"]) == ([], False) and "off_record" not in playing
    assert all("off_record" not in train for train in playing["trains"])


def test_a_tap_that_is_asked_about_says_what_fits_it_and_what_lies_around_it(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round(starter="Ann")
    session.play((12, 3), "Ann", by="Ann", outer_only=True, end=12, turn=1)
    session.play((3, 7), "Ann", by="Ben", outer_only=True, end=3, turn=1)
    view: Any = session.snapshot()
    assert [play.get("about") for play in view.plays] == [None, None, None, 3]
    assert [play.get("turn") for play in view.plays] == [None, 1, 1, None]
    assert [{"alive", "came", "order"} <= question.keys() for question in view.questions] == [True]


def test_the_next_tile_is_expected_past_an_end_that_the_player_has_just_passed_up(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann")
    session.play((12, 3), "Ann", by="Ann")
    session.cannot_play("Ben")
    assert session.snapshot().preselected == "Ann"
    session.play((12, 7), "MX", by="Ann")
    assert session.snapshot().preselected == "MX", "Ben's own train ends at 12 still; the Mexican train has moved on"
    session.play((12, 1), "Ben", by="Ben")
    assert session.snapshot().preselected == "MX", "Ann has left the 3 of her own train alone"
    session.play((7, 5), "MX", by="Ann")
    session.cannot_play("Ben")
    assert session.snapshot().preselected == "MX"
    session.cannot_play("Ann")
    assert session.snapshot().preselected == "Ann", "all that is open was passed up: Ann's, with its marker"
    session.close()


def test_under_an_open_double_every_phone_offers_its_train_first(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann")
    for tile, train in (((12, 3), "Ann"), ((12, 4), "Ben"), ((3, 3), "Ann")):
        session.play(tile, train, by=train)
    for told in ("Ann owes it a second tile", "Ben has to cover it"):
        board = session.snapshot()
        keys = [board.as_seen_by(seat) for seat in board.seats]
        assert [one.preselected for one in (board, *keys)] == ["Ann"] * 3, told
        assert all(one.takes(one.trains[0]) for one in keys), told
        session.cannot_play("Ann" if board.turn == "Ann" else "Ben")
    session.close()


def test_a_long_first_train_grows_on_while_an_open_double_waits_for_the_next_player(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("poltava", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann")
    for tile, player in (((12, 5), "Ann"), ((5, 5), "Ann"), ((12, 7), "Ben")):
        session.play(tile, player, by=player)
    board = session.snapshot()
    assert board.must_cover is not None and board.must_cover.train == "Ann" and board.growing == "Ben"
    assert board.preselected == "Ben"
    session.pass_turn("Ben")
    assert session.snapshot().preselected == "Ann"
    session.close()
