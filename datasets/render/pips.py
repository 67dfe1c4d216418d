"""Where the pips of a value stand, for western makers and for the Chinese set.

Western patterns are points (a, b) in [-1, 1]: a along the tile, b across it. Chinese patterns are points on the whole
tile, because there is no divider and some pairs are drawn as one figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets.render.chance import aside, pick

Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Maker:
    """The choices a maker makes once for a whole set.

    `lines[v]` names the lines of pips that run along the tile for the values 10 to 18 ("4-2-4"); `short` says how a
    line with fewer pips than the longest is filled; `big_along` and `six_along` whether those lines run along the tile.
    `as_sold` sets print 13 to 18 as real sets do, whatever `lines` says.
    """

    two_diagonal: bool
    six_along: bool
    eight_ring: bool
    lines: dict[int, str]
    big_along: bool
    short: str
    as_sold: bool


def make_maker(rng: np.random.Generator) -> Maker:
    """The common arrangements most often, the rare ones often enough to be learned.

    With two rows of six in 3 % of the sets the reader took them for two rows of five as often as not.
    """
    lines = {
        10: pick(rng, ["4-2-4", "3-4-3", "5-5", "2-3-3-2"], [0.6, 0.14, 0.16, 0.1]),
        11: pick(rng, ["4-3-4", "3-5-3", "5-1-5"], [0.7, 0.15, 0.15]),
        12: pick(rng, ["4-4-4", "6-6"], [0.78, 0.22]),
        13: pick(rng, ["4-5-4", "5-3-5"], [0.65, 0.35]),
        14: pick(rng, ["5-4-5", "4-3-3-4"], [0.85, 0.15]),
        15: "5-5-5",
        16: pick(rng, ["4-4-4-4", "5-6-5", "6-4-6"], [0.5, 0.25, 0.25]),
        17: pick(rng, ["6-5-6", "4x4+1", "4-4-1-4-4"], [0.6, 0.3, 0.1]),
        18: pick(rng, ["6-6-6", "4-5-5-4"], [0.85, 0.15]),
    }
    return Maker(
        two_diagonal=rng.random() < 0.92,
        six_along=rng.random() < 0.82,
        eight_ring=rng.random() < 0.8,
        lines=lines,
        big_along=rng.random() < 0.75,
        short=pick(rng, ["full", "pitch", "even"], [0.72, 0.2, 0.08]),
        as_sold=aside(rng).random() < AS_SOLD,
    )


AS_SOLD = 0.85
"""The share of sets that print 13 to 18 as real sets do: four sources agree, a photograph of a double-15 among them."""


def _as_sold() -> dict[int, Points]:
    """13 to 15 are three rows of four and a last row, half a pitch off, on the divider's side; 16 is four by four, 17
    and 18 two blocks of two by four with one pip or two between them."""
    fours = [(a, b) for a in (-1, -1 / 3, 1 / 3) for b in (-1, -1 / 3, 1 / 3, 1)]
    last = {13: (0.0,), 14: (-2 / 3, 2 / 3), 15: (-2 / 3, 0.0, 2 / 3)}
    points: dict[int, Points] = {value: [*fours, *((1.0, b) for b in row)] for value, row in last.items()}
    points[16] = [*fours, *((1.0, b) for b in (-1, -1 / 3, 1 / 3, 1))]
    blocks = [(a, b) for a in (-1, -1 / 3, 1 / 3, 1) for b in (-1, -4 / 9, 4 / 9, 1)]
    points[17] = [*blocks, (0.0, 0.0)]
    points[18] = [*blocks, (-2 / 3, 0.0), (2 / 3, 0.0)]
    return points


_FIXED: dict[int, Points] = {
    0: [],
    1: [(0, 0)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    9: [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)],
}
_AS_SOLD = _as_sold()


def western(value: int, maker: Maker) -> Points:
    """The points of one half, outer end at a = -1."""
    if value in _FIXED:
        return list(_FIXED[value])
    if value == 2:
        return [(-1, -1), (1, 1)] if maker.two_diagonal else [(-1, 0), (1, 0)]
    if value in (6, 7, 8):
        if value == 8 and maker.eight_ring:
            return [p for p in _FIXED[9] if p != (0, 0)]
        points = _lines([3, 2, 3], "pitch") if value == 8 else _lines([3, 3], "full")
        points += [(0.0, 0.0)] if value == 7 else []
        return points if maker.six_along else _across(points)
    if value in _AS_SOLD and maker.as_sold:
        return list(_AS_SOLD[value])
    named = maker.lines[value]
    if named == "4x4+1":
        points = [(float(a), float(b)) for a in np.linspace(-1, 1, 4) for b in np.linspace(-1, 1, 4)] + [(0.0, 0.0)]
    else:
        points = _lines([int(c) for c in named.split("-")], maker.short)
    return points if maker.big_along else _across(points)


def _lines(counts: list[int], short: str) -> Points:
    """Lines of pips along the tile, one for each count, spread evenly across it."""
    longest = max(counts)
    points: Points = []
    for b, count in zip(np.linspace(-1, 1, len(counts)), counts, strict=True):
        if count == 1:
            along = np.zeros(1)
        elif count == longest or short == "full":
            along = np.linspace(-1, 1, count)
        else:
            along = (np.arange(count) - (count - 1) / 2) * 2.0 / (longest - 1)
            if short == "even" and longest - count == 1:
                along = np.linspace(-0.85, 0.85, count)
        points += [(float(a), float(b)) for a in along]
    return points


def _across(points: Points) -> Points:
    return [(b, a) for a, b in points]


# The Chinese set. Rows are numbered 0, 1, 2 from the tile's end inwards, columns -1 and 1.
_CHINESE_ROWS: dict[int, Points] = {
    1: [(0, 0)],
    2: [(0, -1), (0, 1)],
    3: [(0, -1), (1, 0), (2, 1)],
    4: [(0, -1), (0, 1), (1, -1), (1, 1)],
    5: [(0, -1), (0, 1), (1, 0), (2, -1), (2, 1)],
    6: [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)],
}


@dataclass(frozen=True, slots=True)
class ChinesePrint:
    """The choices of one maker of Chinese sets.

    `pitch` is the distance of two rows as a share of half the tile's length, `edge` the outer row's distance from the
    middle as such a share, `column` the columns' distance from the axis as a share of half the width; `slant` scales
    the slanting three; `drawn_pair_of_threes` draws 3-3 as 1-1-2-1-1, `even_fours` spreads the rows of 4-4 evenly;
    `big_one` is the radius of the single red pip in ordinary radii; `mirrored` swaps left and right.
    """

    pitch: float
    edge: float
    column: float
    slant: float
    drawn_pair_of_threes: bool
    even_fours: bool
    big_one: float
    mirrored: bool
    red_fours: bool


def make_chinese_print(rng: np.random.Generator) -> ChinesePrint:
    edge = rng.uniform(0.72, 0.82)
    return ChinesePrint(
        pitch=edge / 2.5 * rng.uniform(0.93, 1.0),
        edge=edge,
        column=rng.uniform(0.34, 0.46),
        slant=rng.uniform(0.8, 1.05),
        drawn_pair_of_threes=rng.random() < 0.72,
        even_fours=rng.random() < 0.7,
        big_one=rng.uniform(1.0, 1.15) if rng.random() < 0.6 else rng.uniform(1.2, 1.7),
        mirrored=rng.random() < 0.15,
        red_fours=rng.random() < 0.96,
    )


def chinese(first: int, second: int, maker: ChinesePrint) -> list[tuple[float, float, bool, float]]:
    """(a, b, red, scale) on the whole tile: a in [-1, 1] along it with `first` at -1, b in [-1, 1] across it."""
    sign = -1.0 if maker.mirrored else 1.0
    out: list[tuple[float, float, bool, float]] = []
    if (first, second) == (3, 3) and maker.drawn_pair_of_threes:
        step = maker.edge / 2
        for k, columns in ((-2, (0,)), (-1, (0,)), (0, (-1, 1)), (1, (0,)), (2, (0,))):
            out += [(k * step, c * maker.column, False, 1.0) for c in columns]
        return out
    if (first, second) == (4, 4) and maker.even_fours:
        rows = (-1, -1 / 3, 1 / 3, 1)
        return [(r * maker.edge, c * maker.column, maker.red_fours, 1.0) for r in rows for c in (-1, 1)]
    for end, value in ((-1.0, first), (1.0, second)):
        for row, column in _CHINESE_ROWS[value]:
            a = end * (maker.edge - row * maker.pitch)
            slant = maker.slant if value == 3 else 1.0
            b = end * sign * column * maker.column * slant
            red = value == 1 or (value == 4 and maker.red_fours)
            if first == second == 6:
                red = column < 0  # half red, half white, the same after half a turn
            out.append((a, b, red, maker.big_one if value == 1 else 1.0))
    return out
