"""How the evidence for a back is weighed."""

from __future__ import annotations

import numpy as np
import pytest

from models.weigh_judges import BELIEVED_FROM, EVIDENCE, NAMES, cautious, fitted, shares
from vision.judging import JudgeSettings


def made_up(n: int = 4000, seed: int = 3) -> np.ndarray:
    """Evidence whose truth is known to follow these weights."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(0, 2, n), rng.normal(-1, 2, n), rng.uniform(0, 0.6, n), np.ones(n)])
    p = 1 / (1 + np.exp(-x @ np.array([0.8, 1.2, -6.0, 0.5])))
    return np.column_stack([x, rng.random(n) < p]).astype(float)


def test_the_weights_behind_the_truth_are_found_again() -> None:
    weights = fitted(made_up())
    assert list(weights) == list(NAMES)
    assert list(weights.values()) == pytest.approx([0.8, 1.2, -6.0, 0.5], abs=0.6)
    assert weights["judged"] == pytest.approx(0.8, abs=0.1)


def test_they_are_what_the_product_weighs_with() -> None:
    rows, weights = made_up(50), fitted(made_up())
    settings = JudgeSettings(**weights)
    found = 1 / (1 + np.exp(-rows[:, 1]))
    total = settings.total(rows[:, 0].astype(np.float32), found.astype(np.float32), rows[:, 2].astype(np.float32))
    assert total == pytest.approx(rows[:, :4] @ np.array(list(weights.values())), abs=0.01)


def test_a_lower_bar_believes_more_of_both() -> None:
    rows = made_up()
    weights = fitted(rows)
    low, high = shares(rows, weights, 0.2), shares(rows, weights, 0.8)
    assert low["known"] > high["known"] and low["mistaken"] > high["mistaken"]
    assert low["known"] > 0.85 and high["mistaken"] < 0.1


def test_a_cautious_offset_believes_no_more_of_the_others_than_it_may() -> None:
    rows = made_up()
    weights = fitted(rows)
    careful = cautious(rows, weights, 0.6, 0.02)
    assert {key: careful[key] for key in NAMES[:3]} == {key: weights[key] for key in NAMES[:3]}
    assert shares(rows, careful, 0.6)["mistaken"] == pytest.approx(0.02, abs=0.002)
    assert shares(rows, weights, 0.6)["mistaken"] > 0.03


def test_every_subject_has_its_evidence_and_its_bar() -> None:
    assert set(EVIDENCE) == set(BELIEVED_FROM) == {"backs", "markers"}
