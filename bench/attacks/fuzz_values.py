"""Every route of the page, every field of it, with values that nobody types: `python -m bench.attacks.fuzz_values`.

Unlike fuzz_http, which harms bytes, this asks whole requests of the right shape, so that each reaches its view. An
answer of 500 or more is what must not be.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from bench.attacks.fuzz_http import HttpDoor

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    12,
    19,
    2**31,
    2**63,
    -(2**63),
    10**17,
    1.5,
    -0.0,
    1e308,
    5e-324,
    "",
    " ",
    "0",
    "-1",
    "--1",
    "-",
    "1-",
    "-1-2",
    "1--2",
    "12-5",
    "12:5",
    "5-5-5",
    "1e9",
    "0x10",
    "1_000",
    "+3",
    "٣",
    "²",
    "９９",
    "9" * 11,
    "9" * 12,
    "9" * 400,
    "-" + "9" * 400,
    "nan",
    "inf",
    "Ann",
    "ann",
    "MX",
    "MX2",
    "R",
    "L",
    "nobody",
    "tactic",
    "double-12",
    "double-99",
    "out",
    "abandoned",
    "keep",
    "try",
    "markers",
    "learn",
    "../../etc",
    "%00",
    "a" * 5000,
    "<script>",
    "{{7*7}}",
    "'; --",
    "\u202e",
    "\ud800",
    "\x00",
    "é",
    "e\u0301",
    "\U0001f600" * 50,
    "1,5",
    "12-5 3-3",
    "12-5;3-3",
    "12-5," * 60,
    [],
    {},
    [[]],
    [None],
    [[1, 2]],
    [[1, 2], [3]],
    [1, 2, 3],
    [[1, [2]]],
    {"x": 1},
    {"Ann": [0, 0]},
    {"Ann": [1e308, 1e308]},
    [[0, 0], [1, 0], [1, 1], [0, 1]],
    [[0, 0]] * 4,
    [["a", "b"]] * 4,
    [600, 400],
    [-1, -1],
    [[True]],
)

ACTS: dict[str, tuple[str, ...]] = {
    "/api/play": ("tile", "train", "by", "outer", "inner", "expected_seq", "expected_game", "once"),
    "/api/draw": ("by", "expected_seq"),
    "/api/pass": ("by",),
    "/api/discard": ("by",),
    "/api/mark": ("train", "by"),
    "/api/unmark": ("train", "by"),
    "/api/flip": ("train", "by"),
    "/api/announce": ("by",),
    "/api/undo": ("expected_seq",),
    "/api/answer": ("seq", "choice"),
    "/api/correct": (
        "seq",
        "tile",
        "low",
        "high",
        "train",
        "by",
        "withdrawn",
        "overruled",
        "insert_train",
        "insert_low",
        "insert_high",
        "insert_by",
    ),
    "/api/start-round": ("engine", "starter"),
    "/api/show-hand": ("by", "tiles"),
    "/api/end-round": ("how",),
    "/api/games": ("rules", "set", "players", "options"),
    "/api/table": ("do", "corners", "size_mm"),
    "/api/seats": ("places",),
    "/api/pin": ("pin", "name"),
    "/api/read-now": ("x",),
    "/setup": ("rules", "set", "player_1", "player_2", "player_3", "option_x"),
    "/round-end": ("how", "hand_1", "hand_2", "seen"),
    "/round-end/photo": ("by", "hand_1", "photo", "how"),
    "/table": ("do", "x0", "y0", "x1", "y1", "width_mm", "height_mm"),
    "/seats": ("name0", "x0", "y0", "next"),
    "/learn": ("do", "set", "photo"),
    "/pin": ("pin", "name", "next"),
    "/play/2/preview": ("tile", "low", "high", "train", "by", "withdrawn", "insert_train", "insert_low", "insert_by"),
    "/games/fuzzed/open": ("x",),
    "/pictures/delete": ("x",),
}
"""Route -> the fields it knows."""

LOOKS: dict[str, tuple[str, ...]] = {
    "/": ("lang", "theme"),
    "/tv": ("lang",),
    "/regions": ("tv",),
    "/ask": ("train", "low", "high"),
    "/setup": ("rules",),
    "/pin": ("next",),
    "/learn": ("set",),
    "/seats": ("next",),
    "/table": ("x",),
    "/games/fuzzed/replay": ("at",),
    "/scores": ("x",),
    "/round-start": ("x",),
    "/round-end": ("x",),
    "/games": ("x",),
    "/play/2": ("x",),
    "/api/state": ("x",),
    "/health": ("x",),
    "/static/page.js": ("v",),
    "/games/fuzzed/pictures/a.jpg": ("x",),
    "/api/table": ("x",),
}

SIGNED = {"X-Companion-Pin": "135790", "Host": "localhost"}


class Requests:
    """An endless row of requests of one seed."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield self._next()

    def _next(self) -> dict[str, Any]:
        dice = self._dice
        if dice.random() < 0.25:
            path = dice.choice(list(LOOKS))
            asked = {name: as_text(dice.choice(VALUES)) for name in LOOKS[path]}
            return {"method": "GET", "path": path, "query_string": asked, "headers": SIGNED}
        path = dice.choice(list(ACTS))
        fields = {name: dice.choice(VALUES) for name in ACTS[path] if dice.random() < 0.7}
        kind = "form" if not path.startswith("/api/") or dice.random() < 0.3 else "json"
        if kind == "json":
            body = json.dumps(fields)
            if dice.random() < 0.05:
                body = body.replace("12", "9" * 400, 1)
            return {
                "method": "POST",
                "path": path,
                "data": body,
                "headers": {**SIGNED, "Content-Type": "application/json"},
            }
        text = {name: as_text(value) for name, value in fields.items()}
        return {"method": "POST", "path": path, "data": text, "headers": SIGNED}


def as_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


def ask(client: FlaskClient, request: dict[str, Any]) -> int:
    """The answer's status; 500 for an exception that came out of the page."""
    try:
        with client.open(**request) as answer:
            return answer.status_code
    except Exception as fault:
        sent = repr(request.get("data", request.get("query_string")))[:300]
        print(f"{request['method']} {request['path']} {sent}: {fault!r}")
        return 500


def attack(tries: int, seed: int, folder: Path) -> Counter[int]:
    """How often each status was answered."""
    door = HttpDoor(folder)
    seen: Counter[int] = Counter()
    for _, request in zip(range(tries), Requests(seed), strict=False):
        client = door.client()
        status = ask(client, request)
        if status >= 500:
            print(f"{status}: {request}")
        seen[status] += 1
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=39)
    chosen = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen = attack(chosen.tries, chosen.seed, Path(folder) / "page")
    bad = sum(count for status, count in seen.items() if status >= 500)
    took = time.monotonic() - started
    print(f"{chosen.tries} requests of seed {chosen.seed} in {took:.0f} s: {dict(sorted(seen.items()))}")
    print(f"answers of 500 and more: {bad}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
