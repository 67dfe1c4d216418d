"""What arms said of a change is kept with it: a word about another play does not make the camera forget."""

from __future__ import annotations

from pathlib import Path

from companion.game.session import Session
from companion.log.events import Header
from companion.rules.notation import Change, Laying, parse_delta
from companion.rules.tile import Laid
from tests.desk.making import ticking


def laid(inner: int, outer: int, train: str) -> Change:
    return Laying(Laid(inner, outer), train)


def test_a_persons_word_does_not_make_the_desk_forget_arms(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round(starter="Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        session.observe(parse_delta([change]))
    unlike = {laid(12, 4, "MX"): {"Ann": 18, "Cy": 18}}
    session.observe([laid(12, 4, "MX")], arms=unlike, whose={laid(12, 4, "MX"): "Ben"})
    play = session.snapshot()["plays"][-1]
    assert play["by"] is None and play["arm"] == "Ben", "the table says Ann, the arm Ben"
    session.correct(session.snapshot()["plays"][1]["seq"], {"by": "Ann"}, by="Ann")
    play = session.snapshot()["plays"][-1]
    assert play["by"] is None and play["arm"] == "Ben"
