"""What each phone shows of taps that do not fit: whose question it is, *Later*, *I am further on*, and the list that
puts acts in order. All of it works without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, redirect, render_template, request, session
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import SHOWN_FOR, GameView, Line, OwnTurn
from companion.game.seat import Seat
from companion.web.access import author_now, needs_pin, own_path, signed_in, who_changes
from companion.web.api import app_state, run_command
from companion.web.body import number, read_body
from companion.web.changing import changes, table_as_seen
from companion.web.languages import gettext as _
from companion.web.misfits import ACTS, acts_of

settling = Blueprint("settling", __name__)


def settling_state() -> tuple[Any, ...]:
    """What this phone has chosen of it: for whoever keeps what is drawn for one phone."""
    return tuple(session.get("later") or ()), tuple(session.get("further") or ())


def own_turn(board: GameView, me: Seat | None) -> OwnTurn | None:
    """The turn for which the phone of `me` shows its keys: one that is still to come first, unless they are further
    on."""
    if me is None:
        return None
    waiting = next((one for one in board.to_come if one.player == me.name), None)
    return board.turn_of(me.name) if waiting is None or is_further(board, waiting) else waiting


def turn_waiting(board: GameView, me: Seat | None) -> OwnTurn | None:
    """The turn of `me` that is still to come, whether or not they are further on."""
    return next((one for one in board.to_come if me is not None and one.player == me.name), None)


def is_further(board: GameView, waiting: OwnTurn) -> bool:
    return session.get("further") == [app_state().game, board.round, waiting.number]


def is_mine(board: GameView, seq: Any) -> bool:
    """Whether this phone entered that line, or nobody's in particular did, or this is nobody's in particular."""
    play, me = board.play(int(seq or 0)), who_changes()
    author = None if play is None else play.get("author")
    players = [seat.name for seat in board.seats]
    return signed_in() and (author == author_now() or author not in players or me not in players)


def misfits_here(board: GameView) -> tuple[Line | None, tuple[Line, ...]]:
    """The question that this phone asks now, and those that it only counts: another's, later ones, and all of them
    after *Later* until somebody taps again."""
    later = session.get("later") == [app_state().game, _last_tap(board)]
    mine = [] if later else [one for one in board.misfits if is_mine(board, one.get("about"))]
    first = mine[0] if mine else None
    return first, tuple(one for one in board.misfits if one is not first)


def put_before_here(board: GameView) -> tuple[tuple[int, int], ...]:
    """Late taps that were put before others, as long as that is news: for whoever tapped one of the two."""
    laid = [play["seq"] for play in board.lines if play["event"] == "tile_played"]
    return tuple(
        (late, before)
        for late, before in board.put_before
        if sum(seq > late for seq in laid) <= SHOWN_FOR and (is_mine(board, late) or is_mine(board, before))
    )


def _last_tap(board: GameView) -> int:
    return max((play["seq"] for play in board.lines if play["event"] in ACTS), default=0)


@settling.post("/later")
@needs_pin
def later() -> AnyResponse:
    """Fold the questions of this phone until the next tap."""
    fields = read_body(request)
    session["later"] = [app_state().game, _last_tap(app_state().session.snapshot())]
    return redirect(own_path(str(fields.get("next") or "/")), 303)


@settling.post("/further")
@needs_pin
def further() -> AnyResponse:
    """Whoever has a turn still to come taps for a later one from now on; without a number for that one again."""
    fields = read_body(request)
    if fields.get("own_turn") in (None, ""):
        session.pop("further", None)
    else:
        board = app_state().session.snapshot()
        session["further"] = [app_state().game, board.round, number(fields, "own_turn", 1, 999)]
    return redirect(own_path(str(fields.get("next") or "/")), 303)


@settling.post("/api/was-so")
@changes
def was_so() -> AnyResponse:
    """What was put in order without a question was not so: entry `seq` happened as it was tapped."""
    fields = read_body(request)
    seq = number(fields, "seq", 1, 10**9)
    with table_as_seen(fields) as game:
        known = [before for _late, before in game.snapshot().put_before]
        if seq not in known:
            raise BadRequest(_("seq: nothing was put before entry number %(number)s.", number=seq))
        return run_command("was_so", seq, by=who_changes())


@settling.get("/question/<int:seq>/order")
@needs_pin
def order(seq: int) -> str:
    """The acts around a tap that does not fit, to be put in order and sent."""
    board = app_state().session.snapshot()
    question = next((one for one in board.misfits if one["seq"] == seq), None)
    if question is None:
        raise NotFound(_("no. %(seq)s is no open question: somebody answered it, or it settled itself", seq=seq))
    acts = acts_of(board)
    known = [one for one in question.get("order") or () if acts.line(one)]
    row = in_order(request.args.get("order"), known)
    moved = _moved(row)
    return render_template("order.html", board=board, question=question, acts=acts, row=row, moved=moved, tv=False)


def in_order(written: str | None, known: Sequence[int]) -> list[int]:
    """The lines `written` with spaces between, where they are all of the `known` ones; else these as they are."""
    found = [int(one) for one in str(written or "").split() if one.isascii() and one.isdigit() and len(one) < 10]
    return found if sorted(found) == sorted(known) else list(known)


def _moved(row: Sequence[int]) -> list[tuple[str, str]]:
    """For each act the order with it one place up, and one place down; "" where there is no such place."""
    return [(_swapped(row, n - 1), _swapped(row, n)) for n in range(len(row))]


def _swapped(row: Sequence[int], n: int) -> str:
    if not 0 <= n < len(row) - 1:
        return ""
    return " ".join(map(str, [*row[:n], row[n + 1], row[n], *row[n + 2 :]]))
