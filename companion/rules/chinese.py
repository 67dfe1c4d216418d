"""The connecting games Jie Long, Che Deng and Kkori: one line of Chinese tiles, judged and settled.

The line of a connecting game: which tiles fit where, who is next, when a deal is over. Source: docs/rules.md section 4.

The ruling on one turn at the line. Source: docs/rules.md 7.4.

Payments after a deal of a connecting game. Source: docs/rules.md 4.3.

Hands are numbered from the leader; on equal sums the lower hand has the advantage.

Which tile of a turn at the line each code is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.rules.notation import print_laid
from companion.rules.position import LEFT, RIGHT, Action, Chain, Discard, LinePosition, Pass, Play
from companion.rules.reasons import Facts
from companion.rules.ruleset import RuleSet
from companion.rules.ruleset_fields import ANY_SET
from companion.rules.tile import Laid, RulesError, Tile, chinese_set
from companion.rules.violations import Ruling, Violation


def tiles_of(rules: RuleSet, players: int | None) -> Mapping[Tile, int]:
    """Tile -> copies of the set that this many players use; None: the whole set of 32."""
    return chinese_set(players, kkori=rules.has_small_deck(players))


def count_of(tiles: Mapping[Tile, int], line: Chain, value: int) -> int:
    """How many tiles of the line show `value`; a tile seen more often than the set has it counts as often as it can."""
    seen = Counter(laid.tile for laid in line if laid.tile.has(value))
    return sum(min(count, tiles.get(tile, 0)) for tile, count in seen.items())


def supply_of(tiles: Mapping[Tile, int], value: int) -> int:
    """How many tiles of the set show `value`: 10, 7, 8, 8, 9, 10 for one to six. Source: docs/rules.md 4.1."""
    return sum(copies for tile, copies in tiles.items() if tile.has(value))


def open_arms(rules: RuleSet, arms: int | None = None) -> tuple[str, ...]:
    return (RIGHT,) if (rules.arms if arms is None else arms) == 1 else (RIGHT, LEFT)


def blocked(rules: RuleSet, line: Chain, players: int | None = None, *, arms: int | None = None) -> bool:
    """Whether nothing can be joined to any open end, provably: all tiles with its value lie face up in the line.

    `players` decides the set (Kkori), `arms` None is the rule set's own number of open ends.
    """
    if not line:
        return False
    tiles = tiles_of(rules, players)
    ends = {RIGHT: line[-1].outer, LEFT: line[0].inner}
    return all(count_of(tiles, line, ends[arm]) >= supply_of(tiles, ends[arm]) for arm in open_arms(rules, arms))


def apply(position: LinePosition, action: Action) -> LinePosition:
    """The table after one act of the player to move, right or wrong. A line grows even where the halves differ."""
    if isinstance(action, Play):
        line = (action.tile, *position.line) if action.train == LEFT else (*position.line, action.tile)
        return replace(_with_hand(position, -1), line=line, passes=0)
    if isinstance(action, Discard):
        discards = {**position.discards, position.turn: position.discards.get(position.turn, 0) + 1}
        return replace(_with_hand(position, -1), discards=discards, passes=position.passes + 1)
    if isinstance(action, Pass):
        return replace(position, passes=position.passes + 1)
    return position


def _with_hand(position: LinePosition, change: int) -> LinePosition:
    if position.turn not in position.hands:
        return position
    count = max(0, position.hands[position.turn] + change)
    return replace(position, hands={**position.hands, position.turn: count})


def after_turn(position: LinePosition, actions: Sequence[Action]) -> LinePosition:
    """The table after a whole turn; the next player (counter-clockwise, as `players` stand) is to move."""
    for action in actions:
        position = apply(position, action)
    return replace(position, turn=position.after(position.turn)) if position.turn in position.players else position


def legal_plays(rules: RuleSet, position: LinePosition, hand: Collection[Tile] | None = None) -> list[Play]:
    """Every tile and arm that may be joined now; `hand` None: any tile with a copy that is not in the line yet.

    The first tile of a line may lie either way: turned, it offers another open end.
    """
    copies = tiles_of(rules, len(position.players))
    seen = Counter(laid.tile for laid in position.line)
    tiles = sorted({tile for tile in (copies if hand is None else hand) if seen[tile] < copies.get(tile, 0)})
    if position.ends is None:
        return [Play(laid, RIGHT) for tile in tiles for laid in _both_ways(tile)]
    left, right = position.ends
    plays = [Play(laid, RIGHT) for tile in tiles for laid in _both_ways(tile) if laid.inner == right]
    if LEFT in open_arms(rules):
        plays += [Play(laid, LEFT) for tile in tiles for laid in _both_ways(tile) if laid.outer == left]
    return plays


def _both_ways(tile: Tile) -> tuple[Laid, ...]:
    laid = Laid(tile.low, tile.high)
    return (laid,) if tile.is_double else (laid, Laid(tile.high, tile.low))


@dataclass(frozen=True, slots=True)
class LineDeal:
    """How a deal is dealt; the numbers are None unless the verdict is `ok`.

    >>> from companion.rules import deal_line, load_ruleset
    >>> deal_line(load_ruleset('jielong'), 3)
    LineDeal(verdict='ok', hand=10, tiles=32, unused=2)
    """

    verdict: str
    hand: int | None = None
    tiles: int | None = None
    unused: int | None = None


def deal_line(rules: RuleSet, players: int) -> LineDeal:
    """Tiles for each of `players`, tiles of the set used, and how many stay closed. Raises RulesError.

    >>> from companion.rules import deal_line, load_ruleset
    >>> deal_line(load_ruleset('chedeng'), 4).hand
    8
    """
    hand = rules.hand_size(ANY_SET, players)
    if hand is None:
        only = rules.players_allowed()
        return LineDeal(f"players_must_be_{only[0]}" if len(only) == 1 else "unsupported")
    tiles = sum(tiles_of(rules, players).values())
    unused = tiles - players * hand
    return LineDeal("ok", hand, tiles, unused) if unused >= 0 else LineDeal("unsupported")


def must_redeal(rules: RuleSet, hand: Collection[Tile]) -> bool:
    """Whether so many doubles were dealt to one player that the deal is void. Raises RulesError.

    >>> from companion.rules import Tile, load_ruleset, must_redeal
    >>> must_redeal(load_ruleset('chedeng'), [Tile(1, 1), Tile(2, 3)])
    False
    """
    return rules.redeal_doubles is not None and sum(tile.is_double for tile in hand) >= rules.redeal_doubles


def judge_turn(rules: RuleSet, position: LinePosition, actions: Sequence[Action]) -> Ruling:
    """The ruling on one whole turn by `position.turn`.

    Whether a tile in the hand could have been laid is not asked here: that is the audit's question. A turn without
    any act is a silent pass.
    """
    copies = tiles_of(rules, len(position.players) or None)
    codes: set[Violation] = set()
    may: set[Violation] = set()
    given_up = 0
    for action in actions:
        if isinstance(action, Play):
            faults = tile_faults(rules, position, action, copies)
            codes.update(faults[:1])
            may.update(faults[1:])
        if isinstance(action, Discard):
            if action.face_up:
                codes.add(Violation.DISCARD_FACE_UP)
            if not position.line:
                codes.add(Violation.LEAD_MUST_PLAY)
        given_up += isinstance(action, (Play, Discard))
        position = apply(position, action)
    if given_up > 1:
        codes.add(Violation.EXTRA_TILE)
    if given_up == 0:
        codes.add(Violation.PASS_WITHOUT_DISCARD)
    return Ruling.of(codes, may)


def judge_play(rules: RuleSet, position: LinePosition, play: Play, done: Sequence[Action] = ()) -> Ruling:
    """The ruling on one tile; `done` are the acts that the turn has already seen."""
    already = sum(isinstance(action, (Play, Discard)) for action in done)
    faults = tile_faults(rules, position, play, tiles_of(rules, len(position.players) or None))
    extra = (Violation.EXTRA_TILE,) if already else ()
    return Ruling.of((*faults[:1], *extra), faults[1:])


def tile_faults(
    rules: RuleSet, position: LinePosition, play: Play, copies: Mapping[Tile, int]
) -> tuple[Violation, ...]:
    """The faults of the tile, the root cause first; empty where it fits."""
    tile = play.tile.tile
    faults = []
    if tile not in copies:
        faults.append(Violation.TILE_NOT_IN_SET)
    elif Counter(laid.tile for laid in position.line)[tile] >= copies[tile]:
        faults.append(Violation.MULTIPLICITY)
    ends = position.ends
    if ends is not None:
        if play.train == LEFT and LEFT not in open_arms(rules):
            faults.append(Violation.CLOSED_END)
        touching, due = (play.tile.inner, ends[1]) if play.train == RIGHT else (play.tile.outer, ends[0])
        if touching != due:
            faults.append(Violation.MISMATCH)
    return tuple(faults)


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
    """The result of a round.

    >>> from companion.rules import load_ruleset, settle
    >>> settle(load_ruleset('jielong'), ['Ann', 'Ben'], {'Ann': 4, 'Ben': 9})
    Settlement(result={'Ann': 5, 'Ben': -5}, winner='Ann')
    """

    result: Mapping[str, int]
    """The net of each player, above 0 where they receive; adds up to 0. With plain points: the pips of each player."""
    winner: str
    """The player with the lowest sum."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment from one player to another."""

    payer: str
    receiver: str
    amount: int
    """A difference of pips, or a chip."""
    factor: int = 1
    """The amount is multiplied by this: 1, 2 or 4."""

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
    """The player with the lowest sum. Raises RulesError where somebody's number is missing."""
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
    """Che Deng: twice to one who finished clean, and twice from a head or tail that laid nearly everything aside."""
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


def turn_facts(rules: RuleSet, position: LinePosition, actions: Sequence[Action]) -> dict[Violation, Facts]:
    """Which tile of the turn each code is about."""
    facts: dict[Violation, Facts] = {}
    copies = tiles_of(rules, len(position.players))
    for act in actions:
        if isinstance(act, Play):
            known = Facts(position.turn or None, print_laid(act.tile, ":"))
            for code in tile_faults(rules, position, act, copies):
                facts.setdefault(code, known)
        position = apply(position, act)
    return facts
