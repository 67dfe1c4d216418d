"""What to ask people: at most one good question, where the table will not tell and an answer decides something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.rules.actions import Play
from companion.tracking.costs import CLOSE_DB, WEIGHTY
from companion.tracking.verdict import Verdict


@dataclass(frozen=True, slots=True)
class NameInDoubt:
    """Who laid `play`? One of `players`, the likeliest first; `codes` are what hangs on it."""

    item: int
    play: Play
    players: tuple[str, ...]
    codes: tuple[str, ...]


def question(verdicts: Iterable[Verdict], ripe: Iterable[int]) -> NameInDoubt | None:
    """The question about the oldest of the `ripe` pieces that is worth one.

    Ripe are pieces that a lap has passed over since: what follows mostly tells by itself. Worth it is a tile of which
    nobody can be named while a fault hangs on who laid it.
    """
    items = frozenset(ripe)
    for verdict in sorted(verdicts, key=lambda one: one.item):
        act = verdict.act
        if verdict.item not in items or not isinstance(act, Play) or verdict.by is not None or verdict.taken_back:
            continue
        codes = tuple(charge.code for charge in verdict.charges if not charge.certain and charge.p >= WEIGHTY)
        likely = verdict.maybe[:2]
        close = verdict.p <= 1.0 / (1.0 + 10.0 ** (-CLOSE_DB / 10.0))
        if codes and close and len(likely) == 2:
            return NameInDoubt(verdict.item, act, likely, codes)
    return None
