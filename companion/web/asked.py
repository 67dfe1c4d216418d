"""What a question is about, told from its reason: of which kind it is, and whose points it asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TROUBLE_CODE = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")


def question_kind(reason: str) -> object:
    """What two questions have in common that ask for the same thing at two places."""
    return tuple(dict.fromkeys(TROUBLE_CODE.findall(reason))) or reason


def unscored_round(question: Mapping[str, Any]) -> int | None:
    """The number of the round whose points a question asks for; None for every other question."""
    kind, _colon, about = str(question.get("reason") or "").partition(":")
    return int(about) if kind in ("new_round", "no_points") and about.strip().isdigit() else None
