"""The difference between what is on record and what is believed now, as corrections of lines and new events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.log.events import Drew, Event, Passed
from companion.play.event_actions import unsettled


@dataclass(frozen=True, slots=True)
class Amendment:
    """What has to be put right in the record: the event at `index` gets these changes (a correction's `what`)."""

    index: int
    what: Mapping[str, Any]


def amendments(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Amendment], int, bool]:
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
    changed = [one for n in range(same) if (one := amendment(n, recorded[n], wanted[n])) is not None]
    return [*changed, *(Amendment(n, {"withdrawn": True}) for n in range(same, len(recorded)))], same, False


def amendment(index: int, event: Event, wanted: Event) -> Amendment | None:
    """The record's event as it is wanted: named, unnamed, or with other things held against somebody."""
    if unsettled(wanted):
        fields = ("by", "maybe", "violations")
        if all(getattr(event, name) == getattr(wanted, name) for name in fields):
            return None
        line = wanted.to_json()
        changes = {n: line[n] for n in fields if n in line}
        return Amendment(index, {"by": None, "maybe": [], "violations": [], **changes})
    by = getattr(wanted, "by", None)
    if unsettled(event):
        # What was held to be possible is worked out anew.
        return Amendment(index, {"by": by, "violations": []} if hasattr(event, "violations") else {"by": by})
    return Amendment(index, {"by": by}) if getattr(event, "by", None) != by else None


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


def _in_step(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Amendment], int] | None:
    found: list[Amendment] = []
    at = 0
    for index, event in enumerate(recorded):
        inserted: list[dict[str, Any]] = []
        while at < len(wanted) and isinstance(wanted[at], Passed) and not _same(event, wanted[at]):
            inserted.append(wanted[at].to_insert())
            at += 1
        if isinstance(event, Passed) and not (at < len(wanted) and _same(event, wanted[at])):
            if event.source != "rule" or inserted:
                return None
            found.append(Amendment(index, {"withdrawn": True}))
            continue
        if at >= len(wanted) or not _same(event, wanted[at]):
            return None
        if inserted:
            found.append(Amendment(index, {"insert": inserted}))
        changed = amendment(index, event, wanted[at])
        if changed is not None:
            found.append(changed)
        at += 1
    return found, at


def _same(event: Event, wanted: Event) -> bool:
    """Whether this is the same thing on record, whoever did it; a pass is somebody's own."""
    if isinstance(event, Passed) and isinstance(wanted, Passed):
        return _who(event) == _who(wanted)
    return same_act(event, wanted)


def _who(event: Event) -> str | None:
    by: str | None = getattr(event, "by", None)
    maybe: tuple[str, ...] = getattr(event, "maybe", ())
    return by if by is not None else maybe[0] if maybe else None
