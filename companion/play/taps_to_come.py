"""What may still be tapped: where people tap, a marker, a draw or a whole turn without a tile may be told late.

Until a tap would come too late to belong there (play.tap_order: less than a round of the table), what it would explain
is possible and not certain.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.log.events import Event, HandShown, Passed, RoundScored, RoundStarted, TilePlayed
from companion.play.event_actions import event_of, is_act
from companion.play.round import Course
from companion.play.tap_order import whose
from companion.play.taps import acts_when_unable, still_laying
from companion.rules.actions import End, Mark
from companion.rules.violations import Violation

LACKING = frozenset(
    map(
        str,
        (
            Violation.MARKER_MISSING,
            Violation.MARKER_NOT_REMOVED,
            Violation.NO_DRAW,
            Violation.DOUBLE_NOT_FOLLOWED,
            Violation.PASS_WITHOUT_DISCARD,
        ),
    )
)
"""Nothing but a draw, a marker or a tile put away that was not tapped."""

MENDED_LATE = LACKING | frozenset(
    map(
        str,
        (
            Violation.MARKER_UNEARNED,
            Violation.MARKER_REMOVED_WRONGLY,
            Violation.EXTRA_DRAW,
            Violation.DRAW_FIRST_TURN,
            Violation.OUT_OF_TURN,
            Violation.EXTRA_TILE,
        ),
    )
)
"""What a tap more of a draw, a marker or a turn without a tile always explains."""


def may_still_come(later: Iterable[Event], player: str | None, most: int) -> bool:
    """Whether a tap may still belong before these acts, which came after what it would explain: as long as no more
    than so many turns of others were tapped, no hands shown and no points told."""
    turns, last = 0, player
    for event in later:
        if isinstance(event, (HandShown, RoundScored, RoundStarted)):
            return False
        if not is_act(event) or (isinstance(event, Passed) and event.done):
            continue
        who = whose(event) or last
        turns += who not in (player, last)
        last = who
        if turns > most:
            return False
    return True


def of_those_passed_over(course: Course, event: Event) -> tuple[Event, ...]:
    """What the player to move must have done before this tile of another one, laying none; empty where nobody was
    passed over, or nothing of the kind would have been within the rules."""
    player, mover = course.player_of(event), course.mover
    if not isinstance(event, TilePlayed) or player == mover or course.ended is not None:
        return ()
    if event.train == player and (course.laying_together or still_laying(course) == player):
        return ()
    acts = acts_when_unable(course)
    told = tuple(event_of(act, mover, source="person") for act in acts if act != End())
    if not acts:
        return ()
    return told if Mark(mover) in acts or not course.rules.is_mexican else (*told, Passed(by=mover, source="person"))
