"""The ruling on one turn at the line. Source: docs/rules.md 7.4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from companion.rules.actions import LEFT, RIGHT, Action, Discard, Play
from companion.rules.chinese.line import apply, open_arms, tiles_of
from companion.rules.position import LinePosition
from companion.rules.ruleset import RuleSet
from companion.rules.ruling import Ruling
from companion.rules.tile import Tile
from companion.rules.violations import Violation


def judge_turn(rules: RuleSet, position: LinePosition, actions: Sequence[Action]) -> Ruling:
    """The ruling on one whole turn by `position.turn`.

    Whether a tile in the hand could have been laid is not asked here: that is the audit's question. A turn without
    any act is a silent pass.
    """
    copies = tiles_of(rules, len(position.players) or None)
    codes: set[Violation] = set()
    may: set[Violation] = set()
    given_up = 0
    for action in actions:
        if isinstance(action, Play):
            faults = tile_faults(rules, position, action, copies)
            codes.update(faults[:1])
            may.update(faults[1:])
        if isinstance(action, Discard):
            if action.face_up:
                codes.add(Violation.DISCARD_FACE_UP)
            if not position.line:
                codes.add(Violation.LEAD_MUST_PLAY)
        given_up += isinstance(action, (Play, Discard))
        position = apply(position, action)
    if given_up > 1:
        codes.add(Violation.EXTRA_TILE)
    if given_up == 0:
        codes.add(Violation.PASS_WITHOUT_DISCARD)
    return Ruling.of(codes, may)


def judge_play(rules: RuleSet, position: LinePosition, play: Play, done: Sequence[Action] = ()) -> Ruling:
    """The ruling on one tile; `done` are the acts that the turn has already seen."""
    already = sum(isinstance(action, (Play, Discard)) for action in done)
    faults = tile_faults(rules, position, play, tiles_of(rules, len(position.players) or None))
    extra = (Violation.EXTRA_TILE,) if already else ()
    return Ruling.of((*faults[:1], *extra), faults[1:])


def tile_faults(
    rules: RuleSet, position: LinePosition, play: Play, copies: Mapping[Tile, int]
) -> tuple[Violation, ...]:
    """What is wrong with the tile, the root cause first; empty where it fits."""
    tile = play.tile.tile
    faults = []
    if tile not in copies:
        faults.append(Violation.TILE_NOT_IN_SET)
    elif Counter(laid.tile for laid in position.line)[tile] >= copies[tile]:
        faults.append(Violation.MULTIPLICITY)
    ends = position.ends
    if ends is not None:
        if play.train == LEFT and LEFT not in open_arms(rules):
            faults.append(Violation.CLOSED_END)
        touching, due = (play.tile.inner, ends[1]) if play.train == RIGHT else (play.tile.outer, ends[0])
        if touching != due:
            faults.append(Violation.MISMATCH)
    return tuple(faults)
