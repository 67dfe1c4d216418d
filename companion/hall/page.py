"""The hall's page: every table on one screen, renewed by the browser every three seconds, no script needed."""

from __future__ import annotations

from collections.abc import Collection

from flask import Flask, Response, g, jsonify, render_template, request

from companion.hall.tables import Hall
from companion.web.guard import guard, own_names
from companion.web.languages import LANGUAGES, choose_language, speak_languages
from companion.web.wording import rules_name, set_title, winners_text

YEAR_S = 365 * 24 * 3600


def create_hall_app(hall: Hall, names: Collection[str] | None = None) -> Flask:
    """`/` the page, `/api/hall` the same as JSON, `/health`. Nothing can be changed here."""
    app = Flask(__name__)
    guard(app, own_names() if names is None else names)
    speak_languages(app)
    _remember_language(app)

    @app.get("/")
    def page() -> str:
        words = {"rules_name": rules_name, "set_title": set_title, "winners_text": winners_text}
        return render_template("hall.html", hall=hall.snapshot(), language=g.language, **words)

    @app.get("/api/hall")
    def as_json() -> Response:
        return jsonify(hall.snapshot())

    @app.get("/health")
    def health() -> Response:
        snapshot = hall.snapshot()
        refused = "the broker refuses this user or password"
        reasons = (
            [] if snapshot["connected"] else [refused if snapshot.get("refused") else "the broker cannot be reached"]
        )
        reasons += [f"{table['name']} is not connected" for table in snapshot["tables"] if not table["online"]]
        reasons += [
            f"the game of {table['name']} cannot be read" for table in snapshot["tables"] if not table["readable"]
        ]
        return jsonify({"status": "degraded" if reasons else "ok", "reasons": reasons})

    return app


def _remember_language(app: Flask) -> None:
    @app.before_request
    def choose() -> None:
        g.language = choose_language(request)

    @app.after_request
    def remember(response: Response) -> Response:
        if request.args.get("lang") in LANGUAGES:
            response.set_cookie("lang", request.args["lang"], max_age=YEAR_S, samesite="Lax")
        response.vary.update(("Cookie", "Accept-Language"))
        return response
