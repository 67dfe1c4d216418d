"""Safety in a home network: which names the box answers to, where changes may come from, what a page may load.

Answers packed with gzip for who takes it: a tenth of the bytes on a home network full of phones.

Work for a guest that takes seconds, in turn: none of it may make a tap at the table slow.
"""

from __future__ import annotations

import gzip
import ipaddress
import socket
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, wraps
from typing import Any
from urllib.parse import SplitResult, urlsplit

from flask import Flask, Request, Response, current_app, request
from werkzeug.exceptions import Forbidden, MisdirectedRequest, ServiceUnavailable

from companion.web.languages import gettext as _

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: with it the browser sends `Origin: null` for our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


ROUTERS_DOMAINS = ("local", "fritz.box", "lan", "home", "home.arpa", "internal", "localdomain")
"""Domains that routers add to the names of machines (and mDNS, the first). Nobody can register a name in them."""


def own_names() -> frozenset[str]:
    """The names this machine goes by in a home network."""
    name = socket.gethostname().lower()
    plain = name.split(".")[0]
    return frozenset({"localhost", name, plain, *(f"{plain}.{domain}" for domain in ROUTERS_DOMAINS)})


def address_parts(address: str | None) -> SplitResult:
    """The parts of an address that somebody has sent; all empty if it is no address."""
    try:
        return urlsplit(address or "")
    except ValueError:
        return urlsplit("")


def host_is_ours(host: str, names: Collection[str]) -> bool:
    """Whether a Host header names this box: an IP literal or one of `names`.

    A page elsewhere whose name is made to point here (DNS rebinding) still sends its own name, and is refused. Any IP
    literal will do: nothing is looked up for it, so none can be made to point here. This box may not know its own
    (behind a router or in a container), and a page of another address is another origin, which sends its `Origin`.
    """
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not name or parts.path or parts.query or parts.username is not None:
        return False
    if name.rstrip(".") in names:
        return True
    try:
        ipaddress.ip_address(name.split("%")[0])
    except ValueError:
        return False
    return True


def address_of(peer: str | None) -> str:
    """Where a connection comes from, written in one way: an IPv4 address, or an IPv6 address."""
    try:
        found = ipaddress.ip_address((peer or "").split("%")[0])
    except ValueError:
        return "?"
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def network_of(peer: str | None) -> str:
    """The network that counts as one guesser: an IPv4 address, or a whole IPv6 network, because one machine may have
    any number of addresses in it, on a link too."""
    address = address_of(peer)
    return str(ipaddress.IPv6Network((address, 64), strict=False)) if ":" in address else address


def of_this_house(peer: str, own: str) -> bool:
    """Whether a connection from `peer` to the address `own` of this box comes from the home network. A router keeps the
    internet from IPv4 addresses; an IPv6 address may be open to all of it, so that only its own network counts."""
    try:
        found = ipaddress.IPv6Address(peer.split("%")[0])
    except ValueError:
        return True
    return found.ipv4_mapped is not None or not found.is_global or network_of(peer) == network_of(own)


def check_host(incoming: Request, names: Collection[str]) -> None:
    host = incoming.headers.get("Host", "")
    if not host_is_ours(host, names):
        raise MisdirectedRequest("This box does not answer to that name; use its numeric address.")


def check_origin(incoming: Request) -> None:
    """A change must come from our own pages, or from a program (which then names the PIN itself)."""
    if incoming.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = incoming.headers.get("Origin")
    parts = address_parts(origin)
    # A proxy that adds https keeps the name, and the browser says whether the scheme is ours.
    ours = parts.scheme in ("http", "https") and parts.netloc.lower() == incoming.headers.get("Host", "").lower()
    told = incoming.headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none")
    if not told or (origin is not None and not ours):
        raise Forbidden("The request came from another site.")


def guard(app: Flask, names: Collection[str]) -> None:
    """Put the checks before every request and the headers on every answer."""

    @app.before_request
    def before() -> None:
        check_host(request, names)
        check_origin(request)

    @app.after_request
    def after(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-cache")
        return response


LEAST_BYTES = 1000
"""Smaller answers fit into one packet as they are."""

LEVEL = 5

PACKED = frozenset({"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"})


@lru_cache(maxsize=64)
def packed(content: bytes) -> bytes:
    """A hundred phones ask for the same bytes, so the last ones are remembered."""
    return gzip.compress(content, LEVEL, mtime=0)


def pack_answers(app: Flask) -> None:
    """Must be registered before whatever else changes an answer's body; streams and pictures stay as they are."""

    @app.after_request
    def pack(response: Response) -> Response:
        if response.mimetype not in PACKED:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code != 200 or not request.accept_encodings["gzip"] or request.method == "HEAD":
            return response
        response.direct_passthrough = False
        content = response.get_data()
        if len(content) >= LEAST_BYTES:
            response.set_data(packed(content))
            response.headers["Content-Encoding"] = "gzip"
        return response


MOST_WAITING = 10
"""Each keeps a thread of the page waiting, and a tap needs one."""


class Turns:
    """One at a time in all, and of each network one that waits for that: whoever asks for many looks is slow to nobody
    but themselves. Thread-safe; a turn within a turn is the same one."""

    def __init__(self) -> None:
        self._lock, self._work = threading.Lock(), threading.Lock()
        self._networks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._waiting: Counter[str] = Counter()
        self._worker: int | None = None

    @contextmanager
    def turn(self, network: str) -> Iterator[None]:
        """Raises ServiceUnavailable where very many wait."""
        if self._worker == threading.get_ident():
            yield
            return
        with self._lock:
            if self._waiting.total() >= MOST_WAITING:
                sentence = _("Too many people ask for this at once. Try again in a few seconds.")
                raise ServiceUnavailable(sentence, retry_after=3)
            own = self._networks[network]
            self._waiting[network] += 1
        try:
            with own, self._work:
                self._worker = threading.get_ident()
                try:
                    yield
                finally:
                    self._worker = None
        finally:
            with self._lock:
                self._waiting[network] -= 1
                if not self._waiting[network]:
                    del self._waiting[network], self._networks[network]


def my_turn(at: str = "companion_turns") -> AbstractContextManager[None]:
    """Wait until this request may go on with something that takes seconds: a look back, or the reading of a hand
    (`at` "companion_readings")."""
    turns: Turns = current_app.extensions[at]
    return turns.turn(network_of(request.remote_addr))


def in_turn(view: Callable[..., Any]) -> Callable[..., Any]:
    """For a view that everybody may open and that may take seconds."""

    @wraps(view)
    def waiting(*args: Any, **kwargs: Any) -> Any:
        with my_turn():
            return view(*args, **kwargs)

    return waiting
