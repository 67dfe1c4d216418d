"""Results of the long runs: results.json beside this file, one entry a run, without dates or machine names.

Each long run (soak, faults, siege, broker, fuzz) writes its entry when it is started with `--record`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.json")


def known(path: Path = RESULTS) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def record(name: str, facts: Mapping[str, Any], path: Path = RESULTS) -> None:
    """Put the entry in place of the one of the same name."""
    everything = {**known(path), name: dict(facts)}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(everything, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    fresh.replace(path)


def command(module: str) -> str:
    """How this run was started, for whoever wants to see it again."""
    return " ".join(["python -m", module, *sys.argv[1:]])


def arguments(description: str, **defaults: float) -> argparse.Namespace:
    """`--record`, and one optional positional number for each of `defaults`."""
    parser = argparse.ArgumentParser(description=description)
    for name, default in defaults.items():
        parser.add_argument(name, nargs="?", type=type(default), default=default, help=f"default: {default:g}")
    parser.add_argument("--record", action="store_true", help="write what was seen to bench/attacks/results.json")
    return parser.parse_args()
