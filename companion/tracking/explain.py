"""Every likely way in which one change of the table may have come about, from every hypothesis: the one search.

Best first over the successor generator (`MexicanState.moves`, `LineState.moves`): the cheapest explanation is found
first, then all within a reach of it; `at_least` keeps it from ways that become dear. What is not looked for (faults,
where a faultless one is near) is dearer than the reach, so nothing likely is lost.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Any

from companion.tracking.costs import ERRORS, FARTHEST, Cause
from companion.tracking.evidence import Piece
from companion.tracking.pieces import Pieces, Rest, Step

State = Any
"""MexicanState or LineState: `moves(pieces, rest, faults=, within=)`, `at_least(pieces, rest)`, `sign`, `at_rest`,
`after_outlier(pieces, unknown=)`, `counts`, `counted(more)`."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The change explained from hypothesis number `parent`: the state after it, the steps, and the whole cost."""

    parent: int
    state: State
    steps: tuple[Step, ...]
    cost: float

    @property
    def errs(self) -> bool:
        """Whether somebody, the camera included, has erred in it."""
        return any(cause in ERRORS for step in self.steps for cause in step.causes)


def explain(
    beam: Sequence[tuple[float, State]],
    pieces: Pieces,
    *,
    faults: bool,
    reach: float,
    most: int,
    work: int,
    keep: float = 0.0,
    enough: Callable[[Explanation], bool] | None = None,
) -> tuple[list[Explanation], bool]:
    """The explanations within `reach` of the cheapest, and the cheapest from each hypothesis within `keep`; at most
    `most`, and whether the search was cut short. It ends at the cheapest where that is `enough`.

    `beam`: cost and state of each hypothesis. Without `faults` nothing that breaks a rule is tried.
    """
    heap: list[tuple[float, float, int, int, State, Rest, tuple[Any, ...], frozenset[tuple[int, str]], Pieces]] = []
    variants = [(pieces.denied, pieces, ()), *pieces.doubted()]
    count = 0
    done: dict[int, Rest] = {}
    for doubt, kept, gone in variants:
        done[id(kept)] = kept.done
        start, dropped = kept.start, _dropped(gone)
        for parent, (cost, state) in enumerate(beam):
            ahead = state.at_least(kept, start)
            heappush(
                heap, (cost + doubt + ahead, cost + doubt, count, parent, state, start, dropped, frozenset(), kept)
            )
            count += 1
    cheapest = min((cost for cost, _ in beam), default=0.0)
    limit = far = cheapest + FARTHEST
    explained: set[int] = set()
    found: list[Explanation] = []
    seen: set[tuple[object, ...]] = set()
    opened = 0
    while heap:
        least, cost, _, parent, state, rest, steps, who, kept = heappop(heap)
        if least > far or len(found) >= most:
            break
        if least > limit and parent in explained:
            continue
        if type(state) is partial:
            state = state()
            due = cost + state.at_least(kept, rest)
            if due > least:
                if due <= (limit if parent in explained else far):
                    count += 1
                    heappush(heap, (due, cost, count, parent, state, rest, steps, who, kept))
                continue
        who = _named(who, steps)
        key = (parent, state.sign, rest, who, id(kept))
        if key in seen:
            continue
        seen.add(key)
        if rest == done[id(kept)]:
            if not found:
                limit = cost + reach
                far = cost + max(reach, keep)
            explained.add(parent)
            found.append(Explanation(parent, state.at_rest(), _unrolled(steps), cost))
            if enough is not None and len(found) == 1 and enough(found[0]):
                break
            continue
        opened += 1
        if opened > work:
            return found, True
        bound = limit if parent in explained else far
        for more, after, left, step in state.moves(kept, rest, faults=faults, within=bound - cost + HAIR):
            total = cost + more
            due = total if total > least else least
            if due <= bound:
                count += 1
                heappush(heap, (due, total, count, parent, after, left, (steps, step), who, kept))
    return found, False


def _named(who: frozenset[tuple[int, str]], steps: tuple[Any, ...]) -> frozenset[tuple[int, str]]:
    """`who` made which item, and is held to have broken which rule, with the last of the steps."""
    if not steps:
        return who
    step = steps[1]
    if step.item is not None and step.act is not None:
        who |= {(step.item, step.player)}
    if step.codes:
        # A fault and a camera error that come to the same are two explanations.
        who |= {(code, step.player) for code in step.codes}
    return who


HAIR = 1e-6
"""Costs of hypotheses are sums of fractions: what is within a bound may be over it by so much in another order."""


def _dropped(gone: Sequence[Piece]) -> tuple[Any, ...]:
    """The steps that say that these pieces, which people entered, did not happen."""
    steps: tuple[Any, ...] = ()
    for piece in gone:
        cost = piece.doubt or 0
        who = piece.stated_player or piece.by or ""
        causes = (Cause.WRONG_STATEMENT,) if cost else ()
        steps = (steps, Step(who, None, piece.item, (), causes, cost))
    return steps


def _unrolled(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    row: list[Step] = []
    while steps:
        steps, step = steps
        row.append(step)
    return tuple(reversed(row))


@contextmanager
def uncollected() -> Iterator[None]:
    """The collector of cycles rests until the end of the block, unless it was switched off anyway.

    A search makes hundreds of thousands of small values and no cycle of them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
