"""A game on its journal as everybody sees it: the table, the points, what is asked, what a tile would be ruled.

`companion.game.session` adds the sentences by which it goes on. Here are the lock, the subscribers, the one way in, and
what the camera reports and asks: `observe` and `read_as` record, `accuses` and `expects` say what would come of a
change. A change between two still tables goes to the belief, and its new pieces are written. Here is what goes with it:
tiles that went, what is asked, and how a round ends.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from typing import Any, Self, TypeVar

from companion.game.corrections import UNDONE, standing_corrections, steps_back
from companion.game.course import closed_to_mover, event_of, still_laying
from companion.game.game_view import GameView, Line, standing_findings
from companion.game.match import Match, Scoreboard
from companion.game.rejected import CommandRejected, RejectionReason
from companion.game.replay import Dispute, dispute_in
from companion.game.round import History
from companion.game.told import SHOWN_SUFFIX, ToldSoFar, retracted, retractions
from companion.game.view import Lying, off_record, scene, shown_line
from companion.game.watched_round import UNSEEN, ChangeEffect, WatchedRound
from companion.log.event_fields import Candidate, Confidence, EventError, Header, QuestionKind
from companion.log.events import (
    Corrected,
    Event,
    RoundEnded,
    RoundStarted,
    SeenLine,
    TableChange,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.log.journal import Journal, JournalError
from companion.rules.chinese import open_arms
from companion.rules.notation import Change
from companion.rules.position import LEFT, RIGHT, LinePosition, Play, Position
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.tile import Laid, Tile
from companion.tracking.evidence import Evidence
from companion.tracking.filter import uncollected
from companion.tracking.tracker import RoundTracker

log = logging.getLogger(__name__)

MOST_TRIED = 8
"""Games as they would stand with a change that are kept: two of each hand, say, of a round that is counted again."""

MOST_LOOKED_AT = 4
"""Games as they stood at some time that are kept, for people who step through the game."""

MOST_TRIES = 2
"""Tries to work ahead: a step that somebody takes meanwhile makes the work void."""

Subscriber = Callable[[Event], None]
TileLike = Laid | Tile | tuple[int, int] | Sequence[int]


class OpenGame:
    """One game on its journal. Safe to use from several threads; every change is on the disk before it is seen.

    Args:
        journal: the open journal; this is its only writer.
        rules: the rule set; None: the one that the journal's header names.
        settle: record what follows by now, as after a crash between two lines. Not of a game that is only looked at.

    >>> from tempfile import mkdtemp
    >>> journal = Journal.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    >>> game = OpenGame(journal)
    >>> game.phase, game.engine_due(), game.position
    ('waiting', Laid(inner=12, outer=12), None)
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
        self._asked: tuple[int, int, int] | None = None
        """The line that began the round in which something was asked, the question's line, and the item that it is
        about."""
        self._waiting: tuple[TableChange, ...] = ()
        """Changes seen after the round seemed to end: they wait here in case it goes on."""
        if settle:
            self._record()
        self._shown = self.history
        self._otherwise: tuple[Corrected, ...] | None = None
        """Corrections of everything that now reads differently, worked out when first asked for."""
        kept = journal.path.with_suffix(SHOWN_SUFFIX)
        self._told = ToldSoFar(journal.events, self._shown.readings(), kept, writes=settle)

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
                return _with_told(scene(now, self._lying), now.lines, self._told, now.last.guesses())
            told = self._told.fork()
        with self._looking_back:
            then = self._then(now, max(0, at))
            return _with_told(scene(then), then.lines, told, {})

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
        """Run the belief again over the round of entry `seq` while others go on with the game. Raises
        NoSuchPlayError."""
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
            if self.match.phase != "playing":
                return False
            evidence = Evidence.of(self._tracker.number, self._placed(change))
            if evidence.gone:
                return not self._tracker.takes_back(evidence.gone)
            return bool(evidence.pieces) and not self._tracker.faultless(evidence)

    def expects(self, change: TableChange) -> bool:
        """Whether this change would be legal whichever way everything before it went."""
        with self._lock:
            if self.match.phase != "playing" or change.gone:
                return False
            return self._tracker.expected(Evidence.of(self._tracker.number, self._placed(change)))

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
            (before, done), asked = course.so_far, laid_of(tile)
            referee, either_way = course.referee, (asked, Laid(asked.outer, asked.inner))
            rulings = [referee.judge_play(before, Play(laid, train), done) for laid in either_way]
            ruling, laid = min(
                zip(rulings, either_way, strict=True), key=lambda one: (not one[0].legal, len(one[0].codes))
            )
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
        if phase == "ended" and not self._goes_on(report):
            self._after_the_end(report)
            return
        waiting, self._waiting = self._waiting, ()
        if phase == "ended":
            self._reopen("camera")
        try:
            for one in (*waiting, self._placed(report)):
                self._believe(one)
            try:
                self._ask()
                # The round's end, where the belief has it and the record alone cannot tell.
                due = self._tracker.end()
                if due is not None and self.match.phase == "playing" and not self._miscounted:
                    self._record(RoundEnded(how=due[0], out=due[1], source="camera"))
            except JournalError:
                log.exception("what was seen is on record; what it gives to ask is asked with the next change")
        except BaseException:
            self._waiting = waiting
            raise
        finally:
            self.journal.unsee()

    def _believe(self, report: TableChange) -> None:
        """Let the belief explain the change, and write what it brings with one trip to the disk."""
        self.journal.see(report)
        then = self.history.told(seen=[SeenLine(len(self.history.seen) + 1, self.seq, "", report)])
        belief, change = then.last.belief, then.last.belief.effect
        unclear = [Unclear(reason=one, source="camera", frame=report.frame) for one in change.unclear]
        back = [Corrected(corrects=seq, what={"withdrawn": True}, source="camera") for seq in change.back]
        self._record(*back, *self._gone(belief, change, report), *unclear, onto=then)

    def _gone(self, belief: WatchedRound, change: ChangeEffect, report: TableChange) -> Iterator[TileTakenBack]:
        """The lines that say of tiles that they were taken back, or moved, which nobody may."""
        for item in change.gone:
            act, seq = belief.tracker.entries[item].verdict.act, belief.line_of.get(item)
            if not isinstance(act, Play):
                continue
            common: dict[str, Any] = {"tile": act.tile, "train": act.train, "source": "camera", "frame": report.frame}
            held = reversed(self.history.held)
            play = next((one.event for one in held if one.event.seq == seq and not one.undone), None)
            if change.moved or not isinstance(play, TilePlayed):
                yield TileTakenBack(by=None, **common)
            else:
                yield TileTakenBack(by=play.by, undoes=play.seq, **common)

    def _placed(self, report: TableChange) -> TableChange:
        course = self.match.course
        if course is None or not isinstance(course.position, LinePosition):
            return report
        return at_the_open_end(report, course.rules, course.position.line)

    @property
    def _tracker(self) -> RoundTracker:
        return self.history.last.belief.tracker

    def _ask(self) -> None:
        """At most one question a round, where a fault hangs on a name that the table will not tell; it is dropped once
        the table tells all the same."""
        belief = self.history.last.belief
        tracker, begun = belief.tracker, belief.begun.seq
        if self._asked is not None and self._asked[0] == begun:
            _, asked, item = self._asked
            waits = any(one.seq == asked for one in self.history.questions())
            entry = tracker.entries.get(item)
            if waits and (entry is None or entry.taken_back or entry.verdict.by is not None):
                self._record(Corrected(corrects=asked, what={"withdrawn": True}, source="camera"))
            return
        question = tracker.question()
        if question is None:
            return
        seq = belief.line_of.get(question.item)
        if seq is None or question.item in belief.stated:
            self._asked = (begun, 0, question.item)
            return
        plays = {name: event_of(question.play, name) for name in question.players}
        candidates = tuple(Candidate(name, ({**play.to_insert(), "seq": seq},)) for name, play in plays.items())
        frame = belief.proof.shown.get(question.item, UNSEEN).frame
        asked_now = self._record(
            Unclear(reason=str(QuestionKind.SEVERAL_EXPLANATIONS), candidates=candidates, source="camera", frame=frame)
        )
        self._asked = (begun, asked_now[0].seq, question.item)

    # ---- the end of a round --------------------------------------------------------------------------------------

    def _goes_on(self, report: TableChange) -> bool:
        """Was the end only counted, and do they play on regardless? Then the count was wrong."""
        if not report.laid or report.gone or not self.history.last.only_counted:
            return False
        tried = self._tracker.fork()
        for one in (*self._waiting, self._placed(report)):
            tried.observe(Evidence.of(tried.number, one))
        way = min(tried.filter.all, key=lambda one: one.cost + one.pending)
        return way.born is None and not any(step.codes for step in way.path[-1][1])

    @property
    def _miscounted(self) -> bool:
        """Whether a counted end of this round was taken back, by the table or by somebody: what is counted counts for
        nothing then."""
        begun, lines = self.history.last.begun, self.history.lines
        if begun is None:
            return False
        withdrawn = (one for one in standing_corrections(lines[begun.seq :]) if one.what.get("withdrawn") is True)
        ends = (lines[one.corrects - 1] for one in withdrawn)
        return any(isinstance(one, RoundEnded) and one.source != "person" for one in ends)

    def _reopen(self, source: str) -> None:
        """`source` takes the end back. The tiles of a player who was counted down to none can no longer be counted in
        this round."""
        course, begun = self.match.course, self.history.last.begun
        assert course is not None
        changes: list[Event] = []
        if course.ended_by == "rule" and begun is not None and begun.draws_seen:
            changes.append(Corrected(corrects=begun.seq, what={"draws_seen": False}, source="camera"))
        ended = next((item.event for item in reversed(self.history.held) if isinstance(item.event, RoundEnded)), None)
        if ended is not None:
            what = UNDONE if source == "person" else {"withdrawn": True}
            changes.append(Corrected(corrects=ended.seq, what=what, source=source))
        self._record(*changes)

    def _after_the_end(self, report: TableChange) -> None:
        """When the round is over people clear the table. Only a single tile more is still a play.

        Markers and draws are kept, and tiles where only a count says that it is over: they count if the end turns out
        to be none.
        """
        if not report.gone and (self.history.last.only_counted or not report.laid):
            self._waiting = (*self._waiting, self._placed(report))
            return
        if len(report.delta) != 1 or not isinstance(report.delta[0], Play) or report.discards or report.flips:
            return
        laid = report.delta[0]
        reading, arm = report.readings.get(laid), report.whose.get(laid)
        shown: dict[str, Any] = {"source": "camera", "frame": report.frame, "reading": reading, "arm": arm}
        self._record(TilePlayed(by=None, tile=laid.tile, train=laid.train, **shown))

    # ---- what is told ---------------------------------------------------------------------------------------------

    def _add(self, *events: Event) -> tuple[Event, ...]:
        """Record what was said, all at once. Raises CommandRejected, JournalError; then nothing has changed."""
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
            said = any(line.source == "person" and not then.is_past(line.seq) for line in lines)
            while more := then.last.due(counted=said):
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
        if name not in self.header.players:
            raise CommandRejected(RejectionReason.NO_SUCH_PLAYER, name=name)
        return name

    def _who(self, by: str | None) -> str | None:
        if by is not None:
            return self._player(by)
        course = self.match.course
        return None if course is None or course.turn_open else course.mover

    def _layer(self, by: str | None, play: Play) -> str | None:
        """The player of a tile: as said, else who is to move; the train's owner while first trains are laid at the
        same time, while the owner lays a long one that may go on, and where the train is closed to who is to move."""
        course, train = self.match.course, play.train
        if by is not None or course is None:
            return self._who(by)
        together = course.laying_together and not (course.all_begun and train in course.table.markers)
        own = together or still_laying(course) == train or closed_to_mover(course, play)
        return train if own and train in self.header.players else self._who(None)


def _with_told(shown: GameView, lines: Sequence[Event], told: ToldSoFar, guesses: Mapping[int, str]) -> GameView:
    """The view with what was told before: how an entry read first, who changed it, and which accusations fell."""
    accused = frozenset(
        (play["seq"], finding["code"], finding.get("by") or play.get("by"))
        for play in shown.plays
        for finding in standing_findings(play)
    )
    fell = retractions(lines, [one for one in told.fallen if one.seq <= len(lines)], accused)
    plays = []
    for play in shown.plays:
        guess = {"guess": guesses[play["seq"]]} if play["seq"] in guesses and not play.get("by") else {}
        changers = {"changers": _changers(play["changed_by"], lines)} if play.get("corrected") else {}
        first = {"original": told.events[play["seq"] - 1].to_json()} if "original" in play and "piece" in play else {}
        plays.append({**play, **guess, **changers, **first})
    return replace(shown, plays=tuple(plays), retractions=tuple(fell))


def _changers(seqs: Sequence[int], events: Sequence[Event]) -> list[str]:
    """By whom an entry was changed, each once: the name of the phone, or the one that an older journal gives."""
    people = [event for seq in seqs if isinstance(event := events[seq - 1], Corrected) and event.source == "person"]
    return list(dict.fromkeys(event.author or event.by or "" for event in people))


AnyValue = TypeVar("AnyValue")


def at_the_open_end(report: TableChange, rules: RuleSet, line: Sequence[Laid]) -> TableChange:
    """The change with its tiles at the open end, where only one is open and the line reads the same either way.

    6:6 laid beside 6:6 looks the same at either end. Only its place on the table tells the ends apart then, and a nudge
    of the camera moves that. No fault may rest on it.
    """
    left = [change.tile for change in report.laid if change.train == LEFT]
    if not left or not line or report.gone or LEFT in open_arms(rules):
        return report
    if [*left[::-1], *line] != [*line, *left]:
        return report

    def placed(change: Change) -> Change:
        return Play(change.tile, RIGHT) if isinstance(change, Play) else change

    def again(values: Mapping[Change, AnyValue]) -> dict[Change, AnyValue]:
        return {placed(change): value for change, value in values.items()}

    readings = {Play(laid.tile, RIGHT): certainty for laid, certainty in report.readings.items()}
    delta = tuple(map(placed, report.delta))
    return replace(report, delta=delta, readings=readings, arms=again(report.arms), whose=again(report.whose))


def laid_of(tile: TileLike) -> Laid:
    if isinstance(tile, Tile):
        return Laid(tile.low, tile.high)
    halves = tuple(tile)
    if len(halves) != 2 or not all(type(half) is int and 0 <= half <= 99 for half in halves):
        raise CommandRejected(RejectionReason.NO_TILE, tile=repr(tile))
    return Laid(halves[0], halves[1])
