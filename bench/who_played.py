"""The players named with arms and without: filmed arms over known tables, told to the desk.

    python -m bench.who_played --rounds 42                    all seven rule sets, 2 to 8 players
    python -m bench.who_played --rounds 42 --confusing 0.25   a quarter of the acts is done by confusing arms
    python -m bench.who_played --kept bench/results/who_played.json

Rounds are filmed once (bench/armed.py, a quarter of a minute each) and kept in `--rounds-in`; those that lie there are
not filmed again. Each is told to the desk three times: with what the arms say, with what they say where no sleeve is
looked at, and without arms. Faults are planted. Draws from a stacked boneyard are told only where an arm was seen to
reach into it.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.arm_options import keep, kept, options
from bench.armed import RULES, film_round, proofs_of, reached_by, retell, true_draws, who_plays
from bench.counting import CountedFaults, CountedPlays, count_by, count_draws, count_faults, count_plays
from bench.replay import Recorded, laid_by, true_faults
from companion.rules.ruleset import RULESET_NAMES

FIRST_SEED = 940_000
FILMED = Path(__file__).parents[1] / "runs" / "armed"
WAYS: dict[str, dict[str, bool]] = {
    "with_arms": {"arms": True},
    "without_sleeves": {"arms": True, "sleeves": False},
    "without": {"arms": False},
}
CLASSES = ("named", "unnamed", "misnamed", "lost")


@dataclass(frozen=True, slots=True)
class Told:
    """One round as the desk has it: plays and faults (bench.counting), questions, and draws by whether their player is
    named; `invented` draws never happened."""

    plays: CountedPlays
    faults: CountedFaults
    questions: int
    draws: Mapping[str, int]
    by_reach: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Round:
    seed: int
    rules: str
    players: int
    stacked: bool
    with_arms: Told
    without_sleeves: Told
    without: Told
    proved: tuple[str, ...] = ()
    """The proof of each planted fault by table and clear arms together (bench/provable.py)."""


def told(recorded: Recorded, *, arms: bool, sleeves: bool = True) -> Told:
    """The round as today's desk has it."""
    with tempfile.TemporaryDirectory() as folder:
        session, log = retell(recorded, Path(folder) / "game.jsonl", arms=arms, sleeves=sleeves)
        plays = session.snapshot().plays
        questions = sum(event.KIND == "unclear" for event in session.events)
        session.close()
    true = [(player, laid) for laid, player in laid_by(recorded)]
    planted = [(turn["planted"], turn["player"]) for turn in recorded.truth["turns"] if "planted" in turn]
    return Told(
        count_plays(true, plays),
        count_faults(planted, true_faults(recorded), plays, log.ever),
        questions,
        count_draws(true_draws(recorded), plays),
        count_by(reached_by(recorded), plays),
    )


def every_way(recorded: Recorded) -> Round:
    head = recorded.head
    ways = (told(recorded, **way) for way in WAYS.values())
    proved = tuple(proofs_of(recorded, arms=True))
    return Round(head["seed"], head["rules"], len(head["players"]), head["stacked"], *ways, proved)


def filmed(folder: Path, seed: int, rules: str, players: int | None, scenes: int | None, confusing: float) -> Recorded:
    """The round from the folder; it is filmed where it does not lie there yet."""
    name = f"armed{confusing:g}" + (f"x{scenes}" if scenes else "") + f"-{seed}.jsonl"
    path = folder / name
    if not path.exists():
        lines = film_round(seed, rules, players, scenes, confusing)
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text("".join(json.dumps(line) + "\n" for line in lines))
        part.rename(path)
    return Recorded.read(path)


def summary(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All rounds together, each way."""
    return {
        "rounds": len(rounds),
        **{way: _summed([one[way] for one in rounds]) for way in WAYS},
        "by_players": {
            str(n): {way: _plays([one[way] for one in rounds if one["players"] == n]) for way in WAYS}
            for n in sorted({one["players"] for one in rounds})
        },
        "proved_by_table_and_arm": _proved(rounds),
        "draws_spread": _draws_of([one["with_arms"] for one in rounds if not one["stacked"]]),
        "draws_stacked": _draws_of([one["with_arms"] for one in rounds if one["stacked"]]),
    }


def _proved(rounds: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Kind of proof -> how many planted faults have it, and how many of these are shown with code and name."""
    found: dict[str, dict[str, int]] = {}
    for one in rounds:
        for proof, (_, shown) in zip(one["proved"], one["with_arms"]["faults"]["each"], strict=True):
            counts = found.setdefault(proof, {"planted": 0, "certain": 0})
            counts["planted"] += 1
            counts["certain"] += shown == "shown"
    return found


def _plays(told: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {name: sum(_size(one["plays"][name]) for one in told) for name in ("plays", *CLASSES)}


def _draws_of(told: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in told:
        total.update(one["draws"])
    return dict(total)


def _summed(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found = ("planted", "shown", "nameless", "possible", "missed", "false", "false_ever", "unsaid")
    kinds: dict[str, Counter[str]] = {}
    for one in told:
        for kind, counts in one["by_reach"].items():
            kinds.setdefault(kind, Counter()).update(counts)
    plays = _plays(told)
    return {
        "plays": plays,
        "named": _share(plays["named"], plays["plays"]),
        "misnamed": _share(plays["misnamed"], plays["plays"]),
        "faults": {name: sum(_size(one["faults"][name]) for one in told) for name in found},
        "questions_a_round": round(sum(one["questions"] for one in told) / max(1, len(told)), 2),
        "by_reach": {kind: {name: counts[name] for name in CLASSES} for kind, counts in sorted(kinds.items())},
    }


def _size(value: Any) -> int:
    return value if isinstance(value, int) else len(value)


def _share(count: int, of: int) -> str:
    return f"{100 * count / max(1, of):.2f} % ({count} of {of})"


def main() -> None:
    parser = options(__doc__, rounds=42, first=FIRST_SEED, scenes=None)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=list(RULES), help="only these rule sets")
    parser.add_argument("--rounds-in", type=Path, default=FILMED, help="folder of the filmed rounds")
    args = parser.parse_args()
    if args.kept is not None:
        print(kept(args.kept))
        return
    rounds: list[dict[str, Any]] = []
    for n in range(args.rounds):
        rules, players = who_plays(n)
        if rules not in args.rules:
            continue
        one = every_way(filmed(args.rounds_in, args.first + n, rules, players, args.scenes, args.confusing))
        rounds.append(asdict(one))
        w, b, o = one.with_arms, one.without_sleeves, one.without
        print(
            f"{one.seed} {rules} {one.players} players: of {w.plays.plays} plays {w.plays.named} named, misnamed "
            f"{list(w.plays.misnamed)} (without sleeves {b.plays.named}, {list(b.plays.misnamed)}; without arms "
            f"{o.plays.named}, {list(o.plays.misnamed)}); faults {w.faults.shown} of {w.faults.planted} "
            f"({b.faults.shown}; {o.faults.shown}), false {list(w.faults.false_ever)} ({list(b.faults.false_ever)}; "
            f"{list(o.faults.false_ever)}); draws {dict(w.draws)}",
            flush=True,
        )
        if args.out is not None:
            stop = f", {args.scenes} scenes" if args.scenes else ""
            keep(args.out, f"seeds from {args.first}, confusing {args.confusing:g}{stop}", summary(rounds))
    print(json.dumps(summary(rounds), indent=1))


if __name__ == "__main__":
    main()
