"""How long we play: so many rounds, until somebody has so many points, or until a time of day.

Rounds and points end a match by themselves. When the time is up the table is asked: a round that has begun is played
to its end, and whoever plays another one is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from companion.game.game_view import GameView
from companion.rules.ruleset_fields import FIELDS, MANY_TILES
from companion.web.forms import FieldError, number
from companion.web.languages import gettext as _
from companion.web.texts import RuleSetText, offered_lengths, question_about

UNTIL = "match_until"


@dataclass(frozen=True, slots=True)
class MatchLength:
    """One field of the set-up page: `value` as the house's own rules have it, `otherwise` what holds where it is left
    empty."""

    field: str
    question: str
    value: str
    otherwise: str
    is_time: bool


def lengths_of(rules: RuleSetText, own: Mapping[str, Any]) -> tuple[MatchLength, ...]:
    """The fields that these rules have, filled in as the house's `own` differ."""
    fields = offered_lengths(rules.family)
    return tuple(
        MatchLength(field, question_about(field), str(own.get(field) or ""), otherwise, field == UNTIL)
        for field, otherwise in fields.items()
    )


def lengths_chosen(fields: Mapping[str, Any], family: str) -> dict[str, int | str]:
    """What a form says of them; what was left empty is left out. Raises FieldError."""
    names = {f"option_{field}": field for field in offered_lengths(family)}
    written = {name: field for name, field in names.items() if fields.get(name) not in (None, "")}
    return {field: _read(fields, name, field) for name, field in written.items()}


def _read(fields: Mapping[str, Any], name: str, field: str) -> int | str:
    if field != UNTIL:
        return number(fields, name, 1, MANY_TILES)
    try:
        return str(FIELDS[field].value(fields[name]))
    except ValueError:
        raise FieldError(name, _("Please enter a time of day, such as 22:30.")) from None


def match_ends_at(board: GameView) -> str:
    """The points and the time of day that end the match, "" where nobody has agreed on any."""
    agreed = (board.options.get(field) for field in ("match_points", UNTIL))
    return " · ".join(str(value) for value in agreed if value not in (None, "none"))


def time_is_up(board: GameView) -> str:
    """The time of day agreed on, once it has come since the last round began; else ""."""
    until = board.options.get(UNTIL)
    begun = next((line for line in board.plays if line["event"] == "round_started"), None)
    if not isinstance(until, str) or FIELDS[UNTIL].value(until) is None or begun is None or not begun.get("at"):
        return ""
    start = datetime.fromisoformat(str(begun["at"])).astimezone()
    end = start.replace(hour=int(until[:2]), minute=int(until[3:]), second=0, microsecond=0)
    if end <= start:
        end += timedelta(days=1)
    return until if datetime.now(end.tzinfo) >= end else ""
