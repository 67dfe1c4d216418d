"""The cost and the gain of each gate of the reader: `python -m bench.gates --photographs ../shared/photos`.

    python -m bench.gates --photographs DIR --toys 21      the labelled photographs, and with toys on them (a seed)
    python -m bench.gates --rendered DIR --rendered DIR    folders of `datasets.render` and `datasets.traced`
    python -m bench.gates --tables 10 --first-seed 3000 [--renderer FOLDER]    a calibrated camera above full tables
    python -m bench.gates --racks 16 --first-seed 9500                         hands in racks, a lip over their ends

A gate is whatever refuses a reading, or believes one. Each is switched off alone, and every picture in which that
changes anything is read again; what the networks answer is kept meanwhile. The first row counts halves read: right,
and wrong (another value, or any value where no tile lies face up), and finds that are no tile. The others say what
happens without the gate: `+3` right readings are three that the gate costs, `+2` wrong ones two that it saves. A row of
dashes is a gate that never did anything there. `--only` runs some of the gates. `--into FILE` keeps what each picture
gave, so that pictures which stand in it are not read again; `bench/results/gates.json` keeps the sums.

Each gate's docstring has its row, as `bench.gates, NAME: photographs +1/+3/0, toys -.`: the halves read rightly and
wrongly and the finds that are no tile which come without it. A test compares the two.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from functools import partial
from hashlib import blake2b
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.ablation import Case, always, switched_off
from bench.covered import HIDES, crowded, labelled
from bench.foreign_film import ForeignFilm
from bench.racks import rack, with_lip
from datasets.folder_argument import LABELLED, RENDERED, RENDERER, folder_with
from datasets.render.table import render_table
from datasets.simulator.film import Film, FilmSettings
from datasets.simulator.random_tables import random_table
from datasets.simulator.tabletop import TableFullError
from models import scoring
from models.evaluate import label_of, prediction
from vision.calibration import Calibration
from vision.detections import Detections
from vision.eye import Eye, open_eye
from vision.familiar import Appearance
from vision.frame import Image
from vision.known_set import KnownSet
from vision.pictures import open_picture
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.tile_size import TileSize

SIZE_WH = (2400, 1800)
Off = Callable[[Any], Any]
Counts = np.ndarray[Any, Any]
"""(3,) halves read right and wrong, finds that are no tile."""
COMPARED = (HalfReading, TileReading, Found, Detections)
REMEMBERED = (
    "vision.inference:Network.__call__",
    "vision.detector:Detector.find",
    "vision.detector:Detector.find_at",
    "vision.markers:MarkerJudge.judge",
    "vision.hidden:solid",
)


@dataclass(frozen=True, slots=True)
class Gate:
    """`place` is "module:function"; `off` makes of that function what stands there instead. The figures stand in the
    docstring of `number`, where it is one, or of the function."""

    name: str
    place: str
    off: Off
    number: str = ""

    @property
    def docstring(self) -> str:
        """In one line."""
        if self.number:
            return _beside(*self.number.split(":"))
        owner, name = Case("", self.place, None).target
        return " ".join((inspect.getdoc(getattr(owner, name)) or "").split())


def _beside(module: str, name: str) -> str:
    """The docstring of a module's number of that name, in one line."""
    body = ast.parse(inspect.getsource(import_module(module))).body
    for one, after in pairwise(body):
        if isinstance(one, ast.ImportFrom) and name in {imported.name for imported in one.names}:
            return _beside(str(one.module), name)
        if isinstance(one, ast.Assign) and name in {at.id for at in ast.walk(one) if isinstance(at, ast.Name)}:
            return " ".join(str(ast.literal_eval(after.value)).split()) if isinstance(after, ast.Expr) else ""
    return ""


def same(n: int) -> Off:
    """Its n-th argument, as it came."""
    return lambda _: lambda *given, **__: given[n].copy() if isinstance(given[n], np.ndarray) else given[n]


def none_of(n: int, dtype: type = np.bool_) -> Off:
    """No for each of its n-th argument; as numbers, of none."""
    return lambda _: lambda *given, **__: np.zeros(len(given[n]) if dtype is np.bool_ else 0, dtype)


def nothing(value: Any) -> Off:
    return lambda _: always(value)


def numbered(name: str, place: str, number: str, value: Any) -> Gate:
    """A gate that is a number, by which the function at `place` goes."""
    return Gate(name, place, under_number(number, value), number)


def under_number(place: str, value: Any) -> Off:
    """The same function under another number."""

    def off(function: Any) -> Any:
        def under(*given: Any, **named: Any) -> Any:
            with switched_off(Case("", place, value)):
                return function(*given, **named)

        return under

    return off


STAGES, HIDDEN, LOOK, EYE = "vision.reader", "vision.hidden", "vision.second_look", "vision.eye"
GATES = (
    Gate("a find of no tile's size, before it is judged", "vision.tile_size:TileSize.weeded", same(1)),
    Gate("an outline of another size than a tile has there", f"{STAGES}:_fitted", same(1)),
    Gate("a part of a tile", f"{STAGES}:_parts", none_of(1, np.intp)),
    Gate("a face, a back or nobody knows", f"{STAGES}:_tell_from_blanks", nothing(None)),
    Gate("backs judged among others", f"{STAGES}:among_others", nothing(None)),
    Gate("backs that a pattern goes on through", "vision.backs:_going_on", none_of(1, np.intp)),
    numbered("none more surely than a half", f"{STAGES}:doubted", f"{STAGES}:PHANTOM", 1.1),
    Gate("strange among its own value", "vision.familiar:Appearance.believed", same(1)),
    Gate("values of another set", f"{STAGES}:softened", same(0)),
    Gate("a rare value without its print", "vision.prints:supported", same(0)),
    Gate("many pips by their print", "vision.prints:printed", same(0)),
    Gate("pips dotted by hand", "vision.by_hand:doubted", same(2)),
    numbered("a value less probable than READABLE", f"{STAGES}:settled", f"{STAGES}:READABLE", 0.5),
    numbered("a half of a few pixels", f"{STAGES}:settled", f"{STAGES}:SMALLEST_HALF_PX", 0.0),
    numbered("found faintly and half read", f"{STAGES}:settled", f"{STAGES}:SHAKY_DETECTION", 0.0),
    numbered("found faintly and not read", f"{STAGES}:settled", f"{STAGES}:DOUBTFUL_DETECTION", 0.0),
    Gate("of another size or colour", f"{STAGES}:strangers", none_of(0)),
    Gate("a gap among backs", f"{STAGES}:gaps", none_of(0)),
    Gate("under something", f"{HIDDEN}:Covers.settled", same(2)),
    numbered("under something, hardly sure", f"{HIDDEN}:Covers.settled", f"{HIDDEN}:THOUGH_DISTURBED", 0.0),
    numbered("under much, without lines", f"{HIDDEN}:Covers.settled", f"{HIDDEN}:LEAST_UNDIVIDED", 999),
    Gate("under what is larger than a pip", f"{HIDDEN}:solid", nothing(np.zeros((10, 20), np.float32))),
    Gate(
        "beyond the picture's edge",
        f"{HIDDEN}:beyond",
        lambda _: lambda _shape, quads: np.zeros((len(quads), 2, 10, 10), bool),
    ),
    Gate("under a marker", f"{EYE}:uncovered", same(0)),
    Gate("the line lies elsewhere", f"{EYE}:well_outlined", same(1)),
    Gate("an outline cut short", f"{EYE}:cut_short_doubted", same(0)),
    numbered("an outline cut short, of few", f"{EYE}:cut_short_doubted", "vision.tile_shape:CUT", -9.0),
    numbered("an outline hardly longer than wide", f"{EYE}:cut_short_doubted", "vision.tile_shape:SHORTEST", 0.0),
    Gate("digits", f"{EYE}:refused_by_digits", lambda _: lambda _image, tiles, _box: (tiles, None)),
    numbered("two looks: across tiles of the other", f"{EYE}:merged", f"{LOOK}:ACROSS", 9.0),
    numbered("two looks: read again as surely", f"{EYE}:merged", f"{LOOK}:SURELY", 0.0),
    Gate("two looks: a half of a new tile", f"{LOOK}:_is_there", nothing(True)),
    Gate("two looks", f"{EYE}:straightened", nothing(None)),
    Gate("what shows a tile too often", "vision.known_set:KnownSet.too_often", none_of(1)),
    Gate(
        "places in chains", f"{STAGES}:_in_chains", lambda _: lambda _look, finds, _short: finds[:0].view(np.recarray)
    ),
    Gate("doubtful tiles looked for about their places", f"{STAGES}:_realign", nothing(None)),
    Gate("tiles under toys, however faint", f"{STAGES}:_under_things", none_of(1)),
    Gate("double blanks by their divider", f"{STAGES}:with_dividers", none_of(1)),
    Gate("doubtful values by the looks of others", "vision.familiar:Appearance.weighed", same(1)),
    Gate("markers on unread halves", f"{EYE}:markers_on", nothing([])),
    Gate("markers that pips contradict", f"{EYE}:bare", lambda _: lambda _tiles, markers: list(markers)),
    numbered("the tile itself, askew on something", f"{HIDDEN}:Covers.settled", f"{HIDDEN}:ITSELF", 9.0),
    Gate("what recurs is printed", f"{HIDDEN}:printed", none_of(0)),
    Gate("dusk lifted", f"{EYE}:lifted", same(0)),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as `opened`, the tiles in it as the photographs' labels have them (a half that nobody knows is None),
    and what the eye is told beforehand; `one_box` where it is that of a table's camera."""

    kind: str
    opened: Callable[[], Image]
    label: Mapping[str, Any]
    told: Mapping[str, Any] = field(default_factory=dict)
    one_box: bool = False


def photographs(folder: Path) -> Iterator[Shown]:
    for label in scoring.read_lines(folder / "labels.jsonl"):
        yield Shown("photographs", partial(open_picture, folder / label["image"]), label)


def with_toys(folder: Path, seed: int) -> Iterator[Shown]:
    rng = np.random.default_rng(seed)
    for name, tiles in labelled(folder):
        picture, halves = crowded(open_picture(folder / name), tiles, 99, rng)
        truths = [{"quad": quad.tolist(), "face": "up", "values": list(values)} for quad, values in tiles]
        for half in halves:
            if half.hidden and not HIDES[0] <= half.hidden <= HIDES[1]:
                truths[half.tile]["values"][half.half] = None
        yield Shown("toys", partial(always(picture)), {"image": name, "tiles": truths, "complete": False})


def rendered(folder: Path) -> Iterator[Shown]:
    for path in sorted((folder / "images").glob("*.jpg")):
        meta = json.loads((folder / "meta" / f"{path.stem}.json").read_text(encoding="utf-8"))
        yield Shown(folder.name, partial(cv2.imread, str(path)), label_of(path.name, folder.name, meta))


def tables(seeds: range, renderer: Path | None) -> Iterator[Shown]:
    """Full tables under a camera that knows where the table is, how large its tiles are and which set lies there."""
    for seed in seeds:
        try:
            plan, table, *_ = random_table(seed, hub=seed % 2 == 0, touching=seed % 4 == 1)
        except TableFullError:
            continue
        settings = FilmSettings(size_wh=SIZE_WH)
        film = Film(plan, seed, settings) if renderer is None else ForeignFilm(plan, seed, settings, folder=renderer)
        film.develop(table)
        corners = np.asarray(film.corners_px(), np.float32)
        here = Calibration.from_corners(corners, plan.size_mm, plan.tile_mm[2], size_wh=SIZE_WH)
        long, wide, _ = plan.tile_mm
        truths = []
        for tile in table.visible():
            turn = np.radians(tile.heading_deg)
            u, v = np.array([np.cos(turn), np.sin(turn)]) * long / 2, np.array([-np.sin(turn), np.cos(turn)]) * wide / 2
            around = [(-1, 1), (-1, -1), (1, -1), (1, 1)]
            quad = here.to_px([np.array(tile.center_mm) + a * u + b * v for a, b in around])
            places = [np.array(tile.center_mm) - u / 2, np.array(tile.center_mm) + u / 2]
            values = [
                None if any(np.hypot(*(place - marker)) < long / 2 for marker in table.markers.values()) else value
                for place, value in zip(places, tile.laid, strict=True)
            ]
            face = "up" if tile.face_up else "down"
            truths.append({"quad": quad.tolist(), "face": face, "values": values if tile.face_up else None})
        told = {
            "tile_length_px": here.px_per_mm * long,
            "known": KnownSet.double(12),
            "size": TileSize(here, (long, wide)),
        }
        label = {"image": str(seed), "tiles": truths}
        yield Shown("tables", partial(always(film.frame())), label, told, one_box=True)


def racks(seeds: range) -> Iterator[Shown]:
    """Hands in racks: of a half under the lip what is claimed is right or wrong as of any other."""
    for seed in seeds:
        scene, hidden = rack(seed)
        image, objects = render_table(scene, seed)
        image = with_lip(scene, image, hidden, seed)
        truths = [
            {"quad": np.asarray(one["quad"], float).tolist(), "face": "up", "values": [int(v) for v in one["values"]]}
            for one in objects
            if "index" in one
        ]
        yield Shown("racks", partial(always(image)), {"image": str(seed), "tiles": truths})


def halves_read(label: Mapping[str, Any], reading: PictureReading) -> Counts:
    """How many halves are read right, how many wrong, and how many finds are no tile."""
    field_poly, truths, found = label.get("field_poly"), label["tiles"], prediction("", reading)["tiles"]
    said = [[half.value for half in tile.halves or ()] for tile in reading.tiles]
    inside = [n for n, tile in enumerate(found) if not field_poly or scoring.inside(scoring.centre(tile), field_poly)]
    pairs = scoring.matches(truths, [found[n] for n in inside])
    right, claimed, invented = 0, 0, 0
    for i, j in pairs:
        true, claims = truths[i]["values"], said[inside[j]]
        if true is None:
            claimed += truths[i]["face"] == "down" and sum(one is not None for one in claims)
            continue
        # Which end the first value is at may be unknown, but not where a half is covered.
        ways = [_as_labelled(truths[i], found[inside[j]], claims)] if None in true else [claims, claims[::-1]]
        claimed += sum(None not in two for two in zip(ways[0], true, strict=bool(claims)))
        right += max(sum(a == b is not None for a, b in zip(way, true, strict=bool(claims))) for way in ways)
    if label.get("complete", True):
        matched = {inside[j] for _, j in pairs}
        others = [n for n in inside if n not in matched]
        invented, claimed = len(others), claimed + sum(one is not None for n in others for one in said[n])
    return np.array([right, claimed - right, invented])


def _as_labelled(truth: Mapping[str, Any], tile: Mapping[str, Any], claims: list[Any]) -> list[Any]:
    """The claims about a tile's halves, in the order of its label."""
    first, one, other = (np.mean(ends, axis=0) for ends in (truth["quad"][:2], tile["quad"][:2], tile["quad"][2:]))
    return claims if np.hypot(*(one - first)) <= np.hypot(*(other - first)) else claims[::-1]


@contextmanager
def remembered() -> Iterator[None]:
    """Work out once each slow step that no gate changes."""
    with ExitStack() as all_kept:
        for place in REMEMBERED:
            owner, name = Case("", place, None).target
            all_kept.enter_context(switched_off(Case("", place, _once(getattr(owner, name)))))
        yield


def _once(function: Any) -> Any:
    told = dict[Any, Any]()

    def asked(*given: Any, **named: Any) -> Any:
        question = repr([_told(one) for one in (*given, *named.values())])
        if question not in told:
            told[question] = function(*given, **named)
        return _copied(told[question])

    return asked


@contextmanager
def noted(gates: Sequence[Gate], acting: set[str]) -> Iterator[None]:
    """Adds to `acting` the names of the gates that would answer otherwise, each time that one is asked."""
    with ExitStack() as all_off:
        for place in {gate.place for gate in gates}:
            here = [gate for gate in gates if gate.place == place]
            owner, name = Case("", place, None).target
            all_off.enter_context(switched_off(Case("", place, _both(getattr(owner, name), here, acting))))
        yield


def _both(function: Any, gates: Sequence[Gate], acting: set[str]) -> Any:
    def asked(*given: Any, **named: Any) -> Any:
        before = [_copied(one) for one in given]
        answer = function(*given, **named)
        for gate in gates:
            if gate.name not in acting:
                others = [_copied(one) for one in before]
                other = gate.off(function)(*others, **named)
                if _told((answer, given)) != _told((other, others)):
                    acting.add(gate.name)
        return answer

    return asked


def _copied(thing: Any) -> Any:
    return thing.copy() if isinstance(thing, (np.ndarray, list)) else thing


def _told(thing: Any) -> Any:
    """The comparable part of a question or an answer."""
    if isinstance(thing, np.ndarray) and thing.dtype.names is None:
        return thing.shape, blake2b(np.ascontiguousarray(thing), digest_size=16).digest()
    if isinstance(thing, np.ndarray):
        return [_told(thing[name]) for name in thing.dtype.names or ()]
    if isinstance(thing, (list, tuple)):
        return [_told(one) for one in thing]
    if isinstance(thing, dict):  # a pyramid
        return _told(thing[1])
    if isinstance(thing, COMPARED):
        return [_told(getattr(thing, one.name)) for one in fields(thing)]
    return thing if isinstance(thing, (int, float, str, type(None))) else id(thing)


def without(gate: Gate | None) -> AbstractContextManager[None]:
    """The gate switched off."""
    if gate is None:
        return nullcontext()
    owner, name = Case("", gate.place, None).target
    return switched_off(Case("", gate.place, gate.off(getattr(owner, name))))


def counted(shown: Shown, eye: Eye, gates: Sequence[Gate]) -> dict[str, Counts]:
    """The halves read of a picture, under the name ""; and by how many more they are without each gate that acts."""
    picture, acting = shown.opened(), set[str]()

    def look(gate: Gate | None = None) -> Counts:
        eye.familiar = Appearance() if shown.one_box else None
        with without(gate):
            return halves_read(shown.label, eye.look(picture, **shown.told))

    with remembered():
        with noted(gates, acting):
            first = look()
        return {"": first} | {gate.name: look(gate) - first for gate in gates if gate.name in acting}


def row(counts: Mapping[str, Mapping[str, Sequence[int]]], gate: str) -> str:
    """The line for a gate's docstring, from kind of picture -> gate -> three figures."""
    told = [f"{kind} " + ("/".join(_more(n) for n in by[gate]) if gate in by else "-") for kind, by in counts.items()]
    return f"bench.gates, {gate}: {', '.join(told)}."


def _more(count: int) -> str:
    return f"{count:+}" if count else "0"


def table(counts: Mapping[str, Mapping[str, Sequence[int]]], gates: Sequence[Gate]) -> Iterator[str]:
    """The lines for people: a row a gate, three columns a kind of picture."""
    yield "| gate | " + " | ".join(f"{kind}: right | wrong | no tile" for kind in counts) + " |"
    yield "|" + "---|" * (1 + 3 * len(counts))
    yield "| all halves | " + " | ".join(f"{n}" for by in counts.values() for n in by[""]) + " |"
    for gate in gates:
        cells = [_more(n) if gate.name in by else "-" for by in counts.values() for n in by.get(gate.name, (0, 0, 0))]
        yield f"| {gate.name} | " + " | ".join(cells) + " |"


def summed(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[int]]]:
    """Kind of picture -> gate -> three figures, from what each picture gave."""
    out: dict[str, dict[str, list[int]]] = {}
    for one in rows:
        by = out.setdefault(one["kind"], {})
        for name, figures in one["without"].items():
            by[name] = [a + b for a, b in zip(by.get(name, (0, 0, 0)), figures, strict=True)]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=folder_with(LABELLED))
    parser.add_argument("--toys", type=int, metavar="SEED", help="the photographs again, with toys on them")
    parser.add_argument("--rendered", type=folder_with(RENDERED), action="append", default=[])
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--racks", type=int, default=0)
    parser.add_argument("--first-seed", type=int, default=3000)
    parser.add_argument("--renderer", type=folder_with(RENDERER), help="another renderer draws the tables")
    parser.add_argument("--only", nargs="+", help="only gates whose name has one of these words")
    parser.add_argument("--into", type=Path, help="a file that keeps what each picture gave, a line each")
    parser.add_argument("--sums", type=Path, help="a file to write the sums to, as bench/results/gates.json has them")
    args = parser.parse_args()
    gates = [gate for gate in GATES if not args.only or any(word in gate.name for word in args.only)]
    shown: list[Iterator[Shown]] = [rendered(folder) for folder in args.rendered]
    if args.photographs:
        shown += [photographs(args.photographs)] if args.toys is None else [with_toys(args.photographs, args.toys)]
    shown.append(tables(range(args.first_seed, args.first_seed + args.tables), args.renderer))
    shown.append(racks(range(args.first_seed, args.first_seed + args.racks)))
    eyes = {one_box: open_eye(one_box=one_box) for one_box in (False, True)}
    kept = scoring.read_lines(args.into) if args.into and args.into.exists() else []
    known = {(one["kind"], one["image"]) for one in kept}
    for one in (one for kind in shown for one in kind):
        if (one.kind, one.label["image"]) in known:
            continue
        found = {name: n.tolist() for name, n in counted(one, eyes[one.one_box], gates).items()}
        kept.append({"kind": one.kind, "image": one.label["image"], "without": found})
        print(one.kind, one.label["image"], {name: n for name, n in found.items() if any(n)}, file=sys.stderr)
        if args.into:
            with args.into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept[-1]) + "\n")
    sums = summed(kept)
    if args.sums:
        lines = (f"{json.dumps(kind)}: {json.dumps(by)}" for kind, by in sums.items())
        args.sums.write_text("{" + ",\n ".join(lines) + "}\n", encoding="utf-8")
    print("\n".join(table(sums, gates)))


if __name__ == "__main__":
    main()
