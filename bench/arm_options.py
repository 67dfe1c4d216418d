"""The options that `bench.arms` and `bench.who_played` share, and how their summaries are kept."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def options(said: str | None, *, rounds: int, first: int, scenes: int | None) -> argparse.ArgumentParser:
    """A parser with the options of both; the numbers are what goes without saying."""
    parser = argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--first", type=int, default=first, help="the first seed")
    parser.add_argument("--scenes", type=int, default=scenes, help="stop every round after so many scenes")
    parser.add_argument("--confusing", type=float, default=0.0, help="share of acts done by a confusing arm")
    parser.add_argument("--out", type=Path, help="write the summary there, under a name that says how it was made")
    parser.add_argument("--kept", type=Path, help="only print a file of bench/results/")
    return parser


def kept(path: Path) -> str:
    """A file of results, to be read."""
    return json.dumps(json.loads(path.read_text()), indent=1)


def keep(path: Path, name: str, summary: Mapping[str, Any]) -> None:
    """Put a summary beside the others in the file."""
    found = json.loads(path.read_text()) if path.exists() else {}
    found[name] = summary
    path.write_text(json.dumps(found, indent=1) + "\n")
