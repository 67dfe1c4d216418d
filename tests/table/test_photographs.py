"""A folder of photographs of one round, a picture a play: each is read whole when it comes, an arm produces nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest

from bench.album import Album, draw, when_told
from bench.stand_ins.sketch import SKIN, KnowingEye, sketched
from bench.stand_ins.watching import watching
from companion.game.game import Game
from companion.log.events import TilePlayed
from companion.rules.position import Play
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.script import Troubles
from tests.lanes import nightly
from vision.frame import Frame, Image
from vision.reading import PictureReading


def album(seed: int, rules: str, arms: int, scenes: int = 10) -> SimCamera:
    """A sketched round as photographs, with so many pictures of an arm before each of them."""
    settings = SimSettings(
        rules=rules,
        most_scenes=scenes,
        troubles=Troubles.none(),
        arms=bool(arms),
        hand_frames=2 * arms,
        still_frames=1,
        show_hands=False,
    )
    camera = sketched(seed, settings)
    camera.stills = True
    return camera


def laid(camera: SimCamera) -> list[tuple[tuple[int, int], str, str]]:
    """(tile, train, photograph) of every tile that was laid."""
    return [
        (tuple(act.tile), act.train, filmed.frame)
        for filmed in camera.truth
        for _, act in filmed.scene.plays
        if isinstance(act, Play)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rules", "arms"), [(51, "reeves", 0), nightly(53, "jielong", 0), (53, "jielong", 1)])
def test_every_photograph_is_read_when_it_comes(seed: int, rules: str, arms: int, tmp_path: Path) -> None:
    camera = album(seed, rules, arms)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    watcher.run()
    assert_read_in_time(session, camera)
    if not arms:
        last = {(tile, train): frame for tile, train, frame in laid(camera)}
        assert sorted(e.frame for e in session.events if isinstance(e, TilePlayed)) == sorted(last.values())


def assert_read_in_time(session: Game, camera: SimCamera) -> None:
    """Every tile is on record from its own photograph, and nobody is accused."""
    assert shown(session) == {(tile, train) for tile, train, _ in laid(camera)}
    last = {(tile, train): frame for tile, train, frame in laid(camera)}
    # A picture with a small arm at the table's edge may be read: never later than the still after it.
    late = [e for e in session.events if isinstance(e, TilePlayed) and (e.frame or "") > last[tuple(e.tile), e.train]]
    assert late == []
    certain = [found for e in session.events for found in getattr(e, "violations", ()) if found.certain]
    assert certain == []


@pytest.mark.slow
def test_a_photograph_of_an_arm_says_whose_it_was(tmp_path: Path) -> None:
    camera = album(52, "poltava", 1, scenes=5)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl", arms=True)
    watcher.run()
    assert_read_in_time(session, camera)
    plays = [play for filmed in camera.truth for play in filmed.scene.plays if isinstance(play[1], Play)]
    layers = {(tuple(act.tile), act.train): player for player, act in plays}
    arms = {(tuple(e.tile), e.train): e.arm for e in session.events if isinstance(e, TilePlayed)}
    clear = {tile: arm for tile, arm in arms.items() if arm is not None}
    # A photograph shows one moment of a reach: where a sleeve lies over a place, nobody is named.
    assert len(clear) >= 0.4 * len(layers)
    assert {tile: layers[tile] for tile in clear} == clear


def with_an_arm_in(camera: SimCamera, numbers: set[int]) -> SimCamera:
    """The same photographs; into those an arm reaches."""
    read = camera.read

    def armed() -> Frame | None:
        frame = read()
        if frame is None or int(frame.name[-6:]) not in numbers:
            return frame
        image = frame.image.copy()
        h, w = image.shape[:2]
        cv2.line(image, (w // 2, h // 2), (w // 2 + 40, h), SKIN, 70)
        return replace(frame, image=image)

    camera.read = armed  # type: ignore[method-assign]
    return camera


class HiddenByArms(KnowingEye):
    """Finds no tile that an arm covers in the middle."""

    def __init__(self, camera: SimCamera) -> None:
        super().__init__(camera, unread=0.0, missed=0.0)

    def look(self, image: Image, *given: Any, **named: Any) -> PictureReading:
        return _uncovered(super().look(image, *given, **named), image)

    def look_again(self, image: Image, *given: Any, **named: Any) -> PictureReading:
        return _uncovered(super().look_again(image, *given, **named), image)


def _uncovered(reading: PictureReading, image: Image) -> PictureReading:
    middles = [tile.quad_px.mean(0).round().astype(int) for tile in reading.tiles]
    seen = [tuple(image[y, x]) != SKIN for x, y in middles]
    return replace(reading, tiles=tuple(tile for tile, free in zip(reading.tiles, seen, strict=True) if free))


def shown(session: Game) -> set[tuple[tuple[int, int], str]]:
    return {(tuple(event.tile), event.train) for event in session.events if isinstance(event, TilePlayed)}


@pytest.mark.slow
def test_an_arm_in_the_first_photograph_loses_nothing(tmp_path: Path) -> None:
    camera = with_an_arm_in(album(54, "reeves", 0), {0})
    session, _, watcher = watching(camera, tmp_path / "game.jsonl", eye=HiddenByArms(camera))
    watcher.run()
    assert shown(session) == {(tile, train) for tile, train, _ in laid(camera)}


@pytest.mark.slow
def test_an_arm_in_the_last_photograph_is_read_around(tmp_path: Path) -> None:
    last = 3 + 10  # the table before anybody moves, a photograph a play, and one more
    camera = with_an_arm_in(album(55, "reeves", 0), {last - 1, last})
    session, _, watcher = watching(camera, tmp_path / "game.jsonl", eye=HiddenByArms(camera))
    watcher.run()
    *before, (_, _, frame) = laid(camera)
    assert shown(session) >= {(tile, train) for tile, train, photograph in before if photograph != frame}
    assert not [event for event in session.events if event.KIND == "tile_taken_back"]


@pytest.mark.slow
def test_photographs_of_other_sizes_are_read_too(tmp_path: Path) -> None:
    camera = album(56, "reeves", 0)
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    frame = camera.read()
    assert frame is not None
    half = frame.image[::2, ::2].copy()
    watcher.settler.see(Frame(half, 0.0, "half"), still=True)
    watcher.run()
    assert shown(session) == {(tile, train) for tile, train, _ in laid(camera)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", (61, *map(nightly, (62, 64))))
def test_lamps_bumps_and_cups_between_photographs_accuse_nobody(seed: int, tmp_path: Path) -> None:
    settings = SimSettings(most_scenes=12, hand_frames=2, still_frames=1, show_hands=False)
    camera = sketched(seed, settings)
    camera.stills = True
    session, _, watcher = watching(camera, tmp_path / "game.jsonl")
    watcher.run()
    certain = [found for event in session.events for found in getattr(event, "violations", ()) if found.certain]
    assert certain == []
    assert shown(session) >= {(tile, train) for tile, train, _ in laid(camera)}


def test_the_bench_tells_plays_at_once_from_late_and_lost_ones() -> None:
    album = Album(4, frozenset(), [("Ann", ((6, 6), "MX"), "2.jpg"), ("Ben", ((6, 1), "Ben"), "3.jpg")])
    told = [{"event": "tile_played", "tile": [6, 6], "train": "MX", "frame": "2.jpg"}]
    assert when_told(album, told) == {"at once": 1, "late": [], "never": 1}
    told.append({"event": "tile_played", "tile": [6, 1], "train": "Ben", "frame": "4.jpg"})
    assert when_told(album, told) == {"at once": 1, "late": ["6-1@Ben 3.jpg 4.jpg"], "never": 0}


@pytest.mark.slow
def test_a_frame_with_an_arm_is_known_as_such(tmp_path: Path) -> None:
    album_ = draw(tmp_path / "pictures", album(52, "poltava", 1, scenes=3))
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert len(names) == album_.pictures and album_.armed < names
    assert {picture for _, _, picture in album_.laid} <= names - album_.armed
