"""The page's API as OpenAPI 3.1, made from the routes themselves and from what each of them reads (`FIELDS`).

    companion schema api > openapi.json

Every route is in it. Those for programs (`FIELDS`) say which fields they read; the forms of the pages are as the pages
show them.
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
from companion.judge_api.definitions import QuestionField, object_schema
from companion.log import events as journal
from companion.log.events import EVENT_TYPES

TEXT: dict[str, Any] = {"type": "string"}
NAME: dict[str, Any] = {"type": "string", "maxLength": 24}
FLAG: dict[str, Any] = {"type": "boolean"}
HALF: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 18}
LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
TILE: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": HALF, "minItems": 2, "maxItems": 2}, {"type": "string", "examples": ["12-5"]}]
}
TILES: dict[str, Any] = {"anyOf": [{"type": "array", "items": TILE}, {"type": "string", "examples": ["12-5 3-3"]}]}

SEEN = (
    QuestionField("expected_game", TEXT, "the game that the change is for: 409 where another is on the table", True),
    QuestionField(
        "expected_seq",
        {"type": "integer"},
        "the last entry that was seen: 409 where there is another",
        True,
    ),
    QuestionField("once", TEXT, "a key of your own: the same change sent again is not made again", True),
)
"""What every change may carry."""

BY = QuestionField("by", NAME, "the player; missing: who is to move", True)
TURN = QuestionField("turn", NAME, "the player whose turn was shown to whoever taps this", True)
OWN_TURN = QuestionField(
    "own_turn",
    {"type": "integer", "minimum": 1, "maximum": 999},
    "in which turn of `by` in this round it is, from 1 (`own_turns` and `to_come` of the state)",
    True,
)
TRAIN = QuestionField("train", TEXT, "a player's name, MX, MX2, or R and L of a line")
OUTER = QuestionField("outer", HALF, "the half that points away from the engine; `tile` says both", True)
LOW = QuestionField("low", HALF, "a half of the tile, with `high`", True)
HIGH = QuestionField("high", HALF, "the other half", True)

FIELDS: Mapping[str, tuple[QuestionField, ...]] = {
    "access.sign_in_by_program": (
        QuestionField("pin", TEXT, "the PIN, as the box prints it"),
        QuestionField("name", NAME, "who you are; kept beside your corrections", True),
    ),
    "setup.start": (
        QuestionField("rules", TEXT, "the name of a rule set", True),
        QuestionField("set", {"type": ["string", "integer"]}, "double-6 to double-18 or 6 to 18, or chinese", True),
        QuestionField(
            "players", {"type": "array", "items": NAME}, "clockwise as they sit (Chinese: counter-clockwise)", True
        ),
        QuestionField("options", {"type": "object"}, "single rules that this table changes", True),
        QuestionField("same_as", TEXT, "the name of the latest game: the same again", True),
        QuestionField("own", TEXT, "the key of rules that are kept on the box", True),
    ),
    "api.start_round": (
        QuestionField("engine", TILE, "the tile in the middle; missing: the one that is due", True),
        QuestionField("starter", NAME, "who begins", True),
    ),
    "api.play": (
        TRAIN,
        QuestionField("tile", TILE, "the tile, the half nearer the engine first", True),
        OUTER,
        QuestionField("inner", HALF, "the other half; missing: the value that is due there", True),
        BY,
        TURN,
        OWN_TURN,
        QuestionField("end", HALF, "the value at which the train ended for whoever taps this", True),
    ),
    "api.turn_act": (BY, TURN, OWN_TURN),
    "api.done": (BY, TURN, OWN_TURN),
    "api.marker_act": (TRAIN, BY, TURN, OWN_TURN),
    "api.cannot_play": (BY, TURN, OWN_TURN),
    "api.announce": (BY,),
    "api.report": (
        QuestionField("by", NAME, "the player"),
        QuestionField("what", {"enum": ["no_last_tile", "no_open_end", "dealt"]}, "what is said"),
        QuestionField("value", {"type": "integer", "minimum": 0, "maximum": 99}, "how many tiles were dealt", True),
    ),
    "api.undo": (
        QuestionField("seq", LINE, "this correction, whatever has come after it; missing: the last thing", True),
    ),
    "api.put_back": (),
    "api.correct": (
        QuestionField("seq", LINE, "the entry that is wrong"),
        QuestionField("tile", TILE, "what it really was", True),
        LOW,
        HIGH,
        QuestionField("train", TEXT, "where it really lies", True),
        QuestionField("by", NAME, "who it really was", True),
        QuestionField("withdrawn", FLAG, "it did not happen", True),
        QuestionField("overruled", FLAG, "the table agreed otherwise", True),
        QuestionField(
            "shows", TEXT, "what its preview has shown: at a later entry too, it is made if it still shows that", True
        ),
        QuestionField("insert_train", TEXT, "the train of a tile that was not seen", True),
        QuestionField("insert_low", HALF, "its inner half", True),
        QuestionField("insert_high", HALF, "its outer half", True),
        QuestionField(
            "insert_event", {"enum": ["tile", "draw", "mark", "unmark", "pass", "done", "discard"]}, "another act", True
        ),
        QuestionField("insert_by", NAME, "who did what is put in", True),
        QuestionField("insert_at", {"enum": ["after", "before"]}, "where it belongs, seen from `seq`", True),
    ),
    "api.answer": (
        QuestionField("seq", LINE, "the entry that asks"),
        QuestionField(
            "choice", {"type": "integer", "minimum": -1, "maximum": 50}, "which candidate; -1: none of them", True
        ),
        QuestionField("train", TEXT, "where the tile lies that it was", True),
        QuestionField("tile", TILE, "the tile that it was", True),
        OUTER,
        QuestionField("inner", HALF, "the other half", True),
        BY,
        QuestionField("also", TEXT, "numbers of further questions that this settles, with spaces", True),
        QuestionField(
            "order", TEXT, "of a tap that does not fit: the lines of these acts as they happened, with spaces", True
        ),
    ),
    "settling.was_so": (QuestionField("seq", LINE, "the tap before which another was put without a question"),),
    "api.end_round": (
        QuestionField(
            "how", {"enum": ["out", "blocked_proved", "blocked_declared", "abandoned"]}, "how it ended", True
        ),
    ),
    "api.show_hand": (QuestionField("by", NAME, "the player"), QuestionField("tiles", TILES, "what is left", True)),
    "api.end_match": (),
    "placing.film": (
        QuestionField("size", TEXT, "such as 1920x1080; empty: the largest that is quick enough", True),
        QuestionField("mains", {"enum": ["50", "60", "auto"]}, "the lamps' mains frequency", True),
    ),
    "placing.place": (
        QuestionField("do", TEXT, "keep these corners, try them, or go by the printed markers again", True),
        QuestionField("corners", {"type": "array"}, "four corners as shares of the picture, clockwise", True),
        QuestionField("size_mm", {"type": "array", "items": {"type": "number"}}, "width and height of the table", True),
    ),
    "seating.keep": (
        QuestionField("do", TEXT, "what to do", True),
        QuestionField(
            "places",
            {"type": "object"},
            "name -> [x, y], shares of the picture; `seat:NAME`: a seat",
            True,
        ),
        QuestionField("arms", FLAG, "whether arms are looked at", True),
    ),
    "placing.read_now": (),
    "placing.watch_again": (),
}
"""The view of a route -> the fields that it reads from the body."""

ALSO_PINNED = frozenset({"pages.view"})
"""Needs the PIN but on the box's own screen."""

_TYPES = {"jpg": "image/jpeg", "zip": "application/zip", "csv": "text/csv", "png": "image/png", "svg": "image/svg+xml"}

_IN_JSON = re.compile(r"/health|/api/.*|/regions|/round-end/notes")

EVENT = {"$ref": "#/components/schemas/Event"}
NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
LINES: dict[str, Any] = {
    "type": "array",
    "items": EVENT
    | {
        "properties": {
            **dict.fromkeys(("overruled", "taken_back", "withdrawn", "ruling_open", "corrected"), FLAG),
            **dict.fromkeys(("changed_by", "alive", "order"), NUMBERS),
            "guess": NAME, "changers": {"type": "array", "items": TEXT}, "original": EVENT,
            "end_was": {"anyOf": [HALF, {"type": "null"}]}, "engine_due": TILE,
        }
    },
}  # fmt: skip
"""Events, each with what was made of it since (`game.game_view.Line`)."""


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
    view["properties"] |= {"game": TEXT, "camera": {}, "plays": LINES, "questions": LINES}
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
    if method == "POST" and endpoint in FIELDS:
        fields = (*FIELDS[endpoint], *(SEEN if pinned else ()))
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
    """What a field holds that is left out where there is nothing."""
    return next(one for one in get_args(hint) if one is not type(None)) if type(None) in get_args(hint) else hint
