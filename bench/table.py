"""Whole simulated rounds through the camera path, against their exact truth: `python -m bench.table`.

    python -m bench.table --rounds 40              rendered frames, the shipped weights (hours on two cores)
    python -m bench.table --eye knowing --rounds 42   sketched frames and an eye that errs as told (minutes)
    python -m bench.table --eye told --rounds 280     no frames: every still table told exactly as it lies
    python -m bench.table --kept bench/results/real.json   what was filmed earlier
    python -m bench.table --renderer DIR --scenes 24  frames of another renderer (bench/foreign_film.py)

Resumable: each round's result is written as soon as it is known, and rounds already in the file are left out. Counted
are (bench/counting.py): plays by whether the player is named rightly, not named or named wrongly, planted faults by
how they are shown, accusations that no rule supports, questions asked in a round, and whether a round that ends with
all hands laid open is scored by them (bench/round_end.py; tables that are told show no hands). Of told tables it is
counted as well how the faults are shown that they prove, and those that they do not (bench/provable.py). `flips` are
names, and certain findings, that were shown and did not last.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.counting import AccusationLog, CountedFaults, CountedPlays, Laid, count_by, count_faults, count_plays
from bench.foreign_film import ForeignFilm
from bench.provable import planted_in, proofs
from bench.round_end import CUT, how_it_ended
from bench.stand_ins.sketch import LARGER, KnowingEye, sketched
from bench.told import ToldTable, UnfilmedRound
from companion.game.game import Game
from companion.log.journal import Journal
from companion.observing.game_sink import GameSink
from companion.perception import Watcher
from companion.perception.attributing import Attribution, attribution_for
from companion.perception.setup_file import GameSetup
from companion.perception.table_reader import box_of, first_calibration, known_set
from companion.rules.position import Play, Position
from companion.rules.referee import Referee
from companion.rules.ruleset import RULESET_NAMES, load_ruleset
from datasets.bots import BotTurn
from datasets.folder_argument import RENDERER, folder_with
from datasets.simulator.camera import VISIBLE_FAULTS, SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.reaching import Reaching
from datasets.simulator.room import BlankFilm
from vision.settle import Settler

RESULTS = Path(__file__).parents[1] / "runs" / "table.json"
FIRST_SEED = 1000
SHOWN = ("shown", "nameless", "possible", "missed")
CLASSES = ("named", "unnamed", "misnamed", "lost")


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One round: what `bench.counting` makes of its plays and faults, the questions asked, and how it ended."""

    seed: int
    rules: str
    scenes: int
    plays: CountedPlays
    faults: CountedFaults
    questions: int
    reasons: tuple[str, ...]
    end: str
    seconds: float
    players: int = 0
    proved: tuple[str, ...] = ()
    """The proof that the tables give of each planted fault (bench/provable.py); told tables alone."""
    flips: Mapping[str, int] = field(default_factory=dict)
    """Shown names, and certain findings, that did not last (`bench.counting.AccusationLog`)."""
    by_reach: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How the arm came -> plays named, unnamed, misnamed and lost; empty where nothing was filmed."""


def with_faults(rules: str, scenes: int | None, **more: Any) -> SimSettings:
    """A round in which somebody breaks a visible rule about twice; `more` settings of the simulator."""
    return SimSettings(rules=rules, plant=VISIBLE_FAULTS, plants=2, plant_rate=0.05, most_scenes=scenes, **more)


def play_round(
    seed: int,
    rules: str,
    eye_name: str,
    size_wh: tuple[int, int],
    scenes: int | None,
    film: Callable[..., Any] = Film,
    players: int | None = None,
    confusing: float = 0.0,
    hub: bool = True,
    arms: bool = True,
) -> RoundResult:
    """Film one round, watch it, and compare. `confusing` is the share of acts done by arms that do not say whose."""
    start = time.perf_counter()
    settings = with_faults(rules, scenes, players=players, hub=hub, reaching=Reaching(confusing=confusing))
    eye: Any
    if eye_name == "real":
        from vision.eye import open_eye

        camera = SimCamera(seed, replace(settings, film=FilmSettings(size_wh=size_wh)), film)
        eye = open_eye(one_box=True)
    elif eye_name == "told":
        camera, eye = UnfilmedRound(seed, settings, BlankFilm), None
    else:
        camera = sketched(seed, settings, LARGER)
        eye = KnowingEye(camera, seed=seed)
    proved: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "game.jsonl"
        if eye_name == "told":
            told = ToldTable(camera)
            session = Game(Journal.create(journal, camera.setup().header), load_ruleset(rules))
            log = AccusationLog(session)
            told.tell(session)
            turns, scenes = told.turns, told.scenes
            proved = told_proofs(told)
            laid = [(turn.player, act) for turn in turns for act in turn.actions]
        else:
            session, log = watch(camera, eye, journal, flat=eye_name == "knowing", arms=arms)
            turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
            scenes = len(camera.truth)
            # The tiles of a turn that the film breaks off lie on the table all the same.
            laid = [play for filmed in camera.truth for play in filmed.scene.plays]
        recorded, events = session.snapshot().plays, tuple(session.events)
        end = CUT if eye_name == "told" else how_it_ended(camera, session)
        session.close()
    reasons = [getattr(event, "reason", "") for event in events if event.KIND == "unclear"]
    true = [(player, (tuple(act.tile), act.train)) for player, act in laid if isinstance(act, Play)]
    planted = [(str(turn.planted), turn.player) for turn in turns if turn.planted is not None]
    return RoundResult(
        seed=seed,
        rules=rules,
        scenes=scenes,
        plays=count_plays(true, recorded),
        faults=count_faults(planted, faults(rules, turns), recorded, log.ever),
        questions=len(reasons),
        reasons=tuple(reasons),
        end=end,
        seconds=round(time.perf_counter() - start, 1),
        players=len(camera.plan.players),
        proved=tuple(proved),
        flips=dict(log.flips),
        by_reach=count_by(reaches(camera), recorded),
    )


def told_proofs(told: ToldTable) -> list[str]:
    """The proof of each planted fault by the told tables."""
    deal, rules = told.camera.round, load_ruleset(told.camera.rules_name)
    start = deal.start
    if isinstance(start, Position) and not told.camera.plan.boneyard_spread:
        # From a pile nobody sees who draws.
        start = replace(start, boneyard=None, hands={})
    return proofs(rules, start, deal.starter, told.changes, planted_in(rules, told.turns, told.shown), weighed=False)


def reaches(camera: SimCamera) -> list[tuple[str, str, Laid]]:
    """(how the arm came, player, tile and train) of every play that was filmed, in order."""
    found: list[tuple[str, str, Laid]] = []
    for filmed in camera.truth:
        kinds = {arm.acts_for: str(arm.reach) for arm in reversed(filmed.arms) if arm.acts_for is not None}
        for player, act in filmed.scene.plays:
            if isinstance(act, Play) and player in kinds:
                found.append((kinds[player], player, (tuple(act.tile), act.train)))
    return found


def watch(camera: SimCamera, eye: Any, journal: Path, *, flat: bool, arms: bool = True) -> tuple[Game, AccusationLog]:
    """The product's own way from the set-up file to the session; without `arms` nobody is named by one."""
    setup = camera.setup()
    if flat:
        # Sketched frames have no height: tiles are painted on the table.
        setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001))
    rules = load_ruleset(setup.header.rules)
    session = Game(Journal.create(journal, setup.header), rules)
    log = AccusationLog(session)
    sink = GameSink(session, setup, box_of(known_set(setup)))
    watcher_before(camera, eye, setup, sink, attribution_for(setup, off=not arms)).run()
    return session, log


def watcher_before(camera: Any, eye: Any, setup: GameSetup, sink: GameSink, arms: Attribution | None = None) -> Watcher:
    """The product's watcher, having seen the camera's first frame."""
    first = camera.read()
    assert first is not None
    calibration, known = first_calibration(first, setup, eye), known_set(setup)
    watcher = Watcher(camera, eye, Settler(), calibration, setup.table_setup(), sink, known=known, arms=arms)
    watcher.see(first)
    return watcher


def faults(rules_name: str, turns: Iterable[BotTurn]) -> set[tuple[str, str]]:
    """(code, player) of everything that the judge finds in the turns as they were really made."""
    rules = load_ruleset(rules_name)
    referee: Any = Referee(rules)
    found: set[tuple[str, str]] = set()
    for turn in turns:
        if turn.planted is not None:
            found.add((str(turn.planted), turn.player))
        before = replace(turn.before, turn=turn.player)
        ruling = referee.judge(before, turn.actions)
        found |= {(str(code), turn.player) for code in (*ruling.codes, *ruling.may)}
    return found


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All rounds together."""
    plays = {
        name: _total(results, "plays", name) for name in ("plays", "named", "unnamed", "misnamed", "lost", "extra")
    }
    found = ("planted", "shown", "nameless", "possible", "missed", "false", "false_ever", "unsaid")
    faults = {name: _total(results, "faults", name) for name in found}
    rounds = len(results)
    return {
        "rounds": rounds,
        "plays": plays,
        "player_known": _share(plays["named"], plays["plays"]),
        "player_wrong": _share(plays["misnamed"], plays["plays"]),
        "player_open": _share(plays["unnamed"], plays["plays"]),
        "faults": faults,
        "faults_shown": _share(faults["shown"], faults["planted"]),
        "faults_shown_or_nameless": _share(faults["shown"] + faults["nameless"], faults["planted"]),
        "by_code": _by_code(results, lambda one: [code for code, _ in _classes(one)]),
        "by_proof": _by_code(results, lambda one: one.get("proved") or ()),
        "questions_a_round": round(sum(one["questions"] for one in results) / max(1, rounds), 2),
        "flips": _flips([one["flips"] for one in results if one.get("flips")]),
        "ends": dict(Counter(str(one["end"]) for one in results)),
        "by_reach": _by(results, lambda one: one.get("by_reach") or {}),
        "by_players": _by(results, _by_players),
    }


def _flips(rounds: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Names and certain faults that did not last: of each kind the mean a round, and of both the most in one."""
    total = sum((Counter(one) for one in rounds), Counter[str]())
    a_round = {kind: round(total[kind] / max(1, len(rounds)), 2) for kind in ("names", "certain")}
    return {**a_round, "most": max((sum(one.values()) for one in rounds), default=0)}


def _classes(one: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """(code, class) of every planted fault of a round; none in files from before they were kept."""
    return one["faults"].get("each") or ()


def _by_code(
    results: Sequence[Mapping[str, Any]], kinds: Callable[[Mapping[str, Any]], Sequence[str]]
) -> dict[str, dict[str, int]]:
    """How the planted faults of each kind are shown."""
    total: dict[str, Counter[str]] = {}
    for one in results:
        for kind, (_, shown) in zip(kinds(one), _classes(one), strict=False):
            total.setdefault(kind, Counter())[shown] += 1
    return {kind: {name: counts[name] for name in SHOWN} for kind, counts in sorted(total.items())}


def _by_players(one: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    if not one.get("players"):
        return {}
    return {str(one["players"]): {name: _total([one], "plays", name) for name in CLASSES}}


def _by(
    results: Sequence[Mapping[str, Any]], part: Callable[[Mapping[str, Any]], Mapping[str, Mapping[str, int]]]
) -> dict[str, dict[str, int]]:
    """The classes of plays added up for each kind."""
    total: dict[str, Counter[str]] = {}
    for one in results:
        for kind, counts in part(one).items():
            total.setdefault(kind, Counter()).update(counts)
    return {kind: {name: counts[name] for name in CLASSES} for kind, counts in sorted(total.items())}


def summed_up(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary of a file's rounds, in whichever of the two ways they were counted."""
    apart = [one for one in rounds if isinstance(one["plays"], Mapping)]
    return summary(apart) if apart else summary_of_kept(rounds)


def summary_of_kept(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rounds as they were kept before plays and faults were counted apart; what those files do not say is left out."""
    plays = sum(one["plays"] for one in rounds)
    named = sum(one["named"] for one in rounds)
    misnamed = sum(" by " in play for one in rounds for play in one["extra"])
    planted = sum(one["planted"] for one in rounds)
    false = sum(len(one["false"]) for one in rounds)
    return {
        "rounds": len(rounds),
        "player_known": _share(named, plays),
        "player_open": _share(sum(one["exact"] for one in rounds) - named, plays),
        "player_wrong": _share(misnamed, plays),
        "lost": sum(len(one["lost"]) for one in rounds),
        "true_accusations_certain": _share(sum(one["accusations"] for one in rounds) - false, planted),
        "false_at_the_end": false,
        "questions_a_round": round(sum(one["questions"] for one in rounds) / max(1, len(rounds)), 2),
        "ends": dict(Counter(str(one.get("end")) for one in rounds)),
    }


def _total(results: Sequence[Mapping[str, Any]], part: str, name: str) -> int:
    """Numbers added up, or lists counted."""
    values = [one[part][name] for one in results]
    return sum(value if isinstance(value, int) else len(value) for value in values)


def _share(count: int, of: int) -> str:
    return f"{100 * count / max(1, of):.1f} % ({count} of {of})"


def main() -> None:
    parser = argparse.ArgumentParser(description="simulated rounds through the camera path")
    parser.add_argument("--rounds", type=int, default=42)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=RULESET_NAMES, help="only these rule sets")
    parser.add_argument("--seeds", type=int, nargs="+", help="these rounds instead of the first ones")
    parser.add_argument(
        "--renderer", type=folder_with(RENDERER), help="folder of another renderer that draws the frames"
    )
    parser.add_argument("--eye", choices=("real", "knowing", "told"), default="real")
    parser.add_argument("--players", type=int, help="so many players instead of as the seed says")
    parser.add_argument("--confusing", type=float, default=0.0, help="share of acts done by a confusing arm")
    parser.add_argument("--no-arms", action="store_true", help="nobody is named by an arm")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    parser.add_argument("--scenes", type=int, default=None, help="stop every round after so many scenes")
    parser.add_argument("--no-hub", action="store_true", help="trains begin around the engine alone")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--kept", type=Path, help="only sum up a file of bench/results/")
    args = parser.parse_args()
    if args.kept is not None:
        for name, part in json.loads(args.kept.read_text()).items():
            if isinstance(part, dict) and "rounds" in part:
                print(name, json.dumps(summed_up(list(part["rounds"].values())), indent=1))
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    film: Callable[..., Any] = partial(ForeignFilm, folder=args.renderer) if args.renderer else Film
    name = ("foreign" if args.renderer else args.eye) + (" without hub" if args.no_hub else "")
    name += " without arms" if args.no_arms else ""
    part = kept.setdefault(name, {"rounds": {}})
    for seed in args.seeds or range(FIRST_SEED, FIRST_SEED + args.rounds):
        rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
        if rules not in args.rules or str(seed) in part["rounds"]:
            continue
        size_wh, hub = tuple(args.size), not args.no_hub
        result = play_round(
            seed, rules, args.eye, size_wh, args.scenes, film, args.players, args.confusing, hub, not args.no_arms
        )
        part["rounds"][str(seed)] = asdict(result)
        part["summary"] = summary(list(part["rounds"].values()))
        part["machine"] = f"{platform.machine()} {platform.python_version()}"
        args.out.write_text(json.dumps(kept, indent=1) + "\n")
        plays, found = result.plays, result.faults
        print(
            f"{seed} {rules}: of {plays.plays} plays {plays.named} named, {plays.unnamed} unnamed, "
            f"{len(plays.misnamed)} misnamed, {len(plays.lost)} lost; "
            f"{found.shown} of {found.planted} faults shown, {len(found.false_ever)} false; "
            f"{result.questions} questions, {result.flips['names']} names and {result.flips['certain']} findings "
            f"flipped, {result.seconds} s",
            flush=True,
        )
    print(json.dumps(part.get("summary", {}), indent=1))


if __name__ == "__main__":
    main()
