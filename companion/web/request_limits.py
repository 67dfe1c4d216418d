"""The limits of a request: how large and how slow it may be, and which bodies are read at all."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import BadRequest, ServerNotImplemented

SMALL_BODY = 64 * 1024
LARGE_KNOWN = 4
LARGE_UNKNOWN = 2
LINGER_BYTES = 64 * 1024 * 1024
GONE_S = 30.0
"""A client that acknowledges nothing for so long is gone."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """`most` connections at once. Each request's head must be complete after `head_s`, its body after `body_s` and a
    second more for each `least_per_s` bytes; an answer that is not taken for `body_s` must be taken at that speed too.
    A connection without a request is closed after `idle_s`.

    Bodies of up to `SMALL_BODY` bytes are always read, up to `large_body` only on `large_paths`, so many at once of
    people with the PIN (`LARGE_KNOWN`) and of others who may have it (`LARGE_UNKNOWN`). What is refused is taken and
    thrown away up to `LINGER_BYTES` and for `linger_s`, since a browser that is cut off shows no answer. `backlog` is
    what a stream may have untaken; `buffer` bytes are the system's for each connection and direction.
    """

    most: int = 900
    head_s: float = 10.0
    body_s: float = 20.0
    least_per_s: int = 16 * 1024
    idle_s: float = 60.0
    large_body: int = 64 * 1024
    large_paths: frozenset[str] = frozenset()
    linger_s: float = 20.0
    backlog: int = 256 * 1024
    buffer: int = 128 * 1024
    ping_s: float = 10.0


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """One request. Of its body `unread` bytes are not wanted: it is answered without them."""

    error: Any = None
    content_length: int = 0
    unread = 0
    room = ""
    """The room a large body takes up: "known", "unknown"; "" for a small one."""
    busy = False

    def __init__(self, channel: Any) -> None:
        super().__init__(channel.adj)
        self._server = channel.server

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        if isinstance(self.error, ServerNotImplemented):
            self.error = BadRequest("Transfer-Encoding requested is not supported.")
        return len(data) if self.unread else consumed

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:  # a length of five thousand digits
            raise ParsingError("Content-Length is invalid") from None
        limits: ConnectionSettings = self._server.limits
        large = self.path in limits.large_paths
        self.adj = self._server.large_adj if large else self._server.small_adj
        if self.content_length > (limits.large_body if large else SMALL_BODY):
            self._leave_unread()
        elif large and (self.content_length > SMALL_BODY or self.chunked):
            self._ask_for_room()

    def _ask_for_room(self) -> None:
        """A photograph is read from somebody with the PIN, and while there is room for it."""
        known = self._server.knows(self.headers)
        if not known and "X_COMPANION_PIN" not in self.headers:
            self._leave_unread()  # the page leads to the PIN
            return
        room = "known" if known else "unknown"
        if self._server.under_way(room) >= (LARGE_KNOWN if known else LARGE_UNKNOWN):
            self.busy = True
            self._leave_unread()
            return
        self.room = room

    def _leave_unread(self) -> None:
        self.unread = max(1, self.content_length)
        self.connection_close = True
        self.expect_continue = False
        self.content_length = 0
        self.close()
        self.body_rcv = None


def socket_options(limits: ConnectionSettings) -> list[tuple[int, int, int]]:
    """A peer that has vanished is noticed, and the system keeps only so much for each connection."""
    tcp = socket.IPPROTO_TCP
    return [
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.SOL_SOCKET, socket.SO_SNDBUF, limits.buffer),
        (tcp, socket.TCP_KEEPIDLE, int(GONE_S / 2)),
        (tcp, socket.TCP_KEEPINTVL, int(GONE_S / 6)),
        (tcp, socket.TCP_KEEPCNT, 3),
        (tcp, socket.TCP_USER_TIMEOUT, int(1000 * GONE_S)),
    ]
