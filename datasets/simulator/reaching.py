"""Arms over the made-up table: every act is done by an arm that comes from a seat.

Most arms are plain. A share of them, asked for in `Reaching.confusing`, are such that the arm does not say who plays:
a neighbour tidies, somebody lays for a child, two arms come in one motion, somebody reaches in from aside, or no border
of the picture is crossed. Random choices have a seed of their own, so the games stay the same whatever is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from datasets.simulator.plan import Point, TablePlan

BEHIND_MM = 260.0
"""From the table's edge to the middle of the person who sits there."""

SHOULDER_MM = 170.0
"""From that middle to a shoulder."""


class Reach(StrEnum):
    """How an arm comes. The first five are ordinary, the others confuse."""

    PLAIN = "plain"
    ACROSS = "across the table"
    LEFT = "left hand"
    TWO_HANDS = "two hands"
    LEANING = "leaning in"
    NEIGHBOUR = "a neighbour's arm"
    FOR_A_CHILD = "somebody beside a child"
    TWO_ARMS = "two arms in one motion"
    ASIDE = "from aside"
    NO_ENTRY = "entry outside the picture"


CONFUSING = (Reach.NEIGHBOUR, Reach.FOR_A_CHILD, Reach.TWO_ARMS, Reach.ASIDE, Reach.NO_ENTRY)


@dataclass(frozen=True, slots=True)
class Reaching:
    """Shares of the scenes. `confusing` is that of all confusing kinds together, `as_table` that of the players who
    wear the table's colour."""

    confusing: float = 0.0
    kinds: tuple[Reach, ...] = CONFUSING
    left: float = 0.25
    two_hands: float = 0.06
    leaning: float = 0.1
    as_table: float = 0.15


@dataclass(frozen=True, slots=True)
class ArmLook:
    """`seed` decides shape, skin and sleeve; `as_table`: a sleeve in the table's colour."""

    seed: int
    as_table: bool = False


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm as it is filmed: from the shoulder to the finger tips, in table millimetres.

    `length_mm`: nothing of the arm is seen farther than this from the tips; None: it is seen as far as the picture.
    """

    tip_mm: Point
    shoulder_mm: Point
    look: ArmLook
    left: bool = False
    length_mm: float | None = None

    @property
    def angle_rad(self) -> float:
        """The direction in which it reaches."""
        return math.atan2(self.tip_mm[1] - self.shoulder_mm[1], self.tip_mm[0] - self.shoulder_mm[0])


@dataclass(frozen=True, slots=True)
class ArmTruth:
    """The truth about an arm in one frame. `owner`: at whose seat it begins; None: a person without a seat.

    `acts_for` is the player whose act it does, None where it does nothing; `seat_deg` the direction of the seat.
    """

    frame: str
    arm: Arm
    owner: str | None
    acts_for: str | None
    seat_deg: float
    reach: Reach

    @property
    def confusing(self) -> bool:
        return self.reach in CONFUSING


@dataclass(frozen=True, slots=True)
class ArmShown:
    """An arm that is to be filmed, before the frame has a name."""

    arm: Arm
    owner: str | None
    acts_for: str | None
    seat_deg: float
    reach: Reach

    def truth(self, frame: str) -> ArmTruth:
        return ArmTruth(frame, self.arm, self.owner, self.acts_for, self.seat_deg, self.reach)


@dataclass(slots=True)
class Seated:
    """Everybody around the table, with arms. `rng` is seeded anew for every motion."""

    plan: TablePlan
    rng: Random
    settings: Reaching = field(default_factory=Reaching)
    looks: dict[str, ArmLook] = field(init=False, default_factory=dict)
    visitor: ArmLook = field(init=False)

    def __post_init__(self) -> None:
        for player in self.plan.players:
            self.looks[player] = self._look()
        self.visitor = self._look()

    def reach(self, player: str) -> Reach:
        """How this player's next act is done; ACROSS follows from where it is."""
        s, chance = self.settings, self.rng.random()
        if chance < s.confusing:
            return self.rng.choice(s.kinds)
        chance = self.rng.random()
        for kind, share in ((Reach.LEFT, s.left), (Reach.TWO_HANDS, s.two_hands), (Reach.LEANING, s.leaning)):
            if chance < share:
                return kind
            chance -= share
        return Reach.PLAIN

    def arms(self, player: str, reach: Reach, tip: Point) -> tuple[ArmShown, ...]:
        """The arms over the table while this player's act at `tip` is done."""
        own = self.plan.seat_deg[player]
        if reach is Reach.NEIGHBOUR:
            other = self._neighbour(player)
            return (self._arm(other, player, self.plan.seat_deg[other], reach, tip),)
        if reach is Reach.FOR_A_CHILD:
            aside = own + self.rng.choice((-1, 1)) * self.rng.uniform(18.0, 35.0)
            return (ArmShown(self._from(aside, tip, self.visitor), None, player, own, reach),)
        if reach is Reach.TWO_ARMS:
            other = self._neighbour(player)
            there = _between(tip, self.plan.center_mm, self.rng.uniform(0.1, 0.4))
            idle = self._arm(other, None, self.plan.seat_deg[other], reach, there)
            return self._arm(player, player, own, reach, tip), idle
        if reach is Reach.ASIDE:
            aside = own + self.rng.choice((-1, 1)) * self.rng.uniform(40.0, 70.0)
            return (self._arm(player, player, aside, reach, tip),)
        if reach is Reach.NO_ENTRY:
            length = self.rng.uniform(150.0, 260.0)
            return (self._arm(player, player, own, reach, tip, length_mm=length),)
        if reach is Reach.PLAIN and self._is_across(own, tip):
            reach = Reach.ACROSS
        one = self._arm(player, player, own, reach, tip, left=reach is Reach.LEFT)
        if reach is not Reach.TWO_HANDS:
            return (one,)
        beside = tip[0] + self.rng.uniform(-70, 70), tip[1] + self.rng.uniform(-70, 70)
        return one, self._arm(player, player, own, reach, beside, left=True)

    def motion(self, player: str, chance: Random) -> Motion:
        """How this player reaches this time."""
        self.rng.seed(chance.randrange(2**32))
        return Motion(self, player, self.reach(player), chance.randrange(2**32))

    def passing(self, player: str, tip: Point) -> tuple[ArmShown, ...]:
        """An arm that does nothing: it points at something, switches a lamp, moves a cup."""
        return (self._arm(player, None, self.plan.seat_deg[player], Reach.PLAIN, tip),)

    def _arm(
        self,
        owner: str,
        acts_for: str | None,
        angle_deg: float,
        reach: Reach,
        tip: Point,
        *,
        left: bool = False,
        length_mm: float | None = None,
    ) -> ArmShown:
        forward = self.rng.uniform(120.0, 260.0) if reach is Reach.LEANING else 0.0
        arm = self._from(angle_deg, tip, self.looks[owner], left=left, forward_mm=forward, length_mm=length_mm)
        return ArmShown(arm, owner, acts_for, self.plan.seat_deg[owner], reach)

    def _from(
        self,
        angle_deg: float,
        tip: Point,
        look: ArmLook,
        *,
        left: bool = False,
        forward_mm: float = 0.0,
        length_mm: float | None = None,
    ) -> Arm:
        shoulder = shoulder_mm(self.plan, angle_deg, left=left, forward_mm=forward_mm)
        shaken = shoulder[0] + self.rng.gauss(0.0, 30.0), shoulder[1] + self.rng.gauss(0.0, 30.0)
        return Arm(tip, shaken, look, left, length_mm)

    def _look(self) -> ArmLook:
        return ArmLook(self.rng.randrange(10_000), self.rng.random() < self.settings.as_table)

    def _neighbour(self, player: str) -> str:
        away = {
            name: abs((angle - self.plan.seat_deg[player] + 180.0) % 360.0 - 180.0)
            for name, angle in self.plan.seat_deg.items()
            if name != player
        }
        return min(away, key=lambda name: away[name])

    def _is_across(self, seat_deg: float, tip: Point) -> bool:
        """Is the place beyond the table's middle, as seen from the seat?"""
        x, y = tip[0] - self.plan.center_mm[0], tip[1] - self.plan.center_mm[1]
        angle = math.radians(seat_deg)
        return x * math.cos(angle) + y * math.sin(angle) < -60.0


@dataclass(frozen=True, slots=True)
class Motion:
    """One player's arms through one scene: the same way of reaching, tip after tip."""

    seated: Seated
    player: str
    reach: Reach
    seed: int

    def arms(self, tip: Point) -> tuple[ArmShown, ...]:
        self.seated.rng.seed(self.seed)
        return self.seated.arms(self.player, self.reach, tip)


def shoulder_mm(plan: TablePlan, angle_deg: float, *, left: bool = False, forward_mm: float = 0.0) -> Point:
    """Where the shoulder of somebody is who sits in this direction, `forward_mm` nearer to the table's middle."""
    (cx, cy), (w, h) = plan.center_mm, plan.size_mm
    ux, uy = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    edge = min(w / 2 / max(abs(ux), 1e-6), h / 2 / max(abs(uy), 1e-6))
    away, aside = edge + BEHIND_MM - forward_mm, -SHOULDER_MM if left else SHOULDER_MM
    # Facing the middle, the right hand is on the side to which (-u) turns clockwise in the picture.
    return cx + ux * away + uy * aside, cy + uy * away - ux * aside


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
