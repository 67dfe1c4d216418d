"""A game's commands: whatever happens at the table is recorded first and judged second.

One session is one game on its journal. Its verbs are the sentences said at a table (`play`, `draw`, `end_round` ...);
each returns the events that it brought, already on the disk. Reports and questions of the camera are in
`game.open_game`. Nothing a player does is refused; only a command that cannot be meant is refused (CommandRejected): a
round that does not run, somebody who does not play.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.game.corrections import PUT_BACK, UNDONE, steps_back
from companion.game.course import (
    DEALT,
    REPORTS,
    act_of,
    acts_when_unable,
    event_of,
    lifts_marker,
    still_laying,
    without_a_tile,
)
from companion.game.game_view import GameView
from companion.game.match import Match
from companion.game.open_game import OpenGame, TileLike, laid_of
from companion.game.rejected import CommandRejected, RejectionReason
from companion.log.event_fields import Candidate, Header, Question
from companion.log.events import (
    Announced,
    Corrected,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    HandShown,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    PlayerLeft,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    Unclear,
)
from companion.log.journal import Clock, ClosedBook, Journal, utc_now
from companion.rules.position import End, LinePosition, Play, Position
from companion.rules.referee import undealt
from companion.rules.ruleset import load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.tile import Laid
from companion.tracking.edits import EditKind

__all__ = ["CommandRejected", "Session"]

LEAST_PLAYING = 2
"""With so few players nobody can leave and let the others play on."""


class Session(OpenGame):
    """A game and the commands by which it goes on. `game.open_game` has what it shows, and the camera's side.

    >>> from tempfile import mkdtemp
    >>> game = Session.create(mkdtemp() + "/game.jsonl", Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
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

    @classmethod
    def create(cls, path: str | Path, header: Header, clock: Clock = utc_now) -> Session:
        """A new game. Raises JournalError, RuleSetError, the latter also where there are not enough tiles."""
        rules = load_ruleset(header.rules, header.options)
        fault = undealt(rules, header.set_max, len(header.players))
        if fault is not None:
            raise RuleSetError(f"players: {fault}")
        return cls(Journal.create(path, header, clock), rules)

    @classmethod
    def open(cls, path: str | Path, clock: Clock = utc_now) -> Session:
        """An earlier game, to be continued. Raises JournalError, RuleSetError."""
        return cls(Journal.open(path, clock))

    @classmethod
    def read_only(cls, path: Path) -> Session:
        """An earlier game, only looked at: nothing is recorded. Raises JournalError, RuleSetError, OSError."""
        return cls(ClosedBook(path), settle=False)

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
            match = self.match
            if match.phase == "playing":
                raise CommandRejected(RejectionReason.ROUND_RUNS)
            if match.phase == "ended":
                raise CommandRejected(RejectionReason.ROUND_UNSCORED)
            if match.phase == "over":
                raise CommandRejected(RejectionReason.MATCH_OVER)
            laid = laid_of(engine) if engine is not None and self.rules.is_mexican else None
            number = match.number_with(laid) if first_number is None or match.board.rounds else first_number
            number = number if after is None else max(number, after + 1)
            if self.rules.is_mexican:
                laid = laid or match.engine_due(number)
                if laid is None:
                    raise CommandRejected(RejectionReason.ALL_ROUNDS_PLAYED)
            if starter is not None:
                starter = self._player(starter)
            elif guess or match.starter_is_named:
                starter = match.starter_of(number)
            return self._add(
                RoundStarted(round=number, engine=laid, starter=starter, draws_seen=draws_seen, frame=frame)
            )

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
            who = self._layer(by, laid)
            played = TilePlayed(by=who, tile=laid.tile, train=train, outer_only=outer_only, end=end, turn=turn)
            course = self.match.course
            if lift and who and course and self.history.last.may_tap_for(who) and lifts_marker(course, who, laid):
                return self._add(played, MarkerRemoved(by=who, train=who, turn=turn))
            return self._add(played)

    def draw(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        return self._act(Drew(by=by, turn=turn), RejectionReason.NO_BONEYARD)

    def pass_turn(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """A player's turn is over, be it complete or not."""
        return self._act(Passed(by=by, turn=turn))

    def done(self, by: str, *, turn: int | None = None) -> tuple[Event, ...]:
        """`by` presses that their own turn is over. Nothing is recorded where the table has shown that already."""
        with self._lock:
            self._running(also_ended=True)
            course, player = self.match.course, self._player(by)
            acts = (one.event for one in reversed(self.history.last.taken) if act_of(one.event) is not None)
            last = next(acts, None)
            shown = course is not None and course.mover != player and still_laying(course) != player
            if shown and last is not None and last.who == player:
                return ()
            return self._add(Passed(by=player, done=True, turn=turn))

    def cannot_play(self, by: str | None = None, *, turn: int | None = None) -> tuple[Event, ...]:
        """A player has no tile that fits, where nobody is named the one to move: all that the rules then ask for, in
        one."""
        with self._lock:
            self._running()
            course = self.match.course
            assert course is not None
            mover = None if course.turn_open else course.mover
            who = mover if by is None else self._player(by)
            out = course.table.hands.get(who or "") == 0
            if who is None or (who != mover and out) or not self.history.last.may_tap_for(who):
                raise CommandRejected(RejectionReason.NOT_YOUR_TURN)
            asked = self.history.last.asked
            due = () if asked is None else asked.to_come()
            acts = next((unable for player, own, _, unable in due if (player, own) == (who, turn)), None)
            if acts is None:
                acts = acts_when_unable(course) if who == mover else without_a_tile(course.table, who)
            if not acts:
                raise CommandRejected(RejectionReason.FIRST_TILE_DUE)
            events = [event_of(act, who, source="person", turn=turn) for act in acts if not isinstance(act, End)]
            # The marker ends the turn by itself; else the end of the turn is an event.
            ends = not events or isinstance(events[-1], Drew)
            return self._add(*events, *([Passed(by=who, turn=turn)] if ends else ()))

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
            by = owner if event.by is None and owner in self.header.players else self._who(event.by)
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
            return self._add(Announced(by=self._who(by), what=what))

    def report(self, by: str, what: str, value: int | None = None) -> tuple[Event, ...]:
        """Somebody says what `by` did not announce (play.reports: no_last_tile, no_open_end), or how many tiles
        `by` was dealt (dealt, `value`). Said again, it takes the place of what was said before."""
        with self._lock:
            self._running(also_ended=True)
            if what not in REPORTS:
                raise CommandRejected(RejectionReason.NO_SUCH_REPORT, names=", ".join(REPORTS))
            said = Announced(by=self._player(by), what=what, value=value)
            # Of a deal in this round, else since the player's last tile.
            for event in (one.event for one in reversed(self.history.last.taken)):
                if isinstance(event, TilePlayed) and event.by == said.by and said.what != DEALT:
                    break
                if isinstance(event, Announced) and (event.by, event.what) == (said.by, said.what):
                    return () if event.value == value else self.correct(event.seq, {"value": value})
            return self._add(said)

    def leave(self, by: str) -> tuple[Event, ...]:
        """`by` goes away in the middle of the round: the hand lies aside, and the others play on."""
        with self._lock:
            self._running()
            course, player = self.match.course, self._player(by)
            assert course is not None
            playing = [name for name in course.players if name not in course.table.gone]
            if player not in playing:
                raise CommandRejected(RejectionReason.HAS_LEFT, name=player)
            if len(playing) <= LEAST_PLAYING:
                raise CommandRejected(RejectionReason.TOO_FEW_LEFT)
            return self._add(PlayerLeft(by=player))

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
            match = self._match_to_count(number)
            shown = self._shown_by(self._player(by), match, tiles, discards, in_order=in_order, source=source)
            return self._add_hands([shown], match)

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
            match = self.match if how else self._match_to_count(number)
            scored = match.lines.get("scored")
            shown = [self._shown_by(self._player(name), match, row) for name, row in hands.items()]
            if how or scored is None or self.history.acts[scored].held.event.source != "person":
                return self._add_hands(shown, match, ended)
            due = match.score_of({one.by: (*one.tiles, *one.discards) for one in shown})
            return self._count_anew(match, *shown, *([] if due is None else [due]))

    def _match_to_count(self, number: int | None) -> Match:
        match = self.match if number is None else self._match_counted(number)
        if match is None or match.course is None or match.course.ended is None:
            raise CommandRejected(RejectionReason.HANDS_TOO_EARLY)
        return match

    def _count_anew(self, match: Match, *lines: Event) -> tuple[Event, ...]:
        """The points of the round that `match` ended with follow from these lines now, instead of those until now."""
        gone = [match.lines["scored"], *(shown.seq for shown in match.shown.values())]
        put_in = [{"insert": [line.to_insert()], "after": True} for line in lines]
        return self._add(
            *(Corrected(corrects=seq, what={"withdrawn": True}) for seq in gone),
            *(Corrected(corrects=match.lines["ended"], what=what) for what in put_in),
        )

    def _add_hands(self, hands: Sequence[HandShown], match: Match, before: Sequence[Event] = ()) -> tuple[Event, ...]:
        scored, lines = match.lines.get("scored"), list[Event](before)
        for shown in hands:
            earlier = match.shown.get(shown.by)
            if earlier is not None:
                rows = {"tiles": shown.tiles, "discards": shown.discards}
                what: dict[str, Any] = {name: [[tile.low, tile.high] for tile in row] for name, row in rows.items()}
                lines.append(Corrected(corrects=earlier.seq, what=what, by=shown.by, source=shown.source))
            elif scored is None:
                lines.append(shown)
            elif shown.tiles or shown.discards:
                # It was taken to be empty when the round was scored.
                what = {"insert": [shown.to_insert()]}
                lines.append(Corrected(corrects=scored, what=what, by=shown.by, source=shown.source))
        return self._add(*lines) if lines else ()

    def _shown_by(
        self,
        player: str,
        match: Match,
        tiles: Iterable[TileLike],
        discards: Iterable[TileLike] = (),
        *,
        in_order: bool = False,
        source: str = "person",
    ) -> HandShown:
        left = tuple(laid_of(tile).tile for tile in tiles)
        away = tuple(laid_of(tile).tile for tile in discards)
        if match.course and not self.rules.is_mexican and not away and match.course.table.hands.get(player) == 0:
            left, away = (), left
        return HandShown(by=player, tiles=left, discards=away, in_order=in_order and bool(away), source=source)

    def hands_of(self, number: int) -> dict[str, list[list[int]]]:
        """The hands from which round `number` was counted, by player; {} where people typed its points."""
        with self._lock:
            match = self._match_counted(number)
            scored = None if match is None else match.lines.get("scored")
            if match is None or scored is None or self.history.acts[scored].held.event.source == "person":
                return {}
            return match.hands_shown()

    def table_of(self, number: int) -> Position | LinePosition | None:
        """The table as it lay when round `number` was counted; None where it has no points."""
        match = self._match_counted(number)
        return None if match is None or match.course is None else match.course.position

    def _match_counted(self, number: int) -> Match | None:
        """The match as it stood after round `number`, once that had its points."""
        for one in reversed(self.history.rounds.values()):
            sheet = one.match.board.round
            if sheet is not None and sheet.round == number and sheet.scores:
                return one.match
        return None

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
            match = self._match_counted(number)
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
                return self._score_late(dict(scores), number, how, out)
            if match.phase not in ("playing", "ended"):
                raise CommandRejected(RejectionReason.POINTS_TOO_EARLY)
            ended = [RoundEnded(how=how, out=out)] if match.phase == "playing" else []
            return self._add(*ended, replace(match.with_scores(dict(scores)), source="person"))

    def _score_late(self, scores: dict[str, int], number: int, how: str, out: str | None) -> tuple[Event, ...]:
        """Points for a round that was broken off and after which the game went on, or others than it has."""
        rounds = (one for one in reversed(self.history.rounds.values()) if one.begun and one.begun.round == number)
        acts = (act for one in rounds for act in reversed(one.acts.values()))
        last = next((act for act in acts if isinstance(act.event, (RoundEnded, RoundScored))), None)
        match last and last.event:
            case RoundScored(seq=seq, source="person", scores=written) if scores != dict(written):
                return self._add(Corrected(corrects=seq, what={"scores": scores}))
            case RoundScored(scores=written) if scores != dict(written):
                assert last is not None
                return self._count_anew(last.after, replace(last.after.with_scores(scores), source="person"))
            case RoundEnded(seq=seq, how="abandoned"):
                assert last is not None
                line = replace(last.after.with_scores(scores), source="person").to_insert()
                # The next round has begun already: what the rules would have named for it is of no use any more.
                line |= {"next_engine": None, "next_starter": None}
                what = {"how": how, "out": out, "insert": [line], "after": True}
                return self._add(Corrected(corrects=seq, what=what))
        raise CommandRejected(RejectionReason.ROUND_HAS_POINTS, number=number)

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
            if self._ends_by_count():
                self._reopen("person")
                return self._publish()
            lines = self.to_undo()
            if not lines:
                raise CommandRejected(RejectionReason.NOTHING_TO_UNDO)
            return self._withdraw([line.seq for line in reversed(lines)], UNDONE)

    def to_undo(self) -> tuple[Event, ...]:
        """The lines that `undo` would withdraw, in their order; () where there is nothing to undo."""
        with self._lock:
            if self._ends_by_count():
                return tuple(one.event for one in self.history.held if isinstance(one.event, RoundEnded))[-1:]
            told, lines = self.events, tuple[Event, ...]()
            for seq in steps_back(self.history.lines, self.history.held):
                lines = (told[seq - 1], *lines)
                if not self._belongs_to_an_earlier_line(lines[0]):
                    break
            return lines

    def _ends_by_count(self) -> bool:
        return self.match.phase == "ended" and self.history.last.only_counted

    def put_back(self) -> tuple[Event, ...]:
        """Let what the last step back took away count again, unless something has happened since."""
        with self._lock:
            steps = self._last_step_back()
            if not steps:
                raise CommandRejected(RejectionReason.NOTHING_TO_PUT_BACK)
            return self._withdraw([step.seq for step in steps], PUT_BACK)

    def to_put_back(self) -> tuple[Event, ...]:
        """The lines that `put_back` would let count again, in their order."""
        with self._lock:
            told = self.events
            return tuple(told[step.corrects - 1] for step in self._last_step_back())

    def _last_step_back(self) -> list[Corrected]:
        """The lines that the last step back wrote, the last first, if nothing else has happened since."""
        steps, lines = list[Corrected](), self.history.lines
        for line in (one for one in reversed(lines) if one.source != "rule"):
            if not isinstance(line, Corrected) or dict(line.what) != UNDONE:
                break
            if steps and not self._belongs_to_an_earlier_line(lines[line.corrects - 1]):
                break
            steps.append(line)
        return steps

    def _withdraw(self, seqs: Iterable[int], what: Mapping[str, Any]) -> tuple[Event, ...]:
        return self._add(*(Corrected(corrects=seq, what=what) for seq in seqs))

    def _belongs_to_an_earlier_line(self, line: Event) -> bool:
        """Whether one command brought a line and the one before it: both are undone as one."""
        before = self.history.lines[line.seq - 2 : line.seq - 1]
        stamp = ("person", line.at, line.author)
        return line.source == "person" and any((one.source, one.at, one.author) == stamp for one in before)

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
            question = next((one for one in self.history.questions() if one.seq == seq), None)
            if question is None:
                raise CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=seq)
            if choice is not None and not 0 <= choice < len(question.candidates):
                raise CommandRejected(RejectionReason.NO_SUCH_ANSWER, seq=seq, last=len(question.candidates) - 1)
            if question.about is not None:
                return self._fit(question, choice, by)
            what: dict[str, Any] = {"answer": choice}
            lines: Sequence[Mapping[str, Any]] = () if choice is None else question.candidates[choice].events
            if tile is not None and question.on_record is not None:
                lines = [{"seq": question.on_record, "tile": list(tile)}]
            known = [line for line in lines if isinstance(line.get("seq"), int)]
            if known:
                # On record already: an act by somebody unnamed, a tile not read, a round whose engine was not found.
                changes = [
                    {"by": line.get("by")} if "event" in line else {name: line[name] for name in line if name != "seq"}
                    for line in known
                ]
                corrected = [
                    Corrected(corrects=line["seq"], what=one, by=by) for line, one in zip(known, changes, strict=True)
                ]
                return self._add(Corrected(corrects=seq, what=what, by=by), *corrected)
            # One line for each event, so that each can be put right by itself.
            put_in = [{"insert": [dict(line)], "after": True} for line in lines] or [{}]
            put_in[0] = what | put_in[0]
            return self._add(*(Corrected(corrects=seq, what=one, by=by) for one in put_in))

    def _fit(
        self, question: Unclear, choice: int | None, by: str | None, order: Sequence[int] | None = None
    ) -> tuple[Event, ...]:
        """Record the answer about a tap that does not fit: a key, or the `order` of these taps."""
        if choice is None or (order is None and question.candidates[choice].kind == EditKind.ORDER):
            raise CommandRejected(RejectionReason.NO_SUCH_ANSWER, seq=question.seq, last=len(question.candidates) - 2)
        key, said = question.candidates[choice], {} if order is None else {"order": list(order)}
        lines = [Corrected(corrects=question.seq, what={"answer": choice} | said, by=by)]
        for event in key.events:
            told: dict[str, Any] = {"answers": question.seq}
            if key.kind == EditKind.NAME:
                lines.append(Corrected(corrects=event["seq"], what=told | {"by": event["by"]}, by=by))
            elif key.kind == EditKind.TWICE:
                lines.append(Corrected(corrects=event["seq"], what=told | {"withdrawn": True}, by=by))
            elif key.kind == EditKind.START:
                begun = self.history.last.begun
                assert begun is not None
                told |= {name: event[name] for name in ("starter", "engine") if name in event}
                lines.append(Corrected(corrects=begun.seq, what=told, by=by))
            elif key.kind == EditKind.MISSING:
                line = {name: value for name, value in event.items() if name not in ("before", "after")}
                told |= {"insert": [line | {"source": "person"}], "after": "after" in event}
                lines.append(Corrected(corrects=event.get("after", event.get("before")), what=told, by=by))
        return self._add(*lines, *(self._markers_with(lines, by) if key.kind == EditKind.NAME else ()))

    def _markers_with(self, lines: Sequence[Corrected], by: str | None) -> list[Corrected]:
        """The markers of tiles for which `lines` name somebody else, as if they had tapped it themselves: the one that
        came off with the tap is on again, and theirs comes off, unless somebody has moved it or played there since."""
        named, told, found = {line.corrects for line in lines[1:]}, {"answers": lines[0].corrects}, list[Corrected]()
        for line in self.events:
            lifted = isinstance(line, MarkerRemoved) and line.seq - 1 in named and line.seq not in named
            if lifted and self._belongs_to_an_earlier_line(line):
                found.append(Corrected(corrects=line.seq, what=told | {"withdrawn": True}, by=by))
        then = self.history.told(self.journal.stamped((*lines, *found))).last
        before, acts = then.before, list(then.acts.values())
        for n, act in enumerate(acts):
            tile, course = act.event, before.course
            before = act.after
            if act.held.seq not in named or not isinstance(tile, TilePlayed) or tile.by is None or course is None:
                continue
            moved = (TilePlayed, MarkerPlaced, MarkerRemoved)
            since = any(isinstance(one.event, moved) and one.event.train == tile.by for one in acts[n + 1 :])
            if not since and lifts_marker(course, tile.by, Play(tile.tile, tile.train)):
                off = MarkerRemoved(by=tile.by, train=tile.by).to_insert() | {"source": "person"}
                found.append(Corrected(corrects=tile.seq, what=told | {"insert": [off], "after": True}, by=by))
        return found

    def was_so(self, seq: int, by: str | None = None) -> tuple[Event, ...]:
        """Confirm that the tap of line `seq` happened as it was told, whatever was put in order silently."""
        with self._lock:
            return self._add(Corrected(corrects=seq, what={"so": True}, by=by))

    def put_in_order(self, seq: int, order: Sequence[int], by: str | None = None) -> tuple[Event, ...]:
        """The answer to a tap that does not fit: these acts, by their lines, happened in this order."""
        with self._lock:
            question = next((one for one in self.history.questions() if one.seq == seq), None)
            kinds = [] if question is None else [key.kind for key in question.candidates]
            if question is None or EditKind.ORDER not in kinds:
                raise CommandRejected(RejectionReason.NO_OPEN_QUESTION, seq=seq)
            choice = kinds.index(EditKind.ORDER)
            return self._fit(question, choice, by, order)

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
