"""Hands counted from a photograph that a phone sent, read in a process of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.supervise.answering import Answering, NoAnswerError

ANSWER_S = 30.0
"""A 12-megapixel photograph takes one to two seconds on a desktop core, and several times that on a small board."""

MEMORY_BYTES = 1_200_000_000
"""Measured: the eye takes 0.13 GB, with a JPEG of 64 megapixels 0.98 GB; as large a transparent PNG is refused."""

Hand = dict[str, Any]


def open_hand_eye() -> Callable[[bytes, str], Hand]:
    """Called in the child: the shipped eye behind the one door for pictures."""
    from companion.cli.read import known_set
    from vision.eye import open_eye
    from vision.pictures import open_picture

    eye = open_eye()

    def read(photograph: bytes, set_name: str) -> Hand:
        with tempfile.NamedTemporaryFile(prefix="companion-hand-") as file:
            file.write(photograph)
            file.flush()
            reading = eye.look(open_picture(Path(file.name)), known=known_set(set_name))
        up = [tile for tile in reading.tiles if tile.face == "up"]
        tiles = [list(tile.values) for tile in up if tile.values is not None]
        return {"tiles": tiles, "unreadable": len(up) - len(tiles)}

    return read


class HandReader:
    """What the page's workshop calls. Nothing of the photograph is decoded in the page's own process."""

    def __init__(
        self, opener: Callable[[], Callable[[bytes, str], Hand]] = open_hand_eye, *, answer_s: float = ANSWER_S
    ) -> None:
        self._reader = Answering(opener, answer_s=answer_s, memory_bytes=MEMORY_BYTES)

    @property
    def pid(self) -> int:
        """The reading process; 0 while there is none."""
        return self._reader.pid

    def __call__(self, photograph: bytes, header: Mapping[str, Any]) -> Hand:
        """{"tiles": [[a, b], ...], "unreadable": n}. Raises ValueError in one line."""
        try:
            hand: Hand = self._reader.ask(photograph, str(header["set"]))
        except NoAnswerError as fault:
            raise ValueError(str(fault)) from None
        return hand

    def close(self) -> None:
        self._reader.close()
