"""A tile that does not fit where it lies: one picture proves it, and it stays proved while the tile lies there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Confidence, Header
from companion.rules.notation import Vanishing
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of

TRAINS = ("tactic", "reeves", "cz", "poltava")
SURE = Confidence((0.999, 0.999), ((), ()))


def table(tmp_path: Path, rules: str = "tactic") -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((12, 12), "Ann", draws_seen=False)
    return session


def lay(session: Game, *tiles: tuple[int, int, str], p: float | None = None, **how: bool) -> None:
    """One change of the table: (inner, outer, train) each. `p`: how surely every half was read."""
    laid = [Play(Laid(inner, outer), train) for inner, outer, train in tiles]
    reading = None if p is None else Confidence((p, p), ((), ()))
    session.observe(table_change(laid, readings={} if reading is None else dict.fromkeys(laid, reading), **how))


def play_of(session: Game, inner: int, outer: int) -> dict[str, Any]:
    plays = [play for play in state_of(session)["plays"] if play.get("tile") == [inner, outer]]
    return dict(plays[-1])


def certain(session: Game, inner: int, outer: int) -> set[str]:
    return {one["code"] for one in play_of(session, inner, outer)["violations"] if one["certain"]}


@pytest.mark.parametrize("rules", TRAINS)
def test_a_wrong_root_is_certain_at_once_and_as_long_as_it_lies_there(rules: str, tmp_path: Path) -> None:
    session = table(tmp_path, rules)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"))
    assert certain(session, 2, 9) == {"WRONG_ROOT"}
    later = [(12, 7, "Cy"), (5, 3, "Ann"), (9, 4, "Ben"), (7, 1, "Cy"), (3, 0, "Ann"), (4, 6, "Ben"), (1, 8, "Cy")]
    for tile in later:
        lay(session, tile)
        assert certain(session, 2, 9) == {"WRONG_ROOT"}, tile
    session.close()
    again = Game.open(tmp_path / "g.jsonl")
    assert certain(again, 2, 9) == {"WRONG_ROOT"}


@pytest.mark.parametrize("rules", TRAINS)
def test_a_mexican_train_is_held_to_the_engines_value_only_where_a_source_says_so(rules: str, tmp_path: Path) -> None:
    """The Czech leaflet leaves it open: a picture proves then how the tile lies, and no fault."""
    session = table(tmp_path, rules)
    for tile in ((12, 5, "Ann"), (12, 7, "Ben"), (12, 3, "Cy"), (10, 0, "MX"), (7, 1, "Ben")):
        lay(session, tile)
    assert certain(session, 10, 0) == (set() if rules == "cz" else {"WRONG_ROOT"})


def test_while_two_may_have_laid_it_nobody_is_named(tmp_path: Path) -> None:
    """A second tile of Ann's, or Ben's own: until Cy plays either may be."""
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"))
    assert play_of(session, 2, 9)["by"] is None
    lay(session, (12, 7, "Cy"))
    assert play_of(session, 2, 9)["by"] == "Ben"


def test_a_tile_that_shows_the_engines_value_at_its_other_end_may_lie_the_other_way_round(tmp_path: Path) -> None:
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 12, "Ben"))
    assert certain(session, 2, 12) == set()


def test_a_clouded_table_proves_no_root(tmp_path: Path) -> None:
    """The clouded part may have hidden how the tile came to lie there, even once the table is clear again."""
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"), clouded=True)
    assert certain(session, 2, 9) == set()
    lay(session, (12, 7, "Cy"))
    assert certain(session, 2, 9) == set()
    assert {one["code"] for one in play_of(session, 2, 9)["violations"]} == {"WRONG_ROOT"}


def test_a_tile_hardly_read_proves_nothing_and_takes_nothing_back(tmp_path: Path) -> None:
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"))
    lay(session, (3, 7, "Cy"), guessed=True)
    assert certain(session, 3, 7) == set()
    assert certain(session, 2, 9) == {"WRONG_ROOT"}


@pytest.mark.parametrize("rules", TRAINS)
def test_a_mismatch_in_a_train_stays_certain(rules: str, tmp_path: Path) -> None:
    session = table(tmp_path, rules)
    for tile in ((12, 5, "Ann"), (12, 9, "Ben"), (12, 7, "Cy"), (6, 3, "Ann")):
        lay(session, tile)
    for tile in ((9, 4, "Ben"), (7, 1, "Cy"), (3, 0, "Ann"), (4, 6, "Ben")):
        lay(session, tile)
        assert certain(session, 6, 3) == {"MISMATCH"}


def test_naming_somebody_else_for_it_does_not_make_it_fit(tmp_path: Path) -> None:
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"))
    lay(session, (12, 7, "Cy"))
    session.correct(play_of(session, 2, 9)["seq"], {"by": "Ann"})
    assert "WRONG_ROOT" in certain(session, 2, 9)
    session.correct(play_of(session, 2, 9)["seq"], {"tile": [12, 9]})
    assert "WRONG_ROOT" not in {one["code"] for one in play_of(session, 12, 9)["violations"] if one["certain"]}


def test_a_misfit_that_is_taken_back_is_gone(tmp_path: Path) -> None:
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (2, 9, "Ben"))
    session.observe(table_change([Vanishing(Laid(2, 9), "Ben")]))
    lay(session, (12, 9, "Ben"))
    plays = [play for play in state_of(session)["plays"] if not play["taken_back"]]
    assert not any(play.get("violations") for play in plays)


@pytest.mark.parametrize(("p", "proved"), [(0.999, True), (0.98, False), (None, False)])
def test_a_tile_that_surely_lies_there_twice_is_certain_and_nobodys(
    p: float | None, proved: bool, tmp_path: Path
) -> None:
    """The first one may be the wrong one as well as the second. A half of one may be misread, until another fits it."""
    session = table(tmp_path)
    for tile in ((12, 5, "Ann"), (12, 9, "Ben"), (12, 7, "Cy"), (5, 9, "Ann"), (9, 5, "Ben")):
        lay(session, tile, p=p)
    for tile in ((7, 1, "Cy"), (9, 3, "Ann"), (5, 2, "Ben")):
        assert "DUPLICATE_TILE" not in certain(session, 9, 5)
        lay(session, tile, p=p)
    assert ("DUPLICATE_TILE" in certain(session, 9, 5)) is proved
    found = play_of(session, 9, 5)
    assert (found["by"] is None) or not proved
    assert all(one.get("by") is None for one in found["violations"] if one["certain"])


def test_of_two_readings_one_that_was_unsure_proves_no_duplicate(tmp_path: Path) -> None:
    session = table(tmp_path)
    for tile in ((12, 5, "Ann"), (12, 9, "Ben"), (12, 7, "Cy")):
        lay(session, tile, p=0.999)
    lay(session, (5, 9, "Ann"), p=0.9)
    lay(session, (9, 5, "Ben"), p=0.999)
    assert certain(session, 9, 5) == set()


def test_where_many_tiles_do_not_fit_at_once_the_table_was_misread(tmp_path: Path) -> None:
    session = table(tmp_path)
    lay(session, (12, 5, "Ann"))
    lay(session, (4, 9, "Ann"), (2, 9, "Ben"), (3, 8, "Cy"))
    for inner, outer in ((4, 9), (2, 9), (3, 8)):
        assert certain(session, inner, outer) == set()
