"""A disk that refuses: nothing of that change is recorded, shown or told, and the next try finds the game as it was."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.settling import confirm, settle
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import Event, RoundEnded
from companion.log.journal import Journal, JournalError
from companion.rules.notation import parse_delta
from datasets.bots.watching import table_change
from tests.shown import state_of

Change = Callable[[Game], Any]


def noon() -> datetime:
    """Always the same: what is tried again comes later, and is the same all the same."""
    return datetime(2026, 11, 20, 12, tzinfo=UTC)


def tapped(path: Path) -> Game:
    """Ann has laid on Ben's closed train, as somebody says; Ben has drawn and laid no marker, which is asked about."""
    session = Game.create(path, Header("tactic", "double-12", ("Ann", "Ben")), noon)
    session.start_round((12, 12), "Ann")
    for by, tile, train in (("Ann", (12, 1), "Ann"), ("Ben", (12, 2), "Ben"), ("Ann", (2, 4), "Ben")):
        session.play(tile, train, by)
    confirm(session)
    session.draw("Ben")
    session.play((1, 7), "Ann", "Ann")
    return session


def between_rounds(path: Path) -> Game:
    session = tapped(path)
    session.end_round("abandoned")
    return session


def watched(path: Path) -> Game:
    """Everybody has begun, and Ann has laid on Cy's closed train, as is known since Ben went on."""
    session = Game.create(path, Header("reeves", "double-12", ("Ann", "Ben", "Cy")), noon)
    session.start_round((12, 12), "Ann", draws_seen=True)
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy", "+3-5@Cy", "+2-6@Ben", "+5-7@Cy"):
        session.observe(table_change(parse_delta([change])))
    return session


def accused(session: Game) -> int:
    """The last line against which something stands for certain."""
    return max(line.seq for line, finding in session.scoreboard.violations if finding.certain)


CHANGES: dict[str, tuple[Callable[[Path], Game], Change]] = {
    "a tile": (tapped, lambda session: session.play((2, 8), "Ben", "Ben")),
    "a turn of two lines": (tapped, lambda session: session.cannot_play()),
    "another name": (tapped, lambda session: session.correct(accused(session), {"by": "Ben"})),
    "an answer": (tapped, lambda session: settle(session, "missing")),
    "a step back": (tapped, lambda session: session.undo()),
    "an end": (tapped, lambda session: session.end_round()),
    "the next round": (between_rounds, lambda session: session.start_round()),
    "what the camera sees": (watched, lambda session: session.observe(table_change(parse_delta(["+1-8@Ann"])))),
    "what it sees taken back": (watched, lambda session: session.observe(table_change(parse_delta(["-5-7@Cy"])))),
    "what people say of it": (watched, lambda session: session.correct(accused(session), {"by": "Cy"})),
    "a tile in a watched round": (watched, lambda session: session.play((1, 8), "Ann", "Ann")),
}


def refuse(monkeypatch: pytest.MonkeyPatch, after: int = 0) -> None:
    """The disk takes so many more blocks."""
    left, write = [after], Journal._write

    def full(self: Journal, block: bytes) -> None:
        if self._descriptor >= 0:
            if not left[0]:
                self._take_back(OSError(errno.ENOSPC, "No space left on device"))
            left[0] -= 1
        write(self, block)

    monkeypatch.setattr(Journal, "_write", full)


def everything(session: Game) -> tuple[Any, ...]:
    """All that is shown and told of a game."""
    return (
        state_of(session),
        session.events,
        session.questions,
        session.read_otherwise(),
        session.fallen,
        session.journal.content,
    )


@pytest.mark.parametrize("what", CHANGES)
def test_what_the_disk_refuses_never_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    begin, change = CHANGES[what]
    session, other, heard = begin(tmp_path / "g.jsonl"), begin(tmp_path / "other.jsonl"), list[Event]()
    session.subscribe(heard.append)
    before, known = everything(session), session.seq
    with monkeypatch.context() as patched:
        refuse(patched)
        for _ in range(2):
            with pytest.raises(JournalError, match="nothing was recorded"):
                change(session)
            assert everything(session) == before and heard == []
    assert session.journal.path.read_bytes() == session.journal.content
    change(session)
    change(other)
    assert everything(session) == everything(other), "it is as if nothing had been refused"
    new = session.events[known:]
    assert new and tuple(heard[: len(new)]) == new, "and it is told"
    shown = everything(session)
    session.close()
    assert everything(Game.open(tmp_path / "g.jsonl", noon)) == shown


def before_a_question(path: Path) -> Game:
    """The next tile brings up whose an earlier one was: the tile and the question are two things to record."""
    session = Game.create(path, Header("tactic", "double-12", ("Ann", "Ben", "Cy")), noon)
    session.start_round((12, 12), "Ann", draws_seen=False)
    for change in ("+12-7@Ann", "+12-11@Ben", "+12-2@Cy", "+7-4@Ann", "+4-11@Ann"):
        session.observe(table_change(parse_delta([change])))
    return session


def counted_out(path: Path) -> Game:
    """The camera has counted Cy out, and the next tile takes that back: its end and the tile are two things."""
    session = Game.create(path, Header("reeves", "double-12", ("Ann", "Ben", "Cy")), noon)
    session.start_round((12, 12), "Ann", draws_seen=True)
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        session.observe(table_change(parse_delta([change])))
    session._add(RoundEnded(how="out", out="Cy", source="camera"))
    return session


@pytest.mark.parametrize(("begin", "change"), [(before_a_question, "+11-6@Ben"), (counted_out, "+1-8@Ann")])
@pytest.mark.parametrize("after", [0, 1])
def test_what_a_disk_takes_of_a_look_is_told_and_the_rest_comes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: Callable[[Path], Game], change: str, after: int
) -> None:
    session, other = begin(tmp_path / "g.jsonl"), begin(tmp_path / "other.jsonl")
    seen, heard = table_change(parse_delta([change])), list[Event]()
    session.subscribe(heard.append)
    known, refused = session.seq, False
    with monkeypatch.context() as patched:
        refuse(patched, after)
        try:
            session.observe(seen)
        except JournalError:
            refused = True
    assert sorted({event.seq for event in heard}) == list(range(known + 1, session.seq + 1)), (
        "what is on record was told"
    )
    if refused:
        session.observe(seen)
    other.observe(seen)
    for one in (session, other):
        one.observe(table_change(parse_delta(["+2-9@Cy" if begin is before_a_question else "+2-5@Ben"])))
    laid = [
        [(play["tile"], play["by"]) for play in state_of(one)["plays"] if "tile" in play] for one in (session, other)
    ]
    assert laid[0] == laid[1]
    assert [one.reason for one in session.questions] == [one.reason for one in other.questions]


def test_an_accusation_that_falls_is_told_with_the_change_that_is_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, heard = tapped(tmp_path / "g.jsonl"), list[Event]()
    session.subscribe(heard.append)
    seq = accused(session)
    with monkeypatch.context() as patched:
        refuse(patched)
        with pytest.raises(JournalError):
            session.correct(seq, {"by": "Ben"})
    assert session.fallen == () and seq == accused(session), "it stands as long as nothing else is on record"
    session.correct(seq, {"by": "Ben"})
    assert [one.corrects for one in session.fallen] == [seq]
    assert [one for one in heard if one in session.fallen] == list(session.fallen)
