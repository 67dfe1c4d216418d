"""Earlier games that were not published to their end, because the box was switched off before the broker heard all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.log.events import Event
from companion.log.header import Header
from companion.log.journal import JournalError, read_journal
from companion.publish.outbox import Outbox


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game that is only read; nothing is added to it any more."""

    header: Header
    events: Sequence[Event]

    def snapshot(self) -> None:
        return None

    def subscribe(self, callback: Callable[..., None]) -> None:
        return


def unfinished(outbox: Outbox, games: Path) -> Iterator[tuple[str, RecordedGame]]:
    """(name, game) of every game in the folder `games` (games/NAME/journal.jsonl) that was published in part."""
    for name in outbox.games:
        try:
            text = read_journal(games / name / "journal.jsonl")
        except JournalError:
            continue
        if len(text.events) > outbox.confirmed(name):
            yield name, RecordedGame(text.header, text.events)
