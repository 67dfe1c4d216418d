"""The judge of Mexican Train: a turn, a table seen in one frame, and what may be played now.

`judge_turn`, `judge_play` and `legal_plays` rest on one definition of legality, `TurnState.faults_of`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from companion.rules.actions import MEXICAN, SECOND_MEXICAN, Action, Play
from companion.rules.mexican.blocks import flip_is_open
from companion.rules.mexican.open_questions import open_codes
from companion.rules.mexican.scoring import engine_due
from companion.rules.mexican.turn import Faults, TurnState
from companion.rules.position import Position
from companion.rules.ruleset import RuleSet
from companion.rules.ruling import LEGAL, Ruling
from companion.rules.tile import Laid, Tile, double_set
from companion.rules.violations import Violation as V


def judge_turn(
    rules: RuleSet, position: Position, actions: Iterable[Action], *, after_round_end: bool = False
) -> Ruling:
    """Rule on one whole turn by `position.turn`. Source: docs/rules.md 7.1."""
    acts = tuple(actions)
    if after_round_end and any(isinstance(a, Play) for a in acts):
        return Ruling.of([V.PLAY_AFTER_END])
    turn = play_out(rules, position, acts)
    turn.finish()
    return Ruling.of(turn.codes, turn.may)


def play_out(rules: RuleSet, position: Position, actions: Iterable[Action]) -> TurnState:
    """The turn as far as these acts take it, its end not judged."""
    turn = TurnState(rules, position)
    for act in actions:
        turn.act(act)
    return turn


def judge_play(rules: RuleSet, position: Position, play: Play, done: Iterable[Action] = ()) -> Ruling:
    """Rule on one tile of a turn in which `done` has happened already; what the turn still owes is not asked."""
    certain, unsure = play_out(rules, position, done).faults_of(play.tile, play.train)
    return Ruling.of(certain[:1], (*certain[1:], *unsure)) if certain or unsure else LEGAL


def apply(rules: RuleSet, position: Position, action: Action) -> Position:
    """The table after one act, right or wrong; the same player is still to move."""
    turn = TurnState(rules, position)
    turn.act(action)
    return turn.table()


def after_turn(rules: RuleSet, position: Position, actions: Iterable[Action]) -> Position:
    """The table after a whole turn, the next player to move.

    Whether the next turn is that player's first of the round follows from the table: in a first lap a player who has
    moved has a train or a marker.
    """
    turn = play_out(rules, position, actions)
    player = position.after(position.turn)
    return turn.table(player, position.first_turn and not turn.trains.get(player) and player not in turn.markers)


def legal_plays(
    rules: RuleSet,
    position: Position,
    hand: Collection[Tile] | None = None,
    done: Iterable[Action] = (),
    *,
    surely: bool = False,
) -> list[Play]:
    """Every tile and train that `position.turn` may choose next, in a fixed order.

    `hand` None: any tile that is not on the table; `done`: what the turn has seen already; `surely`: only what is right
    however the open questions of the source are answered.
    """
    turn = play_out(rules, position, done)
    tiles = double_set(position.set_max).difference(turn.seen)
    if hand is not None:
        tiles = tiles.intersection(hand)
    fitting: dict[int, list[Laid]] = {}
    plays: list[Play] = []
    any_root = rules.mx_root == "any" or (rules.leaves_open("mx_root") and not surely)
    for train in (*position.players, MEXICAN):
        if any_root and train == MEXICAN and not turn.trains.get(train):
            ways = sorted({way for t in tiles for way in (Laid(t.low, t.high), Laid(t.high, t.low))})
        else:
            due = turn.value_due(train)
            if due not in fitting:
                fitting[due] = sorted(Laid(due, t.high if t.low == due else t.low) for t in tiles if t.has(due))
            ways = fitting[due]
        # Tiles of the set that fit and are not on the table differ in nothing else than being a double or not.
        allowed: dict[bool, bool] = {}
        for way in ways:
            double = way.is_double
            if double not in allowed:
                certain, unsure = turn.faults_of(way, train)
                allowed[double] = not certain and not (surely and unsure)
            if allowed[double]:
                plays.append(Play(way, train))
    return plays


def judge_state(rules: RuleSet, position: Position) -> Ruling:
    """Rule on a table seen in one frame, its history unknown. Source: docs/rules.md 7.2."""
    codes: set[V] = set()
    may: set[V] = set()
    engine = position.engine
    if not engine.is_double:
        codes.add(V.ENGINE_NOT_DOUBLE)
    if max(engine) > position.set_max:
        codes.add(V.TILE_NOT_IN_SET)
    due = engine_due(rules, position.set_max, position.round or 1, position.first_engine)
    any_double = rules.engine_from == "highest_hand"
    if position.round is not None and engine != Laid(due, due) and not any_double:
        (codes if engine.is_double else may).add(V.WRONG_ENGINE)
    seen = {engine.tile}
    for train in position.train_names():
        chain = position.trains.get(train, ())
        for i, laid in enumerate(chain):
            certain, unsure = _faults_seen(rules, position, train, laid, chain[i - 1] if i else None, seen)
            codes.update(certain[:1])
            may.update(certain[1:], unsure)
            seen.add(laid.tile)
    if position.trains.get(SECOND_MEXICAN) and position.trains.get(MEXICAN):
        codes.add(V.SECOND_MEXICAN)
    certain_flips, open_flips = _faults_of_flips(rules, position)
    codes.update(certain_flips)
    may.update(open_flips)
    questions = open_codes(rules)
    return Ruling.of(codes - questions, may | (codes & questions))


def _faults_seen(
    rules: RuleSet, position: Position, train: str, laid: Laid, before: Laid | None, seen: Collection[Tile]
) -> Faults:
    faults: list[V] = []
    doubts: list[V] = []
    if max(laid) > position.set_max:
        faults.append(V.TILE_NOT_IN_SET)
    if laid.tile in seen:
        faults.append(V.DUPLICATE_TILE)
    if before is not None:
        if laid.inner != before.outer:
            faults.append(V.MISMATCH)
    elif laid.inner not in position.engine:
        if train not in (MEXICAN, SECOND_MEXICAN) or (rules.mx_root == "engine" and not rules.leaves_open("mx_root")):
            faults.append(V.WRONG_ROOT)
        elif rules.mx_root == "engine":
            doubts.append(V.WRONG_ROOT)
    return Faults(faults, doubts)


def _faults_of_flips(rules: RuleSet, position: Position) -> Faults:
    def dead(train: str) -> bool:
        chain = position.trains.get(train, ())
        return bool(chain) and chain[-1].is_double and position.exhausted(chain[-1].outer)

    if not position.flipped:
        return Faults([], [])
    all_dead = all(map(dead, position.flipped))
    if rules.dead_double == "flip":
        return Faults([] if all_dead else [V.WRONG_FLIP], [])
    unsure = all_dead and flip_is_open(rules)
    return Faults([] if unsure else [V.FLIP_NOT_IN_RULES], [V.FLIP_NOT_IN_RULES] if unsure else [])
