"""The players' signs on the page: seat, colour, shape and initials."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.log.header import MOST_COLOURS

SHAPES = 12
"""Players' signs differ in shape, not in colour alone."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place and signs: `index` 1 ... is the seat, `colour` 1 ... gives colour and shape and stays the
    player's own at another seat, `initial` is one or two letters."""

    name: str
    index: int
    initial: str
    colour: int

    @property
    def shape(self) -> int:
        return (self.colour - 1) % SHAPES


def seats_of(players: Sequence[str], colours: Mapping[str, int] | None = None) -> tuple[Seat, ...]:
    """Initials: one letter, two where players share the first. `colours` where they are not those of the seats."""
    firsts = [_letters(name, 1) for name in players]
    return tuple(
        Seat(name, i, first if firsts.count(first) == 1 else _letters(name, 2), (colours or {}).get(name, i))
        for i, (name, first) in enumerate(zip(players, firsts, strict=True), start=1)
    )


def colours_kept(players: Sequence[str], before: Sequence[Seat]) -> dict[str, Any]:
    """The header's field `colours` for a game of these players: who played before keeps their own, anybody else gets
    one that is free; {} where these are the seats' own."""
    kept = {seat.name: seat.colour for seat in before if seat.name in players}
    free = [number for number in range(1, MOST_COLOURS + 1) if number not in kept.values()]
    colours = {name: kept[name] if name in kept else free.pop(0) for name in players}
    return {} if list(colours.values()) == list(range(1, len(players) + 1)) else {"colours": colours}


def _letters(name: str, count: int) -> str:
    """The first letters with the marks that belong to them."""
    clusters = re.findall(r"\w[\u0300-\u036f\u0981-\u0983\u09bc-\u09cd]*", name) or [name[:1]]
    return "".join(clusters[:count]).upper()
