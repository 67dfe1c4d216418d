"""Guests: how they get in, and how everybody enters their own hand.

The page on a phone's home screen: the manifest, and what a browser allows there with https and without.

The page's numeric address as a QR code: names like `box.local` do not work on every phone.

The way in for other phones: the page's address, and this evening's code with it, which lets them play.

A hand that a phone has photographed: read it, and say in words what was read.

Everybody enters their own hand: without the PIN, by a link for this one round. Nothing of it counts before somebody
with the PIN has looked and tapped Count.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import segno
from flask import Blueprint, Request, Response, current_app, json, redirect, render_template, request, session, url_for
from werkzeug.exceptions import Conflict, Gone, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import GameView
from companion.web.access import (
    LASTS_S,
    evening,
    let_in,
    link_signer,
    may_invite,
    needs_pin,
    round_of_link,
    signed_in,
    where_first,
    who_changes,
)
from companion.web.api import app_state, watched
from companion.web.forms import LONGEST, MAX_NAME, FieldError, asked_as, person, read_body, tiles
from companion.web.guard import my_turn
from companion.web.hands import (
    HandPicture,
    half_read,
    hand_notes,
    hand_picture,
    mark_of,
    shows_the_table,
    tiles_left,
    unread,
)
from companion.web.languages import current_language, ngettext
from companion.web.languages import gettext as _
from companion.web.serving import of_this_machine
from companion.web.texts import translated
from companion.web.uploads import expect_photograph, read_photograph


def qr_svg(address: str) -> bytes:
    """An SVG with the code in black on white, quiet zone included, its squares as large as can be: what is free in it
    goes into correcting errors."""
    out = io.BytesIO()
    segno.make(address, error="l").save(out, kind="svg", border=2, scale=4, dark="#14110c", light="#ffffff")
    return out.getvalue()


inviting = Blueprint("inviting", __name__)


def invitation() -> str:
    """The address that other phones open; "" where this page is reached from this machine alone."""
    settings = current_app.extensions["companion_settings"]
    if settings.address is not None and not of_this_machine(settings.address.now):
        return str(settings.address.now)
    return "" if of_this_machine(request.host) else request.host_url.rstrip("/")


def uninvited_text() -> str:
    """Why no other phone can open this page, and what lets it."""
    settings = current_app.extensions["companion_settings"]
    if settings.address is None or settings.address.here_only:
        return _("Phones cannot join: this page was started for this machine only. Start it with --host 0.0.0.0.")
    return _("Phones cannot join yet: this machine is in no network. Connect it to your Wi-Fi.")


def qr_address(*, watch: bool = False) -> str:
    """Where the QR code for this viewer lies: another address for each code, so that no screen shows an old one."""
    asked = {"of": invitation()} | ({"evening": evening().mark} if may_invite() and not watch else {})
    return f"/qr.svg?{urlencode(asked)}{'&watch=1' if watch else ''}"


@inviting.get("/qr.svg")
def qr() -> Response:
    """The way in for other phones: the page's numeric address, and for phones that may play already this evening's code
    too, unless asked for `watch`."""
    address = invitation()
    if not address:
        raise NotFound("The box does not know its numeric address.")
    plays = may_invite() and not request.args.get("watch")
    response = Response(qr_svg(f"{address}/join/{evening().code}" if plays else address), mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    return response


@inviting.get("/invite")
def invite() -> str:
    """The QR code for the next phone, to play or (`watch`) to look on."""
    watch = bool(request.args.get("watch")) or not may_invite()
    return render_template("invite.html", watch=watch, hours=round(LASTS_S / 3600), tv=False)


@inviting.get("/join/<code>")
def join(code: str) -> AnyResponse:
    """The link in the QR code: this browser may play for this evening."""
    if not evening().lets_in(code):
        raise Gone(_("This code is of another evening. Scan the one that is shown now."))
    if not signed_in():
        let_in()
    return redirect(where_first("/"), 303)


ICON_GROUND = "#12352c"
"""The icon's own."""


@inviting.get("/manifest.webmanifest")
def manifest() -> Response:
    """The web app manifest, for a page on the home screen."""
    icons = [
        {"src": url_for("static", filename="icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        {"src": url_for("static", filename="icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {
            "src": url_for("static", filename="icon-512.png"),
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
    ]
    said = {
        "name": _("Domino table"), "short_name": "Domino", "lang": current_language(), "id": "/", "start_url": "/",
        "scope": "/", "display": "standalone", "background_color": ICON_GROUND, "theme_color": ICON_GROUND,
        "icons": icons,
    }  # fmt: skip
    return Response(json.dumps(said), mimetype="application/manifest+json")


@inviting.get("/home-screen")
def explained() -> str:
    """Explain how to put the page on the home screen, and what a box without a certificate cannot do."""
    return render_template("home_screen.html", tv=False)


def as_typed(board: GameView, hand: Iterable[Sequence[int]]) -> str:
    """A hand as people type it."""
    sign = ":" if board.chinese else "-"
    return " ".join(f"{low}{sign}{high}" for low, high in hand)


def read_hand_of(request: Request, board: GameView) -> Mapping[str, Any]:
    """Read the photograph in the form (`app.games.hand_of`). Raises FieldError, Conflict."""
    repository = app_state().repository
    if repository is None or repository.read_hand is None:
        raise Conflict(_("This box cannot read photographs; type the tiles instead."))
    raw = read_photograph(request)
    if raw is None:
        raise FieldError("photo", _("Choose a photograph first."))
    try:
        with my_turn("companion_readings"):
            return repository.read_hand(raw, {"rules": board.rules, "set": board.set})
    except ValueError as fault:
        raise FieldError("photo", _("The photograph cannot be read: %(why)s", why=translated(str(fault)))) from None


def photo_note(name: str, read: Mapping[str, Any], then: str, replaced: str = "") -> tuple[str, bool]:
    """A sentence on the reading, ending with `then`; and whether neither it nor the text it `replaced` needs a look."""
    found, unread = read.get("found") or (), int(read.get("unreadable") or 0)
    count = len(read.get("tiles") or ())
    note = ngettext("%(name)s: one tile read.", "%(name)s: %(num)s tiles read.", count, name=name)
    if unread:
        note += " " + ngettext(
            "One tile could not be read; add it by hand.", "%(num)s tiles could not be read; add them by hand.", unread
        )
    asked = [half_read(one) for one in found if one["counts"]]
    apart = sum(one["face"] == "up" and not one["counts"] for one in found)
    if apart:
        asked.append(away_text(apart))
    whys = [translated(str(why)) for why in read.get("why") or ()]
    whys += [replaced] if replaced else []
    return " ".join([*filter(None, [note, *asked, *whys]), then]), not (unread or apart or whys)


def away_text(count: int) -> str:
    """A sentence on open tiles that are of no hand."""
    return ngettext(
        "One tile lies away from the hand and is not counted.",
        "%(num)s tiles lie away from the hand and are not counted.",
        count,
    )


def replaced_text(before: object, read: Mapping[str, Any], board: GameView) -> str:
    """A sentence on tiles typed `before` that the photograph, which replaces them, does not show; "" without any."""
    typed = str(before or "").replace(",", " ").replace(";", " ").split()
    left = [sorted(tile) for tile in read.get("tiles") or ()]
    lost = []
    for word in typed:
        try:
            [one] = tiles(word, board.set_max)
            left.remove(sorted(one))
        except (FieldError, ValueError):
            lost.append(word)
    gone = " ".join(lost)
    return _("The photograph took the place of what was typed; it does not show %(tiles)s.", tiles=gone) if lost else ""


guests = Blueprint("guests", __name__)


class GuestHands:
    """The hands that guests have sent for one round of one game, by player. Thread-safe; gone with the round or the
    program."""

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


def sent_otherwise(board: GameView, hands: Mapping[str, Sequence[Sequence[int]]]) -> dict[str, str]:
    """Player -> the hand sent from their own phone, where `hands` has other tiles and the round does not count yet."""
    if board.phase not in ("playing", "round_over"):
        return {}
    others = {}
    for name, sent in hands_sent(board).items():
        theirs = sorted(map(sorted, tiles(sent, board.set_max)))
        if name in hands and sorted(map(sorted, hands[name])) != theirs:
            others[name] = sent
    return others


def link_of(board: GameView) -> str:
    """The path by which everybody enters their hand of this round."""
    return f"/hand/{link_signer(current_app).dumps([app_state().game, board.round])}"


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
    board, mine = _view_of_link(), who_changes() or ""
    by = request.args.get("by", mine if mine in board.players else "")
    return _page(board, by[:MAX_NAME], request.args.get("hand", "")[:LONGEST])


@guests.post("/hand")
def send() -> str:
    """Send a guest's own hand: `by` and `hand`. With a photograph it is read first and comes back to be looked over.
    Where the table says otherwise it comes back once with notes, and is sent when it comes again."""
    expect_photograph(request)
    board = _view_of_link()
    fields = read_body(request)
    player = person(fields, "by", [seat.name for seat in board.seats])
    if fields.get("do") == "read":
        read = read_hand_of(request, board)
        if shows_the_table(read, board):
            raise FieldError("photo", _("This shows the whole table. Photograph your own hand alone."))
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
    """Where the table contradicts this hand alone; of a tile that somebody else has sent too both are told."""
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
    named = round_of_link(current_app, token)
    if app_state().has_game:
        board = app_state().session.snapshot()
        if named == [app_state().game, board.round] and board.phase in ("playing", "round_over"):
            return board
    raise Gone(_("This link is of a round that has been counted. Scan the code of the next one."))
