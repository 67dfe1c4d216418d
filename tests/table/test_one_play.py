"""The count of what runs between a frame and a play: by file and function, without what is not the product's."""

from __future__ import annotations

import json

from bench.one_play import Trace, summed_up
from companion.rules.notation import parse_delta
from companion.rules.tile import Tile


def test_only_functions_of_the_product_count_and_each_play_begins_anew() -> None:
    trace = Trace()
    with trace:
        parse_delta(["boneyard-1"])
        json.dumps({"a": 1})
    ran = trace.take()
    assert ran["companion/rules/notation.py", "parse_delta"] == 1
    assert {file.split("/")[0] for file, _ in ran} == {"companion"}
    assert not any("<" in function.split(".")[-1] for _, function in ran)
    with trace:
        repr(Tile(1, 2))
    assert ("companion/rules/notation.py", "parse_delta") not in trace.take()


def test_files_functions_and_calls_are_summed_up_by_room() -> None:
    ran = {("companion/game/a.py", "f"): 2, ("companion/game/a.py", "g"): 1, ("companion/rules/b.py", "h"): 4}
    found = summed_up(ran)
    assert found["companion"] == {"files": 2, "functions": 3, "calls": 7}
    assert found["companion/game"] == {"files": 1, "functions": 2, "calls": 3}
