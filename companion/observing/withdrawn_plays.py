"""Tiles that somebody took off the record by a tap, and that lie on the table all the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.log.corrections import withdrawn_corrections
from companion.log.events import Corrected, Event, RoundStarted, TilePlayed
from companion.observing.line_input import ends_beyond
from companion.rules.actions import LEFT, RIGHT
from companion.rules.notation import Change, Laying
from companion.rules.position import Position
from companion.rules.tile import Laid


def undone(events: Sequence[Event]) -> frozenset[tuple[Laid, str]]:
    """(tile, train) of every play of this round that a person has withdrawn and not put back."""
    played: dict[int, tuple[Laid, str]] = {}
    withdrawn: set[int] = set()
    put_back = withdrawn_corrections(events)
    for event in events:
        if isinstance(event, RoundStarted):
            played.clear()
        elif isinstance(event, TilePlayed):
            played[event.seq] = (event.tile, event.train)
        elif isinstance(event, Corrected) and event.source == "person" and event.seq not in put_back:
            if event.what.get("withdrawn") is True:
                withdrawn.add(event.corrects)
            elif "withdrawn" in event.what:
                withdrawn.discard(event.corrects)
    return frozenset(played[seq] for seq in withdrawn & played.keys())


def laid_after_all(
    observation: Observation,
    layout: Layout,
    table: Position,
    withdrawn: Collection[tuple[Laid, str]],
    missed: bool = False,
) -> Observation:
    """What is laid beyond a withdrawn tile shows that it was laid: then it is new as well, before the other.

    Where one lies at the end of its train nobody is contradicted, but nothing is certain either. Where somebody has
    said what lies in its place, that counts. `missed`: what nobody withdrew and is not on record is new in any case.
    """
    clouded = observation.clouded
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        record = table.trains.get(train, ())
        # Beyond what is on record: in the place of a misread tile lies the one that somebody entered instead.
        beyond = [laid for laid in lying[len(record) :] if laid is not None and laid not in record]
        back = [laid for laid in beyond if missed or (laid, train) in withdrawn]
        if not back:
            continue
        new = [change.tile for change in observation.laid if change.train == train]
        reach = max((lying.index(tile) for tile in new if tile in lying), default=-1)
        beneath = [
            laid
            for laid in back
            if laid not in new and (lying.index(laid) < reach or (missed and (laid, train) not in withdrawn))
        ]
        if beneath:
            observation = replace(observation, delta=_in_order(observation.delta, train, beneath, lying))
        clouded = clouded or len(beneath) < len(set(back).difference(new))
    return replace(observation, clouded=clouded)


def laid_in_line_after_all(
    observation: Observation, line: Sequence[Laid | None], recorded: Sequence[Laid], missed: bool = False
) -> Observation:
    """The same in a Chinese line: all that lies beyond what is on record, on an arm where a tile is new or `missed`."""
    arms = ends_beyond(line, recorded)
    if arms is None:
        return observation
    delta: list[Change] = [change for change in observation.delta if not isinstance(change, Laying)]
    for arm, tiles in zip((LEFT, RIGHT), (arms[0][::-1], arms[1]), strict=True):
        new = [change for change in observation.laid if change.train == arm]
        beyond = [Laying(tile, arm) for tile in tiles if tile is not None]
        delta += beyond if (new or missed) and len(beyond) == len(tiles) else new
    return replace(observation, delta=tuple(delta))


def _in_order(
    delta: tuple[Change, ...], train: str, beneath: Collection[Laid], lying: list[Laid | None]
) -> tuple[Change, ...]:
    """The changes with what lies beneath them in a train, all of that train's from the inside out."""
    mine = [change for change in delta if isinstance(change, Laying) and change.train == train]
    start = delta.index(mine[0]) if mine else 0
    tiles = sorted(
        [*beneath, *(change.tile for change in mine)],
        key=lambda tile: lying.index(tile) if tile in lying else len(lying),
    )
    rest = [change for change in delta[start:] if change not in mine]
    return (*delta[:start], *(Laying(tile, train) for tile in tiles), *rest)
