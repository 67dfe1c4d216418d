"""Events as the page says them, one line each, for `watch` and `replay`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.game.standing import change_made, standing_doubts, standing_faults, standing_open
from companion.web.code_texts import code_title
from companion.web.wording import event_text


def sentence(event: Mapping[str, Any], family: str = "mexican") -> str:
    """One event as a sentence, with its ruling where it has one."""
    kind, change = event.get("event"), change_made(event)
    if kind == "unclear":
        return f"Question: {event_text(event, family)}"
    if kind == "corrected" and "violations" in change and not change.get("retracts"):
        ruled = ruling({"violations": change["violations"]}) or "within the rules"
        return f"No. {event.get('corrects')}: {ruled}"
    ruled = ruling(event)
    return f"{event_text(event, family)} {ruled}".rstrip() if ruled else event_text(event, family)


def ruling(event: Mapping[str, Any]) -> str:
    """What stands against an event, "" where nothing does."""
    certain = [_fault(event, code) for code in standing_faults(event)]
    unsettled = [_fault(event, code) for code in standing_open(event)]
    possible = [_fault(event, code) for code in standing_doubts(event)]
    parts = [f"Against the rules: {', '.join(certain)}."] if certain else []
    parts += [f"Open, nobody has said that it was so: {', '.join(unsettled)}."] if unsettled else []
    parts += [f"Perhaps: {', '.join(possible)}."] if possible else []
    return " ".join(parts)


def _fault(event: Mapping[str, Any], code: str) -> str:
    """A fault by its title, its code, and whose it is where that is not the event's own player."""
    findings = event.get("violations") or ()
    others = {one["by"] for one in findings if one["code"] == code and one.get("by")} - {event.get("by")}
    return f"{code_title(code)} ({code}{': ' + ' or '.join(sorted(others)) if others else ''})"
