"""The fields of a question to the referee and of its answer, read from `judge.toml`: the one definition that reads
questions, and from which the JSON Schema is made.

A field of a question that is not defined there cannot be read: `Fields` refuses it.

Reading the fields of a question: each is there, has the right type, and names only what the question knows.

A reader that meets anything else raises `QuestionError`, one line "field: what was expected". JSON's true and 1.0
are no whole numbers; null stands for "not given" where a field may be left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Any

from companion.rules.notation import NotationError, parse_chain, parse_tile
from companion.rules.position import MEXICAN, SECOND_MEXICAN, Chain
from companion.rules.tile import Tile, highest_double
from companion.rules.written import written

Schema = Mapping[str, Any]

MANY = 1_000_000
"""No count or sum of points reaches this; it keeps absurd numbers out."""

LARGEST_SET = 99

NEARLY = 0.8
"""A difflib ratio that allows for two letters in another order, one too many or too few."""


@dataclass(frozen=True, slots=True)
class QuestionField:
    """One field of a question or an answer."""

    name: str
    schema: Schema
    """JSON Schema of its value."""
    text: str
    """Its meaning."""
    optional: bool = False
    """It may be missing or null."""
    missing: str = ""
    """The meaning of its absence."""
    inner: tuple[QuestionField, ...] = ()
    """The fields of an object."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One kind of question: the family of rule sets that it is asked of, what it asks, what goes in and comes out."""

    name: str
    family: str
    asks: str
    fields: tuple[QuestionField, ...]
    answers: tuple[QuestionField, ...]
    rules: str
    example: Mapping[str, Any] = field(default_factory=dict)


def object_schema(fields: tuple[QuestionField, ...], **constants: str) -> Schema:
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
def kinds() -> Mapping[str, JudgeQuestion]:
    """Every kind of question, by its name."""
    return {name: _kind(name, known) for name, known in written(JUDGE)["kinds"].items()}


@cache
def question_fields() -> tuple[QuestionField, ...]:
    """The fields of every question, beside those of its kind."""
    known = written(JUDGE)
    fields = fields_of(known["question"], known)
    return tuple(replace(one, schema=_one_of(known["kinds"])) if one.name == "kind" else one for one in fields)


def _kind(name: str, told: Mapping[str, Any]) -> JudgeQuestion:
    fields, answers = (fields_of(told[part], written(JUDGE)) for part in ("fields", "answers"))
    example = {one: base() if value == "BASE" else value for one, value in told["example"].items()}
    return JudgeQuestion(name, told["family"], told["asks"], fields, answers, told["rules"], example)


def fields_of(
    table: Mapping[str, Any], known: Mapping[str, Any], silent: Collection[str] = ()
) -> tuple[QuestionField, ...]:
    """The fields of one table of the file `known`; those in `silent` may be left out where the question does not hang
    on them."""
    return tuple(_field(name, told, known, silent=name in silent) for name, told in table.items())


def _field(name: str, told: Any, known: Mapping[str, Any], *, silent: bool) -> QuestionField:
    if isinstance(told, str):
        told = known["shared"][told]
    if "table" in told:
        inner = fields_of(known["tables"][told["table"]], known, told.get("silent", ()))
        return QuestionField(name, object_schema(inner), told["text"], inner=inner)
    schema = _one_of(told["one_of"]) if "one_of" in told else schema_of(told["type"], known["types"])
    missing = told.get("missing", told.get("silent") if silent else None)
    return QuestionField(name, schema, told["text"], missing is not None, missing or "")


def schema_of(words: str, types: Mapping[str, Schema]) -> Schema:
    """The JSON Schema of a type, named as the head of the file says."""
    if words in types:
        return types[words]
    if " or " in words:
        return {"anyOf": [schema_of(one, types) for one in words.split(" or ")]}
    if words.startswith("list of "):
        return {"type": "array", "items": schema_of(words.removeprefix("list of "), types)}
    return {"type": "object", "additionalProperties": schema_of(words.removeprefix("for each name "), types)}


def _one_of(values: Iterable[str]) -> Schema:
    return {"enum": [value or None for value in values]}


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


class QuestionError(ValueError):
    """One line: the field and what was expected."""


class Fields:
    """The fields of one object of a question; `where` is the path to it, for the error's sake.

    Only what `defined` names can be read: anything else is a LookupError, so that no field goes undocumented. None:
    the names are the players' own, or those of trains.
    """

    __slots__ = ("_defined", "_raw", "_where")

    def __init__(self, raw: Any, where: str = "", defined: Iterable[QuestionField] | None = None) -> None:
        if not isinstance(raw, Mapping):
            raise QuestionError(f"{where or 'question'}: expected an object, not {shown(raw)}")
        self._raw = raw
        self._where = where
        self._defined = None if defined is None else {one.name: one for one in defined}

    def has(self, name: str) -> bool:
        """Whether the field is given; null is not."""
        self._definition(name)
        return self._raw.get(name) is not None

    def due(self, name: str) -> bool:
        """Whether the field has to be read: it is given, or it may not be left out."""
        definition = self._definition(name)
        return self.has(name) or definition is None or not definition.optional

    def _definition(self, name: str) -> QuestionField | None:
        if self._defined is None:
            return None
        if name not in self._defined:
            raise LookupError(f"{self.path(name)} is not defined in companion/judge_api/judge.toml")
        return self._defined[name]

    def path(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name

    def raw(self, name: str) -> Any:
        self._definition(name)
        if name not in self._raw:
            due = [one.name for one in (self._defined or {}).values() if not one.optional]
            lost = [name, *(one for one in due if one not in self._raw and one != name)]
            raise QuestionError(f"{', '.join(map(self.path, lost))}: missing")
        return self._raw[name]

    def check_spelling(self, others: Iterable[str] = ()) -> None:
        """Refuse a field that nobody reads where its name is nearly one that is not given: `optoins`."""
        known = [*(self._defined or ()), *others]
        for name in self._raw if self._defined is not None else ():
            meant = [one for one in known if one not in self._raw]
            if name not in known and (close := get_close_matches(str(name), meant, 1, NEARLY)):
                raise QuestionError(f"{self.path(str(name)[:40])}: unknown; is {close[0]} meant?")

    def refuse(self, name: str, expected: str) -> QuestionError:
        return QuestionError(f"{self.path(name)}: expected {expected}, not {shown(self._raw.get(name))}")

    def inner(self, name: str) -> Fields:
        definition = self._definition(name)
        inner = definition.inner if definition is not None else ()
        found = Fields(self.raw(name), self.path(name), inner or None)
        found.check_spelling()
        return found

    def flag(self, name: str) -> bool:
        value = self.raw(name)
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def number(self, name: str, least: int = 0, most: int = MANY) -> int:
        value = self.raw(name)
        if not _is_number(value, least, most):
            raise self.refuse(name, _range(least, most))
        assert isinstance(value, int)
        return value

    def highest_double(self, name: str, most: int) -> int:
        """The number of a set, which may be written as `"double-12"` too."""
        value = highest_double(self.raw(name))
        if not _is_number(value, 1, most):
            raise self.refuse(name, f"{_range(1, most)}, or a name such as double-12")
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        value = self.raw(name)
        if not isinstance(value, str):
            raise self.refuse(name, "a text")
        return value

    def one_of(self, name: str, choices: Sequence[str]) -> str:
        value = self.raw(name)
        if not isinstance(value, str) or value not in choices:
            raise self.refuse(name, f"one of {', '.join(choices)}")
        return value

    def items(self, name: str, of: str) -> list[Any]:
        """The list; `of`: what it has to hold, for the error's sake."""
        value = self.raw(name)
        if not isinstance(value, list):
            raise self.refuse(name, f"a list of {of}")
        return value

    def numbers(self, name: str) -> list[int]:
        values = self.items(name, "whole numbers")
        if not all(_is_number(value, 0, MANY) for value in values):
            raise self.refuse(name, "a list of whole numbers")
        return list(values)

    def new_players(self, name: str) -> tuple[str, ...]:
        """The list that names the players of this question."""
        players = self.items(name, "names")
        if not players or not all(isinstance(player, str) and player.strip() for player in players):
            raise self.refuse(name, "a list of names")
        for player in players:
            if player in (MEXICAN, SECOND_MEXICAN):
                raise self.refuse(name, f"names of players ({player} is a train)")
            if players.count(player) > 1:
                raise self.refuse(name, "every player once")
        return tuple(players)

    def name_of(self, name: str, known: Collection[str], what: str = "a player") -> str:
        value = self.raw(name)
        if not isinstance(value, str) or value not in known:
            raise self.refuse(name, f"{what} ({', '.join(known)})")
        return value

    def names_of(self, name: str, known: Collection[str], what: str = "players") -> tuple[str, ...]:
        """A list of known names; one that is named twice counts once."""
        those = f"{what} ({', '.join(known)})"
        values = self.items(name, those)
        if not all(isinstance(value, str) and value in known for value in values):
            raise self.refuse(name, f"a list of {those}")
        return tuple(dict.fromkeys(values))

    def counts(self, name: str, known: Collection[str] | None, least: int = 0) -> dict[str, int]:
        """{player: whole number}; `known` None: any players, but at least one."""
        values = self._by_player(name, known)
        for value in values.values():
            if not _is_number(value, least, MANY):
                raise self.refuse(name, f"{_range(least, MANY)} for each player")
        return values

    def hands(self, name: str) -> dict[str, list[Tile]]:
        """{player: list of tiles}, at least one player."""
        hands = self._by_player(name, None)
        return {player: Fields(hands, self.path(name)).tiles(player) for player in hands}

    def _by_player(self, name: str, known: Collection[str] | None) -> dict[str, Any]:
        values = self.raw(name)
        if not isinstance(values, Mapping) or (known is None and not values):
            raise self.refuse(name, "an object with an entry for each player")
        for player in values:
            if not isinstance(player, str) or not player.strip() or (known is not None and player not in known):
                expected = "names of players" if known is None else f"players ({', '.join(known)})"
                raise QuestionError(f"{self.path(name)}: expected {expected}, not {shown(player)}")
        return dict(values)

    def tiles(self, name: str, sign: str = "-") -> list[Tile]:
        tiles = []
        for item in self.items(name, f"tiles such as 12{sign}5" if sign == "-" else f"tiles such as 2{sign}6"):
            try:
                tiles.append(parse_tile(item, sign))
            except NotationError as wrong:
                raise QuestionError(f"{self.path(name)}: {wrong}") from None
        return tiles

    def chain(self, name: str, sign: str = "-") -> Chain:
        try:
            return parse_chain(self.raw(name), sign)
        except NotationError as wrong:
            raise QuestionError(f"{self.path(name)}: {wrong}") from None

    def names(self) -> Iterable[str]:
        return tuple(self._raw)


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _range(least: int, most: int) -> str:
    if least == -MANY:
        return "a whole number"
    return f"a whole number from {least} to {most}" if most != MANY else f"a whole number, {least} or more"


def shown(value: Any) -> str:
    """A value as one short line."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."
