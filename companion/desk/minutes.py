"""What goes on record of several worlds: the cheapest one's events, as far as the others agree.

Where the worlds name different players nobody is named; where they do not all find the same fault it is "one of
these". As worlds fall the record is put right: players are named, faults become certain or go, a pass that nobody saw
is put in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.desk.acts import meant, unsettled
from companion.desk.course import Course
from companion.desk.history import COUNTED
from companion.desk.misfits import Clarity, proved, with_proved
from companion.desk.worlds import World, names, same_act, twins
from companion.event_fields import Finding
from companion.events import Event, Passed
from companion.position import Position
from companion.tile import Tile
from companion.violation import Violation

Charge = tuple[str, str]
"""(code, player)."""

READ_TWICE = frozenset({str(Violation.DUPLICATE_TILE), str(Violation.MULTIPLICITY)})
"""A tile that is seen more often than the box has it is first of all misread. Source: docs/rules.md 5.1."""

OWN_KEYS = 2_000_000
"""Keys of the events whose charges are worked out lie above this."""


@dataclass(frozen=True, slots=True)
class Mend:
    """What has to be put right in the record: the event at `index` (since the worlds parted) gets these changes.

    `what` is a correction's (events.Corrected).
    """

    index: int
    what: Mapping[str, Any]


def minutes(
    charges: Charges,
    worlds: Sequence[World],
    *,
    clouded: bool = False,
    clarity: Clarity | None = None,
    twice: Collection[Tile] = (),
) -> tuple[Event, ...]:
    """The events of the first world with the names and faults on which all of them agree.

    `clouded`: not all that lies on the table was understood; then nothing is certain but what one picture proves.
    `clarity` says how the tiles were seen, `twice` which of them surely lie there twice (desk.misfits).
    """
    base, best = charges.base, worlds[0]
    named = names(worlds)
    told: list[Event] = []
    charged = [charges.of(world.events) for world in worlds] if any(world.faults for world in worlds) else []
    beside = [_beside(best, world, found) for world, found in zip(worlds, charged, strict=True)] if charged else []
    table = base.position
    lying = proved(base.rules, table, best.events, clarity or Clarity(), twice) if isinstance(table, Position) else {}
    for n, event in enumerate(best.events):
        who = named.get(n, ())
        lies, weighed = lying.get(n, ()), _weighed([row.get(n, frozenset()) for row in beside], clouded)
        # A tile where it may not lie that does not even fit there is two faults in one. As likely somebody who may lay
        # there laid it, after a turn with a fault of its own.
        twofold = bool(weighed) and not {one.code for one in weighed}.issuperset(lies)
        if twofold:
            weighed = tuple(replace(one, certain=False) for one in weighed)
        found = with_proved(weighed, lies)
        open_ = any(not finding.certain for finding in found)
        turn_doubted = twofold or (any(one.certain for one in found) and any(one.code in COUNTED for one in found))
        if turn_doubted or (clouded and found and not who) or str(Violation.DUPLICATE_TILE) in lies:
            # What is not understood may have left others free to do it. And whose turn it is rests on every draw and
            # marker seen: where the play breaks that order as well, it may have been anybody's. Of two equal tiles
            # either may be the wrong one.
            who = tuple(dict.fromkeys((*(who or meant(event)), *base.players)))
        if turn_doubted or n in {place for place, _ in best.unseen}:
            found = tuple(replace(one, by=None) if one.certain else one for one in found)
        if hasattr(event, "maybe") and (who or open_ or (found and unsettled(event))):
            by = None if who else getattr(event, "by", None)
            candidates = who or meant(event)
            blamed = [finding.by for finding in found if finding.by is not None]
            changed: dict[str, Any] = {
                "by": by,
                "maybe": tuple(dict.fromkeys((*candidates, *blamed))),
                "violations": found,
            }
            event = replace(event, **changed)
        told.append(event)
    return tuple(told)


class Charges:
    """What is held against whom in the worlds that start at `base`; what they share is worked out once."""

    def __init__(self, base: Course) -> None:
        self.base = base
        self._first = 1 + max((*(base.turn.keys if base.turn is not None else ()), OWN_KEYS))
        self._known: dict[tuple[int, ...], _Charged] = {(): _Charged(base)}

    def of(self, events: Sequence[Event]) -> dict[int, frozenset[Charge]]:
        """Index of an event -> the charges, where the course goes on like this."""
        ids = tuple(map(id, events))
        done = next(n for n in range(len(ids), -1, -1) if ids[:n] in self._known)
        state = self._known[ids[:done]]
        for n in range(done, len(ids)):
            state = self._after(state, n, events)
            self._known[ids[: n + 1]] = state
        return {n: charge for n, charge in state.found.items() if charge}

    def _after(self, state: _Charged, n: int, events: Sequence[Event]) -> _Charged:
        step = state.course.take(events[n], self._first + n)
        found = {**state.found, n: _charges(step.findings, events[n])}
        for key, late in step.late.items():
            if key >= self._first:
                found[key - self._first] = _charges(late, events[key - self._first])
        return _Charged(step.course, found, (*state.events, events[n]))


@dataclass(frozen=True, slots=True)
class _Charged:
    """A course with the charges of its events, which are kept so that their ids stay theirs."""

    course: Course
    found: Mapping[int, frozenset[Charge]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()


def _charges(findings: Sequence[Finding], event: Event) -> frozenset[Charge]:
    return frozenset((finding.code, finding.by or str(getattr(event, "by", ""))) for finding in findings)


def _beside(best: World, world: World, found: Mapping[int, frozenset[Charge]]) -> dict[int, frozenset[Charge]]:
    """The charges of `world` at the events of `best`; what has no twin there stands at the next event that has one."""
    if world is best:
        return dict(found)
    places = {his: mine for mine, his in twins(best, world).items()}
    moved: dict[int, frozenset[Charge]] = {}
    for his, charge in found.items():
        mine = next((places[n] for n in range(his, len(world.events)) if n in places), None)
        if mine is None:
            mine = max(places.values(), default=len(best.events) - 1)
        moved[mine] = moved.get(mine, frozenset()) | charge
    return moved


def _weighed(rows: Sequence[frozenset[Charge]], clouded: bool) -> tuple[Finding, ...]:
    """One row of charges for each world: a code in all of them is certain, its player too where there is only one."""
    if not rows:
        return ()
    codes = sorted({code for row in rows for code, _ in row})
    found: list[Finding] = []
    for code in codes:
        players = sorted({player for row in rows for what, player in row if what == code})
        if all(any(what == code for what, _ in row) for row in rows):
            sure = code not in COUNTED and code not in READ_TWICE and not clouded
            found.append(Finding(code, certain=sure, by=players[0] if len(players) == 1 or not sure else None))
        else:
            found.extend(Finding(code, certain=False, by=player) for player in players)
    return tuple(found)


def mends(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Mend], int, bool]:
    """How the record becomes the first part of `wanted`, where that part ends, and whether it did so smoothly.

    Where the acts came in another order all from the first difference on are withdrawn and recorded again.
    """
    smooth = _in_step(recorded, wanted)
    if smooth is not None:
        return *smooth, True
    same = 0
    for event, other in zip(recorded, wanted, strict=False):
        if not _same(event, other):
            break
        same += 1
    changed = [one for n in range(same) if (one := _changed(n, recorded[n], wanted[n])) is not None]
    return [*changed, *(Mend(n, {"withdrawn": True}) for n in range(same, len(recorded)))], same, False


def _in_step(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Mend], int] | None:
    found: list[Mend] = []
    at = 0
    for index, event in enumerate(recorded):
        inserted: list[dict[str, Any]] = []
        while at < len(wanted) and isinstance(wanted[at], Passed) and not _same(event, wanted[at]):
            inserted.append(_line(wanted[at]))
            at += 1
        if isinstance(event, Passed) and not (at < len(wanted) and _same(event, wanted[at])):
            if event.source != "rule" or inserted:
                return None
            found.append(Mend(index, {"withdrawn": True}))
            continue
        if at >= len(wanted) or not _same(event, wanted[at]):
            return None
        if inserted:
            found.append(Mend(index, {"insert": inserted}))
        changed = _changed(index, event, wanted[at])
        if changed is not None:
            found.append(changed)
        at += 1
    return found, at


def _changed(index: int, event: Event, wanted: Event) -> Mend | None:
    """The record's event as it is wanted: named, unnamed, or with other things held against somebody."""
    if unsettled(wanted):
        fields = ("by", "maybe", "violations")
        if all(getattr(event, name) == getattr(wanted, name) for name in fields):
            return None
        line = wanted.to_json()
        return Mend(index, {"by": None, "maybe": [], "violations": [], **{n: line[n] for n in fields if n in line}})
    by = getattr(wanted, "by", None)
    if unsettled(event):
        # What was held to be possible is worked out anew.
        return Mend(index, {"by": by, "violations": []} if hasattr(event, "violations") else {"by": by})
    return Mend(index, {"by": by}) if getattr(event, "by", None) != by else None


def _same(event: Event, wanted: Event) -> bool:
    """Whether this is the same thing on record, whoever did it; a pass is somebody's own."""
    if isinstance(event, Passed) and isinstance(wanted, Passed):
        return _who(event) == _who(wanted)
    return same_act(event, wanted)


def _who(event: Event) -> str | None:
    by: str | None = getattr(event, "by", None)
    maybe: tuple[str, ...] = getattr(event, "maybe", ())
    return by if by is not None else maybe[0] if maybe else None


def _line(event: Event) -> dict[str, Any]:
    return {name: value for name, value in event.to_json().items() if name not in ("seq", "at")}
