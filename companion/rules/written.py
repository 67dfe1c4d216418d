"""Texts that stand beside the code, in TOML files, so that mending a sentence needs no Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

COMPANION = Path(__file__).resolve().parents[1]


@cache
def written(name: str) -> dict[str, Any]:
    """The content of one of the files, by its path inside `companion`; read once."""
    import tomllib  # a program that asks for no text need not wait for it

    return tomllib.loads((COMPANION / name).read_text(encoding="utf-8"))
