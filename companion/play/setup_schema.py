"""The set-up file as JSON Schema. `setup_file` reads it; a test holds that it reads these fields and no others."""

from __future__ import annotations

from typing import Any

from companion.log.event_fields import TILE
from companion.log.schema import DRAFT, header_schema
from companion.play.setup_file import BONEYARDS
from companion.storage.records import NAME

_PLACE = {"type": "number", "minimum": -1e6, "maximum": 1e6}
_LENGTH = {"type": "number", "exclusiveMinimum": 0, "maximum": 1e6}
_DEGREES = {"type": "object", "additionalProperties": _PLACE}


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _row(items: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}


FIELDS: dict[str, Any] = {
    **header_schema()["properties"],
    "table": {
        "type": "object",
        "description": "Where the table lies. Left out: the printed markers tell, or the page asks.",
        "properties": {
            "corners_px": {
                **or_null(_row(_row(_PLACE, 2), 4)),
                "description": "The table's corners in the picture, in pixels, clockwise.",
            },
            "size_mm": {**or_null(_row(_LENGTH, 2)), "description": "Width and height of the table, in millimetres."},
        },
    },
    "tile_mm": {**or_null(_row(_LENGTH, 3)), "description": "Length, width and thickness of a tile, in millimetres."},
    "stations": {
        **or_null(_DEGREES),
        "description": "Where each train leaves the middle: degrees, clockwise in the picture, 0 to the right.",
    },
    "mexican_station": {**or_null(_PLACE), "description": "The same of the Mexican train."},
    "seats": {**or_null(_DEGREES), "description": "Where people sit, where that is not behind their own trains."},
    "round": {
        "type": "object",
        "description": "The round on the table.",
        "properties": {
            "engine": {**or_null(dict(TILE.schema)), "description": "Such as [12, 12]; the Chinese games have none."},
            "starter": or_null(dict(NAME.schema)),
            "number": or_null({"type": "integer", "minimum": 1}),
        },
    },
    "copies": {
        **or_null({"type": "integer", "minimum": 1, "maximum": 20}),
        "description": "How often each tile exists, where that differs from the set's own.",
    },
    "boneyard": {
        "enum": [*BONEYARDS, None],
        "description": "Whether the tiles to draw lie side by side, so that they can be counted.",
    },
    "layout": {
        "enum": ["trains", "free", None],
        "description": "free: tiles are reported as they appear, and no rules are applied.",
    },
    "watch_arms": {"type": "boolean", "description": "false: nobody is named by an arm."},
}

EXAMPLE: dict[str, Any] = {
    "rules": "tactic",
    "set": "double-12",
    "players": ["Ann", "Ben"],
    "options": {},
    "table": {"corners_px": [[412, 208], [3620, 221], [3588, 2790], [430, 2771]], "size_mm": [1200, 900]},
    "tile_mm": [48, 24, 9],
    "stations": {"Ann": 90, "Ben": 270},
    "mexican_station": 0,
    "seats": {"Ann": 90},
    "round": {"engine": [12, 12], "starter": "Ann", "number": 1},
    "copies": 1,
    "boneyard": "spread",
    "layout": "trains",
    "watch_arms": True,
}
"""Every field once."""


def schema() -> dict[str, Any]:
    """What `watch --setup` reads. With a free layout `set` alone is needed."""
    free = {"properties": {"layout": {"const": "free"}}, "required": ["layout", "set"]}
    return {
        "$schema": DRAFT,
        "title": "A set-up file",
        "type": "object",
        "properties": {name: or_null(one) if name in ("table", "round") else one for name, one in FIELDS.items()},
        "anyOf": [{"required": header_schema()["required"]}, free],
        "examples": [EXAMPLE],
    }
