"""What a request carries, read with distrust: every fault is one clear sentence with a 4xx status, never a 5xx."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, NoReturn

from flask import Request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from companion.web.digits import plain_signs
from companion.web.languages import gettext as _
from companion.web.returned import FieldError

MAX_DEPTH = 12
"""A correction is three levels deep; a hundred thousand levels exhaust the parser's stack."""

MAX_NAME = 24

HIGHEST = 18
"""Pips on a half, of the largest set."""

MOST_DIGITS = 18
"""Of a whole number: none in a game comes near, and one of four hundred fits no float."""

WHOLE = re.compile(r"-?[0-9]+")


def read_body(request: Request) -> dict[str, Any]:
    """The fields of a POST, from JSON or from a form. Raises BadRequest with the sentence for the person."""
    if request.mimetype == "application/json":
        return _json_object(_bytes(request))
    if request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data"):
        _bytes_limit(request)
        return {key: _checked(request.form[key], "the form") for key in request.form}
    if not request.content_length:
        return {}
    raise BadRequest(f"The request's type is {request.mimetype or 'missing'}; expected application/json or a form.")


def text(fields: Mapping[str, Any], name: str, *, longest: int = 200, default: str | None = None) -> str:
    """A non-empty text field, without control characters."""
    value = fields.get(name, default)
    if value is None or value == "":
        raise FieldError(name, _("The field '%(name)s' is missing.", name=name), _("Please fill this in."))
    if not isinstance(value, str):
        raise FieldError(name, f"The field '{name}' must be a text.")
    if len(value) > longest:
        raise FieldError(
            name,
            _("The field '%(name)s' is longer than %(most)s characters.", name=name, most=longest),
            _("That is too long: at most %(most)s characters.", most=longest),
        )
    return value


def number(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`, written as a number or as digits."""
    value = fields.get(name)
    if value is None or value == "":
        raise FieldError(name, _("The field '%(name)s' is missing.", name=name), _("Please choose a number."))
    plain = _("Please enter a number from %(low)s to %(high)s.", low=low, high=high)
    if isinstance(value, str) and WHOLE.fullmatch(plain_signs(value.strip())):
        value = int(plain_signs(value.strip())) if len(value) < 12 else high + 1
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError(name, _("The field '%(name)s' must be a whole number.", name=name), plain)
    if not low <= value <= high:
        raise FieldError(
            name, _("The field '%(name)s' must be between %(low)s and %(high)s.", name=name, low=low, high=high), plain
        )
    return value


FARTHEST = (-50, 150)
"""Percent of the picture: whoever sits at the table's edge may sit outside it."""


def share(fields: Mapping[str, Any], name: str) -> float:
    """A share of the camera's picture, of a form's field in percent, with a point or a comma."""
    low, high = FARTHEST
    try:
        value = float(str(fields.get(name) or "").strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        plain = _("Please enter a number from %(low)s to %(high)s.", low=low, high=high)
        raise FieldError(name, f"The field '{name}' must be a share of the picture in percent.", plain)
    return value / 100


def person(fields: Mapping[str, Any], name: str, players: tuple[str, ...] | list[str]) -> str:
    """The name of somebody who plays."""
    value = text(fields, name, longest=MAX_NAME)
    if value not in players:
        raise FieldError(name, _("%(name)s is not playing in this game.", name=value))
    return value


def tile(value: Any, highest: int, name: str = "tile") -> tuple[int, int]:
    """`[5, 12]` or `"5-12"` (Chinese `"5:6"`), each half from 0 to `highest`; refusals name the field `name`."""
    halves: list[Any] = []
    if isinstance(value, str):
        halves = plain_signs(value).strip().replace(":", "-").split("-")
    elif isinstance(value, list):
        halves = value
    if len(halves) != 2:
        what = value.strip() if isinstance(value, str) else ""
        plain = _("“%(what)s” is not a tile. Write a tile like this: 12-5.", what=what[:20]) if what else None
        raise FieldError(name, _("A tile is written like 12-5."), plain)
    a, b = (_half(half, highest, name) for half in halves)
    return a, b


def _half(value: Any, highest: int, name: str) -> int:
    try:
        return number({"half of the tile": value}, "half of the tile", 0, highest)
    except FieldError as refused:
        half = str(value).strip()[:20]
        plain = _("A half of a tile has 0 to %(highest)s pips, not “%(half)s”.", highest=highest, half=half)
        missing = _("Half of a tile is missing. Write a tile like this: 12-5.")
        raise FieldError(name, str(refused.description), plain if half else missing) from None


def tiles(value: Any, highest: int, *, most: int = 40, name: str = "tiles") -> list[tuple[int, int]]:
    """A hand: a list of tiles, or `"1-2 5-5"`; None: no tile. Refusals name the field `name`."""
    if value is None:
        return []
    parts = plain_signs(value).replace(",", " ").replace(";", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise FieldError(name, _("A hand is written like 12-5 3-3."))
    if len(parts) > most:
        raise FieldError(name, _("Nobody can hold more than %(most)s tiles.", most=most))
    return [tile(part, highest, name) for part in parts]


def _bytes_limit(request: Request) -> None:
    limit = request.max_content_length
    if limit is not None and (request.content_length or 0) > limit:
        raise RequestEntityTooLarge(_("The request is larger than %(most)s bytes.", most=limit))


def _bytes(request: Request) -> bytes:
    _bytes_limit(request)
    return request.get_data(cache=True)


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        document = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise BadRequest(f"The request is not UTF-8 (byte {fault.start}).") from None
    if depth_of(document) > MAX_DEPTH:
        raise BadRequest(f"The request is nested deeper than {MAX_DEPTH} levels.")
    try:
        value = json.loads(document, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_short)
    except (ValueError, RecursionError) as fault:
        raise BadRequest(f"The request is not JSON: {fault}.") from None
    if not isinstance(value, dict):
        raise BadRequest('The request must be a JSON object, like {"tile": [12, 5]}.')
    checked = _checked(value, "the request")
    assert isinstance(checked, dict)
    return checked


def depth_of(document: str) -> int:
    """The deepest nesting of brackets outside of strings, found without recursion."""
    deepest = depth = 0
    inside = escaped = False
    for sign in document:
        if inside:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                inside = False
        elif sign == '"':
            inside = True
        elif sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _short(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"{digits[:20]}... is longer than any number in a game")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is not a finite number")
    return value


def _checked(value: Any, where: str) -> Any:
    """The same value, with every text normalised and free of what no keyboard types (controls, lone surrogates)."""
    if isinstance(value, str):
        if any(unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\r\t" for sign in value):
            raise FieldError(
                where,
                f"A text in {where} holds control characters.",
                _("This holds signs that no keyboard types. Please type it again."),
            )
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [_checked(item, where) for item in value]
    if isinstance(value, dict):
        return {str(_checked(key, where)): _checked(item, str(key)[:40]) for key, item in value.items()}
    return value
