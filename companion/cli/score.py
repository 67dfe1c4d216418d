"""`companion score`: the pips of a hand laid open, from one photograph."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np

from companion.app.named_sets import SETS, known_set
from companion.cli.read import eye_for, show_progress, show_refused, with_set_doubt
from companion.cli.set_name import SetName
from companion.rules.ruleset import RuleSet, RuleSetError, load_ruleset
from companion.rules.tile import Tile
from vision.hand_group import in_hand
from vision.pictures import PictureError, open_picture
from vision.reading import PictureReading

MANY_UNREAD = 3
"""So many tiles, and a quarter of the hand: it may be the print rather than the light."""


@click.command()
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
@click.option("--set", "tile_set", type=SetName(SETS), default="auto", show_default=True, help="The set in play.")
@click.option(
    "--rules", default="tactic", show_default=True, help="Rule set, or your own .toml file, whose scoring counts."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line and image.")
@click.option("--learned", type=click.Path(path_type=Path), help="What `teach` learned of your own set.")
def score(images: tuple[str, ...], tile_set: str, rules: str, as_json: bool, learned: Path | None) -> None:
    """Count the pips of a hand laid open, in one or more photographs.

    A hand with a tile that cannot be read gets no score, only what it is at least. Exit status 1 then.

    \b
    companion score --rules reeves hand.jpg
    """
    try:
        ruleset = load_ruleset(rules)
    except RuleSetError as problem:
        raise click.UsageError(str(problem)) from None
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
        counted = count(reading if known is not None else with_set_doubt(reading), ruleset)
        complete &= counted["score"] is not None
        click.echo(json.dumps({"image": name, **counted}) if as_json else as_text(name, counted))
        sys.stdout.flush()
    if not complete:
        raise SystemExit(1)


def count(reading: PictureReading, rules: RuleSet) -> dict[str, Any]:
    """The hand is the group of tiles nearest to the picture's middle; what lies elsewhere is named and not counted.

    `score` is None while a tile of the hand cannot be read: then `at_least` is all that is known.
    """
    hand = in_hand(np.array([tile.quad_px for tile in reading.tiles], np.float32), reading.size_wh)
    mine = [tile for tile, counts in zip(reading.tiles, hand, strict=True) if counts]
    up = [tile for tile in mine if tile.face == "up"]
    tiles = sorted(Tile(*tile.values) for tile in up if tile.values is not None)
    points = sum(points_of(tile, rules) for tile in tiles)
    unread = len(up) - len(tiles)
    warnings = list(reading.warnings)
    if unread:
        strange = unread >= MANY_UNREAD and unread * 4 >= len(up) and not reading.warnings
        teach = ", and teach it your set if that looks unusual" if strange else ""
        warnings.append(f"{unread} of {len(up)} tiles could not be read; turn the light or come closer{teach}")
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
    known = bool(up) and not unread and not unsettled
    return {
        "tiles": [[tile.low, tile.high] for tile in tiles],
        "unread": unread + unsettled,
        "elsewhere": elsewhere,
        "score": points if known else None,
        "at_least": points,
        "rules": rules.name,
        "warnings": warnings,
    }


def points_of(tile: Tile, rules: RuleSet) -> int:
    """A tile's own pips; the double blank by the rule set."""
    return rules.double_blank if rules.is_mexican and tile == Tile(0, 0) else tile.pips


def as_text(name: str, counted: dict[str, Any]) -> str:
    tiles = " ".join(f"{a}-{b}" for a, b in counted["tiles"]) or "no tile read"
    points = counted["score"] if counted["score"] is not None else f"at least {counted['at_least']}"
    return "\n".join([f"{name}: {points} points ({tiles})", *(f"  {warning}" for warning in counted["warnings"])])


if __name__ == "__main__":
    score()
