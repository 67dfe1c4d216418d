"""A disk that refuses in the middle of a change: what was recorded before it stands, and is told."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from companion.game.session import Session
from companion.log.event_fields import Header
from companion.log.events import Corrected, Event
from companion.log.journal import Journal, JournalError
from tests.desk.settling import confirm


def table(tmp_path: Path) -> Session:
    """Both have begun; Ann has drawn and passed."""
    session = Session.create(tmp_path / "g.jsonl", Header("tactic", "double-12", ("Ann", "Ben")))
    session.start_round((12, 12), "Ann")
    for tile, train in (((12, 1), "Ann"), ((12, 2), "Ben")):
        session.play(tile, train, train)
    session.draw("Ann")
    session.pass_turn("Ann")
    return session


def refuse_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    """The disk takes so many more blocks."""
    left = [writes]
    write = Journal._write

    def once_more(self: Journal, block: bytes) -> None:
        if not left[0]:
            self._take_back(OSError(errno.ENOSPC, "No space left on device"))
        left[0] -= 1
        write(self, block)

    monkeypatch.setattr(Journal, "_write", once_more)


def test_what_was_recorded_before_the_disk_refused_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, heard = table(tmp_path), list[Event]()
    session.subscribe(heard.append)
    lines = len(session.events)
    with monkeypatch.context() as patched:
        refuse_after(patched, 1)
        correction = [{"insert": [{"event": "drew", "by": "Ann", "source": "person"}], "after": True}] * 2
        with session._lock, pytest.raises(JournalError):
            session._amend(*(Corrected(corrects=2, what=what) for what in correction))
    assert len(session.events) == lines + len(heard) and heard, "the page and the copy hear of what is on record"


def test_an_accusation_that_fell_while_the_disk_refused_is_told_with_the_next_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = table(tmp_path)
    session.unmark("Ann", "Ann")
    session.play((2, 4), "Ben", "Ben")
    session.play((4, 5), "Ben", "Ann")
    accused = next(event.seq for event in reversed(session.events) if event.KIND == "tile_played")
    confirm(session)
    assert accused in {line.seq for line, finding in session.scoreboard.violations if finding.certain}
    with monkeypatch.context() as patched:
        refuse_after(patched, 1)
        assert session.correct(accused, {"by": "Ben"}), "it is on record, and said so"
    session.draw("Ben")
    told = [event.to_json()["what"] for event in session.events if event.KIND == "corrected"]
    assert any(what.get("retracts") for what in told), told
