"""A game that people tap in: how one turn follows another, as a family taps it on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert table.session.snapshot()["turn"] == "Ann"


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
