"""Whose arm was it? Filmed arms over sketched tables, against their exact truth: `python -m bench.arms`.

    python -m bench.arms --rounds 28                        seats named, unnamed and misnamed by kind of reach
    python -m bench.arms --rounds 28 --confusing 0.25       a quarter of the acts is done by arms that do not say whose
    python -m bench.arms --rounds 28 --fit                  fit the weights of companion/perception/arm_votes.py
    python -m bench.arms --kept bench/results/arms.json     what was measured earlier

The table and the arms are rendered, tiles are painted on: nothing here reads them. Where things lie and change is
known, so what is measured is the arm alone, without turn order. A seat counts as named where it leads by 10 decibans,
which is when an arm is called clear; whom a play belongs to is decided by the belief (bench/who_played.py).
The reliability curve and the expected calibration error are over all acts of which an arm said anything.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from bench.arm_options import keep, kept, options
from companion.perception.arm_votes import ANOTHERS, WEIGHTS, Reach, Reaches, Sleeves, fit_of, vote
from companion.rules.position import Action
from companion.rules.referee import undealt
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.render.table import render_table
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.plan import Point
from datasets.simulator.reaching import Reaching
from datasets.simulator.script import Scene, carry_out
from datasets.simulator.tabletop import MARKER_RADIUS_MM, TableTop
from datasets.simulator.visits import Visit, visits_of
from vision.calibration import Calibration
from vision.frame import Frame

FIRST_SEED = 930_000
SIZE_WH = (640, 480)
MEXICAN = [name for name in RULESET_NAMES if load_ruleset(name).is_mexican]
TILE, BACK, MARKER = (225, 228, 230), (150, 60, 40), (30, 30, 200)
BINS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)


class ArmFilm(Film):
    """The table is rendered once, and what lies on it painted over it; arms are rendered as in any film."""

    _bare: Any = None

    def develop(self, table: TableTop) -> None:
        if self._bare is None or (self.lamp, self.bump_mm) != self._bare[0]:
            scene = replace(self._scene(table), tiles=(), markers=())
            self._bare = (self.lamp, self.bump_mm), render_table(scene, self.seed)[0]
        image = self._bare[1].copy()
        length, width, _ = self.plan.tile_mm
        for lying in sorted(table.all_tiles(), key=lambda one: one.layer):
            middle = self._px(lying.center_mm)
            size = (length * self._px_per_mm, width * self._px_per_mm)
            outline = cv2.boxPoints((middle, size, lying.heading_deg)).astype(np.int32)
            cv2.fillConvexPoly(image, outline, TILE if lying.face_up else BACK)
            cv2.polylines(image, [outline], True, (40, 40, 40), 1)
        for place in table.markers.values():
            x, y = self._px(place)
            cv2.circle(image, (round(x), round(y)), round(MARKER_RADIUS_MM * self._px_per_mm), MARKER, -1)
        self._still = image

    def _px(self, place: Point) -> tuple[float, float]:
        (cx, cy), (w, h) = self.plan.center_mm, self.settings.size_wh
        return w / 2 + (place[0] - cx) * self._px_per_mm, h / 2 + (place[1] - cy) * self._px_per_mm


class ArmCamera(SimCamera):
    """A simulated camera that remembers where hands went in each scene, and for what."""

    def __init__(self, seed: int, settings: SimSettings) -> None:
        self.visits: dict[int, list[Visit]] = {}
        self.places: dict[int, list[tuple[str, Action, Point]]] = {}
        self._scenes: list[Scene] = []
        super().__init__(seed, settings, ArmFilm)

    def _arms_over(self, scene: Scene, reach: Point) -> Any:
        self.visits[id(scene)] = visits_of(scene, self.table)
        ahead = self.table.foreseen()
        done = [(player, act, carry_out(ahead, player, act)) for player, act in scene.acts]
        self.places[id(scene)] = [(player, act, place) for player, act, place in done if place is not None]
        # Kept, so that no other scene gets its number.
        self._scenes.append(scene)
        return super()._arms_over(scene, reach)


@dataclass(frozen=True, slots=True)
class Act:
    """One act and what was seen of it. `kind` is how the arm came, `shares` what it says, empty where nothing.

    `fits`: for the fit, the two numbers of each player's seat, where one clear arm was seen.
    """

    seed: int
    players: int
    kind: str
    draws: bool
    player: str
    shares: Mapping[str, float]
    clear: str | None
    why: str
    fits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        if self.clear is None:
            return "unnamed"
        return "named" if self.clear == self.player else "misnamed"


def rules_for(seed: int, players: int) -> str:
    """A Mexican rule set that so many can play, by the seed."""
    fitting = [name for name in MEXICAN if undealt(load_ruleset(name), 12, players) is None]
    return fitting[seed % len(fitting)]


def watch_round(seed: int, players: int, scenes: int, confusing: float) -> tuple[list[Act], list[float]]:
    """The acts of one filmed round, and what each frame cost in milliseconds of processor time."""
    settings = SimSettings(
        rules=rules_for(seed, players),
        players=players,
        most_scenes=scenes,
        film=FilmSettings(size_wh=SIZE_WH),
        reaching=Reaching(confusing=confusing),
        still_frames=2,
    )
    camera = ArmCamera(seed, settings)
    calibration = Calibration.from_corners(camera.film.corners_px(), camera.plan.size_mm, 9.0, None, SIZE_WH)
    reaches, sleeves = Reaches(), Sleeves()
    acts: list[Act] = []
    cost: list[float] = []
    told = 0
    last: Frame | None = None

    def settle(frame: Frame) -> None:
        nonlocal told
        for filmed in camera.truth[told:]:
            if filmed.scene.trouble is None:
                acts.extend(_acts(camera, filmed, reaches, sleeves))
            reaches.still(frame)
        told = len(camera.truth)

    while (frame := camera.read()) is not None:
        if last is None:
            reaches.see(frame, calibration)
            reaches.still(frame)
        else:
            # The truth of a scene is known with the frame after its last one.
            settle(last)
        start = time.process_time()
        reaches.see(frame, calibration)
        cost.append(1000 * (time.process_time() - start))
        last = frame
    return acts, cost


def _acts(camera: ArmCamera, filmed: Any, reaches: Reaches, sleeves: Sleeves) -> Iterator[Act]:
    kinds = {arm.acts_for: str(arm.reach) for arm in reversed(filmed.arms) if arm.acts_for is not None}
    seats, size_mm = dict(camera.plan.seat_deg), camera.plan.size_mm
    for visit in camera.visits.get(id(filmed.scene), ()):
        reach = reaches.over(visit.place)
        said = vote(reach, seats, size_mm, sleeves)
        yield Act(
            camera.seed,
            len(seats),
            kinds.get(visit.player, "?"),
            visit.draws,
            visit.player,
            shares_of(said.decibans),
            said.clear,
            "" if said.unclear is None else said.unclear.value,
            _fits(reach, seats, size_mm),
        )


def shares_of(decibans: Mapping[str, int]) -> dict[str, float]:
    """The shares by the evidence alone."""
    weights = {name: 10.0 ** (-cost / 10.0) for name, cost in decibans.items()}
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def _fits(reach: Reach, seats: Mapping[str, float], size_mm: tuple[float, float]) -> dict[str, tuple[float, float]]:
    if len(reach.tracks) != 1:
        return {}
    found = {}
    for name, seat in seats.items():
        rows = np.median([fit_of(arm, seat, size_mm) for arm in reach.tracks[0]], axis=0)
        found[name] = (float(rows[0]), float(rows[1]))
    return found


def fitted(acts: Sequence[Act], another: float) -> tuple[float, float]:
    """The weights that make these acts likeliest, if a share `another` of them says nothing. By gradient ascent."""
    rows = [one for one in acts if one.fits]
    weights = np.array(WEIGHTS, np.float64)
    for step in range(3000):
        slope = np.zeros(len(weights))
        for one in rows:
            names = list(one.fits)
            columns = np.array([one.fits[name] for name in names])
            scores = columns @ weights
            p = np.exp(scores - scores.max())
            p /= p.sum()
            own = names.index(one.player)
            whole = (1 - another) * p[own] + another / len(names)
            slope += (1 - another) * p[own] / whole * (columns[own] - p @ columns)
        weights += (2.0 / (1.0 + step / 200.0)) * slope / len(rows)
    return float(weights[0]), float(weights[1])


def reliability(acts: Sequence[Act]) -> tuple[list[dict[str, float]], float]:
    """The curve (for each range of shares how many there are, their mean, and how many came true) and the ECE."""
    pairs = [(share, name == one.player) for one in acts for name, share in one.shares.items()]
    curve, error = [], 0.0
    for low, high in pairwise(BINS):
        inside = [(share, true) for share, true in pairs if low <= share < high]
        if inside:
            mean, true = float(np.mean([s for s, _ in inside])), float(np.mean([t for _, t in inside]))
            curve.append({"from": low, "n": len(inside), "said": round(mean, 4), "true": round(true, 4)})
            error += len(inside) / len(pairs) * abs(mean - true)
    return curve, error


def summary(acts: Sequence[Act], cost: Sequence[float]) -> dict[str, Any]:
    curve, error = reliability(acts)
    return {
        "acts": len(acts),
        "all": _counted(acts),
        "laid": _counted([one for one in acts if not one.draws]),
        "drawn": _counted([one for one in acts if one.draws]),
        "by_reach": {
            kind: _counted([one for one in acts if one.kind == kind]) for kind in sorted({a.kind for a in acts})
        },
        "by_players": {
            str(n): _counted([one for one in acts if one.players == n]) for n in sorted({a.players for a in acts})
        },
        "unclear": dict(Counter(one.why for one in acts if one.why)),
        "ece": round(error, 4),
        "reliability": curve,
        "ms_per_frame": {"median": round(float(np.median(cost)), 2), "p95": round(float(np.quantile(cost, 0.95)), 2)},
    }


def _counted(acts: Sequence[Act]) -> dict[str, int]:
    found = Counter(one.outcome for one in acts)
    return {name: found[name] for name in ("named", "unnamed", "misnamed")}


def main() -> None:
    parser = options(__doc__, rounds=28, first=FIRST_SEED, scenes=40)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6, 7, 8])
    parser.add_argument("--fit", action="store_true", help="print the weights that fit these rounds")
    args = parser.parse_args()
    if args.kept is not None:
        print(kept(args.kept))
        return
    acts: list[Act] = []
    cost: list[float] = []
    for n in range(args.rounds):
        seed, players = args.first + n, args.players[n % len(args.players)]
        found, ms = watch_round(seed, players, args.scenes, args.confusing)
        acts += found
        cost += ms
        print(f"{seed} {players} players: {len(found)} acts, {json.dumps(_counted(found))}", flush=True)
    if args.fit:
        print("weights", [round(w, 3) for w in fitted(acts, ANOTHERS)])
    result = summary(acts, cost)
    print(json.dumps(result, indent=1))
    if args.out is not None:
        keep(args.out, f"seeds {args.first} to {args.first + args.rounds - 1}, confusing {args.confusing:g}", result)


if __name__ == "__main__":
    main()
