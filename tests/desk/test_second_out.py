"""Two players go out in one lap: nobody has to type that the second one has nothing left either."""

from __future__ import annotations

from pathlib import Path

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.rules.tile import Laid
from tests.shown import state_of

HAND = 10
"""So many tiles each of three players is dealt from a double-9 set."""


def long_train(used: set[frozenset[int]], chain: tuple[Laid, ...] = ()) -> tuple[Laid, ...] | None:
    """A first train of a whole hand, without doubles, of tiles that are not `used`."""
    if len(chain) == HAND:
        return chain
    end = chain[-1].outer if chain else 9
    for value in range(9):
        tile = frozenset((end, value))
        if value != end and tile not in used:
            used.add(tile)
            found = long_train(used, (*chain, Laid(end, value)))
            if found is not None:
                return found
            used.remove(tile)
    return None


def test_a_hand_that_was_played_to_the_end_is_not_asked_for(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("poltava", "double-9", ("Ann", "Ben", "Cy")), ticking())
    session.start_round((9, 9), "Ann")
    used = {frozenset((9, 5))}
    for player in ("Ann", "Ben"):
        for tile in long_train(used) or ():
            session.play(tile, player, by=player)
    session.play((9, 5), "Cy", by="Cy")
    if session.phase == "playing":
        session.pass_turn("Cy")
    assert session.phase == "ended"
    session.show_hand("Cy", [(1, 1), (4, 4)])
    (played,) = state_of(session)["rounds_played"]
    assert played["scores"] == {"Ann": 0, "Ben": 0, "Cy": 10}
