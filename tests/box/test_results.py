"""The long runs' results that are kept beside the tests: nothing that broke may be committed as if it held."""

from __future__ import annotations

from pathlib import Path

from bench.attacks.fuzz_runs import ISSUE_DOORS
from bench.attacks.results import known, record


def test_nothing_recorded_was_lost_doubled_or_missed() -> None:
    results = known()
    for run in ("writers_killed", "club"):
        assert results.get(run, {"lost": 0})["lost"] == 0
    assert results["club"]["doubled"] == 0
    troubles = [trouble for trouble in results["camera_troubles"].values() if isinstance(trouble, dict)]
    assert len(troubles) == 7
    assert max(trouble["noticed_s"] for trouble in troubles) < 3.0
    assert results["camera_troubles"]["left_over"] == 0


def test_every_door_was_knocked_at_for_ten_minutes_by_both_engines() -> None:
    for engine in ("hypothesis", "atheris"):
        for door in ISSUE_DOORS:
            run = known()["fuzz"][engine][door]
            assert run["result"] == "nothing broke"
            assert run["seconds"] >= 600
            assert run["executions"] > 0


def test_memory_files_and_threads_were_flat() -> None:
    prints = known()["soak"]["memory_mb_files_threads"]
    assert prints[-1][0] - prints[0][0] < 40
    assert prints[-1][1:] == prints[0][1:]


def test_no_part_died_in_silence_and_no_card_lost_a_line() -> None:
    dead, card = known()["dead"], known()["card"]
    assert (dead["silent"], dead["not back"], dead["lines lost"]) == (0, 0, 0)
    assert dead["slowest to be said, s"] < 10 and dead["slowest back, s"] < 30
    assert (card["deaths"], card["silent"], card["stuck"], card["lost"]) == (0, 0, 0, 0)
    assert card["troubles"] == 350 and card["new_games"] == 500


def test_a_record_takes_the_place_of_its_own_name_only(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    record("soak", {"frames": 1}, path)
    record("club", {"lost": 0}, path)
    record("soak", {"frames": 2}, path)
    assert known(path) == {"soak": {"frames": 2}, "club": {"lost": 0}}
