"""Several courses of the round at once, while the table does not tell which one is true.

A player who draws and passes leaves no more trace than one who draws and then plays; only what the others do next
tells. So every legal telling is kept as a world of its own. The cheapest is the one on record; players it names
against another living world are left unnamed. When a later change kills a world, the record is put right: players are
named, a pass that nobody saw is put in. Nobody is accused as long as one world is legal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.desk.course import Course, doubtful
from companion.desk.stories import Telling, Told, order_of_doubles, tell
from companion.events import Drew, Event, Passed
from companion.notation import Change

MOST_WORLDS = 6
COST_REACH = 3
"""A world that needs so many more turns and passes than the cheapest is no longer believed."""
MOST_EVENTS = 40
"""Since the worlds parted; then the cheapest is held to be true."""


@dataclass(frozen=True, slots=True)
class World:
    """A course, and its `events` since all worlds were one. `cost` counts the turns and passes it needed."""

    course: Course
    events: tuple[Event, ...] = ()
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Mend:
    """What has to be put right in the record: the event at `index` (since the worlds parted) gets these changes.

    `what` is a correction's (events.Corrected).
    """

    index: int
    what: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a change of the table means: `events` to be recorded after the `mends`, and the worlds that live on.

    Once that is done the record since the worlds parted is that of `worlds[0]`; its first `settled` events are in all
    worlds alike and part of them no more.

    Where no world is legal `tellings` are the cheapest faulty ones, the world on record first, `events` is empty.
    """

    worlds: tuple[World, ...]
    events: tuple[Event, ...] = ()
    mends: tuple[Mend, ...] = ()
    tellings: tuple[Telling, ...] = ()
    settled: int = 0

    @property
    def legal(self) -> bool:
        return not self.tellings and bool(self.worlds)


def follow(
    worlds: Sequence[World],
    recorded: Sequence[Event],
    delta: Sequence[Change],
    *,
    flips: Sequence[str] = (),
    discards: Mapping[str, int] | None = None,
) -> Outcome:
    """Let every world explain the change. `worlds[0]` is the one on record, `recorded` its events as they stand."""
    living: list[World] = []
    faulty: list[Told] = []
    for world in worlds:
        told = tell(world.course, delta, flips=flips, discards=discards)
        if told.legal:
            for telling in (*told.tellings, *told.others):
                cost = world.cost + telling.cost[1] + telling.cost[2]
                living.append(World(telling.course, (*world.events, *telling.events), cost))
        elif told.tellings:
            faulty.append(told)
    if not living:
        fewest = min((len(t.tellings[0].blame) for t in faulty), default=0)
        tellings = [one for told in faulty for one in told.tellings if len(told.tellings[0].blame) == fewest]
        return Outcome((), tellings=tuple(tellings))
    living.sort(key=lambda world: world.cost)
    living = [world for world in living if world.cost <= living[0].cost + COST_REACH]
    kept, merged = _distinct(living)
    best = kept[0]
    if len(best.events) > MOST_EVENTS:
        kept = [best]
    smooth = [world for world in kept if _mends(recorded, world.events)[0] is not None]
    if smooth and smooth[0].cost == best.cost:
        best = smooth[0]
        kept = [best, *(world for world in kept if world is not best)]
    mends, start = _mends(recorded, best.events)
    if mends is None:
        mends, start = _told_anew(recorded, best.events)
    named = _names(best, [*kept[1:], *merged])
    events = tuple(_unnamed(event, named.get(n, ())) for n, event in enumerate(best.events[start:], start))
    mends = [*mends, *_namings(recorded, best, named, mends)]
    kept = kept[:MOST_WORLDS]
    settled = len(best.events) if len(kept) == 1 else _alike_from_the_start(kept)
    living = [World(world.course, world.events[settled:], world.cost - kept[0].cost) for world in kept]
    return Outcome(tuple(living), events, tuple(mends), settled=settled)


def _alike_from_the_start(worlds: Sequence[World]) -> int:
    count = 0
    for events in zip(*(world.events for world in worlds), strict=False):
        if any(event != events[0] for event in events):
            break
        count += 1
    return count


def _distinct(worlds: Sequence[World]) -> tuple[list[World], list[World]]:
    """Worlds that differ in what can happen next; those merged into a cheaper one differ only in the past."""
    kept: dict[object, World] = {}
    merged = []
    for world in worlds:
        turn = world.course.turn
        made = None if turn is None else (turn.player, turn.actions, turn.passed is not None, turn.resume)
        sign = (
            world.course.mover,
            made,
            world.course.moved,
            world.course.owed,
            world.course.also,
            order_of_doubles(world.course),
        )
        if sign in kept:
            merged.append(world)
        else:
            kept[sign] = world
    return list(kept.values()), merged


def _mends(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Mend] | None, int]:
    """How the record becomes the first part of `wanted`, and where that part ends; None if it cannot."""
    mends: list[Mend] = []
    at = 0
    for index, event in enumerate(recorded):
        inserted: list[dict[str, Any]] = []
        while at < len(wanted) and isinstance(wanted[at], Passed) and not isinstance(event, Passed):
            inserted.append(_line(wanted[at]))
            at += 1
        if isinstance(event, Passed) and not (at < len(wanted) and _same_pass(event, wanted[at])):
            if event.source != "rule":
                return None, 0
            mends.append(Mend(index, {"withdrawn": True}))
            continue
        if at >= len(wanted) or not _alike(event, wanted[at]):
            return None, 0
        if inserted:
            mends.append(Mend(index, {"insert": inserted}))
        who = _who(event)
        if who is not None and who != getattr(wanted[at], "by", None):
            mends.append(Mend(index, {"by": getattr(wanted[at], "by", None)}))
        at += 1
    return mends, at


def _told_anew(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Mend], int]:
    """The events came in another order: all from the first difference on are withdrawn, and recorded again."""
    same = 0
    for event, other in zip(recorded, wanted, strict=False):
        if not _alike(event, other) or _who(event) != getattr(other, "by", None):
            break
        same += 1
    return [Mend(index, {"withdrawn": True}) for index in range(same, len(recorded))], same


def _alike(one: Event, other: Event) -> bool:
    if one.KIND != other.KIND:
        return False
    if isinstance(one, Drew):
        return True
    return (getattr(one, "tile", None), getattr(one, "train", None)) == (
        getattr(other, "tile", None),
        getattr(other, "train", None),
    )


def _same_pass(one: Event, other: Event) -> bool:
    return isinstance(other, Passed) and getattr(one, "by", None) == other.by


def _who(event: Event) -> str | None:
    """Who it is on record, be it for the time being."""
    by = getattr(event, "by", None)
    maybe = doubtful(event)
    return by if by is not None else maybe[0] if maybe else None


def _line(event: Event) -> dict[str, Any]:
    line = event.to_json()
    return {name: value for name, value in line.items() if name not in ("seq", "at")}


def _names(best: World, others: Sequence[World]) -> dict[int, tuple[str, ...]]:
    """Index of an event of `best` -> everybody who may have been its player, where the worlds differ in it."""
    found: dict[int, tuple[str, ...]] = {}
    acts = [(n, event) for n, event in enumerate(best.events) if not isinstance(event, Passed)]
    for other in others:
        theirs = [event for event in other.events if not isinstance(event, Passed)]
        left = list(theirs)
        for n, event in acts:
            twin = next((one for one in left if _alike(event, one)), None)
            if twin is None:
                continue
            left.remove(twin)
            mine, his = getattr(event, "by", None), getattr(twin, "by", None)
            if mine != his and his is not None and mine is not None:
                found[n] = tuple(dict.fromkeys((*found.get(n, (mine,)), his)))
    return found


def _unnamed(event: Event, names: tuple[str, ...]) -> Event:
    if len(names) < 2 or not hasattr(event, "maybe"):
        return event
    changed: dict[str, Any] = {"by": None, "maybe": names}
    return replace(event, **changed)


def _namings(
    recorded: Sequence[Event], best: World, named: Mapping[int, tuple[str, ...]], mends: Sequence[Mend]
) -> list[Mend]:
    """Players of the record who can be named at last, because no living world says otherwise."""
    touched = {mend.index for mend in mends if "by" in mend.what or "withdrawn" in mend.what}
    found: list[Mend] = []
    at = 0
    wanted = [(n, event) for n, event in enumerate(best.events) if not isinstance(event, Passed)]
    for index, event in enumerate(recorded):
        if isinstance(event, Passed):
            continue
        if any(mend.index == index and "withdrawn" in mend.what for mend in mends):
            break
        n, twin = wanted[at] if at < len(wanted) else (-1, None)
        at += 1
        unnamed = getattr(event, "by", "") is None and bool(doubtful(event))
        if unnamed and index not in touched and n not in named and twin is not None:
            found.append(Mend(index, {"by": getattr(twin, "by", None)}))
    return found
