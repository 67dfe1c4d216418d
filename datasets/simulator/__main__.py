"""Does every simulated round have room to be played to its end? `python -m datasets.simulator --seeds 30`

Plays the rounds without pictures and prints a line for each rule set and number of players: how many rounds, how many
were cut, and the largest table that was needed. Exits with 1 where a round was cut.
"""

from __future__ import annotations

import argparse
import sys

from companion.rules.ruleset import RULESET_NAMES, RuleSet, load_ruleset
from datasets.simulator.camera import VISIBLE_FAULTS, SimCamera, SimSettings
from datasets.simulator.room import BlankFilm
from datasets.simulator.tabletop import TableFullError


def numbers_of_players(rules: RuleSet) -> tuple[int, ...]:
    """For how many players these rules have a deal, up to eight."""
    allowed = rules.players_allowed(rules.first_engine_of(12)) if rules.is_mexican else rules.players_allowed()
    return tuple(number for number in allowed if number <= 8)


def cut_rounds(settings: SimSettings, seeds: range) -> tuple[list[int], float]:
    """(the seeds whose round breaks off, the widest table in mm)."""
    cut, widest = [], 0.0
    for seed in seeds:
        try:
            camera = SimCamera(seed, settings, BlankFilm)
        except TableFullError:
            cut.append(seed)
            continue
        widest = max(widest, camera.plan.size_mm[0])
        if camera.play_out().stuck is not None or camera.round.how is None:
            cut.append(seed)
    return cut, widest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=RULESET_NAMES)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--number", type=int, default=1, help="which round of the match")
    parser.add_argument("--size", type=float, nargs=2, metavar=("W", "H"), help="a table of this size in mm")
    args = parser.parse_args()
    seeds, total = range(args.first, args.first + args.seeds), 0
    size_mm = None if args.size is None else (args.size[0], args.size[1])
    for name in args.rules:
        for players in numbers_of_players(load_ruleset(name)):
            settings = SimSettings(
                rules=name, players=players, number=args.number, plant=VISIBLE_FAULTS, size_mm=size_mm
            )
            cut, widest = cut_rounds(settings, seeds)
            total += len(cut)
            print(f"{name} {players} players: {args.seeds} rounds, {len(cut)} cut {cut or ''}, table {widest:.0f} mm")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
