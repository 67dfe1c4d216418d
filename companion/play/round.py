"""The course of one round: recorded events become turns, each judged, and the table follows whatever happened.

A `Course` is a frozen value; `take` returns the next one together with what the event is found to be, and with what is
now known of earlier events (a marker that stayed on is noticed when the next player begins). Nothing is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.event_fields import Finding
from companion.log.events import (
    Announced,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    RoundEnded,
    TileTakenBack,
)
from companion.play.counts import Counted, miscounted, misdealt, uncounted_among
from companion.play.event_actions import action_of, between, lifted, meant, passing, turned_to, uncounted, unsettled
from companion.play.first_lap import Together, begins, belongs_to_first_train, can_go_on, movers, on_table, with_act
from companion.play.reports import DEALT, LAST_TILE, reported
from companion.play.turn import FOREIGN_TILES, Table, TurnInProgress, changes, perhaps_marked
from companion.rules.actions import Action, Discard, Draw, Mark, Pass, Play, Unmark
from companion.rules.position import LinePosition, Position
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation

Findings = Mapping[int, tuple[Finding, ...]]


MOST_ACTS = 200
"""More than the largest set has tiles. A turn is judged as a whole with each act; what goes on for longer is no turn of
any game, and goes on as another one of the same player, or a damaged journal takes minutes to open."""


@dataclass(frozen=True, slots=True)
class Step:
    """The course after an event, the event's own findings, and new findings of earlier events by their keys."""

    course: Course
    findings: tuple[Finding, ...] = ()
    late: Findings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Course:
    """One round as it stands. `start_seq` is the journal's line that began it.

    `table` is the table as recorded; its `turn` is whose turn is open, or who is to begin one. `turn` is the turn being
    made, also after it is complete, until somebody else acts. `moved`: who has had the first turn. `silent`: turns in a
    row that laid no tile and opened no train. `also`: who may begin as well as the expected player, after a turn out
    of order. `laid`: train -> keys of its tiles' events. `turns`: the closed turns. `ended`: how the
    round ended, `ended_by` who says so. `counted`: whether hands and boneyard can be counted. `watched`: the camera
    named players, by nothing but the turn order. `turn_open`: nobody has said who began, and nobody has surely moved;
    `turn` is no more than a beginning then, and no order of turns is held against anybody. `starter_known`: `starter`
    is not taken for want of another. `first_turns`: the first trains laid at the same time, but the one at hand;
    `together`: (player, double) of the tiles on own trains since everybody has begun; `lap_closed`: somebody has said
    that the last first train is done; `lap_over`: ordinary turns have begun (play.first_lap). `announced`: who has
    announced the last tile.
    """

    rules: RuleSet
    referee: Referee[Any] = field(repr=False, compare=False)
    number: int
    start_seq: int
    starter: str
    table: Table
    counted: bool = True
    turn: TurnInProgress | None = None
    moved: frozenset[str] = frozenset()
    silent: int = 0
    also: str | None = None
    laid: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    turns: tuple[TurnInProgress, ...] = ()
    ended: str | None = None
    ended_by: str | None = None
    watched: bool = False
    turn_open: bool = False
    starter_known: bool = True
    first_turns: Mapping[str, TurnInProgress] = field(default_factory=dict)
    together: Together = ()
    lap_closed: bool = False
    lap_over: bool = False
    announced: frozenset[str] = frozenset()
    _closed: list[tuple[Course, Findings]] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def laying_together(self) -> bool:
        """Whether first trains may still be laid, by everybody at the same time."""
        return self.rules.first_simultaneous and not self.lap_over

    @property
    def begun(self) -> frozenset[str]:
        """Who has laid a tile of the first train, drawn, put the marker on or passed: turning a double over says
        nothing about their own train."""
        turns = {**self.first_turns, **({} if self.turn is None else {self.turn.player: self.turn})}
        return self.moved | {player for player, turn in turns.items() if begins(turn)}

    @property
    def all_begun(self) -> bool:
        return self.begun >= set(self.players)

    @property
    def movers(self) -> tuple[str, ...]:
        """Who may have the first ordinary turn once everybody has begun, the likeliest first."""
        if not self.starter_known:
            return self.players
        start = self.players.index(self.starter)
        marked = self.table.markers if isinstance(self.table, Position) else frozenset()
        closed = self.lap_closed or all(
            player in marked or (turn := self.first_turns.get(player)) is None or turn.passed is not None
            for player in self.players
        )
        return movers(self.players[start:] + self.players[:start], self.together, closed)

    def laying(self, player: str, action: Action) -> bool:
        """Whether this act by `player` can belong to a first train laid while the others lay theirs.

        In a lap in which somebody has not begun every act does.
        """
        if not self.laying_together:
            return False
        turn = self.turn if self.turn is not None and self.turn.player == player else self.first_turns.get(player)
        done = turn.actions if turn is not None else ()
        if turn is not None and turn.passed is not None and self.all_begun:
            return False
        if not self.all_begun or belongs_to_first_train(self.rules, self.table, player, action, done):
            return True
        # Whoever cannot have the next turn has marked for the first train, or lays it in the wrong place.
        own = isinstance(action, Play) or (action == Mark(player) and action not in done)
        return own and player not in self.movers

    @property
    def position(self) -> Table:
        """The table with `turn` the player who is to act now: the next one as soon as a turn is finished.

        A long first train may go on, and goes on where the next one is out.
        """
        turn = self.turn
        if turn is None or not turn.finished(self.rules):
            return self.table
        following = self.close()[0].table
        may_go_on = turn.passed is None and bool(turn.plays) and turn.long(self.rules)
        return self.table if may_go_on and following.hands.get(following.turn) == 0 else following

    @property
    def mover(self) -> str:
        return self.position.turn

    def take(self, event: Event, key: int) -> Step:
        """The course after `event`, whose key is `key`. An event that says nothing about the table changes nothing."""
        if isinstance(event, TileTakenBack):
            return Step(replace(self, table=lifted(self.table, event.train, event.tile)), event.violations)
        if isinstance(event, RoundEnded):
            return Step(replace(self, ended=event.how, ended_by=event.source), event.violations)
        action = action_of(event)
        if self.turn_open and action is not None:
            self = self._opened_by(event, action)
        if isinstance(event, Passed):
            return self._take_pass(event, key)
        if isinstance(event, Announced):
            return self._take_report(event)
        if action is None:
            return Step(self, getattr(event, "violations", ()))
        if self.ended is not None:
            return self._take_after_end(action, event, key)
        if event.source == "camera" and not self.watched:
            return replace(self, watched=True).take(event, key)
        if unsettled(event) and isinstance(action, (Play, Draw)) and set(meant(event)) != {event.who}:
            self = self._counted_as(uncounted_among(self.table, self.turn, meant(event)))
        player = self.player_of(event)
        together = self.laying(player, action)
        if isinstance(action, (Mark, Unmark)) and not together and not self.in_turn(player):
            stray = self._take_stray_marker(action, player)
            return replace(stray, findings=getattr(event, "violations", ())) if unsettled(event) else stray
        if isinstance(action, (Play, Discard)) and self.table.hands.get(player) == 0:
            return self._counted_as(miscounted(self.table, self.turn, player)).take(event, key)
        if together:
            laid = with_act(self.together, player, action) if self.all_begun else ()
            step = Step(replace(self, together=laid)._taken_up(player))
        else:
            step = Step(self) if self._continues(player, action) else self._turn_to(player)
        done = step.course._with_act(action, key)
        late = {**step.late, **done.late}
        findings = (*step.findings, *done.findings)
        if unsettled(event):
            findings = getattr(event, "violations", ())
        return Step(done.course, findings, late)

    def _opened_by(self, event: Event, action: Action) -> Course:
        """The round, of which nobody has said who begins, as this act shows it to have begun.

        Still open where the act surely names nobody.
        """
        if self.laying(self.player_of(event), action):
            return self
        first, by = self.turn is None and not self.turns, event.who
        if by not in self.players or unsettled(event) or isinstance(action, (Mark, Unmark)):
            begun = self.begun_by(self.player_of(event)) if first else self
            return replace(begun, turn_open=True, starter_known=False)
        return replace(self, turn_open=False) if not first and self.in_turn(by) else self.begun_by(by)

    def begun_by(self, player: str) -> Course:
        """The same round with `player` to act now: the starter where nobody has moved yet."""
        first = self.turn is None and not self.turns
        closed = self.close()[0]
        table = turned_to(closed.table, player, closed.moved)
        starter, known = (player, True) if first else (self.starter, self.starter_known)
        return replace(closed, table=table, starter=starter, starter_known=known, turn_open=False, also=None)

    def passes_before(self, event: Event) -> tuple[Passed, ...]:
        """The passes that `event` implies and nobody recorded: of the player whose turn it breaks off."""
        if self.ended is not None or self.turn is None or self.turn_open:
            return ()
        if action_of(event) is None or isinstance(event, Passed):
            return ()
        turn, player = self.turn, self.player_of(event)
        if self.laying_together and not self.all_begun:
            return ()
        if turn.player == player or turn.finished(self.rules) or turn.plays or not self.in_turn(player):
            return ()
        return (Passed(by=turn.player, source="rule"),)

    def player_of(self, event: Event) -> str:
        """Whose act it is: as recorded; else whom it may have been; else the owner of a marker; else who is to move."""
        for name in (event.who, *event.perhaps):
            if name in self.players:
                return str(name)
        owner = getattr(event, "train", None)
        if self.laying_together and owner in self.players:
            return str(owner)
        mover = self.mover
        if self.turn is not None and isinstance(event, (MarkerPlaced, MarkerRemoved)) and event.train != mover:
            return self.turn.player
        return mover

    def silent_faults(self, first: str, until: str) -> list[tuple[str, frozenset[Violation]]]:
        """Who, from `first` up to before `until`, would break which rules by having passed without a sign."""
        faults = []
        player = first
        for _ in self.players:
            if player == until:
                break
            codes = self.referee.judge(self._begun(player).table, (passing(self.table),)).codes
            done = isinstance(self.table, LinePosition) and self.table.hands.get(player) == 0
            if codes and not done:
                faults.append((player, codes))
            player = self.table.after(player)
        return faults

    def in_turn(self, player: str) -> bool:
        """Whether an act of `player` can belong to the turn being made or begin one."""
        if self.turn is not None and self.turn.player == player:
            return True
        if self.turn is not None and not self.turn.finished(self.rules):
            return self.table.after(self.turn.player) == player and bool(self.turn.actions)
        if self.laying_together:
            return player in self.movers
        return player in (self.close()[0].table.turn, self.also)

    def _continues(self, player: str, action: Action) -> bool:
        turn = self.turn
        if turn is None or turn.player != player or self.laying_together:
            return False
        if not isinstance(action, (Play, Draw, Discard)) or not turn.finished(self.rules):
            return True
        if turn.long(self.rules) and turn.passed is None and isinstance(action, Play):
            return True
        found = self.close()[1]
        # Others may have passed without a sign, and this begins the player's next turn: not where the turn before it
        # would then have ended wrongly.
        return bool(found) or not self._may_be_next_turn(player)

    def _may_be_next_turn(self, player: str) -> bool:
        """Whether everybody else may have passed without a sign since this player's finished turn."""
        closed = self.close()[0]
        return not closed.silent_faults(closed.table.turn, player)

    def _begun(self, player: str, resume: str | None = None) -> Course:
        table = turned_to(self.table, player, self.moved)
        return replace(self, table=table, turn=TurnInProgress(player, table, resume=resume), also=None)

    def close(self) -> tuple[Course, Findings]:
        """The course with the open turn closed, and what that shows; key -1 for a turn that left no event."""
        if not self._closed:
            self._closed.append(self._closing())
        return self._closed[0]

    def _closing(self) -> tuple[Course, Findings]:
        turn = self.turn
        if self.laying_together:
            return self._paused(), {}
        if turn is None:
            return self, {}
        found = changes(turn.findings(self.referee, over=turn.judged), turn.findings(self.referee, over=True))
        following = turn.resume or self._with_acts(self.table.after(turn.player))
        moved = self.moved | {turn.player}
        course = replace(
            self,
            table=perhaps_marked(turn, turned_to(self.table, following, moved), self.rules, watched=self.watched),
            turn=None,
            moved=moved,
            silent=self._silent_after(turn),
            also=self.table.after(turn.player) if turn.resume else None,
            turns=(*self.turns, turn),
        )
        return course, found

    def _with_acts(self, player: str) -> str:
        """Chinese games: the next who still has a tile, where hands are counted."""
        if isinstance(self.table, LinePosition):
            for _ in self.players:
                if self.table.hands.get(player) != 0:
                    break
                player = self.table.after(player)
        return player

    def _first_without_turn(self, moved: frozenset[str]) -> str:
        start = self.players.index(self.starter)
        order = self.players[start:] + self.players[:start]
        return next(player for player in order if player not in moved)

    def _silent_after(self, turn: TurnInProgress) -> int:
        """Turns in a row that changed nothing for the others: a marker put on opens a train, and all may try again."""
        if turn.plays:
            return 0
        return 1 if Mark(turn.player) in turn.actions else self.silent + 1

    def _turn_to(self, player: str) -> Step:
        """Close what is open and let `player` begin; out of turn where that is not the one expected."""
        allowed = self.movers if self.laying_together else ()
        course, found = self._end_first_trains() if self.laying_together else self.close()
        late = dict(found)
        loose = tuple(replace(finding, by=self.turn.player) for finding in late.pop(-1, ()) if self.turn)
        expected = course.table.turn
        if player in (expected, course.also, *allowed):
            return Step(course._begun(player), loose, late)
        faults = min((course.silent_faults(first, player) for first in allowed or (expected,)), key=len)
        if not faults:
            passed = course.moved | set(between(self.players, expected, player))
            return Step(replace(course, moved=passed, silent=course.silent + 1)._begun(player), loose, late)
        skipped = tuple(
            Finding(str(code), certain=False, by=who) for who, codes in faults[:1] for code in sorted(codes)
        )
        one = len(faults) == 1 or len(allowed) > 1
        out_of_turn = (Finding(str(Violation.OUT_OF_TURN), certain=not one), *(skipped if one else ()))
        return Step(course._begun(player, resume=expected), (*loose, *out_of_turn), late)

    def _paused(self) -> Course:
        """The course with nobody's first train being laid at this moment; the next to move is who has not begun, or who
        may have the first ordinary turn."""
        turns = dict(self.first_turns)
        if self.turn is not None:
            turns[self.turn.player] = self.turn
        moved = self.begun
        following = self.movers[0] if self.all_begun else self._first_without_turn(moved)
        return replace(self, turn=None, first_turns=turns, moved=moved, table=turned_to(self.table, following, moved))

    def _taken_up(self, player: str) -> Course:
        """The course with `player` laying the first train, begun now or earlier."""
        if self.turn is not None and self.turn.player == player:
            return self
        course = self._paused()
        table = turned_to(course.table, player, ())
        assert isinstance(table, Position)
        turns = dict(course.first_turns)
        turn = turns.pop(player, None)
        closed = course.turns
        if turn is not None and not can_go_on(turn, table):
            closed, turn = (*closed, turn), None
        turn = TurnInProgress(player, table) if turn is None else on_table(turn, table)
        return replace(course, table=table, turn=turn, first_turns=turns, turns=closed)

    def _end_first_trains(self) -> tuple[Course, Findings]:
        """Ordinary turns have begun: every first train is closed, and what that shows."""
        course = self._paused()
        found: dict[int, tuple[Finding, ...]] = {}
        for turn in course.first_turns.values():
            over = turn.judged
            found |= changes(turn.findings(self.referee, over=over), turn.findings(self.referee, over=True))
            course = replace(
                course,
                table=perhaps_marked(turn, course.table, self.rules, watched=self.watched),
                turns=(*course.turns, turn),
            )
        return replace(course, first_turns={}, together=(), lap_over=True), found

    def _with_act(self, action: Action, key: int) -> Step:
        turn = self.turn
        assert turn is not None
        if len(turn.actions) >= MOST_ACTS:
            table = turned_to(self.table, turn.player, self.moved)
            self = replace(self, turns=(*self.turns, turn))
            turn = TurnInProgress(turn.player, table, resume=turn.resume, strayed=turn.strayed)
        made, table = turn.with_act(action, key, self.referee, self.rules)
        if turn.strayed:
            table = self.referee.apply(self.table, action)
        if turn.player not in self.announced and made.is_fine(self.rules):
            made = replace(made, fined=(*made.fined, key))
        before = turn.findings(self.referee, over=turn.judged)
        after = made.findings(self.referee, over=made.judged)
        late = changes(before, after)
        laid = dict(self.laid)
        if isinstance(action, Play):
            laid[action.train] = (*laid.get(action.train, ()), key)
        if made.codes[-1] & FOREIGN_TILES:
            table = uncounted(table, made.player)
            made = replace(made, before=uncounted(made.before, made.player))
        course = replace(self, table=table, turn=made, laid=laid)
        return Step(course, late.pop(key, ()), late)

    def _take_pass(self, event: Passed, key: int) -> Step:
        if self.ended is not None:
            return Step(self, event.violations)
        player = self.player_of(event)
        if self.laying_together and (not self.all_begun or (self.turn is not None and self.turn.player == player)):
            self = self._taken_up(player)
            if self.turn is not None and self.turn.passed is not None and not self.all_begun:
                return Step(self)
            if self.all_begun and not event.done:
                self = replace(self, lap_closed=True)
            if self.all_begun and self.turn is not None and self.turn.actions[-1:] == (Draw(),):
                self = replace(self, together=with_act(self.together, player, Pass()))
        same = self.turn is not None and self.turn.player == player and self.turn.passed is None
        if event.done:
            return self._take_done(player, event, key)
        if self.turn is not None and self.turn.player == player and not (same or self.watched or self.laying_together):
            # Tapped twice.
            return Step(self)
        step = Step(self) if same else self._turn_to(player)
        turn = step.course.turn
        assert turn is not None
        if isinstance(turn.before, LinePosition):
            step = replace(step, course=step.course._with_act(Pass(), key).course)
            turn = step.course.turn
            assert turn is not None
        before = turn.findings(self.referee, over=False)
        ended = replace(turn, passed=key)
        late = {**step.late, **changes(before, ended.findings(self.referee, over=True))}
        own = late.pop(key, before.get(key, ()))
        findings = event.violations if unsettled(event) else (*step.findings, *own)
        return Step(replace(step.course, turn=ended), findings, late)

    def _take_done(self, player: str, event: Passed, key: int) -> Step:
        """Somebody says that their own turn is over. It ends a turn that is being made, which is judged when another
        begins; it is a turn of its own only where nothing is wrong with one in which nothing is seen to happen. Else
        it was pressed late or early, or it is another's turn than it seems, and the belief weighs that."""
        turn = self.turn
        if turn is not None and turn.player == player and turn.passed is None and turn.actions:
            return Step(replace(self, turn=replace(turn, passed=key, pressed=True)), event.violations)
        first = self.first_turns.get(player)
        if first is not None and first.passed is None and first.actions:
            first = replace(first, passed=key, pressed=True)
            return Step(replace(self, first_turns={**self.first_turns, player: first}), event.violations)
        if self.laying_together or not self.in_turn(player) or (turn is not None and not turn.finished(self.rules)):
            return Step(self, event.violations)
        closed = self.close()[0]
        if closed.table.turn != player or closed.silent_faults(player, self.table.after(player)):
            return Step(self, event.violations)
        step = self._turn_to(player)
        assert step.course.turn is not None
        return Step(replace(step.course, turn=replace(step.course.turn, passed=key)), event.violations, step.late)

    def _take_report(self, event: Announced) -> Step:
        """What somebody says that no camera sees. Once a hand was dealt wrongly, neither it nor the boneyard counts."""
        found = reported(self.rules, self.table, event, self.announced)
        if event.by is None or event.by not in self.players:
            return Step(self, found)
        if event.what == LAST_TILE:
            return Step(replace(self, announced=self.announced | {event.by}), found)
        if event.what == DEALT and found:
            return Step(self._counted_as(misdealt(self.table, self.turn, event.by)), found)
        return Step(self, found)

    def _counted_as(self, counts: Counted) -> Course:
        table, turn = counts
        return replace(self, table=table, turn=turn)

    def _take_stray_marker(self, action: Mark | Unmark, player: str) -> Step:
        """A marker moved by somebody whose turn it is not: late, or on nobody's authority."""
        table = self.table
        assert isinstance(table, Position)
        if (action.player in table.markers) == isinstance(action, Mark):
            return Step(self)
        markers = table.markers | {action.player} if isinstance(action, Mark) else table.markers - {action.player}
        turn = None if self.turn is None else replace(self.turn, strayed=True)
        course = replace(self, table=replace(table, markers=markers), turn=turn)
        if action.player != player:
            return Step(course, (Finding(str(Violation.MARKER_WRONG_TRAIN)),))
        code = Violation.MARKER_UNEARNED if isinstance(action, Mark) else Violation.MARKER_REMOVED_WRONGLY
        return Step(course, (Finding(str(code), certain=False),))

    def _take_after_end(self, action: Action, event: Event, key: int) -> Step:
        laid = dict(self.laid)
        found: tuple[Finding, ...] = ()
        if isinstance(action, Play):
            laid[action.train] = (*laid.get(action.train, ()), key)
            # Who ends a watched round by a tap may have erred as well as whoever goes on playing.
            certain = (self.ended_by == "person" and not self.watched) or self.ended == "blocked_proved"
            found = (Finding(str(Violation.PLAY_AFTER_END), certain=certain),)
        table = replace(self.table, turn=self.player_of(event))
        return Step(replace(self, table=self.referee.apply(table, action), laid=laid), found)
