"""Typed records: one definition by types says how a value is read from JSON, checked, written back and described.

A record is a dataclass. Everything that its types leave open (a range, a notation, what a field means) stands beside
them in `Annotated`: a `Form`, how it is `Written`, and a text for the JSON Schema.

>>> @dataclass(frozen=True)
... class Round(Record):
...     number: Annotated[int, number(1), "From 1."]
...     starter: str | None = None
>>> Round.from_json({"number": 2}).to_json()
{'number': 2}
>>> Round.from_json({"number": 0})
Traceback (most recent call last):
    ...
companion.storage.records.RecordError: number: expected 1 or more, not 0
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from inspect import cleandoc
from itertools import repeat
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

MANY = 10**9
"""No number in a game comes near."""

DEEPEST = 12
"""Nesting of plain JSON."""

Schema = Mapping[str, Any]


class RecordError(ValueError):
    """The value is no such record. One line: where, and what was expected."""

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where, self.message = where, message

    def within(self, place: str) -> RecordError:
        """The same, as seen from what holds this value at `place`: the name of a field, or `[n]`."""
        joint = "." if self.where and not self.where.startswith("[") else ""
        return RecordError(self.message, where=f"{place}{joint}{self.where}")


def shown(value: Any) -> str:
    """A value as an error shows it: short, whatever was sent."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def unlike(expected: str, value: Any) -> RecordError:
    return RecordError(f"expected {expected}, not {shown(value)}")


def same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """How one kind of value stands in JSON."""

    read: Callable[[Any], Any]
    """Raises RecordError."""
    schema: Schema
    """JSON Schema."""
    write: Callable[[Any], Any] = same


@dataclass(frozen=True, slots=True)
class Written:
    """Beside a type: it is written like this."""

    write: Callable[[Any], Any]


INLINE = object()
"""Beside a record's type, as a field of another: its fields stand in the same object."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise unlike("text", value)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:  # a lone surrogate
            raise unlike("text in UTF-8", value) from None
    return value


def _name(value: Any) -> str:
    if value == "":
        raise RecordError("expected a name, not an empty text")
    return _text(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise unlike("true or false", value)
    return value


def _plain(value: Any, depth: int = 0) -> Any:
    """JSON of any kind, not deep."""
    if depth > DEEPEST:
        raise RecordError("nested too deeply")
    if isinstance(value, dict):
        for key, inner in value.items():
            _text(key)
            _plain(inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _plain(inner, depth + 1)
    elif isinstance(value, str):
        _text(value)
    elif isinstance(value, float) and not -1e15 < value < 1e15:
        raise unlike("a number", value)
    return value


def number(least: int = -MANY, most: int = MANY) -> Form:
    """A whole number: not true, not 1.0."""

    def read(value: Any) -> int:
        if type(value) is not int or not -MANY <= value <= MANY:
            raise unlike("a whole number", value)
        if not least <= value <= most:
            raise unlike(f"{least} or more" if most == MANY else f"{least} to {most}", value)
        return value

    return Form(read, {"type": "integer", "minimum": least, "maximum": most})


def real(least: float, most: float, *, above: bool = False) -> Form:
    """A number from `least` to `most`; `above`: `least` itself is too little."""

    def read(value: Any) -> float:
        if type(value) not in (int, float) or not least <= value <= most or (above and value == least):
            raise unlike(f"a number above {least:.7g}" if above else f"a number from {least:.7g} to {most:.7g}", value)
        return float(value)

    return Form(read, {"type": "number", "exclusiveMinimum" if above else "minimum": least, "maximum": most})


def one_of(*choices: Any) -> Form:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise unlike(f"one of {', '.join(choices)}", value)
        return value

    return Form(read, {"enum": list(choices)})


TEXT = Form(_text, {"type": "string"})
NAME = Form(_name, {"type": "string", "minLength": 1})
SHARE = real(0, 1)

Name = Annotated[str, NAME]
Count = Annotated[int, number(1)]
Share = Annotated[float, SHARE]
Plain = Mapping[str, Any]
"""An object of plain JSON."""

_SCALARS: Mapping[Any, Form] = {
    str: TEXT,
    int: number(),
    bool: Form(_flag, {"type": "boolean"}),
    float: real(-1e15, 1e15),
    Any: Form(_plain, {}),
}


def form_of(hint: Any) -> Form:
    """The form of a type. Raises TypeError for one that has none."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        form = next((one for one in inside[1:] if isinstance(one, Form)), None) or form_of(inside[0])
        write = next((one.write for one in inside[1:] if isinstance(one, Written)), form.write)
        said = next((one for one in inside[1:] if isinstance(one, str)), form.schema.get("description"))
        return Form(form.read, form.schema if said is None else {**form.schema, "description": said}, write)
    if origin in (Union, types.UnionType):
        [other] = (one for one in inside if one is not type(None))
        return or_null(form_of(other))
    if origin is Literal:
        return one_of(*inside)
    if origin is tuple:
        return list_of(form_of(inside[0])) if inside[1:] == (...,) else row(*map(form_of, inside))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, value = map(form_of, inside)
        return by_name(value) if inside[0] is str else pairs(key, value)
    if not is_dataclass(hint):
        return _SCALARS[hint]
    own: Any = hint
    return Form(own.from_json, record(own).schema, own.to_json) if issubclass(own, Record) else record(own)


def or_null(form: Form) -> Form:
    read, write = form.read, form.write
    return Form(
        lambda value: None if value is None else read(value),
        {"anyOf": [form.schema, {"type": "null"}]},
        same if write is same else lambda value: None if value is None else write(value),
    )


def list_of(form: Form) -> Form:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise unlike("a list", value)
        return _in_turn(repeat(form), value) if value else ()

    return Form(read, {"type": "array", "items": form.schema}, lambda values: [form.write(one) for one in values])


def _in_turn(forms: Iterable[Form], values: Sequence[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    try:
        for form, one in zip(forms, values):  # noqa: B905
            found.append(form.read(one))
    except RecordError as error:
        raise error.within(f"[{len(found)}]") from None
    return tuple(found)


def row(*forms: Form, what: str = "") -> Form:
    """A list of so many values, each of its own form; `what` is expected, in words."""
    size = {"minItems": len(forms), "maxItems": len(forms)}

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != len(forms):
            raise unlike(what or f"a list of {len(forms)}", value)
        return _in_turn(forms, value)

    def write(values: Any) -> list[Any]:
        return [form.write(one) for form, one in zip(forms, values, strict=True)]

    return Form(read, {"type": "array", "prefixItems": [form.schema for form in forms], **size}, write)


def by_name(form: Form) -> Form:
    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise unlike("an object", value)
        return {_name(name): read_at(name, form, one) for name, one in value.items()}

    return Form(
        read,
        {"type": "object", **({"additionalProperties": form.schema} if form.schema else {})},
        lambda values: {name: form.write(one) for name, one in values.items()},
    )


def pairs(key: Form, value: Form) -> Form:
    """A mapping whose keys are no names, as a list of pairs."""
    listed = list_of(row(key, value))
    return Form(lambda given: dict(listed.read(given)), listed.schema, lambda values: listed.write(values.items()))


def read_at(place: str, form: Form, value: Any) -> Any:
    """The value of a field. Raises RecordError that names it."""
    try:
        return form.read(value)
    except RecordError as error:
        raise error.within(place) from None


def record(kind: type[Any]) -> Form:
    """The form of a dataclass: an object with its fields. It may hold others, which nobody reads.

    Fields with a default may be missing; they are written where they differ from it, or where `ALWAYS` names them.
    """
    return _record(kind)  # type: ignore[arg-type]


@cache
def _record(kind: Any) -> Form:
    hints = get_type_hints(kind, include_extras=True)
    own = {one.name: form_of(hints[one.name]) for one in fields(kind)}
    inline = {name: form for name, form in own.items() if INLINE in get_args(hints[name])[1:]}
    reads = {name: form.read for name, form in own.items() if name not in inline}
    defaults = {one.name: _default(one) for one in fields(kind)}
    needed = [name for name in reads if defaults[name] is MISSING]
    always = {*needed, *getattr(kind, "ALWAYS", ())}
    writes = [(name, defaults[name], name in always, form.write) for name, form in own.items()]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise unlike("an object", value)
        given, name = {}, ""
        try:
            for name, held in value.items():
                if name in reads:
                    given[name] = reads[name](held)
        except RecordError as error:
            raise error.within(name) from None
        for name in needed:
            if name not in given:
                raise RecordError(f"missing; expected {', '.join(needed)}", where=name)
        for name, form in inline.items():
            given[name] = form.read(value)
        return kind(**given)

    def write(value: Any) -> dict[str, Any]:
        line: dict[str, Any] = {}
        for name, default, due, written in writes:
            held = getattr(value, name)
            if name in inline:
                line |= written(held)
            elif due or (held is not default and held != default):
                line[name] = written(held)
        return line

    properties: dict[str, Any] = {}
    for name, form in own.items():
        properties |= form.schema["properties"] if name in inline else {name: form.schema}
    schema = {"type": "object", "description": cleandoc(kind.__doc__ or ""), "properties": properties}
    return Form(read, {**schema, "required": needed}, write)


def _default(own: Field[Any]) -> Any:
    return own.default if own.default_factory is MISSING else own.default_factory()


class Record:
    """A dataclass that is read from JSON and written back by its types."""

    __slots__ = ()

    ALWAYS: ClassVar[frozenset[str]] = frozenset()
    """Fields with a default that are written all the same."""

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = record(type(self)).write(self)
        return line

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Raises RecordError naming the field."""
        read: Self = record(cls).read(value)
        return read
