"""Bodies that stand for a player in other games: planes, cars, animals, meeples, checkers, rings, dice, fallen ones.

Families put whatever they have on their trains. These are kept apart from the markers that training draws by chance
(`markers.KINDS`): `bench.corpus toys` films tables with them, and so tells how bodies are seen that no network has met.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from datasets.render.camera import disc_outline, rounded_outline
from datasets.render.colour import Rgb
from datasets.render.gbuffer import Drawn, GBuffer
from datasets.render.tokens import any_paint, builder

Rng = np.random.Generator
Add = Callable[..., Drawn]
PALE, DARK = np.full(3, 0.85, np.float32), np.full(3, 0.03, np.float32)


def _box(long: float, wide: float, round_: float = 0.2) -> NDArray[np.float64]:
    return rounded_outline(long, wide, min(long, wide) * round_, 3)


def _plane(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    long = rng.uniform(22, 36)
    return [
        add(0, 0, 2, _box(long, long * 0.17, 0.4), long * 0.14, paint),
        add(long * 0.06, 0, 4, _box(long * 0.2, long * 0.9), 2, paint * 0.9),
        add(-long * 0.42, 0, 4, _box(long * 0.1, long * 0.36), 2, paint * 0.9),
        add(-long * 0.42, 0, 5, _box(long * 0.14, 1.6), long * 0.12, paint),
    ]


def _animal(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    long = rng.uniform(16, 30)
    legs = [
        add(a * long, b * long, 0, disc_outline(long * 0.07, 8), 4, paint * 0.7)
        for a in (-0.3, 0.3)
        for b in (-0.15, 0.15)
    ]
    body = add(0, 0, 4, _box(long * 0.8, long * 0.42, 0.45), long * 0.3, paint)
    head = add(long * 0.45, rng.uniform(-0.1, 0.1) * long, 6, disc_outline(long * 0.17, 14), long * 0.3, paint * 1.1)
    return [*legs, body, head]


def _meeple(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    """Lying on its back."""
    size, thick = rng.uniform(14, 20), rng.uniform(7, 10)
    return [
        add(size * 0.36, 0, 0, disc_outline(size * 0.2, 14), thick, paint),
        add(size * 0.1, 0, 0, _box(size * 0.28, size, 0.3), thick, paint),
        add(-size * 0.25, size * 0.22, 0, _box(size * 0.45, size * 0.34), thick, paint),
        add(-size * 0.25, -size * 0.22, 0, _box(size * 0.45, size * 0.34), thick, paint),
    ]


def _checker(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    radius, thick = rng.uniform(9, 15), rng.uniform(4, 8)
    lids = ((1.0, 1.0), (0.8, 0.75), (0.7, 1.0), (0.4, 0.75), (0.32, 1.0))
    return [
        add(
            0,
            0,
            0 if n == 0 else thick + 0.2 * n,
            disc_outline(radius * share, 28),
            thick if n == 0 else 0.3,
            paint * shade,
        )
        for n, (share, shade) in enumerate(lids)
    ]


def _ring(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    """Twenty-four beads in a circle, for outlines are convex."""
    radius, thick = rng.uniform(8, 12), rng.uniform(1.6, 3)
    turns = np.arange(24) * np.pi / 12
    return [add(radius * np.cos(a), radius * np.sin(a), 0, disc_outline(thick, 8), thick * 1.5, paint) for a in turns]


def _die(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    side = rng.uniform(11, 17)
    spots = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    }
    shown = spots[int(rng.choice(list(spots)))]
    pips = DARK if paint.mean() > 0.35 else PALE
    cube = add(0, 0, 0, _box(side, side, 0.12), side, paint)
    return [
        cube,
        *(add(a * side * 0.27, b * side * 0.27, side, disc_outline(side * 0.09, 12), 0.1, pips) for a, b in shown),
    ]


def _cap(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    """A bottle's cap, its figure a plain disc."""
    radius = rng.uniform(13, 16)
    wide, turns = radius * 0.16, np.arange(21) * 2 * np.pi / 21
    teeth = [add(radius * np.cos(a), radius * np.sin(a), 0, disc_outline(wide, 6), 3, paint * 0.8) for a in turns]
    return [
        *teeth,
        add(0, 0, 0, disc_outline(radius, 28), 5, paint),
        add(0, 0, 5, disc_outline(radius * 0.6, 20), 0.2, any_paint(rng)),
    ]


def _fallen_pawn(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    long = rng.uniform(20, 28)
    shares = ((-0.42, 0.16, 0.5), (-0.2, 0.3, 0.3), (0.1, 0.34, 0.22), (0.36, 0.28, 0.36))
    return [add(a * long, 0, 0, _box(b * long, c * long, 0.45), c * long * 0.8, paint) for a, b, c in shares]


def _wagon(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
    long = rng.uniform(18, 34)
    wide, load = long * 0.42, any_paint(rng)
    wheels = [add(a * long, b * wide, 0, _box(long * 0.16, 2, 0.3), 6, DARK) for a in (-0.3, 0.3) for b in (-0.5, 0.5)]
    return [*wheels, add(0, 0, 3, _box(long, wide), 6, paint), add(0, 0, 9, _box(long * 0.84, wide * 0.8), 2, load)]


ROUND, SIX = 24, 6
"""Corners of an outline that is no box."""

Shape = tuple[float, float, int]
"""Length and width as shares of the body's length, and 0 for a box or the corners of a disc."""

PARTS: dict[str, tuple[tuple[float, float], tuple[tuple[float, float, float, Shape, float, float], ...]]] = {
    "car": (
        (18, 32),
        (
            *((a, b, 0.0, (0.2, 0.08, 0), 0.16, 0.0) for a in (-0.28, 0.28) for b in (-0.21, 0.21)),
            (0, 0, 0.08, (1.0, 0.42, 0), 0.16, 1.0),
            (-0.05, 0, 0.24, (0.5, 0.36, 0), 0.14, 0.6),
        ),
    ),
    "lorry": (
        (26, 42),
        (
            *((a, b, 0.0, (0.13, 0.06, 0), 0.12, 0.0) for a in (-0.35, 0, 0.35) for b in (-0.17, 0.17)),
            (-0.12, 0, 0.08, (0.72, 0.36, 0), 0.26, -1.0),
            (0.38, 0, 0.08, (0.22, 0.34, 0), 0.2, 1.0),
        ),
    ),
    "boat": (
        (20, 34),
        (
            (-0.1, 0, 0, (0.7, 0.36, 0), 0.16, 1.0),
            (0.26, 0, 0, (0.4, 0.2, 0), 0.16, 1.0),
            (-0.15, 0, 0.16, (0.3, 0.22, 0), 0.14, -1.0),
            (-0.12, 0, 0.3, (0.1, 0.1, ROUND), 0.16, 0.7),
        ),
    ),
    "standing meeple": (
        (14, 18),
        (
            (0, 0.22, 0, (0.5, 0.34, 0), 0.4, 0.9),
            (0, -0.22, 0, (0.5, 0.34, 0), 0.4, 0.9),
            (0, 0, 0.4, (0.5, 1.0, 0), 0.3, 1.0),
            (0, 0, 0.7, (0.44, 0.36, 0), 0.34, 1.1),
        ),
    ),
    "skittle": (
        (10, 14),
        (
            (0, 0, 0, (1.0, 1.0, ROUND), 0.2, 1.0),
            (0, 0, 0.2, (0.76, 0.76, ROUND), 0.8, 1.0),
            (0, 0, 1.0, (0.4, 0.4, ROUND), 0.3, -1.0),
            (0, 0, 1.3, (0.56, 0.56, ROUND), 0.5, 1.1),
        ),
    ),
    "tower": (
        (12, 18),
        (
            (0, 0, 0, (1.0, 1.0, ROUND), 0.9, 1.0),
            *((0.36 * a, 0.36 * b, 0.9, (0.24, 0.24, 0), 0.25, 1.1) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))),
        ),
    ),
    "house": (
        (14, 22),
        (
            (0, 0, 0, (1.0, 0.8, 0), 0.5, 1.0),
            (0, 0, 0.5, (1.06, 0.6, 0), 0.16, -1.0),
            (0, 0, 0.66, (1.06, 0.34, 0), 0.14, -1.0),
        ),
    ),
    "tree": (
        (14, 24),
        (
            (0, 0, 0, (0.2, 0.2, ROUND), 0.3, 0.3),
            *((0, 0, 0.3 + 0.2 * n, (1 - 0.25 * n, 1 - 0.25 * n, ROUND), 0.2, 0.8 + 0.1 * n) for n in range(4)),
        ),
    ),
    "star": (
        (16, 26),
        (
            *((0.25 * np.cos(a), 0.25 * np.sin(a), 0, (0.34, 0.34, 3), 0.16, 1.0) for a in 0.4 * np.pi * np.arange(5)),
            (0, 0, 0, (0.6, 0.6, ROUND), 0.16, 1.0),
        ),
    ),
    "gem": (
        (9, 15),
        tuple((0, 0, 0.12 * n, (1 - 0.2 * n, 1 - 0.2 * n, SIX), 0.12, 0.8 + 0.12 * n) for n in range(4)),
    ),
    "cork": (
        (24, 40),
        (
            (0, 0, 0, (1.0, 0.46, 0), 0.3, 1.0),
            (0, 0, 0.3, (1.0, 0.3, 0), 0.12, 1.1),
            (-0.4, 0, 0, (0.1, 0.5, 0), 0.36, 0.6),
        ),
    ),
    "nut": (
        (12, 20),
        ((0, 0, 0, (1.0, 1.0, SIX), 0.4, 1.0), (0, 0, 0.4, (0.52, 0.52, ROUND), 0.02, 0.0)),
    ),
    "fallen skittle": (
        (20, 28),
        (
            (-0.3, 0, 0, (0.4, 0.36, 0), 0.3, 1.0),
            (0.02, 0, 0.03, (0.34, 0.26, 0), 0.24, 1.0),
            (0.2, 0, 0.05, (0.14, 0.14, 0), 0.14, -1.0),
            (0.36, 0, 0.02, (0.26, 0.2, ROUND), 0.2, 1.1),
        ),
    ),
    "fallen engine": (
        (26, 40),
        (
            (0, 0.14, 0, (1.0, 0.14, 0), 0.32, 0.8),
            (0.12, -0.04, 0.04, (0.7, 0.26, 0), 0.26, 1.0),
            (-0.36, -0.1, 0, (0.26, 0.4, 0), 0.32, -1.0),
            (0.34, -0.26, 0.1, (0.1, 0.24, 0), 0.1, 0.4),
            *((a, 0.2, 0.32, (0.2, 0.2, ROUND), 0.03, 0.0) for a in (-0.3, 0.0, 0.3)),
        ),
    ),
    "cubes": (
        (16, 24),
        (
            (-0.25, 0, 0, (0.48, 0.48, 0), 0.48, 1.0),
            (0.25, 0.05, 0, (0.48, 0.48, 0), 0.48, -1.0),
            (0, 0.02, 0.48, (0.48, 0.48, 0), 0.48, -1.0),
        ),
    ),
}  # fmt: skip
"""Bodies of boxes and discs: the lengths in mm they have, and of each part where it is (along, aside, above), its
outline, how tall it is, and its shade: 0 is black, below 0 a colour of its own. All but the first in shares of the
length."""


def _of_parts(kind: str) -> Callable[[Add, Rng, Rgb], list[Drawn]]:
    """The drawer of a body of `PARTS`."""
    longs, parts = PARTS[kind]

    def drawn(add: Add, rng: Rng, paint: Rgb) -> list[Drawn]:
        long, found = rng.uniform(*longs), list[Drawn]()
        for along, aside, low, (length, width, corners), tall, shade in parts:
            outline = disc_outline(length * long / 2, corners) if corners else _box(length * long, width * long)
            own = DARK if shade == 0 else any_paint(rng) if shade < 0 else (paint * shade).clip(0, 1)
            found.append(add(along * long, aside * long, low * long, outline, tall * long, own))
        return found

    return drawn


BODIES: dict[str, Callable[[Add, Rng, Rgb], list[Drawn]]] = {
    **{kind: _of_parts(kind) for kind in PARTS},
    "plane": _plane,
    "animal": _animal,
    "meeple": _meeple,
    "checker": _checker,
    "ring": _ring,
    "die": _die,
    "cap": _cap,
    "fallen pawn": _fallen_pawn,
    "wagon": _wagon,
}


MATERIALS: dict[str, tuple[float, float]] = {"wood": (0.02, 0.3), "plastic": (0.4, 1.5), "metal": (2.5, 6.0)}
"""Material -> the range of its gloss (see `GBuffer`)."""


def figure(
    kind: str, g: GBuffer, rng: Rng, at: tuple[float, float], heading: float, owner: int, colour: Rgb | None, z: float
) -> list[Drawn]:
    """One of the `BODIES`, of that colour or any, and of one of the `MATERIALS`."""
    paint = any_paint(rng) if colour is None else colour
    gloss = rng.uniform(*MATERIALS[str(rng.choice(list(MATERIALS)))])
    return BODIES[kind](builder(g, rng, at, heading, owner, z, gloss), rng, np.asarray(paint, np.float32))
