"""From arms to players: how likely what was seen is for each seat, in decibans, and when it says nothing.

For each seat two numbers tell how well an arm fits it: how far beside the prolonged arm its owner's middle is, and by
how much the direction of the entry from the table's middle misses the seat. Their weights are those of a conditional
logit over the seats, fitted to filmed arms (`python -m bench.arms --fit`). A share of all acts is done by somebody
else's arm, whatever it looks like, so no seat is ever excluded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from companion.geometry.angles import turn
from companion.geometry.table_view import Point
from companion.perception.reaches import Reach, Unclear
from companion.perception.seats import body_mm
from companion.perception.sleeves import Sleeves
from companion.rules.notation import Change
from vision.arm_view import Arm

WEIGHTS = (-1.64, -0.77)
"""Of the two numbers of `fit_of`: `python -m bench.arms --fit --first 930400 --scenes 24`."""

ANOTHERS = 0.1
"""One act in ten is done by an arm that says nothing of who plays: a neighbour tidies, a parent lays for a child.
Filmed arms are wrong once in fifty (bench/results/arms.json); how often people reach for each other nobody counted."""

WHOLE_MM, LEAST_TRUST = 300.0, 0.3
"""An arm of which less is seen says less: a hand at the table's corner may come from several seats. Of 30 shorter than
150 mm (seeds of the fit) 76 % fitted their own seat best, of 700 longer ones 97 %."""

TORN_DEG, TORN = 25.0, 0.5
"""Where the entry is this near to two seats, what parts these two counts only so much: in the logarithm."""

CLEAR = 10
"""Decibans by which the likeliest seat of a clear arm leads."""


@dataclass(frozen=True, slots=True)
class Vote:
    """`decibans`: player -> how much less likely than the likeliest this is; empty where nothing can be said.

    `clear` is the one player whose arm it clearly was, `unclear` why there is none; `seen` the arms that it rests on.
    """

    decibans: Mapping[str, int] = field(default_factory=dict)
    clear: str | None = None
    unclear: Unclear | None = None
    frame: str = ""
    seen: frozenset[Arm] = frozenset()


def fit_of(arm: Arm, seat_deg: float, size_mm: tuple[float, float]) -> tuple[float, float]:
    """How badly an arm with an entry fits a seat: (beside, turned), each about 1 at most for an arm at its own seat."""
    assert arm.entry_mm is not None
    (bx, by), (ex, ey) = body_mm(seat_deg, size_mm), arm.entry_mm
    ux, uy = math.cos(math.radians(arm.axis_deg)), math.sin(math.radians(arm.axis_deg))
    dx, dy = bx - ex, by - ey
    beside = abs(dx * uy - dy * ux) if dx * ux + dy * uy > 0 else math.hypot(dx, dy)
    entry_deg = math.degrees(math.atan2(ey - size_mm[1] / 2, ex - size_mm[0] / 2))
    return beside / 150.0, abs(turn(entry_deg, seat_deg)) / 20.0


def shares(track: Sequence[Arm], seats: Mapping[str, float], size_mm: tuple[float, float]) -> dict[str, float]:
    """How likely one arm, as it was in all its frames, belongs to each seat if nothing else is known; the sum is 1."""
    scores = {}
    trust = min(1.0, max(LEAST_TRUST, median(arm.reach_mm for arm in track) / WHOLE_MM))
    for name, seat in seats.items():
        fits = [fit_of(arm, seat, size_mm) for arm in track]
        scores[name] = trust * sum(
            w * median(column) for w, column in zip(WEIGHTS, zip(*fits, strict=True), strict=True)
        )
    scores = _torn(scores, track, seats, size_mm)
    most = max(scores.values())
    weights_of = {name: math.exp(score - most) for name, score in scores.items()}
    total = sum(weights_of.values())
    floor = ANOTHERS / len(seats)
    return {name: (1.0 - ANOTHERS) * weight / total + floor for name, weight in weights_of.items()}


def _torn(
    scores: Mapping[str, float], track: Sequence[Arm], seats: Mapping[str, float], size_mm: tuple[float, float]
) -> dict[str, float]:
    """The same; of several seats that are near the entry none leads by much."""
    near = [name for name in seats if _entry_turn(track, seats[name], size_mm) < TORN_DEG]
    if len(near) < 2:
        return dict(scores)
    best = max(scores[name] for name in near)
    return {name: best + TORN * (score - best) if name in near else score for name, score in scores.items()}


def _entry_turn(track: Sequence[Arm], seat_deg: float, size_mm: tuple[float, float]) -> float:
    cx, cy = size_mm[0] / 2, size_mm[1] / 2
    return median(abs(turn(_direction(arm.entry_mm, (cx, cy)), seat_deg)) for arm in track if arm.entry_mm is not None)


def _direction(place: Point, center: Point) -> float:
    return math.degrees(math.atan2(place[1] - center[1], place[0] - center[0]))


def vote(
    reach: Reach, seats: Mapping[str, float], size_mm: tuple[float, float], sleeves: Sleeves | None = None
) -> Vote:
    """What a reach says about who did it. `sleeves` tell between seats that the arm leaves open, and no others."""
    tracks = [track for track in reach.tracks if track and track[0].entry_mm is not None]
    if not tracks or len(seats) < 2:
        return Vote(unclear=reach.unclear or Unclear.NOBODY, frame=reach.frame)
    rows = [shares(track, seats, size_mm) for track in tracks]
    decibans = as_decibans(_mean(rows))
    first, second = sorted(decibans, key=lambda name: decibans[name])[:2]
    clear = first if decibans[second] >= CLEAR else None
    if sleeves is not None and clear is None:
        rows = [sleeves.weighed(row, track, _open(row)) for row, track in zip(rows, tracks, strict=True)]
        decibans = as_decibans(_mean(rows))
    elif sleeves is not None and clear is not None and len(tracks) == 1:
        sleeves.learn(clear, tracks[0])
    seen = frozenset(arm for track in tracks for arm in track)
    return Vote(decibans, clear, None if clear else reach.unclear or Unclear.TORN, reach.frame, seen)


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


def _open(row: Mapping[str, float]) -> list[str]:
    """The seats between which one arm leaves it open."""
    return [name for name, cost in as_decibans(row).items() if cost < CLEAR]


def together(votes: Sequence[Vote], players: Sequence[str]) -> Vote:
    """Of several places of one change the mean of what their arms say: they may be several people's."""
    informative = [one for one in votes if one.decibans]
    if len(informative) < 2:
        return informative[0] if informative else next(iter(votes), Vote())
    costs = {name: round(fmean(one.decibans[name] for one in informative)) for name in players}
    least = min(costs.values())
    clear = informative[0].clear if len({one.clear for one in informative}) == 1 else None
    seen = frozenset[Arm]().union(*(one.seen for one in informative))
    unclear = None if clear else informative[0].unclear
    return Vote({name: cost - least for name, cost in costs.items()}, clear, unclear, informative[0].frame, seen)


def counted_once(votes: Mapping[Change, Vote]) -> dict[Change, dict[str, int]]:
    """The decibans of each change; of one arm that did several things each has only its part.

    One look at an arm is one piece of evidence: who laid a train of eight tiles with a neighbour's arm in view was
    wrong once and not eight times.
    """
    found: dict[Change, dict[str, int]] = {}
    for change, one in votes.items():
        sharing = sum(not one.seen.isdisjoint(other.seen) for other in votes.values())
        if one.decibans:
            found[change] = {name: math.ceil(cost / max(1, sharing)) for name, cost in one.decibans.items()}
    return found


def as_decibans(likely: Mapping[str, float]) -> dict[str, int]:
    """The likeliest is 0."""
    most = max(likely.values())
    return {name: round(-10.0 * math.log10(share / most)) for name, share in likely.items()}
