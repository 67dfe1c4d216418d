"""Questions about unread tiles that nobody answers: fewer of them, and never more than one at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from companion.geometry import Layout, reconstruct
from companion.geometry.layout import SeenHalf
from companion.observing import unread
from companion.observing.unread import QUIET, PendingQuestions
from companion.rules.position import Position
from companion.rules.tile import Laid, double_set
from tests.table.tables import SETUP, eastward, view

BOX = dict.fromkeys(double_set(12), 1)


@dataclass(frozen=True)
class Asked:
    seq: int


class Foreseen:
    """Whatever it is, somebody may lay it."""

    def to_insert(self) -> dict[str, Any]:
        return {"event": "tile_played"}


@dataclass
class Room:
    """A session that asks, and people who answer or do not."""

    questions: tuple[Asked, ...] = ()
    asked: list[str] = field(default_factory=list)
    phase: str = "playing"

    def ask(self, reason: str, _candidates: Any, frame: str | None = None) -> list[Asked]:
        self.asked.append(reason)
        self.questions = (*self.questions, Asked(len(self.asked)))
        return [self.questions[-1]]

    def drop_question(self, seq: int) -> None:
        self.questions = tuple(one for one in self.questions if one.seq != seq)

    def foresee(self, _delta: Any) -> tuple[Foreseen, ...]:
        return (Foreseen(),)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    """A room in which no tile is guessed."""
    monkeypatch.setattr(unread, "GUESS", 0.99)
    return Room()


def table(place: int) -> tuple[Layout, Position]:
    """A train of six tiles of which the one at `place` cannot be read."""
    values = [(12, 5), (5, 9), (9, 3), (3, 1), (1, 4), (4, 6)]
    tiles = list(eastward(values))
    blind = tuple(SeenHalf(None, 0.1, tuple((value, 0.1) for value in range(10))) for _ in range(2))
    tiles[place] = replace(tiles[place], halves=blind)
    layout = reconstruct(view(tiles), SETUP)
    return layout, Position(12, ("Ann", "Ben"), Laid(12, 12), {}, turn="Ann")


def unanswered(room: Room, places: list[int]) -> PendingQuestions:
    """After these tables, of which nobody says anything: each is asked about and given up."""
    sink = PendingQuestions(room, BOX, lambda _frame: None)
    sink.patience = 0
    for place in places:
        sink.ask(*table(place), "frame")
        sink.holds_back(*table(place))
    return sink


def test_at_first_every_unread_tile_is_asked_about(room: Room) -> None:
    unanswered(room, [0, 1, 2])
    assert len(room.asked) == 3
    assert [one.seq for one in room.questions] == [3], "only its question is open that lies there still"


def test_after_three_that_nobody_answered_it_waits_a_while(room: Room) -> None:
    sink = unanswered(room, [0, 1, 2, 3])
    assert len(room.asked) == 3
    for _ in range(QUIET):
        sink.ask(*table(4), "frame")
    assert len(room.asked) == 4, "one is asked, now and then"


def test_an_answer_shows_that_somebody_listens(room: Room) -> None:
    sink = unanswered(room, [0, 1, 2])
    for _ in range(QUIET):
        sink.ask(*table(3), "frame")
    assert len(room.asked) == 4
    room.questions = ()
    for place in (4, 5, 0, 1):
        sink.ask(*table(place), "frame")
    assert len(room.asked) == 7, "three more, and then it waits again"


def test_where_people_answer_nothing_is_held_back(room: Room) -> None:
    sink = PendingQuestions(room, BOX, lambda _frame: None)
    sink.patience = 5
    for place in (0, 1, 2, 3, 4, 5):
        sink.ask(*table(place), "frame")
        room.questions = ()
    assert len(room.asked) == 6


def test_the_game_goes_on_without_a_tile_that_nobody_was_asked_about(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = unanswered(room, [0, 1, 2])
    monkeypatch.setattr(room, "foresee", lambda _delta: ())
    layout, position = table(3)
    sink.ask(layout, position, "frame")
    assert len(room.asked) == 3 and not sink.holds_back(layout, position)
    assert list(sink.off_the_record(layout).values()) == ["Ann"] * 3, "it, and what lies beyond it"


def test_in_another_round_a_tile_at_the_same_place_is_another_one(room: Room) -> None:
    sink = unanswered(room, [0])
    room.questions = ()
    sink.forget()
    sink.patience = 5
    layout, position = table(0)
    assert sink.holds_back(layout, position) and not sink.off_the_record(layout)
    sink.ask(layout, position, "frame")
    assert len(room.asked) == 2
