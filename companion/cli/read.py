"""`companion read`: the tiles in photographs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.named_sets import SETS, known_set, set_doubt
from companion.cli.set_name import SetName
from companion.rules.tile import Tile
from vision.adaptation import AdaptationError
from vision.drawing import draw as drawing_of
from vision.eye import Eye, open_eye
from vision.frame import Image
from vision.pictures import PictureError, open_picture
from vision.reading import Found, HalfReading, PictureReading, TileReading
from vision.weights import WeightsError


@click.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@click.option("--set", "tile_set", type=SetName(SETS), default="auto", show_default=True, help="The set on the table.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line and image.")
@click.option(
    "--draw", type=click.Path(file_okay=False, path_type=Path), help="Folder for pictures with the reading drawn in."
)
@click.option("--learned", type=click.Path(path_type=Path), help="What `teach` learned of your own set.")
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
        click.echo(json.dumps(as_dict(name, reading)) if as_json else as_text(name, reading))
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
    try:
        return open_eye(learned)
    except (WeightsError, AdaptationError) as problem:
        raise click.ClickException(str(problem)) from None


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise click.ClickException(f"{folder}: {problem.strerror}, expected a folder to draw into") from None


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


def as_text(name: str, reading: PictureReading) -> str:
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
    candidates = [str(value) for value, p in half.others if p >= 0.1]
    return f"unreadable ({' or '.join(candidates)}?)" if candidates else "unreadable"


def save_drawing(target: Path, image: Image, reading: PictureReading) -> None:
    """Writes the overlay; ClickException where the file cannot be written."""
    done, encoded = cv2.imencode(".jpg", drawing_of(image, reading), [cv2.IMWRITE_JPEG_QUALITY, 92])
    if not done:
        raise click.ClickException(f"{target}: the drawing could not be encoded")
    try:
        target.write_bytes(encoded.tobytes())
    except OSError as problem:
        raise click.ClickException(f"{target}: {problem.strerror}") from None


if __name__ == "__main__":
    read()
