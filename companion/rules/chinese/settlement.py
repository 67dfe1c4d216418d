"""Who pays whom after a deal of a connecting game. Source: docs/rules.md 4.3.

Hands are numbered from the leader; on equal sums the lower hand has the advantage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.errors import RulesError
from companion.rules.ruleset import RuleSet

PAIRWISE = "pairwise"
KKORI = "kkori"
WINNER_CHIP = "winner_chip"
POINTS = "points"
SETTLEMENTS = (PAIRWISE, KKORI, WINNER_CHIP)
"""The ways to pay; with `points` nothing is paid, and everybody writes down their own pips."""

MUCH = 30
"""Kkori: a loser with more pips than this pays the winner even if somebody has more still."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """`result` is the net of each player (positive: receives) and adds up to 0; `winner` has the lowest sum.

    With plain points `result` are the pips of each player.

    >>> from companion.rules import load_ruleset, settle
    >>> settle(load_ruleset('jielong'), ['Ann', 'Ben'], {'Ann': 4, 'Ben': 9})
    Settlement(result={'Ann': 5, 'Ben': -5}, winner='Ann')
    """

    result: Mapping[str, int]
    winner: str


@dataclass(frozen=True, slots=True)
class Payment:
    """What one player pays another: `amount`, a difference of pips or a chip, times `factor` (1, 2 or 4)."""

    payer: str
    receiver: str
    amount: int
    factor: int = 1

    @property
    def total(self) -> int:
        return self.amount * self.factor


def settle(
    rules: RuleSet,
    order: Sequence[str],
    pips: Mapping[str, int],
    *,
    discards: Mapping[str, int] | None = None,
    mode: str | None = None,
) -> Settlement:
    """The payments of one deal.

    Args:
        order: the players, the leader first, in playing order.
        pips: the sum of each player's face-down tiles (and of the tiles in hand where play was stopped).
        discards: tiles each player laid aside; None leaves Che Deng's multipliers out.
        mode: "pairwise", "kkori" or "winner_chip"; None is the rule set's own.

    Raises:
        RulesError: a player's number is missing, or there is no such mode.

    >>> from companion.rules import load_ruleset, settle
    >>> settle(load_ruleset('kkori'), ['Ann', 'Ben'], {'Ann': 4, 'Ben': 9}).winner
    'Ann'
    """
    mode, winner = rules.settlement if mode is None else mode, _winner(order, pips, discards)
    if mode == POINTS:
        return Settlement(dict(pips), winner)
    net = dict.fromkeys(order, 0)
    for one in payments(rules, order, pips, discards=discards, mode=mode):
        net[one.payer] -= one.total
        net[one.receiver] += one.total
    return Settlement(net, winner)


def payments(
    rules: RuleSet,
    order: Sequence[str],
    pips: Mapping[str, int],
    *,
    discards: Mapping[str, int] | None = None,
    mode: str | None = None,
) -> tuple[Payment, ...]:
    """Each payment of one deal, asked as in `settle`; none where everybody writes down their own pips. Raises
    RulesError."""
    mode, winner = rules.settlement if mode is None else mode, _winner(order, pips, discards)
    if mode not in (*SETTLEMENTS, POINTS):
        raise RulesError(f"mode: expected one of {', '.join(SETTLEMENTS)}, not {mode!r}")
    if mode == POINTS:
        return ()
    if mode == PAIRWISE:
        doubled = rules.multipliers and discards is not None
        return tuple(
            Payment(
                payer, receiver, amount, _multiplier(rules, order, payer, receiver, discards or {}) if doubled else 1
            )
            for payer, receiver, amount in _differences(order, pips)
        )
    losers = [player for player in order if player != winner]
    return tuple(
        Payment(payer, winner, 1) for payer in (losers if mode == WINNER_CHIP else _kkori_payers(losers, pips))
    )


def _winner(order: Sequence[str], pips: Mapping[str, int], discards: Mapping[str, int] | None) -> str:
    """Who has the lowest sum. Raises RulesError where somebody's number is missing."""
    missing = [player for player in order if player not in pips or (discards is not None and player not in discards)]
    if not order or missing:
        raise RulesError(
            f"pips, discards: expected a number for each player, none for {', '.join(missing) or 'anybody'}"
        )
    return min(order, key=lambda player: (pips[player], order.index(player)))


def _differences(order: Sequence[str], pips: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Every pair with different sums as (payer, receiver, difference)."""
    return [(high, low, pips[high] - pips[low]) for high in order for low in order if pips[high] > pips[low]]


def _multiplier(rules: RuleSet, order: Sequence[str], payer: str, receiver: str, discards: Mapping[str, int]) -> int:
    """Che Deng: twice to whoever finished clean, and twice from a head or tail that laid nearly everything aside."""
    clean = discards[receiver] == 0
    return (2 if clean else 1) * (2 if discards[payer] >= pays_double_from(rules, payer == order[0]) else 1)


def pays_double_from(rules: RuleSet, leads: bool) -> int:
    """Che Deng: from so many tiles laid aside on, what a player pays counts twice."""
    return rules.head_tail[0] if leads else rules.head_tail[1]


def _kkori_payers(losers: Sequence[str], pips: Mapping[str, int]) -> list[str]:
    """The highest sum pays (of equals the higher hand), and everybody above 30."""
    if not losers:
        return []
    last_highest = max(losers, key=lambda player: (pips[player], losers.index(player)))
    return [player for player in losers if player == last_highest or pips[player] > MUCH]
