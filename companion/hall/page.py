"""The hall's page: every table on one screen, renewed by the browser every three seconds, no script needed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from flask import Flask, Response, jsonify, render_template

from companion.web.guard import guard, own_names


class HallLike(Protocol):
    def snapshot(self) -> dict[str, Any]: ...


def create_hall_app(hall: HallLike, names: Collection[str] | None = None) -> Flask:
    """`/` the page, `/api/hall` the same as JSON, `/health`. Nothing can be changed here."""
    app = Flask(__name__)
    guard(app, own_names() if names is None else names)

    @app.get("/")
    def page() -> str:
        return render_template("hall.html", hall=hall.snapshot())

    @app.get("/api/hall")
    def as_json() -> Response:
        return jsonify(hall.snapshot())

    @app.get("/health")
    def health() -> Response:
        snapshot = hall.snapshot()
        reasons = [] if snapshot["connected"] else ["the broker cannot be reached"]
        reasons += [f"{table['name']} is not connected" for table in snapshot["tables"] if not table["online"]]
        return jsonify({"status": "degraded" if reasons else "ok", "reasons": reasons})

    return app
