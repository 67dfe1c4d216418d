"""A game's view from what somebody writes down of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from companion.game.game_view import GameView


def view_of(table: Mapping[str, Any]) -> GameView:
    """The view that this state is of."""
    found: GameView = made(GameView, table)
    return found


hints_of = cache(get_type_hints)


def made(kind: Any, value: Any) -> Any:
    """A value of this type from what JSON has of it."""
    if is_dataclass(kind) and isinstance(value, Mapping):
        hints = hints_of(kind)
        unknown = value.keys() - hints.keys()
        assert not unknown, unknown
        return kind(**{one.name: made(hints[one.name], value[one.name]) for one in fields(kind) if one.name in value})
    if value is not None and type(None) in get_args(kind):
        return made(next(one for one in get_args(kind) if one is not type(None)), value)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return tuple(made(get_args(kind)[0], one) for one in value)
    return kind(*value) if hasattr(kind, "_fields") else value
