"""The referee's speed beside python-chess's move generator, the yardstick of rules engines in this language.

All in processor time, so that a busy machine shows the figures of a quiet core.
"""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import chess

from bench.stand_ins.playing import play_out
from bench.stopwatch import seconds_per_unit
from companion.game.game import Game
from companion.game.replay import replay_text
from companion.log.event_fields import Header
from companion.log.journal import JournalText, read_journal
from companion.rules.mexican.judge import after_turn, judge_turn, legal_plays
from companion.rules.position import End, Play, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from companion.tracking.exact import infer
from datasets.bots import BotGame

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


def whole_match(players: int = 4, seed: int = 1) -> JournalText:
    """The journal of a match of thirteen rounds, played by bots and written by a session with all its rulings."""
    rules = load_ruleset("tactic")
    game = BotGame(rules, players, seed, set_max=12)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.jsonl"
        session = Game.create(path, Header("tactic", "double-12", game.players, {}))
        for played in game.rounds():
            play_out(session, played)
        session.close()
        return read_journal(path)


def import_s(times: int = 9) -> dict[str, float]:
    """Seconds of processor time, at best, to start Python, and to import the board of `companion.rules` besides."""

    def best(code: str) -> float:
        taken = []
        for _ in range(times):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(taken)

    python = best("pass")
    return {"python": python, "rules": best("from companion.rules import Board") - python}


def measure() -> dict[str, float]:
    rules, table, board = load_ruleset("tactic"), mid_game_table(), chess.Board(MIDDLE_GAME)
    plays = legal_plays(rules, table)
    turns = [(play, End()) for play in plays]
    match = whole_match()

    def rule() -> None:
        for turn in turns:
            judge_turn(rules, table, turn)

    def moves() -> None:
        for _ in range(50):
            list(board.legal_moves)

    def choices() -> None:
        for _ in range(5):
            legal_plays(rules, table)

    def again() -> None:
        replay_text(match)

    contestants = {"judge": (rule, len(turns)), "chess": (moves, 50), "plays": (choices, 5), "replay": (again, 1)}
    times = seconds_per_unit(contestants, clock=time.process_time)
    inferred = inference_ms()
    importing = import_s()
    return {
        "rulings per second": 1 / times["judge"],
        "legal_plays, no hand known, ms": times["plays"] * 1e3,
        "legal plays found there": float(len(plays)),
        "python-chess legal_moves, ms": times["chess"] * 1e3,
        "moves found there": float(board.legal_moves.count()),
        "import of the rules, ms of processor time": importing["rules"] * 1e3,
        "import of the rules, in starts of Python": importing["rules"] / importing["python"],
        "rulings in the time of one legal_moves": times["chess"] / times["judge"],
        "one legal_plays in times of legal_moves": times["plays"] / times["chess"],
        "replay of a match of 13 rounds, s": times["replay"],
        "events in it": float(len(match.events)),
        "one event replayed in times of legal_moves": times["replay"] / len(match.events) / times["chess"],
        "inference, median ms over changes of 1 to 4 tiles": inferred,
        "one such inference in times of legal_moves": inferred / 1e3 / times["chess"],
        "memory of a ruling pass, peak kB": peak_bytes(rule) / 1024,
        "memory of legal_plays, peak kB": peak_bytes(choices) / 1024,
        "memory of the replay, peak MB": peak_bytes(again) / 1024**2,
    }


def peak_bytes(run: Callable[[], object]) -> int:
    """The most that is allocated at once, beyond what was there before."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def inference_ms(changes: int = 40, seed: int = 11) -> float:
    """Median time to explain a change of one to four tiles at a table of eight, legal or not."""
    rules, rng, times = load_ruleset("tactic"), random.Random(seed), []
    for i in range(changes):
        table = mid_game_table(seed=i, laid=24)
        delta, now = [], table
        for _ in range(1 + i % 4):
            play: Play = rng.choice([p for p in legal_plays(rules, now) if not p.tile.is_double])
            delta.append(Play(play.tile, play.train))
            now = after_turn(rules, now, [play, End()])
        start = time.process_time()
        infer(rules, table, delta, table.turn)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e3
