"""The lines of a journal as JSON Schema, made from the definitions that read them (`events`, `event_fields`)."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

from companion.log.event_fields import COUNT, NAME, NUMBER, OBJECT, TEXT, list_of, or_null
from companion.log.events import EVENT_TYPES, OWN_FIELDS, ROUND_ENDS, SOURCES
from companion.log.header import FILE_VERSION, JOURNAL_VERSION, LONGEST_NAME

DRAFT = "https://json-schema.org/draft/2020-12/schema"

HEADER: dict[str, Any] = {
    "type": "object",
    "description": "The first line: which game, which set, who plays.",
    "properties": {
        "journal": {"enum": [JOURNAL_VERSION, FILE_VERSION]},
        "rules": {**NAME, "description": "The name of a rule set, or the path of a house's own."},
        "set": {
            "anyOf": [
                {"type": "string", "pattern": "^((double-)?([1-9]|1[0-8])|chinese)$"},
                {"type": "integer", "minimum": 1, "maximum": 18},
            ],
            "description": "`double-12`, or 12 for it; `chinese`. A journal has the name.",
        },
        "players": {
            **list_of({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}),
            "minItems": 2,
            "uniqueItems": True,
            "description": "Clockwise as they sit; in the Chinese games counter-clockwise.",
        },
        "options": {**or_null(OBJECT), "description": "Single rules that this table changes, by field name."},
    },
    "required": ["rules", "set", "players"],
    "examples": [
        {"journal": 2, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}},
    ],
}

SEEN: dict[str, Any] = {
    "type": "object",
    "description": "What the camera saw, before the events that it brought; in files of version 2 alone.",
    "properties": {"seen": COUNT, "after": {"type": "integer", "minimum": 0}, "at": TEXT, "delta": list_of(TEXT)},
    "required": ["seen"],
    "examples": [{"seen": 1, "after": 1, "at": "2026-11-20T19:00:09.000Z", "delta": ["+12-5@Ann"], "frame": "14.jpg"}],
}

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
    own = OWN_FIELDS[kind]
    properties: dict[str, Any] = {
        "seq": {"type": "integer", "minimum": 0, "description": "1, 2, 3 ... without a gap."},
        "at": {**TEXT, "description": "UTC, ISO 8601."},
        "source": {"enum": list(SOURCES)},
        "event": {"const": kind},
        "frame": {**or_null(TEXT), "description": "The picture that shows it, a file beside the journal."},
        "author": or_null(TEXT),
        "piece": {**or_null(NUMBER), "description": "What it is called in the evidence of a watched round."},
        "turn": {**or_null(NUMBER), "description": "In which turn of its player it was tapped, from 1."},
        **{name: codec.schema for name, _, codec in own},
    }
    if kind == "round_ended":
        properties["how"] = {"enum": list(ROUND_ENDS)}
    needed = [name for name, default, _ in own if default is MISSING]
    if kind in ("marker_placed", "marker_removed"):
        needed.remove("train")  # it is that of the player, where nothing else is said
    text = inspect.cleandoc(EVENT_TYPES[kind].__doc__ or "")
    return {
        "type": "object",
        "description": text,
        "properties": properties,
        "required": ["event", *needed],
        "examples": [example(kind)],
    }


def schema() -> dict[str, Any]:
    """A line of a journal, of `watch --json`, of `replay --json` and of the page's stream: the header or an event."""
    return {
        "$schema": DRAFT,
        "title": "A line of a journal",
        "anyOf": [HEADER, *({"$ref": f"#/$defs/{kind}"} for kind in EVENT_TYPES), SEEN],
        "$defs": {kind: event_schema(kind) for kind in EVENT_TYPES},
    }
