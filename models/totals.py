"""The photographs whose pips are added up rightly: people photograph tiles for the total of a hand or of a table.

A total is *said* when every tile that was found is read. It is right when it is what lies there, wrong when it is
anything else; where a tile was found and not read it is *open*. Nobody is told an open total.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

HAND = 15
"""So many tiles and no more are a hand."""


def outcome(predicted: dict[str, Any], label: dict[str, Any]) -> tuple[str, str] | None:
    """("hand" or "table", "right", "open" or "wrong") of one picture; None where its total is not known.

    Both in the photographs' form. Only a complete picture with face-up tiles, all of whose values are known, has a
    total; tiles lying face down count nothing on either side, and what lies outside `field_poly` is left out.
    """
    from models.scoring import centre, inside

    field = label.get("field_poly")
    up = [tile for tile in label["tiles"] if tile["face"] == "up"]
    if not label.get("complete", True) or not up or any(tile["values"] is None for tile in up):
        return None
    found = [tile for tile in predicted["tiles"] if tile["face"] == "up"]
    if field:
        found = [tile for tile in found if inside(centre(tile), field)]
    kind = "hand" if len(up) <= HAND else "table"
    if any(tile["values"] is None for tile in found):
        return kind, "open"
    said, true = (sum(sum(tile["values"]) for tile in tiles) for tiles in (found, up))
    return kind, "right" if said == true else "wrong"


def totals(predictions: Sequence[dict[str, Any]], labels: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """For hands and for tables: how many there are, and the shares whose total is right, open and wrong."""
    counts = {kind: {"right": 0, "open": 0, "wrong": 0} for kind in ("hand", "table")}
    for predicted, label in zip(predictions, labels, strict=True):
        came = outcome(predicted, label)
        if came is not None:
            counts[came[0]][came[1]] += 1
    out: dict[str, dict[str, Any]] = {}
    for kind, each in counts.items():
        count = sum(each.values())
        shares = {name: round(n / count, 4) if count else None for name, n in each.items()}
        out[kind + "s"] = {"count": count} | shares
    return out
