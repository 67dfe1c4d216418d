"""What lies on a hub and is part of it: its slots, and the gaps between them, look like tiles."""

from __future__ import annotations

from collections.abc import Sequence

from companion.geometry.chains import Chain
from companion.geometry.identity import Known
from companion.geometry.joints import TileShapes, distance
from companion.geometry.layout import Middle
from companion.geometry.table_view import SeenHub

ON_THE_HUB = 0.82
"""A tile whose middle is nearer to the hub's, in radii, lies in no train; trains begin in slots at the rim. What looks
blank on both sides, as the gap between two slots does, lies in none up to the rim."""


def lies_on(hub: SeenHub, tile: Known) -> bool:
    """Does it lie wholly on the hub, where no train begins?"""
    within = hub.radius_mm * (1.0 if _looks_blank(tile) else ON_THE_HUB)
    return distance(tile.seen.center_mm, hub.center_mm) < within


def without_prints(
    chains: Sequence[Chain], middle: Middle | None, shapes: TileShapes, known: Sequence[Known]
) -> list[Chain]:
    """The chains without what is printed on a hub that was found too small: the gaps between its slots look like
    blanks, and would take the places of the trains that begin before them.

    Trains begin at about the same distance from the hub's middle. A single tile without a pip that has its own middle
    nearer than any read train begins is none.
    """
    if middle is None or not middle.has_hub:
        return list(chains)
    roots = [chain.root for chain in chains if chain.root is not None]
    begin = [
        distance(shapes.ports[root.tile][root.port].place, middle.center_mm)
        for root in roots
        if _shows_pips(known[root.tile])
    ]
    nearest = min(begin, default=0.0)
    kept = []
    for chain in chains:
        alone = chain.root is not None and len(chain.links) == 1 and not _shows_pips(known[chain.root.tile])
        if not alone or distance(shapes.tiles[chain.links[0].tile].center_mm, middle.center_mm) >= nearest:
            kept.append(chain)
    return kept


def _shows_pips(tile: Known) -> bool:
    """Is any half of the tile read, and no blank?"""
    halves = tile.seen.halves
    return halves is not None and any(half.value for half in halves)


def _looks_blank(tile: Known) -> bool:
    """Is a blank the likeliest on both of its halves, read or not?"""
    halves = tile.seen.halves
    if not tile.seen.face_up or halves is None:
        return False
    values = [half.others[0][0] if half.value is None and half.others else half.value for half in halves]
    return values == [0, 0]
