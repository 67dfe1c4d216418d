"""`bench.mid_game` counts each play after the first picture once, and nobody's name is not a right one."""

from __future__ import annotations

from bench.mid_game import names_of


def line(tile: tuple[int, int], by: str | None, train: str = "R") -> dict[str, object]:
    return {"event": "tile_played", "tile": list(tile), "train": train, "by": by}


def test_every_play_falls_into_one_class() -> None:
    later = [("Ann", ((1, 2), "R")), ("Ben", ((2, 3), "R")), ("Cy", ((3, 3), "R")), ("Ann", ((3, 4), "R"))]
    recorded = [line((1, 2), "Ann"), line((2, 3), None), line((3, 3), "Dee")]
    assert names_of(later, recorded) == {"named": 1, "unnamed": 1, "misnamed": 1, "lost": 1}


def test_an_equal_tile_that_lay_there_before_is_not_taken_for_the_later_one() -> None:
    recorded = [line((4, 4), None), {"event": "unclear"}, line((4, 4), "Ben")]
    assert names_of([("Ben", ((4, 4), "R"))], recorded)["named"] == 1
