"""The totals of a match as an SVG chart; its text equivalent is the score table beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from markupsafe import Markup, escape

from companion.game.game_view import RoundScores
from companion.game.seat import Seat


@dataclass(frozen=True, slots=True)
class ChartSize:
    """A chart's measures in its own units; `apart` between two labels, `names` full ones or initials.

    `right` is the least room for the labels, `lines` the most lines across.
    """

    width: float
    height: float
    left: float
    right: float
    bottom: float
    apart: float
    names: bool
    css: str
    lines: int = 10


WIDE = ChartSize(900.0, 420.0, 64.0, 190.0, 46.0, 26.0, True, "wide")
NARROW = ChartSize(300.0, 260.0, 34.0, 76.0, 30.0, 17.0, False, "narrow")
"""For a phone: type of the same size on a third of the width, players by their initials."""
PAPER = ChartSize(900.0, 190.0, 64.0, 190.0, 30.0, 19.0, True, "paper", lines=5)
"""For a landscape page: low enough to stand under the table of a whole match."""
GLYPH = 11.5
"""The width of a letter of a name, bold, on the wide side."""

TOP = 24.0


def nice_step(span: float, most: int = 10) -> int:
    """The smallest step of 1, 2 or 5 times a power of ten that puts at most so many lines into `span`."""
    step = 1
    while span / step > most:
        step = {1: 2, 2: 5, 5: 10}[int(str(step)[0])] * 10 ** (len(str(step)) - 1)
    return step


def totals_chart(
    seats: Sequence[Seat],
    rounds: Sequence[RoundScores],
    title: str,
    size: ChartSize = WIDE,
    brought: Mapping[str, int] = MappingProxyType({}),
) -> Markup:
    """One line for each player: colour, shape and name at its end, so that colour alone carries nothing.

    `brought` are the points with which the lines begin, else 0.
    `rounds` are in order; each has `totals` {player: points}, or only `scores`, which are then added up.
    """
    lines = {seat.name: _running(seat.name, rounds, brought) for seat in seats}
    values = [value for line in lines.values() for value in line]
    low = min(0, *values)
    high = max(10 if low == 0 else 2, *values)
    step = nice_step(high - low, size.lines)
    low, high = low // step * step, -(-high // step) * step
    count = max(1, len(rounds))
    widest = max(len(f"{seat.name} {lines[seat.name][-1]}") for seat in seats)
    edge = size.width - max(size.right, 12 + GLYPH * widest if size.names else 0.0)

    def x(i: float) -> float:
        return size.left + (edge - size.left) * i / count

    def y(value: float) -> float:
        return size.height - size.bottom - (size.height - TOP - size.bottom) * (value - low) / (high - low)

    parts = [
        f'<svg class="chart {size.css}" viewBox="0 0 {size.width:g} {size.height:g}" role="img"'
        f' aria-label="{escape(title)}">'
    ]
    for value in range(low, high + 1, step):
        parts.append(f'<path class="grid" d="M{size.left:g} {y(value):.1f}H{edge:g}"/>')
        parts.append(
            f'<text class="axis" x="{size.left - 8:g}" y="{y(value) + 5:.1f}" text-anchor="end">{value}</text>'
        )
    for i in range(1, count + 1):
        parts.append(f'<text class="axis" x="{x(i):.1f}" y="{size.height - 10:g}" text-anchor="middle">{i}</text>')
    labels = _spread([(y(lines[seat.name][-1]), seat) for seat in seats], size)
    for seat in seats:
        points = [(x(i), y(value)) for i, value in enumerate(lines[seat.name])]
        path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        parts.append(f'<g class="p{seat.colour}"><path class="total-line" d="{path}"/>')
        for px, py in points[1:]:
            parts.append(
                f'<use class="point" href="#s{seat.shape}" x="{px - 7:.1f}" y="{py - 7:.1f}" width="14" height="14"/>'
            )
        x_text, y_text = edge + 12, labels[seat.name] + 5
        name = escape(seat.name if size.names else seat.initial)
        parts.append(
            f'<text class="name" x="{x_text:g}" y="{y_text:.1f}">{name}'
            f' <tspan class="value">{lines[seat.name][-1]}</tspan></text></g>'
        )
    parts.append("</svg>")
    return Markup("".join(parts))


def _running(name: str, rounds: Sequence[RoundScores], brought: Mapping[str, int]) -> list[int]:
    totals = [brought.get(name, 0)]
    for played in rounds:
        totals.append(played.totals.get(name, totals[-1] + played.scores.get(name, 0)))
    return totals


def _spread(wanted: list[tuple[float, Seat]], size: ChartSize) -> dict[str, float]:
    """Label heights as near as possible to the line ends, but never on one another."""
    placed: dict[str, float] = {}
    last = TOP - size.apart
    for height, seat in sorted(wanted, key=lambda pair: (pair[0], pair[1].index)):
        last = max(height, last + size.apart)
        placed[seat.name] = last
    over = last - (size.height - 8)
    return {name: height - max(0.0, over) for name, height in placed.items()}
