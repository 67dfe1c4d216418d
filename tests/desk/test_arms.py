"""A change keeps the evidence of its arms: a statement about another play does not make the camera forget."""

from __future__ import annotations

from pathlib import Path

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.notation import Change, parse_delta
from companion.rules.position import Play
from companion.rules.tile import Laid
from datasets.bots.watching import table_change
from tests.shown import state_of


def laid(inner: int, outer: int, train: str) -> Change:
    return Play(Laid(inner, outer), train)


def test_a_persons_word_does_not_make_the_desk_forget_arms(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-12", ("Ann", "Ben", "Cy")), ticking())
    session.start_round(starter="Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        session.observe(table_change(parse_delta([change])))
    unlike = {laid(12, 4, "MX"): {"Ann": 18, "Cy": 18}}
    session.observe(table_change([laid(12, 4, "MX")], arms=unlike, whose={laid(12, 4, "MX"): "Ben"}))
    play = state_of(session)["plays"][-1]
    assert play["by"] is None and play["arm"] == "Ben", "the table says Ann, the arm Ben"
    session.correct(state_of(session)["plays"][1]["seq"], {"by": "Ann"}, by="Ann")
    play = state_of(session)["plays"][-1]
    assert play["by"] is None and play["arm"] == "Ben"


def test_a_restart_keeps_the_names_that_arms_gave_and_arms_go_on_naming(tmp_path: Path) -> None:
    path, three = tmp_path / "g.jsonl", ("Ann", "Ben", "Cy")
    session = Game.create(path, Header("reeves", "double-12", three), ticking())
    session.start_round(starter="Ann")
    for change in ("+12-1@Ann", "+12-2@Ben", "+12-3@Cy"):
        session.observe(table_change(parse_delta([change])))
    _seen(session, laid(1, 4, "Ann"), "Ann", three)
    before = _names(session)
    assert before[-1] == ("Ann", "Ann")
    session.close()
    session = Game.open(path, ticking())
    assert _names(session) == before
    _seen(session, laid(2, 6, "Ben"), "Ben", three)
    _seen(session, laid(12, 5, "MX"), "Cy", three)
    assert _names(session) == [*before, ("Ben", "Ben"), ("Cy", "Cy")]
    session.close()


def _names(session: Game) -> list[tuple[str | None, str | None]]:
    """By whom each tile was laid, and whose arm it was."""
    plays = state_of(session)["plays"]
    return [(play["by"], play.get("arm")) for play in plays if play["event"] == "tile_played"]


def _seen(session: Game, change: Change, player: str, players: tuple[str, ...]) -> None:
    unlike = {name: 14 for name in players if name != player}
    session.observe(table_change([change], arms={change: unlike}, whose={change: player}))
