"""Random choices with named options, and independent random streams by name."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Choice = TypeVar("Choice")


def pick(rng: np.random.Generator, options: Sequence[Choice], weights: Sequence[float]) -> Choice:
    """One of `options`; `weights` need not sum to one."""
    w = np.asarray(weights, float)
    return options[int(rng.choice(len(options), p=w / w.sum()))]


def aside(rng: np.random.Generator) -> np.random.Generator:
    """A generator from which may be drawn without moving `rng` on: what a seed showed before, it shows still."""
    return rng.spawn(1)[0]


def stream(seed: int, name: str) -> np.random.Generator:
    """A generator of its own for one purpose: a part of a picture can change without disturbing the others."""
    return np.random.default_rng([seed & 0xFFFFFFFF, zlib.crc32(name.encode())])
