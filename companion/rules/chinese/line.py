"""The line of a connecting game: what fits where, who is next, when a deal is over. Source: docs/rules.md section 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.rules.actions import LEFT, RIGHT, Action, Discard, Pass, Play
from companion.rules.position import Chain, LinePosition
from companion.rules.ruleset import ANY_SET, RuleSet
from companion.rules.tile import Laid, Tile, chinese_set


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
    """Every tile and arm that may be joined now; `hand` None: any tile of which a copy is not in the line yet.

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


def deal(rules: RuleSet, players: int) -> LineDeal:
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
