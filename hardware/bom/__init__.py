"""Bills of material as data: three kits, two mounts and another board, one file each, read and checked here.

Prices are the project's own rough estimates with the day they were made; they are no offers. A printed part or a
sheet of paper has no price.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

KITS = ("minimal", "comfort", "large-table")
MOUNTS = ("mount-desk-arm", "mount-ceiling")
"""Two printed ways to hang the camera, each instead of the kits' bought mount."""
BOARDS = ("pi-4",)
"""Another board than the kits', with what belongs to it."""


class BomError(ValueError):
    """A kit's file that contradicts itself; the message is one line: which file, which item, what was expected."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a kit. `part` names a printed part of hardware/cad, `sheet` a sheet of `companion sheets`, `camera` a
    camera of cameras.toml. `estimate_eur` is for one piece, or for all pieces together where `per_pack`."""

    id: str
    name: str
    why: str
    quantity: int
    estimate_eur: float | None = None
    estimated: dt.date | None = None
    per_pack: bool = False
    part: str | None = None
    sheet: str | None = None
    camera: str | None = None

    @property
    def total_eur(self) -> float:
        if self.estimate_eur is None:
            return 0.0
        return self.estimate_eur if self.per_pack else self.estimate_eur * self.quantity


@dataclass(frozen=True, slots=True)
class Kit:
    name: str
    title: str
    purpose: str
    items: tuple[Item, ...]

    @property
    def estimate_eur(self) -> float:
        """The sum of the estimates; printed parts, paper and tools are not in it."""
        return sum(item.total_eur for item in self.items)


def load_kit(name: str) -> Kit:
    """A kit with everything it extends. Raises BomError for an unknown name or a faulty file."""
    if name not in (known := (*KITS, *BOARDS, *MOUNTS)):
        raise BomError(f"no kit called {name!r}; the kits are {', '.join(known)}")
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse_kit(name, tomllib.loads(text))


def parse_kit(name: str, data: Mapping[str, Any]) -> Kit:
    """Check one kit's data; `extends` is looked up among the shipped kits."""
    _only(data, {"title", "purpose", "extends", "without", "item"}, name)
    items: dict[str, Item] = {}
    if "extends" in data:
        items.update((item.id, item) for item in load_kit(data["extends"]).items)
    for gone in data.get("without", ()):
        if gone not in items:
            raise BomError(f"{name}: without {gone!r}, which {data.get('extends', 'nothing')} does not have")
        del items[gone]
    for row in data.get("item", ()):
        item = _item(row, name)
        if item.id in items:
            raise BomError(f"{name}: {item.id!r} stands there twice")
        items[item.id] = item
    if not items:
        raise BomError(f"{name}: a kit has at least one item")
    return Kit(name, data["title"], data["purpose"], tuple(items.values()))


def _item(row: Mapping[str, Any], kit: str) -> Item:
    _only(row, set(Item.__dataclass_fields__), f"{kit}: item {row.get('id', '?')!r}")
    where = f"{kit}: item {row.get('id', '?')!r}"
    missing = [field for field in ("id", "name", "why", "quantity") if field not in row]
    if missing:
        raise BomError(f"{where}: {missing[0]} is missing")
    item = Item(**row)
    if not re.fullmatch(r"[a-z][a-z0-9-]*", item.id):
        raise BomError(f"{where}: an id is lower-case words joined by hyphens")
    if item.quantity < 1:
        raise BomError(f"{where}: quantity is 1 or more, not {item.quantity}")
    made = item.part is not None or item.sheet is not None
    if made == (item.estimate_eur is not None):
        raise BomError(f"{where}: either printed (part, sheet) or bought (estimate_eur), and only one of the two")
    if (item.estimate_eur is None) != (item.estimated is None):
        raise BomError(f"{where}: a price is an estimate and carries the day it was made (estimated)")
    if item.estimate_eur is not None and item.estimate_eur <= 0:
        raise BomError(f"{where}: an estimate is above 0, not {item.estimate_eur}")
    return item


def _only(row: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(row) - known)
    if unknown:
        raise BomError(f"{where}: unknown field {unknown[0]!r}; known are {', '.join(sorted(known))}")


def as_markdown(kit: Kit) -> str:
    """A kit as a table for the assembly guide."""
    lines = [f"### {kit.title}", "", kit.purpose, "", "| pieces | what | for | estimate (EUR) |", "|---|---|---|---|"]
    for item in kit.items:
        price = "printed" if item.estimate_eur is None else f"{item.total_eur:.0f}"
        lines.append(f"| {item.quantity} | {item.name} | {item.why} | {price} |")
    dates = {item.estimated for item in kit.items if item.estimated is not None}
    lines.append(f"| | **together, estimated {max(dates)}** | | **{kit.estimate_eur:.0f}** |")
    return "\n".join(lines) + "\n"


def document() -> str:
    """PARTS.md: every kit, board and mount."""
    head = (
        "# What to buy and what to print\n\n"
        "![The camera on its arm at the table's edge](drawings/desk-arm.svg)\n\n"
        "Three kits, each with all it needs; a Raspberry Pi 4's parts instead of the Pi 5's; and two printed ways to\n"
        "hang the camera instead of the bought mount.\n"
        "Prices are rough estimates of the project with their date, no offers; printed parts, paper and tools are not\n"
        "in the sums. Written by `python -m hardware.bom` from the files in bom/.\n\n"
    )
    return head + "\n".join(as_markdown(load_kit(name)) for name in (*KITS, *BOARDS, *MOUNTS))
