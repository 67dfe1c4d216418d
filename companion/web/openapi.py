"""The page's API as OpenAPI 3.1, made from the routes themselves and from what each of them reads (`texts/api.toml`).

    companion schema api > openapi.json

Every route is in it. Those for programs say which fields they read; the forms of the pages are as the pages show them.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import metadata
from typing import Any, get_args, get_origin, get_type_hints

from flask import Flask

from companion.game.game_view import GameView, OwnTurn
from companion.judge_api.definitions import QuestionField, fields_of, object_schema, schema_of
from companion.log import events as journal
from companion.log.events import EVENT_TYPES
from companion.rules.written import written

API = "web/texts/api.toml"

ALSO_PINNED = frozenset({"pages.view"})
"""Needs the PIN but on the box's own screen."""

_TYPES = {
    "jpg": "image/jpeg", "zip": "application/zip", "csv": "text/csv", "png": "image/png", "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}  # fmt: skip

_IN_JSON = re.compile(r"/health|/api/.*|/regions|/round-end/notes")

TEXT: dict[str, Any] = {"type": "string"}
EVENT = {"$ref": "#/components/schemas/Event"}


def read_by() -> Mapping[str, tuple[QuestionField, ...]]:
    """The view of a route for programs -> the fields that it reads from the body."""
    return {view: fields_of(table, written(API)) for view, table in written(API)["routes"].items()}


def read_by_every_change() -> tuple[QuestionField, ...]:
    return fields_of(written(API)["every"], written(API))


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """(method, rule, endpoint) of every route."""
    for rule in sorted(app.url_map.iter_rules(), key=str):
        for method in sorted((rule.methods or set()) & {"GET", "POST"}):
            yield method, rule.rule, rule.endpoint


def document(app: Flask) -> dict[str, Any]:
    """The whole OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for method, rule, endpoint in routes(app):
        for path, parameters in _paths(rule):
            view = app.view_functions[endpoint]
            paths.setdefault(path, {})[method.lower()] = _operation(method, path, endpoint, view, parameters)
    defs = {kind: journal.event_schema(kind) for kind in EVENT_TYPES}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tabletop companion",
            "version": metadata.version("tabletop-companion"),
            "description": "The live page's API. Looking is open to the network; changing needs the PIN. docs/api.md",
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        },
        "servers": [{"url": "http://companion.local:8000"}],
        "paths": paths,
        "components": {
            "schemas": {
                "Event": {"anyOf": [{"$ref": f"#/components/schemas/{kind}"} for kind in EVENT_TYPES]},
                "State": {"anyOf": [_state(), {"properties": {"phase": {"const": "no_game"}}, "required": ["phase"]}]},
                "Error": {"type": "object", "properties": {"error": TEXT}, "required": ["error"]},
                **defs,
            },
            "securitySchemes": {
                "pin": {"type": "apiKey", "in": "header", "name": "X-Companion-Pin"},
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "companion-ID",
                    "description": "ID is this box's own; `POST /api/pin` sets the cookie.",
                },
            },
        },
    }


def _state() -> dict[str, Any]:
    """The game's view, with what the page adds to it."""
    view = of_type(GameView)
    added = {name: schema_of(words, written(API)["types"]) for name, words in written(API)["line"].items()}
    lines = {"type": "array", "items": EVENT | {"properties": added}}
    view["properties"] |= {"game": TEXT, "camera": {}, "plays": lines, "questions": lines}
    return view


def _paths(rule: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Paths as OpenAPI writes them: `<any(a,b):what>` becomes one path each, any other part a parameter."""
    if found := re.search(r"<any\(([^)]*)\):\w+>", rule):
        for one in found[1].split(","):
            yield from _paths(rule.replace(found[0], one))
        return
    parameters = []
    for kind, name in re.findall(r"<(?:(\w+):)?(\w+)>", rule):
        schema = {"type": "integer"} if kind == "int" else TEXT
        parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
    yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule), parameters


def _operation(
    method: str, path: str, endpoint: str, view: Callable[..., Any], parameters: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    said = " ".join((view.__doc__ or "").split("\n\n")[0].split())
    named = re.sub(r"\W+", "_", path).strip("_") or "page"
    operation: dict[str, Any] = {
        "operationId": f"{method.lower()}_{named}",
        "summary": said or named.replace("_", " "),
        "responses": {
            "200": {"description": "Done.", "content": _answer(path, method)},
            "default": {
                "description": "400: not understood; 401, 403: PIN; 409: not possible now; 429, 503: later.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }
    if parameters:
        operation["parameters"] = list(parameters)
    pinned = getattr(view, "needs_pin", False) or endpoint in ALSO_PINNED
    if pinned:
        operation["security"] = [{"pin": []}, {"cookie": []}]
    if method == "POST" and endpoint in read_by():
        fields = (*read_by()[endpoint], *(read_by_every_change() if pinned else ()))
        operation["requestBody"] = {"content": {"application/json": {"schema": object_schema(fields)}}}
    elif method == "POST":
        form = {"schema": {"type": "object", "additionalProperties": TEXT}}
        operation["requestBody"] = {"content": {"application/x-www-form-urlencoded": form, "multipart/form-data": form}}
    return operation


def _answer(path: str, method: str) -> dict[str, Any]:
    ending = path.rpartition(".")[2]
    if ending in _TYPES:
        return {_TYPES[ending]: {}}
    if path == "/source":
        return {"application/zip": {}}
    if path == "/api/stream":
        return {"text/event-stream": {"schema": EVENT}}
    if path == "/api/state":
        return {"application/json": {"schema": {"$ref": "#/components/schemas/State"}}}
    if _IN_JSON.fullmatch(path):
        return {"application/json": {"schema": {"type": "object"}}}
    return {"*/*": {}} if path.startswith(("/static", "/games/{game}/pictures")) else {"text/html": {}}


def of_type(kind: Any) -> dict[str, Any]:
    """A type of the game's view as JSON Schema."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is types.UnionType:
        return {"anyOf": [of_type(one) for one in inside]}
    if origin is tuple and len({*inside} - {Ellipsis}) > 1:
        return {"type": "array", "prefixItems": [of_type(one) for one in inside]}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": of_type(inside[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": of_type(inside[1])}
    if is_dataclass(kind):
        hints, known = get_type_hints(kind), {one.name: bool(one.metadata) for one in fields(kind)}
        return {
            "type": "object",
            "properties": {name: of_type(_known(hints[name]) if left else hints[name]) for name, left in known.items()},
            "required": [name for name, left in known.items() if not left],
        }
    plain = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", OwnTurn: "array"}
    return {"type": plain[kind]} if kind in plain else {}


def _known(hint: Any) -> Any:
    """The type of an optional field when it has a value."""
    return next(one for one in get_args(hint) if one is not type(None)) if type(None) in get_args(hint) else hint
