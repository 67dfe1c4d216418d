"""Dealing, the end of a round, and what it costs. Source: docs/rules.md sections 2.1, 2.6 and 10.

The judge of Mexican Train: a turn, a table seen in one frame, and what may be played now.

`judge_turn`, `judge_play` and `legal_plays` rest on one definition of legality, `TurnState.faults_of`.

Which act of a turn, and which tile of a table, each code is about: what an explanation is filled with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.rules.mexican.turn import Faults, TurnState, flip_is_open, open_codes
from companion.rules.notation import print_laid
from companion.rules.position import MEXICAN, SECOND_MEXICAN, Action, Flip, Mark, Play, Position, Unmark
from companion.rules.reasons import Facts
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid, RulesError, Tile, double_set
from companion.rules.violations import LEGAL, Ruling, Violation
from companion.rules.violations import Violation as V

PENALTY = "penalty"
WINNER_TAKES = "winner_takes"
FIRST_OUT = "first_out"
SCORE_MODES = (PENALTY, WINNER_TAKES, FIRST_OUT)

DOUBLE_BLANK = Tile(0, 0)


class ScoringError(RulesError, ValueError):
    """The round cannot be scored as told; the text says which fact is missing.

    >>> from companion.rules import load_ruleset, parse_tile, score
    >>> score(load_ruleset('cz'), {'Ann': [parse_tile('1-2')]}, mode='winner_takes')
    Traceback (most recent call last):
        ...
    companion.rules.mexican.judge.ScoringError: out: expected who went out, for no hand is empty
    """


@dataclass(frozen=True, slots=True)
class Deal:
    """How a round is dealt.

    >>> from companion.rules import deal, load_ruleset
    >>> deal(load_ruleset('tactic'), 12, 4)
    Deal(hand=15, boneyard=30, verdict='ok')
    """

    hand: int | None
    """Tiles of each player; None where the rule set has no number for so many players."""
    boneyard: int | None
    """Tiles left over; None where `hand` is."""
    verdict: str


def tiles_in(set_max: int) -> int:
    """How many tiles the set up to `set_max` has. Raises RulesError.

    >>> from companion.rules import tiles_in
    >>> tiles_in(12)
    91
    """
    return (set_max + 1) * (set_max + 2) // 2


def deal(rules: RuleSet, set_max: int, players: int) -> Deal:
    """Tiles for each player and for the boneyard, the engine set aside; a negative boneyard is a deal that fails.
    Raises RulesError.

    >>> from companion.rules import deal, load_ruleset
    >>> deal(load_ruleset('tactic'), 12, 4).boneyard
    30
    """
    hand = rules.hand_size(set_max, players)
    if hand is None:
        return Deal(None, None, "unsupported")
    boneyard = tiles_in(set_max) - players * hand - (1 if rules.engine_from == "set_aside" else 0)
    if boneyard < 0:
        verdict = "impossible"
    elif boneyard == 0:
        verdict = "ok_empty_boneyard"
    else:
        verdict = "ok_quick" if set_max == rules.quick_set else "ok"
    return Deal(hand, boneyard, verdict)


def starters(drawn: Mapping[str, Tile]) -> tuple[str, ...]:
    """The players who start when everybody has drawn a tile: the highest sum; several have to draw again. Raises
    RulesError.

    >>> from companion.rules import Tile, starters
    >>> starters({'Ann': Tile(1, 2), 'Ben': Tile(6, 6)})
    ('Ben',)
    """
    highest = max((tile.pips for tile in drawn.values()), default=0)
    return tuple(player for player, tile in drawn.items() if tile.pips == highest)


def pips(rules: RuleSet, tiles: Collection[Tile]) -> int:
    """The points of a hand, the double blank at the rule set's price. Raises RulesError.

    >>> from companion.rules import Tile, load_ruleset, pips
    >>> pips(load_ruleset('tactic'), [Tile(12, 5), Tile(3, 3)])
    23
    """
    return sum(rules.double_blank if tile == DOUBLE_BLANK else tile.pips for tile in tiles)


def score(
    rules: RuleSet,
    hands: Mapping[str, Collection[Tile]],
    *,
    mode: str | None = None,
    blocked: bool = False,
    out: str | None = None,
) -> dict[str, int]:
    """Points of one round.

    Args:
        hands: the tiles left in each hand.
        mode: "penalty", "winner_takes" or "first_out" (a round won counts 1); None is the rule set's own.
        blocked: the round ended with nobody out.
        out: who laid the last tile; None means the player with an empty hand.

    Raises:
        ScoringError: the winner takes, and nobody can be named as the winner; or there is no such mode.

    >>> from companion.rules import Tile, load_ruleset, score
    >>> score(load_ruleset('tactic'), {'Ann': [], 'Ben': [Tile(12, 5)]})
    {'Ann': 0, 'Ben': 17}
    """
    sums = {player: pips(rules, tiles) for player, tiles in hands.items()}
    mode = rules.scoring if mode is None else mode
    if mode not in SCORE_MODES:
        raise ScoringError(f"mode: expected one of {', '.join(SCORE_MODES)}, not {mode!r}")
    winner_takes = mode in (WINNER_TAKES, FIRST_OUT)
    winners: set[str] = set()
    if blocked:
        if sums and (rules.blocked_winner_zero or winner_takes):
            lowest = min(sums.values())
            winners = {player for player, points in sums.items() if points == lowest}
    elif out is not None:
        winners = {out}
    else:
        winners = {player for player, tiles in hands.items() if not tiles}
    if not winner_takes:
        return {player: 0 if blocked and player in winners else points for player, points in sums.items()}
    if not winners:
        raise ScoringError("out: expected who went out, for no hand is empty")
    if mode == FIRST_OUT:
        return {player: int(player in winners) for player in sums}
    prize = sum(points for player, points in sums.items() if player not in winners)
    return {player: prize if player in winners else 0 for player in sums}


def match_winners(totals: Mapping[str, int], mode: str) -> tuple[str, ...]:
    """The winners on these totals, sorted; several share the win. Raises ScoringError without totals.

    >>> from companion.rules import match_winners
    >>> match_winners({'Ann': 37, 'Ben': 21}, 'penalty')
    ('Ben',)
    """
    if not totals:
        raise ScoringError("totals: expected points of each player, and there are none")
    best = min(totals.values()) if mode == PENALTY else max(totals.values())
    return tuple(sorted(player for player, total in totals.items() if total == best))


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """Whether the round is over, and who still has a turn before it is.

    >>> from companion.rules import load_ruleset, round_end
    >>> round_end(load_ruleset('tactic'), ['Ann', 'Ben'], lap=3, moved=['Ann'], out='Ann')
    RoundEnd(ends_now=True, remaining_turns=())
    """

    ends_now: bool
    remaining_turns: tuple[str, ...]


def round_end(rules: RuleSet, order: Sequence[str], *, lap: int, moved: Collection[str], out: str | None) -> RoundEnd:
    """After a turn of lap `lap`: `order` from the starter on, `moved` in this lap, `out` who laid the last tile.
    Raises RulesError.

    >>> from companion.rules import load_ruleset, round_end
    >>> round_end(load_ruleset('poltava'), ['Ann', 'Ben'], lap=1, moved=['Ann'], out='Ann').remaining_turns
    ('Ben',)
    """
    if out is None:
        return RoundEnd(False, ())
    if lap == 1 and rules.finish_first_lap:
        remaining = tuple(player for player in order if player not in moved and player != out)
        return RoundEnd(not remaining, remaining)
    return RoundEnd(True, ())


def announcement(rules: RuleSet, hand_after: int) -> str | None:
    """How a player announces the last tile ("tap", "tap_or_say"); None where nothing is due. Raises RulesError.

    >>> from companion.rules import announcement, load_ruleset
    >>> announcement(load_ruleset('tactic'), 1)
    'tap'
    """
    return rules.announce if hand_after == 1 else None


def engine_due(rules: RuleSet, set_max: int, round_number: int, first_engine: int | None = None) -> int:
    """The value of the engine of that round (1, 2 ...); negative when the match has no such round. Raises RulesError.

    >>> from companion.rules import engine_due, load_ruleset
    >>> engine_due(load_ruleset('tactic'), 12, 3)
    10
    """
    first = rules.first_engine_of(set_max) if first_engine is None else first_engine
    return first - (round_number - 1)


def round_of(rules: RuleSet, set_max: int, engine: int) -> int | None:
    """The number of the round whose engine has that value; None where the match has no such round. Raises RulesError.

    >>> from companion.rules import load_ruleset, round_of
    >>> round_of(load_ruleset('tactic'), 12, 10)
    3
    """
    first = rules.first_engine_of(set_max)
    return first - engine + 1 if 0 <= engine <= first and first - engine < last_round(rules, set_max) else None


def last_round(rules: RuleSet, set_max: int) -> int:
    """The number of the match's last round: the rule set's, but never beyond the blank double. Raises RulesError.

    >>> from companion.rules import last_round, load_ruleset
    >>> last_round(load_ruleset('tactic'), 12)
    13
    """
    return min(rules.rounds_of(set_max), rules.first_engine_of(set_max) + 1)


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


def turn_facts(rules: RuleSet, position: Position, actions: Sequence[Action]) -> dict[Violation, Facts]:
    """Which act of the turn each code is about, as far as one act shows it."""
    facts: dict[Violation, Facts] = {}
    player = position.turn
    for number, act in enumerate(actions):
        if isinstance(act, Play):
            known = Facts(player, print_laid(act.tile), act.train)
            certain, unsure = play_out(rules, position, actions[:number]).faults_of(act.tile, act.train)
            for code in (*certain, *unsure):
                facts.setdefault(code, known)
            facts.setdefault(Violation.PLAY_AFTER_END, known)
        elif isinstance(act, (Mark, Unmark)) and act.player != player:
            facts.setdefault(Violation.MARKER_WRONG_TRAIN, Facts(player, train=act.player))
        elif isinstance(act, Flip):
            facts.setdefault(Violation.WRONG_FLIP, Facts(player, train=act.train))
            facts.setdefault(Violation.FLIP_NOT_IN_RULES, Facts(player, train=act.train))
    return facts


def table_facts(position: Position) -> dict[Violation, Facts]:
    """Which tile of the table each code is about: the first one that shows it."""
    engine = Facts(tile=print_laid(position.engine))
    facts = dict.fromkeys((Violation.WRONG_ENGINE, Violation.ENGINE_NOT_DOUBLE), engine)
    seen = {position.engine.tile}
    for train, before, laid in _laid_tiles(position):
        known = Facts(tile=print_laid(laid), train=train)
        if max(laid) > position.set_max:
            facts.setdefault(Violation.TILE_NOT_IN_SET, known)
        if laid.tile in seen:
            facts.setdefault(Violation.DUPLICATE_TILE, known)
        if before is None and laid.inner not in position.engine:
            facts.setdefault(Violation.WRONG_ROOT, known)
        if before is not None and laid.inner != before.outer:
            facts.setdefault(Violation.MISMATCH, known)
        if train == SECOND_MEXICAN:
            facts.setdefault(Violation.SECOND_MEXICAN, known)
        seen.add(laid.tile)
    for train in sorted(position.flipped):
        facts.setdefault(Violation.WRONG_FLIP, Facts(train=train))
        facts.setdefault(Violation.FLIP_NOT_IN_RULES, Facts(train=train))
    if max(position.engine) > position.set_max:
        facts[Violation.TILE_NOT_IN_SET] = engine
    return facts


def _laid_tiles(position: Position) -> Iterator[tuple[str, Laid | None, Laid]]:
    for train, chain in position.trains.items():
        before: Laid | None = None
        for laid in chain:
            yield train, before, laid
            before = laid
