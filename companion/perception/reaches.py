"""The arms of the last frames, and which of them was over a place last before it changed.

Frames are kept in memory until the table is read again, and nowhere else. A place that changed is asked about when the
table lies still: between the last frame in which it was seen unchanged and the first in which it was seen changed
something covered it. If that was one arm, its frames vote; of several it was one of them; what is not clear is silent.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from companion.geometry.angles import turn
from companion.geometry.table_view import Point
from vision.arm_plane import ArmPlane
from vision.arm_view import UNCLEAR, Arm, ArmView
from vision.arms import ArmFinder
from vision.calibration import Calibration
from vision.frame import Frame

KEPT_FRAMES = 150
"""Half a minute at five frames a second."""

RADIUS_MM = 22.0
"""Half a tile's length around its middle."""

WIDE_MM = 55.0
"""A hand that pushes a tile with its finger tips, or lets it slide, is so near."""

HAND_MM, BESIDE_MM = 190.0, 60.0
"""How far a hand reaches beyond its sleeve, and half its width."""

AROUND_FRAMES = 2
"""Where a hand is not seen, what it lays shows before it has gone: so many frames around the change count."""

COVERED, SEEN_CHANGED = 0.2, 0.3
"""Parts of that disc: an arm over so much covers the place; so much that differs is another thing lying there."""

TIP_MM = 110.0
"""A hand whose finger tips are so near to a place is at work there."""

TIP_ERROR_MM = 25.0
"""So well a tip is told."""

HAND_APART_MM = 40.0
"""Of two hands over a place that one did it whose tips were by so much nearer to it."""

LIES_OVER = 0.5
"""A hand lies over a place of which it covers so much."""

IN_LINE_DEG = 25.0
"""Two parts of one arm lie in one line up to this."""

LOOKS_DONE = 0.7
"""Where so much of a place looks as it does in the end, what was done there is done."""

SAME_ARM_MM = 160.0
"""From one frame to the next an arm's entry moves less."""


class Unclear(StrEnum):
    """Why no arm is named for a place."""

    NOBODY = "nobody was seen over it"
    SEVERAL = "two arms were over it"
    NO_ENTRY = "the arm came in where the camera sees no border"
    TORN = "the arm came in between two seats"
    TOO_WIDE = "the arm covered too much of the border"


@dataclass(frozen=True, slots=True)
class Reach:
    """The arms that were over a place: each as it was in its frames. It was one of them; or why none is known."""

    tracks: tuple[tuple[Arm, ...], ...] = ()
    unclear: Unclear | None = None
    frame: str = ""


@dataclass(frozen=True, slots=True)
class _Moment:
    frame: str
    view: ArmView


@dataclass(slots=True)
class Reaches:
    """`see` gets every frame, `still` the one in which the table was read; `over` answers about places in between."""

    finder: ArmFinder = field(default_factory=ArmFinder)
    _plane: ArmPlane | None = field(init=False, default=None)
    _moments: deque[_Moment] = field(init=False, default_factory=lambda: deque(maxlen=KEPT_FRAMES))

    def see(self, frame: Frame, calibration: Calibration) -> ArmView:
        self._plane = self.finder.plane(self._plane, calibration, frame)
        view = self.finder.see(frame, self._plane)
        self._moments.append(_Moment(frame.name, view))
        return view

    def still(self, frame: Frame) -> None:
        """The table was read as it lies in this frame: what was before is settled."""
        self.finder.still(frame)
        self._moments.clear()

    def forget(self) -> None:
        self.finder.forget()
        self._moments.clear()

    def now(self) -> tuple[Arm, ...]:
        """The arms over the table in the last frame."""
        moments = list(self._moments)
        return moments[-1].view.arms if moments else ()

    def over(self, place: Point) -> Reach:
        """Whose arm did what has changed at this place."""
        moments = list(self._moments)
        first, last, seen = _window(moments, place)
        for radius in (RADIUS_MM, WIDE_MM):
            over = [n for n in range(first, last) if _covering(moments[n].view, place, radius)]
            if over:
                # A sleeve may cross what another hand lays down.
                handed = [n for n in over if _hands_over(moments[n].view, place, radius)]
                if handed:
                    return self._nearest_hands(moments, handed, place, radius)
                return self._at(moments, over[-1], _covering(moments[over[-1]].view, place, radius), place)
        if not seen:
            return Reach(unclear=Unclear.NOBODY)
        # A hand in the table's colour is not seen; its sleeve shows where it is.
        near = range(max(0, first - AROUND_FRAMES), min(len(moments), last + AROUND_FRAMES))
        pointing = [n for n in near if _pointing(moments[n].view, place, HAND_MM)]
        if pointing:
            n = min(pointing, key=lambda n: (_tip_away(moments[n].view, place), -n))
            return self._at(moments, n, _pointing(moments[n].view, place, HAND_MM), place)
        return self._around(moments, near)

    def _nearest_hands(self, moments: Sequence[_Moment], handed: Sequence[int], place: Point, radius: float) -> Reach:
        """The hand whose tips came nearest to the place; both, where another came as near."""
        best = min(handed, key=lambda n: _at_work(moments[n].view, place, radius, n))
        found = self._at(moments, best, _hands_over(moments[best].view, place, radius), place)
        if len(found.tracks) != 1:
            return found
        least = _nearest(moments[best].view, place, radius)
        for n in handed:
            view = moments[n].view
            near = _nearest(view, place, radius) < least + HAND_APART_MM
            if near and not any(_same(arm, one) for arm in view.arms for one in found.tracks[0]):
                other = self._at(moments, n, _hands_over(view, place, radius), place)
                return Reach((*found.tracks, *other.tracks), Unclear.SEVERAL, found.frame)
        return found

    def _around(self, moments: Sequence[_Moment], near: Sequence[int]) -> Reach:
        """The arms that were in view when a place changed, though none was seen over it: one of them did it."""
        tracks: list[tuple[Arm, ...]] = []
        frame = ""
        for n in near:
            view = moments[n].view
            if any(not arm.clear for arm in view.arms):
                return Reach(unclear=_why(view), frame=moments[n].frame)
            for arm in view.arms:
                if not any(_same(arm, one) for track in tracks for one in track):
                    tracks.append((arm, *_followed(moments[:n][::-1], arm), *_followed(moments[n + 1 :], arm)))
                    frame = moments[n].frame
        if not tracks:
            return Reach(unclear=Unclear.NOBODY)
        return Reach(tuple(tracks), Unclear.SEVERAL if len(tracks) > 1 else None, frame)

    def _at(self, moments: Sequence[_Moment], n: int, over: Collection[int], place: Point) -> Reach:
        """The arms with these indices (or UNCLEAR) in moment `n`, followed through the frames around it."""
        view, frame = moments[n].view, moments[n].frame
        arms = set(over)
        if UNCLEAR in arms:
            # Where two arms cross it was one of them; where one is not clear nobody knows.
            arms = (arms - {UNCLEAR}) | _pointing(view, place, 0.0)
            if not arms or not all(arm.clear for arm in view.arms):
                return Reach(unclear=_why(view), frame=frame)
        turned = {n for n in arms if _comes_from_there(view.arms[n], place)}
        if turned:
            # The hand lies over the border there; its own arm, where that is seen, ends where this one does.
            arms = (arms - turned) | {n for n in range(len(view.arms)) if _goes_on(view, n, turned)}
            if not arms:
                return Reach(unclear=Unclear.NO_ENTRY, frame=frame)
        tracks = []
        for index in sorted(arms):
            arm = view.arms[index]
            track = (arm, *_followed(moments[:n][::-1], arm), *_followed(moments[n + 1 :], arm))
            tracks.append(tuple(_with_hand_at(one, place) for one in track))
        return Reach(tuple(tracks), Unclear.SEVERAL if len(tracks) > 1 else None, frame)

    def reached(self, places: Sequence[Point], changed: Sequence[Point] = ()) -> Iterator[Reach]:
        """Every arm that was over one of these places with its hand, changed or not: once each. A hand that comes in
        where no border is seen counts too, and so does one that is not clear: nobody knows whose these are.

        `changed` are the places at which something else was done: who was on the way there reached for nothing here.
        """
        known: list[Arm] = []
        moments = list(self._moments)
        hidden = False
        for n, moment in enumerate(moments):
            here = _hands_in(moment.view, places, changed) or _hands_towards(moment.view, places, changed)
            # Who reaches with both hands draws once.
            if here and not any(_same(arm, one) for arm in moment.view.arms for one in known):
                tracks = [(arm, *_followed(moments[:n][::-1], arm), *_followed(moments[n + 1 :], arm)) for arm in here]
                known += [arm for track in tracks for arm in track]
                yield Reach(tuple(tracks), Unclear.SEVERAL if len(tracks) > 1 else None, moment.frame)
            was_hidden, hidden = hidden, not here and _hand_at(moment.view, places)
            if hidden and not was_hidden:
                yield Reach(unclear=Unclear.NO_ENTRY, frame=moment.frame)
        for moment in moments:
            for arm in _unclear_in(moment.view, places):
                if not any(_same(arm, one) for one in known):
                    known.append(arm)
                    yield Reach(unclear=_why(moment.view), frame=moment.frame)


def _window(moments: Sequence[_Moment], place: Point) -> tuple[int, int, bool]:
    """From the frame after the last in which the place was seen unchanged to the first in which it was seen changed;
    False: it looks as before in all of them, so that it cannot be told when."""
    first, last = 0, len(moments)
    after = moments[-1].view if moments else None
    lies = after is not None and not _covering(after, place, RADIUS_MM) and _lies_there(after, place)
    for n, moment in enumerate(moments):
        view = moment.view
        if view.flooded:
            continue
        covered = _covering(view, place, RADIUS_MM)
        if not covered and not _lies_there(view, place):
            first, last = n + 1, len(moments)
        elif after is not None and lies and view.alike(after, place, RADIUS_MM / 2) >= LOOKS_DONE:
            # An arm that touches what lies there already seems to cover it.
            last = min(last, n)
        elif not covered:
            last = min(last, n)
    if first >= len(moments):
        return 0, len(moments), False
    return first, last, True


def _lies_there(view: ArmView, place: Point) -> bool:
    return view.changed(place, RADIUS_MM / 2) >= SEEN_CHANGED


def _hands_over(view: ArmView, place: Point, radius: float) -> dict[int, float]:
    """Those of the arms over the place that end there."""
    over = _covering(view, place, radius)
    return {n: share for n, share in over.items() if n != UNCLEAR and _away(view.arms[n], place) < TIP_MM}


def _at_work(view: ArmView, place: Point, radius: float, n: int) -> tuple[int, int]:
    """Of several hands over a place that one comes first whose tips are nearest to it, then the last one."""
    return int(_nearest(view, place, radius) // TIP_ERROR_MM), -n


def _nearest(view: ArmView, place: Point, radius: float) -> float:
    """How near the tips of the hands over a place are to it."""
    return min(_away(view.arms[one], place) for one in _hands_over(view, place, radius))


def _tip_away(view: ArmView, place: Point) -> float:
    """How far from the place the tip of the nearest arm is that points there."""
    return min(_away(view.arms[n], place) for n in _pointing(view, place, HAND_MM))


def _away(arm: Arm, place: Point) -> float:
    """How far the hand is from a place."""
    return _distance(_with_hand_at(arm, place).tip_mm, place)


def _with_hand_at(arm: Arm, place: Point) -> Arm:
    """The arm; of one with both ends over the border the hand is where it did something."""
    other = arm.other
    turned = other is not None and _distance(other.tip_mm, place) < _distance(arm.tip_mm, place)
    return other if other is not None and turned else arm


def _covering(view: ArmView, place: Point, radius: float) -> dict[int, float]:
    return {index: share for index, share in view.covers(place, radius).items() if share >= COVERED}


def _pointing(view: ArmView, place: Point, beyond_mm: float) -> set[int]:
    """The clear arms in whose line a place lies, no farther than this beyond the tip."""
    found = set()
    for index, arm in enumerate(view.arms):
        if not arm.clear or arm.entry_mm is None:
            continue
        ahead, in_line = _ahead(arm, place)
        if in_line and ahead < beyond_mm + WIDE_MM:
            found.add(index)
    return found


def _ahead(arm: Arm, place: Point) -> tuple[float, bool]:
    """How far beyond the tip a place is, along the arm, and whether it is in the arm's line at all."""
    ux, uy = -math.cos(math.radians(arm.axis_deg)), -math.sin(math.radians(arm.axis_deg))
    dx, dy = place[0] - arm.tip_mm[0], place[1] - arm.tip_mm[1]
    along, beside = dx * ux + dy * uy, abs(dx * uy - dy * ux)
    return along, -arm.reach_mm < along and beside < BESIDE_MM


def _hands_in(view: ArmView, places: Sequence[Point], changed: Sequence[Point]) -> list[Arm]:
    """The arms whose hands are at one of these places, and nearer to none that has changed: both of two that are there
    at once."""
    found = []
    for n, arm in enumerate(view.arms):
        for one in (arm, arm.other):
            if one is not None and one.clear and one.entry_mm is not None and _at_one(view, n, one, places, changed):
                found.append(one)
                break
    return found


def _hands_towards(view: ArmView, places: Sequence[Point], changed: Sequence[Point]) -> list[Arm]:
    """The arms whose hands, as far as they are seen, end before one of the places and were nowhere else: a hand that
    looks like the table is not seen, and of one that looks like what lies there a part is."""
    found = []
    for n, arm in enumerate(view.arms):
        for one in (arm, arm.other):
            if one is None or not one.clear or one.entry_mm is None:
                continue
            if any(_distance(one.tip_mm, other) < TIP_MM or _ahead(one, other)[1] for other in changed):
                continue
            if any(_half_seen_at(view, n, one, place) for place in places):
                found.append(one)
                break
    return found


def _half_seen_at(view: ArmView, n: int, arm: Arm, place: Point) -> bool:
    if _distance(arm.tip_mm, place) < TIP_MM and n in _covering(view, place, RADIUS_MM):
        return True
    ahead, in_line = _ahead(arm, place)
    return in_line and 0.0 < ahead < HAND_MM


def _unclear_in(view: ArmView, places: Sequence[Point]) -> Iterator[Arm]:
    """The arms that are not clear and end at one of these places."""
    for arm in view.arms:
        if not arm.clear and arm.entry_mm is not None and any(_distance(arm.tip_mm, one) < WIDE_MM for one in places):
            yield arm


def _at_one(view: ArmView, n: int, arm: Arm, places: Sequence[Point], changed: Sequence[Point]) -> bool:
    """Whether this arm ends at one of the places. Of a hand at the edge, of which no more is seen, the tips are not
    told well: it lies over the place."""
    other = min((_distance(arm.tip_mm, one) for one in changed), default=math.inf)
    for place in places:
        away = _distance(arm.tip_mm, place)
        if away >= other:
            continue
        if away < WIDE_MM or (away < TIP_MM and view.covers(place, RADIUS_MM).get(n, 0.0) >= LIES_OVER):
            return True
    return False


def _hand_at(view: ArmView, places: Sequence[Point]) -> bool:
    """Does a hand that crosses no border lie there?"""
    hands = [arm for arm in view.arms if arm.entry_mm is None]
    return (
        bool(hands)
        and len(hands) == len(view.arms)
        and any(UNCLEAR in _covering(view, one, RADIUS_MM) for one in places)
    )


def _why(view: ArmView) -> Unclear:
    doubtful = [arm for arm in view.arms if not arm.clear]
    if any(arm.entry_mm is None for arm in doubtful):
        return Unclear.NO_ENTRY
    wide = any(arm.span_mm > view.plane.length_mm / 4 for arm in doubtful)
    return Unclear.TOO_WIDE if wide else Unclear.SEVERAL


def _followed(moments: Sequence[_Moment], arm: Arm) -> Iterator[Arm]:
    """The same arm in the frames that follow, until it is gone."""
    for moment in moments:
        near = [one for one in moment.view.arms if one.clear and _same(one, arm)]
        if len(near) != 1:
            return
        arm = near[0]
        yield arm


def _comes_from_there(arm: Arm, place: Point) -> bool:
    """Whether the place is at the wrong end of an arm: what seems to come in there is a hand over the border."""
    if arm.entry_mm is None or arm.other is not None:
        return False
    away = _distance(arm.tip_mm, place)
    return away > TIP_MM and _distance(arm.entry_mm, place) < away - WIDE_MM


def _goes_on(view: ArmView, n: int, parts: Collection[int]) -> bool:
    """Whether arm `n` goes on in one of these parts, which lie beyond its tip in the same line."""
    arm = view.arms[n]
    return n not in parts and any(
        _distance(arm.tip_mm, view.arms[one].tip_mm) < TIP_MM
        and abs(turn(arm.axis_deg, view.arms[one].axis_deg)) > 180.0 - IN_LINE_DEG
        for one in parts
    )


def _same(one: Arm, other: Arm) -> bool:
    return any(
        _distance(a.entry_mm, b.entry_mm) < SAME_ARM_MM
        for a in (one, one.other)
        for b in (other, other.other)
        if a is not None and b is not None and a.entry_mm is not None and b.entry_mm is not None
    )


def _distance(a: Point, b: Point) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)
