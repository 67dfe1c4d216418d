"""Deleting pictures on a disk that refuses: the rest goes all the same, and what is left is emptied and reported.

The names of evidence, and finding it again: only files of these names are ever deleted.

`evidence-TIME-NUMBER.jpg` is the table, `...-before-N.jpg` the table before it, `...-arm-N.jpg` the arm of player N
over it, `...-tile-N.jpg` and `...-tile-N-before.jpg` one tile from close by, `....json` where which tile is seen.

The store of pictures for disputes: what the table looked like at a play and just before it.

They lie beside the journal that names them, as small JPEGs with everything outside the table painted over. Memory and
disk are bounded: one still table in memory, a budget and an age on disk, the oldest going first. A full disk costs
pictures and a banner, never an event.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from companion.evidence.closeups import CloseUps, painted_outside
from companion.geometry.layout import SeenTile
from companion.log.journal import ONLY_THE_OWNER
from companion.storage.repairs import ClockTrust, Repair
from companion.supervise.parts import Part, Parts, line_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.frame import Frame, Image


class Deleter:
    """Deletes pictures; `report` hears how many the disk would not delete, and why."""

    def __init__(self, report: Callable[[Repair], None] = lambda repair: None) -> None:
        self._report = report

    def delete(self, paths: Iterable[Path]) -> set[Path]:
        """Delete them all; those that are still there."""
        why = {path: reason for path in paths if (reason := _delete(path))}
        if why:
            self._report(Repair("PICTURES_LEFT", {"count": len(why), "why": next(iter(why.values()))}))
        return set(why)


def _delete(path: Path) -> str:
    """Delete a file. Returns why it is still there; "" when it is gone. A file that cannot be deleted is at least
    emptied."""
    try:
        path.unlink(missing_ok=True)
    except OSError as fault:
        with suppress(OSError):
            os.truncate(path, 0)
        return fault.strerror or type(fault).__name__
    return ""


PICTURE = re.compile(r"evidence-\d{8}T\d{6}-\d{4}(-before-\d|-arm-\d|-tile-\d{1,2}(-before)?)?\.jpg")
UNFINISHED = re.compile(r"evidence-\d{8}T\d{6}-\d{4}[a-z0-9-]*\.part")
INDEX = re.compile(r"evidence-\d{8}T\d{6}-\d{4}\.json")


@dataclass(slots=True)
class Stored:
    path: Path
    size: int
    at: float

    @property
    def is_picture(self) -> bool:
        return self.path.suffix == ".jpg"


def found(games: Path) -> list[Stored]:
    """The evidence of earlier runs."""
    stored = []
    for path in games.glob("*/evidence-*"):
        if PICTURE.fullmatch(path.name) or INDEX.fullmatch(path.name):
            try:
                stat = path.stat()
            except OSError:
                continue
            stored.append(Stored(path, stat.st_size, stat.st_mtime))
    return stored


def unfinished(games: Path) -> list[Path]:
    """Files that a killed program was just writing; nobody else would ever find them again."""
    return [path for path in games.glob("*/evidence-*.part") if UNFINISHED.fullmatch(path.name)]


def delete_stored(games: Path, deleter: Deleter) -> int:
    """Delete every picture of earlier evenings, where no store is open; how many there were."""
    deleter.delete(unfinished(games))
    return _deleted(found(games), deleter)


def expire_stored(games: Path, before: float, deleter: Deleter) -> int:
    """Delete evidence older than `before` (seconds since 1970), where no store is open; how much there was."""
    return _deleted([stored for stored in found(games) if stored.at < before], deleter)


def _deleted(going: list[Stored], deleter: Deleter) -> int:
    left = deleter.delete(stored.path for stored in going)
    return sum(stored.is_picture for stored in going if stored.path not in left)


EXPIRE_EVERY_S = 3600.0
DAY_S = 86400.0

FULL = "the disk is full: pictures are not kept, the game is"
SLOW = "the disk is slow: pictures are not kept, the game is"

Corners = Sequence[Sequence[float]]


WIDTH_PX = 1600
"""The width of a stored picture."""
QUALITY = 85
"""The JPEG quality, of 100."""
KEEP_DAYS = 30.0
"""Older pictures are deleted."""
RESERVE_BYTES = 200_000_000
"""Left free on the disk for the journals."""
MOST_WAITING = 20
"""Pictures of the table that a slow card has not taken yet, of up to 36 MB each; close-ups are small and come along."""
TABLE_MARGIN = 0.02
"""Everything farther outside the table than this part of its size is painted over."""


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """How much of the disk pictures may take."""

    budget_bytes: int = 400_000_000
    """For all games together."""


@dataclass(frozen=True, slots=True)
class EvidenceStatus:
    """How the pictures are kept."""

    pictures: int
    bytes: int
    trouble: str = ""
    """One line for the banner; empty while pictures are being kept."""


class EvidenceStore:
    """Keeps pictures under the folder `games` (games/GAME/*.jpg). Thread-safe; writing happens in a thread of its own.

    `clock` gives seconds since 1970; `free_bytes` what is left on the disk of a folder; `trust` says whether the clock
    may be believed (None: always). `part` says on the page where the writer hangs or fails.
    """

    def __init__(
        self,
        games: Path,
        settings: EvidenceSettings | None = None,
        *,
        clock: Callable[[], float] = time.time,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
        deleter: Deleter | None = None,
        trust: ClockTrust | None = None,
        part: Part | None = None,
    ) -> None:
        self._games = games
        self._settings = settings or EvidenceSettings()
        self._clock, self._free_bytes = clock, free_bytes
        self._lock = threading.Lock()
        self._closeups = CloseUps(TABLE_MARGIN)
        self._trouble = ""
        self._count = 0
        self._deleter = Deleter() if deleter is None else deleter
        self._trust = trust
        self._began = clock()
        self._deleter.delete(unfinished(games))
        self._stored = deque(sorted(found(games), key=lambda stored: stored.at))
        self._bytes = sum(stored.size for stored in self._stored)
        self._expired_at = self._clock()
        self.expire()
        self._part = Parts().add("pictures") if part is None else part
        self._waiting = 0
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evidence")
        self._last: Future[None] | None = None

    def tidy(self) -> None:
        """Called while pictures come: once an hour what is too old is deleted."""
        if abs(self._clock() - self._expired_at) > EXPIRE_EVERY_S:
            self.expire()

    def forget_before(self) -> None:
        """The camera was moved: on the last still picture the table lay elsewhere."""
        with self._lock:
            self._closeups.forget()

    def settled(self, frame: Frame, tiles: Sequence[SeenTile], corners_px: Corners) -> None:
        """A still table was read, and this is how it looked: the "before" of whatever is laid next."""
        import numpy as np

        with self._lock:
            self._closeups.notice(frame.image, tiles, np.asarray(corners_px, np.float64))
            self._closeups.settled(frame.image)

    def keep(
        self,
        game: str,
        frame: Frame,
        corners_px: Corners | None,
        *,
        before: bool = False,
        tiles: Sequence[SeenTile] = (),
        arms: Mapping[int, Image] | None = None,
    ) -> str | None:
        """Store this picture, and with `before` the still table that was read last. Returns its name for the journal.

        `tiles` are those that lie on the table: the new ones among them are stored from close by as well. `arms` are
        pictures of this view with an arm over what changed, by the number of its player (0 to 9).

        None where nothing is stored: the table's corners are not known (what lies outside it could not be painted over)
        or the disk takes no more. `corners_px` (4, 2) in pixels of `frame`.
        """
        import numpy as np

        corners = None if corners_px is None else np.asarray(corners_px, np.float64)
        if corners is not None and tiles:
            with self._lock:
                self._closeups.notice(frame.image, tiles, corners)
        if corners is None or not self._has_room():
            return None
        with self._lock:
            self._count = (self._count + 1) % 10_000
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(self._clock()))
            stem = f"evidence-{stamp}-{self._count:04d}"
            earlier = self._closeups.still if before else None
            close = self._closeups.to_keep(stem) if tiles else []
        folder = self._games / game
        share = corners / frame.size_wh
        # Somebody waits for the ruling, so all that takes time is done by the writer.
        jobs = [(folder / f"{stem}.jpg", frame.image)]
        if earlier is not None and earlier.shape == frame.image.shape:
            jobs.append((folder / f"{stem}-before-1.jpg", earlier))
        jobs += [(folder / f"{stem}-arm-{player}.jpg", image) for player, image in (arms or {}).items() if player < 10]
        for path, image in jobs:
            self._submit(partial(self._write, path, image, share))
        for name, content in close:
            self._submit(partial(self._put, folder / name, content), large=0)
        return f"{stem}.jpg"

    def _submit(self, write: Callable[[], None], large: int = 1) -> None:
        with self._lock:
            self._waiting += large
        self._last = self._writer.submit(self._work, write, large)

    def _work(self, write: Callable[[], None], large: int) -> None:
        """The writer's step: what goes wrong with a picture is said, and the next one is tried."""
        try:
            with self._part.busy():
                write()
        except BaseException as fault:
            log.exception("a picture could not be kept")
            self._part.fail(line_of(fault))
        else:
            self._part.fail("")
        finally:
            with self._lock:
                self._waiting -= large

    def flush(self) -> None:
        """Wait until everything that was to be kept is on the disk."""
        if self._last is not None:
            self._last.result()

    def delete_all(self) -> int:
        """Delete every picture, on disk and in memory, now; how many there were. The journals stay."""
        with self._lock:
            self._closeups.forget()
        # A picture still being written must not appear after somebody has deleted everything.
        self.flush()
        return self._delete(lambda stored: True)

    def expire(self) -> int:
        """Delete what is too old; how many there were. Done at the start, every hour, and with every new picture.

        Where the clock cannot be believed nothing is too old.
        """
        self._expired_at = now = self._clock()
        if self._trust is not None:
            self._dated_anew(self._trust.tick(), now)
            if not self._trust.sure:
                return 0
        limit = now - KEEP_DAYS * 86400
        return self._delete(lambda stored: stored.at < limit)

    @property
    def status(self) -> EvidenceStatus:
        with self._lock:
            pictures = sum(stored.is_picture for stored in self._stored)
            return EvidenceStatus(pictures, self._bytes, self._trouble)

    def close(self) -> None:
        self._writer.shutdown(wait=True)

    def _has_room(self) -> bool:
        folder = self._games if self._games.exists() else self._games.parent
        try:
            room = self._free_bytes(folder) > RESERVE_BYTES
        except OSError:
            room = False
        with self._lock:
            slow = self._waiting > MOST_WAITING
            self._trouble = SLOW if slow else "" if room else FULL
        return room and not slow

    def _write(self, path: Path, image: Image, share: NDArray[np.float64]) -> None:
        import cv2

        def encoded() -> bytes:
            small = _narrowed(image, WIDTH_PX)
            corners = share * (small.shape[1], small.shape[0])
            painted = painted_outside(small, corners, TABLE_MARGIN)
            return cv2.imencode(".jpg", painted, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()

        self._put(path, encoded)

    def _put(self, path: Path, made: Callable[[], bytes]) -> None:
        unfinished, encoded = path.with_suffix(".part"), made()
        try:
            # For the service's user alone, whatever its umask.
            unfinished.touch(ONLY_THE_OWNER)
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
            self._stored.append(Stored(path, len(encoded), self._clock()))
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

    def _delete(self, wanted: Callable[[Stored], bool]) -> int:
        with self._lock:
            going = [stored for stored in self._stored if wanted(stored)]
            if not going:
                return 0
            self._stored = deque(stored for stored in self._stored if not wanted(stored))
            self._bytes = sum(stored.size for stored in self._stored)
        left = self._deleter.delete(stored.path for stored in going)
        return sum(stored.is_picture for stored in going if stored.path not in left)

    def _dated_anew(self, leap_s: float, now: float) -> None:
        """The clock was set: what this run has stored moves along with it, and nothing was stored in the future."""
        with self._lock:
            for stored in self._stored:
                at = stored.at + leap_s if leap_s and stored.at >= self._began else stored.at
                at = now if at > now + DAY_S and self._trust is not None and self._trust.sure else at
                if at != stored.at:
                    stored.at = at
                    with suppress(OSError):
                        os.utime(stored.path, (at, at))
            self._began += leap_s
            self._stored = deque(sorted(self._stored, key=lambda stored: stored.at))


def _narrowed(image: Image, width: int) -> Image:
    """A copy of at most `width` pixels across."""
    if image.shape[1] <= width:
        return image.copy()
    from vision.frame import reduced

    return reduced(image, (width, round(image.shape[0] * width / image.shape[1])))[0]
