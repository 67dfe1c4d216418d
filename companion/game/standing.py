"""Standing faults: the findings against a play that the page, the lamp, MQTT and `replay` show as an accusation.

A play is a JSON line as in a snapshot's `plays` or in `companion replay --json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.log.question import QuestionKind

SET_ASIDE = ("overruled", "taken_back", "withdrawn", "dropped")
"""Any of these on a line means that its findings count no more: the table let the play stand, the tile was taken back,
somebody withdrew the entry, or it no longer follows from the rules."""


def standing_findings(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The findings that stand against a play for certain."""
    return _findings(play, certain=True)


def standing_faults(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that stand against a play for certain, sorted; () where nobody is accused."""
    return _codes(play, certain=True)


def others_at_fault(play: Mapping[str, Any], code: str) -> tuple[str, ...]:
    """Who else than the play's own player broke this rule for certain, sorted: somebody owed something before, and it
    came out here. Of a play that nobody is named for they are its own."""
    own = play.get("by")
    named = {str(one["by"]) for one in standing_findings(play) if one["code"] == code and one.get("by")}
    return () if own is None else tuple(sorted(named - {own}))


def is_own_fault(play: Mapping[str, Any]) -> bool:
    """Whether the accusation is against this play itself."""
    return any(not others_at_fault(play, code) for code in standing_faults(play))


def standing_doubts(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that are only possible, sorted, without those that are certain as well. They accuse nobody."""
    possible = {str(one["code"]) for one in _findings(play, certain=False) if not one.get("open")}
    return tuple(sorted(possible - set(_codes(play, certain=True))))


def is_misfit(line: Mapping[str, Any]) -> bool:
    """Whether a line asks about a tap that does not fit: whoever tapped is asked, and nobody else is called."""
    return line.get("reason") == QuestionKind.DOES_NOT_FIT


def open_findings(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """What people are asked about a play: it may have been tapped otherwise than it was. They are no faults."""
    return tuple(one for one in _findings(play, certain=False) if one.get("open"))


def standing_open(play: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes that people can settle, sorted: nobody has said yet whether it was so."""
    return tuple(sorted({str(one["code"]) for one in open_findings(play)}))


def confirmed(play: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The findings of which somebody had to say first that it was so."""
    return tuple(one for one in standing_findings(play) if one.get("confirmed_by"))


def change_made(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a correction changed; {} for every other line, where `what` is a word that was announced or reported."""
    return dict(line.get("what") or {}) if line.get("event") == "corrected" else {}


def is_fault(play: Mapping[str, Any]) -> bool:
    """Whether a play is shown as an accusation."""
    return bool(standing_faults(play))


def _codes(play: Mapping[str, Any], *, certain: bool) -> tuple[str, ...]:
    return tuple(sorted({str(one["code"]) for one in _findings(play, certain=certain)}))


def _findings(play: Mapping[str, Any], *, certain: bool) -> tuple[Mapping[str, Any], ...]:
    if any(play.get(key) for key in SET_ASIDE):
        return ()
    findings = play.get("violations") or ()
    return tuple(one for one in findings if bool(one.get("certain", True)) is certain)
