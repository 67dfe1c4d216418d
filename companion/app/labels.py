"""Corrections made in play, kept as labelled crops: what the reader got wrong is what it has to learn.

A crop shows one tile and nothing beside it. `corrections/` in the data folder holds `GAME-SEQ.jpg` and its `.json`.
"""

from __future__ import annotations

import json
import logging
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import cv2
import numpy as np

from companion.app.state import SessionLike, event_lines
from companion.evidence import Deleter
from companion.evidence.index import find_tile
from companion.log.events import Corrected
from companion.storage.packed import NewZip

log = logging.getLogger(__name__)

FOLDER = "corrections"
MOST = 2000
"""Crops that are kept, at some 10 kB each; the oldest go first."""

AROUND = 0.12
"""How much is shown around the tile, in tile widths: the reader's own boxes are not exact either."""

HIGHEST = 18


class LabelKeeper:
    """Listens to the game on the table; each correction of a tile that has a picture becomes a labelled crop."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / FOLDER
        self._games = data_dir / "games"

    def follow(self, name: str, session: SessionLike) -> None:
        def keep_corrections(event: Any) -> None:
            for one in event if isinstance(event, list | tuple) else (event,):
                if isinstance(one, Corrected) and one.source == "person":
                    try:
                        if one.what.get("withdrawn"):
                            self._take_back(f"{name}-{one.corrects}")
                        else:
                            self._keep(name, session, one)
                    except (OSError, ValueError, cv2.error):
                        # A correction counts at the table whether or not there is something to learn from it.
                        log.warning("the correction no. %s could not be kept as a crop", one.seq, exc_info=True)

        session.subscribe(keep_corrections)

    def _take_back(self, stem: str) -> None:
        """A correction that was withdrawn teaches nothing."""
        for ending in (".json", ".jpg"):
            (self._folder / f"{stem}{ending}").unlink(missing_ok=True)

    def _keep(self, name: str, session: SessionLike, correction: Corrected) -> None:
        corrected = corrected_tile(correction.what)
        if corrected is None:
            return
        lines = event_lines(session)
        original = next((line for line in lines if line["seq"] == correction.corrects), None)
        if original is None or not original.get("frame"):
            return
        read = original.get("tile")
        row = find_tile(self._games / name, [str(original["frame"])], read if read else None)
        if row is None:
            return
        halves = oriented(row["values"], read, corrected)
        image = cv2.imread(str(self._games / name / row["after"]))
        if halves is None or image is None:
            return
        crop, quad = cut_out(np.asarray(image, np.uint8), row["quad"])
        label = {"tile": list(halves), "read": row["values"], "quad": quad, "set": session.snapshot().set}
        self._folder.mkdir(parents=True, exist_ok=True)
        stem = f"{name}-{correction.seq}"
        for ending in (".jpg", ".json"):
            # For the owner alone, whatever the umask.
            (self._folder / f"{stem}{ending}").touch(0o600)
        cv2.imwrite(str(self._folder / f"{stem}.jpg"), crop, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (self._folder / f"{stem}.json").write_text(json.dumps(label), encoding="utf-8")
        for path in samples(self._folder.parent)[:-MOST]:
            path.unlink(missing_ok=True)
            path.with_suffix(".jpg").unlink(missing_ok=True)


def corrected_tile(what: Mapping[str, Any]) -> tuple[int, int] | None:
    """The tile that a person named, inner half first: a correction's own, or of the answer about an unread tile."""
    tile = what.get("tile")
    if tile is None and what.get("answer") is not None and len(what.get("insert") or ()) == 1:
        tile = what["insert"][0].get("tile")
    if not isinstance(tile, list | tuple) or len(tile) != 2:
        return None
    return int(tile[0]), int(tile[1])


def oriented(
    seen: Sequence[int | None], read: Sequence[int] | None, corrected: tuple[int, int]
) -> tuple[int, int] | None:
    """`corrected` (inner, outer) in the order of the crop's halves, None where nothing says which half is inner."""
    if corrected[0] == corrected[1]:
        return corrected
    if read is not None and read[0] != read[1] and sorted(read) == sorted(v for v in seen if v is not None):
        return corrected if seen[0] == read[0] else (corrected[1], corrected[0])
    straight = sum(a == b for a, b in zip(seen, corrected, strict=True))
    turned = sum(a == b for a, b in zip(seen, corrected[::-1], strict=True))
    if straight == turned:
        return None
    return corrected if straight > turned else (corrected[1], corrected[0])


def cut_out(image: Any, quad: Sequence[Sequence[float]]) -> tuple[Any, list[list[float]]]:
    """The tile alone: everything farther than AROUND from its outline is grey. Its outline in the new crop."""
    points = np.asarray(quad, np.float64)
    middle = points.mean(0)
    width = float(np.linalg.norm(points[1] - points[0]))
    reach = np.linalg.norm(points - middle, axis=1, keepdims=True)
    outline = middle + (points - middle) * (1 + AROUND * width / np.maximum(reach, 1.0))
    low = np.maximum(np.floor(outline.min(0)), 0).astype(int)
    high = np.minimum(np.ceil(outline.max(0)), image.shape[1::-1]).astype(int)
    part = image[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline - low).astype(np.int32), 255)
    alone = np.full_like(part, 128)
    alone[mask > 0] = part[mask > 0]
    return alone, [[round(float(x), 1), round(float(y), 1)] for x, y in points - low]


def samples(data_dir: Path) -> list[Path]:
    """The labels of everything kept, oldest first; a link to something elsewhere is none of it."""
    pictures = ((path, path.with_suffix(".jpg")) for path in (data_dir / FOLDER).glob("*.json"))
    found = [path for path, picture in pictures if picture.is_file() and not picture.is_symlink()]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def count_samples(data_dir: Path) -> int:
    """How many are kept: the folder is read once, and no file is looked at."""
    folder = data_dir / FOLDER
    if not folder.is_dir():
        return 0
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries}
    return sum(name.endswith(".json") and f"{name.removesuffix('.json')}.jpg" in names for name in names)


def delete_samples(data_dir: Path, deleter: Deleter) -> int:
    """Delete all of them, and every picture or label whose other half is missing; how many pictures there were."""
    pictures = list((data_dir / FOLDER).glob("*.jpg"))
    left = deleter.delete([*pictures, *(data_dir / FOLDER).glob("*.json")])
    return sum(1 for path in pictures if path not in left)


def pack(data_dir: Path, into: IO[bytes]) -> None:
    """Write a zip in YOLO's format for oriented boxes: `images/`, `labels/` and `data.yaml`. A box is half a tile, its
    class the pips on it: `class x1 y1 x2 y2 x3 y3 x4 y4`, as shares of the picture's width and height."""
    with NewZip(into, zipfile.ZIP_STORED) as zipped:
        for path in samples(data_dir):
            lines = yolo_lines(path)
            if lines:
                zipped.write(path.with_suffix(".jpg"), f"images/{path.stem}.jpg")
                zipped.writestr(f"labels/{path.stem}.txt", "\n".join(lines) + "\n")
        names = "".join(f"  {value}: '{value}'\n" for value in range(HIGHEST + 1))
        zipped.writestr("data.yaml", f"path: .\ntrain: images\nval: images\nnames:\n{names}")


def yolo_lines(path: Path) -> list[str]:
    """The two halves of one sample; [] for one that is damaged."""
    try:
        label = json.loads(path.read_text(encoding="utf-8"))
        quad = np.asarray(label["quad"], np.float64)
        first, second = (int(value) for value in label["tile"])
        image = cv2.imread(str(path.with_suffix(".jpg")))
        size = np.asarray(image.shape[1::-1], np.float64)  # type: ignore[union-attr]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    if quad.shape != (4, 2) or not (0 <= first <= HIGHEST and 0 <= second <= HIGHEST):
        return []
    a, b, c, d = quad / size
    lines = []
    for value, box in ((first, (a, b, (b + c) / 2, (a + d) / 2)), (second, ((a + d) / 2, (b + c) / 2, c, d))):
        lines.append(" ".join([str(value), *(f"{min(1.0, max(0.0, share)):.6f}" for point in box for share in point)]))
    return lines
