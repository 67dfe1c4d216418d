"""What a question's answer is made of, before it is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.rules.explain import Facts
from companion.rules.ruling import Ruling
from companion.rules.violations import Violation


@dataclass(frozen=True, slots=True)
class Answer:
    """`out` are the answer's fields; the rest is what an explanation needs."""

    out: Mapping[str, Any]
    codes: frozenset[Violation] = frozenset()
    may: frozenset[Violation] = frozenset()
    facts: Mapping[Violation, Facts] = field(default_factory=dict)
    player: str | None = None


def ruled(ruling: Ruling, facts: Mapping[Violation, Facts], player: str | None = None) -> Answer:
    """The answer that is a verdict."""
    out = {"verdict": ruling.verdict, "codes": written(ruling.codes), "may": written(ruling.may)}
    return Answer(out, ruling.codes, ruling.may, facts, player)


def written(codes: Iterable[Violation]) -> list[str]:
    return sorted(str(code) for code in codes)
