"""Hands counted from a photograph that a phone sent, read in a process of their own.

Games for the page: made, gone on with, looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.app.own_set import usable
from companion.app.state import AppState, GameRepository
from companion.game.game import Game
from companion.log.copies import repair_game
from companion.log.event_fields import Header
from companion.log.journal import CONVERT, Journal, JournalError, read_journal
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.storage.repairs import Repair, Repairs
from companion.storage.state_file import takes_nothing
from companion.supervise.child import NoAnswerError, Worker

if TYPE_CHECKING:
    from vision.eye import Eye
    from vision.frame import Image
    from vision.reading import PictureReading


SILENT_S = 30.0
"""A reader that does nothing for so long is given up. One that works is not: a small board takes its time."""

IDLE_S = 120.0

MEMORY_BYTES = 1_200_000_000
"""Measured: the eye takes 0.13 GB, with a JPEG of 64 megapixels 0.98 GB; as large a transparent PNG is refused."""

SHOWN_PX = 1200
"""Enough to read pips by on a phone, some 150 kB."""

HandReading = dict[str, Any]
"""The answer of `hand_of`; from the reading process also `picture`: the photograph as a small JPEG."""


def open_hand_eye() -> Callable[[bytes, str, str], HandReading]:
    """Called in the child: the eye, with what was learned of the players' set, behind the one door for pictures."""
    from companion.app.own_set import known_set
    from vision.eye import open_eye
    from vision.pictures import picture_of

    eyes: dict[tuple[str, float], Eye] = {}

    def eye_with(learned: str) -> Eye:
        key = (learned, Path(learned).stat().st_mtime if learned else 0.0)
        if key not in eyes:
            eyes.clear()
            eyes[key] = open_eye(Path(learned) if learned else None)
        return eyes[key]

    def read(photograph: bytes, set_name: str, learned: str) -> HandReading:
        eye = eye_with(learned)
        # Never on the disk: a reader that dies or is given up leaves nothing of a hand behind.
        image = picture_of(photograph)
        return hand_of(eye.look(image, known=known_set(set_name))) | {"picture": _small(image)}

    return read


def _small(image: Image) -> bytes:
    """A JPEG of it for the page, at most SHOWN_PX on its longer side."""
    import cv2

    shrink = min(1.0, SHOWN_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])[1])


def hand_of(reading: PictureReading) -> HandReading:
    """`tiles` [[a, b], ...] of the hand, `unreadable` how many more lie in it, `size` [w, h] of the picture in px.

    `why`: the sentences that say what is amiss in all of it. `found`, every tile in the picture: `quad` four corners in
    parts of the picture's width and height, clockwise, the first value's end at the first two, `values` [a, b] or null,
    `known` the same of each half by itself, `maybe` what each unread half may be, likeliest first, `face`, and
    `counts`, whether it is of the hand, the group nearest to the middle."""
    import numpy as np

    from vision.hand_group import doubts, in_hand

    quads = np.array([tile.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2)
    counts = in_hand(reading.tiles, reading.size_wh)
    found = [
        {
            "quad": [[round(float(x), 4), round(float(y), 4)] for x, y in quad / np.array(reading.size_wh)],
            "values": None if tile.values is None else list(tile.values),
            "known": [half.value for half in tile.halves or ()],
            "maybe": [half.maybe for half in tile.halves or ()],
            "face": tile.face,
            "counts": bool(counts[n]) and (tile.face == "up" or tile.or_blank),
        }
        for n, (tile, quad) in enumerate(zip(reading.tiles, quads, strict=True))
    ]
    hand = [one for one in found if one["counts"]]
    tiles = [one["values"] for one in hand if one["values"] is not None]
    return {
        "tiles": tiles,
        "unreadable": len(hand) - len(tiles),
        "size": list(reading.size_wh),
        "why": [*reading.warnings, *doubts(reading, counts)],
        "found": found,
    }


class HandReader:
    """Reads photographs of hands for the page. Nothing of them is decoded in the page's own process."""

    def __init__(
        self,
        folder: Path | None = None,
        opener: Callable[[], Callable[[bytes, str, str], HandReading]] = open_hand_eye,
        *,
        silent_s: float = SILENT_S,
    ) -> None:
        """`folder`: the data folder, where what was learned of the players' set lies."""
        self._folder = folder
        self._reader = Worker(opener, silent_s=silent_s, idle_s=IDLE_S, memory_bytes=MEMORY_BYTES, nice=5)

    @property
    def pid(self) -> int:
        """The id of the reading process; 0 while none runs."""
        return self._reader.pid

    def __call__(self, photograph: bytes, header: Mapping[str, Any]) -> HandReading:
        """The answer of `hand_of` for a photograph. Raises ValueError in one line."""
        try:
            hand: HandReading = self._reader.ask(photograph, str(header["set"]), self._learned(str(header["set"])))
        except NoAnswerError as fault:
            raise ValueError(str(fault)) from None
        return hand

    def _learned(self, tile_set: str) -> str:
        """The file of the learned set; nothing where it is missing or broken, which the table's page says."""
        learned = None if self._folder is None else usable(self._folder, tile_set)[0]
        return "" if learned is None else str(learned)

    def close(self) -> None:
        self._reader.close()


def rules_of(header: Header) -> RuleSet:
    """The rule set that a journal names. Raises ValueError in one line."""
    try:
        return load_ruleset(header.rules, header.options)
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None


def create_game(path: Path, header: Mapping[str, Any]) -> Game:
    try:
        return Game.create(path, Header.from_json(dict(header)))
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None


def open_game(path: Path) -> Game:
    journal = Journal.open(path)
    try:
        return Game(journal, rules_of(journal.header))
    except BaseException:
        journal.close()
        raise


def look_at_game(path: Path) -> Game:
    try:
        return Game.read_only(path)
    except RuleSetError as fault:
        raise ValueError(str(fault)) from None


def make_app_state(
    data_dir: Path, camera: Any = None, repairs: Repairs | None = None, *, learned: bool = True
) -> AppState:
    """The application state over a data folder, with the last game that was not played to its end on the table again.

    `learned` False: photographs of hands are read without what was learned of the players' set.
    """
    found = Repairs() if repairs is None else repairs

    def reopen(path: Path) -> Game:
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
        try:
            read_journal(folder / "journal.jsonl")  # what makes no sense is said, and left as it is
            game = reopen(folder / "journal.jsonl")
            if game.snapshot().phase != "match_over":
                app_state.put_on_the_table(game, name)
            else:
                game.close()
        except (JournalError, ValueError, OSError) as fault:
            _look_at_the_last(app_state, name, folder, fault)
    return app_state


def _look_at_the_last(app_state: AppState, game: str, folder: Path, fault: Exception) -> None:
    """The last game cannot be gone on with. Where the disk takes nothing it is shown until the disk does."""
    try:
        looked = look_at_game(folder / "journal.jsonl") if app_state.disk_refuses else None
    except (JournalError, ValueError, OSError):
        looked = None
    if looked is None:
        _note_closed(app_state, game, fault)
    elif looked.snapshot().phase != "match_over":
        app_state.looked_at = game
        app_state.put_on_the_table(looked, game)


def _note_closed(app_state: AppState, game: str, fault: Exception) -> None:
    """The last game cannot be opened: that is on the page until another one is on the table."""
    why = str(getattr(fault, "why", None) or fault)
    closed = Repair("GAME_EARLIER" if CONVERT in why else "GAME_CLOSED", {"game": game, "why": why})
    app_state.repairs.check(lambda: () if app_state.has_game else (closed,))
