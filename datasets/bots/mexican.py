"""How a bot makes its turn in a Mexican Train: legal in every rule set, lively, and none too clever."""

from __future__ import annotations

from random import Random

from companion.rules.mexican.judge import legal_plays
from companion.rules.mexican.turn import live_doubles
from companion.rules.position import MEXICAN, Action, Draw, End, Flip, Mark, Play, Position, Unmark
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, Tile

DECLINES = 0.03
"""How often a bot refuses to lay where the rules let it, which is never while a double is to be covered."""
FLIPS = 0.7
"""How often it turns a dead double over where the rules allow it."""
LONGEST_LOOK = 400
"""Chains looked at when a long first train is planned."""


class TurnMaker:
    """One player's turn as it is made: `acts` grow, `hand` and `pile` follow. `pile` is drawn from its end."""

    def __init__(self, rules: RuleSet, before: Position, hand: list[Tile], pile: list[Tile], rng: Random) -> None:
        self.rules = rules
        self.before = before
        self.hand = hand
        self.pile = pile
        self.rng = rng
        self.player = before.turn
        self.long = rules.long_first and before.first_turn
        self.acts: list[Action] = []
        self.complete = False
        self.drawn = False
        self.drawn_ever = False
        self.qualified = False

    def make(self) -> tuple[Action, ...]:
        """The whole turn, legal."""
        self._flip()
        if self.long:
            self._lay_first_train()
        elif live_doubles(self.rules, self.before) or not self.rules.may_decline or self.rng.random() >= DECLINES:
            self.lay_on()
        else:
            self.draw_if_due()
        self.set_marker()
        self.acts.append(End())
        return tuple(self.acts)

    def options(self) -> list[Play]:
        return legal_plays(self.rules, self.before, self.hand, self.acts, surely=True)

    def lay(self, play: Play) -> None:
        """Lay a tile, be it right or wrong."""
        self.acts.append(play)
        if play.tile.tile in self.hand:
            self.hand.remove(play.tile.tile)
        if play.tile.is_double and not self.long and self.rules.redraw_after_drawn_double:
            self.drawn = False
        if play.train == self.player or self.rules.marker_off == "any":
            self.qualified = True
        if self.long or not play.tile.is_double or not self.hand:
            self.complete = True

    def draw(self) -> None:
        self.acts.append(Draw())
        self.drawn = self.drawn_ever = True
        if self.pile:
            self.hand.append(self.pile.pop())

    def draw_if_due(self) -> bool:
        """Draw where the rules ask for it; False where nothing is drawn."""
        if self.complete or self.drawn or not self.pile or (self.long and not self.rules.first_draw):
            return False
        self.draw()
        return True

    def set_marker(self) -> None:
        """Put their own marker on or take it off, as the turn demands."""
        own = self.player in self.before.markers
        rules = self.rules
        if self.complete and own and self.qualified:
            if rules.marker_off_required or self.rng.random() < 0.7:
                self.acts.append(Unmark(self.player))
        elif not self.complete and not own:
            optional = rules.marker_on_empty_boneyard == "optional" and not self.drawn_ever and not self.long
            if not (optional and not self.pile and self.rng.random() < 0.5):
                self.acts.append(Mark(self.player))

    def lay_on(self) -> None:
        """Lay, and draw where nothing fits, until the turn is complete or nothing more can be done."""
        while not self.complete:
            options = self.options()
            if options:
                self.lay(self.liked(options))
            elif not self.draw_if_due():
                return

    def _lay_first_train(self) -> None:
        if self.rules.first_optional and self.rng.random() < DECLINES:
            return
        for play in self._longest_chain():
            self.lay(play)

    def _longest_chain(self) -> list[Play]:
        """A long chain on their own train, the best of a bounded search."""
        best: list[Tile] = []
        looked = 0

        def extend(due: int, chain: list[Tile], left: list[Tile]) -> None:
            nonlocal best, looked
            looked += 1
            if len(chain) > len(best):
                best = list(chain)
            for tile in left:
                if looked > LONGEST_LOOK:
                    return
                if tile.has(due):
                    rest = [other for other in left if other is not tile]
                    extend(tile.high if tile.low == due else tile.low, [*chain, tile], rest)

        start = self.before.value_due(self.player)
        hand = sorted(self.hand)
        self.rng.shuffle(hand)
        extend(start, [], hand)
        return laid_in_row(best, start, self.player)

    def liked(self, options: list[Play]) -> Play:
        """Heavy tiles first, doubles only with something to follow, their own train a little before others'."""
        values = [value for tile in self.hand for value in {tile.low, tile.high}]

        def liking(play: Play) -> float:
            follow = values.count(play.tile.outer) - 1
            own = 3.0 if play.train == self.player else 1.0 if play.train == MEXICAN else 0.0
            double = (4.0 if follow > 1 else -6.0) if play.tile.is_double else 0.0
            return play.tile.tile.pips * 0.4 + own + double + min(follow, 3) + self.rng.random() * 4

        return max(options, key=liking)

    def _flip(self) -> None:
        if self.rules.dead_double != "flip":
            return
        for train in self.before.open:
            dead = train not in self.before.flipped and self.before.exhausted(self.before.value_due(train))
            if dead and self.rng.random() < FLIPS:
                self.acts.append(Flip(train))


def laid_in_row(tiles: list[Tile], due: int, train: str) -> list[Play]:
    """`tiles` laid one after the other on `train`, the first turning `due` inwards."""
    plays = []
    for tile in tiles:
        outer = tile.high if tile.low == due else tile.low
        plays.append(Play(Laid(due, outer), train))
        due = outer
    return plays
