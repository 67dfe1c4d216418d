"""The referee's words for each code: a sentence for the table and the rule behind it, in the project's own words.

They stand in `codes.toml`, the one table of words for codes: the page shows the titles and rules in its reader's
language, and `companion judge --explain` adds a sentence with named places, {player}, {tile} and {train}.

The texts of the seven games on their rules: their own words, and what these mean.

They stand in `quotations.toml`. Rules without a sentence in a text, and other people's house rules, have no quotation.

Why the referee says what it says: a sentence, the rule, and the source that it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from companion.rules.position import LEFT, RIGHT, SECOND_MEXICAN
from companion.rules.position import MEXICAN as MEXICAN_TRAIN
from companion.rules.ruleset import CONTRADICTED, HOUSE, OPEN, RuleSet
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


@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage of a source."""

    words: str
    """In the language of the source."""
    meaning: str
    """In English: a message for the translators."""


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
    """The sentence of a game's text on a code or a field of its rules; None where it has none."""
    return next((found for topic, found in quotations_of(rules).items() if code in about()[topic]), None)


def quotation_about(rules: str, source: str, code: str, changed: Collection[str] = ()) -> Quotation | None:
    """As `quotation`, for a house's own file too, which has the text of the game that it extends.

    `changed`: the fields that the house has changed; of what they are about the text no longer speaks.
    """
    quoted = quotations_of(rules) or quotations_of(written("rules/quotations.toml")["game_of"].get(source, ""))
    topic, found = next(((topic, found) for topic, found in quoted.items() if code in about()[topic]), ("", None))
    return None if found is None or any(one in changed for one in about()[topic]) else found


Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Facts:
    """The player, tile and train of an act, as far as they are known; None reads "somebody", "a tile", "a train".

    >>> from companion.rules import Facts, Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW, Facts('Ann')).sentence
    'Ann ended the turn without drawing, though there are tiles to draw.'
    """

    player: str | None = None
    tile: str | None = None
    train: str | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One code explained, in words for the players.

    >>> from companion.rules import Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW).rule
    'If you cannot play, draw one tile while there are any.'
    """

    code: Violation
    sentence: str
    rule: str
    source: str
    """The text that the rule rests on and what it says, translated. Of a house's own rule: that it is one."""
    certain: bool = True
    """False for a fault of `Ruling.may`: it is possible, and accuses nobody."""

    def as_dict(self) -> dict[str, str | bool]:
        """The reason as the judge's answers write it.

        >>> from companion.rules import Violation, explain, load_ruleset
        >>> sorted(explain(load_ruleset('tactic'), Violation.NO_DRAW).as_dict())
        ['certain', 'code', 'rule', 'sentence', 'source']
        """
        return {
            "code": str(self.code),
            "sentence": self.sentence,
            "rule": self.rule,
            "source": self.source,
            "certain": self.certain,
        }


def explain(rules: RuleSet, code: Violation, facts: Facts = Facts(), translate: Translate = str) -> Reason:
    """The code under this rule set; `translate` turns a message id into the reader's language. Raises RulesError.

    >>> from companion.rules import Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW).sentence
    'Somebody ended the turn without drawing, though there are tiles to draw.'
    """
    words = words_of(code, rules.family)
    filled = translate(words.sentence).format(
        player=facts.player or translate(SOMEBODY),
        tile=facts.tile or translate(A_TILE),
        train=train_text(facts.train, translate),
    )
    rule, source = translate(rule_text(rules, code)), _source(rules, code, words, translate)
    return Reason(code, filled[:1].upper() + filled[1:], rule, source)


def explain_all(
    rules: RuleSet,
    codes: Iterable[Violation],
    facts: Mapping[Violation, Facts] | None = None,
    player: str | None = None,
    certain: bool = True,
) -> list[Reason]:
    """Every code, in the order of their names; a code without facts of its own is told of `player`.

    `certain`: False marks the reasons as possible only. Raises RulesError.

    >>> from companion.rules import Violation, explain_all, load_ruleset
    >>> [reason.code.name for reason in explain_all(load_ruleset('tactic'), [Violation.NO_DRAW, Violation.MISMATCH])]
    ['MISMATCH', 'NO_DRAW']
    """
    known = facts or {}
    reasons = (explain(rules, code, known.get(code, Facts(player))) for code in sorted(codes))
    return [replace(reason, certain=certain) for reason in reasons]


def train_text(train: str | None, translate: Translate = str) -> str:
    if train is None or train in (LEFT, RIGHT):
        return translate(A_TRAIN)
    if train in (MEXICAN_TRAIN, SECOND_MEXICAN):
        return translate(THE_MEXICAN_TRAIN)
    return translate(TRAIN_OF).format(player=train)


def rule_text(rules: RuleSet | None, code: Violation) -> str:
    """The rule behind a code in one sentence; without a rule set as most games have it. Raises RulesError.

    >>> from companion.rules import Violation, rule_text
    >>> rule_text(None, Violation.MISMATCH)
    'Touching halves must show the same value.'
    """
    words = words_of(code) if rules is None else words_of(code, rules.family)
    if rules is None or words.rests_on is None:
        return words.rule
    return words.variants.get(str(getattr(rules, words.rests_on)).lower(), words.rule)


def _source(rules: RuleSet, code: Violation, words: CodeText, translate: Translate) -> str:
    """`004, Mexican Train (boxed game): what the text says of it`, in the reader's language and without marks."""

    place = f"{rules.source}, {rules.title}"
    source = rules.sources.get(words.rests_on) if words.rests_on is not None else None
    if source is not None and source.mark == HOUSE:
        return f"{place}: {translate(HOUSE_RULE)}, {source.text}"
    changed = {name for name, one in rules.sources.items() if one.mark == HOUSE}
    abouts = (code,) if source is None or words.rests_on is None else (code, words.rests_on)
    quoted = next(filter(None, (quotation_about(rules.name, rules.source, one, changed) for one in abouts)), None)
    if quoted is None:
        if source is None:
            return f"{place}: {translate(RESTS_ON_ALL)}"
        return f"{place}: {_MARK.sub('', source.text.removeprefix(f'{rules.source}: '))}"
    doubt = {OPEN: LEFT_OPEN, CONTRADICTED: CONTRADICTS_ITSELF}.get("" if source is None else source.mark)
    return f'{place}: "{translate(quoted.meaning)}"' + ("" if doubt is None else f"; {translate(doubt)}")


_MARK = re.compile(r"\s*\[[TIAE]\]")
"""A mark of docs/rules.md 0 within what a field says of its source."""
