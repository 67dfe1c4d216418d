"""The tiles that lie face up, which a game is told beside the changes.

The session as the watcher sees it: new changes go on record, doubtful ones are asked about.

A board without trains: every tile is reported as it appears, and nothing is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from companion.game.game import Game
from companion.game.view import FaceUpRow, Lying
from companion.geometry import Layout, PlacedTile, Problem, Trouble
from companion.geometry.diff import SURE_TILE, Observation, difference
from companion.log.event_fields import OF_POINTS, Candidate, Question, QuestionKind
from companion.log.events import Event, TilePlayed, TileTakenBack, Unclear
from companion.observing.next_round import NextRoundWatch, RoundStart, readings_of, still_lies
from companion.observing.round_end import OpenHands, RoundEnding
from companion.observing.unread import (
    Keep,
    MarkerQuestions,
    TileQuestions,
    WhichEngine,
    laid_after_all,
    marked_otherwise,
    new_in_line,
    not_borne_out,
    without_corrected_tiles,
    without_entered_draws,
)
from companion.observing.waiting import (
    DOUBT_PATIENCE,
    HAND_PATIENCE,
    ROUND_PATIENCE,
    Arrivals,
    Doubts,
)
from companion.perception.settings import LINE, LookAgain, LookReason, ObservationSink, Where
from companion.perception.setup_file import GameSetup
from companion.rules.notation import Change, Drawing, Vanishing
from companion.rules.position import MEXICAN, SECOND_MEXICAN, LinePosition, Mark, Play, Position, Unmark
from companion.rules.tile import Laid, Tile


def lying_on(layout: Layout) -> Lying:
    """Without what is hardly a tile, and without open hands."""
    apart = (tile for tile in layout.loose if tile.laid is not None or tile.seen.confidence >= SURE_TILE)
    trains = {name: _row(train) for name, train in layout.trains.items()}
    return Lying(trains, _row(layout.line), _row(apart))


def _row(tiles: Iterable[PlacedTile]) -> FaceUpRow:
    return tuple(tile.laid for tile in tiles if tile.face_up)


def as_named(frame: str) -> str | None:
    return frame or None


AFTER_THE_ROUND = ("ended", "scored", "over")


class GameSink(ObservationSink):
    """Between one Watcher and one Game, whose rules decide what would be an accusation.

    >>> from tempfile import mkdtemp
    >>> from companion.log.event_fields import Header
    >>> setup = GameSetup(Header("tactic", "double-12", ("Ann", "Ben")))
    >>> game = Game.create(mkdtemp() + "/game.jsonl", setup.header)
    >>> sink, started = GameSink(game, setup, {}), game.start_round((12, 12), "Ann")
    >>> sink.record(Observation((Play(Laid(12, 5), "Ann"),)), Layout(), "0001.jpg")
    True
    >>> sink.recorded()["Ann"]
    (Laid(inner=12, outer=5),)
    >>> game.close()
    """

    def __init__(
        self,
        session: Game,
        setup: GameSetup,
        box: Mapping[Tile, int],
        *,
        keep: Keep = as_named,
        asks: bool = False,
        stills: bool = False,
    ) -> None:
        """`asks`: there is a page, so a round waits until somebody has said who starts it. `stills`: the pictures are
        photographs, one a play. The next may be the last, so no doubt is put off.
        """
        self.asks = asks
        self.session = session
        self.setup = setup
        self.box = box
        self.keep = keep
        self.draws_shown = True
        self._beginning = RoundStart(session, setup)
        self._asked: set[Question] = set()
        self._lines_seen = 0
        self._missed = False
        self._begun = False
        self._held_back = False
        self._looks_once_more = True
        self._doubt_patience = 0 if stills else DOUBT_PATIENCE
        self._doubts = Doubts(self._doubt_patience)
        self._unread = TileQuestions(session, box, keep)
        self._markers = MarkerQuestions(session, keep)
        self._arrivals = Arrivals()
        self._along_edge: Counter[object] = Counter()
        self._astray: int | None = None
        self._phase = ""
        self._middle = WhichEngine(session, keep)
        self._another = NextRoundWatch(session, keep, ROUND_PATIENCE if asks else 0)
        self._read_again = False
        self._seen: Layout | None = None
        self._ending = RoundEnding(session, OpenHands(setup.header.players, box, setup.tile_size_mm[0] / 2), keep)

    @property
    def position(self) -> Position | LinePosition | None:
        table: Position | LinePosition | None = self.session.position
        return table

    def recorded(self) -> Mapping[str, Sequence[Laid]]:
        table = self.position
        if isinstance(table, LinePosition):
            return {LINE: table.line}
        return table.trains if isinstance(table, Position) else {}

    def engine(self) -> int | None:
        engine = self._beginning.engine()
        return engine.outer if engine is not None and engine.is_double else None

    def marked(self) -> frozenset[str]:
        table = self.position
        return frozenset() if table is None else table.markers

    def named(self) -> Sequence[tuple[str, str]]:
        plays = (event for event in self.session.events if isinstance(event, TilePlayed))
        return [(event.by, event.arm) for event in plays if event.by is not None and event.arm is not None]

    def ask_about_seats(self, player: str, seat: str, frame: str) -> None:
        self._put(Question(QuestionKind.SEATS, player=player, about=seat), frame)

    def ask_about_marker(self, player: str, frame: str) -> bool:
        return self.asks and self._markers.ask(player, frame)

    def own_markers(self) -> Mapping[str, bool]:
        return self._markers.answers()

    def first_table(self, layout: Layout, frame: str) -> bool:
        """Begin the round that this table shows; tiles that lie there already are its first changes.

        A table on which the tiles of the last round still lie begins nothing, and one that is not understood is looked
        at once more.
        """
        if self.session.phase == "scored" and self._another.skipped is None and still_lies(self.recorded(), layout):
            return False
        if self.is_cleared(layout):
            self.ask_about_another_round(layout, frame)
            return False
        if self.waits_for_starter:
            return False
        if self._beginning.waiting:
            engine, starter, number = self._beginning.of(layout)
            draws_seen = self._beginning.draws_countable(layout)
            self.draws_shown = draws_seen or self._beginning.draws_shown(layout)
            after = self._another.skipped
            shown = self.keep(frame) or frame
            self.session.start_round(
                engine, starter, draws_seen=draws_seen, first_number=number, after=after, guess=False, frame=shown
            )
            self._begun = True
            self._let_old_questions_be()
            self._another.forget()
            self._arrivals.forget()
            self._along_edge.clear()
            self._doubts = Doubts(self._doubt_patience)
        if any(layout.trains.values()) or layout.line:
            empty = replace(layout, trains={}, line=(), walls={}, markers=frozenset(), flipped=frozenset(), problems=())
            observation = self.still_new(difference(empty, layout), layout)
            observation = replace(observation, adopted=bool(layout.buried))
            if observation.clouded and self._looks_once_more and self._accuses(observation):
                self._looks_once_more = False
                return False
            self._looks_once_more = True
            if not observation.empty and not self.record(observation, layout, frame):
                return False
        return True

    @property
    def waits_for_starter(self) -> bool:
        return self._beginning.waiting and self.asks and not self._beginning.starter_is_given

    @property
    def waits_for_engine(self) -> bool:
        return self.asks and self._middle.open

    def is_cleared(self, layout: Layout) -> bool:
        self._seen = layout
        return self._another.is_cleared(layout)

    def ask_about_another_round(self, layout: Layout, frame: str) -> None:
        self._another.ask(layout, frame)

    def _let_old_questions_be(self) -> None:
        """Withdraw questions about the last round's table: it has been cleared."""
        for question in self.session.questions:
            if question.source == "camera" and question.question.kind not in OF_POINTS:
                self.session.drop_question(question.seq)

    def face_down(self) -> int | None:
        table = self.position
        if isinstance(table, LinePosition):
            return sum(table.discards.values())
        known = None if table is None else table.boneyard
        return self._beginning.left_over() if known is None else known

    def still_new(self, observation: Observation, layout: Layout) -> Observation:
        observation = without_entered_draws(observation, self.session.events[self._lines_seen :])
        missed = self._missed and not self.over()
        if isinstance(self.position, LinePosition):
            return new_in_line(observation, [tile.laid for tile in layout.line], self.position.line, missed)
        delta = tuple(change for change in observation.delta if self._is_new(change, layout))
        turned = self.position.flipped if self.position is not None else ()
        new = replace(observation, delta=delta, flips=tuple(sorted(set(observation.flips).difference(turned))))
        if self.position is None:
            return new
        new = without_corrected_tiles(new, layout, self.position)
        return laid_after_all(new, layout, self.position, missed)

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        if observation.empty:
            return ()
        if self._accuses(observation):
            return tuple(LookAgain(place, LookReason.NO_LEGAL_PLAY) for place in Where)
        marked = [LookAgain(Where.BESIDE_THE_TRAINS, LookReason.MARKER_MAY_BE_DUE)] if observation.only_draws else []
        ended = [LookAgain(Where.THE_REST, LookReason.ROUND_MAY_END)] if self._may_end(observation) else []
        return (*marked, *ended)

    def likeliest(self, ways: Iterable[Observation]) -> int:
        """The first that breaks no rule; else the plain reading."""
        return next((n for n, one in enumerate(ways) if one.empty or not self._accuses(one)), 0)

    def _accuses(self, observation: Observation) -> bool:
        if observation.adopted:
            return False
        if observation.gone:
            return True
        return self.session.accuses(observation)

    def _may_end(self, observation: Observation) -> bool:
        if observation.hands:
            return True
        table, laid = self.position, len(observation.laid)
        if table is None or not laid or not table.hands:
            return False
        counts = table.hands.values()
        return sum(counts) <= laid if isinstance(table, LinePosition) else min(counts) <= laid

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        self._held_back = not self._recorded(observation, layout, frame)
        return not self._held_back

    def _recorded(self, observation: Observation, layout: Layout, frame: str) -> bool:
        if self.asks and self._middle.ask_if_another(layout, frame):
            return False
        observation = self._perhaps_marked(observation)
        if observation.delta or observation.flips or observation.discards:
            self._pass_on(observation, layout, frame)
        if observation.doubts:
            self.ask(observation, layout, frame)
        return True

    def _pass_on(self, observation: Observation, layout: Layout, frame: str) -> None:
        """Tell the game, and how far the table behind it is understood."""
        guessed = False
        clouded = observation.clouded or self.session.is_open(self._astray)
        # Where something beside a train may be its marker, others may have been free to lay there.
        clouded = clouded or bool(observation.maybe_marked - self.marked())
        table = self.position
        if table is not None:
            # Where people's words contradict the table, accuse nobody.
            astray = not_borne_out(observation, layout, table)
            clouded = clouded or bool(astray) or marked_otherwise(observation, layout, table)
            guessed = any(change.train in astray for change in observation.laid)
        kept = self.keep(frame)
        for part in self._arrivals.in_order(observation, layout):
            readings = readings_of(part, layout, self.box)
            change = replace(part.change, frame=kept, readings=readings, clouded=clouded, guessed=guessed)
            # Many tiles vanished at once: that is asked about, and the record keeps them until somebody answers.
            asked = (event.seq for event in self.session.observe(change) if event.KIND == "unclear")
            self._astray = next(asked, self._astray)
        for name in observation.stray:
            self._ask_whose_train(name, layout, frame)

    def _ask_whose_train(self, name: str, layout: Layout, frame: str) -> None:
        """A train begins where no seat is, and nobody is sure that it is `name`'s: theirs, or nobody's?"""
        shown = {train.name: train.tiles for train in self.session.snapshot().trains}
        began = next(iter(shown.get(name, ())), None)
        play = next((one for one in self.session.snapshot().plays if began is not None and one["seq"] == began.seq), {})
        if began is None or play.get("by") == name:
            return
        trains = (name, SECOND_MEXICAN if shown.get(MEXICAN) else MEXICAN)
        candidates = [Candidate(train, ({"seq": began.seq, "train": train},)) for train in trains]
        problem = Problem(Trouble.EITHER_TRAIN, layout.trains[name][0].seen.center_mm)
        self.session.ask(Question.of_table(str(problem)), candidates, frame=self.keep(frame))

    def _perhaps_marked(self, observation: Observation) -> Observation:
        """The observation with unrecognised things beside trains counted as markers, where it is legal only so.

        A single thing that came when a tile was drawn and none was laid counts too, if the train's owner surely drew:
        neither the turn nor a clear arm says that it was somebody else.
        """
        marks = [Mark(player) for player in sorted(observation.maybe_marked - self.marked())]
        if not marks:
            return observation
        if not self._accuses(observation):
            instead = replace(observation, delta=(*observation.delta, *marks))
            owner = (
                observation.only_draws and len(marks) == 1 and {marks[0].player}.issuperset(observation.whose.values())
            )
            return instead if owner and self.session.expects(instead) else observation
        for some in (*([mark] for mark in marks), marks):
            instead = replace(observation, delta=(*observation.delta, *some))
            if not self._accuses(instead):
                return instead
        return observation

    def ask(self, observation: Observation, layout: Layout, frame: str) -> None:
        if self.session.phase in AFTER_THE_ROUND or layout.has(Trouble.NO_HUB):
            # People clear the table; what lies about then is no riddle. Nor is what hangs on another question.
            return
        self._doubts.put_off(observation.doubts, frame)

    def _ask_what_lasts(self, layout: Layout, frame: str) -> None:
        """Ask about doubts that have outlived a change of the table."""
        if self.session.phase in AFTER_THE_ROUND or layout.has(Trouble.NO_HUB):
            return
        lasting = self._doubts.lasting(layout, frame, self._may_be_a_hand)
        changed = [doubt for doubt in lasting if doubt.trouble is Trouble.VALUE_CHANGED]
        if changed and any(Trouble.VALUE_CHANGED in one.question.troubles for one in self.session.questions):
            # Where a wall is not understood every further tile of it looks like that: it is one question.
            lasting = [doubt for doubt in lasting if doubt not in changed]
        if lasting:
            self._put(Question.of_table("; ".join(map(str, lasting))), frame)

    def _put(self, question: Question, frame: str) -> None:
        """A question without candidates, once."""
        if question not in self._asked:
            self._asked.add(question)
            self.session.ask(question, (), frame=self.keep(frame))

    def _may_be_a_hand(self, problem: Problem) -> bool:
        """Whether this came to the table's edge only lately, where hands are laid open when a round is over."""
        size, place = self.setup.table.size_mm, problem.where_mm
        if problem.trouble not in (Trouble.FORKED_TRAIN, Trouble.LOOSE_TILE) or size is None or place is None:
            return False
        (w, h), (x, y) = size, place
        if min(x, y, w - x, h - y) > self.setup.tile_size_mm[0]:
            return False
        lying = (problem.trouble, problem.tiles)
        self._along_edge[lying] += 1
        return self._along_edge[lying] <= HAND_PATIENCE

    def understood(self, layout: Layout, frame: str) -> None:
        self._arrivals.saw(layout)
        if not self._held_back:
            self._lines_seen = len(self.session.events)
            # A round that somebody ended by mistake is watched to no purpose until that is undone.
            self._missed = self.over()
        self._ending.see(layout, frame)
        self._middle.see(layout, frame)
        if self.asks:
            self._middle.ask_if_another(layout, frame)
        self._ask_what_lasts(layout, frame)
        if self.position is not None:
            self._unread.ask(layout, frame)
        self.session.look(lying_on(layout))

    def stirred(self) -> bool:
        again, self._read_again = self._read_again, False
        return self._ending.stirred() or self._middle.stirred() or again

    def cleared(self) -> bool:
        """Whether what is known of the table counts no more: the round was just scored, or its beginning undone."""
        self._read_again = self._another.apply_answers(self._seen) or self._read_again
        before, self._phase = self._phase, self.session.phase
        undone_at_all = self._begun and self._phase == "waiting"
        self._begun = self._begun and not undone_at_all
        return undone_at_all or (self._phase == "scored" and before != "scored")

    def over(self) -> bool:
        return self.session.phase in AFTER_THE_ROUND

    def _is_new(self, change: Change, layout: Layout) -> bool:
        """Whether this is not on record yet: a person may have been quicker than the camera."""
        table = self.position
        if not isinstance(table, Position):
            return True
        match change:
            case Play(tile, train):
                return tile not in table.trains.get(train, ())
            case Vanishing(tile, train):
                # The tile of this train lies there still: another one was misread as it.
                lying = [placed.laid for placed in layout.trains.get(train, ())]
                return tile in table.trains.get(train, ()) and tile not in lying
            case Mark(player):
                return player not in table.markers
            case Unmark(player):
                return player in table.markers
            case Drawing():
                return self.draws_shown


BOARD = "board"
"""The name of the place where every tile of a free board lies."""

FIRST_TILES = 3
"""A first picture with more tiles than this shows a board in use: they lie there, nobody laid them just now."""


class PrintSink(ObservationSink):
    """Turns new and vanished tiles into events. `emit` gets each event and the name of its frame.

    >>> sink = PrintSink(lambda event: print(event.KIND, event.tile.tile))
    >>> sink.record(Observation((Play(Laid(12, 5), BOARD),)), Layout(), "0001.jpg")
    tile_played 5-12
    True
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self.emit = emit

    def first_table(self, layout: Layout, frame: str) -> bool:
        if len(layout.loose) > FIRST_TILES:
            return True
        for tile in layout.loose:
            if tile.laid is not None:
                self.emit(TilePlayed(source="camera", frame=frame, by=None, tile=tile.laid, train=BOARD))
        return True

    def look_again(self, observation: Observation) -> tuple[LookAgain, ...]:
        return tuple(LookAgain(place, LookReason.NO_LEGAL_PLAY) for place in Where) if observation.gone else ()

    def record(self, observation: Observation, layout: Layout, frame: str) -> bool:
        for lost in observation.gone:
            self.emit(TileTakenBack(source="camera", frame=frame, by=None, tile=lost.tile, train=BOARD))
        for change in observation.laid:
            self.emit(TilePlayed(source="camera", frame=frame, by=None, tile=change.tile, train=BOARD))
        if observation.doubts:
            self.ask(observation, layout, frame)
        return True

    def ask(self, observation: Observation, layout: Layout, frame: str) -> None:
        for doubt in observation.doubts:
            self.emit(Unclear(source="camera", frame=frame, reason=str(doubt)))
