"""Reports that leave the box for helpers from afar, and the care for the box's disk.

`companion report GAME` packs one game, `Diagnostics` how the box and its games are; both without names, PIN, addresses
and places of files. `Redaction` works on whole words, whatever their case, and on JSON by its structure, so that a
player called like a field changes no field. `open_storage` looks the disk over at the start of `companion serve`.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import platform
import re
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import click
from PIL import Image, ImageOps

from companion.app.checkup import Machine, check_all
from companion.app.state import AppState
from companion.cli.options import options, refusing
from companion.evidence.store import KEEP_DAYS, Deleter, delete_stored, expire_stored, found
from companion.log.copies import CopyKeeper, copy_of, is_kept_twice, is_whole, journal_of, kept_games, repair_game
from companion.log.event_fields import JOURNAL_VERSION
from companion.log.journal import JournalError, JournalText, parse_line, read_journal
from companion.storage.game_folders import GameFolders, NewZip
from companion.storage.repairs import CLOCK_FILE, CODE, REPAIRS_FILE, ClockTrust, Repair, Repairs
from companion.storage.state_file import split_line
from companion.web.setup import own_rules
from companion.web.texts import in_english

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

BUNDLE_CONTENTS = """What is in this bundle

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
        hidden = [*secrets, socket.gethostname(), str(self._data_dir), os.environ.get("HOME", "")]
        everybody = Redaction({**self._chosen(), **dict.fromkeys(self._people(), "somebody")}, hidden)
        with NewZip(into) as bundle:
            bundle.writestr("READ-ME.txt", BUNDLE_CONTENTS)
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
        return program_and_machine() | {
            "started": self._started,
            "kernel": platform.release(),
            "system": system[0].partition("=")[2].strip('"') if system else "",
            "board": model,
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


def program_and_machine() -> dict[str, Any]:
    """Their versions, with those of the packages that the program uses."""
    return {
        "version": _version("tabletop-companion"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


LONGEST_SIDE = 4096
"""Pictures are made no larger than this, in pixels: a pip stays legible, and the file can be sent."""

REPORT_CONTENTS = """What is in this file

about.json     versions, and the machine
journal.jsonl  the game: what the camera saw and what people said. Players are P1, P2 ...
picture-N.jpg  pictures that you named, without what the camera or phone wrote beside them

What is not in it: names of players, places of files, any picture that you did not name.
"""


@click.command(name="report")
@click.argument("game", type=click.Path(path_type=Path))
@options("report")
def report(game: Path, pictures: tuple[Path, ...], into: Path | None) -> None:
    """Pack a game for whoever looks into a fault, without the names in it.

    GAME is a journal.jsonl from the folder of the games, or from a zip that the page saved. Look inside the file before
    you send it. Exit status 1 where something cannot be read, or the file of --into is there already.

    \b
    companion report journal.jsonl
    companion report journal.jsonl --picture table.jpg
    """
    if into is not None and into.exists():
        raise click.ClickException(f"--into {into}: it is there already; choose another name")
    with refusing(JournalError), refusing(OSError, about=game):
        text = read_journal(game)
        lines = redacted_lines(game.read_bytes(), text)
    packed = []
    for number, path in enumerate(pictures, start=1):
        with refusing(OSError, Image.DecompressionBombError, about=f"--picture {path}", expected="a picture"):
            packed.append((f"picture-{number}.jpg", bare_picture(path)))
    target = into or game.with_name(f"{game.stem}-report.zip")
    try:
        with NewZip(target) as bundle:
            bundle.writestr("READ-ME.txt", REPORT_CONTENTS)
            bundle.writestr("about.json", json.dumps(program_and_machine(), indent=1))
            bundle.writestr("journal.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
            for name, content in packed:
                bundle.writestr(name, content)
    except OSError as error:
        raise click.ClickException(f"{target}: cannot be written: {error.strerror}") from None
    click.echo(str(target))


def redacted_lines(content: bytes, text: JournalText) -> list[dict[str, Any]]:
    """The lines of a journal that was read as `text`: the players as P1, P2 ..., whoever else is named as somebody,
    checksums and unknown fields of the header left out. The result opens as a journal.
    """
    players = text.header.players
    others = {event.who for event in text.events if isinstance(event.who, str)} - set(players)
    redaction = Redaction({**dict.fromkeys(others, SOMEBODY), **stand_ins(players)})
    header = {key: value for key, value in text.header.to_json().items() if key not in text.header.extra}
    lines = [{**redaction.event(header), "journal": JOURNAL_VERSION, "players": list(stand_ins(players).values())}]
    for line in content[: text.good_bytes].splitlines()[1:]:
        if line.strip():
            lines.append(redaction.event(parse_line(split_line(line)[0])))
    return lines


def bare_picture(path: Path) -> bytes:
    """A picture as JPEG, upright, without metadata. Raises OSError, UnidentifiedImageError."""
    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    written = BytesIO()
    upright.save(written, "JPEG", quality=95, exif=b"")
    return written.getvalue()


PAUSE_S = 0.25
"""After each earlier game that is compared with its copy: a tap at the table comes first."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The data folder in use: who deletes in it, whether its clock is right, and what has to be reported."""

    folder: Path
    repairs: Repairs
    deleter: Deleter
    trust: ClockTrust

    @property
    def games(self) -> Path:
        return self.folder / "games"

    def delete_pictures(self) -> int:
        """Every picture of every game and every corrected tile, where no camera keeps any; how many there were."""
        return delete_stored(self.games, self.deleter)

    def copy_games_of(self, app_state: AppState, parts: ExitStack) -> None:
        """Copy whichever game is on the table, while it is played."""

        def refused(game: str) -> None:
            self.repairs.report(Repair("COPY_REFUSED", {"game": game}))

        copies = CopyKeeper(self.games, refused, loop=app_state.parts.add("copies").loop)
        parts.callback(copies.close)
        app_state.follow(copies.follow)

    def repair(self, game: str) -> list[Repair]:
        """Repair what is damaged of a game that is not open, and say what was done."""
        cases = repair_game(self.games, game)
        for case in cases:
            self.repairs.report(case)
            click.echo(in_english(case), err=True)
        return cases

    def repair_earlier_games(self, app_state: AppState, parts: ExitStack) -> None:
        """While the page answers: hundreds of games take a small board a minute. One that has been on the table since
        the start was repaired when it came there."""
        over, opened, left = threading.Event(), set[str](), kept_games(self.games)
        app_state.follow(lambda game, _: opened.add(game))

        def step() -> bool:
            if left and not is_kept_twice(self.games, game := left.pop()):
                with app_state.switching:
                    if game not in opened and self.repair(game) and app_state.index is not None:
                        app_state.index.look_again()
            return bool(left) and not over.wait(PAUSE_S)

        loop = app_state.parts.add("repairs").loop
        threading.Thread(target=loop, args=(step,), name="repairs", daemon=True).start()
        parts.callback(over.set)


def open_storage(folder: Path) -> Storage:
    """Bring back the games that are missing and repair the one on the table, delete what is too old, and say what was
    done."""
    repairs = Repairs(folder / REPAIRS_FILE)
    deleter = Deleter(repairs.report)
    trust = ClockTrust(folder / CLOCK_FILE, _newest(folder / "games"), damaged=repairs.report_damaged)
    repairs.check(trust.repairs)
    repairs.actions[CODE] = trust.confirm
    storage = Storage(folder, repairs, deleter, trust)
    for game in kept_games(storage.games):
        if not journal_of(storage.games, game).is_file():
            storage.repair(game)
    if current := GameFolders(folder, repairs.report_damaged).current():
        storage.repair(current)
    if trust.sure:
        expire_stored(storage.games, time.time() - KEEP_DAYS * 86400, deleter)
    return storage


def _newest(games: Path) -> float | None:
    """When something was last written in a game, in seconds since 1970; None for an empty one."""
    journals = [path.stat().st_mtime for path in games.glob("*/journal.jsonl")]
    return max([*journals, *(stored.at for stored in found(games))], default=None)
