"""What stands inside an event: tiles, findings, candidates, and how surely a tile was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from companion.rules.tile import Laid, Tile
from companion.storage.records import Form, Name, Plain, Record, RecordError, Share, Written, number, unlike

EventError = RecordError
"""An event cannot be understood; the message names the field and what was expected."""

HIGHEST_PIP = 99
"""Far above every set: a larger number on a tile is a broken file, not a tile that is not in the set."""


def _read_laid(value: Any) -> Laid:
    if (
        not isinstance(value, (list, tuple))
        or len(value) != 2
        or not all(type(half) is int and 0 <= half <= HIGHEST_PIP for half in value)
    ):
        raise unlike("two numbers such as [12, 5]", value)
    return Laid(value[0], value[1])


_PIPS = number(0, HIGHEST_PIP)
_TWO_PIPS = {"type": "array", "items": _PIPS.schema, "minItems": 2, "maxItems": 2}
LAID = Form(_read_laid, _TWO_PIPS, list)
TILE = Form(lambda value: _read_laid(value).tile, _TWO_PIPS, lambda tile: [tile.low, tile.high])

LaidPips = Annotated[Laid, LAID]
"""The inner half first."""

TilePips = Annotated[Tile, TILE]
Pips = Annotated[int, _PIPS]

RoundedShare = Annotated[Share, Written(lambda share: round(share, 4))]


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """A violation found in an event. `certain` False: one of several that the evidence leaves open.

    `by` names the offender where it is not the event's own player. `open`: people tapped it, and nobody has said yet
    whether it was so; `confirmed_by` is who has, by the name of the phone, and `confirmed_in` the line that says it.
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"certain"})

    code: Name
    certain: bool = True
    by: Name | None = None
    open: bool = False
    confirmed_by: Name | None = None
    confirmed_in: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """One way in which it may have happened: `story` in words or notation, `events` as they would be recorded.

    `kind`: what an answer to a tap that does not fit would say (tracking.edits). `p` is its weight between 0 and 1
    where one is known; `codes` what the referee would say about it.
    """

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"events"})

    story: str
    events: tuple[Plain, ...] = ()
    kind: Name | None = None
    p: RoundedShare | None = None
    codes: tuple[Name, ...] = ()


MOST_ALTERNATIVES = 4
LEAST_ALTERNATIVE = 0.001


@dataclass(frozen=True, slots=True)
class Certainty(Record):
    """How surely the camera read a laid tile: `p` of the inner and of the outer half, and what else each may be.

    `across`: whether it lies across its train; None: it lies in none, or nobody knows.
    """

    p: tuple[Share, Share]
    others: tuple[tuple[tuple[Pips, Share], ...], tuple[tuple[Pips, Share], ...]] = ((), ())
    across: bool | None = None

    @property
    def sure(self) -> float:
        """The probability that both halves are right."""
        return self.p[0] * self.p[1]

    def alternatives(self, tile: Laid) -> list[tuple[Laid, float]]:
        """What the tile may be instead, one half at a time, likeliest first."""
        inner = [(Laid(value, tile.outer), p * self.p[1]) for value, p in self.others[0]]
        outer = [(Laid(tile.inner, value), p * self.p[0]) for value, p in self.others[1]]
        likely = [one for one in (*inner, *outer) if one[1] >= LEAST_ALTERNATIVE and one[0] != tile]
        return sorted(likely, key=lambda one: -one[1])[:MOST_ALTERNATIVES]

    def of_another(self, read: Laid, other: Laid) -> Certainty:
        """The same reading of a tile that was read as `read`, and is held to be `other`."""
        pairs = zip(self.p, self.others, read, other, strict=True)
        (p, inner), (q, outer) = (_of_another_value(*one) for one in pairs)
        return Certainty((p, q), (inner, outer), self.across)

    def rounded(self) -> dict[str, Any]:
        """As an event says it: four digits. `to_json` is exact, for the belief weighs it again."""
        line: dict[str, Any] = {"p": [round(p, 4) for p in self.p]}
        if any(self.others):
            line["others"] = [[[value, round(p, 4)] for value, p in half] for half in self.others]
        return line


def _of_another_value(
    p: float, others: tuple[tuple[int, float], ...], read: int, other: int
) -> tuple[float, tuple[tuple[int, float], ...]]:
    if read == other:
        return p, others
    rest = tuple(one for one in others if one[0] != other)
    return dict(others).get(other, 0.0), ((read, p), *rest)
