"""Domino halves as SVG symbols, and the players' shapes. Everything else on the page is text and CSS."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

from markupsafe import Markup

from companion.game.game_view import SHAPES

Dot = tuple[float, float]

_EDGE, _MIDDLE = 24.0, 50.0


def _row(count: int, y: float, low: float = 20.0, high: float = 80.0) -> list[Dot]:
    """`count` pips on a line along the tile's length."""
    if count == 1:
        return [((low + high) / 2, y)]
    return [(low + (high - low) * i / (count - 1), y) for i in range(count)]


def _three_rows(top: int, middle: list[Dot], bottom: int, low: float = 20.0) -> list[Dot]:
    return [*_row(top, 22, low, 100 - low), *middle, *_row(bottom, 78, low, 100 - low)]


@cache
def pips(value: int) -> tuple[Dot, ...]:
    """Pip centres of one half in a 100 x 100 box, the tile's length along x.

    6 two rows of three along the length, 10 = 4-2-4, 11 = 4-3-4, 12 = 4-4-4 as on sold sets; 13 to 18 go on alike.
    """
    corners = [(_EDGE, _EDGE), (100 - _EDGE, 100 - _EDGE), (_EDGE, 100 - _EDGE), (100 - _EDGE, _EDGE)]
    centre = (_MIDDLE, _MIDDLE)
    nine = _three_rows(3, _row(3, 50, 22, 78), 3, 22)
    by_value: dict[int, list[Dot]] = {
        0: [],
        1: [centre],
        2: corners[:2],
        3: [*corners[:2], centre],
        4: corners,
        5: [*corners, centre],
        6: [*_row(3, _EDGE, 22, 78), *_row(3, 100 - _EDGE, 22, 78)],
        7: [*_row(3, _EDGE, 22, 78), *_row(3, 100 - _EDGE, 22, 78), centre],
        8: [dot for dot in nine if dot != centre],
        9: nine,
        10: _three_rows(4, _row(2, 50, 16, 84), 4, 16),
        11: _three_rows(4, _row(3, 50, 16, 84), 4, 16),
        12: _three_rows(4, _row(4, 50, 16, 84), 4, 16),
        13: _three_rows(5, _row(3, 50, 14, 86), 5, 14),
        14: _three_rows(5, _row(4, 50, 14, 86), 5, 14),
        15: _three_rows(5, _row(5, 50, 14, 86), 5, 14),
        16: [dot for y in (18.0, 39.3, 60.7, 82.0) for dot in _row(4, y, 18, 82)],
        17: _three_rows(6, _row(5, 50, 12, 88), 6, 12),
        18: _three_rows(6, _row(6, 50, 12, 88), 6, 12),
    }
    return tuple(by_value.get(value, []))


def _radius(value: int) -> float:
    if value <= 5:
        return 11.0
    if value <= 9:
        return 10.0
    return 9.0 if value <= 12 else 7.0


def half_symbol(value: int) -> str:
    """One half of a double-set tile; its colour class `c<value>` follows the common code of coloured sets."""
    dots = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="{_radius(value):g}"/>' for x, y in pips(value))
    return f'<symbol id="h{value}" viewBox="0 0 100 100"><g class="c{value}">{dots}</g></symbol>'


def chinese_half_symbol(value: int, *, double_six: bool = False) -> str:
    """One half of a Chinese tile: ones and fours red, the one larger; on 6:6 half of the pips are red."""
    parts = []
    for i, (x, y) in enumerate(pips(value)):
        red = value in (1, 4) or (double_six and i < 3)
        radius = 17.0 if value == 1 else 11.0
        parts.append(f'<circle class="{"red" if red else "ink"}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>')
    name = "k66" if double_six else f"k{value}"
    return f'<symbol id="{name}" viewBox="0 0 100 100">{"".join(parts)}</symbol>'


@cache
def shape_path(index: int) -> str:
    """The outline of player `index` (0 first) in a 100 x 100 box: twelve shapes that differ without colour."""
    circle = "M50 4a46 46 0 1 0 .01 0Z"
    square = "M14 8H86Q92 8 92 14V86Q92 92 86 92H14Q8 92 8 86V14Q8 8 14 8Z"
    diamond = "M50 1L99 50L50 99L1 50Z"
    cross = "M32 4H68V32H96V68H68V96H32V68H4V32H32Z"
    drop = "M50 1C75 34 88 48 88 64A38 36 0 0 1 12 64C12 48 25 34 50 1Z"
    shield = "M8 8H92V52C92 78 72 92 50 99C28 92 8 78 8 52Z"
    pentagon = "M50 2L96 40V96H4V40Z"
    pill = "M30 16H70A34 34 0 0 1 70 84H30A34 34 0 0 1 30 16Z"
    shapes = (
        circle,
        square,
        _polygon(3, -90, 56, 58),
        diamond,
        _polygon(6, 0, 49),
        _star(),
        cross,
        shield,
        _polygon(5, -90, 50, 52),
        drop,
        pentagon,
        pill,
    )
    return shapes[index % SHAPES]


def _polygon(corners: int, start_deg: float, radius: float, cy: float = 50.0) -> str:
    points = (
        (50 + radius * math.cos(a), cy + radius * math.sin(a))
        for a in (math.radians(start_deg + 360 * i / corners) for i in range(corners))
    )
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def _star() -> str:
    points = []
    for i in range(12):
        a = math.radians(-90 + 30 * i)
        radius = 51 if i % 2 == 0 else 34
        points.append(f"{50 + radius * math.cos(a):.1f} {50 + radius * math.sin(a):.1f}")
    return "M" + "L".join(points) + "Z"


TRAIN_MARK = (
    '<symbol id="marker" viewBox="0 0 100 100"><path d="M14 62V34h18V20h14v14h14V26h26v36Z"/>'
    '<circle cx="30" cy="74" r="11"/><circle cx="56" cy="74" r="11"/><circle cx="80" cy="74" r="9"/></symbol>'
)


@cache
def sprite(highest: int, chinese: bool = False) -> Markup:
    """All symbols a page of this set uses, in one hidden SVG."""
    halves: Iterable[str]
    if chinese:
        halves = [*(chinese_half_symbol(v) for v in range(1, 7)), chinese_half_symbol(6, double_six=True)]
    else:
        halves = (half_symbol(v) for v in range(min(highest, 18) + 1))
    shapes = "".join(
        f'<symbol id="s{i}" viewBox="0 0 100 100"><path d="{shape_path(i)}"/></symbol>' for i in range(SHAPES)
    )
    inside = "".join(halves) + shapes + TRAIN_MARK
    return Markup(f'<svg class="sprite" aria-hidden="true" width="0" height="0">{inside}</svg>')


@cache
def rails(rows: int) -> Markup:
    """The fan of tracks from the engine (left, middle) to the middle of each of `rows` equal rows."""
    paths = []
    for i in range(rows):
        y = (i + 0.5) * 100 / rows
        paths.append(
            f'<path class="rail r{i + 1}" vector-effect="non-scaling-stroke" d="M0 50C55 50 35 {y:.2f} 100 {y:.2f}"/>'
        )
    return Markup(
        f'<svg class="fan" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">{"".join(paths)}</svg>'
    )


@cache
def seat_map(count: int, clockwise: bool = True) -> Markup:
    """A table from above with numbered seats, the first one at the bottom, in the order of play."""
    parts = ['<svg class="seat-map" viewBox="0 0 400 260" aria-hidden="true">']
    parts.append('<rect class="board-top" x="70" y="55" width="260" height="150" rx="60"/>')
    for i in range(count):
        turn = math.radians(90 + (360 if clockwise else -360) * i / count)
        x, y = 200 + 168 * math.cos(turn), 130 + 104 * math.sin(turn)
        parts.append(
            f'<g class="p{i + 1}"><use href="#s{i % SHAPES}" x="{x - 21:.1f}" y="{y - 21:.1f}" width="42" height="42"/>'
            f'<text x="{x:.1f}" y="{y + 7:.1f}" text-anchor="middle">{i + 1}</text></g>'
        )
    bow = "M150 112A60 34 0 0 1 250 112" if clockwise else "M250 112A60 34 0 0 0 150 112"
    tip = "M250 112l-16 -3M250 112l3 -16" if clockwise else "M150 112l16 -3M150 112l-3 -16"
    parts.append(f'<path class="way" d="{bow}{tip}"/></svg>')
    return Markup("".join(parts))
