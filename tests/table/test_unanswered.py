"""Questions about unread tiles that nobody answers: fewer of them, and never more than one at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.stand_ins.seen_tables import eastward, tile
from companion.geometry.layout import SeenHalf, SeenTile
from companion.observing.unread import MOST_UNANSWERED, QUIET
from tests.shown import state_of
from tests.table.test_unread import WEST, Table


def half_read(seen: SeenTile, *others: int) -> SeenTile:
    """The tile with its outer half unread: one of two values."""
    assert seen.halves is not None
    a, b = others
    return replace(seen, halves=(seen.halves[0], SeenHalf(None, 0.6, ((a, 0.6), (b, 0.3)))))


COMING = [
    half_read(tile(465.0, 450.0, 180.0, 7, 2), 2, 1),
    half_read(tile(600.0, 535.0, 90.0, 12, 4), 4, 6),
    half_read(eastward([(12, 5), (5, 9), (9, 3)])[2], 3, 8),
    half_read(eastward([(12, 5), (5, 9), (9, 3), (3, 1)])[3], 0, 11),
]
"""Each lies at another one whose value the eye leaves open, or at the hub."""


@pytest.fixture
def room(tmp_path: Path) -> Table:
    """Three tiles that nobody can read have come, and nobody has said anything."""
    table = Table(tmp_path, beside=())
    for _ in range(MOST_UNANSWERED - 1):
        come(table)
    return table


def come(table: Table) -> None:
    """One more tile that nobody can read."""
    table.lying.append(COMING[len(table.lying) - 3])
    table.show(table.lying)


def asked(table: Table) -> int:
    return len(table.session.questions)


def test_at_first_every_unread_tile_is_asked_about_and_all_are_on_record(room: Table) -> None:
    assert asked(room) == MOST_UNANSWERED
    assert sum(one["event"] == "tile_played" for one in state_of(room.session)["plays"]) == 5
    assert {play["train"] for play in state_of(room.session)["plays"] if play["event"] == "tile_played"} == {
        "Ann",
        "Ben",
        "MX",
    }
    assert room.lying[1] == WEST


def test_after_three_that_nobody_answered_it_waits_while_one_of_them_is_open(room: Table) -> None:
    come(room)
    for _ in range(QUIET + 1):
        room.show(room.lying)
    assert asked(room) <= MOST_UNANSWERED
    for question in room.session.questions:
        room.session.drop_question(question.seq)
    for _ in range(QUIET + 1):
        room.show(room.lying)
    assert asked(room) == 1, "one is asked, now and then"


def test_an_answer_shows_that_somebody_listens(room: Table) -> None:
    for question in room.session.questions:
        room.session.answer(question.seq, 0)
    room.show(room.lying)
    assert asked(room) == 0
    come(room)
    come(room)
    assert asked(room) == 2


def test_in_another_round_the_old_questions_are_gone(room: Table) -> None:
    room.session.end_round("abandoned")
    room.session.start_round((11, 11), "Ann", draws_seen=False)
    room.show([])
    assert asked(room) == 0
