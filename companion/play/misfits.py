"""What one picture proves of a laid tile: it does not fit where it lies, whoever laid it.

Such a fault is certain as soon as the tile and its neighbour are surely read, and stays certain while the tile lies
there. Who laid it is another question, answered elsewhere and often later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from companion.log.corrections import EffectiveEvent
from companion.log.event_fields import Certainty, Finding
from companion.log.events import Event, TilePlayed
from companion.log.table_change import TableChange
from companion.rules.actions import MEXICAN
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, Tile
from companion.rules.violations import Violation

PICTURED = frozenset(
    map(str, (Violation.TILE_NOT_IN_SET, Violation.MISMATCH, Violation.WRONG_ROOT, Violation.DUPLICATE_TILE))
)
"""The codes that one picture can prove."""

SURE_OF_TWO = 0.995
"""Least probability of each of the four halves where the same tile seems to lie there twice. A box holds each tile
once, so below that a misreading is likelier. Source: docs/rules.md 5.1."""

MOST_MISFITS = 2
"""Where more tiles that do not fit come at once the table was misread or out of sight: nobody errs so often."""

Place = tuple[Laid, str]
"""A tile as it lies, and its train."""


@dataclass(slots=True)
class Clarity:
    """How clearly the tiles of this round were seen when they came.

    `doubtful`: tiles that lie at a joint that was not surely read, or where people say that something else lies, or
    that came with several others that do not fit.
    `clouded`: tiles that came while part of the table was not understood; then a tile may be hidden before a train's
    first one.
    `messy`: tiles that came with several others that do not fit.
    """

    doubtful: set[Place] = field(default_factory=set)
    messy: set[Place] = field(default_factory=set)
    clouded: set[Place] = field(default_factory=set)

    def note(self, report: TableChange, rules: RuleSet, table: Position) -> None:
        """Remember how the tiles of this change of `table` were seen. A table understood as a whole hides nothing."""
        if not report.clouded:
            self.clouded.clear()
        plays = [TilePlayed(by=None, tile=laying.tile, train=laying.train) for laying in report.laid]
        messy = len(proved(rules, table, plays, Clarity())) > MOST_MISFITS
        kinds = ((self.messy, messy), (self.doubtful, report.guessed or messy), (self.clouded, report.clouded))
        for laying in report.laid:
            place = (laying.tile, laying.train)
            for doubts, doubted in kinds:
                doubts.discard(place)
                if doubted:
                    doubts.add(place)

    def twice(self, held: Iterable[EffectiveEvent], report: TableChange) -> frozenset[Tile]:
        """The tiles that surely lie there twice: all plays of them were seen clearly and read surely."""
        read: dict[Tile, list[bool]] = {}
        for item in held:
            event = item.event
            if isinstance(event, TilePlayed) and not item.undone:
                untouched = item.original is None or not isinstance(item.original, TilePlayed)
                same = untouched or item.original.tile == event.tile  # type: ignore[union-attr]
                surely = event.source == "camera" and same and _surely(event.reading)
                read.setdefault(event.tile.tile, []).append(surely and self._is_clear((event.tile, event.train)))
        for laying in report.laid:
            place = (laying.tile, laying.train)
            surely = _surely(report.readings.get(laying)) and self._is_clear(place)
            read.setdefault(laying.tile.tile, []).append(surely)
        return frozenset(tile for tile, all_sure in read.items() if len(all_sure) > 1 and all(all_sure))

    def _is_clear(self, place: Place) -> bool:
        return place not in self.doubtful and place not in self.clouded


def proved(
    rules: RuleSet, table: Position, events: Sequence[Event], clarity: Clarity, twice: Collection[Tile] = ()
) -> dict[int, tuple[str, ...]]:
    """Index of a play -> what one picture proves of its tile. `table` is the one before `events`."""
    trains = {name: list(chain) for name, chain in table.trains.items()}
    lying = set(table.visible)
    found: dict[int, tuple[str, ...]] = {}
    for n, event in enumerate(events):
        if not isinstance(event, TilePlayed):
            continue
        chain = trains.setdefault(event.train, [])
        place = (event.tile, event.train)
        if place not in clarity.doubtful:
            codes = misfits(rules, table, chain, event)
            if place in clarity.clouded:
                codes = tuple(code for code in codes if code != Violation.WRONG_ROOT)
            if event.tile.tile in twice and event.tile.tile in lying:
                codes = (*codes, str(Violation.DUPLICATE_TILE))
            if codes:
                found[n] = codes
        chain.append(event.tile)
        lying.add(event.tile.tile)
    return found


def misfits(rules: RuleSet, table: Position, chain: Sequence[Laid], event: TilePlayed) -> tuple[str, ...]:
    """The codes by which this tile does not fit behind `chain`, its train so far; () where it does."""
    tile, codes = event.tile, list[Violation]()
    if max(tile) > table.set_max:
        codes.append(Violation.TILE_NOT_IN_SET)
    if chain:
        codes += [Violation.MISMATCH] if tile.inner != chain[-1].outer else []
    elif not (rules.mx_root == "any" and event.train == MEXICAN) and not set(tile) & set(table.engine):
        # A tile that shows the engine's value at its other end may only lie the other way round.
        codes.append(Violation.WRONG_ROOT)
    return tuple(map(str, codes))


def still_proved(rules: RuleSet, table: object, event: Event, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What stands on record as proved by a picture, is true of the record still, and is not among `findings`.

    `table` is the one before the play. Whoever is named for a tile later, that it lies wrong does not change.
    """
    if not isinstance(event, TilePlayed) or event.source != "camera" or not isinstance(table, Position):
        return ()
    known = {one.code for one in findings if one.certain}
    stored = {one.code for one in event.violations if one.certain and one.code in PICTURED} - known
    if not stored:
        return ()
    true = set(misfits(rules, table, table.trains.get(event.train, ()), event))
    if event.tile.tile in table.visible:
        true.add(str(Violation.DUPLICATE_TILE))
    return tuple(Finding(code) for code in sorted(stored & true))


def with_proved(found: Sequence[Finding], codes: Sequence[str]) -> tuple[Finding, ...]:
    """The findings with what a picture proves: certain, while it is open whose fault it is."""
    known = {finding.code for finding in found if finding.certain}
    plain = tuple(Finding(code) for code in codes if code not in known)
    return (*plain, *(one for one in found if one.code not in codes or one.certain))


def _surely(reading: Certainty | None) -> bool:
    return reading is not None and min(reading.p) >= SURE_OF_TWO
