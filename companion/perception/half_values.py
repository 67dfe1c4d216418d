"""What an unread tile probably is: its candidates, weighed by what else lies on the table.

Physics first: a tile that is seen elsewhere cannot be this one. Then the rules as a prior, never as a filter: one play
in two hundred breaks a rule, so a tile that could be the one that matches its neighbours almost certainly is; and what
lies across its train is a double. A reading that is sure of itself is never touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.table_view import SeenHalf, SeenTile
from companion.rules.tile import Laid, Tile

MISMATCH = 0.005
"""How likely a laid tile does not match its neighbour (field notes: one play in 200 breaks a rule)."""

ACROSS, ALONG = 0.005, 0.2
"""How likely a tile that lies across its train is no double, and one that lies along it a double: both are people's
habits, and some trains turn a corner."""

SURE = 0.95
"""From this probability on the likeliest tile is taken as read."""

LEAST = 0.001
"""The smallest probability of a candidate half."""

SURELY_READ = 0.98
"""Of two tiles read alike where the box has one, this one is another: below this a half may be misread."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a train a tile lies: the value before it, the value behind it, and whether across; None: unknown.

    `hidden_from`: the tile before it was never seen, and leads from this value to it.
    """

    due: int | None = None
    following: int | None = None
    crosswise: bool | None = None
    hidden_from: int | None = None

    def likelihood(self, a: int, b: int) -> float:
        """How much likelier than anything a tile with `a` inside and `b` outside is to lie here, at most 1."""
        p = 1.0 if self.due in (None, a) else MISMATCH
        p *= 1.0 if self.following in (None, b) else MISMATCH
        if self.crosswise is not None and self.crosswise != (a == b):
            p *= ACROSS if self.crosswise else ALONG
        return p


def candidates(half: SeenHalf, least: float) -> dict[int, float]:
    """Value -> probability of one half, the unlikely ones left out."""
    found = {value: p for value, p in half.others if p >= least}
    if half.value is not None:
        found[half.value] = max(half.p, found.get(half.value, 0.0))
    return found


def _all_candidates(half: SeenHalf, values: Set[int]) -> dict[int, float]:
    """The candidates of a half, and of an unread one all that the box has: what is left to be sure of is anybody's.

    A half under a marker may look a little like a blank and shows nothing for all that.
    """
    found = candidates(half, LEAST)
    unlisted = values - found.keys()
    left = 1.0 - sum(found.values())
    if half.value is None and unlisted and left > 0.0:
        found.update(dict.fromkeys(unlisted, left / len(unlisted)))
    return found


def likely_tiles(
    halves: tuple[SeenHalf, SeenHalf],
    inner_half: int,
    place: Place,
    box: Mapping[Tile, int],
    lying: Mapping[Tile, int],
) -> list[tuple[float, Laid]]:
    """(probability, the tile inner half first), likeliest first.

    `box` says how often each tile exists, `lying` how often it is seen elsewhere.
    """
    values = {value for tile in box for value in (tile.low, tile.high)}
    inner, outer = (_all_candidates(half, values) for half in (halves[inner_half], halves[1 - inner_half]))
    weights: dict[Laid, float] = {}
    for a, p in inner.items():
        for b, q in outer.items():
            tile = Tile(a, b)
            if lying.get(tile, 0) >= box.get(tile, 0) or _gone_before(tile, a, place, box, lying):
                continue
            weights[Laid(a, b)] = p * q * place.likelihood(a, b)
    total = sum(weights.values())
    if total <= 0.0:
        return []
    return sorted(((weight / total, laid) for laid, weight in weights.items()), reverse=True)


def _gone_before(tile: Tile, inner: int, place: Place, box: Mapping[Tile, int], lying: Mapping[Tile, int]) -> bool:
    """Would the tile before it be one that is seen elsewhere, or this very one?"""
    if place.hidden_from is None:
        return False
    hidden = Tile(place.hidden_from, inner)
    return lying.get(hidden, 0) + (hidden == tile) >= box.get(hidden, 0)


def surplus(
    layout: Layout, engine: int | None, box: Mapping[Tile, int], recorded: Mapping[str, Sequence[Laid]]
) -> frozenset[int]:
    """The tiles of trains that were read, not surely, as what the box has no more of; none that is on record as that.

    Both halves err together in poor light: a 10-10 passed for a second 12-12.
    """
    alike: dict[Tile, list[tuple[float, int]]] = {}
    if layout.engine is not None and layout.engine.laid is not None:
        known = layout.engine.laid == Laid(engine, engine) if engine is not None else False
        alike[layout.engine.laid.tile] = [(1.0 if known else _read(layout.engine), layout.engine.id)]
    for name, train in layout.trains.items():
        for n, tile in enumerate(train):
            if tile.laid is not None:
                on_record = recorded.get(name, ())
                p = 1.0 if n < len(on_record) and on_record[n].tile == tile.laid.tile else _read(tile)
                alike.setdefault(tile.laid.tile, []).append((p, tile.id))
    return frozenset(
        tile_id
        for kind, read in alike.items()
        for p, tile_id in sorted(read)[: max(0, len(read) - box.get(kind, 0))]
        if p < SURELY_READ
    )


def _read(tile: PlacedTile) -> float:
    """How surely its less sure half was read."""
    return 0.0 if tile.halves is None else min(half.p for half in tile.halves)


def weigh_unread(
    layout: Layout,
    tiles: Sequence[SeenTile],
    engine: int | None,
    box: Mapping[Tile, int],
    recorded: Mapping[str, Sequence[Laid]],
    guessed: Mapping[tuple[str, int], Laid] | None = None,
) -> list[SeenTile]:
    """`tiles` with those unread ones filled in that can hardly be anything else: tiles in trains, and the engine.

    `recorded` are the trains as the game has them: what a person has said about an unread tile is known. The engine is
    the round's own double unless it was read as another tile. `guessed`: (train, place) -> what an unread tile is held
    to be where nothing else tells.
    """
    extra = surplus(layout, engine, box, recorded)
    known = Counter(tile.laid.tile for tile in layout.surely() if tile.laid is not None and tile.id not in extra)
    filled: dict[tuple[float, float], SeenTile] = {}
    middle = layout.engine
    if engine is not None and middle is not None and middle.laid is None and _may_be(middle, engine):
        filled[middle.seen.center_mm] = middle.read_as(Laid(engine, engine))
    for name, train in layout.trains.items():
        due = engine if layout.engine is None or layout.engine.laid is None else layout.engine.laid.outer
        on_record = recorded.get(name, ())
        for n, tile in enumerate(train):
            unread = tile.laid is None or tile.id in extra
            laid = None if unread or _hardly(tile) else tile.laid
            if laid is None and tile.face_up and tile.halves is not None:
                if n < len(on_record):
                    laid = on_record[n]
                elif due is not None and tile.id not in extra:
                    laid = _settled(tile, Place(due, value_behind(train, n), tile.crosswise), box, known)
                if laid is None and unread and guessed:
                    laid = guessed.get((name, n))
                if laid is not None:
                    filled[tile.seen.center_mm] = tile.read_as(laid)
                elif tile.laid is not None:
                    filled[tile.seen.center_mm] = _doubted(tile)
            due = laid.outer if laid is not None else None
    for n, tile in enumerate(layout.line):
        place = place_in_line(layout, n)
        if tile.laid is None and tile.face_up and place != Place():
            laid = _settled(tile, place, box, known)
            if laid is not None:
                filled[tile.seen.center_mm] = tile.read_as(laid)
    return [filled.get(tile.center_mm, tile) for tile in tiles]


def _may_be(tile: PlacedTile, value: int) -> bool:
    """Does neither half say clearly that it shows something else?"""
    return tile.face_up and tile.halves is not None and all(half.value in (None, value) for half in tile.halves)


def _hardly(tile: PlacedTile) -> bool:
    """Is this a tile read as no double, across its train, that may well be one?"""
    laid, halves = tile.laid, tile.halves
    if laid is None or halves is None or not tile.crosswise or laid.inner == laid.outer:
        return False
    first, second = (candidates(half, ACROSS) for half in halves)
    return any(min(first[value], second[value]) > ACROSS for value in first.keys() & second.keys())


def value_behind(train: Sequence[PlacedTile], n: int) -> int | None:
    """The inner value of the tile behind the `n`-th, where it is read."""
    behind = train[n + 1].laid if n + 1 < len(train) else None
    return None if behind is None else behind.inner


def place_in_line(layout: Layout, n: int) -> Place:
    """Where the `n`-th tile of the line lies. A tile of which only the inner half is known was covered unseen."""
    line = layout.line
    before = line[n - 1] if n else None
    following = value_behind(line, n)
    if before is None:
        return Place(following=following)
    if before.laid is not None:
        return Place(before.laid.outer, following)
    if before.halves is None or layout.walls.get(line[n].id) != before.id:
        return Place(following=following)
    return Place(following=following, hidden_from=before.halves[before.inner_half].value)


def _settled(tile: PlacedTile, place: Place, box: Mapping[Tile, int], known: Mapping[Tile, int]) -> Laid | None:
    if tile.halves is None:
        return None
    likely = likely_tiles(tile.halves, tile.inner_half, place, box, known)
    if not likely or likely[0][0] < SURE:
        return None
    laid = likely[0][1]
    inner, outer = tile.halves[tile.inner_half], tile.halves[1 - tile.inner_half]
    # What the neighbours ask for counts only where the eye has seen something of it: under a coin lies anything.
    seen = laid.inner in candidates(inner, LEAST) and laid.outer in candidates(outer, LEAST)
    return laid if seen else None


def _doubted(tile: PlacedTile) -> SeenTile:
    """The tile with its halves unread, what they were read as among the candidates."""
    assert tile.halves is not None
    first, second = (
        half if half.value is None else SeenHalf(None, half.p, ((half.value, half.p), *half.others))
        for half in tile.halves
    )
    return replace(tile.seen, halves=(first, second))
