"""Why the belief names whom it names: the hypotheses about one piece, what each costs and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from companion.rules.actions import End
from companion.rules.notation import print_laid
from companion.rules.tile import Laid
from companion.tracking.costs import PRIORS, Cause
from companion.tracking.evidence import ITEMS
from companion.tracking.filter import Hypothesis, TableFilter, cost_of
from companion.tracking.pieces import Step

FIRST_ALTERNATIVES, LEAST_SHARE = 8, 0.005
"""So many of the cheapest are told, and beyond them whatever rounds to one per cent."""

UNLISTED = frozenset(
    {
        Cause.ILLEGAL,
        Cause.RARELY_ILLEGAL,
        Cause.ALSO_ILLEGAL,
        Cause.ON_OWN_TRAIN,
        Cause.ON_MEXICAN_TRAIN,
        Cause.ON_ANOTHERS_TRAIN,
        Cause.MARKED_AND_LAID,
        Cause.TURN_IN_PARTS,
        Cause.ANYBODY,
        Cause.NO_DOUBLE_ACROSS,
        Cause.DOUBLE_ALONG,
    }
)
"""What is usual needs no words, a fault is named by its code, and how a tile lies is part of what another one costs."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which it may have come about.

    `cost` in decibans since the change before it, `p` its share of the belief; `codes` are (code, player) of what it
    holds against somebody, `assumes` what was not seen, in the order of the turns. `tile` is what lies there in it
    where that is another tile than was read.
    """

    player: str
    cost: int
    p: float
    codes: tuple[tuple[str, str], ...]
    assumes: tuple[Cause, ...]
    tile: Laid | None = None

    def __str__(self) -> str:
        """`Ann (CLOSED_TRAIN): 53`, `the camera missed a draw and Cy: 54`, `it is another tile than was read and Ann
        with 5-3: 20`."""
        faults = ", ".join(code if by == self.player else f"{code} by {by}" for code, by in self.codes)
        player = self.player if self.tile is None else f"{self.player} with {print_laid(self.tile)}"
        text = " and ".join([*(PRIORS[cause].text for cause in self.assumes), player])
        return f"{text} ({faults}): {self.cost}" if faults else f"{text}: {self.cost}"


def alternatives(belief: TableFilter, item: int) -> list[Alternative]:
    """The hypotheses about who made `item`, cheapest first; none where it is settled.

    A hypothesis that several players may have made it by is one for each of them. Of its cheapest way all is known; of
    the other players' ways it is told what holds in most of them whoever it was.
    """
    found: dict[tuple[object, ...], Alternative] = {}
    hypotheses = sorted(belief.all, key=lambda one: one.cost)
    total = sum(one.weight for one in hypotheses) or 1.0
    least = base = 0.0
    for one in hypotheses:
        row = one.actors.get(item)
        if not row:
            continue
        steps = list(_steps(one, item))
        cheapest = next((step.player for step in steps if step.item == item and step.act is not None), None)
        if not found:
            least, base = one.cost + cost_of(row.get(cheapest, 1.0)), sum(step.cost for step in steps)
        tile = next((tile for (what, tile), p in one.others.items() if what == item and p > 0.5), None)
        for player, of in row.items():
            # So large a share of the hypothesis is in most of this player's ways, whichever they are.
            most = 1.0 - of / 2
            held = {(code, by) for (what, code, by), share in one.codes.items() if what == item and share > most}
            known = [cause for (what, cause), share in one.causes.items() if what == item and share > most]
            if player == cheapest:
                held |= {key for key in _codes_of(steps, item) if one.codes.get((item, *key), 0.0) > of / 2}
                known = list(_causes_before(steps, item))
            codes = tuple(sorted(held))
            assumes = tuple(dict.fromkeys(cause for cause in known if cause not in UNLISTED))
            key = (player, codes, assumes, tile)
            share = one.weight / total * of
            if key in found:
                found[key] = replace(found[key], p=found[key].p + share)
            else:
                cost = round(base + one.cost + cost_of(of) - least)
                found[key] = Alternative(player, cost, share, codes, assumes, tile)
    ranked = sorted(found.values(), key=lambda one: (one.cost, one.player))
    return [one for n, one in enumerate(ranked) if n < FIRST_ALTERNATIVES or one.p >= LEAST_SHARE]


def _codes_of(steps: Sequence[Step], item: int) -> Iterator[tuple[str, str]]:
    """(code, player) of what these steps hold against somebody over this item (`Hypothesis.after`)."""
    loose: list[tuple[str, str]] = []
    for step in steps:
        loose += [(code, step.player) for code in step.codes]
        if step.item == item:
            yield from loose
        if step.item is not None:
            loose = []


def _steps(one: Hypothesis, item: int) -> Iterator[Step]:
    """The steps of the way to it, from the change of `item` on."""
    for number, steps in one.path:
        if number >= item // ITEMS:
            yield from steps


def _causes_before(steps: Sequence[Step], item: int) -> Iterator[Cause]:
    """What was assumed between the change before and this item."""
    for step in steps:
        yield from step.causes
        if step.item == item and step.act is not None and not isinstance(step.act, End):
            return
