"""A bundle for whoever helps from afar: how the box and its games are, without pictures, names, PIN or addresses."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import logging
import platform
import socket
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from companion.app.checkup import Machine, check_all
from companion.app.redaction import Redaction, stand_ins
from companion.app.state import AppState
from companion.log.copies import copy_of
from companion.log.journal import JournalError, read_journal
from companion.log.repair import is_whole
from companion.storage.packed import NewZip
from companion.web.own_rules import own_rules
from companion.web.repair_texts import in_english

PACKAGES = (
    "numpy",
    "opencv-python",
    "onnxruntime",
    "pillow",
    "flask",
    "waitress",
    "click",
    "babel",
    "paho-mqtt",
    "gpiozero",
)

MOST_RECORDS = 300

WHAT = """What is in this bundle

about.json    versions, the machine, and how the companion was started
doctor.json   what `companion doctor` finds
repairs.json  what is wrong, and what was and nobody has seen yet
games.json    how many games and events there are, and whether each journal is whole
journal.jsonl the game on the table, its players as P1, P2 ...
log.jsonl     the last warnings of the program

What is not in it: pictures, names of players, tables and house rules, the PIN, addresses, names of machines, places of
files.
"""


class RecentLog(logging.Handler):
    """The last warnings, in memory only."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: deque[dict[str, str]] = deque(maxlen=MOST_RECORDS)

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += f" ({type(record.exc_info[1]).__name__}: {record.exc_info[1]})"
        stamp = logging.Formatter().formatTime(record)
        self.records.append({"at": stamp, "level": record.levelname, "from": record.name, "words": text})


class Diagnostics:
    """Packs the bundle. `started` says how the program was started; `log` what it warned of; `named` are names that
    were chosen for table and machine."""

    def __init__(
        self,
        app_state: AppState,
        data_dir: Path,
        started: Mapping[str, Any],
        log: RecentLog,
        named: Collection[str] = (),
    ) -> None:
        self._app_state, self._data_dir, self._started, self._log = app_state, data_dir, dict(started), log
        self._named = named

    def pack(self, into: IO[bytes], secrets: Sequence[str] = ()) -> None:
        """Write the bundle as a zip; each of `secrets` (the PIN, say) is nowhere in it. Raises OSError."""
        hidden = [*secrets, socket.gethostname(), str(self._data_dir), str(Path.home())]
        everybody = Redaction({**self._chosen(), **dict.fromkeys(self._people(), "somebody")}, hidden)
        with NewZip(into) as bundle:
            bundle.writestr("READ-ME.txt", WHAT)
            for name, facts in (
                ("about.json", self._about()),
                ("doctor.json", [dataclasses.asdict(one) for one in check_all(Machine(self._data_dir, port=0))]),
                ("repairs.json", self._repairs()),
                ("games.json", self._games()),
            ):
                bundle.writestr(name, json.dumps(everybody.value(facts), ensure_ascii=False, indent=1))
            bundle.writestr("log.jsonl", _lines(everybody.value(one) for one in list(self._log.records)))
            bundle.writestr("journal.jsonl", _lines(self._journal(hidden)))

    def _about(self) -> dict[str, Any]:
        model = self._text(Path("/proc/device-tree/model")).rstrip("\x00")
        system = [line for line in self._text(Path("/etc/os-release")).splitlines() if line.startswith("PRETTY_NAME=")]
        return {
            "version": _version("tabletop-companion"),
            "started": self._started,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "kernel": platform.release(),
            "system": system[0].partition("=")[2].strip('"') if system else "",
            "board": model,
            "packages": {name: _version(name) for name in PACKAGES},
        }

    def _repairs(self) -> list[dict[str, Any]]:
        found = [replace(one, about=_without_values(one.about)) for one in self._app_state.repairs.open()]
        return [{"code": one.code, "since": one.since, "words": in_english(one)} for one in found]

    def _games(self) -> list[dict[str, Any]]:
        games = self._data_dir / "games"
        found = []
        for name in self._app_state.games():
            path = games / name / "journal.jsonl"
            facts: dict[str, Any] = {"game": name, "current": name == self._app_state.game, "whole": is_whole(path)}
            facts["copy_whole"] = is_whole(copy_of(games, name))
            with suppress(OSError):
                facts["bytes"] = path.stat().st_size
                facts["beside"] = dict(Counter(beside.suffix for beside in path.parent.iterdir()))
            try:
                text = read_journal(path)
                facts |= {"rules": text.header.rules, "set": text.header.set, "players": len(text.header.players)}
                facts["events"] = dict(Counter(event.KIND for event in text.events))
            except JournalError as fault:
                facts["fault"] = _place_of(fault.why)
            found.append(facts)
        return found

    def _journal(self, hidden: Sequence[str]) -> Iterable[dict[str, Any]]:
        """The game on the table, each player under another name."""
        journal = getattr(self._app_state.session, "journal", None) if self._app_state.has_game else None
        if journal is None:
            return
        stands = stand_ins(journal.header.players)
        others = {name: "somebody" for name in self._people() if name not in stands}
        redaction = Redaction({**self._chosen(), **others, **stands}, hidden)
        header = {key: value for key, value in journal.header.to_json().items() if key not in journal.header.extra}
        yield {**redaction.event(header), "players": list(stands.values())}
        for event in journal.events:
            yield redaction.event(event.to_json())

    def _chosen(self) -> dict[str, str]:
        """Names that this house has given to its rules, its table and its machine; nothing stands for them."""
        rules = [name for one in own_rules(self._data_dir) for name in (one.key, one.title)]
        return dict.fromkeys((*rules, *self._named), "…")

    def _people(self) -> set[str]:
        """Everybody who plays in a game or has corrected something."""
        people: set[str] = set()
        for name in self._app_state.games():
            with suppress(JournalError):
                text = read_journal(self._data_dir / "games" / name / "journal.jsonl")
                people |= {*text.header.players}
                people |= {by for event in text.events if isinstance(by := event.who, str)}
        if self._app_state.has_game:
            people |= {*self._app_state.session.snapshot().players}
        return people

    @staticmethod
    def _text(path: Path) -> str:
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


def _place_of(fault: str) -> str:
    """`line 1: players: Ann sits there twice` -> `line 1: players`; what was found there may be a name."""
    return ": ".join(fault.split(": ")[:2])


def _without_values(about: Mapping[str, str | int]) -> dict[str, str | int]:
    return {key: _place_of(value) if key == "why" and isinstance(value, str) else value for key, value in about.items()}


def _lines(values: Iterable[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
