"""A whole match of bots: rounds dealt one after the other, each ended and left to be scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from companion.rules.chinese import settle
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.ruleset_fields import HOLDER_LEADS, WINNER_LEADS
from companion.rules.tile import Tile
from companion.rules.violations import Violation
from datasets.bots.planting import Plan
from datasets.bots.rounds import BotRound, BotTurn, deal_line, deal_mexican

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon")


class BotGame:
    """A match played by bots, the same for the same arguments.

    Args:
        rules: the rule set.
        players: their names in playing order, or how many.
        seed: everything random follows from it.
        set_max: the highest pip of the double set; None: the rule set's first engine, or 12.
        plant: codes to plant, none for legal play throughout.
        plant_rate: in which share of the turns a fault is tried.
        plants_per_round: at most so many in a round; None for no limit.
        rounds: how many rounds; None: as many as the rules say (the Chinese games: as many as there are players).
        rotate_from: index of the player who starts the first round.
        latitude: in which share of the turns a bot does what only an open question of the source allows.
    """

    def __init__(
        self,
        rules: RuleSet,
        players: int | Sequence[str],
        seed: int,
        *,
        set_max: int | None = None,
        plant: Iterable[str] = (),
        plant_rate: float = 1.0,
        plants_per_round: int | None = None,
        rounds: int | None = None,
        rotate_from: int = 0,
        latitude: float = 0.0,
    ) -> None:
        self.rules = rules
        self.players = tuple(NAMES[:players]) if isinstance(players, int) else tuple(players)
        self.set_max = set_max if set_max is not None else rules.first_engine if rules.first_engine is not None else 12
        self.referee: Any = Referee(rules)
        self.seed = seed
        self._codes = tuple(Violation(code) for code in plant)
        self._rate = plant_rate
        self._most = plants_per_round
        self._rotate_from = rotate_from
        self._latitude = latitude
        size = rules.hand_size(self.set_max if rules.is_mexican else -1, len(self.players))
        if size is None:
            raise ValueError(f"{rules.name} has no deal for {len(self.players)} players")
        due = rules.rounds_of(self.set_max) if rules.is_mexican else len(self.players)
        self.rounds_due = due if rounds is None else rounds

    def rounds(self) -> Iterator[BotRound]:
        """The rounds in order; each must have been played to its end before the next is dealt."""
        leader: str | None = None
        for number in range(1, self.rounds_due + 1):
            rng = Random(f"{self.seed}/{number}")
            chance = Random(f"{self.seed}/{number}/plan")
            plan = Plan(self._codes, self._rate, self._most, chance, latitude=self._latitude)
            starter = leader or self.players[(self._rotate_from + number - 1) % len(self.players)]
            game = self.deal(number, starter, rng, plan)
            yield game
            leader = self._leader_after(game)

    def _leader_after(self, game: BotRound) -> str | None:
        """The next round's starter by this one's score; None where players start in turn."""
        if self.rules.is_mexican or self.rules.next_leader != WINNER_LEADS or game.how is None:
            return None
        tiles = {player: [*game.hands[player], *game.discards.get(player, ())] for player in self.players}
        pips = {player: sum(tile.pips for tile in left) for player, left in tiles.items()}
        first = self.players.index(game.starter)
        order = self.players[first:] + self.players[:first]
        counts = {player: len(left) for player, left in tiles.items()}
        return settle(self.rules, order, pips, discards=counts).winner

    def turns(self) -> Iterator[BotTurn]:
        """The turns of all rounds."""
        for game in self.rounds():
            yield from game.turns()

    def deal(self, number: int, starter: str, rng: Random, plan: Plan) -> BotRound:
        """One round, dealt and not yet played."""
        if not self.rules.is_mexican:
            hands, pile, line = deal_line(self.rules, self.players, rng)
            if self.rules.next_leader == HOLDER_LEADS:
                starter = next((player for player, tiles in hands.items() if Tile(2, 5) in tiles), starter)
            start = replace(line, turn=starter)
            dealt = {player: tuple(tiles) for player, tiles in hands.items()}
            return BotRound(self.rules, self.referee, number, None, starter, start, hands, pile, rng, plan, dealt)
        engine, hands, pile, table = deal_mexican(self.rules, self.set_max, self.players, number, rng)
        laid, code = plan.engine(engine, self.set_max)
        if laid.tile != engine.tile:
            for tiles in (*hands.values(), pile):
                tiles[:] = [engine.tile if tile == laid.tile else tile for tile in tiles]
        opening = replace(table, turn=starter, engine=laid)
        dealt = {player: tuple(tiles) for player, tiles in hands.items()}
        return BotRound(
            self.rules, self.referee, number, laid, starter, opening, hands, pile, rng, plan, dealt, planted=code
        )
