"""cz with an empty boneyard: «musí pasovat», and whether a pass opens the track is not said. Somebody may mark the
train and not tap it in: then it is asked, and the answer holds a tile there against nobody."""

from __future__ import annotations

from pathlib import Path

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.tile import Laid
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")
NOTHING_LEFT = {"hand": 18}
"""Three hands of 18 tiles and the engine are the whole double-9."""


def test_a_tile_on_a_train_whose_marker_nobody_tapped_is_asked_about(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("cz", "double-9", NAMES, NOTHING_LEFT), ticking())
    session.start_round(Laid(9, 9), "Ann")
    for tile, train in (((9, 1), "Ann"), ((9, 2), "Ben"), ((9, 3), "Cy")):
        session.play(tile, train, train)
        session.done(train)
    session.cannot_play("Ann")
    session.play((1, 4), "Ann", "Ben")
    (question,) = session.questions
    kinds = [key.kind for key in question.candidates]
    forgotten = next(key for key in question.candidates if key.kind == "missing")
    assert kinds[-2:] == ["so", "order"] and forgotten.events[0]["event"] == "marker_placed"
    assert [(one.code, one.certain) for _, one in session.scoreboard.violations] == [("CLOSED_TRAIN", False)]
    session.answer(question.seq, question.candidates.index(forgotten))
    assert session.questions == () and session.scoreboard.violations == ()
    assert state_of(session)["markers"] == ["Ann"]
