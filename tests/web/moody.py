"""A line with moods between a browser and the page: what happens to a phone on a home network, on one machine."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Mood = Literal["pass", "old_ones_dead", "dead", "buffers"]
HELD = 65536
"""A proxy that buffers gives on a stream only when so many bytes have come together."""


class MoodyLine:
    """`mood`: everything passes, connections from before the mood are dead, all are, or streams are held back.

    A dead connection stays open and answers nothing: that is what a browser cannot see.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port: int = self._listening.getsockname()[1]
        self._count = itertools.count()
        self._dead_before = -1
        self._mood: Mood = "pass"
        self._open: list[socket.socket] = [self._listening]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def mood(self) -> Mood:
        return self._mood

    @mood.setter
    def mood(self, mood: Mood) -> None:
        self._mood = mood
        self._dead_before = next(self._count) if mood == "old_ones_dead" else self._dead_before

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                phone, _ = self._listening.accept()
                self._open.append(phone)
                box = socket.create_connection(("127.0.0.1", self._target))
                self._open.append(box)
                line = _Line(next(self._count))
                for here, there, upwards in ((phone, box, True), (box, phone, False)):
                    threading.Thread(target=self._pump, args=(here, there, line, upwards), daemon=True).start()

    def _pump(self, here: socket.socket, there: socket.socket, line: _Line, upwards: bool) -> None:
        held = b""
        with suppress(OSError):
            while data := here.recv(65536):
                line.streams = line.streams or (upwards and b"GET /api/stream" in data)
                if self.mood == "dead" or line.number < self._dead_before:
                    continue
                if self.mood == "buffers" and line.streams and not upwards:
                    held += data
                    if len(held) < HELD:
                        continue
                    data, held = held, b""
                there.sendall(data)
        if self.mood != "dead" and line.number >= self._dead_before:
            for one in (here, there):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        for one in self._open:
            one.close()


class _Line:
    def __init__(self, number: int) -> None:
        self.number = number
        self.streams = False


@contextmanager
def moody(address: str) -> Iterator[tuple[MoodyLine, str]]:
    """The line and the address at its end, for the page at `address`."""
    line = MoodyLine(int(address.rpartition(":")[2]))
    try:
        yield line, f"http://127.0.0.1:{line.port}"
    finally:
        line.close()
