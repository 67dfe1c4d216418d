"""The phones that are signed in: what the box keeps of them, so that a restart signs nobody out."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature
from werkzeug.http import parse_cookie
from werkzeug.wrappers import Request

from companion.storage.state_file import read_state, write_state

PHONES_FILE = "phones.json"

MOST_SIGNED_IN = 200
"""Browsers; a club of forty tables has fewer."""


@dataclass(slots=True)
class _Kept:
    """`key` signs the cookies, `salt` goes into the PIN's hash; `browsers` are hashes of their secrets, the oldest
    first."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    browsers: dict[str, None] = field(default_factory=dict)


class SignedIn:
    """The browsers that are signed in. A cookie of one that has signed out opens nothing any more. Thread-safe.

    Args:
        path: where they are kept; None, or where nothing can be written: until the program ends.
    """

    def __init__(self, path: Path | None = None, most: int = MOST_SIGNED_IN) -> None:
        self._path, self._most = path, most
        self._lock = threading.Lock()
        kept = None if path is None else read_state(path, _understood, None)
        self._kept = _Kept() if kept is None else kept
        if kept is None:
            self._keep()

    @property
    def key(self) -> bytes:
        return self._kept.key

    @property
    def salt(self) -> bytes:
        return self._kept.salt

    @property
    def mark(self) -> str:
        """Tells this box's cookies from those of another program on the same host, at another port."""
        return hashlib.sha256(self._kept.salt).hexdigest()[:8]

    def add(self) -> str:
        """A new one's own secret; the oldest is forgotten when there are too many."""
        secret = secrets.token_urlsafe(16)
        with self._lock:
            self._kept.browsers[_hash(secret)] = None
            while len(self._kept.browsers) > self._most:
                del self._kept.browsers[next(iter(self._kept.browsers))]
            self._keep()
        return secret

    def __contains__(self, secret: object) -> bool:
        with self._lock:
            return isinstance(secret, str) and _hash(secret) in self._kept.browsers

    def remove(self, secret: object) -> None:
        with self._lock:
            if isinstance(secret, str) and self._kept.browsers.pop(_hash(secret), self) is None:
                self._keep()

    def clear(self) -> None:
        with self._lock:
            self._kept.browsers.clear()
            self._keep()

    def _keep(self) -> None:
        if self._path is None:
            return
        kept = self._kept
        state = {"key": kept.key.hex(), "salt": kept.salt.hex(), "browsers": list(kept.browsers)}
        with suppress(OSError):  # a disk that takes nothing signs nobody out before the next start
            write_state(self._path, state)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _understood(state: Any) -> _Kept:
    kept = _Kept(bytes.fromhex(state["key"]), bytes.fromhex(state["salt"]), dict.fromkeys(map(str, state["browsers"])))
    if len(kept.key) != 32 or len(kept.salt) != 16:
        raise ValueError
    return kept


class PhoneSessions(SecureCookieSessionInterface):
    """Flask's sessions in signed cookies. How old one is says nothing on a box whose clock is set back and forth: the
    browser forgets it after a month without a visit, and `SignedIn` says which still open anything."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        kept = self.opened(app, request.cookies.get(self.get_cookie_name(app), ""))
        return self.session_class(kept)

    def opened(self, app: Flask, cookie: str) -> Mapping[str, Any]:
        """What a cookie of this box holds; nothing where it is none."""
        signer = self.get_signing_serializer(app)
        if signer is None or not cookie:
            return {}
        try:
            kept = signer.loads(cookie)
        except BadSignature:
            return {}
        return kept if isinstance(kept, dict) else {}

    def of_head(self, app: Flask, headers: Mapping[str, str]) -> Mapping[str, Any]:
        """The same of a request that is still being read: `headers` are those of its head, like {"COOKIE": "..."}."""
        return self.opened(app, parse_cookie(headers.get("COOKIE", "")).get(self.get_cookie_name(app), ""))
