"""What a tap of the player to move stands for: all the acts that go with "I cannot play", the marker that comes off
with a tile.

No rule stands here, the referee is asked: of the acts that can end a turn without a tile, which are the fewest with
which nothing is wrong, and could the turn end with the marker still on the train? A rule set that forbids the draw, or
asks for no marker, is so answered without being asked.
"""

from __future__ import annotations

from companion.play.course import Course
from companion.play.event_actions import turned_to
from companion.rules.actions import Action, Discard, Draw, End, Mark, Play
from companion.rules.position import LinePosition, Position
from companion.rules.violations import Violation


def acts_when_unable(course: Course) -> tuple[Action, ...]:
    """The acts by which the player to move ends the turn without a tile (any further one, after a double).

    Empty where the round is over, where nobody can be said to be to move, or where the rules leave no such way: the
    first tile of a Chinese deal must be laid. What no way out can mend, the turn has broken already.
    """
    if course.ended is not None or course.turn_open:
        return ()
    before, done = turn_so_far(course)
    if isinstance(before, LinePosition):
        return () if done or course.referee.judge(before, (Discard(),)).codes else (Discard(),)
    mark, draw = Mark(before.turn), Draw()
    ways: tuple[tuple[Action, ...], ...] = ((End(),), (mark, End()), (draw, End()), (draw, mark, End()))
    judged = [(way, course.referee.judge(before, (*done, *way))) for way in ways]
    broken = frozenset.intersection(*(ruling.codes for _way, ruling in judged)) if done else frozenset()
    added = [(way, ruling.codes - broken, ruling.may) for way, ruling in judged]
    for way, codes, may in added:
        if not codes and not may:
            return way
    return next((way for way, codes, _may in added if not codes), ())


def without_a_tile(table: Position | LinePosition, player: str) -> tuple[Action, ...]:
    """The acts of a whole turn of `player`, whoever is to move, in which no tile fits."""
    if isinstance(table, LinePosition):
        return (Discard(),)
    draw = () if table.boneyard == 0 else (Draw(),)
    return (*draw, End() if player in table.markers else Mark(player))


def lifts_marker(course: Course, player: str, play: Play) -> bool:
    """Whether `play`, about to be made by `player`, is one after which their own marker comes off.

    False where it may stay (whoever then plays there must not be accused) and before a double's second tile; in a
    watched round also where somebody else is to move. Among taps a neighbour may only have been quicker.
    """
    if course.ended is not None or course.turn_open:
        return False
    before, done = turn_so_far(course)
    if isinstance(before, LinePosition) or isinstance(course.table, LinePosition):
        return False
    if player not in course.table.markers:
        return False
    if before.turn != player:
        if course.watched:
            return False
        before, done = turned_to(course.table, player, course.moved), ()
    return Violation.MARKER_NOT_REMOVED in course.referee.judge(before, (*done, play, End())).codes


def closed_to_mover(course: Course, play: Play) -> bool:
    """Whether `play` is on a train that is closed to the player to move: whoever laid it is rather the train's owner,
    where nobody is named."""
    if course.ended is not None or course.turn_open or play.train not in course.players:
        return False
    before, done = turn_so_far(course)
    if isinstance(before, LinePosition) or before.turn == play.train:
        return False
    codes = course.referee.judge(before, (*done, play)).codes
    return not codes.isdisjoint({Violation.CLOSED_TRAIN, Violation.FIRST_TURN_OWN_ONLY})


def turn_so_far(course: Course) -> tuple[Position | LinePosition, tuple[Action, ...]]:
    """The table at the start of the turn of the player to move, and what that turn has seen."""
    position, turn = course.position, course.turn
    if turn is not None and turn.player == position.turn and not turn.finished(course.rules):
        return turn.before, turn.actions
    return position, ()


def still_laying(course: Course) -> str | None:
    """Who is building a long first train that may go on although the next player may begin."""
    turn = course.turn
    if course.ended is not None or turn is None or turn.passed is not None:
        return None
    return turn.player if turn.long(course.rules) and turn.plays else None


def after_double(course: Course) -> str | None:
    """The train of the double that the player to move has just laid, and to which one more tile is due."""
    if course.ended is not None or course.turn_open:
        return None
    before, done = turn_so_far(course)
    plays = [act for act in done if isinstance(act, Play)]
    if isinstance(before, LinePosition) or not plays or not plays[-1].tile.is_double:
        return None
    return plays[-1].train
