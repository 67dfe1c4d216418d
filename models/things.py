"""How many markers and hubs of rendered tables are found, and how many finds are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SURE = 0.5
"""From this confidence a find is believed by the table; see companion/perception/projection.py."""

VISIBLE = 0.6
"""A thing of which less is seen counts neither way."""

CLASSES = {"marker": 2, "hub": 3}


def matched(finds: Sequence[Any], truth: Sequence[dict[str, Any]], sure: float = SURE) -> tuple[int, int, int]:
    """(things that should be found, things found, finds that are nothing) of one picture and one kind.

    `finds` have `quad_px` (4, 2) and `confidence`; `truth` are the objects of a table's meta file. A find is a thing's
    own where their middles are nearer than half the thing's larger side.
    """
    outlines = [np.asarray(one["quad"], float) for one in truth]
    sure_finds = [np.asarray(find.quad_px, float).mean(0) for find in finds if find.confidence >= sure]
    near = np.zeros((len(sure_finds), len(outlines)), bool)
    for j, quad in enumerate(outlines):
        reach = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[1])) / 2
        for i, middle in enumerate(sure_finds):
            near[i, j] = np.linalg.norm(middle - quad.mean(0)) < reach
    wanted = np.array([one["vis"] >= VISIBLE for one in truth], bool)
    found = near.any(0) if len(sure_finds) else np.zeros(len(truth), bool)
    extra = int((~near.any(1)).sum()) if len(outlines) else len(sure_finds)
    return int(wanted.sum()), int((found & wanted).sum()), extra


class Tally:
    """Adds up `matched` over pictures."""

    def __init__(self) -> None:
        self.rows = {name: [0, 0, 0] for name in CLASSES}

    def add(self, reading: Any, objects: Sequence[dict[str, Any]]) -> None:
        hubs = [] if reading.hub is None else [reading.hub]
        for name, finds in (("marker", reading.markers), ("hub", hubs)):
            truth = [one for one in objects if one["cls"] == CLASSES[name]]
            for n, count in enumerate(matched(finds, truth)):
                self.rows[name][n] += count

    def figures(self) -> dict[str, dict[str, Any]]:
        return {
            name: {"count": count, "found": round(found / count, 4) if count else None, "extra": extra}
            for name, (count, found, extra) in self.rows.items()
        }
