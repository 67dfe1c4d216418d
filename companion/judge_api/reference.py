"""The questions of `companion judge` and their answers as JSON Schema, made from the definitions."""

from __future__ import annotations

from typing import Any

from companion.judge_api.definitions import JudgeQuestion, Schema, kinds, object_schema, question_fields


def schema() -> dict[str, Any]:
    """The questions and answers as JSON Schema (draft 2020-12): `oneOf` a kind, and `$defs` for the answers."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A question to the referee",
        "oneOf": [_question_schema(kind) for kind in kinds().values()],
        "$defs": {f"{kind.name}_answer": object_schema(kind.answers) for kind in kinds().values()},
    }


def example(kind: JudgeQuestion, number: int = 1) -> dict[str, Any]:
    """The example of a kind as a whole question."""
    return {"id": number, "kind": kind.name, "rules": kind.rules, **kind.example}


def _question_schema(kind: JudgeQuestion) -> Schema:
    fields = (*(one for one in question_fields() if one.name != "kind"), *kind.fields)
    return {**object_schema(fields, kind=kind.name), "description": kind.asks, "examples": [example(kind)]}
