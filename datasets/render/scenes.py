"""Plans of random tables: which tiles lie where, markers, hub, and how much of the table is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from datasets.render.arrange import ChainEnd, Deck, Occupancy, Placed, chain, footprint, heap, rows, scatter, stacks
from datasets.render.chance import pick
from datasets.render.hubs import PlacedHub
from datasets.render.styles import TileStyle

Rng = np.random.Generator


@dataclass(slots=True)
class Plan:
    """`view_mm`: width of table in the picture; `centre`: the point in its middle; `markers`: x, y, z, heading;
    `surface`: the table top, one of `surfaces.KINDS`, or None for a random one; `tilt_deg`: between which angles the
    camera leans away from the vertical, or None as a stand or a hand holds it."""

    kind: str
    style: TileStyle
    tiles: list[Placed] = field(default_factory=list)
    markers: list[tuple[float, float, float, float]] = field(default_factory=list)
    hub: PlacedHub | None = None
    view_mm: float = 500.0
    centre: tuple[float, float] = (0.0, 0.0)
    ground: Occupancy = field(default_factory=Occupancy)
    surface: str | None = None
    tilt_deg: tuple[float, float] | None = None

    def in_hub(self, tile: Placed) -> bool:
        hub = self.hub
        return hub is not None and math.hypot(tile.x - hub.x, tile.y - hub.y) < hub.radius * 0.75


# kind: (weight, planner) below; "neg" has no tiles at all
SCENES = {
    "train": 0.27,
    "snake": 0.12,
    "scatter": 0.12,
    "hand": 0.13,
    "pile": 0.06,
    "close": 0.1,
    "mixed": 0.08,
    "neg": 0.12,
}


HUBS, TOUCHING = 0.5, 0.6
"""So many tables of trains have a hub, and on so many of the others trains touch the engine."""
ON_THE_LAST = 0.25
"""The share of trains' markers that stand on the last tile."""


def make_plan(rng: Rng, style: TileStyle, kind: str | None = None, aspect: float = 0.75) -> Plan:
    """`aspect` is the picture's height over its width."""
    kind = kind or pick(rng, list(SCENES), list(SCENES.values()))
    plan = Plan(kind, style)
    deck = Deck(style.family, style.set_max, rng)
    _PLANNERS[kind](rng, plan, deck, aspect)
    if plan.tiles and rng.random() < 0.6:
        _strew_markers(rng, plan, aspect)
    if plan.tiles and kind not in ("close", "neg") and rng.random() < 0.27:  # a detail of a larger layout
        plan.view_mm = max(plan.view_mm * rng.uniform(0.3, 0.75), 110)
        tile = plan.tiles[rng.integers(len(plan.tiles))]
        dx, dy = rng.normal(0, plan.view_mm * 0.15, 2)
        plan.centre = (tile.x + dx, tile.y + dy)
    return plan


def _strew_markers(rng: Rng, plan: Plan, aspect: float) -> None:
    """Markers beside tiles, before their ends, on them and about the table: each tile has few of them to learn by."""
    body = plan.style.body
    for _ in range(rng.integers(1, 13)):
        tile = plan.tiles[rng.integers(len(plan.tiles))]
        away = rng.uniform(7, 26)
        along, across = rng.uniform(-0.6, 0.6) * body.length, float(rng.choice([-1, 1])) * (body.width / 2 + away)
        chance, z = rng.random(), 0.0
        if chance < 0.3:
            along, across = float(rng.choice([-1, 1])) * (body.length / 2 + away), rng.uniform(-0.5, 0.5) * body.width
        elif chance > 0.85 and not tile.pitch and not tile.roll:  # on a tile, as people do who have no room beside it
            along, across = rng.uniform(-0.4, 0.4) * body.length, rng.normal(0, 0.12) * body.width
            z = tile.z + body.thickness
        u, v = math.cos(tile.heading), math.sin(tile.heading)
        x, y = tile.x + along * u - across * v, tile.y + along * v + across * u
        if 0.7 < chance <= 0.85:
            x = plan.centre[0] + rng.uniform(-0.5, 0.5) * plan.view_mm
            y = plan.centre[1] + rng.uniform(-0.5, 0.5) * plan.view_mm * aspect
        plan.markers.append((x, y, z, rng.uniform(0, 6.3)))


def _any_value(rng: Rng, style: TileStyle) -> int:
    return int(rng.integers(1 if style.family == "chinese" else 0, style.set_max + 1))


def _train(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    """Trains that leave a hub (or a bare engine), boneyard, a player's hand, markers at open trains."""
    style = plan.style
    length, width = style.body.length, style.body.width
    plan.view_mm = view = rng.uniform(560, 1300)
    limit = (view * 0.52, view * aspect * 0.52)
    trains = int(rng.integers(2, 9))
    slots = int(max(trains, rng.choice([6, 8, 8, 9, 10, 12])))
    heading, engine = rng.uniform(0, 2 * math.pi), _any_value(rng, style)
    with_hub = rng.random() < HUBS
    touching = not with_hub and rng.random() < TOUCHING
    radius = rng.uniform(48, 85) if with_hub else length * 0.62
    radius = max(radius, slots * width * 1.03 / (2 * math.pi) + (length * 0.25 if with_hub else 6))
    start = max(radius - (rng.uniform(0.1, 0.4) * radius if with_hub else 0), slots * width * 1.06 / (2 * math.pi) + 2)
    if with_hub:
        plan.hub = PlacedHub(0.0, 0.0, radius, heading, slots)
    if touching or rng.random() < 0.85:
        a, b = deck.take_double(engine)
        plan.tiles.append(Placed(0, 0, heading + rng.normal(0, 0.0 if touching else 0.03), a, b))
        plan.ground.add(footprint(0, 0, heading, length, width))
    begins = _at_the_engine(rng, heading, length, width) if touching else []
    for k in rng.permutation(len(begins) or slots)[:trains]:
        away = heading + 2 * math.pi * k / slots + rng.normal(0, 0.015)
        end = begins[k] if touching else ChainEnd(start * math.cos(away), start * math.sin(away), away)
        wobble, gap = rng.uniform(0, 0.04), (0, rng.choice([0.4, 1.2, 3.0]))
        count = int(rng.integers(1, 14))
        tiles, end = chain(rng, deck, plan.ground, style, end, engine, count, limit, wobble=wobble, gap=gap)
        plan.tiles += tiles
        if tiles and rng.random() < 0.5:
            reach = rng.uniform(18, 40)
            x, y = end.x + math.cos(end.heading) * reach, end.y + math.sin(end.heading) * reach
            z, chance = 0.0, rng.random()
            if chance < 0.3:
                tile = tiles[rng.integers(len(tiles))]
                x, y = tile.x + rng.normal(0, 30), tile.y + rng.normal(0, 30)
            elif chance > 1 - ON_THE_LAST:  # over the open half of the last tile, as many people put it
                back = rng.uniform(0.1, 0.6) * length
                x, y = end.x - math.cos(end.heading) * back, end.y - math.sin(end.heading) * back
                z = tiles[-1].z + style.body.thickness
            plan.markers.append((x, y, z, rng.uniform(0, 6.3)))
    if rng.random() < 0.15:
        _walls(rng, plan, deck, limit)
    elif rng.random() < 0.45:  # boneyard
        x, y = rng.uniform(-0.8, 0.8) * limit[0], rng.choice([-1, 1]) * limit[1] * 0.75
        box = (x - 160, y - 110, x + 160, y + 110)
        plan.tiles += scatter(rng, deck, plan.ground, style, int(rng.integers(4, 30)), box, face_down=0.97, tries=12)
    if rng.random() < 0.5:  # a player's hand
        where = ChainEnd(
            rng.uniform(-0.8, 0.8) * limit[0],
            rng.choice([-1, 1]) * limit[1] * rng.uniform(0.7, 0.95),
            rng.normal(0, 0.1),
        )
        count, per_row = int(rng.integers(3, 16)), int(rng.integers(3, 10))
        plan.tiles += rows(rng, deck, plan.ground, style, where, count, per_row)
    dx, dy = rng.normal(0, view * 0.05, 2)
    plan.centre = (dx, dy)


def _at_the_engine(rng: Rng, heading: float, length: float, width: float) -> list[ChainEnd]:
    """Where trains begin that touch an engine in the middle: at its ends, long sides and corners."""
    c, s = math.cos(heading), math.sin(heading)
    places = [(side * length / 2, 0.0, 0.0 if side > 0 else math.pi) for side in (1, -1)]
    places += [(along * length / 4, side * width / 2, side * math.pi / 2) for side in (1, -1) for along in (-1, 0, 1)]
    for u in (1, -1):
        for v in (1, -1):
            away = math.atan2(v, u)
            # The tile's own corners reach half its width to each side of where it begins.
            reach = rng.uniform(0.5, 0.6) * width
            places.append((u * length / 2 + reach * math.cos(away), v * width / 2 + reach * math.sin(away), away))
    return [
        ChainEnd(along * c - across * s, along * s + across * c, heading + away + rng.normal(0, 0.015))
        for along, across, away in places
    ]


def _snake(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    """A line of play (draw, block, fives, Chinese fishing rows) growing from a spinner in two or four directions."""
    style = plan.style
    length, width = style.body.length, style.body.width
    plan.view_mm = view = rng.uniform(300, 950)
    limit = (view * 0.48, view * aspect * 0.48)
    value = _any_value(rng, style)
    heading = rng.choice([0, math.pi / 2]) + rng.normal(0, 0.06) if rng.random() < 0.7 else rng.uniform(0, 6.3)
    a, b = deck.take_double(value)
    plan.tiles.append(Placed(0, 0, heading + math.pi / 2, a, b))
    plan.ground.add(footprint(0, 0, heading + math.pi / 2, length, width))
    arms = [(0.0, width / 2), (math.pi, width / 2)]
    if rng.random() < 0.35:
        arms += [(math.pi / 2, length / 2), (-math.pi / 2, length / 2)]
    touching = rng.random() < 0.5
    for turn, reach in arms:
        away = heading + turn
        start = ChainEnd(math.cos(away) * reach, math.sin(away) * reach, away)
        tiles, _ = chain(
            rng,
            deck,
            plan.ground,
            style,
            start,
            value,
            int(rng.integers(2, 18)),
            limit,
            wobble=rng.uniform(0, 0.015 if touching else 0.05),
            gap=(0, 0.3 if touching else rng.choice([0.4, 1.5, 3.0])),
            doubles_across=rng.random() < 0.6,
            turns=8,
        )
        plan.tiles += tiles
    if rng.random() < 0.35:
        box = (-limit[0], -limit[1], limit[0], limit[1])
        plan.tiles += scatter(rng, deck, plan.ground, style, int(rng.integers(2, 16)), box, face_down=0.6, tries=8)
    dx, dy = rng.normal(0, view * 0.04, 2)
    plan.centre = (dx, dy)


def _scatter(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    body = plan.style.body
    plan.view_mm = view = rng.uniform(200, 1150)
    limit = (view * 0.5, view * aspect * 0.5)
    count = int(rng.uniform(0.02, 0.62) * view * view * aspect / (body.length * body.width))
    count = min(max(count, 1), min(130, len(deck)))
    shrink = rng.choice([0.98, 0.9, 1.15])
    face_down = rng.choice([0, 0.1, 0.4, 0.9], p=[0.45, 0.3, 0.15, 0.1])
    headings = None if rng.random() < 0.7 else [rng.uniform(0, 6.3) + k * math.pi / 2 for k in range(2)]
    box = (-limit[0], -limit[1], limit[0], limit[1])
    plan.tiles += scatter(
        rng,
        deck,
        plan.ground,
        plan.style,
        count,
        box,
        face_down=face_down,
        tries=10,
        shrink=shrink,
        headings=headings,
    )


def _walls(rng: Rng, plan: Plan, deck: Deck, limit: tuple[float, float]) -> None:
    """Neat stacks near the edges of the table, mostly face down."""
    for _ in range(rng.integers(1, 4)):
        heading = rng.integers(2) * math.pi / 2 + rng.normal(0, 0.15)
        where = ChainEnd(rng.uniform(-0.85, 0.85) * limit[0], rng.uniform(-0.85, 0.85) * limit[1], heading)
        levels, count = int(rng.choice([1, 2, 2, 3, 4])), int(rng.integers(1, 9))
        face_down = 1.0 if rng.random() < 0.75 else 0.3
        plan.tiles += stacks(rng, deck, plan.ground, plan.style, where, count, levels, face_down)


def _hand(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    """A hand laid out in rows, as a player photographs it for counting, or a whole deck."""
    style, length = plan.style, plan.style.body.length
    n_rows, per_row = int(rng.integers(1, 6)), int(rng.integers(1, 13))
    count = max(min(n_rows * per_row - int(rng.integers(0, per_row)), len(deck)), 2)
    heading = rng.normal(0, 0.12) if rng.random() < 0.7 else rng.uniform(0, 6.3)
    gap, loose = (0, rng.choice([0.3, 0.6, 3.0, 9.0])), rng.choice([0.008, 0.03, 0.08])
    plan.tiles += rows(
        rng,
        deck,
        plan.ground,
        style,
        ChainEnd(0, 0, heading),
        count,
        per_row,
        face_up=rng.random() > 0.06,
        gap=gap,
        loose=loose,
    )
    extent = np.array([[t.x, t.y] for t in plan.tiles]) if plan.tiles else np.zeros((1, 2))
    size = max(np.ptp(extent[:, 0]) + length * 1.2, (np.ptp(extent[:, 1]) + length * 1.2) / aspect)
    plan.view_mm = view = float(np.clip(size * rng.uniform(0.85, 2.2), 90, 1200))
    if rng.random() < 0.2:
        _walls(rng, plan, deck, (view / 2, view * aspect / 2))
    elif rng.random() < 0.4:
        box = (-view / 2, -view * aspect / 2, view / 2, view * aspect / 2)
        plan.tiles += scatter(rng, deck, plan.ground, style, int(rng.integers(1, 15)), box, face_down=0.3, tries=6)
    cx, cy = extent.mean(0) + rng.normal(0, view * 0.05, 2)
    plan.centre = (float(cx), float(cy))


def _pile(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    body = plan.style.body
    count = int(rng.integers(8, 70))
    radius = math.sqrt(count * body.length * body.width / math.pi) * rng.uniform(0.55, 1.05)
    plan.tiles += heap(rng, deck, plan.style, count, radius, rng.choice([0.1, 0.5, 0.9]))
    plan.view_mm = float(np.clip((radius * 2 + 2 * body.length) * rng.uniform(0.7, 1.8), 120, 1200))
    dx, dy = rng.normal(0, plan.view_mm * 0.06, 2)
    plan.centre = (dx, dy)


def _close(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    """A few tiles fill the picture."""
    style, length = plan.style, plan.style.body.length
    plan.view_mm = view = rng.uniform(75, 260)
    x, y = view * 0.5, view * aspect * 0.5
    chance = rng.random()
    if chance < 0.45:
        box = (-x * 0.8, -y * 0.8, x * 0.8, y * 0.8)
        count = int(rng.integers(1, 8))
        plan.tiles += scatter(rng, deck, plan.ground, style, count, box, face_down=0.08, tries=30, shrink=1.05)
    elif chance < 0.75:
        away = rng.uniform(0, 6.3)
        start = ChainEnd(-math.cos(away) * length, -math.sin(away) * length, away)
        limit = ((x + length) * 1.5, (y + length) * 1.5)
        value, count = _any_value(rng, style), int(rng.integers(2, 7))
        plan.tiles += chain(rng, deck, plan.ground, style, start, value, count, limit)[0]
    else:
        count, per_row = int(rng.integers(2, 10)), int(rng.integers(2, 5))
        middle = ChainEnd(0, 0, rng.uniform(0, 6.3))
        plan.tiles += rows(rng, deck, plan.ground, style, middle, count, per_row, gap=(0, 2))


def _mixed(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    style = plan.style
    plan.view_mm = view = rng.uniform(400, 1250)
    x, y = view * 0.5, view * aspect * 0.5
    for _ in range(rng.integers(1, 4)):
        heading = rng.choice([0, math.pi / 2]) + rng.normal(0, 0.15)
        where = ChainEnd(rng.uniform(-0.7, 0.7) * x, rng.uniform(-0.7, 0.7) * y, heading)
        count, per_row = int(rng.integers(3, 18)), int(rng.integers(3, 10))
        plan.tiles += rows(rng, deck, plan.ground, style, where, count, per_row, face_up=rng.random() > 0.25)
    start = ChainEnd(rng.normal(0, 40), rng.normal(0, 40), rng.uniform(0, 6.3))
    value, count = _any_value(rng, style), int(rng.integers(3, 16))
    plan.tiles += chain(rng, deck, plan.ground, style, start, value, count, (x, y))[0]
    if rng.random() < 0.5:
        _walls(rng, plan, deck, (x, y))
    count = int(rng.integers(2, 30))
    plan.tiles += scatter(rng, deck, plan.ground, style, count, (-x, -y, x, y), face_down=0.5, tries=6)
    for _ in range(rng.integers(0, 5)):
        plan.markers.append((rng.uniform(-x, x), rng.uniform(-y, y), 0.0, rng.uniform(0, 6.3)))


def _negative(rng: Rng, plan: Plan, deck: Deck, aspect: float) -> None:
    """No tiles: only the table, clutter, perhaps markers."""
    plan.view_mm = view = rng.uniform(200, 1200)
    if rng.random() < 0.3:
        for _ in range(rng.integers(1, 5)):
            x, y = rng.uniform(-0.5, 0.5) * view, rng.uniform(-0.5, 0.5) * view * aspect
            plan.markers.append((x, y, 0.0, rng.uniform(0, 6.3)))


_PLANNERS = {
    "train": _train,
    "snake": _snake,
    "scatter": _scatter,
    "hand": _hand,
    "pile": _pile,
    "close": _close,
    "mixed": _mixed,
    "neg": _negative,
}
