"""What had to wait goes on record in the order in which it came, one still table after the other.

A tile that nobody can read holds up whatever comes after it. Told as one change, several turns would look like one, and
who laid what could no longer be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile

from companion.geometry import Layout
from companion.geometry.diff import Observation
from companion.rules.actions import Mark, Unmark
from companion.rules.notation import Change, Drawing, Laying, Vanishing
from companion.rules.tile import Laid


@dataclass(slots=True)
class Arrivals:
    """Still tables are numbered; `number` is the one being looked at. `first`: tile -> the one that first showed it.
    `waiting`: what waited in each of them since something was last recorded."""

    number: int = 0
    first: dict[int, int] = field(default_factory=dict)
    waiting: list[tuple[int, Observation]] = field(default_factory=list)

    def wait(self, observation: Observation) -> None:
        """This is seen now and cannot be recorded yet."""
        self.waiting.append((self.number, observation))

    def saw(self, layout: Layout) -> None:
        """This is the table that was looked at; the next one comes."""
        for tile in layout:
            if tile.face_up:
                self.first.setdefault(tile.id, self.number)
        self.number += 1

    def forget(self) -> None:
        """Another round has begun."""
        self.first.clear()
        self.waiting.clear()

    def in_order(self, observation: Observation, layout: Layout, instead: Mapping[Laid, Laid]) -> Iterator[Observation]:
        """The changes of this table, one observation for each still table that brought some of them.

        `instead`: what was read where another tile is believed. What cannot be told apart, and a line of tiles, comes last.
        """
        waited, self.waiting = self.waiting, []
        parts: dict[int, list[Change]] = {}
        if layout.line or any(isinstance(change, Vanishing) for change in observation.delta):
            parts[self.number] = list(observation.delta)
        else:
            came = self._tiles(observation, layout, instead)
            for change in observation.delta:
                for number, part in self._parts(change, came, waited):
                    parts.setdefault(number, []).append(part)
        for number in sorted(parts.keys() - {self.number}):
            yield _of(parts[number], Observation(again=observation.again), observation)
        if self.number in parts or observation.flips or observation.discards:
            yield _of(parts.get(self.number, []), observation, observation)

    def _parts(
        self, change: Change, came: Mapping[Laying, int], waited: list[tuple[int, Observation]]
    ) -> Iterator[tuple[int, Change]]:
        """This change with the number of the table that brought it; draws one table after the other."""
        match change:
            case Laying():
                yield came[change], change
            case Mark() | Unmark():
                since = list(takewhile(lambda one: change in one[1].delta, reversed(waited)))
                yield (since[-1][0] if since else self.number), change
            case Drawing(count):
                numbers = [*(number for number, _ in waited), self.number]
                drawn = [0, *(_drawn(one) for _, one in waited), count]
                if drawn != list(accumulate(drawn, max)):
                    yield self.number, change
                    return
                for number, (before, after) in zip(numbers, pairwise(drawn), strict=True):
                    if after > before:
                        yield number, Drawing(after - before)
            case _:
                yield self.number, change

    def _tiles(self, observation: Observation, layout: Layout, instead: Mapping[Laid, Laid]) -> dict[Laying, int]:
        """When each new tile came; one that lies nearer to the engine than another came no later."""
        new = set(observation.news)
        came: dict[Laying, int] = {}
        latest: dict[str, int] = {}
        for change in reversed(observation.laid):
            read = instead.get(change.tile, change.tile)
            lying = (one.id for one in layout.trains.get(change.train, ()) if one.id in new and one.laid == read)
            number = self.first.get(next(lying, -1), self.number)
            came[change] = latest[change.train] = min(number, latest.get(change.train, self.number))
        return came


def _of(delta: list[Change], seen: Observation, whole: Observation) -> Observation:
    """`seen` with these changes of the `whole`, and the arms that were seen at them."""
    arms = {change: whole.arms[change] for change in delta if change in whole.arms}
    whose = {change: whole.whose[change] for change in delta if change in whole.whose}
    return replace(seen, delta=tuple(delta), arms=arms, whose=whose)


def _drawn(observation: Observation) -> int:
    return sum(change.count for change in observation.delta if isinstance(change, Drawing))
