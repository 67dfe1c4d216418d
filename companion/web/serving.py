"""Putting the page on the home network: waitress with one limit an address, and large bodies only from known phones.

Whoever floods the box with requests takes the places of their own address. Everything else is waitress's own.
"""

from __future__ import annotations

import copy
import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.utilities import BadRequest

from companion.supervise.parts import Parts
from companion.web.access import head_opens
from companion.web.guard import address_of, of_this_house
from companion.web.own_address import numeric_address
from companion.web.photographs import FORM_LIMIT
from companion.web.photographs import ROUTES as PHOTO_ROUTES

DEFAULT_PORT = 8000
BACKLOG = 1024
EVERYWHERE = "::"
"""Every address of this machine, IPv4 and IPv6."""

SMALL_BODY = 64 * 1024
"""Bytes of a body that is read from anybody."""

READ_OUT = 4
"""A photograph that is so many times too large is still read to its end, so that the page can say so in words."""

LARGEST_HEAD = 16 * 1024

TLS_HELLO = b"\x16\x03"
"""With this a browser begins that was asked for https."""

NO_TLS = "This page speaks http and not https: write http:// in front of its address."

BACKLOG_BYTES = 256 * 1024
"""What a screen may leave untaken before whoever writes to it waits."""

GONE_S = 30.0
"""A client that acknowledges nothing for so long is gone."""


class PortTakenError(Exception):
    """The port cannot be had; one line for the person who started the program."""


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """Of `connections` at once, `of_one_address` may come from one address, which gets `answers` requests answered at a
    time. `threads` serve; each open screen keeps one, so there are more than those of the screens and of one address
    together. A connection on which nothing moves is closed after `idle_s`."""

    threads: int = 72
    connections: int = 500
    of_one_address: int = 32
    answers: int = 4
    idle_s: int = 20


def listen(host: str = EVERYWHERE, port: int = DEFAULT_PORT) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises PortTakenError, before anything else was started."""
    if host == EVERYWHERE and not socket.has_dualstack_ipv6():
        host = "0.0.0.0"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if host == EVERYWHERE:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    try:
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except (OSError, OverflowError) as fault:
        sock.close()
        why = getattr(fault, "strerror", None) or str(fault)
        raise PortTakenError(f"port {port} on {host} cannot be used: {why}; choose another with --port") from None
    return sock


def port_of(sock: socket.socket) -> int:
    return int(sock.getsockname()[1])


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """One request. Its body may be as large as a photograph where it goes to a page for one, from a known phone."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.adj)
        self._server, self._address = channel.server, str(channel.addr[0])

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
        large = self.chunked or self.content_length > SMALL_BODY
        if large and self.path in PHOTO_ROUTES and head_opens(self._server.page, self.headers, self._address):
            self.adj = self._server.large_adj


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. Where its address has too many, the oldest that is not being answered is closed."""

    def __init__(self, server: PageServer, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.parser_class = lambda _adj: Parser(self)
        self.address = address_of(str(addr[0]))
        super().__init__(server, sock, addr, adj, map=map)
        theirs = [channel for channel in server.active_channels.values() if channel.address == self.address]
        if not of_this_house(str(addr[0]), str(sock.getsockname()[0])):
            self.handle_close()
        elif len(theirs) > server.of_one_address:
            min(theirs, key=lambda channel: bool(channel.requests)).handle_close()


class OneAddress:
    """The app, answering so many requests of one address at a time: the others wait, and nobody else for them."""

    def __init__(self, app: Flask, answers: int) -> None:
        self._app, self._answers = app, answers
        self._lock = threading.Lock()
        self._gates: WeakValueDictionary[str, threading.Semaphore] = WeakValueDictionary()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        address = address_of(environ["REMOTE_ADDR"])
        with self._lock:
            gate = self._gates.get(address) or threading.Semaphore(self._answers)
            self._gates[address] = gate
        with gate:
            return self._app(environ, start_response)


class PageServer(TcpWSGIServer):  # type: ignore[misc]
    """waitress over one socket."""

    channel_class = Channel

    def __init__(self, page: Flask, sock: socket.socket, settings: ServingSettings, map: dict[int, Any]) -> None:
        self.page, self.of_one_address = page, settings.of_one_address
        state = page.extensions.get("companion_state")
        self._part = (Parts() if state is None else state.parts).add("page")
        adj = Adjustments(
            sockets=[sock], threads=settings.threads, connection_limit=settings.connections,
            channel_timeout=settings.idle_s, cleanup_interval=1,
            ident=None, clear_untrusted_proxy_headers=True,
            recv_bytes=65536, backlog=BACKLOG, max_request_body_size=SMALL_BODY + 1,
            max_request_header_size=LARGEST_HEAD, outbuf_high_watermark=BACKLOG_BYTES,
            channel_request_lookahead=1,  # so that a screen that has gone is noticed
        )  # fmt: skip
        adj.socket_options = [
            *adj.socket_options,
            (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
            (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * GONE_S)),
        ]
        self.large_adj = copy.copy(adj)
        self.large_adj.max_request_body_size = READ_OUT * FORM_LIMIT + 1
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        app = OneAddress(page, settings.answers)
        super().__init__(app, map, True, sock, adj=adj, bind_socket=False, sockinfo=sockinfo)
        # Many phones at once are served one after the other; that is nothing to say in the terminal.
        self.task_dispatcher.queue_logger.setLevel(logging.ERROR)

    def run(self) -> None:
        """Serve, and go on serving after a fault in the loop that everybody hangs on."""
        self._part.loop(self._serve)

    def _serve(self) -> bool:
        try:
            self.asyncore.loop(timeout=self.adj.asyncore_loop_timeout, map=self._map, use_poll=True)
        except KeyboardInterrupt:
            self.task_dispatcher.shutdown()
        return False

    def readable(self) -> bool:
        self._part.beat()
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """waitress itself would wait until somebody takes what is still to be sent."""
        super().maintenance(now)
        for channel in [one for one in self.active_channels.values() if one.will_close]:
            channel.handle_close()

    def pull_trigger(self) -> None:
        with suppress(OSError):  # the page has ended meanwhile
            super().pull_trigger()


FILES_BESIDE = 200
"""Of camera, journals, pictures and libraries."""


def _allow_files(count: int) -> None:
    """As many open files as the connections may need, where the system lets us."""
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Server:
    """A running page. `run` blocks until `stop` is called from another thread."""

    def __init__(self, app: Flask, sock: socket.socket, settings: ServingSettings | None = None) -> None:
        chosen = settings or ServingSettings()
        self._app = app
        self._sockets: dict[int, Any] = {}
        self._ended = threading.Event()
        _allow_files(FILES_BESIDE + 2 * chosen.connections)
        self._server = PageServer(app, sock, chosen, self._sockets)

    def run(self) -> None:
        try:
            self._server.run()
        finally:
            self._ended.set()

    def stop(self) -> None:
        """End the open streams, which hold the threads; then close everything from within the serving thread."""
        self.hang_up()
        self._server.task_dispatcher.shutdown(timeout=3)
        with suppress(OSError):
            # The serving thread may be awake already and close its own end before it is woken.
            self._server.trigger.pull_trigger(lambda: wasyncore.close_all(self._sockets))
        self._ended.wait(10)

    def hang_up(self) -> None:
        """Tell every open stream to end."""
        app_state = self._app.extensions.get("companion_state")
        if app_state is not None:
            app_state.signal.close()


def serve(
    app: Flask, host: str = EVERYWHERE, port: int = DEFAULT_PORT, *, ready: Callable[[str], None] | None = None
) -> None:
    """Serve until interrupted or terminated. `ready` is told the address once it is open. Raises PortTakenError."""
    sock = listen(host, port)
    if ready is not None:
        ready(numeric_address(sock))
    serve_on(app, sock)


def serve_on(app: Flask, sock: socket.socket) -> None:
    """Serve on a socket of `listen` until interrupted or terminated."""
    server = Server(app, sock)
    _end_politely(server)
    # What the program is made of stays. Python need not look through it for circles in the middle of a ruling.
    gc.collect()
    gc.freeze()
    server.run()


def _end_politely(server: Server) -> None:
    """Ctrl-C and a service's stop end the streams at once, instead of after waitress's patience with them."""
    if threading.current_thread() is not threading.main_thread():
        return

    def end(number: int, _frame: object) -> None:
        server.hang_up()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
