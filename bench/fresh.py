"""Does the page show what the journal holds? `python -m bench.fresh --taps 500`.

Beginnings of rounds are told as a camera would see them, with faults in them, and after every second change of the
table somebody taps something, true or not. After each tap whatever the page shows is compared with what a program shows
that opens a copy of the same journal and knows nothing else. Status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from bench.table import with_faults
from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.game.game_view import as_json
from companion.game.rejected import CommandRejected
from companion.rules.ruleset import RULESET_NAMES
from datasets.simulator.room import BlankFilm

FIRST_SEED, SCENES = 181_000, 24

ACTS = ("tile_played", "drew", "marker_placed", "marker_removed", "discarded", "passed")


class Tapping(Game):
    """A game at which somebody taps after about every second change of the table. `told`: taps by their kind;
    `differing`: (tap, what the page shows otherwise than the journal)."""

    rng: Random
    told: Counter[str]
    differing: list[tuple[str, list[str]]]

    def observe(self, *args: Any, **named: Any) -> Any:
        brought = super().observe(*args, **named)
        if self.rng.random() < 0.5:
            self.tap()
        return brought

    def tap(self) -> None:
        """Tap something, and compare what is shown then."""
        kind = self.rng.choice(("name", "name", "tile", "withdrawn", "overruled", "insert", "done", "draw", "undo"))
        try:
            self._say(kind)
        except (CommandRejected, IndexError):
            return
        self.told[kind] += 1
        live = as_json(self.snapshot())
        fresh = folded(self)
        if fresh != live:
            what = [name for name in live.keys() | fresh.keys() if live.get(name) != fresh.get(name)]
            self.differing.append((kind, what))

    def _say(self, kind: str) -> None:
        acts = [one for one in self.snapshot().plays if one["event"] in ACTS and not one.get("taken_back")]
        who = self.rng.choice(self.header.players)
        if kind in ("done", "draw", "undo"):
            self.done(who) if kind == "done" else self.draw(who) if kind == "draw" else self.undo()
            return
        unnamed = [one for one in acts if not one.get("by")]
        play = self.rng.choice(unnamed if kind == "name" and unnamed else acts[-6:])
        what: dict[str, dict[str, Any]] = {
            "name": {"by": who},
            "tile": {"tile": [*(play.get("tile") or (0, 0))[:1], self.rng.randrange(7)]},
            "withdrawn": {"withdrawn": True},
            "overruled": {"overruled": True},
            "insert": {"insert": [{"event": "drew" if self.rules.is_mexican else "discarded", "by": who}]},
        }
        self.correct(play["seq"], what[kind])


def folded(session: Game) -> dict[str, Any]:
    """The same journal as a program that has just opened it shows it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.jsonl"
        copy.write_bytes(session.journal.content)
        fresh = Game.open(copy)
        shown = as_json(fresh.snapshot())
        fresh.close()
        return shown


def tapped(seed: int, folder: Path, scenes: int = SCENES) -> Tapping:
    """The beginning of a round, tapped at."""
    rules = RULESET_NAMES[seed % len(RULESET_NAMES)]
    camera = UnfilmedRound(seed, with_faults(rules, scenes), BlankFilm)
    session = Tapping.create(folder / f"{seed}.jsonl", camera.setup().header)
    assert isinstance(session, Tapping)
    session.rng, session.told, session.differing = Random(f"fresh {seed}"), Counter(), []
    ToldTable(camera).tell(session)
    session.close()
    return session


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--taps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    parser.add_argument("--scenes", type=int, default=SCENES, help="changes of the table told of each round")
    options = parser.parse_args()
    told: Counter[str] = Counter()
    rounds = differing = 0
    with tempfile.TemporaryDirectory() as folder:
        while told.total() < options.taps:
            session = tapped(options.seed + rounds, Path(folder), options.scenes)
            rounds += 1
            told += session.told
            differing += len(session.differing)
            for tap, what in session.differing:
                print(f"{options.seed + rounds - 1}: after {tap} differ {', '.join(sorted(what))}", flush=True)
    print(f"{rounds} rounds, {told.total()} taps {dict(told)}: {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
