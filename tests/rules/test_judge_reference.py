"""The reference of the judge is made from the definitions that read the questions, and holds what they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from companion.cli.judging import judge
from companion.judge_api.definitions import (
    JUDGE,
    LARGEST_SET,
    MANY,
    Fields,
    QuestionField,
    example,
    kinds,
    question_fields,
    schema,
)
from companion.judge_api.questions import ANSWERS, answer
from companion.rules.audit import Status
from companion.rules.chinese import SETTLEMENTS
from companion.rules.mexican.judge import SCORE_MODES
from companion.rules.ruleset_fields import FAMILIES
from companion.rules.written import written
from tests.rules.test_examples import EXAMPLES

DOCS = Path(__file__).parents[2] / "docs"
QUESTIONS = Draft202012Validator(schema())


def answers(kind: str) -> Draft202012Validator:
    return Draft202012Validator(schema()["$defs"][f"{kind}_answer"])


def test_the_manual_names_every_kind() -> None:
    manual = (DOCS / "judge.md").read_text(encoding="utf-8")
    assert [kind for kind in kinds() if f"`{kind}`" not in manual] == []


def test_every_kind_is_defined_and_answered() -> None:
    assert set(kinds()) == set(ANSWERS)


def test_what_may_be_chosen_and_how_much_is_what_the_rules_know() -> None:
    chosen = {
        (kind.name, one.name): one.schema["enum"]
        for kind in kinds().values()
        for one in (*kind.fields, *kind.answers)
        if "enum" in one.schema
    }
    assert chosen["score", "mode"] == chosen["match", "mode"] == list(SCORE_MODES)
    assert chosen["cn_settle", "mode"] == list(SETTLEMENTS)
    assert chosen["audit", "status"] == chosen["cn_audit", "status"] == [str(one) for one in Status]
    types = written(JUDGE)["types"]
    assert (types["count"]["maximum"], types["set"]["anyOf"][0]["maximum"]) == (MANY, LARGEST_SET)
    assert {kind.family for kind in kinds().values()} == set(FAMILIES)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("kind", kinds())
def test_the_example_of_a_kind_and_its_answer_fit_the_schema(kind: str) -> None:
    question = example(kinds()[kind])
    told = answer(question)
    assert "error" not in told
    QUESTIONS.validate(question)
    answers(kind).validate(told)


@pytest.mark.parametrize("case", EXAMPLES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_every_known_question_and_answer_fit_the_schema(case: tuple[str, str, dict[str, Any], Any]) -> None:
    kind, rules, fields, _ = case
    question = {"id": 1, "kind": kind, "rules": rules, **fields}
    QUESTIONS.validate(question)
    answers(kind).validate(answer(question))


@pytest.mark.parametrize("kind", kinds())
def test_a_required_field_that_is_missing_is_refused_by_both(kind: str) -> None:
    for field in kinds()[kind].fields:
        if field.optional:
            continue
        question = {name: value for name, value in example(kinds()[kind]).items() if name != field.name}
        assert answer(question)["error"].startswith(f"{field.name}: ")
        assert not QUESTIONS.is_valid(question)


@pytest.mark.parametrize("kind", kinds())
def test_an_optional_field_may_be_null(kind: str) -> None:
    given = example(kinds()[kind])
    for field in kinds()[kind].fields:
        if field.optional and field.name not in given:
            question = {**given, field.name: None}
            assert answer(question) == answer(given)
            QUESTIONS.validate(question)


def test_a_field_that_is_not_defined_cannot_be_read() -> None:
    fields = Fields({"id": 1, "colour": "red"}, defined=question_fields())
    for read in (fields.has, fields.due, fields.raw, fields.text):
        with pytest.raises(LookupError, match="colour is not defined"):
            read("colour")


def test_every_field_is_read_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    look_up = Fields._definition

    def noting(self: Fields, name: str) -> QuestionField | None:
        read.add(self.path(name))
        return look_up(self, name)

    monkeypatch.setattr(Fields, "_definition", noting)
    for kind in kinds().values():
        read.clear()
        answer(example(kind))
        for field in kind.fields:
            assert field.name in read, f"{kind.name}: nobody reads {field.name}"
            for inner in field.inner:
                assert f"{field.name}.{inner.name}" in read, f"{kind.name}: nobody reads {field.name}.{inner.name}"


def test_the_command_prints_the_schema() -> None:
    printed = CliRunner().invoke(judge, ["--schema"])
    assert printed.exit_code == 0
    assert json.loads(printed.output) == schema()


@pytest.mark.parametrize(
    ("kind", "path", "said"),
    (
        ("audit", "ends", "a list of whole numbers"),
        ("audit", "later_played", "a list of tiles such as 12-5"),
        ("cn_audit", "declared", "a list of tiles such as 2:6"),
        ("inference", "delta", "a list of changes such as +12-5@Ann"),
        ("round_end", "order", "a list of names"),
        ("round_end", "moved", "a list of players ("),
        ("turn", "state.players", "a list of names"),
        ("turn", "state.markers", "a list of players ("),
    ),
)
def test_a_text_in_place_of_a_list_is_told_what_the_list_holds(kind: str, path: str, said: str) -> None:
    question = example(kinds()[kind])
    outer, _, inner = path.partition(".")
    question[outer] = {**question[outer], inner: "x"} if inner else "x"
    assert answer(question)["error"].startswith(f"{path}: expected {said}")
