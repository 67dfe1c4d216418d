"""Earlier games: the list, looking at one play by play, taking one away as a zip."""

from __future__ import annotations

import zipfile
from contextlib import nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from flask import Blueprint, Response, current_app, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.app.state import NoGameError, SessionLike, event_lines
from companion.app.statistics import standings
from companion.log.journal import JournalError
from companion.storage.packed import NewZip
from companion.web.access import needs_pin
from companion.web.api import app_state
from companion.web.body import read_body
from companion.web.changing import changes, expect_game
from companion.web.disk import disk_fault, why_of
from companion.web.downloads import send_once
from companion.web.fonts import NoFontError
from companion.web.languages import gettext as _
from companion.web.languages import show_clock, show_day, show_decimal
from companion.web.plays import PICTURE, pictures_folder
from companion.web.score_picture import score_picture
from companion.web.summary import as_csv
from companion.web.summary import as_text as as_text_sheet
from companion.web.trail import as_text, changes_of
from companion.web.turns import in_turn, my_turn

games = Blueprint("games", __name__)

MOST_LISTED = 50
"""The newest ones; a journal is read once for the list, and again when it has changed."""

EXPORT_LIMIT = 400 * 1024 * 1024
"""Bytes of pictures in one zip; an evening is far below."""


def look_up(game: str) -> SessionLike:
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
@in_turn
def listing() -> str:
    """All games, the latest first."""
    found: list[dict[str, Any]] = []
    names = app_state().games(MOST_LISTED)
    if app_state().has_game and app_state().game not in names:
        names.insert(0, app_state().game)
    for name in names[:MOST_LISTED]:
        about: dict[str, Any] = {"name": name, "current": name == app_state().game, "fault": None}
        try:
            summary = app_state().summary(name)
            found.append({**about, "about": summary, "begun": "" if summary is None else _in_words(summary.begun)})
        except Exception as fault:  # one broken file must not hide the others
            found.append({**about, "about": None, "fault": why_of(fault)[:300]})
    may_delete = app_state().delete_pictures is not None
    return render_template("games.html", found=found, tv=False, may_delete=may_delete)


@games.get("/statistics")
@in_turn
def statistics() -> str:
    """Wins, averages, best and worst rounds over all games; with ?faults=1 the certain faults by kind as well."""
    found = standings(app_state().match_records())
    faults = request.args.get("faults") == "1"
    return render_template("statistics.html", found=found, faults=faults, decimal=show_decimal, tv=False)


def _in_words(at: str) -> str:
    begun = _moment(at)
    return "" if begun is None else f"{show_day(begun)}, {show_clock(begun)}"


def day_of(session: SessionLike) -> str:
    """The day on which a game began; "" for a journal that does not say."""
    begun = begun_at(session)
    return "" if begun is None else show_day(begun)


def begun_at(session: SessionLike) -> datetime | None:
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
    """What was changed in a game and around it; everybody may look at it."""
    return render_template("changes.html", rows=changes_of(look_up(game), game), name=game, tv=False)


@games.get("/games/<game>/delete")
def ask_to_delete_game(game: str) -> str:
    """Asks first, and says what goes with it."""
    board = look_up(game).snapshot()
    current = app_state().has_game and game == app_state().game
    return render_template("delete_game.html", board=board, name=game, current=current, tv=False)


@games.post("/games/<game>/delete")
@changes
def delete_game(game: str) -> AnyResponse:
    """An earlier game, for good."""
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
    """Asks first: pictures do not come back."""
    return render_template("delete_pictures.html", may_delete=app_state().delete_pictures is not None, tv=False)


@games.post("/pictures/delete")
@changes
def delete_pictures() -> AnyResponse:
    """Every picture of every game, now; the games stay."""
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
    trail = as_text(changes_of(session, game))
    board = session.snapshot()
    day = day_of(session)
    sheets: dict[str, str | bytes] = {"scores.txt": as_text_sheet(board, day), "scores.csv": as_csv(board)}
    with suppress(NoFontError):
        sheets["scores.png"] = score_picture(board, day)

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
    """The journal first, then its pictures, as many as fit."""
    journals = sorted(path for path in folder.glob("*.jsonl") if _is_own(path))
    pictures = sorted(path for path in folder.iterdir() if PICTURE.fullmatch(path.name) and _is_own(path))
    room = EXPORT_LIMIT
    kept = []
    for path in pictures:
        room -= path.stat().st_size
        if room < 0:
            break
        kept.append(path)
    return [*journals, *kept]
