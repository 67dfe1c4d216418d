"""First trains that everybody lays at the same time, as in cz: «mohou hrát všichni současně».

In that lap there is no turn order: a tile on X's own train and X's own marker are X's, in any order, interleaved, by
several players in one change. Each player has one first turn, taken up again whenever he lays another tile. The lap is
over with the first act that can only be an ordinary turn's; until then a tile on their own train may be either, so
whoever may have the first ordinary turn is a row of players and not one. Source: docs/rules.md 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.play.turn import Table, TurnInProgress
from companion.rules.actions import Action, Draw, Flip, Mark, Play, Unmark
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet

Together = tuple[tuple[str, bool], ...]
"""(player, whether something must follow) of what may have been an ordinary turn since everybody has begun: a tile on
their own train, or a marker or a pass after a draw for the double at its end."""

REMEMBERED = 24
"""So many of the last may be ordinary turns."""


def belongs_to_first_train(
    rules: RuleSet, table: Table, player: str, action: Action, done: Sequence[Action] = ()
) -> bool:
    """Whether this act by `player` can still be part of the first train, although everybody has begun; `done` are the
    acts that it has seen."""
    if isinstance(action, (Play, Unmark)):
        return player == (action.train if isinstance(action, Play) else action.player)
    if action == Mark(player) and not any(isinstance(act, (Mark, Play)) for act in done):
        # Whoever lays no first train marks, whatever else he has done.
        return True
    if isinstance(action, (Mark, Draw)) and action not in done and action in (Draw(), Mark(player)):
        return _ends_on_a_double(rules, table, player)
    return False


def _ends_on_a_double(rules: RuleSet, table: Table, player: str) -> bool:
    """Whether it is open if the player's first train has to go on: it ends on a double, and the source is silent."""
    if not isinstance(table, Position) or player in table.flipped:
        return False
    chain = table.trains.get(player, ())
    return bool(chain) and chain[-1].is_double and rules.leaves_open("first_double_opens")


def with_act(together: Together, player: str, action: Action) -> Together:
    """One act more by `player`."""
    if isinstance(action, (Draw, Unmark)):
        return together
    return (*together, (player, isinstance(action, Play) and action.tile.is_double))[-REMEMBERED:]


def movers(order: tuple[str, ...], together: Together, closed: bool) -> tuple[str, ...]:
    """Who may be the next to make an ordinary turn once everybody has begun, the likeliest first; `closed`: somebody
    has said that the last first train is done, or nobody can lay one any more.

    The starter, who is the first of `order`; and as the last tiles on own trains may have been the ordinary turns of
    the starter and those after him, also whoever comes after these. That is the likeliest where everybody has made one
    and nothing else was laid since all have begun, or the lap is closed.
    """
    whole = _as_turns(together, order)
    found = [] if closed else [order[whole % len(order) if whole is not None and whole >= len(order) else 0]]
    for first in range(len(together) + 1):
        turns = _as_turns(together[first:], order)
        if turns is not None and order[turns % len(order)] not in found:
            found.append(order[turns % len(order)])
    return tuple(found)


def _as_turns(laid: Together, order: tuple[str, ...]) -> int | None:
    """How many whole ordinary turns, from the first of `order` on, these tiles are; None where they are none."""
    turns = 0
    doubled = False
    for player, double in laid:
        if player != order[turns % len(order)]:
            return None
        doubled = double and not doubled
        turns += not doubled
    return turns


def begins(turn: TurnInProgress) -> bool:
    """Whether the player has begun the first train, or shown that there will be none."""
    return turn.passed is not None or any(not isinstance(action, Flip) for action in turn.actions)


def can_go_on(turn: TurnInProgress, table: Position) -> bool:
    """Whether the turn can be taken up again on the table of now: what it has changed on other trains cannot be told
    from what the others laid there since, nor its own tiles from what they laid on this player's train."""
    assert isinstance(turn.before, Position)
    own = (*turn.before.trains.get(turn.player, ()), *(play.tile for play in turn.plays))
    return table.trains.get(turn.player, ()) == own and all(_is_own(turn.player, action) for action in turn.actions)


def _is_own(player: str, action: Action) -> bool:
    if isinstance(action, Play):
        return action.train == player
    return isinstance(action, Draw) or (isinstance(action, (Mark, Unmark)) and action.player == player)


def on_table(turn: TurnInProgress, table: Position) -> TurnInProgress:
    """The turn as if it had begun on the table of now: others have laid tiles since."""
    before, player = turn.before, turn.player
    assert isinstance(before, Position)
    hands = dict(table.hands)
    if player in hands and player in before.hands:
        hands[player] = before.hands[player]
    else:
        hands.pop(player, None)
    return replace(
        turn,
        before=replace(
            table,
            trains={**table.trains, player: before.trains.get(player, ())},
            markers=(table.markers - {player}) | (before.markers & {player}),
            open=tuple(train for train in table.open if train != player),
            flipped=(table.flipped - {player}) | (before.flipped & {player}),
            boneyard=None if table.boneyard is None else table.boneyard + turn.draws,
            hands=hands,
        ),
    )
