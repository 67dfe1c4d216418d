"""The doors that strangers' data comes through, and mutations of good samples to knock with.

A door may refuse with its own error (one line) and may never do anything else. The long runs are in fuzz_runs.py, the
short ones with a fixed number of tries in test_fuzz.py.
"""

from __future__ import annotations

import io
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.attacks.fuzz_http import HttpDoor
from companion.hall.tables import Tables
from companion.judge_api.questions import answer
from companion.log.journal import JournalError, parse_journal
from companion.perception.setup_file import SetupError, read_setup
from companion.publish.broker import unpack
from companion.publish.publisher import Outbox
from companion.rules.notation import NotationError, parse_action, parse_chain, parse_delta
from hardware.panel import PanelError, load_settings
from vision.pictures import PictureError, open_picture

HEADER: dict[str, Any] = {"journal": 1, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"]}
EVENTS: tuple[dict[str, Any], ...] = (
    {"source": "person", "event": "round_started", "round": 1, "engine": [12, 12], "starter": "Ann"},
    {"source": "camera", "event": "tile_played", "by": "Ann", "tile": [12, 5], "train": "Ann", "violations": []},
    {
        "source": "camera",
        "event": "tile_played",
        "by": "Ben",
        "tile": [5, 5],
        "train": "Ann",
        "violations": [{"code": "CLOSED_TRAIN", "certain": True}],
    },
    {"source": "person", "event": "corrected", "corrects": 2, "what": {"tile": [12, 4]}, "by": "Ben"},
)
LINES = [json.dumps({"seq": n, "at": "2026-11-20T19:00:00.000Z", **event}) for n, event in enumerate(EVENTS, 1)]
JOURNAL = "".join(line + "\n" for line in [json.dumps({**HEADER, "options": {}}), *LINES]).encode()
SETUP = json.dumps(
    {
        "journal": 1,
        "rules": "tactic",
        "set": "double-12",
        "players": ["Ann", "Ben"],
        "table": {"corners_px": [[10, 10], [900, 12], [905, 700], [8, 690]], "size_mm": [1200, 900]},
        "tile_mm": [48, 24, 9],
        "stations": {"Ann": 0, "Ben": 90},
        "mexican_station": 180,
        "round": {"engine": [12, 12], "starter": "Ann"},
    }
).encode()
QUESTION = json.dumps(
    {
        "id": 1,
        "kind": "turn",
        "rules": "tactic",
        "state": {
            "set": 12,
            "players": ["Ann", "Ben"],
            "engine": "12-12",
            "trains": {"Ann": "12-3", "Ben": "12-8", "MX": ""},
            "markers": [],
            "open": [],
            "turn": "Ann",
            "first_turn": False,
            "boneyard": 40,
        },
        "action": "play 8-1@Ben; end",
    }
).encode()
ACTION = b"play 8-1@Ben; draw; mark Ann; unmark Ben; flip MX; end"
HEAD = b'{"name":"T","game":"g","header":{"journal":1,"rules":"tactic","set":"double-9","players":["A","B"]},"seq":3}'
PINS = b"[buttons]\npass = 5\nundo = 6\n[lamp]\nred = 17\ngreen = 27\nblue = 22\n"
PIECES = (
    b"NaN",
    b"1e999",
    b"-1",
    b'"',
    b"[",
    b"{",
    b"}",
    b"]",
    b"null",
    b"\xff",
    b"\x00",
    b"\n",
    b"99999999999999999999",
)


def mutated(sample: bytes, chance: random.Random) -> bytes:
    """One to four small harms: bytes changed, cut, doubled, swapped for something nasty."""
    data = bytearray(sample)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data) + 1)
        length = chance.choice((1, 1, 2, 5, 20))
        match chance.randrange(6):
            case 0:
                data[place : place + length] = bytes(chance.randrange(256) for _ in range(length))
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = data[place : place + length] * chance.choice((1, 2, 50))
            case 3:
                data[place:place] = chance.choice(PIECES)
            case 4:
                data[place : place + length] = chance.choice(PIECES)
            case _:
                del data[place:]
    return bytes(data)


@dataclass(frozen=True, slots=True)
class Door:
    """`enter` is given the harmed bytes; `refusals` are the errors it may raise."""

    samples: tuple[bytes, ...]
    enter: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = ()


def doors(folder: Path) -> Mapping[str, Door]:
    """Every door by its name; `folder` takes the files of those that only read files."""

    def through_file(name: str, enter: Callable[[Path], object]) -> Callable[[bytes], object]:
        def write_and_enter(data: bytes) -> object:
            (folder / name).write_bytes(data)
            return enter(folder / name)

        return write_and_enter

    return {
        "journal": Door((JOURNAL,), parse_journal, (JournalError,)),
        "notation": Door((ACTION, b"12-5 5-7 7-7", b"+12-5@Ann boneyard-2"), _notation, (NotationError,)),
        "setup": Door((SETUP,), through_file("setup.json", read_setup), (SetupError,)),
        "judge": Door((QUESTION,), _judge),
        "pictures": Door(_pictures(), through_file("picture", open_picture), (PictureError,)),
        "http": Door(HttpDoor.SAMPLES, HttpDoor(folder / "http")),
        "broker": Door((HEAD, JOURNAL.split(b"\n")[1]), _broker),
        "outbox": Door((b'{"a": 3, "b": 7}',), through_file("outbox.json", lambda path: Outbox(path).confirmed("a"))),
        "pins": Door((PINS,), through_file("pins.toml", load_settings), (PanelError,)),
    }


def _notation(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    failures = []
    for parse in (parse_action, parse_chain, lambda words: parse_delta(words.split())):
        try:
            parse(text)
        except NotationError as error:
            failures.append(error)
    return failures


def _judge(data: bytes) -> object:
    try:
        question = json.loads(data)
    except (ValueError, RecursionError):
        return None
    reply: dict[str, Any] = answer(question, explain=True)
    json.dumps(reply)
    assert "id" in reply
    return reply


def _broker(data: bytes) -> object:
    tables = Tables()
    message = unpack(data)
    if message is not None:
        tables.head("t", message)
        tables.event("t", {"game": "g", "event": message})
        tables.event("t", message)
        return [table.as_json() for table in tables]
    return None


def _pictures() -> tuple[bytes, ...]:
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8))
    samples = []
    for kind in ("JPEG", "PNG", "WEBP", "BMP", "TIFF"):
        out = io.BytesIO()
        picture.save(out, kind)
        samples.append(out.getvalue())
    return tuple(samples)


def knock(door: Door, seed: int, tries: int | None = None, seconds: float | None = None) -> int:
    """Knock with harmed samples, `tries` times or for `seconds`; how often. Raises what a door must not raise."""
    chance = random.Random(seed)
    end = None if seconds is None else time.monotonic() + seconds
    count = 0
    while (tries is None or count < tries) and (end is None or time.monotonic() < end):
        enter(door, mutated(chance.choice(door.samples), chance))
        count += 1
    return count


def enter(door: Door, data: bytes) -> None:
    """One knock. Raises AssertionError for what a door must not do, with the bytes that made it do so."""
    try:
        door.enter(data)
    except door.refusals as refusal:
        assert str(refusal).strip(), f"a refusal without words: {data!r}"
        assert "\n" not in str(refusal), f"a refusal of more than one line: {data!r}"
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error} for {data[:2000]!r}") from error
