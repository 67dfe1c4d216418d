"""The weights that the eye reads with, found by name and checked before anything loads them: those that ship with the
product, or your own from another folder.

Standard library only, nothing at import. `networks/manifest.json` states for every name the file, its size and SHA-256,
the classes in the order of the output, what goes in and comes out, the temperature of its probabilities and the card
that tells where it comes from.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WEIGHTS = Path(__file__).parent / "networks"
MANIFEST = "manifest.json"
OWN = "COMPANION_EYE"
"""The environment variable that names a folder with networks of your own, for this program and all that it starts."""
RUNTIME = "COMPANION_RUNTIME"
"""The environment variable that names the file in which `companion doctor` keeps the runtime that it chose."""


class WeightsError(Exception):
    """A model file that is missing, damaged or not what was expected.

    One line: which file, what is wrong with it, what was expected.
    """


@dataclass(frozen=True, slots=True)
class Shipped:
    """The manifest's entry for one network."""

    name: str
    path: Path
    sha256: str
    size: int
    classes: tuple[str, ...]
    temperature: float
    """Divides the logarithms of its probabilities."""
    confidence: Mapping[str, float]
    """The weights of a judge's opinion and of the detector's; empty for other networks."""


def folder_of(name: str) -> Path:
    """Where this network is taken from: your own folder if its manifest lists it, else the product's. WeightsError
    where there is no manifest in your folder."""
    own = os.environ.get(OWN, "")
    return Path(own) if own and name in names_in(Path(own)) else WEIGHTS


def names_in(folder: Path) -> list[str]:
    """The networks that a folder's manifest lists; WeightsError for a bad manifest."""
    return sorted(_entries(folder / MANIFEST))


def _entries(manifest: Path) -> dict[str, dict[str, Any]]:
    try:
        return dict(json.loads(manifest.read_text(encoding="utf-8"))["weights"])
    except OSError as problem:
        raise WeightsError(f"{manifest}: {problem.strerror or problem}, expected a list of weights") from None
    except (ValueError, KeyError, TypeError) as problem:
        raise WeightsError(f"{manifest}: not a list of weights ({type(problem).__name__}: {problem})") from None


def shipped(name: str, folder: Path = WEIGHTS) -> Shipped:
    """The manifest's entry for `name`, the file itself not yet looked at; WeightsError for a bad manifest."""
    manifest = folder / MANIFEST
    entries = _entries(manifest)
    try:
        entry = entries.get(name)
        if entry is None:
            raise WeightsError(f"{manifest}: no weights named {name!r}, expected one of {', '.join(sorted(entries))}")
        return Shipped(
            name=name,
            path=folder / str(entry["file"]),
            sha256=str(entry["sha256"]).lower(),
            size=int(entry["bytes"]),
            classes=tuple(str(label) for label in entry["classes"]),
            temperature=float(entry["temperature"]),
            confidence={str(name): float(value) for name, value in entry.get("confidence", {}).items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise WeightsError(f"{manifest}: not a list of weights ({type(problem).__name__}: {problem})") from None


def shipped_weights(name: str, classes: Sequence[str] | None = None, folder: Path = WEIGHTS) -> Path:
    """The file of the weights `name` after its size and SHA-256 agreed with the manifest.

    With `classes`, what the caller is going to take the outputs for, also that the manifest says the same.
    Not checked: whether an inference engine can run the file. Raises WeightsError, one line.
    """
    entry = shipped(name, folder)
    if classes is not None and tuple(classes) != entry.classes:
        raise WeightsError(
            f"{entry.path}: wrong classes, made for {', '.join(entry.classes)}; expected {', '.join(classes)}"
        )
    if not entry.path.is_file():
        raise WeightsError(f"{entry.path}: missing, expected {entry.size} bytes with SHA-256 {entry.sha256}")
    size = entry.path.stat().st_size
    if size != entry.size:
        word = "truncated" if size < entry.size else "too long"
        raise WeightsError(f"{entry.path}: {word}, {size} bytes, expected {entry.size}")
    found = file_sha256(entry.path)
    if found != entry.sha256:
        raise WeightsError(f"{entry.path}: wrong SHA-256 {found}, expected {entry.sha256}")
    return entry.path


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file as lower-case hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
