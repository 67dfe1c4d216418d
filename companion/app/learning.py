"""Learn my set, from the page: the doubles in a row before the live camera, or a photograph of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from companion.app.labels import count_samples, pack
from companion.app.learned import LEARNED, OWN_MARKERS, SETS, doubles_of, learn_markers, own_markers
from companion.storage.state_file import read_state, write_state
from companion.supervise.parts import line_of
from companion.supervise.worker import NoAnswerError, Worker

log = logging.getLogger(__name__)

LESSON = "learned-set.json"
"""What the page says about the learned set: when, from how many tiles, and how well it reads."""

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
    """What the page's learning room talks to. One task at a time, in a process of its own; `changed` is told when what
    was learned is another, `on_news` when there is anything new to show."""

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
        if tile_set not in SETS:
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
    """What the page shows of a lesson and of its test; a file that lacks a part of it makes no sense."""
    lesson: Report = {}
    if "learn" in kept:
        learned = kept["learn"]
        lesson["learn"] = {**learned, "before": float(learned["before"]), "after": float(learned["after"])}
        if learned["set"] not in SETS:
            raise ValueError
    if "test" in kept:
        tested = kept["test"]
        lesson["test"] = {**tested, **{name: int(tested[name]) for name in ("right", "wrong", "unread")}}
    if not lesson:
        raise ValueError
    return lesson
