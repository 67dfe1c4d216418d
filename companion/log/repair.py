"""Journals and their copies compared at the start: what a failing card damaged or cut off comes back, and is reported.

The longer of the two wins where one is a beginning of the other; where lines are damaged, each comes from the file that
still holds it (`companion.log.recovery`). Nothing is thrown away: a file that is replaced is set aside beside the new
one, and every case is reported with its name.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from companion.log.copies import copy_of, counted, entries_of, journal_of, keep_copy, keep_count
from companion.log.journal import JournalError, parse_journal, parse_line
from companion.log.recovery import Recovered, recover
from companion.storage.checksums import Chain, split_line
from companion.storage.repairs import Repair
from companion.storage.state_file import free_name, set_aside, sync_folder, write_beside, write_whole

BLOCK = 4096
"""Bytes that are given up together where a card cannot read them any more."""


def repair_games(games: Path) -> list[Repair]:
    """Compare every game with its copy and repair what is damaged; what was done, one report for each case."""
    names = {path.parent.name for path in games.glob("*/journal.jsonl")}
    names |= {path.stem for pattern in ("*.jsonl", "*.count") for path in (games.parent / "copies").glob(pattern)}
    return [report for game in sorted(names) for report in repair_game(games, game)]


def repair_game(games: Path, game: str) -> list[Repair]:
    """The same for one game, which must not be open."""
    noted = counted(games, game)
    reports = _compare_with_copy(games, game)
    return [*reports, *_missing_end(games, game, noted, reports)] if noted else reports


def _missing_end(games: Path, game: str, noted: int, reports: Sequence[Repair]) -> list[Repair]:
    """What neither file holds and nothing else says: the game had `noted` entries when it was last copied."""
    try:
        content = read_what_can_be_read(journal_of(games, game))
    except FileNotFoundError:
        content = b""
    except OSError:
        return []
    whole = whole_lines(content) if content else b""
    if whole is None:
        return []
    entries = entries_of(whole)
    keep_count(games, game, entries)
    if entries >= noted or any(one.code in ("JOURNAL_GAP", "JOURNAL_LOST", "REPAIR_FAILED") for one in reports):
        return []
    code = "JOURNAL_END_LOST" if whole else "JOURNAL_GONE"
    return [Repair(code, {"game": game, "events": entries, "lost": noted - entries})]


def _compare_with_copy(games: Path, game: str) -> list[Repair]:
    path, copy = journal_of(games, game), copy_of(games, game)
    try:
        held, copied = _File.read(path), _File.read(copy)
    except OSError:
        # Out of reach, not damaged (permissions, a card that is gone): opening the game says so.
        return []
    if not held.content and not copied.content:
        return []
    if held.whole is not None and (not copied.content or _begins(copied.whole, held.whole)):
        if not held.whole.startswith(copied.content):
            # The last line of the copy was being written when the power went: it goes on without that piece.
            set_aside(copy, "torn")
        with suppress(OSError):
            keep_copy(games, game, held.whole)
        return []
    found = recover([file.content for file in (held, copied) if file.content])
    try:
        return _put_in_place(game, path, copy, held, copied, found)
    except OSError as error:
        return [Repair("REPAIR_FAILED", {"game": game, "why": error.strerror or str(error)})]


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it was read; `content` is empty where there is none, `whole` its lines if nothing is wrong with it."""

    content: bytes
    whole: bytes | None

    @classmethod
    def read(cls, path: Path) -> _File:
        try:
            content = read_what_can_be_read(path)
        except FileNotFoundError:
            content = b""
        return cls(content, whole_lines(content))


def read_what_can_be_read(path: Path) -> bytes:
    """A file's bytes, with zeros in place of blocks that the card does not give any more. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        blocks = []
        for place in range(0, size, BLOCK):
            length = min(BLOCK, size - place)
            try:
                blocks.append(os.pread(descriptor, length, place))
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                blocks.append(b"\x00" * length)
        return b"".join(blocks)
    finally:
        os.close(descriptor)


def whole_lines(content: bytes) -> bytes | None:
    """The whole lines of a journal, a torn last one left out; None where something is wrong with one of them.

    Lines that checksums prove need not be understood; those without must be.
    """
    lines = content.split(b"\n")
    tail = lines.pop()
    chain, checked, unchecked = Chain(), False, False
    for line in lines:
        body, checksum = split_line(line)
        if not line:
            continue
        if chain.add(body) != checksum:
            if checksum is not None or checked:
                return None
            unchecked = True
        checked = checked or checksum is not None
    if tail:
        body, checksum = split_line(tail)
        proved = checksum is not None and checksum == chain.after(body)
        if proved or (not checked and checksum is None and _is_object(tail)):
            unchecked = unchecked or not proved
            content += b"\n"
        elif _is_object(tail) or not lines:
            return None
        else:
            content = content[: len(content) - len(tail)]
    if unchecked or not content:
        try:
            parse_journal(content)
        except JournalError:
            return None
    return content


def is_whole(path: Path) -> bool:
    """Whether nothing is wrong with the journal or copy at `path`, only looked at; True where it cannot be reached."""
    try:
        return whole_lines(read_what_can_be_read(path)) is not None
    except OSError:
        return True


def _begins(beginning: bytes | None, content: bytes) -> bool:
    return beginning is not None and content.startswith(beginning)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parse_line(line), dict)
    except ValueError:
        return False


def _put_in_place(game: str, path: Path, copy: Path, held: _File, copied: _File, found: Recovered) -> list[Repair]:
    reports, kept = [], []
    about: dict[str, str | int] = {"game": game, "events": found.events}
    # What a whole copy holds beyond a whole journal is another course of the game, and no entry of this one.
    gap = found.beyond > 0 and (held.whole is None or copied.whole is None)
    if found.content != held.whole:
        if held.content:
            kept.append(_replace(path, found.content).name)
            about["aside"] = kept[0]
        else:
            _restore(path, found.content)
        if held.whole is not None and found.content.startswith(held.whole):
            reports.append(Repair("JOURNAL_SHORT", {**about, "back": found.events - entries_of(held.whole)}))
        elif found.content:
            code = "JOURNAL_DAMAGED" if held.content else "JOURNAL_MISSING"
            reports.append(Repair(code, {**about, **({"why": _fault(held)} if held.content else {})}))
    if not found.content.startswith(copied.content):
        torn = _begins(copied.whole, found.content)
        aside = set_aside(copy, "torn" if torn else "damaged" if copied.whole is None else "other")
        kept.append(copy.name if aside is None else aside.name)
        if found.content and not torn and not gap:
            code = "COPY_DAMAGED" if copied.whole is None else "COPY_DIFFERS"
            reports.append(Repair(code, {"game": game, "aside": kept[-1]}))
    if not found.content:
        return [Repair("JOURNAL_LOST", {"game": game, "aside": ", ".join(kept)})]
    if found.unproved:
        entries, first = _ranges(found.unproved), max(1, found.unproved[0])
        reports.append(Repair("JOURNAL_IN_DOUBT", {"game": game, "entries": entries, "first": first}))
    if gap:
        about |= {"beyond": found.beyond, "aside": ", ".join(kept)}
        reports.append(Repair("JOURNAL_GAP", about))
    keep_copy(path.parent.parent, game, found.content)
    return reports


def _replace(path: Path, content: bytes) -> Path:
    """The new journal in the damaged one's place, which gets a name of its own; at no moment is there none."""
    aside = free_name(path, "damaged")
    if content:
        fresh = write_beside(path, content)
        os.link(path, aside)
        fresh.replace(path)
    else:
        path.rename(aside)
    sync_folder(path.parent)
    return aside


def _restore(path: Path, content: bytes) -> None:
    """A journal that is gone; nothing is made of a copy of which nothing is left."""
    if content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)


def _fault(held: _File) -> str:
    try:
        parse_journal(held.content)
    except JournalError as fault:
        return fault.why
    return ""


def _ranges(numbers: tuple[int, ...]) -> str:
    """1, 2, 3, 7 as "1-3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
