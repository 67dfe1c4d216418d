"""Everybody enters their own hand: without the PIN, by a link for this one round. Nothing of it counts before somebody
with the PIN has looked and tapped Count."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from flask import Blueprint, Response, current_app, redirect, render_template, request, session
from itsdangerous import BadSignature, URLSafeSerializer
from werkzeug.exceptions import Conflict, Gone
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import GameView
from companion.web.access import needs_pin
from companion.web.api import app_state, watched
from companion.web.body import MAX_NAME, person, read_body, tiles
from companion.web.hand_notes import hand_notes, mark_of, tiles_left, unread
from companion.web.hand_photo import as_typed, photo_note, read_hand_of, replaced_text
from companion.web.hand_picture import HandPicture, hand_picture
from companion.web.inviting import invitation
from companion.web.languages import gettext as _
from companion.web.photographs import expect_photograph
from companion.web.qr import qr_svg
from companion.web.returned import LONGEST, FieldError
from companion.web.same_page import asked_as

guests = Blueprint("guests", __name__)


class GuestHands:
    """What guests have sent for one round of one game, by player. Thread-safe; gone with the round or the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._round: tuple[str, int] | None = None
        self._hands: dict[str, str] = {}

    def put(self, game: str, number: int, player: str, hand: str) -> None:
        with self._lock:
            if self._round != (game, number):
                self._round, self._hands = (game, number), {}
            self._hands[player] = hand

    def of(self, game: str, number: int | None) -> Mapping[str, str]:
        with self._lock:
            return dict(self._hands) if self._round == (game, number) else {}


def guest_hands() -> GuestHands:
    found: GuestHands = current_app.extensions["companion_guest_hands"]
    return found


def hands_sent(board: GameView) -> Mapping[str, str]:
    """Player -> the hand that was sent for the round on the table."""
    return guest_hands().of(app_state().game, board.round)


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.secret_key or "", salt="a hand of one round")


def link_of(board: GameView) -> str:
    """The path by which everybody enters their hand of this round."""
    return f"/hand/{_signer().dumps([app_state().game, board.round])}"


@guests.get("/hand/<token>")
def come_in(token: str) -> AnyResponse:
    """The link: this browser may send hands of that round."""
    _round_of(token)
    session["hand"] = token
    return redirect("/hand", 303)


@guests.get("/hand.svg")
@needs_pin
def code() -> Response:
    """The link of this round as a QR code."""
    board = app_state().session.snapshot()
    return Response(qr_svg(f"{invitation() or request.host_url.rstrip('/')}{link_of(board)}"), mimetype="image/svg+xml")


@guests.get("/hand")
def own_hand() -> str:
    """The form for a player's own hand, after the link of the round was opened."""
    board = _view_of_link()
    return _page(board, request.args.get("by", "")[:MAX_NAME], request.args.get("hand", "")[:LONGEST])


@guests.post("/hand")
def send() -> str:
    """`by` and `hand`; with a photograph it is read first and comes back to be looked over. Where the table says
    otherwise it comes back once with notes, and is sent when it comes again."""
    expect_photograph(request)
    board = _view_of_link()
    fields = read_body(request)
    player = person(fields, "by", [seat.name for seat in board.seats])
    if fields.get("do") == "read":
        read = read_hand_of(request, board)
        note, fine = photo_note(
            player, read, _("Check it, then send it."), replaced_text(fields.get("hand"), read, board)
        )
        return _page(board, player, as_typed(board, read.get("tiles") or ()), note, fine, hand_picture(read, board, 0))
    typed = tiles(fields.get("hand"), board.set_max, name="hand")
    hand = as_typed(board, typed)
    notes = _notes(board, player, typed)
    if unread(notes, fields.get("seen")):
        return _page(board, player, hand, notes=notes)
    guest_hands().put(app_state().game, int(board.round or 0), player, hand)
    return _page(board, player, hand, _("Sent. It counts as soon as it is confirmed at the table."), sent=True)


def _notes(board: GameView, player: str, typed: Sequence[tuple[int, int]]) -> dict[str, list[str]]:
    """What the table says otherwise about this hand alone; a tile that somebody else has sent too is said to both."""
    others = {}
    for name, sent in hands_sent(board).items():
        with suppress(FieldError):
            others[name] = tiles(sent, board.set_max)
    others.pop(player, None)
    found = hand_notes(board, {**others, player: typed}, "", watched=watched()).get(player, [])
    out = any(row.seat.name == player and row.hand == 0 for row in board.scores)
    if not typed and not out:
        found = [_("No tile is entered."), *found]
    return {player: found} if found else {}


def _page(
    board: GameView,
    player: str = "",
    hand: str = "",
    note: str = "",
    fine: bool = True,
    picture: HandPicture | None = None,
    notes: Mapping[str, list[str]] | None = None,
    *,
    sent: bool = False,
) -> str:
    asked_as("/hand", {"by": player, "hand": hand})
    repository = app_state().repository
    eye = repository is not None and repository.read_hand is not None
    told = (notes or {}).get(player, [])
    return render_template(
        "own_hand.html",
        board=board, player=player, hand=hand, note=note, fine=fine, picture=picture, sent=sent, eye=eye,
        notes=told, seen=mark_of(notes or {}), left=tiles_left(board), tv=False,
    )  # fmt: skip


def _view_of_link() -> GameView:
    token = session.get("hand")
    if not isinstance(token, str):
        raise Conflict(_("Scan the code of this round first: it is on the phone of whoever counts."))
    return _round_of(token)


def _round_of(token: str) -> GameView:
    """The table, where the link is of the round on it. Raises Gone."""
    try:
        named = _signer().loads(token)
    except BadSignature:
        named = None
    if app_state().has_game:
        board = app_state().session.snapshot()
        if named == [app_state().game, board.round] and board.phase in ("playing", "round_over"):
            return board
    raise Gone(_("This link is of a round that has been counted. Scan the code of the next one."))
