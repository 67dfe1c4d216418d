"""Games for the page: made, gone on with, looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from companion.app.hands import HandReader
from companion.app.state import AppState, GameRepository
from companion.game.session import Session
from companion.log.events import Event
from companion.log.header import Header
from companion.log.journal import Journal, JournalError, read_journal
from companion.log.repair import repair_game
from companion.rules.ruleset import RuleSet, RuleSetError, load_ruleset
from companion.storage.repairs import Repair, Repairs
from companion.storage.state_file import takes_nothing


class ClosedBook:
    """An earlier game's journal for looking only: it holds no file open, and nothing can be written into it."""

    def __init__(self, path: Path) -> None:
        text = read_journal(path)
        self.path = path
        self.content = path.read_bytes()
        self.header = text.header
        self.events: Sequence[Event] = text.events
        self.seen = text.seen
        self.looks: Sequence[int] = [one.after for one in text.seen]
        self.last_seq = len(text.events)
        self.seen = text.seen
        self.looks = [one.after for one in text.seen]

    def append(self, _event: Event) -> NoReturn:
        raise JournalError(self.path, "it is only being looked at")

    def append_all(self, _events: Iterable[Event]) -> NoReturn:
        raise JournalError(self.path, "it is only being looked at")

    def mend(self) -> None:
        """There is nothing to write."""

    def close(self) -> None:
        return


def rules_of(header: Header) -> RuleSet:
    """The rule set that a journal names. Raises ValueError in one line."""
    try:
        return load_ruleset(header.rules, header.options)
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None


def create_game(path: Path, header: Mapping[str, Any]) -> Session:
    try:
        return Session.create(path, Header.from_json(dict(header)))
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None


def open_game(path: Path) -> Session:
    journal = Journal.open(path)
    try:
        return Session(journal, rules_of(journal.header))
    except BaseException:
        journal.close()
        raise


def look_at_game(path: Path) -> Session:
    book: Any = ClosedBook(path)
    return Session(book, rules_of(book.header), settle=False)


def make_app_state(
    data_dir: Path, camera: Any = None, repairs: Repairs | None = None, *, learned: bool = True
) -> AppState:
    """The application state over a data folder, with the last game that was not played to its end on the table again.

    `learned` False: photographs of hands are read without what was learned of the players' set.
    """
    found = Repairs() if repairs is None else repairs

    def reopen(path: Path) -> Session:
        for case in repair_game(data_dir / "games", path.parent.name):
            found.report(case)
        return open_game(path)

    reader = HandReader(data_dir if learned else None)
    repository = GameRepository(create=create_game, open=reopen, look=look_at_game, read_hand=reader)
    app_state = AppState(data_dir=data_dir, repository=repository, camera=camera, repairs=found)
    found.changed = app_state.signal.notify
    app_state.disk_refuses = takes_nothing(data_dir)
    name = None if app_state.game_folders is None else app_state.game_folders.current()
    folder = None if name is None else app_state.folder(name)
    if name is not None and folder is not None:
        looked: Session | None = None
        try:
            looked = look_at_game(folder / "journal.jsonl")
            if looked.snapshot().phase != "match_over":
                app_state.reopen(name)
        except (JournalError, ValueError, OSError) as fault:
            if looked is not None and app_state.disk_refuses:
                app_state.looked_at = name
                app_state.put_on_the_table(looked, name)
            else:
                _note_closed(app_state, name, fault)
    return app_state


def _note_closed(app_state: AppState, game: str, fault: Exception) -> None:
    """The last game cannot be opened: that is on the page until another one is on the table."""
    closed = Repair("GAME_CLOSED", {"game": game, "why": getattr(fault, "why", None) or str(fault)})
    app_state.repairs.check(lambda: () if app_state.has_game else (closed,))
