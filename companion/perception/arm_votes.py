"""Arms over the table, and for which player they speak.

Where people sit around the table, in degrees from its middle: not where their trains begin, though mostly behind.

A seat is a place for one person. The seats people name may be wrong or left out; then no arm names anybody, and
`trouble_of` says in one line why.

The colours of the sleeves of one round: a tie-breaker where an arm comes in between two seats.

The colours of clear sleeves are learnt as the round goes on and forgotten with it; nothing is ever stored. A colour
makes no arm clear and outweighs no clear seat: it tells only between those that the arm itself leaves open.

The arms of the last frames, and which of them was over a place last before it changed.

Frames are kept in memory until the table is read again, and nowhere else. A place that changed is asked about when the
table lies still: between the last frame in which it was seen unchanged and the first in which it was seen changed
something covered it. If that was one arm, its frames vote; of several it was one of them; what is not clear is silent.

From arms to players: how likely the seen arm is for each seat, in decibans, and when it says nothing.

For each seat two numbers tell how well an arm fits it: how far beside the prolonged arm its owner's middle is, and by
how much the direction of the entry from the table's middle misses the seat. Their weights are those of a conditional
logit over the seats, fitted to filmed arms (`python -m bench.arms --fit`). A share of all acts is done by somebody
else's arm, whatever it looks like, so no seat is ever excluded.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean, median

from companion.geometry.joints import distance
from companion.geometry.layout import Point, turn
from companion.rules.notation import Change
from vision.arm_view import UNCLEAR, Arm, ArmPlane, ArmView, Colour
from vision.arms import ArmFinder
from vision.calibration import Calibration
from vision.frame import Frame

BEHIND_MM = 260.0
"""From the table's edge to the middle of the person there: half a chair, and a lap."""

ENOUGH, MOST = 4, 0.75
"""The seats that were named are contradicted once a player has made so many plays, and this part of them came from one
other seat."""

LEAST_APART_DEG = 20.0
"""The least angle between two seats: two people elbow to elbow at a table of 90 by 120 cm."""


def seats_of(given: Mapping[str, float], stations: Mapping[str, float], players: Sequence[str]) -> dict[str, float]:
    """The seats as they were said; who was not asked sits behind the station of their own train."""
    known = {**stations, **given}
    return {name: known[name] for name in players if name in known}


def trouble_of(seats: Mapping[str, float], players: Sequence[str]) -> str | None:
    """Why arms say nothing with these seats, in one line; None where they do."""
    missing = [name for name in players if name not in seats]
    if missing:
        return f"seats: {', '.join(missing)} has none, so arms name nobody"
    for n, name in enumerate(players):
        for other in players[n + 1 :]:
            if abs(turn(seats[name], seats[other])) < LEAST_APART_DEG:
                return (
                    f"seats: {name} and {other} sit in one place ({seats[name]:g} and {seats[other]:g} degrees), "
                    "so arms name nobody"
                )
    return None


def body_mm(seat_deg: float, size_mm: tuple[float, float]) -> Point:
    """The middle of the person who sits in this direction, on the table's plane."""
    w, h = size_mm
    ux, uy = math.cos(math.radians(seat_deg)), math.sin(math.radians(seat_deg))
    edge = min(w / 2 / max(abs(ux), 1e-6), h / 2 / max(abs(uy), 1e-6))
    return w / 2 + ux * (edge + BEHIND_MM), h / 2 + uy * (edge + BEHIND_MM)


def contradiction(plays: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """A player who seems to sit at another's seat, and the owner of that seat. `plays` are (player, the seat that the
    arm came from)."""
    from_where: dict[str, Counter[str]] = {}
    for player, seat in plays:
        from_where.setdefault(player, Counter())[seat] += 1
    for player, seats in from_where.items():
        (seat, count), total = seats.most_common(1)[0], sum(seats.values())
        if total >= ENOUGH and seat != player and count >= MOST * total:
            return player, seat
    return None


LEAST_SEEN = 3
"""Looks at a player's clear arm before its colour counts."""

MOST_SEEN = 30
"""The last ones: light changes through a round."""

APART = 8.0
"""In LEVELS of brightness: looks at one sleeve differ by so much, with folds, shadows and the lamp's side."""

TEMPER, FLOOR = 0.5, 0.2
"""The evidence of a colour counts half, and never more than 7 dB: the next sweater may be as blue."""


@dataclass(slots=True)
class Sleeves:
    """`learn` from clear arms, `likely` for one that is not.

    >>> from dataclasses import replace
    >>> red = Arm(None, 90.0, 0.0, (0.0, 0.0), 300.0, 9000.0, sleeve=(0.0, 0.0, 60.0))
    >>> blue = replace(red, sleeve=(60.0, 0.0, 0.0))
    >>> sleeves = Sleeves()
    >>> for n in range(LEAST_SEEN):
    ...     sleeves.learn("Ann", [replace(red, reach_mm=300.0 + n)])
    ...     sleeves.learn("Ben", [replace(blue, reach_mm=300.0 + n)])
    >>> shares = sleeves.weighed({"Ann": 0.5, "Ben": 0.5}, [blue], ["Ann", "Ben"])
    >>> {name: round(share, 2) for name, share in shares.items()}
    {'Ann': 0.17, 'Ben': 0.83}
    """

    _seen: dict[str, list[Colour]] = field(init=False, default_factory=dict)
    _known: set[Arm] = field(init=False, default_factory=set)
    """Arms that it has learnt from: one reach is one look, however many tiles it laid."""

    def learn(self, player: str, track: Sequence[Arm]) -> None:
        """This arm, in all its frames, was clearly this player's."""
        colour = colour_of(track)
        if colour is not None and self._known.isdisjoint(track):
            self._known.update(track)
            looks = self._seen.setdefault(player, [])
            looks.append(colour)
            del looks[:-MOST_SEEN]

    def weighed(self, shares: Mapping[str, float], track: Sequence[Arm], open_: Sequence[str]) -> dict[str, float]:
        """The shares of the seats. Sleeves tell apart those that the arm leaves open, if the sleeves of all of them are
        known; the sum of their shares stays."""
        colour = colour_of(track)
        if colour is None or len(open_) < 2 or any(len(self._seen.get(name, ())) < LEAST_SEEN for name in open_):
            return dict(shares)
        weights = {name: shares[name] * self._likely(name, colour) for name in open_}
        whole = sum(shares[name] for name in open_) / sum(weights.values())
        return {name: weights[name] * whole if name in weights else share for name, share in shares.items()}

    def _likely(self, player: str, colour: Colour) -> float:
        usual = _middle(self._seen[player])
        apart = sum(((a - b) / APART) ** 2 for a, b in zip(colour, usual, strict=True))
        return FLOOR + (1.0 - FLOOR) * math.exp(-0.5 * TEMPER * apart)


def colour_of(track: Sequence[Arm]) -> Colour | None:
    """The sleeve of one arm in all its frames."""
    seen = [arm.sleeve for arm in track if arm.sleeve is not None]
    return _middle(seen) if seen else None


def _middle(colours: Sequence[Colour]) -> Colour:
    blue, green, red = (median(channel) for channel in zip(*colours, strict=True))
    return blue, green, red


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
"""If two hands were over a place, the one with its tips nearer by this much did it."""

LIES_OVER = 0.5
"""A hand lies over a place if it covers this much of it."""

IN_LINE_DEG = 25.0
"""Two parts of one arm lie in one line up to this."""

LOOKS_DONE = 0.7
"""Where so much of a place looks as it does in the end, what was done there is done."""

SAME_ARM_MM = 160.0
"""From one frame to the next an arm's entry moves less."""


class UnclearArm(StrEnum):
    """Why no arm is named for a place."""

    NOBODY = "nobody was seen over it"
    SEVERAL = "two arms were over it"
    NO_ENTRY = "the arm came in where the camera sees no border"
    TORN = "the arm came in between two seats"
    TOO_WIDE = "the arm covered too much of the border"


@dataclass(frozen=True, slots=True)
class Reach:
    """The arms that were over a place. One of them did it."""

    tracks: tuple[tuple[Arm, ...], ...] = ()
    """Each arm as it was in its frames."""
    unclear: UnclearArm | None = None
    """Why no arm is known."""
    frame: str = ""


@dataclass(frozen=True, slots=True)
class _ArmMoment:
    frame: str
    view: ArmView


@dataclass(slots=True)
class Reaches:
    """`see` gets every frame, `still` the one in which the table was read; `over` answers about places in between."""

    finder: ArmFinder = field(default_factory=ArmFinder)
    _plane: ArmPlane | None = field(init=False, default=None)
    _moments: deque[_ArmMoment] = field(init=False, default_factory=lambda: deque(maxlen=KEPT_FRAMES))

    def see(self, frame: Frame, calibration: Calibration) -> ArmView:
        self._plane = self.finder.plane(self._plane, calibration, frame)
        view = self.finder.see(frame, self._plane)
        self._moments.append(_ArmMoment(frame.name, view))
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
        """The arm that made the change at this place."""
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
            return Reach(unclear=UnclearArm.NOBODY)
        # A hand in the table's colour is not seen; its sleeve shows where it is.
        near = range(max(0, first - AROUND_FRAMES), min(len(moments), last + AROUND_FRAMES))
        pointing = [n for n in near if _pointing(moments[n].view, place, HAND_MM)]
        if pointing:
            n = min(pointing, key=lambda n: (_tip_away(moments[n].view, place), -n))
            return self._at(moments, n, _pointing(moments[n].view, place, HAND_MM), place)
        return self._around(moments, near)

    def _nearest_hands(
        self, moments: Sequence[_ArmMoment], handed: Sequence[int], place: Point, radius: float
    ) -> Reach:
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
                return Reach((*found.tracks, *other.tracks), UnclearArm.SEVERAL, found.frame)
        return found

    def _around(self, moments: Sequence[_ArmMoment], near: Sequence[int]) -> Reach:
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
            return Reach(unclear=UnclearArm.NOBODY)
        return Reach(tuple(tracks), UnclearArm.SEVERAL if len(tracks) > 1 else None, frame)

    def _at(self, moments: Sequence[_ArmMoment], n: int, over: Collection[int], place: Point) -> Reach:
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
                return Reach(unclear=UnclearArm.NO_ENTRY, frame=frame)
        tracks = []
        for index in sorted(arms):
            arm = view.arms[index]
            track = (arm, *_followed(moments[:n][::-1], arm), *_followed(moments[n + 1 :], arm))
            tracks.append(tuple(_with_hand_at(one, place) for one in track))
        return Reach(tuple(tracks), UnclearArm.SEVERAL if len(tracks) > 1 else None, frame)

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
            # A reach with both hands is one draw.
            if here and not any(_same(arm, one) for arm in moment.view.arms for one in known):
                tracks = [(arm, *_followed(moments[:n][::-1], arm), *_followed(moments[n + 1 :], arm)) for arm in here]
                known += [arm for track in tracks for arm in track]
                if not any(_crosses(moment.view, arm) for arm in here):
                    yield Reach(tuple(tracks), UnclearArm.SEVERAL if len(tracks) > 1 else None, moment.frame)
            was_hidden, hidden = hidden, not here and _hand_at(moment.view, places)
            if hidden and not was_hidden:
                yield Reach(unclear=UnclearArm.NO_ENTRY, frame=moment.frame)
        for moment in moments:
            for arm in _unclear_in(moment.view, places):
                if not any(_same(arm, one) for one in known):
                    known.append(arm)
                    yield Reach(unclear=_why(moment.view), frame=moment.frame)


def _window(moments: Sequence[_ArmMoment], place: Point) -> tuple[int, int, bool]:
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
    """The order of several hands over a place: the one with its tips nearest comes first, then the last one."""
    return int(_nearest(view, place, radius) // TIP_ERROR_MM), -n


def _nearest(view: ArmView, place: Point, radius: float) -> float:
    """How near the tips of the hands over a place are to it."""
    return min(_away(view.arms[one], place) for one in _hands_over(view, place, radius))


def _tip_away(view: ArmView, place: Point) -> float:
    """How far from the place the tip of the nearest arm is that points there."""
    return min(_away(view.arms[n], place) for n in _pointing(view, place, HAND_MM))


def _away(arm: Arm, place: Point) -> float:
    """How far the hand is from a place."""
    return distance(_with_hand_at(arm, place).tip_mm, place)


def _with_hand_at(arm: Arm, place: Point) -> Arm:
    """The arm; of one with both ends over the border the hand is where it did something."""
    other = arm.other
    turned = other is not None and distance(other.tip_mm, place) < distance(arm.tip_mm, place)
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
            if any(distance(one.tip_mm, other) < TIP_MM or _ahead(one, other)[1] for other in changed):
                continue
            if any(_half_seen_at(view, n, one, place) for place in places):
                found.append(one)
                break
    return found


def _crosses(view: ArmView, arm: Arm) -> bool:
    """Whether an arm goes on beyond its tip: a sleeve in the table's colour is seen where it lies over other things,
    and its hand, which nothing joins to it, farther in."""
    assert arm.entry_mm is not None
    reach = distance(arm.tip_mm, arm.entry_mm) + TIP_MM
    return any(not one.clear and distance(one.tip_mm, arm.entry_mm) > reach for one in view.arms)


def _half_seen_at(view: ArmView, n: int, arm: Arm, place: Point) -> bool:
    if distance(arm.tip_mm, place) < TIP_MM and n in _covering(view, place, RADIUS_MM):
        return True
    ahead, in_line = _ahead(arm, place)
    return in_line and 0.0 < ahead < HAND_MM


def _unclear_in(view: ArmView, places: Sequence[Point]) -> Iterator[Arm]:
    """The arms that are not clear and end at one of these places."""
    for arm in view.arms:
        if not arm.clear and arm.entry_mm is not None and any(distance(arm.tip_mm, one) < WIDE_MM for one in places):
            yield arm


def _at_one(view: ArmView, n: int, arm: Arm, places: Sequence[Point], changed: Sequence[Point]) -> bool:
    """Whether this arm ends at one of the places. The tip of a hand that is seen only at the edge is not well known: it
    lies over the place."""
    other = min((distance(arm.tip_mm, one) for one in changed), default=math.inf)
    for place in places:
        away = distance(arm.tip_mm, place)
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


def _why(view: ArmView) -> UnclearArm:
    doubtful = [arm for arm in view.arms if not arm.clear]
    if any(arm.entry_mm is None for arm in doubtful):
        return UnclearArm.NO_ENTRY
    wide = any(arm.span_mm > view.plane.length_mm / 4 for arm in doubtful)
    return UnclearArm.TOO_WIDE if wide else UnclearArm.SEVERAL


def _followed(moments: Sequence[_ArmMoment], arm: Arm) -> Iterator[Arm]:
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
    away = distance(arm.tip_mm, place)
    return away > TIP_MM and distance(arm.entry_mm, place) < away - WIDE_MM


def _goes_on(view: ArmView, n: int, parts: Collection[int]) -> bool:
    """Whether arm `n` goes on in one of these parts, which lie beyond its tip in the same line."""
    arm = view.arms[n]
    return n not in parts and any(
        distance(arm.tip_mm, view.arms[one].tip_mm) < TIP_MM
        and abs(turn(arm.axis_deg, view.arms[one].axis_deg)) > 180.0 - IN_LINE_DEG
        for one in parts
    )


def _same(one: Arm, other: Arm) -> bool:
    return any(
        distance(a.entry_mm, b.entry_mm) < SAME_ARM_MM
        for a in (one, one.other)
        for b in (other, other.other)
        if a is not None and b is not None and a.entry_mm is not None and b.entry_mm is not None
    )


WEIGHTS = (-1.64, -0.77)
"""Weights of the two numbers of `fit_of`: `python -m bench.arms --fit --first 930400 --scenes 24`."""

ANOTHERS = 0.1
"""One act in ten is done by an arm that says nothing of who plays: a neighbour tidies, a parent lays for a child.
Filmed arms are wrong once in fifty (bench/results/arms.json); how often people reach for each other nobody counted."""

WHOLE_MM, LEAST_TRUST = 300.0, 0.3
"""A shorter visible arm says less: a hand at the table's corner may come from several seats. Of 30 shorter than 150 mm
(seeds of the fit) 76 % fitted their own seat best, of 700 longer ones 97 %."""

TORN_DEG, TORN = 25.0, 0.5
"""Where the entry is this near to two seats, what parts these two counts only so much: in the logarithm."""

CLEAR = 10
"""Decibans by which the likeliest seat of a clear arm leads."""


@dataclass(frozen=True, slots=True)
class Vote:
    """The evidence of arms about who made a change."""

    decibans: Mapping[str, int] = field(default_factory=dict)
    """Player -> how much less likely this is than the likeliest; empty where nothing can be said."""
    clear: str | None = None
    """The one player whose arm it clearly was."""
    unclear: UnclearArm | None = None
    """Why no player is clear."""
    frame: str = ""
    seen: frozenset[Arm] = frozenset()
    """The arms that the vote rests on."""


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
    """Turn a reach into a vote on who did it. `sleeves` tell between seats that the arm leaves open, and no others."""
    tracks = [track for track in reach.tracks if track and track[0].entry_mm is not None]
    if not tracks or len(seats) < 2:
        return Vote(unclear=reach.unclear or UnclearArm.NOBODY, frame=reach.frame)
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
    return Vote(decibans, clear, None if clear else reach.unclear or UnclearArm.TORN, reach.frame, seen)


def _mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


def _open(row: Mapping[str, float]) -> list[str]:
    """The seats between which one arm leaves it open."""
    return [name for name, cost in as_decibans(row).items() if cost < CLEAR]


def together(votes: Sequence[Vote], players: Sequence[str]) -> Vote:
    """The mean vote of the arms over several places of one change: they may be several people's."""
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
