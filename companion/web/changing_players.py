"""In the middle of a match somebody joins, goes home or takes another chair: said first, then done in one go.

A journal is of fixed players. So the match goes on in a new game, to which everybody brings the points won so far; the
game until now stays under Games as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import Any

from flask import Blueprint, redirect, render_template, request
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import GameView
from companion.game.seat import colours_kept
from companion.log.journal import JournalError
from companion.web.access import needs_pin, signed_in
from companion.web.api import app_state
from companion.web.body import number, read_body
from companion.web.changing import changes, expect_game
from companion.web.disk import disk_fault
from companion.web.languages import gettext as _
from companion.web.refusals import translated
from companion.web.same_page import asked_as
from companion.web.setup import MOST_PLAYERS, players_of

changing_players = Blueprint("changing_players", __name__)

MOST_POINTS = 9999


@dataclass(frozen=True, slots=True)
class Change:
    """Who plays from now on, and with how many points; `left` are those of whoever has gone home by then."""

    players: tuple[str, ...]
    totals: dict[str, int]
    left: dict[str, int]
    effects: tuple[str, ...]


@changing_players.get("/players")
def ask() -> str:
    """The form for who plays on."""
    return _preview(request.args.to_dict()) if "player_1" in request.args and signed_in() else _page(_board())


@changing_players.post("/players")
@needs_pin
def preview() -> AnyResponse | str:
    """What would change, before it does."""
    return _preview(read_body(request))


def _preview(fields: dict[str, Any]) -> str:
    board = _board()
    wanted = change_of(fields, board)
    asked_as("/players", {name: str(value) for name, value in fields.items()})
    return _page(board, wanted)


@changing_players.post("/players/change")
@changes
def change() -> AnyResponse:
    """Go on with these players."""
    fields = read_body(request)
    board = _board()
    wanted = change_of(fields, board)
    rounds = (board.next.round if board.next else board.round or 1) - 1
    header: dict[str, Any] = {
        "rules": board.rules, "set": board.set, "players": list(wanted.players),
        "options": dict(board.options), **colours_kept(wanted.players, board.seats),
        "brought": {"rounds": rounds, "totals": wanted.totals, "left": wanted.left},
    }  # fmt: skip
    try:
        with app_state().switching:
            expect_game(fields, app_state().game)
            app_state().start_game(header)
    except ValueError as refusal:
        raise BadRequest(translated(str(refusal))) from None
    except (JournalError, OSError) as fault:
        raise disk_fault(fault, _("The game could not be written to the disk: %(why)s")) from None
    table = app_state().table
    return redirect("/seats?next=/round-start" if table is not None and table.unseated() else "/round-start", 303)


def _board() -> GameView:
    board = app_state().session.snapshot()
    if board.phase == "match_over":
        raise Conflict(_("The match is over. Begin a new game."))
    if app_state().repository is None or app_state().data_dir is None:
        raise Conflict(_("This page shows one game only. Start new games with `companion serve`."))
    return board


def average(board: GameView) -> int:
    """With what a newcomer begins if nothing else is said: what the others have on average."""
    return round(mean(row.total for row in board.scores)) if board.scores else 0


def change_of(fields: dict[str, Any], board: GameView) -> Change:
    """From the fields `player_1` ... and `points`, which newcomers begin with. Raises FieldError, BadRequest."""
    players = tuple(players_of(fields, board.rules, board.set, board.options))
    before = {row.seat.name: row.total for row in board.scores}
    joined = [name for name in players if name not in before and name not in board.left]
    back = [name for name in players if name in board.left]
    gone = [name for name in before if name not in players]
    points = number(fields, "points", -MOST_POINTS, MOST_POINTS) if joined else 0
    effects = [_("%(name)s joins and begins with %(points)s points.", name=name, points=points) for name in joined]
    effects += [_("%(name)s is back, with %(points)s points.", name=name, points=board.left[name]) for name in back]
    effects += [
        _("%(name)s goes home with %(points)s points, which stay on the sheet.", name=name, points=before[name])
        for name in gone
    ]
    stay = [name for name in before if name in players]
    if [name for name in players if name in before] != stay:
        effects.append(_("The seats are now: %(names)s.", names=", ".join(players)))
    if not effects:
        raise BadRequest(_("Nothing would change."))
    effects.append(_("Everybody else keeps their points."))
    if board.phase in ("playing", "round_over"):
        effects.append(_("The round on the table is not counted and is dealt again."))
    known = {**board.left, **before}
    left = {name: total for name, total in known.items() if name not in players}
    return Change(players, {name: known.get(name, points) for name in players}, left, tuple(effects))


def _page(board: GameView, wanted: Change | None = None) -> str:
    most = max(MOST_PLAYERS if len(board.seats) >= MOST_PLAYERS else len(board.seats) + 2, 4)
    return render_template(
        "players.html",
        board=board,
        change=wanted,
        most=most,
        points=request.values.get("points") or average(board),
        tv=False,
    )
