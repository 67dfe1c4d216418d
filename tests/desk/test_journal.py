"""The journal on the disk: what is acknowledged stays, what is torn is kept aside, what is wrong is named."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.stand_ins import making
from companion.game.game import Game
from companion.log import journal as journal_module
from companion.log.event_fields import Header
from companion.log.events import Event, Passed, TilePlayed
from companion.log.journal import Journal, JournalError, parse_journal, read_journal
from companion.rules.tile import Laid
from companion.storage.state_file import split_line

DEEP = '{"a":' * 50 + "1" + "}" * 50
PLAY = TilePlayed(by="Ann", tile=Laid(12, 5), train="Ann", source="camera", frame="0001.jpg")


def game(path: Path, *events: Event) -> list[Event]:
    with Journal.create(path, making.HEADER, making.ticking()) as journal:
        return [journal.append(event) for event in events]


def test_an_event_is_stamped_with_its_seq_and_the_clock_of_the_journal(tmp_path: Path) -> None:
    first, second = game(tmp_path / "g.jsonl", PLAY, Passed(by="Ben"))
    assert (first.seq, first.at) == (1, "2026-11-20T18:00:00.000Z")
    assert (second.seq, second.at) == (2, "2026-11-20T18:00:01.000Z")
    lines = (tmp_path / "g.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["journal"] == 3
    written = json.loads(lines[1])
    assert len(written.pop("sum")) == 16
    assert written == first.to_fact()


def test_a_journal_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    before = game(path, PLAY, PLAY)
    with Journal.open(path, making.ticking()) as journal:
        assert list(journal.events) == before
        assert journal.append(Passed(by="Cy")).seq == 3
    assert [event.seq for event in read_journal(path).events] == [1, 2, 3]


@settings(max_examples=100, deadline=None)
@given(st.lists(making.events, max_size=8))
def test_what_was_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, events: list[Event]) -> None:
    path = tmp_path_factory.mktemp("journal") / "g.jsonl"
    with Journal.create(path, making.HEADER, making.ticking()) as journal:
        stamped = journal.append_all(events)
    text = read_journal(path)
    assert text.header == making.HEADER
    assert text.events == stamped
    assert [replace(event, seq=0, at="") for event in text.events] == [event.fact() for event in events]
    assert not any(b'"violations": [{' in line for line in path.read_bytes().splitlines() if b'"what"' not in line)


def test_an_event_that_could_not_be_read_back_is_refused_and_the_game_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    table = Game.create(path, Header("tactic", "double-12", ("Ann", "Ben", "Cy")))
    table.start_round(starter="Ann")
    with pytest.raises(JournalError, match=r"round_ended: seq 2: how: expected one of out, .*, not 'finished'"):
        table.end_round("finished")
    assert table.phase == "playing"
    table.end_round("abandoned")
    table.close()
    assert [event.KIND for event in read_journal(path).events] == ["round_started", "round_ended"]


def test_only_the_owner_may_read_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    game(path, PLAY)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    Journal.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600, "journals of earlier releases as well"


def without_checksums(content: bytes) -> bytes:
    return b"".join(split_line(line)[0] + b"\n" for line in content.splitlines())


def damaged(content: bytes, chance: random.Random) -> bytes:
    """One damage as failing cards make them: bits, a byte, or whole lines that are lost, doubled or exchanged."""
    lines = content.splitlines(keepends=True)
    one, other = chance.sample(range(len(lines)), 2)
    kind = chance.choice(["bit", "byte", "lost", "doubled", "exchanged"])
    if kind in ("bit", "byte"):
        changed = bytearray(content)
        place = chance.randrange(len(content))
        changed[place] ^= 1 << chance.randrange(8) if kind == "bit" else chance.randrange(1, 256)
        return bytes(changed)
    if kind == "lost":
        del lines[one]
    elif kind == "doubled":
        lines.insert(other, lines[one])
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def test_no_damage_is_ever_read_as_another_game(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    events = tuple(game(path, *[replace(PLAY, tile=Laid(5, n)) for n in range(12)]))
    content = path.read_bytes()
    chance = random.Random(39)
    refused = 0
    for _ in range(2000):
        changed = damaged(content, chance)
        try:
            text = parse_journal(changed)
        except JournalError as error:
            refused += 1
            assert "\n" not in str(error)
            continue
        assert text.header == making.HEADER
        assert text.events == events[: len(text.events)], changed
        assert len(text.events) == len(events) or text.torn or len(changed) < len(content)
    assert refused > 1800


def test_a_journal_without_checksums_goes_on_with_lines_that_cover_the_old_ones(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    before = game(path, PLAY, Passed(by="Ben"))
    path.write_bytes(without_checksums(path.read_bytes()))
    assert list(read_journal(path).events) == before
    with Journal.open(path) as journal:
        journal.append(Passed(by="Cy"))
    content = path.read_bytes()
    assert [split_line(line)[1] is not None for line in content.splitlines()] == [False, False, False, True]
    path.write_bytes(content.replace(b'"by": "Ann"', b'"by": "Ben"', 1))
    with pytest.raises(JournalError, match="line 4: does not fit its checksum"):
        read_journal(path)


def test_a_line_that_lacks_its_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    first = game(path, PLAY)[0]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**first.to_json(), "seq": 2}) + "\n")
    with pytest.raises(JournalError, match="line 3: has no checksum; expected one"):
        read_journal(path)


def test_an_error_tells_a_page_why_without_the_place(tmp_path: Path) -> None:
    with pytest.raises(JournalError) as refused:
        Journal.open(tmp_path / "none.jsonl")
    assert refused.value.why == "cannot be opened: No such file or directory"


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with Journal.create(path, making.HEADER), pytest.raises(JournalError, match="another program is writing"):
        Journal.open(path)
    Journal.open(path).close()


def test_a_game_is_never_started_over_another(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    game(path, PLAY)
    content = path.read_bytes()
    with pytest.raises(JournalError, match="there is a journal already"):
        Journal.create(path, making.HEADER)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["g.jsonl"]


def test_every_place_of_a_cut_leaves_a_prefix_of_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.jsonl"
    monkeypatch.setattr(journal_module.os, "fsync", lambda _: None)
    events = tuple(game(path, PLAY, Passed(by="Ünal"), *[replace(PLAY, tile=Laid(5, n)) for n in range(6)]))
    content = path.read_bytes()
    header_bytes = content.index(b"\n")
    for cut in range(header_bytes, len(content) + 1):
        whole = content[:cut].count(b"\n")
        opened = tmp_path / f"cut-{cut}.jsonl"
        opened.write_bytes(content[:cut])
        with Journal.open(opened, making.ticking()) as journal:
            kept = journal.events
            journal.append(Passed(by="Cy"))
        assert kept == events[: len(kept)]
        assert len(kept) >= whole - 1
        torn = journal.set_aside.read_bytes() if journal.set_aside else b""
        if torn:
            assert content[:cut].endswith(torn)
        again = read_journal(opened)
        assert again.events[:-1] == kept
        assert again.torn == b""


def test_a_cut_within_the_header_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    game(path)
    content = path.read_bytes()
    for cut in range(content.index(b"\n")):
        path.write_bytes(content[:cut])
        with pytest.raises(JournalError) as refused:
            Journal.open(path)
        assert "\n" not in str(refused.value)
        assert path.read_bytes() == content[:cut]


def test_two_torn_lines_are_kept_beside_each_other(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    game(path, PLAY)
    for torn in (b'{"seq": 2, "ev', b"\x00\x00\x00"):
        with path.open("ab") as file:
            file.write(torn)
        with Journal.open(path) as journal:
            assert journal.set_aside is not None
            assert journal.set_aside.read_bytes() == torn
    assert sorted(file.name for file in tmp_path.iterdir()) == ["g.jsonl", "g.jsonl.torn-1", "g.jsonl.torn-2"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"seq": 4, "event": "passed", "by": null}', "line 3: seq 2 to 3 are missing; expected seq 2"),
        ('{"seq": 3, "event": "passed", "by": null}', "line 3: seq 2 is missing; expected seq 2"),
        ('{"seq": 1, "event": "passed", "by": null}', "line 3: seq 1 stands there a second time; expected seq 2"),
        ('{"event": "passed", "by": null}', "line 3: seq: missing; expected seq 2"),
        ('{"seq": 2, "event": "passed"}', "line 3: seq 2: by: missing"),
        ("nonsense", "line 3: is not JSON"),
        ('{"seq": NaN}', "line 3: is not JSON: NaN is not a number"),
        ("[" * 100_000, "line 3: is nested too deeply"),
        ('{"seq": 2, "event": "corrected", "corrects": 1, "what": ' + DEEP + "}", "line 3: seq 2: what.a: nested too"),
        ('"' + "x" * 1_000_001 + '"', "line 3: is longer than"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_and_nothing_is_changed(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "g.jsonl"
    game(path, PLAY)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    content = path.read_bytes()
    for reading in (Journal.open, read_journal):
        with pytest.raises(JournalError) as refused:
            reading(path)
        assert complaint in str(refused.value)
        assert "\n" not in str(refused.value)
    assert path.read_bytes() == content


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"line 1: is not UTF-8"):
        parse_journal(b'{"journal": "\xff"}\n')


ANEW = "make version 3 of it: companion convert OLD NEW"


@pytest.mark.parametrize(
    ("version", "complaint"),
    [
        (1, f"journal: version 1; {ANEW}"),
        (2, f"journal: version 2; {ANEW}"),
        (None, f"journal: version 1; {ANEW}"),
        (4, "journal: this program reads version 3, not 4"),
        (True, "journal: this program reads version 3, not True"),
        ("3", "journal: this program reads version 3, not '3'"),
    ],
)
def test_a_journal_of_another_version_is_refused_and_says_what_to_do(
    tmp_path: Path, version: object, complaint: str
) -> None:
    path = tmp_path / "g.jsonl"
    header = {**making.HEADER.to_json(), "journal": version}
    if version is None:
        del header["journal"]
    path.write_text(json.dumps(header) + "\n", encoding="utf-8")
    content = path.read_bytes()
    for reading in (Journal.open, read_journal):
        with pytest.raises(JournalError) as refused:
            reading(path)
        assert str(refused.value) == f"{path}: line 1: {complaint}"
    assert path.read_bytes() == content


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"none\.jsonl: there is no such file"):
        read_journal(tmp_path / "none.jsonl")


def test_a_full_disk_loses_nothing_and_doubles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.jsonl"
    write = os.write

    def half_then_full(descriptor: int, block: memoryview) -> int:
        if len(block) > 20:
            return write(descriptor, block[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    with Journal.create(path, making.HEADER, making.ticking()) as journal:
        journal.append(PLAY)
        content = path.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(journal_module.os, "write", half_then_full)
            with pytest.raises(JournalError, match="nothing was recorded: No space left") as refused:
                journal.append(Passed(by="Ben"))
            assert refused.value.errno == errno.ENOSPC
        assert path.read_bytes() == content
        assert journal.append(Passed(by="Ben")).seq == 2
    assert len(read_journal(path).events) == 2


def test_a_card_that_cannot_even_cut_back_is_written_again_once_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    path = tmp_path / "g.jsonl"
    with Journal.create(path, making.HEADER) as journal:
        journal.append(PLAY)
        with monkeypatch.context() as patched:
            patched.setattr(journal_module.os, "fsync", broken)
            for _ in range(3):
                with pytest.raises(JournalError, match="Input/output error"):
                    journal.append(Passed(by="Ann"))
        journal.mend()
        assert path.read_bytes() == journal.content, "what was refused is not there, and nobody has to ask twice"
        assert journal.append(Passed(by="Ben")).seq == 2
        assert path.read_bytes() == journal.content
    assert [event.KIND for event in read_journal(path).events] == ["tile_played", "passed"]


def test_a_card_that_was_out_and_has_lost_the_end_gets_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.jsonl"
    with Journal.create(path, making.HEADER) as journal:
        journal.append(PLAY)
        _break(journal, monkeypatch)
        path.write_bytes(journal.content[:-9])
        assert journal.append(Passed(by="Ann")).seq == 2
    assert len(read_journal(path).events) == 2


def test_another_file_in_its_place_is_not_written_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.jsonl"
    with Journal.create(path, making.HEADER) as journal:
        journal.append(PLAY)
        _break(journal, monkeypatch)
        path.unlink()
        with pytest.raises(JournalError, match="No such file"):
            journal.append(Passed(by="Ann"))
        path.write_bytes(b"x" * 2000)
        with pytest.raises(JournalError, match="holds something else"):
            journal.append(Passed(by="Ann"))
        assert path.read_bytes() == b"x" * 2000


def _break(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(journal_module.os, "fsync", broken)
        with pytest.raises(JournalError):
            journal.append(Passed(by="Ann"))


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path / "g.jsonl", making.HEADER)
    journal.close()
    with pytest.raises(JournalError, match="is closed"):
        journal.append(PLAY)


WRITER = """
import sys
from companion.log.events import Passed
from companion.log.journal import Journal
with Journal.open(sys.argv[1]) as journal:
    while True:
        print(journal.append(Passed(by="Ann")).seq, flush=True)
"""


def test_a_killed_program_loses_no_acknowledged_event(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    game(path)
    acknowledged = 0
    for kill in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(5 + 7 * kill):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            told = writer.stdout.read().rpartition("\n")[0].splitlines()
            acknowledged = int(told[-1]) if told else acknowledged
        text = read_journal(path)
        assert acknowledged <= len(text.events) <= acknowledged + 1
        Journal.open(path).close()
