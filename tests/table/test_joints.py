"""Which ports are asked whether they meet: never one too few."""

from __future__ import annotations

import random

import pytest

from bench.stand_ins.seen_tables import LENGTH, WIDTH, tile
from companion.geometry.joints import FAR_LIMITS, LIMITS, JointLimits, TileShapes, find_joints, meeting
from companion.geometry.layout import SeenTile


def strewn(seed: int, count: int = 45) -> list[SeenTile]:
    """Tiles so near each other, at angles near right ones, that many ports meet or nearly do."""
    rng = random.Random(seed)
    return [
        tile(
            rng.uniform(0, 5 * LENGTH),
            rng.uniform(0, 5 * LENGTH),
            rng.choice((0.0, 90.0, 180.0, 270.0)) + rng.gauss(0, 15),
            rng.randint(0, 12),
            rng.randint(0, 12),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("limits", [LIMITS, FAR_LIMITS])
@pytest.mark.parametrize("seed", range(4))
def test_every_pair_of_ports_that_meets_is_among_the_joints(seed: int, limits: JointLimits) -> None:
    shapes = TileShapes.of(strewn(seed), LENGTH, WIDTH)
    near = LENGTH * (1.0 + limits.gap)
    wanted = {
        (a, b, i, j)
        for a in range(len(shapes.tiles))
        for b in range(a + 1, len(shapes.tiles))
        for i, first in enumerate(shapes.ports[a])
        for j, second in enumerate(shapes.ports[b])
        if meeting(first, second, WIDTH, limits) is not None
        and all(abs(x - y) < near for x, y in zip(shapes.tiles[a].center_mm, shapes.tiles[b].center_mm, strict=True))
    }
    joints = find_joints(shapes, range(len(shapes.tiles)), limits=limits)
    assert len(wanted) > 15
    assert {(one.a, one.b, one.a_port, one.b_port) for one in joints} == wanted
    assert [one.order for one in joints] == sorted(one.order for one in joints)
    some = find_joints(shapes, range(len(shapes.tiles)), limits=limits, one_of=(3, 4))
    assert {(one.a, one.b) for one in some} == {(a, b) for a, b, _, _ in wanted if {a, b} & {3, 4}}
    assert find_joints(shapes, [0], limits=limits) == []


def test_a_double_usually_lies_across_its_train() -> None:
    before = tile(600.0, 450.0, 0.0, 12, 5)
    across = tile(600.0 + (LENGTH + WIDTH) / 2, 450.0, 90.0, 5, 5)
    along = tile(600.0 + LENGTH, 450.0, 0.0, 5, 5)
    least = [find_joints(TileShapes.of([before, one], LENGTH, WIDTH), range(2))[0].price for one in (across, along)]
    assert least[0] < least[1]
