"""Whether a tapped tile takes its player's marker off: people lift it as they lay the tile and tap nothing for it.

No rule stands here, as in `unable`: the referee is asked whether the turn could end with the marker still on the train.
"""

from __future__ import annotations

from companion.play.round import Course
from companion.play.unable import turn_so_far
from companion.rules.actions import End, Play
from companion.rules.position import LinePosition
from companion.rules.violations import Violation


def lifts_marker(course: Course, player: str, play: Play) -> bool:
    """Whether `play`, about to be made by `player`, is one after which the own marker comes off.

    False where it may stay (whoever then plays there must not be accused), where somebody else is to move, and before
    a double's second tile.
    """
    if course.ended is not None or course.turn_open:
        return False
    before, done = turn_so_far(course)
    if isinstance(before, LinePosition) or isinstance(course.table, LinePosition):
        return False
    if before.turn != player or player not in course.table.markers:
        return False
    return Violation.MARKER_NOT_REMOVED in course.referee.judge(before, (*done, play, End())).codes
