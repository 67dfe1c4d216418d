"""What people said of the table before the camera saw it, or other than it sees it.

Whoever enters a play is often quicker than the camera: what it sees a moment later is the same draw, the same tile. And
where somebody says that another tile lies there than is read, that counts for the record; but nobody is accused on the
strength of a record that the table does not bear out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.log.events import Discarded, Drew, Event
from companion.rules.actions import LEFT, RIGHT, SOMEBODY, Mark, Unmark
from companion.rules.notation import Change, Drawing, Laying
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid


def without_entered_draws(observation: Observation, lately: Iterable[Event]) -> Observation:
    """The observation without the draws and the tiles put away that people have entered `lately`, since the last."""
    entered = [event for event in lately if event.source == "person"]
    draws = sum(isinstance(event, Drew) for event in entered)
    away = Counter(event.by for event in entered if isinstance(event, Discarded))
    if not draws and not away:
        return observation
    delta: list[Change] = []
    for change in observation.delta:
        if isinstance(change, Drawing):
            known = min(draws, change.count)
            draws -= known
            if known < change.count:
                delta.append(Drawing(change.count - known))
        else:
            delta.append(change)
    entered_of = {player: away.total() if player == SOMEBODY else away[player] for player in observation.discards}
    left = {player: count - min(count, entered_of[player]) for player, count in observation.discards.items()}
    return replace(observation, delta=tuple(delta), discards={player: count for player, count in left.items() if count})


def without_corrected_tiles(observation: Observation, layout: Layout, table: Position) -> Observation:
    """The observation without tiles in whose place another is on record that lies nowhere in the train: somebody has
    said what lies there, and what is read there is that tile."""
    corrected = set()
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        places = zip(lying, table.trains.get(train, ()), strict=False)
        corrected |= {Laying(seen, train) for seen, known in places if seen is not None and known not in lying}
    delta = tuple(change for change in observation.delta if change not in corrected)
    return observation if delta == observation.delta else replace(observation, delta=delta)


def not_borne_out(observation: Observation, layout: Layout, table: Position | LinePosition) -> frozenset[str]:
    """The trains (of a line its arms) in which something else is read than the record and the observation have there.

    A single tile of which somebody has said that it is another one is doubtful only beside a new tile.
    """
    if isinstance(table, LinePosition):
        left = [change.tile for change in observation.laid if change.train == LEFT]
        right = [change.tile for change in observation.laid if change.train == RIGHT]
        due = [*reversed(left), *table.line, *right]
        return frozenset() if _is_read_as(layout.line, due, len(due)) else frozenset((LEFT, RIGHT))
    found = set()
    for train, tiles in layout.trains.items():
        known = table.trains.get(train, ())
        new = [change.tile for change in observation.laid if change.train == train]
        if not _is_read_as(tiles, [*known, *new], len(known) - bool(new)):
            found.add(train)
    return frozenset(found)


def marked_otherwise(observation: Observation, layout: Layout, table: Position | LinePosition) -> bool:
    """Whether other trains have a marker than the record and the observation say."""
    if isinstance(table, LinePosition):
        return False
    put = {change.player for change in observation.delta if isinstance(change, Mark)}
    off = {change.player for change in observation.delta if isinstance(change, Unmark)}
    return layout.markers != (table.markers | put) - off


def _is_read_as(tiles: Sequence[PlacedTile], due: Sequence[Laid], told: int) -> bool:
    """Whether nothing but what is due is read there from its beginning on, up to an unread tile. Of the first `told`
    places any may hold a tile that lies nowhere there: somebody has said so."""
    lying = [tile.laid for tile in tiles]
    for n, seen in enumerate(lying):
        if seen is None:
            return True
        if n >= len(due) or (due[n] != seen and (n >= told or due[n] in lying)):
            return False
    return True
