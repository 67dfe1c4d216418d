"""Why the referee says what it says: a sentence, the rule, and the source that it rests on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from companion.rules.actions import LEFT, MEXICAN, RIGHT, SECOND_MEXICAN
from companion.rules.ruleset import CONTRADICTED, HOUSE, OPEN, RuleSet
from companion.rules.texts import (
    A_TILE,
    A_TRAIN,
    CONTRADICTS_ITSELF,
    HOUSE_RULE,
    LEFT_OPEN,
    RESTS_ON_ALL,
    SOMEBODY,
    THE_MEXICAN_TRAIN,
    TRAIN_OF,
    CodeText,
    words_of,
)
from companion.rules.violations import Violation

Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Who did what, as far as it is known; None is said as "somebody", "a tile", "a train".

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

    `source` is the text that the rule rests on and what it says, translated; of a house's own rule, that it is one.
    `certain` is False for a fault of `Ruling.may`: it is possible, and accuses nobody.

    >>> from companion.rules import Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW).rule
    'If you cannot play, draw one tile while there are any.'
    """

    code: Violation
    sentence: str
    rule: str
    source: str
    certain: bool = True

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
    if train in (MEXICAN, SECOND_MEXICAN):
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
    from companion.rules.quotations import quotation_about  # many texts, for those who ask only

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
