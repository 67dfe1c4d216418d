"""What the pictures of a round show of each piece, and what they add to the belief's verdicts.

A tile that does not fit where it lies is certain once the belief was sure of it, and stays so while it lies there,
whoever laid it. Two equal tiles that were both surely read are certain, which the belief alone never is. Whatever else
the belief is sure of is certain once another picture has left it so, or the round is over: the next one may show that
somebody else's fault explains it as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from companion.log.event_fields import Certainty
from companion.log.table_change import TableChange
from companion.rules.actions import Play
from companion.rules.notation import Laying
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid, Tile
from companion.rules.violations import Violation
from companion.tracking.costs import CERTAIN
from companion.tracking.evidence import ITEMS, Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import Charge, Verdict

SURE_OF_TWO = 0.995
"""Least probability of each of the four halves where the same tile seems to lie there twice. A box holds each tile
once, so below that a misreading is likelier. Source: docs/rules.md 5.1."""

Place = tuple[Laid, str]
"""A tile as it lies, and its train."""


class Shown(NamedTuple):
    """Which picture shows a piece, as what and how surely its tile was read, and whose arm laid it; None: nothing
    tells."""

    frame: str | None = None
    reading: Certainty | None = None
    arm: str | None = None
    read: Laid | None = None


UNSEEN = Shown()


@dataclass(slots=True)
class Clarity:
    """How clearly the tiles of this round were seen when they came.

    `doubtful`: tiles that lie at a joint that was not surely read, or where people say that something else lies.
    `clouded`: tiles that came while part of the table was not understood, as long as it is not.
    """

    doubtful: set[Place] = field(default_factory=set)
    clouded: set[Place] = field(default_factory=set)

    def note(self, report: TableChange) -> None:
        """Remember how the tiles of this change were seen."""
        laid = {(laying.tile, laying.train) for laying in report.laid}
        self.doubtful = self.doubtful | laid if report.guessed else self.doubtful - laid
        self.clouded = self.clouded | laid if report.clouded else set()

    def is_clear(self, place: Place) -> bool:
        return place not in self.doubtful and place not in self.clouded


class PictureProof:
    """`shown` says by item which picture shows a piece, `lying` what a picture has proved of its tile."""

    def __init__(self) -> None:
        self.shown: dict[int, Shown] = {}
        self.lying: dict[int, frozenset[str]] = {}
        self.clarity = Clarity()

    def copy(self) -> PictureProof:
        """The same, to be worked on apart."""
        other = PictureProof()
        other.shown, other.lying, other.clarity = dict(self.shown), dict(self.lying), replace(self.clarity)
        return other

    def note(self, change: TableChange, evidence: Evidence) -> None:
        """Remember how a change of the table was seen, piece by piece."""
        self.clarity.note(change)
        for piece in evidence.pieces:
            act = piece.act
            laying = Laying(act.tile, act.train) if isinstance(act, Play) else None
            read, whose = (change.readings.get(laying), change.whose.get(laying)) if laying else (None, None)
            self.shown[piece.item] = Shown(change.frame, read, whose, laying.tile if laying else None)

    def verdicts(
        self,
        tracker: RoundTracker,
        stated: Collection[int],
        told: Collection[int],
        start: Position | LinePosition,
        *,
        over: bool,
    ) -> dict[int, Verdict]:
        """Item -> the verdict on it, with what pictures prove of it.

        `stated` are items that only people say; of those in `told` they say what they are. `start` is the table before
        the round. `over`: no more pictures of this round come.
        """
        last = max((step.number for step in tracker.log if not step.is_statement), default=0)
        pictured = self._pictured(tracker, told, start)
        found: dict[int, Verdict] = {}
        for one in tracker.verdicts():
            if one.taken_back or one.item < 0:
                continue
            if one.item in stated:
                found[one.item] = one
                continue
            proof = pictured.get(one.item, ())
            lying = self.lying.get(one.item, frozenset()).intersection(proof)
            one = as_pictured(one, proof, lying, tracker.players)
            if one.item // ITEMS >= last and not over:
                one = on_one_picture(one, proof)
            self.lying[one.item] = lying.union(charge.code for charge in one.charges if charge.certain)
            found[one.item] = one
        return found

    def _pictured(
        self, tracker: RoundTracker, told: Collection[int], start: Position | LinePosition
    ) -> dict[int, tuple[str, ...]]:
        """Item -> what the pictures prove of its tile."""
        found = {item: entry.proved for item, entry in tracker.entries.items() if not entry.taken_back}
        if not isinstance(start, Position):
            return found
        twice = self._twice(tracker, told)
        lying = set(start.visible)
        for item in found:
            act = tracker.entries[item].piece.act
            if isinstance(act, Play):
                if act.tile.tile in twice and act.tile.tile in lying:
                    found[item] = (*found[item], str(Violation.DUPLICATE_TILE))
                lying.add(act.tile.tile)
        return found

    def _twice(self, tracker: RoundTracker, told: Collection[int]) -> frozenset[Tile]:
        """The tiles that surely lie there twice: all plays of them were seen clearly and read surely."""
        read: dict[Tile, list[bool]] = {}
        for item, entry in tracker.entries.items():
            act, shown = entry.verdict.act, self.shown.get(item, UNSEEN)
            if isinstance(act, Play) and not entry.taken_back:
                surely = item not in told and act == entry.piece.act and _surely(shown.reading)
                read.setdefault(act.tile.tile, []).append(surely and self.clarity.is_clear((act.tile, act.train)))
        return frozenset(tile for tile, all_sure in read.items() if len(all_sure) > 1 and all(all_sure))


def as_pictured(verdict: Verdict, proved: Collection[str], lying: Collection[str], players: Sequence[str]) -> Verdict:
    """The verdict with what pictures prove of a tile. Two equal tiles that were surely read are certain, while it is
    open which of them is the wrong one.

    `lying` are the codes of `proved` that were certain before: they stay so while the tile lies there. Whose fault it
    is, is open where the belief alone would not be certain any more.
    """
    twice = str(Violation.DUPLICATE_TILE)
    if twice not in lying and sum(one.p for one in verdict.charges if one.code == twice) < CERTAIN:
        # A half that was surely read may still be misread: what is laid on it tells.
        proved = [code for code in proved if code != twice]
    charges: list[Charge] = []
    for one in verdict.charges:
        if one.code != twice or twice not in proved:
            charges.append(replace(one, certain=True) if one.code in lying else one)
    lapsed = any(one.certain for one in charges) and not any(one.certain for one in verdict.charges)
    if twice in proved:
        charges.append(Charge(twice, None, True, 1.0, True))
    if not lapsed and twice not in proved:
        return verdict if tuple(charges) == verdict.charges else replace(verdict, charges=tuple(charges))
    return replace(verdict, by=None, maybe=(*verdict.maybe, *players), charges=tuple(charges))


def on_one_picture(verdict: Verdict, proved: Collection[str]) -> Verdict:
    """The verdict with nothing certain but what the picture itself proves: no other has come since."""
    charges = (replace(one, certain=one.certain and (one.proved or one.code in proved)) for one in verdict.charges)
    return replace(verdict, charges=tuple(charges))


def _surely(reading: Certainty | None) -> bool:
    return reading is not None and min(reading.p) >= SURE_OF_TWO
