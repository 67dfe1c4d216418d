"""All examples for programmers run: every block of Python in the documents, and the programs in docs/examples."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import re
import runpy
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import vision.reading
from companion import reading
from companion.geometry.layout import Trouble
from companion.publish.publisher import TableDevice, discovery
from companion.reading import PhotographedTable, PictureReader, ReadingError, in_hand, lay_out, open_eye, open_picture
from companion.rules import Board, Violation
from deploy.site import BESIDE
from deploy.site import PAGES as SITE
from vision.reading import PictureReading

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PAGES = tuple(sorted({path for pattern in (*SITE, *BESIDE) if pattern.endswith(".md") for path in ROOT.glob(pattern)}))
"""All of the site: test_documents.py holds that each of its blocks is run, here or there."""
LANGUAGES = ("python", "json", "yaml", "toml", "ini")
VISION = "companion.reading"


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for found in re.findall(rf"^[ ]*```{language}\n(.*?)^[ ]*```", page.read_text(encoding="utf-8"), re.M | re.S):
            yield page.name, found


def python_blocks(seeing: bool) -> list[Any]:
    found = [(page, block) for page, block in blocks("python") if (VISION in block) == seeing]
    return [pytest.param(block, id=f"{page}-{n}") for n, (page, block) in enumerate(found)]


def run_block(block: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the block and return its output. A block at a prompt must print exactly the output that it shows."""
    monkeypatch.chdir(ROOT)
    if block.startswith(">>> "):
        example = doctest.DocTestParser().get_doctest(block, {"__name__": "__main__"}, "a document", None, 0)
        shown: list[str] = []
        assert doctest.DocTestRunner(verbose=False).run(example, out=shown.append).failed == 0, "".join(shown)
        return "".join(said.want for said in example.examples)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block, "a block of the documents", "exec"), {"__name__": "__main__"})
    return said.getvalue()


@pytest.mark.parametrize("block", python_blocks(seeing=False))
def test_every_block_of_python_runs(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_block(block, monkeypatch)


@pytest.fixture(scope="module")
def eye() -> PictureReader:
    return open_eye()


@pytest.mark.slow
@pytest.mark.parametrize("block", python_blocks(seeing=True))
def test_every_block_that_reads_a_picture_runs(block: str, eye: PictureReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "open_eye", lambda: eye)
    said = run_block(block, monkeypatch)
    assert said and ("illegal" in said or "# illegal" not in block)


def test_every_block_of_data_can_be_read() -> None:
    read = 0
    for _, block in blocks("json"):
        rest = block.strip()
        while rest:
            found, end = json.JSONDecoder().raw_decode(rest)
            read, rest = read + isinstance(found, dict), rest[end:].strip()
    for _, block in blocks("yaml"):
        read += yaml.safe_load(block) is not None
    for _, block in blocks("toml"):
        read += bool(tomllib.loads(block))
    for _, block in blocks("ini"):
        read += all(re.fullmatch(r"[A-Z_]+=\S+", line) is not None for line in block.split())
    assert read > 5


def test_no_block_is_in_a_language_that_nothing_here_runs() -> None:
    known = {"", "text", *LANGUAGES}  # "text" is a drawing or a print-out
    for page in PAGES:
        found = re.findall(r"^[ ]*```(\w*)\n.*?^[ ]*```", page.read_text(encoding="utf-8"), re.M | re.S)
        assert set(found) <= known, page.name


def test_the_bot_plays_whole_rounds_and_breaks_no_rule(capsys: pytest.CaptureFixture[str]) -> None:
    play_round = runpy.run_path(str(EXAMPLES / "bot.py"))["play_round"]
    for seed in (1, 2):
        board: Board = play_round(seed)
        assert len(board.turns) > 20 and all(turn.ruling.legal for turn in board.turns)


@pytest.mark.parametrize(
    ("program", "words", "said"),
    (
        ("what_may_i_play", (), "Ann may play:\n  play 12-5@Ann\n  play 12-5@MX\n"),
        ("what_may_i_play", ("ROUND", "3-3", "12-4"), "Ben may play:\n  play 12-4@Ben\n  play 12-4@MX\n"),
        ("explain_a_round", (), "2. Ben, play 5-6@Ann: Ben played 5-6 on Ann's train, which is closed to others.\n"),
        ("explain_a_round", ("ROUND",), "no fault\n"),
    ),
)
def test_a_program_that_asks_the_referee_says_what_holds(
    program: str,
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = Board("tactic", ["Ann", "Ben"])
    written.push("play 12-5@Ann")
    (tmp_path / "ROUND").write_text(written.text(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [program, *words])
    runpy.run_path(str(EXAMPLES / f"{program}.py"), run_name="__main__")
    assert capsys.readouterr().out == said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "said"),
    (
        ("judge_a_photograph", "illegal\n  MISMATCH: "),
        ("count_hands", "ann: 39 pips in 4 tiles\nben: 37 pips in 3 tiles"),
    ),
)
def test_a_program_that_reads_pictures_says_what_lies_there(
    program: str, said: str, eye: PictureReader, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "open_eye", lambda: eye)
    monkeypatch.setattr(sys, "argv", [program])
    runpy.run_path(str(EXAMPLES / f"{program}.py"), run_name="__main__")
    assert said in capsys.readouterr().out


@pytest.mark.slow
def test_a_program_says_in_one_line_that_a_sheet_of_pictures_is_no_table(
    eye: PictureReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "open_eye", lambda: eye)
    for sheet in (ROOT / "datasets" / "samples" / "trains.jpg",):
        monkeypatch.setattr(sys, "argv", ["judge_a_photograph", str(sheet)])
        with pytest.raises(SystemExit, match=rf"^{re.escape(sheet.name)}: nothing is judged: [^\n]+$"):
            runpy.run_path(str(EXAMPLES / "judge_a_photograph.py"), run_name="__main__")


@pytest.mark.slow
def test_a_covered_engine_is_named_by_whoever_knows_it(eye: PictureReader) -> None:
    stations = {"Ann": 90, "Ben": 180, "Cy": 0, "MX": 270}
    seen = eye.look(open_picture(EXAMPLES / "table.jpg"), set=12)
    covered = replace(seen, tiles=tuple(tile for tile in seen.tiles if tile.values != (12, 12)))
    table = lay_out(covered, stations)
    assert (table.engine, table.unread, table.boneyard) == (None, 0, None)
    with pytest.raises(ReadingError, match=r"^the engine is not seen in the middle: name it, such as lay_out"):
        table.board("tactic")
    board = lay_out(covered, stations, engine="12-12").board("tactic", turn="Cy")
    assert board.status().codes == lay_out(seen, stations).board("tactic").status().codes and board.turn == "Cy"
    nowhere = lay_out(replace(covered, hub=None), stations, engine="12-12")
    with pytest.raises(ReadingError, match=r"^the middle of the table is not found: expected the hub or the engine"):
        nowhere.board("tactic")
    with pytest.raises(ReadingError, match=r"^1 tile of this table cannot be read"):
        replace(table, engine="?").board("tactic")


def test_the_automations_name_entities_that_the_table_has() -> None:
    there = {
        where.split("/")[1] + ".table_1_" + where.split("/")[3]
        for where in discovery(TableDevice("table-1", "Table 1"))
    }
    told = (EXAMPLES / "home_assistant.yaml").read_text(encoding="utf-8")
    assert [one["alias"] for one in yaml.safe_load(told)] == [
        "Flash the lamp at a broken rule",
        "Say who leads after a round",
    ]
    named = set(re.findall(r"\w+\.table_1_\w+", told))
    assert named and named <= there


def test_every_example_is_named_by_the_page_about_the_library() -> None:
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.iterdir() if path.is_file() and f"examples/{path.name}" not in page] == []


def test_the_page_about_the_library_explains_every_trouble_and_every_field_of_a_table() -> None:
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    never = {Trouble.VALUE_CHANGED, Trouble.BROKEN_LINE, Trouble.COVERED_TILE}  # needs two pictures, or a Chinese line
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.M)) == set(Trouble) - never
    known = {*(one.name for one in fields(PhotographedTable)), "unread"}
    assert [name for name in known if f"table.{name}" not in page] == []


JUNK: tuple[Any, ...] = (
    None, True, -1, 3, 2.5, float("nan"), "", "x", "1-1", ["1-1", 7], {"Ann": 3}, {"Ann": "1-1", "Ben": 2}, {1: 2},
    {"Ann": float("inf"), "Ben": 1}, object(), b"x", (0, 0, 0), np.zeros((4, 4)), np.zeros((2, 2, 3), np.uint8),
)  # fmt: skip


@pytest.mark.slow
def test_nothing_but_its_own_error_comes_out_of_the_reading(eye: PictureReader) -> None:
    stations = {"Ann": 90, "Ben": 180, "Cy": 0, "MX": 270}
    reading = eye.look(open_picture(EXAMPLES / "table.jpg"), set=12)
    table, small = lay_out(reading, stations), np.zeros((20, 20, 3), np.uint8)
    asked: dict[str, Callable[[Any], Any]] = {
        "image": eye.look,
        "set": lambda junk: eye.look(small, set=junk),
        "path": open_picture,
        "learned": lambda junk: junk is None or open_eye(junk),
        "hand": in_hand,
        "reading": lambda junk: lay_out(junk, stations),
        "stations": lambda junk: lay_out(reading, junk),
        "table's set": lambda junk: lay_out(reading, stations, set=junk),
        "engine": lambda junk: lay_out(reading, stations, engine=junk),
        "tile_mm": lambda junk: lay_out(reading, stations, tile_mm=junk),
        "rules": table.board,
        "turn": lambda junk: table.board(turn=junk),
    }
    for name, ask in asked.items():
        refused = 0
        for junk in JUNK:
            try:
                ask(junk)
            except ReadingError as error:
                refused += 1
                assert str(error) and "\n" not in str(error), name
        assert refused > len(JUNK) / 2, name


def test_a_table_is_judged_with_the_set_that_it_was_laid_out_with() -> None:
    table = PhotographedTable("6-6", {"Ann": "6-9 9-8", "Ben": ""}, frozenset(), (), None, (), 6)
    assert Violation.TILE_NOT_IN_SET in table.board("tactic").status().codes
    assert Violation.TILE_NOT_IN_SET not in table.board("tactic", set=9).status().codes


def test_what_is_no_picture_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match=r"nowhere\.jpg: no such file$"):
        open_picture(tmp_path / "nowhere.jpg")


def test_a_table_of_too_few_tiles_is_refused_in_one_line() -> None:
    nothing = PictureReading((640, 480), ())
    with pytest.raises(ReadingError, match="0 tiles found, expected at least"):
        lay_out(nothing, {"Ann": 0, "Ben": 180})
    with pytest.raises(ReadingError, match=r"stations: expected a direction for each of two .*, not \{'Ann': 0\}$"):
        lay_out(nothing, {"Ann": 0})


@pytest.mark.slow
def test_every_public_class_for_pictures_has_an_example_that_runs(
    eye: PictureReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(reading, "open_eye", lambda: eye)
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner()
    tests = [
        one for module in (reading, vision.reading) for one in finder.find(module, module.__name__) if one.examples
    ]
    for one in tests:
        runner.run(one)
    assert runner.summarize(verbose=False).failed == 0
    classes = [value for name in reading.__all__ if inspect.isclass(value := getattr(reading, name))]
    run = {one.name for one in tests}
    assert [value for value in classes if f"{value.__module__}.{value.__qualname__}" not in run] == []
