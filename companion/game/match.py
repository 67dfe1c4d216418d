"""The whole game, event by event: rounds started, played, ended, revealed and scored. A `Match` is a frozen value.

`Scoreboard` has rounds, totals, winners, and every play with its ruling. Shown hands prove things about the round:
dishonest passes and draws, false blocks, tiles that do not add up. Only a certain fault becomes a finding; a possible
one is told on request and blames nobody. Where a camera named players, no count and no decision is certain. Nor is it
where people wrote the round down and the tiles do not add up: the record may lack one. A round without a written tile
proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.game.corrections import EffectiveEvent
from companion.game.course import Course, Turn, reported
from companion.log.event_fields import Finding, Header
from companion.log.events import (
    Announced,
    Event,
    HandShown,
    MatchEnded,
    PlayerLeft,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TileTakenBack,
)
from companion.rules.audit import (
    AuditEntry,
    Reveal,
    Status,
    audit_round,
    count_is_inconsistent,
    is_false_block,
    lap_was_cut,
    score_code,
    unaccounted,
    wrong_scores,
)
from companion.rules.audit import AuditFinding as Examined
from companion.rules.chinese import POINTS, settle, tiles_of
from companion.rules.mexican.judge import (
    DOUBLE_BLANK,
    PENALTY,
    WINNER_TAKES,
    engine_due,
    judge_state,
    last_round,
    match_winners,
    round_of,
    score,
    tiles_in,
)
from companion.rules.mexican.turn import open_codes
from companion.rules.position import (
    MEXICAN,
    Action,
    Discard,
    Draw,
    End,
    LinePosition,
    Mark,
    Play,
    Position,
    Table,
    Unmark,
    turned_to,
)
from companion.rules.ruleset import RuleSet
from companion.rules.ruleset_fields import ANY_SET, HOLDER_LEADS
from companion.rules.tile import Laid, Tile, double_set
from companion.rules.violations import Violation
from companion.tracking.strict import TurnPlace


@dataclass(frozen=True, slots=True)
class RoundSheet:
    """One round on the sheet."""

    round: int
    engine: tuple[int, int] | None = None
    starter: str | None = None
    how: str | None = None
    """None while it is played."""
    out: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    """Empty until the hands were counted."""
    totals: Mapping[str, int] = field(default_factory=dict)
    """The points of all rounds so far, in the same way."""
    gone: tuple[str, ...] = ()
    """Those who left in the middle of it: it is no round of theirs, though what it brought them counts."""


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The game so far.

    >>> board = Scoreboard(("Ann", "Ben"), {"Ann": 0, "Ben": 0})
    >>> board = add(board, RoundStarted(round=1, engine=Laid(9, 9), starter="Ann"))
    >>> board = add(board, RoundEnded(how="out", out="Ann"))
    >>> board = add(board, RoundScored(scores={"Ann": 0, "Ben": 12}, totals={"Ann": 0, "Ben": 12}))
    >>> board.totals["Ben"], board.round.out
    (12, 'Ann')
    """

    players: tuple[str, ...]
    totals: Mapping[str, int]
    """After the last scored round."""
    rounds: tuple[RoundSheet, ...] = ()
    lines: tuple[EffectiveEvent, ...] = ()
    winners: tuple[str, ...] = ()
    """Empty until the match is over."""
    over: bool = False
    next_starter: str | None = None
    """As the last scored round named one for the round to come."""

    @property
    def round(self) -> RoundSheet | None:
        """The round being played, or the last one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def violations(self) -> tuple[tuple[EffectiveEvent, Finding], ...]:
        return tuple((line, finding) for line in self.lines for finding in line.findings)

    @property
    def faults(self) -> tuple[tuple[EffectiveEvent, Finding], ...]:
        """Certain findings. A line that was let stand, taken back or withdrawn has none."""
        return tuple((line, finding) for line, finding in self.violations if finding.certain)


def fold_held(
    players: tuple[str, ...], held: Sequence[EffectiveEvent], brought: Mapping[str, int] | None = None
) -> Scoreboard:
    """The scoreboard after events whose corrections are applied already; `brought`: the points with which everybody
    began."""
    board = Scoreboard(players, dict.fromkeys(players, 0) if brought is None else dict(brought))
    for item in held:
        board = add(board, item.event)
    return replace(board, lines=tuple(held))


def add(board: Scoreboard, event: Event) -> Scoreboard:
    """The sheet after one more event; `lines` are left to the caller."""
    match event:
        case RoundStarted():
            sheet = RoundSheet(event.round, event.engine, event.starter)
            return replace(board, rounds=(*board.rounds, sheet), next_starter=None)
        case PlayerLeft() if board.rounds:
            return _with_last(board, replace(board.rounds[-1], gone=(*board.rounds[-1].gone, event.by)))
        case RoundEnded() if board.rounds:
            return _with_last(board, replace(board.rounds[-1], how=event.how, out=event.out))
        case RoundScored() if board.rounds:
            totals = {player: event.totals.get(player, board.totals.get(player, 0)) for player in board.players}
            sheet = replace(board.rounds[-1], scores=dict(event.scores), totals=totals)
            scored = replace(board, totals=totals, next_starter=event.next_starter)
            return _with_last(scored, sheet)
        case MatchEnded():
            return replace(board, winners=event.winners, over=True, next_starter=None)
        case _:
            return board


def _with_last(board: Scoreboard, sheet: RoundSheet) -> Scoreboard:
    return replace(board, rounds=(*board.rounds[:-1], sheet))


def block_findings(course: Course, event: RoundEnded) -> tuple[Finding, ...]:
    """Findings against ending the round now, by the table alone; only possible where the camera counted."""
    if not recorded(course):
        return ()
    found = []
    if event.how == "blocked_declared" and is_false_block(course.rules, {}, {}, course.position.boneyard):
        found.append(_end_finding(course, Violation.FALSE_BLOCK))
    if event.how == "out" and lap_was_cut(course.moved, course.players, course.rules):
        found.append(_end_finding(course, Violation.FIRST_LAP_NOT_FINISHED))
    return tuple(found)


def _end_finding(course: Course, code: Violation) -> Finding:
    """Not certain before a camera that counted, nor where the source leaves the question open."""
    return Finding(str(code), certain=course.sure and code not in open_codes(course.rules))


def recorded(course: Course) -> bool:
    """Whether the round was written down play by play: somebody laid a tile."""
    return any(course.laid.values())


def reveal_findings(
    course: Course, shown: Mapping[str, HandShown], out: str | None, ended: int, new: str
) -> dict[int, tuple[Finding, ...]]:
    """Line of an event -> all its findings, for the events about which the hand of `new` proves something.

    `ended` is the line of the round's end. `shown` holds that hand and the earlier ones; with the first the decisions
    of who went `out` are examined too.
    """
    own = shown[new].seq
    if not recorded(course) or new in course.table.gone:
        return {own: ()}
    # The hand of a player who left proves nothing, counted or not.
    shown = {player: hand for player, hand in shown.items() if player not in course.table.gone}
    found: dict[int, list[Finding]] = {own: _hand_findings(course, new, shown[new])}
    open_hands = _open_hands(shown, out)
    sure = prove(course, shown)
    whose = {new} if len(shown) > 1 or out is None else {new, out}
    for examined, line in examined_decisions(course, shown, out, whose):
        if examined.status is Status.CERTAIN and examined.offence and line is not None:
            found.setdefault(line, [])
            code = Finding(str(examined.code), certain=sure and surely(course, examined.code), by=examined.by)
            if code not in found[line]:
                found[line].append(code)
    table = course.position
    sums: list[Finding] = []
    if (course.ended or "").startswith("blocked") and not course.rules.may_decline:
        fitting = {who: playable_tiles(course, turned_to(table, who, (who,)), hand) for who, hand in open_hands.items()}
        # Those of a mixed hand may all have been put away.
        gone = {who: len(_put_away(course, who)) for who, hand in shown.items() if _is_mixed(course, who, hand)}
        playable = {who: tiles for who, tiles in fitting.items() if len(tiles) > gone.get(who, 0)}
        if is_false_block(course.rules, playable, open_hands, None):
            sums.append(Finding(str(Violation.FALSE_BLOCK), certain=sure))
    if len(open_hands) == len(course.players) and not _explained(course, shown):
        sums += _sum_findings(course, shown, open_hands)
    if sums:
        found[ended] = sums
    return {line: tuple(findings) for line, findings in found.items()}


def prove(course: Course, shown: Mapping[str, HandShown]) -> bool:
    """Whether shown hands prove anything of a pass or a draw.

    A count that does not add up says first that the camera gave a tile to the wrong player.
    """
    return course.sure and not any(_miscounted(course, player, hand) for player, hand in shown.items())


def surely(course: Course, code: Violation) -> bool:
    """Whether the rules forbid for certain what shown hands tell."""
    return not course.rules.is_mexican or code not in open_codes(course.rules)


def _explained(course: Course, shown: Mapping[str, HandShown]) -> bool:
    """Whether a fault that was found already explains why tiles do not add up."""
    foreign = any(turn.foreign for turn in course.turns.values())
    return foreign or any(_hand_findings(course, player, hand) for player, hand in shown.items())


def examined_decisions(
    course: Course, shown: Mapping[str, HandShown], out: str | None, whose: Collection[str] | None = None
) -> list[tuple[Examined, int | None]]:
    """Every pass, draw and discard that the shown hands put in doubt, with the line of its event; of `whose` only."""
    hands = _open_hands(shown, out)
    log: list[AuditEntry] = []
    lines: list[int | None] = []
    tiles = {player: _known_tiles(course, shown, player) for player in hands if whose is None or player in whose}
    for turn in course.turns.values():
        if turn.player in tiles:
            for entry, line in _entries(course, turn, tiles[turn.player]):
                log.append(entry)
                lines.append(line)
    turned = {player: hand.discards for player, hand in shown.items() if hand.in_order}
    mixed = {player for player, hand in shown.items() if _is_mixed(course, player, hand)}
    astray = sum(_miscounted(course, player, hand) for player, hand in shown.items())
    reveal = Reveal(hands, turned, dealt=_dealt(course), draws_seen=False, mixed=frozenset(mixed), astray=astray)
    return [(finding, lines[finding.at]) for finding in audit_round(course.rules, log, reveal)]


def _known_tiles(course: Course, shown: Mapping[str, HandShown], player: str) -> frozenset[Tile]:
    """Every tile that this player is known to have held at some time."""
    laid = {play.tile.tile for turn in course.turns.values() if turn.player == player for play in turn.plays}
    hand = shown.get(player)
    return frozenset(laid | set(() if hand is None else (*hand.tiles, *hand.discards)))


def playable_tiles(
    course: Course, table: Table, tiles: Collection[Tile], done: tuple[Action, ...] = ()
) -> frozenset[Tile]:
    """Those of `tiles` that the player to move could lay, however the open questions of the source are answered.

    After an own double nobody has to lay another one. Source: 004, «которая не является дублем» (which is no double).
    """
    legal = frozenset(play.tile.tile for play in course.referee.legal_plays(table, tiles, done, surely=True))
    laid = [action.tile.tile for action in done if isinstance(action, Play)]
    after_double = bool(laid) and all(tile.is_double for tile in laid)
    return frozenset(tile for tile in legal if not tile.is_double) if after_double else legal


def _entries(course: Course, turn: Turn, tiles: Collection[Tile]) -> list[tuple[AuditEntry, int | None]]:
    entries: list[tuple[AuditEntry, int | None]] = []
    long = turn.long(course.rules)
    for n, (action, line) in enumerate(zip(turn.actions, turn.lines, strict=True)):
        if isinstance(action, Play):
            entries.append((AuditEntry(turn.player, action), line))
        elif isinstance(action, (Draw, Discard)):
            decided = not long and not replace(turn, actions=turn.actions[:n]).complete(course.rules)
            playable = playable_tiles(course, turn.before, tiles, turn.actions[:n]) if decided else None
            feeding = turn.feeds(course.rules, n)
            entries.append((AuditEntry(turn.player, action, playable, feeding=feeding), line))
    if not turn.complete(course.rules) and isinstance(turn.before, Position):
        done = tuple(action for action in turn.actions if not isinstance(action, (Mark, Unmark)))
        last = turn.passed if turn.passed is not None else turn.lines[-1] if turn.lines else None
        playable = None if long and course.rules.first_optional else playable_tiles(course, turn.before, tiles, done)
        entries.append((AuditEntry(turn.player, End(), playable, feeding=turn.feeds(course.rules)), last))
    elif long and course.rules.strict_first_train and turn.lines:
        playable = playable_tiles(course, turn.before, tiles, turn.actions)
        entries.append((AuditEntry(turn.player, End(), playable, first_train=True), turn.lines[-1]))
    return entries


def _dealt(course: Course) -> int | None:
    return course.rules.hand_size(course.table.set_max, len(course.players))


def _acts_of(course: Course, player: str) -> list[Action]:
    return [action for turn in course.turns.values() if turn.player == player for action in turn.actions]


def _gained(action: Action) -> int:
    """By how many tiles a hand has more after this act."""
    return isinstance(action, Draw) - isinstance(action, (Play, Discard))


def _is_mixed(course: Course, player: str, hand: HandShown) -> bool:
    """Whether the tiles of a Chinese hand, by their number, are those held together with those put away."""
    dealt = _dealt(course)
    if not isinstance(course.table, LinePosition) or hand.discards or dealt is None:
        return False
    laid = sum(isinstance(action, Play) for action in _acts_of(course, player))
    return bool(_put_away(course, player)) and len(hand.tiles) == dealt - laid


def _put_away(course: Course, player: str) -> list[Action]:
    return [action for action in _acts_of(course, player) if isinstance(action, Discard)]


def _miscounted(course: Course, player: str, hand: HandShown) -> bool:
    if _is_mixed(course, player, hand):
        return False
    dealt = _dealt(course)
    acts = _acts_of(course, player)
    laid = sum(isinstance(action, (Play, Discard)) for action in acts)
    drawn = sum(isinstance(action, Draw) for action in acts)
    counted = isinstance(course.table, LinePosition) or course.counted
    foreign = any(turn.foreign for turn in course.turns.values() if turn.player == player)
    if dealt is None or foreign:
        return False
    if isinstance(course.table, Position) and course.counted and player not in course.table.hands:
        # Some tile or draw has no certain owner, so nobody knows how many there should be.
        return False
    return count_is_inconsistent(dealt=dealt, drawn=drawn if counted else None, laid=laid, shown=len(hand.tiles))


def _hand_findings(course: Course, player: str, hand: HandShown) -> list[Finding]:
    found = []
    if _miscounted(course, player, hand):
        found.append(Finding(str(Violation.HAND_COUNT_INCONSISTENT), certain=False))
    limit = course.rules.redeal_doubles
    if limit is not None:
        had = [action.tile.tile for action in _acts_of(course, player) if isinstance(action, Play)]
        if sum(tile.is_double for tile in (*had, *hand.tiles, *hand.discards)) >= limit:
            found.append(Finding(str(Violation.REDEAL_MISSED)))
    return found


def _sum_findings(
    course: Course, shown: Mapping[str, HandShown], hands: Mapping[str, tuple[Tile, ...]]
) -> list[Finding]:
    """Table, hands and boneyard against the whole set; whose fault it is nobody can tell."""
    table = course.table
    whole: Mapping[Tile, int]
    if isinstance(table, Position):
        whole = dict.fromkeys(double_set(table.set_max), 1)
        lying = [laid.tile for laid in table.laid()]
        face_down = table.boneyard
    else:
        whole = tiles_of(course.rules, len(course.players))
        lying = [laid.tile for laid in table.line]
        lying += [tile for hand in shown.values() for tile in hand.discards]
        dealt = _dealt(course) or 0
        face_down = sum(whole.values()) - dealt * len(course.players)
    return (
        [Finding(str(Violation.UNACCOUNTED_TILE), certain=False)] if unaccounted(whole, lying, hands, face_down) else []
    )


def _open_hands(shown: Mapping[str, HandShown], out: str | None) -> dict[str, tuple[Tile, ...]]:
    hands = {player: hand.tiles for player, hand in shown.items()}
    if out is not None:
        hands.setdefault(out, ())
    return hands


def most_points_win(rules: RuleSet) -> bool:
    """Whether the highest total wins a match by these rules."""
    if rules.is_mexican:
        return rules.scoring != PENALTY
    return rules.settlement != POINTS


Findings = Mapping[int, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class MatchStep:
    """The match after an event."""

    match: Match
    findings: tuple[Finding, ...] = ()
    """Those of the event."""
    late: Findings = field(default_factory=dict)
    """New findings of earlier events, by line."""


@dataclass(frozen=True, slots=True)
class Match:
    """The game so far, with the round at hand.

    >>> from companion.rules import load_ruleset
    >>> match = Match.of(Header("tactic", "double-12", ("Ann", "Ben", "Cy")), load_ruleset("tactic"))
    >>> match.phase, match.engine_due(1), match.next_starter
    ('waiting', Laid(inner=12, outer=12), 'Ann')
    >>> match = match.take(RoundStarted(seq=1, round=1, engine=Laid(12, 12), starter="Ben")).match
    >>> match.phase, match.course.mover
    ('playing', 'Ben')
    """

    header: Header
    rules: RuleSet
    board: Scoreboard
    course: Course | None = None
    """The round being played or just ended."""
    shown: Mapping[str, HandShown] = field(default_factory=dict)
    """The hands laid open after it."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The lines of the round's end (ended) and of its score (scored)."""

    @classmethod
    def of(cls, header: Header, rules: RuleSet) -> Match:
        """The game before its first round."""
        board = Scoreboard(header.players, header.brought)
        return cls(header, rules, board)

    @property
    def set_max(self) -> int:
        return self.header.set_max if self.header.set_max is not None else 6

    @property
    def phase(self) -> str:
        """waiting, playing, ended (hands are to be shown), scored or over."""
        if self.board.over:
            return "over"
        if self.course is None:
            return "waiting"
        if self.course.ended is None:
            return "playing"
        sheet = self.board.round
        done = self.course.ended == "abandoned" or (sheet is not None and bool(sheet.scores))
        return "scored" if done else "ended"

    @property
    def most_points_win(self) -> bool:
        return most_points_win(self.rules)

    def take(self, event: Event, place: TurnPlace | None = None, *, sure: bool = True) -> MatchStep:
        """The match after `event`. `place`: the turn to which it belongs, as far as the belief says. `sure`: as in the
        course of the round that it begins."""
        match event:
            case RoundStarted():
                return self._start(event, sure)
            case HandShown():
                return self._show(event)
            case RoundScored():
                scored = replace(self, board=add(self.board, event), lines={**self.lines, "scored": event.seq})
                # Points that people wrote down alone say nothing of how the round ended.
                alone = event.source == "person" and not self.shown and "ended" in self.lines
                return MatchStep(scored, self._score_findings(event), {self.lines["ended"]: ()} if alone else {})
            case MatchEnded():
                return MatchStep(replace(self, board=add(self.board, event)))
        if self.course is None:
            return MatchStep(self)
        course = self.course.take(event, place)
        after = replace(self, course=course)
        if isinstance(event, PlayerLeft):
            return MatchStep(replace(after, board=add(self.board, event)))
        if isinstance(event, RoundEnded):
            after = replace(after, board=add(self.board, event), lines={**self.lines, "ended": event.seq})
            return MatchStep(after, block_findings(course, event))
        if isinstance(event, Announced):
            return MatchStep(after, reported(self.rules, self.course.table, event, self.course.announced))
        if isinstance(event, TileTakenBack) and event.undoes is None and event.source == "camera":
            return MatchStep(after, (Finding(str(Violation.TILE_MOVED)),))
        return MatchStep(after, self.course.after_end(event))

    def engine_due(self, number: int) -> Laid | None:
        """The engine of that round; None in the Chinese games and after the last round."""
        if not self.rules.is_mexican or number > last_round(self.rules, self.set_max):
            return None
        value = engine_due(self.rules, self.set_max, number)
        return Laid(value, value) if value >= 0 else None

    @property
    def least_left(self) -> Mapping[str, int]:
        """Player -> how many tiles must be left at least: dealt and seen to be drawn, less those laid. Some draws from
        a stack go unseen. Without those of whom nobody can say."""
        course, dealt = self.course, self._dealt_out
        if course is None or dealt is None:
            return {}
        held = {one: _acts_of(course, one) for one in course.players if one not in course.unsure | course.table.gone}
        return {player: dealt + sum(map(_gained, acts)) for player, acts in held.items()}

    @property
    def taken(self) -> int | None:
        """How many tiles were dealt and seen to be drawn, whoever has them; None where that cannot be said."""
        course, dealt = self.course, self._dealt_out
        if course is None or dealt is None or course.table.gone:
            return None
        drawn = sum(isinstance(action, Draw) for turn in course.turns.values() for action in turn.actions)
        return dealt * len(course.players) + drawn

    @property
    def _dealt_out(self) -> int | None:
        """How many tiles each was dealt; None where the engine comes out of a hand, after some draws."""
        return None if self.course is None or self.rules.engine_from != "set_aside" else _dealt(self.course)

    @property
    def next_number(self) -> int:
        """The number of the round to come: an abandoned round is dealt again."""
        sheet = self.board.round
        if sheet is None:
            return self.header.rounds_before + 1
        return sheet.round + (sheet.how != "abandoned")

    def number_with(self, engine: Laid | None) -> int:
        """The number of the round to come with this engine.

        After a round that was broken off it is dealt again, or a later one begins and this one has no points.
        """
        sheet, number = self.board.round, self.next_number
        if sheet is None or sheet.how != "abandoned" or engine is None or not engine.is_double:
            return number
        return max(number, round_of(self.rules, self.set_max, engine.inner) or 0)

    @property
    def starter_is_named(self) -> bool:
        """Do the rules and the rounds so far say who starts the next one? Else `next_starter` is but next in turn."""
        sheet = self.board.round
        again = sheet is not None and sheet.how == "abandoned" and self.starter is not None
        return self.board.next_starter is not None or again or (sheet is None and self.header.starter is not None)

    @property
    def next_starter(self) -> str:
        sheet = self.board.round
        if self.board.next_starter is not None:
            return self.board.next_starter
        began = self.starter
        if sheet is None or began is None:
            return self.header.starter or self.header.players[0]
        return began if sheet.how == "abandoned" else self._after(began)

    def starter_of(self, number: int) -> str | None:
        """The player who starts that round: after one that was left without points the next in turn.

        None where the points would have to tell.
        """
        if number > self.next_number and self.starter is not None:
            return self._after(self.starter) if self.rules.is_mexican else None
        return self.next_starter

    @property
    def starter(self) -> str | None:
        """The player who began this round, or the last one: as said, else the one who surely moved first."""
        sheet, course = self.board.round, self.course
        named = sheet.starter if sheet is not None else None
        return named or (course.starter if course is not None and course.starter_known else None)

    def hands_shown(self) -> dict[str, list[list[int]]]:
        """Player -> the tiles laid open after the round, in the Chinese games those put away too."""
        return {player: [[tile.low, tile.high] for tile in self._left(player)] for player in self.shown}

    def hands_known(self) -> bool:
        """Whether every player's tiles are known: shown, or none left."""
        out = self.board.round.out if self.board.round else None
        known = (player in self.shown or player == out or self._surely_empty(player) for player in self._counting)
        return all(known)

    @property
    def _counting(self) -> tuple[str, ...]:
        """The players whose hands count: those who left in the middle of the round if their tiles were shown."""
        gone = frozenset[str]() if self.course is None else self.course.table.gone
        return tuple(name for name in self.header.players if name not in gone or self._left(name))

    def _surely_empty(self, player: str) -> bool:
        """Whether every tile of `player` was seen to leave the hand, as of a second one who went out in a lap."""
        course = self.course
        return (
            course is not None and course.sure and self.rules.finish_first_lap and course.table.hands.get(player) == 0
        )

    def scored(self) -> RoundScored | None:
        """The score of the ended round by the tiles shown; None while a hand is missing or nothing is to be scored."""
        sheet = self.board.round
        if sheet is None or sheet.how in (None, "abandoned") or not self.hands_known():
            return None
        return self.score_of({player: self._left(player) for player in self._counting})

    def score_of(self, hands: Mapping[str, tuple[Tile, ...]]) -> RoundScored | None:
        """The score of the last round with these tiles left, the totals after it and what comes next.

        None where it depends on who began and nobody knows that: among equal sums the leader's neighbours come first.
        """
        sheet = self.board.round
        assert sheet is not None
        if self.rules.is_mexican:
            blocked = (sheet.how or "").startswith("blocked")
            return self.with_scores(score(self.rules, hands, blocked=blocked, out=sheet.out))
        pips = {player: sum(tile.pips for tile in tiles) for player, tiles in hands.items()}
        counts = {player: len(tiles) for player, tiles in hands.items()}
        players, began = tuple(hands), self.starter
        starts = (players.index(began),) if began in players else range(len(players))
        settled = [settle(self.rules, players[n:] + players[:n], pips, discards=counts) for n in starts]
        if any(one != settled[0] for one in settled):
            return None
        leader = settled[0].winner if self.rules.next_leader == "winner" else None
        return self.with_scores(dict(settled[0].result), leader)

    def with_scores(self, scores: Mapping[str, int], leader: str | None = None) -> RoundScored:
        """A score as an event: the totals with it, and the next round's engine and starter.

        Nobody is named where the tiles decide it that have still to be dealt.
        """
        sheet = self.board.round
        assert sheet is not None
        told = (one.totals for one in reversed(self.board.rounds[:-1]) if one.totals)
        before = next(told, self.header.brought)
        totals = {player: before[player] + scores.get(player, 0) for player in self.header.players}
        following = self.engine_due(sheet.round + 1)
        named = self.rules.next_leader != HOLDER_LEADS if not self.rules.is_mexican else following is not None
        starter = leader or (self._after(self.starter) if self.starter is not None else None)
        return RoundScored(
            source="rule",
            scores={player: scores.get(player, 0) for player in self.header.players},
            totals=totals,
            next_engine=following,
            next_starter=starter if named else None,
        )

    def match_end(self) -> MatchEnded | None:
        """The end of the match after its last round, or once somebody has the points agreed on. The Chinese games end
        when the table says so, or after the deals agreed on."""
        sheet, rules = self.board.round, self.rules
        if self.board.over or sheet is None or not sheet.scores:
            return None
        last = last_round(rules, self.set_max) if rules.is_mexican else rules.match_deals
        points = rules.match_points is not None and max(self.board.totals.values()) >= rules.match_points
        return self.ended_now() if points or (last is not None and sheet.round >= last) else None

    def ended_now(self) -> MatchEnded:
        """The match as won on the totals so far."""
        mode = WINNER_TAKES if self.most_points_win else "penalty"
        totals = dict(self.board.totals)
        return MatchEnded(winners=match_winners(totals, mode), totals=totals, source="rule")

    def _start(self, event: RoundStarted, sure: bool) -> MatchStep:
        due = self.starter_is_named and (self.board.round is None or event.round <= self.next_number)
        named = event.starter in self.header.players or due
        starter = event.starter if event.starter in self.header.players else self.next_starter
        table = self.table_of(event, starter)
        findings: tuple[Finding, ...] = ()
        if isinstance(table, Position):
            codes = judge_state(self.rules, table).codes
            findings = tuple(Finding(str(code)) for code in sorted(codes))
        course = Course(
            rules=self.rules,
            starter=starter,
            table=table,
            counted=event.draws_seen,
            turn_open=not named,
            starter_known=named,
            sure=sure,
        )
        board = add(self.board, replace(event, starter=starter if named else None))
        return MatchStep(replace(self, course=course, shown={}, lines={}, board=board), findings)

    def table_of(self, event: RoundStarted, starter: str) -> Position | LinePosition:
        """The table after the deal."""
        players = self.header.players
        size = self.rules.hand_size(self.set_max if self.rules.is_mexican else ANY_SET, len(players))
        # An engine out of a hand leaves it open how many tiles were drawn until it was found.
        counted = event.draws_seen and size is not None and (self.rules.engine_from == "set_aside")
        hands = dict.fromkeys(players, size) if counted and size is not None else {}
        if not self.rules.is_mexican:
            return LinePosition(players, turn=starter, hands=hands)
        engine = event.engine or self.engine_due(event.round) or Laid(self.set_max, self.set_max)
        boneyard = tiles_in(self.set_max) - 1 - len(players) * size if counted and size is not None else None
        return Position(
            self.set_max,
            players,
            engine,
            dict.fromkeys((*players, MEXICAN), ()),
            turn=starter,
            first_turn=True,
            boneyard=boneyard,
            hands=hands,
            round=event.round,
            first_engine=self.rules.first_engine,
        )

    def _show(self, event: HandShown) -> MatchStep:
        shown = {**self.shown, event.by: event}
        after = replace(self, shown=shown)
        if after.course is None or after.course.ended is None:
            return MatchStep(after)
        out = self.board.round.out if self.board.round else None
        late = reveal_findings(after.course, shown, out, self.lines["ended"], event.by)
        own = late.pop(event.seq, ())
        return MatchStep(after, own, late)

    def _score_findings(self, event: RoundScored) -> tuple[Finding, ...]:
        due = self.scored()
        if due is None or event.source == "rule":
            return ()
        wrong = wrong_scores(event.scores, due.scores)
        blank = any(DOUBLE_BLANK in self._left(player) for player in self.header.players)
        unsure = self.rules.leaves_open("scoring") or (blank and self.rules.leaves_open("double_blank"))
        return tuple(Finding(str(score_code(self.rules)), certain=not unsure, by=player) for player in wrong)

    def _left(self, player: str) -> tuple[Tile, ...]:
        shown = self.shown.get(player)
        return () if shown is None else (*shown.tiles, *shown.discards)

    def _after(self, player: str) -> str:
        players = self.header.players
        return players[(players.index(player) + 1) % len(players)]
