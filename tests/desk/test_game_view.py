"""The view that is given out is the one that is declared: these keys, no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_type_hints

import pytest

from companion.game.game_view import GameView, PlayShown, QuestionShown, TileShown, TrainShown
from companion.game.session import Session
from companion.log.events import Header

GAMES = Path(__file__).parents[1] / "games"


def given_as(view: type[Any], value: dict[str, Any]) -> bool:
    keys, optional = set(get_type_hints(view)), view.__optional_keys__
    return set(value) <= keys and keys - optional <= set(value)


@pytest.mark.parametrize("game", ["reeves-2", "jielong-3"])
def test_a_view_has_the_keys_that_are_declared(game: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes((GAMES / f"{game}.jsonl").read_bytes())
    session = Session.open(path)
    for at in (0, 1, 20, 40, None):
        view: Any = session.snapshot(at=at)
        assert given_as(GameView, view)
        assert all(given_as(TrainShown, train) for train in view["trains"])
        assert all(given_as(PlayShown, play) for play in view["plays"])
        tiles = [*view["line"], *(tile for train in view["trains"] for tile in train["tiles"])]
        assert all(given_as(TileShown, tile) for tile in tiles)
    assert not given_as(GameView, {**view, "more": 1})
    session.close()


def test_a_tap_that_is_asked_about_has_the_keys_that_are_declared(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    session.start_round(starter="Ann")
    session.play((12, 3), "Ann", by="Ann", outer_only=True, end=12, turn=1)
    session.play((3, 7), "Ann", by="Ben", outer_only=True, end=3, turn=1)
    view: Any = session.snapshot()
    assert [play.get("about") for play in view["plays"]] == [None, None, None, 3]
    assert [play.get("turn") for play in view["plays"]] == [None, 1, 1, None]
    assert all(given_as(PlayShown, play) for play in view["plays"])
    assert [given_as(QuestionShown, question) for question in view["questions"]] == [True]
