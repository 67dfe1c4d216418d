"""Where a round is over: the rules and the counts alone decide it. Source: docs/rules.md 2.6 and 4.2."""

from __future__ import annotations

from companion.log.events import RoundEnded
from companion.play.round import Course
from companion.rules.position import LinePosition
from companion.rules.ruleset import ANY_SET


def over_by_rule(course: Course) -> RoundEnded | None:
    """The end of the round, where the rules name one by now."""
    if course.ended is not None:
        return None
    if course.turn is not None and not course.turn.finished(course.rules):
        return None
    closed = course.close()[0]
    table = closed.table
    if isinstance(table, LinePosition):
        return RoundEnded(how="out", source="rule") if _all_put_down(course, table) else None
    out = next((player for player in table.players if course.counted and table.hands.get(player) == 0), None)
    if out is not None:
        return None if _lap_goes_on(course, closed) else RoundEnded(how="out", out=out, source="rule")
    if course.rules.block_rule == "provable_stop":
        if course.referee.blocked(table):
            return RoundEnded(how="blocked_proved", source="rule")
    elif table.boneyard == 0 and closed.silent >= len(table.players):
        return RoundEnded(how="blocked_declared", source="rule")
    return None


def _all_put_down(course: Course, table: LinePosition) -> bool:
    """Whether nobody has a tile left; the line and the discards count them all, whoever put them there."""
    if course.counted and table.hands and not any(table.hands.values()):
        return True
    dealt = course.rules.hand_size(ANY_SET, len(course.players))
    return dealt is not None and len(table.line) + sum(table.discards.values()) >= dealt * len(course.players)


def _lap_goes_on(course: Course, closed: Course) -> bool:
    """Somebody is out, but the first lap is to be finished; its last long train ends when its player says so, or with
    the marker of one who lays none."""
    if not course.rules.finish_first_lap:
        return False
    turn = course.turn
    laying = turn is not None and turn.long(course.rules) and turn.passed is None and turn.plays
    still = laying and turn is not None and course.table.hands.get(turn.player) != 0
    return still or set(closed.moved) < set(course.players)
