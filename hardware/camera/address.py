"""Addresses of cameras in the network, with the user and password in them kept out of whatever is shown."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from hardware.camera.source import CameraError

SCHEMES = ("rtsp", "rtsps", "http", "https")


def is_address(source: str) -> bool:
    return source.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def shown(source: str) -> str:
    """The source as logs, page and terminal may show it: an address without user, password and query."""
    if "://" not in source:
        return source
    if _login_is_cut(source):
        return f"{source.partition('://')[0].lower()}://..."
    try:
        parts = urlsplit(source)
        place = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{source.partition('://')[0].lower()}://..."
    place = f"[{place}]" if ":" in place else place
    return f"{parts.scheme}://{place}{port}{parts.path}{'?...' if parts.query else ''}"


def _login_is_cut(source: str) -> bool:
    """Whether a sign in the user or password ends what stands before the path: a part of them would be taken for the
    host, its port, the path or the query."""
    try:
        parts = urlsplit(source)
    except ValueError:
        return "@" in source
    return "@" in parts.path or "@" in parts.fragment or ("@" in parts.query and not parts.path)


def secrets_of(source: str) -> tuple[str, ...]:
    """The parts of an address, a broker's too, that no log may show: user, password and query, as written and as
    meant."""
    rest = source.rpartition("://")[2]
    login, query = rest.rpartition("@")[0], rest.partition("?")[2]
    written = [part for part in (login, *login.split(":", 1), query) if part]
    return tuple(dict.fromkeys([*written, *map(unquote, written)]))


def refuse_no_address(source: str) -> None:
    """Raises CameraError in one line for an address that cannot be one."""
    if _login_is_cut(source):
        raise CameraError(f"{shown(source)}: in a user or a password write # as %23, / as %2F, ? as %3F and @ as %40")
    try:
        parts = urlsplit(source)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole:
        raise CameraError(f"{shown(source)}: expected an address such as rtsp://192.168.1.20/stream")
