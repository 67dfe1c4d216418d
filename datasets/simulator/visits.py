"""Where hands go in one scene: to the boneyard first, then to what is laid, moved or turned over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.rules.position import Draw
from datasets.simulator.plan import Point
from datasets.simulator.script import Scene, carry_out
from datasets.simulator.tabletop import TableTop

MOST_LATE = 6
"""Frames at most for one player's hand over a long row of tiles."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A player's hand at one place; `draws`: it takes a tile from the boneyard there."""

    player: str
    place: Point
    draws: bool = False


def visits_of(scene: Scene, table: TableTop) -> list[Visit]:
    """The visits of a scene that is about to happen on this table, in order; none where no player does anything."""
    ahead = table.foreseen()
    if scene.acts:
        done = [(player, act, carry_out(ahead, player, act)) for player, act in scene.acts]
        return [Visit(player, place, isinstance(act, Draw)) for player, act, place in done if place is not None]
    if scene.shows is None:
        return []
    scene.do(ahead)
    player = scene.shows[0]
    tiles = ahead.hands.get(player) or ahead.discards.get(player) or ()
    return [Visit(player, lying.center_mm) for lying in tiles]


def before_and_after(visits: Sequence[Visit], early: int, late: int) -> tuple[list[Visit], list[Visit]]:
    """Which visit each frame shows before the table changes, and after it.

    Tiles that are drawn are gone afterwards, so the hand is there before; of two players in one scene the first is.
    """
    first = [visit for visit in visits if visit.player == visits[0].player]
    others = [visit for visit in visits if visit.player != visits[0].player]
    if not others:
        drawn = [visit for visit in visits if visit.draws]
        others = [visit for visit in visits if not visit.draws] or drawn
        first = drawn or others[:1]
    if late > 0:
        late = max(late, min(len(others), MOST_LATE))
    return _spread(first, early), _spread(others, late)


def _spread(visits: Sequence[Visit], frames: int) -> list[Visit]:
    return [visits[n * len(visits) // frames] for n in range(frames)]
