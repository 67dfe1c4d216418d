"""Who enters something: the name under which a phone is signed in stands in every line that a person brings.

It is set where the request or the press arrives, and the journal takes it from there; no command has to hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

PHONE, BUTTON, ASSISTANT = "*phone", "*button", "*assistant"
"""A phone without a name, a button at the table, and one in Home Assistant. No name of a person begins with a star."""


@dataclass(slots=True)
class Entering:
    """One request or press; `lines`: how many lines of a journal it has brought."""

    author: str
    lines: int = 0


_now: ContextVar[Entering | None] = ContextVar("entering", default=None)


@contextmanager
def entered_by(author: str) -> Iterator[Entering]:
    """What a person enters in this thread until the context is left is this author's."""
    entering = Entering(author)
    token = _now.set(entering)
    try:
        yield entering
    finally:
        _now.reset(token)


def entering() -> Entering | None:
    """Who enters something in this thread now; None: nobody does."""
    return _now.get()
