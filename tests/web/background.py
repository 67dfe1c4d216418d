"""The page in a thread of the test's or bench's own process."""

from __future__ import annotations

import threading

from flask import Flask

from companion.web.serving import Server, ServingSettings, listen, port_of


def serve_in_background(
    app: Flask, host: str = "127.0.0.1", port: int = 0, settings: ServingSettings | None = None
) -> tuple[Server, int]:
    """The server and its port, running in a thread."""
    sock = listen(host, port)
    server = Server(app, sock, settings)
    threading.Thread(target=server.run, name="page", daemon=True).start()
    return server, port_of(sock)
