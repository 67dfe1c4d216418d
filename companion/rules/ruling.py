"""What the referee says of a turn or of a table. Source: docs/rules.md section 6.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.rules.errors import RulesError
from companion.rules.violations import Violation


@dataclass(frozen=True, slots=True)
class Ruling:
    """`codes` are root causes that are certain; `may` are codes that may also be meant and on which nothing rests.

    >>> from companion.rules import Board
    >>> Board('tactic').judge('draw; end')
    Ruling(codes=frozenset({<Violation.MARKER_MISSING: 'MARKER_MISSING'>}), may=frozenset())
    """

    codes: frozenset[Violation] = frozenset()
    may: frozenset[Violation] = frozenset()

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
