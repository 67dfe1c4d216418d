"""The referee beside the plain reading on every small table there is: `python -m bench.small_tables`.

"Every" means, for two players with a double-3 set (ten tiles, the engine 3-3):

* table: every way to lay at most `laid` tiles as chains that fit, each tile once, on Ann's train, Ben's and the
  Mexican; all nine make 11,407 layouts (51,550 in cz, where the Mexican train may begin with any value). Each train
  that ends in a double is an open one, in every order of laying, or one that binds nobody (laid in a long first turn)
  or, where the house flips, a flipped one. Times every set of markers, a first turn and a later one, a boneyard that
  cannot be counted, or holds 0, 1 ... as many tiles as the turn has acts, and a hand that is not counted or holds 1 or
  2 tiles. Legal play reaches only some of these: `reachable`.
* turn: every row of at most `acts` acts out of `alphabet`: each of the ten tiles in both directions and one tile that
  is not in the set on each of the three trains and a second Mexican one, a draw, a marker put on and taken off each
  player's train, each of the three trains flipped.
* change: every set of at most `tiles` new tiles out of those on the three trains, with every change of markers, and no
  draw or one; in later turns, with hands that are not counted.

Tables that differ only by the names of the values 0, 1 and 2 are one table, and Ann moves: the layouts hold every
table's mirror image as well. That the referee treats renamed values alike is a test of its own.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, permutations, product

from bench.plain_reading import HOUSES, Act, Table, explanations, judge, written
from companion.rules.mexican.judge import judge_turn, legal_plays
from companion.rules.notation import Change, Drawing
from companion.rules.position import Action, Draw, Flip, Mark, Play, Position, Unmark
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.exact import infer

HIGHEST = 3
ENGINE = (HIGHEST, HIGHEST)
TILES = tuple((a, b) for a in range(HIGHEST + 1) for b in range(a, HIGHEST + 1))
PLAYERS = ("Ann", "Ben")
TRAINS = (*PLAYERS, "MX")

Pair = tuple[int, int]
Layout = tuple[tuple[Pair, ...], ...]


@dataclass(slots=True)
class Compared:
    """How much was compared, and what the two say differently."""

    tables: int = 0
    rulings: int = 0
    choices: int = 0
    changes: int = 0
    passed_over: int = 0
    differences: list[str] = field(default_factory=list)


def layouts(laid: int, any_root: bool = False) -> Iterator[Layout]:
    """Every way to lay at most `laid` of the tiles on the three trains so that they fit; with `any_root` the Mexican
    train may begin with any value."""
    box = frozenset(TILES) - {ENGINE}
    for ann, left in _chains((), box, laid):
        for ben, rest in _chains((), left, laid - len(ann)):
            for mexican, _ in _chains((), rest, laid - len(ann) - len(ben), any_root):
                yield ann, ben, mexican


def _chains(
    chain_: tuple[Pair, ...], box: frozenset[Pair], most: int, any_root: bool = False
) -> Iterator[tuple[tuple[Pair, ...], frozenset[Pair]]]:
    yield chain_, box
    due = chain_[-1][1] if chain_ else HIGHEST
    for tile in box if most else ():
        for inner in set(tile) if any_root and not chain_ else {due} & set(tile):
            outer = tile[1] if tile[0] == inner else tile[0]
            yield from _chains((*chain_, (inner, outer)), box - {tile}, most - 1)


def renamed(layout: Layout, names: tuple[int, ...]) -> Layout:
    return tuple(tuple((names[a], names[b]) for a, b in train) for train in layout)


def namings() -> list[tuple[int, ...]]:
    """The ways to rename the values below the engine's."""
    return [(*names, HIGHEST) for names in permutations(range(HIGHEST))]


def tables(rules: str, laid: int, acts: int, hands: tuple[int | None, ...] = (None, 1, 2)) -> Iterator[Table]:
    """Every table of the module's definition, one for all that differ by the names of values."""
    boneyards = (None, *range(acts + 1))
    for layout in layouts(laid, any_root=rules == "cz"):
        if any(renamed(layout, names) < layout for names in namings()):
            continue
        doubles = [name for name, train in zip(TRAINS, layout, strict=True) if train and len(set(train[-1])) == 1]
        flips = ("open", "bare", "flipped") if HOUSES[rules]["dead"] == "flip" else ("open", "bare")
        for states in product(flips, repeat=len(doubles)):
            opened = [name for name, state in zip(doubles, states, strict=True) if state == "open"]
            flipped = frozenset(name for name, state in zip(doubles, states, strict=True) if state == "flipped")
            for order, markers, boneyard, first, hand in product(
                permutations(opened), _subsets(PLAYERS), boneyards, (False, True), hands
            ):
                yield {
                    "set": HIGHEST,
                    "players": list(PLAYERS),
                    "engine": ENGINE,
                    "trains": dict(zip(TRAINS, layout, strict=True)),
                    "markers": frozenset(markers),
                    "open": order,
                    "flipped": flipped,
                    "turn": PLAYERS[0],
                    "first_turn": first,
                    "boneyard": boneyard,
                    "hands": {} if hand is None else {PLAYERS[0]: hand},
                }


def _subsets(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(names, n) for n in range(len(names) + 1))


def laid_tiles() -> list[Pair]:
    """Every tile in both directions, and one that is not in the set."""
    return sorted({pair for a, b in TILES for pair in ((a, b), (b, a))} | {(HIGHEST, HIGHEST + 1)})


def alphabet() -> list[Act]:
    """Every act of one player's turn."""
    plays: list[Act] = [("play", tile, train) for train in (*TRAINS, "MX2") for tile in laid_tiles()]
    markers: list[Act] = [(verb, player) for verb in ("mark", "unmark") for player in PLAYERS]
    return [*plays, ("draw",), *markers, *(("flip", train) for train in TRAINS)]


def turns(acts: int) -> Iterator[tuple[Act, ...]]:
    return chain.from_iterable(product(alphabet(), repeat=n) for n in range(acts + 1))


def position_of(table: Table) -> Position:
    return Position(
        table["set"],
        tuple(table["players"]),
        Laid(*table["engine"]),
        {name: tuple(Laid(*tile) for tile in train) for name, train in table["trains"].items()},
        table["markers"],
        table["open"],
        table["flipped"],
        table["turn"],
        table["first_turn"],
        table["boneyard"],
        table["hands"],
    )


def action_of(act: Act) -> Action:
    match act:
        case ("play", (a, b), train):
            return Play(Laid(a, b), train)
        case ("mark", player):
            return Mark(player)
        case ("unmark", player):
            return Unmark(player)
        case ("flip", train):
            return Flip(train)
    return Draw()


def compare_turns(
    rules: str,
    laid: int,
    acts: int,
    found: Compared,
    hands: tuple[int | None, ...] = (None, 1, 2),
    share: float = 1.0,
    seed: int = 0,
) -> None:
    """Every turn of at most `acts` acts on every table, and what may be laid there; or on about the `share` of the
    tables that `seed` draws, each as likely as any other."""
    known = load_ruleset(rules)
    rng = random.Random(seed)
    every = [(turn, tuple(map(action_of, turn))) for turn in turns(acts)]
    for table in tables(rules, laid, acts, hands):
        if rng.random() >= share:
            found.passed_over += 1
            continue
        position = position_of(table)
        found.tables += 1
        for plain, turn in every:
            ruling = judge_turn(known, position, turn)
            codes, may, _ = judge(rules, table, list(plain))
            found.rulings += 1
            if ruling.codes != codes or ruling.may != may:
                found.differences.append(f"{rules}: {table}: {plain}: {sorted(ruling.codes)}/{sorted(ruling.may)}")
        choices = {(tuple(play.tile), play.train) for play in legal_plays(known, position)}
        found.choices += 1
        if choices != plain_choices(rules, table):
            found.differences.append(f"{rules}: {table}: may be laid: {sorted(choices)}")


OF_THE_END = {"DOUBLE_NOT_FOLLOWED", "NO_DRAW", "MARKER_MISSING", "MARKER_UNEARNED"} | {
    "MARKER_NOT_REMOVED",
    "MARKER_REMOVED_WRONGLY",
}
"""Debts at the end of a turn, which are no fault of a tile."""


def plain_choices(rules: str, table: Table) -> set[tuple[Pair, str]]:
    return {
        (tile, train)
        for tile in laid_tiles()
        for train in TRAINS
        if judge(rules, table, [("play", tile, train)])[0] <= OF_THE_END
    }


def compare_changes(rules: str, laid: int, tiles: int, found: Compared, share: float = 1.0, seed: int = 0) -> None:
    """Every change of at most `tiles` tiles on every table of later turns, with markers and a draw; or of these about
    the `share` that `seed` draws, each as likely as any other."""
    known = load_ruleset(rules)
    rng = random.Random(seed)
    for table in tables(rules, laid, 1, hands=(None,)):
        if table["first_turn"]:
            continue
        found.tables += 1
        position = position_of(table)
        for chains, marks, draws in _changes(table, tiles):
            if rng.random() >= share:
                found.passed_over += 1
                continue
            delta: list[Change] = [Play(Laid(*act[1]), act[2]) for train in chains for act in train]
            delta += [Mark(name) if verb == "mark" else Unmark(name) for verb, name in marks]
            delta += [Drawing(draws)] * bool(draws)
            inference = infer(known, position, delta, PLAYERS[0])
            explainable, stories = explanations(rules, table, chains, draws, marks, PLAYERS[0])
            found.changes += 1
            if (inference.explainable, set(inference.explanations)) != (explainable, stories):
                what = [written(act) for train in chains for act in train] + [written(mark) for mark in marks]
                found.differences.append(f"{rules}: {table}: {what}, {draws} drawn: {inference.explanations}")


def _changes(table: Table, tiles: int) -> Iterator[tuple[list[list[Act]], list[Act], int]]:
    marks_ways = [
        [("unmark" if player in table["markers"] else "mark", player) for player in changed]
        for changed in _subsets(PLAYERS)
    ]
    draws_ways = (0, 1) if table["boneyard"] else (0,)
    plays = [act for act in alphabet() if act[0] == "play" and act[2] != "MX2"]
    for count in range(tiles + 1):
        for row in permutations(plays, count):
            # The tiles of different trains lie beside each other: only within one train is there an order.
            if [act[2] for act in row] != sorted((act[2] for act in row), key=TRAINS.index):
                continue
            chains = [[act for act in row if act[2] == train] for train in TRAINS]
            for marks, draws in product(marks_ways, draws_ways):
                if row or marks or draws:
                    yield [train for train in chains if train], list(marks), draws


def reachable(rules: str, laid: int, hand: int = 4) -> set[tuple[Layout, frozenset[str], tuple[str, ...]]]:
    """The tables that legal play makes of the deal while at most `laid` tiles lie: layout, markers and open doubles.

    The mover is called Ann, as in `tables`. Turns have at most four acts, as many as one of two tiles needs.
    """
    start: Table = {
        "set": HIGHEST, "players": list(PLAYERS), "engine": ENGINE, "trains": dict.fromkeys(TRAINS, ()),
        "markers": frozenset(), "open": (), "flipped": frozenset(), "turn": "Ann", "first_turn": True,
        "boneyard": len(TILES) - 1 - 2 * hand, "hands": {},
    }  # fmt: skip
    seen: dict[str, Table] = {}
    waiting = [(start, 0)]
    while waiting:
        table, turn = waiting.pop()
        key = repr(({**table, "markers": sorted(table["markers"]), "flipped": sorted(table["flipped"])}, min(turn, 2)))
        if key in seen:
            continue
        seen[key] = table
        for following in _legal_turns(rules, table, [], laid):
            waiting.append(({**following, "first_turn": turn + 1 < len(PLAYERS)}, turn + 1))
    found = set()
    for table in seen.values():
        swap = {"Ann": "Ben", "Ben": "Ann", "MX": "MX"} if table["turn"] == "Ben" else {name: name for name in TRAINS}
        layout = tuple(table["trains"][swap[name]] for name in TRAINS)
        markers, opened = frozenset(map(swap.get, table["markers"])), tuple(map(swap.get, table["open"]))
        names = min(namings(), key=lambda each, layout=layout: renamed(layout, each))
        found.add((renamed(layout, names), markers, opened))
    return found


def _legal_turns(rules: str, table: Table, done: list[Act], laid: int) -> Iterator[Table]:
    codes, _may, following = judge(rules, table, done)
    if not codes:
        yield following
    if len(done) == 4 or codes - OF_THE_END:
        return
    for act in alphabet():
        if act[0] == "play" and sum(map(len, following["trains"].values())) >= laid:
            continue
        yield from _legal_turns(rules, table, [*done, act], laid)


def main() -> int:
    """Each part in turn, its counts as it is done; 1 where the two disagree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rules", choices=sorted(HOUSES), action="append", help="only this rule set; may be repeated")
    parser.add_argument("--one-act", type=int, default=9, help="tiles on the table for turns of one act; -1: none")
    parser.add_argument("--two-acts", type=int, default=2, help="tiles on the table for turns of two acts")
    parser.add_argument("--one-tile", type=int, default=4, help="tiles on the table for changes of one tile")
    parser.add_argument("--two-tiles", type=int, default=0, help="tiles on the table for changes of two tiles")
    parser.add_argument("--share", type=float, default=1.0, help="of the changes only about this share, drawn evenly")
    parser.add_argument("--seed", type=int, default=0, help="which changes --share draws")
    options = parser.parse_args()

    def changes(rules: str, laid: int, tiles: int, found: Compared) -> None:
        compare_changes(rules, laid, tiles, found, options.share, options.seed)

    wrong = 0
    for rules in options.rules or sorted(HOUSES):
        for what, compare, laid, size in (
            ("turns of one act", compare_turns, options.one_act, 1),
            ("turns of two acts", compare_turns, options.two_acts, 2),
            ("changes of one tile", changes, options.one_tile, 1),
            ("changes of two tiles", changes, options.two_tiles, 2),
        ):
            if laid < 0:
                continue
            found, began = Compared(), time.monotonic()
            compare(rules, laid, size, found)
            counts = f"{found.tables} tables, {found.rulings} rulings, {found.choices} choices, {found.changes} changes"
            if found.passed_over:
                counts += f" of {found.changes + found.passed_over}"
            took = f"{time.monotonic() - began:.0f} s"
            print(
                f"{rules}: {what}, {laid} tiles on the table: {counts}, {len(found.differences)} differences, {took}",
                flush=True,
            )
            for line in found.differences[:5]:
                print(line, file=sys.stderr)
            wrong += len(found.differences)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
