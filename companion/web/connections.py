"""The page's connections: how many, how large and how slow they may be, decided before a request reaches the page.

waitress reads requests and runs the page in a few threads; here are the limits that a home network with careless or
hostile guests needs beside it. A request has to arrive in time and an answer has to be taken in time; when all places
are taken, whoever has most of them gives one up; what is too large, or needs the PIN and comes without, is refused
before it is read; and an open stream costs no thread.
"""

from __future__ import annotations

import copy
import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from heapq import nsmallest
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from companion.app.change_signal import ChangeSignal
from companion.supervise.parts import Parts
from companion.web.fair_queue import FairQueue
from companion.web.guard import BUSY, network_of
from companion.web.request_limits import LINGER_BYTES, SMALL_BODY, ConnectionSettings, Parser, socket_options
from companion.web.stream import HAND_OVER
from companion.web.streaming import FAREWELL, PING, Listener, Seat, Seats

SHARE = 4
"""One network may keep a quarter of the threads busy."""

SEVERAL = 20
"""Where all places are taken, a crowd gives up one in so many of them."""

MOST_PACKED = 32
"""Ways in which screens that come anew have to be told everything; the messages are packed once."""

AT_ONCE = 16
"""New connections taken before those that are open get their turn again."""

LOOK_S = 2.0
"""Between two signs of life of the thread that tells the screens."""

log = logging.getLogger(__name__)


class Task(WSGITask):  # type: ignore[misc]
    """One answer. A stream's is handed over to its channel once its head is written, and does not end here."""

    following: tuple[Listener, Seat] | None = None

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[HAND_OVER] = self._hand_over
        if self.request.busy:
            environ[BUSY] = True
        return environ

    def _hand_over(self, listener: Listener, seat: Seat) -> None:
        self.following = listener, seat
        self.channel.seat = seat

    def set_close_on_finish(self) -> None:
        if self.following is None:
            super().set_close_on_finish()

    def finish(self) -> None:
        if self.following is None:
            super().finish()
            return
        self.channel.follow(self.following[0], chunked=self.chunked_response)


class _Endless:
    """Stands for the request of a stream among a channel's `requests`: whoever flushes meanwhile takes the lock."""

    unread = 0

    def close(self) -> None:
        """Nothing is kept of it."""


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. Times are monotonic seconds."""

    task_class = Task
    listener: Listener | None = None
    seat: Seat | None = None
    unread = 0
    lingers_since: float | None = None
    dropped = False

    def __init__(self, server: PageServer, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        self.parser_class = lambda _adj: Parser(self)
        self.network = network_of(str(addr[0]))
        self.begun = self.free_since = time.monotonic()
        self._owing: tuple[float, int] | None = None
        self._sent = 0
        self._thrown_away = 0
        self._chunked = False
        self._ended = False
        self._writing = False
        self._sent_at = self.begun
        self._sending = threading.Lock()
        super().__init__(server, sock, addr, adj, map=map)

    # What waitress calls.

    def received(self, data: bytes) -> bool:
        if self.listener is not None or self.lingers_since is not None:
            self._thrown_away += len(data)
            return False
        if self.request is None:
            self.begun = time.monotonic()
        going_on = bool(super().received(data))
        for request in self.requests:
            self.unread = max(self.unread, request.unread)
        return going_on

    def readable(self) -> bool:
        if self.listener is not None or self.lingers_since is not None:
            return not self.will_close
        return bool(super().readable())

    def service(self) -> None:
        try:
            super().service()
        finally:
            self.server.served(self)
        self.free_since = time.monotonic()
        if self.listener is not None:
            self.requests.append(_Endless())
            self.server.follow(self)
        elif self.seat is not None and not self.connected:
            self.server.gone(self)

    def handle_write(self) -> None:
        self._writing = True
        try:
            super().handle_write()
        finally:
            self._writing = False

    def _flush_some(self, do_close: bool = True) -> bool:
        with self.outbuf_lock:
            return bool(super()._flush_some(do_close=do_close))

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent = int(super().send(data, do_close=do_close))
        self._sent += sent
        return sent

    def handle_close(self) -> None:
        if self._writing and self.unread and self.lingers_since is None and self._linger():
            return
        super().handle_close()

    def del_channel(self, map: Any = None) -> None:
        super().del_channel(map)
        self.server.gone(self)

    # Refused bodies.

    def _linger(self) -> bool:
        """Take and throw away what is still being sent, so that the answer arrives. False where that is too much."""
        if self.unread > LINGER_BYTES:
            return False
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        self.lingers_since = time.monotonic()
        self.will_close = self.close_when_flushed = False
        return True

    # Streams.

    def follow(self, listener: Listener, *, chunked: bool) -> None:
        """The head of a stream is written."""
        self.listener, self._chunked = listener, chunked

    def send_news(self, packed: dict[Any, tuple[bytes, Any]]) -> None:
        """Send what the screen has not got."""
        assert self.listener is not None
        with self._sending:
            if self._ended:
                return
            data = self.listener.news(packed)
            now = time.monotonic()
            if not data and now - self._sent_at >= self.server.limits.ping_s:
                data = PING
            if data:
                self._sent_at = now
                self._write(data)

    def end(self, data: bytes = b"") -> None:
        """Politely: the stream ends as an answer does."""
        with self._sending:
            self._ended = True
            self._write(data)
            if self._chunked:
                self._put(b"0\r\n\r\n")
            self.close_when_flushed = True
        self.server.pull_trigger()

    def _write(self, data: bytes) -> None:
        if data:
            self._put(b"%X\r\n%b\r\n" % (len(data), data) if self._chunked else data)

    def _put(self, data: bytes) -> None:
        if self.total_outbufs_len > self.server.limits.backlog:
            self.drop()
            return
        with suppress(ClientDisconnected):
            self.write_soon(data)

    # Limits.

    def drop(self) -> None:
        """End the connection now. The serving loop hears of it and closes it, whatever is still to be sent."""
        self.dropped, self.unread = True, 0
        with suppress(OSError, AttributeError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def overdue(self, now: float) -> str:
        """Why this connection has had its time; "" while it has not."""
        limits: ConnectionSettings = self.server.limits
        if self.lingers_since is not None:
            too_long = now - self.lingers_since > limits.linger_s or self._thrown_away > LINGER_BYTES
            return "goes on sending what is not wanted" if too_long else ""
        if self.listener is not None:
            return "talks into a stream" if self._thrown_away > SMALL_BODY else ""
        if self._lags(now):
            return "takes its answer too slowly"
        if self.requests or self.total_outbufs_len:
            return ""
        request = self.request
        if request is None:
            return "asks for nothing" if now - max(self.begun, self.free_since) > limits.idle_s else ""
        waited = now - self.begun
        if not request.headers_finished:
            return "sends its request too slowly" if waited > limits.head_s else ""
        late = waited > limits.body_s and request.body_bytes_received < limits.least_per_s * (waited - limits.body_s)
        return "sends its body too slowly" if late else ""

    def _lags(self, now: float) -> bool:
        """Whether the answer is taken more slowly than it may be."""
        limits: ConnectionSettings = self.server.limits
        if not self.total_outbufs_len:
            self._owing = None
            return False
        if self._owing is None:
            self._owing = now, self._sent
        since, sent = self._owing
        waited = now - since - limits.body_s
        return waited > 0 and self._sent - sent < limits.least_per_s * waited

    @property
    def dispensable(self) -> int:
        """Who goes first when all places are taken: 0 asks for nothing, 3 never goes."""
        if self.dropped:
            return 3
        if self.requests and self.listener is None:
            return 3 if not self.total_outbufs_len else 1
        if self.listener is not None:
            return 2
        return 1 if self.total_outbufs_len else 0


class PageServer(TcpWSGIServer):  # type: ignore[misc]
    """waitress with these limits. `knows` says by its headers whether a request comes from somebody with the PIN."""

    channel_class = Channel

    def __init__(
        self,
        application: Any,
        sock: socket.socket,
        *,
        threads: int,
        limits: ConnectionSettings,
        signal: ChangeSignal,
        seats: Seats,
        knows: Callable[[Mapping[str, str]], bool],
        map: dict[int, Any],
        parts: Parts | None = None,
    ) -> None:
        parts = Parts() if parts is None else parts
        self._part, sender = parts.add("page"), parts.add("streams")
        self._known_news = -1
        self.limits, self.knows = limits, knows
        self._signal, self._seats = signal, seats
        self._following: dict[Channel, None] = {}
        self._going = 0
        """Connections that were dropped and are not closed yet, as far as they were counted."""
        self._packed: tuple[int, dict[Any, tuple[bytes, Any]]] = (-1, {})
        self._lock = threading.Lock()
        # Never reached: places are made before (handle_accept).
        adj = Adjustments(
            sockets=[sock], threads=threads, connection_limit=10 * limits.most, ident=None, cleanup_interval=1,
            clear_untrusted_proxy_headers=True, asyncore_use_poll=True, recv_bytes=65536,
            max_request_body_size=SMALL_BODY + 1, backlog=1024,
        )  # fmt: skip
        adj.socket_options = [*adj.socket_options, *socket_options(limits)]
        self.small_adj, self.large_adj = adj, copy.copy(adj)
        self.large_adj.max_request_body_size = limits.large_body + 1
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.queue = FairQueue(max(1, threads // SHARE))
        dispatcher.set_thread_count(threads)
        super().__init__(
            application, map, True, sock, dispatcher=dispatcher, adj=adj, bind_socket=False, sockinfo=sockinfo
        )
        self.task_dispatcher.queue_logger.setLevel(logging.ERROR)
        self._sender = threading.Thread(target=sender.loop, args=(self._send_all_news,), name="streams", daemon=True)
        self._sender.start()

    # Places.

    def handle_accept(self) -> None:
        for _ in range(AT_ONCE):
            before = len(self.active_channels)
            if before - self._going >= self.limits.most:
                self._make_room()
            super().handle_accept()
            if len(self.active_channels) == before:
                return

    def _make_room(self) -> None:
        """Close the most dispensable connections of whoever has most of them, the oldest first: several at once while
        nobody else has as many, so that a crowd that comes back at once is not counted each time."""
        channels = [channel for channel in self.active_channels.values() if channel.dispensable < 3]
        if not channels:
            return
        counted = Counter(channel.network for channel in channels)
        (_, crowd), (_, next_most) = [*counted.most_common(2), ("", 0)][:2]
        theirs = [channel for channel in channels if counted[channel.network] == crowd]
        several = max(1, min(crowd - next_most, self.limits.most // SEVERAL))
        for gone in nsmallest(several, theirs, key=lambda channel: (channel.dispensable, channel.begun)):
            gone.drop()
            self._going += 1

    def pull_trigger(self) -> None:
        with suppress(OSError):  # the page has ended meanwhile
            super().pull_trigger()

    def maintenance(self, now: float) -> None:
        now = time.monotonic()
        self._part.beat()
        self._going = sum(channel.dropped for channel in self.active_channels.values())
        for channel in list(self.active_channels.values()):
            if not channel.dropped and (why := channel.overdue(now)):
                log.info("connection of %s closed: it %s", channel.network, why)
                channel.drop()

    def under_way(self, room: str) -> int:
        """Large bodies that take up this room."""
        return sum(
            request.room == room
            for channel in list(self.active_channels.values())
            for request in (channel.request, *channel.requests)
            if isinstance(request, Parser)
        )

    # Streams.

    def follow(self, channel: Channel) -> None:
        """From now on this channel is told what happens."""
        seat = channel.seat
        assert seat is not None
        with self._lock:
            self._following[channel] = None
        seat.end = lambda: channel.end(FAREWELL)
        if not channel.connected:
            self.gone(channel)
        elif seat not in self._seats:
            channel.end(FAREWELL)
        else:
            channel.send_news(self._packed_news())

    def _packed_news(self) -> dict[Any, tuple[bytes, Any]]:
        """What has been packed for others that came since the last news."""
        count, packed = self._packed
        if count != self._signal.count or len(packed) > MOST_PACKED:
            self._packed = count, packed = self._signal.count, {}
        return packed

    def served(self, channel: Channel) -> None:
        """A thread is free again."""
        with self.task_dispatcher.lock:
            self.task_dispatcher.queue.done(channel.network)

    def gone(self, channel: Channel) -> None:
        """A connection has been closed."""
        if channel.dropped and self._going:
            self._going -= 1
        with self._lock:
            self._following.pop(channel, None)
        if channel.seat is not None:
            self._seats.give_back(channel.seat)

    def _send_all_news(self) -> bool:
        """Tell every screen everything; False once the page has ended."""
        if self._signal.closed:
            return self._end_all()
        known = self._signal.wait(self._known_news, min(self.limits.ping_s / 2, LOOK_S))
        with self._lock:
            channels = list(self._following)
        packed: dict[Any, tuple[bytes, Any]] = {}
        for channel in channels:
            try:
                channel.send_news(packed)
            except Exception:  # one screen must not silence the others
                log.exception("a screen could not be told")
                channel.drop()
        self._known_news = known
        return True

    def _end_all(self) -> bool:
        with self._lock:
            channels = list(self._following)
        for channel in channels:
            with suppress(OSError, AttributeError):  # closed while it was told
                channel.end()
        return False
