"""The report of a fault holds the game, and nobody's name."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from companion.__main__ import companion
from companion.game.replay import replay
from companion.log.journal import parse_journal

GAMES = Path(__file__).parents[1] / "games"


def packed(*words: str) -> zipfile.ZipFile:
    result = CliRunner().invoke(companion, ["report", *words])
    assert result.exit_code == 0, result.output
    return zipfile.ZipFile(result.output.strip())


def test_the_game_is_the_same_with_other_names(tmp_path: Path) -> None:
    source = GAMES / "tactic-5.jsonl"
    bundle = packed(str(source), "--into", str(tmp_path / "sent.zip"))
    sent = tmp_path / "journal.jsonl"
    sent.write_bytes(bundle.read("journal.jsonl"))
    before, after = replay(source), replay(sent)
    assert after.text.header.players == ("P1", "P2", "P3", "P4", "P5")
    assert list(before.board.totals.values()) == list(after.board.totals.values())
    assert len(list(before.violations)) == len(list(after.violations)) > 0


def test_no_name_is_anywhere_in_it(tmp_path: Path) -> None:
    for source in sorted(GAMES.glob("*.jsonl")):
        bundle = packed(str(source), "--into", str(tmp_path / f"{source.stem}.zip"))
        everything = " ".join(bundle.read(name).decode() for name in bundle.namelist())
        names = parse_journal(source.read_bytes()).header.players
        assert not [name for name in names if name in everything.split("journal.jsonl")[-1].split('"')]


def test_a_picture_is_sent_only_where_it_is_named_and_bare(tmp_path: Path) -> None:
    picture = tmp_path / "table.jpg"
    exif = Image.Exif()
    exif[0x010E] = "at Ann's house"
    Image.new("RGB", (64, 48), (40, 90, 60)).save(picture, exif=exif)
    source = str(GAMES / "kkori-3.jsonl")
    without = packed(source, "--into", str(tmp_path / "a.zip"))
    assert not [name for name in without.namelist() if name.endswith(".jpg")]
    bundle = packed(source, "--picture", str(picture), "--into", str(tmp_path / "b.zip"))
    assert b"Ann" not in bundle.read("picture-1.jpg")
    with Image.open(bundle.open("picture-1.jpg")) as sent:
        assert sent.size == (64, 48) and not sent.getexif()


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    game = GAMES / "kkori-3.jsonl"
    for words in ([str(tmp_path / "none.jsonl")], [str(game), "--picture", str(game)]):
        result = CliRunner().invoke(companion, ["report", *words, "--into", str(tmp_path / "x.zip")])
        assert result.exit_code == 1
        assert len(result.output.splitlines()) == 1 and "Traceback" not in result.output
        assert not (tmp_path / "x.zip").exists()


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    kept = tmp_path / "kept.zip"
    kept.write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(companion, ["report", str(GAMES / "kkori-3.jsonl"), "--into", str(kept)])
    assert result.exit_code == 1 and "is there already" in result.output
    assert kept.read_text(encoding="utf-8") == "mine"


def test_names_in_what_the_camera_saw_are_replaced_too(tmp_path: Path) -> None:
    line = {"seen": 1, "after": 0, "at": "2026-11-26T10:00:00.000Z", "delta": ["+12-5@Ann"]}
    header = {"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"], "options": {}}
    game = tmp_path / "journal.jsonl"
    game.write_text("".join(json.dumps(each) + "\n" for each in (header, line)))
    sent = packed(str(game)).read("journal.jsonl").decode()
    assert "+12-5@P1" in sent and "Ann" not in sent
    assert len(parse_journal(sent.encode()).seen) == 1
