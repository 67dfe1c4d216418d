"""Where other phones reach this box: by number, followed while the network comes and goes, and by name beside it."""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from companion.web.own_name import OwnName

SIOCGIFADDR = 0x8915
"""Of linux/sockios.h: the IPv4 address of an interface, asked of any inet socket."""

ROUTES = Path("/proc/net/route")
ADDRESSES_6 = Path("/proc/net/if_inet6")
UNUSABLE_6 = 0x08 | 0x20 | 0x40
"""Flags of an IPv6 address there: it is somebody else's too, it goes, it is not sure yet."""

INNER = re.compile(r"(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|flannel|tun|tap|wg|tailscale|zt|ppp|utun)")
"""Interfaces of containers, virtual machines and private networks: no phone at the table is behind one."""

LOOK_AGAIN_S = 3.0

LOOPBACK = "127.0.0.1"


def own_number(inet: socket.socket, routes: Path = ROUTES) -> str:
    """This machine's IPv4 address in the home network: that of the interface with the default route, else of the first
    that has one; those of containers and private networks come last. 127.0.0.1 where there is none. `inet` is any IPv4
    socket; nothing is sent, no name is looked up."""
    names = [name for _, name in socket.if_nameindex()]
    outward = _outward(routes.read_text(encoding="ascii").splitlines()[1:]) if routes.is_file() else []
    for name in in_order(names, outward):
        number = _number_of(inet, name)
        if number and not number.startswith("127."):
            return number
    return LOOPBACK


def own_number_6(addresses: Path = ADDRESSES_6) -> str:
    """This machine's IPv6 address in the home network; "" where it has none. One that stays within the house comes
    before one that the whole internet can reach; one of a link alone is none, since no browser takes it."""
    lines = addresses.read_text(encoding="ascii").splitlines() if addresses.is_file() else []
    found: dict[str, list[ipaddress.IPv6Address]] = {}
    for number, _, _, scope, flags, name in (line.split() for line in lines):
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
