"""The referee beside a plain reading of the rules, on random tables: `python -m bench.second_reading --seeds 200`.

For each seed a table of 2 to 8 players with a double-6, double-9 or double-12 set is made up: chains that fit, markers,
open and flipped doubles, a boneyard that can be counted or not, hands. Then both are asked which tiles may be laid
where, out of every tile in both directions on every train, and what is wrong with a few turns of up to four acts. The
second reading (bench/plain_reading.py) shares nothing with the referee; all tables of a small set are in
`bench.small_tables`. Status 1 where the two differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from random import Random

from bench.plain_reading import HOUSES, Act, Table, judge
from bench.small_tables import OF_THE_END, action_of, position_of
from companion.rules.mexican.judge import judge_turn, legal_plays
from companion.rules.ruleset import load_ruleset

NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
Choice = tuple[tuple[int, int], str]
"""A tile, inner half first, and the train that it is laid on."""

TURNS = 20
"""Turns that are ruled on each table."""


def made_up(chance: Random) -> Table:
    """A table that never was: two to eight players, trains of up to eight tiles, any marker, any open double."""
    highest, players = chance.choice((6, 9, 12)), NAMES[: chance.randint(2, 8)]
    table = made_up_of(chance, highest, players, (0, 1, 2, 4, 8), (None, 0, 1, 5, 20))
    return {**table, "first_turn": chance.random() < 0.25}


def made_up_of(
    chance: Random,
    highest: int,
    players: Sequence[str],
    lengths: Sequence[int],
    boneyards: Sequence[int | None],
) -> Table:
    """A made-up table of these players, in nobody's first turn; a train has one of `lengths` while tiles fit."""
    pool = [(a, b) for a in range(highest + 1) for b in range(a, highest + 1)][:-1]
    trains = {}
    for name in (*players, "MX"):
        chain: list[tuple[int, int]] = []
        for _ in range(chance.choice(lengths)):
            due = chain[-1][1] if chain else highest
            fitting = [tile for tile in pool if due in tile]
            if not fitting:
                break
            tile = chance.choice(fitting)
            pool.remove(tile)
            chain.append(tile if tile[0] == due else (tile[1], tile[0]))
        trains[name] = tuple(chain)
    doubles = [name for name, chain in trains.items() if chain and chain[-1][0] == chain[-1][1]]
    chance.shuffle(doubles)
    flipped = [name for name in doubles if chance.random() < 0.15]
    return {
        "set": highest,
        "players": list(players),
        "engine": (highest, highest),
        "trains": trains,
        "markers": frozenset(name for name in players if chance.random() < 0.35),
        "open": tuple(name for name in doubles if name not in flipped and chance.random() < 0.8),
        "flipped": frozenset(flipped),
        "turn": chance.choice(players),
        "first_turn": False,
        "boneyard": chance.choice(boneyards),
        "hands": {name: chance.choice((1, 2, 3)) for name in players if chance.random() < 0.4},
    }


def made_up_turn(chance: Random, table: Table) -> list[Act]:
    """Acts that often fit and often do not."""
    due = {name: chain[-1][1] if chain else table["set"] for name, chain in table["trains"].items()}
    due["MX2"] = table["set"]
    acts: list[Act] = []
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        kind = chance.choices(("play", "draw", "mark", "unmark", "flip"), (12, 4, 2, 2, 1))[0]
        if kind == "play":
            name = table["turn"] if chance.random() < 0.5 else chance.choice(list(due))
            inner = due[name] if chance.random() < 0.85 else chance.randint(0, table["set"] + 1)
            outer = inner if chance.random() < 0.25 else chance.randint(0, table["set"])
            acts.append(("play", (inner, outer), name))
            due[name] = outer
        elif kind == "draw":
            acts.append(("draw",))
        elif kind == "flip":
            acts.append(("flip", chance.choice(list(table["trains"]))))
        else:
            acts.append((kind, table["turn"] if chance.random() < 0.7 else chance.choice(table["players"])))
    return acts


def choices(rules: str, table: Table) -> tuple[set[Choice], set[Choice], int]:
    """The legal plays by the referee and by the plain reading, and out of how many."""
    asked = [
        ((a, b), train) for a in range(table["set"] + 1) for b in range(table["set"] + 1) for train in table["trains"]
    ]
    plain = {one for one in asked if judge(rules, table, [("play", *one)])[0] <= OF_THE_END}
    found = {(tuple(play.tile), play.train) for play in legal_plays(load_ruleset(rules), position_of(table))}
    return found, plain, len(asked)


def compare(seed: int) -> tuple[int, int, list[str]]:
    """Choices and turns compared for one seed, in every rule set, and what differs."""
    asked = turns = 0
    different: list[str] = []
    for rules in sorted(HOUSES):
        chance = Random(f"{rules} {seed}")
        table = made_up(chance)
        found, plain, ways = choices(rules, table)
        asked += ways
        different += [f"{rules} {seed}: {one} may be laid or not: {table}" for one in found ^ plain]
        for _ in range(TURNS):
            acts = made_up_turn(chance, table)
            ruling = judge_turn(load_ruleset(rules), position_of(table), [action_of(act) for act in acts])
            codes, may, _after = judge(rules, table, acts)
            turns += 1
            if (ruling.codes, ruling.may) != (codes, may):
                different.append(f"{rules} {seed}: {acts}: {ruling}, but {codes} {may}: {table}")
    return asked, turns, different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=200, help="tables for each rule set")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    results = [compare(seed) for seed in range(options.first, options.first + options.seeds)]
    different = [line for _, _, lines in results for line in lines]
    for line in different[:10]:
        print(line, file=sys.stderr)
    print(
        f"{sum(one[0] for one in results)} choices and {sum(one[1] for one in results)} turns compared, "
        f"{len(different)} differ"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
