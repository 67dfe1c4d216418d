"""An arm's picture, turned and moved so that it reaches from a shoulder to a place on the table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.simulator.plan import Point

Image = NDArray[np.uint8]

FADE_PX = 24
"""Where an arm is seen only in part, it ends softly."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmSprite:
    """A right arm that reaches to the right: `image` (h, w, 3), `alpha` (h, w) in 0..1, and where its tips are."""

    image: Image
    alpha: NDArray[np.float32]
    tip_px: Point

    def over(
        self, image: Image, tip_px: Point, angle_rad: float, *, left: bool = False, length_px: float | None = None
    ) -> Image:
        """`image` with the arm over it, its tips at `tip_px`, reaching along `angle_rad` (clockwise as displayed)."""
        h, w = image.shape[:2]
        sprite_h, sprite_w = self.alpha.shape
        c, s, flip = math.cos(angle_rad), math.sin(angle_rad), -1.0 if left else 1.0
        turn = np.array([[c, -s * flip], [s, c * flip]])
        move = np.column_stack([turn, np.array(tip_px) - turn @ np.array(self.tip_px)])
        corners = np.array([[0, 0], [sprite_w, 0], [sprite_w, sprite_h], [0, sprite_h]], np.float64)
        there = corners @ turn.T + move[:, 2]
        x0, y0 = np.maximum(np.floor(there.min(axis=0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(there.max(axis=0)).astype(int), (w, h))
        if x1 <= x0 or y1 <= y0:
            return image
        move[:, 2] -= (x0, y0)
        size = (int(x1 - x0), int(y1 - y0))
        over = cv2.warpAffine(self._cut(length_px), move, size, flags=cv2.INTER_LINEAR)[..., None]
        arm = cv2.warpAffine(self.image, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        out = image.copy()
        part = out[y0:y1, x0:x1]
        part[:] = part * (1.0 - over) + arm * over
        return out

    def trimmed(self) -> ArmSprite:
        """The same arm without the empty picture around it, which costs time at every frame."""
        rows, columns = np.nonzero(self.alpha.any(axis=1))[0], np.nonzero(self.alpha.any(axis=0))[0]
        if not len(rows):
            return self
        y0, y1 = max(0, int(rows[0]) - 2), int(rows[-1]) + 3
        x0, x1 = max(0, int(columns[0]) - 2), int(columns[-1]) + 3
        return ArmSprite(
            np.ascontiguousarray(self.image[y0:y1, x0:x1]),
            np.ascontiguousarray(self.alpha[y0:y1, x0:x1]),
            (self.tip_px[0] - x0, self.tip_px[1] - y0),
        )

    def lengthened(self, pixels: int) -> ArmSprite:
        """The same arm with so much more sleeve beyond the picture's edge, where it was rendered up to there."""
        if not self.alpha[:, 0].any():
            return self
        image = cv2.copyMakeBorder(self.image, 0, 0, pixels, 0, cv2.BORDER_REPLICATE)
        alpha = cv2.copyMakeBorder(self.alpha, 0, 0, pixels, 0, cv2.BORDER_REPLICATE)
        return ArmSprite(
            np.asarray(image, np.uint8), np.asarray(alpha, np.float32), (self.tip_px[0] + pixels, self.tip_px[1])
        )

    def _cut(self, length_px: float | None) -> NDArray[np.float32]:
        """The opacity, of an arm that is seen only so far from its tips."""
        if length_px is None:
            return self.alpha
        columns = np.arange(self.alpha.shape[1], dtype=np.float32)
        seen = np.clip((columns - np.float32(self.tip_px[0] - length_px)) / FADE_PX, 0.0, 1.0)
        return np.asarray(self.alpha * seen, np.float32)


def cut_out(shown: Image, empty: Image, least: int, outline: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """(h, w) opacity of what was added to the picture of an empty table, its shadow included.

    `outline` (h, w) in 0..1 is where the arm surely is, also where it looks like the table.
    """
    apart = (cv2.absdiff(shown, empty).max(axis=2) > least).astype(np.uint8)
    if outline is not None:
        apart |= (outline > 0.5).astype(np.uint8)
    apart = cv2.morphologyEx(apart, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    apart = cv2.morphologyEx(apart, cv2.MORPH_CLOSE, np.ones((25, 25), np.uint8))
    return np.asarray(cv2.GaussianBlur(apart.astype(np.float32), (0, 0), 1.5), np.float32)
