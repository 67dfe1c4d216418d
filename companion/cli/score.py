"""`companion score`: the pips of a hand laid open, from one photograph."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from companion.app.named_sets import SETS, known_set
from companion.cli.read import eye_for, show_progress, show_refused, with_set_doubt
from companion.cli.set_name import SetName
from companion.rules.ruleset import RuleSet, RuleSetError, load_ruleset
from companion.rules.tile import Tile
from vision.hand_group import in_hand
from vision.packing import shared_areas
from vision.pictures import PictureError, open_picture
from vision.reading import PictureReading, TileReading
from vision.tile_shape import shape_of_sure

MANY_UNREAD = 3
"""So many tiles, and a quarter of the hand: it may be the print rather than the light."""
LEANS_DEG = 30.0
"""From here on that is why a tile could not be read, rather than its print."""
MAY_BE = 0.1
"""What an open half is with this probability is named."""
LIES_ON = 0.15
"""Of the smaller of two outlines: from here on one tile lies on the other. Of 63 labelled photographs with every tile
listed one chain of nineteen has outlines so far off; a heap has, in which a tile is not found."""


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

    `score` is None while a tile of the hand cannot be read, or one lies on another: then `at_least` is all that is
    known. `open` says of each tile that is not wholly read where it lies, which half is known, and what the other may
    be, likeliest first.
    """
    quads = np.array([tile.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2)
    hand = in_hand(quads, reading.size_wh)
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
        strange = unread >= MANY_UNREAD and unread * 4 >= len(up) and not reading.warnings
        way = "hold the camera more from above" if leans else "come closer"
        teach = "; teach it your set if that looks unusual" if strange and not leans else ""
        warnings.append(f"{unread} of {len(up)} tiles could not be read: add those yourself, or {way}{teach}")
    heaped = _on_each_other(quads[hand])
    if heaped:
        warnings.append("tiles lie on each other, and others may lie under them: spread them out")
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
    known = bool(up) and not unread and not unsettled and not heaped
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


def _open(tile: TileReading) -> dict[str, Any]:
    halves = tile.halves or ()
    return {
        "at": [round(float(x)) for x in tile.quad_px.mean(0)],
        "known": [half.value for half in halves if half.value is not None],
        "maybe": [[v for v, p in half.others if p >= MAY_BE] for half in halves if half.value is None],
    }


def _on_each_other(quads: NDArray[np.float32]) -> bool:
    common = shared_areas(quads)
    sizes = np.diag(common)
    return bool((np.triu(common, 1) > LIES_ON * np.minimum(sizes[:, None], sizes)).any())


def points_of(tile: Tile, rules: RuleSet) -> int:
    """A tile's own pips; the double blank by the rule set."""
    return rules.double_blank if rules.is_mexican and tile == Tile(0, 0) else tile.pips


def as_text(name: str, counted: dict[str, Any]) -> str:
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


if __name__ == "__main__":
    score()
