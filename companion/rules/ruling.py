"""What the referee says of a turn or of a table. Source: docs/rules.md section 6.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.rules.violations import Violation


@dataclass(frozen=True, slots=True)
class Ruling:
    """`codes` are root causes that are certain; `may` are codes that may also be meant and on which nothing rests."""

    codes: frozenset[Violation] = frozenset()
    may: frozenset[Violation] = frozenset()

    @property
    def legal(self) -> bool:
        return not self.codes

    @property
    def verdict(self) -> str:
        return "legal" if self.legal else "illegal"

    @staticmethod
    def of(codes: Iterable[Violation], may: Iterable[Violation] = ()) -> Ruling:
        """A code that is certain is not also merely possible."""
        certain = frozenset(codes)
        return Ruling(certain, frozenset(may) - certain)


LEGAL = Ruling()
