"""The program reads and writes exactly the forms that `companion schema` prints."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from jsonschema import Draft202012Validator

from companion.cli.judging import NAMES, made, schema
from companion.game.game import Game
from companion.game.game_view import GameView
from companion.log.event_fields import EventError
from companion.log.events import EVENT_TYPES, event_from_json, event_schema, header_schema, seen_schema
from companion.log.journal import Journal
from companion.perception import setup_file
from companion.perception.setup_file import SetupError, setup_from_json
from companion.rules.ruleset import load_ruleset
from companion.web.openapi import document, of_type, read_by, read_by_every_change, routes
from tests.shown import state_of

ROOT = Path(__file__).resolve().parents[2]
SETUP = setup_file.EXAMPLE


@pytest.mark.parametrize("name", NAMES)
def test_the_command_prints_each_of_them(name: str) -> None:
    printed = CliRunner().invoke(schema, [name])
    assert printed.exit_code == 0, printed.output
    found = json.loads(printed.output)
    assert found == json.loads(json.dumps(made(name)))
    if name != "api":
        Draft202012Validator.check_schema(found)


def lines() -> Iterator[dict[str, Any]]:
    for file in sorted((ROOT / "tests/games").glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def test_every_line_of_every_recorded_game_fits() -> None:
    kinds = {kind: Draft202012Validator(event_schema(kind)) for kind in EVENT_TYPES}
    header, met = Draft202012Validator(header_schema()), set()
    for line in lines():
        met.add(line.get("event"))
        (kinds[line["event"]] if "event" in line else header).validate(line)
    assert {None, "round_started", "tile_played", "drew", "hand_shown", "round_scored"} <= met


def test_every_example_of_a_schema_fits_it() -> None:
    shown = [header_schema(), seen_schema(), setup_file.schema(), *made("judge")["oneOf"]]  # type: ignore[misc]
    for one in (*shown, *map(event_schema, EVENT_TYPES)):
        assert one["examples"], one.get("title")
        for example in one["examples"]:
            Draft202012Validator(one).validate(example)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_an_event_is_refused_by_the_schema_where_the_journal_refuses_it(kind: str) -> None:
    validator = Draft202012Validator(event_schema(kind))
    [sample] = validator.schema["examples"]
    assert event_from_json(sample).to_json() == sample
    validator.validate(sample)
    for field in validator.schema["properties"]:
        for wrong in ({"nothing": "like it"}, [[[3]]], -5.5, ""):
            line = {**sample, field: wrong}
            if not validator.is_valid(line):
                continue
            try:
                event_from_json(line)
            except EventError as refused:
                pytest.fail(f"{field} = {wrong!r} fits the schema, and is refused: {refused}")
    for field in set(validator.schema["required"]) - {"event"}:
        line = {name: value for name, value in sample.items() if name != field}
        assert not validator.is_valid(line)
        with pytest.raises(EventError, match=f"{field}: missing"):
            event_from_json(line)


def test_the_example_of_a_set_up_file_has_every_field() -> None:
    known = setup_file.schema()
    validator = Draft202012Validator(known)
    assert set(known["properties"]) - {"journal"} == set(SETUP)
    for name in ("table", "round"):
        assert set(known["properties"][name]["properties"]) == set(SETUP[name])
    validator.validate(SETUP)
    validator.validate(setup_from_json(SETUP).to_json())


@pytest.mark.parametrize(
    "field", [*sorted(set(SETUP) - {"options"}), "table.corners_px", "round.engine", "round.number"]
)
def test_a_set_up_file_is_refused_by_the_program_where_the_schema_refuses_it(field: str) -> None:
    validator = Draft202012Validator(setup_file.schema())
    outer, _, inner = field.partition(".")
    refused = 0
    for wrong in (-1, [1], "nonsense", {"x": "y"}, [[1, 2], [3, 4]], 2.5):
        given = {**SETUP, outer: {**SETUP[outer], inner: wrong} if inner else wrong}  # type: ignore[dict-item]
        if validator.is_valid(given):
            continue
        refused += 1
        with pytest.raises(SetupError):
            setup_from_json(given)
    assert refused


def test_every_route_is_in_the_document(app: Flask) -> None:
    told = document(app)
    there = {(method, path) for path, row in told["paths"].items() for method in row}
    assert {("get", "/api/state"), ("get", "/health"), ("post", "/api/draw"), ("post", "/api/play")} <= there
    posts = {endpoint for method, rule, endpoint in routes(app) if method == "POST" and rule.startswith("/api/")}
    assert posts == set(read_by())
    every = {
        (method.lower(), re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
        if "<any(" not in rule.rule
    }
    assert every <= there
    pinned = {(method, path) for path, row in told["paths"].items() for method in row if "security" in row[method]}
    assert {("post", "/api/undo"), ("get", "/api/view"), ("post", "/learn"), ("get", "/camera.jpg")} <= pinned
    assert not {("post", "/api/pin"), ("get", "/api/state"), ("get", "/scores"), ("post", "/hand")} & pinned
    names = [row[method]["operationId"] for row in told["paths"].values() for method in row]
    assert len(names) == len(set(names))


def test_every_schema_of_the_document_is_one_and_every_reference_leads_somewhere(app: Flask) -> None:
    told = document(app)
    for one in told["components"]["schemas"].values():
        Draft202012Validator.check_schema(one)

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from [inner] if key == "$ref" else references(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from references(inner)

    found = set(references(told))
    assert found
    for reference in found:
        assert reference.removeprefix("#/components/schemas/") in told["components"]["schemas"]


@pytest.mark.parametrize("name", ("tactic-5", "jielong-3"))
def test_the_state_of_a_game_fits_its_schema(name: str, app: Flask, tmp_path: Path) -> None:
    told = document(app)
    state = told["components"]["schemas"]["State"]["anyOf"][0]
    path = tmp_path / "journal.jsonl"
    beginning = (ROOT / f"tests/games/{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:40]
    path.write_text("".join(beginning), encoding="utf-8")
    session = Game(Journal.open(path), load_ruleset(name.partition("-")[0]))
    shown = json.loads(json.dumps(state_of(session)))
    session.close()
    Draft202012Validator({**state, "components": told["components"]}).validate(shown)
    assert set(shown) <= set(state["properties"])


READERS = {"text", "number", "person", "tile", "tiles", "_train", "share"}
FOR_FORMS = {"next", "again", "whose"}


def test_the_document_has_the_fields_that_the_routes_read() -> None:
    read: set[str] = set()
    words: set[str] = set()
    for module in ("api", "tapping"):
        tree = ast.parse((ROOT / f"companion/web/{module}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            words |= {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "fields":
                read |= {str(one.value) for one in [node.slice] if isinstance(one, ast.Constant)}
            if not isinstance(node, ast.Call):
                continue
            asked = isinstance(node.func, ast.Attribute) and node.func.attr == "get"
            of_fields = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "fields"
            reader = isinstance(node.func, ast.Name) and node.func.id in READERS and node.args
            first = getattr(node.args[0], "id", "") if reader else ""
            if (asked and of_fields) or first == "fields":
                read |= {str(one.value) for one in node.args[: 1 if asked else 2] if isinstance(one, ast.Constant)}
            if reader and getattr(node.func, "id", "") == "_train" and len(node.args) == 1:
                read.add("train")
    told = {field.name for name, fields in read_by().items() if name.startswith("api.") for field in fields}
    assert read - told - FOR_FORMS - {field.name for field in read_by_every_change()} == set()
    assert told - words == set()


def test_the_document_says_what_an_engine_of_an_earlier_round_looks_like() -> None:
    sheet = of_type(GameView)["properties"]["rounds_played"]["items"]["properties"]
    assert {"type": "array", "items": {"type": "integer"}} in sheet["engine"]["anyOf"]
