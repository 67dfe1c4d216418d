"""Backs that are none: where they go nobody draws, and they do not stop the draws from being seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.stand_ins.sketch import sketched
from bench.stand_ins.watching import watching
from companion.geometry import Layout, PlacedTile, TableSetup
from companion.geometry.diff import difference, with_backs
from companion.geometry.layout import Family, SeenHalf, SeenTile, TableView
from companion.observing.game_sink import GameSink
from companion.perception import watcher as watching_module
from companion.perception.understanding import BackCount
from companion.rules.position import Draw
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from tests.shown import state_of

SETTINGS = SimSettings(
    rules="poltava",
    players=4,
    troubles=Troubles.none(),
    hand_frames=3,
    still_frames=7,
    show_hands=False,
    most_scenes=10,
)


def draws(folder: Path, monkeypatch: pytest.MonkeyPatch, seen: Callable[[int], bool]) -> tuple[int, int]:
    """How many tiles were drawn in a sketched round, and how many draws are on record: one thing more is taken for a
    face-down tile while `seen` says so of the number of scenes so far."""
    camera = sketched(3, SETTINGS)
    understood = watching_module.understood

    def with_one_more(*arguments: Any) -> Layout:
        layout = understood(*arguments)
        more = int(seen(len(camera.truth)))
        return replace(layout, boneyard=None if layout.boneyard is None else layout.boneyard + more)

    monkeypatch.setattr(watching_module, "understood", with_one_more)
    session, _, watcher = watching(camera, folder / "g.jsonl")
    watcher.run()
    true = sum(isinstance(act, Draw) for filmed in camera.truth for _, act in filmed.scene.plays)
    plays = state_of(session)["plays"]
    return true, sum(one["event"] == "drew" and not one.get("withdrawn") for one in plays)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, nightly(False)], ids=["the rules tell", "nobody knows"])
def test_what_is_taken_for_a_back_now_and_then_draws_nothing_when_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    if not known:
        monkeypatch.setattr(GameSink, "face_down", lambda sink: None)
    true, recorded = draws(tmp_path, monkeypatch, lambda scenes: scenes % 4 > 1)
    assert true > 2, "else nothing is shown by this test"
    assert (true - 1 <= recorded <= true) if known else recorded > true


@pytest.mark.slow
def test_one_back_too_many_at_the_start_does_not_stop_draws_from_being_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, recorded = draws(tmp_path, monkeypatch, lambda scenes: scenes < 6)
    assert true > 2 and true - 1 <= recorded <= true


def test_no_more_backs_lie_there_than_can() -> None:
    backs = BackCount(30)
    one_more = backs.real(Layout(boneyard=31), Layout(boneyard=30))
    assert one_more.boneyard == 30
    backs.settled(Layout(boneyard=30), one_more)
    drawn = backs.real(Layout(boneyard=29), one_more)
    backs.settled(one_more, drawn)
    assert (drawn.boneyard, backs.most) == (29, 29)


def lying(number: int, values: tuple[int, int] | None) -> PlacedTile:
    """A laid tile, or with no values one that lies face down."""
    halves = None if values is None else (SeenHalf(values[0], 0.99), SeenHalf(values[1], 0.99))
    return PlacedTile(number, SeenTile((100.0, 60.0 * number), 0.0, 48.0, 24.0, values is not None, halves, 0.9))


@pytest.mark.parametrize(
    ("after", "most"),
    [
        ({"trains": {"Ann": ()}}, 31),
        ({"trains": {"Ann": (lying(7, (12, 5)),)}}, 30),
        ({"trains": {"Ann": (lying(1, (12, 5)),)}, "face_down": ()}, 30),
    ],
    ids=["a tile was taken back", "it only has another number", "a tile was drawn"],
)
def test_only_a_tile_that_is_taken_back_may_lie_there_again(after: dict[str, Any], most: int) -> None:
    before = Layout(trains={"Ann": (lying(1, (12, 5)),)}, face_down=(lying(2, None),), boneyard=30)
    assert BackCount(30).real(replace(before, **{**after, "boneyard": 31}), before).boneyard == most


def test_where_nobody_knows_how_many_there_are_all_count() -> None:
    backs = BackCount()
    assert backs.real(Layout(boneyard=31), Layout(boneyard=30)).boneyard == 31
    backs.settled(Layout(boneyard=30), Layout(boneyard=31))
    assert backs.most is None
    assert BackCount(30).real(Layout(boneyard=None), None).boneyard is None


def test_a_tile_put_away_that_is_on_record_and_was_overlooked_is_not_put_away_again() -> None:
    plan = TableSetup(Family.CHINESE, ("Ann", "Ben"), {"Ann": 90.0, "Ben": -90.0}, tile_mm=(48.0, 24.0, 9.0))
    view, places = TableView((), (), None, (900.0, 675.0)), [(450.0, 630.0), (480.0, 630.0)]
    seen = Layout(discards={"Ann": 0, "Ben": 3})
    after = replace(seen, discards={"Ann": 2, "Ben": 3})
    for on_record, new in ((None, 2), (3, 2), (4, 1), (5, 0)):
        before = with_backs(seen, places, view, plan, on_record)
        assert difference(before, after).discards == ({"Ann": new} if new else {})
