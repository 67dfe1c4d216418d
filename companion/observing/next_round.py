"""How surely the tiles now laid were read, as the journal keeps it with each play.

How the round begins that lies on the table: its engine, who starts, its number, and whether draws can be counted.

A table that was cleared before its round was scored: asked about once, and nothing on it counts as a play.

When the next engine lies in the middle and the old tiles are gone, the round on record is over, whatever nobody tapped.
Its points can still be entered. Where nobody answers the next round begins without them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from companion.game.corrections import effective_events
from companion.game.game import Game
from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.geometry.layout import SeenHalf
from companion.log.event_fields import Candidate, Confidence, Question, QuestionKind
from companion.log.events import Corrected, Drew, Event, MarkerRemoved, Passed, RoundEnded, TileTakenBack, Unclear
from companion.perception.settings import LINE
from companion.perception.setup_file import GameSetup
from companion.perception.understanding import values_of
from companion.rules.mexican.judge import round_of, tiles_in
from companion.rules.position import LinePosition, Play, Position
from companion.rules.tile import Laid, Tile
from companion.tracking.costs import BEYOND_DOUBT, SURE

COARSE_PX, COARSELY = 26.0, 0.998
"""A half narrower than this in the picture is never read more surely than the second. Of the other renderer's halves
22 to 25 px wide 3 of 4,673 were wrong though read with .999 and more (bench/coarse.py): too many to accuse by."""


def readings_of(observation: Observation, layout: Layout, box: Iterable[Tile]) -> dict[Play, Confidence]:
    """How surely each of the tiles now laid was read, and whether it lies across its train; a half that was not read
    may be anything that the `box` has."""
    found = {}
    values = values_of(box)
    for change in observation.laid:
        train = layout.trains.get(change.train)
        lying = [one for one in reversed(train or layout.line) if one.laid == change.tile]
        # A set of a line has a tile several times: how the one that lay there before was read says nothing.
        placed = next((one for one in lying if one.id in observation.news), next(iter(lying), None))
        if placed is not None and placed.halves is not None:
            inner, outer = placed.halves[placed.inner_half], placed.halves[1 - placed.inner_half]
            (p, others), (q, more) = _ranked(inner, values), _ranked(outer, values)
            most = COARSELY if _is_coarse(placed) else 1.0
            found[change] = Confidence(
                (min(p, most), min(q, most)), (others, more), placed.crosswise if train else None
            )
    return found


def _is_coarse(tile: PlacedTile) -> bool:
    """Whether the picture shows its halves too small to prove anything by them."""
    box = tile.seen.box_px
    return box is not None and min(math.dist(box[0], box[1]), math.dist(box[1], box[2])) < COARSE_PX


def _ranked(half: SeenHalf, values: frozenset[int]) -> tuple[float, tuple[tuple[int, float], ...]]:
    """The probability of a half's value, and its runners-up."""
    assert half.value is not None
    odds = half.odds(values)
    p = odds.pop(half.value, 0.0)
    return p, tuple(sorted(odds.items(), key=lambda one: (-one[1], one[0])))


def surely_laid(tile: PlacedTile | None) -> Laid | None:
    """The reading of an engine, if both halves were read surely enough to accuse somebody; else None. That it is no
    double is likelier misread than so, unless it is beyond doubt."""
    if tile is None or tile.halves is None or tile.laid is None:
        return None
    least = SURE if tile.laid.is_double else BEYOND_DOUBT
    return tile.laid if min(half.p for half in tile.halves) >= least else None


NEARLY_ALL = 2
"""The count of a spread boneyard may be off by this many tiles, and its changes still show draws."""


class RoundStart:
    """The set-up file counts for the journal's first round alone; later ones follow from the game.

    >>> from tempfile import mkdtemp
    >>> from companion.log.event_fields import Header
    >>> setup = GameSetup(Header("tactic", "double-12", ("Ann", "Ben")))
    >>> game = Game.create(mkdtemp() + "/game.jsonl", setup.header)
    >>> beginning = RoundStart(game, setup)
    >>> beginning.waiting, beginning.left_over()
    (True, 58)
    >>> started = game.start_round((11, 11), "Ann")
    >>> beginning.waiting, beginning.engine()
    (False, Laid(inner=11, outer=11))
    >>> game.close()
    """

    def __init__(self, session: Game, setup: GameSetup) -> None:
        self.session = session
        self.rules = session.rules
        self.setup = setup

    @property
    def first(self) -> bool:
        """No round has been played or begun yet."""
        return bool(self.session.phase == "waiting")

    @property
    def waiting(self) -> bool:
        """No round is being played, so the next table that is set up begins one."""
        return self.session.phase in ("waiting", "scored")

    @property
    def starter_is_given(self) -> bool:
        return bool((self.first and self.setup.round.starter is not None) or self.session.match.starter_is_named)

    def engine(self) -> Laid | None:
        """The engine of the round that is played or due; None where nobody has said which round that is."""
        if not self.waiting:
            table = self.session.position
            return table.engine if isinstance(table, Position) else None
        if self.first and (self.setup.round.engine is not None or self.setup.round.number is None):
            return self.setup.round.engine
        if self.session.dealt_again:
            return None
        due: Laid | None = self.session.engine_due(self.setup.round.number if self.first else None)
        return due

    def of(self, layout: Layout) -> tuple[Laid | None, str | None, int | None]:
        """Engine, starter and the match's first number: the engine as it surely lies, the set-up's, then what is due.

        If watching begins with a later round of a match, its engine is neither wrong nor misread.
        """
        sure, seen = surely_laid(layout.engine), layout.engine.laid if layout.engine is not None else None
        given = (self.setup.round.engine, self.setup.round.starter, self.setup.round.number)
        engine, starter, number = given if self.first else (None, None, None)
        if not self.rules.is_mexican:
            return None, starter, number
        middle = engine or seen
        if self.first and number is None and middle is not None and middle.is_double:
            number = round_of(self.rules, self.setup.header.set_max or 0, middle.inner)
            sure = sure or middle
        return sure or engine, starter, number

    def draws_countable(self, layout: Layout) -> bool:
        """Draws can be counted where all tiles not dealt are seen spread out; in Chinese games nothing is drawn."""
        if not self.rules.is_mexican:
            return True
        return layout.boneyard is not None and layout.boneyard == self.left_over()

    def draws_shown(self, layout: Layout) -> bool:
        """Whether draws show: about all tiles that were not dealt are seen, even if they cannot be counted exactly."""
        due = self.left_over()
        return due is not None and layout.boneyard is not None and abs(layout.boneyard - due) <= NEARLY_ALL

    def left_over(self) -> int | None:
        """How many tiles lie face down and spread out when all have their hands."""
        if not self.rules.is_mexican or self.setup.boneyard == "stacked":
            return None
        set_max, players = self.setup.header.set_max or 0, len(self.setup.header.players)
        hand = self.rules.hand_size(set_max, players)
        return None if hand is None else tiles_in(set_max) - 1 - hand * players


NEW_ROUND, SAME_ROUND = "new_round", "same_round"
"""Reasons to ask, each with the round's number behind a colon; the first two are also the answers to the first."""

LEAST_RECORDED = 3
"""A round of fewer tiles that is dealt again is corrected by hand."""

MOST_GONE_BY_PLAY = 2
"""Nobody takes back more tiles at once; where more are gone, and most of all, the table is being cleared."""


CLEARING = (TileTakenBack, MarkerRemoved, Drew, Unclear)
"""Signs of a table being cleared before enough of it is gone."""


SAME_TILES = 2
"""This many tiles that lie where the last round's lay are the last round's."""
MANY_TILES, MOST_OF_THEM = 8, 0.6
"""In a round of at least so many tiles, this share of them anywhere on the table means that it is still its table."""


def still_lies(recorded: Mapping[str, Sequence[Laid]], layout: Layout) -> bool:
    """Do tiles of the round on record lie where they were laid? One alone may lie there by chance.

    If another tile counts as the engine, above all the next round's double at a train's end, the trains are split
    differently; then the same tiles are still neighbours. Or no train is told at all: then most of the round's tiles
    lie somewhere, and of a new round so many never lie at once.
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


class NextRoundWatch:
    """Compares what lies there with the round on record.

    `skipped` is the number of the round that was left without points just now. `keep` stores a frame's picture.
    `patience`: so many further changes of the table wait for an answer before the next round begins without one.

    >>> from tempfile import mkdtemp
    >>> from companion.log.event_fields import Header
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    >>> watch, started = NextRoundWatch(game, lambda frame: None, patience=2), game.start_round((12, 12), "Ann")
    >>> laid = [game.play(tile, by) for tile, by in (((12, 5), "Ann"), ((12, 3), "Ben"), ((5, 4), "Ann"))]
    >>> watch.is_cleared(Layout())
    True
    >>> watch.ask(Layout(), "0001.jpg")
    >>> [one.reason for one in game.questions]
    ['new_round: 1']
    >>> game.close()
    """

    def __init__(self, session: Game, keep: Callable[[str], str | None], patience: int) -> None:
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
        """Changes since the last play that may have been the clearing of the table, newest first."""
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
    """The tile that begins another round: another double that surely lies in the middle; of a line, its first tile."""
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
