"""Single still frames of full tables through eye and layout, against the exact truth: `python -m bench.stills`.

    python -m bench.stills --eye knowing --tables 400   sketched frames and an eye that errs as told
    python -m bench.stills --eye knowing --bent --tables 200   trains that turn after two or three tiles and double back
    python -m bench.stills --tables 20                  rendered frames, the shipped weights
    python -m bench.stills --hubs --tables 80           hubs as people have them, eight kinds in turn (bench/hub_kinds)
    python -m bench.stills --lean 15 35 --tables 20     held by hand: the camera leans so many degrees, any way
    python -m bench.stills --tables 14 --renderer FOLDER   the same drawn by another renderer (bench/foreign_film)

Each table has 45 tiles in trains, the engine and 25 face-down tiles; 2 to 8 players. Half of them have a hub; on a
quarter trains touch the engine (where all find room there), on a quarter they begin on a ring around it. One look at
one frame, nothing being known from earlier ones. A layout is exact when every tile lies in its train and place, every
marker at its train, and the boneyard's count is right; a half that the eye itself left unread may be open, but a
wrong value is a fault. `trains` counts them by how they run (bench/train_kinds). `read` counts the tables on which
nothing is open either, `eye` what the eye alone makes of the tables before the layout is asked: tiles found in their
places, finds too many, halves read right and wrong. The knowing eye errs in places (0.6 mm) and leaves 1 % of the
halves unread, but finds every tile. Resumable like `bench.table`.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.foreign_film import ForeignFilm
from bench.hub_kinds import KINDS, HubFilm, hub_table
from bench.stand_ins.sketch import KnowingEye, SketchFilm
from bench.train_kinds import train_kinds
from companion.geometry import Layout, reconstruct
from companion.geometry.layout import SeenTile, TableSetup, TableView
from companion.perception.projection import LEAST_THING_CONFIDENCE, on_table
from companion.perception.understanding import back_between_blanks, blanks_in_doubt
from companion.rules.tile import Laid
from datasets.folder_argument import RENDERER, folder_with
from datasets.render.table import TableCamera, TableScene, corners_px
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.random_tables import random_table, setup_for
from datasets.simulator.tabletop import TableFullError, TableTop
from vision.calibration import Calibration, calibration_from_tiles
from vision.known_set import KnownSet

RESULTS = Path(__file__).parent / "results" / "stills.json"
BONEYARD = 25
FOUND = 0.75
"""So many tile widths a tile may be found from its place: a lens that nobody measured bends the table's edges."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The film and the table: all that the knowing eye needs of a camera."""

    film: Film
    table: TableTop


def look(
    seed: int,
    hub: bool,
    eye_name: str,
    size_wh: tuple[int, int],
    renderer: Path | None = None,
    bent: bool = False,
    kind: str | None = None,
    lean: tuple[float, float] | None = None,
    by_tiles: bool = False,
) -> dict[str, Any] | None:
    """One table, one frame, one look, `kind` that of its hub; None where the made-up players ran out of table.

    `by_tiles`: nobody says where the table is, and the picture is straightened by the tiles.
    """
    start = time.perf_counter()
    try:
        plan, table, trains, marked = (
            random_table(seed, hub=hub, touching=not hub and seed % 4 == 1, bent=bent)
            if kind is None
            else hub_table(seed, kind, boneyard=BONEYARD)
        )
    except TableFullError:
        return None
    eye: Any
    if eye_name == "knowing":
        film: Any = SketchFilm(plan, seed, FilmSettings(size_wh=(720, 540)))
        eye, height = KnowingEye(Standing(film, table), seed=seed, missed=0.0), 0.001  # type: ignore[arg-type]
    else:
        from vision.eye import open_eye

        draw: Any = partial(ForeignFilm, folder=renderer) if renderer else Film
        if kind is not None:
            draw = partial(HubFilm, kind=kind)
        elif lean is not None:
            draw = partial(LeaningFilm, lean=lean)
        film, eye, height = draw(plan, seed, FilmSettings(size_wh=size_wh)), open_eye(one_box=True), plan.tile_mm[2]
    film.develop(table)
    image = film.frame()
    corners = np.asarray(film.corners_px(), np.float32)
    wh = (image.shape[1], image.shape[0])
    calibration = Calibration.from_corners(corners, plan.size_mm, height, size_wh=wh)
    known = KnownSet.double(12)
    setup = setup_for(plan)
    if by_tiles:
        quads = [tile.quad_px for tile in eye.look(image, None, known).tiles if tile.face == "up"]
        straightened = calibration_from_tiles(quads, plan.tile_mm[:2], wh)
        setup, calibration = turned(setup, calibration, straightened), straightened
    size_mm = calibration.size_mm
    seen = on_table(eye.look(image, calibration.px_per_mm * plan.tile_mm[0], known), calibration, plan.tile_mm)
    # A fainter find is believed only where a marker lay before.
    markers = tuple(marker for marker in seen.markers if marker.confidence >= LEAST_THING_CONFIDENCE)
    layout = reconstruct(TableView(seen.tiles, markers, seen.hub, size_mm), setup)
    read = seen.tiles
    doubted = blanks_in_doubt(layout, read, setup.engine) or back_between_blanks(layout, read)
    if doubted is not None:
        read = doubted
        layout = reconstruct(TableView(read, markers, seen.hub, size_mm), setup)
    wrong = faults(layout, trains, marked)
    return {
        "players": len(plan.players),
        "hub": hub,
        "kind": kind or "hub" if hub or kind else "touching" if plan.begins else "ring",
        "tiles": sum(map(len, trains.values())),
        "exact": all(fault.endswith(": unread") for fault in wrong),
        "read": not wrong,
        "unread": sum(tile.laid is None for train in layout.trains.values() for tile in train),
        "wrong": wrong,
        "trains": by_kind(train_kinds(table), wrong),
        "eye": seen_of(table, seen.tiles),
        "total": total_of(table, seen.tiles),
        "seconds": round(time.perf_counter() - start, 2),
    }


@dataclass(slots=True)
class LeaningFilm(Film):
    """A camera that somebody holds: it leans by so many degrees from the vertical, to any side, far enough away to show
    the whole table."""

    lean: tuple[float, float] = field(default=(15.0, 35.0), kw_only=True)

    def _camera(self, bump_mm: tuple[float, float]) -> TableCamera:
        chance = np.random.default_rng([self.seed, 3])
        lean, toward, roll = chance.uniform(*self.lean), chance.uniform(0, 360), chance.uniform(-12, 12)
        camera = super(LeaningFilm, self)._camera(bump_mm)
        camera = replace(camera, lean_deg=float(lean), lean_toward_deg=float(toward), roll_deg=float(roll))
        return showing(camera, self.plan.size_mm)


def showing(camera: TableCamera, size_mm: tuple[float, float]) -> TableCamera:
    """The camera as far above a table of this size as it takes to see the whole of it."""
    while not _within(corners_px(TableScene(size_mm, camera=camera)), camera.width, camera.height):
        camera = replace(camera, height_mm=camera.height_mm * 1.03)
    return camera


def _within(corners: NDArray[np.float64], w: int, h: int) -> bool:
    return bool((corners > 8).all() and (corners[:, 0] < w - 8).all() and (corners[:, 1] < h - 8).all())


def faults(layout: Layout, trains: Mapping[str, Sequence[Laid]], marked: Sequence[str]) -> list[str]:
    """Every train, marker set and count that is not as it lies, in a word each."""
    wrong = []
    for name in sorted({*trains, *layout.trains}):
        lies = [tuple(laid) for laid in trains.get(name, ())]
        found = [None if tile.laid is None else tuple(tile.laid) for tile in layout.trains.get(name, ())]
        if lies != found:
            same = len(lies) == len(found)
            unread = same and all(b is None or a == b for a, b in zip(lies, found, strict=True))
            wrong.append(f"{name}: {'unread' if unread else 'misread' if same else 'taken apart'}")
    if layout.markers != frozenset(marked):
        wrong.append("markers")
    if layout.boneyard != BONEYARD:
        wrong.append(f"boneyard {layout.boneyard}")
    return wrong


def by_kind(kinds: Mapping[str, frozenset[str]], wrong: Sequence[str]) -> dict[str, list[int]]:
    """Kind of train -> [exact, of]; a train of several kinds counts in each."""
    bad = {name for fault in wrong if not fault.endswith(": unread") for name in kinds if fault.startswith(f"{name}: ")}
    found: dict[str, list[int]] = {}
    for name, each in sorted(kinds.items()):
        for kind in sorted(each):
            row = found.setdefault(kind, [0, 0])
            row[0] += name not in bad
            row[1] += 1
    return found


def seen_of(table: TableTop, tiles: Sequence[SeenTile]) -> dict[str, int]:
    """Count the eye's finds and readings on a table. A half with a marker on it counts for nothing."""
    length, width, _ = table.plan.tile_mm
    counts = Counter(dict.fromkeys(("tiles", "found", "extra", "halves", "right", "wrong"), 0))
    left = list(tiles)
    for lying in table.visible():
        counts["tiles"] += 1
        apart = {n: math.dist(tile.center_mm, lying.center_mm) for n, tile in enumerate(left)}
        near = [n for n, mm in apart.items() if left[n].face_up == lying.face_up and mm < FOUND * width]
        if not near:
            counts["halves"] += 2 * lying.face_up
            continue
        seen = left.pop(min(near, key=apart.__getitem__))
        counts["found"] += 1
        if seen.halves is None:
            continue
        turned = math.cos(math.radians(seen.heading_deg - lying.heading_deg)) < 0
        for n, value in enumerate(lying.laid):
            half = 1 - n if turned else n
            if any(math.dist(seen.end_mm(half), marker) < length / 2 for marker in table.markers.values()):
                continue
            read = seen.halves[half].value
            counts["halves"] += 1
            counts["right"] += read == value
            counts["wrong"] += read not in (None, value)
    counts["extra"] = len(left)
    return dict(counts)


def total_of(table: TableTop, tiles: Sequence[SeenTile]) -> str:
    """The eye's sum of all pips that lie face up: `right`, `wrong`, or `open` where a tile is not read."""
    up = [tile.values for tile in tiles if tile.face_up]
    if any(values is None for values in up):
        return "open"
    said = sum(sum(values) for values in up if values is not None)
    return "right" if said == sum(sum(lying.laid) for lying in table.visible() if lying.face_up) else "wrong"


def summary(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    exact, read = sum(one["exact"] for one in tables), sum(one["read"] for one in tables)
    share = round(exact / max(1, len(tables)), 4)
    kinds: dict[str, list[int]] = {}
    for one in tables:
        row = kinds.setdefault(str(one.get("kind", "hub" if one["hub"] else "ring")), [0, 0])
        row[0] += one["exact"]
        row[1] += 1
    eye: Counter[str] = Counter()
    for one in tables:
        eye.update(one["eye"])
    trains: dict[str, list[int]] = {}
    for one in tables:
        for name, (right, count) in one.get("trains", {}).items():
            row = trains.setdefault(name, [0, 0])
            row[0], row[1] = row[0] + right, row[1] + count
    told = {"tables": len(tables), "exact": exact, "read": read, "exact_share": share}
    totals = Counter(str(one["total"]) for one in tables if "total" in one)
    return {**told, "kinds": kinds, "trains": trains, "eye": dict(eye), "totals": dict(totals)}


def turned(setup: TableSetup, known: Calibration, other: Calibration) -> TableSetup:
    """The set-up for a table that another calibration turns: who sat there sits there."""
    middle = np.array(known.size_mm) / 2

    def there(degrees: float) -> float:
        ahead = middle + 100.0 * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
        (x0, y0), (x1, y1) = other.to_mm(known.to_px([middle, ahead]))
        return math.degrees(math.atan2(y1 - y0, x1 - x0))

    mexican = setup.mexican_station
    stations = {name: there(degrees) for name, degrees in setup.stations.items()}
    return replace(setup, stations=stations, mexican_station=None if mexican is None else there(mexican))


def main() -> None:
    parser = argparse.ArgumentParser(description="single still frames of full tables")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--eye", choices=("real", "knowing"), default="real")
    parser.add_argument("--size", type=int, nargs=2, default=(2400, 1800), metavar=("W", "H"))
    parser.add_argument(
        "--renderer", type=folder_with(RENDERER), help="folder of another renderer that draws the tables"
    )
    parser.add_argument("--bent", action="store_true", help="trains turn corners early and double back")
    parser.add_argument("--hubs", action="store_true", help="hubs as people have them, a kind a table in turn")
    parser.add_argument("--lean", type=float, nargs=2, metavar=("FROM", "TO"), help="degrees by which the camera leans")
    parser.add_argument("--by-tiles", action="store_true", help="no markers: the tiles tell how the camera leans")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    kept: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    name = ("foreign" if args.renderer else args.eye) + (" bent" if args.bent else "") + (" hubs" if args.hubs else "")
    name += (" leaning" if args.lean else "") + (" by tiles" if args.by_tiles else "")
    part = kept.setdefault(name, {"tables": {}})
    for seed in range(args.first_seed, args.first_seed + args.tables):
        if str(seed) in part["tables"]:
            continue
        kind = KINDS[seed % len(KINDS)] if args.hubs else None
        hub = seed % 2 == 0 if kind is None else kind != "false"
        result = look(seed, hub, args.eye, tuple(args.size), args.renderer, args.bent, kind, args.lean, args.by_tiles)
        if result is None:
            continue
        part["tables"][str(seed)] = result
        part["summary"] = summary(list(part["tables"].values()))
        args.out.parent.mkdir(exist_ok=True)
        fresh = args.out.with_suffix(".new")
        fresh.write_text(json.dumps(kept, indent=1) + "\n")
        fresh.replace(args.out)
        if not result["exact"] or args.eye == "real":
            print(
                f"{seed}: {result['players']} players, {result['wrong'] or 'exact'}, {result['seconds']} s", flush=True
            )
    print(json.dumps(part.get("summary", {}), indent=1))


if __name__ == "__main__":
    main()
