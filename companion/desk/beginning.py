"""A round of which nobody has said who begins: the first who surely moves tells it.

Until then `turn` is no more than a beginning, taken from whom the first act may have been, and nothing is held against
the order of turns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion.desk.acts import turned_to, unsettled
from companion.events import Event
from companion.turn import Action, Mark, Unmark

if TYPE_CHECKING:
    from companion.desk.course import Course


def begun_before(course: Course, event: Event, action: Action) -> Course:
    """The course as this act shows it to have begun; open still, where nobody is surely named by it."""
    first, by = course.turn is None and not course.turns, getattr(event, "by", None)
    if by not in course.players or unsettled(event) or isinstance(action, (Mark, Unmark)):
        begun = begun_by(course, course.player_of(event)) if first else course
        return replace(begun, turn_open=True, starter_known=False)
    return replace(course, turn_open=False) if not first and course.in_turn(by) else begun_by(course, by)


def begun_by(course: Course, player: str) -> Course:
    """The same course, told whose turn it is: the starter's where nobody has moved yet."""
    first = course.turn is None and not course.turns
    closed = course.close()[0]
    table = turned_to(closed.table, player, closed.moved)
    starter, known = (player, True) if first else (course.starter, course.starter_known)
    return replace(closed, table=table, starter=starter, starter_known=known, turn_open=False, also=None)
