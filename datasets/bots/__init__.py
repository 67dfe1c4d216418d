"""Bots that play whole legal matches of all seven games, and break a rule on demand.

For tests, the simulated table and the demo. `BotGame(rules, players, seed)` is a match; its `rounds()` are dealt one
after the other and each yields `turns()`, the same for the same seed. A planted fault is one that the judge, asked
about the turn, finds under exactly that code.
"""

from datasets.bots.game import BotGame
from datasets.bots.rounds import BotRound, BotTurn

__all__ = ["BotGame", "BotRound", "BotTurn"]
