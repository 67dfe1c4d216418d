"""The page on a phone's home screen: the manifest, and what a browser allows there with https and without."""

from __future__ import annotations

from flask import Blueprint, Response, json, render_template, url_for

from companion.web.languages import current_language
from companion.web.languages import gettext as _

home_screen = Blueprint("home_screen", __name__)

GROUND = "#12352c"
"""The icon's own."""


@home_screen.get("/manifest.webmanifest")
def manifest() -> Response:
    """What a browser asks for when the page is put on the home screen."""
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
        "scope": "/", "display": "standalone", "background_color": GROUND, "theme_color": GROUND, "icons": icons,
    }  # fmt: skip
    return Response(json.dumps(said), mimetype="application/manifest+json")


@home_screen.get("/home-screen")
def explained() -> str:
    """How the page gets there, and what a box without a certificate cannot do."""
    return render_template("home_screen.html", tv=False)
