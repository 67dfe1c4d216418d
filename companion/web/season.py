"""A group's evenings together: one page and one CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime

from flask import Blueprint, Response, render_template, request

from companion.app.game_index import GameSummary, KnownGame
from companion.app.season import BestRound, Season, groups, season
from companion.web.api import app_state
from companion.web.languages import gettext as _
from companion.web.languages import show_day, show_decimal
from companion.web.score_sheet import plain_cell
from companion.web.wording import rules_name

statistics = Blueprint("statistics", __name__)

MOST_GROUPS = 6
"""Whoever plays most often: more would fill a phone."""


def _summaries(games: Sequence[KnownGame | None]) -> list[GameSummary]:
    return [known.summary for known in games if known is not None and known.summary is not None]


@statistics.get("/statistics")
def page() -> str:
    """The season of everybody, or of the group `with`; with ?faults=1 the certain faults by kind as well."""
    games, group = app_state().counted(), request.args.getlist("with")
    found = _summaries(games)
    shown = {
        "season": season(found, group), "groups": groups(found)[:MOST_GROUPS], "group": tuple(group),
        "unread": None in games, "faults": request.args.get("faults") == "1", "best_text": best_text,
    }  # fmt: skip
    return render_template("statistics.html", **shown, decimal=show_decimal, tv=False)


@statistics.get("/statistics.csv")
def table() -> Response:
    """The same for a spreadsheet."""
    response = Response(as_csv(season(_summaries(app_state().counted()), request.args.getlist("with"))))
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = "attachment; filename=season.csv"
    return response


def best_text(best: BestRound, *, most_points_win: bool) -> str:
    """Whose best round of the season it was, and when."""
    day = show_day(datetime.fromisoformat(best.begun)) if best.begun else "–"
    if most_points_win:
        return _("Best round: %(name)s, %(points)s (%(day)s).", name=best.name, points=best.points, day=day)
    return _(
        "Best round without going out: %(name)s, %(points)s (%(day)s).",
        name=best.name, points=best.points, day=day,
    )  # fmt: skip


def as_csv(found: Season) -> bytes:
    """A line for each player and game, then one for each two who met, in UTF-8 with the mark that spreadsheets know."""
    text = io.StringIO()
    sheet = csv.writer(text)
    sheet.writerow([
        _("Game"), _("Player"), _("Matches"), _("Won"), _("Rounds"), _("Points"), _("Points a round"), _("Best round"),
        _("Worst round"),
    ])  # fmt: skip
    for game in found.standings:
        for one in game.players:
            counts = [one.matches, one.wins, one.rounds, one.points, f"{one.average:.2f}", one.best, one.worst]
            sheet.writerow([plain_cell(rules_name(game.rules)), plain_cell(one.name), *counts])
    sheet.writerow([])
    sheet.writerow([_("Player"), _("Finished ahead"), _("Finished ahead"), _("Player")])
    for met in found.meetings:
        sheet.writerow([plain_cell(met.one), met.ahead, met.behind, plain_cell(met.other)])
    return text.getvalue().encode("utf-8-sig")
