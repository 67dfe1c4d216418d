"""`companion teach`: the reader learns the print of your own set from one photograph of its doubles in a row."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from companion.app.learned import LEARNED, OWN_MARKERS, SETS, doubles_of, learn_markers
from companion.cli.read import eye_for
from companion.cli.serve import default_data_dir
from companion.cli.set_name import SetName
from vision.adaptation import AdaptationError
from vision.frame import Image
from vision.pictures import PictureError, open_picture
from vision.teaching import self_test, teach_markers
from vision.teaching import teach as learn_from


@click.command()
@click.argument("image", required=False)
@click.option("--set", "tile_set", type=SetName(SETS), default="double-12", show_default=True, help="Your set.")
@click.option("--check", metavar="IMAGE", help="Another photograph of the same row: the self-test.")
@click.option("--markers", metavar="IMAGE", help="A photograph of one tile and your markers, all apart.")
@click.option("--data", type=click.Path(path_type=Path), help="Data folder; left out: the one that serve uses.")
@click.option("--export", metavar="FILE.zip", help="The tiles that were corrected in play, labelled in YOLO's format.")
@click.option("--forget", is_flag=True, help="Read with the shipped weights alone again.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
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
        target.unlink(missing_ok=True)
        (folder / OWN_MARKERS).unlink(missing_ok=True)
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
    click.echo(json.dumps(answer) if as_json else as_text(answer, target))
    if not answer.get("kept", True):
        raise SystemExit(1)


def taught(image: str, doubles: list[int], name: str, target: Path) -> dict[str, object]:
    """Learns, and keeps what was learned only where it does not read worse than the network alone."""
    start = time.perf_counter()
    try:
        lesson = learn_from(eye_for(), opened(image), doubles, name)
        kept = lesson.after >= lesson.before
        if kept:
            lesson.adaptation.save(target)
    except AdaptationError as problem:
        raise click.ClickException(f"{image}: {problem}") from None
    except OSError as problem:
        raise click.ClickException(f"{target}: {problem.strerror}, expected a folder that can be written") from None
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
    try:
        looks = teach_markers(eye_for(), opened(image))
        own = learn_markers(folder, looks)
    except AdaptationError as problem:
        raise click.ClickException(f"{image}: {problem}") from None
    except OSError as problem:
        why = f"{problem.strerror}, expected a folder that can be written"
        raise click.ClickException(f"{folder / OWN_MARKERS}: {why}") from None
    return {"markers": len(looks), "known": len(own.looks)}


def checked(image: str, doubles: list[int], target: Path) -> dict[str, object]:
    """The self-test: halves of a known row read right, wrong and not at all, with what was learned."""
    try:
        result = self_test(eye_for(target if target.exists() else None), opened(image), doubles)
    except AdaptationError as problem:
        raise click.ClickException(f"{image}: {problem}") from None
    return {"right": result.right, "wrong": result.wrong, "unread": result.unread}


def exported(folder: Path, target: Path) -> str:
    """Everything corrected in play as a data set for training; says how much it is."""
    from companion.app.labels import pack, samples

    found = samples(folder)
    if not found:
        raise click.ClickException(f"{folder}: no tile of a picture has been corrected yet")
    try:
        fresh = target.with_name(target.name + ".part")
        with fresh.open("wb") as into:
            pack(folder, into)
        fresh.replace(target)
    except OSError as problem:
        raise click.ClickException(f"{target}: {problem.strerror}, expected a file that can be written") from None
    return f"{target}: {len(found)} corrected tiles"


def opened(name: str) -> Image:
    try:
        return open_picture(Path(name))
    except PictureError as problem:
        raise click.ClickException(f"{name}: {problem}") from None


def as_text(answer: dict[str, object], target: Path) -> str:
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


if __name__ == "__main__":
    teach()
