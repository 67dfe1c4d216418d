"""The colours of the sleeves of one round: a tie-breaker where an arm comes in between two seats.

What clear arms wear is learnt as the round goes on and forgotten with it; nothing of it is ever stored. A colour makes
no arm clear and outweighs no clear seat: it tells only between those that the arm itself leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from vision.arm_view import Arm, Colour

LEAST_SEEN = 3
"""Looks at a player's clear arm before its colour counts."""

MOST_SEEN = 30
"""The last ones: light changes through a round."""

APART = 8.0
"""In LEVELS of brightness: looks at one sleeve differ by so much, with folds, shadows and the lamp's side."""

TEMPER, FLOOR = 0.5, 0.2
"""What a colour says counts half, and never by more than 7 dB: the next sweater may be as blue."""


@dataclass(slots=True)
class Sleeves:
    """`learn` from clear arms, `likely` for one that is not."""

    _seen: dict[str, list[Colour]] = field(init=False, default_factory=dict)
    _known: set[Arm] = field(init=False, default_factory=set)
    """What was learnt from: one reach of an arm is one look, however many tiles it laid."""

    def learn(self, player: str, track: Sequence[Arm]) -> None:
        """This arm, in all its frames, was clearly this player's."""
        colour = colour_of(track)
        if colour is not None and self._known.isdisjoint(track):
            self._known.update(track)
            looks = self._seen.setdefault(player, [])
            looks.append(colour)
            del looks[:-MOST_SEEN]

    def weighed(self, shares: Mapping[str, float], track: Sequence[Arm], open_: Sequence[str]) -> dict[str, float]:
        """The shares of the seats; those between whom the arm leaves it open are told apart by their sleeves, where the
        sleeves of all of them are known. What they have together stays."""
        colour = colour_of(track)
        if colour is None or len(open_) < 2 or any(len(self._seen.get(name, ())) < LEAST_SEEN for name in open_):
            return dict(shares)
        weights = {name: shares[name] * self._likely(name, colour) for name in open_}
        whole = sum(shares[name] for name in open_) / sum(weights.values())
        return {name: weights[name] * whole if name in weights else share for name, share in shares.items()}

    def _likely(self, player: str, colour: Colour) -> float:
        usual = _middle(self._seen[player])
        apart = sum(((a - b) / APART) ** 2 for a, b in zip(colour, usual, strict=True))
        return FLOOR + (1.0 - FLOOR) * math.exp(-0.5 * TEMPER * apart)


def colour_of(track: Sequence[Arm]) -> Colour | None:
    """The sleeve of one arm in all its frames."""
    seen = [arm.sleeve for arm in track if arm.sleeve is not None]
    return _middle(seen) if seen else None


def _middle(colours: Sequence[Colour]) -> Colour:
    blue, green, red = (median(channel) for channel in zip(*colours, strict=True))
    return blue, green, red
