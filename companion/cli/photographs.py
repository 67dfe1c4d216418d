"""The commands that read photographs: `companion read`, `companion score` and `companion teach`.

The set on the table, as people type it: by name, or by its highest double alone.

`companion read`: the tiles in photographs.

`companion score`: the pips of a hand laid open, from one photograph.

`companion teach`: the reader learns the print of your own set from one photograph of its doubles in a row.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.own_set import (
    LEARNABLE_SETS,
    LEARNED,
    OWN_MARKERS,
    SETS,
    doubles_of,
    known_set,
    learn_markers,
    set_doubt,
    set_name,
)
from companion.cli.options import options, refusing
from companion.cli.serve import default_data_dir
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.ruleset_fields import RuleSetError
from companion.rules.tile import Tile
from vision.adaptation import AdaptationError
from vision.drawing import draw as drawing_of
from vision.eye import Eye, open_eye
from vision.frame import Image
from vision.hand_group import doubts, in_hand
from vision.pictures import PictureError, open_picture
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.rotated import sides
from vision.teaching import self_test, teach_markers
from vision.teaching import teach as learn_from
from vision.tile_shape import shape_of_sure
from vision.weights import WeightsError

WRITABLE = "a folder that can be written"


class SetName(click.Choice[str]):
    """A choice among names of sets that takes `12` for `double-12`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(set_name(value) if isinstance(value, str) else value, param, ctx)


@click.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@options("read", tile_set=SetName(SETS))
def read(images: tuple[str, ...], tile_set: str, as_json: bool, draw: Path | None, learned: Path | None) -> None:
    """Read the tiles in photographs.

    Prints a line a picture, or with --json an object; progress goes to stderr. A tile that cannot be read
    is named as unread, never guessed. Exit status 1 where a picture could not be read.

    \b
    companion read table.jpg
    companion read --set double-12 --draw seen photos/*.jpg
    """
    eye = eye_for(learned)
    known = known_set(tile_set)
    if draw is not None:
        make_folder(draw)
    refused = False
    drawn: Counter[str] = Counter()
    for number, name in enumerate(images, start=1):
        show_progress(name, number, len(images))
        try:
            image = open_picture(Path(name))
            reading = eye.look(image, known=known)
            if known is None:
                reading = with_set_doubt(reading)
        except PictureError as problem:
            refused = True
            show_refused(name, str(problem), as_json)
            continue
        click.echo(json.dumps(as_dict(name, reading)) if as_json else reading_text(name, reading))
        sys.stdout.flush()
        if draw is not None:
            drawn[Path(name).stem] += 1
            count = drawn[Path(name).stem]
            file = f"{Path(name).stem}.jpg" if count == 1 else f"{Path(name).stem}-{count}.jpg"
            save_drawing(draw / file, image, reading)
    if refused:
        raise SystemExit(1)


def with_set_doubt(reading: PictureReading) -> PictureReading:
    """The same, with a warning where no set holds all the tiles that were read."""
    doubt = set_doubt(Tile(*tile.values) for tile in reading.tiles if tile.values is not None)
    return reading if doubt is None else replace(reading, warnings=(*reading.warnings, doubt))


def show_progress(name: str, number: int, count: int) -> None:
    """Which picture is read, on stderr: a large one takes seconds, a folder of them minutes."""
    if count > 1 or sys.stderr.isatty():
        click.echo(f"reading {name}" + (f" ({number} of {count})" if count > 1 else ""), err=True)


def eye_for(learned: Path | None = None) -> Eye:
    """The eye with the shipped weights, or one line that says what is wrong with them."""
    with refusing(WeightsError, AdaptationError):
        return open_eye(learned)


def make_folder(folder: Path) -> None:
    with refusing(OSError, about=folder, expected="a folder to draw into"):
        folder.mkdir(parents=True, exist_ok=True)


def show_refused(name: str, problem: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"image": name, "error": problem}))
        sys.stdout.flush()
    click.echo(f"{name}: {problem}", err=True)


def as_dict(name: str, reading: PictureReading) -> dict[str, Any]:
    """One answer line, as the README describes it."""
    return {
        "image": name,
        "size": list(reading.size_wh),
        "ms": round(reading.ms, 1),
        "tiles": [_tile(tile) for tile in reading.tiles],
        "markers": [_found(marker) for marker in reading.markers],
        "hub": None if reading.hub is None else _found(reading.hub),
        "warnings": list(reading.warnings),
    }


def _tile(tile: TileReading) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "quad": _points(tile.quad_px),
        "face": tile.face,
        "values": None if tile.values is None else list(tile.values),
        "confidence": round(tile.confidence, 3),
    }
    if tile.halves is not None:
        answer["halves"] = [_half(half) for half in tile.halves]
    if tile.or_blank:
        answer["or"] = [0, 0]
    return answer


def _half(half: HalfReading) -> dict[str, Any]:
    return {"value": half.value, "p": round(half.p, 4), "others": [[v, round(p, 4)] for v, p in half.others]}


def _found(thing: Found) -> dict[str, Any]:
    return {"quad": _points(thing.quad_px), "confidence": round(thing.confidence, 3)}


def _points(quad: NDArray[np.float32]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def reading_text(name: str, reading: PictureReading) -> str:
    """The same for people: what lies there, what could not be read, and how long it took."""
    up = [tile for tile in reading.tiles if tile.face == "up"]
    values = sorted((min(v), max(v)) for v in (tile.values for tile in up) if v is not None)
    unreadable = len(up) - len(values)
    down = len(reading.tiles) - len(up)
    parts = [f"{len(up)} tile{'' if len(up) == 1 else 's'} face up"]
    if down:
        parts.append(f"{down} face down")
    if unreadable:
        parts.append(f"{unreadable} unreadable")
    if reading.markers:
        parts.append(f"{len(reading.markers)} marker{'' if len(reading.markers) == 1 else 's'}")
    if reading.hub is not None:
        parts.append("the hub")
    lines = [f"{name}: {', '.join(parts)} ({reading.ms:.0f} ms)"]
    if values:
        lines.append("  " + " ".join(f"{a}-{b}" for a, b in values))
    for tile in up:
        if tile.values is None and tile.halves is not None:
            x, y = tile.quad_px.mean(0)
            lines.append(f"  at {x:.0f},{y:.0f}: {_doubt(tile.halves[0])} and {_doubt(tile.halves[1])}")
    for tile in reading.tiles:
        if tile.or_blank:
            x, y = tile.quad_px.mean(0)
            lines.append(f"  at {x:.0f},{y:.0f}: face down or 0-0, nothing in its middle tells")
    lines.extend(f"  {warning}" for warning in reading.warnings)
    return "\n".join(lines)


def _doubt(half: HalfReading) -> str:
    if half.value is not None:
        return str(half.value)
    return f"unreadable ({' or '.join(map(str, half.maybe))}?)" if half.maybe else "unreadable"


def save_drawing(target: Path, image: Image, reading: PictureReading) -> None:
    """Writes the overlay; ClickException where the file cannot be written."""
    done, encoded = cv2.imencode(".jpg", drawing_of(image, reading), [cv2.IMWRITE_JPEG_QUALITY, 92])
    if not done:
        raise click.ClickException(f"{target}: the drawing could not be encoded")
    with refusing(OSError, about=target):
        target.write_bytes(encoded.tobytes())


MANY_UNREAD = 3
"""If this many tiles and a quarter of the hand are unread, it may be the print rather than the light."""
LEANS_DEG = 30.0
"""From here on that is why a tile could not be read, rather than its print."""
AT_EDGE = 0.1
"""In tile widths: the picture's edge may cut off an outline this near to it."""


@click.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@options("score", tile_set=SetName(SETS))
def score(images: tuple[str, ...], tile_set: str, rules: str, as_json: bool, learned: Path | None) -> None:
    """Count the pips of a hand laid open, in one or more photographs.

    A hand with a tile that cannot be read gets no score, only what it is at least. A picture of the whole table is
    refused. Exit status 1 then.

    \b
    companion score --rules reeves hand.jpg
    """
    with refusing(RuleSetError, into=click.UsageError):
        ruleset = load_ruleset(rules)
    eye = eye_for(learned)
    known = known_set(tile_set)
    complete = True
    for number, name in enumerate(images, start=1):
        show_progress(name, number, len(images))
        try:
            reading = eye.look(open_picture(Path(name)), known=known)
        except PictureError as problem:
            complete = False
            show_refused(name, str(problem), as_json)
            continue
        if shows_trains(reading.tiles):
            complete = False
            show_refused(name, "shows trains that lie on the table; expected the open tiles of one hand", as_json)
            continue
        counted = count(reading if known is not None else with_set_doubt(reading), ruleset)
        complete &= counted["score"] is not None
        click.echo(json.dumps({"image": name, **counted}) if as_json else score_text(name, counted))
        sys.stdout.flush()
    if not complete:
        raise SystemExit(1)


NEAR_WIDTHS = 0.6
"""In tile widths: ends of equal value so near to each other meet."""
TRAIN, LONG_TRAIN = 3, 6
"""So many tiles in a row make a train; somebody's hand may be laid out as one, but not as two, or as one so long."""


def shows_trains(tiles: Sequence[TileReading]) -> bool:
    """Whether the tiles lie on the table and in no hand: most lie in trains, and these are two, or a long one."""
    up = [tile for tile in tiles if tile.values is not None]
    trains = list[list[int]]()
    for n, tile in enumerate(up):
        met = [row for row in trains if any(_meet(tile, up[k]) or _meet(up[k], tile) for k in row)]
        trains = [*(row for row in trains if row not in met), [n, *(k for row in met for k in row)]]
    long = [len(row) for row in trains if len(row) >= TRAIN]
    return 2 * sum(long) > len(up) and (len(long) > 1 or max(long, default=0) >= LONG_TRAIN)


def _meet(one: TileReading, other: TileReading) -> bool:
    """Whether an end of `one` lies at an end of `other`, or across the middle of a double, with the same value."""
    assert one.values is not None and other.values is not None
    places = [(value, place) for value, place in zip(other.values, _ends(other), strict=True)]
    if other.values[0] == other.values[1]:
        places.append((other.values[0], np.mean(other.quad_px, axis=0)))
    near = NEAR_WIDTHS * float(np.min(sides(one.quad_px[None])))
    return any(
        value == there and np.hypot(*(end - place)) <= near * (1.5 if n == 2 else 1)
        for value, end in zip(one.values, _ends(one), strict=True)
        for n, (there, place) in enumerate(places)
    )


def _ends(tile: TileReading) -> tuple[Any, Any]:
    """The middles of the short sides, that of the first value first."""
    a, b, c, d = tile.quad_px
    return (a + b) / 2, (c + d) / 2


def count(reading: PictureReading, rules: RuleSet) -> dict[str, Any]:
    """The hand is the group of tiles nearest to the picture's middle; what lies elsewhere is named and not counted.

    `score` is None while a tile of the hand cannot be read, one lies on another, or one beside them was not found: then
    `at_least` is all that is known. `open` says of each tile that is not wholly read where it lies, which half is
    known, and what the other may be, likeliest first.
    """
    hand = in_hand(reading.tiles, reading.size_wh)
    mine = [tile for tile, counts in zip(reading.tiles, hand, strict=True) if counts]
    up = [tile for tile in mine if tile.face == "up"]
    tiles = sorted(Tile(*tile.values) for tile in up if tile.values is not None)
    unknown = [_open(tile) for tile in up if tile.values is None]
    points = sum(points_of(tile, rules) for tile in tiles) + sum(sum(one["known"]) for one in unknown)
    unread = len(unknown)
    warnings = list(reading.warnings)
    if unread:
        shape = shape_of_sure(reading.tiles)
        leans = shape is not None and shape.lean_deg >= LEANS_DEG
        cut = sum(_at_edge(tile, reading.size_wh) for tile in up if tile.values is None)
        strange = unread - cut >= MANY_UNREAD and (unread - cut) * 4 >= len(up) and not reading.warnings
        nearer = "show all of the hand" if 2 * cut >= unread else "come closer"
        way = "hold the camera more from above" if leans else nearer
        teach = "; teach it your set if that looks unusual" if strange and not leans else ""
        warnings.append(f"{unread} of {len(up)} tiles could not be read: add those yourself, or {way}{teach}")
    more = doubts(reading, hand)
    warnings += more
    unsettled = sum(tile.or_blank for tile in mine)
    if unsettled:
        warnings.append(
            f"{unsettled} tile{'s lie' if unsettled > 1 else ' lies'} face down or {'are' if unsettled > 1 else 'is'} "
            "the double blank: nothing in the middle tells; take the tiles away that lie face down"
        )
    down = len(mine) - len(up) - unsettled
    if down:
        warnings.append(
            f"{down} tile{'s lie' if down > 1 else ' lies'} face down and {'are' if down > 1 else 'is'} not counted"
        )
    elsewhere = len(reading.tiles) - len(mine)
    if elsewhere:
        warnings.append(
            f"{elsewhere} tile{'s' if elsewhere > 1 else ''} away from the hand in the middle "
            f"{'are' if elsewhere > 1 else 'is'} not counted"
        )
    if not reading.tiles:
        warnings.append("no tile was found")
    if rules.is_mexican and not reading.warnings:
        warnings += [f"{tile} was read {n} times" for tile, n in Counter(tiles).items() if n > 1]
    known = bool(up) and not unread and not unsettled and not more
    return {
        "tiles": [[tile.low, tile.high] for tile in tiles],
        "unread": unread + unsettled,
        "open": unknown,
        "elsewhere": elsewhere,
        "score": points if known else None,
        "at_least": points,
        "rules": rules.name,
        "warnings": warnings,
    }


def _at_edge(tile: TileReading, size_wh: tuple[int, int]) -> bool:
    """Whether the picture ends where the tile's outline does, so that more of it may lie outside."""
    wide = float(np.min(sides(tile.quad_px[None])))
    return bool(np.minimum(tile.quad_px, np.array(size_wh) - tile.quad_px).min() < AT_EDGE * wide)


def _open(tile: TileReading) -> dict[str, Any]:
    halves = tile.halves or ()
    return {
        "at": [round(float(x)) for x in tile.quad_px.mean(0)],
        "known": [half.value for half in halves if half.value is not None],
        "maybe": [half.maybe for half in halves if half.value is None],
    }


def points_of(tile: Tile, rules: RuleSet) -> int:
    """A tile's own pips; the double blank by the rule set."""
    return rules.double_blank if rules.is_mexican and tile == Tile(0, 0) else tile.pips


def score_text(name: str, counted: dict[str, Any]) -> str:
    tiles = " ".join(f"{a}-{b}" for a, b in counted["tiles"]) or "no tile read"
    points = counted["score"] if counted["score"] is not None else f"at least {counted['at_least']}"
    asked = [f"  at {x}, {y}: {_question(one)}" for one in counted["open"] for x, y in [one["at"]]]
    said = [f"  {warning}" for warning in counted["warnings"]]
    return "\n".join([f"{name}: {points} points ({tiles})", *asked, *said])


def _question(one: dict[str, Any]) -> str:
    perhaps = [" or ".join(map(str, values)) for values in one["maybe"]]
    if one["known"]:
        return f"one half is {one['known'][0]}; what is the other?" + (f" ({perhaps[0]})" if perhaps[0] else "")
    told = " and ".join(values or "?" for values in perhaps)
    return "what is this tile?" + (f" ({told})" if any(perhaps) else "")


@click.command()
@click.argument("image", required=False)
@options("teach", tile_set=SetName(LEARNABLE_SETS))
def teach(
    image: str | None,
    tile_set: str,
    check: str | None,
    markers: str | None,
    data: Path | None,
    export: str | None,
    forget: bool,
    as_json: bool,
) -> None:
    """Learn your own set: lay its doubles side by side, lowest first, and take one photograph straight from above."""
    folder = data or default_data_dir()
    target = folder / LEARNED
    if export is not None:
        click.echo(exported(folder, Path(export)))
        return
    if forget:
        try:
            target.unlink(missing_ok=True)
            (folder / OWN_MARKERS).unlink(missing_ok=True)
        except OSError as problem:
            raise click.ClickException(f"{target}: {problem.strerror}") from None
        click.echo(f"{target}: forgotten, the shipped weights read alone")
        return
    if markers is not None:
        known = markers_taught(markers, folder)
        click.echo(json.dumps(known) if as_json else f"{known['markers']} markers learned, {known['known']} known")
        return
    if image is None and check is None:
        raise click.UsageError("expected a photograph of the doubles in a row, or --check or --markers with one")
    doubles = doubles_of(tile_set)
    answer: dict[str, object] = {"set": tile_set}
    if image is not None:
        answer |= taught(image, doubles, tile_set, target)
    if check is not None:
        answer |= checked(check, doubles, target)
    click.echo(json.dumps(answer) if as_json else teaching_text(answer, target))
    if not answer.get("kept", True):
        raise SystemExit(1)


def taught(image: str, doubles: list[int], name: str, target: Path) -> dict[str, object]:
    """Learns, and keeps what was learned only where it does not read worse than the network alone."""
    start = time.perf_counter()
    with refusing(AdaptationError, about=image), refusing(OSError, about=target, expected=WRITABLE):
        lesson = learn_from(eye_for(), opened(image), doubles, name)
        kept = lesson.after >= lesson.before
        if kept:
            lesson.adaptation.save(target)
    return {
        "tiles": lesson.tiles,
        "before": round(lesson.before, 4),
        "after": round(lesson.after, 4),
        "weight": lesson.adaptation.weight,
        "seconds": round(time.perf_counter() - start, 1),
        "kept": kept,
    }


def markers_taught(image: str, folder: Path) -> dict[str, int]:
    """Learns the markers of a photograph: how many there were, and how many are known by now."""
    with refusing(AdaptationError, about=image), refusing(OSError, about=folder / OWN_MARKERS, expected=WRITABLE):
        looks = teach_markers(eye_for(), opened(image))
        own = learn_markers(folder, looks)
    return {"markers": len(looks), "known": len(own.looks)}


def checked(image: str, doubles: list[int], target: Path) -> dict[str, object]:
    """The self-test: halves of a known row read right, wrong and not at all, with what was learned."""
    with refusing(AdaptationError, about=image):
        result = self_test(eye_for(target if target.exists() else None), opened(image), doubles)
    return {"right": result.right, "wrong": result.wrong, "unread": result.unread}


def exported(folder: Path, target: Path) -> str:
    """Everything corrected in play as a data set for training; says how much it is."""
    from companion.app.learning import pack, samples

    found = samples(folder)
    if not found:
        raise click.ClickException(f"{folder}: no tile of a picture has been corrected yet")
    with refusing(OSError, about=target, expected="a file that can be written"):
        fresh = target.with_name(target.name + ".part")
        with fresh.open("wb") as into:
            pack(folder, into)
        fresh.replace(target)
    return f"{target}: {len(found)} corrected tiles"


def opened(name: str) -> Image:
    with refusing(PictureError, about=name):
        return open_picture(Path(name))


def teaching_text(answer: dict[str, object], target: Path) -> str:
    lines = []
    if "tiles" in answer:
        lines.append(
            f"{answer['tiles']} doubles learned in {answer['seconds']} s: of the halves left out "
            f"{float(str(answer['after'])):.0%} were read right, {float(str(answer['before'])):.0%} without"
        )
        lines.append(f"kept in {target}" if answer["kept"] else "not kept: the shipped weights read this set better")
    if "right" in answer:
        lines.append(f"self-test: {answer['right']} halves right, {answer['wrong']} wrong, {answer['unread']} unread")
    return "\n".join(lines)
