"""What has just happened at a table, for automations: each play and each fault once, when it comes to stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.game.game_view import GameView
from companion.game.standing import standing_doubts, standing_findings
from companion.rules.texts import words_of
from companion.rules.violations import Violation

PLAY, FAULT = "play", "fault"
PLAYS = ("tile_played",)
FAULTS = ("certain", "possible")
"""The types of an event of a play and of a fault."""

Happening = tuple[str, dict[str, Any]]
"""PLAY or FAULT, and the message: `event_type` and what an automation may want to know."""


class Happenings:
    """Compares each view of a game with the one before. What stood at the first one is no news."""

    def __init__(self) -> None:
        self._known: set[tuple[Any, ...]] | None = None

    def new(self, view: GameView) -> list[Happening]:
        """What this view has that no view of the game had before."""
        found = dict(_all(view))
        known, self._known = self._known, set(found) | (self._known or set())
        return [] if known is None else [happening for key, happening in found.items() if key not in known]


def _all(view: GameView) -> Iterator[tuple[tuple[Any, ...], Happening]]:
    for play in view.plays:
        if play.get("event") != "tile_played":
            continue
        about = {"by": play.get("by"), "tile": play.get("tile"), "train": play.get("train"), "round": view.round}
        place = (view.round, play.get("seq"))
        yield (PLAY, *place), (PLAY, {"event_type": PLAYS[0], **about})
        for finding in standing_findings(play):
            code, by = str(finding["code"]), finding.get("by") or play.get("by")
            yield (FAULT, *place, code, by), (FAULT, {"event_type": FAULTS[0], **about, "by": by, **_named(code)})
        for code in standing_doubts(play):
            # Nobody is named for what is only possible.
            yield (FAULT, *place, code), (FAULT, {"event_type": FAULTS[1], **about, "by": None, **_named(code)})


def _named(code: str) -> Mapping[str, str]:
    return {"code": code, "title": words_of(Violation(code)).title if code in Violation.__members__ else code}
