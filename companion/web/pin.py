"""The PIN that guards every change: kept only as a scrypt hash, guessed only slowly."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from companion.web.digits import plain_digits

FIRST_WAIT_S = 30.0
"""The first wait after too many wrong tries; it doubles up to `LONGEST_WAIT_S`."""
LONGEST_WAIT_S = 900.0
FORGET_AFTER_S = 3600.0
"""Whoever has not tried for so long begins anew."""


@dataclass(frozen=True, slots=True)
class PinSettings:
    """scrypt with n=2^14, r=8 takes about 50 ms and 16 MB on a small box: felt by a guesser, not by a player."""

    n: int = 2**14
    r: int = 8
    p: int = 1
    free_tries: int = 5
    free_tries_for_all: int = 50


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    last_s: float = 0.0
    closed_until_s: float = 0.0


class TooManyTriesError(Exception):
    """Nobody at this address may try for `wait_s` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many wrong PINs, wait {wait_s:.0f} s")
        self.wait_s = wait_s


def fresh_pin() -> str:
    """Six digits."""
    return f"{secrets.randbelow(1_000_000):06d}"


EVERYONE = "*"

MOST_REMEMBERED = 5000
"""Addresses; a home network has 250."""


@dataclass(slots=True)
class PinLock:
    """Compares PINs. One address has `free_tries`, all together `free_tries_for_all`; then the wait doubles each time.
    The right PIN forgets the wrong ones of its address and of all.

    `clock` gives monotonic seconds.
    """

    _salt: bytes
    _hash: bytes
    settings: PinSettings
    clock: Callable[[], float]
    drawn: bool = False
    _tries: dict[str, _Tries] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(
        cls,
        pin: str,
        settings: PinSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
        salt: bytes | None = None,
        *,
        drawn: bool = False,
    ) -> PinLock:
        """`salt` kept from an earlier start: the same PIN then has the same fingerprint; so have all that are `drawn`
        anew at each start, or a restart would sign everybody out."""
        chosen = settings or PinSettings()
        salt = secrets.token_bytes(16) if salt is None else salt
        return cls(salt, _scrypt(pin, salt, chosen), chosen, clock, drawn)

    @property
    def fingerprint(self) -> str:
        """Names this PIN in a signed cookie, so that another chosen PIN signs everybody out."""
        if self.drawn:
            return "drawn"
        return hashlib.sha256(self._hash).hexdigest()[:16]

    def opens(self, pin: str, address: str) -> bool:
        """Whether `pin` is right. Raises TooManyTriesError before any hashing while the address has to wait.

        An address without wrong tries always has one, however many others guess: nobody can lock the owner out.
        """
        with self._lock:
            now = self.clock()
            self._forget(now)
            mine = self._tries.setdefault(address, _Tries())
            everyone = self._tries.setdefault(EVERYONE, _Tries())
            closed_until = max(mine.closed_until_s, everyone.closed_until_s) if mine.wrong else 0.0
            if now < closed_until:
                raise TooManyTriesError(closed_until - now)
            # Counted before it is known: many at once from one address are many tries.
            self._count(mine, self.settings.free_tries, now)
        if not hmac.compare_digest(_scrypt(pin[:64], self._salt, self.settings), self._hash):
            with self._lock:
                self._count(everyone, self.settings.free_tries_for_all, now)
            return False
        with self._lock:
            self._tries.pop(address, None)
            self._tries.pop(EVERYONE, None)
        return True

    def _count(self, tries: _Tries, free: int, now: float) -> None:
        tries.wrong += 1
        tries.last_s = now
        if tries.wrong >= free:
            wait = FIRST_WAIT_S * 2.0 ** min(tries.wrong - free, 20)
            tries.closed_until_s = now + min(wait, LONGEST_WAIT_S)

    def _forget(self, now: float) -> None:
        old = [name for name, tries in self._tries.items() if now - tries.last_s > FORGET_AFTER_S]
        for name in (*old, *[name for name in self._tries if name != EVERYONE][: len(self._tries) - MOST_REMEMBERED]):
            self._tries.pop(name, None)


def _scrypt(pin: str, salt: bytes, settings: PinSettings) -> bytes:
    secret, n, r, p = plain_digits(pin).encode("utf-8", "replace"), settings.n, settings.r, settings.p
    return _hasher().submit(lambda: hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, dklen=32)).result()


@cache
def _hasher() -> ThreadPoolExecutor:
    """The only thread that hashes. The C library keeps the 16 MB of each scrypt for the thread that asked, so that
    a hundred serving threads grew by half a gigabyte."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="pin")
