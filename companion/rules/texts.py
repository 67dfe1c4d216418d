"""What the referee says about each code: a sentence for the table and the rule behind it, in the project's own words.

They stand in `codes.toml`, the one table of words for codes: the page shows the titles and rules in its reader's
language, and `companion judge --explain` adds a sentence with named places, {player}, {tile} and {train}.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from companion.rules.ruleset_fields import MEXICAN
from companion.rules.violations import Violation
from companion.rules.written import written

SOMEBODY = "somebody"
A_TILE = "a tile"
A_TRAIN = "a train"
THE_MEXICAN_TRAIN = "the Mexican train"
TRAIN_OF = "{player}'s train"
RESTS_ON_ALL = "common to all games of this kind"
HOUSE_RULE = "house rule"
LEFT_OPEN = "the text leaves part of this open"
CONTRADICTS_ITSELF = "the text contradicts itself here"


@dataclass(frozen=True, slots=True)
class CodeText:
    """The words for one code.

    Args:
        title: its name.
        sentence: what happened, said to the table.
        rule: the rule that it breaks; where `variants` is given, the text for every other value.
        rests_on: the preset field that the rule follows, and whose source is named; None where every game agrees.
        variants: that field's value as TOML writes it -> the rule in that case.
    """

    title: str
    sentence: str
    rule: str
    rests_on: str | None = None
    variants: Mapping[str, str] = field(default_factory=dict)


@cache
def words_of(code: Violation, family: str = MEXICAN) -> CodeText:
    """The words for a code as the games of this family need them."""
    known = written("rules/codes.toml")["codes"][code]
    return CodeText(**{name: known[name] for name in CodeText.__slots__ if name in known} | known.get(family, {}))
