"""The belief tried on recorded evidence: `python -m bench.replay DIR [--kind told] [--rules tactic] [--each]`.

Feeds the files of `bench.corpus` to the belief of now and sets beside each other what it makes of them and what the
product had on record when they were made: plays named rightly, wrongly and not at all; planted faults shown as certain;
certain accusations that the truth does not hold, at the end and `ever`: after any line of the journal, after any change
of the table. People's words go to the belief as words. With `--each` every difference is printed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.game.corrections import effective_events
from companion.game.match import Match
from companion.log.event_fields import Header
from companion.log.events import RoundStarted, TableChange, event_from_json
from companion.rules.notation import parse_act
from companion.rules.position import (
    MEXICAN,
    SECOND_MEXICAN,
    Action,
    Discard,
    Draw,
    Flip,
    LinePosition,
    Mark,
    Pass,
    Play,
    Position,
    Unmark,
)
from companion.rules.referee import Referee
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.tile import Laid
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker
from companion.tracking.verdict import NO_STATEMENT, Statement, Verdict
from datasets.folder_argument import RECORDED, folder_with

LATEST = 100
"""Events in which a new line can change a ruling: more than four laps of eight players."""

Key = tuple[tuple[int, ...], str]


@dataclass
class Score:
    """One engine's results on some rounds."""

    plays: int = 0
    right: int = 0
    wrong: int = 0
    unnamed: int = 0
    lost: int = 0
    planted: int = 0
    shown: int = 0
    certain: int = 0
    false: list[str] = field(default_factory=list)
    false_ever: list[str] = field(default_factory=list)
    accusations: int = 0
    wrong_names: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    questions: int = 0
    rounds: int = 0
    ms: list[float] = field(default_factory=list)

    def add(self, other: Score) -> None:
        for name in ("plays", "right", "wrong", "unnamed", "lost", "planted", "shown", "certain", "accusations"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.false += other.false
        self.false_ever += other.false_ever
        self.wrong_names += other.wrong_names
        self.ms += other.ms
        self.ends += other.ends
        self.questions += other.questions
        self.rounds += other.rounds

    def line(self) -> str:
        n = max(1, self.plays)
        ms = sorted(self.ms) or [0.0]
        return (
            f"plays {self.plays} right {self.right / n:.3f} wrong {self.wrong / n:.4f} unnamed {self.unnamed / n:.3f} "
            f"lost {self.lost} | planted {self.planted} shown {self.shown} certain {self.certain} | "
            f"accused {self.accusations} FALSE {len(self.false)} ever {len(self.false_ever)} | "
            f"questions {self.questions}/{self.rounds} | ends {dict(sorted(self.ends.items()))} | "
            f"ms p50 {ms[len(ms) // 2]:.1f} p95 {ms[int(len(ms) * 0.95)]:.1f} max {ms[-1]:.0f}"
        )


@dataclass(frozen=True)
class Recorded:
    """One file of the corpus."""

    name: str
    head: Mapping[str, Any]
    lines: Sequence[Mapping[str, Any]]
    truth: Mapping[str, Any]
    golden: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> Recorded:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return cls(path.stem, lines[0], lines[1:-2], lines[-2]["truth"], lines[-1]["golden"])

    @property
    def rules(self) -> RuleSet:
        return load_ruleset(self.head["rules"])


def table_of(line: Mapping[str, Any]) -> Position | LinePosition:
    """A position as `bench.corpus` wrote it."""
    if "line" in line:
        chain = tuple(Laid(*one) for one in line["line"])
        return LinePosition(
            tuple(line["players"]), chain, line["turn"], line["discards"], line["hands"], line["passes"]
        )
    trains = {name: tuple(Laid(*one) for one in chain) for name, chain in line["trains"].items()}
    return Position(
        line["set_max"], tuple(line["players"]), Laid(*line["engine"]), trains, frozenset(line["markers"]),
        tuple(line["open"]), frozenset(line["flipped"]), line["turn"], line["first_turn"], line["boneyard"],
        line["hands"], line["round"], line["first_engine"],
    )  # fmt: skip


def true_faults(recorded: Recorded) -> set[tuple[str, str]]:
    """(code, player) of everything that the judge finds in the turns as they were made."""
    from dataclasses import replace

    referee: Any = Referee(recorded.rules)
    chinese = not recorded.rules.is_mexican
    found: set[tuple[str, str]] = set()
    for turn in recorded.truth["turns"]:
        player = turn["player"]
        if "planted" in turn:
            found.add((turn["planted"], player))
        acts = [parse_act(text, ":" if chinese else "-") for text in turn["actions"]]
        ruling = referee.judge(replace(table_of(turn["before"]), turn=player), acts)
        found |= {(str(code), player) for code in (*ruling.codes, *ruling.may)}
    return found


def laid_by(recorded: Recorded) -> list[tuple[Key, str]]:
    sign = ":" if not recorded.rules.is_mexican else "-"
    found = []
    for player, text in recorded.truth["laid"]:
        act = parse_act(text, sign)
        if isinstance(act, Play):
            train = MEXICAN if act.train == SECOND_MEXICAN else act.train
            found.append(((tuple(act.tile), train), player))
    return found


def follow(recorded: Recorded) -> Iterator[tuple[RoundTracker, float]]:
    """The tracker after each change of the round and each thing that people said, with the milliseconds it took."""
    rules = recorded.rules
    header: Header = Header.from_json(dict(recorded.head["header"]))
    tracker: RoundTracker | None = None
    people: People | None = None
    calls = [line for line in recorded.lines if "call" in line]
    for line, events in zip(calls, _events_of(calls, recorded.golden["events"]), strict=True):
        start = time.process_time()
        if line["call"] == "start_round":
            args, named = line["args"], line["named"]
            match = Match.of(header, rules)
            starter = args[1] if len(args) > 1 else named.get("starter")
            engine = Laid(*args[0]) if args and args[0] else None
            number = named.get("first_number") or 1
            event = RoundStarted(round=number, engine=engine, starter=starter, draws_seen=named.get("draws_seen", True))
            first = starter or match.next_starter
            tracker = RoundTracker(rules, match.table_of(event, first), first, starter_known=starter is not None)
            people = People(tracker)
        elif tracker is None or people is None:
            continue
        elif line["call"] == "observe":
            evidence = Evidence.of(tracker.number, TableChange.from_json(line))
            tracker.observe(evidence)
            people.saw(evidence, events)
            yield tracker, 1000 * (time.process_time() - start)
        elif people.entered(events):
            yield tracker, 1000 * (time.process_time() - start)


def _events_of(calls: Sequence[Mapping[str, Any]], events: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The journal lines that each call brought."""
    ends = [line["seq"] for line in calls[1:]] + [len(events)]
    for line, end in zip(calls, ends, strict=True):
        yield [event for event in events if line["seq"] < event["seq"] <= end]


class People:
    """The people's words about a recorded round, told to the belief.

    `items`: journal line of an act -> its piece. Answers are left out: the belief was not asked what they answer.
    """

    def __init__(self, tracker: RoundTracker) -> None:
        self.tracker = tracker
        self.items: dict[int, int] = {}
        self.before: dict[int, tuple[int, Statement]] = {}

    def saw(self, evidence: Evidence, events: Iterable[Mapping[str, Any]]) -> None:
        left = list(evidence.pieces)
        for event in events:
            act = _act_of(event)
            piece = next((one for one in left if one.act == act), None)
            if piece is not None:
                left.remove(piece)
                shown = self.tracker.shown.get(piece.item)
                self.items[event["seq"]] = piece.item if shown is None else shown.item

    def entered(self, events: Iterable[Mapping[str, Any]]) -> bool:
        """Whether anything was said that the belief can weigh."""
        taken = False
        for event in events:
            if event.get("source") != "person":
                continue
            act = _act_of(event)
            if act is not None:
                self.items[event["seq"]] = self.tracker.enter(act, event.get("by"))
                taken = True
            elif event["event"] == "corrected":
                taken = self._corrected(event["seq"], event["corrects"], event["what"]) or taken
        return taken

    def _corrected(self, seq: int, about: int, what: Mapping[str, Any]) -> bool:
        if about in self.before and what.get("withdrawn"):
            self._back_to(*self.before[about])
            return True
        item = self.items.get(about)
        if item is None:
            return False
        before = self.tracker.statements.get(item, NO_STATEMENT)
        self.before[seq] = (item, before)
        if "tile" in what or "train" in what:
            act = before.act or next(one.act for step in self.tracker.log for one in step.pieces if one.item == item)
            assert isinstance(act, Play)
            tile = Laid(*what["tile"]) if "tile" in what else act.tile
            self.tracker.put_right(item, Play(tile, what.get("train", act.train)))
        if what.get("by") is not None:
            self.tracker.name_player(item, what["by"])
        if "withdrawn" in what:
            (self.tracker.withdraw if what["withdrawn"] else self.tracker.restore)(item)
        return True

    def _back_to(self, item: int, statement: Statement) -> None:
        self.tracker.name_player(item, statement.by)
        self.tracker.put_right(item, statement.act)
        (self.tracker.withdraw if statement.withdrawn else self.tracker.restore)(item)


def _act_of(event: Mapping[str, Any]) -> Action | None:
    match event["event"]:
        case "tile_played":
            return Play(Laid(*event["tile"]), event["train"])
        case "drew":
            return Draw()
        case "passed" if event.get("source") == "person":
            return Pass()
        case "marker_placed":
            return Mark(event["train"])
        case "marker_removed":
            return Unmark(event["train"])
        case "double_flipped":
            return Flip(event["train"])
        case "discarded":
            return Discard(bool(event.get("face_up")))
    return None


def as_plays(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    plays = []
    for one in verdicts:
        if isinstance(one.act, Play):
            what: dict[str, Any] = {"tile": list(one.act.tile), "train": one.act.train}
        else:
            what = {"act": type(one.act).__name__}
        violations = [{"code": charge.code, "certain": charge.certain, "by": charge.by} for charge in one.charges]
        plays.append(what | {
            "event": "tile_played" if isinstance(one.act, Play) else "other", "by": one.by, "maybe": list(one.maybe),
            "violations": violations, "taken_back": one.taken_back,
        })  # fmt: skip
    return plays


def accusations(plays: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str | None, bool]]:
    """(code, player, certain) of each fault that stands against somebody."""
    for play in plays:
        if not play.get("taken_back"):
            for finding in play.get("violations") or ():
                yield finding["code"], finding.get("by") or play.get("by"), bool(finding.get("certain", True))


def score(recorded: Recorded, plays: Sequence[Mapping[str, Any]]) -> tuple[Score, dict[str, str]]:
    """The plays of one engine against the truth; play -> right, wrong, unnamed or lost."""
    found = Score()
    true = laid_by(recorded)
    found.plays = len(true)
    players: dict[Key, set[str]] = {}
    for key, player in true:
        players.setdefault(key, set()).add(player)
    wanted = Counter(key for key, _ in true)
    each: dict[str, str] = {}
    for play in plays:
        if play.get("event") != "tile_played" or play.get("taken_back"):
            continue
        key = (tuple(play["tile"]), play["train"])
        if wanted[key] <= 0:
            continue
        wanted[key] -= 1
        name = f"{key[0][0]}-{key[0][1]}@{key[1]}"
        by = play.get("by")
        kind = "unnamed" if by is None else "right" if by in players[key] else "wrong"
        each[name] = kind
        setattr(found, kind, getattr(found, kind) + 1)
        if kind == "wrong":
            found.wrong_names.append(f"{recorded.name} {name} by {by} not {sorted(players[key])}")
    found.lost = sum(wanted.values())
    real = true_faults(recorded)
    held = list(accusations(plays))
    certain = [(code, by) for code, by, sure in held if sure]
    found.accusations = len(certain)
    found.false = [
        f"{recorded.name} {code} by {by}"
        for code, by in certain
        if not any(c == code and by in (None, p) for c, p in real)
    ]
    for turn in recorded.truth["turns"]:
        if "planted" in turn:
            found.planted += 1
            code, player = turn["planted"], turn["player"]
            shown = any(c == code and by in (None, player) for c, by, _ in held)
            sure = any(c == code and by in (None, player) for c, by in certain)
            found.shown += shown
            found.certain += sure
            each[f"{code} by {player}"] = "certain" if sure else "shown" if shown else "missed"
    return found, each


def false_after_a_line(recorded: Recorded) -> list[str]:
    """The certain accusations that stood at any time and that the truth does not hold."""
    ever = recorded.golden.get("ever")
    if ever is not None:
        return _false(recorded, {(code, by) for code, by in ever})
    # A corpus of before told of a line's later findings in the journal.
    events = [event_from_json(line) for line in recorded.golden["events"]]
    stood: set[tuple[str, str | None]] = set()
    for n in range(1, len(events) + 1):
        for one in effective_events(events[:n])[-LATEST:]:
            if not one.undone and not one.overruled:
                by = getattr(one.event, "by", None)
                found = getattr(one.event, "violations", ())
                stood |= {(finding.code, finding.by or by) for finding in found if finding.certain}
    return _false(recorded, stood)


def _false(recorded: Recorded, stood: set[tuple[str, str | None]]) -> list[str]:
    real = true_faults(recorded)
    false = ((code, by) for code, by in stood if not any(c == code and by in (None, p) for c, p in real))
    return [f"{recorded.name} {code} by {by}" for code, by in sorted(false, key=str)]


def end_of(recorded: Recorded, found: tuple[str, str | None] | None) -> str:
    """`right`, `wrong`, `open` (it ended and nobody says so) or `going` (it was broken off)."""
    due = recorded.truth.get("end")
    if due is None or not recorded.rules.is_mexican:
        return "uncounted"
    if due["how"] is None:
        return "going" if found is None else "wrong"
    if found is None:
        return "open"
    return "right" if found[0] == due["how"] and found[1] in (due["out"], None) else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=folder_with(RECORDED))
    parser.add_argument("--kind", nargs="+")
    parser.add_argument("--rules", nargs="+")
    parser.add_argument("--seeds", nargs="+", type=int)
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--each", action="store_true")
    args = parser.parse_args()
    old, new = {}, {}
    paths = sorted(args.folder.glob("*.jsonl"))
    count = 0
    for path in paths:
        kind, seed = path.stem.rsplit("-", 1)
        if (args.kind and kind not in args.kind) or (args.seeds and int(seed) not in args.seeds):
            continue
        recorded = Recorded.read(path)
        if (args.rules and recorded.head["rules"] not in args.rules) or count >= args.most:
            continue
        count += 1
        tracker, spent, ever, asked = None, [], set(), 0
        for tracker, ms in follow(recorded):
            spent.append(ms)
            asked = asked or int(tracker.question() is not None)
            ever |= {one[:2] for one in accusations(as_plays(tracker.verdicts())) if one[2]}
        plays = as_plays(tracker.verdicts()) if tracker else []
        mine, mine_each = score(recorded, plays)
        real = true_faults(recorded)
        mine.false_ever = [
            f"{recorded.name} {code} by {by}"
            for code, by in sorted(ever, key=str)
            if not any(c == code and by in (None, p) for c, p in real)
        ]
        mine.ms, mine.questions, mine.rounds = spent, asked, 1
        mine.ends[end_of(recorded, tracker.end() if tracker else None)] += 1
        his, his_each = score(recorded, recorded.golden["plays"])
        ended = [one for one in recorded.golden["events"] if one["event"] == "round_ended"]
        his.ends[end_of(recorded, (ended[-1]["how"], ended[-1].get("out")) if ended else None)] += 1
        his.questions, his.rounds = len(recorded.golden["questions"]), 1
        his.false_ever = false_after_a_line(recorded)
        his.ms = [line["ms"] for line in recorded.lines if line.get("call") == "observe"]
        group = f"{kind} {recorded.head['rules']}"
        new.setdefault(group, Score()).add(mine)
        old.setdefault(group, Score()).add(his)
        if args.each:
            for what in sorted(mine_each.keys() | his_each.keys()):
                if mine_each.get(what) != his_each.get(what):
                    print(f"{recorded.name} {what}: {his_each.get(what)} -> {mine_each.get(what)}")
    for rows, name in ((old, "record"), (new, "belief")):
        total = Score()
        for group, one in sorted(rows.items()):
            print(f"{name:7} {group:18} {one.line()}")
            total.add(one)
        print(f"{name:7} {'ALL':18} {total.line()}")
        for text in [*total.false, *total.false_ever][:20]:
            print("   FALSE", text)
        for text in total.wrong_names[:15]:
            print("   wrong", text)


if __name__ == "__main__":
    main()
