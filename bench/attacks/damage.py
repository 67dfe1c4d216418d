"""Journals and their copies damaged as failing cards damage them.

`python -m bench.attacks.damage [DAMAGES] [SEED] [FIRST]`; each damage follows from the seed and its number, so that a
run can be divided.

Each damage starts from a whole game and its copy (as long, or shorter by the last few entries). Bits, bytes, blocks and
lines of one file or of both are changed, lost, doubled, exchanged or cut off; then the program's own repair runs as it
does at the start. Seen must be, each time:

- no silent difference: what the repaired journal says otherwise than the game is named in a report;
- nothing lost: every entry up to the first one that neither file holds is in the journal again, and every later one
  lies in a file that was set aside and is counted in a report;
- both damaged files are kept byte by byte, unless nothing had to be replaced;
- a second repair finds nothing to do, and the game goes on.

The same for games that a camera watched: what it saw is a line of its own in them, and counts as an entry here.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.attacks.power_cut import evening_clock, record_game
from bench.attacks.results import arguments, command, record
from companion.game.game import Game
from companion.log.copies import copy_of, journal_of, repair_game
from companion.log.event_fields import Header
from companion.log.events import Drew, Event, SeenLine
from companion.log.journal import Journal, JournalError, JournalText, read_journal
from companion.rules.ruleset import load_ruleset
from companion.storage.repairs import Repair
from datasets.bots import BotGame
from datasets.bots.watching import seen

GAME = "evening"
BLOCK = 512


@dataclass(slots=True)
class DamageReport:
    """The outcome of the damages.

    `identical`: the whole game is there again. `shorter`: it ends where neither file held the next entry, and a report
    says so; `gone`: so from the first line on; `ends_lost`: neither file held anything of its last entries, and nothing
    shows that there were some. `silent_differences`, `entries_lost`, `files_lost` and `not_settled` must be 0.
    """

    damages: int = 0
    identical: int = 0
    shorter: int = 0
    gone: int = 0
    ends_lost: int = 0
    entries_restored: int = 0
    silent_differences: int = 0
    entries_lost: int = 0
    files_lost: int = 0
    not_settled: int = 0
    failed: list[int] = field(default_factory=list)
    """Numbers of the damages after which not everything was as it must be."""
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> int:
        return self.silent_differences + self.entries_lost + self.files_lost + self.not_settled


@dataclass(frozen=True, slots=True)
class Evening:
    """A whole journal, and what it says line by line."""

    content: bytes
    entries: tuple[Event | SeenLine, ...]

    @property
    def lines(self) -> list[bytes]:
        return self.content.splitlines(keepends=True)


def make_game(folder: Path, rounds: int, seed: int) -> Evening:
    path = folder / f"game-{seed}-{rounds}.jsonl"
    events = tuple(record_game(path, rounds, seed))
    return Evening(path.read_bytes(), events)


def make_watched_game(folder: Path, seed: int) -> Evening:
    """A round that a camera watched: between the events stand the lines of what it saw."""
    path = folder / f"watched-{seed}.jsonl"
    rules = load_ruleset("reeves")
    game = BotGame(rules, 3, seed, rounds=1)
    played = next(iter(game.rounds()))
    header = Header("reeves", f"double-{played.start.set_max}", game.players)
    session = Game.create(path, header, evening_clock())
    session.start_round(played.engine, played.starter)
    for turn in played.turns():
        session.observe(seen([turn]))
    session.close()
    return Evening(path.read_bytes(), entries_of(read_journal(path)))


def entries_of(text: JournalText) -> tuple[Event | SeenLine, ...]:
    """The lines after the header, in their order."""
    lines: list[Event | SeenLine] = []
    looks = list(text.seen)
    for event in text.events:
        while looks and looks[0].after < event.seq:
            lines.append(looks.pop(0))
        lines.append(event)
    return (*lines, *looks)


Damage = Callable[[bytes, random.Random], bytes]


def flip_bits(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def change_bytes(content: bytes, chance: random.Random) -> bytes:
    """A run of bytes holds anything; now and then what it held elsewhere."""
    begin = chance.randrange(len(content))
    length = chance.choice([1, 2, 5, 20, 200])
    other = chance.randrange(len(content))
    fill = content[other : other + length] if chance.random() < 0.3 else chance.randbytes(length)
    return content[:begin] + fill[: len(content) - begin] + content[begin + length :]


def wipe_block(content: bytes, chance: random.Random) -> bytes:
    """A block of the card reads as zeros, or as ones."""
    begin = chance.randrange(0, len(content), BLOCK)
    length = min(BLOCK * chance.choice([1, 1, 2, 8]), len(content) - begin)
    return content[:begin] + chance.choice([b"\x00", b"\xff"]) * length + content[begin + length :]


def change_digits(content: bytes, chance: random.Random) -> bytes:
    """A line stays perfectly good JSON and says something else."""
    lines = content.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    digits = [at for at, byte in enumerate(lines[place]) if 48 <= byte <= 57]
    line = bytearray(lines[place])
    for at in chance.sample(digits, min(len(digits), chance.choice([1, 1, 2, 4]))):
        line[at] = 48 + (line[at] - 48 + chance.randrange(1, 10)) % 10
    lines[place] = bytes(line)
    return b"".join(lines)


def lose_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    begin = chance.randrange(len(lines))
    del lines[begin : begin + chance.choice([1, 1, 1, 2, 5, 30])]
    return b"".join(lines)


def double_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    for _ in range(chance.choice([1, 1, 3])):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    return b"".join(lines)


def exchange_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if chance.random() < 0.2:
        chance.shuffle(lines)
    for _ in range(chance.choice([1, 2])):
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def cut_end(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        lines = content.splitlines(keepends=True)
        return b"".join(lines[: chance.randrange(len(lines) + 1)])
    return content[: chance.randrange(len(content) + 1)]


def cut_front(content: bytes, chance: random.Random) -> bytes:
    return content[chance.randrange(len(content) // 2) :]


def cut_out(content: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(content))
    return content[:begin] + content[begin + chance.choice([1, 3, 50, 700]) :]


def put_in(content: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(content) + 1)
    return content[:begin] + chance.choice([b"\n", b"{}\n", b"\x00" * 30, chance.randbytes(40)]) + content[begin:]


KINDS: dict[str, Damage] = {
    "bits": flip_bits,
    "bytes": change_bytes,
    "block": wipe_block,
    "digits": change_digits,
    "lines lost": lose_lines,
    "lines doubled": double_lines,
    "lines exchanged": exchange_lines,
    "end cut off": cut_end,
    "front cut off": cut_front,
    "bytes cut out": cut_out,
    "bytes put in": put_in,
}


def attack(folder: Path, damages: int, seed: int, *, first: int = 0, watched: bool = False) -> DamageReport:
    """Damages number `first` and on; each is made from the seed and its number alone. `watched`: games that a camera
    watched."""
    if watched:
        games = [make_watched_game(folder, number) for number in (5, 6)]
    else:
        games = [make_game(folder, 1, 5), make_game(folder, 2, 6)]
    report = DamageReport()
    for number in range(first, first + damages):
        chance = random.Random(f"{seed}-{number}")
        game = chance.choice(games)
        journal, copy, kinds = damaged(game, chance)
        place = folder / f"damage-{number}"
        faults = report.faults
        _try_one(place, game, journal, copy, report)
        if report.faults > faults:
            report.failed.append(number)
        report.kinds.update(kinds)
        shutil.rmtree(place)
    return report


def damaged(game: Evening, chance: random.Random) -> tuple[bytes, bytes | None, list[str]]:
    """Journal and copy after one evening of a bad card, and what happened to them."""
    lag = chance.choice([0, 0, 0, 1, 3, 9])
    journal, copy = game.content, b"".join(game.lines[: len(game.lines) - lag])
    kinds = []
    where = chance.choices(["journal", "copy", "both"], weights=[5, 1, 4])[0]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        if where in ("journal", "both"):
            kinds.append(chance.choice(list(KINDS)))
            journal = KINDS[kinds[-1]](journal, chance) if journal else journal
        if where in ("copy", "both"):
            kinds.append(chance.choice(list(KINDS)))
            copy = KINDS[kinds[-1]](copy, chance) if copy else copy
    if chance.random() < 0.03:
        kinds.append("files exchanged")
        journal, copy = copy, journal
    if chance.random() < 0.05:
        kinds.append("no copy")
        return journal, None, kinds
    return journal, copy, kinds


def _try_one(folder: Path, game: Evening, journal: bytes, copy: bytes | None, report: DamageReport) -> None:
    games = folder / "games"
    path, beside = journal_of(games, GAME), copy_of(games, GAME)
    for file, content in ((path, journal), (beside, copy)):
        if content is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    reports = repair_game(games, GAME)
    report.damages += 1
    kept = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    report.files_lost += sum(1 for one in (journal, copy) if one and not any(_holds(file, one) for file in kept))
    _compare(game, _entries(path), journal, copy, kept, reports, report)
    if repair_game(games, GAME):
        report.not_settled += 1
    if _entries(path) is not None:
        with Journal.open(path) as reopened:
            reopened.append(Drew(by=None))


def _holds(file: bytes, damaged_file: bytes) -> bool:
    """Kept as it was; a last line that was being written may have been finished or set aside by itself."""
    return file == damaged_file or file.startswith(damaged_file)


def _entries(path: Path) -> tuple[Event | SeenLine, ...] | None:
    try:
        return entries_of(read_journal(path))
    except JournalError:
        return None


def _compare(
    game: Evening,
    found: Sequence[Event | SeenLine] | None,
    journal: bytes,
    copy: bytes | None,
    kept: Sequence[bytes],
    reports: Sequence[Repair],
    report: DamageReport,
) -> None:
    pieces = {*journal.split(b"\n"), *(copy or b"").split(b"\n")}
    raws = game.content.split(b"\n")[:-1]
    held = [raw in pieces for raw in raws]
    first_missing = held.index(False) if False in held else len(held)
    here = 0 if found is None else len(found) + 1
    # Entries up to the first one that neither file holds must be back.
    report.entries_lost += max(0, first_missing - here)
    # Later ones are in it too, or lie in some file, and their number in a report.
    places = range(here, len(raws))
    later = [raws[n] for n in places if held[n] and (n == 0 or game.entries[n - 1] not in (found or ()))]
    lying = {piece for file in kept for piece in file.split(b"\n")}
    report.entries_lost += sum(1 for raw in later if raw not in lying)
    differing = [n for n, (a, b) in enumerate(zip(found or (), game.entries, strict=False), start=1) if a != b]
    report.silent_differences += bool(differing) or (found is not None and len(found) > len(game.entries))
    report.silent_differences += bool(later) and not any(one.code in ("JOURNAL_GAP", "JOURNAL_LOST") for one in reports)
    if found is None:
        report.gone += 1
        report.silent_differences += not reports and bool(journal or copy)
    elif len(found) == len(game.entries):
        report.identical += not differing
        report.entries_restored += sum(1 for raw in raws if raw not in journal.split(b"\n"))
    elif reports:
        report.shorter += 1
    else:
        report.ends_lost += 1


def main() -> None:
    chosen = arguments(
        "Damages of journal and copy, the seed, the first damage's number.", damages=10_000, seed=1, first=0
    )
    faults = 0
    tenth = max(1, chosen.damages // 10)
    for name, watched, damages in (
        ("journals_damaged", False, chosen.damages),
        ("watched_journals_damaged", True, tenth),
    ):
        with tempfile.TemporaryDirectory() as folder:
            report = attack(Path(folder), damages, chosen.seed, first=chosen.first, watched=watched)
        faults += report.faults
        facts: dict[str, Any] = {**asdict(report), "kinds": dict(sorted(report.kinds.items()))}
        print(f"{name}: {facts}", flush=True)
        if chosen.record:
            record(name, {"command": command("bench.attacks.damage"), **facts})
    if faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
