"""One telling of the round among several that fit what was seen, and how two of them are held against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.desk.course import Course
from companion.desk.stories import order_of_doubles
from companion.events import Drew, Event, Passed

COST_REACH = 3
"""A world that needs so many more turns and passes than the cheapest is no longer believed."""


@dataclass(frozen=True, slots=True)
class World:
    """A course, and its `events` since all worlds were one. `cost` counts the turns and passes it needed.

    `blame`: (number of the change, player, code) of every fault in it. `others`: (index of an event, player) where
    worlds that came to the same table named somebody else; `unseen`: the same if a draw was overlooked.
    """

    course: Course
    events: tuple[Event, ...] = ()
    cost: int = 0
    faults: int = 0
    blame: frozenset[tuple[int, str, str]] = frozenset()
    others: frozenset[tuple[int, str]] = frozenset()
    unseen: frozenset[tuple[int, str]] = frozenset()


def distinct(worlds: Iterable[World], most: int) -> tuple[World, ...]:
    """Worlds that differ in what can happen next or in who is to blame; the rest lend their names to a cheaper one."""
    ranked = sorted(worlds, key=lambda world: (world.faults, world.cost))
    kept: dict[object, World] = {}
    for world in ranked:
        if (world.faults, world.cost) > (ranked[0].faults, ranked[0].cost + COST_REACH):
            continue
        course, turn = world.course, world.course.turn
        made = None if turn is None else (turn.player, turn.actions, turn.passed is not None, turn.resume)
        sign = (
            course.mover, made, course.moved, course.owed, course.also, order_of_doubles(course), world.blame,
        )  # fmt: skip
        first = kept.get(sign)
        kept[sign] = world if first is None else _merged(first, world)
    return tuple(kept.values())[:most]


def _merged(world: World, other: World) -> World:
    """Both come to the same table; where they count a hand differently it cannot be counted."""
    mine, his = world.course.table.hands, other.course.table.hands
    apart = [player for player in mine if mine[player] != his.get(player)]
    return replace(world, course=world.course.uncounted_among(apart), others=world.others | _disputes(world, other))


def twins(world: World, other: World) -> dict[int, int]:
    """Index of an event of `world` -> index of the same act in `other`, whoever did it there."""
    left = [(n, event) for n, event in enumerate(other.events) if not isinstance(event, Passed)]
    found: dict[int, int] = {}
    for n, event in enumerate(world.events):
        if isinstance(event, Passed):
            continue
        twin = next((one for one in left if same_act(event, one[1])), None)
        if twin is not None:
            left.remove(twin)
            found[n] = twin[0]
    return found


def same_act(one: Event, other: Event) -> bool:
    """Whether both events are the same change of the table."""
    if one.KIND != other.KIND:
        return False
    if isinstance(one, Drew):
        return True
    return (getattr(one, "tile", None), getattr(one, "train", None)) == (
        getattr(other, "tile", None),
        getattr(other, "train", None),
    )


def _disputes(world: World, other: World) -> frozenset[tuple[int, str]]:
    """Where `other` names somebody else than `world`, and all that it disputes itself."""
    found = set()
    for mine, his in twins(world, other).items():
        by = getattr(other.events[his], "by", None)
        if by is not None and by != getattr(world.events[mine], "by", None):
            found.add((mine, by))
        found |= {(mine, name) for n, name in other.others if n == his}
    return frozenset(found)


def names(worlds: Sequence[World]) -> dict[int, tuple[str, ...]]:
    """Index of an event of the first world -> everybody who may have been its player, where that is not one."""
    best = worlds[0]
    found: dict[int, list[str]] = {}
    disputed = set(best.others | best.unseen)
    for other in worlds[1:]:
        disputed |= _disputes(best, other)
    for n, name in sorted(disputed):
        mine = getattr(best.events[n], "by", None)
        row = found.setdefault(n, [mine] if mine is not None else [])
        if name not in row:
            row.append(name)
    return {n: tuple(row) for n, row in found.items() if len(row) > 1}
