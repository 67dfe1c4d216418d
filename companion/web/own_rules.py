"""The rules of this house, kept on the box: files in `rules/` of the data folder, offered at set-up by their titles.

Each file extends a published rule set and holds only what differs, as the set-up page saves it or as somebody wrote it
(companion/rules/rulesets/README.md). A game's header keeps the published name and the differences, so that it can be
replayed when the file is gone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from companion.rules.ruleset import OPEN, SHIPPED, house_file, load_ruleset, loaded
from companion.rules.ruleset_fields import LABELS, OPTION_NAMES, RuleSetError
from companion.storage.repairs import Repair
from companion.storage.state_file import set_aside, write_whole

FOLDER = "rules"
LARGEST = 65_536
"""Bytes of a file that is looked at."""
MOST = 40
"""Files that are offered, by their names."""
LONGEST_TITLE = 40


class TooManyRulesError(Exception):
    """There is no room for another file."""


@dataclass(frozen=True, slots=True)
class OwnRules:
    """`options` are what differs from the published rule set `extends`; `key` stands for the file in an address.

    `fault`: one line that says why the file cannot be used; then nothing else but the key is known. `bad`: what it
    holds is at fault, not the card.
    """

    key: str
    title: str = ""
    extends: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    bad: bool = False


def own_rules(data_dir: Path | None) -> tuple[OwnRules, ...]:
    """Every file that lies there, by title, those that cannot be used last."""
    if data_dir is None:
        return ()
    files = sorted((data_dir / FOLDER).glob("*.toml"))[:MOST]
    found = [_read(path) for path in files]
    return tuple(sorted(found, key=lambda one: (one.fault != "", one.title.casefold(), one.key)))


def find(data_dir: Path | None, key: str) -> OwnRules | None:
    """The rules of that key; None where there are none, or none that can be used."""
    return next((one for one in own_rules(data_dir) if one.key == key and not one.fault), None)


def keep(data_dir: Path, extends: str, title: str, options: Mapping[str, Any]) -> str:
    """Write the file; one of the same title is replaced. Its key. Raises OSError, RuleSetError, TooManyRulesError."""
    content = house_file(extends, title, options).encode()
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    known = {one.title: one.key for one in own_rules(data_dir)}
    key = known.get(title) or _free_key(folder, title)
    write_whole(folder / f"{key}.toml", content)
    return key


def forget(data_dir: Path, key: str) -> bool:
    """Delete the file of that key; False where there is none. Raises OSError."""
    if key not in (one.key for one in own_rules(data_dir)):
        return False
    (data_dir / FOLDER / f"{key}.toml").unlink(missing_ok=True)
    return True


def _free_key(folder: Path, title: str) -> str:
    taken = {path.stem for path in folder.glob("*.toml")}
    if len(taken) >= MOST:
        raise TooManyRulesError
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "rules"
    return next(key for n in range(1, MOST + 2) if (key := stem if n == 1 else f"{stem}-{n}") not in taken)


def broken(data_dir: Path | None, report: Callable[[Repair], None]) -> list[Repair]:
    """Set each file aside that makes no sense, and report it; those that stay and cannot be used."""
    left = []
    for one in own_rules(data_dir):
        if not one.fault:
            continue
        aside = set_aside(data_dir / FOLDER / f"{one.key}.toml", "bad") if data_dir is not None and one.bad else None
        if aside is None:
            left.append(Repair("RULES_FILE", {"why": one.fault}))
        else:
            report(Repair("RULES_ASIDE", {"why": one.fault, "aside": aside.name}))
    return left


def _read(path: Path) -> OwnRules:
    """The file, read anew where it has changed."""
    try:
        stat = path.stat()
    except OSError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error.strerror or 'cannot be read'}")
    if not S_ISREG(stat.st_mode):
        return OwnRules(path.stem, fault=f"{path.name}: expected a file", bad=True)
    return _read_file(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2 * MOST)
def _read_file(path: Path, _changed: int, size: int) -> OwnRules:
    try:
        if size > LARGEST:
            raise RuleSetError(f"expected at most {LARGEST} bytes")
        with path.open("rb") as file:
            content = file.read(LARGEST)
        written = loaded(content.decode())
        extends = written.pop("extends", None)
        if extends not in SHIPPED:
            raise RuleSetError(f"extends: expected one of {', '.join(SHIPPED)}")
        labels = {name: written.pop(name) for name in LABELS if name in written}
        options = {OPTION_NAMES.get(name, name): _plain(name, entry) for name, entry in written.items()}
        load_ruleset(extends, options)
    except OSError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error.strerror or 'cannot be read'}")
    except RuleSetError as error:
        return OwnRules(path.stem, fault=f"{path.name}: {error}", bad=True)
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        return OwnRules(path.stem, fault=f"{path.name}: expected TOML: {why}", bad=True)
    title = str(labels.get("title") or path.stem)[:LONGEST_TITLE]
    return OwnRules(path.stem, title, extends, options)


def _plain(name: str, entry: Any) -> Any:
    """The value alone: in a game's header what a house chooses is settled, so nothing there can be open."""
    if not (isinstance(entry, dict) and "value" in entry):
        return entry
    if entry.get("mark") == OPEN:
        raise RuleSetError(f"{name}.mark: expected a rule that this house has settled, not {OPEN}")
    return entry["value"]
