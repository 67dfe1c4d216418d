"""A Chinese line on which a person was quicker than the camera: what was said already is no news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.rules.actions import LEFT, RIGHT
from companion.rules.notation import Change, Laying, Vanishing
from companion.rules.tile import Laid


def line_of(layout: Layout) -> tuple[Laid | None, ...]:
    return tuple(tile.laid for tile in layout.line)


def new_in_line(observation: Observation, seen: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation without what is on record and was not yet `seen`, the line as it was seen last."""
    said = ends_beyond(recorded, seen)
    gone = ends_beyond(seen, recorded)
    if said is None and gone is None:
        return observation
    laid = dict(zip((LEFT, RIGHT), map(list, said or ((), ())), strict=True))
    lost = dict(zip((LEFT, RIGHT), map(list, gone or ((), ())), strict=True))
    delta: list[Change] = []
    for change in observation.delta:
        known: list[Laid | None] = []
        if isinstance(change, Laying):
            known = laid.get(change.train, [])
        elif isinstance(change, Vanishing):
            known = lost.get(change.train, [])
        if isinstance(change, Laying | Vanishing) and change.tile in known:
            known.remove(change.tile)
        else:
            delta.append(change)
    return observation if len(delta) == len(observation.delta) else replace(observation, delta=tuple(delta))


def as_many_as_lie(observation: Observation, lying: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation without new tiles where more would be on record then than lie there: it is a line that was lost
    from sight, or one of which somebody has said that another tile lies there. New is what lies beyond the record."""
    if len(recorded) + len(observation.laid) - len(observation.gone) <= len(lying):
        return observation
    left, right = ends_beyond(lying, recorded) or ((), ())
    new = [*((tile, LEFT) for tile in reversed(left)), *((tile, RIGHT) for tile in right)]
    rest = [change for change in observation.delta if not isinstance(change, Laying)]
    return replace(observation, delta=(*rest, *(Laying(tile, arm) for tile, arm in new if tile is not None)))


def ends_beyond(
    longer: Sequence[Laid | None], shorter: Sequence[Laid | None]
) -> tuple[Sequence[Laid | None], Sequence[Laid | None]] | None:
    """What `longer` has to the left and to the right of `shorter`; None where that is no part of it."""
    for start in range(len(longer) - len(shorter) + 1):
        if list(longer[start : start + len(shorter)]) == list(shorter):
            return longer[:start], longer[start + len(shorter) :]
    return None
