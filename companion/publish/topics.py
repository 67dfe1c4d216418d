"""What is said where on the broker, for the tables that publish and the hall that listens.

companion/TABLE/status   retained   "online" or "offline" (said by the broker when a table vanishes)
companion/TABLE/head     retained   {"name", "game", "header", "seq"}: the game on the table and its last event
companion/TABLE/events              {"game", "event"}: one line of the journal
companion/TABLE/state    retained   what Home Assistant shows
companion/TABLE/resend              to the table: {"game", "after"}: say again what follows event `after`
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

ROOT = "companion"
ONLINE, OFFLINE = "online", "offline"
LARGEST_PAYLOAD = 1_000_000


def table_id(name: str) -> str:
    """A table's name as a topic: `Tisch 3, Kästner` is `tisch-3-kastner`. Raises ValueError where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]
    if not slug:
        raise ValueError(f"a table's name needs a letter or a digit, not {name!r}")
    return slug


def topic(table: str, what: str) -> str:
    return f"{ROOT}/{table}/{what}"


def table_of(name: str) -> tuple[str, str] | None:
    """(table, what) of a topic of ours, or None."""
    parts = name.split("/")
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == ROOT else None


def pack(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def unpack(payload: bytes) -> dict[str, Any] | None:
    """A message's object, or None for anything that is not one: the broker is open to strangers."""
    if len(payload) > LARGEST_PAYLOAD:
        return None
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
