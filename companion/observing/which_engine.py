"""Which tile is the engine? Where neither hub nor engine is found, several doubles lie on the hub, or another one than
the round was said to begin with, one tap says it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from companion.game.session import Session
from companion.geometry import Layout, Trouble
from companion.log.event_fields import Candidate
from companion.log.events import Event, RoundStarted
from companion.log.question import ANOTHER_ENGINE, Question
from companion.observing.next_round import another_engine
from companion.observing.unread import Keep
from companion.rules.notation import print_laid
from companion.rules.position import Position

MOST = 4
"""So many doubles are offered."""


class WhichEngine:
    """The question, asked once, at the first table already, and unsaid when an engine shows up."""

    def __init__(self, session: Session, keep: Keep) -> None:
        self.session = session
        self.keep = keep
        self._asked: int | None = None
        self._doubted: int | None = None
        self._was_open = False

    @property
    def open(self) -> bool:
        """Does the question wait for its answer?"""
        return self.session.is_open(self._asked) or self.session.is_open(self._doubted)

    def see(self, layout: Layout, frame: str) -> None:
        """A still table was read. The doubles that lie there are offered: a tap says which it is."""
        if layout.has(Trouble.NO_HUB):
            if self._asked is None and self.session.phase == "playing":
                offered = engines_offered(layout, self.session.events)
                question = Question.of_table(str(Trouble.NO_HUB))
                self._asked = self.session.ask(question, offered, frame=self.keep(frame))[0].seq
        elif self._asked is not None:
            self.session.drop_question(self._asked)
            self._asked = None
        self._was_open = self.open

    def ask_if_another(self, layout: Layout, frame: str) -> bool:
        """Ask once which double it is where, before any tile is on record, another one surely lies in the middle than
        the round was said to begin with: each tile at it would be held against whoever laid it. True while that waits.
        """
        table = self.session.position
        if self.session.phase != "playing" or not isinstance(table, Position) or any(table.trains.values()):
            return False
        if another_engine(layout, table) is None:
            if self._doubted is not None:
                self.session.drop_question(self._doubted)
            self._doubted = None
        elif self._doubted is None:
            offered = [*engines_offered(layout, self.session.events), Candidate(print_laid(table.engine))]
            question = Question.of_table(ANOTHER_ENGINE)
            self._doubted = self.session.ask(question, offered, frame=self.keep(frame))[0].seq
            self._was_open = True
        return self.session.is_open(self._doubted)

    def stirred(self) -> bool:
        """Has somebody answered since the last look? Then the trains of this very table can be told."""
        answered, self._was_open = self._was_open and not self.open, self.open
        return answered


def engines_offered(layout: Layout, events: Iterable[Event]) -> list[Candidate]:
    """The doubles that lie on the table, each as the engine of the round that has begun, the one in the middle of the
    tiles first; none where no round has begun."""
    begun = [event.seq for event in events if isinstance(event, RoundStarted)]
    places = [tile.seen.center_mm for tile in layout if tile.face_up]
    away = {
        tile.laid: sum(math.dist(tile.seen.center_mm, place) for place in places)
        for tile in layout
        if tile.face_up and tile.laid is not None and tile.laid.is_double
    }
    if not begun:
        return []
    nearest = sorted(away, key=away.__getitem__)[:MOST]
    return [Candidate(print_laid(one), ({"seq": begun[-1], "engine": [one.inner, one.outer]},)) for one in nearest]
