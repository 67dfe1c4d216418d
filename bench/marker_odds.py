"""The weight of each term of a marker's odds: `python -m bench.marker_odds --tables 10`.

On the tables of `bench.markers` every place that is weighed (companion/perception/tracks.py) is noted, with what
each picture said of it and whether a marker stood there. The weights are fitted jointly, by logistic regression with
each place counted once, and judged on tables that were left out in turn: how many markers are found and how many other
places are taken for one, at each threshold. `several` and `bared` are judgement, and not fitted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.foreign_film import ForeignFilm
from bench.hanging import Filming
from bench.markers import watch
from bench.third_film import ThirdFilm
from bench.toys import ToyFilm
from companion.geometry.joints import distance
from companion.geometry.layout import Point
from companion.perception.tracks import Came, TableMemory, Weighed, eye_odds, measured
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.tabletop import TableFullError, TableTop
from vision.eye import open_eye

NEAR_MM = 15.0
NAMES = ("before", "score", *Came._fields[:4])
RIDGE, ROUNDS = 0.3, 50
THRESHOLDS = (-0.5, 0.0, 0.5, 1.0)


class Noted(NamedTuple):
    """One picture of a place: its terms as they are weighed, and whether a marker stood there."""

    table: int
    place: int
    terms: tuple[float, ...]
    marker: bool


@dataclass(slots=True)
class NotedPlace(Weighed):
    """A place that tells what is added to it."""

    memory: NotingMemory | None = None

    def add(self, score: float, came: Came | None) -> None:
        Weighed.add(self, score, came)
        if came is not None and self.memory is not None:
            self.memory.note(self, score, came)


@dataclass(slots=True)
class NotingMemory(TableMemory):
    """A table's memory that notes every picture of a place."""

    table: int = 0
    there: Sequence[Point] = ()
    noted: list[Noted] = field(default_factory=list)

    def weigh(self, place: Point) -> Weighed:
        self._weighed.append(NotedPlace(place, memory=self))
        return self._weighed[-1]

    def note(self, place: Weighed, score: float, came: Came) -> None:
        marker = any(distance(place.place, one) <= NEAR_MM for one in self.there)
        terms = (1.0, eye_odds(score), *measured(came)[:4])
        self.noted.append(Noted(self.table, id(place), terms, marker))

    def hear(self, filming: Filming, table: TableTop) -> None:
        film = filming.film
        self.there = film.stand(table) if isinstance(film, ToyFilm) else list(table.markers.values())
        filming.watcher.reader.memory = self


def fitted(noted: Sequence[Noted]) -> NDArray[np.float64]:
    """The weights that make what was seen likeliest, drawn a little to 0."""
    terms, truth = np.array([one.terms for one in noted]), np.array([one.marker for one in noted], np.float64)
    looks = {one.place: 0 for one in noted}
    for one in noted:
        looks[one.place] += 1
    share = np.array([1.0 / looks[one.place] for one in noted])
    ridge = np.diag([1e-6, *[RIDGE] * (terms.shape[1] - 1)])
    weights = np.zeros(terms.shape[1])
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-terms @ weights))
        slope = terms.T @ (share * (truth - p)) - ridge @ weights
        weights += np.linalg.solve((terms * (share * p * (1.0 - p))[:, None]).T @ terms + ridge, slope)
    return weights


def judged(noted: Sequence[Noted]) -> dict[str, str]:
    """Threshold -> what is found on tables that the weights do not know."""
    odds: dict[int, list[float]] = {}
    for table in {one.table for one in noted}:
        weights = fitted([one for one in noted if one.table != table])
        for one in noted:
            if one.table == table:
                odds.setdefault(one.place, []).append(float(np.array(one.terms) @ weights))
    marker = {one.place: one.marker for one in noted}
    told = {}
    for least in THRESHOLDS:
        taken = {place: float(np.mean(all_of)) > least for place, all_of in odds.items()}
        found = sum(taken[place] for place, is_one in marker.items() if is_one)
        wrong = sum(taken[place] for place, is_one in marker.items() if not is_one)
        ones = sum(marker.values())
        told[str(least)] = f"{found} of {ones} found, {wrong} of {len(marker) - ones} others taken for one"
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--first", type=int, default=7000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="folder of another renderer, for some tables")
    parser.add_argument("--third", action="store_true", help="some of the tables drawn by VTK (bench/third_film.py)")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    args = parser.parse_args()
    bases: list[Any] = [ToyFilm, partial(ToyFilm, toys=False), partial(ToyFilm, patterned=True)]
    bases += [partial(ForeignFilm, folder=args.renderer)] if args.renderer else []
    bases += [ThirdFilm] if args.third else []
    noted: list[Noted] = []
    kept: list[NotingMemory] = []  # so that no two places share a number
    for seed in range(args.first, args.first + args.tables):
        kept.append(NotingMemory(table=seed))
        try:
            eye = open_eye(one_box=True)
            watch(seed, bases[seed % len(bases)], eye, tuple(args.size), args.steps, told=kept[-1].hear)
        except TableFullError:
            continue
        noted += kept[-1].noted
        print(seed, len({one.place for one in kept[-1].noted}), "places", flush=True)
    print(json.dumps(dict(zip(NAMES, np.round(fitted(noted), 2).tolist(), strict=True))))
    print(json.dumps(judged(noted), indent=1))


if __name__ == "__main__":
    main()
