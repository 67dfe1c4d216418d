"""One look ahead: what is seen before anybody knows that the table is still, and what becomes of it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from companion.perception.projection import at_edge
from companion.perception.table_reader import Prefetch
from datasets.simulator.camera import SimSettings
from datasets.simulator.script import Troubles
from tests.table.test_watch import SHORT, seat_a_watcher
from vision.frame import Frame
from vision.reading import PictureReading
from vision.settle import SettleState, TableState

SEEN = PictureReading((100, 80), (), (), None, 0.0)
PLACE = (12, 12, 40, 38)


def frame() -> Frame:
    return Frame(np.zeros((80, 100, 3), np.uint8), 0.0, "frame")


class Looks:
    """Counts the looks, each of which waits for `go` where it is asked to."""

    def __init__(self, *, waits: bool = False) -> None:
        self.frames: list[Frame] = []
        self.go = threading.Event()
        if not waits:
            self.go.set()

    def __call__(self, seen: Frame, regions: Sequence[tuple[int, int, int, int]]) -> PictureReading:
        self.frames.append(seen)
        assert self.go.wait(10)
        return SEEN


def test_a_look_counts_for_its_own_picture_and_only_as_far_as_it_reached() -> None:
    glimpse, seen = Prefetch(Looks()), frame()
    glimpse.take(seen, [(10, 10, 40, 40), (60, 60, 70, 70)])
    assert glimpse.at(seen, [(12, 12, 40, 38)]) is SEEN
    assert glimpse.at(seen, [(12, 12, 40, 38), (60, 60, 65, 70)]) is SEEN
    assert glimpse.at(seen, [(12, 12, 41, 38)]) is None
    assert glimpse.at(seen, [(12, 12, 40, 38), (0, 0, 5, 5)]) is None
    assert glimpse.at(frame(), [(12, 12, 40, 38)]) is None
    glimpse.forget()
    assert glimpse.at(seen, [(12, 12, 40, 38)]) is None


@pytest.mark.parametrize("regions", [[], [(1, 1, 99, 79)], [(1, 1, 50, 20), (50, 1, 99, 20)], [(40, 60, 50, 80)]])
def test_nothing_and_much_are_not_looked_at_ahead(regions: list[tuple[int, int, int, int]]) -> None:
    looks = Looks()
    Prefetch(looks).take(frame(), regions)
    assert not looks.frames


def test_the_next_picture_is_looked_at_while_other_work_goes_on_and_only_the_next() -> None:
    looks = Looks()
    glimpse, first, second, third = Prefetch(looks), frame(), frame(), frame()
    glimpse.again(second, first)
    assert not looks.frames, "nothing was glimpsed at before"
    glimpse.take(first, [PLACE])
    looks.go.clear()
    glimpse.again(second, first)  # comes back at once, though the look waits
    looks.go.set()
    assert glimpse.look(second, [PLACE]) is SEEN
    assert looks.frames == [first, second], "asked for, it is not looked at once more"
    glimpse.again(third, second)
    assert looks.frames == [first, second], "a table that lies still is not looked at for ever"
    glimpse.take(second, [PLACE])
    assert looks.frames == [first, second], "that was seen"
    glimpse.again(third, second)
    glimpse.idle()
    assert looks.frames == [first, second, third]
    glimpse.take(third, [(50, 50, 60, 60)])
    glimpse.again(frame(), second)
    glimpse.idle()
    assert looks.frames == [first, second, third, third], "other places, and a picture that did not come next"


def test_one_look_at_a_time() -> None:
    under_way: list[int] = []
    most: list[int] = []

    def look(seen: Frame, regions: Sequence[tuple[int, int, int, int]]) -> PictureReading:
        under_way.append(1)
        most.append(len(under_way))
        threading.Event().wait(0.02)
        under_way.pop()
        return SEEN

    glimpse, first, second = Prefetch(look), frame(), frame()
    glimpse.take(first, [PLACE])
    glimpse.again(second, first)
    glimpse.look(second, [(50, 50, 60, 60)])
    assert most == [1, 1, 1]


def test_an_eye_that_fails_fails_where_its_answer_is_wanted() -> None:
    answers: list[PictureReading | Exception] = [SEEN, ValueError("away"), SEEN]

    def look(seen: Frame, regions: Sequence[tuple[int, int, int, int]]) -> PictureReading:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    glimpse, first, second = Prefetch(look), frame(), frame()
    glimpse.take(first, [PLACE])
    glimpse.again(second, first)
    with pytest.raises(ValueError, match="away"):
        glimpse.look(second, [PLACE])
    glimpse.forget()
    assert glimpse.look(second, [PLACE]) is SEEN


def test_a_tile_is_on_record_with_the_first_picture_that_shows_the_table_still() -> None:
    settings = SimSettings(rules="reeves", most_scenes=6, troubles=Troubles.none(), **SHORT)
    _, watcher, sink, _, _ = seat_a_watcher(3, settings)
    recorded: dict[int, int] = {}
    count = 1
    while watcher.step():
        for _ in sink.records[len(recorded) :]:
            recorded[len(recorded)] = count
        count += 1
    scene = SHORT["hand_frames"] + SHORT["still_frames"]
    first = SHORT["still_frames"] + 2
    delays = [(at - first - SHORT["hand_frames"]) % scene for at in recorded.values()]
    # The first picture without a hand is number 0; the next one shows that nothing moves any more.
    assert len(delays) >= 6
    assert set(delays) == {1}, delays


def test_what_was_seen_while_something_moved_is_looked_at_again() -> None:
    settings = SimSettings(rules="reeves", most_scenes=1, troubles=Troubles.none(), **SHORT)
    camera, watcher, sink, _, eye = seat_a_watcher(3, settings)
    for _ in range(SHORT["still_frames"] + 1 + SHORT["hand_frames"]):
        watcher.step()
    before, known = eye.looks, list(sink.records)
    bare = camera.read()
    assert bare is not None
    watcher.see(bare)
    assert eye.looks == before + 1 and sink.records == known, "looked at, and not believed"
    moved = Frame(np.roll(bare.image, 9, 1), bare.at + 0.2, "moved")
    watcher.see(moved)
    assert sink.records == known


@pytest.mark.parametrize(("region", "looks"), [((300, 200, 380, 260), 2), ((300, 0, 380, 260), 1)])
def test_what_reaches_the_edge_may_be_an_arm_and_has_to_lie_still_once_more(
    region: tuple[int, int, int, int], looks: int
) -> None:
    settings = SimSettings(rules="reeves", most_scenes=1, troubles=Troubles.none(), **SHORT)
    _, watcher, sink, _, eye = seat_a_watcher(3, settings)
    for _ in range(5):
        watcher.step()
    assert watcher.layout is not None
    still = SettleState(TableState.READING, True, (region,), still_for=1)
    first, second = watcher.camera.read(), watcher.camera.read()
    assert first is not None and second is not None
    before = eye.looks
    watcher._begin(second, still, first)
    assert eye.looks == before + looks
    assert (watcher._reading is None) == (looks == 2), "two equal looks end a reading, one does not"
    assert not sink.records


def test_the_edge_is_the_pictures_own() -> None:
    assert at_edge([(5, 5, 10, 10), (90, 5, 100, 10)], (100, 80))
    assert at_edge([(0, 5, 10, 10)], (100, 80)) and at_edge([(5, 0, 10, 10)], (100, 80))
    assert at_edge([(5, 5, 10, 80)], (100, 80))
    assert not at_edge([(1, 1, 99, 79)], (100, 80)) and not at_edge([], (100, 80))
