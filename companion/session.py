"""The referee's desk: whatever happens at the table is recorded first and judged second.

One session is one game on its journal. Its verbs are the sentences said at a table (`play`, `draw`, `take_back`,
`end_round` ...); each returns the events that it brought, already on the disk. `observe` is the camera's entry. Nothing
a player does is refused; refused (SessionError with one sentence) is only what cannot be meant: a round that does not
run, somebody who does not play, a correction decided while looking at an older table.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.corrections import UNDONE, held_events, last_step, open_questions
from companion.desk.history import History
from companion.desk.ledger import Ledger
from companion.desk.refusal import SessionError
from companion.desk.scene import scene
from companion.desk.sight import Sight
from companion.desk.watching import Watching
from companion.event_fields import Certainty, EventError, Story
from companion.events import (
    Announced,
    Corrected,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    HandShown,
    Header,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    RoundEnded,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.journal import Clock, Journal, utc_now
from companion.notation import Change, Laying
from companion.position import LinePosition, Position
from companion.ruleset import RuleSet, load_ruleset
from companion.ruling import Ruling
from companion.scoreboard import Scoreboard, fold
from companion.tile import Laid, Tile
from companion.turn import Play

log = logging.getLogger(__name__)

Subscriber = Callable[[Event], None]
TileLike = Laid | Tile | tuple[int, int] | Sequence[int]
NO_ROUND = "no round is being played"
CHANGED = "the table has changed in the meantime; look again and repeat it if it is still right"


class Session:
    """A game at the desk. Safe to use from several threads; every change is on the disk before it is seen.

    Args:
        journal: the open journal; the session is its only writer.
        rules: the rule set; None: the one that the journal's header names.
    """

    def __init__(self, journal: Journal, rules: RuleSet | None = None) -> None:
        self.journal = journal
        self.rules = rules if rules is not None else load_ruleset(journal.header.rules, journal.header.options)
        self._lock = threading.RLock()
        self._subscribers: list[Subscriber] = []
        self._ledger = Ledger(journal, self.rules)
        self._watching = Watching(self._ledger)
        self._ledger.settle()

    @classmethod
    def create(cls, path: str | Path, header: Header, clock: Clock = utc_now) -> Session:
        """A new game. Raises JournalError, RuleSetError."""
        rules = load_ruleset(header.rules, header.options)
        return cls(Journal.create(path, header, clock), rules)

    @classmethod
    def open(cls, path: str | Path, clock: Clock = utc_now) -> Session:
        """An earlier game, to be continued. Raises JournalError, RuleSetError."""
        return cls(Journal.open(path, clock))

    def close(self) -> None:
        self.journal.close()

    @property
    def header(self) -> Header:
        return self.journal.header

    @property
    def events(self) -> Sequence[Event]:
        """The journal's events, in order."""
        return self.journal.events

    @property
    def seq(self) -> int:
        """The last journal line."""
        return self.journal.last_seq

    @property
    def position(self) -> Position | LinePosition | None:
        """The table as recorded, the player who is to act to move; None before the first round."""
        with self._lock:
            course = self._ledger.match.course
            return None if course is None else course.position

    @property
    def phase(self) -> str:
        """waiting, playing, ended (hands are to be shown), scored or over."""
        with self._lock:
            return self._ledger.match.phase

    @property
    def hands_shown(self) -> Mapping[str, HandShown]:
        """The hands laid open after this round, by player."""
        with self._lock:
            return dict(self._ledger.match.shown)

    @property
    def scoreboard(self) -> Scoreboard:
        """The journal folded."""
        with self._lock:
            return fold(self.header, self.journal.events)

    @property
    def questions(self) -> tuple[Unclear, ...]:
        """What has been asked and not been answered."""
        with self._lock:
            return open_questions(self.journal.events)

    def snapshot(self, at: int | None = None) -> dict[str, Any]:
        """Everything the page shows (desk.scene); `at`: as it stood after that journal line."""
        with self._lock:
            ledger = self._ledger
            events = self.journal.events
            if at is None or at >= len(events):
                questions = open_questions(events)
                return scene(self.header, self.rules, ledger.history, ledger.held, len(events), questions)
            events = events[: max(0, at)]
            held = list(held_events(events))
            history = History.of(self.header, self.rules, held, base=ledger.history)
            return scene(self.header, self.rules, history, held, len(events), open_questions(events))

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback` with each event from now on, in order; returns what ends it. It must not block."""
        with self._lock:
            self._subscribers.append(callback)

        def stop() -> None:
            with self._lock:
                if callback in self._subscribers:
                    self._subscribers.remove(callback)

        return stop

    def start_round(
        self, engine: TileLike | None = None, starter: str | None = None, *, draws_seen: bool = True
    ) -> tuple[Event, ...]:
        """The next round is dealt. Left out, the engine and the starter are those that the rules name."""
        with self._lock:
            match = self._ledger.match
            if match.phase == "playing":
                raise SessionError("the round is still being played; end it first")
            if match.phase == "ended":
                raise SessionError("the last round is not scored; show the hands first")
            if match.phase == "over":
                raise SessionError("the match is over")
            number = match.next_number
            laid = None
            if self.rules.is_mexican:
                laid = _laid(engine) if engine is not None else match.engine_due(number)
                if laid is None:
                    raise SessionError("all rounds of this match have been played")
            starter = self._player(starter) if starter is not None else match.next_starter
            return self._record(RoundStarted(round=number, engine=laid, starter=starter, draws_seen=draws_seen))

    def play(
        self, tile: TileLike, train: str, by: str | None = None, source: str = "person", frame: str | None = None
    ) -> tuple[Event, ...]:
        """A tile was laid on `train`, its inner (left) half first; `by` None: by whoever is to move."""
        with self._lock:
            self._running(also_ended=True)
            who = self._who(by)
            return self._record(TilePlayed(by=who, tile=_laid(tile), train=train, source=source, frame=frame))

    def draw(self, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        with self._lock:
            self._running(also_ended=True)
            if not self.rules.is_mexican:
                raise SessionError("there is no boneyard in this game")
            return self._record(Drew(by=self._who(by), source=source))

    def pass_turn(self, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        """A player's turn is over, be it complete or not."""
        with self._lock:
            self._running(also_ended=True)
            return self._record(Passed(by=self._who(by), source=source))

    def discard(
        self, by: str | None = None, *, tile: TileLike | None = None, face_up: bool = False, source: str = "person"
    ) -> tuple[Event, ...]:
        """Chinese games: a tile was put away."""
        with self._lock:
            self._running(also_ended=True)
            if self.rules.is_mexican:
                raise SessionError("no tiles are put away in this game")
            known = None if tile is None else _laid(tile).tile
            return self._record(Discarded(by=self._who(by), tile=known, face_up=face_up, source=source))

    def mark(self, train: str, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        """A marker was put on `train`."""
        with self._lock:
            self._running(also_ended=True)
            return self._record(MarkerPlaced(by=self._mover(by, train), train=train, source=source))

    def unmark(self, train: str, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        """The marker of `train` was taken off."""
        with self._lock:
            self._running(also_ended=True)
            return self._record(MarkerRemoved(by=self._mover(by, train), train=train, source=source))

    def flip(self, train: str, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        """The double at the end of `train` was turned face down."""
        with self._lock:
            self._running(also_ended=True)
            return self._record(DoubleFlipped(by=self._who(by), train=train, source=source))

    def announce(self, by: str | None = None, what: str = "last_tile", value: int | None = None) -> tuple[Event, ...]:
        """Something was said aloud: the last tile, the open end of a line."""
        with self._lock:
            self._running(also_ended=True)
            return self._record(Announced(by=self._who(by), what=what, value=value))

    def take_back(self, seq: int, by: str | None = None, source: str = "person") -> tuple[Event, ...]:
        """The tile of an earlier play was taken back from the table; its play is undone."""
        with self._lock:
            self._running()
            for item in reversed(self._ledger.held):
                event = item.event
                if event.seq == seq and isinstance(event, TilePlayed) and not item.undone:
                    by = by if by is not None else event.by
                    taken = TileTakenBack(by=by, tile=event.tile, train=event.train, undoes=seq, source=source)
                    return self._publish(self._ledger.amend(taken))
            raise SessionError("no. %(seq)s is no tile that lies on the table", seq=seq)

    def show_hand(
        self,
        by: str,
        tiles: Iterable[TileLike],
        discards: Iterable[TileLike] = (),
        *,
        in_order: bool = False,
        source: str = "person",
    ) -> tuple[Event, ...]:
        """A player laid open what was left; after the last one the round is scored.

        Chinese games: `discards` are the face-down tiles. Where a player has no tile left and only `tiles` are given,
        they are taken for these.
        """
        with self._lock:
            player = self._player(by)
            match = self._ledger.match
            if match.course is None or match.course.ended is None:
                raise SessionError("hands are shown when the round is over; end it first")
            left = tuple(_laid(tile).tile for tile in tiles)
            away = tuple(_laid(tile).tile for tile in discards)
            if not self.rules.is_mexican and not away and match.course.table.hands.get(player) == 0:
                left, away = (), left
            earlier = match.shown.get(player)
            if earlier is not None:
                what = {"tiles": [[t.low, t.high] for t in left], "discards": [[t.low, t.high] for t in away]}
                return self._amend(Corrected(corrects=earlier.seq, what=what, by=player, source=source))
            shown = HandShown(by=player, tiles=left, discards=away, in_order=in_order and bool(away), source=source)
            if match.phase == "ended":
                return self._record(shown)
            return self._show_late(shown)

    def end_round(
        self, how: str = "blocked_declared", out: str | None = None, source: str = "person"
    ) -> tuple[Event, ...]:
        """The round is over: out, blocked_proved, blocked_declared or abandoned. `out` None: who laid the last tile."""
        with self._lock:
            self._running()
            course = self._ledger.match.course
            assert course is not None
            named = how == "out" and self.rules.is_mexican
            out = (_last_to_lay(self._ledger) if out is None else self._player(out)) if named else None
            return self._record(RoundEnded(how=how, out=out, source=source))

    def enter_scores(self, scores: Mapping[str, int]) -> tuple[Event, ...]:
        """The round's points as the players counted them, where the hands were not shown."""
        with self._lock:
            match = self._ledger.match
            if match.phase != "ended":
                raise SessionError("points are written when a round is over and not scored yet")
            if set(scores) != set(self.header.players):
                raise SessionError("expected points for %(names)s", names=", ".join(self.header.players))
            return self._record(replace(match.with_scores(dict(scores)), source="person"))

    def end_match(self) -> tuple[Event, ...]:
        """The players stop here; whoever leads has won."""
        with self._lock:
            match = self._ledger.match
            if match.phase not in ("waiting", "scored"):
                raise SessionError("the match can end between two rounds")
            return self._record(replace(match.ended_now(), source="person"))

    def undo(self) -> tuple[Event, ...]:
        """Withdraw the last thing that was recorded, corrected or answered, and still counts."""
        with self._lock:
            seq = last_step(self.journal.events, self._ledger.held)
            if seq is None:
                raise SessionError("there is nothing to undo")
            return self._amend(Corrected(corrects=seq, what=UNDONE))

    def correct(
        self, seq: int, what: Mapping[str, Any], by: str | None = None, *, expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        """Read event `seq` otherwise (events.Corrected); later rulings are made anew and recorded where they change.

        `expected_seq`: the last line that the caller has seen; refused when there are later ones.
        """
        with self._lock:
            if expected_seq is not None and expected_seq != self.journal.last_seq:
                raise SessionError(CHANGED)
            return self._amend(Corrected(corrects=seq, what=what, by=by))

    def answer(self, seq: int, choice: int | None, by: str | None = None) -> tuple[Event, ...]:
        """Which story of an unclear event is true (0, 1 ...); None: none of them."""
        with self._lock:
            question = next((one for one in open_questions(self.journal.events) if one.seq == seq), None)
            if question is None:
                raise SessionError("no. %(seq)s is no open question", seq=seq)
            if choice is not None and not 0 <= choice < len(question.candidates):
                raise SessionError("no. %(seq)s has answers 0 to %(last)s", seq=seq, last=len(question.candidates) - 1)
            what: dict[str, Any] = {"answer": choice}
            if choice is not None and question.candidates[choice].events:
                lines = [dict(line) for line in question.candidates[choice].events]
                what |= {"insert": lines, "after": True}
            return self._amend(Corrected(corrects=seq, what=what, by=by))

    def ask(
        self, reason: str, candidates: Iterable[Story] = (), *, frame: str | None = None, source: str = "camera"
    ) -> tuple[Event, ...]:
        """Record that something cannot be told; a person will answer."""
        with self._lock:
            return self._record(Unclear(reason=reason, candidates=tuple(candidates), frame=frame, source=source))

    def drop_question(self, seq: int) -> tuple[Event, ...]:
        """The camera has seen the answer, or there is nothing left to answer."""
        with self._lock:
            return self._amend(Corrected(corrects=seq, what={"withdrawn": True}, source="camera"))

    def what_if(self, verb: str, seq: int, what: Mapping[str, Any]) -> dict[str, Any]:
        """The snapshot as it would be after `correct(seq, what)`; nothing is recorded."""
        if verb != "correct":
            raise SessionError("%(verb)s cannot be tried beforehand", verb=verb)
        with self._lock:
            try:
                held, history, lines = self._ledger.what_if(Corrected(corrects=seq, what=what))
            except EventError as error:
                raise SessionError("%(fault)s", fault=_plain(error)) from None
            last = self.journal.last_seq + len(lines)
            return scene(self.header, self.rules, history, held, last, open_questions(self.journal.events))

    def judge(self, tile: TileLike, train: str) -> dict[str, Any]:
        """May this tile be laid there now, by the player to move? `codes` and `may` as in `companion judge`."""
        with self._lock:
            self._running()
            course = self._ledger.match.course
            assert course is not None
            turn = course.turn
            position = course.position
            going_on = turn is not None and turn.player == position.turn
            before, done = (turn.before, turn.actions) if going_on and turn is not None else (position, ())
            ruling: Ruling = self._ledger.match.referee.judge_play(before, Play(_laid(tile), train), done)
            return {
                "verdict": ruling.verdict,
                "codes": sorted(str(code) for code in ruling.codes),
                "may": sorted(str(code) for code in ruling.may),
                "by": position.turn,
            }

    def observe(
        self,
        delta: Iterable[Change],
        frame: str | None = None,
        *,
        flips: Iterable[str] = (),
        discards: Mapping[str, int] | None = None,
        readings: Mapping[Laying, Certainty] | None = None,
    ) -> tuple[Event, ...]:
        """What the camera saw change between two still tables, in the referee's words (notation.Change).

        Tiles of one train stand from the inside out. `flips` are trains whose double was turned over, `discards` new
        face-down tiles by player, `readings` how surely each laid tile was read.
        """
        with self._lock:
            sight = Sight(tuple(delta), tuple(flips), dict(discards or {}), frame, dict(readings or {}))
            return self._publish(self._watching.see(sight))

    def accuses(
        self, delta: Iterable[Change], *, flips: Iterable[str] = (), discards: Mapping[str, int] | None = None
    ) -> bool:
        """Whether `observe` of this change would hold something against somebody, or ask."""
        with self._lock:
            return self._watching.accuses(Sight(tuple(delta), tuple(flips), dict(discards or {})))

    def foresee(self, delta: Iterable[Change]) -> tuple[Event, ...]:
        """What `observe` would record where this change breaks no rule, else nothing; nothing is recorded."""
        with self._lock:
            return self._watching.foresee(Sight(tuple(delta)))

    def _record(self, *events: Event) -> tuple[Event, ...]:
        return self._publish(self._ledger.record(*events))

    def _show_late(self, shown: HandShown) -> tuple[Event, ...]:
        """A hand that was taken to be empty when the round was scored."""
        scored = self._ledger.match.keys.get("scored")
        if not (shown.tiles or shown.discards) or scored is None:
            return ()
        line = {name: value for name, value in shown.to_json().items() if name not in ("seq", "at")}
        seq = self._ledger.history.acts[scored].held.event.seq
        return self._amend(Corrected(corrects=seq, what={"insert": [line]}, by=shown.by, source=shown.source))

    def _amend(self, correction: Corrected) -> tuple[Event, ...]:
        try:
            return self._publish(self._ledger.amend(correction))
        except EventError as error:
            raise SessionError("%(fault)s", fault=_plain(error)) from None

    def _publish(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Tell the subscribers, still under the lock so that all hear the same order."""
        for event in events:
            for callback in tuple(self._subscribers):
                try:
                    callback(event)
                except Exception:
                    log.exception("a subscriber failed and will not be called again")
                    self._subscribers.remove(callback)
        return events

    def _running(self, *, also_ended: bool = False) -> None:
        phase = self._ledger.match.phase
        if phase != "playing" and not (also_ended and phase == "ended"):
            raise SessionError(NO_ROUND)

    def _player(self, name: str) -> str:
        if name not in self.header.players:
            raise SessionError("%(name)s does not play in this game", name=name)
        return name

    def _who(self, by: str | None) -> str | None:
        if by is not None:
            return self._player(by)
        course = self._ledger.match.course
        return None if course is None else course.mover

    def _mover(self, by: str | None, train: str) -> str | None:
        """Whose act a marker is: as said, else of the train's owner where that can be meant, else of who is to move."""
        if by is not None:
            return self._player(by)
        return train if train in self.header.players else self._who(None)


def _laid(tile: TileLike) -> Laid:
    if isinstance(tile, Tile):
        return Laid(tile.low, tile.high)
    halves = tuple(tile)
    if len(halves) != 2 or not all(type(half) is int and 0 <= half <= 99 for half in halves):
        raise SessionError("expected a tile such as (12, 5), not %(tile)s", tile=repr(tile))
    return Laid(halves[0], halves[1])


def _last_to_lay(ledger: Ledger) -> str | None:
    for item in reversed(ledger.held):
        if isinstance(item.event, TilePlayed) and not item.undone:
            return item.event.by
        if isinstance(item.event, RoundStarted):
            break
    return None


def _plain(error: EventError) -> str:
    """The error without the number of a line that was never written."""
    words = str(error)
    head, _, rest = words.partition(": ")
    return rest if head.startswith("seq ") else words
