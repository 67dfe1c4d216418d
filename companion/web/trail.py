"""What was changed in a game: who, when, what, before and after. What was undone stays, struck through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from companion.app.state import SessionLike, event_lines
from companion.game.standing import change_made
from companion.web.api import app_state
from companion.web.languages import gettext as _
from companion.web.languages import show_time
from companion.web.misfits import Acts, answer_text
from companion.web.noted import NOTED, OF_ALL_GAMES, PLAIN
from companion.web.wording import author_text, event_text

Line = Mapping[str, Any]

TAPPED = frozenset(
    {"tile_played", "drew", "passed", "discarded", "marker_placed", "marker_removed", "double_flipped", "announced"}
)
"""What people tap in a game without a camera: on the printed sheet only where it no longer stands."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One row. `undone`: it no longer stands; `plain`: an entry of the game like any other."""

    at: str
    when: str
    who: str
    what: str
    before: str = ""
    after: str = ""
    undone: bool = False
    plain: bool = False
    seq: int | None = None


def changes_of(session: SessionLike, game: str) -> list[Changed]:
    """Everything that people entered in this game or changed around it, the oldest first."""
    board = session.snapshot()
    players, family = [seat.name for seat in board.seats], board.family
    rows = [*_of_journal(event_lines(session), players, family), *_of_box(app_state().trail.lines(), game, players)]
    return sorted(rows, key=lambda row: row.at)


def _of_journal(lines: Sequence[Line], players: Sequence[str], family: str) -> Iterable[Changed]:
    stood = _Stood(lines)
    fallen = withdrawn(lines)
    for line in lines:
        if line.get("source") != "person":
            continue
        seq, what = int(line["seq"]), change_made(line)
        author = line.get("author") or (line.get("by") if line["event"] == "corrected" else None)
        row = Changed(
            str(line.get("at") or ""),
            _moment(line.get("at") or ""),
            author_text(author, players) if author else "",
            event_text(line, family),
            undone=seq in fallen,
            plain=line["event"] in TAPPED,
            seq=seq,
        )
        if line["event"] == "corrected":
            before, after = _both(line, what, stood, family)
            row = replace(row, before=before, after=after)
        yield row


class _Stood:
    """How each line read at a moment: with the corrections that stood then."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = {int(line["seq"]): line for line in lines}
        self._made: dict[int, dict[int, Mapping[str, Any]]] = {}

    def reads(self, seq: int) -> dict[str, Any]:
        """The line as it read then; {} for none."""
        line = dict(self._lines.get(seq, {}))
        for changed in self._made.get(seq, {}).values():
            line.update({"violations": [], **changed} if "engine" in changed else changed)
        return line

    def acts(self, family: str) -> Acts:
        return Acts(self._lines.values(), family)

    def correct(self, line: Line, changed: Mapping[str, Any]) -> None:
        self._made.setdefault(int(line["corrects"]), {})[int(line["seq"])] = changed

    def withdraw(self, seq: int) -> None:
        """From now on this correction, if it is one, does not stand."""
        self._made.get(int(self._lines.get(seq, {}).get("corrects") or 0), {}).pop(seq, None)


def _both(line: Line, what: Mapping[str, Any], stood: _Stood, family: str) -> tuple[str, str]:
    """What stood before a correction and what stands after it."""
    corrected = int(line.get("corrects") or 0)
    target = stood.reads(corrected)
    before = event_text(target, family) if target else ""
    after = ""
    if what.get("withdrawn"):
        stood.withdraw(corrected)
        after = _("no longer counts")
    elif what.get("overruled"):
        after = _("let stand")
    elif what.get("so"):
        after = _("It was really so.")
    elif what.get("insert"):
        before, after = "", event_text(what["insert"][0], family)
    elif "answer" in what:
        after = answer_text(target, what, stood.acts(family)) or _("answered")
    else:
        names = (*target, "by", "tile", "train")
        stood.correct(line, {name: value for name, value in what.items() if name in names})
        after = event_text(stood.reads(corrected), family)
    return before, after


def withdrawn(lines: Sequence[Line]) -> set[int]:
    """The numbers of the lines that no longer stand: removed by a correction that stands, or taken back."""
    fallen: set[int] = set()
    for line in reversed(lines):
        if line["seq"] in fallen:
            continue
        if change_made(line).get("withdrawn"):
            fallen.add(int(line["corrects"]))
        elif line["event"] == "tile_taken_back" and line.get("undoes"):
            fallen.add(int(line["undoes"]))
    return fallen


def _of_box(lines: Sequence[Line], game: str, players: Sequence[str]) -> Iterable[Changed]:
    before: dict[str, str] = {}
    for line in lines:
        what = str(line["what"])
        after = "" if what in PLAIN else _listed(line["about"])
        earlier, before[what] = before.get(what, ""), after
        if line["game"] == game or what in OF_ALL_GAMES:
            words = _(NOTED[what]) if what in NOTED else what
            at = str(line["at"])
            yield Changed(at, _moment(at), author_text(line["author"], players), words, earlier, after)


def _listed(about: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in about.items())


def _moment(at: Any) -> str:
    try:
        return show_time(datetime.fromisoformat(str(at)))
    except ValueError:
        return str(at)


def as_text(rows: Sequence[Changed]) -> str:
    """The same as a table of tabs, for the export."""
    head = [_("When"), _("Who"), _("What"), _("Before"), _("After"), _("Undone")]
    body = [[row.at, row.who, row.what, row.before, row.after, _("undone") if row.undone else ""] for row in rows]
    return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in [head, *body])
