"""Records the whole games in this folder: `python -m tests.games.record`. The same games come out every time.

Each is played by bots from a seed, with a fault planted here and there, and written by the session like any game.
Whatever the page asks about such a fault, the people at the table confirm: it was really so. The
checksums are left out, as they say nothing about the rules. `tests/desk/test_replay.py` compares them byte for byte.
"""

from __future__ import annotations

from pathlib import Path

from companion.game.session import Session
from companion.log.event_fields import Header
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.storage.state_file import split_line
from datasets.bots import BotGame
from datasets.bots.planting import plantable
from tests.desk.making import ticking
from tests.desk.playing import play_out

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
    session = Session.create(path, header, ticking())
    for played in game.rounds():
        play_out(session, played, confirmed=True)
    session.close()
    lines = path.read_bytes().splitlines()
    first = lines[0].replace(b'"journal": 2', b'"journal": 1', 1)
    path.write_bytes(b"".join(split_line(line)[0] + b"\n" for line in (first, *lines[1:])))


def main() -> None:
    for seed, (name, rules_name, set_max, players, options) in enumerate(GAMES, start=1):
        path = HERE / f"{name}.jsonl"
        path.unlink(missing_ok=True)
        record(path, rules_name, set_max, players, dict(options), seed)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
