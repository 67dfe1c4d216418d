"""The middle of the table: hub, engine, and where trains begin around them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from companion.layout.angles import turn
from companion.layout.chains import Root
from companion.layout.joints import KEPT, TileShapes, distance
from companion.layout.ports import PRICES, Port, PortKind
from companion.layout.setup import MEXICAN, TableSetup
from companion.layout.shape import Middle
from companion.layout.tracking import Known
from companion.tableview import Point, SeenHub, TableView

HUB_REACH = 1.2
"""Tile widths outside the hub's rim within which a train may begin: less than a tile's length, so that a first tile
that was not found is missed and not replaced by the second."""

ENGINE_REACH = 2.2
"""The same around an engine without a hub, where nine trains need a ring to begin on."""

RING_REACH, BEYOND_THE_RIM = 1.8, 0.7
"""Tile widths outside the rim of a hub: up to where first tiles are looked for that tell that the rim was drawn too
small, less than where second ones lie; and from where on they tell it."""

LARGEST_LEAN_DEG = 38.0
"""How far a first tile may point past the middle."""

LEAST_POINTING = 3
"""So many trains show which tile is the engine where its value does not."""

POINTING_DEG = 15.0


def find_middle(
    view: TableView, known: Sequence[Known], setup: TableSetup, earlier: Point | None, engine_id: int | None
) -> Middle | None:
    """The hub in the picture, else the engine by its history, its value, or as the tile at which the trains point, else
    where the middle was before.

    None when nothing says where the trains begin (NO_HUB).
    """
    width, length = setup.tile_mm[1], setup.tile_mm[0]
    engine = _engine(view, known, setup, earlier, engine_id)
    if view.hub is not None:
        rim = max(view.hub.radius_mm, _ring(view.hub, known, engine, setup))
        return Middle(view.hub.center_mm, rim, True, engine)
    if engine is not None:
        return Middle(known[engine].seen.center_mm, length / 2, False, engine)
    if earlier is not None:
        return Middle(earlier, max(length / 2, width), False, None)
    return None


def _ring(hub: SeenHub, known: Sequence[Known], engine: int | None, setup: TableSetup) -> float:
    """The distance from the hub's middle at which trains on several sides begin, where that is well beyond its rim: of
    a hub with rings an inner one was found. 0 where it is not."""
    length, width = setup.tile_mm[:2]
    up = [n for n, tile in enumerate(known) if tile.seen.face_up and n != engine]
    shapes = TileShapes.of([tile.seen for tile in known], length, width)
    far = hub.radius_mm + RING_REACH * width
    facing = sorted(
        (distance(port.place, hub.center_mm), math.degrees(math.atan2(-port.normal[1], -port.normal[0])))
        for n in up
        for port in shapes.ports[n]
        if port.kind is PortKind.END and _faces(port, hub.center_mm, 0.0, far)
    )
    begins: dict[float, float] = {}  # the nearest of each side
    for away, angle in facing:
        if all(abs(turn(angle, side)) > 2 * POINTING_DEG for side in begins):
            begins[angle] = away
    if len(begins) < LEAST_POINTING:
        return 0.0
    ring = sorted(begins.values())[len(begins) // 2]
    return ring if ring > hub.radius_mm + BEYOND_THE_RIM * width else 0.0


def _engine(
    view: TableView, known: Sequence[Known], setup: TableSetup, earlier: Point | None, engine_id: int | None
) -> int | None:
    """A hub holds its engine, whatever it is; without a hub the engine is the double the round is due."""
    for n, tile in enumerate(known):
        if engine_id is not None and tile.old is not None and tile.old.id == engine_id:
            return n
    if view.hub is not None:
        middle = view.hub.center_mm
        inside = [n for n, tile in enumerate(known) if distance(tile.seen.center_mm, middle) < 0.6 * setup.tile_mm[0]]
        return min(inside, key=lambda n: distance(known[n].seen.center_mm, middle), default=None)
    if setup.engine is None:
        return None
    due = [n for n, tile in enumerate(known) if tile.seen.values == (setup.engine, setup.engine)]
    due = due or [n for n, tile in enumerate(known) if _may_be_the_double(tile, setup.engine)]
    if not due:
        return _pointed_at(known, setup) if earlier is None else None
    place = earlier or (view.size_mm[0] / 2, view.size_mm[1] / 2)
    return min(due, key=lambda n: distance(known[n].seen.center_mm, place), default=None)


def _pointed_at(known: Sequence[Known], setup: TableSetup) -> int | None:
    """The one tile at which the ends of most trains point from nearby, whatever is read of it; None where it is not
    one alone. A tile within a train has two neighbours."""
    length, width = setup.tile_mm[:2]
    up = [n for n, tile in enumerate(known) if tile.seen.face_up]
    shapes = TileShapes.of([tile.seen for tile in known], length, width)
    votes: dict[int, int] = {}
    for n in up:
        middle = known[n].seen.center_mm
        ends = [port for m in up if m != n for port in shapes.ports[m] if port.kind is PortKind.END]
        near, far = length / 2 - 0.2 * width, length / 2 + ENGINE_REACH * width
        pointing = [port.normal for port in ends if _faces(port, middle, near, far)]
        votes[n] = _directions([math.degrees(math.atan2(-y, -x)) for x, y in pointing])
    most = max(votes.values(), default=0)
    best = [n for n, count in votes.items() if count == most]
    return best[0] if most >= LEAST_POINTING and len(best) == 1 else None


def _directions(angles: Sequence[float]) -> int:
    """From how many sides; tiles one behind the other point from one."""
    sides: list[float] = []
    for angle in angles:
        if all(abs(turn(angle, side)) > 2 * POINTING_DEG for side in sides):
            sides.append(angle)
    return len(sides)


def _faces(port: Port, middle: Point, near: float, far: float) -> bool:
    away = distance(port.place, middle)
    if not near <= away <= far:
        return False
    x, y = (middle[0] - port.place[0]) / away, (middle[1] - port.place[1]) / away
    return math.degrees(math.acos(_clipped(port.normal[0] * x + port.normal[1] * y))) <= POINTING_DEG


def _may_be_the_double(tile: Known, value: int) -> bool:
    """A tile of which one half shows this value and the other, unread, may show it too; or both look most like it."""
    halves = tile.seen.halves
    if not tile.seen.face_up or halves is None:
        return False
    read = [half.value for half in halves if half.value is not None]
    unread = [half for half in halves if half.value is None]
    if not read:
        return all(half.others and half.others[0][0] == value for half in unread)
    return read == [value] and any(other == value for other, _ in unread[0].others)


def find_roots(
    shapes: TileShapes, members: Collection[int], middle: Middle, setup: TableSetup, kept: Collection[int]
) -> list[Root]:
    """Every tile end that faces the middle from nearby, cheapest first. `kept` began a train on the last table."""
    reach = (HUB_REACH if middle.has_hub else ENGINE_REACH) * shapes.width
    angles = station_angles(setup)
    found: list[Root] = []
    for tile in members:
        values = shapes.tiles[tile].values
        for n, port in enumerate(shapes.ports[tile]):
            if port.kind is PortKind.SIDE or (
                port.kind is PortKind.MIDDLE and values is not None and values[0] != values[1]
            ):
                continue
            away = distance(port.place, middle.center_mm)
            if away == 0.0:
                continue
            gap = away - middle.rim_mm
            # Many hubs have slots: the first tile then lies well inside the rim.
            if not -0.6 * middle.rim_mm - 0.3 * shapes.width <= gap <= reach:
                continue
            inward = (middle.center_mm[0] - port.place[0]) / away, (middle.center_mm[1] - port.place[1]) / away
            lean = math.degrees(math.acos(_clipped(port.normal[0] * inward[0] + port.normal[1] * inward[1])))
            if lean > LARGEST_LEAN_DEG:
                continue
            angle = math.degrees(math.atan2(-inward[1], -inward[0]))
            off = min((abs(turn(angle, station)) for station in angles.values()), default=0.0)
            price = (0.3 * abs(gap) + 0.05 * math.radians(off) * away) * 24.0 / shapes.width + PRICES.per_degree * lean
            if port.kind is PortKind.MIDDLE and values is None:
                price += PRICES.crosswise_unread
            found.append(Root(price - (KEPT if tile in kept else 0.0), tile, n, angle))
    return sorted(found, key=lambda root: root.price)


def station_angles(setup: TableSetup) -> Mapping[str, float]:
    """Every station around the hub, the Mexican one included where it has a place."""
    angles = dict(setup.stations)
    if setup.mexican_station is not None:
        angles[MEXICAN] = setup.mexican_station
    return angles


def station_tolerance(angles: Mapping[str, float]) -> float:
    """Degrees within which a train belongs to a station: under half the way to the next one."""
    ordered = sorted(angle % 360.0 for angle in angles.values())
    if len(ordered) < 2:
        return 60.0
    steps = [(b - a) % 360.0 for a, b in zip(ordered, [*ordered[1:], ordered[0]], strict=True)]
    return min(60.0, 0.48 * min(steps))


def _clipped(cosine: float) -> float:
    return max(-1.0, min(1.0, cosine))
