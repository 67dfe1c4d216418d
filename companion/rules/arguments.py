"""What a public function is given, checked at the door against its own annotations: one sentence, and no surprises.

Inside the program mypy holds the types, and nothing is checked again: only `companion.rules` exports such functions.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from companion.rules.errors import RulesError

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
    # Whatever can be gone through only once is not looked into.
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
