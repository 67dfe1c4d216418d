"""Tiles that nobody can read: what each may be, asked about, waited for, and at last held to be what it most likely is.

One question each, and no accusation. A play that waits for an answer stands still for everybody. So where nobody
answers for a while the likeliest tile goes on record as an unsure reading, which anybody can put right, and nothing
that rests on it is ever certain. Where nobody has answered several times, as when a whole table lies in a glare, only
one question is asked at a time, and seldom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from companion.game.session import Session
from companion.geometry import Layout, PlacedTile, Trouble
from companion.geometry.diff import Observation
from companion.geometry.line_places import read_part
from companion.geometry.table_view import SeenHalf
from companion.log.event_fields import Candidate
from companion.log.question import Question, QuestionKind
from companion.log.table_change import TableChange
from companion.observing.operator_input import ends_beyond
from companion.perception.half_values import Place, likely_tiles, place_in_line, value_behind
from companion.rules.actions import RIGHT
from companion.rules.notation import Laying, print_laid
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid, Tile

MOST_CANDIDATES = 6
"""So many tiles can be offered on a telephone without scrolling."""

LEAST_CANDIDATE = 0.01
"""A tile less likely than this is not offered: "None of these" is there for it."""

UNREAD_PATIENCE = 2
"""So many changes of the table wait for an answer about an unread tile; then the likeliest is guessed."""

GUESS = 0.3
"""A tile is guessed if it is that with such a probability."""

MOST_UNANSWERED, QUIET = 3, 8
"""After so many questions in a row without an answer one is asked at a time, so many still tables after the last."""

Keep = Callable[[str], str | None]
"""Frame name -> the name under which its picture is kept as evidence, None where it is not."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The first tile of `train` that is not read, at `place` (0 next to the engine); `inner` are the ones before it.

    `likely` are (probability, tile as it lies), the likeliest first; empty where the reader has no idea. In a line,
    `train` is the arm, `place` is counted from the tile that came first, and `inner` are the read ones around that,
    from left to right. `covers`: the tile lies on one that nobody saw, which leads from the last of them to it.
    """

    train: str
    place: int
    inner: tuple[Laid, ...]
    likely: tuple[tuple[float, Laid], ...]
    covers: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.train, self.place

    @property
    def guess(self) -> Laid | None:
        """What it is held to be where nobody answers."""
        return self.likely[0][1] if self.likely and self.likely[0][0] >= GUESS else None


def unread_tiles(layout: Layout, engine: int | None, box: Mapping[Tile, int]) -> Iterator[Unread]:
    """The first unread tile of every train. `engine`: the value in the middle where it is not seen."""
    for name in layout.trains:
        yield from islice(unread_in_train(layout, name, engine, box), 1)


def unread_in_train(layout: Layout, name: str, engine: int | None, box: Mapping[Tile, int]) -> Iterator[Unread]:
    """The unread tiles of one train from the engine outwards, each if those before it are what they most likely are; up
    to the first that nobody can guess."""
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    seen = layout.engine.laid if layout.engine is not None else None
    train = layout.trains[name]
    inner: list[Laid] = []
    for place, tile in enumerate(train):
        if tile.laid is not None:
            inner.append(tile.laid)
            continue
        if not tile.face_up:
            return
        due = inner[-1].outer if inner else seen.outer if seen is not None else engine
        where = Place(due, value_behind(train, place), tile.crosswise)
        one = Unread(name, place, tuple(inner), _likely(tile, where, box, lying))
        yield one
        if one.guess is None:
            return
        inner.append(one.guess)
        lying[one.guess.tile] += 1


def unread_in_line(layout: Layout, box: Mapping[Tile, int]) -> Iterator[Unread]:
    """The first unread tile towards each end of the line, or the one that came first.

    A tile that may lie on another one is no question yet: the next one tells.
    """
    line = layout.line
    if not line:
        return
    lying = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None)
    doubted = {id for problem in layout.problems if problem.trouble is Trouble.COVERED_TILE for id in problem.tiles}
    part = read_part(line)
    inner = tuple(tile.laid for tile in line[part.start : part.stop] if tile.laid is not None)
    for n in {part.stop, part.start - 1 if inner else part.stop}:
        if not 0 <= n < len(line) or line[n].id in doubted:
            continue
        above = line[n + 1] if n + 1 < len(line) else None
        covers = above is not None and above.laid is None and layout.walls.get(above.id) == line[n].id
        n += covers
        arm, place = part.place(n)
        yield Unread(arm, place, inner, _likely(line[n], place_in_line(layout, n), box, lying), covers)


def _likely(
    tile: PlacedTile, where: Place, box: Mapping[Tile, int], lying: Mapping[Tile, int]
) -> tuple[tuple[float, Laid], ...]:
    if tile.halves is None:
        return ()
    first, second = (_as_read(half) for half in tile.halves)
    likely = likely_tiles((first, second), tile.inner_half, where, box, lying)
    return tuple(one for one in likely[:MOST_CANDIDATES] if one[0] >= LEAST_CANDIDATE)


def _as_read(half: SeenHalf) -> SeenHalf:
    """A half that was read is no question."""
    return half if half.value is None else replace(half, others=())


class PendingQuestions:
    """`guesses`: (train, place from the engine outwards) -> the tile that an unread one is held to be; of a line, (arm,
    place from the tile that came first)."""

    def __init__(self, session: Session, box: Mapping[Tile, int], keep: Keep) -> None:
        self.session = session
        self.box = box
        self.patience = UNREAD_PATIENCE
        self.keep = keep
        self.guesses: dict[tuple[str, int], Laid] = {}
        self._asked: dict[tuple[str, int], int] = {}
        self._waited = 0
        self._waiting: set[tuple[str, int]] = set()
        self._lying: frozenset[tuple[str, int]] = frozenset()
        self._given_up: set[tuple[str, int]] = set()
        self._guessed = False
        self._settled: set[int] = set()
        self._unanswered = 0
        self._quiet = 0

    def forget(self) -> None:
        """Another round has begun: drop what was guessed and asked."""
        self.guesses.clear()
        self._asked.clear()
        self._waited = 0
        self._lying = frozenset()
        self._given_up.clear()

    def stirred(self) -> bool:
        """Whether a tile was guessed since the last look, so that what was held back for it is looked at again."""
        guessed, self._guessed = self._guessed, False
        return guessed

    def holds_back(self, layout: Layout, table: Position | LinePosition) -> bool:
        """Whether this change waits because an unread tile was laid before it. Whose turn it is depends on that tile.

        Recorded without it, each later play would be its predecessor's, and the answer an accusation. A tile that
        nobody names for too many changes is guessed; where that cannot be, the game goes on without it, and its
        question stays open.
        """
        still_open = {question.seq for question in self.session.questions}
        pending = []
        for one in self._unread(layout, table):
            if one.guess is None and one.key in self._given_up:
                continue
            seq = self._asked.get(one.key)
            if seq in still_open or (seq is None and self._is_due(one, table)):
                pending.append(one)
            elif self._stays_off(one, table):
                self._given_up.add(one.key)
        self._waited = self._waited + 1 if pending else 0
        if self._waited == 1:
            self._waiting = {one.key for first in pending for one in self._together(first, layout, table)}
        if self._waited <= self.patience:
            return bool(pending)
        self._given_up |= {first.key for first in pending if first.guess is None}
        for first in pending:
            seq = self._asked.get(first.key)
            if first.guess is not None and seq is not None and seq in still_open:
                self._settled.add(seq)
                self.session.drop_question(seq)
            for one in self._together(first, layout, table):
                # Those that lay behind it from the first have waited as long.
                if one.guess is not None and (one is first or one.key in self._waiting):
                    self.guesses[one.key] = one.guess
                    self._guessed = True
        return self._guessed

    def _stays_off(self, one: Unread, table: Position | LinePosition) -> bool:
        """Whether nothing will tell what it is: somebody has said that it is none of these, or nobody was asked."""
        on_record = isinstance(table, Position) and one.place < len(table.trains.get(one.train, ()))
        if on_record or one.key in self.guesses:
            return False
        return one.key in self._asked or (one.guess is None and one.key in self._lying)

    def off_the_record(self, layout: Layout) -> dict[int, str]:
        """The tiles without which the game goes on, with their trains (R or L in a line): unread ones that nobody can
        guess, and what lies beyond them."""
        if layout.line:
            return self._off_the_line(layout.line)
        return {
            tile.id: train
            for train, place in self._given_up
            if place < len(layout.trains.get(train, ())) and layout.trains[train][place].laid is None
            for tile in layout.trains[train][place:]
        }

    def _off_the_line(self, line: Sequence[PlacedTile]) -> dict[int, str]:
        part = read_part(line)
        unread = {part.place(n) for n, tile in enumerate(line) if tile.laid is None}
        found = {}
        for n, tile in enumerate(line):
            arm, place = part.place(n)
            if any((arm, nearer) in self._given_up & unread for nearer in range(place + 1)):
                found[tile.id] = arm
        return found

    def waits_already(self, layout: Layout, table: Position | LinePosition) -> bool:
        """Whether an unread tile lay there before this change. In a line one that comes with it counts as well."""
        return isinstance(table, LinePosition) or any(one.key in self._lying for one in self._unread(layout, table))

    def _together(self, first: Unread, layout: Layout, table: Position | LinePosition) -> Sequence[Unread]:
        """This unread tile, and those behind it in its train."""
        if isinstance(table, LinePosition):
            return [first]
        return [first, *islice(unread_in_train(layout, first.train, table.engine.outer, self.box), 1, None)]

    def beside_a_guess(self, observation: Observation, layout: Layout, table: Position | LinePosition) -> bool:
        """Whether a new tile lies next to a guessed one, or is one itself."""
        if isinstance(table, LinePosition):
            return bool(layout.line) and self._beside_a_guess_in_line(observation, layout)
        known = {train: len(table.trains.get(train, ())) for train in {change.train for change in observation.laid}}
        return any(train in known and place >= known[train] - 1 for train, place in self.guesses)

    def _beside_a_guess_in_line(self, observation: Observation, layout: Layout) -> bool:
        part = read_part(layout.line)
        laid = [part.place(n) for n, tile in enumerate(layout.line) if tile.id in observation.news]
        return any(arm == other and place >= at - 1 for arm, place in self.guesses for other, at in laid)

    def ask(self, layout: Layout, table: Position | LinePosition, frame: str) -> None:
        """One question for each train's first unread tile; a question goes as soon as its tile is known or gone."""
        unread = {one.key: one for one in self._unread(layout, table)}
        self._lying = frozenset(unread)
        still_open = {question.seq for question in self.session.questions}
        if answered := {seq for seq in self._asked.values() if seq not in still_open} - self._settled:
            self._settled |= answered
            self._unanswered = 0
        for key in [key for key in self._asked if key not in unread]:
            self.session.drop_question(self._asked.pop(key))
        self._given_up.intersection_update(unread)
        self._take_up(unread.values())
        self._quiet += 1
        if self.session.phase != "playing":
            return
        for key, one in unread.items():
            if key not in self._asked and self._may_ask():
                candidates = [self._candidate(one, tile, p, table) for p, tile in one.likely]
                asked = self.session.ask(
                    Question(QuestionKind.UNREADABLE_TILE, train=one.train), candidates, frame=self.keep(frame)
                )
                self._asked[key] = asked[0].seq
                self._quiet = 0
                self._unanswered += 1

    def _take_up(self, unread: Iterable[Unread]) -> None:
        """Questions of an earlier watcher: keep one about a tile that is read as it was then, withdraw the others."""
        asked = set(self._asked.values())
        for open_one in self.session.questions:
            if open_one.seq in asked or open_one.question.kind is not QuestionKind.UNREADABLE_TILE:
                continue
            texts = [candidate.story for candidate in open_one.candidates]
            same = (
                one.key
                for one in unread
                if one.train == open_one.question.train
                and one.key not in self._asked
                and [print_laid(tile) for _, tile in one.likely] == texts
            )
            if (key := next(same, None)) is not None:
                self._asked[key] = open_one.seq
            else:
                self.session.drop_question(open_one.seq)

    def _may_ask(self) -> bool:
        """Does anybody listen? Else only now and then, while nothing waits for the answer to another of these."""
        if self._unanswered < MOST_UNANSWERED:
            return True
        waiting = {seq for key, seq in self._asked.items() if key not in self._given_up}
        return self._quiet >= QUIET and not any(question.seq in waiting for question in self.session.questions)

    def _unread(self, layout: Layout, table: Position | LinePosition) -> list[Unread]:
        if isinstance(table, LinePosition):
            return list(unread_in_line(layout, self.box))
        return list(unread_tiles(layout, table.engine.outer, self.box))

    def _is_due(self, one: Unread, table: Position | LinePosition) -> bool:
        return any(self.session.foresee(TableChange(_with_inner(one, tile, table))) for _, tile in one.likely)

    def _candidate(self, one: Unread, tile: Laid, p: float, table: Position | LinePosition) -> Candidate:
        """What would be recorded if the unread tile were this one: by whoever may lay it, else by who is to move."""
        delta = _with_inner(one, tile, table)
        events = self.session.foresee(TableChange(delta))
        lines = tuple(event.to_insert() for event in events) if events else as_lines(delta, table.turn)
        return Candidate(print_laid(tile), lines, p=p)


def _with_inner(one: Unread, tile: Laid, table: Position | LinePosition) -> tuple[Laying, ...]:
    """The tile after those before it in its train that are not on record yet."""
    if isinstance(table, LinePosition):
        left, right = ends_beyond(one.inner, table.line) or ((), ())
        hidden = (Laid(one.inner[-1].outer, tile.inner),) if one.covers and one.inner else ()
        new = (*right, *hidden) if one.train == RIGHT else tuple(reversed(left))
        return tuple(Laying(laid, one.train) for laid in (*new, tile) if laid is not None)
    known = len(table.trains.get(one.train, ()))
    return tuple(Laying(laid, one.train) for laid in (*one.inner[known:], tile))


def as_lines(laid: Sequence[Laying], by: str | None = None) -> tuple[dict[str, Any], ...]:
    """The journal's lines of these tiles."""
    return tuple(
        {
            "event": "tile_played",
            "source": "camera",
            "by": by,
            "tile": [change.tile.inner, change.tile.outer],
            "train": change.train,
        }
        for change in laid
    )
