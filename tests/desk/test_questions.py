"""A question in its parts and as the text that a journal holds."""

from __future__ import annotations

import pytest

from companion.log.event_fields import Question, QuestionKind

WRITTEN = {
    "several_stories": Question(QuestionKind.SEVERAL_EXPLANATIONS),
    "unreadable_tile: MX": Question(QuestionKind.UNREADABLE_TILE, train="MX"),
    "unreadable_tile: A: b": Question(QuestionKind.UNREADABLE_TILE, train="A: b"),
    "new_round: 3": Question(QuestionKind.NEW_ROUND, about="3"),
    "no_points: 2": Question(QuestionKind.NO_POINTS, about="2"),
    "hand_unread: Ann": Question(QuestionKind.HAND_UNREAD, player="Ann"),
    "hand_count: Ann": Question(QuestionKind.HAND_COUNT, player="Ann"),
    "hand_twice: Ann": Question(QuestionKind.HAND_TWICE, player="Ann"),
    "set_sum: 88/91": Question(QuestionKind.SET_SUM, about="88/91"),
    "marker: Ann": Question(QuestionKind.MARKER, player="Ann"),
    "seats: Ann, Ben": Question(QuestionKind.SEATS, player="Ann", about="Ben"),
    "NO_HUB": Question(QuestionKind.TABLE, about="NO_HUB"),
    "LOOSE_TILE at (12, -3) mm; NO_HUB": Question(
        QuestionKind.TABLE, place=(12, -3), about="LOOSE_TILE at (12, -3) mm; NO_HUB"
    ),
}


@pytest.mark.parametrize("reason", WRITTEN)
def test_a_reason_is_read_and_written_as_it_was(reason: str) -> None:
    assert Question.of(reason) == WRITTEN[reason]
    assert WRITTEN[reason].reason == str(WRITTEN[reason]) == reason


@pytest.mark.parametrize(
    "reason", ["", "table", "table: x", "seats:", "unreadable_tile:", "no such kind: Ann", "new_round: "]
)
def test_what_is_no_question_of_ours_keeps_its_words(reason: str) -> None:
    question = Question.of(reason)
    assert question.kind is QuestionKind.TABLE and question.reason == reason


def test_what_it_is_about() -> None:
    assert Question.of("no_points: 2").round == 2 and Question.of("new_round: x").round is None
    assert Question.of("set_sum: 3").round is None
    assert Question.of("LOOSE_TILE at (1, 2) mm; NO_HUB; NO_HUB").troubles == ("LOOSE_TILE", "NO_HUB")
    assert Question.of("VALUE_CHANGED at (1, 2) mm").same == Question.of("VALUE_CHANGED at (3, 4) mm").same
    assert Question.of("no_points: 1").same != Question.of("no_points: 2").same
