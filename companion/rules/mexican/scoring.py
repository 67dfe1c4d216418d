"""Dealing, the end of a round, and what it costs. Source: docs/rules.md sections 2.1, 2.6 and 10."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from companion.rules.errors import RulesError
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Tile

PENALTY = "penalty"
WINNER_TAKES = "winner_takes"
FIRST_OUT = "first_out"
SCORE_MODES = (PENALTY, WINNER_TAKES, FIRST_OUT)

DOUBLE_BLANK = Tile(0, 0)


class ScoringError(RulesError, ValueError):
    """The round cannot be scored as told; the text says which fact is missing.

    >>> from companion.rules import load_ruleset, parse_tile, score
    >>> score(load_ruleset('cz'), {'Ann': [parse_tile('1-2')]}, mode='winner_takes')
    Traceback (most recent call last):
        ...
    companion.rules.mexican.scoring.ScoringError: out: expected who went out, for no hand is empty
    """


@dataclass(frozen=True, slots=True)
class Deal:
    """How a round is dealt. `hand` and `boneyard` are None where the rule set has no number for these players.

    >>> from companion.rules import deal, load_ruleset
    >>> deal(load_ruleset('tactic'), 12, 4)
    Deal(hand=15, boneyard=30, verdict='ok')
    """

    hand: int | None
    boneyard: int | None
    verdict: str


def tiles_in(set_max: int) -> int:
    """How many tiles the set up to `set_max` has. Raises RulesError.

    >>> from companion.rules import tiles_in
    >>> tiles_in(12)
    91
    """
    return (set_max + 1) * (set_max + 2) // 2


def deal(rules: RuleSet, set_max: int, players: int) -> Deal:
    """Tiles for each player and for the boneyard, the engine set aside; a negative boneyard is a deal that fails.
    Raises RulesError.

    >>> from companion.rules import deal, load_ruleset
    >>> deal(load_ruleset('tactic'), 12, 4).boneyard
    30
    """
    hand = rules.hand_size(set_max, players)
    if hand is None:
        return Deal(None, None, "unsupported")
    boneyard = tiles_in(set_max) - players * hand - (1 if rules.engine_from == "set_aside" else 0)
    if boneyard < 0:
        verdict = "impossible"
    elif boneyard == 0:
        verdict = "ok_empty_boneyard"
    else:
        verdict = "ok_quick" if set_max == rules.quick_set else "ok"
    return Deal(hand, boneyard, verdict)


def starters(drawn: Mapping[str, Tile]) -> tuple[str, ...]:
    """Who starts when everybody has drawn a tile: the highest sum; more than one name has to draw again. Raises
    RulesError.

    >>> from companion.rules import Tile, starters
    >>> starters({'Ann': Tile(1, 2), 'Ben': Tile(6, 6)})
    ('Ben',)
    """
    highest = max((tile.pips for tile in drawn.values()), default=0)
    return tuple(player for player, tile in drawn.items() if tile.pips == highest)


def pips(rules: RuleSet, tiles: Collection[Tile]) -> int:
    """What the tiles of a hand cost, the double blank by the rule set's price. Raises RulesError.

    >>> from companion.rules import Tile, load_ruleset, pips
    >>> pips(load_ruleset('tactic'), [Tile(12, 5), Tile(3, 3)])
    23
    """
    return sum(rules.double_blank if tile == DOUBLE_BLANK else tile.pips for tile in tiles)


def score(
    rules: RuleSet,
    hands: Mapping[str, Collection[Tile]],
    *,
    mode: str | None = None,
    blocked: bool = False,
    out: str | None = None,
) -> dict[str, int]:
    """Points of one round.

    Args:
        hands: the tiles left in each hand.
        mode: "penalty", "winner_takes" or "first_out" (a round won counts 1); None is the rule set's own.
        blocked: the round ended with nobody out.
        out: who laid the last tile; None means whoever has an empty hand.

    Raises:
        ScoringError: the winner takes, and nobody can be named as the winner; or there is no such mode.

    >>> from companion.rules import Tile, load_ruleset, score
    >>> score(load_ruleset('tactic'), {'Ann': [], 'Ben': [Tile(12, 5)]})
    {'Ann': 0, 'Ben': 17}
    """
    sums = {player: pips(rules, tiles) for player, tiles in hands.items()}
    mode = rules.scoring if mode is None else mode
    if mode not in SCORE_MODES:
        raise ScoringError(f"mode: expected one of {', '.join(SCORE_MODES)}, not {mode!r}")
    winner_takes = mode in (WINNER_TAKES, FIRST_OUT)
    winners: set[str] = set()
    if blocked:
        if sums and (rules.blocked_winner_zero or winner_takes):
            lowest = min(sums.values())
            winners = {player for player, points in sums.items() if points == lowest}
    elif out is not None:
        winners = {out}
    else:
        winners = {player for player, tiles in hands.items() if not tiles}
    if not winner_takes:
        return {player: 0 if blocked and player in winners else points for player, points in sums.items()}
    if not winners:
        raise ScoringError("out: expected who went out, for no hand is empty")
    if mode == FIRST_OUT:
        return {player: int(player in winners) for player in sums}
    prize = sum(points for player, points in sums.items() if player not in winners)
    return {player: prize if player in winners else 0 for player in sums}


def match_winners(totals: Mapping[str, int], mode: str) -> tuple[str, ...]:
    """Who wins on these totals, sorted; more than one name is a shared win. Raises ScoringError without totals.

    >>> from companion.rules import match_winners
    >>> match_winners({'Ann': 37, 'Ben': 21}, 'penalty')
    ('Ben',)
    """
    if not totals:
        raise ScoringError("totals: expected points of each player, and there are none")
    best = min(totals.values()) if mode == PENALTY else max(totals.values())
    return tuple(sorted(player for player, total in totals.items() if total == best))


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """Whether the round is over, and who still has a turn before it is.

    >>> from companion.rules import load_ruleset, round_end
    >>> round_end(load_ruleset('tactic'), ['Ann', 'Ben'], lap=3, moved=['Ann'], out='Ann')
    RoundEnd(ends_now=True, remaining_turns=())
    """

    ends_now: bool
    remaining_turns: tuple[str, ...]


def round_end(rules: RuleSet, order: Sequence[str], *, lap: int, moved: Collection[str], out: str | None) -> RoundEnd:
    """After a turn of lap `lap`: `order` from the starter on, `moved` in this lap, `out` who laid the last tile.
    Raises RulesError.

    >>> from companion.rules import load_ruleset, round_end
    >>> round_end(load_ruleset('poltava'), ['Ann', 'Ben'], lap=1, moved=['Ann'], out='Ann').remaining_turns
    ('Ben',)
    """
    if out is None:
        return RoundEnd(False, ())
    if lap == 1 and rules.finish_first_lap:
        remaining = tuple(player for player in order if player not in moved and player != out)
        return RoundEnd(not remaining, remaining)
    return RoundEnd(True, ())


def announcement(rules: RuleSet, hand_after: int) -> str | None:
    """How a player announces the last tile ("tap", "tap_or_say"); None where nothing is due. Raises RulesError.

    >>> from companion.rules import announcement, load_ruleset
    >>> announcement(load_ruleset('tactic'), 1)
    'tap'
    """
    return rules.announce if hand_after == 1 else None


def engine_due(rules: RuleSet, set_max: int, round_number: int, first_engine: int | None = None) -> int:
    """The value of the engine of that round (1, 2 ...); negative when the match has no such round. Raises RulesError.

    >>> from companion.rules import engine_due, load_ruleset
    >>> engine_due(load_ruleset('tactic'), 12, 3)
    10
    """
    first = rules.first_engine_of(set_max) if first_engine is None else first_engine
    return first - (round_number - 1)


def round_of(rules: RuleSet, set_max: int, engine: int) -> int | None:
    """The number of the round whose engine has that value; None where the match has no such round. Raises RulesError.

    >>> from companion.rules import load_ruleset, round_of
    >>> round_of(load_ruleset('tactic'), 12, 10)
    3
    """
    first = rules.first_engine_of(set_max)
    return first - engine + 1 if 0 <= engine <= first and first - engine < last_round(rules, set_max) else None


def last_round(rules: RuleSet, set_max: int) -> int:
    """The number of the match's last round: the rule set's, but never beyond the blank double. Raises RulesError.

    >>> from companion.rules import last_round, load_ruleset
    >>> last_round(load_ruleset('tactic'), 12)
    13
    """
    return min(rules.rounds_of(set_max), rules.first_engine_of(set_max) + 1)
