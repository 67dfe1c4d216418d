"""Atheris at one door, in a process of its own: `python -m bench.attacks.fuzz_guided DOOR SECONDS SEED`.

libFuzzer follows the branches of the project's own code and of what it reads with (json, Pillow's Python part, the
HTTP parsers). It ends the process itself, with its own line about how many runs it made.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["companion", "vision", "hardware", "waitress", "werkzeug", "PIL"]):
    from bench.attacks.fuzz import doors, enter


def main() -> None:
    name, seconds, seed = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        door = doors(folder)[name]
        corpus = folder / "corpus"
        corpus.mkdir()
        for number, sample in enumerate(door.samples):
            (corpus / str(number)).write_bytes(sample)
        limits = [f"-max_total_time={seconds}", f"-seed={seed}", "-rss_limit_mb=4096", "-timeout=60", "-max_len=8192"]
        quiet = ["-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={folder}/"]
        atheris.Setup([sys.argv[0], str(corpus), *limits, *quiet], lambda data: enter(door, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
