"""The judge as the game uses it: one referee, two families behind it.

Record first, judge second: `apply` never refuses, `judge` says what was wrong. Functions that only one family has
(dead doubles, the boneyard) stay in its package.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from companion.rules import chinese
from companion.rules.chinese import tiles_of
from companion.rules.mexican import judge, turn
from companion.rules.position import MEXICAN, RIGHT, Action, AnyTable, LinePosition, Play, Position, Table
from companion.rules.reasons import Facts
from companion.rules.ruleset import RuleSet
from companion.rules.ruleset_fields import ANY_SET
from companion.rules.tile import Tile
from companion.rules.violations import Ruling, Violation


@dataclass(frozen=True, slots=True)
class Referee:
    """The referee of one rule set. Which family of games judges follows from the table.

    >>> from companion.rules import Board, load_ruleset, parse_action
    >>> from companion.rules.referee import Referee
    >>> referee, line = Referee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
    >>> referee.after_turn(line, parse_action('play 4:4@R', ':')).turn
    'Ben'
    """

    rules: RuleSet

    def judge(self, position: Table, actions: Sequence[Action]) -> Ruling:
        """The ruling on one whole turn by `position.turn`.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.judge(table, parse_action('play 12-5@Ann; end')).verdict
        'legal'
        """
        if isinstance(position, LinePosition):
            return chinese.judge_turn(self.rules, position, actions)
        return judge.judge_turn(self.rules, position, actions)

    def judge_play(self, position: Table, play: Play, done: Sequence[Action] = ()) -> Ruling:
        """The ruling on one tile; what the turn still owes is not asked. `done`: the acts that it has already seen.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.judge_play(table, parse_action('play 12-5@Ann; end')[0]).verdict
        'legal'
        """
        if isinstance(position, LinePosition):
            return chinese.judge_play(self.rules, position, play, done)
        return judge.judge_play(self.rules, position, play, done)

    def apply(self, position: AnyTable, action: Action) -> AnyTable:
        """The table after one act, right or wrong; the same player is still to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.apply(table, parse_action('play 12-5@Ann; end')[0]).turn
        'Ann'
        """
        if isinstance(position, LinePosition):
            return chinese.apply(position, action)
        return judge.apply(self.rules, position, action)

    def after_turn(self, position: AnyTable, actions: Sequence[Action]) -> AnyTable:
        """The table after a whole turn, the next player to move.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.after_turn(table, parse_action('play 12-5@Ann; end')).turn
        'Ben'
        """
        if isinstance(position, LinePosition):
            return chinese.after_turn(position, actions)
        return judge.after_turn(self.rules, position, actions)

    def legal_plays(
        self,
        position: Table,
        hand: Collection[Tile] | None = None,
        done: Sequence[Action] = (),
        *,
        surely: bool = False,
    ) -> list[Play]:
        """Every tile and place that the player to move may choose next; `hand` None: any tile not on the table.

        `surely`: only what is right however the open questions of the source are answered. After a tile or a discard
        of a line the turn is over, so nothing may be chosen.

        >>> from companion.rules import Board, Tile, load_ruleset
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> [play.train for play in referee.legal_plays(table, [Tile(12, 5), Tile(3, 3)])]
        ['Ann', 'MX']
        >>> referee, line = Referee(load_ruleset('jielong')), Board('jielong', line='2:6 6:4').position
        >>> len(referee.legal_plays(line))
        6
        """
        if isinstance(position, LinePosition):
            return [] if done else chinese.legal_plays(self.rules, position, hand)
        return judge.legal_plays(self.rules, position, hand, done, surely=surely)

    def blocked(self, position: Table) -> bool:
        """Whether nobody can ever play again, provably, whoever holds what.

        >>> from companion.rules import Board, load_ruleset
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> referee.blocked(table)
        False
        """
        if isinstance(position, LinePosition):
            return chinese.blocked(self.rules, position.line, len(position.players))
        return turn.provably_blocked(self.rules, position)

    def over(
        self, table: Table, *, silent: int = 0, first_lap: bool = False, hidden: bool = False
    ) -> tuple[str, str | None] | None:
        """How a round has ended before the next turn, by the rules and the counts, and who went out; None: it goes on.
        Source: docs/rules.md 2.6, 4.2.

        `silent`: turns in a row in which nothing was laid. `first_lap`: the first lap has to be finished. `hidden`:
        nobody can tell what lies at some end, so nothing can be proved blocked.

        >>> from dataclasses import replace
        >>> from companion.rules import Board, load_ruleset
        >>> from companion.rules.referee import Referee
        >>> Referee(load_ruleset('tactic')).over(replace(Board('tactic').position, hands={'Ann': 0}))
        ('out', 'Ann')
        """
        hands = table.hands
        if isinstance(table, LinePosition):
            dealt = self.rules.hand_size(ANY_SET, len(table.players))
            down = len(table.line) + sum(table.discards.values())
            none_left = bool(hands) and not any(hands.values())
            return ("out", None) if none_left or (dealt is not None and down >= dealt * len(table.players)) else None
        out = next((player for player in table.players if hands.get(player) == 0), None)
        if out is not None:
            return None if first_lap else ("out", out)
        if self.rules.block_rule == "provable_stop":
            return ("blocked_proved", None) if not hidden and self.blocked(table) else None
        all_passed = silent >= len(table.players) - len(table.gone)
        return ("blocked_declared", None) if table.boneyard == 0 and all_passed else None

    def facts(self, position: Table, actions: Sequence[Action]) -> dict[Violation, Facts]:
        """Which act of the turn each code is about.

        >>> from companion.rules import Board, load_ruleset, parse_action
        >>> from companion.rules.referee import Referee
        >>> referee, table = Referee(load_ruleset('tactic')), Board('tactic').position
        >>> sorted(map(str, referee.facts(table, parse_action('play 12-5@Ben'))))
        ['CLOSED_TRAIN', 'PLAY_AFTER_END']
        """
        if isinstance(position, LinePosition):
            return chinese.turn_facts(self.rules, position, actions)
        return judge.turn_facts(self.rules, position, actions)


def undealt(rules: RuleSet, set_max: int | None, players: int) -> str | None:
    """Why a set (None: the Chinese tiles) cannot be dealt to so many players; None where it can, or where the rule set
    says nothing about this set and the hands are simply not counted. Source: docs/rules.md 2.1 and 4.2.

    Raises RulesError.

    >>> from companion.rules import load_ruleset, undealt
    >>> undealt(load_ruleset('cz'), 9, 4)
    '61 tiles would be needed for 4 players, and double-9 has 55'
    """
    if set_max is None:
        dealt = chinese.deal_line(rules, players).verdict == "ok"
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


def misfits(rules: RuleSet, table: Table, play: Play) -> tuple[str, ...]:
    """The codes by which this tile does not fit where it is laid, whoever lays it; () where it does.

    One picture proves that as soon as the tile and its neighbour are surely read.

    >>> from companion.rules import Board, Laid, Play, load_ruleset
    >>> from companion.rules.referee import misfits
    >>> misfits(load_ruleset('tactic'), Board('tactic').position, Play(Laid(3, 5), 'Ann'))
    ('WRONG_ROOT',)
    """
    tile = play.tile
    if isinstance(table, LinePosition):
        in_set = tile.tile in tiles_of(rules, len(table.players))
        at_right = play.train == RIGHT
        fits = table.ends is None or (tile.inner == table.ends[1] if at_right else tile.outer == table.ends[0])
    else:
        in_set, chain = max(tile) <= table.set_max, table.trains.get(play.train, ())
        any_root = play.train == MEXICAN and (rules.mx_root == "any" or rules.leaves_open("mx_root"))
        # A first tile that shows the engine's value at its other end may only lie the other way round.
        fits = tile.inner == chain[-1].outer if chain else any_root or bool(set(tile) & set(table.engine))
    found = [] if in_set else [Violation.TILE_NOT_IN_SET]
    if not fits:
        first = isinstance(table, Position) and not table.trains.get(play.train)
        found.append(Violation.WRONG_ROOT if first else Violation.MISMATCH)
    return tuple(map(str, found))


def is_foreign(rules: RuleSet, table: Table, tile: Tile) -> bool:
    """Whether this tile cannot have come from a hand of the set: it lies there already, or the set has none. After it
    the player's tiles cannot be counted."""
    if isinstance(table, LinePosition):
        there = sum(laid.tile == tile for laid in table.line)
        return there >= tiles_of(rules, len(table.players)).get(tile, 0)
    return tile.high > table.set_max or tile in table.visible
