"""Records: read, checked, written and described by their types alone."""

from __future__ import annotations

import doctest
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import pytest
from jsonschema import Draft202012Validator

from companion.storage import records
from companion.storage.records import INLINE, Count, Name, Plain, Record, RecordError, Share, Written, real, record, row


@dataclass(frozen=True, slots=True)
class Corner(Record):
    place: Annotated[tuple[float, float], row(real(0, 9), real(0, 9), what="a point [x, y]")] = (0.0, 0.0)
    colour: Literal["red", "blue"] = "red"


@dataclass(frozen=True, slots=True)
class Table(Record):
    """A table."""

    ALWAYS: ClassVar[frozenset[str]] = frozenset({"tags"})

    name: Name
    corner: Annotated[Corner, INLINE]
    sizes: tuple[Count, ...] = ()
    tags: tuple[str, ...] = ()
    share: Annotated[Share, Written(lambda share: round(share, 1))] | None = None
    seats: Mapping[str, Corner] = field(default_factory=dict)
    costs: Mapping[Count, bool] = field(default_factory=dict)
    rest: Annotated[Plain, "Whatever else."] = field(default_factory=dict)


FULL = {
    "name": "Ann", "place": [1.0, 2.5], "colour": "blue", "sizes": [3, 4], "tags": ["x"], "share": 0.5,
    "seats": {"Ben": {"colour": "blue"}}, "costs": [[2, True]], "rest": {"a": [1, {"b": None}]},
}  # fmt: skip


def test_what_is_read_is_written_again() -> None:
    table = Table.from_json({**FULL, "unknown": 1})
    assert table.corner == Corner((1.0, 2.5), "blue") and table.costs == {2: True}
    assert table.to_json() == FULL
    Draft202012Validator(record(Table).schema).validate(FULL)


def test_what_has_its_default_is_left_out_but_where_it_always_stands() -> None:
    assert Table("Ann", Corner()).to_json() == {"name": "Ann", "tags": []}
    assert Table("Ann", Corner(), share=0.123).to_json()["share"] == 0.1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": ""}, "name: expected a name, not an empty text"),
        ({"name": 3}, "name: expected text, not 3"),
        ({"name": "\ud800"}, r"name: expected text in UTF-8, not '\ud800'"),
        ({"place": [1]}, "place: expected a point [x, y], not [1]"),
        ({"place": [1, 10]}, "place[1]: expected a number from 0 to 9, not 10"),
        ({"place": [1, float("nan")]}, "place[1]: expected a number from 0 to 9, not nan"),
        ({"colour": "green"}, "colour: expected one of red, blue, not 'green'"),
        ({"sizes": [1, 0]}, "sizes[1]: expected 1 or more, not 0"),
        ({"sizes": [True]}, "sizes[0]: expected a whole number, not True"),
        ({"sizes": "12"}, "sizes: expected a list, not '12'"),
        ({"seats": {"Ben": {"place": [0, -1]}}}, "seats.Ben.place[1]: expected a number from 0 to 9, not -1"),
        ({"seats": {"": {}}}, "seats: expected a name, not an empty text"),
        ({"costs": [[1, 1]]}, "costs[0][1]: expected true or false, not 1"),
        ({"rest": {"a": 1e300}}, "rest.a: expected a number, not 1e+300"),
        ({"rest": [1]}, "rest: expected an object, not [1]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_place(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RecordError) as refused:
        Table.from_json({**FULL, **change})
    assert str(refused.value) == complaint
    if "nan" not in complaint and "UTF-8" not in complaint and "1e+300" not in complaint and "seats: " not in complaint:
        assert not Draft202012Validator(record(Table).schema).is_valid({**FULL, **change})


def test_what_is_missing_is_named_with_all_that_has_to_be_there() -> None:
    with pytest.raises(RecordError, match=r"^name: missing; expected name$"):
        Table.from_json({})


def test_plain_json_is_not_deep() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    with pytest.raises(RecordError, match=r"^rest\.a: nested too deeply$"):
        Table.from_json({**FULL, "rest": {"a": deep}})


def test_the_schema_says_what_each_field_means() -> None:
    schema = record(Table).schema
    assert schema["description"] == "A table." and schema["required"] == ["name"]
    assert schema["properties"]["rest"]["description"] == "Whatever else."
    assert {"place", "colour"} <= set(schema["properties"]) and "corner" not in schema["properties"]


def test_the_example_runs() -> None:
    found = doctest.testmod(records)
    assert found.attempted and not found.failed
