"""Markers in time: what one look says of a place is one term, what happened there since the table lay still another.

The same button scores .02 in one picture and .79 in the next, and moves in neither. So a marker that was seen to come
lies there until its place changes; a small thing that came to lie beside a train is one until shown otherwise; and one
that is missing where its train has grown stands on the new tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry.joints import distance
from companion.geometry.markers import SLOT_DEPTH, outside
from companion.geometry.table_view import Point, SeenHub, SeenMarker, SeenTile
from companion.perception.blobs import Difference
from companion.perception.lifted import Places
from companion.perception.marker_odds import PLAIN, Came
from companion.perception.projection import LEAST_KEPT_CONFIDENCE, LEAST_THING_CONFIDENCE, inside
from companion.perception.tracks import ABSENT, MARKER_REACH_MM, Looked, MarkerTrack, TableMemory

BESIDE = 1.5
"""Tile widths from a tile of a train within which a thing that came may be its marker."""

SLOT = 1.0
"""Tile widths inside a hub's rim, and around the place of a first tile outside it, where the marker of a train that has
not begun lies."""

MOVED_MM = 85.0
"""So far a marker moves with its train when a tile is laid: by a tile's length, and from one side to the other."""


def in_time(
    markers: Sequence[SeenMarker],
    tiles: Sequence[SeenTile],
    memory: TableMemory,
    looked: Looked,
    place: Places,
) -> list[SeenMarker]:
    """The markers of one look and those that this look missed; what has moved with its train is moved in `memory`.

    `tiles` are all that lie there by this look and by what is known.
    """
    lifted = _lifted(markers, tiles, memory, place)
    # A faint find keeps no marker where a thing was taken away, and where there is none at all one look is enough.
    markers = [one for one in markers if one.confidence >= LEAST_THING_CONFIDENCE or not _at_any(one.center_mm, lifted)]
    found = [*markers, *_lying(markers, memory, looked, place)]
    fresh = [tile for tile in tiles if tile.face_up and not place.things.lay(tile)]
    for track in _lost(found, memory, looked, place):
        new = _moved_to(track, found, fresh, memory, place)
        if new is not None:
            track.seen = new
            found = [one for one in found if one is not new] + [new]
        elif _at_any(track.seen.center_mm, lifted):
            track.missing = max(track.missing, ABSENT - 1)
    lie = [track.seen for track in memory.markers if track.born <= (memory.known or 0)]
    stay = [one for one in found if _near(one.center_mm, lie)]
    others = [one for one in found if not _near(one.center_mm, lie)]
    things = place.things.came(place.image, tiles, place.calibration)
    places = [one.place for one in things if one.now - one.before >= PLAIN]
    # Something stands where one stood: the same one, pushed a little.
    pushed = [one for one in lie if not _near(one.center_mm, stay) and _at_any(one.center_mm, places)]
    return [*stay, *pushed, *_arrived(others, things, tiles, fresh, memory, looked, place)]


def _near(place: Point, markers: Sequence[SeenMarker]) -> bool:
    return any(distance(place, one.center_mm) <= MARKER_REACH_MM for one in markers)


def _lifted(
    markers: Sequence[SeenMarker], tiles: Sequence[SeenTile], memory: TableMemory, place: Places
) -> list[Point]:
    """Where a thing was just taken away, where the eye is not sure of every marker that lay there."""
    sure = [one for one in markers if one.confidence >= LEAST_THING_CONFIDENCE]
    if all(_near(track.seen.center_mm, sure) for track in memory.markers):
        return []
    return place.things.lifted(place.image, tiles, place.calibration)


def _lying(markers: Sequence[SeenMarker], memory: TableMemory, looked: Looked, place: Places) -> list[SeenMarker]:
    """Those seen to come that this look has not found, though nothing has changed at their places since."""
    return [
        track.seen
        for track in memory.markers
        if track.came
        and not track.hidden
        and looked.covers(track.seen.center_mm)
        and not _near(track.seen.center_mm, markers)
        and not place.things.changed(place.image, track.seen.center_mm, place.calibration)
    ]


def _lost(found: Sequence[SeenMarker], memory: TableMemory, looked: Looked, place: Places) -> list[MarkerTrack]:
    """Those whose places have changed and show no marker."""
    return [
        track
        for track in memory.markers
        if looked.covers(track.seen.center_mm)
        and not _near(track.seen.center_mm, found)
        and not place.things.forgotten
        and place.things.changed(place.image, track.seen.center_mm, place.calibration)
    ]


def _moved_to(
    track: MarkerTrack, found: Sequence[SeenMarker], fresh: Sequence[SeenTile], memory: TableMemory, place: Places
) -> SeenMarker | None:
    """Where this marker stands now: at the nearest sure find, else at the nearest however faint, that is not another's
    and where something has changed; else on the unread half of a tile that has come. None where neither is near."""
    others = [one.seen for one in memory.markers if one is not track]
    was = track.seen.center_mm
    offers = [
        one
        for one in found
        if distance(one.center_mm, was) <= MOVED_MM
        and one.confidence >= LEAST_KEPT_CONFIDENCE
        and not _near(one.center_mm, others)
        and _changed(one.center_mm, fresh, place)
    ]
    if offers:
        new = min(offers, key=lambda one: (one.confidence < LEAST_THING_CONFIDENCE, distance(one.center_mm, was)))
        return replace(new, confidence=max(new.confidence, LEAST_THING_CONFIDENCE), recognised=track.seen.recognised)
    halves = [middle for tile in fresh for middle in _unread_halves(tile) if distance(middle, was) <= MOVED_MM]
    if not halves:
        return None
    middle = min(halves, key=lambda one: distance(one, was))
    return SeenMarker(middle, LEAST_THING_CONFIDENCE, recognised=False)


def _changed(spot: Point, fresh: Sequence[SeenTile], place: Places) -> bool:
    """A pattern on the cloth has not changed because a tile was laid on part of it."""
    where = place.image, spot, place.calibration
    return place.things.changed(*where) and not place.things.is_print(*where, fresh)


def _unread_halves(tile: SeenTile) -> list[Point]:
    """The middles of those halves of which nothing is read, where the other one is."""
    if tile.halves is None or tile.halves[0].value is tile.halves[1].value is None:
        return []
    return [
        ((tile.center_mm[0] + tile.end_mm(n)[0]) / 2, (tile.center_mm[1] + tile.end_mm(n)[1]) / 2)
        for n, half in enumerate(tile.halves)
        if half.value is None
    ]


def _arrived(
    found: Sequence[SeenMarker],
    things: Sequence[Difference],
    tiles: Sequence[SeenTile],
    fresh: Sequence[SeenTile],
    memory: TableMemory,
    looked: Looked,
    place: Places,
) -> list[SeenMarker]:
    """Of what the eye finds and of the things that came, those that are likelier markers than none by all that was seen
    of their places."""
    if place.things.forgotten:
        return list(found)
    up = [tile for tile in tiles if tile.face_up]
    lie = [track.seen for track in memory.markers if track.born <= (memory.known or 0)]
    scores = {one.center_mm: one for one in sorted(found, key=lambda one: one.confidence)}
    new: list[SeenMarker] = []
    memory.forget_weighed(lambda spot: place.things.changed(place.image, spot, place.calibration))
    for spot in [*reversed(scores), *(one.place for one in things)]:
        if not looked.covers(spot) or not inside(spot, place.calibration) or _near(spot, [*lie, *new]):
            continue
        changed = _changed(spot, fresh, place)
        weighed = memory.weighed_at(spot)
        if not changed and weighed is None:
            continue  # nobody put it there
        seen = scores.get(spot)
        came = _what_came(spot, things, up, memory, place) if changed else None
        weighed = weighed or memory.weigh(spot)
        weighed.add(0.0 if seen is None else seen.confidence, came)
        if weighed.odds > 0.0:
            new.append(_believed(spot, seen))
    # What waits there for its owner, or a print, came with nobody's hand.
    memory.parked = tuple(spot for spot in memory.parked if not _at_any(spot, [one.place for one in things]))
    return new


def _believed(spot: Point, seen: SeenMarker | None) -> SeenMarker:
    """A marker that the eye does not surely know for one is held for one until shown otherwise."""
    if seen is None or seen.confidence < LEAST_THING_CONFIDENCE:
        return SeenMarker(spot, LEAST_THING_CONFIDENCE, recognised=False)
    return seen


def _what_came(
    spot: Point,
    things: Sequence[Difference],
    up: Sequence[SeenTile],
    memory: TableMemory,
    place: Places,
) -> Came:
    here = [one for one in things if distance(one.place, spot) <= MARKER_REACH_MM]
    where = place.image, spot, place.calibration
    return Came(
        stands_out=max((one.now - one.before for one in here), default=0.0),
        shade=any(one.shade for one in here),
        around=place.things.around(*where),
        at_train=at_a_train(spot, up, memory.hub, place.side_mm),
        several=len(things) > 1,
        bared=place.things.bared(spot),
    )


def _at_any(place: Point, things: Sequence[Point]) -> bool:
    return any(distance(place, thing) <= MARKER_REACH_MM for thing in things)


def at_a_train(thing: Point, up: Sequence[SeenTile], hub: SeenHub | None, width: float) -> bool:
    """Does this lie beside a tile of a train, or where a first one will lie at the hub?"""
    if any(outside(tile, thing, tile.length_mm, tile.width_mm) <= BESIDE * width for tile in up):
        return True
    if hub is None:
        return False
    outward = (distance(thing, hub.center_mm) - hub.radius_mm) / width
    return -SLOT <= outward <= SLOT_DEPTH + SLOT
