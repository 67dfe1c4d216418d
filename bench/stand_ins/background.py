"""The page in a thread of the test's or bench's own process."""

from __future__ import annotations

import threading
from typing import ClassVar

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache

from companion.web.serving import Server, ServingSettings, listen, port_of


def serve_in_background(
    app: Flask, host: str = "127.0.0.1", port: int = 0, settings: ServingSettings | None = None
) -> tuple[Server, int]:
    """The server and its port, running in a thread."""
    sock = listen(host, port)
    server = Server(app, sock, settings)
    threading.Thread(target=server.run, name="page", daemon=True).start()
    return server, port_of(sock)


class Compiled(BytecodeCache):
    """Templates compiled once for all tests, instead of once for each app."""

    kept: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()
