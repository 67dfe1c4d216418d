"""The judge's training squares: which finds are markers, and that a turned square still shows its thing."""

from __future__ import annotations

import numpy as np
import pytest

from models.judge_crops import ROOM
from models.marker_crops import invented, is_marker
from vision.markers import CUT_PX, CUT_SPAN, cut_square

ROOMY_PX = round(CUT_PX * ROOM)
CHIP = np.array([[80, 80], [120, 80], [120, 120], [80, 120]], np.float32)
THINGS = [{"cls": 2, "vis": 0.9, "quad": CHIP.tolist()}, {"cls": 0, "vis": 1.0, "quad": (CHIP + 200).tolist()}]


def moved(quad: np.ndarray, dx: float, size: float = 1.0) -> np.ndarray:
    middle = quad.mean(0)
    return ((quad - middle) * size + middle + [dx, 0]).astype(np.float32)


@pytest.mark.parametrize(
    ("quad", "verdict"),
    [
        (moved(CHIP, 3), True),
        (moved(CHIP, 3, 1.4), True),
        (moved(CHIP, 25), None),  # half beside it
        (moved(CHIP, 0, 0.3), None),  # the print in its middle
        (moved(CHIP, 200), False),
        (CHIP + 200, False),  # a tile
    ],
)
def test_a_find_is_a_marker_where_it_lies_on_one_and_is_as_large(quad: np.ndarray, verdict: bool | None) -> None:
    assert is_marker(quad, THINGS) is verdict


def test_a_marker_hardly_seen_teaches_nothing() -> None:
    hidden = [THINGS[0] | {"vis": 0.3}]
    assert is_marker(CHIP, hidden) is None
    assert not any(
        wanted for _, wanted in invented(np.zeros((300, 400, 3), np.uint8), hidden, np.random.default_rng(1))
    )


def test_invented_places_are_what_they_are_said_to_be() -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    made = [one for seed in range(20) for one in invented(image, THINGS, np.random.default_rng(seed))]
    assert sum(wanted for _, wanted in made) == 20
    assert sum(not wanted for _, wanted in made) > 20
    assert all(is_marker(quad, THINGS) is wanted for quad, wanted in made)


def test_a_cut_shows_its_thing_in_the_middle_even_at_the_edge_of_the_picture() -> None:
    image = np.full((200, 200, 3), 20, np.uint8)
    for quad in (CHIP, moved(CHIP, -80), moved(CHIP, 80)):
        image[:] = 20
        (x0, y0), (x1, y1) = quad.min(0).astype(int), quad.max(0).astype(int)
        image[y0 : y1 + 1, max(x0, 0) : x1 + 1] = 230
        cut = cut_square(image, quad, CUT_SPAN, CUT_PX)
        assert cut.shape == (CUT_PX, CUT_PX, 3)
        assert cut[CUT_PX // 2, CUT_PX // 2].min() > 200
        assert cut[2, CUT_PX // 2].max() < 60
    wide = cut_square(image, CHIP, CUT_SPAN * ROOMY_PX / CUT_PX, ROOMY_PX)
    assert wide.shape == (ROOMY_PX, ROOMY_PX, 3)
