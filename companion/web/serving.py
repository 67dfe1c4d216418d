"""Putting the page on the home network: one port, enough threads for a hundred phones."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import waitress
from flask import Flask
from waitress import wasyncore

DEFAULT_PORT = 8000
BACKLOG = 256


class PortTakenError(Exception):
    """The port cannot be had; one line for the person who started the program."""


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """Each open stream holds a thread: with waitress's default of 4, five viewers starve everybody."""

    threads: int = 128
    connection_limit: int = 400


def listen(host: str = "0.0.0.0", port: int = DEFAULT_PORT) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises PortTakenError, before anything else was started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ear = socket.socket(family, socket.SOCK_STREAM)
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        ear.bind((host, port))
        ear.listen(BACKLOG)
    except (OSError, OverflowError) as fault:
        ear.close()
        why = getattr(fault, "strerror", None) or str(fault)
        raise PortTakenError(f"port {port} on {host} cannot be used: {why}; choose another with --port") from None
    return ear


def port_of(ear: socket.socket) -> int:
    return int(ear.getsockname()[1])


def numeric_address(port: int) -> str:
    """The page's address as other phones reach it, by number: `http://192.168.1.23:8000`."""
    return f"http://{_own_number()}:{port}"


def _own_number() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only asks which of our numbers would be used.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


class Server:
    """A running page. `run` blocks until `stop` is called from another thread."""

    def __init__(self, app: Flask, ear: socket.socket, settings: ServingSettings | None = None) -> None:
        chosen = settings or ServingSettings()
        self._app = app
        self._sockets: dict[int, Any] = {}
        self._ended = threading.Event()
        self._server: Any = waitress.create_server(
            app,
            map=self._sockets,
            sockets=[ear],
            threads=chosen.threads,
            connection_limit=chosen.connection_limit,
            ident=None,
            channel_timeout=60,
            clear_untrusted_proxy_headers=True,
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
        house = self._app.extensions.get("companion_house")
        if house is not None:
            house.bell.close()


def serve(
    app: Flask, host: str = "0.0.0.0", port: int = DEFAULT_PORT, *, ready: Callable[[int], None] | None = None
) -> None:
    """Serve until interrupted or terminated. `ready` is told the port once it is open. Raises PortTakenError."""
    ear = listen(host, port)
    if ready is not None:
        ready(port_of(ear))
    serve_on(app, ear)


def serve_on(app: Flask, ear: socket.socket) -> None:
    """Serve on a socket of `listen` until interrupted or terminated."""
    server = Server(app, ear)
    _end_politely(server)
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


def serve_in_background(
    app: Flask, host: str = "127.0.0.1", port: int = 0, settings: ServingSettings | None = None
) -> tuple[Server, int]:
    """For a demonstration or a test: the server and its port, running in a thread."""
    ear = listen(host, port)
    server = Server(app, ear, settings)
    threading.Thread(target=server.run, name="page", daemon=True).start()
    return server, port_of(ear)
