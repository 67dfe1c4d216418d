"""The thread that watches the table: no new game, no full disk and no mistake of the program ends it in silence."""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.telling import TellingTable, new_game, telling_table, until
from companion.app.table_service import HANGS
from companion.log import journal as journal_module
from companion.log.journal import read_journal
from companion.supervise.eye import EyeAwayError
from companion.supervise.pictures import AwayError, CameraState, Health


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TellingTable]:
    made = telling_table(tmp_path)
    yield made
    made.close()
    made._app_state.session.close()  # type: ignore[attr-defined]


def health(table: TellingTable) -> dict[str, Any]:
    found: dict[str, Any] = table.page.get("/health").json or {}
    return found


def everything_told_is_kept(table: TellingTable) -> bool:
    """Each number that was acknowledged to a watcher stands in its game's journal."""
    state = table._app_state
    assert state.game_folders is not None
    # Read before the journals, since the watching goes on meanwhile.
    by_game = {watcher._session.journal.path.parent.name: list(watcher.told) for watcher in tuple(table.watchers)}
    kept = {
        name: {event.seq for event in read_journal(state.game_folders.folder(name) / "journal.jsonl").events}
        for name in state.games()
    }
    return all(set(told) <= kept[name] for name, told in by_game.items())


def test_new_games_at_random_moments_beside_a_reading_camera_end_nothing(table: TellingTable) -> None:
    chance = random.Random(4)
    for _ in range(20):
        time.sleep(chance.uniform(0.0, 0.02))
        new_game(table._app_state)
        assert table.is_alive
    assert table.tells_more()
    assert health(table)["status"] == "ok"
    assert everything_told_is_kept(table)


@pytest.mark.parametrize(
    ("number", "call"),
    [(errno.ENOSPC, "write"), (errno.EIO, "fsync"), (errno.EROFS, "write"), (errno.EDQUOT, "fsync")],
)
def test_a_disk_that_refuses_is_said_and_work_goes_on_by_itself(
    table: TellingTable, monkeypatch: pytest.MonkeyPatch, number: int, call: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    assert table.tells_more()
    with monkeypatch.context() as patched:
        patched.setattr(journal_module.os, call, refuse)
        assert until(lambda: os.strerror(number) in table.status().get("message", ""))
        assert health(table)["status"] == "degraded"
    assert table.tells_more()
    assert until(lambda: health(table)["status"] == "ok") and table.status()["state"] != "lost"
    assert everything_told_is_kept(table)


STEPS: dict[str, Callable[[TellingTable, Callable[..., Any]], None]] = {
    "the camera is asked": lambda table, do: setattr(table.camera, "before_each", do),
    "the table is read": lambda table, do: setattr(table.watchers[-1], "before_each", do),
    "the table is looked for": lambda table, do: (setattr(table, "_begin", do), table._fresh.set()),  # type: ignore[func-returns-value]
    "old pictures are deleted": lambda table, do: setattr(table._evidence, "tidy", do),
    "the seats are measured": lambda table, do: (setattr(table, "_other_tiles", do), table._measure.set()),  # type: ignore[func-returns-value]
    "the page is told": lambda table, do: (setattr(table, "_back", do), setattr(table, "_fresh", Failing())),  # type: ignore[func-returns-value]
}
"""Where the thread can be hit: (table, what happens there from now on)."""


class Failing:
    """An event that fails once: then the page is to be told."""

    def is_set(self) -> bool:
        raise ArithmeticError("once")

    def set(self) -> None: ...


def mend(table: TellingTable) -> None:
    """The cause is over."""
    for made_up, name in ((table, "_begin"), (table._evidence, "tidy"), (table, "_other_tiles"), (table, "_back")):
        vars(made_up).pop(name, None)
    table._fresh = type(table._stop)()
    table.camera.before_each = lambda: None


FAULTS = (ZeroDivisionError("by chance"), MemoryError(), SystemExit(3))


@pytest.mark.parametrize(("step", "fault"), list(zip(STEPS, FAULTS * 2, strict=True)), ids=repr)
def test_a_fault_at_any_step_is_said_and_work_goes_on(
    table: TellingTable, step: str, fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise fault

    assert table.tells_more()
    STEPS[step](table, fail)
    once = step == "the seats are measured"  # the page may be asked too late to see it
    said = until(lambda: health(table)["status"] == "degraded" or (once and "begins anew" in caplog.text))
    if step != "the table is read":  # its watcher is let go of at once, and the next one reads
        assert said
    mend(table)
    assert table.tells_more() and table.is_alive
    assert until(lambda: health(table)["status"] == "ok")
    assert everything_told_is_kept(table)


def test_an_eye_that_fails_is_said_until_it_reads_again(table: TellingTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the pictures that it fails at come such with a hand in them, which are not read."""
    states: list[str] = []
    failing = True

    class Alternating:
        looks = 0

        def see(self, _frame: object) -> None:
            Alternating.looks += 1
            states.append(table.status()["state"])
            if failing and Alternating.looks % 2:
                raise EyeAwayError("the reader could not read this picture (by chance)")
            table._set_state("hand" if failing else "read")

    assert table.tells_more()
    monkeypatch.setattr(table, "_begin", lambda *_: Alternating())
    table._fresh.set()
    assert until(lambda: Alternating.looks > 12)
    assert set(states[2:]) == {"lost"}
    assert health(table)["status"] == "degraded"
    failing = False
    assert until(lambda: table.status()["state"] == "read")


@pytest.mark.parametrize("step", [step for step in STEPS if step != "the page is told"])
def test_a_step_that_hangs_is_said_and_work_goes_on_after_it(table: TellingTable, step: str) -> None:
    hanging = True

    def hang(*_: object) -> Any:
        while hanging:
            time.sleep(0.01)
        return None

    assert table.tells_more()
    STEPS[step](table, hang)
    assert until(lambda: table.status() == {"state": "lost", "message": HANGS}), "not what was known before"
    assert health(table)["status"] == "degraded"
    hanging = False
    mend(table)
    assert table.tells_more()
    assert until(lambda: health(table)["status"] == "ok")
    assert everything_told_is_kept(table)


def test_a_camera_that_films_in_another_size_is_looked_over_anew(table: TellingTable) -> None:
    assert table.tells_more()
    before = len(table.watchers)
    table.camera.size_wh = (60, 45)
    assert until(lambda: len(table.watchers) == before + 1) and table.tells_more()
    assert len(table.watchers) == before + 1


@pytest.mark.parametrize(
    ("fault", "whole"),
    [(EyeAwayError("the reader's process ended"), 0), (AwayError(Health(CameraState.BLACK, 0.0)), 1)],
    ids=["reader", "camera"],
)
def test_only_a_table_that_was_out_of_sight_is_read_whole_again(
    table: TellingTable, fault: Exception, whole: int
) -> None:
    assert table.tells_more()
    forgotten, raised = [], []

    def once() -> None:
        if not raised:
            raised.append(fault)
            raise fault

    table.watchers[-1].settler.forget = lambda: forgotten.append(1)  # type: ignore[method-assign]
    if isinstance(fault, EyeAwayError):
        table.looks = once
    else:
        table.camera.before_each = once
    assert until(lambda: bool(raised)) and table.tells_more()
    assert len(forgotten) == whole
