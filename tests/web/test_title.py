"""The title of the browser's tab goes with the table."""

from __future__ import annotations

from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession


def test_the_title_says_whose_turn_it_is_now(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame(turn="Ben"))
    assert "<title>Ben to play – Domino table</title>" in anyone.get("/").text
    session.show(tables.midgame(turn="Cyril"))
    assert anyone.get("/regions").json["title"] == "Cyril to play – Domino table"
    session.show(tables.round_over())
    assert anyone.get("/regions").json["title"] == "Domino table"
