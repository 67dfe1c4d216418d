"""What people said of the table before the camera saw it, or other than it sees it.

Whoever enters a play is often quicker than the camera: what it sees a moment later is the same draw, the same tile.
Somebody takes a tile off the record by a tap, and it lies there all the same. And where somebody says that another tile
lies there than is read, that counts for the record; but nobody is accused on the strength of a record that the table
does not bear out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from companion.geometry import Layout, PlacedTile
from companion.geometry.diff import Observation
from companion.log.corrections import withdrawn_corrections
from companion.log.events import Corrected, Discarded, Drew, Event, RoundStarted, TilePlayed
from companion.rules.actions import LEFT, RIGHT, SOMEBODY, Mark, Unmark
from companion.rules.notation import Change, Drawing, Laying, Vanishing
from companion.rules.position import LinePosition, Position
from companion.rules.tile import Laid


def without_entered_draws(observation: Observation, lately: Iterable[Event]) -> Observation:
    """The observation without the draws and discards that people have entered `lately`, since the last observation."""
    entered = [event for event in lately if event.source == "person"]
    draws = sum(isinstance(event, Drew) for event in entered)
    away = Counter(event.by for event in entered if isinstance(event, Discarded))
    if not draws and not away:
        return observation
    delta: list[Change] = []
    for change in observation.delta:
        if isinstance(change, Drawing):
            known = min(draws, change.count)
            draws -= known
            if known < change.count:
                delta.append(Drawing(change.count - known))
        else:
            delta.append(change)
    entered_of = {player: away.total() if player == SOMEBODY else away[player] for player in observation.discards}
    left = {player: count - min(count, entered_of[player]) for player, count in observation.discards.items()}
    return replace(observation, delta=tuple(delta), discards={player: count for player, count in left.items() if count})


def without_corrected_tiles(observation: Observation, layout: Layout, table: Position) -> Observation:
    """The observation without tiles about which somebody has said that another one lies there: the record has that
    other tile in the place, and it is seen nowhere else in the train."""
    corrected = set()
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        places = zip(lying, table.trains.get(train, ()), strict=False)
        corrected |= {Laying(seen, train) for seen, known in places if seen is not None and known not in lying}
    delta = tuple(change for change in observation.delta if change not in corrected)
    return observation if delta == observation.delta else replace(observation, delta=delta)


def not_borne_out(observation: Observation, layout: Layout, table: Position | LinePosition) -> frozenset[str]:
    """The trains, or both arms of a line, in which the camera reads something else than record and observation say.

    A single tile that somebody has renamed makes its train doubtful only beside a new tile.
    """
    if isinstance(table, LinePosition):
        left = [change.tile for change in observation.laid if change.train == LEFT]
        right = [change.tile for change in observation.laid if change.train == RIGHT]
        due = [*reversed(left), *table.line, *right]
        return frozenset() if _is_read_as(layout.line, due, len(due)) else frozenset((LEFT, RIGHT))
    found = set()
    for train, tiles in layout.trains.items():
        known = table.trains.get(train, ())
        new = [change.tile for change in observation.laid if change.train == train]
        if not _is_read_as(tiles, [*known, *new], len(known) - bool(new)):
            found.add(train)
    return frozenset(found)


def marked_otherwise(observation: Observation, layout: Layout, table: Position | LinePosition) -> bool:
    """Whether other trains have a marker than the record and the observation say."""
    if isinstance(table, LinePosition):
        return False
    put = {change.player for change in observation.delta if isinstance(change, Mark)}
    off = {change.player for change in observation.delta if isinstance(change, Unmark)}
    return layout.markers != (table.markers | put) - off


def _is_read_as(tiles: Sequence[PlacedTile], due: Sequence[Laid], corrected: int) -> bool:
    """Whether the tiles are read as those due, from the first up to an unread one. In the first `corrected` places the
    record may have a tile that is seen nowhere in the row: somebody has said so."""
    lying = [tile.laid for tile in tiles]
    for n, seen in enumerate(lying):
        if seen is None:
            return True
        if n >= len(due) or (due[n] != seen and (n >= corrected or due[n] in lying)):
            return False
    return True


# ---- tiles that somebody has taken off the record ---------------------------------------------------------------


def undone(events: Sequence[Event]) -> frozenset[tuple[Laid, str]]:
    """(tile, train) of every play of this round that a person has withdrawn and not put back."""
    played: dict[int, tuple[Laid, str]] = {}
    withdrawn: set[int] = set()
    put_back = withdrawn_corrections(events)
    for event in events:
        if isinstance(event, RoundStarted):
            played.clear()
        elif isinstance(event, TilePlayed):
            played[event.seq] = (event.tile, event.train)
        elif isinstance(event, Corrected) and event.source == "person" and event.seq not in put_back:
            if event.what.get("withdrawn") is True:
                withdrawn.add(event.corrects)
            elif "withdrawn" in event.what:
                withdrawn.discard(event.corrects)
    return frozenset(played[seq] for seq in withdrawn & played.keys())


def laid_after_all(
    observation: Observation,
    layout: Layout,
    table: Position,
    withdrawn: Collection[tuple[Laid, str]],
    missed: bool = False,
) -> Observation:
    """A tile laid beyond a withdrawn one shows that the withdrawn one lies there: both are new, in that order.

    A withdrawn tile at the end of its train stays off the record, and nothing in this change is certain. What
    somebody has entered in its place counts. `missed`: tiles that nobody withdrew and that are not on record are new in
    any case.
    """
    clouded = observation.clouded
    for train, tiles in layout.trains.items():
        lying = [tile.laid for tile in tiles]
        record = table.trains.get(train, ())
        # Beyond what is on record: in the place of a misread tile lies the one that somebody entered instead.
        beyond = [laid for laid in lying[len(record) :] if laid is not None and laid not in record]
        back = [laid for laid in beyond if missed or (laid, train) in withdrawn]
        if not back:
            continue
        new = [change.tile for change in observation.laid if change.train == train]
        reach = max((lying.index(tile) for tile in new if tile in lying), default=-1)
        beneath = [
            laid
            for laid in back
            if laid not in new and (lying.index(laid) < reach or (missed and (laid, train) not in withdrawn))
        ]
        if beneath:
            observation = replace(observation, delta=_in_order(observation.delta, train, beneath, lying))
        clouded = clouded or len(beneath) < len(set(back).difference(new))
    return replace(observation, clouded=clouded)


def laid_in_line_after_all(
    observation: Observation, line: Sequence[Laid | None], recorded: Sequence[Laid], missed: bool = False
) -> Observation:
    """The same in a Chinese line: all that lies beyond what is on record, on an arm where a tile is new or `missed`."""
    arms = ends_beyond(line, recorded)
    if arms is None:
        return observation
    delta: list[Change] = [change for change in observation.delta if not isinstance(change, Laying)]
    for arm, tiles in zip((LEFT, RIGHT), (arms[0][::-1], arms[1]), strict=True):
        new = [change for change in observation.laid if change.train == arm]
        beyond = [Laying(tile, arm) for tile in tiles if tile is not None]
        delta += beyond if (new or missed) and len(beyond) == len(tiles) else new
    return replace(observation, delta=tuple(delta))


def _in_order(
    delta: tuple[Change, ...], train: str, beneath: Collection[Laid], lying: list[Laid | None]
) -> tuple[Change, ...]:
    """The changes with what lies beneath them in a train, all of that train's from the inside out."""
    mine = [change for change in delta if isinstance(change, Laying) and change.train == train]
    start = delta.index(mine[0]) if mine else 0
    tiles = sorted(
        [*beneath, *(change.tile for change in mine)],
        key=lambda tile: lying.index(tile) if tile in lying else len(lying),
    )
    rest = [change for change in delta[start:] if change not in mine]
    return (*delta[:start], *(Laying(tile, train) for tile in tiles), *rest)


# ---- the line of a Chinese game ---------------------------------------------------------------------------------


def line_of(layout: Layout) -> tuple[Laid | None, ...]:
    return tuple(tile.laid for tile in layout.line)


def new_in_line(observation: Observation, seen: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation without what is on record already; `seen` is the line as the camera saw it last."""
    on_record = ends_beyond(recorded, seen)
    gone = ends_beyond(seen, recorded)
    if on_record is None and gone is None:
        return observation
    laid = dict(zip((LEFT, RIGHT), map(list, on_record or ((), ())), strict=True))
    lost = dict(zip((LEFT, RIGHT), map(list, gone or ((), ())), strict=True))
    delta: list[Change] = []
    for change in observation.delta:
        known: list[Laid | None] = []
        if isinstance(change, Laying):
            known = laid.get(change.train, [])
        elif isinstance(change, Vanishing):
            known = lost.get(change.train, [])
        if isinstance(change, Laying | Vanishing) and change.tile in known:
            known.remove(change.tile)
        else:
            delta.append(change)
    return observation if len(delta) == len(observation.delta) else replace(observation, delta=tuple(delta))


def as_many_as_lie(observation: Observation, lying: Sequence[Laid | None], recorded: Sequence[Laid]) -> Observation:
    """The observation with only those new tiles that lie beyond the record, where it would put more tiles on record
    than lie there: the line was lost from sight, or somebody has renamed one of its tiles."""
    if len(recorded) + len(observation.laid) - len(observation.gone) <= len(lying):
        return observation
    left, right = ends_beyond(lying, recorded) or ((), ())
    new = [*((tile, LEFT) for tile in reversed(left)), *((tile, RIGHT) for tile in right)]
    rest = [change for change in observation.delta if not isinstance(change, Laying)]
    return replace(observation, delta=(*rest, *(Laying(tile, arm) for tile, arm in new if tile is not None)))


def ends_beyond(
    longer: Sequence[Laid | None], shorter: Sequence[Laid | None]
) -> tuple[Sequence[Laid | None], Sequence[Laid | None]] | None:
    """What `longer` has to the left and to the right of `shorter`; None where that is no part of it."""
    for start in range(len(longer) - len(shorter) + 1):
        if list(longer[start : start + len(shorter)]) == list(shorter):
            return longer[:start], longer[start + len(shorter) :]
    return None
