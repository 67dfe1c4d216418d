"""Who played, with arms and without: filmed arms over known tables, told to the desk: `python -m bench.who_played`.

    python -m bench.who_played --rounds 42                    all seven rule sets, 2 to 8 players
    python -m bench.who_played --rounds 42 --confusing 0.25   a quarter of the acts is done by confusing arms
    python -m bench.who_played --kept bench/results/who_played.json

The table and its arms are filmed as in bench/arms.py. What changed is told to the desk exactly, and only whose arm it
was is seen, so that nothing but the arm and the belief is measured, in a minute a round. Each film is told twice: with
what the arms say, and without. Faults are planted. Draws from a stacked boneyard are told only where an arm was seen
to reach into it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.arms import SIZE_WH, ArmCamera
from bench.counting import AccusationLog, CountedFaults, CountedPlays, Laid, count_by, count_faults, count_plays
from bench.table import faults, reaches
from companion.game.session import Session
from companion.log.journal import Journal
from companion.perception.arm_votes import Vote, counted_once, together, vote
from companion.perception.reaches import Reaches
from companion.rules.actions import Draw, Mark, Play, Unmark
from companion.rules.notation import Change, Drawing, Laying
from companion.rules.referee import referee_for, undealt
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.simulator.camera import VISIBLE_FAULTS, Filmed, SimSettings
from datasets.simulator.film import FilmSettings
from datasets.simulator.plan import Point
from datasets.simulator.reaching import Reaching
from tests.table.told import _as_seen, _sights
from vision.calibration import Calibration
from vision.frame import Frame

FIRST_SEED = 940_000
RULES = ("tactic", "reeves", "cz", "poltava", "jielong", "chedeng", "kkori")
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
    without: Told


class _Desk:
    """One session that is told the round."""

    def __init__(self, camera: ArmCamera, path: Path) -> None:
        self.camera = camera
        self.session = Session(Journal.create(path, camera.setup().header), camera.round.rules)
        self.log = AccusationLog(self.session)
        plan = camera.plan
        counted = plan.boneyard_spread or plan.chinese
        self.session.start_round(camera.round.engine, camera.round.starter, draws_seen=counted)

    def told(self, true: Sequence[tuple[str, Laid]], drawn: Sequence[str], filmed: Sequence[Filmed]) -> Told:
        recorded = self.session.snapshot()["plays"]
        turns = [turn for one in filmed for turn in one.scene.turns]
        planted = [(str(turn.planted), turn.player) for turn in turns if turn.planted is not None]
        real = faults(self.camera.rules_name, turns)
        questions = sum(event.KIND == "unclear" for event in self.session.events)
        found = Told(
            count_plays(true, recorded),
            count_faults(planted, real, recorded, self.log.ever),
            questions,
            _draws(drawn, recorded),
            count_by(reaches(self.camera), recorded),
        )
        self.session.close()
        return found


def _draws(true: Sequence[str], recorded: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Draws with the right name, with none, with another's, not recorded, and recorded though nobody drew."""
    on_record = [play.get("by") for play in recorded if play.get("event") == "drew" and not play.get("withdrawn")]
    left, named, others = Counter(true), 0, []
    for by in on_record:
        if by is not None and left[by] > 0:
            left[by] -= 1
            named += 1
        else:
            others.append(by)
    missing = sum(left.values())
    unnamed = min(missing, sum(by is None for by in others))
    missing -= unnamed
    misnamed = min(missing, sum(by is not None for by in others))
    return {
        "drawn": len(true),
        "named": named,
        "unnamed": unnamed,
        "misnamed": misnamed,
        "unseen": missing - misnamed,
        "invented": len(others) - unnamed - misnamed,
    }


def play_round(seed: int, rules: str, players: int | None, scenes: int | None, confusing: float) -> Round:
    settings = SimSettings(
        rules=rules,
        players=players,
        plant=VISIBLE_FAULTS,
        plants=2,
        plant_rate=0.05,
        most_scenes=scenes,
        film=FilmSettings(size_wh=SIZE_WH),
        reaching=Reaching(confusing=confusing),
        still_frames=2,
        show_hands=False,
    )
    camera = ArmCamera(seed, settings)
    calibration = Calibration.from_corners(camera.film.corners_px(), camera.plan.size_mm, 9.0, None, SIZE_WH)
    with tempfile.TemporaryDirectory() as folder:
        desks = [_Desk(camera, Path(folder) / f"{name}.jsonl") for name in ("with", "without")]
        teller = _Teller(camera, desks)
        seen = Reaches()
        last: Frame | None = None
        while (frame := camera.read()) is not None:
            if last is not None:
                # The truth of a scene is known with the frame after its last one.
                teller.go_on(seen, last)
            seen.see(frame, calibration)
            if last is None:
                seen.still(frame)
            last = frame
        assert last is not None
        teller.go_on(seen, last)
        plays = [(player, act) for filmed in camera.truth for player, act in filmed.scene.plays]
        true = [(player, (tuple(act.tile), act.train)) for player, act in plays if isinstance(act, Play)]
        drawn = [player for player, act in plays if isinstance(act, Draw)]
        told = [desk.told(true, drawn, camera.truth) for desk in desks]
    stacked = not camera.plan.boneyard_spread and not camera.plan.chinese
    return Round(seed, rules, len(camera.plan.players), stacked, *told)


class _Teller:
    """Tells both desks what each scene changed, one of them with the arms."""

    def __init__(self, camera: ArmCamera, desks: Sequence[_Desk]) -> None:
        self.camera = camera
        self.desks = desks
        self.table: Any = camera.round.start
        self.referee: Any = referee_for(camera.round.rules)
        self.done = 0

    def go_on(self, seen: Reaches, frame: Frame) -> None:
        for filmed in self.camera.truth[self.done :]:
            self._scene(filmed, seen)
            if filmed.scene.trouble != "silent":
                seen.still(frame)
        self.done = len(self.camera.truth)

    def _scene(self, filmed: Filmed, seen: Reaches) -> None:
        scene, plan = filmed.scene, self.camera.plan
        after = self.table
        for player, act in scene.plays:
            after = self.referee.apply(replace(after, turn=player), _as_seen(act))
        places = self.camera.places.get(id(scene), ())
        stacked = not plan.boneyard_spread and not plan.chinese
        sights = list(_sights(self.table, after, scene, plan.boneyard_spread and not plan.chinese))
        reached = self._reached(seen) if stacked and filmed.scene.trouble != "silent" else []
        self.table = after
        votes: dict[Change, Vote] = {}
        for sight in sights:
            for change in sight["delta"]:
                spots = [place for _, act, place in places if _shows(change, act)]
                votes[change] = together([self._vote(seen, spot) for spot in spots], plan.players)
            self.desks[1].session.observe(**sight)
        if reached:
            draw = Drawing(len(reached))
            votes[draw] = together(reached, plan.players)
            sights = sights or [{"delta": []}]
            sights[0] = {**sights[0], "delta": [*sights[0]["delta"], draw]}
        for sight in sights:
            whose = {change: one.clear for change, one in votes.items() if one.clear is not None}
            self.desks[0].session.observe(**sight, arms=counted_once(votes), whose=whose)

    def _vote(self, seen: Reaches, place: Point) -> Vote:
        return vote(seen.over(place), dict(self.camera.plan.seat_deg), self.camera.plan.size_mm)

    def _reached(self, seen: Reaches) -> list[Vote]:
        """Who reached into the stacked boneyard."""
        yard = [lying.center_mm for lying in self.camera.table.boneyard]
        seats, size_mm = dict(self.camera.plan.seat_deg), self.camera.plan.size_mm
        return [vote(reach, seats, size_mm) for reach in seen.reached(yard)]


def _shows(change: Change, act: Any) -> bool:
    """Is this change what that act did?"""
    match change:
        case Laying(tile, train):
            return isinstance(act, Play) and _as_seen(act) == Play(tile, train)
        case Drawing():
            return isinstance(act, Draw)
        case Mark() | Unmark():
            return bool(act == change)
    return False


def summary(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All rounds together, with arms and without."""
    return {
        "rounds": len(rounds),
        **{way: _summed([one[way] for one in rounds]) for way in ("with_arms", "without")},
        "by_players": {
            str(n): {
                way: _plays([one[way] for one in rounds if one["players"] == n]) for way in ("with_arms", "without")
            }
            for n in sorted({one["players"] for one in rounds})
        },
        "draws_spread": _draws_of([one["with_arms"] for one in rounds if not one["stacked"]]),
        "draws_stacked": _draws_of([one["with_arms"] for one in rounds if one["stacked"]]),
    }


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


def who_plays(n: int) -> tuple[str, int | None]:
    """The rules and the number of players of the nth round."""
    rules = RULES[n % len(RULES)]
    if not load_ruleset(rules).is_mexican:
        return rules, None
    players = 2 + (n // len(RULES) + n) % 7
    while undealt(load_ruleset(rules), 12, players) is not None:
        players -= 1
    return rules, players


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=42)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=list(RULES), help="only these rule sets")
    parser.add_argument("--scenes", type=int, help="stop every round after so many scenes")
    parser.add_argument("--confusing", type=float, default=0.0, help="share of acts done by a confusing arm")
    parser.add_argument("--out", type=Path, help="write the summary there, under a name that says how it was made")
    parser.add_argument("--kept", type=Path, help="only print a file of bench/results/")
    args = parser.parse_args()
    if args.kept is not None:
        print(json.dumps(json.loads(args.kept.read_text()), indent=1))
        return
    rounds: list[dict[str, Any]] = []
    for n in range(args.rounds):
        rules, players = who_plays(n)
        if rules not in args.rules:
            continue
        one = play_round(args.first + n, rules, players, args.scenes, args.confusing)
        rounds.append(asdict(one))
        w, o = one.with_arms, one.without
        print(
            f"{one.seed} {rules} {one.players} players: of {w.plays.plays} plays {w.plays.named} named, "
            f"{len(w.plays.misnamed)} misnamed (without arms {o.plays.named}, {len(o.plays.misnamed)}); faults "
            f"{w.faults.shown} of {w.faults.planted} ({o.faults.shown}), false {len(w.faults.false_ever)} "
            f"({len(o.faults.false_ever)}); draws {dict(w.draws)}",
            flush=True,
        )
        if args.out is not None:
            kept = json.loads(args.out.read_text()) if args.out.exists() else {}
            stop = f", {args.scenes} scenes" if args.scenes else ""
            kept[f"seeds from {args.first}, confusing {args.confusing:g}{stop}"] = summary(rounds)
            args.out.write_text(json.dumps(kept, indent=1) + "\n")
    print(json.dumps(summary(rounds), indent=1))


if __name__ == "__main__":
    main()
