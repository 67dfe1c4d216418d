"""Things that people take from the box: earlier games, scores, documents, and its source.

Downloads: packed into a file on the disk and sent from there: a slow reader costs a file handle and no memory.

At most a few run at a time. The file has no name in its folder, so that nothing is left behind, whatever happens.

The source that this box runs, for everybody who uses the page: the licence (AGPL-3.0, section 13) asks for it.

The documents that came with the program, on the page: a box at a table may have no internet.

Earlier games: the list, looking at one play by play, taking one away as a zip.

Taking the score along: a picture to send, a text to copy, a table for a spreadsheet. Everybody may.
"""

from __future__ import annotations

import csv
import fcntl
import io
import os
import re
import tempfile
import threading
import weakref
import zipfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

from flask import Blueprint, Response, current_app, redirect, render_template, request, send_file
from markdown_it import MarkdownIt
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, Conflict, NotFound, ServiceUnavailable
from werkzeug.wrappers import Response as AnyResponse

from companion.app.game_index import BestRound, GameSummary, KnownGame, Season, groups, season
from companion.app.state import AppState, NoGameError, event_lines
from companion.game.game import Game
from companion.game.told import SHOWN_SUFFIX
from companion.log.journal import JournalError
from companion.storage.game_folders import NewZip
from companion.web.access import needs_pin
from companion.web.api import app_state
from companion.web.changing import changes, expect_game
from companion.web.forms import read_body
from companion.web.guard import in_turn, my_turn
from companion.web.languages import gettext as _
from companion.web.languages import show_clock, show_day, show_decimal
from companion.web.plays import PICTURE, changes_of, pictures_folder, trail_text
from companion.web.score_sheet import as_csv, plain_cell, score_picture, summary_text
from companion.web.score_sheet import summary_text as as_text_sheet
from companion.web.texts import disk_fault, why_of
from companion.web.wording import rules_name

AT_A_TIME = 2

AGAIN_S = 30
"""When somebody who found all places taken may ask again."""

Pack = Callable[[IO[bytes]], None]
"""Writes the download into an open file."""


class DownloadSlots:
    """Limits how many downloads of one kind run at a time. Thread-safe."""

    def __init__(self, most: int = AT_A_TIME) -> None:
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> Callable[[], None]:
        """A function that gives the place back, however often it is called. Raises ServiceUnavailable."""
        if not self._free.acquire(blocking=False):
            sentence = _("Somebody else is downloading. Try again in half a minute.")
            raise ServiceUnavailable(sentence, retry_after=AGAIN_S)
        once = threading.Lock()

        def give_back() -> None:
            if once.acquire(blocking=False):
                self._free.release()

        return give_back


class Packed:
    """A packed file on the disk, without a name. Several may read it at once."""

    def __init__(self, pack: Pack, folder: Path | None) -> None:
        """In `folder`; where that does not take it, where the system keeps temporary ones, or in memory if it is small.
        Raises OSError."""
        self._descriptor = _packed(pack, (partial(_unnamed, folder), partial(_unnamed, None), _in_memory))
        self.size = os.fstat(self._descriptor).st_size
        self.close = weakref.finalize(self, os.close, self._descriptor)

    def reader(self, closed: Callable[[], None] = lambda: None) -> SharedFile:
        """The file from its beginning, with a place of its own; `closed` is called when it is closed."""
        return SharedFile(os.dup(self._descriptor), self.size, closed)


def _packed(pack: Pack, places: Sequence[Callable[[], IO[bytes]]]) -> int:
    """The file, at the first place that takes it. Raises the first one's OSError."""
    place, *others = places
    try:
        with place() as file:
            pack(file)
            file.truncate()
            return os.dup(file.fileno())
    except OSError as fault:
        if others:
            with suppress(OSError):
                return _packed(pack, others)
        raise fault


def _unnamed(folder: Path | None) -> IO[bytes]:
    return tempfile.TemporaryFile(dir=folder)


IN_MEMORY = 32 * 2**20
"""Bytes that a box with a full disk gives to one download."""


def _in_memory() -> IO[bytes]:
    file = os.fdopen(os.memfd_create("download", os.MFD_ALLOW_SEALING), "w+b")
    file.truncate(IN_MEMORY)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW)
    return file


class SharedFile(io.RawIOBase):
    """Reads a file that others read too: it keeps its own place."""

    def __init__(self, descriptor: int, size: int, closed: Callable[[], None]) -> None:
        self._descriptor, self._size, self._when_closed = descriptor, size, closed
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = os.pread(self._descriptor, len(buffer), self._at)
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
            self._when_closed()
        super().close()


def send(packed: Packed, name: str, give_back: Callable[[], None]) -> Response:
    """The file as an answer; the place is given back when the last byte is sent or the reader has gone."""
    response = send_file(
        packed.reader(give_back),  # type: ignore[arg-type]
        mimetype="application/zip",
        as_attachment=True,
        download_name=name,
    )
    response.content_length = packed.size
    response.call_on_close(give_back)
    return response


def send_once(pack: Pack, name: str, folder: Path | None, places: DownloadSlots) -> Response:
    """Pack it for this one reader. Raises ServiceUnavailable where nothing can be packed just now."""
    give_back = places.take()
    try:
        packed = Packed(pack, folder)
    except OSError as fault:
        give_back()
        raise disk_fault(fault, _("It could not be packed: %(why)s"), retry_after=AGAIN_S) from None
    except BaseException:
        give_back()
        raise
    answer = send(packed, name, give_back)
    packed.close()
    return answer


source = Blueprint("source", __name__)

PACKAGE = Path(__file__).resolve().parents[1]
CLONE = PACKAGE.parent
"""The folder of the whole source, where the program runs from it."""
FOLDERS = ("companion", "vision", "hardware", "datasets", "models", "deploy", "bench", "tests", "docs")
FILES = ("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", "constraints.txt")
LEFT_OUT = ("__pycache__",)


def write_source(into: IO[bytes]) -> None:
    """A zip of the folders and files of the project that are there; of an installed wheel, of its one package. Other
    files beside that are not ours."""
    folders = FOLDERS if is_clone() else (PACKAGE.name,)
    with NewZip(into) as archive:
        for folder in folders:
            for path in sorted((CLONE / folder).rglob("*")):
                if path.is_file() and not any(part in LEFT_OUT for part in path.parts):
                    archive.write(path, Path("tabletop-companion") / path.relative_to(CLONE))
        for name in FILES if is_clone() else ():
            if (CLONE / name).is_file():
                archive.write(CLONE / name, Path("tabletop-companion") / name)


def is_clone() -> bool:
    """Whether the program runs from a folder of its source, and is not an installed wheel."""
    return (CLONE / "pyproject.toml").is_file()


class SourceArchive:
    """The packed source: made when it is first asked for, then kept as long as the page runs."""

    def __init__(self) -> None:
        self.places = DownloadSlots()
        self._lock = threading.Lock()
        self._packed: Packed | None = None

    def packed(self, folder: Path | None) -> Packed:
        """Raises OSError."""
        with self._lock:
            if self._packed is None:
                self._packed = Packed(write_source, folder)
            return self._packed


@source.get("/source")
def download() -> Response:
    """The source that this box runs, as a zip (AGPL-3.0)."""
    app_state: AppState = current_app.extensions["companion_state"]
    archive: SourceArchive = current_app.extensions["companion_source"]
    give_back = archive.places.take()
    try:
        packed = archive.packed(app_state.data_dir)
    except OSError as fault:
        give_back()
        raise disk_fault(fault, _("It could not be packed: %(why)s"), retry_after=AGAIN_S) from None
    return send(packed, "tabletop-companion.zip", give_back)


manual = Blueprint("manual", __name__)

ROOT = CLONE if is_clone() else PACKAGE
"""Where the documents lie: a wheel has them in its one package (deploy/one_name.py)."""
FIRST = (
    "first-evening",
    "camera-and-light",
    "troubleshooting",
    "house-rules",
    "rules",
    "install",
    "commands",
    "mqtt",
    "hall",
)
"""Documents that people at a table look for, in this order; all others come behind."""

LINK = re.compile(r'href="([^":#?]*/)?([\w-]+)\.md(#[\w-]*)?"')
PICTURE_TAG = re.compile(r"<img [^>]*?alt=\"([^\"]*)\"[^>]*>")


@cache
def documents() -> dict[str, Path]:
    """Name in the address -> file, where the documents were installed."""
    found = {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}
    found |= {path.stem.lower(): path for path in sorted((ROOT / "hardware").glob("*.md"))}
    if (ROOT / "deploy/README.md").is_file():
        found["deploy"] = ROOT / "deploy/README.md"
    first = [name for name in FIRST if name in found]
    return {name: found[name] for name in (*first, *(name for name in found if name not in first))}


def title_of(path: Path) -> str:
    """The first heading."""
    with path.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").strip() for line in lines if line.startswith("# ")), path.stem)


def rendered(path: Path) -> Markup:
    """The document as HTML; links to other documents lead to their pages, pictures are named only."""
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(path.read_text(encoding="utf-8"))

    def target(match: re.Match[str]) -> str:
        folder, stem, place = match[1] or "", match[2], match[3] or ""
        name = "deploy" if stem == "README" and "deploy" in (folder or str(path.parent)) else stem
        name = name if name in documents() else name.lower()
        return f'href="/manual/{name}{place}"' if name in documents() else 'href="/manual"'

    return Markup(PICTURE_TAG.sub(r"<i>\1</i>", LINK.sub(target, html)))


@manual.get("/manual")
def contents() -> str:
    """The documents that came with the program."""
    return render_template("manual.html", titles={name: title_of(path) for name, path in documents().items()}, tv=False)


@manual.get("/manual/<name>")
def document(name: str) -> str:
    """One of these documents."""
    path = documents().get(name)
    if path is None:
        raise NotFound
    return render_template("manual.html", title=title_of(path), text=rendered(path), tv=False)


games = Blueprint("games", __name__)

MOST_LISTED = 50
"""The newest ones."""

EXPORT_LIMIT = 400 * 1024 * 1024
"""Bytes of pictures in one zip; an evening is far below."""


def look_up(game: str) -> Game:
    """A game to look at; an earlier one is played again for it. Raises NotFound, Conflict."""
    try:
        with nullcontext() if game == app_state().game else my_turn():
            found = app_state().look_up(game)
    except (OSError, ValueError, JournalError) as fault:
        raise Conflict(_("The game cannot be read: %(why)s", why=why_of(fault))) from None
    if found is None:
        raise NotFound(_("We do not know that game."))
    return found


@games.get("/games")
def listing() -> str:
    """All games, the latest first."""
    names = app_state().games(MOST_LISTED)
    if app_state().has_game and app_state().game not in names:
        names.insert(0, app_state().game)
    found = [(name, app_state().known(name)) for name in names[:MOST_LISTED]]
    shown = {"found": found, "unread": None in dict(found).values(), "current": app_state().game, "in_words": _in_words}
    may_delete = app_state().delete_pictures is not None
    return render_template("games.html", **shown, tv=False, may_delete=may_delete)


def _in_words(at: str) -> str:
    begun = _moment(at)
    return "" if begun is None else f"{show_day(begun)}, {show_clock(begun)}"


def day_of(session: Game) -> str:
    """The day on which a game began; "" for a journal that does not say."""
    begun = begun_at(session)
    return "" if begun is None else show_day(begun)


def begun_at(session: Game) -> datetime | None:
    """The moment of a game's first entry, if its journal says."""
    first = next(iter(event_lines(session)), {})
    return _moment(str(first.get("at") or ""))


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        return None


@games.post("/games/<game>/open")
@changes
def reopen(game: str) -> AnyResponse:
    """Put an earlier game on the table again."""
    with app_state().switching:
        if game == app_state().game:
            return redirect("/", 303)
        expect_game(read_body(request), app_state().game)
        try:
            app_state().reopen(game)
        except NoGameError:
            raise NotFound(_("We do not know that game.")) from None
        except (OSError, ValueError, JournalError) as fault:
            raise Conflict(_("The game cannot be opened: %(why)s", why=why_of(fault))) from None
    return redirect("/", 303)


@games.get("/games/<game>/replay")
@in_turn
def replay(game: str) -> str:
    """The table as it was after one entry, with a scrubber through the game."""
    session = look_up(game)
    lines = event_lines(session)
    if not lines:
        raise NotFound(_("Nothing has happened in this game yet."))
    last = lines[-1]["seq"]
    asked = request.args.get("at", "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 9):
        raise BadRequest("The place in the game is a number.")
    at = max(1, min(last, int(asked)))
    line = next((line for line in lines if line["seq"] == at), lines[-1])
    board = session.snapshot(at=at)
    return render_template("replay.html", board=board, line=line, at=at, last=last, name=game, tv=False)


@games.get("/games/<game>/changes")
def changed(game: str) -> str:
    """All changes in a game and around it; everybody may look at them."""
    return render_template("changes.html", rows=changes_of(look_up(game), game), name=game, tv=False)


@games.get("/games/<game>/delete")
def ask_to_delete_game(game: str) -> str:
    """Ask before a game is deleted, and say what goes with it."""
    board = look_up(game).snapshot()
    current = app_state().has_game and game == app_state().game
    return render_template("delete_game.html", board=board, name=game, current=current, tv=False)


@games.post("/games/<game>/delete")
@changes
def delete_game(game: str) -> AnyResponse:
    """Delete an earlier game, for good."""
    with app_state().switching:
        try:
            app_state().delete_game(game)
        except NoGameError:
            raise NotFound(_("We do not know that game.")) from None
        except OSError as fault:
            raise disk_fault(fault, _("The game could not be deleted: %(why)s")) from None
    return redirect("/games", 303)


@games.get("/pictures/delete")
def ask_to_delete() -> str:
    """Ask before all pictures are deleted: they do not come back."""
    return render_template("delete_pictures.html", may_delete=app_state().delete_pictures is not None, tv=False)


@games.post("/pictures/delete")
@changes
def delete_pictures() -> AnyResponse:
    """Delete every picture of every game now; the games stay."""
    delete = app_state().delete_pictures
    if delete is None:
        raise Conflict(_("No pictures are kept here."))
    delete()
    app_state().signal.notify()
    return redirect("/games", 303)


@games.get("/games/<game>/export.zip")
@needs_pin
def export(game: str) -> Response:
    """Journal, pictures, score sheet and what was changed, in one file."""
    folder = pictures_folder(game)
    if folder is None:
        raise NotFound(_("We do not know that game."))
    session = look_up(game)
    trail = trail_text(changes_of(session, game))
    board = session.snapshot()
    day = day_of(session)
    sheets: dict[str, str | bytes] = {
        "scores.txt": as_text_sheet(session, day), "scores.csv": as_csv(board),
        "scores.png": score_picture(board, begun_at(session)),
    }  # fmt: skip

    def pack(into: IO[bytes]) -> None:
        with NewZip(into) as archive:
            for path in _parts(folder):
                kind = zipfile.ZIP_STORED if PICTURE.fullmatch(path.name) else zipfile.ZIP_DEFLATED
                archive.write(path, f"{game}/{path.name}", compress_type=kind)
            archive.writestr(f"{game}/what-was-changed.txt", trail)
            for name, sheet in sheets.items():
                archive.writestr(f"{game}/{name}", sheet)

    return send_once(pack, f"{game}.zip", app_state().data_dir, current_app.extensions["companion_exports"])


def _is_own(path: Path) -> bool:
    """A file of the game's, and no link to one elsewhere."""
    return path.is_file() and not path.is_symlink()


def _parts(folder: Path) -> list[Path]:
    """The journal and what was shown of it first, then its pictures, as many as fit."""
    journals = sorted(path for path in folder.iterdir() if path.suffix in (".jsonl", SHOWN_SUFFIX) and _is_own(path))
    pictures = sorted(path for path in folder.iterdir() if PICTURE.fullmatch(path.name) and _is_own(path))
    room = EXPORT_LIMIT
    kept = []
    for path in pictures:
        room -= path.stat().st_size
        if room < 0:
            break
        kept.append(path)
    return [*journals, *kept]


MOST_GROUPS = 6
"""Show the groups that play most often; more would fill a phone."""


def _summaries(games: Sequence[KnownGame | None]) -> list[GameSummary]:
    return [known.summary for known in games if known is not None and known.summary is not None]


@games.get("/statistics")
def statistics() -> str:
    """The season of everybody, or of the group `with`; with ?faults=1 the certain faults by kind as well."""
    games, group = app_state().counted(), request.args.getlist("with")
    found = _summaries(games)
    shown = {
        "season": season(found, group), "groups": groups(found)[:MOST_GROUPS], "group": tuple(group),
        "unread": None in games, "faults": request.args.get("faults") == "1", "best_text": best_text,
    }  # fmt: skip
    return render_template("statistics.html", **shown, decimal=show_decimal, tv=False)


@games.get("/statistics.csv")
def statistics_table() -> Response:
    """The same for a spreadsheet, in which nothing could say that some games are missing."""
    counted = app_state().counted()
    if None in counted:
        sentence = _("Some games are still being read. Look again in a minute.")
        raise ServiceUnavailable(sentence, retry_after=AGAIN_S)
    response = Response(season_csv(season(_summaries(counted), request.args.getlist("with"))))
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = "attachment; filename=season.csv"
    return response


def best_text(best: BestRound, *, most_points_win: bool) -> str:
    """The season's best round in words: the player and the day."""
    day = show_day(datetime.fromisoformat(best.begun)) if best.begun else "–"
    if most_points_win:
        return _("Best round: %(name)s, %(points)s (%(day)s).", name=best.name, points=best.points, day=day)
    return _(
        "Best round without going out: %(name)s, %(points)s (%(day)s).",
        name=best.name, points=best.points, day=day,
    )  # fmt: skip


def season_csv(found: Season) -> bytes:
    """A line for each player and game, then one for each two who met, in UTF-8 with the mark that spreadsheets know."""
    text = io.StringIO()
    sheet = csv.writer(text)
    sheet.writerow([
        _("Game"), _("Player"), _("Matches"), _("Won"), _("Rounds"), _("Points"), _("Points a round"), _("Best round"),
        _("Worst round"),
    ])  # fmt: skip
    for game in found.standings:
        for one in game.players:
            counts = [one.matches, one.wins, one.rounds, one.points, f"{one.average:.2f}", one.best, one.worst]
            sheet.writerow([plain_cell(rules_name(game.rules)), plain_cell(one.name), *counts])
    sheet.writerow([])
    sheet.writerow([_("Player"), _("Finished ahead"), _("Finished ahead"), _("Player")])
    for met in found.meetings:
        sheet.writerow([plain_cell(met.one), met.ahead, met.behind, plain_cell(met.other)])
    return text.getvalue().encode("utf-8-sig")


sharing = Blueprint("sharing", __name__)


@sharing.get("/share")
def share() -> str:
    """Offer the score of the game on the table to take along."""
    return _page(app_state().session, app_state().game)


@sharing.get("/games/<game>/share")
def share_earlier(game: str) -> str:
    """Offer the score of any game to take along."""
    return _page(look_up(game), game)


def _page(session: Game, game: str) -> str:
    board = session.snapshot()
    shown: dict[str, Any] = {"board": board, "name": game, "text": summary_text(session, day_of(session))}
    return render_template("share.html", **shown, tv=False)


@sharing.get("/games/<game>/scores.png")
@in_turn
def picture(game: str) -> Response:
    """The standing as a picture, made here."""
    session = look_up(game)
    return Response(score_picture(session.snapshot(), begun_at(session)), mimetype="image/png")


@sharing.get("/games/<game>/scores.csv")
def table(game: str) -> Response:
    """The score sheet for a spreadsheet."""
    response = Response(as_csv(look_up(game).snapshot()), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=scores.csv"
    return response
