"""Checksums for the lines of a file that only grows: each line's covers that line and every line before it.

The checksum is the last member of a line's JSON object, `"sum": "0123456789abcdef"`. A line that was changed, lost,
doubled or moved shows at the next checksum at the latest. Lines without one (older files) count all the same: the first
checksum behind them covers them. What the objects hold is no matter here, so any kind of journal can use this.

A checksum finds damage; it is no signature, and keeps nobody from rewriting a file.
"""

from __future__ import annotations

import hashlib

DIGITS = 16
"""Hexadecimal: 64 bits. Two lines of a large game agree by chance once in 10**13 games."""

_BEFORE, _BEHIND = b', "sum": "', b'"}'
LENGTH = len(_BEFORE) + DIGITS + len(_BEHIND)
"""Bytes that a checksum takes at the end of a line."""


class Chain:
    """The running checksum of a file: `value` covers the lines added so far ("" before the first).

    >>> chain = Chain()
    >>> chain.sealed(b'{"seq": 1}')
    b'{"seq": 1, "sum": "8097d11c139070c5"}'
    """

    def __init__(self, value: str = "") -> None:
        self.value = value

    def after(self, body: bytes) -> str:
        """The checksum of a next line whose object without its checksum is `body`; it is not added."""
        return hashlib.sha256(self.value.encode("ascii") + body).hexdigest()[:DIGITS]

    def add(self, body: bytes) -> str:
        """Add a line; its checksum."""
        self.value = self.after(body)
        return self.value

    def sealed(self, body: bytes) -> bytes:
        """Add a line; the line with its checksum in it."""
        return with_checksum(body, self.add(body))


def with_checksum(body: bytes, checksum: str) -> bytes:
    """A JSON object that is not empty, with its checksum as the last member."""
    return body[:-1] + _BEFORE + checksum.encode("ascii") + _BEHIND


def split_line(line: bytes) -> tuple[bytes, str | None]:
    """A line without its line feed -> the object without its checksum, and the checksum; None where it has none."""
    ending = line[-LENGTH:]
    digits = ending[len(_BEFORE) : -len(_BEHIND)]
    whole = len(digits) == DIGITS and ending.startswith(_BEFORE) and ending.endswith(_BEHIND)
    if not whole or digits.strip(b"0123456789abcdef"):
        return line, None
    return line[:-LENGTH] + b"}", digits.decode("ascii")
