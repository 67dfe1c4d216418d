"""The smallest changes of a told round with which it breaks no rule: what people are asked where something does not
fit.

An `Edit` is one of them, in the words of the game: a turn is still to come, an act was earlier, one was forgotten, it
was somebody else, it was tapped twice, the boneyard was empty, another player began. A piece of a turn moves as a
whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from companion.rules.position import Discard, Draw, End, Mark, Pass, Play, TableAct, Unmark
from companion.rules.violations import Violation as V
from companion.tracking.strict import Fault, Fold, Setting, Start, Told, TrainFold

WINDOW = 14
"""How many acts back an act may belong."""

OWN_WINDOW = 3 * WINDOW
"""The same behind an own turn: the others may have laid long first trains since."""

MOST_PIECE = 3
"""At most this many acts of a turn move as a whole."""

MOST_UNTOLD = 2
"""At most this many players have passed without a tap."""


BELOW = frozenset(map(str, (V.MISMATCH, V.WRONG_ROOT)))
"""Faults that a tile shows while the one below is still to come."""

MOST_FORGOTTEN = 2
"""Draws of each player that nobody tapped, of a boneyard that is empty although tiles are left in it by the count."""


class EditKind(StrEnum):
    """The kinds of answers: it was so; a turn is still to come; it was earlier; something was forgotten; it was
    somebody else; the round began otherwise; it was tapped twice; the boneyard; another order."""

    SO = "so"
    LATER = "later"
    EARLIER = "earlier"
    MISSING = "missing"
    NAME = "name"
    START = "start"
    TWICE = "twice"
    BONEYARD = "boneyard"
    ORDER = "order"


class Edit(NamedTuple):
    """One possible answer to the question about a tap."""

    kind: EditKind
    cost: int
    items: tuple[Told, ...]
    """The acts as this answer has them."""
    events: tuple[Mapping[str, Any], ...] = ()
    """The changes it makes, in the contract's terms."""


COST = {
    EditKind.TWICE: 3, EditKind.LATER: 10, EditKind.MISSING: 11, EditKind.EARLIER: 13, EditKind.START: 14,
    EditKind.BONEYARD: 14, EditKind.NAME: 15,
}  # fmt: skip
"""How unlikely each is, in the order in which the keys are shown. By hand; `bench.tapped` prints how often the first
key is the true one."""

LOOSE = (Draw, Mark, Unmark, Discard)
"""Acts that people tap late rather than out of place."""

AGAIN = frozenset(map(str, (V.EXTRA_TILE, V.EXTRA_DRAW, V.DRAW_FIRST_TURN, V.EXTRA_NOT_ON_DOUBLE, V.OUT_OF_TURN)))
"""Faults that two turns of one player show while those between are still to come."""

TOO_EARLY = frozenset(map(str, (V.MX_TOO_EARLY, V.FIRST_TURN_OWN_ONLY)))
"""Faults that a later turn shows while the first one is still to come."""


def edits(items: Sequence[Told], before: Fold, faults: Sequence[Fault]) -> Iterator[Edit]:
    """Changes that may explain the `faults` which the last of the `items` brought, none of them tried yet. `before`:
    the table before it."""
    made = _Maker(tuple(items), before, [fault for fault in faults if fault.sure])
    for source in (made.twice, made.start, made.to_come, made.forgotten, made.earlier, made.boneyard, made.names):
        yield from source()


def likeliest(found: Iterable[Edit], fits: Callable[[tuple[Told, ...]], bool], most: int) -> list[Edit]:
    """Those that fit, the likeliest first, each once."""
    kept: list[Edit] = []
    seen: set[object] = set()
    for edit in sorted(found, key=lambda one: one.cost):
        same = _what(edit)
        if same not in seen and fits(edit.items):
            seen.add(same)
            kept.append(edit)
            if len(kept) == most:
                break
    return kept


def _what(edit: Edit) -> object:
    """The meaning of an answer. The place of a forgotten act within its turn makes no difference."""
    if edit.kind is not EditKind.MISSING:
        return edit.items
    return tuple(sorted((str(event["event"]), str(event["by"])) for event in edit.events))


class _Maker:
    def __init__(self, items: tuple[Told, ...], before: Fold, faults: list[Fault]) -> None:
        self.items, self.before, self.faults = items, before, faults
        self.told = items[-1]
        self.who = self.told.by
        self.codes = {fault.code for fault in faults}
        self.going = before.acted and not before.closed
        self.mine = self.going and before.player == self.who
        self.further = self.mine and (self.told.turn or 0) > before.turns.get(self.who, 0)

    # ---- a turn is still to come ---------------------------------------------------------------------------------

    def to_come(self) -> Iterator[Edit]:
        before, who = self.before, self.who
        missing = before.missing_before(who, again=bool(self.codes & TOO_EARLY))
        if self.codes & BELOW:
            yield self._wait([who], 3 if self.further else 1)
        if isinstance(before, TrainFold) and isinstance(self.told.act, Play):
            if self.codes & (BELOW | {str(V.CLOSED_TRAIN)}):
                yield from self._more_of_a_turn((self.told.act.train,), {who})
            if str(V.OPEN_DOUBLE_IGNORED) in self.codes:
                yield from self._more_of_a_turn(before.state.open, {*before.players})
        if isinstance(self.told.act, (End, Pass)) and any(fault.player == who for fault in self.faults):
            yield self._wait([who], 2)
            if str(V.OUT_OF_TURN) not in self.codes:
                return
        if self.mine:
            if str(V.EXTRA_DRAW) in self.codes:
                yield self._wait([who], 3)
            if missing and (self.codes & (AGAIN | TOO_EARLY) or len(before.players) == 2):
                yield self._wait(missing, -6 if self.further and not before.done else 2)
                yield from self._passed_since(missing)
            return
        lacking = any(fault.player == before.player for fault in self.faults)
        if self.going and (lacking or not before.done):
            laid = next((told.act for told in reversed(self.items[:-1]) if told.by == before.player), None)
            uncovered = isinstance(laid, Play) and laid.tile.is_double
            yield self._wait([before.player], -1 if uncovered else 2)
            after = [name for name in missing if name != before.player]
            if after:
                yield self._wait([before.player, *after], 2)
        if missing:
            yield self._wait(missing, 0)

    def _passed_since(self, missing: Sequence[str]) -> Iterator[Edit]:
        """The same where some of these have passed by now: only turns before the passes are still to come."""
        end = passes = len(self.items) - 1
        while passes and isinstance(self.items[passes - 1].act, Pass) and self.items[passes - 1].by in missing:
            passes -= 1
        said = {told.by: told for told in self.items[passes:end]}
        holes = [name for name in missing if name not in said]
        if not said or not holes:
            return
        first = self.items[passes].tap
        events = [{"event": "turn_to_come", "by": name, "before": first} for name in holes]
        items = (*self.items[:passes], *(Told(None, name, before=first) for name in holes), *self.items[passes:])
        yield Edit(EditKind.LATER, COST[EditKind.LATER] * len(holes), items, tuple(events))

    def _more_of_a_turn(self, trains: Sequence[str], named: set[str]) -> Iterator[Edit]:
        """More of an earlier turn is still to come, with a tile on one of these trains: of the last one of each player
        who is not `named` yet, or of that in which the last tile was laid there."""
        more = 2
        for n in range(len(self.items) - 2, max(-1, len(self.items) - 2 - OWN_WINDOW), -1):
            one, then = self.items[n], self.items[n + 1]
            ends = one.by not in ("", then.by) and one.act is not None and then.tap is not None
            there = isinstance(one.act, Play) and one.act.train in trains
            if ends and (there or one.by not in named):
                named.add(one.by)
                more += 2
                items = (*self.items[: n + 1], Told(None, one.by, before=then.tap), *self.items[n + 1 :])
                event = {"event": "turn_to_come", "by": one.by, "before": then.tap}
                yield Edit(EditKind.LATER, COST[EditKind.LATER] + more, items, (event,))
            if there:
                return

    def _wait(self, names: Sequence[str], more: int) -> Edit:
        holes = [Told(None, name, before=self.told.tap) for name in names]
        events = [{"event": "turn_to_come", "by": name, "before": self.told.tap} for name in names]
        items = (*self.items[:-1], *holes, self.told)
        return Edit(EditKind.LATER, COST[EditKind.LATER] * len(names) + more, items, tuple(events))

    # ---- something was forgotten ---------------------------------------------------------------------------------

    def forgotten(self) -> Iterator[Edit]:
        for fault in self.faults:
            yield from self._what_lacked(fault)
        play = self.told.act
        if str(V.CLOSED_TRAIN) in self.codes and isinstance(play, Play) and play.train in self.before.players:
            yield from self._marker_of(play.train)
        if str(V.OUT_OF_TURN) in self.codes:
            yield from self._could_not_play(self.before.missing_before(self.who))
        if self.before.left(self.who) == 0:
            yield from self._draw_of(self.who)

    def _what_lacked(self, fault: Fault) -> Iterator[Edit]:
        who, place = fault.player, self._place(fault.tap)
        if place is None:
            return
        draw, mark = Told(Draw(), who), Told(Mark(who), who)
        first = self._turn_begins(place)
        match fault.code:
            case V.NO_DRAW:
                for at in dict.fromkeys((first, place, place + 1)):
                    yield self._put(at, [draw], 0)
                yield self._put(place + 1, [draw, mark], 3)
            case V.DOUBLE_NOT_FOLLOWED:
                yield self._put(place + 1, [draw, mark], 3)
                yield self._put(place + 1, [draw, Told(Pass(), who)], 4)
            case V.MARKER_MISSING:
                yield self._put(place + 1, [mark], 0)
                yield self._put(place + 1, [draw, mark], 3)
            case V.MARKER_NOT_REMOVED:
                yield self._put(place + 1, [Told(Unmark(who), who)], 0)
            case V.MARKER_UNEARNED | V.MARKER_REMOVED_WRONGLY:
                yield self._put(first, [draw], 0)
            case V.PASS_WITHOUT_DISCARD:
                yield self._put(place, [Told(Discard(), who)], 0)

    def _marker_of(self, owner: str) -> Iterator[Edit]:
        """The marker of a train, at the end of a turn of its owner without a tile."""
        for place in range(len(self.items) - 2, -1, -1):
            one = self.items[place]
            last = self.items[place + 1].by != owner
            if one.by == owner and last:
                mine = self.items[self._turn_begins(place) : place + 1]
                if not any(isinstance(told.act, Play) for told in mine):
                    yield self._put(place + 1, [Told(Mark(owner), owner)], 1)
                    return

    def _draw_of(self, who: str) -> Iterator[Edit]:
        """A draw in the last turn of this player that has none: there is a tile left, by what follows."""
        place = len(self.items) - 1
        while place >= 0:
            if self.items[place].by == who:
                first = self._turn_begins(place)
                if not any(isinstance(told.act, Draw) for told in self.items[first:place]):
                    yield self._put(first, [Told(Draw(), who)], -2)
                    return
                place = first
            place -= 1

    def _could_not_play(self, names: Sequence[str]) -> Iterator[Edit]:
        if 0 < len(names) <= MOST_UNTOLD:
            acts = [Told(act, name) for name in names for act in self.before.unable(name)]
            yield self._put(len(self.items) - 1, acts, 4 * len(names))

    def _put(self, at: int, new: Sequence[Told], more: int) -> Edit:
        if at and isinstance(self.items[at - 1].act, (End, Pass)) and self.items[at - 1].by == new[0].by:
            # Nothing of a turn comes after its player has said that it is over.
            at -= 1
        items = (*self.items[:at], *new, *self.items[at:])
        events = [_as_event(told) | self._beside(at) for told in new]
        return Edit(EditKind.MISSING, COST[EditKind.MISSING] + more, items, tuple(events))

    def _beside(self, at: int) -> dict[str, Any]:
        """Where among the lines that is."""
        for told in self.items[at:]:
            if told.tap is not None:
                return {"before": told.tap}
        return {"after": next(told.tap for told in reversed(self.items[:at]) if told.tap is not None)}

    def _place(self, tap: int | None) -> int | None:
        return next((n for n, told in enumerate(self.items) if tap is not None and told.tap == tap), None)

    def _turn_begins(self, place: int) -> int:
        """Where the acts in a row begin that the same player was told to have done."""
        while place > 0 and self.items[place - 1].by == self.items[place].by and self.items[place - 1].act is not None:
            place -= 1
        return place

    # ---- it was earlier, somebody else, tapped twice -------------------------------------------------------------

    def earlier(self) -> Iterator[Edit]:
        end = len(self.items)
        begins = self._turn_begins(end - 1)
        for length in range(1, min(MOST_PIECE, end - begins) + 1):
            yield from self._moved(end - length, end)
        others = {*range(begins, end - 1), *(self._place(fault.tap) for fault in self.faults)}
        for place in sorted(others - {None, end - 1}, key=lambda one: one or 0):
            yield from self._moved(place or 0, (place or 0) + 1)
        yield from self._swapped()

    def _moved(self, first: int, last: int) -> Iterator[Edit]:
        """The acts from `first` to `last` (exclusive) at an earlier place: between two turns, or at the end of an own
        one."""
        piece = tuple(told._replace(late=False) for told in self.items[first:last])
        if any(told.tap is None for told in piece) or isinstance(piece[0].act, End):
            return
        rest, after = self.items[:first], self.items[last:]
        loose = all(isinstance(told.act, (*LOOSE, End, Pass)) for told in piece)
        turns = 0
        for at in range(first - 1, max(-1, first - OWN_WINDOW), -1):
            inside = at > 0 and rest[at - 1].by == rest[at].by
            own = at > 0 and rest[at - 1].by == piece[0].by
            ended = own and isinstance(rest[at].act, (End, Pass))
            anchor = next((told.tap for told in rest[at:] if told.tap is not None), None)
            if anchor is None or (inside and not (own and loose) and not ended) or (at <= first - WINDOW and not own):
                continue
            if isinstance(piece[0].act, Pass) and not (own and not inside and isinstance(rest[at - 1].act, Draw)):
                continue
            turns += own and not inside
            more = 2 * turns - 2 - self._belongs(rest[at - 1], piece[0]) if own else (first - at) // 3
            events = [{"seq": told.tap, "before": anchor} for told in piece]
            items = (*rest[:at], *piece, *rest[at:], *after)
            yield Edit(EditKind.EARLIER, COST[EditKind.EARLIER] + len(piece) - 1 + more, items, tuple(events))

    def _belongs(self, last: Told, told: Told) -> int:
        """How likely the act belongs behind the `last` of an earlier turn of the same player: nobody begins a turn with
        a marker, it comes off after a tile, and after a draw something is to come."""
        if isinstance(told.act, Unmark):
            return 4 if isinstance(last.act, Play) else -8
        if isinstance(told.act, Mark):
            return 4
        return 5 if isinstance(last.act, Draw) and not isinstance(told.act, Draw) else 0

    def _swapped(self) -> Iterator[Edit]:
        """An earlier piece of a turn that came after this act."""
        end = len(self.items)
        place = end - 1
        for _ in range(4):
            last = place
            place = self._turn_begins(place - 1) if place > 0 else 0
            piece = self.items[place:last]
            if not piece or any(told.tap is None for told in piece) or end - place > WINDOW:
                return
            if piece[0].by != self.who and last < end - 1:
                events = [{"seq": told.tap, "after": self.told.tap} for told in reversed(piece)]
                items = (*self.items[:place], *self.items[last:], *piece)
                yield Edit(EditKind.EARLIER, COST[EditKind.EARLIER] + 6, items, tuple(events))

    def names(self) -> Iterator[Edit]:
        end = place = len(self.items)
        due = self.before.missing_before(self.who)[:1]
        for n in range(6):
            last = place
            place = self._turn_begins(last - 1) if n else end - 1
            if place < 0 or last <= 0:
                return
            for first in dict.fromkeys((place, last - 1)):
                piece = self.items[first:last]
                if any(told.tap is None for told in piece):
                    continue
                for name in dict.fromkeys((*due, *self.before.players)):
                    if name != piece[0].by:
                        named = [_named(told, name) for told in piece]
                        events = [{"seq": told.tap, "by": name} for told in piece]
                        likelier = self._own_train(piece, name) + self._elsewhere(piece[0])
                        cost = COST[EditKind.NAME] + 2 * n + len(piece) - 1 - likelier
                        yield Edit(
                            EditKind.NAME, cost, (*self.items[:first], *named, *self.items[last:]), tuple(events)
                        )

    def _own_train(self, piece: Sequence[Told], name: str) -> int:
        """How much likelier it is theirs because it lies on their train."""
        if not all(isinstance(told.act, Play) and told.act.train == name for told in piece):
            return 0
        return 6 if str(V.CLOSED_TRAIN) in self.codes else 4

    def _elsewhere(self, told: Told) -> int:
        """How much likelier it is somebody else's by the phone on which it was tapped: that of whoever it is told of
        says for which turn."""
        if told.turn is not None:
            return -4
        return 6 if any(one.by == told.by and one.turn is not None for one in self.items) else 0

    def twice(self) -> Iterator[Edit]:
        rest = self.items[:-1]
        tile = isinstance(self.told.act, Play)
        # Most Chinese tiles are there twice.
        single = tile and isinstance(self.before, TrainFold)
        yield from self._tapped_on()
        for back, told in enumerate(reversed(rest[-8:] if tile else rest[-2:])):
            # Two people may tap the same tile, one right after the other; nobody else does another's act.
            theirs = told.by == self.told.by or (tile and not back)
            if told.tap is not None and theirs and _alike(told, self.told):
                events = ({"seq": self.told.tap, "withdrawn": True},)
                another = (not single and (self.further or back)) or (not tile and self._may_be_two_turns())
                yield Edit(EditKind.TWICE, COST[EditKind.TWICE] + (10 if another else back), rest, events)
                return

    def _tapped_on(self) -> Iterator[Edit]:
        """A tile tapped again when its end was shown already reads as the double of that end."""
        for n in range(len(self.items) - 1, max(0, len(self.items) - 9), -1):
            below, told = self.items[n - 1].act, self.items[n]
            act = told.act
            if told.tap is None or not told.outer_only or not isinstance(act, Play) or not isinstance(below, Play):
                continue
            if act.tile.is_double and (act.train, act.tile.outer) == (below.train, below.tile.outer):
                events = ({"seq": told.tap, "withdrawn": True},)
                yield Edit(EditKind.TWICE, COST[EditKind.TWICE] + 8, (*self.items[:n], *self.items[n + 1 :]), events)

    def _may_be_two_turns(self) -> bool:
        """Whether two acts that are alike may well be two turns, with only one between."""
        stale = self.told.turn is not None and self.told.turn <= self.before.turns.get(self.who, 0)
        return self.mine and self.before.done and len(self.before.players) == 2 and not stale

    # ---- the boneyard, and who began -----------------------------------------------------------------------------

    def boneyard(self) -> Iterator[Edit]:
        if str(V.DRAW_FROM_EMPTY) in self.codes:
            yield self._known(None)
        if str(V.NO_DRAW) in self.codes and isinstance(self.before, TrainFold):
            left = self.before.state.boneyard
            # With more in it by the count, as many draws would have been forgotten.
            if left is None or left <= MOST_FORGOTTEN * len(self.before.players):
                yield self._known(0)

    def _known(self, count: int | None) -> Edit:
        place = self._place(next((fault.tap for fault in self.faults if fault.tap is not None), None))
        at = len(self.items) - 1 if place is None else self._turn_begins(place)
        items = (*self.items[:at], Told(Setting(count), ""), *self.items[at:])
        return Edit(EditKind.BONEYARD, COST[EditKind.BONEYARD], items, ({"boneyard": count, **self._beside(at)},))

    def start(self) -> Iterator[Edit]:
        first = next((told for told in self.items if told.act is not None), None)
        turns = sum(self.before.turns.values())
        if first is None or turns > 1 or self.items[0].act == Start():
            return
        cost = COST[EditKind.START] + 6 * (turns > 0)
        events = ({"event": "round_started", "starter": first.by},)
        yield Edit(EditKind.START, cost, (Told(Start(), first.by), *self.items), events)


def _named(told: Told, name: str) -> Told:
    act = told.act
    if isinstance(act, (Mark, Unmark)) and act.player == told.by:
        act = type(act)(name)
    return told._replace(by=name, act=act)


def _alike(one: Told, other: Told) -> bool:
    if type(one.act) is not type(other.act):
        return False
    if isinstance(one.act, Play) and isinstance(other.act, Play):
        by_end = one.outer_only and other.outer_only
        half = one.act.tile.outer == other.act.tile.outer and one.end == other.end
        same = half if by_end else one.act.tile.tile == other.act.tile.tile
        return one.act.train == other.act.train and same
    return one.act == other.act


def _as_event(told: Told) -> dict[str, Any]:
    names: dict[type[TableAct], str] = {
        Draw: "drew", Mark: "marker_placed", Unmark: "marker_removed", Pass: "passed", Discard: "discarded",
    }  # fmt: skip
    assert isinstance(told.act, (*LOOSE, Pass))
    event: dict[str, Any] = {"event": names[type(told.act)], "by": told.by}
    if isinstance(told.act, (Mark, Unmark)):
        event["train"] = told.act.player
    return event


def applied(items: Sequence[Told], events: Iterable[Mapping[str, Any]]) -> tuple[Told, ...]:
    """The acts with the changes of an answer: turns to come, acts that move, the boneyard. Acts that an answer renames,
    adds or removes are already in place."""
    now = list(items)
    for event in events:
        at = _at(now, event)
        if event.get("event") == "turn_to_come" and at is not None:
            now.insert(at, Told(None, str(event["by"]), before=event["before"]))
        elif "boneyard" in event and at is not None:
            now.insert(at, Told(Setting(event["boneyard"]), ""))
        elif "seq" in event and ("before" in event or "after" in event):
            own = next((n for n, told in enumerate(now) if told.tap == event["seq"]), None)
            if own is not None and at is not None and event["seq"] not in (event.get("before"), event.get("after")):
                told = now.pop(own)._replace(late=False)
                now.insert(at - (own < at), told)
        elif "order" in event:
            now = _in_order(now, event["order"])
    return tuple(now)


def _at(items: Sequence[Told], event: Mapping[str, Any]) -> int | None:
    seq = event.get("before", event.get("after"))
    place = next((n for n, told in enumerate(items) if told.tap is not None and told.tap == seq), None)
    return place if place is None or "before" in event else place + 1


def _in_order(items: list[Told], order: Sequence[int]) -> list[Told]:
    places = [n for n, told in enumerate(items) if told.tap in order]
    rows = sorted((items[n] for n in places), key=lambda told: list(order).index(told.tap or 0))
    for n, told in zip(places, rows, strict=True):
        items[n] = told
    return items
