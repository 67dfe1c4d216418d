"""The fields of events: how each is read from JSON, checked, and written back.

One codec for each field name, whatever event carries it, so that a field means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.rules.tile import Laid, Tile

HIGHEST_PIP = 99
"""Far above every set: a larger number on a tile is a broken file, not a tile that is not in the set."""

DEEPEST = 12
"""Nesting of what a correction may hold."""


class EventError(ValueError):
    """An event cannot be understood; the message names the field and what was expected."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation found in an event. `certain` False: one of several that the evidence leaves open.

    `by` names the offender where it is not the event's own player. `open`: people tapped it, and nobody has said yet
    whether it was so; `confirmed_by` is who has, by the name of the phone, and `confirmed_in` the line that says it.
    """

    code: str
    certain: bool = True
    by: str | None = None
    open: bool = False
    confirmed_by: str | None = None
    confirmed_in: int | None = None

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"code": self.code, "certain": self.certain}
        if self.by is not None:
            line["by"] = self.by
        if self.open:
            line["open"] = True
        if self.confirmed_by is not None:
            line["confirmed_by"] = self.confirmed_by
        if self.confirmed_in is not None:
            line["confirmed_in"] = self.confirmed_in
        return line


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way in which it may have happened: `text` in words or notation, `events` as they would be recorded.

    `p` is its weight between 0 and 1 where one is known; `codes` what the referee would say about it. `kind`: what an
    answer to a tap that does not fit would say (tracking.edits).
    """

    text: str
    events: tuple[Mapping[str, Any], ...] = ()
    p: float | None = None
    codes: tuple[str, ...] = ()
    kind: str | None = None

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"story": self.text, "events": [dict(event) for event in self.events]}
        if self.kind is not None:
            line["kind"] = self.kind
        if self.p is not None:
            line["p"] = round(self.p, 4)
        if self.codes:
            line["codes"] = list(self.codes)
        return line


MOST_ALTERNATIVES = 4
LEAST_ALTERNATIVE = 0.001


@dataclass(frozen=True, slots=True)
class Certainty:
    """How surely the camera read a laid tile: `p` of the inner and of the outer half, and what else each may be.

    `across`: whether it lies across its train; None: it lies in none, or nobody knows.
    """

    p: tuple[float, float]
    others: tuple[tuple[tuple[int, float], ...], tuple[tuple[int, float], ...]] = ((), ())
    across: bool | None = None

    @property
    def sure(self) -> float:
        """The probability that both halves are right."""
        return self.p[0] * self.p[1]

    def alternatives(self, tile: Laid) -> list[tuple[Laid, float]]:
        """What the tile may be instead, one half at a time, likeliest first."""
        inner = [(Laid(value, tile.outer), p * self.p[1]) for value, p in self.others[0]]
        outer = [(Laid(tile.inner, value), p * self.p[0]) for value, p in self.others[1]]
        likely = [one for one in (*inner, *outer) if one[1] >= LEAST_ALTERNATIVE and one[0] != tile]
        return sorted(likely, key=lambda one: -one[1])[:MOST_ALTERNATIVES]

    def of_another(self, read: Laid, other: Laid) -> Certainty:
        """The same reading of a tile that was read as `read`, and is held to be `other`."""
        pairs = zip(self.p, self.others, read, other, strict=True)
        (p, inner), (q, outer) = (_of_another_value(*one) for one in pairs)
        return Certainty((p, q), (inner, outer), self.across)

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"p": [round(p, 4) for p in self.p]}
        if any(self.others):
            line["others"] = [[[value, round(p, 4)] for value, p in half] for half in self.others]
        return line


def _of_another_value(
    p: float, others: tuple[tuple[int, float], ...], read: int, other: int
) -> tuple[float, tuple[tuple[int, float], ...]]:
    if read == other:
        return p, others
    rest = tuple(one for one in others if one[0] != other)
    return dict(others).get(other, 0.0), ((read, p), *rest)


@dataclass(frozen=True, slots=True)
class Codec:
    """How one field is read (value, field name -> value, or EventError) and written, and its JSON Schema."""

    read: Callable[[Any, str], Any]
    write: Callable[[Any], Any]
    schema: Mapping[str, Any]


def shown(value: Any) -> str:
    """A value as an error shows it: short, whatever was sent."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def read_text(value: Any, field: str) -> str:
    """Any text that can be written as UTF-8 (a lone surrogate cannot)."""
    if not isinstance(value, str):
        raise EventError(f"{field}: expected text, not {shown(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise EventError(f"{field}: expected text in UTF-8, not {shown(value)}") from None
    return value


def read_name(value: Any, field: str) -> str:
    if not read_text(value, field):
        raise EventError(f"{field}: expected a name, not an empty text")
    return str(value)


def read_number(value: Any, field: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 10**9:
        raise EventError(f"{field}: expected a whole number, not {shown(value)}")
    return value


def read_count(value: Any, field: str) -> int:
    if read_number(value, field) < 1:
        raise EventError(f"{field}: expected 1 or more, not {value}")
    return int(value)


def read_flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise EventError(f"{field}: expected true or false, not {shown(value)}")
    return value


def read_laid(value: Any, field: str) -> Laid:
    if (
        not isinstance(value, (list, tuple))
        or len(value) != 2
        or not all(type(half) is int and 0 <= half <= HIGHEST_PIP for half in value)
    ):
        raise EventError(f"{field}: expected two numbers such as [12, 5], not {shown(value)}")
    return Laid(value[0], value[1])


def read_tile(value: Any, field: str) -> Tile:
    return read_laid(value, field).tile


def read_list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise EventError(f"{field}: expected a list, not {shown(value)}")
    return list(value)


def read_tiles(value: Any, field: str) -> tuple[Tile, ...]:
    return tuple(read_tile(item, f"{field}[{n}]") for n, item in enumerate(read_list(value, field)))


def read_names(value: Any, field: str) -> tuple[str, ...]:
    return tuple(read_name(item, f"{field}[{n}]") for n, item in enumerate(read_list(value, field)))


def read_points(value: Any, field: str) -> dict[str, int]:
    if not isinstance(value, dict):
        raise EventError(f"{field}: expected points by player, not {shown(value)}")
    return {read_name(player, field): read_number(points, f"{field}.{player}") for player, points in value.items()}


def read_findings(value: Any, field: str) -> tuple[Finding, ...]:
    return tuple(_read_finding(item, f"{field}[{n}]") for n, item in enumerate(read_list(value, field)))


def _read_finding(value: Any, field: str) -> Finding:
    if not isinstance(value, dict) or "code" not in value:
        raise EventError(f"{field}: expected an object with a code, not {shown(value)}")
    by = value.get("by")
    return Finding(
        read_name(value["code"], f"{field}.code"),
        read_flag(value.get("certain", True), f"{field}.certain"),
        None if by is None else read_name(by, f"{field}.by"),
        read_flag(value.get("open", False), f"{field}.open"),
        None if value.get("confirmed_by") is None else read_name(value["confirmed_by"], f"{field}.confirmed_by"),
        None if value.get("confirmed_in") is None else read_number(value["confirmed_in"], f"{field}.confirmed_in"),
    )


def read_candidates(value: Any, field: str) -> tuple[Candidate, ...]:
    return tuple(_read_candidate(item, f"{field}[{n}]") for n, item in enumerate(read_list(value, field)))


def _read_candidate(value: Any, field: str) -> Candidate:
    if isinstance(value, str):
        return Candidate(read_text(value, field))
    if not isinstance(value, dict) or "story" not in value:
        raise EventError(f"{field}: expected an object with a story, not {shown(value)}")
    weight = value.get("p")
    weight = None if weight is None else _read_share(weight, f"{field}.p")
    events = tuple(read_change(event, f"{field}.events[{n}]") for n, event in enumerate(value.get("events") or ()))
    kind = None if value.get("kind") is None else read_name(value["kind"], f"{field}.kind")
    codes = read_names(value.get("codes", []), f"{field}.codes")
    return Candidate(read_text(value["story"], field), events, weight, codes, kind)


def read_certainty(value: Any, field: str) -> Certainty:
    if not isinstance(value, dict) or not isinstance(value.get("p"), (list, tuple)) or len(value["p"]) != 2:
        raise EventError(f"{field}: expected an object such as {{'p': [0.99, 0.98]}}, not {shown(value)}")
    a, b = (_read_share(p, f"{field}.p") for p in value["p"])
    halves = value.get("others") or ((), ())
    if not isinstance(halves, (list, tuple)) or len(halves) != 2:
        raise EventError(f"{field}.others: expected what each of two halves may be, not {shown(halves)}")
    inner, outer = (_read_others(half, f"{field}.others") for half in halves)
    across = value.get("across")
    return Certainty((a, b), (inner, outer), None if across is None else read_flag(across, f"{field}.across"))


def _read_others(value: Any, field: str) -> tuple[tuple[int, float], ...]:
    pairs = []
    for pair in read_list(value, field):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not 0 <= read_number(pair[0], field) <= HIGHEST_PIP:
            raise EventError(f"{field}: expected a value and its probability, not {shown(pair)}")
        pairs.append((int(pair[0]), _read_share(pair[1], field)))
    return tuple(pairs)


def _read_share(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise EventError(f"{field}: expected a number from 0 to 1, not {shown(value)}")
    return float(value)


def read_change(value: Any, field: str) -> dict[str, Any]:
    """An object of plain JSON, not deep; what a correction's single fields mean is checked where it is applied."""
    if not isinstance(value, dict):
        raise EventError(f"{field}: expected an object, not {shown(value)}")
    _check_plain(value, field, 0)
    return value


def _check_plain(value: Any, field: str, depth: int) -> None:
    if depth > DEEPEST:
        raise EventError(f"{field}: nested too deeply")
    if isinstance(value, dict):
        for key, inner in value.items():
            read_text(key, field)
            _check_plain(inner, field, depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_plain(inner, field, depth + 1)
    elif isinstance(value, str):
        read_text(value, field)
    elif isinstance(value, float) and not -1e15 < value < 1e15:
        raise EventError(f"{field}: expected a number, not {value}")


def _optional(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    return lambda value, field: None if value is None else read(value, field)


def _plain(value: Any) -> Any:
    return value


def _write_tile(tile: Laid | Tile | None) -> list[int] | None:
    if tile is None:
        return None
    return [tile.low, tile.high] if isinstance(tile, Tile) else [tile.inner, tile.outer]


def _write_tiles(tiles: tuple[Tile, ...]) -> list[list[int]]:
    return [[tile.low, tile.high] for tile in tiles]


def _write_items(items: tuple[Finding, ...] | tuple[Candidate, ...]) -> list[dict[str, Any]]:
    return [item.to_json() for item in items]


TEXT: Mapping[str, Any] = {"type": "string"}
NAME: Mapping[str, Any] = {"type": "string", "minLength": 1}
NUMBER: Mapping[str, Any] = {"type": "integer", "minimum": -(10**9), "maximum": 10**9}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": 10**9}
FLAG: Mapping[str, Any] = {"type": "boolean"}
OBJECT: Mapping[str, Any] = {"type": "object"}
_PIPS = {"type": "integer", "minimum": 0, "maximum": HIGHEST_PIP}
TILE: Mapping[str, Any] = {"type": "array", "items": _PIPS, "minItems": 2, "maxItems": 2}
POINTS: Mapping[str, Any] = {"type": "object", "additionalProperties": NUMBER}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def list_of(items: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": items}


def or_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


FINDING: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "code": NAME,
        "certain": FLAG,
        "by": or_null(NAME),
        "open": FLAG,
        "confirmed_by": or_null(NAME),
        "confirmed_in": or_null(NUMBER),
    },
    "required": ["code"],
}
CANDIDATE: Mapping[str, Any] = {
    "anyOf": [
        TEXT,
        {
            "type": "object",
            "properties": {
                "story": TEXT, "events": or_null(list_of(OBJECT)), "p": or_null(_SHARE), "codes": list_of(NAME),
                "kind": or_null(NAME),
            },
            "required": ["story"],
        },
    ]
}  # fmt: skip
_OTHERS = list_of({"type": "array", "prefixItems": [_PIPS, _SHARE], "minItems": 2, "maxItems": 2})
CERTAINTY: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "p": {"type": "array", "items": _SHARE, "minItems": 2, "maxItems": 2},
        "others": or_null({"type": "array", "items": _OTHERS, "minItems": 2, "maxItems": 2}),
        "across": or_null(FLAG),
    },
    "required": ["p"],
}

_NAME = Codec(read_name, _plain, NAME)
_NAME_OR_NULL = Codec(_optional(read_name), _plain, or_null(NAME))
_NUMBER_OR_NULL = Codec(_optional(read_number), _plain, or_null(NUMBER))
_LAID_OR_NULL = Codec(_optional(read_laid), _write_tile, or_null(TILE))
_TILE_OR_NULL = Codec(_optional(read_tile), _write_tile, or_null(TILE))
_TILES = Codec(read_tiles, _write_tiles, list_of(TILE))
_FLAG = Codec(read_flag, _plain, FLAG)
_POINTS = Codec(read_points, dict, POINTS)

CODECS: Mapping[str, Codec] = {
    "about": _NUMBER_OR_NULL,
    "announced.what": _NAME,
    "arm": _NAME_OR_NULL,
    "by": _NAME_OR_NULL,
    "candidates": Codec(read_candidates, _write_items, list_of(CANDIDATE)),
    "corrected.what": Codec(read_change, dict, OBJECT),
    "corrects": Codec(read_count, _plain, COUNT),
    "discarded.tile": _TILE_OR_NULL,
    "discards": _TILES,
    "done": _FLAG,
    "draws_seen": _FLAG,
    "drew.tile": _TILE_OR_NULL,
    "end": _NUMBER_OR_NULL,
    "engine": _LAID_OR_NULL,
    "face_up": _FLAG,
    "hand_shown.by": _NAME,
    "how": _NAME,
    "in_order": _FLAG,
    "match_ended.totals": Codec(
        _optional(read_points), lambda totals: None if totals is None else dict(totals), or_null(POINTS)
    ),
    "maybe": Codec(read_names, list, list_of(NAME)),
    "next_engine": _LAID_OR_NULL,
    "next_starter": _NAME_OR_NULL,
    "out": _NAME_OR_NULL,
    "outer_only": _FLAG,
    "reading": Codec(
        _optional(read_certainty), lambda reading: None if reading is None else reading.to_json(), or_null(CERTAINTY)
    ),
    "reason": Codec(read_text, _plain, TEXT),
    "round": Codec(read_count, _plain, COUNT),
    "scores": _POINTS,
    "settled": Codec(_optional(read_change), _plain, or_null(OBJECT)),
    "starter": _NAME_OR_NULL,
    "tile": Codec(read_laid, _write_tile, TILE),
    "tiles": _TILES,
    "totals": _POINTS,
    "train": _NAME,
    "undoes": _NUMBER_OR_NULL,
    "value": _NUMBER_OR_NULL,
    "violations": Codec(read_findings, _write_items, list_of(FINDING)),
    "winners": Codec(read_names, list, list_of(NAME)),
}
"""By field name; `event.field` where an event has its own idea of the field."""


def codec_of(event: str, field: str) -> Codec:
    return CODECS.get(f"{event}.{field}") or CODECS[field]
