"""Whose phone this is: asked once, with one tap. The phone's keys then act for that player."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import GameView
from companion.game.seat import Seat
from companion.web.access import SHARED, needs_pin, own_path, who_changes
from companion.web.api import app_state
from companion.web.body import person, read_body

whose = Blueprint("whose", __name__)


def my_seat(board: GameView) -> Seat | None:
    """The player whose phone this is; None: everybody's, a program's, or nobody has said."""
    return board.seat(who_changes())


def says_whose() -> bool:
    """Whether it is known to be no single player's: it lies in the middle, or a program signed in."""
    return bool(session.get("shared") or session.get("program"))


def asks_whose(board: GameView) -> bool:
    """Whether somebody has to say whose phone this is: nobody has, or it was a player's of another game."""
    return my_seat(board) is None and not says_whose()


@whose.get("/whose")
@needs_pin
def ask() -> str:
    """The form for whose phone this is."""
    board = app_state().session.snapshot()
    return render_template("whose.html", board=board, next=own_path(request.args.get("next")), tv=False)


@whose.post("/whose")
@needs_pin
def choose() -> AnyResponse:
    """`name` is a player's, or `SHARED` for a phone that lies in the middle of the table."""
    fields = read_body(request)
    board = app_state().session.snapshot()
    players = [seat.name for seat in board.seats]
    chosen = SHARED if fields.get("name") == SHARED else person(fields, "name", players)
    session.pop("program", None)
    session["shared"] = chosen == SHARED
    if chosen != SHARED:
        session["name"] = chosen
    elif session.get("name") in players:
        del session["name"]
    return redirect(own_path(str(fields.get("next") or "/")), 303)
