"""Putting the page on the home network: one port, and enough file descriptors for a full house."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from flask import Flask
from waitress import wasyncore

from companion.web.access import head_opens
from companion.web.connections import ConnectionSettings, PageServer
from companion.web.own_address import numeric_address
from companion.web.photographs import FORM_LIMIT
from companion.web.photographs import ROUTES as PHOTO_ROUTES

DEFAULT_PORT = 8000
BACKLOG = 256
EVERYWHERE = "::"
"""Every address of this machine, IPv4 and IPv6."""


READ_OUT = 4
"""A photograph that is so many times too large is still read to its end, so that the page can say so in words."""


class PortTakenError(Exception):
    """The port cannot be had; one line for the person who started the program."""


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """`threads` answer requests, and each open screen keeps one; one network has `at_once` of them at most."""

    threads: int = 64
    at_once: int = 28
    limits: ConnectionSettings = field(default_factory=ConnectionSettings)


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
        # Many phones at once are served one after the other; that is nothing to say in the terminal.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._app = app
        self._sockets: dict[int, Any] = {}
        self._ended = threading.Event()
        parts = app.extensions
        _allow_files(FILES_BESIDE + 2 * chosen.limits.most)
        self._server = PageServer(
            app,
            sock,
            threads=chosen.threads,
            at_once=chosen.at_once,
            limits=replace(chosen.limits, large_body=READ_OUT * FORM_LIMIT, large_paths=PHOTO_ROUTES),
            knows=partial(head_opens, app),
            map=self._sockets,
            parts=parts["companion_state"].parts if "companion_state" in parts else None,
        )

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
