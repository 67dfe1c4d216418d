"""The count of markers found, missed and made up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from models.things import Tally, matched


def marker(x: float, y: float, vis: float = 1.0, cls: int = 2) -> dict[str, Any]:
    return {"cls": cls, "quad": [[x - 10, y - 8], [x + 10, y - 8], [x + 10, y + 8], [x - 10, y + 8]], "vis": vis}


def find(x: float, y: float, confidence: float = 0.9) -> SimpleNamespace:
    quad = np.array([[x - 9, y - 9], [x + 9, y - 9], [x + 9, y + 9], [x - 9, y + 9]], np.float32)
    return SimpleNamespace(quad_px=quad, confidence=confidence)


def test_found_missed_and_made_up_are_three_things() -> None:
    truth = [marker(50, 50), marker(150, 50), marker(250, 50)]
    assert matched([find(52, 49), find(151, 52), find(400, 300)], truth) == (3, 2, 1)
    assert matched([], truth) == (3, 0, 0)
    assert matched([find(1, 1)], []) == (0, 0, 1)


def test_a_find_nobody_would_believe_is_none() -> None:
    assert matched([find(50, 50, 0.3), find(300, 300, 0.3)], [marker(50, 50)]) == (1, 0, 0)


def test_a_thing_hardly_seen_counts_neither_way() -> None:
    assert matched([find(50, 50)], [marker(50, 50, vis=0.2)]) == (0, 0, 0)


def test_the_hub_is_counted_apart() -> None:
    tally = Tally()
    reading = SimpleNamespace(markers=(find(50, 50),), hub=find(300, 300))
    tally.add(reading, [marker(50, 50), marker(300, 300, cls=3), marker(500, 90)])
    assert tally.figures() == {
        "marker": {"count": 2, "found": 0.5, "extra": 0},
        "hub": {"count": 1, "found": 1.0, "extra": 0},
    }
