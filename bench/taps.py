"""How many taps a turn takes on a phone in the middle of the table: `python -m bench.taps --rules poltava --rounds 6`.

Bots play legal rounds; each turn is tapped with the fewest keys of the page: a number for a tile, its train where
another one is proposed (a stroke from the number to the train is one tap for both), *Draw a tile*, and *Cannot play*
for a draw, a marker and the end in one. The done keys of first trains and the last tile's knock are not counted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from bench.tapped import true_acts
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import Discarded, Drew, Event, MarkerPlaced, MarkerRemoved, Passed, TilePlayed
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.bots import BotGame

FIRST_SEED = 7600


def taps_of(turn: list[Event], session: Game) -> Counter[str]:
    """The keys tapped for one turn, which is played in the session by them."""
    taps = Counter[str]()
    while turn:
        act, board = turn.pop(0), session.snapshot()
        match act:
            case TilePlayed():
                taps["number"] += 1
                taps["train"] += not board.chinese and board.preselected != act.train
                lines = session.play(act.tile, act.train, act.by, lift=True)
                if turn and isinstance(turn[0], MarkerRemoved) and any(isinstance(one, MarkerRemoved) for one in lines):
                    turn.pop(0)
            case Drew() if any(isinstance(one, TilePlayed) for one in turn):
                taps["draw"] += 1
                session.draw(act.by)
            case MarkerRemoved():
                taps["unmark"] += 1
                session.unmark(act.train, by=act.by)
            case Drew() | MarkerPlaced() | Passed() | Discarded() if board.unable:
                taps["cannot play"] += 1
                session.cannot_play(act.who)
                turn.clear()
            case Passed():
                session.pass_turn(act.by)
    return taps


def measure(name: str, players: int, rounds: int, seed: int) -> Counter[str]:
    """The taps of so many rounds by their keys, and `turns`."""
    rules, found = load_ruleset(name), Counter[str]()
    set_max = 12 if rules.is_mexican else 6
    box = f"double-{set_max}" if rules.is_mexican else "chinese"
    for number in range(seed, seed + rounds):
        game = BotGame(rules, players, number, set_max=set_max, rounds=1)
        played = next(iter(game.rounds()))
        with tempfile.TemporaryDirectory() as folder:
            session = Game.create(Path(folder) / "g.jsonl", Header(name, box, game.players))
            session.start_round(played.engine, played.starter)
            turns: dict[int, list[Event]] = {}
            for act in true_acts(played):
                turns.setdefault(act.turn, []).append(act.event)
            for turn in turns.values():
                if session.phase == "playing":
                    found += taps_of(turn, session)
                    found["turns"] += 1
            session.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", choices=RULESET_NAMES, default="tactic")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    given = parser.parse_args()
    found = measure(given.rules, given.players, given.rounds, given.seed)
    turns = found.pop("turns")
    total = found.total()
    strokes = total - found["train"]
    print(f"{given.rules}: {turns} turns, {total / turns:.2f} taps a turn, {strokes / turns:.2f} with strokes")
    print(dict(found))


if __name__ == "__main__":
    main()
