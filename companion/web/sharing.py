"""Taking the score along: a picture to send, a text to copy, a table for a spreadsheet. Everybody may."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, render_template
from werkzeug.exceptions import Conflict

from companion.app.state import SessionLike
from companion.web.api import app_state
from companion.web.fonts import NoFontError
from companion.web.games import day_of, look_up
from companion.web.languages import gettext as _
from companion.web.score_picture import can_be_drawn, score_picture
from companion.web.summary import as_csv, as_text

sharing = Blueprint("sharing", __name__)


@sharing.get("/share")
def share() -> str:
    """What may be taken along of the game on the table."""
    return _page(app_state().session, app_state().game)


@sharing.get("/games/<game>/share")
def share_earlier(game: str) -> str:
    """The same of any game."""
    return _page(look_up(game), game)


def _page(session: SessionLike, game: str) -> str:
    board = session.snapshot()
    shown: dict[str, Any] = {"board": board, "name": game, "text": as_text(board, day_of(session))}
    return render_template("share.html", **shown, drawn=can_be_drawn(board, day_of(session)), tv=False)


@sharing.get("/games/<game>/scores.png")
def picture(game: str) -> Response:
    """The standing as a picture, made here."""
    session = look_up(game)
    try:
        made = score_picture(session.snapshot(), day_of(session))
    except NoFontError:
        raise Conflict(_("This box has no font for some of these letters.")) from None
    return Response(made, mimetype="image/png")


@sharing.get("/games/<game>/scores.csv")
def table(game: str) -> Response:
    """The score sheet for a spreadsheet."""
    response = Response(as_csv(look_up(game).snapshot()), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=scores.csv"
    return response
