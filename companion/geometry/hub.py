"""The middle of the table: hub, engine, and where trains begin around them.

Parts of a hub: its slots, and the gaps between them, look like tiles.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from companion.geometry.identity import Known
from companion.geometry.joints import (
    KEPT,
    PRICES,
    Port,
    PortKind,
    Root,
    TileChain,
    TileShapes,
    distance,
    heading,
    ports_of,
    value_at,
)
from companion.geometry.layout import MEXICAN, Middle, Point, SeenHub, SeenTile, TableSetup, TableView, turn

HUB_REACH = 1.2
"""Tile widths outside the hub's rim within which a train may begin: less than a tile's length, so that a first tile
that was not found is missed and not replaced by the second."""

ENGINE_REACH = 2.8
"""The same around an engine without a hub, where nine trains need a ring to begin on, or lie around a hub that was not
found, with the engine beside its middle."""

TOUCHING, AT_THE_ENGINE = 0.5, 1.6
"""Where two trains begin within the first of the engine's outline people lay them against it, and none begins further
away than the second: there lies the second tile of one whose first was not found."""

RING_REACH, BEYOND_THE_RIM = 1.8, 0.7
"""Tile widths outside the rim of a hub: up to where first tiles are looked for that tell that the rim was drawn too
small, less than where second ones lie; and from where on they tell it."""

DEEPEST = 0.45
"""Tile widths by which the end of a first tile may seem to lie on the engine that it touches."""

LARGEST_LEAN_DEG = 38.0
"""How far a first tile may point past the middle."""

OFF_STATION_DEG = 25.0
"""How far beside its station a train may leave the middle where no other train claims that station."""

MIDDLE = 0.6
"""Tile lengths around a hub's middle within which a tile lies in it, whatever it shows."""

OFF_CENTRE = 0.75
"""The round's double may lie this share of the hub's radius from its middle."""

ABREAST, ABREAST_DEG = 1.6, 20.0
"""Tile widths and degrees within which a double beside another one lies side by side with it."""

LEADS_BESIDE = 0.25
"""Tile widths: by so much more trains pass the one of two middles to which they do not lead."""

LEAST_POINTING = 3
"""At least this many trains show which tile is the engine where its value does not."""

POINTING_DEG = 15.0


def believed_hub(view: TableView, known: Sequence[Known], setup: TableSetup) -> SeenHub | None:
    """The hub, unless it is a plate or a print beside the game: no engine lies on it, no train points at it, and the
    round's double lies elsewhere with trains at it. The print of a plate may look like a back."""
    hub = view.hub
    if hub is None or setup.engine is None:
        return hub
    on = _on_the_hub(hub, known, setup)
    if on is not None and known[on].seen.face_up:
        return hub
    width, length = setup.tile_mm[1], setup.tile_mm[0]
    engine = next((n for n, tile in enumerate(known) if tile.seen.values == (setup.engine, setup.engine)), None)
    if engine is None:
        return hub
    ends = _ends(known, setup, engine)
    slots, rim = 0.4 * hub.radius_mm - 0.3 * width, hub.radius_mm + HUB_REACH * width
    if _pointing(ends, hub.center_mm, slots, rim):
        return hub
    far = length / 2 + ENGINE_REACH * width
    return None if _pointing(ends, known[engine].seen.center_mm, width / 4, far) else hub


def find_middle(
    view: TableView, known: Sequence[Known], setup: TableSetup, earlier: Point | None, engine_id: int | None
) -> Middle | None:
    """The hub in the picture, else the engine by its history, its value, or as the tile at which the trains point, else
    where the middle was before.

    None when nothing says where the trains begin, or which of several doubles on the hub they begin with (NO_HUB).
    """
    width, length = setup.tile_mm[1], setup.tile_mm[0]
    engine = _engine(view, known, setup, earlier, engine_id)
    if view.hub is not None and earlier is None and _may_be_another(view.hub, engine, known, setup):
        return None
    if view.hub is not None:
        center = _led_to(view.hub, known, engine, setup)
        rim = max(view.hub.radius_mm, _ring(view.hub, center, known, engine, setup))
        return Middle(center, rim, True, engine)
    if engine is not None:
        return Middle(known[engine].seen.center_mm, length / 2, False, engine)
    if earlier is not None:
        return Middle(earlier, max(length / 2, width), False, None)
    return None


def _led_to(hub: SeenHub, known: Sequence[Known], engine: int | None, setup: TableSetup) -> Point:
    """The hub's middle as it was found, or the engine's where the trains lead there instead: of a printed hub the
    outline may be well off, while an engine beside its hub's middle has no train that leads to it."""
    if engine is None:
        return hub.center_mm
    width, places = setup.tile_mm[1], (hub.center_mm, known[engine].seen.center_mm)
    far = hub.radius_mm + ENGINE_REACH * width
    ends = _ends(known, setup, engine)
    leading = [port for port in ends if any(_faces(port, place, width, far) for place in places)]
    if not leading:
        return hub.center_mm
    at_hub, at_engine = (median(_beside(port, place) for port in leading) for place in places)
    if abs(at_hub - at_engine) > LEADS_BESIDE * width:
        return places[1] if at_engine < at_hub else places[0]
    # They lead to both. If none begins at the rim as it was outlined, and one would around the engine, it does there.
    from_hub, from_engine = (min(distance(port.place, place) for port in leading) - hub.radius_mm for place in places)
    return places[1] if from_engine <= HUB_REACH * width < from_hub else places[0]


def _beside(port: Port, place: Point) -> float:
    """By how many mm the line on which this end points passes a place."""
    dx, dy = place[0] - port.place[0], place[1] - port.place[1]
    return abs(dx * port.normal[1] - dy * port.normal[0])


def _ring(hub: SeenHub, middle: Point, known: Sequence[Known], engine: int | None, setup: TableSetup) -> float:
    """The distance from the hub's middle at which trains on several sides begin, where that is well beyond its rim: of
    a hub with rings an inner one was found. 0 where it is not."""
    width = setup.tile_mm[1]
    far = hub.radius_mm + RING_REACH * width
    facing = [port for port in _ends(known, setup, engine) if _faces(port, middle, 0.0, far)]
    begins = _sides(sorted(facing, key=lambda port: (distance(port.place, middle), _towards(port))))
    if len(begins) < LEAST_POINTING:
        return 0.0
    ring = distance(begins[len(begins) // 2].place, middle)
    return ring if ring > hub.radius_mm + BEYOND_THE_RIM * width else 0.0


def _engine(
    view: TableView, known: Sequence[Known], setup: TableSetup, earlier: Point | None, engine_id: int | None
) -> int | None:
    """A hub holds its engine, whatever it is; without a hub the engine is the double the round is due."""
    for n, tile in enumerate(known):
        if engine_id is not None and tile.old is not None and tile.old.id == engine_id:
            return n
    if view.hub is not None:
        return _on_the_hub(view.hub, known, setup)
    if setup.engine is None:
        return None
    due = [n for n, tile in enumerate(known) if tile.seen.values == (setup.engine, setup.engine)]
    due = due or [n for n, tile in enumerate(known) if _may_be_the_double(tile, setup.engine)]
    if not due:
        return _pointed_at(known, setup) if earlier is None else None
    place = earlier or (view.size_mm[0] / 2, view.size_mm[1] / 2)
    return min(due, key=lambda n: distance(known[n].seen.center_mm, place), default=None)


def _on_the_hub(hub: SeenHub, known: Sequence[Known], setup: TableSetup) -> int | None:
    """The round's double anywhere well within the hub, else what lies in its middle."""
    away = {n: distance(tile.seen.center_mm, hub.center_mm) for n, tile in enumerate(known)}
    inside = [n for n in away if away[n] < MIDDLE * setup.tile_mm[0]]
    if setup.engine is not None:
        well_within = max(MIDDLE * setup.tile_mm[0], OFF_CENTRE * hub.radius_mm)
        due = [n for n in away if known[n].seen.values == (setup.engine, setup.engine) and away[n] < well_within]
        inside = due or inside
    return min(inside, key=lambda n: away[n], default=None)


def _may_be_another(hub: SeenHub, engine: int | None, known: Sequence[Known], setup: TableSetup) -> bool:
    """Do several doubles lie on the hub, and is the one chosen as the engine not the round's?"""
    if engine is None or known[engine].seen.values == (setup.engine, setup.engine):
        return False
    away = [distance(tile.seen.center_mm, hub.center_mm) for tile in known if tile.seen.double]
    return sum(one < MIDDLE * setup.tile_mm[0] for one in away) > 1


def beside_the_engine(tile: SeenTile, engine: SeenTile, setup: TableSetup) -> bool:
    """Does another double lie side by side with the engine, where no train begins? It was left there, or somebody had
    to say which of the two the engine is."""
    if tile is engine or not tile.double or tile.values == engine.values:
        return False
    apart = abs(turn(tile.heading_deg, engine.heading_deg))
    parallel = min(apart, 180.0 - apart) <= ABREAST_DEG
    return parallel and distance(tile.center_mm, engine.center_mm) < ABREAST * setup.tile_mm[1]


def _ends(known: Sequence[Known], setup: TableSetup, but: int | None) -> list[Port]:
    """The short ends of the tiles that lie face up, without one of them."""
    up = [tile.seen for n, tile in enumerate(known) if tile.seen.face_up and n != but]
    return [port for seen in up for port in ports_of(seen, *setup.tile_mm[:2]) if port.kind is PortKind.END]


def _pointing(ends: Sequence[Port], place: Point, near: float, far: float) -> int:
    """From how many sides ends point at a place, from between two distances."""
    return len(_sides([port for port in ends if _faces(port, place, near, far)]))


def _pointed_at(known: Sequence[Known], setup: TableSetup) -> int | None:
    """The one tile at which the ends of most trains point from nearby, whatever is read of it; None where it is not
    one alone. A tile within a train has two neighbours."""
    length, width = setup.tile_mm[:2]
    near, far = length / 2 - 0.2 * width, length / 2 + ENGINE_REACH * width
    votes = {
        n: _pointing(_ends(known, setup, n), tile.seen.center_mm, near, far)
        for n, tile in enumerate(known)
        if tile.seen.face_up
    }
    most = max(votes.values(), default=0)
    best = [n for n, count in votes.items() if count == most]
    return best[0] if most >= LEAST_POINTING and len(best) == 1 else None


def _sides(ends: Sequence[Port]) -> list[Port]:
    """The first end of each side; tiles one behind the other point from one."""
    sides: list[Port] = []
    for port in ends:
        if all(abs(turn(_towards(port), _towards(side))) > 2 * POINTING_DEG for side in sides):
            sides.append(port)
    return sides


def _towards(port: Port) -> float:
    """The direction from which a port points, in degrees."""
    return math.degrees(math.atan2(-port.normal[1], -port.normal[0]))


def _faces(port: Port, middle: Point, near: float, far: float) -> bool:
    return near <= distance(port.place, middle) <= far and _lean(port, middle) <= POINTING_DEG


def _may_be_the_double(tile: Known, value: int) -> bool:
    """A tile that may be this double: one half shows the value and the other, unread, may show it too; or both look
    most like it."""
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
    gaps: dict[tuple[int, int], float] = {}
    for tile in members:
        seen = shapes.tiles[tile]
        for n, port in enumerate(shapes.ports[tile]):
            if port.kind is PortKind.SIDE or (port.kind is PortKind.MIDDLE and seen.values and not seen.double):
                continue
            away = distance(port.place, middle.center_mm)
            if away == 0.0:
                continue
            if middle.has_hub or middle.engine is None:
                aim, leaves = middle.center_mm, port.place
                gap = around = away - middle.rim_mm
                # Many hubs have slots: the first tile then lies well inside the rim.
                least = -0.6 * middle.rim_mm - 0.3 * shapes.width
            else:
                engine = shapes.tiles[middle.engine]
                aim, leaves = _on_axis(engine, shapes, port.place), seen.center_mm
                gap, least = outside(engine, port.place, (shapes.length, shapes.width)), -DEEPEST * shapes.width
                around = away - middle.rim_mm  # on a ring, or at the engine's outline
            if gap < least or min(gap, around) > reach:
                continue
            lean = _lean(port, aim)
            if lean > LARGEST_LEAN_DEG:
                continue
            angle = math.degrees(math.atan2(leaves[1] - middle.center_mm[1], leaves[0] - middle.center_mm[0]))
            off = min((abs(turn(angle, station)) for station in angles.values()), default=0.0)
            price = (0.3 * abs(gap) + 0.05 * math.radians(off) * away) * 24.0 / shapes.width + PRICES.per_degree * lean
            if port.kind is PortKind.MIDDLE and seen.values is None:
                price += PRICES.crosswise_unread
            if not middle.has_hub and _shows_another(seen, port, setup.engine):
                price += PRICES.other_than_the_engine
            found.append(Root(price - (KEPT if tile in kept else 0.0), tile, n, angle))
            gaps[tile, n] = gap / shapes.width
    if not middle.has_hub and len({tile for tile, n in gaps if gaps[tile, n] <= TOUCHING}) > 1:
        found = [one for one in found if gaps[one.tile, one.port] <= AT_THE_ENGINE or one.tile in kept]
    return sorted(found, key=lambda root: root.price)


def _shows_another(tile: SeenTile, port: Port, engine: int | None) -> bool:
    """Does the end of a first tile show another value than the engine that it touches, as a train's last tile may that
    has come back to the middle?"""
    shown = {value for value in value_at(tile, port) if value is not None}
    return engine is not None and bool(shown) and engine not in shown


def _lean(port: Port, aim: Point) -> float:
    """Degrees by which a port looks past a point; 0 where it lies on it."""
    away = distance(port.place, aim)
    if away == 0.0:
        return 0.0
    x, y = (aim[0] - port.place[0]) / away, (aim[1] - port.place[1]) / away
    return math.degrees(math.acos(_clipped(port.normal[0] * x + port.normal[1] * y)))


def _on_axis(engine: SeenTile, shapes: TileShapes, place: Point) -> Point:
    """The point between the middles of the engine's halves that is nearest to `place`: a first tile points at it."""
    ux, uy = heading(engine)
    x, y = place[0] - engine.center_mm[0], place[1] - engine.center_mm[1]
    along = max(-shapes.length / 4, min(shapes.length / 4, x * ux + y * uy))
    return engine.center_mm[0] + along * ux, engine.center_mm[1] + along * uy


def outside(tile: SeenTile, place: Point, size_mm: tuple[float, float] | None = None) -> float:
    """How far a place lies outside a tile's outline (mm); negative within. `size_mm` None: as large as it is seen."""
    length, width = size_mm or (tile.length_mm, tile.width_mm)
    ux, uy = heading(tile)
    x, y = place[0] - tile.center_mm[0], place[1] - tile.center_mm[1]
    along, across = abs(x * ux + y * uy) - length / 2, abs(y * ux - x * uy) - width / 2
    return math.hypot(max(along, 0.0), max(across, 0.0)) or max(along, across)


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


def owners(leave: Sequence[float], stations: Mapping[str, float], tolerance: float) -> list[str | None]:
    """The owners of the trains that leave the middle at these angles: all together as near to their stations as can be.

    A train may leave as far beside its station as `tolerance`, or OFF_STATION_DEG where stations are near each other;
    None where no station is left so near. One station is one train's.
    """
    names, limit = sorted(stations), max(tolerance, OFF_STATION_DEG)
    # Best so far for each set of stations taken: (how many trains have none, squared degrees, who has which).
    best: dict[int, tuple[int, float, tuple[str | None, ...]]] = {0: (0, 0.0, ())}
    for angle in leave:
        following: dict[int, tuple[int, float, tuple[str | None, ...]]] = {}
        for taken, (without, off, who) in best.items():
            ways = [(taken, (without + 1, off, (*who, None)))]
            for n, name in enumerate(names):
                apart = abs(turn(angle, stations[name]))
                if not taken >> n & 1 and apart <= limit:
                    ways.append((taken | 1 << n, (without, off + apart * apart, (*who, name))))
            for now, way in ways:
                if now not in following or way[:2] < following[now][:2]:
                    following[now] = way
        best = following
    return list(min(best.values(), key=lambda way: way[:2])[2])


def _clipped(cosine: float) -> float:
    return max(-1.0, min(1.0, cosine))


ON_THE_HUB = 0.82
"""A tile whose middle is nearer to the hub's, in radii, lies in no train; trains begin in slots at the rim. A find that
looks blank on both sides, as the gap between two slots does, lies in no train up to the rim."""


def lies_on(hub: SeenHub, tile: Known) -> bool:
    """Does it lie wholly on the hub, where no train begins?"""
    within = hub.radius_mm * (1.0 if _looks_blank(tile) else ON_THE_HUB)
    return distance(tile.seen.center_mm, hub.center_mm) < within


def without_prints(
    chains: Sequence[TileChain], middle: Middle | None, shapes: TileShapes, known: Sequence[Known]
) -> list[TileChain]:
    """The chains without the print of a hub that was found too small: the gaps between its slots look like blanks, and
    would take the places of the trains that begin before them.

    Trains begin at about the same distance from the hub's middle. A single tile without a pip whose own middle is
    nearer than any read train begins is no tile.
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
