"""The set-up file as JSON Schema, by the types that read it."""

from __future__ import annotations

from typing import Any

from companion.log.schema import DRAFT, header_schema
from companion.play.setup_file import GameSetup
from companion.storage.records import record

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
    known = record(GameSetup).schema
    return {
        "$schema": DRAFT,
        "title": "A set-up file",
        **known,
        "properties": header_schema()["properties"]
        | {k: one for k, one in known["properties"].items() if k != "extra"},
        "anyOf": [{"required": header_schema()["required"]}, free],
        "examples": [EXAMPLE],
    }
