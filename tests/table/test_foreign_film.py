"""The bench changes only two things in another renderer's work: the size of its set and the light of its lamp."""

from __future__ import annotations

import numpy as np
import pytest

from bench.drawn_film import dimmed
from bench.foreign_film import Lifted, fit_print

STYLE = {"L": 60.0, "W": 30.0, "T": 12.0, "spread_u": 9.0, "r": 2.4, "spread": 9.6, "spin_r": 1.5, "corner": 3.0}


def test_a_set_of_another_size_keeps_the_print_its_maker_gave_it() -> None:
    style = dict(STYLE)
    fit_print(style, (40.0, 20.0, 8.0))
    assert (style["L"], style["W"], style["T"]) == (40.0, 20.0, 8.0)
    for name, of in (("spread_u", "L"), ("r", "W"), ("spread", "W"), ("spin_r", "W"), ("corner", "W")):
        assert style[name] / style[of] == pytest.approx(STYLE[name] / STYLE[of]), name


def test_pips_stay_on_their_half_where_the_set_becomes_stouter() -> None:
    style = dict(STYLE, L=75.0, W=27.0, spread_u=13.0)
    fit_print(style, (48.0, 24.0, 9.0))
    assert style["spread_u"] + style["r"] < 48.0 / 4


def test_what_was_burnt_out_stays_so_when_the_lamp_goes_down() -> None:
    grey, white = dimmed(np.array([[[120] * 3, [255] * 3]], np.uint8), 0.7)[0, :, 0].tolist()
    assert (grey, white) == (84, 255)


def test_a_marker_on_a_tile_is_drawn_on_its_face() -> None:
    """The buffer's own height is added to, and its count of things goes on."""

    class Buffer:
        next_id = 7

        def __init__(self) -> None:
            self.drawn: list[tuple[float, ...]] = []

        def prism(self, place: object, outline: str, *, spec: float) -> str:
            self.drawn.append((*np.asarray(place).tolist(), spec))
            return outline

    buffer = Buffer()
    lifted = Lifted(buffer, 9.0)
    assert lifted.prism((1.0, 2.0, 0.5), "round", spec=2.0) == "round"
    lifted.next_id += 1
    assert buffer.drawn == [(1.0, 2.0, 9.5, 2.0)] and lifted.next_id == 8
