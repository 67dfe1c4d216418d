"""One signal for all phones: each that waits for news is woken, and then reads what it has not read yet.

There is no queue for each listener. A listener remembers the last journal `seq` it has sent, and after each
notification reads on from the journal itself, so live delivery and catching up after a lost connection are the same
code.

The state behind the page: the game being played, the camera over it, and the folder of earlier games.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from companion.app.game_index import MOST_KNOWN, GameIndex, GameSummary, KnownGame, summarize, summary_of
from companion.game.game import Game
from companion.storage.game_folders import GameFolders
from companion.storage.repairs import LASTING_TROUBLE, Repair, Repairs
from companion.storage.state_file import by_file, takes_nothing
from companion.storage.trail import TRAIL_FILE, Trail
from companion.supervise.parts import Parts

if TYPE_CHECKING:
    from companion.app.learning import LearningDesk
    from companion.app.table_service import WatchedTable


class ChangeSignal:
    """Counts its notifications; waiting for the next one needs only the last known count."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._closed = False
        self._run = secrets.token_hex(4)

    @property
    def mark(self) -> str:
        """Names this moment among all of all runs: a screen that shows another one shows something old."""
        return f"{self._run}.{self.count}"

    @property
    def count(self) -> int:
        with self._changed:
            return self._count

    @property
    def closed(self) -> bool:
        with self._changed:
            return self._closed

    def notify(self) -> None:
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Wake everybody for the last time."""
        with self._changed:
            self._closed = True
            self._count += 1
            self._changed.notify_all()

    def wait(self, known: int, timeout_s: float) -> int:
        """The count, at once if it differs from `known`, else at the next notification or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != known, timeout_s)
            return self._count


@dataclass(frozen=True, slots=True)
class GameRepository:
    """How games are made and opened; given by the wiring, so the page knows no journal."""

    create: Callable[[Path, Mapping[str, Any]], Game]
    """(new journal's path, header) -> session."""
    open: Callable[[Path], Game]
    """An earlier game to go on with."""
    look: Callable[[Path], Game]
    """An earlier game only to be looked at: nothing can be written into it."""
    summarize: Callable[[Path], GameSummary] = summarize
    """An earlier game as a list shows it."""
    read_hand: Callable[[bytes, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """(a photograph, header) -> what `app.games.hand_of` says of a hand laid open. None: no eye here."""


MOST_LOOKED_AT = 3
"""Earlier games that are kept played again: somebody steps through one, or goes from its sheet to its replay."""


class NoGameError(Exception):
    """Nothing is being played."""


class AppState:
    """The current game and its surroundings. Thread-safe; every change is told to `signal`."""

    def __init__(
        self,
        session: Game | None = None,
        *,
        data_dir: Path | None = None,
        repository: GameRepository | None = None,
        camera: WatchedTable | None = None,
        game: str = "",
        repairs: Repairs | None = None,
    ) -> None:
        self.signal = ChangeSignal()
        self.data_dir = data_dir
        self.repository = repository
        self.camera = camera
        self.table: WatchedTable | None = None
        self.learning: LearningDesk | None = None
        self.diagnostics: Callable[[IO[bytes], Sequence[str]], None] | None = None
        """Writes how the box is, for somebody who helps from afar: a zip in which none of these secrets stands."""
        self.pin_is_shown = False
        self.checks: list[Callable[[], Sequence[str]]] = []
        self.parts = Parts()
        self.parts.changed = self.signal.notify
        self.repairs = Repairs() if repairs is None else repairs
        self.repairs.check(self.parts.repairs)
        self.repairs.check(self._lasting_troubles)
        self.trail = Trail(None if data_dir is None else data_dir / TRAIL_FILE, self.parts.add("trail").fail)
        self.game_folders = None if data_dir is None else GameFolders(data_dir, self.repairs.report_damaged)
        read = summarize if repository is None else repository.summarize
        games, damaged = self.game_folders, self.repairs.report_damaged
        self.index = None if games is None else GameIndex(games, read, lambda: self.game, damaged)
        self.disk_refuses = ""
        """Why the disk takes no new file, found at the start; "" where it does."""
        self.looked_at = ""
        """The game on the table that nothing can be written into, since the disk refuses; "" for none."""
        self.repairs.check(self._refusing_disk)
        self.delete_pictures: Callable[[], int] | None = None
        if repository is not None:
            self._looked_at = by_file(repository.look, MOST_LOOKED_AT)
        self._lock = threading.Lock()
        self.switching = threading.RLock()
        """Held while somebody changes the game or puts another on the table, from looking at it until it is done."""
        index = self.index
        self._followers: list[Callable[[str, Game], None]]
        self._followers = [] if index is None else [lambda *_: index.look_again()]
        self._session: Game | None = None
        self._game = ""
        if session is not None:
            self.put_on_the_table(session, game or "game")

    @property
    def session(self) -> Game:
        """The game being played. Raises NoGameError."""
        with self._lock:
            if self._session is None:
                raise NoGameError
            return self._session

    def show_pin(self, shown: bool = True) -> None:
        """Large on the box's own screen, and nowhere else; or not any more. Somebody at the table pressed a button."""
        self.pin_is_shown = shown
        self.signal.notify()

    @property
    def has_game(self) -> bool:
        with self._lock:
            return self._session is not None

    @property
    def game(self) -> str:
        """The current game's name: its folder in the data folder."""
        with self._lock:
            return self._game

    def on_the_table(self) -> tuple[str, Game | None]:
        """The current game and its session, of the same moment; None where nothing is being played."""
        with self._lock:
            return self._game, self._session

    def put_on_the_table(self, session: Game, game: str) -> None:
        """From now on this is the game that everybody sees."""
        with self._lock:
            earlier = self._session
            self._session, self._game = session, game
        if self.game_folders is not None and self.folder(game) is not None:
            with suppress(OSError):
                # A full disk must not stop the game; the next start then takes the newest one.
                self.game_folders.put_on_the_table(game)
        session.subscribe(lambda *_: self.signal.notify())
        session.on_look(self.signal.notify)
        for follower in list(self._followers):
            follower(game, session)
        if earlier is not None and earlier is not session:
            earlier.close()
        self.signal.notify()

    def follow(self, follower: Callable[[str, Game], None]) -> None:
        """Tell `follower` (name, session) of the game on the table, and of every other one that comes there."""
        self._followers.append(follower)
        with self._lock:
            game, session = self._game, self._session
        if session is not None:
            follower(game, session)

    def start_game(self, header: Mapping[str, Any]) -> str:
        """A new journal under the data folder, on the table at once; its name."""
        if self.repository is None or self.game_folders is None:
            raise NoGameError
        name = self.game_folders.make()
        folder = self.game_folders.folder(name)
        try:
            session = self.repository.create(folder / "journal.jsonl", header)
        except BaseException:
            _remove_if_empty(folder)
            raise
        self.put_on_the_table(session, name)
        return name

    def games(self, most: int | None = None) -> list[str]:
        """Names of the games in the data folder, the newest first, at most so many."""
        return [] if self.game_folders is None else self.game_folders.names(most)

    def folder(self, game: str) -> Path | None:
        """Where a game lies; None for a name that is no game."""
        if self.game_folders is None or game not in self.game_folders:
            return None
        return self.game_folders.folder(game)

    def look_up(self, game: str) -> Game | None:
        """A game to look at: the current one, or one read from its journal. Raises OSError, ValueError, JournalError.

        It is kept while its file stays the same: playing a match again takes a third of a second.
        """
        with self._lock:
            if self._session is not None and game == self._game:
                return self._session
        folder = self.folder(game)
        return None if folder is None or self.repository is None else self._looked_at(folder / "journal.jsonl")

    def known(self, game: str, *, now: bool = False) -> KnownGame | None:
        """A game as a list shows it; None while its journal is still to be read, unless it is read `now`."""
        current, session = self.on_the_table()
        if session is not None and game == current:
            return KnownGame("", summary_of(session.snapshot(), _begun(session)))
        return None if self.index is None else self.index.get(game, now=now)

    def counted(self) -> list[KnownGame | None]:
        """The newest games, for statistics; None for one whose journal is still to be read. The game on the table is
        counted by what is known of it already: its journal is not read."""
        current, session = self.on_the_table()
        return [
            KnownGame("", summary_of(session.snapshot(), _begun(session), session.scoreboard))
            if session is not None and game == current
            else self.known(game)
            for game in self.games(MOST_KNOWN)
        ]

    def reopen(self, game: str) -> None:
        """Put an earlier game on the table again. Raises NoGameError for an unknown name."""
        folder = self.folder(game)
        if folder is None or self.repository is None:
            raise NoGameError
        self.put_on_the_table(self.repository.open(folder / "journal.jsonl"), game)

    def delete_game(self, game: str) -> None:
        """Remove an earlier game: journal, pictures and our own copy. Raises NoGameError for an unknown name and for
        the game on the table, OSError."""
        folder = self.folder(game)
        if folder is None or self.data_dir is None or self.index is None or game == self.game:
            raise NoGameError
        # The copy goes first: the next start would bring the game back from it.
        (self.data_dir / "copies" / f"{game}.jsonl").unlink(missing_ok=True)
        shutil.rmtree(folder)
        self.index.look_again()
        self.signal.notify()

    def try_the_disk(self) -> None:
        """Now and then: what waits for the disk is written. Where it took no new file at the start it is asked again,
        and everything goes on once it does."""
        self.trail.catch_up()
        if not self.disk_refuses or self.data_dir is None:
            return
        why = takes_nothing(self.data_dir)
        with self.switching:
            if not why and self.looked_at and self.looked_at == self.game:
                self.reopen(self.game)
                self.looked_at = ""
        if why != self.disk_refuses:
            self.disk_refuses = why
            self.signal.notify()

    def _refusing_disk(self) -> list[Repair]:
        return [Repair("DISK_REFUSES", {"why": self.disk_refuses})] if self.disk_refuses else []

    def troubles(self) -> list[str]:
        """Troubles around the game, one sentence each: a full disk, a broker that is away.

        The wiring adds to `checks`; each is asked anew every time and has to answer at once.
        """
        return [trouble for check in self.checks for trouble in check()]

    def _lasting_troubles(self) -> list[Repair]:
        """The same and a lost camera for the list of repairs, which knows since when."""
        camera = self.camera_status() or {}
        lost = [str(camera.get("message") or "the camera gives no pictures")] if camera.get("state") == "lost" else []
        return [Repair(LASTING_TROUBLE, {"words": text}) for text in (*lost, *self.troubles())]

    def camera_status(self) -> dict[str, Any] | None:
        """The state of the camera, or None in a game without one."""
        return None if self.camera is None else dict(self.camera.status())


def _begun(session: Game) -> str:
    """When the first entry of a game was made; "" before it."""
    return next((event.at for event in session.events[:1]), "")


def _remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


def event_lines(session: Game, after: int = 0) -> list[dict[str, Any]]:
    """The events later than `after`, as lines of the journal."""
    # Event n has seq n + 1: a screen that is up to date costs nothing in a long game.
    return [event.to_json() for event in session.events[after:] if event.seq > after]
