"""What a question to the referee may hold and what its answer holds, read from `judge.toml`: the one definition that
reads questions, and from which the JSON Schema is made (`reference.py`).

A field of a question that is not defined there cannot be read: `Fields` refuses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from companion.rules.written import written

Schema = Mapping[str, Any]

MANY = 1_000_000
"""No count or sum of points reaches this; it keeps absurd numbers out."""

LARGEST_SET = 99


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name, the JSON Schema of its value, and what it means. `inner` are the fields of an object.

    `optional` fields may be missing or null; `missing` says what that means.
    """

    name: str
    schema: Schema
    text: str
    optional: bool = False
    missing: str = ""
    inner: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question: the family of rule sets that it is asked of, what it asks, what goes in and comes out."""

    name: str
    family: str
    asks: str
    fields: tuple[Field, ...]
    answers: tuple[Field, ...]
    rules: str
    example: Mapping[str, Any] = field(default_factory=dict)


def object_schema(fields: tuple[Field, ...], **constants: str) -> Schema:
    """The schema of an object with these fields and constant ones; it may hold others, which nobody reads."""
    properties = {
        one.name: {**(_or_null(one.schema) if one.optional else one.schema), "description": one.text} for one in fields
    }
    required = [one.name for one in fields if not one.optional]
    return {
        "type": "object",
        "properties": {**{name: {"const": value} for name, value in constants.items()}, **properties},
        "required": [*constants, *required],
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


JUDGE = "judge_api/judge.toml"


def base() -> dict[str, Any]:
    """The table of the examples."""
    table: dict[str, Any] = written(JUDGE)["base"]
    return table


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind of question, by its name."""
    return {name: _kind(name, known) for name, known in written(JUDGE)["kinds"].items()}


@cache
def question_fields() -> tuple[Field, ...]:
    """What every question holds beside the fields of its kind."""
    known = written(JUDGE)
    fields = (_field(name, told) for name, told in known["question"].items())
    return tuple(replace(one, schema=_one_of(known["kinds"])) if one.name == "kind" else one for one in fields)


def _kind(name: str, known: Mapping[str, Any]) -> Kind:
    fields, answers = (tuple(_field(one, told) for one, told in known[part].items()) for part in ("fields", "answers"))
    example = {one: base() if value == "BASE" else value for one, value in known["example"].items()}
    return Kind(name, known["family"], known["asks"], fields, answers, known["rules"], example)


def _field(name: str, told: Any, *, silent: bool = False) -> Field:
    """A field as the file has it; `silent`: it may be left out where the question does not hang on it."""
    if isinstance(told, str):
        told = written(JUDGE)["shared"][told]
    if "table" in told:
        table = written(JUDGE)["tables"][told["table"]]
        inner = tuple(_field(one, of, silent=one in told.get("silent", ())) for one, of in table.items())
        return Field(name, object_schema(inner), told["text"], inner=inner)
    schema = _one_of(told["one_of"]) if "one_of" in told else _schema(told["type"])
    missing = told.get("missing", told.get("silent") if silent else None)
    return Field(name, schema, told["text"], missing is not None, missing or "")


def _schema(words: str) -> Schema:
    """The JSON Schema of a type, named as the head of the file says."""
    known: Mapping[str, Schema] = written(JUDGE)["types"]
    if words in known:
        return known[words]
    if " or " in words:
        return {"anyOf": [_schema(one) for one in words.split(" or ")]}
    if words.startswith("list of "):
        return {"type": "array", "items": _schema(words.removeprefix("list of "))}
    return {"type": "object", "additionalProperties": _schema(words.removeprefix("for each name "))}


def _one_of(values: Iterable[str]) -> Schema:
    return {"enum": [value or None for value in values]}
