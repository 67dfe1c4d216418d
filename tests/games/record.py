"""Records the whole games in this folder: `python -m tests.games.record`. The same games come out every time.

Each is played by bots from a seed, with a fault planted here and there, and written by the session like any game.
Whatever the page asks about such a fault, the people at the table confirm: it was really so. The
checksums are left out, as they say nothing about the rules. Beside each journal lies what was told of the game and
stands in no journal: rulings and scores, and what reads otherwise later. `tests/desk/test_replay.py` compares both byte
for byte.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.stand_ins.making import ticking
from bench.stand_ins.playing import play_out
from companion.game.game import Game
from companion.game.told import SHOWN_SUFFIX
from companion.log.event_fields import Header
from companion.log.events import Corrected, Event
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.storage.state_file import split_line
from datasets.bots import BotGame
from datasets.bots.planting import plantable

GAMES = (
    ("tactic-quick-3", "tactic", 9, 3, {}),
    ("tactic-5", "tactic", 12, 5, {}),
    ("reeves-2", "reeves", 9, 2, {}),
    ("cz-winner-takes-4", "cz", 12, 4, {"scoring": "winner_takes", "rounds": 4}),
    ("poltava-4", "poltava", 9, 4, {}),
    ("jielong-3", "jielong", 6, 3, {}),
    ("jielong-two-arms-2", "jielong", 6, 2, {"arms": 2}),
    ("chedeng-4", "chedeng", 6, 4, {}),
    ("kkori-3", "kkori", 6, 3, {}),
    ("goodsam-4", "goodsam", 12, 4, {}),
    ("goodsam-florida-6", "goodsam-florida", 12, 6, {}),
    ("owlshollow-3", "owlshollow", 12, 3, {}),
    ("longtrain-5", "longtrain", 12, 5, {}),
    ("ninesteps-2", "ninesteps", 12, 2, {}),
)
ROUNDS, HOUSE_ROUNDS = 3, 1
"""Of the seven leaflets' games, and of other people's house rules."""
HERE = Path(__file__).parent
TOLD_SUFFIX = ".told"


def record(path: Path, rules_name: str, set_max: int, players: int, options: dict[str, object], seed: int) -> None:
    """One game from its seed: a few rounds, with faults in about one turn of twelve."""
    rules = load_ruleset(rules_name, options)
    # Other people's house rules begin like one leaflet or the other.
    like = rules_name if rules_name in RULESET_NAMES else "poltava" if rules.long_first else "tactic"
    game = BotGame(
        rules, players, seed, set_max=set_max, plant=plantable(like), plant_rate=0.08, plants_per_round=5,
        rounds=ROUNDS if rules_name in RULESET_NAMES else HOUSE_ROUNDS,
    )  # fmt: skip
    tile_set = f"double-{set_max}" if rules.is_mexican else "chinese"
    header = Header(rules_name, tile_set, game.players, options)
    session, heard = Game.create(path, header, ticking()), list[Event]()
    session.subscribe(heard.append)
    for played in game.rounds():
        play_out(session, played, confirmed=True)
    session.close()
    path.with_suffix(SHOWN_SUFFIX).unlink()
    path.write_bytes(b"".join(split_line(line)[0] + b"\n" for line in path.read_bytes().splitlines()))
    told = [json.dumps(line, ensure_ascii=False) + "\n" for line in map(concluded, heard) if len(line) > 1]
    path.with_suffix(TOLD_SUFFIX).write_text("".join(told), encoding="utf-8")


def concluded(event: Event) -> dict[str, Any]:
    """The fields that were told with the event but are not in its journal line."""
    line = {} if isinstance(event, Corrected) and event.source == "rule" else event.to_fact()
    more = {name: value for name, value in event.to_json().items() if line.get(name) != value and value != []}
    return {"seq": event.seq} | more


def main() -> None:
    for seed, (name, rules_name, set_max, players, options) in enumerate(GAMES, start=1):
        path = HERE / f"{name}.jsonl"
        for file in HERE.glob(f"{name}.*"):
            file.unlink()
        record(path, rules_name, set_max, players, dict(options), seed)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
