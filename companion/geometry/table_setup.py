"""What is known about a table before the first picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

COMMON_TILE_MM = (48.0, 24.0, 9.0)
"""Length, width and thickness of the commonest tiles (field-notes: 48 x 24)."""

MEXICAN = "MX"
SECOND_MEXICAN = "MX2"


class Family(StrEnum):
    """How tiles lie: trains around an engine, one Chinese line, or a board that follows no such plan."""

    MEXICAN = "mexican"
    CHINESE = "chinese"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class TableSetup:
    """`stations` are degrees around the hub, `mexican_station` too; a train nobody owns is the Mexican train.

    `engine` is the value of the round's engine where it is known. `boneyard_spread` False: the face-down tiles are a
    pile and their number says nothing. `arms` is 1 or 2 for a Chinese line. `copies` is how often every tile exists,
    None where the set itself says so (once in a double set, docs/rules.md section 4.1 for the Chinese one). `over`: the
    round is over, and what is laid along the table's edge from now on are the players' hands.
    """

    family: Family = Family.MEXICAN
    players: tuple[str, ...] = ()
    stations: Mapping[str, float] = field(default_factory=dict)
    mexican_station: float | None = None
    engine: int | None = None
    tile_mm: tuple[float, float, float] = COMMON_TILE_MM
    boneyard_spread: bool = True
    arms: int = 1
    set_max: int | None = 12
    copies: int | None = None
    over: bool = False
