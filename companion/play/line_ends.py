"""Which end of a Chinese line a tile was laid at, where the picture does not tell.

A line that reads the same with the new tiles at either end (6:6 laid beside 6:6) looks the same too. Only its place on
the table tells the ends apart then, and a nudge of the camera moves that. No fault may rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from companion.log.table_change import TableChange
from companion.rules.actions import LEFT, RIGHT
from companion.rules.chinese.line import open_arms
from companion.rules.notation import Change, Laying
from companion.rules.ruleset import RuleSet
from companion.rules.tile import Laid

Value = TypeVar("Value")


def at_the_open_end(report: TableChange, rules: RuleSet, line: Sequence[Laid]) -> TableChange:
    """The change with its tiles at the open end, where only one is open and the line reads the same either way."""
    left = [change.tile for change in report.laid if change.train == LEFT]
    if not left or not line or report.gone or LEFT in open_arms(rules):
        return report
    if [*left[::-1], *line] != [*line, *left]:
        return report

    def placed(change: Change) -> Change:
        return Laying(change.tile, RIGHT) if isinstance(change, Laying) else change

    def again(values: Mapping[Change, Value]) -> dict[Change, Value]:
        return {placed(change): value for change, value in values.items()}

    readings = {Laying(laying.tile, RIGHT): certainty for laying, certainty in report.readings.items()}
    delta = tuple(map(placed, report.delta))
    return replace(report, delta=delta, readings=readings, arms=again(report.arms), whose=again(report.whose))
