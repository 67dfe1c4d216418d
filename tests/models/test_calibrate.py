"""A claimed probability means what it says once the temperature was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from models.calibrate import at_temperature, expected_error, fitted_temperature


def overconfident(n: int = 20_000, classes: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities from logits three times too large, and labels drawn from the honest ones."""
    rng = np.random.default_rng(4)
    logits = rng.normal(0, 2, (n, classes))
    honest = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = (honest.cumsum(1) > rng.random((n, 1))).argmax(1)
    boasting = np.exp(3 * logits)
    return boasting / boasting.sum(1, keepdims=True), labels


def test_a_boasting_reader_gets_the_temperature_that_makes_it_honest() -> None:
    p, labels = overconfident()
    assert fitted_temperature(p, labels) == pytest.approx(3.0, rel=0.05)


def test_the_calibration_error_falls_when_the_temperature_is_right() -> None:
    p, labels = overconfident()
    assert expected_error(p, labels) > 0.1
    assert expected_error(p, labels, 3.0) < 0.02


def test_a_temperature_keeps_the_order_of_the_answers_and_their_sum() -> None:
    p, _ = overconfident(50)
    warmed = at_temperature(p, 2.5)
    assert np.array_equal(np.argsort(warmed, 1), np.argsort(p, 1))
    assert warmed.sum(1) == pytest.approx(np.ones(50))
