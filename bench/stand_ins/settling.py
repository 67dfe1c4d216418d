"""People settle what the page asks about their taps."""

from __future__ import annotations

from companion.game.game import Game
from companion.log.events import Unclear

MOST_ASKED = 60
"""An answer brings the next question at most; more than this many in a row means that none of them ever closes."""


def asked(session: Game) -> list[Unclear]:
    """The open questions about taps that do not fit, the oldest first."""
    return [question for question in session.questions if question.about is not None]


def kinds(question: Unclear) -> list[str]:
    """The kinds of its keys, as they are shown; the last is another order."""
    return [str(key.kind) for key in question.candidates]


def settle(session: Game, kind: str = "so", by: str | None = None) -> None:
    """Answer the oldest question by its first key of this kind."""
    question = asked(session)[0]
    session.answer(question.seq, kinds(question).index(kind), by)


def confirm(session: Game, by: str | None = None) -> int:
    """Say of all that is open that it was really so; returns how many questions that took."""
    for count in range(MOST_ASKED):
        if not asked(session):
            return count
        settle(session, by=by)
    raise AssertionError(f"still open after {MOST_ASKED} answers: {asked(session)}")
