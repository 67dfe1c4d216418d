"""The simulated table as a camera: `sim:SEED` deals a made-up game and films it.

The product gets frames and the set-up file a user would have written, and nothing else. Only tests and benchmarks read
`truth`, and `filming`, the scene that is being filmed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

import numpy as np

from companion.geometry.layout import wrapped
from companion.perception.setup_file import GameSetup, setup_from_json
from companion.rules.ruleset import RULESET_NAMES, RuleSet, load_ruleset
from datasets.bots import BotGame, BotRound
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.plan import HUB_RADIUS_MM, Point, TablePlan, even_stations
from datasets.simulator.reaching import ArmShown, ArmTruth, Motion, Reaching, Seated
from datasets.simulator.room import BlankFilm, Rehearsal, plan_with_room
from datasets.simulator.script import Scene, Script, Troubles, carry_out
from datasets.simulator.tabletop import TableFullError, TableTop
from datasets.simulator.touching import at_the_engine
from datasets.simulator.visits import before_and_after, visits_of
from hardware.camera.source import FrameSource
from vision.frame import Frame

FRAME_S = 0.2
"""Five frames a second on a made-up clock."""


@dataclass(frozen=True, slots=True)
class SimSettings:
    """`hand_frames` with a hand over the table, then `still_frames` of the still table, for every scene.

    `number` is the round of the match that is filmed, 1 the first.
    `last_scenes`: all but so many scenes are over before the first frame; `before` on the camera has them.
    `plant` are violation codes to plant, `plants` at most so many; `rules` None: by the seed.
    `reaching` tells how arms come; with `arms` False nobody's is seen. `hand_frames` grow where many tiles are laid.
    `size_mm` None: a table on which the round has room. `boneyard_spread` None: as the rules are usually played.
    Without a `hub` trains touch the engine where all find room there, in every second round, else they begin on a ring
    around it.
    """

    rules: str | None = None
    players: int | None = None
    number: int = 1
    plant: tuple[str, ...] = ()
    plants: int = 3
    plant_rate: float = 0.12
    troubles: Troubles = field(default_factory=Troubles)
    film: FilmSettings = field(default_factory=FilmSettings)
    reaching: Reaching = field(default_factory=Reaching)
    arms: bool = True
    hand_frames: int = 4
    still_frames: int = 9
    show_hands: bool = True
    size_mm: tuple[float, float] | None = None
    boneyard_spread: bool | None = None
    hub: bool = True
    most_scenes: int | None = None
    last_scenes: int | None = None


NO_PICTURES: dict[str, Any] = {"hand_frames": 0, "still_frames": 0, "film": FilmSettings(), "reaching": Reaching()}
"""Settings for a round without pictures, which depends on none of them."""

_ROOMY: dict[tuple[int, SimSettings], TablePlan] = {}
"""Plans that were found for a seed: a round filmed twice is rehearsed once."""

Arms = tuple[ArmShown, ...]

VISIBLE_FAULTS = (
    "MISMATCH", "WRONG_ROOT", "CLOSED_TRAIN", "OPEN_DOUBLE_IGNORED", "DOUBLE_ORDER", "MARKER_MISSING",
    "MARKER_UNEARNED", "FIRST_TURN_OWN_ONLY", "MX_TOO_EARLY",
)  # fmt: skip
"""Faults that two still tables show. A tile too many is not among them: it may have been the next player's turn."""


@dataclass(frozen=True, slots=True)
class Filmed:
    """The truth of one still picture: the scene before it, the last frame's name, and whose arms were seen."""

    scene: Scene
    frame: str
    arms: tuple[ArmTruth, ...] = ()


class SimCamera(FrameSource):
    """One round of a made-up game. The seed decides rules, players, tiles, light and everything that goes wrong."""

    live = False
    stills = False

    def __init__(
        self,
        seed: int,
        settings: SimSettings | None = None,
        film: Callable[..., Any] = Film,
        plan: TablePlan | None = None,
    ) -> None:
        """`plan` None: the first one on which the whole round finds room; any other is taken as it is."""
        self.settings = settings or SimSettings()
        self.seed = seed
        self.truth: list[Filmed] = []
        self.before: list[Scene] = []
        self.filming: Scene | None = None
        self._rng = Random(f"simulator {seed}")
        self.rules_name = self.settings.rules or RULESET_NAMES[seed % len(RULESET_NAMES)]
        rules = load_ruleset(self.rules_name)
        players = self.settings.players or (4 if not rules.is_mexican else self._rng.choice((2, 3, 4)))
        self.game = self._match(rules, players)
        self.round = self._round()
        self._usual = self._plan(rules.is_mexican)
        self.plan = plan if plan is not None else self._roomy(self._usual)
        self.table = TableTop(self.plan, np.random.default_rng(seed + 31))
        pile = len(self.round.pile) if rules.is_mexican else 0
        self.table.set_up(self.round.engine, pile)
        family, highest = ("western", self.game.set_max) if rules.is_mexican else ("chinese", 6)
        self.film = film(self.plan, seed, self.settings.film, family, highest)
        self._chance = Random(f"arms {seed} {self.settings.number}")
        self._seated = Seated(self.plan, Random(f"people {seed}"), self.settings.reaching)
        self._arms: list[ArmTruth] = []
        self._frames = self._shoot()
        self._count = 0

    def setup(self) -> GameSetup:
        """The set-up file of this table."""
        return setup_from_json(self.setup_json())

    def setup_json(self) -> dict[str, Any]:
        chinese = self.plan.chinese
        line: dict[str, Any] = {
            "journal": 1,
            "rules": self.rules_name,
            "set": "chinese" if chinese else f"double-{self.game.set_max}",
            "players": list(self.plan.players),
            "options": {},
            "table": {
                "corners_px": [[round(float(x), 1), round(float(y), 1)] for x, y in self.film.corners_px()],
                "size_mm": list(self.plan.size_mm),
            },
            "tile_mm": list(self.plan.tile_mm),
            "stations": {name: round(angle, 1) for name, angle in self.plan.seats.items()},
            "mexican_station": None if chinese else round(self.plan.stations["MX"], 1),
            "round": {"starter": self.round.starter},
        }
        if self.plan.sitting_deg:
            line["seats"] = {name: round(angle, 1) for name, angle in self.plan.sitting_deg.items()}
        if self.round.engine is not None:
            line["round"]["engine"] = list(self.round.engine)
            line["boneyard"] = "spread" if self.plan.boneyard_spread else "stacked"
        return line

    def read(self) -> Frame | None:
        image = next(self._frames, None)
        if image is None:
            return None
        frame = Frame(image, self._count * FRAME_S, self._name(self._count))
        self._count += 1
        return frame

    def _match(self, rules: RuleSet, players: int) -> BotGame:
        of = self.settings
        return BotGame(rules, players, self.seed, plant=of.plant, plant_rate=of.plant_rate, plants_per_round=of.plants)

    def _round(self) -> BotRound:
        rounds = self.game.rounds()
        for earlier in islice(rounds, self.settings.number - 1):
            if not self.game.rules.is_mexican:
                # The leader may depend on who won; in Mexican Train players start in turn.
                deque(earlier.turns(), maxlen=0)
        return next(rounds)

    def _roomy(self, usual: TablePlan) -> TablePlan:
        """A plan on which nobody runs out of table. Raises TableFullError if there is no such plan."""
        whole = replace(self.settings, most_scenes=None, last_scenes=None, arms=False, **NO_PICTURES)
        if (self.seed, whole) in _ROOMY:
            return _ROOMY[self.seed, whole]

        def rehearse(plan: TablePlan) -> Rehearsal:
            return SimCamera(self.seed, whole, BlankFilm, plan).play_out()

        chance, fixed = Random(f"room {self.seed} {self.settings.number}"), self.settings.size_mm is not None
        plan = plan_with_room(usual, rehearse, chance, fixed_size=fixed)
        if plan is None:
            raise TableFullError(f"no room for round {self.settings.number} of seed {self.seed} on {usual.size_mm}")
        _ROOMY[self.seed, whole] = plan
        return plan

    def play_out(self) -> Rehearsal:
        """Film everything that is left, and show nobody."""
        stuck: str | None = None
        try:
            for _ in self._frames:
                pass
        except TableFullError as full:
            stuck = full.train
        laid = sum(len(tiles) for tiles in self.table.trains.values()) + len(self.table.line)
        return Rehearsal(laid, stuck, 0 if stuck is None else len(self.table.trains.get(stuck, ())))

    def _name(self, number: int) -> str:
        return f"sim{self.seed}-{number:06d}"

    def _plan(self, mexican: bool) -> TablePlan:
        players = self.game.players
        if not mexican:
            step = 360.0 / len(players)
            # Counter-clockwise in playing order, which is how the Chinese games go round.
            stations = {name: wrapped(90.0 - n * step) for n, name in enumerate(players)}
            size_mm = self.settings.size_mm or (900.0, 675.0)
            return TablePlan(players, size_mm, (48.0, 24.0, 9.0), 0.0, stations, False, chinese=True)
        stations = even_stations(players, self._rng.uniform(-180.0, 180.0))
        spread = self.settings.boneyard_spread
        plan = TablePlan(
            players,
            self.settings.size_mm or (1200.0, 900.0),
            stations=stations,
            hub_radius_mm=HUB_RADIUS_MM if self.settings.hub else 0.0,
            boneyard_spread=self.rules_name != "tactic" if spread is None else spread,
        )
        touching = not self.settings.hub and self.seed % 2 == 0
        return at_the_engine(plan, np.random.default_rng(self.seed)) if touching else plan

    def _shoot(self) -> Iterator[np.ndarray]:
        """Every frame of the round, in order."""
        script = Script(self.round, self.plan, self._rng, self.settings.troubles, self.settings.show_hands)
        scenes: Iterable[Scene] = script.scenes()
        if self.settings.last_scenes is not None:
            scenes = self._be_late(list(scenes), self.settings.last_scenes)
        self.film.develop(self.table)
        yield from (self.film.frame() for _ in range(self.settings.still_frames + 2))
        for count, scene in enumerate(scenes):
            if self.settings.most_scenes is not None and count >= self.settings.most_scenes:
                return
            yield from self._film_scene(scene)
        # Nobody clears the table at once.
        yield from (self.film.frame() for _ in range(self.settings.still_frames))

    def _be_late(self, scenes: list[Scene], last: int) -> list[Scene]:
        """Only the last scenes are filmed; the table lies there as the others left it."""
        self.before = scenes[: max(0, len(scenes) - last)]
        for scene in self.before:
            if scene.trouble not in ("take_back", "silent"):
                scene.do(self.table)
        return scenes[len(self.before) :]

    def _film_scene(self, scene: Scene) -> Iterator[np.ndarray]:
        if scene.trouble == "silent":
            self.truth.append(Filmed(scene, self._name(max(0, self._count - 1))))
            return
        self.filming, self._arms = scene, []
        reach = self._reach()
        before, after = self._arms_over(scene, reach)
        undo = None
        if scene.trouble == "take_back":
            undo = self.table.copy()
        for n, arms in enumerate(before):
            yield self._shown(arms, n)
        if scene.trouble == "bump":
            self.film.bump_mm = (self._rng.uniform(-9, 9), self._rng.uniform(-9, 9))
        elif scene.trouble == "cup":
            self.film.cup_mm = None if self.film.cup_mm is not None else self._bare_place()
        elif scene.trouble == "lamp":
            self.film.lamp = self._rng.choice((0.75, 0.88, 1.0, 1.12))
        before_it = self._places() if self.film.cup_mm is not None else set()
        half = self._half_done(scene)
        scene.do(self.table)
        self._put_the_cup_away(before_it)
        if half is not None:
            self.film.develop(half)
            yield from (self._shown(arms, n + 3) for n, arms in enumerate(after[: len(after) // 2]))
        self.film.develop(self.table)
        for n, arms in enumerate(after):
            if half is None or n >= len(after) // 2:
                yield self._shown(arms, n + 3)
        for _ in range(self.settings.still_frames):
            yield self.film.frame()
        self.truth.append(Filmed(scene, self._name(self._count - 1), tuple(self._arms)))
        if undo is not None:
            for n, arms in enumerate(after[-1:] * (self.settings.hand_frames // 2)):
                yield self._shown(arms, n)
            self.table.restore(undo)
            self.film.develop(self.table)
            for n, arms in enumerate(after[-1:] * (self.settings.hand_frames // 2)):
                yield self._shown(arms, n)
            for _ in range(self.settings.still_frames):
                yield self.film.frame()

    def _half_done(self, scene: Scene) -> TableTop | None:
        """The table between two players' acts of one scene; None where only one acts or no hand is filmed."""
        if self.settings.hand_frames == 0 or scene.trouble is not None:
            return None
        if len({player for player, _ in scene.acts}) < 2:
            return None
        half = self.table.foreseen()
        for player, act in scene.acts:
            if player == scene.acts[0][0]:
                carry_out(half, player, act)
        return half

    def _shown(self, arms: Sequence[ArmShown], wobble: int) -> np.ndarray:
        """The next frame, with these arms over the table."""
        name = self._name(self._count)
        self._arms += [arm.truth(name) for arm in arms]
        return np.asarray(self.film.frame([one.arm for one in arms], wobble))

    def _arms_over(self, scene: Scene, reach: Point) -> tuple[list[Arms], list[Arms]]:
        """The arms in each frame before the table changes, and in each after it."""
        frames = self.settings.hand_frames
        early, late = frames // 2, frames - frames // 2
        if not self.settings.arms:
            return [()] * early, [()] * late
        visits = visits_of(scene, self.table)
        if not visits:
            passing = self._seated.passing(self._chance.choice(self.plan.players), reach)
            return [passing] * early, [passing] * late
        motions: dict[str, Motion] = {}
        for visit in visits:
            if visit.player not in motions:
                motions[visit.player] = self._seated.motion(visit.player, self._chance)
        before, after = before_and_after(visits, early, late)
        shown = [[motions[visit.player].arms(visit.place) for visit in part] for part in (before, after)]
        return shown[0], shown[1]

    def _places(self) -> set[Point]:
        return {lying.center_mm for lying in self.table.all_tiles()}

    def _put_the_cup_away(self, before: set[Point]) -> None:
        """Nobody lays a tile under a cup, nor takes one from there: it is moved out of the way."""
        if self.film.cup_mm is not None:
            x, y = self.film.cup_mm
            if any((x - a) ** 2 + (y - b) ** 2 < 90.0**2 for a, b in before ^ self._places()):
                self.film.cup_mm = None

    def _bare_place(self) -> tuple[float, float] | None:
        """Where a cup can stand without covering a tile; None on a full table."""
        tiles = [lying.center_mm for lying in self.table.all_tiles()]
        for _ in range(40):
            x, y = self._reach()
            if all((x - a) ** 2 + (y - b) ** 2 > 90.0**2 for a, b in tiles):
                return x, y
        return None

    def _reach(self) -> tuple[float, float]:
        """Somewhere over the table, not too near its far edge."""
        w, h = self.plan.size_mm
        return self._rng.uniform(0.3 * w, 0.7 * w), self._rng.uniform(0.3 * h, 0.7 * h)
