"""Runs a command in a network namespace of its own, without a network, and writes down every inet socket it asks for.

The kernel itself tells: a seccomp filter, inherited by every process the command starts, stops each `socket` call of
the families inet, inet6 and packet and each `connect`, native code's and a resolver's included, and asks us. Nothing
is needed but Linux 5.8 and Python; no package, and no root where user namespaces are allowed.

    python -m tests.box.namespace -- companion read picture.jpg
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import http.client
import os
import platform
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CALLS = {"x86_64": (0xC000003E, 41, 42, 317), "aarch64": (0xC00000B7, 198, 203, 277)}
"""Machine -> audit architecture, and the numbers of socket, connect and seccomp."""

FAMILIES = {socket.AF_INET: "inet", socket.AF_INET6: "inet6", socket.AF_PACKET: "packet"}
KINDS = {socket.SOCK_STREAM: "stream", socket.SOCK_DGRAM: "datagram", socket.SOCK_RAW: "raw"}
KIND_MASK = 0xF

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, NEW_LISTENER = 1, 8
ALLOW, ASK = 0x7FFF0000, 0x7FC00000
RECEIVE, ANSWER = 0xC0502100, 0xC0182101
GO_ON = 1
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
ENETUNREACH = 101

LISTENING = "inet stream"
LISTENING_6 = "inet6 stream"
"""The live page needs one listening socket."""
LOOPBACK = "connects to 127.0.0.1:"
"""Any port of the machine itself."""


@dataclass(slots=True)
class Watched:
    """One command that ran to its end. `asked` names each socket and each destination with the process that wanted it,
    `isolated` says whether the kernel gave it a namespace of its own."""

    rc: int
    out: str
    err: str
    asked: list[str]
    isolated: bool


class Watch:
    """A command in its namespace. `get` asks its page from within, as a phone in the house would."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        allowed: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Calls that begin with one of `allowed` go through; they are written down as well."""
        self.asked: list[str] = []
        self._allowed = tuple(allowed)
        self._here, there = socket.socketpair()
        # The group lets us end whatever the command has started.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.box.namespace", str(there.fileno()), *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=[there.fileno()], env=environment, cwd=cwd, start_new_session=True,
        )  # fmt: skip
        there.close()
        self._out: list[bytes] = []
        self._err: list[bytes] = []
        self._readers = [
            threading.Thread(target=_drain, args=(self._process.stdout, self._out), daemon=True),
            threading.Thread(target=_drain, args=(self._process.stderr, self._err), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        word, fds, _, _ = socket.recv_fds(self._here, 1, 1)
        if not fds:
            self._process.wait()
            raise OSError(f"the command could not be watched: {self._text(self._err)}")
        self.isolated = word == b"1"
        self._keeper = threading.Thread(target=self._keep, args=(fds[0],), daemon=True)
        self._keeper.start()

    def get(self, url: str) -> tuple[int, bytes]:
        """Status and body of a page of the command, (0, b"") while nobody listens."""
        self._here.sendall(url.encode() + b"\n")
        length = struct.unpack("!iI", _exactly(self._here, 8))
        return length[0], _exactly(self._here, length[1])

    def wait_for(self, done: Callable[[], bool], within_s: float) -> None:
        """Until `done`, looked at as often as something may have changed. Raises AssertionError after `within_s` or
        when the command ends before."""
        deadline, nothing = time.monotonic() + within_s, threading.Event()
        while not done():
            assert self._process.poll() is None, f"it ended before: {self.err[-2000:]}"
            assert time.monotonic() < deadline, f"not within {within_s:g} s; it said: {self.out}{self.err[-2000:]}"
            nothing.wait(0.1)

    @property
    def out(self) -> str:
        return self._text(self._out)

    @property
    def err(self) -> str:
        return self._text(self._err)

    def finish(self, given: bytes = b"", within_s: float = 300.0) -> Watched:
        """Give it `given` on stdin and wait for its end."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(given)
            self._process.stdin.close()
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._kill()
            raise
        return self._ended()

    def interrupt(self, within_s: float = 60.0) -> Watched:
        """Ctrl-C."""
        self._here.sendall(b"interrupt\n")
        return self.finish(within_s=within_s)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        for thread in (*self._readers, self._keeper):
            thread.join(10)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr, self._here):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def _kill(self) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _ended(self) -> Watched:
        for reader in self._readers:
            reader.join(10)
        self._keeper.join(10)
        return Watched(self._process.returncode, self.out, self.err, list(self.asked), self.isolated)

    @staticmethod
    def _text(parts: list[bytes]) -> str:
        return b"".join(parts).decode("utf-8", "replace")

    def _keep(self, listener: int) -> None:
        """Answer the kernel's questions until every process under the filter has ended."""
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        with contextlib.suppress(OSError), os.fdopen(listener):
            while True:
                (_, events), *_ = poll.poll() or [(0, 0)]
                if events & select.POLLIN:
                    self._answer(listener)
                elif events & select.POLLHUP:
                    return

    def _answer(self, listener: int) -> None:
        question = array.array("B", bytes(80))
        try:
            fcntl.ioctl(listener, RECEIVE, question, True)
        except (FileNotFoundError, InterruptedError):
            return  # the asking process was killed meanwhile
        number, pid, _, call = struct.unpack_from("=QIIi", question)
        arguments = struct.unpack_from("=6Q", question, 32)
        what = _socket(arguments) if call == CALLS[platform.machine()][1] else _destination(pid, arguments)
        refused = False
        if what is not None:
            self.asked.append(f"{_name(pid)}: {what}")
            refused = not what.startswith(self._allowed)
        answer = struct.pack("=QqiI", number, 0, -ENETUNREACH if refused else 0, 0 if refused else GO_ON)
        with contextlib.suppress(FileNotFoundError):
            fcntl.ioctl(listener, ANSWER, answer)


def watched(command: Sequence[str], given: bytes = b"", **how: object) -> Watched:
    """A command that ends by itself."""
    with Watch(command, **how) as watch:  # type: ignore[arg-type]
        return watch.finish(given)


def companion(*words: str) -> list[str]:
    return [sys.executable, "-m", "companion", *words]


def _socket(arguments: Sequence[int]) -> str:
    family, kind = arguments[0] & 0xFFFFFFFF, arguments[1] & KIND_MASK
    return f"{FAMILIES.get(family, family)} {KINDS.get(kind, kind)}"


def _destination(pid: int, arguments: Sequence[int]) -> str | None:
    """Where a `connect` leads, read from the process that asked; None: not out of the machine."""
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:  # noqa: PTH123  (unbuffered)
            memory.seek(arguments[1])
            raw = memory.read(min(arguments[2] & 0xFFFFFFFF, 28))
    except OSError as fault:
        return f"connects to an address that cannot be read ({fault.strerror})"
    family = struct.unpack_from("=H", raw)[0] if len(raw) >= 2 else 0
    if family == socket.AF_INET and len(raw) >= 8:
        return f"connects to {socket.inet_ntoa(raw[4:8])}:{struct.unpack_from('!H', raw, 2)[0]}"
    if family == socket.AF_INET6 and len(raw) >= 24:
        return f"connects to [{socket.inet_ntop(socket.AF_INET6, raw[8:24])}]:{struct.unpack_from('!H', raw, 2)[0]}"
    return None


def _name(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    return "?"


def _drain(pipe: object, into: list[bytes]) -> None:
    while part := os.read(pipe.fileno(), 65536):  # type: ignore[attr-defined]
        into.append(part)


def _exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = connection.recv(count - len(found))
        if not part:
            raise EOFError("the watcher's other half has ended")
        found += part
    return found


# The rest runs inside the namespace.


def main() -> int:
    """In a fresh process: leave the network, start the command under the filter, and fetch its page when asked."""
    if sys.argv[1] == "--":
        report = watched(sys.argv[2:])
        print(report.out, end="")
        print(report.err, end="", file=sys.stderr)
        print(*report.asked, f"{len(report.asked)} sockets; status {report.rc}", sep="\n", file=sys.stderr)
        return 1 if report.asked else 0
    parent = socket.socket(fileno=int(sys.argv[1]))
    isolated = _leave_the_network()
    os.set_inheritable(parent.fileno(), False)
    child = os.fork()
    if child == 0:
        _run_filtered(parent, isolated, sys.argv[2:])
    threading.Thread(target=_fetch_when_asked, args=(parent, child), daemon=True).start()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) & 0xFF


def _leave_the_network() -> bool:
    """Into a namespace with nothing but a loopback. False where the kernel refuses; the filter then stands alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    mine = (os.getuid(), os.getgid())
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            return False
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        for kind, number in zip(("uid_map", "gid_map"), mine, strict=True):
            Path(f"/proc/self/{kind}").write_text(f"{number} {number} 1", encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.unpack_from("16sh", fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sh22x", b"lo", 0)))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))
    return True


def _run_filtered(parent: socket.socket, isolated: bool, command: Sequence[str]) -> None:
    try:
        listener = _install_filter()
        socket.send_fds(parent, [b"1" if isolated else b"0"], [listener])
        os.close(listener)
        os.execvp(command[0], list(command))
    except OSError as fault:
        print(f"{command[0]}: {fault}", file=sys.stderr)
    finally:
        os._exit(127)


def _install_filter() -> int:
    """The descriptor on which the kernel asks about each inet socket and each connect of this process and its own."""
    architecture, number_socket, number_connect, number_seccomp = CALLS[platform.machine()]
    load, equal, end = 0x20, 0x15, 0x06
    steps = [
        (load, 0, 0, 4), (equal, 0, 7, architecture), (load, 0, 0, 0), (equal, 6, 0, number_connect),
        (equal, 0, 4, number_socket), (load, 0, 0, 16),
        (equal, 3, 0, socket.AF_INET), (equal, 2, 0, socket.AF_INET6), (equal, 1, 0, socket.AF_PACKET),
        (end, 0, 0, ALLOW), (end, 0, 0, ASK),
    ]  # fmt: skip
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program)
    whole = struct.pack("@HP", len(steps), ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    listener = libc.syscall(number_seccomp, SET_MODE_FILTER, NEW_LISTENER, ctypes.create_string_buffer(whole))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return int(listener)


def _fetch_when_asked(parent: socket.socket, child: int) -> None:
    with parent.makefile("r", encoding="utf-8") as orders:
        for order in orders:
            if order.strip() == "interrupt":
                os.kill(child, signal.SIGINT)
                continue
            status, body = _fetch(order.strip())
            parent.sendall(struct.pack("!iI", status, len(body)) + body)


def _fetch(url: str) -> tuple[int, bytes]:
    place, _, path = url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(place, timeout=120)
    try:
        connection.request("GET", "/" + path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except OSError:
        return 0, b""
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
