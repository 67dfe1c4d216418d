"""A table that was cleared before its round was scored: asked about once, and nothing on it is held to be a play.

When the next engine lies in the middle and the old tiles are gone, the round on record is over, whatever nobody tapped.
Its points can still be entered. Where nobody answers the next round begins without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from companion.game.session import Session
from companion.geometry import Layout
from companion.log.corrections import effective_events
from companion.log.event_fields import Candidate
from companion.log.events import Corrected, Drew, Event, MarkerRemoved, Passed, RoundEnded, TileTakenBack, Unclear
from companion.log.question import Question, QuestionKind
from companion.observing.readings import surely_laid
from companion.perception.sink import LINE
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid, Tile

NEW_ROUND, SAME_ROUND = "new_round", "same_round"
"""Reasons to ask, each with the round's number behind a colon; the first two are also the answers to the first."""

LEAST_RECORDED = 3
"""A round of fewer tiles that is dealt again is corrected by hand."""

MOST_GONE_BY_PLAY = 2
"""Nobody takes back more tiles at once; where more are gone, and most of all, the table is being cleared."""


CLEARING = (TileTakenBack, MarkerRemoved, Drew, Unclear)
"""What clearing a table looks like before enough of it is gone."""


SAME_TILES = 2
"""So many tiles that lie where the last round's lay are the last round's."""
MANY_TILES, MOST_OF_THEM = 8, 0.6
"""Of a round of so many tiles such a share, lying anywhere on the table, is that round's table still."""


def still_lies(recorded: Mapping[str, Sequence[Laid]], layout: Layout) -> bool:
    """Do tiles of the round on record lie where they were laid? One alone may lie there by chance.

    Where another tile is taken for the engine, the next round's double at a train's end above all, the trains are told
    otherwise: then the same tiles are each other's neighbours. Or no train is told at all: then most of the round's
    tiles lie somewhere, and of a new round so many never lie at once.
    """
    seen = {**layout.trains, LINE: layout.line}
    lying = {name: [tile.laid for tile in train] for name, train in seen.items()}
    same = sum(tile in lying.get(name, ()) for name, train in recorded.items() for tile in train)
    beside = neighbours(recorded.values()) & neighbours(
        [[tile.laid for tile in train if tile.laid is not None] for train in seen.values()]
    )
    if max(same, len(beside)) >= SAME_TILES:
        return True
    laid = Counter(tile.tile for train in recorded.values() for tile in train)
    here = Counter(tile.laid.tile for tile in layout if tile.face_up and tile.laid is not None)
    return laid.total() >= MANY_TILES and (laid & here).total() >= MOST_OF_THEM * laid.total()


def neighbours(trains: Iterable[Sequence[Laid]]) -> set[frozenset[Tile]]:
    """Which tiles lie end to end, in whichever order."""
    return {frozenset((one.tile, other.tile)) for train in trains for one, other in pairwise(train)}


class NextRound:
    """Compares what lies there with the round on record.

    `skipped` is the number of the round that was left without points just now. `keep` stores a frame's picture.
    `patience`: so many further changes of the table wait for an answer before the next round begins without one.
    """

    def __init__(self, session: Session, keep: Callable[[str], str | None], patience: int) -> None:
        self._session = session
        self._keep = keep
        self._patience = patience
        self._asked: int | None = None
        self._waited = 0
        self._points: dict[int, int] = {}
        self._last_seq = -1
        self._goes_on: set[Laid | None] = set()
        self.skipped: int | None = None

    def forget(self) -> None:
        """A round has begun."""
        self._asked, self._waited, self.skipped = None, 0, None
        self._goes_on.clear()

    def is_cleared(self, layout: Layout) -> bool:
        """Whether most of the round on record is gone, and nobody has said that it goes on all the same."""
        table = self._session.position
        if self._session.phase not in ("playing", "ended") or table is None:
            return False
        taken = [event.tile for event in self._clearing() if isinstance(event, TileTakenBack)]
        laid, lying = _lying(layout, table, taken)
        gone = laid - lying
        if laid < LEAST_RECORDED or gone <= MOST_GONE_BY_PLAY or 2 * gone <= laid:
            return False
        return _beginning(layout, table) not in self._goes_on

    def ask(self, layout: Layout, frame: str) -> None:
        """Ask whether another round has begun. Where its first tile has lain there, unanswered, for long, it has."""
        table, number = self._session.position, self._session.snapshot().round
        assert number is not None
        another = table is not None and _beginning(layout, table) is not None
        self._waited += another and self._asked is not None
        if another and self._waited >= self._patience:
            if self._asked is not None:
                self._session.drop_question(self._asked)
            self._without_points("camera")
            self._points[number] = self._session.ask(
                Question(QuestionKind.NO_POINTS, about=str(number)), (), frame=self._keep(frame)
            )[0].seq
        elif self._asked is None:
            candidates = [Candidate(NEW_ROUND), Candidate(SAME_ROUND)]
            self._asked = self._session.ask(
                Question(QuestionKind.NEW_ROUND, about=str(number)), candidates, frame=self._keep(frame)
            )[0].seq

    def apply_answers(self, layout: Layout | None) -> bool:
        """Go on by what people have answered or entered since; whether the table is to be read again for it."""
        if self._session.seq == self._last_seq:
            return False
        self._last_seq = self._session.seq
        self._let_points_be()
        if self._asked is None:
            return False
        if self._session.is_open(self._asked):
            if self._session.phase not in ("playing", "ended"):
                # The points were entered.
                self._session.drop_question(self._asked)
                self._asked = None
            return False
        answer = answer_to(self._asked, self._session.events)
        self._asked, self._waited = None, 0
        if answer == 0:
            self._without_points("person")
        elif layout is not None and (table := self._session.position) is not None:
            self._goes_on.add(_beginning(layout, table))
        return True

    def _without_points(self, source: str) -> None:
        """The round is over, and it has no points."""
        self._put_back()
        self.skipped = self._session.snapshot().round
        if self._session.phase == "playing":
            self._session.end_round("abandoned", source=source)
        elif self._session.phase == "ended":
            ended = next(event for event in reversed(self._session.events) if isinstance(event, RoundEnded))
            self._session.correct(ended.seq, {"how": "abandoned", "out": None}, source=source)

    def _put_back(self) -> None:
        """Nobody moved what was taken off since the last play: the table was being cleared."""
        for event in self._clearing():
            if not isinstance(event, Unclear):
                self._session.correct(event.seq, {"withdrawn": True}, source="camera")

    def _clearing(self) -> list[Event]:
        """What the camera has seen since the last play that may have been the clearing of the table, newest first."""
        found: list[Event] = []
        for item in reversed(effective_events(self._session.events)):
            event = item.event
            if isinstance(event, Passed) and event.source == "rule":
                continue
            if not isinstance(event, CLEARING) or event.source != "camera":
                break
            found.append(event)
        return found

    def _let_points_be(self) -> None:
        """Withdraw the questions about rounds that have their points by now."""
        for number, seq in list(self._points.items()):
            if not self._session.is_open(seq):
                del self._points[number]
            elif any(one.round == number for one in self._session.snapshot().rounds_played):
                self._session.drop_question(seq)
                del self._points[number]


def _lying(layout: Layout, table: Position | LinePosition, taken: Sequence[Laid] = ()) -> tuple[int, int]:
    """How many tiles are on record or were `taken` off it since the last play, and how many of them still lie there.

    Tiles of a train that has lost its hold on the hub, or that was pushed aside, lie there still.
    """
    if isinstance(table, LinePosition):
        rows = [(table.line, layout.line)]
    else:
        rows = [(chain, layout.trains.get(name, ())) for name, chain in table.trains.items()]
    missing = Counter[Tile]()
    for chain, seen in rows:
        missing += _tiles(chain) - _tiles(tile.laid for tile in seen)
    apart = [*layout.loose, *(tile for hand in layout.hands.values() for tile in hand)]
    placed = [tile.laid for _, seen in rows for tile in seen]
    off = _tiles(taken) - _tiles(placed)
    gone = missing + off - _tiles(tile.laid for tile in apart)
    laid = sum(len(chain) for chain, _ in rows) + len(taken)
    return laid, laid - gone.total()


def _tiles(laid: Iterable[Laid | None]) -> Counter[Tile]:
    return Counter(one.tile for one in laid if one is not None)


def _beginning(layout: Layout, table: Position | LinePosition) -> Laid | None:
    """What another round begins with: another double that surely lies in the middle, of a line its first tile."""
    if isinstance(table, LinePosition):
        return layout.line[0].laid if layout.line else None
    return another_engine(layout, table)


def another_engine(layout: Layout, table: Position) -> Laid | None:
    """The double that surely lies in the middle, where it is another than the round's."""
    seen = surely_laid(layout.engine)
    return seen if seen is not None and seen.is_double and seen.tile != table.engine.tile else None


def answer_to(seq: int, events: Sequence[Any]) -> int | None:
    for event in reversed(events):
        if isinstance(event, Corrected) and event.corrects == seq and "answer" in event.what:
            answer: int | None = event.what["answer"]
            return answer
    return None
