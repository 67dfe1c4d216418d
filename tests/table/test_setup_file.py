"""The set-up file: what it may hold, and one line for everything it may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.geometry.layout import Family
from companion.perception.setup_file import SetupError, read_setup, setup_from_json

GOOD: dict[str, Any] = {
    "journal": 1,
    "rules": "tactic",
    "set": "double-12",
    "players": ["Ann", "Ben"],
    "options": {},
    "table": {"corners_px": [[10, 10], [1590, 12], [1588, 1190], [8, 1188]], "size_mm": [1200, 900]},
    "tile_mm": [48, 24, 9],
    "stations": {"Ann": 0, "Ben": 180},
    "mexican_station": 90,
    "round": {"engine": [12, 12], "starter": "Ann"},
}


def changed(**fields: Any) -> dict[str, Any]:
    return {**GOOD, **fields}


def test_a_whole_set_up_and_back_again() -> None:
    setup = setup_from_json(GOOD)
    assert setup.header.players == ("Ann", "Ben")
    assert setup.round.engine == (12, 12) and setup.round.starter == "Ann"
    assert setup_from_json(setup.to_json()) == setup
    table = setup.table_setup()
    assert table.family is Family.MEXICAN and table.engine == 12 and table.mexican_station == 90.0


def test_what_is_left_out_is_left_open() -> None:
    bare = {name: GOOD[name] for name in ("rules", "set", "players")}
    setup = setup_from_json(bare)
    assert (
        setup.table.corners_px is None
        and setup.table.size_mm is None
        and not setup.stations
        and setup.round.engine is None
    )


def test_a_free_board_needs_only_its_set() -> None:
    setup = setup_from_json({"layout": "free", "set": "double-6", "copies": 3})
    assert setup.free and setup.copies == 3
    assert setup.table_setup().family is Family.FREE
    assert setup_from_json(setup.to_json()) == setup


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"stations": {"Ann": 10, "Ben": 12}}, "Ann and Ben are on one station"),
        ({"stations": {"Ann": 0, "Ben": 358}}, "on one station"),
        ({"stations": {"Ann": 0, "Ben": 92}}, "the Mexican train are on one station"),
        ({"stations": {"Ann": 0, "Zoe": 90}}, "Zoe"),
        ({"stations": {"Ann": 0}}, "Ben has none"),
        ({"stations": {"Ann": "north", "Ben": 1}}, "stations.Ann: expected a number"),
        ({"round": {"engine": [13, 13]}}, "13-13 is not in the set double-12"),
        ({"round": {"engine": [12]}}, "round.engine"),
        ({"round": {"engine": [12, 12], "starter": "Zoe"}}, "'Zoe' does not play"),
        ({"set": "chinese"}, "the Chinese games have none"),
        ({"set": "double-x"}, "set: expected"),
        ({"set": "double-19"}, "expected double-6 ... double-18 or chinese, not 'double-19'"),
        ({"players": ["Ann"]}, "expected 2 to 12"),
        ({"tile_mm": [24, 48, 9]}, "is no domino"),
        ({"tile_mm": [4.8, 2.4, 0.9]}, "4.8 x 2.4 is no domino"),
        ({"tile_mm": [48, 24]}, "tile_mm: expected three numbers: length, width and thickness, not [48, 24]"),
        ({"tile_mm": [48, 24, float("inf")]}, "expected a number"),
        ({"table": {"corners_px": [[0, 0], [0, 9], [9, 9], [9, 0]], "size_mm": [9, 9]}}, "counter-clockwise"),
        ({"table": {"corners_px": [[0, 0], [9, 0]]}}, "four points"),
        (
            {"table": {"corners_px": [[0, 0], None, [9, 9], [0, 9]]}},
            "table.corners_px[1]: expected a point [x, y], not None",
        ),
        ({"table": {"size_mm": [40, 30]}}, "holds no tiles"),
        ({"table": 7}, "table: expected an object"),
        ({"copies": 0}, "copies"),
        ({"boneyard": "under the table"}, "boneyard"),
        ({"layout": "star"}, "layout"),
    ],
)
def test_contradictions_are_named_in_one_line(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(SetupError) as refused:
        setup_from_json(changed(**fields))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "expected a JSON object"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'{"copies": NaN}', "NaN"),
        (b"[" * 200_000, "nested too deeply"),
        (b" " * 2_000_000, "larger than"),
    ],
)
def test_broken_files_are_named_in_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(content)
    with pytest.raises(SetupError) as refused:
        read_setup(path)
    assert says in str(refused.value) and "table.json" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"none\.json"):
        read_setup(tmp_path / "none.json")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(GOOD))
    assert read_setup(path) == setup_from_json(GOOD)
