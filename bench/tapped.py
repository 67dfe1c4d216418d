"""Rounds that people tap, and what they are asked: `python -m bench.tapped --rounds 60`.

Bots play a legal round (`--plant`: with one broken rule); it is tapped as a family would. In a share of the turns
something slips: a turn or one act is tapped some turns late or early, crosswise or twice, a draw, a marker or a pass is
forgotten, a tile gets another's name. A simulated person answers each question truthfully, late (`--wait` taps later),
carelessly (`--careless` of the answers are "It was really so") or never (`--never`). Printed are questions a slip,
whether the true key was shown and first, rounds whose record is exact at the end, innocents who ever stood certain, and
points. Two players stand apart: two turns of one player in a row look like one."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Candidate, Header
from companion.log.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    TilePlayed,
    Unclear,
)
from companion.rules.position import Discard, Play, Position
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from companion.rules.violations import Violation
from datasets.bots import BotGame, BotRound
from datasets.bots.planting import AT_THE_DEAL, BY_HIDDEN_HANDS, plantable
from datasets.bots.recording import events_of, reveal
from datasets.bots.rounds import BotTurn

FIRST_SEED = 7000
SLIPS = ("late", "late act", "early", "crossed", "twice", "forgotten", "named")
ACTS = (Drew, MarkerPlaced, MarkerRemoved, Discarded, Passed, TilePlayed, DoubleFlipped)
LOOSE = (Drew, MarkerPlaced, MarkerRemoved, Discarded, Passed)
MOST_LATE = 4


@dataclass(slots=True)
class Act:
    """An act: its number, and its turn in the round and among its player's (from 1). `code`: the rule that the turn
    breaks; `besides`: another that it breaks as well. `boneyard`: how many tiles lay there before it. `lap`: everybody
    laid at the same time."""

    number: int
    event: Event
    turn: int
    own: int
    code: str | None = None
    besides: str | None = None
    boneyard: int | None = None
    lap: bool = False

    @property
    def broken(self) -> set[tuple[str, str]]:
        """The rules that the turn breaks, and who does."""
        return {(code, str(self.event.who)) for code in (self.code, self.besides) if code}

    def before(self, other: Act) -> bool:
        """Whether it came before the other one. In first trains that everybody lays at once that says nothing."""
        apart = self.lap and other.lap and self.event.who != other.event.who
        return apart or self.number < other.number


@dataclass(slots=True)
class Tap:
    """A tap of an act: `name` another player's, `again` tapped once too often, `crossed` on a phone that does not show
    yet what came before it. `seq` is its line, `turn` what the phone shows."""

    act: Act
    name: str | None = None
    again: bool = False
    seq: int | None = None
    crossed: bool = False
    turn: int | None = None


@dataclass(slots=True)
class Told:
    """The result of one round."""

    seed: int
    rules: str
    players: int
    taps: int = 0
    slips: Counter[str] = field(default_factory=Counter)
    questions: int = 0
    keys: int = 0
    shown: int = 0
    first: int = 0
    innocent: int = 0
    innocent_at_end: int = 0
    exact: bool = True
    points: bool = True
    open: int = 0
    faults: int = 0
    asked_at_once: int = 0
    confirmed: int = 0
    quick: int = 0
    missed: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


def true_acts(game: BotRound) -> list[Act]:
    """The acts of a round in order; a turn without a tile and without a marker ends with a pass."""
    acts: list[Act] = []
    own: Counter[str] = Counter()
    together = game.rules.first_simultaneous
    for number, turn in enumerate(game.turns()):
        own[turn.player] += 1
        besides = str(Violation.DISCARD_WITH_PLAYABLE) if turn.planted and _keeps_a_tile_that_fits(game, turn) else None
        left = getattr(turn.before, "boneyard", None)
        for event in events_of(turn):
            if isinstance(event, ACTS):
                lap = together and own[turn.player] == 1
                acts.append(Act(len(acts), event, number, own[turn.player], turn.planted, besides, left, lap))
            left = max(0, left - isinstance(event, Drew)) if left is not None else None
    return acts


def _keeps_a_tile_that_fits(game: BotRound, turn: BotTurn) -> bool:
    """Whether a tile is put away in place of one that fits."""
    in_place = not any(isinstance(act, Play) for act in turn.actions) and turn.discarded is not None
    away = in_place or any(isinstance(act, Discard) for act in turn.actions[:1])
    return away and bool(game.referee.legal_plays(turn.before, turn.hand))


def true_events(game: BotRound) -> list[Event]:
    """The same as events."""
    return [act.event for act in true_acts(game)]


def tapped(
    acts: Sequence[Act], rng: Random, share: float, kinds: Sequence[str], *, one: bool = False
) -> tuple[list[Tap], list[Act], Counter[str]]:
    """The acts as somebody taps them, those that nobody taps, and how often what slipped; `one`: exactly once."""
    row = [(float(act.number), Tap(act)) for act in acts]
    turns: dict[int, list[int]] = {}
    for act in acts:
        turns.setdefault(act.turn, []).append(act.number)
    forgotten: list[Act] = []
    slips: Counter[str] = Counter()
    busy = -1
    for n in rng.sample(range(len(acts)), len(acts)) if one else range(len(acts)):
        act = acts[n]
        if (not one and rng.random() >= share) or act.turn <= busy or act.code:
            continue
        kind, mine = rng.choice(kinds), turns[act.turn]
        later = min(act.turn + rng.randint(1, MOST_LATE), max(turns))
        after = turns[later][-1] + 0.5
        players = sorted({one.event.who for one in acts if one.event.who})
        if kind in ("late", "late act") and later > act.turn:
            for number in range(n, mine[-1] + 1) if kind == "late" else (n,):
                row[number] = (after + number / 1e4, row[number][1])
            busy = later
        elif kind == "early" and act.turn > 0 and n == mine[0] and acts[n - 1].event.who != act.event.who:
            first = turns[act.turn - 1][0]
            for number in mine:
                row[number] = (first - 0.5 + number / 1e4, row[number][1])
                row[number][1].crossed = True
            busy = act.turn
        elif kind == "crossed" and isinstance(act.event, TilePlayed) and n + 1 < len(acts) and len(mine) == 1:
            row[n] = (n + 1.5, row[n][1])
            row[n + 1][1].crossed = True
            busy = acts[n + 1].turn
        elif kind == "twice":
            row.append((n + rng.choice((0.1, 0.1, 1.1)), Tap(act, again=True)))
        elif kind == "forgotten" and isinstance(act.event, (Drew, MarkerPlaced, MarkerRemoved)):
            row[n] = (row[n][0], Tap(act, again=True, name="nobody"))
            forgotten.append(act)
        elif kind == "named" and isinstance(act.event, TilePlayed):
            others = [name for name in players if name != act.event.who]
            row[n][1].name = rng.choice(others)
        else:
            continue
        slips[kind] += 1
        if one:
            break
    kept = [tap for _, tap in sorted(row, key=lambda one: one[0]) if tap.name != "nobody"]
    return kept, forgotten, slips


def say(session: Game, tap: Tap, taps: Sequence[Tap], *, carried: bool, outer_only: bool) -> None:
    """Tap it after these `taps`, as far as the game takes it by now."""
    event, who = tap.act.event, tap.name or tap.act.event.who
    turn = tap.turn = (tap.turn or _shown(session, tap, taps)) if carried and tap.name is None else None
    try:
        match event:
            case TilePlayed():
                # A person who sees that the train ends otherwise names both halves.
                # A finger that comes down twice is on the key that was there before.
                end = event.tile.inner if tap.again else _end(session, event.train)
                short = outer_only and (tap.crossed or end == event.tile.inner)
                lines = session.play(
                    event.tile, event.train, who, outer_only=short, end=end if short else None, turn=turn
                )
            case Drew():
                lines = session.draw(who, turn=turn)
            case MarkerPlaced():
                lines = session.mark(event.train, who, turn=turn)
            case MarkerRemoved():
                lines = session.unmark(event.train, who, turn=turn)
            case DoubleFlipped():
                lines = session.flip(event.train, who, turn=turn)
            case Discarded():
                lines = session.discard(who, tile=event.tile, face_up=event.face_up, turn=turn)
            case Passed():
                assert who is not None
                lines = session.pass_turn(who, turn=turn)
            case _:
                raise TypeError(event)
    except CommandRejected:
        return
    tap.seq = next((line.seq for line in lines if type(line) is type(event)), None)


def _shown(session: Game, tap: Tap, taps: Sequence[Tap]) -> int:
    """The turn for which the player taps: one that is said to be still to come, where what they did came before the act
    that the phone names with it (*Your turn before Ann's 5-4*); else the present one, or the next."""
    who, asked = tap.act.event.who, session.history.last.asked
    if tap.again:
        return next((other.turn for other in taps if other.act is tap.act and other.turn), tap.act.own)
    if asked is None or who is None:
        return tap.act.own
    true = {other.seq: other.act.own for other in taps}
    row = zip(asked.reading.items, asked.reading.folds, strict=True)
    known = [(fold.turns.get(who, 0), true[one.tap]) for one, fold in row if fold.player == who and one.tap in true]
    act_of = {other.seq: other.act for other in taps}
    for player, own, before, _ in asked.to_come():
        if player == who and (before not in act_of or tap.act.before(act_of[before])):
            return own
    now = asked.reading.now
    present = now.turns.get(who, 0)
    on = now.acted and not now.closed and now.player == who and not now.done
    further = any(there == present and was < tap.act.own for there, was in known)
    return present if on and not further else present + 1


def _end(session: Game, train: str) -> int | None:
    position = session.position
    return position.value_due(train) if isinstance(position, Position) else None


class Person:
    """Somebody who knows how it was. `taps`: what has been tapped so far, `forgotten`: what nobody taps."""

    def __init__(self, acts: Sequence[Act], forgotten: Sequence[Act]) -> None:
        self.acts = acts
        self.forgotten = list(forgotten)
        self.taps: list[Tap] = []
        self.put_in: set[int] = set()
        self.sorted: set[int | None] = set()

    def key(self, question: Unclear) -> int | None:
        """The first key that is true; None: none of those shown."""
        about = next((tap for tap in self.taps if tap.seq == question.about), None)
        if about is None:
            return None
        for n, one in enumerate(question.candidates):
            if one.kind != "order" and self._is_true(one, about, question):
                return n
        return None

    def _is_true(self, key: Candidate, about: Tap, question: Unclear) -> bool:
        of = {tap.seq: tap for tap in self.taps}
        untold = self._untold()
        match key.kind:
            case "so":
                broken = set[tuple[str, str]]().union(*(act.broken for act in self.acts if act.turn <= about.act.turn))
                said = {(one["violation"], one["by"]) for one in key.events}
                return bool(broken & said) and all(tap.name is None and not tap.again for tap in (about,))
            case "later":
                due = [act for act in untold if act.number < about.act.number and act not in self.forgotten]
                return bool(due) and all(any(act.event.who == one["by"] for act in due) for one in key.events)
            case "missing":
                left = [act for act in untold if act.number < self._limit(about)]
                turns = set[int]()
                for one in key.events:
                    found = next(
                        (act for act in left if one["event"] == act.event.KIND and act.event.who == one["by"]), None
                    )
                    if found is None:
                        return False
                    left.remove(found)
                    turns.add(found.turn)
                # Where more of the turn is still to come that is the answer.
                return not any(act.turn in turns and act not in self.forgotten for act in left)
            case "earlier":
                return self._puts_right(key, of)
            case "name":
                named = [(of.get(one["seq"]), one["by"]) for one in key.events]
                return all(tap is not None and tap.name is not None and tap.act.event.who == by for tap, by in named)
            case "twice":
                # An act put in by an answer is no tap, but stands twice if it is tapped as well.
                tap = of.get(key.events[0]["seq"])
                return tap is not None and (tap.act.number in self.put_in or self._twin(tap) is not None)
            case "boneyard":
                # Counted wrongly, because draws were not tapped or tapped twice.
                act = next(one.act for one in self.taps if one.seq == key.events[0].get("before", about.seq))
                empty = key.events[0]["boneyard"] == 0
                return (act.boneyard == 0) == empty
        return False

    def _limit(self, about: Tap) -> int:
        return max(act.number for act in self.acts if act.turn == about.act.turn) + 1

    def _twin(self, tap: Tap) -> Tap | None:
        """The tap that is left where this one goes: the same act, or one that looks the same and was tapped twice."""
        others = [other for other in self.taps if other is not tap]
        same = [other for other in others if other.act is tap.act]
        extra = [other for other in others if other.again or other.act.number in self.put_in]
        alike = [other for other in extra if _look(other) == _look(tap)]
        return next(iter([*same, *alike[-1:]]), None)

    def _untold(self) -> list[Act]:
        told = {tap.act.number for tap in self.taps if not tap.again} | self.put_in
        return [act for act in self.acts if act.number not in told]

    def _puts_right(self, key: Candidate, of: dict[int | None, Tap]) -> bool:
        """Whether the taps that move come to lie between those between which they belong."""
        row = [tap.seq for tap in self.taps if tap.seq is not None]
        moved = [one["seq"] for one in key.events]
        anchor = key.events[0].get("before", key.events[0].get("after"))
        if any(seq not in of for seq in (*moved, anchor)):
            return False
        rest = [seq for seq in row if seq not in moved]
        at = rest.index(anchor) + ("after" in key.events[0])
        if "after" in key.events[0]:
            moved = list(reversed(moved))
        acts = [of[seq].act for seq in moved]
        before = [of[seq].act for seq in rest[max(0, at - 6) : at] if not of[seq].again]
        behind = [of[seq].act for seq in rest[at:] if not of[seq].again]
        return all(one.before(acts[0]) for one in before) and all(acts[-1].before(one) for one in behind)

    def answer(self, session: Game, question: Unclear, key: int | None) -> None:
        """The true key; where none is, the acts in their order, and what has another's name or stands twice put
        right."""
        if key is not None:
            one = question.candidates[key]
            about = next(tap for tap in self.taps if tap.seq == question.about)
            if one.kind == "missing":
                left = [act for act in self._untold() if act.number < self._limit(about)]
                for event in one.events:
                    found = next(
                        act for act in left if event["event"] == act.event.KIND and act.event.who == event["by"]
                    )
                    self.put_in.add(found.number)
                    left.remove(found)
            if one.kind == "name":
                for event in one.events:
                    next(tap for tap in self.taps if tap.seq == event["seq"]).name = None
            if one.kind == "twice":
                self._without(key=one)
            session.answer(question.seq, key)
            return
        for tap in list(self.taps):
            if tap.seq is not None and tap.name is not None:
                session.correct(tap.seq, {"by": tap.act.event.who})
                tap.name = None
            if tap.seq is not None and tap.again:
                session.correct(tap.seq, {"withdrawn": True})
                self.taps.remove(tap)
        still = next((one for one in session.questions if one.about == question.about), None)
        if still is not None and still.about not in self.sorted:
            self.sorted.add(still.about)
            row = [tap for tap in self.taps if tap.seq is not None][-40:]
            order = [tap.seq for tap in sorted(row, key=lambda one: one.act.number) if tap.seq is not None]
            session.put_in_order(still.seq, order)

    def _without(self, key: Candidate) -> None:
        gone = next(tap for tap in self.taps if tap.seq == key.events[0]["seq"])
        twin = self._twin(gone)
        if twin is not None and not gone.again and gone.act.number not in self.put_in:
            twin.act, twin.again = gone.act, False
        self.taps.remove(gone)


def _look(tap: Tap) -> tuple[object, ...]:
    event = tap.act.event
    return type(event), event.who, getattr(event, "train", None), getattr(event, "tile", None)


def certain(session: Game) -> set[tuple[str, str]]:
    """(code, player) of each certain fault."""
    return {(one.code, str(one.by or line.event.who)) for line, one in session.scoreboard.faults}


def one_round(seed: int, folder: Path, **options: Any) -> Told:
    """One round from its seed, tapped and asked about, in a journal of its own. The options are those of `tell`."""

    def created(header: Header) -> Game:
        return Game.create(folder / f"{seed}.jsonl", header)

    session, told = tell(seed, created, **options)
    session.close()
    return told


def tell(
    seed: int,
    created: Callable[[Header], Game],
    *,
    share: float = 0.06,
    kinds: Sequence[str] = SLIPS,
    plant: bool = False,
    never: bool = False,
    wait: int = 0,
    careless: float = 0.0,
    carried: bool = True,
    outer_only: bool = True,
    names: Sequence[str] = RULESET_NAMES,
    one: bool = False,
) -> tuple[Game, Told]:
    """The same in a session that `created` makes, which stays open."""
    rng = Random(f"tapped {seed}")
    name = names[seed % len(names)]
    rules = load_ruleset(name)
    players = 4 if name == "chedeng" else rng.choice((2, 3, 4))
    set_max = 6 if not rules.is_mexican else 12 if name == "cz" else 9
    codes = [str(code) for code in plantable(name) if code not in (*AT_THE_DEAL, *BY_HIDDEN_HANDS)] if plant else []
    code = [codes[seed // len(names) % len(codes)]] if codes else []
    game = BotGame(rules, players, seed, set_max=set_max, rounds=1, plant=code, plants_per_round=1, plant_rate=0.3)
    box = f"double-{set_max}" if rules.is_mexican else "chinese"
    session = created(Header(name, box, game.players))
    played = next(iter(game.rounds()))
    session.start_round(played.engine, played.starter)
    acts = true_acts(played)
    taps, forgotten, slips = tapped(acts, rng, share, kinds, one=one)
    told = Told(seed, name, players, len(taps), slips)
    guilty = {(act.code, act.event.who) for act in acts if act.code}
    told.faults = len(guilty)
    broken = set[tuple[str, str]]().union(*(act.broken for act in acts))
    person = Person(acts, forgotten)
    waiting: dict[int, int] = {}
    known: set[int] = set()
    for n, tap in enumerate(taps):
        begun = time.perf_counter()
        say(session, tap, person.taps, carried=carried, outer_only=outer_only and rules.is_mexican)
        told.milliseconds.append((time.perf_counter() - begun) * 1000)
        if tap.seq is None:
            continue
        person.taps.append(tap)
        for _ in range(6):
            asked = [one for one in session.questions if one.about is not None and one.seq not in known]
            for question in asked:
                known.add(question.seq)
                key = person.key(question)
                waiting[question.seq] = n + wait
                told.questions += 1
                told.keys += len(question.candidates) - 1
                told.shown += key is not None
                told.first += key == 0
                if key is None:
                    codes_asked = sorted({code for one in question.candidates for code in one.codes})
                    told.missed.append(f"{tap.act.number}:{','.join(codes_asked)}")
                if any(code in one.codes for code, _ in guilty for one in question.candidates):
                    told.asked_at_once = 1
            due = [one for one in session.questions if waiting.get(one.seq, n + 1) <= n]
            if never or not due:
                break
            key = person.key(due[0])
            so = next(k for k, one in enumerate(due[0].candidates) if one.kind == "so")
            person.answer(session, due[0], so if rng.random() < careless else key)
            waiting.pop(due[0].seq, None)
        told.innocent += bool(certain(session) - broken)
    found = certain(session)
    told.innocent_at_end = len(found - broken)
    told.confirmed = len(found & guilty)
    told.open = sum(one.about is not None for one in session.questions)
    told.exact = _exact(session, person)
    told.points = _points(session, played)
    return session, told


def _exact(session: Game, person: Person) -> bool:
    """Whether every act that was told stands in its true order under its true name, once."""
    asked = session.history.last.asked
    if asked is None:
        return True
    number = {tap.seq: tap.act for tap in person.taps}
    row = [number[seq] for seq in asked.turns() if seq in number]
    order = [act for act in row if isinstance(act.event, (TilePlayed, Discarded))]
    # A marker that was tapped twice lies there once, and a second pass says nothing.
    harmless = (MarkerPlaced, MarkerRemoved, Passed)
    names = all(tap.name is None and (not tap.again or isinstance(tap.act.event, harmless)) for tap in person.taps)
    return names and all(one.before(other) for n, one in enumerate(order) for other in order[n + 1 :])


def _points(session: Game, game: BotRound) -> bool:
    """Whether the round is scored as it was played."""
    if session.phase == "playing":
        session.end_round(game.how or "abandoned", game.out)
    for shown in reveal(game):
        if session.phase == "ended":
            session.show_hand(shown.by, shown.tiles, shown.discards, in_order=shown.in_order)
    due = _score(game)
    return due is None or dict(session.scoreboard.totals) == due


def _score(game: BotRound) -> dict[str, int] | None:
    """The points by another session that is told the end alone."""
    with tempfile.TemporaryDirectory() as folder:
        name = game.rules.name
        box = f"double-{game.start.set_max}" if game.rules.is_mexican else "chinese"  # type: ignore[union-attr]
        session = Game.create(Path(folder) / "g.jsonl", Header(name, box, game.start.players))
        session.start_round(game.engine, game.starter)
        session.end_round(game.how or "abandoned", game.out)
        for shown in reveal(game):
            session.show_hand(shown.by, shown.tiles, shown.discards, in_order=shown.in_order)
        session.close()
        return dict(session.scoreboard.totals)


def rounds(first: int, count: int, **options: Any) -> Iterator[Told]:
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            yield one_round(seed, Path(folder), **options)


def summary(told: Sequence[Told]) -> dict[str, str]:
    """The figures of these rounds, in words."""
    slips, asked = sum(sum(one.slips.values()) for one in told), sum(one.questions for one in told)
    taps = sorted(ms for one in told for ms in one.milliseconds)
    faults = sum(one.faults for one in told)
    found = {
        "rounds": str(len(told)),
        "taps": str(sum(one.taps for one in told)),
        "slips": str(slips),
        "questions a slip": f"{asked / slips:.2f}" if slips else f"{asked} in all",
        "true key shown": _share(sum(one.shown for one in told), asked),
        "true key first": _share(sum(one.first for one in told), asked),
        "questions without a true key, a slip": f"{(asked - sum(one.shown for one in told)) / max(1, slips):.2f}",
        "keys a question": f"{sum(one.keys for one in told) / max(1, asked):.1f}",
        "rounds exact": _share(sum(one.exact for one in told), len(told)),
        "rounds with wrong points": str(sum(not one.points for one in told)),
        "taps after which an innocent stood certain": str(sum(one.innocent for one in told)),
        "innocents certain at the end": str(sum(one.innocent_at_end for one in told)),
        "questions open at the end": str(sum(one.open for one in told)),
        "ms a tap, median and p95": f"{taps[len(taps) // 2]:.1f} {taps[int(len(taps) * 0.95)]:.1f}" if taps else "",
    }
    if faults:
        found |= {
            "broken rules": str(faults),
            "asked about": _share(sum(min(one.asked_at_once, one.faults) for one in told), faults),
            "certain at the end": _share(sum(one.confirmed for one in told), faults),
        }
    return found


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} % ({part} of {whole})" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.tapped", description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    parser.add_argument("--slips", type=float, default=0.06, metavar="SHARE", help="of the acts (0: none)")
    parser.add_argument("--one", action="store_true", help="exactly one slip a round")
    parser.add_argument("--kinds", nargs="+", choices=SLIPS, default=SLIPS)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=RULESET_NAMES)
    parser.add_argument("--plant", action="store_true", help="one broken rule a round")
    parser.add_argument("--never", action="store_true", help="nobody answers")
    parser.add_argument("--wait", type=int, default=0, metavar="TAPS", help="answers come so many taps later")
    parser.add_argument("--careless", type=float, default=0.0, metavar="SHARE", help="of the answers say it was so")
    parser.add_argument("--without-turn", action="store_true", help="taps do not say for which turn they were shown")
    parser.add_argument("--both-halves", action="store_true", help="the inner half is told as well")
    parser.add_argument("--tell", action="store_true", help="each round on a line")
    options = parser.parse_args()
    told: list[Told] = []
    for one in rounds(
        options.seed,
        options.rounds,
        share=options.slips,
        one=options.one,
        kinds=tuple(options.kinds),
        names=tuple(options.rules),
        plant=options.plant,
        never=options.never,
        wait=options.wait,
        careless=options.careless,
        carried=not options.without_turn,
        outer_only=not options.both_halves,
    ):
        told.append(one)
        if options.tell or one.innocent or not one.points:
            one.milliseconds, times = [], one.milliseconds
            print(one, flush=True)
            one.milliseconds = times
    for title, group in (
        ("all", told),
        ("two players", [one for one in told if one.players == 2]),
        ("three or four", [one for one in told if one.players > 2]),
    ):
        print(f"--- {title}")
        for what, figure in summary(group).items():
            print(f"{what:>45}: {figure}")


if __name__ == "__main__":
    main()
