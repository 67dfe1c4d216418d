"""One player's turn while it is being made, and which of its acts each fault belongs to.

A turn is judged as a whole (docs/rules.md 7.1), but a table is watched act by act. So an act is held against a player
when no later act of the same turn can mend it; what only the end of the turn shows (a missing marker, an unfollowed
double) waits until the turn is over. Confirm fast, accuse slowly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.log.event_fields import Finding
from companion.rules.actions import Action, Discard, Draw, End, Mark, Play, Unmark
from companion.rules.mexican.judge import play_out
from companion.rules.mexican.turn import TurnState, qualifies
from companion.rules.position import LinePosition, Position
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet
from companion.rules.violations import Violation

Table = Position | LinePosition

MOST_FINES = 2
"""Tiles that players draw who do not announce their last one, where that is punished at all."""

UNTIL_COMPLETE = frozenset({Violation.MARKER_UNEARNED, Violation.MARKER_REMOVED_WRONGLY})
"""Later acts can mend these until the turn is complete."""


FOREIGN_TILES = frozenset({Violation.DUPLICATE_TILE, Violation.TILE_NOT_IN_SET, Violation.MULTIPLICITY})
"""Tiles that cannot have come from a hand of this set: after one of them the player's tiles cannot be counted."""


@dataclass(frozen=True, slots=True)
class TurnInProgress:
    """`before` is the table at the start of the turn, with `player` to move; the rest grows act by act.

    `keys` names the event of each act, `codes` the faults that each act added. `passed` is the key of the event that
    ended the turn aloud; `pressed`: that was only the player's word for it. `resume`: this turn was out of turn, and
    that player is still expected. `strayed`: somebody else has meanwhile moved a marker. `fined`: the events of draws
    that may be a penalty.
    """

    player: str
    before: Table
    actions: tuple[Action, ...] = ()
    keys: tuple[int, ...] = ()
    codes: tuple[frozenset[Violation], ...] = ()
    passed: int | None = None
    pressed: bool = False
    fined: tuple[int, ...] = ()
    resume: str | None = None
    strayed: bool = False

    @property
    def judged(self) -> bool:
        """Whether it is over by more than its player's word, so that what it lacks is held against the player."""
        return self.passed is not None and not self.pressed

    def long(self, rules: RuleSet) -> bool:
        """Whether this is a long first turn. Source: docs/rules.md 2.2."""
        return isinstance(self.before, Position) and rules.long_first and self.before.first_turn

    @property
    def plays(self) -> tuple[Play, ...]:
        return tuple(action for action in self.actions if isinstance(action, Play))

    @property
    def draws(self) -> int:
        return sum(isinstance(action, Draw) for action in self.actions)

    def feeds(self, rules: RuleSet, acts: int | None = None) -> bool:
        """Whether a double has to be covered after the first `acts` acts (None: after all of them)."""
        if not isinstance(self.before, Position) or self.long(rules):
            return False
        done = self.actions if acts is None else self.actions[:acts]
        return play_out(rules, self.before, done).feeding

    def complete(self, rules: RuleSet) -> bool:
        """Whether the player has done what a turn asks for. Source: docs/rules.md 7.1, "Complete"."""
        if isinstance(self.before, LinePosition):
            return any(isinstance(action, (Play, Discard)) for action in self.actions)
        plays = self.plays
        if not plays:
            return False
        if self.long(rules) or not all(play.tile.is_double for play in plays):
            return True
        held = self.before.hands.get(self.player)
        return held is not None and held + self.draws - len(plays) <= 0

    def qualifies(self, rules: RuleSet) -> bool:
        """Whether a tile of this turn takes their own marker off."""
        return qualifies(rules, self.player, self.plays)

    def finished(self, rules: RuleSet) -> bool:
        """Whether nothing more is due from the player, so that the next one may begin."""
        if self.passed is not None or self.complete(rules):
            return True
        own = Mark(self.player)
        if own not in self.actions:
            return False
        later = self.actions[self.actions.index(own) + 1 :]
        return not any(isinstance(action, (Play, Draw)) for action in later)

    def with_act(self, action: Action, key: int, referee: Referee[Any], rules: RuleSet) -> tuple[TurnInProgress, Table]:
        """The turn after one more act, its faults among `codes`, and the table as this turn alone has left it."""
        turn = replace(self, actions=(*self.actions, action), keys=(*self.keys, key))
        codes, table = act_codes(rules, referee, self.before, turn.actions)
        if isinstance(action, (Mark, Unmark)) and turn.complete(rules):
            codes |= turn.end_codes(referee) & UNTIL_COMPLETE
        return replace(turn, codes=(*self.codes, codes)), table

    def is_fine(self, rules: RuleSet) -> bool:
        """Whether the last act is one of the tiles that are widely drawn for a last tile not announced."""
        if not isinstance(self.before, Position) or self.actions[-1:] != (Draw(),):
            return False
        return 0 < play_out(rules, self.before, self.actions).fines <= MOST_FINES

    def end_codes(self, referee: Referee[Any]) -> frozenset[Violation]:
        """What only the end of the turn shows."""
        ruling = referee.judge(self.before, (*self.actions, End()))
        return ruling.codes.difference(*self.codes)

    def findings(self, referee: Referee[Any], *, over: bool) -> dict[int, tuple[Finding, ...]]:
        """Key of an event -> its faults, for every act of the turn; with `over` those of the turn's end as well.

        A turn without any act has no event to carry them: they stand under -1.
        """
        found: dict[int, list[Violation]] = {
            key: sorted(codes) for key, codes in zip(self.keys, self.codes, strict=True)
        }
        if self.passed is not None:
            found.setdefault(self.passed, [])
        if over:
            for code in sorted(self.end_codes(referee)):
                found.setdefault(self._anchor(code), []).append(code)
        doubted = {(key, Violation.EXTRA_DRAW) for key in self.fined}
        if referee.rules.first_simultaneous and self.long(referee.rules):
            # No source says whether a first train may be marked that has begun while others lay theirs.
            doubted |= {(key, Violation.MARKER_UNEARNED) for key in found}
        return {
            key: tuple(Finding(str(code), certain=(key, code) not in doubted) for code in codes)
            for key, codes in found.items()
        }

    def _anchor(self, code: Violation) -> int:
        """The event that a fault of the turn's end belongs to."""
        act = {Violation.MARKER_REMOVED_WRONGLY: Unmark(self.player), Violation.MARKER_UNEARNED: Mark(self.player)}.get(
            code
        )
        if act in self.actions:
            return self.keys[self.actions.index(act)]
        if self.passed is not None:
            return self.passed
        laid = [key for action, key in zip(self.actions, self.keys, strict=True) if isinstance(action, Play)]
        return laid[-1] if laid else self.keys[-1] if self.keys else -1


def perhaps_marked(turn: TurnInProgress, table: Table, rules: RuleSet, *, watched: bool) -> Table:
    """The table after a turn in which the player passed: where no camera looks on, a marker may lie there that nobody
    has tapped, be it due or left to the player. Whoever then plays on that train is not accused for somebody else's
    tap."""
    if watched or not isinstance(table, Position) or turn.complete(rules) or turn.player in table.markers:
        return table
    return replace(table, perhaps_marked=table.perhaps_marked | {turn.player})


def act_codes(
    rules: RuleSet, referee: Referee[Any], before: Table, actions: tuple[Action, ...]
) -> tuple[frozenset[Violation], Table]:
    """What is wrong with the last of `actions` itself, whatever follows it; and the table after it."""
    if isinstance(before, LinePosition):
        return _line_act_codes(referee, before, actions)
    state = TurnState(rules, before)
    for action in actions[:-1]:
        state.act(action)
    state.codes = frozenset()
    state.act(actions[-1])
    return state.codes, state.table()


def _line_act_codes(
    referee: Referee[Any], before: LinePosition, actions: tuple[Action, ...]
) -> tuple[frozenset[Violation], Table]:
    """The same for the Chinese games. Every tile too many is one, and every tile that does not fit: a turn that broke
    a rule once is no licence to go on breaking it."""
    table = before
    for action in actions[:-1]:
        table = referee.apply(table, action)
    last = actions[-1]
    if isinstance(last, (Play, Discard)):
        codes = frozenset(referee.judge(table, (last,)).codes)
        if any(isinstance(action, (Play, Discard)) for action in actions[:-1]):
            codes |= {Violation.EXTRA_TILE}
    else:
        earlier = referee.judge(before, actions[:-1]).codes if len(actions) > 1 else frozenset[Violation]()
        codes = frozenset(referee.judge(before, actions).codes - earlier)
    return codes, referee.apply(table, last)


def changes(
    before: Mapping[int, tuple[Finding, ...]], after: Mapping[int, tuple[Finding, ...]]
) -> dict[int, tuple[Finding, ...]]:
    """What `after` says otherwise than `before`."""
    return {key: found for key, found in after.items() if before.get(key, ()) != found}
