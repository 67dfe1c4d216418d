"""Recorded rounds told to a fresh session: `python -m bench.reissue DIR --kind filmed`.

The calls in the files of `bench.corpus` are made again, in order, so that the middle of now is measured on what the eye
saw then, in seconds a round. Every round is told twice: with the arms that were seen, and without any (a draw that only
an arm showed, where the boneyard is a pile, is then left out). Counted is what `bench.table` counts. Rounds in which
people had a say are left out: what they said was about lines that need not be there again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.counting import AccusationLog, count_faults, count_plays
from bench.replay import Recorded, end_of, laid_by, true_faults
from bench.table import RoundResult, summary
from companion.game.corrections import effective_events
from companion.game.game import Game
from companion.game.rejected import CommandRejected
from companion.log.event_fields import Header
from companion.log.events import TableChange
from companion.log.journal import Journal
from companion.rules.notation import Drawing, parse_change
from companion.rules.tile import Tile
from datasets.folder_argument import RECORDED, folder_with

WAYS = ("with arms", "without arms")


def calls(recorded: Recorded, *, arms: bool) -> Iterator[Mapping[str, Any]]:
    """The session's calls. Without arms a pile shows no draw, and a change that showed nothing else is left out."""
    piled = recorded.rules.is_mexican and not recorded.head.get("spread", True)
    for line in recorded.lines:
        if "call" not in line:
            continue
        if line["call"] != "observe" or arms:
            yield line
            continue
        bare = {name: value for name, value in line.items() if name not in ("arms", "whose")}
        if piled:
            bare["delta"] = [one for one in line["delta"] if not isinstance(parse_change(one), Drawing)]
        if bare["delta"] or bare.get("flips") or bare.get("discards"):
            yield bare


def tell(session: Game, line: Mapping[str, Any]) -> None:
    """Make one recorded call. One that the session refuses now (the round has ended already) is left out."""
    if line["call"] == "observe":
        session.observe(TableChange.from_json(line))
        return
    if line["call"] == "drop_question":
        # It names a line that need not be there again.
        return
    args, named = list(line["args"]), dict(line["named"])
    if line["call"] == "ask":
        # Its choices answer nothing here.
        args, named = args[:1], {"frame": named.get("frame")}
    if line["call"] == "show_hand":
        args = [args[0], *([Tile(*one) for one in tiles] for tiles in args[1:])]
    try:
        getattr(session, line["call"])(*args, **named)
    except CommandRejected:
        if line["call"] == "start_round":
            raise


def reissue(recorded: Recorded, *, arms: bool) -> RoundResult:
    """One round told again, and compared with its truth."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        header = Header.from_json(dict(recorded.head["header"]))
        session = Game(Journal.create(Path(folder) / "game.jsonl", header), recorded.rules)
        log = AccusationLog(session)
        for line in calls(recorded, arms=arms):
            tell(session, line)
        plays, events = session.snapshot().plays, tuple(session.events)
        session.close()
    reasons = tuple(getattr(event, "reason", "") for event in events if event.KIND == "unclear")
    in_force = [one.event for one in effective_events(events) if not one.undone]
    ended = next((event for event in reversed(in_force) if event.KIND == "round_ended"), None)
    end = None if ended is None else (getattr(ended, "how", ""), getattr(ended, "out", None))
    planted = [(turn["planted"], turn["player"]) for turn in recorded.truth["turns"] if "planted" in turn]
    return RoundResult(
        seed=recorded.head["seed"],
        rules=recorded.head["rules"],
        scenes=sum(line.get("call") == "observe" for line in recorded.lines),
        plays=count_plays([(player, laid) for laid, player in laid_by(recorded)], plays),
        faults=count_faults(planted, true_faults(recorded), plays, log.ever),
        questions=len(reasons),
        reasons=reasons,
        end=end_of(recorded, end),
        seconds=round(time.perf_counter() - start, 1),
        players=len(recorded.head["players"]),
        flips=dict(log.flips),
    )


def said_by_people(recorded: Recorded) -> bool:
    """Whether somebody at the page had a say in this round."""
    usual = ("start_round", "observe", "show_hand", "end_round", "ask", "drop_question")
    return any(line.get("call", "observe") not in usual for line in recorded.lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=folder_with(RECORDED))
    parser.add_argument("--kind", nargs="+", help="only these kinds of round")
    parser.add_argument("--rules", nargs="+", help="only these rule sets")
    parser.add_argument("--seeds", nargs="+", type=int)
    parser.add_argument("--each", action="store_true", help="a line for each round")
    args = parser.parse_args()
    found: dict[str, list[RoundResult]] = {way: [] for way in WAYS}
    for path in sorted(args.folder.glob("*.jsonl")):
        kind, seed = path.stem.rsplit("-", 1)
        if (args.kind and kind not in args.kind) or (args.seeds and int(seed) not in args.seeds):
            continue
        recorded = Recorded.read(path)
        if (args.rules and recorded.head["rules"] not in args.rules) or said_by_people(recorded):
            continue
        for way in WAYS:
            one = reissue(recorded, arms=way == "with arms")
            found[way].append(one)
            if args.each or one.plays.misnamed or one.faults.false_ever:
                print(path.stem, way, one.rules, _line(one), flush=True)
    for way, rounds in found.items():
        print(way, json.dumps(summary([asdict(one) for one in rounds]), indent=1))


def _line(one: RoundResult) -> str:
    plays, faults = one.plays, one.faults
    wrong: Sequence[str] = (*plays.misnamed, *(f"FALSE {text}" for text in faults.false_ever))
    return (
        f"{plays.plays} plays: {plays.named} named, {plays.unnamed} unnamed, {len(plays.misnamed)} misnamed, "
        f"{len(plays.lost)} lost; {faults.planted} faults: {faults.shown} shown, {faults.nameless} nameless, "
        f"{faults.possible} possible, missed {list(faults.missed)}; "
        f"{one.flips['names']} names and {one.flips['certain']} findings flipped; {one.end}; {'; '.join(wrong)}"
    )


if __name__ == "__main__":
    main()
