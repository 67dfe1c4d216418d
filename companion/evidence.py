"""Pictures for disputes: what the table looked like at a play and just before it.

They lie beside the journal that names them, as small JPEGs with everything outside the table painted over. Memory and
disk are bounded: a ring of the last seconds in memory, a budget and an age on disk, the oldest going first. A full disk
costs pictures and a banner, never an event.
"""

from __future__ import annotations

import errno
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame, Image

PICTURE = re.compile(r"evidence-\d{8}T\d{6}-\d{4}(-before-\d)?\.jpg")
"""Only files of this name are ever deleted: whatever else lies beside a journal is not ours."""

Corners = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """`width_px` of a stored picture; `before` pictures of the last `before_s` seconds; `budget_bytes` for all games
    together; `keep_days`; `reserve_bytes` is left free on the disk for the journals."""

    width_px: int = 1600
    quality: int = 85
    before: int = 4
    before_s: float = 6.0
    budget_bytes: int = 400_000_000
    keep_days: float = 30.0
    reserve_bytes: int = 200_000_000
    table_margin: float = 0.02


@dataclass(frozen=True, slots=True)
class EvidenceStatus:
    """`trouble` is one line for the banner, empty while pictures are being kept."""

    pictures: int
    bytes: int
    trouble: str = ""


@dataclass(slots=True)
class _Stored:
    path: Path
    size: int
    at: float


class EvidenceStore:
    """Keeps pictures under the folder `games` (games/GAME/*.jpg). Thread-safe; writing happens in a thread of its own.

    `clock` gives seconds since 1970; `free_bytes` what is left on the disk of a folder.
    """

    def __init__(
        self,
        games: Path,
        settings: EvidenceSettings | None = None,
        *,
        clock: Callable[[], float] = time.time,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._games = games
        self._settings = settings or EvidenceSettings()
        self._clock, self._free_bytes = clock, free_bytes
        self._lock = threading.Lock()
        self._ring: deque[tuple[float, Image]] = deque()
        self._trouble = ""
        self._count = 0
        self._stored = deque(sorted(_found(games), key=lambda stored: stored.at))
        self._bytes = sum(stored.size for stored in self._stored)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evidence")
        self._last: Future[None] | None = None

    def remember(self, frame: Frame) -> None:
        """One more picture for the seconds before a play, in memory only, a small one."""
        spacing = self._settings.before_s / max(1, self._settings.before)
        with self._lock:
            if self._settings.before and (not self._ring or frame.at - self._ring[-1][0] >= spacing):
                self._ring.append((frame.at, _narrowed(frame.image, self._settings.width_px // 2)))
            while len(self._ring) > self._settings.before:
                self._ring.popleft()

    def keep(self, game: str, frame: Frame, corners_px: Corners | None, *, before: bool = False) -> str | None:
        """Store this picture, and with `before` the ones of the seconds before it. Returns its name for the journal.

        None where nothing is stored: the table's corners are not known (what lies outside it could not be painted over)
        or the disk is full. `corners_px` (4, 2) in pixels of `frame`.
        """
        if corners_px is None or not self._has_room():
            return None
        with self._lock:
            self._count = (self._count + 1) % 10_000
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(self._clock()))
            stem = f"evidence-{stamp}-{self._count:04d}"
            earlier = [image for at, image in self._ring if at < frame.at] if before else []
        folder = self._games / game
        share = np.asarray(corners_px, np.float64) / frame.size_wh
        jobs = [(folder / f"{stem}.jpg", _narrowed(frame.image, self._settings.width_px))]
        jobs += [(folder / f"{stem}-before-{n}.jpg", image) for n, image in enumerate(earlier[-9:], start=1)]
        for path, image in jobs:
            self._last = self._writer.submit(self._write, path, image, share)
        return f"{stem}.jpg"

    def flush(self) -> None:
        """Wait until everything that was to be kept is on the disk."""
        if self._last is not None:
            self._last.result()

    def delete_game(self, game: str) -> int:
        """Delete all pictures of one game, now; how many there were. The journal stays."""
        return self._delete(lambda stored: stored.path.parent.name == game)

    def delete_all(self) -> int:
        """Delete every picture, on disk and in memory, now; how many there were. The journals stay."""
        with self._lock:
            self._ring.clear()
        return self._delete(lambda stored: True)

    def expire(self) -> int:
        """Delete what is too old; how many there were. `keep` does it too."""
        limit = self._clock() - self._settings.keep_days * 86400
        return self._delete(lambda stored: stored.at < limit)

    @property
    def status(self) -> EvidenceStatus:
        with self._lock:
            return EvidenceStatus(len(self._stored), self._bytes, self._trouble)

    def close(self) -> None:
        self._writer.shutdown(wait=True)

    def _has_room(self) -> bool:
        folder = self._games if self._games.exists() else self._games.parent
        try:
            room = self._free_bytes(folder) > self._settings.reserve_bytes
        except OSError:
            room = False
        with self._lock:
            self._trouble = "" if room else "the disk is full: pictures are not kept, the game is"
        return room

    def _write(self, path: Path, image: Image, share: NDArray[np.float64]) -> None:
        encoded = cv2.imencode(
            ".jpg",
            table_only(image, share, self._settings.table_margin),
            [cv2.IMWRITE_JPEG_QUALITY, self._settings.quality],
        )[1].tobytes()
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_bytes(encoded)
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            why = (
                "the disk is full" if error.errno == errno.ENOSPC else f"a picture could not be kept ({error.strerror})"
            )
            with self._lock:
                self._trouble = f"{why}: the game goes on without pictures"
            return
        with self._lock:
            self._stored.append(_Stored(path, len(encoded), self._clock()))
            self._bytes += len(encoded)
        self.expire()
        self._keep_to_budget()

    def _keep_to_budget(self) -> None:
        while True:
            with self._lock:
                if self._bytes <= self._settings.budget_bytes or not self._stored:
                    return
                oldest = self._stored[0]
            self._delete(lambda stored, oldest=oldest: stored is oldest)  # type: ignore[misc]

    def _delete(self, wanted: Callable[[_Stored], bool]) -> int:
        with self._lock:
            going = [stored for stored in self._stored if wanted(stored)]
            if not going:
                return 0
            self._stored = deque(stored for stored in self._stored if not wanted(stored))
            self._bytes = sum(stored.size for stored in self._stored)
        for stored in going:
            stored.path.unlink(missing_ok=True)
        return len(going)


def delete_stored(games: Path) -> int:
    """Delete every picture of earlier evenings, where no store is open; how many there were."""
    going = _found(games)
    for stored in going:
        stored.path.unlink(missing_ok=True)
    return len(going)


def table_only(image: Image, share: NDArray[np.float64], margin: float) -> Image:
    """The picture with everything outside the table painted grey. `share` (4, 2): the table's corners as shares of
    width and height; `margin`: how much further out, as a share of the table, because hands at the edge belong to the
    play."""
    corners = share * (image.shape[1], image.shape[0])
    middle = corners.mean(axis=0)
    outline = np.rint(middle + (corners - middle) * (1 + margin)).astype(np.int32)
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, outline, 255)
    painted = np.full_like(image, 128)
    painted[mask > 0] = image[mask > 0]
    return painted


def _narrowed(image: Image, width: int) -> Image:
    """A copy of at most `width` pixels across."""
    if image.shape[1] <= width:
        return image.copy()
    height = round(image.shape[0] * width / image.shape[1])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _found(games: Path) -> list[_Stored]:
    """The pictures of earlier runs."""
    found = []
    for path in games.glob("*/evidence-*.jpg"):
        if PICTURE.fullmatch(path.name):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append(_Stored(path, stat.st_size, stat.st_mtime))
    return found
