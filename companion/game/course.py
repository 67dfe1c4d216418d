"""The course of one round: the tiles on the table, the turns that were made, and whose turn it is.

A `Course` is a frozen value; `take` returns the next one. It follows acts and rules on none. The belief says to which
turn an act belongs (`TurnPlace`) and who broke which rule. `action_of` is the act that an event records.

Beside it stand reports of things that no camera sees (a last tile not announced, a hand of the wrong size), and the
meaning of a tap by the player to move: the acts that go with "I cannot play", the marker that comes off with a tile.
There the referee decides: which are the fewest acts that end a turn without a tile and without a fault?
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.event_fields import Finding
from companion.log.events import (
    Announced,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    PlayerLeft,
    RoundEnded,
    TilePlayed,
    TileTakenBack,
)  # fmt: skip
from companion.rules.mexican.judge import play_out
from companion.rules.mexican.turn import open_codes
from companion.rules.position import (
    Action,
    Discard,
    Draw,
    End,
    Flip,
    Leave,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Table,
    TableAct,
    Unmark,
    lifted,
    turned_to,
    uncounted,
    without,
)  # fmt: skip
from companion.rules.referee import Referee, is_foreign
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid
from companion.rules.violations import Ruling, Violation
from companion.tracking.strict import TurnPlace

LAST_TILE = "last_tile"
NO_LAST_TILE, NO_OPEN_END, DEALT = "no_last_tile", "no_open_end", "dealt"
REPORTS = (NO_LAST_TILE, NO_OPEN_END, DEALT)


def action_of(event: Event) -> TableAct | None:
    """The act that an event records; None for an event without one. A pass is seen to by itself."""
    match event:
        case TilePlayed():
            return Play(event.tile, event.train)
        case Drew():
            return Draw()
        case Discarded():
            return Discard(event.face_up, event.tile if event.face_up else None)
        case MarkerPlaced():
            return Mark(event.train)
        case MarkerRemoved():
            return Unmark(event.train)
        case DoubleFlipped():
            return Flip(event.train)
        case Passed():
            return End()
    return None


def act_of(event: Event) -> TableAct | None:
    """The act somebody must have done for this event; nobody saw a pass that the rules imply."""
    if isinstance(event, PlayerLeft):
        return Leave()
    if isinstance(event, Passed):
        act = End() if event.done else Pass()
        return act if event.source == "person" else None
    return action_of(event)


def event_of(act: TableAct, by: str | None, *, source: str = "camera", **fields: Any) -> Event:
    """The event that records an act of `by`; raises TypeError for an end of a turn, which is nobody's act."""
    common: dict[str, Any] = {"by": by, "source": source, **fields}
    match act:
        case Play(tile, train):
            return TilePlayed(tile=tile, train=train, **common)
        case Draw():
            return Drew(**common)
        case Mark(player):
            return MarkerPlaced(train=player, **common)
        case Unmark(player):
            return MarkerRemoved(train=player, **common)
        case Flip(train):
            return DoubleFlipped(train=train, **common)
        case Discard(face_up, tile):
            return Discarded(face_up=face_up, tile=tile, **common)
    raise TypeError(f"nobody can have done {act!r}")


def unsettled(event: Event) -> bool:
    """Whether the player or the findings are open: then its violations stand as they were weighed."""
    return len(event.perhaps) > 1 or (bool(event.perhaps) and event.who is not None)


def meant(event: Event) -> tuple[str, ...]:
    """Players whose act it may be, the likeliest first."""
    return event.perhaps if event.who is None else (event.who, *event.perhaps)


def reported(rules: RuleSet, table: Table, event: Announced, announced: Collection[str] = ()) -> tuple[Finding, ...]:
    """Findings from a report: none where the rules ask for no such thing, or the table or the record (who has
    `announced` the last tile) shows otherwise."""
    code = _code(rules, table, event, announced)
    return () if code is None else (Finding(str(code), certain=code not in open_codes(rules)),)


def _code(rules: RuleSet, table: Table, event: Announced, announced: Collection[str]) -> Violation | None:
    if event.by not in table.players:
        return None
    if event.what == NO_LAST_TILE:
        asked = rules.announce is not None and table.hands.get(event.by, 1) == 1 and event.by not in announced
        return Violation.ANNOUNCE_MISSING if asked else None
    if event.what == NO_OPEN_END and isinstance(table, LinePosition):
        lead = table.line[0] if len(table.line) == 1 else None
        named = lead is None or lead.is_double or rules.arms != 1
        return None if named else Violation.OPEN_END_UNDECLARED
    if event.what == DEALT:
        size = rules.hand_size(table.set_max, len(table.players))
        return Violation.HAND_SIZE if size is not None and event.value not in (None, size) else None
    return None


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn. It grows act by act.

    >>> from companion.rules import Board, load_ruleset
    >>> turn = Turn(TurnPlace(1, "Ann"), Board("reeves").position)
    >>> turn.begun, turn.complete(load_ruleset("reeves"))
    (False, False)
    >>> turn = Turn(TurnPlace(1, "Ann"), Board("reeves").position, actions=(Draw(), Mark("Ann")))
    >>> turn.begun, turn.finished(load_ruleset("reeves"))
    (True, True)
    """

    place: TurnPlace
    """Which one it is of the round, by the belief."""
    before: Table
    """The table at its start, with `player` to move."""
    actions: tuple[Action, ...] = ()
    lines: tuple[int, ...] = ()
    """The line of each act."""
    passed: int | None = None
    """The line that ended the turn aloud, or by which its player left."""
    resume: str | None = None
    """It was out of turn, and this player is still expected."""
    foreign: bool = False
    """A tile of it cannot have come from a hand of the set."""

    @property
    def player(self) -> str:
        return self.place.player

    @property
    def lap(self) -> bool:
        """Whether it is one of the common first lap, in which everybody lays at the same time."""
        return self.place.number == 0

    def long(self, rules: RuleSet) -> bool:
        """Whether this is a long first turn. Source: docs/rules.md 2.2."""
        return rules.long_first and self.before.first_turn

    @property
    def plays(self) -> tuple[Play, ...]:
        return tuple(action for action in self.actions if isinstance(action, Play))

    @property
    def begun(self) -> bool:
        """Whether the player has done anything of it: turning a double over says nothing about their own train."""
        return self.passed is not None or any(not isinstance(action, Flip) for action in self.actions)

    def feeds(self, rules: RuleSet, acts: int | None = None) -> bool:
        """Whether a double has to be covered after the first `acts` acts (None: after all of them)."""
        if not isinstance(self.before, Position) or self.long(rules):
            return False
        done = self.actions if acts is None else self.actions[:acts]
        return play_out(rules, self.before, done).feeding

    def complete(self, rules: RuleSet) -> bool:
        """Whether the player has done what a turn asks for. Source: docs/rules.md 7.1, "Complete"."""
        if isinstance(self.before, LinePosition):
            return any(isinstance(action, (Play, Discard)) for action in self.actions)
        plays = self.plays
        if not plays:
            return False
        if self.long(rules) or not all(play.tile.is_double for play in plays):
            return True
        held = self.before.hands.get(self.player)
        return held is not None and held + self.actions.count(Draw()) - len(plays) <= 0

    def finished(self, rules: RuleSet) -> bool:
        """Whether nothing more is due from the player, so that the next one may begin."""
        if self.passed is not None or self.complete(rules):
            return True
        own = Mark(self.player)
        if own not in self.actions:
            return False
        later = self.actions[self.actions.index(own) + 1 :]
        return not any(isinstance(action, (Play, Draw)) for action in later)


@dataclass(frozen=True, slots=True)
class Course:
    """One round as it stands.

    >>> from companion.log.events import TilePlayed
    >>> from companion.rules import Board, Laid, load_ruleset
    >>> rules = load_ruleset("reeves")
    >>> course = Course(rules, starter="Ann", table=Board("reeves").position)
    >>> course.mover, course.take(TilePlayed(seq=2, by="Ann", tile=Laid(12, 5), train="Ann")).mover
    ('Ann', 'Ben')
    """

    rules: RuleSet
    starter: str
    table: Table
    """As recorded; its `turn` is the player whose turn is open, or who is to begin one."""
    counted: bool = True
    """Hands and boneyard can be counted."""
    turns: dict[tuple[int, str], Turn] = field(default_factory=dict)
    """All that were made, by number and player; first trains laid at the same time in the order of their last acts."""
    laid: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Train -> the lines of its tiles."""
    ended: str | None = None
    """How the round ended."""
    ended_by: str | None = None
    """The person who says so."""
    sure: bool = True
    """Names and counts are people's own words, so that a fault that rests on them alone may be certain."""
    turn_open: bool = False
    """Nobody has said who began, and nobody has surely moved."""
    starter_known: bool = True
    """False: `starter` stands there for want of another."""
    announced: frozenset[str] = frozenset()
    """Players who have announced the last tile."""
    unsure: frozenset[str] = frozenset()
    """Players of whom nobody can say which acts were theirs, or how many tiles they were dealt."""

    @property
    def referee(self) -> Referee:
        return Referee(self.rules)

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def turn(self) -> Turn | None:
        """The turn being made, also after it is complete, until somebody else acts."""
        return self.turns[next(reversed(self.turns))] if self.turns else None

    @property
    def laying_together(self) -> bool:
        """Whether first trains may still be laid, by everybody at the same time."""
        return self.rules.first_simultaneous and (self.turn is None or self.turn.lap)

    @property
    def moved(self) -> frozenset[str]:
        """Players who have begun the first turn, or have left."""
        begun = (turn.player for turn in self.turns.values() if turn.begun or not turn.lap)
        return self.table.gone.union(begun)

    @property
    def all_begun(self) -> bool:
        return self.moved >= set(self.players)

    @property
    def position(self) -> Table:
        """The table with `turn` the player who is to act now: the next one as soon as a turn is finished."""
        turn = self.turn
        return self.table if turn is None or self.going_on is not None else self._turned(self._following(turn)).table

    def _turned(self, player: str) -> Course:
        """The same with the turn of `player` at hand."""
        return replace(self, table=turned_to(self.table, player, self.moved))

    @property
    def going_on(self) -> Turn | None:
        """The turn of the player to act, where it has begun. A long first train goes on where the next one is out."""
        turn = self.turn
        if turn is None or not turn.finished(self.rules):
            return turn
        may_go_on = turn.passed is None and bool(turn.plays) and turn.long(self.rules)
        return turn if may_go_on and self.table.hands.get(self._following(turn)) == 0 else None

    @property
    def so_far(self) -> tuple[Table, tuple[Action, ...]]:
        """The table at the start of the turn of the player to act, and what that turn has seen."""
        turn = self.going_on
        return (self.position, ()) if turn is None else (turn.before, turn.actions)

    def _following(self, turn: Turn) -> str:
        """The player to act after this turn; while first trains are laid, who has not begun."""
        if turn.lap and self.rules.first_simultaneous:
            start = self.players.index(self.starter)
            order = self.players[start:] + self.players[:start]
            return next((player for player in order if player not in self.moved), self.starter)
        return self._after(turn.player) if turn.resume in (None, *self.table.gone) else str(turn.resume)

    @property
    def mover(self) -> str:
        return self.position.turn

    @property
    def over(self) -> RoundEnded | None:
        """The end of the round, where the rules and the counts alone name one."""
        if self.ended is not None or (self.turn is not None and not self.turn.finished(self.rules)):
            return None
        over = self.referee.over(self.position, silent=self._silent, first_lap=self._lap_goes_on())
        return None if over is None else RoundEnded(how=over[0], out=over[1], source="rule")

    @property
    def _silent(self) -> int:
        """Turns in a row that changed nothing for the others: a marker put on opens a train, and all may try again."""
        silent = 0
        for turn in self.turns.values():
            if not turn.lap:
                silent = 0 if turn.plays else 1 if Mark(turn.player) in turn.actions else silent + 1
        return silent

    def _lap_goes_on(self) -> bool:
        """Somebody is out, but the first lap is to be finished; its last long train ends when its player says so, or
        with the marker of one who lays none."""
        if not self.rules.finish_first_lap:
            return False
        turn = self.turn
        building = turn is not None and turn.long(self.rules) and turn.passed is None and bool(turn.plays)
        return (building and self.table.hands.get(self.table.turn) != 0) or not self.all_begun

    # ---- act by act ----------------------------------------------------------------------------------------------

    def take(self, event: Event, place: TurnPlace | None = None) -> Course:
        """The course after `event`. One that says nothing about the table changes nothing."""
        match event:
            case TileTakenBack():
                return replace(self, table=lifted(self.table, event.train, event.tile))
            case RoundEnded():
                return replace(self, ended=event.how, ended_by=event.source)
            case Announced():
                return self._take_report(event)
            case PlayerLeft():
                return self._left_by(event.by, event.seq)
        action = action_of(event)
        if action is None or isinstance(action, Leave):
            return self
        if self.ended is not None:
            return self if isinstance(event, Passed) else self._apart(action, event)
        place = place or self._place_of(event)
        if event.who is not None and isinstance(action, (Play, Discard, End)):
            place = place._replace(player=event.who)
        player = place.player
        if self.turn_open and place.number:
            self = self._opened_by(event, player)
        if isinstance(action, (Play, Draw)) and len(whose := set(meant(event))) > 1:
            # While it is open whose tile it was, the hands of all who are meant cannot be counted.
            self = self._uncounted(whose)
        passes = isinstance(event, Passed) and event.source == "person" and not event.done
        if (passes or isinstance(action, (Play, Discard))) and self.table.hands.get(player) == 0:
            # Somebody whose hand was counted down to nothing goes on: the count was wrong.
            self = self._uncounted((player,))
        turn, last = self.turns.get((place.number, player)), self.turn
        if event.who not in (None, player) or (last is not None and self._is_late(action, place, last)):
            return self._apart(action, event)
        if turn is None or turn is not last:
            self = replace(self, table=turned_to(self.table, player, self.moved if place.number else ()))
        if turn is None:
            expected = self.starter if last is None else self._following(last)
            turn = Turn(place, self.table, resume=expected if place.astray else None)
        return self._with_act(turn, action, event.seq, passed=isinstance(event, Passed))

    def _is_late(self, action: Action, place: TurnPlace, last: Turn) -> bool:
        """Whether it is seen when somebody else has the turn, and begins none."""
        if isinstance(action, (Play, Discard, End)) or place.number == last.place.number == 0:
            return False
        other = isinstance(action, (Mark, Unmark)) and place.player != last.player
        return place.number < last.place.number or (other and place.number == last.place.number)

    def _place_of(self, event: Event) -> TurnPlace:
        """The turn of an act of which no belief says it: the one at hand as long as it goes on, else the next."""
        player, turn = self.player_of(event), self.turn
        if self.laying_together and not self.all_begun:
            return TurnPlace(0, player)
        at_hand = turn is not None and turn.player == player and not turn.lap
        if turn is not None and at_hand and (turn.long(self.rules) or not turn.finished(self.rules)):
            return turn.place
        astray = not self.turn_open and player != self.mover
        return TurnPlace(1 if turn is None else turn.place.number + 1, player, astray=astray)

    def player_of(self, event: Event) -> str:
        """The player of an act: as recorded; else who it may have been; else a marker's owner; else who is to move."""
        for name in (event.who, *event.perhaps):
            if name in self.players:
                return str(name)
        owner = getattr(event, "train", None)
        if owner in self.players and (self.laying_together or isinstance(event, (MarkerPlaced, MarkerRemoved))):
            return str(owner)
        return self.mover

    def passes_before(self, event: Event) -> tuple[Passed, ...]:
        """The passes that `event` implies and nobody recorded: of the player whose turn it breaks off."""
        turn = self.turn
        if self.ended is not None or turn is None or self.turn_open or turn.plays or not turn.actions:
            return ()
        if turn.finished(self.rules) or (self.laying_together and not self.all_begun):
            return ()
        begins = action_of(event) is not None and not isinstance(event, Passed)
        other = begins and turn.player != self.player_of(event) == self.table.after(turn.player)
        return (Passed(by=turn.player, source="rule"),) if other else ()

    def after_end(self, event: Event) -> tuple[Finding, ...]:
        """Findings about a tile laid when the round is over."""
        if self.ended is None or not isinstance(action_of(event), Play):
            return ()
        # Where a camera watches, a person who ended the round, or typed the tile that blocks it, may be as wrong as the
        # player who goes on.
        certain = self.sure and (self.ended_by == "person" or self.ended == "blocked_proved")
        return (Finding(str(Violation.PLAY_AFTER_END), certain=certain),)

    def _opened_by(self, event: Event, player: str) -> Course:
        """The round as this act shows it to have begun, where nobody has said who begins.

        Still open where the act surely names nobody.
        """
        marker = isinstance(event, (MarkerPlaced, MarkerRemoved))
        surely = event.who in self.players and not unsettled(event) and not marker
        if self.turns:
            return replace(self, turn_open=not surely)
        return replace(self._turned(player), starter=player, starter_known=surely, turn_open=not surely)

    def _apart(self, action: Action, event: Event) -> Course:
        """Take an act outside the turn at hand, or after the end: it changes the table, and is no turn."""
        table = self.referee.apply(self._turned(self.player_of(event)).table, action)
        own: dict[str, Any] = {"first_turn": self.table.first_turn} if isinstance(self.table, Position) else {}
        laid = dict(self.laid)
        if isinstance(action, Play):
            laid[action.train] = (*laid.get(action.train, ()), event.seq)
        return replace(self, table=replace(table, turn=self.table.turn, **own), laid=laid)

    def _after(self, player: str) -> str:
        """The next in turn; in Chinese games the next who still has a tile, where hands are counted."""
        following = self.table.after(player)
        for _ in self.players if isinstance(self.table, LinePosition) else ():
            if self.table.hands.get(following) != 0:
                break
            following = self.table.after(following)
        return following

    def _with_act(self, turn: Turn, action: Action, seq: int, *, passed: bool) -> Course:
        table, laid, foreign = self.table, dict(self.laid), False
        if passed:
            action, turn = Pass(), replace(turn, passed=seq)
        if not passed or isinstance(table, LinePosition):
            turn = replace(turn, actions=(*turn.actions, action), lines=(*turn.lines, seq))
            table = self.referee.apply(table, action)
        if isinstance(action, Play):
            foreign = is_foreign(self.rules, self.table, action.tile.tile)
            turn = replace(turn, foreign=turn.foreign or foreign)
            laid[action.train] = (*laid.get(action.train, ()), seq)
        own = turn.place.number, turn.player
        turns = {one: known for one, known in self.turns.items() if one != own} | {own: turn}
        course = replace(self, table=table, turns=turns, laid=laid)
        return course._uncounted((turn.player,)) if foreign else course

    def _take_report(self, event: Announced) -> Course:
        """Take a report. Once a hand was dealt wrongly, neither it nor the boneyard counts."""
        if event.by is None or event.by not in self.players:
            return self
        if event.what == LAST_TILE:
            return replace(self, announced=self.announced | {event.by})
        if event.what == DEALT and reported(self.rules, self.table, event, self.announced):
            return self._uncounted((event.by,), boneyard=True)
        return self

    def _left_by(self, player: str, line: int) -> Course:
        """Let the others play on without `player`: an open turn is over, and nothing is due from it."""
        if self.ended is not None or player not in self.players:
            return self
        course, turn = replace(self, table=without(self.table, player)), self.turn
        if turn is not None and turn.player == player:
            return replace(course, turns={**self.turns, (turn.place.number, player): replace(turn, passed=line)})
        return course._turned(course._after(player)) if turn is None and self.table.turn == player else course

    def _uncounted(self, players: Collection[str], *, boneyard: bool = False) -> Course:
        """The same where nobody can say how many tiles these hold, nor, with `boneyard`, how many lie there."""
        table = uncounted(self.table, players, boneyard=boneyard)
        turns, turn = dict(self.turns), self.turn
        if turn is not None:
            before = uncounted(turn.before, players, boneyard=boneyard)
            turns[turn.place.number, turn.player] = replace(turn, before=before)
        return replace(self, table=table, turns=turns, unsure=self.unsure.union(players))


def acts_when_unable(course: Course) -> tuple[Action, ...]:
    """The acts by which the player to move ends the turn without a tile (any further one, after a double).

    Empty where the round is over, where nobody knows who is to move, or where the rules leave no such way: the first
    tile of a Chinese deal must be laid. A fault that no way out can mend was there before.
    """
    if course.ended is not None or course.turn_open:
        return ()
    before, done = course.so_far
    if isinstance(before, LinePosition):
        return () if done or course.referee.judge(before, (Discard(),)).codes else (Discard(),)
    mark, draw = Mark(before.turn), Draw()
    ways: tuple[tuple[Action, ...], ...] = ((End(),), (mark, End()), (draw, End()), (draw, mark, End()))
    judged = [(way, course.referee.judge(before, (*done, *way))) for way in ways]
    broken = frozenset.intersection(*(ruling.codes for _way, ruling in judged)) if done else frozenset()
    added = [(way, ruling.codes - broken, ruling.may) for way, ruling in judged]
    for way, codes, may in added:
        if not codes and not may:
            return way
    return next((way for way, codes, _may in added if not codes), ())


def without_a_tile(table: Position | LinePosition, player: str) -> tuple[Action, ...]:
    """The acts of a whole turn of `player`, whoever is to move, in which no tile fits."""
    if isinstance(table, LinePosition):
        return (Discard(),)
    draw = () if table.boneyard == 0 else (Draw(),)
    return (*draw, End() if player in table.markers else Mark(player))


def lifts_marker(course: Course, player: str, play: Play) -> bool:
    """Whether `play`, about to be made by `player`, is one after which their own marker comes off.

    False where it may stay (whoever then plays there must not be accused) and before a double's second tile.
    """
    if course.ended is not None or course.turn_open:
        return False
    before, done = course.so_far
    if isinstance(before, LinePosition) or isinstance(course.table, LinePosition):
        return False
    if player not in course.table.markers:
        return False
    if before.turn != player:
        before, done = course._turned(player).table, ()
    return Violation.MARKER_NOT_REMOVED in course.referee.judge(before, (*done, play, End())).codes


def closed_to_mover(course: Course, play: Play) -> bool:
    """Whether `play` is on a train that is closed to the player to move: whoever laid it is rather the train's owner,
    where nobody is named."""
    if course.ended is not None or course.turn_open or play.train not in course.players:
        return False
    before, done = course.so_far
    if isinstance(before, LinePosition) or before.turn == play.train:
        return False
    codes = course.referee.judge(before, (*done, play)).codes
    return not codes.isdisjoint({Violation.CLOSED_TRAIN, Violation.FIRST_TURN_OWN_ONLY})


def ruling_on(course: Course, tile: Laid, train: str) -> tuple[Ruling, Laid]:
    """The kinder ruling on this tile, laid there now by the player to act, one way round or the other; as it lies."""
    before, done = course.so_far
    either_way = (tile, Laid(tile.outer, tile.inner))
    rulings = [(course.referee.judge_play(before, Play(laid, train), done), laid) for laid in either_way]
    return min(rulings, key=lambda one: (not one[0].legal, len(one[0].codes)))


def still_laying(course: Course) -> str | None:
    """The player building a long first train that may go on although the next player may begin."""
    turn = course.turn
    if course.ended is not None or turn is None or turn.passed is not None:
        return None
    return turn.player if turn.long(course.rules) and turn.plays else None


def after_double(course: Course) -> str | None:
    """The train of the double that the player to move has just laid, and to which one more tile is due."""
    if course.ended is not None or course.turn_open:
        return None
    before, done = course.so_far
    plays = [act for act in done if isinstance(act, Play)]
    if isinstance(before, LinePosition) or not plays or not plays[-1].tile.is_double:
        return None
    return plays[-1].train
