"""What is said where on the broker, for the tables that publish and the hall that listens.

companion/TABLE/status   retained   "online" or "offline" (said by the broker when a table vanishes)
companion/TABLE/head     retained   {"name", "game", "header", "seq"}: the game on the table and its last event
companion/TABLE/events              {"game", "event"}: one line of the journal
companion/TABLE/state    retained   what Home Assistant shows
companion/TABLE/resend              to the table: {"game", "after"}: say again what follows event `after`
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

ROOT = "companion"
ONLINE, OFFLINE = "online", "offline"
LARGEST_PAYLOAD = 1_000_000


LONGEST_NAME = 60


def table_name(text: str) -> str:
    """A table's name as people see it, in any language. Raises ValueError in one line for what is none."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    kinds = [unicodedata.category(character) for character in name]
    # So: a picture such as a fox. Cn: one that is younger than this Python's tables.
    if not name or len(name) > LONGEST_NAME or not any(kind[0] in "LN" or kind in ("So", "Cn") for kind in kinds):
        raise ValueError(f"expected a name of 1 to {LONGEST_NAME} characters with a letter, digit or picture in it")
    if not {"Cc", "Cs", "Zl", "Zp"}.isdisjoint(kinds):
        raise ValueError("expected a name without control characters")
    return name


def table_id(name: str) -> str:
    """A table's name as a topic: `Table 3` is `table-3`. Whatever does not survive that ends in a mark of the whole
    name, so that no two names share a topic: `Стіл 1` is `1-` and eight digits. Raises ValueError."""
    return slug_of(table_name(name))


def slug_of(name: str) -> str:
    """The same of any name, a player's for instance."""
    whole = name.casefold()
    plain = unicodedata.normalize("NFKD", whole).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]
    if slug == whole.replace(" ", "-"):
        return slug
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{slug}-{mark}" if slug else f"table-{mark}"


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
