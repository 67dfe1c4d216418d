"""A blank tile that was taken for a back: face down there, where no tile of a train can lie face down.

Only the last tile of a train is ever turned over. So what looks like a back exactly between two tiles of which one ends
in a blank is the double blank, or a tile of which nothing can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry.identity import Known
from companion.geometry.joints import Joint, TileShapes, find_joints, value_at
from companion.geometry.ports import JointLimits
from companion.geometry.table_view import SeenHalf

LIMITS = JointLimits(gap=0.25, overlap=0.25, lateral=0.25, angle_deg=20.0)

UNREAD = (SeenHalf(None, 0.0), SeenHalf(None, 0.0))


def turned_up(known: Sequence[Known], length: float, width: float) -> list[Known]:
    """The tiles with such backs face up; their halves are what they were read as before, else unread.

    `length`, `width`: a tile's, in mm.
    """
    backs = {n for n, tile in enumerate(known) if not tile.seen.face_up}
    up = {n for n, tile in enumerate(known) if tile.seen.face_up and tile.seen.halves is not None}
    if not backs or len(up) < 2:
        return list(known)
    shapes = TileShapes.of([tile.seen for tile in known], length, width)
    sides: dict[int, list[tuple[int, int, bool]]] = {}
    for joint in find_joints(shapes, backs | up, limits=LIMITS, one_of=backs):
        back, port, other = _of_a_back(joint, backs)
        if other in up:
            sides.setdefault(back, []).append((port, other, _ends_in_a_blank(shapes, joint, other)))
    out = list(known)
    for back, joined in sides.items():
        if any(blank and a != b and _opposite(shapes, back, p, q) for p, a, blank in joined for q, b, _ in joined):
            old = known[back].old
            halves = UNREAD if old is None or old.seen.halves is None else old.seen.halves
            out[back] = replace(known[back], seen=replace(known[back].seen, face_up=True, halves=halves))
    return out


def _of_a_back(joint: Joint, backs: set[int]) -> tuple[int, int, int]:
    """(the back, its port, the other tile)."""
    return (joint.a, joint.a_port, joint.b) if joint.a in backs else (joint.b, joint.b_port, joint.a)


def _ends_in_a_blank(shapes: TileShapes, joint: Joint, tile: int) -> bool:
    port = joint.a_port if joint.a == tile else joint.b_port
    return all(value in (0, None) for value in value_at(shapes.tiles[tile], shapes.ports[tile][port]))


def _opposite(shapes: TileShapes, tile: int, p: int, q: int) -> bool:
    a, b = shapes.ports[tile][p], shapes.ports[tile][q]
    return a.kind is b.kind and a.normal[0] * b.normal[0] + a.normal[1] * b.normal[1] < -0.5
