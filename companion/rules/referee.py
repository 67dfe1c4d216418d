"""The judge as the game uses it: one small protocol, two families behind it.

Record first, judge second: `apply` never refuses, `judge` says what was wrong. Functions that only one family has
(dead doubles, the boneyard) stay in its package.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from companion.rules import chinese
from companion.rules import chinese as line_judging
from companion.rules.chinese import turn_facts as line_facts
from companion.rules.explain import Facts
from companion.rules.mexican import judge, turn
from companion.rules.mexican.judge import turn_facts as mexican_facts
from companion.rules.position import Action, LinePosition, Play, Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Tile
from companion.rules.violations import Ruling, Violation

P = TypeVar("P")


class Referee(Protocol[P]):
    """What every family of games answers. `done` are the acts that the turn has already seen."""

    @property
    def rules(self) -> RuleSet: ...

    def judge(self, position: P, actions: Sequence[Action]) -> Ruling:
        """The ruling on one whole turn by `position.turn`."""
        ...

    def judge_play(self, position: P, play: Play, done: Sequence[Action] = ()) -> Ruling:
        """The ruling on one tile; what the turn still owes is not asked."""
        ...

    def apply(self, position: P, action: Action) -> P:
        """The table after one act, right or wrong; the same player is still to move."""
        ...

    def after_turn(self, position: P, actions: Sequence[Action]) -> P:
        """The table after a whole turn, the next player to move."""
        ...

    def legal_plays(
        self,
        position: P,
        hand: Collection[Tile] | None = None,
        done: Sequence[Action] = (),
        *,
        surely: bool = False,
    ) -> list[Play]:
        """Every tile and place that the player to move may choose next; `hand` None: any tile not on the table.

        `surely`: only what is right however the open questions of the source are answered.
        """
        ...

    def blocked(self, position: P) -> bool:
        """Whether nobody can ever play again, provably, whoever holds what."""
        ...

    def facts(self, position: P, actions: Sequence[Action]) -> dict[Violation, Facts]:
        """Which act of the turn each code is about."""
        ...


@dataclass(frozen=True, slots=True)
class MexicanReferee:
    """Mexican Train under one rule set.

    >>> from companion.rules import load_ruleset
    >>> from companion.rules.referee import MexicanReferee
    >>> MexicanReferee(load_ruleset('tactic')).rules.name
    'tactic'
    """

    rules: RuleSet

    def judge(self, position: Position, actions: Sequence[Action]) -> Ruling:
        """The ruling on one whole turn by `position.turn`.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.judge(table, parse_action('play 12-5@Ann; end')).verdict
        'legal'
        """
        return judge.judge_turn(self.rules, position, actions)

    def judge_play(self, position: Position, play: Play, done: Sequence[Action] = ()) -> Ruling:
        """The ruling on one tile; what the turn still owes is not asked.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.judge_play(table, parse_action('play 12-5@Ann; end')[0]).verdict
        'legal'
        """
        return judge.judge_play(self.rules, position, play, done)

    def apply(self, position: Position, action: Action) -> Position:
        """The table after one act, right or wrong; the same player is still to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.apply(table, parse_action('play 12-5@Ann; end')[0]).turn
        'Ann'
        """
        return judge.apply(self.rules, position, action)

    def after_turn(self, position: Position, actions: Sequence[Action]) -> Position:
        """The table after a whole turn, the next player to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.after_turn(table, parse_action('play 12-5@Ann; end')).turn
        'Ben'
        """
        return judge.after_turn(self.rules, position, actions)

    def legal_plays(
        self,
        position: Position,
        hand: Collection[Tile] | None = None,
        done: Sequence[Action] = (),
        *,
        surely: bool = False,
    ) -> list[Play]:
        """Every tile and place that the player to move may choose next; `hand` None: any tile not on the table.

        >>> from companion.rules import Board, Tile, load_ruleset
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> [play.train for play in referee.legal_plays(table, [Tile(12, 5), Tile(3, 3)])]
        ['Ann', 'MX']
        """
        return judge.legal_plays(self.rules, position, hand, done, surely=surely)

    def blocked(self, position: Position) -> bool:
        """Whether nobody can ever play again, provably, whoever holds what.

        >>> from companion.rules import Board, load_ruleset
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.blocked(table)
        False
        """
        return turn.provably_blocked(self.rules, position)

    def facts(self, position: Position, actions: Sequence[Action]) -> dict[Violation, Facts]:
        """Which act of the turn each code is about.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import MexicanReferee
        >>> referee, table = MexicanReferee(load_ruleset('tactic')), Board('tactic').position
        >>> sorted(map(str, referee.facts(table, parse_action('play 12-5@Ben'))))
        ['CLOSED_TRAIN', 'PLAY_AFTER_END']
        """
        return mexican_facts(self.rules, position, actions)


@dataclass(frozen=True, slots=True)
class LineReferee:
    """The connecting games with the Chinese set under one rule set.

    >>> from companion.rules import load_ruleset
    >>> from companion.rules.referee import LineReferee
    >>> LineReferee(load_ruleset('jielong')).rules.name
    'jielong'
    """

    rules: RuleSet

    def judge(self, position: LinePosition, actions: Sequence[Action]) -> Ruling:
        """The ruling on one whole turn by `position.turn`.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.judge(table, parse_action('play 4:4@R', ':')).verdict
        'legal'
        """
        return line_judging.judge_turn(self.rules, position, actions)

    def judge_play(self, position: LinePosition, play: Play, done: Sequence[Action] = ()) -> Ruling:
        """The ruling on one tile; what the turn still owes is not asked.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.judge_play(table, parse_action('play 4:4@R', ':')[0]).verdict
        'legal'
        """
        return line_judging.judge_play(self.rules, position, play, done)

    def apply(self, position: LinePosition, action: Action) -> LinePosition:
        """The table after one act, right or wrong; the same player is still to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.apply(table, parse_action('play 4:4@R', ':')[0]).turn
        'Ann'
        """
        return chinese.apply(position, action)

    def after_turn(self, position: LinePosition, actions: Sequence[Action]) -> LinePosition:
        """The table after a whole turn, the next player to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.after_turn(table, parse_action('play 4:4@R', ':')).turn
        'Ben'
        """
        return chinese.after_turn(position, actions)

    def legal_plays(
        self,
        position: LinePosition,
        hand: Collection[Tile] | None = None,
        done: Sequence[Action] = (),
        *,
        surely: bool = False,
    ) -> list[Play]:
        """After a tile or a discard the turn is over, so nothing may be chosen.

        >>> from companion.rules import Board, load_ruleset
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> len(referee.legal_plays(table))
        6
        """
        return [] if done else chinese.legal_plays(self.rules, position, hand)

    def blocked(self, position: LinePosition) -> bool:
        """Whether nobody can ever play again, provably, whoever holds what.

        >>> from companion.rules import Board, load_ruleset
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.blocked(table)
        False
        """
        return chinese.blocked(self.rules, position.line, len(position.players))

    def facts(self, position: LinePosition, actions: Sequence[Action]) -> dict[Violation, Facts]:
        """Which act of the turn each code is about.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import LineReferee
        >>> referee, table = LineReferee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> referee.facts(table, parse_action('play 5:5@R', ':'))
        {<Violation.MISMATCH: 'MISMATCH'>: Facts(player='Ann', tile='5:5', train=None)}
        """
        return line_facts(self.rules, position, actions)


def undealt(rules: RuleSet, set_max: int | None, players: int) -> str | None:
    """Why a set (None: the Chinese tiles) cannot be dealt to so many players; None where it can, or where the rule set
    says nothing about this set and the hands are simply not counted. Source: docs/rules.md 2.1 and 4.2.

    Raises RulesError.

    >>> from companion.rules import load_ruleset, undealt
    >>> undealt(load_ruleset('cz'), 9, 4)
    '61 tiles would be needed for 4 players, and double-9 has 55'
    """
    if set_max is None:
        dealt = chinese.deal(rules, players).verdict == "ok"
        allowed: Sequence[int] = rules.players_allowed()
    else:
        deals = {n: judge.deal(rules, set_max, n) for n in rules.players_allowed(set_max)}
        allowed = [n for n, deal in deals.items() if deal.boneyard is not None and deal.boneyard >= 0]
        if players in deals and players not in allowed:
            have = judge.tiles_in(set_max)
            needed = 1 + players * (deals[players].hand or 0)
            return f"{needed} tiles would be needed for {players} players, and double-{set_max} has {have}"
        dealt = players in allowed or not deals
    return None if dealt else f"{rules.name} is dealt for {', '.join(map(str, allowed))} players, not for {players}"


def referee_for(rules: RuleSet) -> MexicanReferee | LineReferee:
    """The referee of the rule set's family.

    >>> from companion.rules import load_ruleset
    >>> from companion.rules.referee import referee_for
    >>> type(referee_for(load_ruleset('kkori'))).__name__
    'LineReferee'
    """
    return MexicanReferee(rules) if rules.is_mexican else LineReferee(rules)
