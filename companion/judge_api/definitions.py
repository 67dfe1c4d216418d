"""What a question to the referee may hold and what its answer holds: the one definition that reads questions, and from
which docs/judge.md and the JSON Schema are made (`reference.py`).

A field of a question that is not defined here cannot be read: `Fields` refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.rules.audit import Status
from companion.rules.chinese.settlement import SETTLEMENTS
from companion.rules.mexican.scoring import SCORE_MODES
from companion.rules.ruleset import CHINESE, MEXICAN

Schema = Mapping[str, Any]

MANY = 1_000_000
"""No count or sum of points reaches this; it keeps absurd numbers out."""

LARGEST_SET = 99


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name, the JSON Schema of its value, and what it means. `inner` are the fields of an object.

    `optional` fields may be missing or null; `missing` says what that means.
    """

    name: str
    schema: Schema
    text: str
    optional: bool = False
    missing: str = ""
    inner: tuple[Field, ...] = ()

    def unless_given(self, missing: str) -> Field:
        """The same field, which may be left out."""
        return replace(self, optional=True, missing=missing)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question: the family of rule sets that it is asked of, what it asks, what goes in and comes out."""

    name: str
    family: str
    asks: str
    fields: tuple[Field, ...]
    answers: tuple[Field, ...]
    rules: str
    example: Mapping[str, Any] = field(default_factory=dict)


def _number(least: int = 0, most: int = MANY) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _by_player(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def object_schema(fields: tuple[Field, ...], **constants: str) -> Schema:
    """The schema of an object with these fields and constant ones; it may hold others, which nobody reads."""
    properties = {
        one.name: {**(_or_null(one.schema) if one.optional else one.schema), "description": one.text} for one in fields
    }
    required = [one.name for one in fields if not one.optional]
    return {
        "type": "object",
        "properties": {**{name: {"const": value} for name, value in constants.items()}, **properties},
        "required": [*constants, *required],
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NAMES = _list(TEXT)
TILE: Schema = {"type": "string", "pattern": r"^\s*\d+-\d+\s*$"}
CHINESE_TILE: Schema = {"type": "string", "pattern": r"^\s*\d+:\d+\s*$"}

SET = Field("set", _number(1, LARGEST_SET), "the highest double of the set: 6, 9, 12, 15 or 18")
PLAYERS = Field("players", NAMES, "the players' names, clockwise as they sit")
ENGINE = Field("engine", TILE, "the tile in the middle, such as `12-12`")
TRAINS = Field(
    "trains",
    _by_player(TEXT),
    "each train by its owner's name, `MX` for the Mexican train: its tiles from the engine outwards, `12-5 5-7 7-7`, "
    'and `""` where it is not started; `MX2` is a second Mexican train',
)
MARKERS = Field("markers", NAMES, "whose train carries a marker")
OPEN = Field("open", NAMES, "the trains that end in an uncovered double, in the order in which the doubles were laid")
TURN = Field("turn", TEXT, "who is to play")
FIRST_TURN = Field("first_turn", FLAG, "whether this is that player's first turn of the round")
BONEYARD = Field("boneyard", _or_null(_number()), "how many tiles are left to draw; null where nobody can count them")
STATE_EXTRAS = (
    Field("flipped", NAMES, "the trains closed by a dead double that was turned over", True, "none"),
    Field("hands", _by_player(_number()), "how many tiles each player holds", True, "more than one each"),
    Field("round", _number(1), "the number of the round; the engine is checked against it", True, "not checked"),
    Field("first_engine", _number(0, LARGEST_SET), "the engine of round 1", True, "the set's highest double"),
)


def _table(name: str, text: str, *silent: Field) -> Field:
    """A table of Mexican Train, of which `silent` may be left out: the question does not hang on them."""
    usual = {"markers": "none", "open": "none", "turn": "the first player", "first_turn": "false", "boneyard": "null"}
    told = (SET, PLAYERS, ENGINE, TRAINS, MARKERS, OPEN, TURN, FIRST_TURN, BONEYARD)
    fields = tuple(one.unless_given(usual[one.name]) if one in silent else one for one in told) + STATE_EXTRAS
    return Field(name, object_schema(fields), text, inner=fields)


TILES_ALONE = (MARKERS, TURN, FIRST_TURN, BONEYARD)
"""What a question about the tiles alone need not tell."""

STATE = _table("state", "the table before the turn")
FRAME = _table("state", "the table in one picture, whose history is unknown", *TILES_ALONE, OPEN)
LAID = _table("state", "the table", *TILES_ALONE)
BEFORE = _table("before", "the table in the first picture", TURN)
ACTION = Field(
    "action",
    TEXT,
    "the acts of the turn, separated by `;`: `play a-b@T`, `draw`, `mark P`, `unmark P`, `flip T`, `end`",
)
MODE = Field("mode", _one_of(*SCORE_MODES), "how points are counted", True, "as the rule set says")

LINE_STATE_FIELDS = (
    Field("players", NAMES, "the players' names, counter-clockwise as they sit"),
    Field("line", TEXT, "the tiles from left to right, `2:6 6:4`"),
    Field("turn", TEXT, "who is to play", True, "nobody is named"),
)
LINE_STATE = Field("state", object_schema(LINE_STATE_FIELDS), "the line before the turn", inner=LINE_STATE_FIELDS)
LINE_ACTION = Field("action", TEXT, "`play a:b@R` or `@L`, `discard`, `discard faceup`, or `pass`")

VERDICT = Field("verdict", _one_of("legal", "illegal"), "whether it is within the rules")
RULED = (
    VERDICT,
    Field("codes", NAMES, "the faults that are certain, sorted"),
    Field(
        "may",
        NAMES,
        "possible faults: what the table does not prove or the source leaves open; they make nothing illegal",
    ),
)
SHOWN = (
    Field("ends", _list(_number()), "the values that could be played on"),
    Field("later_played", _list(TILE), "tiles that the player laid later"),
    Field("declared", _list(TILE), "tiles that the player showed at the end"),
)
CHINESE_SHOWN = (SHOWN[0], *(replace(one, schema=_list(CHINESE_TILE)) for one in SHOWN[1:]))
AUDITED = Field("status", _one_of(*(str(one) for one in Status)), "whether the shown tiles prove the offence")

BASE: Mapping[str, Any] = {
    "set": 12,
    "players": ["Ann", "Ben", "Cy"],
    "engine": "12-12",
    "trains": {"Ann": "12-4 4-9", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6"},
    "markers": [],
    "open": [],
    "turn": "Cy",
    "first_turn": False,
    "boneyard": 31,
}
"""The table of the examples."""

_TWOS = {
    **BASE,
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-1 1-5 5-2 2-3 3-4 4-2 2-2", "Ben": "6-0 0-2", "Cy": "", "MX": ""},
    "open": ["Ann"],
}
_BLOCKED = {
    **_TWOS,
    "open": [],
    "trains": {"Ann": "6-2 2-2 2-1 1-4 4-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"},
}
_FOUR = ["Ann", "Ben", "Cy", "Dee"]

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "turn",
            MEXICAN,
            "Was this turn legal?",
            (
                STATE,
                ACTION,
                Field("after_round_end", FLAG, "whether the round was over before this turn", True, "false"),
            ),
            RULED,
            "tactic",
            {"state": BASE, "action": "play 9-2@Ann; mark Cy; end"},
        ),
        Kind(
            "state",
            MEXICAN,
            "Is this table, seen in one picture, possible?",
            (FRAME,),
            RULED,
            "reeves",
            {
                "state": {
                    "set": 9,
                    "players": ["Ann", "Ben", "Cy"],
                    "round": 3,
                    "engine": "7-7",
                    "trains": {"Ann": "7-0 0-4 4-4 4-7", "Ben": "7-1 2-5", "Cy": "6-6", "MX": ""},
                }
            },
        ),
        Kind(
            "setup",
            MEXICAN,
            "How is it dealt?",
            (SET, Field("players", _number(1), "how many play")),
            (
                Field("hand", _or_null(_number()), "tiles for each player; null where it is unsupported"),
                Field("boneyard", {"type": ["integer", "null"]}, "tiles left; negative where there are too few"),
                Field(
                    "verdict",
                    _one_of("ok", "ok_quick", "ok_empty_boneyard", "impossible", "unsupported"),
                    "whether it can be dealt; `unsupported` where the source gives no hand for so many",
                ),
            ),
            "cz",
            {"set": 9, "players": 4},
        ),
        Kind(
            "dead",
            MEXICAN,
            "Can this open double still be covered?",
            (LAID, Field("train", TEXT, "the train that ends in the double")),
            (Field("status", _one_of("certain", "possible", "no"), "whether the double is dead; `certain` is proved"),),
            "reeves",
            {"state": _TWOS, "train": "Ann"},
        ),
        Kind(
            "block",
            MEXICAN,
            "Is the round blocked, provably?",
            (LAID,),
            (Field("provable", FLAG, "whether no tile that may be left fits anywhere"),),
            "poltava",
            {"state": _BLOCKED},
        ),
        Kind(
            "score",
            MEXICAN,
            "What does this round score?",
            (
                Field("hands", _by_player(_list(TILE)), "the tiles that each player has left"),
                MODE,
                Field("end", _one_of("blocked"), "`blocked` where nobody went out", True, "somebody went out"),
                Field("out", TEXT, "who went out", True, "the player with the empty hand"),
            ),
            (Field("scores", _by_player({"type": "integer"}), "the points of each player"),),
            "cz",
            {"mode": "winner_takes", "end": "blocked", "hands": {"Ann": ["4-4"], "Ben": ["1-0", "2-3"]}},
        ),
        Kind(
            "match",
            MEXICAN,
            "Who wins with these totals?",
            (Field("totals", _by_player({"type": "integer"}), "the points of each player over all rounds"), MODE),
            (Field("winner", {"anyOf": [TEXT, NAMES]}, "a name, or a sorted list where the win is shared"),),
            "reeves",
            {"totals": {"Ann": 210, "Ben": 188, "Cy": 188}},
        ),
        Kind(
            "round_end",
            MEXICAN,
            "Does the round end now?",
            (
                Field("order", NAMES, "the players from the starter on"),
                Field("lap", _number(1), "the lap of the round, from 1"),
                Field("moved", NAMES, "who has moved in this lap"),
                Field("out", _or_null(TEXT), "who laid the last tile of a hand, or null"),
            ),
            (
                Field("ends_now", FLAG, "whether nobody plays any more"),
                Field("remaining_turns", NAMES, "who still has a turn, in order"),
            ),
            "poltava",
            {"order": _FOUR, "lap": 1, "moved": ["Ann"], "out": "Ann"},
        ),
        Kind(
            "announce",
            MEXICAN,
            "Must the last tile be announced?",
            (Field("hand_after", _number(), "tiles in the hand after the turn"),),
            (
                Field("required", FLAG, "whether the rule set asks for it now"),
                Field("form", {"enum": ["tap", "tap_or_say", None]}, "how; null where it is not required"),
            ),
            "tactic",
            {"hand_after": 1},
        ),
        Kind(
            "audit",
            MEXICAN,
            "Was that pass or draw honest, given what was shown later?",
            (
                Field("decision", _one_of("pass", "draw"), "what the player did", True, "`pass`"),
                *SHOWN,
                Field("draws_after", _number(), "how many tiles the player drew since"),
                Field("feeding", FLAG, "whether an open double had to be covered", True, "false"),
            ),
            (
                Field("code", TEXT, "the offence that is looked into, also where there is none"),
                AUDITED,
                Field("offence", FLAG, "false where the rule set allows to decline"),
            ),
            "tactic",
            {"decision": "draw", "ends": [5, 12], "later_played": ["5-5"], "declared": ["1-12"], "draws_after": 1},
        ),
        Kind(
            "inference",
            MEXICAN,
            "Two still tables: what happened between them?",
            (
                BEFORE,
                Field("delta", NAMES, "what changed: `+a-b@T`, `-a-b@T`, `mark P`, `-mark P`, `boneyard-N`"),
                Field("expected_player", TEXT, "whose turn it was"),
            ),
            (
                Field("explainable", FLAG, "whether some legal course explains the change"),
                Field("explanations", NAMES, "the courses, or the faults of which one must be, as `!CODE by P`"),
            ),
            "reeves",
            {
                "before": {**BASE, "boneyard": 0, "markers": ["Ann"]},
                "delta": ["+10-3@Ben"],
                "expected_player": "Ann",
            },
        ),
        Kind(
            "cn_turn",
            CHINESE,
            "Chinese games: was this turn legal?",
            (LINE_STATE, LINE_ACTION),
            RULED,
            "jielong",
            {
                "options": {"arms": 2},
                "state": {"players": ["Ann", "Ben"], "line": "3:6"},
                "action": "play 1:2@L",
            },
        ),
        Kind(
            "cn_setup",
            CHINESE,
            "Chinese games: how is it dealt?",
            (
                Field("players", _number(1), "how many play", True, "`hand` is asked about"),
                Field("hand", _list(CHINESE_TILE), "the tiles dealt to one player", True, "`players` is asked about"),
            ),
            (
                Field(
                    "verdict",
                    _one_of("ok", "players_must_be_4", "unsupported", "play", "redeal"),
                    "with `players` whether it can be dealt, with `hand` whether it is dealt again",
                ),
                Field("hand", _or_null(_number()), "tiles for each player", True, "`hand` was asked about"),
                Field("tiles", _or_null(_number()), "tiles of the set in use", True, "`hand` was asked about"),
                Field("unused", _or_null(_number()), "tiles left over", True, "`hand` was asked about"),
            ),
            "kkori",
            {"players": 4},
        ),
        Kind(
            "cn_settle",
            CHINESE,
            "Chinese games: who pays whom?",
            (
                Field("order", NAMES, "the players, the leader first"),
                Field("pips", _by_player(_number()), "the pips of the tiles that each player put away"),
                Field("discards", _by_player(_number()), "how many each put away", True, "no multipliers"),
                Field("mode", _one_of(*SETTLEMENTS), "how it is settled", True, "as the rule set says"),
            ),
            (
                Field("result", _by_player({"type": "integer"}), "what each receives, or pays where it is negative"),
                Field("winner", TEXT, "the lowest sum; on a tie the lower hand"),
            ),
            "chedeng",
            {
                "order": _FOUR,
                "pips": {"Ann": 9, "Ben": 0, "Cy": 41, "Dee": 9},
                "discards": {"Ann": 2, "Ben": 0, "Cy": 8, "Dee": 1},
            },
        ),
        Kind(
            "cn_audit",
            CHINESE,
            "Chinese games: was that discard honest?",
            (*CHINESE_SHOWN, Field("draws_after", _number(), "tiles drawn since; nobody draws here", True, "0")),
            (Field("code", TEXT, "the offence that is looked into, also where there is none"), AUDITED),
            "chedeng",
            {"ends": [5], "later_played": ["1:5"], "declared": ["2:2"]},
        ),
        Kind(
            "cn_block",
            CHINESE,
            "Chinese games: is there nothing left to play?",
            (
                Field("line", TEXT, "the tiles from left to right"),
                Field("arms", _number(1, 2), "how many ends of the line are open", True, "as the rule set says"),
                Field(
                    "players", _number(1), "how many play; two or three use 24 tiles in `kkori`", True, "the full set"
                ),
            ),
            (Field("provable", FLAG, "whether no tile that may be left fits"),),
            "jielong",
            {"arms": 1, "line": "3:1 1:3 3:3 3:3 3:2 2:4 4:3 3:5 5:6 6:3"},
        ),
    )
}

QUESTION = (
    Field("id", {"type": ["string", "number"]}, "any text or number; the answer carries it too"),
    Field("kind", _one_of(*KINDS), "the kind of question"),
    Field("rules", TEXT, "the name of a rule set, or the path of a house's own `.toml` file"),
    Field("options", {"type": "object"}, "single fields of the rule set that this table changes", True, "none"),
)
"""What every question holds beside the fields of its kind."""
