"""The arguments of public functions, checked at the door against their annotations: one sentence, and no surprises.

Inside the program mypy holds the types, and nothing is checked again: only `companion.rules` exports such functions.

The values that each field of a rule set may have, and the one line for any other.

The names, values and types are those of docs/rules.md 3; the fields of the connecting games those of section 4.
A field that may be absent has a word for it ("none", "no limit", ...) because TOML knows no null; JSON's null does too.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from companion.rules.tile import RulesError

P = ParamSpec("P")
R = TypeVar("R")

_WORDS: Mapping[Any, str] = {int: "a whole number", str: "a text", bool: "True or False", float: "a number"}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; what does not fit its annotations raises RulesError with the name of the argument."""
    names = tuple(inspect.signature(function).parameters)

    @functools.wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        hints = _hints(function)
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name in hints and not _fits(value, hints[name]):
                raise RulesError(f"{name}: expected {_said(hints[name])}, not {repr(value)[:80]}")
        return function(*args, **kwargs)

    return asked


@functools.cache
def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    return get_type_hints(function)


def _fits(value: Any, hint: Any) -> bool:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inside)
    if hint is Any or origin is Callable:
        return hint is Any or callable(value)
    if origin is None:
        return _is_a(value, hint)
    if isinstance(value, (str, bytes)) or not isinstance(value, origin if origin is not tuple else Collection):
        return False
    if isinstance(value, Mapping) and len(inside) == 2:
        return all(_fits(key, inside[0]) and _fits(one, inside[1]) for key, one in value.items())
    # Do not look into an iterable that can be read only once.
    return not isinstance(value, Collection) or all(_fits(one, inside[0]) for one in value)


def _is_a(value: Any, hint: Any) -> bool:
    if hint is int or hint is float:
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    if isinstance(hint, type) and issubclass(hint, Enum) and isinstance(value, str):
        return value in hint._value2member_map_
    return isinstance(value, type(None) if hint is None else hint)


def _said(hint: Any) -> str:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(_said(one) for one in inside)
    if origin is Callable:
        return "a function"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a mapping from {_many(inside[0])} to {_many(inside[1])}"
    if origin is not None:
        return f"a list of {_many(inside[0])}"
    return _WORDS.get(hint, "None" if hint is type(None) else hint.__name__)


def _many(hint: Any) -> str:
    """More than one of it, in words."""
    if hint in (int, str):
        return f"{_WORDS[hint].removeprefix('a ')}s"
    if get_origin(hint) is not None:
        return "lists" if get_args(hint)[1:] == () else "values"
    return "values" if hint is Any else f"{hint.__name__} values"


MEXICAN = "mexican"
CHINESE = "chinese"
FAMILIES = (MEXICAN, CHINESE)

ANY_SET = -1
"""The key of a hand table that holds for every set."""

HandTable = Mapping[int, Mapping[int, int]]
"""Set (its highest pip, or ANY_SET) -> number of players -> tiles dealt to each."""

WINNER_LEADS = "winner"
HOLDER_LEADS = "holder_of_2:5"
"""The holder of 2:5 leads, as an older description of Kkori has it. Source: docs/rules.md 4.2."""

CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")

MANY_TILES = 1000
"""No count in a rule set reaches this; it only keeps absurd numbers out."""


class RuleSetError(RulesError):
    """One line that names the file or option, the field, and what was expected.

    >>> from companion.rules import load_ruleset
    >>> load_ruleset('tactic', {'draws': 3})
    Traceback (most recent call last):
        ...
    companion.rules.ruleset_fields.RuleSetError: options.draws: expected one of one, until_playable, not 3
    """


class ContradictionError(RuleSetError):
    """Two fields that cannot both hold: `fields` are their names."""

    def __init__(self, where: str, one: str, other: str, why: str) -> None:
        super().__init__(f"{where}: {one} and {other}: {why}")
        self.fields = (one, other)


@dataclass(frozen=True, slots=True)
class Field:
    """How one field is read.

    Args:
        families: whose rule sets have it.
        read: turns the written value into the field's value; ValueError with what was expected.
        absent: the word that stands for None, or None where the field must hold something.
    """

    families: tuple[str, ...]
    read: Callable[[Any], Any]
    absent: str | None = None

    def value(self, written: Any) -> Any:
        """The field's value; ValueError (its text: what was expected) for anything else."""
        if self.absent is not None and (written is None or written == self.absent):
            return None
        try:
            return self.read(written)
        except ValueError as expected:
            if self.absent is None:
                raise
            raise ValueError(f'{expected}, or "{self.absent}"') from None


def _flag(written: Any) -> bool:
    if not isinstance(written, bool):
        raise ValueError("expected true or false")
    return written


def _text(written: Any) -> str:
    if not isinstance(written, str) or not written.strip():
        raise ValueError("expected a text")
    return written


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(written: Any) -> str:
        if not isinstance(written, str) or written not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return written

    return read


def is_number(written: Any) -> bool:
    """A whole number as JSON or TOML write it: not true, not 1.0."""
    return isinstance(written, int) and not isinstance(written, bool)


def _number(least: int, most: int = MANY_TILES) -> Callable[[Any], int]:
    def read(written: Any) -> int:
        if not is_number(written) or not least <= written <= most:
            what = f"{least}" if least == most else f"a whole number from {least} to {most}"
            raise ValueError(f"expected {what}")
        assert isinstance(written, int)
        return written

    return read


def _clock(written: Any) -> str:
    if not isinstance(written, str) or not CLOCK.fullmatch(written):
        raise ValueError("expected a time of day such as 22:30")
    return written


def _numbers(written: Any) -> tuple[int, ...]:
    if not isinstance(written, (list, tuple)) or not all(is_number(n) and 0 <= n <= MANY_TILES for n in written):
        raise ValueError("expected a list of whole numbers")
    return tuple(written)


def _head_tail(written: Any) -> tuple[int, int]:
    expected = "expected [7, 8] or [6, 7]"
    if not isinstance(written, (list, tuple)) or not all(is_number(n) for n in written):
        raise ValueError(expected)
    if tuple(written) not in ((7, 8), (6, 7)):
        raise ValueError(expected)
    head, tail = written
    return head, tail


def _key(written: Any) -> int:
    if is_number(written):
        assert isinstance(written, int)
        return written
    if isinstance(written, str) and written.isascii() and written.isdigit() and len(written) < 4:
        return int(written)
    raise ValueError


def _hand_table(written: Any) -> HandTable:
    expected = 'expected a table {set or "any": {players: tiles}}'
    if not isinstance(written, Mapping) or not written:
        raise ValueError(expected)
    table: dict[int, Mapping[int, int]] = {}
    for tile_set, row in written.items():
        if not isinstance(row, Mapping):
            raise ValueError(expected)
        try:
            key = ANY_SET if tile_set in ("any", ANY_SET) else _key(tile_set)
            hands = {_key(players): _number(1)(hand) for players, hand in row.items()}
        except ValueError:
            raise ValueError(expected) from None
        table[key] = MappingProxyType(hands)
    return MappingProxyType(table)


def _mexican(read: Callable[[Any], Any], absent: str | None = None) -> Field:
    return Field((MEXICAN,), read, absent)


def _chinese(read: Callable[[Any], Any], absent: str | None = None) -> Field:
    return Field((CHINESE,), read, absent)


FIELDS: Mapping[str, Field] = {
    "hand_table": Field(FAMILIES, _hand_table),
    "may_decline": Field(FAMILIES, _flag),
    "open_hands": Field(FAMILIES, _flag),
    "hand": Field(FAMILIES, _number(1), "table"),
    "decline_draws": _mexican(_flag),
    "sets": _mexican(_numbers),
    "quick_set": _mexican(_number(1), "none"),
    "long_first": _mexican(_flag),
    "first_simultaneous": _mexican(_flag),
    "first_optional": _mexican(_flag),
    "strict_first_train": _mexican(_flag),
    "first_draw": _mexican(_flag),
    "first_double_opens": _mexican(_flag),
    "finish_first_lap": _mexican(_flag),
    "mx_from_turn": _mexican(_number(1, 2)),
    "others_from_turn": _mexican(_number(1, 2)),
    "mx_root": _mexican(_one_of("engine", "any")),
    "mx_sign": _mexican(_one_of("marker", "announce"), "none"),
    "engine_from": _mexican(_one_of("set_aside", "holder", "highest_hand")),
    "starter_by": _mexican(_one_of("chosen", "highest_tile", "engine")),
    "draws": _mexican(_one_of("one", "until_playable")),
    "extra_tile": _mexican(_one_of("this_double", "anywhere", "anywhere_but_first_if_many")),
    "extra_in_order": _mexican(_flag),
    "max_doubles_per_turn": _mexican(_number(1), "no limit"),
    "close_order": _mexican(_one_of("any", "single", "fifo", "lifo", "either")),
    "closings_per_turn": _mexican(_number(1, 1)),
    "redraw_after_drawn_double": _mexican(_flag),
    "marker_after": _mexican(_one_of("nothing_laid", "nothing_on_own")),
    "marker_off": _mexican(_one_of("own", "any")),
    "marker_off_required": _mexican(_flag),
    "marker_on_empty_boneyard": _mexican(_one_of("required", "optional")),
    "dead_double": _mexican(_one_of("flip", "release", "blocks")),
    "block_rule": _mexican(_one_of("provable_stop", "empty_and_all_pass")),
    "scoring": _mexican(_one_of("penalty", "winner_takes", "first_out")),
    "blocked_winner_zero": _mexican(_flag),
    "double_blank": _mexican(_number(0)),
    "announce": _mexican(_one_of("tap", "tap_or_say"), "none"),
    "announce_penalty": _mexican(_number(0, 2)),
    "rounds": _mexican(_number(1), "set + 1"),
    "first_engine": _mexican(_number(0), "set"),
    "arms": _chinese(_number(1, 2)),
    "settlement": _chinese(_one_of("pairwise", "kkori", "winner_chip", "points")),
    "head_tail": _chinese(_head_tail),
    "multipliers": _chinese(_flag),
    "redeal_doubles": _chinese(_number(1, 8), "none"),
    "small_deck_players": _chinese(_numbers),
    "next_leader": _chinese(_one_of(WINNER_LEADS, "rotate", HOLDER_LEADS)),
    "match_deals": _chinese(_number(1), "none"),
    "match_points": Field(FAMILIES, _number(1), "none"),
    "match_until": Field(FAMILIES, _clock, "none"),
}
"""Every field of a rule set that a house may change, by its name."""

OPTION_NAMES: Mapping[str, str] = {"order": "close_order"}
"""Short names of fields in `options`."""

LABELS: Mapping[str, Field] = {
    "family": Field(FAMILIES, _one_of(*FAMILIES)),
    "title": Field(FAMILIES, _text),
    "native_title": Field(FAMILIES, _text),
    "language": Field(FAMILIES, _text),
    "source": Field(FAMILIES, _text),
    "summary": Field(FAMILIES, _text),
}
"""The fields that name and describe a rule set, beside its rules."""


def fields_of(family: str) -> tuple[str, ...]:
    return tuple(name for name, field in FIELDS.items() if family in field.families)
