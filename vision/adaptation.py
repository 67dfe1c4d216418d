"""Learn my set: the print of one box of tiles, from a row of doubles that labels itself.

The network has seen thousands of sets and not this one. A few crops of every value, seen a little shifted and turned,
are kept as patterns; a half is compared with all of them, and what the comparison says is weighed with what the
network says. How much weight it deserves is measured on halves that were left out, and where it does not help, the
network reads on alone. Of digits the network knows little and is sure all the same: there the comparison reads alone,
and what is like none of the patterns stays unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.digits import digit_likeness, digit_patterns
from vision.frame import Image
from vision.rectify import outward_halves

Floats = NDArray[np.float32]

_SIDE = 16
_VERSION = 1
_MOST_BYTES = 20_000_000
WEIGHTS = (0.0, 0.25, 0.5, 1.0)
AS_A_HINT = 0.25
"""A network that reads all of the row alone knows the print. There a few patterns, of one double each, may tell what it
leaves open, and not overrule it: of two of nine such sets they had made a tile wrong or three unread that it read."""
NOT_OF_THE_SET = 1e-3
"""The probability of each value that the row did not show: it is no value of the set."""
A_DIGIT = 0.9
DIGITS_SHARPNESS = 100.0
"""On rendered hands the right digit is more alike than any other by 0.04 and more."""
ALIKE = 0.8
"""A half with a likeness to every pattern below this is no digit; right ones reach 0.9 and more."""


class AdaptationError(Exception):
    """A row that does not label itself, or a file that is no learned set; one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Adaptation:
    """Patterns of one box's halves, learned from a row with known values."""

    name: str
    patterns: Floats
    """(m, d) unit vectors; of digits, grey levels (`vision.digits`)."""
    values: NDArray[np.int16]
    """(m,) the value that each pattern shows."""
    sharpness: float
    """Turns likeness into probability."""
    weight: float
    """Of the comparison, beside the network."""
    digits: bool = False
    """The set has digits; the network has no say in these."""

    def compared(self, crops: Image, classes: int) -> tuple[Floats, Floats]:
        """(n, side, 2 side, 3) crops of whole tiles -> (n, 2, classes) probabilities, and (n, 2) how like each half is
        to the pattern nearest to it."""
        compare = digit_likeness if self.digits else _cosines
        likeness = compare(crops, self.patterns).reshape(-1, len(self.patterns))
        out = np.full((len(likeness), classes), -1.0, np.float32)
        for value in np.unique(self.values):
            out[:, value] = likeness[:, self.values == value].max(1)
        shown = np.unique(self.values)
        score = (out[:, shown] - out[:, shown].max(1, keepdims=True)) * self.sharpness
        p = np.zeros_like(out)
        p[:, shown] = np.exp(score) / np.exp(score).sum(1, keepdims=True)
        unseen = np.setdiff1d(np.arange(classes), shown)
        p[:, unseen] = NOT_OF_THE_SET
        p = np.asarray((p / p.sum(1, keepdims=True)).reshape(-1, 2, classes), np.float32)
        return p, np.asarray(likeness.max(1).reshape(-1, 2), np.float32)

    def weighed(self, p: Floats, crops: Image, values: int) -> Floats:
        """The network's (n, 2, classes) with the values' share weighed by the comparison; the rest stays."""
        if self.digits:
            return self._alone(p, crops, values)
        if self.weight == 0:
            return p
        own = np.maximum(self.compared(crops, values)[0], 1e-6) ** np.float32(self.weight)
        mass = p[:, :, :values].sum(2, keepdims=True)
        product = p[:, :, :values] * own
        product *= mass / np.maximum(product.sum(2, keepdims=True), 1e-12)
        return np.concatenate([product, p[:, :, values:]], 2)

    def _alone(self, p: Floats, crops: Image, values: int) -> Floats:
        """The comparison's values in place of the network's. A tile with a digit on it does not lie face down."""
        own, like = self.compared(crops, values)
        own *= np.where(like >= ALIKE, 1.0, 0.5)[..., None]
        rest, mass = p[:, :, values:].copy(), p[:, :, :values].sum(2, keepdims=True)
        printed = (own.max(2) >= A_DIGIT) & (own.argmax(2) != self.values.min())
        up = printed.any(1)[:, None, None]
        mass = mass + np.where(up, rest[:, :, 1:2].sum(2, keepdims=True), 0.0)
        rest[:, :, 1:2] *= ~up
        return np.asarray(np.concatenate([own * mass, rest], 2), np.float32)

    def save(self, path: Path) -> None:
        """Whole or not at all: written beside it and moved into place."""
        path.parent.mkdir(parents=True, exist_ok=True)
        half_written = path.with_name(path.name + ".part")
        with half_written.open("wb") as file:
            np.savez_compressed(
                file,
                version=_VERSION,
                name=self.name,
                patterns=self.patterns.astype(np.float16),
                values=self.values,
                sharpness=self.sharpness,
                weight=self.weight,
                digits=self.digits,
            )
        half_written.replace(path)

    @staticmethod
    def load(path: Path) -> Adaptation:
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise AdaptationError(f"{path}: too large for a learned set")
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                if int(held["version"]) != _VERSION:
                    raise AdaptationError(f"{path}: learned by another version, teach the set again")
                patterns = np.asarray(held["patterns"], np.float32)
                values = np.asarray(held["values"], np.int16)
                if patterns.ndim != 2 or len(patterns) != len(values) or not len(values) or values.min() < 0:
                    raise AdaptationError(f"{path}: a damaged learned set, teach the set again")
                how = float(held["sharpness"]), float(held["weight"]), bool(held.get("digits", False))
                return Adaptation(str(held["name"]), patterns, values, *how)
        except OSError as problem:
            raise AdaptationError(f"{path}: {problem.strerror or problem}, expected a learned set") from None
        except AdaptationError:
            raise
        except Exception as problem:  # ValueError, KeyError, EOFError, and zipfile has errors of its own
            raise AdaptationError(f"{path}: no learned set ({type(problem).__name__}), teach the set again") from None


def descriptors(crops: Image) -> Floats:
    """(n, side, 2 side, 3) -> (n, 2, d) unit vectors: each half's brightness and colour, free of light and contrast.

    The right half is turned by 180 degrees, so both have their outer end at the left.
    """
    n, side = len(crops), crops.shape[1]
    if not n:
        return np.zeros((0, 2, _SIDE * _SIDE + 2 * 64), np.float32)
    halves = outward_halves(crops).reshape(2 * n, side, side, 3)
    rows = []
    for half in halves:
        lab = cv2.cvtColor(np.ascontiguousarray(half), cv2.COLOR_BGR2LAB).astype(np.float32)
        blurred = cv2.GaussianBlur(lab[:, :, 0], (0, 0), side / 40)
        light = cv2.resize(blurred, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
        colour = cv2.resize(lab[:, :, 1:], (8, 8), interpolation=cv2.INTER_AREA)
        rows.append(np.concatenate([_unit(light, 4.0), 0.3 * _unit(colour, 12.0)]))
    both = np.array(rows, np.float32)
    both /= np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-6)
    return both.reshape(n, 2, -1)


def _cosines(crops: Image, known: Floats) -> Floats:
    return np.asarray(descriptors(crops).reshape(-1, known.shape[1]) @ known.T, np.float32)


def _unit(values: NDArray[np.generic], noise: float) -> Floats:
    """Deviation from the mean over its size; where there is nearly none (a blank half), noise is not blown up."""
    flat = np.asarray(values, np.float32).reshape(-1)
    flat = flat - flat.mean()
    return np.asarray(flat / (np.linalg.norm(flat) + noise * np.sqrt(len(flat))), np.float32)


def learn(
    name: str, crops: Image, values: Sequence[tuple[int, int]], network: Floats, digits: bool = False
) -> tuple[Adaptation, float, float]:
    """(Adaptation, accuracy of the network alone, accuracy with it), both on halves left out of the patterns.

    `crops` (n, views, side, 2 side, 3): each tile as found first and then in shifted views; `values` its true halves;
    `network` (n, 2, v) what the network says about the first view.
    """
    described = digit_patterns if digits else descriptors
    n, views = (len(crops), 1) if digits else crops.shape[:2]
    seen = described(crops[:, :views].reshape(n * views, *crops.shape[2:])).reshape(n, views, 2, -1)
    true, halves = np.array(values, np.int16), np.ascontiguousarray(seen.transpose(0, 2, 1, 3))
    best: tuple[float, float, float, float] = (-1.0, 0.0, 0.0, 20.0)
    alone = 0.0
    for sharpness, weight in _ways(digits):
        right, sure, count = 0, 0.0, 0
        for i in range(n):
            for half in (0, 1):
                others = np.ones(true.shape, np.bool_)
                others[i, half] = False
                if not (true[others] == true[i, half]).any():
                    continue
                patterns, shown = halves[others].reshape(-1, seen.shape[3]), np.repeat(true[others], views)
                kept = Adaptation(name, patterns, shown, sharpness, weight, digits and weight > 0)
                p = kept.weighed(network[i : i + 1], crops[i, :1], network.shape[2])[0, half]
                right += int(p.argmax() == true[i, half])
                sure += float(np.log(max(p[true[i, half]], 1e-6)))
                count += 1
        if not count:
            raise AdaptationError("every value was shown on one half only: lay the doubles")
        accuracy = right / count
        if weight == 0:
            alone = accuracy
        if (accuracy, sure / count) > best[:2] and (alone < 1.0 or weight <= AS_A_HINT):
            best = (accuracy, sure / count, weight, sharpness)
    patterns, shown = halves.reshape(-1, seen.shape[3]), np.repeat(true.reshape(-1), views)
    learned = Adaptation(name, patterns, shown, best[3], best[2], digits and best[2] > 0)
    return learned, alone, best[0]


def _ways(digits: bool) -> list[tuple[float, float]]:
    """The sharpness and weight that are tried; (any, 0) is the network alone."""
    if digits:
        return [(DIGITS_SHARPNESS, 0.0), (DIGITS_SHARPNESS, 1.0)]
    return [(sharpness, weight) for sharpness in (10.0, 20.0, 40.0) for weight in WEIGHTS]


def row_order(centres: Floats) -> NDArray[np.intp]:
    """The order of tiles along the line they lie in; AdaptationError where they lie in none."""
    middle = centres.mean(0)
    _, spread, axes = np.linalg.svd(centres - middle, full_matrices=False)
    if len(centres) > 2 and spread[1] > 0.25 * spread[0]:
        raise AdaptationError("the tiles do not lie in one row: lay the doubles side by side, from 0-0 upwards")
    return np.argsort((centres - middle) @ axes[0], kind="stable")
