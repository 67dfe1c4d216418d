"""More tiles than one lap of the table can have laid: the change is told lap by lap.

Between two still tables everybody has one turn at most, as long as every table is seen. What was held back because a
tile could not be read, or lay under an arm, may be the work of several laps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from companion.desk.sight import Sight
from companion.notation import Change, Laying

MOST_CUTS = 24
"""So many ways to part a change are tried at most, the most even ones first."""


def laps(sight: Sight, most: int) -> Iterator[tuple[Sight, Sight]]:
    """The change as a first lap of at most `most` tiles and what came after it, tiles inside before those outside.

    Draws and markers belong to the later part: they are seen at once and were held back for nothing.
    """
    rows: dict[str, list[Laying]] = {}
    rest: list[Change] = []
    for change in sight.delta:
        if isinstance(change, Laying):
            rows.setdefault(change.train, []).append(change)
        else:
            rest.append(change)
    trains = list(rows.values())
    sizes = [sizes for sizes in product(*(range(len(row) + 1) for row in trains)) if 0 < sum(sizes) <= most]
    whole = sum(map(len, trains))
    for cut in sorted(sizes, key=lambda sizes: (-sum(sizes), max(sizes)))[:MOST_CUTS]:
        if sum(cut) < whole:
            first = tuple(one for row, n in zip(trains, cut, strict=True) for one in row[:n])
            later = tuple(one for row, n in zip(trains, cut, strict=True) for one in row[n:])
            yield (
                replace(sight, delta=first, flips=(), discards={}, returned=0),
                replace(sight, delta=(*later, *rest)),
            )
