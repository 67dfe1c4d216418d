"""How long the belief takes, in processor time: to explain a change, and to run a whole round again for a correction.

`python -m bench.correction --players 8`. Told rounds of the four train games are played for sixty scenes. Then somebody
says of the round's first tiles, one after another, that another player laid them: all later changes are explained anew,
which the next question to the belief waits for. The round's own time, from the first change to the last, stands beside.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench import belief
from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.log.events import TableChange, TilePlayed
from datasets.simulator.camera import VISIBLE_FAULTS, SimSettings
from datasets.simulator.room import BlankFilm

TRAIN_GAMES = ("poltava", "cz", "reeves", "tactic")
FIRST_SEED, TIMES = 61000, 3
SCENES = 60
"""So many scenes of each round are told: it is not over yet, so the belief runs again."""


def rounds(players: int, seed: int) -> list[tuple[float, float]]:
    """(seconds of the whole round as it came, seconds of a correction), one for every correction."""
    found = []
    for game in TRAIN_GAMES:
        settings = SimSettings(rules=game, players=players, plant=VISIBLE_FAULTS, plants=2, most_scenes=SCENES)
        camera = UnfilmedRound(seed, settings, BlankFilm)
        with tempfile.TemporaryDirectory() as folder:
            session = Game.create(Path(folder) / "game.jsonl", camera.setup().header)
            start = time.process_time()
            ToldTable(camera).tell(session)
            whole = time.process_time() - start
            assert session.phase == "playing"
            plays = [event for event in session.events if isinstance(event, TilePlayed) and event.by is not None]
            for play in plays[:TIMES]:
                other = next(name for name in camera.plan.players if name != play.by)
                start = time.process_time()
                session.correct(play.seq, {"by": other})
                session.expects(TableChange(()))
                found.append((whole, time.process_time() - start))
            session.close()
    return found


def measure() -> dict[str, float]:
    explained = [ms for game in TRAIN_GAMES for _, ms in belief.measure(game, 8, range(FIRST_SEED, FIRST_SEED + 2))]
    corrected = rounds(8, FIRST_SEED)
    explained.sort()
    whole = sum(once for once, _ in corrected[::TIMES]) / len(TRAIN_GAMES)
    longest = max(again for _, again in corrected)
    return {
        "a change explained, 8 players, median, ms": explained[len(explained) // 2],
        "a change explained, 8 players, p95, ms": explained[int(len(explained) * 0.95)],
        "the longest correction, 8 players, s": longest,
        "that beside the round itself": longest / whole,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    args = parser.parse_args()
    for whole, again in rounds(args.players, args.seed):
        print(f"round {whole:6.2f} s   correction {again:6.3f} s")


if __name__ == "__main__":
    main()
