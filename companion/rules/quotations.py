"""What the texts of the seven games say of their rules: their own words, and what these mean.

They stand in `quotations.toml`. Of rules that a text has no sentence for, and of other people's house rules, there is
none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from companion.rules.written import written


@dataclass(frozen=True, slots=True)
class Quotation:
    """`words` in the language of the source, `meaning` in English: a message for the translators."""

    words: str
    meaning: str


def about() -> Mapping[str, Collection[str]]:
    """Topic -> the codes, and the fields of a rule set, that it is about."""
    topics: Mapping[str, Collection[str]] = written("rules/quotations.toml")["about"]
    return topics


@cache
def quotations_of(rules: str) -> Mapping[str, Quotation]:
    """Topic -> the sentence, for one game; after those that it shares with others, its own."""
    games = written("rules/quotations.toml")["games"]
    own = dict(games.get(rules, {}))
    shared = games.get(own.pop("first", ""), {})
    return {topic: Quotation(**quoted) for topic, quoted in {**shared, **own}.items()}


def quotation(rules: str, code: str) -> Quotation | None:
    """What the text of a game says of a code or a field of its rules; None where it has no sentence for that."""
    return next((found for topic, found in quotations_of(rules).items() if code in about()[topic]), None)


def quotation_about(rules: str, source: str, code: str, changed: Collection[str] = ()) -> Quotation | None:
    """As `quotation`, for a house's own file too, which has the text of the game that it extends.

    `changed`: the fields that the house has changed; of what they are about the text no longer speaks.
    """
    quoted = quotations_of(rules) or quotations_of(written("rules/quotations.toml")["game_of"].get(source, ""))
    topic, found = next(((topic, found) for topic, found in quoted.items() if code in about()[topic]), ("", None))
    return None if found is None or any(one in changed for one in about()[topic]) else found
