"""The command that says what each gate of the reader costs and saves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import bench.gates
from bench.ablation import Case
from bench.gates import GATES, Gate, Shown, counted, halves_read, numbered, row, summed, table
from vision.eye import open_eye
from vision.frame import Image
from vision.reading import HalfReading, PictureReading, TileReading

TABLE = Path(bench.gates.__file__).parent / "results" / "gates.json"
HERE = [[100, 120], [100, 80], [180, 80], [180, 120]]


def one_tile() -> Image:
    """A 1-0 on a grey ground."""
    picture = np.full((200, 300, 3), 60, np.uint8)
    picture[80:120, 100:180] = 235
    picture[84:116, 139:142] = 20
    picture[95:105, 115:125] = 20
    return picture


def said(*tiles: tuple[list[list[int]], tuple[int | None, int | None]]) -> PictureReading:
    readings = [
        TileReading(np.array(quad, np.float32), "up", (HalfReading(a, 0.9), HalfReading(b, 0.9)), 0.9)
        for quad, (a, b) in tiles
    ]
    return PictureReading((300, 200), tuple(readings))


def test_every_gate_is_a_function_of_the_reader() -> None:
    for gate in GATES:
        owner, name = Case("", gate.place, None).target
        assert callable(gate.off(getattr(owner, name))), gate.name


def test_a_value_counts_as_right_or_wrong_and_where_no_tile_lies_as_wrong() -> None:
    label = {"tiles": [{"quad": HERE, "face": "up", "values": [1, 0]}]}
    elsewhere = [[10, 50], [10, 10], [90, 10], [90, 50]]
    assert halves_read(label, said((HERE, (1, 5)))).tolist() == [1, 1, 0]
    assert halves_read(label, said((HERE, (0, 1)))).tolist() == [2, 0, 0], "nobody knows which end is the first"
    assert halves_read(label, said((HERE, (None, 0)), (elsewhere, (3, None)))).tolist() == [1, 1, 1]
    assert halves_read(label | {"complete": False}, said((elsewhere, (3, None)))).tolist() == [0, 0, 0]


def test_a_half_that_is_hidden_counts_for_nothing_and_one_of_a_back_as_wrong() -> None:
    hidden = {"tiles": [{"quad": HERE, "face": "up", "values": [1, None]}]}
    assert halves_read(hidden, said((HERE, (5, 1)))).tolist() == [0, 1, 0]
    assert halves_read(hidden, said((HERE[2:] + HERE[:2], (5, 1)))).tolist() == [1, 0, 0], "the other way round"
    back = {"tiles": [{"quad": HERE, "face": "down", "values": None}]}
    assert halves_read(back, said((HERE, (5, None)))).tolist() == [0, 1, 0]


def test_what_a_gate_changes_is_told_and_no_gate_that_did_nothing() -> None:
    strict = numbered("strict", "vision.reader:settled", "vision.reader:READABLE", 1.1)
    idle = Gate("idle", "vision.eye:lifted", lambda lifted: lifted)
    picture = Shown("drawn", one_tile, {"image": "", "tiles": [{"quad": HERE, "face": "up", "values": [1, 0]}]})
    found = counted(picture, open_eye(), [strict, idle])
    assert {name: halves.tolist() for name, halves in found.items()} == {"": [2, 0, 0], "strict": [-2, 0, 0]}
    told = {"kind": "drawn", "without": {name: halves.tolist() for name, halves in found.items()}}
    sums = summed([told, told])
    assert list(table(sums, [strict, idle]))[2:] == [
        "| all halves | 4 | 0 | 0 |",
        "| strict | -4 | 0 | 0 |",
        "| idle | - | - | - |",
    ]
    assert row(sums, "strict") == "bench.gates, strict: drawn -4/0/0."
    assert row(sums, "idle") == "bench.gates, idle: drawn -."


def test_the_figures_in_a_gates_docstring_are_those_of_the_table_and_none_is_of_a_gate_that_is_gone() -> None:
    sums = json.loads(TABLE.read_text(encoding="utf-8"))
    assert [gate.name for gate in GATES if row(sums, gate.name) not in gate.docstring] == []
    assert {name for by in sums.values() for name in by} <= {"", *(gate.name for gate in GATES)}
