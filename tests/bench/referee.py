"""The referee's speed beside python-chess's move generator, the yardstick of rules engines in this language."""

from __future__ import annotations

import random
import statistics
import time
import tracemalloc

import chess

from companion.mexican.inference import infer
from companion.mexican.judging import after_turn, judge_turn, legal_plays
from companion.notation import Laying
from companion.position import Position
from companion.ruleset import load_ruleset
from companion.tile import Laid
from companion.turn import End, Play
from tests.bench.stopwatch import seconds_per_unit

MIDDLE_GAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9"
NAMES = ("Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")


def mid_game_table(seed: int = 5, laid: int = 45) -> Position:
    """A double-12 table for eight players with about `laid` tiles, reached by legal plays only."""
    rules = load_ruleset("tactic")
    rng = random.Random(seed)
    trains: dict[str, tuple[Laid, ...]] = dict.fromkeys((*NAMES, "MX"), ())
    table = Position(12, NAMES, Laid(12, 12), trains, turn="Ann", boneyard=10)
    for i in range(laid):
        player = NAMES[i % len(NAMES)]
        table = Position(12, NAMES, Laid(12, 12), table.trains, turn=player, boneyard=10)
        plays = [p for p in legal_plays(rules, table) if not p.tile.is_double]
        play = rng.choice(plays)
        grown = {**table.trains, play.train: (*table.trains[play.train], play.tile)}
        table = Position(12, NAMES, Laid(12, 12), grown, turn=player, boneyard=10)
    return table


def measure() -> dict[str, float]:
    rules, table, board = load_ruleset("tactic"), mid_game_table(), chess.Board(MIDDLE_GAME)
    plays = legal_plays(rules, table)
    turns = [(play, End()) for play in plays]

    def rule() -> None:
        for turn in turns:
            judge_turn(rules, table, turn)

    def moves() -> None:
        for _ in range(50):
            list(board.legal_moves)

    def choices() -> None:
        for _ in range(5):
            legal_plays(rules, table)

    times = seconds_per_unit({"judge": (rule, len(turns)), "chess": (moves, 50), "plays": (choices, 5)})
    tracemalloc.start()
    rule()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "rulings per second": 1 / times["judge"],
        "legal_plays, no hand known, ms": times["plays"] * 1e3,
        "python-chess legal_moves, ms": times["chess"] * 1e3,
        "rulings in the time of one legal_moves": times["chess"] / times["judge"],
        "inference, median ms over changes of 1 to 4 tiles": inference_ms(),
        "memory of a ruling pass, kB": peak / 1024,
    }


def inference_ms(changes: int = 40, seed: int = 11) -> float:
    """Median time to explain a change of one to four tiles at a table of eight, legal or not."""
    rules, rng, times = load_ruleset("tactic"), random.Random(seed), []
    for i in range(changes):
        table = mid_game_table(seed=i, laid=24)
        delta, now = [], table
        for _ in range(1 + i % 4):
            play: Play = rng.choice([p for p in legal_plays(rules, now) if not p.tile.is_double])
            delta.append(Laying(play.tile, play.train))
            now = after_turn(rules, now, [play, End()])
        start = time.perf_counter()
        infer(rules, table, delta, table.turn)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3
