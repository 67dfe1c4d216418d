"""`companion report GAME`: one file for whoever looks into a fault, with the game and without the people in it."""

from __future__ import annotations

import json
import platform
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from PIL import Image, ImageOps, UnidentifiedImageError

from companion.app.redaction import SOMEBODY, Redaction, stand_ins
from companion.cli.serve_diagnostics import PACKAGES
from companion.log.journal import JournalError, JournalText, parse_line, read_journal
from companion.storage.checksums import split_line
from companion.storage.packed import NewZip

LONGEST_SIDE = 4096
"""Pictures are made no larger than this, in pixels: a pip stays legible, and the file can be sent."""

WHAT = """What is in this file

about.json     versions, and the machine
journal.jsonl  the game: what the camera saw, what people said, what the page said. Players are P1, P2 ...
picture-N.jpg  pictures that you named, without what the camera or phone wrote beside them

What is not in it: names of players, places of files, any picture that you did not name.
"""


@click.command(name="report")
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--picture", "pictures", type=click.Path(path_type=Path), multiple=True, help="Add this picture; repeat.")
@click.option("--into", type=click.Path(path_type=Path), help="The file to write.  [default: GAME's name, -report.zip]")
def report(game: Path, pictures: tuple[Path, ...], into: Path | None) -> None:
    """Pack a game for whoever looks into a fault, without the names in it.

    GAME is a journal.jsonl from the folder of the games, or from a zip that the page saved. Look inside the file before
    you send it. Exit status 1 where something cannot be read.

    \b
    companion report journal.jsonl
    companion report journal.jsonl --picture table.jpg
    """
    try:
        text = read_journal(game)
        lines = redacted_lines(game.read_bytes(), text)
        packed = [(f"picture-{number}.jpg", bare_picture(path)) for number, path in enumerate(pictures, start=1)]
    except (JournalError, OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise click.ClickException(str(error)) from None
    target = into or game.with_name(f"{game.stem}-report.zip")
    about = {
        "version": metadata.version("tabletop-companion"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }
    try:
        with NewZip(target) as bundle:
            bundle.writestr("READ-ME.txt", WHAT)
            bundle.writestr("about.json", json.dumps(about, indent=1))
            bundle.writestr("journal.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
            for name, content in packed:
                bundle.writestr(name, content)
    except OSError as error:
        raise click.ClickException(f"{target}: cannot be written: {error.strerror}") from None
    click.echo(str(target))


def redacted_lines(content: bytes, text: JournalText) -> list[dict[str, Any]]:
    """The lines of a journal that was read as `text`: the players as P1, P2 ..., whoever else is named as somebody,
    checksums and unknown fields of the header left out. The result opens as a journal.
    """
    players = text.header.players
    others = {event.who for event in text.events if isinstance(event.who, str)} - set(players)
    redaction = Redaction({**dict.fromkeys(others, SOMEBODY), **stand_ins(players)})
    header = {key: value for key, value in text.header.to_json().items() if key not in text.header.extra}
    lines = [{**redaction.event(header), "journal": text.version, "players": list(stand_ins(players).values())}]
    for line in content[: text.good_bytes].splitlines()[1:]:
        if line.strip():
            lines.append(redaction.event(parse_line(split_line(line)[0])))
    return lines


def bare_picture(path: Path) -> bytes:
    """A picture as JPEG, upright, without metadata. Raises OSError, UnidentifiedImageError."""
    with Image.open(path) as image:
        upright = ImageOps.exif_transpose(image).convert("RGB")
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    written = BytesIO()
    upright.save(written, "JPEG", quality=95, exif=b"")
    return written.getvalue()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
