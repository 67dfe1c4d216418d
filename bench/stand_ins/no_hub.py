"""Tables without a hub: trains that touch the engine at its ends, its long sides and its corners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

import numpy as np

from bench.stand_ins.seen_tables import LENGTH, WIDTH, tile
from companion.geometry import TableSetup
from companion.geometry.layout import MEXICAN, Family, SeenTile, TableView, turn, wrapped
from companion.rules.tile import Laid
from datasets.simulator.random_tables import PLAYERS, random_trains
from vision.rotated import shared

MIDDLE = (600.0, 450.0)
JITTER_MM, JITTER_DEG, MOST_GAP_MM = 1.0, 3.0, 3.0
OFF_STATION_DEG = 18.0
"""How far beside its station a train may leave the engine."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a train begins, in the engine's own frame: along and across it (mm), and its direction (degrees)."""

    along: float
    across: float
    heading_deg: float
    kind: str


PLACES = (
    Place(LENGTH / 2, 0.0, 0.0, "end"),
    Place(-LENGTH / 2, 0.0, 180.0, "end"),
    *(Place(0.0, side * WIDTH / 2, side * 90.0, "side") for side in (1, -1)),
    *(Place(half * LENGTH / 4, side * WIDTH / 2, side * 90.0, "beside") for half in (1, -1) for side in (1, -1)),
    *(
        Place(half * LENGTH / 2, side * WIDTH / 2, math.degrees(math.atan2(side, half)), "corner")
        for half in (1, -1)
        for side in (1, -1)
    ),
)


@dataclass(frozen=True, slots=True)
class Table:
    view: TableView
    setup: TableSetup
    trains: dict[str, list[Laid]]


def corners(seen: SeenTile) -> list[tuple[float, float]]:
    u = math.radians(seen.heading_deg)
    c, s = math.cos(u), math.sin(u)
    return [
        (seen.center_mm[0] + a * c - b * s, seen.center_mm[1] + a * s + b * c)
        for a, b in ((-24.0, -12.0), (24.0, -12.0), (24.0, 12.0), (-24.0, 12.0))
    ]


def free_of(seen: SeenTile, others: list[SeenTile]) -> bool:
    return all(shared(corners(seen), corners(other)) < 0.06 * LENGTH * WIDTH for other in others)


def no_hub_table(seed: int, most_trains: int = 8, tiles: int = 20, turning: float = 0.0) -> Table:
    """A table of a double-12 set whose trains touch the engine; stations lie up to OFF_STATION_DEG beside them.

    `turning` is the share of trains that turn at a right angle, after two or three tiles and again after as many more.
    """
    rng = Random(f"no hub {seed}")
    lies_deg = rng.choice((0.0, 90.0, rng.uniform(-180.0, 180.0)))
    engine = tile(*MIDDLE, lies_deg, 12, 12)
    begun: list[tuple[float, SeenTile, Place]] = []
    wanted = rng.randint(3, most_trains)
    for place in rng.sample(PLACES, len(PLACES)):
        if len(begun) == wanted:
            break
        heading = lies_deg + place.heading_deg + rng.uniform(-JITTER_DEG, JITTER_DEG)
        first = _ahead(*_on_table(place, lies_deg), heading, rng)
        if place.kind == "corner":
            first = _ahead(*first.center_mm, heading, rng, 0.0, 3.0)
        if free_of(first, [engine, *(other for _, other, _ in begun)]):
            x, y = first.center_mm[0] - MIDDLE[0], first.center_mm[1] - MIDDLE[1]
            begun.append((math.degrees(math.atan2(y, x)), first, place))
    begun.sort(key=lambda one: one[0])
    names = [*PLAYERS[: len(begun) - 1], MEXICAN]
    start = rng.randrange(len(begun))
    owners = {names[(n + start) % len(names)]: one for n, one in enumerate(begun)}
    values = random_trains(np.random.default_rng(seed), names[:-1], 12, tiles, wrong=0.0)
    seen: list[SeenTile] = [engine]
    trains: dict[str, list[Laid]] = {name: [] for name in names}
    ends = {name: one[1] for name, one in owners.items()}
    turns = {name: rng.choice((2, 3)) if rng.random() < turning else 0 for name in names}
    for n in range(max(len(train) for train in values.values())):
        for name in names:
            if n >= len(values[name]) or len(trains[name]) < n:
                continue
            place = ends[name]
            if n and not free_of(place, seen):
                continue
            laid = values[name][n]
            seen.append(tile(*place.center_mm, place.heading_deg, laid.inner, laid.outer))
            trains[name].append(laid)
            ends[name] = _next(place, bool(turns[name]) and (n + 1) % turns[name] == 0, seen, rng)
    stations = _stations({name: one[0] for name, one in owners.items()}, rng)
    players = tuple(names[:-1])
    setup = TableSetup(
        Family.MEXICAN, players, {name: stations[name] for name in players}, stations[MEXICAN], 12, (LENGTH, WIDTH, 9.0)
    )
    order = rng.sample(seen, len(seen))
    return Table(TableView(tuple(order), (), None), setup, trains)


def _stations(leave: dict[str, float], rng: Random) -> dict[str, float]:
    """Each train's station, beside the way it goes but nearer to it than to any other train's."""
    found = {}
    for name, angle in leave.items():
        others = [abs(turn(other, angle)) for one, other in leave.items() if one != name]
        most = min(OFF_STATION_DEG, 0.4 * min(others))
        found[name] = wrapped(angle + rng.uniform(-most, most))
    return found


def _on_table(place: Place, lies_deg: float) -> tuple[float, float]:
    u = math.radians(lies_deg)
    return (
        MIDDLE[0] + place.along * math.cos(u) - place.across * math.sin(u),
        MIDDLE[1] + place.along * math.sin(u) + place.across * math.cos(u),
    )


def _next(last: SeenTile, turns: bool, seen: list[SeenTile], rng: Random) -> SeenTile:
    """The next tile straight on, or at a right angle beside the last one's outer half, to a side that is free."""
    x, y = last.center_mm
    u = math.radians(last.heading_deg)
    if turns:
        for side in rng.sample((90.0, -90.0), 2):
            v = u + math.radians(side)
            begin = (
                x + math.cos(u) * LENGTH / 4 + math.cos(v) * WIDTH / 2,
                y + math.sin(u) * LENGTH / 4 + math.sin(v) * WIDTH / 2,
            )
            bent = _ahead(*begin, last.heading_deg + side + rng.uniform(-2, 2), rng)
            if free_of(bent, seen):
                return bent
    ahead = x + math.cos(u) * LENGTH / 2, y + math.sin(u) * LENGTH / 2
    return _ahead(*ahead, last.heading_deg + rng.uniform(-2, 2), rng)


def _ahead(
    x: float, y: float, heading_deg: float, rng: Random, least: float = LENGTH / 2, most: float = LENGTH / 2
) -> SeenTile:
    """A tile whose inner end lies at (x, y), but for a gap and a jitter."""
    u = math.radians(heading_deg)
    away = (least if least == most else rng.uniform(least, most)) + rng.uniform(0.0, MOST_GAP_MM)
    dx, dy = rng.gauss(0, JITTER_MM), rng.gauss(0, JITTER_MM)
    return tile(x + math.cos(u) * away + dx, y + math.sin(u) * away + dy, heading_deg, 0, 0)
