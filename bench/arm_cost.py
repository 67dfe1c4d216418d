"""The cost of looking at arms in a frame, beside the settler's look at the same frame: part of `make bench`.

A made-up round is filmed with arms over a painted table and kept in memory. As in the product every frame is given to
the settler first, which makes it smaller, and then to the finder of arms.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from bench.arms import ArmCamera
from companion.perception.arm_votes import Reaches
from datasets.simulator.camera import SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.script import Troubles
from vision.calibration import Calibration
from vision.frame import Frame
from vision.settle import Settler

SIZE_WH = (1600, 1200)
SCENES, PLAYERS = 16, 4


def filmed(seed: int = 7, scenes: int = SCENES, size_wh: tuple[int, int] = SIZE_WH) -> tuple[list[Frame], Calibration]:
    """The frames in which arms come and go, and where the table is in them."""
    settings = SimSettings(
        rules="reeves",
        players=PLAYERS,
        most_scenes=scenes,
        troubles=Troubles.none(),
        hand_frames=6,
        still_frames=1,
        show_hands=False,
        film=FilmSettings(size_wh=size_wh),
    )
    camera = ArmCamera(seed, settings)
    frames = list(iter(camera.read, None))
    return frames, Calibration.from_corners(camera.film.corners_px(), camera.plan.size_mm, 9.0, None, size_wh)


def measure(
    seed: int = 7,
    scenes: int = SCENES,
    size_wh: tuple[int, int] = SIZE_WH,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Milliseconds of processor time for a frame; what other programs take of the machine is left out."""
    frames, calibration = filmed(seed, scenes, size_wh)
    settler, reaches = Settler(), Reaches()
    theirs, ours, over = [], [], []
    reaches.see(frames[0], calibration)
    reaches.still(frames[0])
    for n, frame in enumerate(frames[1:], 1):
        start = clock()
        state = settler.see(frame)
        middle = clock()
        view = reaches.see(frame, calibration)
        end = clock()
        theirs.append(1000 * (middle - start))
        ours.append(1000 * (end - middle))
        over.append(bool(view.arms))
        if state.should_read:
            settler.done()
        if not view.arms and n % 7 == 0:
            reaches.still(frame)
    with_arms = [ms for ms, seen in zip(ours, over, strict=True) if seen]
    return {
        "frames with an arm over the table": float(len(with_arms)),
        "arms in one frame, median ms": statistics.median(with_arms),
        "arms in one frame, p95 ms": float(np.quantile(with_arms, 0.95)),
        "arms in the time of the settler, medians": statistics.median(ours) / statistics.median(theirs),
    }
