"""The way in for other phones: the page's address, and this evening's code with it, which lets them play."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, redirect, render_template, request
from werkzeug.exceptions import Gone, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.web.access import evening, let_in, may_invite, signed_in, where_first
from companion.web.evening import LASTS_S
from companion.web.languages import gettext as _
from companion.web.own_address import of_this_machine
from companion.web.qr import qr_svg

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
    """The way in for other phones: the page's numeric address, and for whoever may play already this evening's code
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
