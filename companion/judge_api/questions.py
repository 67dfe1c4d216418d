"""Questions to the referee and their answers, field by field. What each may hold: `judge.toml`.

`answer` is the one front door; it never raises for what it is asked. Unknown fields are ignored; a field that is
missing, of a wrong type, or names something unknown is refused with one line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from companion.judge_api import chinese, mexican
from companion.judge_api.answer import Answer
from companion.judge_api.definitions import kinds, question_fields
from companion.judge_api.fields import Fields, QuestionError, shown
from companion.rules.explain import explain_all
from companion.rules.ruleset import SHIPPED, RuleSet, RuleSetError, load_ruleset

ANSWERS: Mapping[str, Callable[[RuleSet, Fields], Answer]] = {**mexican.ANSWERS, **chinese.ANSWERS}
"""Kind of question -> what answers it."""

LONGEST_ERROR = 300


def answer(question: Any, explain: bool = False) -> dict[str, Any]:
    """The answer to one question, its `id` echoed; `{"id": ..., "error": "field: what was expected"}` where it
    cannot be understood. With `explain` the answer also carries `reasons`, one for each code.
    """
    name = _id_of(question)
    try:
        fields = Fields(question, defined=question_fields())
        if name is None:
            raise QuestionError("id: missing" if not fields.has("id") else "id: expected a text or a number")
        kind = fields.one_of("kind", tuple(kinds()))
        rules = _rules_of(fields, kinds()[kind].family)
        found = ANSWERS[kind](rules, Fields(question, defined=kinds()[kind].fields))
    except QuestionError as refused:
        return {"id": name, "error": _one_line(str(refused))}
    answer = {"id": name, **found.out}
    if explain:
        reasons = explain_all(rules, found.codes, found.facts, found.player)
        reasons += explain_all(rules, found.may, found.facts, found.player, certain=False)
        answer["reasons"] = [reason.as_dict() for reason in reasons]
    return answer


def _id_of(question: Any) -> str | int | float | None:
    if not isinstance(question, Mapping):
        return None
    name = question.get("id")
    if isinstance(name, bool) or not isinstance(name, (str, int, float)):
        return None
    return None if isinstance(name, float) and not math.isfinite(name) else name


def _rules_of(fields: Fields, family: str) -> RuleSet:
    name = fields.text("rules")
    try:
        rules = load_ruleset(name)
    except RuleSetError as refused:
        raise QuestionError(f"rules: {str(refused).removeprefix('rules: ')}") from None
    if rules.family != family:
        fitting = [other for other in SHIPPED if load_ruleset(other).family == family]
        raise QuestionError(f"rules: expected one of {', '.join(fitting)} for this kind, not {shown(name)}")
    if not fields.has("options"):
        return rules
    options = fields.raw("options")
    if not isinstance(options, Mapping):
        raise QuestionError(f"options: expected an object, not {shown(options)}")
    try:
        return load_ruleset(name, options)
    except RuleSetError as refused:
        raise QuestionError(str(refused)) from None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_ERROR else line[: LONGEST_ERROR - 3] + "..."
