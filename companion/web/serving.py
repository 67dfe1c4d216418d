"""The page on the home network: its address, its connections, and its limits.

NAME.local: avahi answers to it where it runs; else the Python package zeroconf does, if it is installed.

Where other phones reach this box: by number, followed while the network comes and goes, and by name beside it.

A phone's photograph as it comes with a form: how large it may be, and whether it is one.

Putting the page on the home network: waitress with one limit an address, and large bodies only from known phones.

A flood of requests takes only the places of its own address. Everything else is waitress's own.
"""

from __future__ import annotations

import copy
import ctypes
import errno
import gc
import importlib
import ipaddress
import logging
import re
import signal
import socket
import struct
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import BadRequest, Error, RequestEntityTooLarge

from companion.supervise.parts import Parts
from companion.web.access import head_is_known, head_opens
from companion.web.guard import address_of, of_this_house
from companion.web.uploads import FORM_LIMIT, PHOTOGRAPH_ROUTES

AVAHI = (Path("/run/avahi-daemon/socket"), Path("/var/run/avahi-daemon/socket"))
"""There where avahi runs."""


class OwnName:
    """Finds out who answers to this machine's name on the home network. `local` is the name, "" where nobody
    answers."""

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


SIOCGIFADDR = 0x8915
"""From linux/sockios.h: asks any inet socket for the IPv4 address of an interface."""

ROUTING_TABLE = Path("/proc/net/route")
ADDRESSES_6 = Path("/proc/net/if_inet6")
UNUSABLE_6 = 0x08 | 0x20 | 0x40
"""Flags of an IPv6 address there: it is somebody else's too, it goes, it is not sure yet."""

INNER = re.compile(r"(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|flannel|tun|tap|wg|tailscale|zt|ppp|utun)")
"""Interfaces of containers, virtual machines and private networks: no phone at the table is behind one."""

LOOK_AGAIN_S = 3.0

LOOPBACK = "127.0.0.1"


def own_number(inet: socket.socket, routes: Path = ROUTING_TABLE) -> str:
    """This machine's IPv4 address in the home network: that of the interface with the default route, else of the first
    that has one; those of containers and private networks come last. 127.0.0.1 without any. `inet` is any IPv4 socket;
    nothing is sent, no name is looked up."""
    names = [name for _, name in socket.if_nameindex()]
    outward = _outward(routes.read_text(encoding="ascii").splitlines()[1:]) if routes.is_file() else []
    for name in in_order(names, outward):
        number = _number_of(inet, name)
        if number and not number.startswith("127."):
            return number
    return LOOPBACK


def own_number_6(addresses: Path = ADDRESSES_6) -> str:
    """This machine's IPv6 address in the home network; "" where it has none. One that stays within the house comes
    before one that the whole internet can reach; one of a link alone does not count, since no browser takes it."""
    lines = addresses.read_text(encoding="ascii").splitlines() if addresses.is_file() else []
    found: dict[str, list[ipaddress.IPv6Address]] = {}
    for number, _index, _length, scope, flags, name in (line.split() for line in lines):
        if scope == "00" and not int(flags, 16) & UNUSABLE_6:
            found.setdefault(name, []).append(ipaddress.IPv6Address(int(number, 16)))
    ordered = [address for name in in_order(list(found), []) for address in found[name]]
    return str(min(ordered, key=lambda address: address.is_global)) if ordered else ""


def in_order(names: Sequence[str], outward: Sequence[str]) -> list[str]:
    """Interfaces, the likeliest to have the phones behind it first."""
    known = [*outward, *(name for name in names if name not in outward)]
    return sorted(known, key=lambda name: INNER.match(name) is not None)


def _number_of(inet: socket.socket, name: str) -> str:
    try:
        import fcntl

        answer = fcntl.ioctl(inet.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()))
    except (ImportError, OSError):
        return ""
    return socket.inet_ntoa(answer[20:24])


def _outward(routes: Sequence[str]) -> list[str]:
    """Interfaces with a default route, the preferred one first, of lines of /proc/net/route."""
    fields = [route.split() for route in routes]
    found = [(int(f[6]), f[0]) for f in fields if len(f) > 7 and f[1] == "00000000" and f[7] == "00000000"]
    return [name for _, name in sorted(found)]


def numeric_address(sock: socket.socket) -> str:
    """The page's address as other phones reach it, by number: `http://192.168.1.23:8000`."""
    host, port = sock.getsockname()[:2]
    if host == "::":
        with socket.socket(socket.AF_INET) as asked:
            host = own_number(asked)
        if host == LOOPBACK:
            host = own_number_6() or LOOPBACK
    if host == "0.0.0.0":
        host = own_number(sock)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def of_this_machine(host: str) -> bool:
    """Whether an address, or the host of one, leads nowhere from another machine."""
    name = urlsplit(host if "//" in host else f"//{host}").hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")


class OwnAddress:
    """The address of the page on `sock`, as it is now: a box starts before its network does. `here_only`: it listens to
    this machine alone, whatever networks there are."""

    def __init__(self, sock: socket.socket, look: Callable[[socket.socket], str] = numeric_address) -> None:
        self._sock, self._look = sock, look
        host = str(sock.getsockname()[0])
        self.here_only = of_this_machine(f"[{host}]" if ":" in host else host)
        self.port = int(sock.getsockname()[1])
        self.now = look(sock)
        self._name = OwnName(self.port)
        self._answered = ""

    @property
    def name(self) -> str:
        """`http://box.local:8000`, where somebody answers to that name; else ""."""
        local = self._name.local
        return f"http://{local}:{self.port}" if local else ""

    def follow(self, changed: Callable[[str], None], over: threading.Event) -> bool:
        """Once in a few seconds, until it says False: `over` is set. `changed` hears each new address."""
        number = urlsplit(self.now).hostname or LOOPBACK
        if number != self._answered:
            self._answered = number
            self._name.answer(number)
        elif over.wait(LOOK_AGAIN_S):
            self._name.close()
            return False
        found = self._look(self._sock)
        if found != self.now:
            self.now = found
            changed(found)
        return True


DEFAULT_PORT = 8000
SWITCH_S = 0.0005
"""After so long a thread that computes lets another one go on. While a few pages are being made, each look at a socket
costs up to that: with Python's 5 ms a crowd's hundreds of sockets held everybody up for seconds."""

BACKLOG = 1024
STILL_S = 2.0
"""A connection on which nothing has moved for so long makes room for a new one of its address."""

CLOCK_SET_S = 1.0
"""The time of day went on by so much more or less than the time that passed: somebody has set the clock."""

SPARE = 20
"""Places below the limit of all connections from which on who has few makes the address with the most give one up."""

PARKED, PARKED_S = 1000, 5.0
"""Connections beyond an address's own that are left waiting, and for how long."""

ACCEPTED_AT_ONCE = 16
"""Connections taken in one pass of the loop. waitress takes one: a crowd fills the kernel's queue, and everybody else's
connection waits seconds to be tried again."""
EVERYWHERE = "::"
"""Every address of this machine, IPv4 and IPv6."""

ANSWERED = "companion.answered"
"""In a request's environment: what to call when its answer is made."""

TOO_LARGE = "companion.too_large"
"""In a request's environment: its body was not read."""

SMALL_BODY = 64 * 1024
"""Bytes of a body that is read from anybody."""

READ_OUT = 4
"""A photograph that is so many times too large is still read to its end, so that the page can say so in words."""

UPLOADS = 4
"""Large bodies of one address at a time: behind a proxy a whole house has one address."""

UPLOADED_BYTES = 256 * 1024 * 1024
"""The most bytes of uploads from all addresses at a time: they lie where the system keeps temporary files, often in
memory. Guests get half of it, and one address of guests half of that."""

LARGEST_HEAD = 16 * 1024

TLS_HELLO = b"\x16\x03"
"""With this a browser begins that was asked for https."""

NO_TLS = "This page speaks http and not https: write http:// in front of its address."

TOO_MUCH = "Too much at once from your address. Try again in a few seconds."

TOO_LARGE_IN_ALL = "Too many photographs at once. Try again in a few seconds."

TURNED_AWAY = (
    f"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    f"Content-Length: {len(TOO_MUCH)}\r\n\r\n{TOO_MUCH}"
).encode()

PIECE = 64 * 1024
"""Bytes of an answer that are read and sent at once. waitress takes what the kernel's buffer may grow to, 4 MB: each of
its threads that had sent a long file kept 15 MB."""

BACKLOG_BYTES = 256 * 1024
"""Bytes that a screen may leave unread before the writer waits."""

GONE_S = 30.0
"""A client that acknowledges nothing for so long is gone."""


class PortTakenError(Exception):
    """The port cannot be had; one line for the person who started the program."""


@dataclass(frozen=True, slots=True)
class ServingSettings:
    """How many may use the page at once."""

    threads: int = 60
    """For phones that are signed in, and as many for everybody else. Each open screen keeps one, and so does whoever
    waits for a turn (`MOST_WAITING`), so there are more than all of those and the answers of one address."""
    connections: int = 500
    """At once."""
    of_one_address: int = 48
    """How many of them may come from one address: all screens (`StreamSettings.most`) and a few more, since behind a
    proxy a whole house has one."""
    answers: int = 4
    """How many requests of one address are answered at a time."""
    idle_s: int = 20
    """A connection on which nothing moves for so long is closed."""


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
        if isinstance(fault, socket.gaierror) or getattr(fault, "errno", 0) == errno.EADDRNOTAVAIL:
            raise PortTakenError(f"--host {host}: {why}; give an address of this machine, or leave it out") from None
        raise PortTakenError(f"port {port} on {host} cannot be used: {why}; choose another with --port") from None
    return sock


def port_of(sock: socket.socket) -> int:
    return int(sock.getsockname()[1])


class BusyError(Error):  # type: ignore[misc]
    """Refused for now."""

    code, reason = 503, "Service Unavailable"


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """One request. Its body may be as large as a photograph where it goes to a page for one, from a known phone."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.adj)
        self._server, self.address, self.known = channel.server, channel.address, False
        self.too_large = False

    def received(self, data: bytes) -> int:
        if not self.header_plus and data.startswith(TLS_HELLO):
            self.error, self.completed = BadRequest(NO_TLS), True
            return len(data)
        read = int(super().received(data))
        if isinstance(self.error, RequestEntityTooLarge):
            self.error, self.too_large = None, True  # the page says so, in the family's language
        if self.headers_finished and not self.completed and self.body_bytes_received == 0 and (why := self._refusal()):
            self.error, self.completed = BusyError(why), True
        if self.completed:
            self.expect_continue = False  # what is refused need not be sent
        if not self.too_large and (not self.completed or self.empty or read >= len(data)):
            return read
        # No browser sends a request before the last one's answer. Hundreds at once fill the connection's buffer, and
        # each thread that answers them waits for somebody who reads slowly.
        self.headers["CONNECTION"] = "close"
        return len(data)

    def _refusal(self) -> str:
        """Why a large body has to wait; "" where it may come."""
        large = self._server.large_adj
        if self.adj is not large:
            return ""
        channels = self._server.active_channels.values()
        found = [request for one in channels for request in (*one.requests, one.request) if request is not None]
        others = [request for request in found if request.adj is large and request is not self]
        theirs = [one for one in others if one.address == self.address]
        if len(theirs) >= UPLOADS:
            return TOO_MUCH
        full = _room(self, *others) > UPLOADED_BYTES
        if not self.known:
            if theirs and _room(self, *theirs) > UPLOADED_BYTES // 4:
                return TOO_MUCH
            full = full or _room(self, *(one for one in others if not one.known)) > UPLOADED_BYTES // 2
        return TOO_LARGE_IN_ALL if full else ""

    @property
    def room(self) -> int:
        """Bytes that its body may take in a file of the system's."""
        return int(self.adj.max_request_body_size if self.chunked else self.content_length)

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError:  # a length of five thousand digits
            raise ParsingError("Content-Length is invalid") from None
        large = self.chunked or self.content_length > SMALL_BODY
        if large and self.path in PHOTOGRAPH_ROUTES and head_opens(self._server.page, self.headers):
            self.adj, self.known = self._server.large_adj, head_is_known(self._server.page, self.headers)


def _room(*requests: Parser) -> int:
    return sum(request.room for request in requests)


class Task(WSGITask):  # type: ignore[misc]
    """One answer."""

    def get_environment(self) -> dict[str, Any]:
        over = partial(self.channel.server.turns.over, self.request)
        return {**super().get_environment(), ANSWERED: over, TOO_LARGE: self.request.too_large}


def saying_when(page: Flask) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """The page, which says when an answer is made: a screen's goes on for hours after that."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        try:
            return page(environ, start_response)
        finally:
            environ[ANSWERED]()

    return answer


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    task_class = Task

    def __init__(self, server: PageServer, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.parser_class = lambda _adj: Parser(self)
        self.address = address_of(str(addr[0]))
        super().__init__(server, sock, addr, adj, map=map)
        self.sendbuf_len = PIECE

    def service(self) -> None:
        asked = self.requests[0]
        try:
            super().service()
        finally:
            self.server.turns.over(asked)


class AddressTurns:
    """A limit on the requests of one address that are answered at a time: further ones wait, without a thread.
    Thread-safe."""

    def __init__(self, most: int, begin: Callable[[Channel], None]) -> None:
        self._most, self._begin = most, begin
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self._waiting: dict[str, deque[Channel]] = {}
        self._answering: set[Parser] = set()

    def take(self, channel: Channel) -> None:
        """Begin to answer a connection's next request, now or later."""
        with self._lock:
            if self._now[channel.address] >= self._most:
                self._waiting.setdefault(channel.address, deque()).append(channel)
                return
            self._now[channel.address] += 1
            self._answering.add(channel.requests[0])
        self._start(channel)

    def over(self, request: Parser) -> None:
        """It counts no longer. Twice is no error."""
        with self._lock:
            if request not in self._answering:
                return
            self._answering.remove(request)
            address, following = request.address, None
            waiting = self._waiting.get(address, deque())
            while waiting and following is None:
                one = waiting.popleft()
                following = one if one.requests else None
            if not waiting:
                self._waiting.pop(address, None)
            if following is not None:
                self._answering.add(following.requests[0])
            else:
                self._now[address] -= 1
                if not self._now[address]:
                    del self._now[address]
        if following is not None:
            self._start(following)

    def _start(self, channel: Channel) -> None:
        try:
            self._begin(channel)
        except BaseException:
            self.over(channel.requests[0])
            raise


class PageServer(TcpWSGIServer):  # type: ignore[misc]
    """waitress over one socket."""

    next_channel_cleanup = 0.0

    def __init__(self, page: Flask, sock: socket.socket, settings: ServingSettings, map: dict[int, Any]) -> None:
        self.page, self.of_one_address = page, settings.of_one_address
        state = page.extensions.get("companion_state")
        self._part = (Parts() if state is None else state.parts).add("page")
        adj = Adjustments(
            sockets=[sock], threads=settings.threads, connection_limit=settings.connections,
            channel_timeout=settings.idle_s, cleanup_interval=1,
            ident=None, clear_untrusted_proxy_headers=True,
            log_socket_errors=False,  # phones go away without a word all evening
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
        self._parked: deque[tuple[socket.socket, Any, float]] = deque()
        self._ahead_s = time.time() - time.monotonic()
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        self.turns = AddressTurns(settings.answers, self._begin)
        super().__init__(saying_when(page), map, True, sock, adj=adj, bind_socket=False, sockinfo=sockinfo)
        self._for_known = ThreadedTaskDispatcher()
        self._for_known.set_thread_count(settings.threads)
        # Many phones at once are served one after the other; that is nothing to say in the terminal.
        self.task_dispatcher.queue_logger.setLevel(logging.ERROR)

    def run(self) -> None:
        """Serve, and go on serving after a fault in the loop that everybody hangs on."""
        sys.setswitchinterval(SWITCH_S)
        self._part.loop(self._serve)

    def _serve(self) -> bool:
        try:
            self.asyncore.loop(timeout=self.adj.asyncore_loop_timeout, map=self._map, use_poll=True)
        except KeyboardInterrupt:
            self.end_threads()
        return False

    def end_threads(self) -> None:
        for dispatcher in (self.task_dispatcher, self._for_known):
            dispatcher.shutdown(timeout=3)

    def add_task(self, task: Channel) -> None:
        self.turns.take(task)

    def _begin(self, task: Channel) -> None:
        """A phone that is signed in never waits behind those of a crowd that is not."""
        asked = task.requests[0]
        known = asked.error is None and head_is_known(self.page, asked.headers)
        (self._for_known if known else self.task_dispatcher).add_task(task)

    def readable(self) -> bool:
        self._part.beat()
        now = time.time()
        ahead_s = now - time.monotonic()
        if abs(ahead_s - self._ahead_s) > CLOCK_SET_S:
            # waitress goes by the time of day: once it is set, every connection has been idle from now on.
            self._ahead_s, self.next_channel_cleanup = ahead_s, now
            for channel in self.active_channels.values():
                channel.last_activity = now
        return bool(super().readable())

    def handle_accept(self) -> None:
        for _more in range(ACCEPTED_AT_ONCE):
            try:
                found = self.accept()
            except OSError:  # gone already, or no file left to open
                return
            if found is None:
                return
            sock, addr = found
            self._admit(sock, addr, time.monotonic() + PARKED_S)
            if len(self._map) >= self.adj.connection_limit:
                return

    def _admit(self, sock: socket.socket, addr: Any, until: float) -> None:
        """Where an address has too many connections, one on which nothing moves makes room; where all have, one that
        waits for its request, of the address with the most. Where none does, the new one is left waiting `until` then:
        a client that is hung up on at once comes back at once, thousands a second."""
        try:
            here = of_this_house(str(addr[0]), str(sock.getsockname()[0]))
        except OSError:
            here = False
        if not here:
            sock.close()
            return
        if until <= time.monotonic():
            _turn_away(sock)
            return
        address = address_of(str(addr[0]))
        theirs = [channel for channel in self.active_channels.values() if channel.address == address]
        if len(theirs) >= self.of_one_address:
            still = [one for one in theirs if not one.requests and time.time() - one.last_activity > STILL_S]
            if not still:
                self._park(sock, addr, until)
                return
            min(still, key=lambda one: one.last_activity).handle_close()
        elif len(self.active_channels) >= self.adj.connection_limit - SPARE:
            held = Counter(channel.address for channel in self.active_channels.values())
            idle = [one for one in self.active_channels.values() if not one.requests]
            most = max(idle, key=lambda one: held[one.address], default=None)
            if most is None or held[most.address] <= len(theirs) + 1:
                self._park(sock, addr, until)
                return
            most.handle_close()
        self.set_socket_options(sock)
        Channel(self, sock, addr, self.adj, map=self._map)

    def _park(self, sock: socket.socket, addr: Any, until: float) -> None:
        self._parked.append((sock, addr, until))
        if len(self._parked) > PARKED:
            self._parked.popleft()[0].close()

    def maintenance(self, now: float) -> None:
        """waitress itself would wait until somebody takes what is still to be sent."""
        super().maintenance(now)
        for channel in [one for one in self.active_channels.values() if one.will_close]:
            channel.handle_close()
        parked, self._parked = self._parked, deque()
        for sock, addr, until in parked:
            self._admit(sock, addr, until)

    def close(self) -> None:
        super().close()
        while self._parked:
            self._parked.pop()[0].close()

    def pull_trigger(self) -> None:
        with suppress(OSError):  # the page has ended meanwhile
            super().pull_trigger()


def _turn_away(sock: socket.socket) -> None:
    """Answer whatever a connection asks without waiting for it, and end it."""
    with suppress(OSError):
        sock.setblocking(False)
        sock.recv(PIECE)  # left unread, the answer would be lost with the connection
        sock.send(TURNED_AWAY)
    sock.close()


FILES_BESIDE = 200
"""Open files of camera, journals, pictures and libraries."""


def _allow_files(count: int) -> None:
    """Raise the limit of open files to the number that the connections may need, where the system lets us."""
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
        _allow_files(FILES_BESIDE + 2 * chosen.connections + PARKED)
        self._server = PageServer(app, sock, chosen, self._sockets)

    def run(self) -> None:
        try:
            self._server.run()
        finally:
            self._ended.set()

    def stop(self) -> None:
        """End the open streams, which hold the threads; then close everything from within the serving thread."""
        self.hang_up()
        self._server.end_threads()
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


ARENAS, TRIM_FROM, ALONE_FROM = -8, -1, -3
"""From malloc.h: heaps that threads share; free bytes at a heap's end, and bytes of one piece, from which on they go
back to the system."""

LARGE = 2**20
"""Bytes: what a score picture, a photograph and a zip take at once."""


def keep_little_memory() -> None:
    """Seventy threads would each keep what their largest answer took, where the C library is glibc. Measured after nine
    score pictures, six photographs and every page, without a camera: 82 MB."""
    with suppress(OSError, AttributeError, TypeError):
        for option, value in ((ARENAS, 2), (TRIM_FROM, LARGE), (ALONE_FROM, LARGE)):
            ctypes.CDLL(None).mallopt(option, value)


def serve_on(app: Flask, sock: socket.socket) -> None:
    """Serve on a socket of `listen` until interrupted or terminated."""
    keep_little_memory()
    server = Server(app, sock)
    _end_politely(server)
    # The program's own objects stay: Python need not search them for cycles in the middle of a ruling.
    gc.collect()
    gc.freeze()
    server.run()


def _end_politely(server: Server) -> None:
    """Ctrl-C and a service's stop end the streams at once, instead of after waitress's patience with them. A second one
    changes nothing: it would break off what the first has begun to put away."""
    if threading.current_thread() is not threading.main_thread():
        return

    def on_signal(handler: Any) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, handler)

    def end(_number: int, _frame: object) -> None:
        on_signal(lambda *_: None)
        server.hang_up()
        raise KeyboardInterrupt

    on_signal(end)
