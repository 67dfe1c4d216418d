"""Learning from play and from the doubles in a row.

Corrections made in play, kept as labelled crops: what the reader got wrong is what it has to learn.

A crop shows one tile and nothing beside it. `corrections/` in the data folder holds `GAME-SEQ.jpg` and its `.json`.

Learn my set, from the page: the doubles in a row before the live camera, or a photograph of them.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from companion.app.own_set import LEARNABLE_SETS, LEARNED, OWN_MARKERS, doubles_of, learn_markers, own_markers
from companion.app.state import event_lines
from companion.evidence.closeups import find_tile
from companion.evidence.store import Deleter
from companion.game.game import Game
from companion.log.events import Corrected, Event
from companion.storage.game_folders import NewZip
from companion.storage.state_file import read_state, write_state
from companion.supervise.child import NoAnswerError, Worker
from companion.supervise.parts import line_of

log = logging.getLogger(__name__)

FOLDER = "corrections"
MOST = 2000
"""Crops that are kept, at some 10 kB each; the oldest go first."""

AROUND = 0.12
"""How much is shown around the tile, in tile widths: the reader's own boxes are not exact either."""

HIGHEST = 18


class LabelKeeper:
    """Listens to the game on the table; each correction of a tile that has a picture becomes a labelled crop."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER
        self._games = data_dir / "games"

    def follow(self, name: str, session: Game) -> None:
        def keep_corrections(event: Event) -> None:
            if isinstance(event, Corrected) and event.source == "person":
                try:
                    if event.what.get("withdrawn"):
                        self._take_back(f"{name}-{event.corrects}")
                    else:
                        self._keep(name, session, event)
                except Exception:
                    # A correction counts at the table whether or not there is something to learn from it.
                    log.warning("the correction no. %s could not be kept as a crop", event.seq, exc_info=True)

        session.subscribe(keep_corrections)

    def _take_back(self, stem: str) -> None:
        """A correction that was withdrawn teaches nothing."""
        for ending in (".json", ".jpg"):
            (self._folder / f"{stem}{ending}").unlink(missing_ok=True)

    def _keep(self, name: str, session: Game, correction: Corrected) -> None:
        corrected = corrected_tile(correction.what)
        if corrected is None:
            return
        lines = event_lines(session)
        original = next((line for line in lines if line["seq"] == correction.corrects), None)
        if original is None or not original.get("frame"):
            return
        read = original.get("tile")
        row = find_tile(self._games / name, [str(original["frame"])], read if read else None)
        if row is None:
            return
        import cv2
        import numpy as np

        halves = oriented(row["values"], read, corrected)
        image = cv2.imread(str(self._games / name / row["after"]))
        if halves is None or image is None:
            return
        crop, quad = cut_out(np.asarray(image, np.uint8), row["quad"])
        label = {"tile": list(halves), "read": row["values"], "quad": quad, "set": session.snapshot().set}
        self._folder.mkdir(parents=True, exist_ok=True)
        stem = f"{name}-{correction.seq}"
        for ending in (".jpg", ".json"):
            # For the owner alone, whatever the umask.
            (self._folder / f"{stem}{ending}").touch(0o600)
        cv2.imwrite(str(self._folder / f"{stem}.jpg"), crop, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (self._folder / f"{stem}.json").write_text(json.dumps(label), encoding="utf-8")
        for path in samples(self._folder.parent)[:-MOST]:
            path.unlink(missing_ok=True)
            path.with_suffix(".jpg").unlink(missing_ok=True)


def corrected_tile(what: Mapping[str, Any]) -> tuple[int, int] | None:
    """The tile that a person named, inner half first: a correction's own, or of the answer about an unread tile."""
    tile = what.get("tile")
    if tile is None and what.get("answer") is not None and len(what.get("insert") or ()) == 1:
        tile = what["insert"][0].get("tile")
    if not isinstance(tile, list | tuple) or len(tile) != 2:
        return None
    return int(tile[0]), int(tile[1])


def oriented(
    seen: Sequence[int | None], read: Sequence[int] | None, corrected: tuple[int, int]
) -> tuple[int, int] | None:
    """`corrected` (inner, outer) in the order of the crop's halves, None where nothing says which half is inner."""
    if corrected[0] == corrected[1]:
        return corrected
    if read is not None and read[0] != read[1] and sorted(read) == sorted(v for v in seen if v is not None):
        return corrected if seen[0] == read[0] else (corrected[1], corrected[0])
    straight = sum(a == b for a, b in zip(seen, corrected, strict=True))
    turned = sum(a == b for a, b in zip(seen, corrected[::-1], strict=True))
    if straight == turned:
        return None
    return corrected if straight > turned else (corrected[1], corrected[0])


def cut_out(image: Any, quad: Sequence[Sequence[float]]) -> tuple[Any, list[list[float]]]:
    """The tile alone: everything farther than AROUND from its outline is grey. Its outline in the new crop."""
    import cv2
    import numpy as np

    points = np.asarray(quad, np.float64)
    middle = points.mean(0)
    width = float(np.linalg.norm(points[1] - points[0]))
    reach = np.linalg.norm(points - middle, axis=1, keepdims=True)
    outline = middle + (points - middle) * (1 + AROUND * width / np.maximum(reach, 1.0))
    low = np.maximum(np.floor(outline.min(0)), 0).astype(int)
    high = np.minimum(np.ceil(outline.max(0)), image.shape[1::-1]).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline - low).astype(np.int32), 255)
    alone = np.full_like(part, 128)
    alone[mask > 0] = part[mask > 0]
    return alone, [[round(float(x), 1), round(float(y), 1)] for x, y in points - low]


def samples(data_dir: Path) -> list[Path]:
    """The labels of everything kept, oldest first; a link to something elsewhere does not count."""
    pictures = ((path, path.with_suffix(".jpg")) for path in (data_dir / FOLDER).glob("*.json"))
    found = [path for path, picture in pictures if picture.is_file() and not picture.is_symlink()]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def count_samples(data_dir: Path) -> int:
    """How many are kept: the folder is read once, and no file is looked at."""
    folder = data_dir / FOLDER
    if not folder.is_dir():
        return 0
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries}
    return sum(name.endswith(".json") and f"{name.removesuffix('.json')}.jpg" in names for name in names)


def delete_samples(data_dir: Path, deleter: Deleter) -> int:
    """Delete all of them, and every picture or label whose other half is missing; how many pictures there were."""
    pictures = list((data_dir / FOLDER).glob("*.jpg"))
    left = deleter.delete([*pictures, *(data_dir / FOLDER).glob("*.json")])
    return sum(1 for path in pictures if path not in left)


def pack(data_dir: Path, into: IO[bytes]) -> None:
    """Write a zip in YOLO's format for oriented boxes: `images/`, `labels/` and `data.yaml`. A box is half a tile, its
    class the pips on it: `class x1 y1 x2 y2 x3 y3 x4 y4`, as shares of the picture's width and height."""
    with NewZip(into, zipfile.ZIP_STORED) as zipped:
        for path in samples(data_dir):
            lines = yolo_lines(path)
            if lines:
                zipped.write(path.with_suffix(".jpg"), f"images/{path.stem}.jpg")
                zipped.writestr(f"labels/{path.stem}.txt", "\n".join(lines) + "\n")
        names = "".join(f"  {value}: '{value}'\n" for value in range(HIGHEST + 1))
        zipped.writestr("data.yaml", f"path: .\ntrain: images\nval: images\nnames:\n{names}")


def yolo_lines(path: Path) -> list[str]:
    """The two halves of one sample; [] for one that is damaged."""
    import cv2
    import numpy as np

    try:
        label = json.loads(path.read_text(encoding="utf-8"))
        quad = np.asarray(label["quad"], np.float64)
        first, second = (int(value) for value in label["tile"])
        image = cv2.imread(str(path.with_suffix(".jpg")))
        size = np.asarray(image.shape[1::-1], np.float64)  # type: ignore[union-attr]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    if quad.shape != (4, 2) or not (0 <= first <= HIGHEST and 0 <= second <= HIGHEST):
        return []
    a, b, c, d = quad / size
    lines = []
    for value, box in ((first, (a, b, (b + c) / 2, (a + d) / 2)), (second, ((a + d) / 2, (b + c) / 2, c, d))):
        lines.append(" ".join([str(value), *(f"{min(1.0, max(0.0, share)):.6f}" for point in box for share in point)]))
    return lines


LESSON = "learned-set.json"
"""The page's words on the learned set: when, from how many tiles, and how well it reads."""

LONGEST_S = 1800.0
"""Learning takes seconds on a desktop core, under a minute on a small board, and half an hour on an emulated one."""

IDLE_S = 120.0

MEMORY_BYTES = 1_600_000_000

Report = dict[str, Any]


def open_teacher() -> Callable[[str, bytes, str, str], Report]:
    """Called in the child: learns a row of doubles or the markers, or tests how a row is read."""
    from vision.adaptation import AdaptationError
    from vision.eye import open_eye
    from vision.pictures import PictureError, picture_of
    from vision.teaching import RowError, self_test, teach, teach_markers

    def answer(task: str, photograph: bytes, tile_set: str, target: str) -> Report:
        learned = Path(target)
        try:
            image = picture_of(photograph)
            if task == "test":
                result = self_test(open_eye(learned if learned.exists() else None), image, doubles_of(tile_set))
                return {"right": result.right, "wrong": result.wrong, "unread": result.unread}
            if task == "markers":
                looks = teach_markers(open_eye(), image)
                learn_markers(learned.parent, looks)
                return {"markers": len(looks)}
            lesson = teach(open_eye(), image, doubles_of(tile_set), tile_set)
            kept = lesson.after >= lesson.before
            if kept:
                lesson.adaptation.save(learned)
        except RowError as fault:
            return {"why": "ROW", "found": fault.found, "expected": fault.expected}
        except PictureError:
            return {"why": "PICTURE"}
        except (AdaptationError, OSError) as fault:
            return {"why": "OTHER", "text": str(fault)}
        return {"tiles": lesson.tiles, "before": round(lesson.before, 4), "after": round(lesson.after, 4), "kept": kept}

    return answer


class LearningDesk:
    """The desk that the page's learning room talks to. One task at a time, in a process of its own; `changed` is called
    when the learned set changes, `on_news` when there is anything new to show."""

    def __init__(
        self,
        data_dir: Path,
        picture: Callable[[], bytes | None] = lambda: None,
        *,
        changed: Callable[[], None] = lambda: None,
        on_news: Callable[[], None] = lambda: None,
        damaged: Callable[[Path], None] = lambda aside: None,
        opener: Callable[[], Callable[[str, bytes, str, str], Report]] = open_teacher,
    ) -> None:
        """`picture` is the camera's latest at full resolution, as a file's bytes; None without a camera."""
        self._data_dir = data_dir
        self._damaged = damaged
        self._picture, self._changed, self._on_news = picture, changed, on_news
        self._teacher = Worker(opener, longest_s=LONGEST_S, idle_s=IDLE_S, memory_bytes=MEMORY_BYTES, nice=5)
        self._lock = threading.Lock()
        self._busy: str | None = None
        self._last: Report | None = None
        self._thread: threading.Thread | None = None

    def status(self) -> Mapping[str, Any]:
        """`busy` learn, test, markers or None; `lesson` what is known of the learned set, `markers` how many of the
        family's own are known; `last` how the last task ended: a test's right, wrong and unread halves, a lesson, how
        many markers, or `why` it failed."""
        with self._lock:
            busy, last = self._busy, self._last
        markers = len(own_markers(self._data_dir, self._damaged).looks)
        told = {"busy": busy, "last": last, "lesson": self._lesson(), "markers": markers}
        return told | {"corrections": count_samples(self._data_dir)}

    def begin(self, task: str, tile_set: str, photograph: bytes | None = None) -> bool:
        """Start to `learn`, to `test` or to learn `markers`; False while another task runs. Raises ValueError for an
        unknown set."""
        if tile_set not in LEARNABLE_SETS:
            raise ValueError(f"there is no set called {tile_set}")
        picture = photograph if photograph is not None else self._picture()
        with self._lock:
            if self._busy is not None:
                return False
            if picture is None:
                self._last = {"task": task, "why": "NO_PICTURE"}
                return True
            self._busy, self._last = task, None
        self._thread = threading.Thread(target=self._work, args=(task, picture, tile_set), daemon=True)
        self._thread.start()
        return True

    def forget(self) -> None:
        """Read with the shipped weights alone again."""
        for name in (LEARNED, LESSON, OWN_MARKERS):
            (self._data_dir / name).unlink(missing_ok=True)
        with self._lock:
            self._last = None
        self._changed()

    def write_corrections(self, into: IO[bytes]) -> None:
        """Every correction made in play, as a zip in YOLO's format."""
        pack(self._data_dir, into)

    def wait(self, timeout_s: float) -> None:
        """Until the running task has ended."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def close(self) -> None:
        self._teacher.close()

    def _work(self, task: str, picture: bytes, tile_set: str) -> None:
        report: Report
        try:
            report = self._teacher.ask(task, picture, tile_set, str(self._data_dir / LEARNED))
        except NoAnswerError as fault:
            report = {"why": "OTHER", "text": str(fault)}
        except BaseException as fault:  # or the desk would be busy for ever
            log.exception("the task of learning failed")
            report = {"why": "OTHER", "text": line_of(fault)}
        report = {"task": task, "set": tile_set, **report}
        if "why" not in report and report.get("kept", True) and task != "markers":
            self._note(report)
        with self._lock:
            self._busy, self._last = None, report
        if (task == "learn" and report.get("kept")) or report.get("markers"):
            self._changed()
        self._on_news()

    def _note(self, report: Report) -> None:
        """Beside the learned set, for the page; the set itself does not need it."""
        known = dict(self._lesson() or {}) if report["task"] == "test" else {}
        with suppress(OSError):
            write_state(self._data_dir / LESSON, {**known, report["task"]: report})

    def _lesson(self) -> Report | None:
        if not (self._data_dir / LEARNED).exists():
            return None
        nothing: Report = {}
        return read_state(self._data_dir / LESSON, _lesson_of, nothing, self._damaged)


def _lesson_of(kept: Any) -> Report:
    """The part of a lesson and its test that the page shows; a file that lacks some of it makes no sense."""
    lesson: Report = {}
    if "learn" in kept:
        learned = kept["learn"]
        lesson["learn"] = {**learned, "before": float(learned["before"]), "after": float(learned["after"])}
        if learned["set"] not in LEARNABLE_SETS:
            raise ValueError
    if "test" in kept:
        tested = kept["test"]
        lesson["test"] = {**tested, **{name: int(tested[name]) for name in ("right", "wrong", "unread")}}
    if not lesson:
        raise ValueError
    return lesson
