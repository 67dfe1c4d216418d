"""Totals of hands and tables: right, open or wrong, and only where the truth is known."""

from __future__ import annotations

from typing import Any

import pytest

from models.table import TOTALS, tables
from models.totals import HAND, outcome, totals


def tile(values: list[int] | None, face: str = "up", at: float = 0.0) -> dict[str, Any]:
    quad = [[at, 60.0], [at, 0.0], [at + 120.0, 0.0], [at + 120.0, 60.0]]
    return {"quad": quad, "face": face, "values": values}


def picture(*tiles: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"tiles": list(tiles), "complete": True} | more


TRUE = picture(tile([3, 4]), tile([0, 5], at=200), tile(None, "down", at=400))


@pytest.mark.parametrize(
    ("found", "came"),
    [
        ([tile([4, 3]), tile([0, 5])], "right"),
        ([tile([4, 3]), tile(None)], "open"),
        ([tile([4, 3]), tile([0, 6])], "wrong"),
        ([tile([4, 3])], "wrong"),
        ([tile([4, 3]), tile([0, 5]), tile([1, 1])], "wrong"),
        ([tile([4, 3]), tile([0, 5]), tile(None, "down")], "right"),
    ],
)
def test_a_total_is_right_open_or_wrong(found: list[dict[str, Any]], came: str) -> None:
    assert outcome(picture(*found), TRUE) == ("hand", came)


def test_many_tiles_are_a_table() -> None:
    many = picture(*(tile([1, 2], at=200.0 * n) for n in range(HAND + 1)))
    assert outcome(many, many) == ("table", "right")


@pytest.mark.parametrize("label", [picture(tile(None)), picture(tile(None, "down")), {**TRUE, "complete": False}])
def test_what_nobody_knows_is_not_counted(label: dict[str, Any]) -> None:
    assert outcome(picture(tile([3, 4])), label) is None


def test_what_lies_outside_the_field_is_left_out() -> None:
    label = picture(tile([3, 4]), field_poly=[[-10, -10], [300, -10], [300, 100], [-10, 100]])
    assert outcome(picture(tile([3, 4]), tile([6, 6], at=1000.0)), label) == ("hand", "right")


def test_the_shares_are_of_hands_and_of_tables() -> None:
    counted = totals([picture(tile([3, 4])), picture(tile(None)), TRUE], [picture(tile([3, 4])), TRUE, TRUE])
    assert counted["hands"] == {"count": 3, "right": 0.6667, "open": 0.3333, "wrong": 0.0}
    assert counted["tables"] == {"count": 0, "right": None, "open": None, "wrong": None}


def test_the_table_prints_them_beside_the_tiles() -> None:
    figures = {"photos": 1, "tiles": 2, "recall": 1.0, "precision": 1.0, "exact": 1.0, "wrong": 0.0, "perfect": "1/1"}
    counted = {"hands": {"count": 4, "right": 0.75, "open": 0.25, "wrong": 0.0}}
    text = tables({"photographs": {"all": figures, "totals": counted}, "rendered": {"all": figures}})
    assert TOTALS in text
    assert text.endswith("| photographs: hands | 4 | 75.0 % | 25.0 % | 0.0 % |")
