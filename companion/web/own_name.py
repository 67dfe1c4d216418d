"""NAME.local: avahi answers to it where it runs; else the Python package zeroconf does, if it is installed."""

from __future__ import annotations

import importlib
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

AVAHI = (Path("/run/avahi-daemon/socket"), Path("/var/run/avahi-daemon/socket"))
"""There where avahi runs."""


class OwnName:
    """Who answers to this machine's name on the home network. `local` is the name, "" where nobody answers."""

    def __init__(self, port: int, hostname: str | None = None, avahi: Sequence[Path] = AVAHI) -> None:
        self._port, self._avahi = port, avahi
        self._host = (hostname or socket.gethostname()).split(".")[0].lower()
        self._answerer: Any = None
        self._lock = threading.Lock()

    @property
    def local(self) -> str:
        answered = self._answerer is not None or any(path.exists() for path in self._avahi)
        return f"{self._host}.local" if self._host and answered else ""

    def answer(self, number: str) -> None:
        """Answer with this address from now on, where avahi does not and zeroconf can. Takes a second or two."""
        with self._lock:
            self._leave()
            if number.startswith("127.") or self.local or not self._host:
                return
            with suppress(Exception):  # no such package, no multicast here, the name taken: the number goes on working
                self._answerer = self._announced(number)

    def close(self) -> None:
        with self._lock:
            self._leave()

    def _announced(self, number: str) -> Any:
        zeroconf = importlib.import_module("zeroconf")
        answerer = zeroconf.Zeroconf(interfaces=[number])
        try:
            kind = "_http._tcp.local."
            service = zeroconf.ServiceInfo(
                kind,
                f"Domino table on {self._host}.{kind}",
                port=self._port,
                addresses=[ip_address(number).packed],
                server=f"{self._host}.local.",
            )
            answerer.register_service(service, allow_name_change=True)
        except BaseException:
            answerer.close()
            raise
        return answerer

    def _leave(self) -> None:
        answerer, self._answerer = self._answerer, None
        if answerer is not None:
            with suppress(Exception):
                answerer.close()
