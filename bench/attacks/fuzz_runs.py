"""The long runs: `python -m bench.attacks.fuzz_runs [--seconds 600] [--engine hypothesis] [--doors ...] [--record]`.

Engines: `hypothesis` (data of nearly the right shape), `mutations` (good bytes harmed), `atheris` (follows the code's
branches; `pip install atheris` first, it is no part of the test environment because it is not built for every Python).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.attacks.fuzz import doors, knock
from bench.attacks.fuzz_shapes import knock_with_shapes
from bench.attacks.results import known, record

SEED = 2026
ISSUE_DOORS = ("journal", "notation", "setup", "pictures", "http")


def run(engine: str, name: str, seconds: float) -> int:
    """How many inputs were tried. Raises AssertionError for one that broke the door."""
    if engine == "atheris":
        return _guided(name, seconds)
    with tempfile.TemporaryDirectory() as folder:
        door = doors(Path(folder))[name]
        if engine == "mutations":
            return knock(door, SEED, seconds=seconds)
        return knock_with_shapes(name, door, SEED, seconds=seconds)


def _guided(name: str, seconds: float) -> int:
    command = [sys.executable, "-m", "bench.attacks.fuzz_guided", name, str(round(seconds)), str(SEED)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    assert done.returncode == 0, f"atheris, {name}: {_why(done.stdout + done.stderr)}"
    assert runs is not None, f"atheris, {name}: {done.stderr[-2000:]}"
    return int(runs[1])


def _why(text: str) -> str:
    told = [line for line in text.splitlines() if "Error" in line or "SUMMARY" in line]
    return "\n".join(told[:6]) or text[-2000:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--engine", choices=("hypothesis", "mutations", "atheris"), default="hypothesis")
    parser.add_argument("--doors", nargs="+", default=list(ISSUE_DOORS), help="or: all")
    parser.add_argument("--record", action="store_true", help="write what was seen to bench/attacks/results.json")
    chosen = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        every = list(doors(Path(folder)))
    failed = False
    for name in every if chosen.doors == ["all"] else chosen.doors:
        started = time.monotonic()
        facts: dict[str, Any] = {"seed": SEED}
        try:
            facts |= {"executions": run(chosen.engine, name, chosen.seconds), "result": "nothing broke"}
        except Exception as fault:
            # hypothesis raises its own kinds too; what broke is what this run is for.
            failed = True
            facts |= {"result": f"broken: {fault}"}
        facts["seconds"] = round(time.monotonic() - started)
        print(f"{chosen.engine}, {name}: {facts}", flush=True)
        if chosen.record:
            entry = {**known().get("fuzz", {})}
            entry.setdefault(chosen.engine, {})[name] = facts
            record("fuzz", entry)
    sys.exit(failed)


if __name__ == "__main__":
    main()
