"""Two players whose names look the same on a screen cannot be told apart on the score sheet."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from companion.web.forms import TWINS, skeleton


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "Аnn"),
        ("Ann", "Ann\u200b"),
        ("Ann", "A nn"),
        ("Bill", "Bil1"),
        ("IDA", "1DA"),
        ("Olena", "Οlena"),
        ("Ann", "ａnn"),
        ("Olena", "Օlena"),
        ("DAVE", "ᎠᎪᏙᎬ"),
        ("TOM", "ꓔꓳꓟ"),
        ("Ida", "ꓲda"),
    ],
)
def test_what_looks_the_same_is_the_same(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Ali", "All"), ("Ann", "Anne"), ("Mia", "Mila"), ("Іван", "Иван"), ("Eli", "Ell")]
)
def test_names_that_differ_stay_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_every_letter_has_its_twin() -> None:
    assert all(len(letters) == len(shapes) for letters, shapes in TWINS.values())


def test_a_game_is_not_begun_with_two_names_that_look_the_same(keeper: FlaskClient) -> None:
    answer = keeper.post("/api/games", json={"rules": "tactic", "players": ["Ann", "Аnn"]})
    assert answer.status_code == 400 and "look the same" in answer.json["error"]
