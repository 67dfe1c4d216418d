"""The whole game: rounds started, played, ended, revealed and scored. A frozen value, event by event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.log.event_fields import Finding
from companion.log.events import (
    Announced,
    Event,
    HandShown,
    Header,
    MatchEnded,
    RoundEnded,
    RoundScored,
    RoundStarted,
)
from companion.play.course import Course, Place
from companion.play.event_actions import is_act
from companion.play.reports import reported
from companion.play.scoreboard import Scoreboard, add
from companion.play.shown_hands import block_findings, reveal_findings
from companion.rules.actions import MEXICAN
from companion.rules.chinese.settlement import POINTS, settle
from companion.rules.mexican.judge import judge_state
from companion.rules.mexican.scoring import (
    DOUBLE_BLANK,
    PENALTY,
    WINNER_TAKES,
    engine_due,
    last_round,
    match_winners,
    round_of,
    score,
    tiles_in,
)
from companion.rules.position import LinePosition, Position
from companion.rules.referee import referee_for
from companion.rules.reveal import score_code, wrong_scores
from companion.rules.ruleset import ANY_SET, RuleSet
from companion.rules.ruleset_fields import HOLDER_LEADS
from companion.rules.tile import Laid, Tile


def most_points_win(rules: RuleSet) -> bool:
    """Whether the highest total wins a match by these rules."""
    if rules.is_mexican:
        return rules.scoring != PENALTY
    return rules.settlement != POINTS


Findings = Mapping[int, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class MatchStep:
    """The match after an event, what the event is found to be, and new findings of earlier events by key."""

    match: Match
    findings: tuple[Finding, ...] = ()
    late: Findings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """The game so far. `course` is the round being played or just ended, `shown` the hands laid open after it.

    `keys` are the events of the hands shown, the round's end and its score.
    """

    header: Header
    rules: RuleSet
    referee: Any = field(repr=False, compare=False)
    board: Scoreboard
    course: Course | None = None
    shown: Mapping[str, HandShown] = field(default_factory=dict)
    keys: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, header: Header, rules: RuleSet) -> Match:
        """The game before its first round."""
        board = Scoreboard(header.players, header.brought)
        return cls(header, rules, referee_for(rules), board)

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
        done = self.course.ended == "abandoned" or (sheet is not None and sheet.scores is not None)
        return "scored" if done else "ended"

    @property
    def most_points_win(self) -> bool:
        return most_points_win(self.rules)

    def take(self, event: Event, key: int, place: Place | None = None) -> MatchStep:
        """The match after `event`. `place`: the turn to which it belongs, as far as the belief says."""
        match event:
            case RoundStarted():
                return self._start(event)
            case HandShown():
                return self._show(event, key)
            case RoundScored():
                scored = replace(self, board=add(self.board, event), keys={**self.keys, "scored": key})
                # Points that people wrote down alone say nothing of how the round ended.
                alone = event.source == "person" and not self.shown and "ended" in self.keys
                return MatchStep(scored, self._score_findings(event), {self.keys["ended"]: ()} if alone else {})
            case MatchEnded():
                return MatchStep(replace(self, board=add(self.board, event)))
        if self.course is None:
            return MatchStep(self, getattr(event, "violations", ()))
        course = self.course.take(event, key, place)
        after = replace(self, course=course)
        if isinstance(event, RoundEnded):
            after = replace(after, board=add(self.board, event), keys={**self.keys, "ended": key})
            return MatchStep(after, block_findings(course, event))
        if isinstance(event, Announced):
            return MatchStep(after, reported(self.rules, self.course.table, event, self.course.announced))
        told = () if is_act(event) else getattr(event, "violations", ())
        return MatchStep(after, (*told, *self.course.after_end(event)))

    def engine_due(self, number: int) -> Laid | None:
        """The engine of that round; None in the Chinese games and after the last round."""
        if not self.rules.is_mexican or number > last_round(self.rules, self.set_max):
            return None
        value = engine_due(self.rules, self.set_max, number)
        return Laid(value, value) if value >= 0 else None

    @property
    def next_number(self) -> int:
        """The number of the round to come: an abandoned round is dealt again."""
        sheet = self.board.round
        if sheet is None:
            return self.header.rounds_before + 1
        return sheet.number if sheet.how == "abandoned" else sheet.number + 1

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
        return self.board.next_starter is not None or again

    @property
    def next_starter(self) -> str:
        sheet = self.board.round
        if self.board.next_starter is not None:
            return self.board.next_starter
        began = self.starter
        if sheet is None or began is None:
            return self.header.players[0]
        return began if sheet.how == "abandoned" else self._after(began)

    def starter_of(self, number: int) -> str | None:
        """Who starts that round: after one that was left without points the next in turn.

        None where the points would have to tell.
        """
        if number > self.next_number and self.starter is not None:
            return self._after(self.starter) if self.rules.is_mexican else None
        return self.next_starter

    @property
    def starter(self) -> str | None:
        """Who began the round that is played or was played last: as said, else whoever surely moved first."""
        sheet, course = self.board.round, self.course
        named = sheet.starter if sheet is not None else None
        return named or (course.starter if course is not None and course.starter_known else None)

    def hands_shown(self) -> dict[str, list[list[int]]]:
        """Player -> the tiles laid open after the round, in the Chinese games those put away too."""
        return {player: [[tile.low, tile.high] for tile in self._left(player)] for player in self.shown}

    def hands_known(self) -> bool:
        """Whether every player's tiles are known: shown, or none left."""
        out = self.board.round.out if self.board.round else None
        known = (player in self.shown or player == out or self._surely_empty(player) for player in self.header.players)
        return all(known)

    def _surely_empty(self, player: str) -> bool:
        """Whether every tile of `player` was seen to leave the hand, as of a second one who went out in a lap."""
        if self.course is None or self.course.watched or not self.rules.finish_first_lap:
            return False
        return self.course.table.hands.get(player) == 0

    def scored(self) -> RoundScored | None:
        """The score of the ended round by the tiles shown; None while a hand is missing or nothing is to be scored."""
        sheet = self.board.round
        if sheet is None or sheet.how in (None, "abandoned") or not self.hands_known():
            return None
        return self.score_of({player: self._left(player) for player in self.header.players})

    def score_of(self, hands: Mapping[str, tuple[Tile, ...]]) -> RoundScored | None:
        """What the last round scores with these tiles left; the totals after it and what comes next.

        None where it depends on who began and nobody knows that: among equal sums the leader's neighbours come first.
        """
        sheet = self.board.round
        assert sheet is not None
        if self.rules.is_mexican:
            blocked = (sheet.how or "").startswith("blocked")
            return self.with_scores(score(self.rules, hands, blocked=blocked, out=sheet.out))
        pips = {player: sum(tile.pips for tile in tiles) for player, tiles in hands.items()}
        counts = {player: len(tiles) for player, tiles in hands.items()}
        players, began = self.header.players, self.starter
        starts = range(len(players)) if began is None else (players.index(began),)
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
        before = self._totals_before()
        totals = {player: before[player] + scores.get(player, 0) for player in self.header.players}
        following = self.engine_due(sheet.number + 1)
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
        """The end of the match after its last round. The Chinese games end when the table says so, or at the points or
        after the deals that it has agreed on."""
        sheet, rules = self.board.round, self.rules
        if self.board.over or sheet is None or sheet.scores is None:
            return None
        if rules.is_mexican:
            done = sheet.number >= last_round(rules, self.set_max)
        else:
            points = rules.match_points is not None and max(self.board.totals.values()) >= rules.match_points
            done = points or (rules.match_deals is not None and sheet.number >= rules.match_deals)
        return self.ended_now() if done else None

    def ended_now(self) -> MatchEnded:
        """The match as won on the totals so far."""
        mode = WINNER_TAKES if self.most_points_win else "penalty"
        winners = match_winners(self.board.totals, mode)
        return MatchEnded(winners=winners, totals=dict(self.board.totals), source="rule")

    def _start(self, event: RoundStarted) -> MatchStep:
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
            referee=self.referee,
            number=event.round,
            start_seq=event.seq,
            starter=starter,
            table=table,
            counted=event.draws_seen,
            turn_open=not named,
            starter_known=named,
        )
        board = add(self.board, replace(event, starter=starter if named else None))
        return MatchStep(replace(self, course=course, shown={}, keys={}, board=board), findings)

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

    def _show(self, event: HandShown, key: int) -> MatchStep:
        shown = {**self.shown, event.by: event}
        after = replace(self, shown=shown, keys={**self.keys, event.by: key})
        if after.course is None or after.course.ended is None:
            return MatchStep(after, event.violations)
        out = self.board.round.out if self.board.round else None
        late = reveal_findings(after.course, shown, out, after.keys, event.by)
        own = late.pop(key, ())
        return MatchStep(after, own, late)

    def _score_findings(self, event: RoundScored) -> tuple[Finding, ...]:
        due = self.scored()
        if due is None or event.source == "rule":
            return event.violations
        wrong = wrong_scores(event.scores, due.scores)
        blank = any(DOUBLE_BLANK in self._left(player) for player in self.header.players)
        unsure = self.rules.leaves_open("scoring") or (blank and self.rules.leaves_open("double_blank"))
        return tuple(Finding(str(score_code(self.rules)), certain=not unsure, by=player) for player in wrong)

    def _left(self, player: str) -> tuple[Tile, ...]:
        shown = self.shown.get(player)
        return () if shown is None else (*shown.tiles, *shown.discards)

    def _totals_before(self) -> Mapping[str, int]:
        for sheet in reversed(self.board.rounds[:-1]):
            if sheet.totals is not None:
                return sheet.totals
        return self.header.brought

    def _after(self, player: str) -> str:
        players = self.header.players
        return players[(players.index(player) + 1) % len(players)]
