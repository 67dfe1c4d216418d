"""The lines of a journal as JSON Schema, by the types that read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.log.events import EVENT_TYPES
from companion.log.header import FILE_VERSION, JOURNAL_VERSION, Header
from companion.log.table_change import Seen
from companion.storage.records import record

DRAFT = "https://json-schema.org/draft/2020-12/schema"

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "round_started": {"round": 1, "engine": [12, 12], "starter": "Ann"},
    "tile_played": {"by": "Ann", "tile": [12, 5], "train": "Ann", "violations": []},
    "tile_taken_back": {"by": "Ann", "tile": [12, 5], "train": "Ann", "undoes": 2},
    "drew": {"by": "Ben"},
    "passed": {"by": "Ben", "done": True},
    "discarded": {"by": "Ben", "tile": [4, 4], "face_up": True},
    "marker_placed": {"by": "Ben", "train": "Ben"},
    "marker_removed": {"by": "Ben", "train": "Ben"},
    "double_flipped": {"by": "Cy", "train": "Cy"},
    "announced": {"by": "Ann", "what": "open_end", "value": 5},
    "hand_shown": {"by": "Cy", "tiles": [[0, 1], [3, 3]]},
    "unclear": {"reason": "unreadable_tile: Ann", "candidates": [{"story": "+12-5@Ann", "events": [], "p": 0.5}]},
    "corrected": {"corrects": 2, "what": {"tile": [12, 6]}, "by": "Ben"},
    "round_ended": {"how": "out", "out": "Ann"},
    "round_scored": {"scores": {"Ann": 0, "Ben": 7}, "totals": {"Ann": 12, "Ben": 7}, "next_engine": [11, 11]},
    "match_ended": {"winners": ["Ann"], "totals": {"Ann": 12, "Ben": 47}},
}
"""What a line of each kind holds beside the fields that all lines have."""


def example(kind: str) -> dict[str, Any]:
    """A whole line of this kind."""
    return {"seq": 1, "at": "2026-11-20T19:00:09.000Z", "source": "person", "event": kind, **EXAMPLES[kind]}


def event_schema(kind: str) -> dict[str, Any]:
    """One kind of event. Fields that are not named are left out when it is read."""
    own = record(EVENT_TYPES[kind]).schema
    # A marker lies on its player's own train where nothing else is said.
    needed = [name for name in own["required"] if name != "train" or not kind.startswith("marker_")]
    return {
        **own,
        "properties": {"event": {"const": kind}, **own["properties"]},
        "required": ["event", *needed],
        "examples": [example(kind)],
    }


def header_schema() -> dict[str, Any]:
    """The first line."""
    own = record(Header).schema
    fields = {name: one for name, one in own["properties"].items() if name != "extra"}
    first = {"journal": 2, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}}
    return {
        **own,
        "properties": {"journal": {"enum": [JOURNAL_VERSION, FILE_VERSION]}, **fields},
        "examples": [first],
    }


def seen_schema() -> dict[str, Any]:
    """What the camera saw; in files of version 2 alone."""
    line = {"seen": 1, "after": 1, "at": "2026-11-20T19:00:09.000Z", "delta": ["+12-5@Ann"], "frame": "14.jpg"}
    return {**record(Seen).schema, "examples": [line]}


def schema() -> dict[str, Any]:
    """A line of a journal, of `watch --json`, of `replay --json` and of the page's stream: the header or an event."""
    return {
        "$schema": DRAFT,
        "title": "A line of a journal",
        "anyOf": [header_schema(), *({"$ref": f"#/$defs/{kind}"} for kind in EVENT_TYPES), seen_schema()],
        "$defs": {kind: event_schema(kind) for kind in EVENT_TYPES},
    }
