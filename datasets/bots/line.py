"""How a bot makes its turn in a Chinese connecting game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from companion.rules.position import Action, Discard, LinePosition, Play
from companion.rules.referee import Referee
from companion.rules.tile import Tile


def make_line_turn(referee: Referee, position: LinePosition, hand: Sequence[Tile], rng: Random) -> tuple[Action, ...]:
    """Lay the heavy tiles first, rather those that can be followed; discard where nothing fits."""
    options = referee.legal_plays(position, hand)
    if not options:
        return (Discard(),)

    def liking(play: Play) -> float:
        follow = sum(tile.has(play.tile.outer) for tile in hand) - 1
        return play.tile.tile.pips + follow + rng.random() * 6

    return (max(options, key=liking),)
