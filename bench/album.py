"""Rounds as photographs, one a play, watched as a user would: `python -m bench.album --seeds 139000 139001`.

Each round is drawn into a folder of pictures beside its set-up file, and `companion watch FOLDER --setup FILE --json
--journal FILE` is called as it is. With `--arms` a picture in which somebody reaches in lies before and after every
play. With `--pale` white tiles lie on a pale cloth; seeds that show others are passed over. With `--held` all but the
last changes are over, every picture is taken from another place by a phone that leans, and nobody says where the table
is: the tiles have to tell (`vision/calibration.py`, `companion/perception/table_reader.py`). Nobody breaks a rule, so
every certain accusation is false.

Counted are plays: `at once` on record from their own photograph, `late` from a later one, `never`, and `invented` ones,
and the events that name a picture with an arm. `named`: plays on record with the right player.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.counting import Laid, count_plays
from bench.stills import showing
from companion.game.game import Game
from companion.rules.position import Play
from companion.rules.ruleset import RULESET_NAMES
from datasets.render.chance import stream
from datasets.render.colour import luminance
from datasets.render.styles import make_style
from datasets.render.surfaces import make_surface
from datasets.render.table import TableCamera, TableScene
from datasets.simulator.camera import SimCamera, SimSettings
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.script import Troubles
from datasets.simulator.tabletop import TableTop

QUALITY, MOST_LEAN_DEG = 95, 25.0
LAST = "~"
"""A tile that lay there before the first picture counts in any picture that shows it."""
PALE = 0.45
"""Linear luminance from which a body is white and a cloth pale."""


class ClothFilm(Film):
    """The table top is a cloth."""

    def _scene(self, table: TableTop | None) -> TableScene:
        return replace(super()._scene(table), background="cloth")


@dataclass(slots=True)
class HeldFilm(Film):
    """Every picture is taken from another place, the first one by somebody who stands where corner 0 is at the left."""

    pictures: int = field(default=0, init=False)

    def develop(self, table: TableTop) -> None:
        self.pictures += 1
        super(HeldFilm, self).develop(table)

    def _camera(self, bump_mm: tuple[float, float]) -> TableCamera:
        rng = np.random.default_rng([self.seed, self.pictures])
        lean, toward, roll = rng.uniform(0, MOST_LEAN_DEG), rng.uniform(0, 360), rng.uniform(-20, 20)
        aim = (float(rng.uniform(-40, 40)), float(rng.uniform(-40, 40)))
        camera = super(HeldFilm, self)._camera(bump_mm)
        camera = replace(camera, lean_deg=float(lean), lean_toward_deg=float(toward), aim_mm=aim)
        return showing(replace(camera, roll_deg=float(roll) if self.pictures > 1 else 0.0), self.plan.size_mm)


def is_pale(seed: int, rules: str) -> bool:
    """Do white tiles lie on a pale cloth in the pictures of this seed?"""
    family, highest = ("western", 12) if RULESET_NAMES.index(rules) < 4 else ("chinese", 6)
    body = make_style(stream(seed, "style"), family, highest).body.colour
    cloth = make_surface(stream(seed, "surface"), 64, 4.0, "cloth").albedo
    return luminance(body) > PALE and luminance(np.median(cloth, axis=(0, 1))) > PALE


@dataclass(frozen=True, slots=True)
class Album:
    """`pictures` in a folder, `armed` those with an arm in them; `laid` is the truth: player, tile, train, picture."""

    pictures: int
    armed: frozenset[str]
    laid: Sequence[tuple[str, Laid, str]]


def draw(folder: Path, camera: SimCamera) -> Album:
    """Every frame of the camera as a picture, in name order."""
    folder.mkdir()
    pictures = 0
    for frame in iter(camera.read, None):
        pictures += 1
        cv2.imwrite(str(folder / f"{frame.name}.jpg"), frame.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    armed = frozenset(f"{arm.frame}.jpg" for filmed in camera.truth for arm in filmed.arms)
    scenes = [(scene, LAST) for scene in camera.before]
    scenes += [(filmed.scene, f"{filmed.frame}.jpg") for filmed in camera.truth]
    laid = [
        (player, (tuple(act.tile), act.train), picture)
        for scene, picture in scenes
        for player, act in scene.plays
        if isinstance(act, Play)
    ]
    return Album(pictures, armed, laid)


def watched(seed: int, settings: SimSettings, film: type[Film]) -> dict[str, Any]:
    """One round drawn, watched by the command, and compared."""
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        camera = SimCamera(seed, settings, film)
        album = draw(base / "pictures", camera)
        setup = camera.setup_json()
        if film is HeldFilm:
            del setup["table"]
        (base / "setup.json").write_text(json.dumps(setup))
        command = [sys.executable, "-m", "companion", "watch", str(base / "pictures")]
        command += ["--setup", str(base / "setup.json"), "--json", "--journal", str(base / "game.jsonl")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"seed {seed}: watch said {done.returncode}: {done.stderr.strip()[-500:]}")
        told = [json.loads(line) for line in done.stdout.splitlines()]
        session = Game.open(base / "game.jsonl")
        recorded = session.snapshot().plays
        session.close()
    plays = count_plays([(player, laid) for player, laid, _ in album.laid], recorded)
    return {
        "seed": seed,
        "rules": camera.rules_name,
        "pictures": album.pictures,
        "plays": plays.plays,
        **when_told(album, told),
        "lost": list(plays.lost),
        "invented": list(plays.extra),
        "named": plays.named,
        "misnamed": list(plays.misnamed),
        "from a picture with an arm": [
            f"{one['event']} {one.get('tile', '')} {one['frame']}" for one in told if one.get("frame") in album.armed
        ],
        "accused": [
            found["code"] for one in told for found in one.get("violations") or () if found.get("certain", True)
        ],
        "questions": Counter(one.get("reason", "").split(" at ")[0] for one in told if one["event"] == "unclear"),
    }


def when_told(album: Album, told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many plays were told from their own photograph, from a later one, and never."""
    frames: dict[Laid, list[str]] = {}
    for one in told:
        if one["event"] == "tile_played":
            frames.setdefault((tuple(one["tile"]), one["train"]), []).append(one.get("frame") or "")
    at_once, late, never = 0, [], 0
    for _, laid, picture in album.laid:
        seen = frames.get(laid, [])
        if not seen:
            never += 1
        elif (first := seen.pop(0)) <= picture:
            at_once += 1
        else:
            late.append(f"{laid[0][0]}-{laid[0][1]}@{laid[1]} {picture} {first}")
    return {"at once": at_once, "late": late, "never": never}


def main() -> None:
    parser = argparse.ArgumentParser(description="rounds as photographs, one a play, watched as a user would")
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--arms", action="store_true", help="a picture of an arm before and after each play")
    parser.add_argument("--pale", action="store_true", help="white tiles on a pale cloth")
    parser.add_argument("--held", action="store_true", help="by hand, each from another place, in a round in play")
    parser.add_argument("--no-hub", action="store_true", help="trains begin around the engine alone")
    parser.add_argument(
        "--scenes", type=int, default=26, help="so many changes of the table: the first, or --held the last"
    )
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1200), metavar=("W", "H"))
    args = parser.parse_args()
    total: Counter[str] = Counter()
    for seed in args.seeds:
        rules = RULESET_NAMES[seed % len(RULESET_NAMES)]
        if args.pale and not is_pale(seed, rules):
            continue
        settings = SimSettings(
            rules=rules,
            most_scenes=None if args.held else args.scenes,
            last_scenes=args.scenes if args.held else None,
            troubles=Troubles.none(),
            film=FilmSettings(size_wh=tuple(args.size)),
            arms=args.arms,
            hand_frames=2 if args.arms else 0,
            still_frames=1,
            show_hands=False,
            hub=not args.no_hub,
        )
        found = watched(seed, settings, HeldFilm if args.held else ClothFilm if args.pale else Film)
        print(json.dumps(found), flush=True)
        total.update({name: n if isinstance(n, int) else len(n) for name, n in found.items() if name not in UNCOUNTED})
        total["rounds"] += 1
    print(json.dumps(total, indent=1))


UNCOUNTED = ("seed", "rules")

if __name__ == "__main__":
    main()
