"""Statements of people that come before the camera's reports, or differ from them.

People often enter a play before the camera sees it: a moment later it sees the same draw, the same tile. Somebody
takes a tile off the record by a tap, and it lies there all the same. And where somebody says that another tile lies
there than is read, that counts for the record; but nobody is accused on the strength of a record that the table does
not bear out.

Tiles that nobody can read: one question about each, with what the belief says that it may be.

Each is on record at once as what it most likely is, an unsure reading that the next tile or anybody puts right, and
nothing that rests on it is ever certain. Where nobody has answered several times, as when a whole table lies in a
glare, only one question is asked at a time, and seldom.

Once an evening the page asks of a thing at somebody's train: is this your marker?

Which tile is the engine? Where neither hub nor engine is found, several doubles lie on the hub, or another one than
the round was said to begin with, one tap says it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from companion.game.game import Game
from companion.game.game_view import GameView, TileShown
from companion.geometry import Layout, PlacedTile, Trouble
from companion.geometry.chinese_line import as_read, record_begins
from companion.geometry.diff import Observation
from companion.log.event_fields import ANOTHER_ENGINE, Candidate, Question, QuestionKind
from companion.log.events import (
    Corrected,
    Discarded,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    RoundStarted,
    Unclear,
)
from companion.observing.next_round import another_engine, answer_to, readings_of
from companion.rules.notation import Change, Drawing, Vanishing, print_laid
from companion.rules.position import LEFT, RIGHT, SOMEBODY, LinePosition, Mark, Play, Position, Unmark
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
        corrected |= {Play(seen, train) for seen, known in places if seen is not None and known not in lying}
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


def laid_after_all(observation: Observation, layout: Layout, table: Position, missed: bool = False) -> Observation:
    """A tile laid beyond one that somebody took off the record shows that that one lies there: both are new, in that
    order.

    One at the end of its train stays off the record, and nothing in this change is certain. A tile that somebody has
    entered in its place counts. `missed`: tiles that are not on record are new in any case.
    """
    clouded = observation.clouded
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        # Beyond what is on record: in the place of a misread tile lies the one that somebody entered instead.
        beyond = lying[len(table.trains.get(train, ())) :]
        new = [change.tile for change in observation.laid if change.train == train]
        off = [laid for laid in beyond if laid is not None and laid not in new and laid.tile not in table.visible]
        reach = max((lying.index(tile) for tile in new if tile in lying), default=-1)
        beneath = [laid for laid in off if missed or lying.index(laid) < reach]
        if beneath:
            observation = replace(observation, delta=_in_order(observation.delta, train, beneath, lying))
        clouded = clouded or len(beneath) < len(off)
    return replace(observation, clouded=clouded)


def _in_order(
    delta: tuple[Change, ...], train: str, beneath: Collection[Laid], lying: list[Laid | None]
) -> tuple[Change, ...]:
    """The changes with what lies beneath them in a train, all of that train's from the inside out."""
    mine = [change for change in delta if isinstance(change, Play) and change.train == train]
    start = delta.index(mine[0]) if mine else 0
    tiles = sorted(
        [*beneath, *(change.tile for change in mine)],
        key=lambda tile: lying.index(tile) if tile in lying else len(lying),
    )
    rest = [change for change in delta[start:] if change not in mine]
    return (*delta[:start], *(Play(tile, train) for tile in tiles), *rest)


# ---- the line of a Chinese game ---------------------------------------------------------------------------------


def new_in_line(
    observation: Observation, lying: Sequence[Laid | None], recorded: Sequence[Laid], missed: bool = False
) -> Observation:
    """The observation without what is on record already: of the tiles `lying` there it has those beyond the record, on
    an arm where one is new. So a tile laid beyond a withdrawn one shows that that one lies there; `missed` ones are new
    in any case. Where somebody has renamed a tile of the line, nothing is new that would put more tiles on record than
    lie there."""
    laid: Iterable[Change] = observation.laid
    gone: Iterable[Change] = observation.gone
    if (beyond := _ends_beyond(lying, recorded, observation.laid)) is not None:
        new = {change.train for change in observation.laid} if not missed else beyond
        read = ((arm, takewhile(lambda tile: tile is not None, beyond[arm])) for arm in beyond if arm in new)
        laid, gone = [Play(tile, arm) for arm, tiles in read for tile in tiles if tile is not None], ()
    elif (lost := _ends_beyond(recorded, lying, observation.gone)) is not None:
        laid, gone = (), [change for change in observation.gone if change.tile in lost[change.train]]
    elif len(recorded) + len(observation.laid) - len(observation.gone) > len(lying):
        laid = ()
    return replace(observation, delta=(*gone, *laid))


def _ends_beyond(
    longer: Sequence[Laid | None], shorter: Sequence[Laid | None], seen: Sequence[Play | Vanishing]
) -> Mapping[str, Sequence[Laid | None]] | None:
    """The parts of `longer` on either arm beyond `shorter`, each from the inside out; None where that is no part of it.
    Where it is one in several places, the one that `seen` speaks for."""
    size, left = len(shorter), sum(change.train == LEFT for change in seen)
    starts = [n for n in range(len(longer) - size + 1) if list(longer[n : n + size]) == list(shorter)]
    start = min(starts, key=lambda n: abs(n - left), default=None)
    return None if start is None else {LEFT: longer[:start][::-1], RIGHT: longer[start + size :]}


MOST_UNANSWERED, QUIET = 3, 8
"""After the first number of questions in a row without an answer only one is asked at a time, with the second number of
still tables in between."""

Keep = Callable[[str], str | None]
"""Frame name -> the name under which its picture is kept as evidence, None where it is not."""


def on_record(layout: Layout, shown: GameView) -> Iterator[tuple[PlacedTile, str, TileShown]]:
    """The tiles of this table that are on record, each with its train (in a line: its arm) and as the game has it."""
    for recorded in shown.trains:
        for tile, known in zip(layout.trains.get(recorded.name, ()), recorded.tiles, strict=False):
            yield tile, recorded.name, known
    covered = set(layout.walls.values())
    offset = record_begins(as_read(layout.line), [Laid(*one.tile) for one in shown.line])
    for n, tile in enumerate(layout.line if offset is not None else ()):
        at = n - (offset or 0)
        if tile.id not in covered and 0 <= at < len(shown.line):
            yield tile, RIGHT if 2 * at >= len(shown.line) - 1 else LEFT, shown.line[at]


class TileQuestions:
    """One question for each doubtful tile on record: which is it? It goes as soon as the table tells, or the tile is
    read or gone.

    >>> from tempfile import mkdtemp
    >>> from companion.geometry.layout import SeenHalf, SeenTile
    >>> from companion.log.event_fields import Confidence, Header
    >>> from companion.log.events import TableChange
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    >>> laying = Play(Laid(12, 5), "Ann")
    >>> seen = TableChange((laying,), readings={laying: Confidence((1.0, 0.6), ((), ((6, 0.4),)))})
    >>> _ = game.start_round((12, 12), "Ann"), game.observe(seen)
    >>> halves = SeenHalf(12, 1.0), SeenHalf(5, 0.6, ((5, 0.6), (6, 0.4)))
    >>> tile = PlacedTile(1, SeenTile((90.0, 0.0), 0.0, 56.0, 28.0, True, halves, 1.0))
    >>> questions = TileQuestions(game, {Tile(5, 12): 1, Tile(6, 12): 1}, lambda frame: None)
    >>> questions.ask(Layout(trains={"Ann": (tile,)}), "0001.jpg")
    >>> [[one.story for one in question.candidates] for question in game.questions]
    [['12-5', '12-6']]
    >>> game.close()
    """

    def __init__(self, session: Game, box: Mapping[Tile, int], keep: Keep) -> None:
        self.session = session
        self.box = box
        self.keep = keep
        self._unread: set[tuple[int, int]] = set()
        self._asked: dict[int, int] = {}
        self._settled: set[int] = set()
        self._unanswered = 0
        self._quiet = 0

    def ask(self, layout: Layout, frame: str) -> None:
        """Ask about what neither eye nor table tells, and say what is read by now of what was not."""
        self._take_up()
        for tile, train, known in on_record(layout, self.session.snapshot()) if self._unread else ():
            if (known.seq, tile.id) in self._unread and not tile.given:
                self._read_by_now(known.seq, train, tile, layout)
        lying = [one for one in on_record(layout, self.session.snapshot()) if any(one[2].unread)]
        self._unread = {(known.seq, tile.id) for tile, _, known in lying}
        open_ones = {known.seq: (train, known) for _, train, known in lying}
        still_open = {question.seq for question in self.session.questions}
        if answered := {seq for seq in self._asked.values() if seq not in still_open} - self._settled:
            self._settled |= answered
            self._unanswered = 0
        told = _told(self.session.events)
        for seq in [seq for seq in self._asked if seq not in open_ones or seq in told]:
            self._settled.add(self._asked[seq])
            self.session.drop_question(self._asked[seq])
            if seq not in open_ones:
                del self._asked[seq]
        self._quiet += 1
        for seq, (train, known) in open_ones.items():
            if seq not in self._asked and seq not in told and self.session.phase == "playing" and self._may_ask(train):
                question = Question(QuestionKind.UNREADABLE_TILE, train=train)
                self._asked[seq] = self.session.ask(question, _candidates(known), frame=self.keep(frame))[0].seq
                self._quiet = 0
                self._unanswered += 1

    def _read_by_now(self, seq: int, train: str, tile: PlacedTile, layout: Layout) -> None:
        """Tell the game how a tile is read that was not read when it came."""
        if tile.laid is None or self.session.phase != "playing":
            return
        seen = Observation((Play(tile.laid, train),), news=(tile.id,))
        for reading in readings_of(seen, layout, self.box).values():
            self.session.read_as(seq, tile.laid, reading)

    def _take_up(self) -> None:
        """Questions that an earlier watcher asked."""
        asked = set(self._asked.values())
        for question in self.session.questions:
            if question.question.kind is QuestionKind.UNREADABLE_TILE and question.seq not in asked:
                self._asked.setdefault(question.on_record or 0, question.seq)

    def _may_ask(self, train: str) -> bool:
        """Is no other of these open on this train, whose answer may tell? And does anybody listen? Else only now and
        then, while none at all is open."""
        waiting = set(self._asked.values())
        others = [one.question.train for one in self.session.questions if one.seq in waiting]
        return train not in others and (self._unanswered < MOST_UNANSWERED or (self._quiet >= QUIET and not others))


def _candidates(known: TileShown) -> list[Candidate]:
    """For each tile that it may be the correction to record."""
    tiles = ((known.tile, known.sure), *(known.others or ()))
    return [Candidate("{}-{}".format(*tile), ({"seq": known.seq, "tile": list(tile)},), p=p) for tile, p in tiles]


def _told(events: Iterable[Event]) -> frozenset[int]:
    """The lines whose tile somebody has named."""
    said = (one for one in events if isinstance(one, Corrected) and one.source == "person" and "tile" in one.what)
    return frozenset(one.corrects for one in said)


THEIRS = "theirs"
"""The one answer that a question offers; none of these: it is no marker of theirs."""


class MarkerQuestions:
    """One question a player and game, and one at a time.

    >>> from tempfile import mkdtemp
    >>> from companion.log.event_fields import Header
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    >>> questions, started = MarkerQuestions(game, lambda frame: None), game.start_round((12, 12), "Ann")
    >>> questions.ask("Ben", "0001.jpg"), questions.ask("Ann", "0001.jpg")
    (True, False)
    >>> answer = game.answer(game.questions[0].seq, 0)
    >>> questions.answers()
    {'Ben': True}
    >>> game.close()
    """

    def __init__(self, session: Game, keep: Keep) -> None:
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
    """The question, asked once, at the first table already, and unsaid when an engine shows up.

    >>> from tempfile import mkdtemp
    >>> from companion.geometry import Problem
    >>> from companion.log.event_fields import Header
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    >>> middle, started = WhichEngine(game, lambda frame: None), game.start_round(starter="Ann")
    >>> for table in (Layout(problems=(Problem(Trouble.NO_HUB),)), Layout()):
    ...     middle.see(table, "0001.jpg")
    ...     print(middle.open)
    True
    False
    >>> game.close()
    """

    def __init__(self, session: Game, keep: Keep) -> None:
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
        the round was said to begin with: each tile at it would be its player's fault. True while that waits."""
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
