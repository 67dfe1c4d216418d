"""Why the belief names whom it names: the hypotheses about one piece, what each costs and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.tracking.costs import PRIORS, Cause
from companion.tracking.filter import Hypothesis, TableFilter
from companion.tracking.pieces import Step

MOST_ALTERNATIVES = 8

USUAL = frozenset(
    {
        Cause.ON_OWN_TRAIN,
        Cause.ON_MEXICAN_TRAIN,
        Cause.ON_ANOTHERS_TRAIN,
        Cause.MARKED_AND_LAID,
        Cause.TURN_IN_PARTS,
        Cause.ANYBODY,
    }
)
"""Assumptions that need no words."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which it may have come about.

    `cost` in decibans since the change before it, `p` its share of the belief; `codes` are (code, player) of what it
    holds against somebody, `assumes` what was not seen, in the order of the turns.
    """

    player: str
    cost: int
    p: float
    codes: tuple[tuple[str, str], ...]
    assumes: tuple[Cause, ...]

    def __str__(self) -> str:
        """`overlooked draw and Cy: 54`."""
        words = [PRIORS[cause].says for cause in self.assumes]
        words += [f"{code} by {player}" for code, player in self.codes]
        told = " and ".join([*words, self.player])
        return f"{told}: {self.cost}"


def alternatives(belief: TableFilter, item: int) -> list[Alternative]:
    """The hypotheses about who made `item`, cheapest first; none where it is settled."""
    found: dict[tuple[object, ...], Alternative] = {}
    hypotheses = belief.all
    total = sum(one.weight for one in hypotheses) or 1.0
    best: float | None = None
    for one in sorted(hypotheses, key=lambda one: one.cost):
        row = one.actors.get(item)
        if not row:
            continue
        player = max(row, key=lambda name: (row[name], name))
        steps = list(_steps(one, item))
        codes = tuple(dict.fromkeys((code, step.player) for step in steps for code in step.codes))
        assumes = tuple(
            cause
            for step in steps
            for cause in step.causes
            if cause not in USUAL and cause not in (Cause.ILLEGAL, Cause.RARELY_ILLEGAL, Cause.ALSO_ILLEGAL)
        )
        if best is None:
            best = sum(step.cost for step in steps)
        key = (player, codes, assumes)
        share = one.weight / total * row[player]
        known = found.get(key)
        if known is None:
            found[key] = Alternative(player, round(best + one.cost), share, codes, assumes)
        else:
            found[key] = Alternative(player, known.cost, known.p + share, codes, assumes)
    return sorted(found.values(), key=lambda one: (one.cost, one.player))[:MOST_ALTERNATIVES]


def _steps(one: Hypothesis, item: int) -> Iterator[Step]:
    """The steps of the way to it, from the change of `item` on."""
    for number, steps in one.path:
        if any(step.item == item for step in steps) or number * 1000 > item:
            yield from steps
