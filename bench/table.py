"""Whole simulated rounds through the camera path, against their exact truth: `python -m bench.table`.

    python -m bench.table --rounds 40              rendered frames, the shipped weights (hours on two cores)
    python -m bench.table --eye knowing --rounds 42   sketched frames and an eye that errs as told (minutes)
    python -m bench.table --eye told --rounds 280     no frames: every still table told exactly as it lies
    python -m bench.table --renderer DIR --scenes 24  frames of another renderer (bench/foreign_film.py)

Resumable: each round's result is written as soon as it is known, and rounds already in the file are left out. What is
counted: plays recorded exactly (tile, train, and the player or honestly nobody), accusations that no rule supports,
planted faults found and named rightly, questions asked in a round, and whether the round that ends with all hands laid
open is scored by them (bench/round_end.py; tables that are told show no hands).
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.foreign_film import ForeignFilm
from bench.round_end import CUT, how_it_ended
from companion.bots import BotTurn
from companion.journal import Journal
from companion.referee import referee_for
from companion.ruleset import RULESET_NAMES, load_ruleset
from companion.session import Session
from companion.tile import Tile
from companion.turn import Action, Play
from companion.watch import Watcher
from companion.watch.session_desk import SessionDesk
from companion.watch.start import first_calibration, known_set
from datasets.simulator.camera import VISIBLE_FAULTS, SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from tests.table.sketch import KnowingEye, sketched
from tests.table.told import ToldTable
from vision.settle import Settler

RESULTS = Path(__file__).parents[1] / "runs" / "table.json"
FIRST_SEED = 1000


@dataclass(frozen=True, slots=True)
class RoundResult:
    """`false` are accusations that the truth does not hold, as `CODE by PLAYER`; `lost` and `extra` are plays."""

    seed: int
    rules: str
    scenes: int
    plays: int
    exact: int
    named: int
    lost: tuple[str, ...]
    extra: tuple[str, ...]
    accusations: int
    false: tuple[str, ...]
    planted: int
    planted_found: int
    planted_right: int
    missed: tuple[str, ...]
    questions: int
    reasons: tuple[str, ...]
    end: str
    seconds: float


def play_round(
    seed: int,
    rules: str,
    eye_name: str,
    size_wh: tuple[int, int],
    scenes: int | None,
    film: Callable[..., Any] = Film,
) -> RoundResult:
    """Film one round, watch it, and compare."""
    start = time.perf_counter()
    settings = SimSettings(rules=rules, plant=VISIBLE_FAULTS, plants=2, plant_rate=0.05, most_scenes=scenes)
    eye: Any
    if eye_name == "real":
        from vision.eye import open_eye

        camera = SimCamera(seed, replace(settings, film=FilmSettings(size_wh=size_wh)), film)
        eye = open_eye(one_box=True)
    else:
        camera = sketched(seed, settings)
        eye = KnowingEye(camera, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "game.jsonl"
        if eye_name == "told":
            told = ToldTable(camera)
            session = Session(Journal.create(journal, camera.setup().header), load_ruleset(rules))
            told.tell(session)
            turns, scenes = told.turns, told.scenes
            laid = [(turn.player, act) for turn in turns for act in turn.actions]
        else:
            session = watch(camera, eye, journal, flat=eye_name == "knowing")
            turns = [turn for filmed in camera.truth for turn in filmed.scene.turns]
            scenes = len(camera.truth)
            # What was laid in a turn that the film breaks off is on the table all the same.
            laid = [play for filmed in camera.truth for play in filmed.scene.plays]
        plays, questions = session.snapshot()["plays"], [event for event in session.events if event.KIND == "unclear"]
        end = CUT if eye_name == "told" else how_it_ended(camera, session)
        session.close()
    reasons = [getattr(one, "reason", "") for one in questions]
    return compare(seed, rules, turns, laid, plays, reasons, end, scenes, start)


def watch(camera: SimCamera, eye: Any, journal: Path, *, flat: bool) -> Session:
    """The product's own way from the set-up file to the session."""
    setup = camera.setup()
    if flat:
        # Sketched frames have no height: tiles are painted on the table.
        setup = replace(setup, tile_mm=(*setup.tile_mm[:2], 0.001))
    rules = load_ruleset(setup.header.rules)
    session = Session(Journal.create(journal, setup.header), rules)
    known = known_set(setup)
    box = {Tile(a, b): count for (a, b), count in known.copies.items()}
    first = camera.read()
    assert first is not None
    watcher = Watcher(
        camera,
        eye,
        Settler(),
        first_calibration(first, setup, eye),
        setup.table_setup(),
        SessionDesk(session, rules, setup, box),
        known=known,
    )
    watcher.see(first)
    watcher.run()
    return session


def compare(
    seed: int,
    rules: str,
    turns: Sequence[BotTurn],
    laid: Sequence[tuple[str, Action]],
    plays: Sequence[Mapping[str, Any]],
    reasons: Sequence[str],
    end: str,
    scenes: int,
    start: float,
) -> RoundResult:
    """The session's plays against what was laid, its findings against the turns that were filmed."""
    true = [(player, act) for player, act in laid if isinstance(act, Play)]
    wanted = Counter((tuple(act.tile), act.train) for _, act in true)
    # Some Chinese tiles are in the box twice, so one play may have two rightful players.
    players: dict[tuple[tuple[int, ...], str], set[str | None]] = {}
    for player, act in true:
        players.setdefault((tuple(act.tile), act.train), {None}).add(player)
    standing = [play for play in plays if play.get("event") == "tile_played" and not play.get("taken_back")]
    exact = named = 0
    extra: list[str] = []
    for play in standing:
        key = (tuple(play["tile"]), play["train"])
        if wanted[key] <= 0:
            extra.append(f"{key[0][0]}-{key[0][1]}@{key[1]}")
            continue
        wanted[key] -= 1
        if play.get("by") in players[key]:
            exact += 1
            named += play.get("by") is not None
        else:
            extra.append(f"{key[0][0]}-{key[0][1]}@{key[1]} by {play.get('by')}")
    lost = [f"{tile[0]}-{tile[1]}@{train}" for (tile, train), count in wanted.items() for _ in range(count)]
    real = faults(rules, turns)
    told = list(accusations(plays))
    certain = [(code, by) for code, by, sure in told if sure]
    false = [f"{code} by {by}" for code, by in certain if not any(c == code and by in (None, p) for c, p in real)]
    planted = [(turn.planted, turn.player) for turn in turns if turn.planted is not None]
    found = [one for one in planted if any(by in (None, one[1]) for _, by, _ in told)]
    right = [one for one in planted if any(code == one[0] and by in (None, one[1]) for code, by, _ in told)]
    missed = [f"{code} by {by}" for code, by in planted if (code, by) not in right]
    seconds = round(time.perf_counter() - start, 1)
    return RoundResult(
        seed, rules, scenes, len(true), exact, named, tuple(lost), tuple(extra), len(certain), tuple(false),
        len(planted), len(found), len(right), tuple(missed), len(reasons), tuple(reasons), end, seconds,
    )  # fmt: skip


def faults(rules_name: str, turns: Iterable[BotTurn]) -> set[tuple[str, str]]:
    """(code, player) of everything that the judge finds in the turns as they were really made."""
    rules = load_ruleset(rules_name)
    referee: Any = referee_for(rules)
    found: set[tuple[str, str]] = set()
    for turn in turns:
        if turn.planted is not None:
            found.add((str(turn.planted), turn.player))
        before = replace(turn.before, turn=turn.player)
        ruling = referee.judge(before, turn.actions)
        found |= {(str(code), turn.player) for code in (*ruling.codes, *ruling.may)}
    return found


def accusations(plays: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str | None, bool]]:
    """(code, player, certain) of everything that was held against somebody and still stands."""
    for play in plays:
        if play.get("taken_back"):
            continue
        for finding in play.get("violations") or ():
            yield finding["code"], finding.get("by") or play.get("by"), bool(finding.get("certain", True))


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All rounds together."""
    total = {name: sum(one[name] for one in results) for name in ("plays", "exact", "planted", "questions", "scenes")}
    found, right = sum(one["planted_found"] for one in results), sum(one["planted_right"] for one in results)
    return {
        "rounds": len(results),
        **total,
        "exact_share": round(total["exact"] / max(1, total["plays"]), 4),
        "extra_plays": sum(len(one["extra"]) for one in results),
        "false_accusations": sum(len(one["false"]) for one in results),
        "planted_found_share": round(found / max(1, total["planted"]), 4),
        "planted_right_share": round(right / max(1, total["planted"]), 4),
        "questions_per_round": round(total["questions"] / max(1, len(results)), 2),
        "ends": dict(Counter(str(one["end"]) for one in results)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="simulated rounds through the camera path")
    parser.add_argument("--rounds", type=int, default=42)
    parser.add_argument("--rules", nargs="+", choices=RULESET_NAMES, default=RULESET_NAMES, help="only these rule sets")
    parser.add_argument("--seeds", type=int, nargs="+", help="these rounds instead of the first ones")
    parser.add_argument("--renderer", type=Path, help="folder of another renderer that draws the frames")
    parser.add_argument("--eye", choices=("real", "knowing", "told"), default="real")
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    parser.add_argument("--scenes", type=int, default=None, help="stop every round after so many scenes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Any] = json.loads(args.out.read_text()) if args.out.exists() else {}
    film: Callable[..., Any] = partial(ForeignFilm, folder=args.renderer) if args.renderer else Film
    part = kept.setdefault("foreign" if args.renderer else args.eye, {"rounds": {}})
    for seed in args.seeds or range(FIRST_SEED, FIRST_SEED + args.rounds):
        rules = RULESET_NAMES[(seed - FIRST_SEED) % len(RULESET_NAMES)]
        if rules not in args.rules or str(seed) in part["rounds"]:
            continue
        result = play_round(seed, rules, args.eye, tuple(args.size), args.scenes, film)
        part["rounds"][str(seed)] = asdict(result)
        part["summary"] = summary(list(part["rounds"].values()))
        part["machine"] = f"{platform.machine()} {platform.python_version()}"
        args.out.write_text(json.dumps(kept, indent=1) + "\n")
        print(
            f"{seed} {rules}: {result.exact}/{result.plays} plays, {len(result.false)} false, "
            f"{result.planted_right}/{result.planted} planted, {result.questions} questions, {result.seconds} s",
            flush=True,
        )
    print(json.dumps(part.get("summary", {}), indent=1))


if __name__ == "__main__":
    main()
