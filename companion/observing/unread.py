"""Statements of people that come before the camera's reports, or differ from them.

Whoever enters a play is often quicker than the camera: a moment later it sees the same draw, the same tile. Somebody
takes a tile off the record by a tap, and it lies there all the same. And where somebody says that another tile lies
there than is read, that counts for the record; but nobody is accused on the strength of a record that the table does
not bear out.

Tiles that nobody can read: each is asked about, waited for, and at last counts as the likeliest.

One question each, and no accusation. A play that waits for an answer stands still for everybody. So where nobody
answers for a while the likeliest tile goes on record as an unsure reading, which anybody can put right, and nothing
that rests on it is ever certain. Where nobody has answered several times, as when a whole table lies in a glare, only
one question is asked at a time, and seldom.

Once an evening the page asks of a thing at somebody's train: is this your marker?

Which tile is the engine? Where neither hub nor engine is found, several doubles lie on the hub, or another one than
the round was said to begin with, one tap says it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from companion.game.session import Session
from companion.geometry import Layout, PlacedTile, Trouble
from companion.geometry.chinese_line import read_part
from companion.geometry.diff import Observation
from companion.geometry.layout import SeenHalf
from companion.log.corrections import withdrawn_corrections
from companion.log.event_fields import ANOTHER_ENGINE, Candidate, Question, QuestionKind
from companion.log.events import (
    Corrected,
    Discarded,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    RoundStarted,
    TableChange,
    TilePlayed,
    Unclear,
)
from companion.observing.next_round import another_engine, answer_to
from companion.perception.understanding import TrainPlace, likely_tiles, place_in_line, value_behind
from companion.rules.notation import Change, Drawing, Laying, Vanishing, print_laid
from companion.rules.position import LEFT, RIGHT, SOMEBODY, LinePosition, Mark, Position, Unmark
from companion.rules.tile import Laid, Tile


def without_entered_draws(observation: Observation, lately: Iterable[Event]) -> Observation:
    """The observation without the draws and discards that people have entered `lately`, since the last observation."""
    entered = [event for event in lately if event.source == "person"]
    draws = sum(isinstance(event, Drew) for event in entered)
    away = Counter(event.by for event in entered if isinstance(event, Discarded))
    if not draws and not away:
        return observation
    delta: list[Change] = []
    for change in observation.delta:
        if isinstance(change, Drawing):
            known = min(draws, change.count)
            draws -= known
            if known < change.count:
                delta.append(Drawing(change.count - known))
        else:
            delta.append(change)
    entered_of = {player: away.total() if player == SOMEBODY else away[player] for player in observation.discards}
    left = {player: count - min(count, entered_of[player]) for player, count in observation.discards.items()}
    return replace(observation, delta=tuple(delta), discards={player: count for player, count in left.items() if count})


def without_corrected_tiles(observation: Observation, layout: Layout, table: Position) -> Observation:
    """The observation without tiles about which somebody has said that another one lies there: the record has that
    other tile in the place, and it is seen nowhere else in the train."""
    corrected = set()
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        places = zip(lying, table.trains.get(train, ()), strict=False)
        corrected |= {Laying(seen, train) for seen, known in places if seen is not None and known not in lying}
    delta = tuple(change for change in observation.delta if change not in corrected)
    return observation if delta == observation.delta else replace(observation, delta=delta)


def not_borne_out(observation: Observation, layout: Layout, table: Position | LinePosition) -> frozenset[str]:
    """The trains, or both arms of a line, in which the camera reads something else than record and observation say.

    A single tile that somebody has renamed makes its train doubtful only beside a new tile.
    """
    if isinstance(table, LinePosition):
        left = [change.tile for change in observation.laid if change.train == LEFT]
        right = [change.tile for change in observation.laid if change.train == RIGHT]
        due = [*reversed(left), *table.line, *right]
        return frozenset() if _is_read_as(layout.line, due, len(due)) else frozenset((LEFT, RIGHT))
    found = set()
    for train, tiles in layout.trains.items():
        known = table.trains.get(train, ())
        new = [change.tile for change in observation.laid if change.train == train]
        if not _is_read_as(tiles, [*known, *new], len(known) - bool(new)):
            found.add(train)
    return frozenset(found)


def marked_otherwise(observation: Observation, layout: Layout, table: Position | LinePosition) -> bool:
    """Whether other trains have a marker than the record and the observation say."""
    if isinstance(table, LinePosition):
        return False
    put = {change.player for change in observation.delta if isinstance(change, Mark)}
    off = {change.player for change in observation.delta if isinstance(change, Unmark)}
    return layout.markers != (table.markers | put) - off


def _is_read_as(tiles: Sequence[PlacedTile], due: Sequence[Laid], corrected: int) -> bool:
    """Whether the tiles are read as those due, from the first up to an unread one. In the first `corrected` places the
    record may have a tile that is seen nowhere in the row: somebody has said so."""
    lying = [tile.laid for tile in tiles]
    for n, seen in enumerate(lying):
        if seen is None:
            return True
        if n >= len(due) or (due[n] != seen and (n >= corrected or due[n] in lying)):
            return False
    return True


# ---- tiles that somebody has taken off the record ---------------------------------------------------------------


def undone(events: Sequence[Event]) -> frozenset[tuple[Laid, str]]:
    """(tile, train) of every play of this round that a person has withdrawn and not put back."""
    played: dict[int, tuple[Laid, str]] = {}
    withdrawn: set[int] = set()
    put_back = withdrawn_corrections(events)
    for event in events:
        if isinstance(event, RoundStarted):
            played.clear()
        elif isinstance(event, TilePlayed):
            played[event.seq] = (event.tile, event.train)
        elif isinstance(event, Corrected) and event.source == "person" and event.seq not in put_back:
            if event.what.get("withdrawn") is True:
                withdrawn.add(event.corrects)
            elif "withdrawn" in event.what:
                withdrawn.discard(event.corrects)
    return frozenset(played[seq] for seq in withdrawn & played.keys())


def laid_after_all(
    observation: Observation,
    layout: Layout,
    table: Position,
    withdrawn: Collection[tuple[Laid, str]],
    missed: bool = False,
) -> Observation:
    """A tile laid beyond a withdrawn one shows that the withdrawn one lies there: both are new, in that order.

    A withdrawn tile at the end of its train stays off the record, and nothing in this change is certain. A tile that
    somebody has entered in its place counts. `missed`: tiles that nobody withdrew and that are not on record are new in
    any case.
    """
    clouded = observation.clouded
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        record = table.trains.get(train, ())
        # Beyond what is on record: in the place of a misread tile lies the one that somebody entered instead.
        beyond = [laid for laid in lying[len(record) :] if laid is not None and laid not in record]
        back = [laid for laid in beyond if missed or (laid, train) in withdrawn]
        if not back:
            continue
        new = [change.tile for change in observation.laid if change.train == train]
        reach = max((lying.index(tile) for tile in new if tile in lying), default=-1)
        beneath = [
            laid
            for laid in back
            if laid not in new and (lying.index(laid) < reach or (missed and (laid, train) not in withdrawn))
        ]
        if beneath:
            observation = replace(observation, delta=_in_order(observation.delta, train, beneath, lying))
        clouded = clouded or len(beneath) < len(set(back).difference(new))
    return replace(observation, clouded=clouded)


def laid_in_line_after_all(
    observation: Observation, line: Sequence[Laid | None], recorded: Sequence[Laid], missed: bool = False
) -> Observation:
    """The same in a Chinese line: all that lies beyond what is on record, on an arm where a tile is new or `missed`."""
    arms = ends_beyond(line, recorded)
    if arms is None:
        return observation
    delta: list[Change] = [change for change in observation.delta if not isinstance(change, Laying)]
    for arm, tiles in zip((LEFT, RIGHT), (arms[0][::-1], arms[1]), strict=True):
        new = [change for change in observation.laid if change.train == arm]
        beyond = [Laying(tile, arm) for tile in tiles if tile is not None]
        delta += beyond if (new or missed) and len(beyond) == len(tiles) else new
    return replace(observation, delta=tuple(delta))


def _in_order(
    delta: tuple[Change, ...], train: str, beneath: Collection[Laid], lying: list[Laid | None]
) -> tuple[Change, ...]:
    """The changes with what lies beneath them in a train, all of that train's from the inside out."""
    mine = [change for change in delta if isinstance(change, Laying) and change.train == train]
    start = delta.index(mine[0]) if mine else 0
    tiles = sorted(
        [*beneath, *(change.tile for change in mine)],
        key=lambda tile: lying.index(tile) if tile in lying else len(lying),
    )
    rest = [change for change in delta[start:] if change not in mine]
    return (*delta[:start], *(Laying(tile, train) for tile in tiles), *rest)


# ---- the line of a Chinese game ---------------------------------------------------------------------------------


def line_of(layout: Layout) -> tuple[Laid | None, ...]:
    return tuple(tile.laid for tile in layout.line)


def new_in_line(observation: Observation, seen: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation without what is on record already; `seen` is the line as the camera saw it last."""
    on_record = ends_beyond(recorded, seen)
    gone = ends_beyond(seen, recorded)
    if on_record is None and gone is None:
        return observation
    laid = dict(zip((LEFT, RIGHT), map(list, on_record or ((), ())), strict=True))
    lost = dict(zip((LEFT, RIGHT), map(list, gone or ((), ())), strict=True))
    delta: list[Change] = []
    for change in observation.delta:
        known: list[Laid | None] = []
        if isinstance(change, Laying):
            known = laid.get(change.train, [])
        elif isinstance(change, Vanishing):
            known = lost.get(change.train, [])
        if isinstance(change, Laying | Vanishing) and change.tile in known:
            known.remove(change.tile)
        else:
            delta.append(change)
    return observation if len(delta) == len(observation.delta) else replace(observation, delta=tuple(delta))


def as_many_as_lie(observation: Observation, lying: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation with only those new tiles that lie beyond the record, where it would put more tiles on record
    than lie there: the line was lost from sight, or somebody has renamed one of its tiles."""
    if len(recorded) + len(observation.laid) - len(observation.gone) <= len(lying):
        return observation
    left, right = ends_beyond(lying, recorded) or ((), ())
    new = [*((tile, LEFT) for tile in reversed(left)), *((tile, RIGHT) for tile in right)]
    rest = [change for change in observation.delta if not isinstance(change, Laying)]
    return replace(observation, delta=(*rest, *(Laying(tile, arm) for tile, arm in new if tile is not None)))


def ends_beyond(
    longer: Sequence[Laid | None], shorter: Sequence[Laid | None]
) -> tuple[Sequence[Laid | None], Sequence[Laid | None]] | None:
    """The parts of `longer` to the left and to the right of `shorter`; None where that is no part of it."""
    for start in range(len(longer) - len(shorter) + 1):
        if list(longer[start : start + len(shorter)]) == list(shorter):
            return longer[:start], longer[start + len(shorter) :]
    return None


MOST_CANDIDATES = 6
"""How many tiles a telephone can offer without scrolling."""

LEAST_CANDIDATE = 0.01
"""A tile less likely than this is not offered: "None of these" is there for it."""

UNREAD_PATIENCE = 2
"""How many changes of the table wait for an answer about an unread tile; then the likeliest is guessed."""

GUESS = 0.3
"""A tile is guessed if it is that with such a probability."""

MOST_UNANSWERED, QUIET = 3, 8
"""After the first number of questions in a row without an answer only one is asked at a time, with the second number of
still tables in between."""

Keep = Callable[[str], str | None]
"""Frame name -> the name under which its picture is kept as evidence, None where it is not."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A tile that is not read: the first one of its train."""

    train: str
    """In a line: the arm."""
    place: int
    """0 next to the engine; in a line, counted from the tile that came first."""
    inner: tuple[Laid, ...]
    """The tiles before it; in a line, the read ones around the first, from left to right."""
    likely: tuple[tuple[float, Laid], ...]
    """(probability, tile as it lies), the likeliest first; empty where the reader has no idea."""
    covers: bool = False
    """It lies on a tile that nobody saw, which joins it to the last of `inner`."""

    @property
    def key(self) -> tuple[str, int]:
        return self.train, self.place

    @property
    def guess(self) -> Laid | None:
        """The tile that it counts as where nobody answers."""
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
        where = TrainPlace(due, value_behind(train, place), tile.crosswise)
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
    tile: PlacedTile, where: TrainPlace, box: Mapping[Tile, int], lying: Mapping[Tile, int]
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
    """`guesses`: (train, place from the engine outwards) -> the tile that an unread one counts as; of a line, (arm,
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

        Without it, each later play would go to the player before, and the answer would accuse somebody. A tile that
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
        """Whether it stays unknown: somebody has said that it is none of these, or nobody was asked."""
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
        """The act to record if the unread tile were this one: by whoever may lay it, else by the player to move."""
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
        """Player -> whether the thing was their marker, of every question that is answered. A thing that was no marker
        goes off the record, if the camera had put it there before it asked; the rest of what that look saw stays. A
        question that is settled otherwise goes, and says nothing."""
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
        answered."""
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


MOST = 4
"""How many doubles are offered."""


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
        the round was said to begin with: each tile at it would be a fault of whoever laid it. True while that waits."""
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
