"""A made-up round as a row of scenes: what hands do to the table between one still picture and the next.

The bots decide what is played; the script decides how it looks: several acts under one hand, a tile laid and taken
back, a bump against the camera, a lamp switched, tiles nudged, two turns so quick that no still picture lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random

from companion.rules.position import SECOND_MEXICAN, Action, Discard, Draw, Flip, Mark, Play, Unmark
from companion.rules.tile import Tile
from datasets.bots import BotRound, BotTurn
from datasets.simulator.plan import MEXICAN, Point, TablePlan
from datasets.simulator.tabletop import TableFullError, TableTop


@dataclass(frozen=True, slots=True)
class Troubles:
    """How often (per scene) something happens that is no play, and how often acts are seen separately.

    `apart`: each act of a turn under its own hand. `two_turns`: two turns without a still picture in between.
    """

    apart: float = 0.3
    two_turns: float = 0.06
    take_back: float = 0.03
    bump: float = 0.02
    nudge: float = 0.04
    lamp: float = 0.03
    cup: float = 0.02
    passing_hand: float = 0.05

    @staticmethod
    def none() -> Troubles:
        return Troubles(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Scene:
    """One change under one hand. `do` changes the table; `reach_mm` is where the hand goes.

    `plays` are the truth: (player, action) in order. `trouble` names what happens that is no play: bump, lamp, cup,
    nudge, take_back (the tile laid in this scene goes away again), hand (only a hand).
    """

    do: Callable[[TableTop], None]
    plays: tuple[tuple[str, Action], ...] = ()
    planted: tuple[str, ...] = ()
    turns: tuple[BotTurn, ...] = ()
    trouble: str | None = None
    shows: tuple[str, tuple[Tile, ...]] | None = None
    acts: tuple[tuple[str, Action], ...] = ()
    """The acts of the hands here, in order: plays, and tiles taken back again."""


@dataclass(slots=True)
class Script:
    """Turns of a bots' round into scenes, the same for the same seed."""

    game: BotRound
    plan: TablePlan
    rng: Random
    troubles: Troubles = field(default_factory=Troubles)
    show_hands: bool = True

    def scenes(self) -> Iterator[Scene]:
        waiting: list[BotTurn] = []
        for turn in self.game.turns():
            waiting.append(turn)
            alone = self.rng.random() >= self.troubles.two_turns or turn.planted is not None
            if alone or len(waiting) > 1:
                yield from self._turns(waiting)
                waiting = []
        if waiting:
            yield from self._turns(waiting)
        if self.show_hands:
            yield from self._reveal()

    def _reveal(self) -> Iterator[Scene]:
        """The tiles left are laid open, and those put away face down are turned over."""
        for player in self.game.hands:
            tiles = tuple(self.game.hands[player])
            if tiles:
                yield Scene(_shows(player, tiles), shows=(player, tiles))
            away = tuple(self.game.discards.get(player, ()))
            if away:
                yield Scene(_turns_over(player, away), shows=(player, away))

    def _turns(self, turns: list[BotTurn]) -> Iterator[Scene]:
        yield from self._trouble()
        acts = [(turn.player, act) for turn in turns for act in turn.actions if _visible(act)]
        planted = tuple(turn.planted for turn in turns if turn.planted is not None)
        if not acts:
            yield Scene(_nothing, (), planted, tuple(turns), "silent")
            return
        separate = len(turns) == 1 and len(acts) > 1 and self.rng.random() < self.troubles.apart
        groups = [[act] for act in acts] if separate else [acts]
        for n, group in enumerate(groups):
            last = n == len(groups) - 1
            laid = any(isinstance(act, Play) for _, act in group)
            if laid and not separate and len(turns) == 1 and self.rng.random() < self.troubles.take_back:
                # A tile that was drawn stays in the hand.
                drawn = tuple(takewhile(lambda one: isinstance(one[1], Draw), group))
                if drawn:
                    yield Scene(_does(drawn), drawn, acts=drawn)
                group = group[len(drawn) :]
                if not any(isinstance(act, Draw) for _, act in group):
                    yield Scene(_does(group), trouble="take_back", acts=tuple(group))
            done = tuple(group)
            yield Scene(_does(group), done, planted if last else (), tuple(turns) if last else (), acts=done)

    def _trouble(self) -> Iterator[Scene]:
        chances = (
            ("bump", self.troubles.bump),
            ("nudge", self.troubles.nudge),
            ("lamp", self.troubles.lamp),
            ("cup", self.troubles.cup),
            ("hand", self.troubles.passing_hand),
        )
        for name, chance in chances:
            if self.rng.random() < chance:
                yield Scene(_nudges if name == "nudge" else _nothing, trouble=name)


def _visible(act: Action) -> bool:
    return isinstance(act, Play | Draw | Mark | Unmark | Flip | Discard)


def _nothing(table: TableTop) -> None:
    return


def _nudges(table: TableTop) -> None:
    table.nudge(3, 4.0)


def _shows(player: str, tiles: tuple[Tile, ...]) -> Callable[[TableTop], None]:
    def show(table: TableTop) -> None:
        if not table.show_hand(player, tiles):
            raise TableFullError(f"no place for the hand of {player}")

    return show


def _turns_over(player: str, tiles: tuple[Tile, ...]) -> Callable[[TableTop], None]:
    def turn_over(table: TableTop) -> None:
        table.turn_over(player, tiles)

    return turn_over


def _does(group: list[tuple[str, Action]]) -> Callable[[TableTop], None]:
    def do(table: TableTop) -> None:
        for player, act in group:
            carry_out(table, player, act)

    return do


def carry_out(table: TableTop, player: str, act: Action) -> Point | None:
    """One act as it changes the table; the place that the hand goes to, None where it goes nowhere."""
    match act:
        case Play(tile, train) if table.plan.chinese:
            return table.lay_in_line(tile, train).center_mm
        case Play(tile, train):
            return table.lay(tile, MEXICAN if train == SECOND_MEXICAN else train).center_mm
        case Draw() if not table.boneyard:
            return None
        case Draw() if not table.plan.boneyard_spread:
            return table.boneyard[-1].center_mm
        case Draw():
            return table.draw().center_mm
        case Mark(owner):
            table.mark(owner)
            return table.markers[owner]
        case Unmark(owner):
            place = table.markers.get(owner)
            table.unmark(owner)
            return place
        case Flip(train):
            table.flip(train)
            return table.trains[train][-1].center_mm
        case Discard(_, tile):
            return table.discard(player, tile).center_mm
        case _:
            return None
