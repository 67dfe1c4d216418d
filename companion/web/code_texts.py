"""The words for codes in the reader's language; the words themselves are in `companion/rules/codes.toml`."""

from __future__ import annotations

from companion.rules.explain import rule_text
from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.rules.texts import words_of
from companion.rules.violations import Violation
from companion.web.languages import gettext as translate
from companion.web.languages import marked as _


def code_title(code: str) -> str:
    """The violation's name; an unknown code is shown as it is, never swallowed."""
    return translate(words_of(Violation(code)).title) if code in Violation.__members__ else code


def reminder(code: str) -> str:
    """What the rules ask for at this moment: a hint, never a fault."""
    return translate(_("Opening the Mexican train is announced.")) if code == "MX_ANNOUNCE" else code_rule(code)


def code_rule(code: str, rules: str = "") -> str:
    """The rule that was broken, in one sentence, as the rule set of that name has it."""
    if code not in Violation.__members__:
        return ""
    known = load_ruleset(rules) if rules in SHIPPED else None
    return translate(rule_text(known, Violation(code)))
