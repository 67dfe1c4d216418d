"""The reference of `companion judge`, made from the definitions: docs/judge.md and the JSON Schema.

`python -m companion.judge_api.reference > docs/judge.md` writes the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.judge_api.definitions import Field, Kind, Schema, base, kinds, object_schema, question_fields
from companion.judge_api.questions import answer

HEAD = """\
# The judge, field by field

`companion judge` answers questions to the referee. It reads one JSON object a line from stdin and writes one answer a
line to stdout, in order. This page is made from the definitions that read the questions
(`python -m companion.judge_api.reference`). `companion schema judge` prints the same as JSON Schema.

A question that cannot be understood is answered with `{"id": ..., "error": "field: what was expected"}`, and the next
one goes on. The exit status is then 1. Fields that are not listed here are ignored. With `--explain` an answer also
carries `reasons`: for each code a sentence, the rule, the source that it rests on, and whether it is `certain`.

Tiles of Mexican Train are written `a-b`, with the half nearer the engine first: `12-5 5-7 7-7` is a train. Chinese
tiles are written `a:b`, from left to right. What the codes mean is in [the rules](rules.md).

## Every question

"""

EXAMPLES = """
In the examples, `BASE` stands for this table:

```json
{base}
```
"""


def page() -> str:
    """docs/judge.md."""
    table = json.dumps(base(), ensure_ascii=False)
    parts = [HEAD + _table(question_fields()), EXAMPLES.format(base=table)]
    parts += [_section(kind) for kind in kinds().values()]
    return "\n".join(parts)


def schema() -> dict[str, Any]:
    """The questions and answers as JSON Schema (draft 2020-12): `oneOf` a kind, and `$defs` for the answers."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A question to the referee",
        "oneOf": [_question_schema(kind) for kind in kinds().values()],
        "$defs": {f"{kind.name}_answer": object_schema(kind.answers) for kind in kinds().values()},
    }


def example(kind: Kind, number: int = 1) -> dict[str, Any]:
    """The example of a kind as a whole question."""
    return {"id": number, "kind": kind.name, "rules": kind.rules, **kind.example}


def _question_schema(kind: Kind) -> Schema:
    fields = (*(one for one in question_fields() if one.name != "kind"), *kind.fields)
    return {**object_schema(fields, kind=kind.name), "description": kind.asks, "examples": [example(kind)]}


def _section(kind: Kind) -> str:
    asked = json.dumps(_short(example(kind)), ensure_ascii=False).replace('"BASE"', "BASE")
    answered = json.dumps(answer(example(kind)), ensure_ascii=False)
    return "\n".join(
        (
            f"## `{kind.name}`",
            "",
            kind.asks,
            "",
            _table(kind.fields),
            "The answer:",
            "",
            _table(kind.answers),
            "```",
            asked,
            answered,
            "```",
            "",
        )
    )


def _short(value: Any) -> Any:
    """An example with the table that all share written once."""
    if value == base():
        return "BASE"
    if isinstance(value, Mapping):
        return {key: _short(each) for key, each in value.items()}
    return value


def _table(fields: Sequence[Field]) -> str:
    lines = ["| field | value | what it is |", "|---|---|---|"]
    return "\n".join([*lines, *_rows(fields), ""])


def _rows(fields: Sequence[Field], where: str = "") -> Iterator[str]:
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


if __name__ == "__main__":
    print(page(), end="")
