"""The tables that the site adds to the documents, made from the code: `python -m deploy.tables house-rules|judge|api`.

They are as long as all other documents together, and nobody writes them; so the repository does not hold them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from companion.app.state import AppState
from companion.judge_api.definitions import JudgeQuestion, QuestionField, Schema, base, example, kinds, question_fields
from companion.judge_api.questions import answer
from companion.rules.ruleset import HOUSE_SET_NAMES, RULESET_NAMES, RuleSet, load_ruleset
from companion.rules.ruleset_fields import ANY_SET, CHINESE, FIELDS, MEXICAN, HandTable, fields_of
from companion.web.app import create_app
from companion.web.openapi import document


def house_rules() -> str:
    """The table of a rule set's fields: allowed values, the value in every rule set, and its source."""
    parts = []
    for family, title, names in (
        (MEXICAN, "Mexican Train", [n for n in RULESET_NAMES if load_ruleset(n).is_mexican]),
        (MEXICAN, "Mexican Train: public house sets", list(HOUSE_SET_NAMES)),
        (CHINESE, "Chinese connecting games", [n for n in RULESET_NAMES if not load_ruleset(n).is_mexican]),
    ):
        parts.append(_overview(title, family, names))
    parts.append("## What each field rests on\n")
    parts += [_sources(load_ruleset(name)) for name in (*RULESET_NAMES, *HOUSE_SET_NAMES)]
    return "\n".join(parts)


def allowed(field: str) -> str:
    """The values that this field of a rule set may hold, in the words of its own refusal."""
    try:
        FIELDS[field].value(...)
    except ValueError as expected:
        return str(expected).removeprefix("expected ").removeprefix("one of ").replace('"', "`")
    raise AssertionError(f"{field} takes anything")


def _overview(title: str, family: str, names: list[str]) -> str:
    known = [load_ruleset(name) for name in names]
    columns = " | ".join(f"`{name}`" for name in names)
    lines = [f"## {title}\n", f"| field | may be | {columns} |", "|---" * (len(names) + 2) + "|"]
    for field in fields_of(family):
        cells = [f"{_held(rules, field)} [{rules.sources[field].mark}]" for rules in known]
        lines.append(f"| `{field}` | {allowed(field)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _sources(rules: RuleSet) -> str:
    lines = [f"### `{rules.name}`: {rules.title}\n", f"{rules.summary}\n"]
    lines += ["| field | value | mark | source |", "|---|---|---|---|"]
    for field in fields_of(rules.family):
        source = rules.sources[field]
        said = source.text.removeprefix(f"{rules.source}: ").replace("|", "\\|")
        lines.append(f"| `{field}` | {_held(rules, field)} | {source.mark} | {said} |")
    return "\n".join(lines) + "\n"


def _held(rules: RuleSet, field: str) -> str:
    value = getattr(rules, field)
    if field == "hand_table":
        return _hands(value)
    if value is None:
        return FIELDS[field].absent or "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _hands(table: HandTable) -> str:
    rows = []
    for highest, row in table.items():
        name = "any set" if highest == ANY_SET else f"double-{highest}"
        rows.append(f"{name}: {', '.join(f'{players}→{tiles}' for players, tiles in row.items())}")
    return "; ".join(rows)


def judge() -> str:
    """Every kind of question to `companion judge`: its fields, its answer and an example."""
    table = json.dumps(base(), ensure_ascii=False)
    head = f"## Every question\n\n{_table(question_fields())}\nIn the examples, `BASE` stands for this table:\n"
    return "\n".join((head, f"```json\n{table}\n```\n", *(_section(kind) for kind in kinds().values())))


def _section(kind: JudgeQuestion) -> str:
    asked = json.dumps(_short(example(kind)), ensure_ascii=False).replace('"BASE"', "BASE")
    answered = json.dumps(answer(example(kind)), ensure_ascii=False)
    head = f"## `{kind.name}`\n\n{kind.asks}\n\n{_table(kind.fields)}"
    return f"{head}\nThe answer:\n\n{_table(kind.answers)}\n```\n{asked}\n{answered}\n```\n"


def _short(value: Any) -> Any:
    """An example with the table that all share written once."""
    if value == base():
        return "BASE"
    if isinstance(value, Mapping):
        return {key: _short(each) for key, each in value.items()}
    return value


def _table(fields: Sequence[QuestionField]) -> str:
    lines = ["| field | value | what it is |", "|---|---|---|"]
    return "\n".join([*lines, *_rows(fields), ""])


def _rows(fields: Sequence[QuestionField], where: str = "") -> Iterator[str]:
    for one in fields:
        missing = f" Without it: {one.missing}." if one.optional else ""
        text = f"{one.text[:1].upper()}{one.text[1:]}."
        yield f"| `{where}{one.name}` | {_value(one.schema)}{' (optional)' if one.optional else ''} | {text}{missing} |"
        yield from _rows(one.inner, f"{where}{one.name}.")


_WORDS = {"string": "text", "boolean": "true or false", "object": "object", "null": "null", "number": "number"}


def _value(schema: Schema) -> str:
    """A schema in words."""
    if "enum" in schema:
        return ", ".join("null" if one is None else f"`{one}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_value(one) for one in schema["anyOf"])
    kind = schema["type"]
    if isinstance(kind, list):
        return " or ".join(_value({"type": one}) for one in kind)
    if "pattern" in schema:
        return "tile"
    if kind == "array":
        return f"list: {_value(schema['items'])}"
    if "additionalProperties" in schema:
        return f"for each name: {_value(schema['additionalProperties'])}"
    return _WORDS.get(kind, "whole number")


def api() -> str:
    """Every route of the page: what it is for, whether it needs the PIN, and the fields that its body may have."""
    told = document(create_app(AppState()))["paths"]
    lines = ["## Every route\n", "| route | what it does | fields |", "|---|---|---|"]
    for path, operations in told.items():
        for method, operation in operations.items():
            said = operation["summary"].rstrip(".") + ("; needs the PIN" if "security" in operation else "")
            cells = (f"`{method.upper()} {path}`", f"{said[:1].upper()}{said[1:]}", _fields(operation))
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _fields(operation: Mapping[str, Any]) -> str:
    """The fields of a JSON body but those that every change may carry; "" for a page and its form."""
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    every = ("expected_game", "expected_seq", "once")
    return "; ".join(
        f"`{name}`: {one['description']}" for name, one in schema.get("properties", {}).items() if name not in every
    )


TABLES: Mapping[str, Callable[[], str]] = {"house-rules": house_rules, "judge": judge, "api": api}
"""Name of a document in docs/ -> what the site adds at its end."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", choices=TABLES)
    print(TABLES[parser.parse_args().page](), end="")


if __name__ == "__main__":
    main()
