"""Domino halves as SVG symbols, and the players' shapes. Everything else on the page is text and CSS."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from markupsafe import Markup

from companion.game.game_view import SHAPES


@cache
def _symbols() -> Mapping[str, str]:
    """Name -> symbol, each a line of `symbols.svg` in a box of 100 x 100.

    `h0` to `h18` are halves of a double set, the tile's length along x; the class `c4` follows the common code of
    coloured sets. `k1` to `k6` are Chinese halves, `k66` one of the 6:6. `s0` to `s11` are the players' shapes, which
    differ without colour. `marker` is a train.
    """
    lines = (Path(__file__).parent / "templates" / "symbols.svg").read_text(encoding="utf-8").splitlines()
    return {found[1]: line for line in lines if (found := re.match(r'<symbol id="(\w+)"', line))}


@cache
def sprite(highest: int, chinese: bool = False) -> Markup:
    """All symbols a page of this set uses, in one hidden SVG."""
    values = ("1", "2", "3", "4", "5", "6", "66") if chinese else range(min(highest, 18) + 1)
    names = [f"{'k' if chinese else 'h'}{value}" for value in values]
    names += [*(f"s{shape}" for shape in range(SHAPES)), "marker"]
    inside = "".join(_symbols()[name] for name in names)
    return Markup(f'<svg class="sprite" aria-hidden="true" width="0" height="0">{inside}</svg>')


def seat_places(count: int, clockwise: bool) -> list[tuple[float, float]]:
    """The seats around the table of `setup.html`, in its SVG's units: the first one at the bottom, in order of play."""
    turns = (math.radians(90 + (360 if clockwise else -360) * i / count) for i in range(count))
    return [(200 + 168 * math.cos(turn), 130 + 104 * math.sin(turn)) for turn in turns]
