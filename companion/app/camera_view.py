"""What the camera sees: the picture for the page, and whether the table is still where it was found.

That is asked after every absence of the camera, before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.supervise import AwayError, State
from companion.supervise.health import SENTENCES
from companion.supervise.view import KnownView, moved
from vision.fiducials import corners_again
from vision.frame import Frame, Image, reduced

CHECK_CORNERS = SENTENCES[State.MOVED]
FOUND_AGAIN = "the camera was moved; the table was found again"

AGREE_SHARE = 0.003
"""Two pictures running must agree on where the table is, to this share of the picture's width: a camera that is still
being moved is waited for."""

STILL_WH = (1280, 960)
"""Size of the picture on the set-up page."""

Corners = NDArray[np.float64]


class ViewKeeper:
    """Remembers how the table looked when it was last read. A source that is no live camera is never in doubt."""

    def __init__(self, camera: Any) -> None:
        self._remember_view: Callable[[Image | None], None] | None = getattr(camera, "remember_view", None)
        self._known: KnownView | None = None
        self._before: Corners | None = None
        self.in_doubt = False

    def looks_right(self, frame: Frame) -> None:
        """The table was found or read in this picture."""
        if self._remember_view is None:
            return
        self._known, self._before, self.in_doubt = KnownView(frame.image), None, False
        self._remember_view(frame.image)

    def away(self, error: AwayError) -> None:
        """The camera gives no pictures, or says that it was moved: then it has to show them again, to be looked at."""
        if self._remember_view is None or self._known is None:
            return
        self.in_doubt, self._before = True, None
        if error.health.state is State.MOVED:
            self._remember_view(None)

    def corners_now(self, frame: Frame, corners_px: Any) -> Corners | None:
        """(4, 2): where the table's corners are in this picture, which were at `corners_px`; None while that cannot be
        told. The printed markers know best; without them it is measured, twice."""
        marked = corners_again(frame.image)
        if marked is not None:
            return np.asarray(marked, np.float64)
        change = None if self._known is None else self._known.change(frame.image)
        before, self._before = self._before, None
        if change is None:
            return None
        now = self._before = moved(change, np.asarray(corners_px, np.float64))
        if before is None or float(np.abs(now - before).max()) > AGREE_SHARE * frame.size_wh[0]:
            return None
        return now


def still_of(frame: Frame) -> bytes | None:
    """The picture for the set-up page, as a JPEG."""
    w, h = frame.size_wh
    share = min(1.0, STILL_WH[0] / w, STILL_WH[1] / h)
    small, _ = reduced(frame.image, (max(1, round(w * share)), max(1, round(h * share))))
    done, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return jpeg.tobytes() if done else None
