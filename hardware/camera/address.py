"""Addresses of cameras in the network, with the user and password in them kept out of whatever is shown."""

from __future__ import annotations

from urllib.parse import urlsplit

from hardware.camera.source import CameraError

SCHEMES = ("rtsp", "rtsps", "http", "https")


def is_address(source: str) -> bool:
    return source.lower().startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def shown(source: str) -> str:
    """The source as logs, page and terminal may show it: an address without user, password and query."""
    if not is_address(source):
        return source
    try:
        parts = urlsplit(source)
        place = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{source.partition('://')[0].lower()}://..."
    place = f"[{place}]" if ":" in place else place
    return f"{parts.scheme}://{place}{port}{parts.path}{'?...' if parts.query else ''}"


def refuse_no_address(source: str) -> None:
    """Raises CameraError in one line for an address that cannot be one."""
    try:
        parts = urlsplit(source)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole:
        raise CameraError(f"{shown(source)}: expected an address such as rtsp://192.168.1.20/stream")
