"""The table as the camera sees it now, with what was read written over it: people believe an eye that they see see."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np

from companion.evidence.closeups import painted_outside
from companion.evidence.store import TABLE_MARGIN
from companion.geometry.layout import PlacedTile
from companion.perception.watcher import Watcher
from vision.frame import Frame, reduced

WIDTH_PX = 1000


def live_view(frame: Frame, watcher: Watcher) -> dict[str, Any]:
    """`jpeg` with everything outside the table painted over, `size` [w, h] of it in px; `tiles`: `quad` of four corners
    in parts of the picture and `values` [a, b] from the end at the first two corners, null where they cannot be read;
    `arms`: `at` in parts of the picture, where the hand is, and the player's `name`, "" where no seat is clear."""
    w, h = frame.size_wh
    width = min(WIDTH_PX, w)
    small, _scale = reduced(frame.image, (width, round(h * width / w)))
    calibration, layout = watcher.calibration, watcher.layout
    shares = calibration.corners_px / np.array([w, h])
    painted = painted_outside(small, shares * (small.shape[1], small.shape[0]), TABLE_MARGIN)
    jpeg = cv2.imencode(".jpg", painted, [cv2.IMWRITE_JPEG_QUALITY, 75])[1].tobytes()

    def seen(points_mm: list[tuple[float, float]]) -> list[list[float]]:
        return [[round(x / w, 4), round(y / h, 4)] for x, y in calibration.to_px(points_mm).tolist()]

    tiles = [
        {"quad": seen(_outline(tile)), "values": None if (values := tile.seen.values) is None else list(values)}
        for tile in layout or ()
        if tile.seen.face_up
    ]
    arms = [{"at": seen([tip])[0], "name": name} for tip, name in watcher.arms.over_now()]
    return {"jpeg": jpeg, "size": [small.shape[1], small.shape[0]], "tiles": tiles, "arms": arms}


def _outline(tile: PlacedTile) -> list[tuple[float, float]]:
    """Its corners in mm, clockwise, half 0 at the first two."""
    seen = tile.seen
    (x, y), turn = seen.center_mm, math.radians(seen.heading_deg)
    lx, ly = math.cos(turn) * seen.length_mm / 2, math.sin(turn) * seen.length_mm / 2
    wx, wy = -math.sin(turn) * seen.width_mm / 2, math.cos(turn) * seen.width_mm / 2
    return [
        (x - lx + wx, y - ly + wy),
        (x - lx - wx, y - ly - wy),
        (x + lx - wx, y + ly - wy),
        (x + lx + wx, y + ly + wy),
    ]
