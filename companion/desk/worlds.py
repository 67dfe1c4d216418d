"""Several courses of the round at once, while the table does not tell which one is true.

A player who draws and passes leaves no more trace than one who draws and then plays; only what the others do next
tells. So every legal telling is kept as a world of its own. Where no telling is legal, a rule was broken, now or some
turns ago without anybody noticing: every world with one fault more that leads to this table is kept then, and those
that need another fault later are dropped. The cheapest world is the one on record (minutes.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from companion.desk.acts import marked_beside
from companion.desk.course import Course
from companion.desk.sight import Sight
from companion.desk.stories import Effort, Telling, order_of_doubles, tell_with_faults
from companion.events import Drew, Event, Passed, RoundEnded, TilePlayed
from companion.notation import Change, Drawing, Laying, Vanishing
from companion.position import Position
from companion.tile import Laid
from companion.turn import Draw, Mark, Unmark

MOST_WORLDS = 6
MOST_FAULTY_WORLDS = 48
COST_REACH = 3
"""A world that needs so many more turns and passes than the cheapest is no longer believed."""
MOST_EVENTS = 48
"""Since the worlds parted; then the cheapest is held to be true."""
MOST_AT_ONCE = 5
"""Of a change of more tiles most was out of sight; what looks like a fault in it proves nothing."""
MOST_LOOKING_BACK = 15_000
"""Trials spent on earlier faults, and as many on overlooked draws: a second or two. Where they run out, whatever
else may have happened was not looked for, so nothing is certain."""
LOST = 4_000_000
"""Keys of events that nothing explains lie above this."""
KEPT_EVENTS = 3
"""What all worlds share is forgotten but for the last events: a turn's end may still show a fault in them."""


@dataclass(frozen=True, slots=True)
class World:
    """A course, and its `events` since all worlds were one. `cost` counts the turns and passes it needed.

    `blame`: (number of the change, player, code) of every fault in it. `others`: (index of an event, player) where
    worlds that came to the same table named somebody else; `unseen`: the same if a draw was overlooked.
    """

    course: Course
    events: tuple[Event, ...] = ()
    cost: int = 0
    faults: int = 0
    blame: frozenset[tuple[int, str, str]] = frozenset()
    others: frozenset[tuple[int, str]] = frozenset()
    unseen: frozenset[tuple[int, str]] = frozenset()


@dataclass(slots=True)
class Trail:
    """The living worlds and the way they came: `steps` are the worlds before each change, and the change.

    `base` is the course from which the events of all worlds start, `reach` how many changes back a fault is looked for.
    `clouded` once a faulty change came from a table that was not understood in all its parts, `guessed` once one lay
    beside a tile that was not surely read. In the first `unsure` changes the true world may be one given up before.
    Where nobody said who starts there is a world for each who may have.
    """

    base: Course
    reach: int
    worlds: tuple[World, ...] = ()
    steps: list[tuple[tuple[World, ...], Sight]] = field(default_factory=list)
    number: int = 0
    clouded: bool = False
    guessed: bool = False
    unsure: int = 0

    def __post_init__(self) -> None:
        if not self.worlds:
            base, players = self.base, self.base.players
            begun = [base.begun_by(player) for player in players] if base.turn_open else [base]
            self.worlds = tuple(map(World, begun))

    @property
    def doubted(self) -> bool:
        """Whether the last change was one of the first, in which the true world may be one given up before."""
        return self.number <= self.unsure

    def legal(self, sight: Sight) -> bool:
        """Whether some world explains the change without a fault."""
        return bool(onward(self.worlds, sight))

    def expects(self, sight: Sight) -> bool:
        """Whether every world explains the change without a fault."""
        return all(onward([world], sight) for world in self.worlds)

    def follow(self, sight: Sight) -> bool:
        """Let the worlds explain the change; False where none can, with one fault now or earlier or two at once.

        No fault is looked for in a change of so many tiles that most of it was out of sight.
        """
        living = legal = onward(self.worlds, sight)
        if not legal and len(sight.laid) <= MOST_AT_ONCE:
            living = self._with_a_fault(sight) or self._faulty(self.worlds, sight, 2)
            living = self._or_others(living, sight)
        if not living:
            return False
        doubted = sight.clouded or sight.guessed or self.number < self.unsure
        self.clouded = self.clouded or (doubted and not legal)
        self.guessed = self.guessed or (sight.guessed and not legal)
        self.steps.append((self.worlds, sight))
        self.number += 1
        self.worlds = living
        return True

    def lose(self, sight: Sight) -> None:
        """Nothing explains the change: it goes on record as it lies, by nobody, and anybody may have been the last."""
        players = self.worlds[0].course.players
        start = players.index(self.worlds[0].course.mover)
        row = players[start:] + players[:start]
        world = self.worlds[0]
        self.steps.append((self.worlds, sight))
        self.number += 1
        self.worlds = tuple(_without_story(world, sight, row[n:] + row[:n]) for n in range(len(row)))

    def take_back(self, sight: Sight) -> tuple[Change, ...] | None:
        """The trail as if the tiles that are gone had not been laid; what of the rest of the change is left then.

        Markers that are back where they were had not moved either, and tiles that lie in the boneyard again were not
        drawn. None (and no trail) where that cannot be told.
        """
        gone, delta, returned = sight.gone, sight.delta, sight.returned
        wanted = [(one.tile.tile, one.train) for one in gone]
        back = [change for change in delta if not isinstance(change, Vanishing)]
        undone: list[Sight] = []
        worlds = self.worlds
        while wanted and self.steps:
            worlds, step = self.steps.pop()
            kept: list[Change] = []
            for change in reversed(step.delta):
                turned = _turned_back(change)
                if isinstance(change, Laying) and (change.tile.tile, change.train) in wanted:
                    wanted.remove((change.tile.tile, change.train))
                elif turned is not None and turned in back:
                    back.remove(turned)
                elif isinstance(change, Drawing) and returned > 0:
                    undrawn = min(change.count, returned)
                    returned -= undrawn
                    kept[:0] = [Drawing(change.count - undrawn)] if undrawn < change.count else []
                else:
                    kept.insert(0, change)
            undone.insert(0, replace(step, delta=tuple(kept)))
        fewest = min(world.faults for world in worlds)
        self.worlds = tuple(world for world in worlds if world.faults == fewest)
        told = not wanted and all(step.empty or self.follow(step) for step in undone)
        return tuple(back) if told else None

    def over(self) -> RoundEnded | None:
        """The end of the round, where all worlds have it."""
        due = [world.course.over_by_rule() for world in self.worlds]
        return due[0] if all(one == due[0] for one in due) else None

    def torn(self) -> bool:
        """Whether the worlds differ in whose turn it is or in who did what."""
        return len({world.course.mover for world in self.worlds}) > 1 or bool(names(self.worlds))

    def prefer(self, world: World) -> None:
        """Put this one of the worlds on record."""
        self.worlds = (world, *(one for one in self.worlds if one is not world))

    def settle(self) -> int:
        """Forget the changes that are too far back; returns how many first events all worlds share and lose."""
        while len(self.steps) > self.reach:
            self.steps.pop(0)
        if not self.steps:
            return 0
        oldest = self.steps[0][0]
        count = _alike([world.events for world in (*oldest, *self.worlds)])
        count = max(0, count - KEPT_EVENTS)
        if count:
            self._drop(count)
        return count

    def _drop(self, count: int) -> None:
        course = self.base
        for key, event in enumerate(self.worlds[0].events[:count]):
            course = course.take(event, -2 - key).course
        self.base = course
        self.worlds = tuple(_without(world, count) for world in self.worlds)
        self.steps = [(tuple(_without(world, count) for world in worlds), sight) for worlds, sight in self.steps]

    def _with_a_fault(self, sight: Sight) -> tuple[World, ...]:
        """Every world with one fault more, in this change or an earlier one, from which the rest follows legally."""
        rows = [*self.steps, (self.worlds, sight)]
        effort = Effort(MOST_LOOKING_BACK)
        found: list[tuple[int, list[tuple[World, ...]]]] = []
        for start in reversed(range(len(rows))):
            worlds, first = rows[start]
            path = [self._faulty(worlds, first, 1, len(rows) - 1 - start, effort)]
            for _, later in rows[start + 1 :]:
                if not path[-1]:
                    break
                path.append(onward(path[-1], later, effort))
            if effort.spent:
                self.clouded = True
                break
            if path[-1] and len(path) == len(rows) - start:
                found.append((start, path))
        if not found:
            return ()
        fewest = min(path[-1][0].faults for _, path in found)
        found = [one for one in found if one[1][-1][0].faults == fewest]
        for start, path in found:
            for n, worlds in enumerate(path[:-1], start + 1):
                before, seen = self.steps[n] if n < len(self.steps) else (self.worlds, sight)
                grown = (*before, *(one for one in worlds if _leads_to(one, path[-1])))
                if n < len(self.steps):
                    self.steps[n] = (grown, seen)
                else:
                    self.worlds = grown
        return distinct((world for _, path in found for world in path[-1]), MOST_FAULTY_WORLDS)

    def _or_others(self, living: tuple[World, ...], sight: Sight) -> tuple[World, ...]:
        """The same worlds, with the names of those who laid the tiles of this change if something was overlooked.

        Whose turn it is rests on every draw seen: with a marker lying there already, a draw and a pass leave no other
        trace. It rests on every marker too: who drew and has none may have put one on that no picture showed. Who would
        have the turn then may be the one to blame.
        """
        effort = Effort(MOST_LOOKING_BACK)
        unseen = [one for start in range(len(self.steps) + 1) for one in self._with_a_draw_before(start, sight, effort)]
        unseen += self._with_a_marker(sight, effort)
        if effort.spent:
            self.clouded = True
        more = _layers(unseen, sight) - _layers(living, sight)

        def names_in(world: World) -> frozenset[tuple[int, str]]:
            plays = [(n, one) for n, one in enumerate(world.events) if isinstance(one, TilePlayed)]
            return frozenset(
                (n, by) for n, one in plays for tile, train, by in more if (one.tile, one.train) == (tile, train)
            )

        return tuple(replace(world, unseen=world.unseen | names_in(world)) for world in living)

    def _with_a_marker(self, sight: Sight, effort: Effort) -> list[World]:
        """The worlds with one fault in this change if whoever drew put the own marker on and no picture showed it."""
        drawn = any(isinstance(change, Drawing) for change in sight.delta)
        turns = [world.course.turn for world in self.worlds]
        drew = {turn.player for turn in turns if turn is not None and Draw() in turn.actions}
        if not sight.laid or not (drawn or drew):
            return []
        moved = {change.player for change in sight.delta if isinstance(change, (Mark, Unmark))}
        worlds = list[World]()
        for player in self.base.players:
            table = self.worlds[0].course.table
            if not drawn and player not in drew:
                continue
            if isinstance(table, Position) and player not in moved and player not in table.markers:
                marked = replace(sight, delta=(*sight.delta, Mark(player)))
                worlds += self._faulty(self.worlds, marked, 1, effort=effort)
        return worlds

    def _with_a_draw_before(self, start: int, sight: Sight, effort: Effort) -> tuple[World, ...]:
        """The worlds with one fault in this change if a draw was overlooked before the change `start`."""
        rows = [*self.steps, (self.worlds, sight)][start:]
        worlds = onward(rows[0][0], Sight((Drawing(1),)), effort)
        for _, earlier in rows[:-1]:
            worlds = onward(worlds, earlier, effort)
        return self._faulty(worlds, sight, 1, effort=effort) if worlds else ()

    def _faulty(
        self, worlds: Sequence[World], sight: Sight, faults: int, back: int = 0, effort: Effort | None = None
    ) -> tuple[World, ...]:
        """These worlds after a change with exactly so many faults in it, made `back` changes ago."""
        when = self.number - back
        living = []
        for world in worlds:
            for telling in tell_with_faults(
                world.course, sight.delta, faults, flips=sight.flips, discards=sight.discards, effort=effort
            ):
                # What nobody noticed at the time was one thing, not two at once.
                if not back or len(telling.blame) == 1:
                    living.append(_continued(world, telling, faults, when))
        return distinct(living, MOST_FAULTY_WORLDS)


def _without_story(world: World, sight: Sight, players: tuple[str, ...]) -> World:
    """The world after this change, whoever made it; the first of `players` is held to be the last who moved."""
    course, events = world.course, list(world.events)
    for event in sight.happened(players):
        course = course.take(event, LOST + len(events)).course
        events.append(event)
    return replace(world, course=course, events=tuple(events))


def onward(worlds: Iterable[World], sight: Sight, effort: Effort | None = None) -> tuple[World, ...]:
    """The worlds that explain the change legally, the cheapest first."""
    living = []
    for world in worlds:
        told = tell_with_faults(world.course, sight.delta, 0, flips=sight.flips, discards=sight.discards, effort=effort)
        living += [_continued(world, telling) for telling in told]
    return distinct(living, MOST_FAULTY_WORLDS if any(world.faults for world in living) else MOST_WORLDS)


def distinct(worlds: Iterable[World], most: int) -> tuple[World, ...]:
    """Worlds that differ in what can happen next or in who is to blame; the rest lend their names to a cheaper one."""
    ranked = sorted(worlds, key=lambda world: (world.faults, world.cost))
    kept: dict[object, World] = {}
    for world in ranked:
        if (world.faults, world.cost) > (ranked[0].faults, ranked[0].cost + COST_REACH):
            continue
        course, turn = world.course, world.course.turn
        made = None if turn is None else (turn.player, turn.actions, turn.passed is not None, turn.resume)
        sign = (
            course.mover, made, course.moved, course.owed, course.also, order_of_doubles(course), world.blame,
            course.together, course.lap_over, tuple((name, turn.actions) for name, turn in course.first_turns.items()),
        )  # fmt: skip
        first = kept.get(sign)
        kept[sign] = world if first is None else _merged(first, world)
    return tuple(kept.values())[: max(most, len(ranked[0].course.players) if ranked else 0)]


def _merged(world: World, other: World) -> World:
    """Both come to the same table; where they count a hand differently it cannot be counted."""
    mine, his = world.course.table.hands, other.course.table.hands
    apart = [player for player in mine if mine[player] != his.get(player)]
    return replace(world, course=world.course.uncounted_among(apart), others=world.others | _disputes(world, other))


def _continued(world: World, telling: Telling, faults: int = 0, when: int = 0) -> World:
    # While first trains are laid at the same time a tile on the own train is nobody else's.
    together = telling.course.laying_together
    beside = frozenset[tuple[int, str]]() if together else marked_beside(telling.events, len(world.events))
    return World(
        telling.course,
        (*world.events, *telling.events),
        world.cost + telling.cost[1] + telling.cost[2],
        world.faults + faults,
        world.blame | {(when, player, code) for player, code in telling.blame},
        world.others | beside,
        world.unseen,
    )


def twins(world: World, other: World) -> dict[int, int]:
    """Index of an event of `world` -> index of the same act in `other`, whoever did it there."""
    left = [(n, event) for n, event in enumerate(other.events) if not isinstance(event, Passed)]
    found: dict[int, int] = {}
    for n, event in enumerate(world.events):
        if isinstance(event, Passed):
            continue
        twin = next((one for one in left if same_act(event, one[1])), None)
        if twin is not None:
            left.remove(twin)
            found[n] = twin[0]
    return found


def same_act(one: Event, other: Event) -> bool:
    """Whether both events are the same change of the table."""
    if one.KIND != other.KIND:
        return False
    if isinstance(one, Drew):
        return True
    return (getattr(one, "tile", None), getattr(one, "train", None)) == (
        getattr(other, "tile", None),
        getattr(other, "train", None),
    )


def _disputes(world: World, other: World) -> frozenset[tuple[int, str]]:
    """Where `other` names somebody else than `world`, and all that it disputes itself."""
    found = set()
    for mine, his in twins(world, other).items():
        by = getattr(other.events[his], "by", None)
        if by is not None and by != getattr(world.events[mine], "by", None):
            found.add((mine, by))
        found |= {(mine, name) for n, name in other.others if n == his}
    return frozenset(found)


def names(worlds: Sequence[World]) -> dict[int, tuple[str, ...]]:
    """Index of an event of the first world -> everybody who may have been its player, where that is not one."""
    best = worlds[0]
    found: dict[int, list[str]] = {}
    disputed = set(best.others | best.unseen)
    for other in worlds[1:]:
        disputed |= _disputes(best, other)
    for n, name in sorted(disputed):
        mine = getattr(best.events[n], "by", None)
        row = found.setdefault(n, [mine] if mine is not None else [])
        if name not in row:
            row.append(name)
    return {n: tuple(row) for n, row in found.items() if len(row) > 1}


def _layers(worlds: Sequence[World], sight: Sight) -> frozenset[tuple[Laid, str, str]]:
    """(tile, train, player) of every tile of this change in any of these worlds."""
    tiles = {(laying.tile, laying.train) for laying in sight.laid}
    plays = [one for world in worlds for one in world.events if isinstance(one, TilePlayed)]
    return frozenset((one.tile, one.train, one.by) for one in plays if one.by and (one.tile, one.train) in tiles)


def _turned_back(change: Change) -> Change | None:
    if isinstance(change, Mark):
        return Unmark(change.player)
    return Mark(change.player) if isinstance(change, Unmark) else None


def _alike(rows: Sequence[Sequence[Event]]) -> int:
    count = 0
    for events in zip(*rows, strict=False):
        if any(event != events[0] for event in events):
            break
        count += 1
    return count


def _without(world: World, count: int) -> World:
    others, unseen = (
        frozenset((n - count, name) for n, name in row if n >= count) for row in (world.others, world.unseen)
    )
    return replace(world, events=world.events[count:], others=others, unseen=unseen)


def _leads_to(world: World, later: Sequence[World]) -> bool:
    return any(one.events[: len(world.events)] == world.events for one in later)
