"""Evenings of honest people who tap: `python -m bench.tapped --evenings 200`.

Bots play a legal round; what they do is tapped as a family would: draws, markers, discards and ends of turns one or two
taps late, early or twice, "my turn is over" now and then, a tile without a name. In half of the evenings nothing more
goes wrong, and a legal order explains the taps. In the other half something is forgotten as well, drawn twice on the
page or given the wrong name, and somebody puts it right at the end. Nobody may stand accused for certain, the points
and the winner must be those of the round that was played, and undoing everything must give back the first state. With
`--swapped 0.04` one neighbour in 25 taps a tile before the other.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from companion.game.session import CommandRejected, Session
from companion.log.events import (
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    Header,
    MarkerPlaced,
    MarkerRemoved,
    Passed,
    TilePlayed,
)
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.bots import BotGame, BotRound
from datasets.bots.recording import events_of, reveal

FIRST_SEED = 5000

LOOSE = (Drew, MarkerPlaced, MarkerRemoved, Discarded, Passed)

LATE, EARLY, TWICE, PRESSED, NAMELESS = 0.12, 0.05, 0.05, 0.3, 0.2
"""In which share of the acts a tap is late, early or doubled, "my turn is over" pressed, a tile tapped nameless."""

FORGOTTEN, MISNAMED = 0.03, 0.02
"""In which share of the acts a tap is forgotten or given another player's name, where that happens at all."""


@dataclass(slots=True)
class Tap:
    """What is tapped. `instead`: the event as it was, where the tap says something else; `wrong`: tapped too often."""

    event: Event
    instead: Event | None = None
    wrong: bool = False
    seq: int | None = None


@dataclass(slots=True)
class Evening:
    """One round. `accused`: (CODE, player) that stand for certain at the end, `passing` that ever stood; `slips`: what
    had to be put right first."""

    seed: int
    rules: str
    slips: int
    taps: int = 0
    accused: list[tuple[str, str]] = field(default_factory=list)
    after: list[tuple[str, str]] = field(default_factory=list)
    passing: int = 0
    points: bool = True
    undone: bool = True


def true_events(game: BotRound) -> list[Event]:
    """The acts of a round, each turn of whoever lays no tile and puts no marker ending with a pass."""
    acts: list[Event] = []
    for turn in game.turns():
        acts += [one for one in events_of(turn) if isinstance(one, (*LOOSE, TilePlayed, DoubleFlipped))]
    return acts


def tapped(
    acts: list[Event], rng: Random, *, slips: bool, swapped: float = 0.0
) -> tuple[list[Tap], list[tuple[int, Event]]]:
    """The acts as somebody taps them; and what was forgotten, each with the number of the acts before it."""
    row: list[tuple[float, Tap]] = []
    places = tap_order(acts, rng, swapped) if swapped else list(range(len(acts)))
    forgotten: list[tuple[int, Event]] = []
    for n, act in enumerate(acts):
        follows = acts[n + 1].who if n + 1 < len(acts) else None
        late = rng.random() < LATE
        early = not late and rng.random() < EARLY
        at = n + (rng.choice((1, 2)) + 0.5 if late else -1.5 if early else 0)
        if not isinstance(act, LOOSE):
            at = places[n]
        if slips and isinstance(act, (Drew, MarkerPlaced, MarkerRemoved)) and rng.random() < FORGOTTEN:
            forgotten.append((n, act))
            continue
        tap = Tap(act)
        if slips and isinstance(act, TilePlayed) and rng.random() < MISNAMED:
            others = sorted({one.who for one in acts if one.who} - {act.by})
            tap = Tap(_named(act, rng.choice(others)), instead=act)
        row.append((at, tap))
        idempotent = isinstance(act, (MarkerPlaced, MarkerRemoved, Passed))
        if isinstance(act, LOOSE) and (idempotent or slips) and rng.random() < TWICE:
            row.append((at + 0.1, Tap(act, wrong=not idempotent)))
        if follows != act.who and rng.random() < PRESSED:
            press = Tap(Passed(by=act.who, done=True, source="person"))
            row += [(n + rng.choice((0.2, 0.2, 1.7, 2.7, -0.7)), press)] * rng.choice((1, 1, 1, 2))
    return [tap for _, tap in sorted(row, key=lambda one: one[0])], forgotten


def tap_order(acts: list[Event], rng: Random, swapped: float) -> list[int]:
    """In which order the acts are tapped where neighbours tap on phones of their own: of two turns of one tile each, on
    different trains, the second is sometimes tapped first."""
    places = list(range(len(acts)))
    for n, (one, two) in enumerate(pairwise(acts)):
        next_too = n + 2 < len(acts) and acts[n + 2].who == two.who
        if not (isinstance(one, TilePlayed) and isinstance(two, TilePlayed)) or next_too or places[n] != n:
            continue
        alone = n == 0 or acts[n - 1].who != one.who
        if alone and one.by != two.by and one.train != two.train and rng.random() < swapped:
            places[n], places[n + 1] = n + 1, n
    return places


def _named(event: TilePlayed, by: str) -> TilePlayed:
    return TilePlayed(by=by, tile=event.tile, train=event.train, source=event.source)


def say(session: Session, tap: Tap, rng: Random) -> None:
    """Tap it, as far as the game takes it by now."""
    event = tap.event
    try:
        match event:
            case TilePlayed():
                known = _named_by_page(session, event) == event.by and rng.random() < NAMELESS
                lines = session.play(event.tile, event.train, None if known else event.by, lift=rng.random() < 0.5)
            case Drew():
                lines = session.draw(event.by)
            case MarkerPlaced():
                lines = session.mark(event.train, event.by if rng.random() < 0.5 else None)
            case MarkerRemoved():
                lines = session.unmark(event.train, event.by if rng.random() < 0.5 else None)
            case DoubleFlipped():
                lines = session.flip(event.train, event.by)
            case Discarded():
                lines = session.discard(event.by)
            case Passed():
                assert event.by is not None
                lines = session.done(event.by) if event.done else session.pass_turn(event.by)
            case _:
                raise TypeError(event)
    except CommandRejected:
        return
    tap.seq = next((line.seq for line in lines if type(line) is type(event)), None)


def _named_by_page(session: Session, event: TilePlayed) -> str | None:
    """Whom the page names for a tile on that train where nobody says who it was: its owner, while that first train may
    go on, else whoever is to play."""
    shown = session.snapshot()
    together = bool(shown.get("laying_together")) and event.train in shown["players"]
    return event.train if together or shown["still_laying"] == event.train else shown["turn"]


def accused(session: Session) -> list[tuple[str, str]]:
    """What stands for certain, against whom."""
    return [(one.code, str(one.by or line.event.who)) for line, one in session.scoreboard.faults]


def put_right(session: Session, taps: list[Tap], acts: list[Event], forgotten: list[tuple[int, Event]]) -> int:
    """Names, taps too many and forgotten acts, the last first; how many."""
    done = 0
    line_of = {id(tap.instead or tap.event): tap.seq for tap in taps if tap.seq is not None and not tap.wrong}
    for tap in taps:
        if tap.seq is not None and tap.instead is not None:
            session.correct(tap.seq, {"by": tap.instead.who})
            done += 1
        elif tap.seq is not None and tap.wrong:
            session.correct(tap.seq, {"withdrawn": True})
            done += 1
    for n, act in reversed(forgotten):
        before = next((line_of[id(one)] for one in reversed(acts[:n]) if line_of.get(id(one)) is not None), None)
        line = act.to_insert()
        session.correct(2 if before is None else before, {"insert": [line], "after": before is not None})
        done += 1
    return done


def undo_all(session: Session, first: dict[str, Any]) -> bool:
    """Whether undoing everything down to the deal gives back what was shown after it."""
    while session.phase in ("playing", "ended") and len(session.snapshot()["plays"]) > 1:
        alive = [one for one in session.snapshot()["plays"][1:] if not one.get("taken_back")]
        if not alive:
            break
        session.undo()
    last: dict[str, Any] = dict(session.snapshot())
    return {**last, "seq": 0} == {**first, "seq": 0}


def evening(seed: int, folder: Path, *, undo: bool = False, swapped: float = 0.0) -> Evening:
    """One round from its seed, tapped."""
    rng = Random(f"evening {seed}")
    name = RULESET_NAMES[seed % len(RULESET_NAMES)]
    rules = load_ruleset(name)
    players = 4 if name == "chedeng" else rng.choice((2, 3, 4))
    set_max = 6 if not rules.is_mexican else 12 if name == "cz" else 9
    slips = seed // len(RULESET_NAMES) % 2 == 1
    game = BotGame(rules, players, seed, set_max=set_max, rounds=1)
    box = f"double-{set_max}" if rules.is_mexican else "chinese"
    session = Session.create(folder / f"{seed}.jsonl", Header(name, box, game.players))
    played = next(iter(game.rounds()))
    session.start_round(played.engine, played.starter)
    first: dict[str, Any] = dict(session.snapshot())
    acts = true_events(played)
    taps, forgotten = tapped(acts, rng, slips=slips, swapped=swapped)
    found = Evening(seed, name, 0, len(taps))
    for tap in taps:
        say(session, tap, rng)
        found.passing += bool(accused(session))
    found.accused = accused(session)
    found.slips = put_right(session, taps, acts, forgotten)
    found.after = accused(session)
    if undo:
        found.undone = undo_all(session, first)
    else:
        found.points = _points(session, played)
    session.close()
    return found


def _points(session: Session, game: BotRound) -> bool:
    """Whether the round is scored as it was played."""
    if session.phase == "playing":
        session.end_round(game.how or "abandoned", game.out)
    for shown in reveal(game):
        if session.phase == "ended":
            session.show_hand(shown.by, shown.tiles, shown.discards, in_order=shown.in_order)
    due = _score(game)
    return due is None or dict(session.scoreboard.totals) == due


def _score(game: BotRound) -> dict[str, int] | None:
    """The points by another session that is told everything in order."""
    with tempfile.TemporaryDirectory() as folder:
        name = game.rules.name
        box = f"double-{game.start.set_max}" if game.rules.is_mexican else "chinese"  # type: ignore[union-attr]
        session = Session.create(Path(folder) / "g.jsonl", Header(name, box, game.start.players))
        session.start_round(game.engine, game.starter)
        session.end_round(game.how or "abandoned", game.out)
        for shown in reveal(game):
            session.show_hand(shown.by, shown.tiles, shown.discards, in_order=shown.in_order)
        session.close()
        return dict(session.scoreboard.totals)


def evenings(first: int, count: int, *, undo: bool = False, swapped: float = 0.0) -> Iterator[Evening]:
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            yield evening(seed, Path(folder), undo=undo, swapped=swapped)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.tapped", description=__doc__)
    parser.add_argument("--evenings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    parser.add_argument("--undo", action="store_true", help="undo every evening instead of scoring it")
    parser.add_argument(
        "--swapped",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="so many pairs of neighbours' tiles in the other order",
    )
    options = parser.parse_args()
    told: Counter[str] = Counter()
    for one in evenings(options.seed, options.evenings, undo=options.undo, swapped=options.swapped):
        told["evenings"] += 1
        told["taps"] += one.taps
        told["put right"] += one.slips
        told["accused at the end, explained by a legal order"] += 0 if one.slips else len(one.accused)
        told["accused at the end, before anything was put right"] += len(one.accused) if one.slips else 0
        told["accused after it"] += len(one.after)
        kind = "" if one.slips else ", explained by a legal order"
        told[f"taps after which somebody stood accused{kind}"] += one.passing
        if options.undo:
            told["evenings that undo does not give back"] += not one.undone
        else:
            told["evenings with wrong points"] += not one.points
        wrong = (one.accused if not one.slips else []) or one.after or not one.points or not one.undone
        if wrong:
            print(one)
    for what, number in told.items():
        print(f"{what:>55}: {number}")


if __name__ == "__main__":
    main()
