"""How long the belief takes to explain a change: `python -m bench.belief --players 8 --rounds 4`.

Rounds of bots with planted faults; one to three turns lie between two still tables, so that a change has up to five
tiles (a long first train more). Printed are milliseconds of processor time by the number of tiles, so that other work
on the machine does not count. The digest at the end is of every hypothesis after every change, with its cost and its
shares: two versions of the belief that print the same one believe the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.tracking.evidence import Evidence
from companion.tracking.filter import TableFilter
from companion.tracking.tracker import RoundTracker
from datasets.bots import BotGame, BotTurn
from datasets.bots.watching import seen
from datasets.simulator.camera import VISIBLE_FAULTS

MOST_TILES = 5


def together(turns: Sequence[BotTurn], rng: Random) -> Iterator[list[BotTurn]]:
    """The turns in groups of one to three with at most five tiles; mostly one by one."""
    waiting: list[BotTurn] = []
    wanted = 1
    for turn in turns:
        if waiting and (len(waiting) >= wanted or _tiles([*waiting, turn]) > MOST_TILES):
            yield waiting
            waiting, wanted = [], rng.choice((1, 1, 1, 2, 3))
        waiting.append(turn)
    if waiting:
        yield waiting


def _tiles(turns: Sequence[BotTurn]) -> int:
    return sum(isinstance(act, Play) for turn in turns for act in turn.actions)


def believed(belief: TableFilter) -> str:
    """Every hypothesis with its cost and its shares."""
    rows = []
    for one in belief.all:
        actors = {(item, player): p for item, row in one.actors.items() for player, p in row.items()}
        shares = [
            sorted((str(key), round(p, 9)) for key, p in each.items())
            for each in (actors, one.codes, one.causes, one.others)
        ]
        rows.append((round(one.cost, 6), one.born, shares))
    return json.dumps(rows)


def measure(rules_name: str, players: int, seeds: Sequence[int], digest: Any = None) -> list[tuple[int, float]]:
    """(tiles, milliseconds) of every change; `digest` (of hashlib) takes what is believed after each."""
    rules = load_ruleset(rules_name)
    found = []
    for seed in seeds:
        rng = Random(f"belief {seed}")
        game = BotGame(rules, players, seed, plant=VISIBLE_FAULTS, plant_rate=0.03, plants_per_round=2)
        table = next(islice(game.rounds(), 1))
        tracker = RoundTracker(rules, table.start, table.starter)
        for group in together(list(table.turns()), rng):
            evidence = Evidence.of(tracker.number, seen(group, boneyard=rules_name != "tactic"))
            if evidence.empty:
                continue
            start = time.process_time()
            tracker.observe(evidence)
            found.append((len(evidence.laid), 1000 * (time.process_time() - start)))
            if digest is not None:
                digest.update(believed(tracker.filter).encode())
    return found


def summary(found: Sequence[tuple[int, float]]) -> dict[str, float]:
    """p50, p95 and the longest, over all changes and over those of several tiles."""
    rows = {"all": sorted(ms for _, ms in found), "several": sorted(ms for tiles, ms in found if tiles > 1)}
    line: dict[str, float] = {"changes": len(found)}
    for name, ms in rows.items():
        if ms:
            line |= {
                f"{name} p50": round(ms[len(ms) // 2], 1),
                f"{name} p95": round(ms[int(len(ms) * 0.95)], 1),
                f"{name} max": round(ms[-1], 1),
            }
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=4, help="of each rule set")
    parser.add_argument("--first", type=int, default=61000)
    parser.add_argument("--rules", nargs="+", default=["poltava", "cz", "reeves", "tactic"])
    args = parser.parse_args()
    everything = []
    digest = hashlib.sha1(usedforsecurity=False)
    for rules in args.rules:
        try:
            BotGame(load_ruleset(rules), args.players, args.first)
        except ValueError as refused:
            print(refused, flush=True)
            continue
        found = measure(rules, args.players, range(args.first, args.first + args.rounds), digest)
        everything += found
        print(rules, json.dumps(summary(found)), flush=True)
    if everything:
        print("all", json.dumps(summary(everything)), "digest", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
