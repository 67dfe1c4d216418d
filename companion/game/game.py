"""A game: one journal, one lock, and the sentences said at a table (`play`, `draw`, `end_round` ...) as commands.

A command checks, appends and tells: whatever happens is recorded first and judged second, and each command returns the
events that it brought, already on the disk. Nothing a player does is refused; only a command that cannot be meant is
(CommandRejected). What it writes follows from the game as worked out (`round.History`): `said` and `reports` find the
lines, of what people say and what a camera sees.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from companion.game import reports, said
from companion.game.corrections import PUT_BACK, UNDONE, last_step, last_step_back, steps_back
from companion.game.course import REPORTS, ruling_on
from companion.game.game_view import GameView, Line
from companion.game.match import Match, Scoreboard
from companion.game.rejected import CommandRejected, RejectionReason, TileLike, laid_of
from companion.game.replay import Dispute, dispute_in
from companion.game.round import History
from companion.game.told import SHOWN_SUFFIX, ToldSoFar, retracted, with_told
from companion.game.view import Lying, off_record, scene, shown_line
from companion.log.event_fields import Candidate, Confidence, EventError, Header, Question
from companion.log.events import (
    Announced,
    Corrected,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    RoundEnded,
    RoundStarted,
    SeenLine,
    TableChange,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import Clock, ClosedBook, Journal, JournalError, utc_now
from companion.rules.position import LinePosition, Play, Position
from companion.rules.referee import undealt
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.tile import Laid
from companion.tracking.edits import EditKind
from companion.tracking.filter import uncollected

log = logging.getLogger(__name__)

MOST_TRIED, MOST_LOOKED_AT = 8, 4
"""Games kept as they would stand with a change (two of each hand, say, of a round that is counted again), and as they
stood at some time, for people who step through the game."""

MOST_TRIES = 2
"""Tries to work ahead: a step that somebody takes meanwhile makes the work void."""

Subscriber = Callable[[Event], None]


class Game:
    """One game on its journal. Safe for several threads; every change is on the disk before it is seen.

    Args:
        journal: the open journal; this is its only writer.
        rules: the rule set; None: the one that the journal's header names.
        settle: record what follows by now, as after a crash between two lines. Not of a game that is only looked at.

    >>> from tempfile import mkdtemp
    >>> game = Game.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    >>> game.phase, game.engine_due(), game.position
    ('waiting', Laid(inner=12, outer=12), None)
    >>> [event.KIND for event in game.start_round((12, 12), "Ann")]
    ['round_started']
    >>> [event.who for event in game.play((12, 5), "Ann")]
    ['Ann']
    >>> game.snapshot().turn
    'Ben'
    >>> len(game.undo()), game.snapshot().turn
    (1, 'Ann')
    >>> game.close()
    """

    def __init__(self, journal: Journal, rules: RuleSet | None = None, *, settle: bool = True) -> None:
        self.journal = journal
        self.rules = rules if rules is not None else load_ruleset(journal.header.rules, journal.header.options)
        self._lock = threading.RLock()
        self._looking_back = threading.Lock()
        self._subscribers: list[Subscriber] = []
        self._lookers_on: list[Callable[[], None]] = []
        self._lying: Lying | None = None
        with uncollected():
            self.history = History(journal.header, self.rules, journal.events, journal.seen)
        """The game as worked out. It never changes: another takes its place with each line."""
        self._tried: deque[tuple[Any, list[Event], History]] = deque(maxlen=MOST_TRIED)
        self._looked_at: deque[tuple[int, History]] = deque(maxlen=MOST_LOOKED_AT)
        self._waiting: tuple[TableChange, ...] = ()
        """Changes seen after the round seemed to end: they wait here in case it goes on."""
        if settle:
            self._record()
        self._shown = self.history
        self._otherwise: tuple[Corrected, ...] | None = None
        """Corrections of everything that now reads differently, worked out when first asked for."""
        kept = journal.path.with_suffix(SHOWN_SUFFIX)
        self._told = ToldSoFar(journal.events, self._shown.readings(), kept, writes=settle)

    @classmethod
    def create(cls, path: str | Path, header: Header, clock: Clock = utc_now) -> Game:
        """A new game. Raises JournalError, RuleSetError, the latter also where there are not enough tiles."""
        rules = load_ruleset(header.rules, header.options)
        fault = undealt(rules, header.set_max, len(header.players))
        if fault is not None:
            raise RuleSetError(f"players: {fault}")
        return cls(Journal.create(path, header, clock), rules)

    @classmethod
    def open(cls, path: str | Path, clock: Clock = utc_now) -> Game:
        """An earlier game, to be continued. Raises JournalError, RuleSetError."""
        return cls(Journal.open(path, clock))

    @classmethod
    def read_only(cls, path: Path) -> Game:
        """An earlier game, only looked at: nothing is recorded. Raises JournalError, RuleSetError, OSError."""
        return cls(ClosedBook(path), settle=False)

    def close(self) -> None:
        self.journal.close()

    def mend(self) -> None:
        """Open the game's file anew where the card has refused it. Raises JournalError while it goes on refusing."""
        self.journal.mend()

    @property
    def header(self) -> Header:
        return self.journal.header

    @property
    def events(self) -> Sequence[Event]:
        """The events as they were told first, in order; event n has seq n + 1."""
        return tuple(self._told.events)

    @property
    def seq(self) -> int:
        """The last journal line."""
        return len(self.history.lines)

    @contextmanager
    def hold(self) -> Iterator[int]:
        """The last journal line, after which nobody but this thread records anything until the context is left."""
        with self._lock:
            yield self.seq

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self.history.last.match

    @property
    def position(self) -> Position | LinePosition | None:
        """The table as recorded, the player who is to act to move; None before the first round."""
        course = self.match.course
        return None if course is None else course.position

    @property
    def phase(self) -> str:
        """waiting, playing, ended (hands are to be shown), scored or over."""
        return self.match.phase

    def engine_due(self, number: int | None = None) -> Laid | None:
        """The engine of that round, or of the next one; None in the Chinese games and after the last round."""
        match = self.match
        return match.engine_due(match.next_number if number is None else number)

    @property
    def dealt_again(self) -> bool:
        """Was the last round broken off? Then it is dealt again, or the next one without its points."""
        match = self.match
        sheet = match.board.round
        return match.phase == "scored" and sheet is not None and sheet.how == "abandoned"

    @property
    def scoreboard(self) -> Scoreboard:
        """The rounds and scores, and every play with what stands against it."""
        return replace(self.match.board, lines=tuple(self.history.ruled()))

    def held_line(self, seq: int) -> Line | None:
        """The entry as it counts now, of any round, as a snapshot's `plays` show it; None: it does not exist."""
        now = self.history
        held = next((one for one in now.held if one.event.seq == seq), None)
        return None if held is None else shown_line(replace(held, event=now.reads(held.event)))

    @property
    def questions(self) -> tuple[Unclear, ...]:
        """Questions that are open."""
        return self.history.questions()

    def is_open(self, seq: int | None) -> bool:
        """Whether this line is a question that nobody has answered or withdrawn yet."""
        return any(question.seq == seq for question in self.questions)

    def is_free(self, within_s: float) -> bool:
        """Whether nobody holds the game for longer than that."""
        if not self._lock.acquire(timeout=within_s):
            return False
        self._lock.release()
        return True

    def snapshot(self, at: int | None = None) -> GameView:
        """Everything the page shows (game.view); `at`: as it stood after that journal line."""
        with self._lock:
            now = self.history
            if at is None or at >= len(now.lines):
                return with_told(scene(now, self._lying), now.lines, self._told, now.last.guesses())
            told = self._told.fork()
        with self._looking_back:
            then = self._then(now, max(0, at))
            return with_told(scene(then), then.lines, told, {})

    def _then(self, now: History, at: int) -> History:
        """The game after that line. It may take seconds and needs no lock, but one at a time is worked out."""
        then = next((one for seq, one in self._looked_at if seq == at), None)
        if then is None:
            then = History(now.header, now.rules, now.lines[:at], [one for one in now.seen if one.after < at], now)
            self._looked_at.append((at, then))
        return then

    def rehearsal(self) -> Self:
        """A copy of the game, to be tried on: nobody hears of it and nothing reaches the disk."""
        with self._lock:
            other = copy(self)
            other._lock, other._subscribers, other._lookers_on = threading.RLock(), [], []
            other.journal, other.history = self.journal.rehearsal(), self.history.trial()
            other._told = self._told.fork()
            return other

    def dispute(self, seq: int) -> Dispute:
        """Run the belief again over the round of entry `seq` while others go on. Raises NoSuchPlayError."""
        with self._lock:
            now = self.history
        return dispute_in(now, seq)

    def work_ahead(self, change: Callable[[Self], object], about: int | None = None) -> None:
        """Work out on a copy the result of a change to an earlier round, while others go on with the game: the same
        change then holds nobody up. An impossible change is refused later, when it is made.

        `about`: a line that it changes; None: the last step.
        """
        for _ in range(MOST_TRIES):
            trial = self.rehearsal()
            begun, now = trial.seq, trial.history
            about = next(steps_back(now.lines, now.held), None) if about is None else about
            if about is None or not now.is_past(about):
                return
            with suppress(Exception):
                change(trial)
            if begun == self.seq:
                return

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback` with each event from now on, in order; returns what ends it. It must not block."""
        with self._lock:
            self._subscribers.append(callback)

        def stop() -> None:
            with self._lock:
                if callback in self._subscribers:
                    self._subscribers.remove(callback)

        return stop

    def look(self, lying: Lying) -> None:
        """The camera has looked: this lies on the table, on record or not."""
        with self._lock:
            news, self._lying = lying != self._lying, lying
        if news:
            for callback in self._lookers_on:
                callback()

    def on_look(self, callback: Callable[[], None]) -> None:
        """Call `callback` whenever the camera has seen the table lie otherwise. It must not block."""
        self._lookers_on.append(callback)

    # ---- what the camera reports and asks ------------------------------------------------------------------------

    def observe(self, change: TableChange) -> tuple[Event, ...]:
        """Record a change that the camera saw between two still tables."""
        with self._lock:
            try:
                self._see(change)
            except JournalError:
                self._publish()
                raise
            return self._publish()

    def accuses(self, change: TableChange) -> bool:
        """Whether `observe` of this change would hold something against somebody, or ask."""
        with self._lock:
            return reports.accuses(self.history, change)

    def expects(self, change: TableChange) -> bool:
        """Whether this change would be legal whichever way everything before it went."""
        with self._lock:
            return reports.expects(self.history, change)

    def read_as(self, seq: int, tile: Laid, reading: Confidence) -> tuple[Event, ...]:
        """The tile of line `seq`, which was not read when it came, is read as this one by now."""
        with self._lock:
            belief = self.history.last.belief
            entry = belief.tracker.entries.get(belief.item_of.get(seq, -1))
            if entry is None or not isinstance(entry.piece.act, Play):
                return ()
            taken = entry.piece.act
            return self.observe(TableChange(readings={taken: reading.of_another(tile, taken.tile)}))

    def judge(self, tile: TileLike, train: str) -> dict[str, Any]:
        """May this tile be laid there now, by the player to move, one way round or the other? `codes` and `may` as in
        `companion judge`, `tile` as it would lie.

        Refused where a tile lies that is not on record.
        """
        with self._lock:
            self._running()
            course = self.match.course
            assert course is not None
            position = course.position
            if self._lying is not None and train in off_record(self._lying, position).beyond:
                raise CommandRejected(RejectionReason.END_NOT_RECORDED)
            ruling, laid = ruling_on(course, laid_of(tile), train)
            return {
                "tile": list(laid),
                "verdict": ruling.verdict,
                "codes": sorted(str(code) for code in ruling.codes),
                "may": sorted(str(code) for code in ruling.may),
                "by": position.turn,
            }

    def _see(self, report: TableChange) -> None:
        """Record a change of the table, and what it brings."""
        phase = self.match.phase
        if phase not in ("playing", "ended") or (report.empty and not report.readings):
            return
        if phase == "ended" and not reports.goes_on(self.history, self._waiting, report):
            if reports.waits(self.history, report):
                self._waiting = (*self._waiting, reports.placed(self.history, report))
            elif late := reports.after_the_end(report):
                self._record(*late)
            return
        waiting, self._waiting = self._waiting, ()
        if phase == "ended":
            self._record(*reports.reopening(self.history, "camera"))
        try:
            for one in (*waiting, reports.placed(self.history, report)):
                self.journal.see(one)
                then = self.history.told(seen=[SeenLine(len(self.history.seen) + 1, self.seq, "", one)])
                self._record(*reports.lines_of(self.history, then, one), onto=then)
            try:
                for due in (reports.question, reports.end_due):
                    if lines := due(self.history):
                        self._record(*lines)
            except JournalError:
                log.exception("what was seen is on record; what it gives to ask is asked with the next change")
        except BaseException:
            self._waiting = waiting
            raise
        finally:
            self.journal.unsee()

    # ---- what is said at the table -------------------------------------------------------------------------------

    def start_round(
        self,
        engine: TileLike | None = None,
        starter: str | None = None,
        *,
        draws_seen: bool = True,
        first_number: int | None = None,
        after: int | None = None,
        guess: bool = True,
        frame: str | None = None,
    ) -> tuple[Event, ...]:
        """The next round is dealt. Left out, the engine and the starter are those that the rules name.

        `after`: the round that was broken off is not dealt again, this is the one after it.
        `first_number` counts only for the journal's first round: which of the match it is that was begun without it.
        `guess`: where the rules name no starter either, the next in turn is taken; else it stays open who it was.
        `frame`: the picture by which a camera begins it, whose engine was read and needs nobody's word.
        """
        with self._lock:
            laid = None if engine is None else laid_of(engine)
            begun = said.round_started(self.history, laid, starter, first_number=first_number, after=after, guess=guess)
            return self._add(replace(begun, draws_seen=draws_seen, frame=frame))

    def play(
        self,
        tile: TileLike,
        train: str,
        by: str | None = None,
        *,
        lift: bool = False,
        outer_only: bool = False,
        end: int | None = None,
        turn: int | None = None,
    ) -> tuple[Event, ...]:
        """A tile was laid on `train`, its inner (left) half first; `by` None: by the player to move.

        `lift`: their own marker comes off with it where the rules take it off, which nobody taps separately.
        `outer_only`: nobody named the half that meets the train. `end`: the train's end and `turn` the turn of the
        player in this round (from 1) for which the phone showed its keys.
        """
        with self._lock:
            self._running(also_ended=True)
            laid = Play(laid_of(tile), train)
            who = said.who_laid(self.history, by, laid)
            played = TilePlayed(by=who, tile=laid.tile, train=train, outer_only=outer_only, end=end, turn=turn)
            return self._add(*(said.with_marker(self.history, played) if lift else [played]))

    def draw(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        return self._act(Drew(by=by, turn=turn), RejectionReason.NO_BONEYARD)

    def pass_turn(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """A player's turn is over, be it complete or not."""
        return self._act(Passed(by=by, turn=turn))

    def done(self, by: str, *, turn: int | None = None) -> tuple[Event, ...]:
        """`by` presses that their own turn is over. Nothing is recorded where the table has shown that already."""
        with self._lock:
            self._running(also_ended=True)
            return self._add(*said.turn_over(self.history, self._player(by), turn))

    def cannot_play(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """A player has no tile that fits, where nobody is named the one to move: all that the rules then ask for, in
        one."""
        with self._lock:
            self._running()
            return self._add(*said.unable(self.history, by, turn))

    def discard(
        self, by: str | None = None, *, tile: TileLike | None = None, face_up: bool = False, turn: int | None = None
    ) -> tuple[Event, ...]:
        """Chinese games: a tile was put away."""
        known = None if tile is None else laid_of(tile).tile
        away = Discarded(by=by, tile=known, face_up=face_up, turn=turn)
        return self._act(away, RejectionReason.NO_DISCARDS)

    def mark(self, train: str, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """A marker was put on `train`."""
        return self._act(MarkerPlaced(by=by, train=train, turn=turn), RejectionReason.NO_MARKERS)

    def unmark(self, train: str, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """The marker of `train` was taken off."""
        return self._act(MarkerRemoved(by=by, train=train, turn=turn), RejectionReason.NO_MARKERS)

    def flip(self, train: str, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """The double at the end of `train` was turned face down."""
        return self._act(DoubleFlipped(by=by, train=train, turn=turn), RejectionReason.NO_MARKERS)

    def _act(
        self, event: Drew | Passed | Discarded | MarkerPlaced | MarkerRemoved | DoubleFlipped,
        elsewhere: RejectionReason | None = None,
    ) -> tuple[Event, ...]:  # fmt: skip
        """Record an act of whoever is named, or must have done it: a marker is moved by its train's owner, if there is
        one. `elsewhere`: why it is refused in the other family of games."""
        with self._lock:
            self._running(also_ended=True)
            if elsewhere is not None and self.rules.is_mexican is isinstance(event, Discarded):
                raise CommandRejected(elsewhere)
            owner = event.train if isinstance(event, (MarkerPlaced, MarkerRemoved)) else None
            by = owner if event.by is None and owner in self.header.players else said.whose(self.history, event.by)
            return self._add(replace(event, by=by))

    def announce(self, by: str | None = None, what: str = "last_tile") -> tuple[Event, ...]:
        """Something was said aloud: the last tile, the open end of a line. `by` None: by the one player who holds one
        tile and has not said so, else by the player to move."""
        with self._lock:
            self._running(also_ended=True)
            course = self.match.course
            if by is None and what == "last_tile" and course is not None:
                hands = course.table.hands.items()
                last = [name for name, tiles in hands if tiles == 1 and name not in course.announced]
                by = last[0] if len(last) == 1 else None
            return self._add(Announced(by=said.whose(self.history, by), what=what))

    def report(self, by: str, what: str, value: int | None = None) -> tuple[Event, ...]:
        """Somebody says what `by` did not announce (play.reports: no_last_tile, no_open_end), or how many tiles
        `by` was dealt (dealt, `value`). Said again, it takes the place of what was said before."""
        with self._lock:
            self._running(also_ended=True)
            if what not in REPORTS:
                raise CommandRejected(RejectionReason.NO_SUCH_REPORT, names=", ".join(REPORTS))
            report = Announced(by=self._player(by), what=what, value=value)
            return self._add(*said.said_anew(self.history, report))

    def leave(self, by: str) -> tuple[Event, ...]:
        """`by` goes away in the middle of the round: the hand lies aside, and the others play on."""
        with self._lock:
            self._running()
            return self._add(*said.left(self.history, self._player(by)))

    def show_hand(
        self,
        by: str,
        tiles: Iterable[TileLike],
        discards: Iterable[TileLike] = (),
        *,
        in_order: bool = False,
        number: int | None = None,
        source: str = "person",
    ) -> tuple[Event, ...]:
        """A player laid open what was left; after the last one the round is scored.

        `number`: in that round, which was counted and is put right; None: in the one on the table. Chinese games:
        `discards` are the face-down tiles. Where a player has no tile left and only `tiles` are given, they count as
        these.
        """
        with self._lock:
            match = said.match_to_count(self.history, number)
            shown = said.shown_by(self._player(by), match, tiles, discards, in_order=in_order, source=source)
            return self._add(*said.hands_in([shown], match))

    def show_hands(
        self,
        hands: Mapping[str, Iterable[TileLike]],
        number: int | None = None,
        *,
        how: str = "",
        out: str | None = None,
    ) -> tuple[Event, ...]:
        """Several laid open what was left, all at once; `number` as for `show_hand`. `how`, `out`: the round, which is
        still being played, ended so. Where people had typed the points of the round they follow from the hands now."""
        with self._lock:
            ended = [self._ended(how, out)] if how else []
            match = self.match if how else said.match_to_count(self.history, number)
            shown = [said.shown_by(self._player(name), match, row) for name, row in hands.items()]
            if not how and said.typed_points(self.history, match):
                return self._add(*said.counted_from(shown, match))
            return self._add(*ended, *said.hands_in(shown, match))

    def hands_of(self, number: int) -> dict[str, list[list[int]]]:
        """The hands from which round `number` was counted, by player; {} where people typed its points."""
        with self._lock:
            match = said.match_counted(self.history, number)
            return {} if match is None or said.typed_points(self.history, match) else match.hands_shown()

    def table_of(self, number: int) -> Position | LinePosition | None:
        """The table as it lay when round `number` was counted; None where it has no points."""
        match = said.match_counted(self.history, number)
        return None if match is None or match.course is None else match.course.position

    def end_round(
        self, how: str = "blocked_declared", out: str | None = None, source: str = "person"
    ) -> tuple[Event, ...]:
        """The round is over: out, blocked_proved, blocked_declared or abandoned. `out` None: who laid the last tile."""
        with self._lock:
            return self._add(self._ended(how, out, source))

    def _ended(self, how: str, out: str | None, source: str = "person") -> RoundEnded:
        self._running()
        named = how == "out" and self.rules.is_mexican
        laid = (one.event.by for one in reversed(self.history.last.taken) if isinstance(one.event, TilePlayed))
        out = (next(laid, None) if out is None else self._player(out)) if named else None
        return RoundEnded(how=how, out=out, source=source)

    def end_otherwise(self, number: int, how: str, out: str | None = None) -> tuple[Event, ...]:
        """Round `number`, which was counted, ended otherwise than is on record."""
        with self._lock:
            match = said.match_counted(self.history, number)
            if match is None:
                raise CommandRejected(RejectionReason.HANDS_TOO_EARLY)
            return self.correct(match.lines["ended"], {"how": how, "out": out})

    def enter_scores(
        self, scores: Mapping[str, int], number: int | None = None, *, out: str | None = None, how: str | None = None
    ) -> tuple[Event, ...]:
        """The points of a round as the players counted them, where the hands were not shown.

        `number` None: of the round that is played, which is over with this, or has just ended; else of an earlier one
        that was left without points, or whose points they put right; then hands that were shown count no more. `out`:
        who went out, None where nobody could lay any more, and in the Chinese games. `how` it ended; None: as `out`
        says, in the Chinese games with all tiles played or put away.
        """
        with self._lock:
            if set(scores) != set(self.header.players):
                raise CommandRejected(RejectionReason.POINTS_OF_ALL, names=", ".join(self.header.players))
            out = None if out is None else self._player(out)
            how = how or ("blocked_declared" if out is None and self.rules.is_mexican else "out")
            match, sheet = self.match, self.match.board.round
            if number is not None and (sheet is None or number != sheet.round or match.phase == "scored"):
                return self._add(*said.scored_late(self.history, dict(scores), number, how, out))
            if match.phase not in ("playing", "ended"):
                raise CommandRejected(RejectionReason.POINTS_TOO_EARLY)
            ended = [RoundEnded(how=how, out=out)] if match.phase == "playing" else []
            return self._add(*ended, replace(match.with_scores(dict(scores)), source="person"))

    def end_match(self) -> tuple[Event, ...]:
        """The players stop here; the leader has won."""
        with self._lock:
            match = self.match
            if match.phase not in ("waiting", "scored"):
                raise CommandRejected(RejectionReason.MATCH_IN_ROUND)
            return self._add(replace(match.ended_now(), source="person"))

    def undo(self) -> tuple[Event, ...]:
        """Withdraw the last thing that was recorded, corrected or answered, and still counts.

        Where only a count says that the round is over, that is its end, not the tile that was counted.
        """
        with self._lock:
            now = self.history
            if self._ends_by_count():
                return self._add(*reports.reopening(now, "person"))
            seqs = last_step(now.lines, now.held)
            if not seqs:
                raise CommandRejected(RejectionReason.NOTHING_TO_UNDO)
            return self._add(*(Corrected(corrects=seq, what=UNDONE) for seq in reversed(seqs)))

    def to_undo(self) -> tuple[Event, ...]:
        """The lines that `undo` would withdraw, in their order; () where there is nothing to undo."""
        with self._lock:
            now, told = self.history, self.events
            if self._ends_by_count():
                return tuple(one.event for one in now.held if isinstance(one.event, RoundEnded))[-1:]
            return tuple(told[seq - 1] for seq in last_step(now.lines, now.held))

    def _ends_by_count(self) -> bool:
        return self.match.phase == "ended" and self.history.last.only_counted

    def put_back(self) -> tuple[Event, ...]:
        """Let what the last step back took away count again, unless something has happened since."""
        with self._lock:
            steps = last_step_back(self.history.lines)
            if not steps:
                raise CommandRejected(RejectionReason.NOTHING_TO_PUT_BACK)
            return self._add(*(Corrected(corrects=step.seq, what=PUT_BACK) for step in steps))

    def to_put_back(self) -> tuple[Event, ...]:
        """The lines that `put_back` would let count again, in their order."""
        with self._lock:
            told = self.events
            return tuple(told[step.corrects - 1] for step in last_step_back(self.history.lines))

    def correct(
        self, seq: int, what: Mapping[str, Any], by: str | None = None, *, source: str = "person"
    ) -> tuple[Event, ...]:
        """Read event `seq` otherwise (events.Corrected); later rulings are made anew."""
        with self._lock:
            return self._add(Corrected(corrects=seq, what=what, by=by, source=source))

    def what_if(self, seq: int, what: Mapping[str, Any], by: str | None = None) -> GameView:
        """The snapshot as it is after `correct(seq, what)`; nothing is recorded."""
        trial = self.rehearsal()
        trial.correct(seq, what, by)
        return trial.snapshot()

    def answer(
        self, seq: int, choice: int | None, by: str | None = None, *, tile: Laid | None = None
    ) -> tuple[Event, ...]:
        """Which candidate of an unclear event is true (0, 1 ...); None: none of them. Where a tile on record is asked
        about it may be another `tile`."""
        with self._lock:
            question = said.question_of(self.history, seq, choice)
            if question.about is None:
                return self._add(*said.about_the_table(question, choice, by, tile))
            return self._add(*said.about_a_tap(self.history, question, choice, by))

    def was_so(self, seq: int, by: str | None = None) -> tuple[Event, ...]:
        """Confirm that the tap of line `seq` happened as it was told, whatever was put in order silently."""
        with self._lock:
            return self._add(Corrected(corrects=seq, what={"so": True}, by=by))

    def put_in_order(self, seq: int, order: Sequence[int], by: str | None = None) -> tuple[Event, ...]:
        """The answer to a tap that does not fit: these acts, by their lines, happened in this order."""
        with self._lock:
            question = said.question_of(self.history, seq)
            kinds = [key.kind for key in question.candidates]
            if EditKind.ORDER not in kinds:
                raise CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=seq)
            return self._add(*said.about_a_tap(self.history, question, kinds.index(EditKind.ORDER), by, order))

    def ask(
        self, question: Question | str, candidates: Iterable[Candidate] = (), *, frame: str | None = None
    ) -> tuple[Event, ...]:
        """Record that something cannot be told; a person will answer. A text counts as a question's reason."""
        with self._lock:
            return self._add(Unclear(reason=str(question), candidates=tuple(candidates), frame=frame, source="camera"))

    def drop_question(self, seq: int) -> tuple[Event, ...]:
        """The camera has seen the answer, or there is nothing left to answer; nothing happens where it is closed."""
        with self._lock:
            if not self.is_open(seq):
                return ()
            return self._add(Corrected(corrects=seq, what={"withdrawn": True}, source="camera"))

    # ---- what is told ---------------------------------------------------------------------------------------------

    def _add(self, *events: Event) -> tuple[Event, ...]:
        """Record what was said, all at once. Raises CommandRejected, JournalError; then nothing has changed."""
        if not events:
            return ()
        try:
            self._record(*events)
        except EventError as error:
            raise CommandRejected.of(error) from None
        return self._publish()

    def _record(self, *events: Event, onto: History | None = None) -> tuple[Event, ...]:
        """Append facts and their consequences, with one trip to the disk; `onto`: after what was just seen.

        A tap goes behind the passes that it implies and nobody recorded. The pieces that a camera showed and that have
        no line yet go along. Raises EventError, JournalError; then nothing has changed.
        """
        then = self.history if onto is None else onto
        lines = self.journal.stamped(self.history.last.with_passes(events, self.seq))
        asked = self.seq, len(then.seen), [replace(line, at="") for line in lines]
        tried = next(((lines, then) for known, lines, then in self._tried if known == asked), None)
        if tried is None:
            then = then.told(lines)
            by_people = any(line.source == "person" and not then.is_past(line.seq) for line in lines)
            while more := then.last.due(counted=by_people):
                lines += self.journal.stamped(more, self.seq + len(lines))
                then = then.told(lines[-len(more) :])
            if any(isinstance(line, (Corrected, TileTakenBack)) for line in lines):
                self._tried.append((asked, lines, then))
        else:
            lines, then = tried
        written = self.journal.append_all(lines)
        self.history = then
        return written

    def _publish(self) -> tuple[Event, ...]:
        """Tell the subscribers what is on record and was not told, and what reads otherwise since; still under the
        lock, so that all hear the same order."""
        before, now = self._shown, self.history
        lines = now.lines[len(self._told.events) :]
        if any(isinstance(line, RoundStarted) for line in lines):
            # The tiles until now were the last round's.
            self._lying, self._waiting = None, ()
        because = next((line.source for line in lines if line.source != "rule"), "camera")
        fallen = retracted(before, now, because)
        self._shown, self._otherwise = now, None
        events = self._told.tell(lines, before.readings(now), now.readings(before), fallen)
        for event in events:
            for callback in tuple(self._subscribers):
                try:
                    callback(event)
                except Exception:
                    log.exception("a subscriber failed; it hears the next event all the same")
        return events

    def read_otherwise(self) -> tuple[Corrected, ...]:
        """Corrections of everything that now reads differently from when it was first told."""
        with self._lock:
            if self._otherwise is None:
                self._otherwise = tuple(self._told.corrections(self._shown.readings()))
            return self._otherwise

    @property
    def fallen(self) -> tuple[Corrected, ...]:
        """Accusations that fell, as they were told."""
        with self._lock:
            return tuple(self._told.fallen)

    def _running(self, *, also_ended: bool = False) -> None:
        phase = self.match.phase
        if phase != "playing" and not (also_ended and phase == "ended"):
            raise CommandRejected(RejectionReason.NO_ROUND)

    def _player(self, name: str) -> str:
        return said.a_player(self.history, name)
