"""Journals of earlier versions are made anew once, and come to what they came to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.__main__ import companion
from companion.game.converting import convert
from companion.game.game import Game
from companion.log.journal import JournalError, read_journal
from tests.shown import state_of

EARLIER = Path(__file__).with_name("earlier.jsonl")
"""A round of version 2 that a camera watched, with what people put right in it. It was shown as in the next lines."""
WHO = [
    "Ben",
    "Ben",
    "Dee",
    "Ann",
    None,
    None,
    None,
    None,
    "Ann",
    "Ben",
    "Cy",
    "Ann",
    "Ben",
    "Cy",
    "Cy",
    "Dee",
    "Ann",
    "Ben",
    "Dee",
    "Cy",
    "Dee",
]

HEADER = {"journal": 1, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben", "Cy"], "options": {}}
BEGUN = {"event": "round_started", "source": "person", "round": 1, "engine": [12, 12], "starter": "Ann"}


def written(path: Path, *lines: dict[str, Any]) -> Path:
    at = "2026-11-20T18:00:00.000Z"
    text = [json.dumps(HEADER), *(json.dumps({"seq": n, "at": at, **one}) for n, one in enumerate(lines, start=1))]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def laid(by: str, tile: tuple[int, int], train: str, source: str, *codes: str) -> dict[str, Any]:
    found = [{"code": code, "certain": True} for code in codes]
    act = {"event": "tile_played", "source": source, "by": by, "tile": list(tile), "train": train}
    return act | {"violations": found} | ({"frame": f"{tile[1]}.jpg"} if source == "camera" else {})


def codes(session: Game) -> dict[tuple[int, int], list[tuple[str, bool]]]:
    plays = (
        play for play in state_of(session)["plays"] if play["event"] == "tile_played" and not play.get("withdrawn")
    )
    return {tuple(one["tile"]): [(each["code"], each["certain"]) for each in one["violations"]] for one in plays}


def test_a_watched_round_of_version_2_comes_to_the_same(tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    result = CliRunner().invoke(companion, ["convert", str(EARLIER), str(new)])
    assert result.exit_code == 0 and result.output == f"{new}: {len(read_journal(new).events)} events\n"
    lines = [json.loads(line) for line in new.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["journal"] == 3 and not any("violations" in line or "settled" in line for line in lines)
    assert not [line for line in lines if line.get("event") == "corrected" and line["source"] == "rule"]
    with Game.open(new).journal:
        pass
    plays = state_of(Game.read_only(new))["plays"]
    assert [play["by"] for play in plays if play["event"] == "tile_played" and not play["taken_back"]] == WHO


def test_what_the_camera_saw_of_version_1_is_what_its_acts_show(tmp_path: Path) -> None:
    seen = [laid("Ann", (12, 5), "Ann", "camera"), laid("Ben", (5, 5), "Ann", "camera", "CLOSED_TRAIN")]
    seen += [laid("Ben", (12, 3), "Ben", "camera"), laid("Cy", (12, 7), "Cy", "camera")]
    old = written(tmp_path / "old.jsonl", BEGUN, *seen)
    assert convert(old, tmp_path / "new.jsonl") == 5
    session = Game.read_only(tmp_path / "new.jsonl")
    assert [play.get("by") for play in state_of(session)["plays"]][1] == "Ann"
    assert codes(session)[(12, 5)] == [] and codes(session)[(5, 5)], "it is ruled anew"


def test_of_version_2_nothing_is_taken_for_what_the_camera_saw(tmp_path: Path) -> None:
    """It has lines for that: where it has none, the camera saw nothing."""
    old = written(
        tmp_path / "old.jsonl", BEGUN, laid("Ann", (12, 5), "Ann", "person"), laid("Ben", (12, 7), "Ben", "camera")
    )
    for version, seen in ((1, 1), (2, 0)):
        text = old.read_text(encoding="utf-8").replace('"journal": 1', f'"journal": {version}')
        (tmp_path / f"v{version}.jsonl").write_text(text, encoding="utf-8")
        convert(tmp_path / f"v{version}.jsonl", tmp_path / f"new-{version}.jsonl")
        assert len(read_journal(tmp_path / f"new-{version}.jsonl").seen) == seen


def test_what_people_said_keeps_its_place_where_conclusions_go(tmp_path: Path) -> None:
    ruled = {"event": "corrected", "source": "rule", "corrects": 2, "what": {"violations": []}}
    right = {"event": "corrected", "source": "person", "corrects": 4, "what": {"tile": [12, 7]}}
    two = [{"event": "drew", "source": "person", "by": "Cy"}, {"event": "marker_placed", "by": "Cy", "train": "Cy"}]
    put_in = {"event": "corrected", "source": "person", "corrects": 4, "what": {"insert": two, "after": True}}
    rows = [BEGUN, laid("Ann", (12, 5), "Ann", "person", "MISMATCH"), ruled, laid("Ben", (12, 6), "Ben", "person")]
    old = written(tmp_path / "old.jsonl", *rows, right, put_in)
    assert convert(old, tmp_path / "new.jsonl") == 6
    session = Game.read_only(tmp_path / "new.jsonl")
    assert codes(session) == {(12, 5): [], (12, 7): []}
    acts = [play["event"] for play in state_of(session)["plays"]]
    assert acts == ["round_started", "tile_played", "tile_played", "drew", "marker_placed"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty; expected a header line"),
        (
            '{"journal": 3, "rules": "tactic", "set": "double-12", "players": ["Ann", "Ben"]}\n',
            "line 1: journal: expected",
        ),
        (json.dumps(HEADER) + "\n" + '{"seq": 1, "event": "danced"}\n', "line 2: .*event: expected one of"),
    ],
)
def test_what_is_no_such_journal_is_refused_in_a_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "old.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(JournalError, match=why):
        convert(tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert not (tmp_path / "new.jsonl").exists()


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(companion, ["convert", str(EARLIER), str(tmp_path / "new.jsonl")])
    assert result.exit_code == 1 and "is there already" in result.output
    assert (tmp_path / "new.jsonl").read_text(encoding="utf-8") == "mine"


def test_a_changed_line_is_refused_and_a_torn_one_left_out(tmp_path: Path) -> None:
    content = EARLIER.read_bytes()
    (tmp_path / "changed.jsonl").write_bytes(content.replace(b'"tile": [', b'"tile": [ ', 1))
    with pytest.raises(JournalError, match="does not fit its checksum"):
        convert(tmp_path / "changed.jsonl", tmp_path / "new.jsonl")
    (tmp_path / "torn.jsonl").write_bytes(content + b'{"seq": 9')
    assert convert(tmp_path / "torn.jsonl", tmp_path / "torn-new.jsonl") == convert(EARLIER, tmp_path / "whole.jsonl")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"event": "corrected", "source": "person", "corrects": 99, "what": {"by": "Ben"}}, "there is no event 99"),
        ({"event": "corrected", "source": "person", "corrects": 1, "what": {"answer": 7}}, "offers no 7"),
        ({"seq": 4, "event": "drew", "by": "Ben"}, "seq 2 to 3 are missing"),
    ],
)
def test_a_line_about_nothing_is_refused_by_its_number(tmp_path: Path, line: dict[str, Any], why: str) -> None:
    with pytest.raises(JournalError, match=why):
        convert(written(tmp_path / "old.jsonl", BEGUN, line), tmp_path / "new.jsonl")
