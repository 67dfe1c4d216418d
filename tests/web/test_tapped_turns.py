"""A game that people tap in: how one turn follows another, as a family taps it on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shown import state_of
from tests.web.real_table import Table

FOUR = ("Ann", "Ben", "Cy", "Dee")


def certain(table: Table) -> list[tuple[str | None, str]]:
    return [(by, code) for by, code, sure in table.held() if sure]


def tap(table: Table, train: str, tile: str) -> None:
    """A tile tapped on the page, nobody chosen for it."""
    answer = table.post("play", train=train, tile=tile)
    assert answer.status_code == 303, answer.text


def first_trains(table: Table, players: tuple[str, ...]) -> None:
    """Everybody but the last has laid one tile and said that it was all; the last lays as far as 2-2."""
    for n, player in enumerate(players[:-1]):
        tap(table, player, f"9-{5 + 2 * n if n < 2 else 8}")
        assert table.post("done", by=player).status_code == 303
    for tile in ("9-3", "3-1", "1-4", "4-0", "0-2", "2-2"):
        tap(table, players[-1], tile)


@pytest.mark.parametrize("players", [FOUR, FOUR[:2]])
def test_a_double_in_the_last_first_train_gives_it_to_nobody_else(tmp_path: Path, players: tuple[str, ...]) -> None:
    table, last = Table(tmp_path, "poltava", "double-9", players), players[-1]
    first_trains(table, players)
    for tile in ("2-6", "6-3"):
        tap(table, last, tile)
    assert [by for by, train, _tile in table.plays() if train == last] == [last] * 8
    table.post("done", by=last)
    assert table.held() == []
    assert state_of(table.session)["turn"] == "Ann"


def test_a_program_that_names_nobody_goes_on_with_the_first_train_too(tmp_path: Path) -> None:
    table = Table(tmp_path, "poltava", "double-9", FOUR)
    first_trains(table, FOUR)
    table.lay("Dee", "2-6", "6-3")
    assert [by for by, train, _tile in table.plays() if train == "Dee"] == ["Dee"] * 8


def test_who_has_finished_the_first_train_lays_no_more_of_it(tmp_path: Path) -> None:
    table = Table(tmp_path, "poltava", "double-9", FOUR)
    first_trains(table, FOUR)
    table.post("done", by="Dee")
    tap(table, "Dee", "2-6")
    assert table.plays()[-1] == ("Ann", "Dee", [2, 6])
    assert table.held() == []


def test_what_somebody_reports_leaves_every_play_to_be_looked_at(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", FOUR[:2])
    for train, tile in (("Ann", "12-5"), ("Ben", "12-3"), ("Ann", "5-7"), ("Ben", "3-1")):
        table.lay(train, tile)
    table.send("report", by="Ann", what="no_last_tile")
    assert [table.client.get(f"/play/{seq}").status_code for seq in range(2, table.session.seq + 1)] == [200] * 5
    assert "12-3" in table.client.get("/play/3").text


@pytest.mark.parametrize(("rules", "box", "engine"), [("poltava", "double-9", 9), ("cz", "double-12", 12)])
def test_who_is_out_in_the_first_lap_is_not_to_play(tmp_path: Path, rules: str, box: str, engine: int) -> None:
    table = Table(tmp_path, rules, box, FOUR[:2], {"hand": 2})
    table.lay("Ann", f"{engine}-5", "5-6", by="Ann")
    table.lay("Ben", f"{engine}-1", by="Ben")
    shown = state_of(table.session)
    assert (shown["phase"], shown["turn"], shown["hands"]) == ("playing", "Ben", {"Ann": 0, "Ben": 1})
    assert {play["train"] for play in shown["may_play"]} == {"Ben"}
    assert table.client.post("/api/cannot-play", json={"by": "Ann"}).status_code == 409
    table.send("done", by="Ben")
    assert table.session.phase == "ended"
    assert table.held() == []


def test_after_an_own_double_nobody_has_to_lay_another_double(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-12", FOUR[:2], {"hand": 4})
    table.lay("Ann", "12-5")
    table.lay("MX", "12-4")
    table.lay("Ann", "5-5")
    table.send("draw", by="Ann")
    table.send("mark", train="Ann", by="Ann")
    table.lay("Ann", "5-1", by="Ben")
    table.lay("Ann", "1-7", by="Ann")
    table.send("unmark", train="Ann", by="Ann")
    table.lay("MX", "4-6")
    table.lay("Ann", "7-8")
    table.lay("MX", "6-9")
    table.send("show-hand", by="Ann", tiles="4-4")
    assert table.session.phase == "scored"
    assert table.held() == []


def stopped_line(path: Path, ben: str) -> Table:
    """Three tiles each; one lies, each has put one away, and it is stopped: hands shown with what was put away."""
    table = Table(path, "jielong", "chinese", FOUR[:2], {"hand": 3})
    table.send("play", train="R", tile="3:6", by="Ann")
    table.send("discard", by="Ben")
    table.send("discard", by="Ann")
    table.send("end-round", how="blocked_declared")
    table.send("show-hand", by="Ann", tiles="1:1 1:2")
    table.send("show-hand", by="Ben", tiles=ben)
    assert table.session.phase == "scored"
    return table


def test_tiles_put_away_and_held_may_be_shown_together(tmp_path: Path) -> None:
    assert stopped_line(tmp_path, "2:2 4:4 2:5").held() == []


@pytest.mark.parametrize(
    ("ben", "held"),
    [("1:6 4:4", ("Ben", "DISCARD_WITH_PLAYABLE", True)), ("4:4", ("Ben", "HAND_COUNT_INCONSISTENT", False))],
)
def test_fewer_tiles_are_those_that_are_held_alone(tmp_path: Path, ben: str, held: tuple[str, str, bool]) -> None:
    assert held in stopped_line(tmp_path, ben).held()


def test_a_tile_put_away_where_another_fitted_is_proved_by_tiles_shown_together(tmp_path: Path) -> None:
    """Ben could have laid 1:6 when he put a tile away, whichever of the three that was."""
    assert stopped_line(tmp_path, "1:6 4:4 2:5").held() == [("Ben", "DISCARD_WITH_PLAYABLE", True)]
