"""One round as bots play it: dealt, played turn by turn, ended as the rules say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple, Protocol

from companion.rules.position import MEXICAN, Action, Discard, Draw, LinePosition, Mark, Play, Position
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, Tile, chinese_set, double_set
from datasets.bots.line import make_line_turn
from datasets.bots.mexican import TurnMaker

MOST_TURNS = 2000
"""A round that takes longer has gone wrong."""


class BotTurn(NamedTuple):
    """One turn as it was made. `planted` is the code of the fault in it, None for a legal turn.

    `hand` is what `player` held before it, `drawn` what was drawn, `discarded` a Chinese tile put away face down.
    `announced`: the last tile was announced; `complete`: the turn did what the rules ask for. `player` is not
    `before.turn` where an OUT_OF_TURN was planted.
    """

    player: str
    actions: tuple[Action, ...]
    before: Position | LinePosition
    after: Position | LinePosition
    planted: str | None
    hand: tuple[Tile, ...]
    drawn: tuple[Tile, ...] = ()
    discarded: Tile | None = None
    announced: bool = False
    complete: bool = True


class Planter(Protocol):
    """Decides at which moments a faulty turn is made in place of a legal one."""

    def turn(
        self, game: BotRound, position: Position | LinePosition
    ) -> tuple[str, tuple[Action, ...], str | None] | None:
        """The player, the acts and the fault's code of a turn; None where a legal one is to be made."""


@dataclass(slots=True)
class BotRound:
    """A dealt round. `turns` plays it; afterwards `how` says how it ended, `out` who went out, `hands` what is left.

    `start` is the table after the deal, `dealt` the hands then. `discards` are the Chinese tiles put away, in order.
    `planted`: the engine itself is a wrong one.
    """

    rules: RuleSet
    referee: Referee
    number: int
    engine: Laid | None
    starter: str
    start: Position | LinePosition
    hands: dict[str, list[Tile]]
    pile: list[Tile]
    rng: Random
    plan: Planter
    dealt: Mapping[str, tuple[Tile, ...]] = field(default_factory=dict)
    discards: dict[str, list[Tile]] = field(default_factory=dict)
    how: str | None = None
    out: str | None = None
    moved: set[str] = field(default_factory=set)
    planted: str | None = None

    def turns(self) -> Iterator[BotTurn]:
        """The turns in order; to be asked for once."""
        position = self.start
        passes = 0
        for _ in range(MOST_TURNS):
            if self.how is not None:
                return
            turn = self._turn(position)
            yield turn
            position = turn.after
            laid = any(isinstance(action, Play) for action in turn.actions)
            opened = Mark(turn.player) in turn.actions
            passes = 0 if laid else 1 if opened else passes + 1
            self._end_if_over(position, passes)
        raise RuntimeError(f"round {self.number} does not end")

    def _turn(self, position: Position | LinePosition) -> BotTurn:
        player = position.turn
        hand = tuple(self.hands[player])
        planted = self.plan.turn(self, position)
        if planted is not None:
            player, actions, code = planted
            hand = tuple(self.hands[player])
            return self._done(player, actions, position, code, hand)
        if isinstance(position, LinePosition):
            return self._done(player, make_line_turn(self.referee, position, hand, self.rng), position, None, hand)
        maker = TurnMaker(self.rules, position, list(hand), list(self.pile), self.rng)
        return self._done(player, maker.make(), position, None, hand)

    def _done(
        self,
        player: str,
        actions: tuple[Action, ...],
        position: Position | LinePosition,
        code: str | None,
        hand: tuple[Tile, ...],
    ) -> BotTurn:
        """Carry the turn out on the hands, the pile and the table."""
        drawn: list[Tile] = []
        discarded: Tile | None = None
        own = self.hands[player]
        for action in actions:
            if isinstance(action, Play) and action.tile.tile in own:
                own.remove(action.tile.tile)
            elif isinstance(action, Draw) and self.pile:
                drawn.append(self.pile.pop())
                own.append(drawn[-1])
            elif isinstance(action, Discard) and own:
                discarded = min(own, key=lambda tile: (tile.pips, tile.low))
                own.remove(discarded)
                self.discards.setdefault(player, []).append(discarded)
        actions = tuple(replace(act, tile=discarded) if act == Discard(face_up=True) else act for act in actions)
        announced = self.rules.announce is not None and len(own) == 1 and code != "ANNOUNCE_MISSING"
        complete = self._complete(player, actions, position)
        return BotTurn(
            player=player,
            actions=actions,
            before=position,
            after=self._after(player, actions, position),
            planted=code,
            hand=hand,
            drawn=tuple(drawn),
            discarded=discarded,
            announced=announced,
            complete=complete,
        )

    def _complete(self, player: str, actions: tuple[Action, ...], position: Position | LinePosition) -> bool:
        """Source: docs/rules.md 7.1, "Complete"."""
        plays = [action for action in actions if isinstance(action, Play)]
        if isinstance(position, LinePosition):
            return bool(plays) or any(isinstance(action, Discard) for action in actions)
        long = self.rules.long_first and player not in self.moved
        return bool(plays) and (long or not all(play.tile.is_double for play in plays) or not self.hands[player])

    def _after(
        self, player: str, actions: tuple[Action, ...], position: Position | LinePosition
    ) -> Position | LinePosition:
        out_of_turn = player != position.turn
        table: Position | LinePosition
        if isinstance(position, LinePosition):
            table = replace(position, turn=player)
        else:
            table = replace(position, turn=player, first_turn=player not in self.moved)
        for action in actions:
            table = self.referee.apply(table, action)
        self.moved.add(player)
        following = position.turn if out_of_turn else table.after(player)
        counts = {name: len(tiles) for name, tiles in self.hands.items()}
        if isinstance(table, LinePosition):
            following = self._with_tiles(table, following)
            passes = 0 if any(isinstance(action, Play) for action in actions) else position_passes(position) + 1
            return replace(table, turn=following, hands=counts, passes=passes)
        boneyard = None if table.boneyard is None else len(self.pile)
        return replace(table, turn=following, first_turn=following not in self.moved, hands=counts, boneyard=boneyard)

    def _with_tiles(self, table: LinePosition, player: str) -> str:
        """The next who still has a tile."""
        for _ in table.players:
            if self.hands[player]:
                break
            player = table.after(player)
        return player

    def _end_if_over(self, position: Position | LinePosition, passes: int) -> None:
        players = position.players
        if isinstance(position, LinePosition):
            if not any(self.hands.values()):
                self.how = "out"
            return
        empty = [player for player in players if not self.hands[player]]
        if empty and not (self.rules.finish_first_lap and self.moved < set(players)):
            self.how, self.out = "out", empty[0]
        elif self.rules.block_rule == "provable_stop":
            if self.referee.blocked(position):
                self.how = "blocked_proved"
            elif not self.pile and passes >= 2 * len(players):
                self.how = "blocked_declared"
        elif not self.pile and passes >= len(players):
            self.how = "blocked_declared"


def position_passes(position: Position | LinePosition) -> int:
    return position.passes if isinstance(position, LinePosition) else 0


def deal_mexican(
    rules: RuleSet, set_max: int, players: Sequence[str], number: int, rng: Random
) -> tuple[Laid, dict[str, list[Tile]], list[Tile], Position]:
    """Engine, hands, pile and table of a round. The engine is set aside before the deal."""
    value = rules.first_engine_of(set_max) - (number - 1)
    engine = Laid(value, value)
    pile = sorted(double_set(set_max) - {engine.tile})
    rng.shuffle(pile)
    size = rules.hand_size(set_max, len(players)) or 0
    hands = {player: [pile.pop() for _ in range(size)] for player in players}
    trains: dict[str, tuple[Laid, ...]] = dict.fromkeys((*players, MEXICAN), ())
    start = Position(
        set_max,
        tuple(players),
        engine,
        trains,
        first_turn=True,
        boneyard=len(pile),
        hands=dict.fromkeys(players, size),
        round=number,
        first_engine=rules.first_engine,
    )
    return engine, hands, pile, start


def deal_line(
    rules: RuleSet, players: Sequence[str], rng: Random
) -> tuple[dict[str, list[Tile]], list[Tile], LinePosition]:
    """Hands, the tiles that stay in the box, the empty line of a Chinese game; dealt again where a redeal is due."""
    size = rules.hand_size(-1, len(players)) or 0
    deck = sorted(chinese_set(len(players), kkori=rules.has_small_deck(len(players))).items())
    while True:
        pile = [tile for tile, copies in deck for _ in range(copies)]
        rng.shuffle(pile)
        hands = {player: [pile.pop() for _ in range(size)] for player in players}
        limit = rules.redeal_doubles
        if limit is None or all(sum(tile.is_double for tile in hand) < limit for hand in hands.values()):
            break
    return hands, pile, LinePosition(tuple(players), hands=dict.fromkeys(players, size))
