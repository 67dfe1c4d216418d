"""Calibrated probabilities: one temperature, fitted on held tables, and the expected calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def at_temperature(p: Floats, temperature: float) -> Floats:
    """(..., classes) probabilities as they would be with their logits divided by the temperature."""
    sharpened = np.maximum(np.asarray(p, np.float64), 1e-12) ** (1 / temperature)
    return sharpened / sharpened.sum(-1, keepdims=True)


def log_loss(p: Floats, labels: NDArray[np.integer], temperature: float) -> float:
    """Mean negative logarithm of the probability given to what is true; `p` (n, classes), `labels` (n,)."""
    chosen = at_temperature(p, temperature)[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(chosen, 1e-12)).mean())


def fitted_temperature(p: Floats, labels: NDArray[np.integer]) -> float:
    """The temperature between 0.3 and 4 with the least log loss, by golden section on its logarithm."""
    low, high = np.log(0.3), np.log(4.0)
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(30):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if log_loss(p, labels, float(np.exp(a))) < log_loss(p, labels, float(np.exp(b))):
            high = b
        else:
            low = a
    return float(np.exp((low + high) / 2))


def expected_error(p: Floats, labels: NDArray[np.integer], temperature: float = 1.0, bins: int = 15) -> float:
    """ECE: how far, on average, the claimed probability of the best answer is from how often it is right.

    Bins hold equally many answers, since nearly all of them are close to 1.
    """
    q = at_temperature(p, temperature)
    claimed, right = q.max(-1), q.argmax(-1) == labels
    order = np.argsort(claimed)
    error = 0.0
    for part in np.array_split(order, bins):
        if len(part):
            error += len(part) / len(order) * abs(float(claimed[part].mean()) - float(right[part].mean()))
    return error
