"""Hypothesis at the doors: not bytes knocked about, but data of nearly the right shape."""

from __future__ import annotations

import io
import json
import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from PIL import Image

from bench.attacks.fuzz import Door, enter, mutated
from bench.attacks.fuzz_http import BODIES, GETS, PIN, request_bytes

EXAMPLES = 200
"""Between two looks at the clock."""

WORDS = st.sampled_from(
    ("", "Ann", "Ben", "MX", "MX2", "R", "L", "tactic", "jielong", "double-12", "double-99", "chinese", "tile_played",
     "round_started", "corrected", "unclear", "camera", "rule", "12-12", "0:0", "../x", "\x00", "\ud800", "ė" * 300,
     "1e9")
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-2, 20),
    st.integers(),
    st.floats(),
    st.sampled_from((2**31, 2**63, 10**400, -0.0)),
)
ANYTHING: SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS, st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=8,
)
TOKENS = st.sampled_from(
    ("play", "draw", "mark", "unmark", "flip", "end", "pass", "discard", "faceup", " ", "  ", ";", "@", "-", "+", ":",
     "MX", "MX2", "Ann", "12", "0", "-1", "5-7", "7:7", "boneyard", "99999999999999999999", "½", "٣", "\u202e", "\n",
     "\t")
)  # fmt: skip


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _paths(inner, (*path, key))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _put(copy[path[0]], path[1:], new)
    return copy


ANY_PLACE = st.integers(0, 997)
"""Taken modulo whatever there is to choose from: a strategy made anew for each choice costs more than the door."""
HARMS = st.integers(1, 3)


@st.composite
def nearly(draw: st.DrawFn, sample: Any) -> Any:
    """A JSON value with one to three of its places filled with something else, or with a field too many."""
    for _ in range(draw(HARMS)):
        paths = list(_paths(sample))
        choice = draw(ANY_PLACE)
        sample = _put(sample, paths[choice % len(paths)], draw(ANYTHING))
        if isinstance(sample, dict) and choice % 5 == 0:
            sample = {**sample, draw(WORDS): draw(ANYTHING)}
    return sample


ORDERS = st.one_of(st.just([]), st.lists(st.integers(0, 5), max_size=6))


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "replace")


@st.composite
def json_lines(draw: st.DrawFn, sample: bytes) -> bytes:
    """JSON lines, some of them changed, doubled or missing."""
    lines = [json.loads(line) for line in sample.splitlines()]
    harmed = draw(ANY_PLACE) % len(lines)
    lines[harmed] = draw(nearly(lines[harmed]))
    told = [_dumped(line) for line in lines]
    order = draw(ORDERS)
    return b"".join(told[place % len(told)] + b"\n" for place in order or range(len(told)))


@st.composite
def pictures(draw: st.DrawFn) -> bytes:
    """A picture of any kind, mode and small size, cut off or harmed more often than not."""
    mode = draw(st.sampled_from(("L", "RGB", "RGBA", "P", "1", "I;16", "LA", "CMYK", "F", "I")))
    kind = draw(st.sampled_from(("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF", "PPM", "ICO")))
    size = draw(st.tuples(st.integers(1, 70), st.integers(1, 70)))
    out = io.BytesIO()
    noise = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = draw(st.integers(0, 12))
    try:
        plain = Image.fromarray(noise)
        picture = plain.convert("L").convert(mode) if mode in ("I;16", "LA") else plain.convert(mode)
        picture.save(out, kind, exif=exif)
    except (OSError, ValueError, KeyError):
        Image.fromarray(noise).save(out, "PNG")
    data = out.getvalue()
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    if draw(st.booleans()):
        data = mutated(data or b"x", random.Random(draw(st.integers(0, 2**32))))
    return data


FIELDS = (
    "tile", "train", "by", "outer", "inner", "how", "hand_0", "hand_1", "next", "pin", "name", "rules", "set",
    "player_1", "player_2", "seq", "engine", "starter", "expected_seq",
)  # fmt: skip
HEADERS = (
    "Host", "Cookie", "Accept-Language", "Range", "If-None-Match", "Last-Event-ID", "Origin", "Content-Type", "Expect",
    "Transfer-Encoding", "X-Forwarded-For",
)  # fmt: skip
HEADER_WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=20)
PATHS = st.one_of(
    st.sampled_from(
        [*GETS, *(path for path, _ in BODIES), "/setup", "/round-end", "/round-end/photo", "/play/2/preview"]
    ),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30).map(lambda text: "/" + text),
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """A request of any method, path, query, headers and body; signed more often than not."""
    method = draw(st.sampled_from(("GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "BREW")))
    path = draw(PATHS)
    if draw(st.booleans()):
        asked = draw(
            st.dictionaries(st.sampled_from(("at", "after", "lang", "theme", "tv", "train", "next", "rules")), WORDS)
        )
        path += "?" + "&".join(f"{name}={value}" for name, value in asked.items() if value.isprintable())
    headers = {"X-Companion-Pin": PIN} if draw(st.integers(0, 3)) else {}
    kind = draw(st.sampled_from(("json", "form", "parts", "none")))
    body = b""
    if kind == "json":
        headers["Content-Type"] = "application/json"
        choice = draw(ANY_PLACE)
        body = _dumped(draw(ANYTHING if choice % 10 == 0 else nearly(dict(BODIES[choice % len(BODIES)][1]))))
    elif kind == "form":
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        names = st.sampled_from(FIELDS)
        fields = draw(
            st.dictionaries(names, st.one_of(WORDS, st.sampled_from(("12-5", "1", "out", "Ann"))), max_size=6)
        )
        body = "&".join(f"{name}={value}" for name, value in fields.items()).encode("utf-8", "replace")
    elif kind == "parts":
        headers["Content-Type"] = "multipart/form-data; boundary=x"
        body = (
            b'--x\r\nContent-Disposition: form-data; name="by"\r\n\r\nAnn\r\n--x\r\n'
            b'Content-Disposition: form-data; name="photo"; filename="a"\r\n\r\n' + draw(pictures()) + b"\r\n--x--\r\n"
        )
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(HEADERS))
        headers[name] = draw(HEADER_WORDS)
    return request_bytes(method, path, headers, body)


def shapes(name: str, door: Door) -> SearchStrategy[bytes]:
    """The inputs to try at the door of this name."""
    if name == "notation":
        return st.lists(TOKENS, max_size=14).map(lambda parts: "".join(parts).encode("utf-8", "replace"))
    if name == "pictures":
        return pictures()
    if name == "http":
        return requests()
    if name == "pins":
        return st.builds(lambda data, n: mutated(data, random.Random(n)), st.sampled_from(door.samples), st.integers(0))
    return st.sampled_from(door.samples).flatmap(json_lines)


def knock_with_shapes(name: str, door: Door, start: int, tries: int | None = None, seconds: float | None = None) -> int:
    """As `fuzz.knock`, with `shapes`. Each round of EXAMPLES has its own seed, `start` and following."""
    end = None if seconds is None else time.monotonic() + seconds
    count = 0

    def one(data: bytes) -> None:
        nonlocal count
        count += 1
        enter(door, data)

    number = start
    while (tries is None or count < tries) and (end is None or time.monotonic() < end):
        examples = EXAMPLES if tries is None else min(EXAMPLES, tries - count)
        chosen = settings(
            max_examples=examples, deadline=None, database=None, derandomize=False, print_blob=False,
            phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        before = count
        seed(number)(chosen(given(shapes(name, door))(one)))()
        number += 1
        if count == before:
            break
    return count
