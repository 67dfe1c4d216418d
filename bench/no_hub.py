"""Layouts of tables without a hub, tile by tile: `python -m bench.no_hub --tables 500 --turning 0.5`.

Three to eight trains touch the engine at its ends, long sides and corners; stations lie up to 18 degrees beside them;
`--turning` is the share of trains that turn at right angles.
"""

from __future__ import annotations

import argparse

from bench.stand_ins.no_hub import no_hub_table
from companion.geometry import reconstruct


def main() -> None:
    parser = argparse.ArgumentParser(description="layouts of tables without a hub")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=5000)
    parser.add_argument("--tiles", type=int, default=30)
    parser.add_argument("--turning", type=float, default=0.5)
    args = parser.parse_args()
    wrong = []
    for seed in range(args.first_seed, args.first_seed + args.tables):
        table = no_hub_table(seed, tiles=args.tiles, turning=args.turning)
        layout = reconstruct(table.view, table.setup, None)
        found = {name: [placed.laid for placed in tiles] for name, tiles in layout.trains.items() if tiles}
        if found != {name: laid for name, laid in table.trains.items() if laid}:
            wrong.append(seed)
    print(f"{args.tables - len(wrong)} of {args.tables} exact; not: {wrong}")


if __name__ == "__main__":
    main()
