"""Why the referee says what it says: a sentence, the rule, and the source that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from companion.rules.actions import LEFT, MEXICAN, RIGHT, SECOND_MEXICAN
from companion.rules.ruleset import RuleSet
from companion.rules.texts import (
    A_TILE,
    A_TRAIN,
    CHINESE_RULES,
    CHINESE_SENTENCES,
    RESTS_ON_ALL,
    RULES,
    SENTENCES,
    SOMEBODY,
    THE_MEXICAN_TRAIN,
    TRAIN_OF,
    Rule,
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
    """One code explained. `source` is the rule set's source and, where one field carries the rule, what it says.

    >>> from companion.rules import Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW).rule
    'If you cannot play, draw one tile while there are any.'
    """

    code: Violation
    sentence: str
    rule: str
    source: str

    def as_dict(self) -> dict[str, str]:
        """The reason as the judge's answers write it.

        >>> from companion.rules import Violation, explain, load_ruleset
        >>> sorted(explain(load_ruleset('tactic'), Violation.NO_DRAW).as_dict())
        ['code', 'rule', 'sentence', 'source']
        """
        return {"code": str(self.code), "sentence": self.sentence, "rule": self.rule, "source": self.source}


def explain(rules: RuleSet, code: Violation, facts: Facts = Facts(), translate: Translate = str) -> Reason:
    """The code under this rule set; `translate` turns a message id into the reader's language.

    >>> from companion.rules import Violation, explain, load_ruleset
    >>> explain(load_ruleset('tactic'), Violation.NO_DRAW).sentence
    'Somebody ended the turn without drawing, though there are tiles to draw.'
    """
    sentence = SENTENCES[code] if rules.is_mexican else CHINESE_SENTENCES.get(code, SENTENCES[code])
    filled = translate(sentence).format(
        player=facts.player or translate(SOMEBODY),
        tile=facts.tile or translate(A_TILE),
        train=train_text(facts.train, translate),
    )
    rule = _rule_of(rules, code)
    return Reason(
        code, filled[:1].upper() + filled[1:], translate(_text_of(rules, rule)), _source(rules, rule, translate)
    )


def explain_all(
    rules: RuleSet,
    codes: Iterable[Violation],
    facts: Mapping[Violation, Facts] | None = None,
    player: str | None = None,
) -> list[Reason]:
    """Every code, in the order of their names; a code without facts of its own is told of `player`.

    >>> from companion.rules import Violation, explain_all, load_ruleset
    >>> [reason.code.name for reason in explain_all(load_ruleset('tactic'), [Violation.NO_DRAW, Violation.MISMATCH])]
    ['MISMATCH', 'NO_DRAW']
    """
    known = facts or {}
    return [explain(rules, code, known.get(code, Facts(player))) for code in sorted(codes)]


def train_text(train: str | None, translate: Translate = str) -> str:
    if train is None or train in (LEFT, RIGHT):
        return translate(A_TRAIN)
    if train in (MEXICAN, SECOND_MEXICAN):
        return translate(THE_MEXICAN_TRAIN)
    return translate(TRAIN_OF).format(player=train)


def rule_text(rules: RuleSet | None, code: Violation) -> str:
    """The rule behind a code in one sentence; without a rule set as most games have it.

    >>> from companion.rules import Violation, rule_text
    >>> rule_text(None, Violation.MISMATCH)
    'Touching halves must show the same value.'
    """
    return RULES[code].text if rules is None else _text_of(rules, _rule_of(rules, code))


def _rule_of(rules: RuleSet, code: Violation) -> Rule:
    return RULES[code] if rules.is_mexican else CHINESE_RULES.get(code, RULES[code])


def _text_of(rules: RuleSet, rule: Rule) -> str:
    if rule.rests_on is None or not rule.variants:
        return rule.text
    return rule.variants.get(getattr(rules, rule.rests_on), rule.text)


def _source(rules: RuleSet, rule: Rule, translate: Translate) -> str:
    """`004, Mexican Train (boxed game): what the source says of the field`."""
    place = f"{rules.source}, {rules.title}"
    source = rules.sources.get(rule.rests_on) if rule.rests_on is not None else None
    if source is None:
        return f"{place}: {translate(RESTS_ON_ALL)}"
    source_text = source.text.removeprefix(f"{rules.source}: ")
    return f"{place}: {source_text} [{source.mark}]"
