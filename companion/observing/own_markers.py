"""Once an evening the page asks of a thing at somebody's train: is this your marker?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.game.session import Session
from companion.log.event_fields import Candidate
from companion.log.events import Event, MarkerPlaced, MarkerRemoved, Unclear
from companion.log.question import Question, QuestionKind
from companion.observing.next_round import answer_to
from companion.observing.unread import Keep

THEIRS = "theirs"
"""The one answer that a question offers; none of these: it is no marker of theirs."""


class MarkerQuestions:
    """One question a player and game, and one at a time."""

    def __init__(self, session: Session, keep: Keep) -> None:
        self._session = session
        self._keep = keep
        self._asked: dict[str, int] = {}
        self._told: dict[str, bool] = {}

    def ask(self, player: str, frame: str) -> bool:
        """Ask it now; False where it was asked before, another is open, or nobody plays."""
        question = Question(QuestionKind.MARKER, player=player)
        earlier = {event.reason for event in self._session.events if isinstance(event, Unclear)}
        if question.reason in earlier or self._session.phase != "playing" or len(self.answers()) < len(self._asked):
            return False
        asked = self._session.ask(question, [Candidate(THEIRS)], frame=self._keep(frame))
        self._asked[player] = asked[0].seq
        return True

    def answers(self) -> Mapping[str, bool]:
        """Player -> whether the thing was their marker, of every question that is answered. What was none goes off the
        record, where the camera had put it there before it asked: that is what people say, and the rest of what that
        look saw stays. A question that is settled otherwise goes, and says nothing."""
        for player, seq in list(self._asked.items()):
            if self._session.is_open(seq) and self._settled(player, seq):
                self._session.drop_question(seq)
                del self._asked[player]
        for player, seq in self._asked.items():
            if player not in self._told and not self._session.is_open(seq):
                self._told[player] = answer_to(seq, self._session.events) == 0
                placed = _placed(player, self._session.events[: seq - 1])
                if placed is not None and not self._told[player]:
                    self._session.correct(placed, {"withdrawn": True})
        return self._told

    def _settled(self, player: str, seq: int) -> bool:
        """Whether nothing is left to ask: the round is over, their marker has been taken off since, or a person has
        said of it what is so."""
        since = self._session.events[seq:]
        acts = [one for one in since if isinstance(one, (MarkerPlaced, MarkerRemoved)) and one.train == player]
        said = any(isinstance(one, MarkerRemoved) or one.source == "person" for one in acts)
        return self._session.phase != "playing" or said


def _placed(player: str, events: Sequence[Event]) -> int | None:
    """The line with which the camera put this player's marker on record last."""
    return next(
        (
            event.seq
            for event in reversed(events)
            if isinstance(event, MarkerPlaced) and event.train == player and event.source == "camera"
        ),
        None,
    )
