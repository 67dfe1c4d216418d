"""Text without what is nobody else's business: names of people, the PIN, names of machines, addresses, places of files.

Works on whole words, whatever their case, and on JSON by its structure, so that a player called like a field changes no
field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SOMEBODY = "somebody"

_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w:])(?=[0-9a-fA-F:]*(?:::|(?::[0-9a-fA-F]+){4}))[0-9a-fA-F:]{3,}(?![\w:])")
_PLACE = re.compile(r"(?<![\w/])/(?:home|root|var|etc|tmp|opt|mnt|media|run|srv|usr|work)/[^\s'\",;:)\]}]*")

VERSIONS = "packages"
"""A field of version numbers, some of which look like addresses."""

PEOPLE = frozenset({"by", "out", "starter", "next_starter", "author"})
"""Fields that hold a person: whoever is no player of the game has corrected something, and is somebody."""


class Redaction:
    """Replaces `names` by what stands for each, and every one of `secrets` by dots."""

    def __init__(self, names: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._names = {name.casefold(): stands for name, stands in names.items() if name.strip()}
        self._secrets = [secret for secret in secrets if secret and secret.strip()]
        patterns = sorted((re.escape(name) for name in names if name.strip()), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE) if patterns else None

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = re.sub(re.escape(secret), "…", text, flags=re.IGNORECASE)
        text = _PLACE.sub("/…", text)
        text = _IPV6.sub("…", _IPV4.sub("…", text))
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._names.get(found[0].casefold(), SOMEBODY), text)

    def value(self, value: Any, field: str = "") -> Any:
        """JSON with every text in it redacted, keys that are names too."""
        if field == VERSIONS:
            return value
        if isinstance(value, str):
            if field in PEOPLE:
                return self._names.get(value.casefold(), SOMEBODY)
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._key(str(key)): self.value(one, str(key)) for key, one in value.items()}
        if isinstance(value, Sequence):
            return [self.value(one, field) for one in value]
        return value

    def event(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """A line of a journal: its own fields keep their names, whatever the players are called."""
        return {key: self.value(value, key) for key, value in line.items()}

    def _key(self, key: str) -> str:
        return self._names.get(key.casefold(), key)


def stand_ins(players: Iterable[str]) -> dict[str, str]:
    """P1, P2 ... for the players of one game."""
    return {name: f"P{number}" for number, name in enumerate(players, start=1)}
