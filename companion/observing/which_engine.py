"""Which tile is the engine? Where neither hub nor engine is found, one tap says it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from companion.geometry import Layout
from companion.log.event_fields import Candidate
from companion.log.events import Event, RoundStarted

MOST = 4
"""So many doubles are offered."""


def engines_offered(layout: Layout, events: Iterable[Event]) -> list[Candidate]:
    """The doubles that lie on the table, each as the engine of the round that has begun, the one in the middle of the
    tiles first; none where no round has begun."""
    begun = [event.seq for event in events if isinstance(event, RoundStarted)]
    places = [tile.seen.center_mm for tile in layout if tile.face_up]
    away = {
        tile.laid: sum(math.dist(tile.seen.center_mm, place) for place in places)
        for tile in layout
        if tile.face_up and tile.laid is not None and tile.laid.is_double
    }
    if not begun:
        return []
    nearest = sorted(away, key=away.__getitem__)[:MOST]
    return [
        Candidate(f"{one.inner}-{one.outer}", ({"seq": begun[-1], "engine": [one.inner, one.outer]},))
        for one in nearest
    ]
