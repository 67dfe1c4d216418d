"""waitress with what a home network needs beside it, where a guest may be careless or hostile.

One network's requests wait for each other and not others' for them, when all places are taken whoever has most of them
gives one up, a connection on which nothing moves is closed, and a large body is read only from a phone that is known,
one from each address. Times are monotonic: a clock that is set back ends nothing. Everything else is waitress's own.
"""

from __future__ import annotations

import copy
import io
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import BadRequest

from companion.supervise.parts import Parts, line_of
from companion.web.fair_queue import FairQueue
from companion.web.guard import network_of, of_this_house

log = logging.getLogger(__name__)

SMALL_BODY = 64 * 1024
LARGEST_HEAD = 16 * 1024

LARGE_AT_ONCE = 6
"""Photographs that are being sent; each waits in memory or in a file."""

GONE_S = 30.0
"""A client that acknowledges nothing for so long is gone."""

BACKLOG_BYTES = 256 * 1024
"""What a screen may leave untaken before whoever writes to it waits."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """`most` connections at once; one on which nothing moves for `idle_s` is closed. Bodies of up to `SMALL_BODY` bytes
    are always read, up to `large_body` only on `large_paths`."""

    most: int = 900
    idle_s: int = 20
    large_body: int = SMALL_BODY
    large_paths: frozenset[str] = frozenset()


TLS_HELLO = b"\x16\x03"
"""With this a browser begins that was asked for https."""

NO_TLS = "This page speaks http and not https: write http:// in front of its address."

TURNED_AWAY = "X-Companion-Turned-Away"
"""Put into the head of a request whose photograph was read to its end and not kept, so that the page can say why."""


class Nowhere(io.BytesIO):
    """Takes the body of a request that is turned away."""

    def append(self, data: bytes) -> None:
        """It is kept nowhere."""

    def __len__(self) -> int:
        return 0

    def getfile(self) -> Nowhere:
        return self


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """One request. `large`: its body may be a photograph."""

    large = False

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.adj)
        self._server, self.address = channel.server, str(channel.addr[0])

    def received(self, data: bytes) -> int:
        if not self.header_plus and data.startswith(TLS_HELLO):
            self.error, self.completed = BadRequest(NO_TLS), True
            return len(data)
        return int(super().received(data))

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:  # a length of five thousand digits
            raise ParsingError("Content-Length is invalid") from None
        self.headers.pop(TURNED_AWAY.upper().replace("-", "_"), None)
        if not (self.chunked or self.content_length > SMALL_BODY) or not self._server.knows(self):
            return
        self.adj = self._server.large_adj
        self.large = self._server.has_room_for(self.address)
        if not self.large:
            self.body_rcv.buf = Nowhere()
            self.headers |= {"CONTENT_LENGTH": "0", TURNED_AWAY.upper().replace("-", "_"): "1"}


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    def __init__(self, server: PageServer, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.parser_class = lambda _adj: Parser(self)
        self.network = network_of(str(addr[0]))
        self.begun = time.monotonic()
        super().__init__(server, sock, addr, adj, map=map)
        if not of_this_house(str(addr[0]), str(sock.getsockname()[0])):
            self.drop()

    @property
    def last_activity(self) -> float:
        """When something has moved, in monotonic seconds."""
        return self._active_at

    @last_activity.setter
    def last_activity(self, _now: float) -> None:
        self._active_at = time.monotonic()

    def service(self) -> None:
        try:
            super().service()
        finally:
            self.server.served(self.network)

    def drop(self) -> None:
        """End the connection now, whatever is still to be sent: the serving loop hears of it and closes it."""
        with suppress(OSError, AttributeError):
            self.socket.shutdown(socket.SHUT_RDWR)


class PageServer(TcpWSGIServer):  # type: ignore[misc]
    """`knows` says by its headers and its address whether a request comes from a phone that may send a photograph.
    `at_once` threads at most serve one network."""

    channel_class = Channel

    def __init__(
        self,
        application: Any,
        sock: socket.socket,
        *,
        threads: int,
        at_once: int,
        limits: ConnectionSettings,
        knows: Callable[[Mapping[str, str], str], bool],
        map: dict[int, Any],
        parts: Parts | None = None,
    ) -> None:
        self._part = (Parts() if parts is None else parts).add("page")
        self._limits, self._knows = limits, knows
        # The limit is never reached: places are made before (handle_accept).
        adj = Adjustments(
            sockets=[sock], threads=threads, connection_limit=10 * limits.most,
            ident=None, cleanup_interval=1, clear_untrusted_proxy_headers=True, asyncore_use_poll=True,
            recv_bytes=65536, backlog=1024, max_request_body_size=SMALL_BODY + 1,
            max_request_header_size=LARGEST_HEAD, outbuf_high_watermark=BACKLOG_BYTES,
            channel_request_lookahead=1,  # so that a screen that has gone is noticed
        )  # fmt: skip
        adj.socket_options = [
            *adj.socket_options,
            (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * GONE_S)),
        ]
        self.large_adj = copy.copy(adj)
        self.large_adj.max_request_body_size = limits.large_body + 1
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.queue = FairQueue(at_once)
        dispatcher.set_thread_count(threads)
        super().__init__(
            application, map, True, sock, dispatcher=dispatcher, adj=adj, bind_socket=False, sockinfo=sockinfo
        )
        self.task_dispatcher.queue_logger.setLevel(logging.ERROR)
        # waitress would look after the connections by the clock on the wall.
        self.next_channel_cleanup, self._look_at = float("inf"), 0.0

    def readable(self) -> bool:
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + self.adj.cleanup_interval
            self.maintenance(now)
        return bool(super().readable())

    def handle_accept(self) -> None:
        if len(self.active_channels) >= self._limits.most:
            self._make_room()
        super().handle_accept()

    def _make_room(self) -> None:
        """Close a connection of whoever has most of them: one that asks for nothing, the oldest first."""
        channels = list(self.active_channels.values())
        counted = Counter(channel.network for channel in channels)
        theirs = [channel for channel in channels if counted[channel.network] == max(counted.values())]
        min(theirs, key=lambda channel: (bool(channel.requests), channel.begun)).drop()

    def maintenance(self, now: float) -> None:
        """A fault in here must not end the loop that serves everybody."""
        self._part.beat()
        try:
            self._look_after(now)
        except BaseException as fault:
            log.exception("the connections could not be looked after")
            self._part.fail(line_of(fault))
        else:
            self._part.fail("")

    def _look_after(self, now: float) -> None:
        for channel in list(self.active_channels.values()):
            # waitress itself would wait until somebody takes what is still to be sent.
            if not channel.requests and now - channel.last_activity > self._limits.idle_s:
                channel.drop()

    def pull_trigger(self) -> None:
        with suppress(OSError):  # the page has ended meanwhile
            super().pull_trigger()

    def served(self, network: str) -> None:
        """A thread is free again."""
        with self.task_dispatcher.lock:
            self.task_dispatcher.queue.done(network)

    def knows(self, request: Parser) -> bool:
        """Whether a photograph is read from whoever sends it."""
        return request.path in self._limits.large_paths and self._knows(request.headers, request.address)

    def has_room_for(self, address: str) -> bool:
        """Whether this address sends no other photograph, and not too many are being sent."""
        asked = (channel.request for channel in list(self.active_channels.values()))
        sending = [one.address for one in asked if isinstance(one, Parser) and one.large]
        return address not in sending and len(sending) < LARGE_AT_ONCE
