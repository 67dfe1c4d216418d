"""The codes of everything that can be wrong at a table. Source: docs/rules.md section 6.

The referee's ruling on a turn or a table. Source: docs/rules.md section 6.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from companion.rules.tile import RulesError
from companion.rules.written import written


class Certainty(IntEnum):
    """How a code can be known: from the still tables alone, after the hands are shown, or never from a picture.

    >>> from companion.rules import Certainty
    >>> Certainty.TABLE < Certainty.REVEAL
    True
    """

    TABLE = 0
    REVEAL = 1
    REPORTED = 2


class Violation(StrEnum):
    """One fault, by the name that the answers and the journal carry.

    >>> from companion.rules import Violation
    >>> str(Violation.CLOSED_TRAIN)
    'CLOSED_TRAIN'
    """

    WRONG_ENGINE = "WRONG_ENGINE"
    ENGINE_NOT_DOUBLE = "ENGINE_NOT_DOUBLE"
    TILE_NOT_IN_SET = "TILE_NOT_IN_SET"
    DUPLICATE_TILE = "DUPLICATE_TILE"
    MULTIPLICITY = "MULTIPLICITY"
    MISMATCH = "MISMATCH"
    WRONG_ROOT = "WRONG_ROOT"
    SECOND_MEXICAN = "SECOND_MEXICAN"
    HAND_SIZE = "HAND_SIZE"
    CLOSED_TRAIN = "CLOSED_TRAIN"
    FIRST_TURN_OWN_ONLY = "FIRST_TURN_OWN_ONLY"
    MX_TOO_EARLY = "MX_TOO_EARLY"
    OPEN_DOUBLE_IGNORED = "OPEN_DOUBLE_IGNORED"
    DOUBLE_ORDER = "DOUBLE_ORDER"
    EXTRA_NOT_ON_DOUBLE = "EXTRA_NOT_ON_DOUBLE"
    EXTRA_NOT_ON_FIRST_DOUBLE = "EXTRA_NOT_ON_FIRST_DOUBLE"
    DOUBLE_NOT_FOLLOWED = "DOUBLE_NOT_FOLLOWED"
    EXTRA_TILE = "EXTRA_TILE"
    DEAD_TRAIN = "DEAD_TRAIN"
    WRONG_FLIP = "WRONG_FLIP"
    FLIP_NOT_IN_RULES = "FLIP_NOT_IN_RULES"
    TILE_MOVED = "TILE_MOVED"
    OUT_OF_TURN = "OUT_OF_TURN"
    PLAY_AFTER_END = "PLAY_AFTER_END"
    MARKER_MISSING = "MARKER_MISSING"
    MARKER_UNEARNED = "MARKER_UNEARNED"
    MARKER_REMOVED_WRONGLY = "MARKER_REMOVED_WRONGLY"
    MARKER_NOT_REMOVED = "MARKER_NOT_REMOVED"
    MARKER_WRONG_TRAIN = "MARKER_WRONG_TRAIN"
    MX_MARKER_MISSING = "MX_MARKER_MISSING"
    NO_DRAW = "NO_DRAW"
    EXTRA_DRAW = "EXTRA_DRAW"
    DRAW_FIRST_TURN = "DRAW_FIRST_TURN"
    DRAW_FROM_EMPTY = "DRAW_FROM_EMPTY"
    DRAW_WHEN_BLOCKED = "DRAW_WHEN_BLOCKED"
    NEEDLESS_DRAW = "NEEDLESS_DRAW"
    PASSED_WITH_PLAYABLE = "PASSED_WITH_PLAYABLE"
    FIRST_TRAIN_NOT_MAXIMAL = "FIRST_TRAIN_NOT_MAXIMAL"
    HAND_COUNT_INCONSISTENT = "HAND_COUNT_INCONSISTENT"
    UNACCOUNTED_TILE = "UNACCOUNTED_TILE"
    ANNOUNCE_MISSING = "ANNOUNCE_MISSING"
    FIRST_LAP_NOT_FINISHED = "FIRST_LAP_NOT_FINISHED"
    FALSE_BLOCK = "FALSE_BLOCK"
    SCORE_ERROR = "SCORE_ERROR"
    SETTLEMENT_ERROR = "SETTLEMENT_ERROR"
    CLOSED_END = "CLOSED_END"
    PASS_WITHOUT_DISCARD = "PASS_WITHOUT_DISCARD"
    DISCARD_FACE_UP = "DISCARD_FACE_UP"
    LEAD_MUST_PLAY = "LEAD_MUST_PLAY"
    DISCARD_WITH_PLAYABLE = "DISCARD_WITH_PLAYABLE"
    REDEAL_MISSED = "REDEAL_MISSED"
    OPEN_END_UNDECLARED = "OPEN_END_UNDECLARED"

    @property
    def certainty(self) -> Certainty:
        """How this code can be known at best.

        >>> from companion.rules import Violation
        >>> Violation.PASSED_WITH_PLAYABLE.certainty
        <Certainty.REVEAL: 1>
        """
        return Certainty[str(written("rules/codes.toml")["codes"][self]["certainty"]).upper()]

    @property
    def games(self) -> frozenset[str]:
        """The published rule sets in which it can be broken (the last column of docs/rules.md section 6).

        >>> from companion.rules import Violation
        >>> sorted(Violation.DOUBLE_ORDER.games)
        ['reeves', 'tactic']
        """
        known = written("rules/codes.toml")
        families: dict[str, list[str]] = known["families"]
        return frozenset(game for name in known["codes"][self]["games"] for game in families.get(name, [name]))


@dataclass(frozen=True, slots=True)
class Ruling:
    """The violations of one act.

    >>> from companion.rules import Board
    >>> Board('tactic').judge('draw; end')
    Ruling(codes=frozenset({<Violation.MARKER_MISSING: 'MARKER_MISSING'>}), may=frozenset())
    """

    codes: frozenset[Violation] = frozenset()
    """Root causes that are certain."""
    may: frozenset[Violation] = frozenset()
    """Codes that may also be meant. Nothing rests on them."""

    @property
    def legal(self) -> bool:
        """Whether no fault is certain.

        >>> from companion.rules import LEGAL
        >>> LEGAL.legal
        True
        """
        return not self.codes

    @property
    def verdict(self) -> str:
        """`legal` or `illegal`, as the judge's answers say it.

        >>> from companion.rules import Ruling, Violation
        >>> Ruling(frozenset({Violation.NO_DRAW})).verdict
        'illegal'
        """
        return "legal" if self.legal else "illegal"

    @staticmethod
    def of(codes: Iterable[Violation], may: Iterable[Violation] = ()) -> Ruling:
        """A code that is certain is not also merely possible. Raises RulesError.

        >>> from companion.rules import Ruling, Violation
        >>> Ruling.of([Violation.NO_DRAW], [Violation.NO_DRAW]).may
        frozenset()
        """
        try:
            certain = frozenset(codes)
            return Ruling(certain, frozenset(may) - certain)
        except TypeError:
            raise RulesError("codes, may: expected Violation values") from None


LEGAL = Ruling()
