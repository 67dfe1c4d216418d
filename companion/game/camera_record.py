"""The lines of the camera on which the belief may still change its mind, and how they are brought up to it.

What is on record and what is believed now are compared line by line; the difference is corrections of lines, and new
events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.believed import Believed
from companion.game.ledger import Ledger
from companion.log.event_fields import Finding
from companion.log.events import Corrected, Drew, Event, Passed, TilePlayed, TileTakenBack
from companion.play.event_actions import action_of, meant
from companion.play.timeline import REVEALED_CODES


@dataclass(frozen=True, slots=True)
class Line:
    """A line on record of change `number`; `item` None: a pass. `key` is its act's (Believed.key)."""

    seq: int
    number: int
    item: int | None
    key: object


@dataclass(frozen=True, slots=True)
class Patch:
    """What changes in the record. Of each act in `wanted` that stays: the line that has it (`Line`), or the place in
    `changes` or `new` of the line that will have it."""

    changes: tuple[Corrected, ...]
    new: tuple[Event, ...]
    wanted: tuple[Believed, ...]
    places: tuple[tuple[str, int], ...]

    def lines(self, changes_from: int, new_from: int) -> list[Line]:
        """The lines that have the wanted acts, once the changes and new events are written from these seqs on."""
        starts = {"line": 0, "change": changes_from, "new": new_from}
        return [
            Line(starts[kind] + place, one.number, one.item, one.key)
            for one, (kind, place) in zip(self.wanted, self.places, strict=True)
        ]


class CameraRecord:
    """The lines of the round that may still change.

    Lines of changes before `fixed` are frozen, except for names and findings: a person has edited the round since.
    """

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.fixed = 0

    def copy(self) -> CameraRecord:
        other = CameraRecord()
        other.lines, other.fixed = list(self.lines), self.fixed
        return other

    def forget(self, before: int) -> None:
        """What is settled stays as it is."""
        self.lines = [one for one in self.lines if one.number >= before]
        self.fixed = max(self.fixed, before)

    def drop(self, items: Collection[int]) -> None:
        self.lines = [one for one in self.lines if one.item not in items]

    def line_of(self, item: int) -> Line | None:
        return next((one for one in self.lines if one.item == item), None)

    @property
    def live(self) -> list[Line]:
        return [one for one in self.lines if one.number >= self.fixed]

    @property
    def kept(self) -> list[Line]:
        return [one for one in self.lines if one.number < self.fixed and one.item is not None]

    def bring_up(
        self,
        ledger: Ledger,
        ways: Sequence[Sequence[Believed]],
        earlier: Mapping[int, Believed],
        lifted: Sequence[Corrected | TileTakenBack],
        new: Sequence[Event],
        held: Mapping[int, Event],
    ) -> list[Event]:
        """Write what changes, `lifted` and `new` first, everything at once, each line with what it has in the end.

        `ways` are the acts from `fixed` on as the likeliest hypotheses have them, `earlier` by item those before.
        `held` are the events on record, with those that `lifted` puts back.
        """
        self.lines = [one for one in self.lines if one.seq in held]
        recorded = [held[one.seq] for one in self.live]
        smooth = (way for way in ways if amendments(recorded, [one.event for one in way])[2])
        wanted = next(smooth, ways[0])
        changes = [one for one in lifted if isinstance(one, Corrected) or one.undoes is not None]
        news = [*(one for one in lifted if one not in changes), *new]
        patch = self._patch(held, wanted, earlier)
        draft = ledger.draft([*changes, *patch.changes], [*news, *patch.new])
        changes_from = ledger.journal.last_seq + len(changes) + 1
        lines = patch.lines(changes_from, changes_from + len(patch.changes) + len(news))
        written = list(ledger.write(draft)) if draft.lines else []
        self.lines = [*self.kept, *lines]
        return written

    def _patch(
        self,
        held: Mapping[int, Event],
        wanted: Sequence[Believed],
        earlier: Mapping[int, Believed],
    ) -> Patch:
        changes: list[Corrected] = []
        for line in self.kept:
            one = earlier.get(line.item or 0)
            changed = None if one is None else amendment(0, held[line.seq], one.event)
            if changed is not None:
                changes.append(Corrected(corrects=line.seq, what=changed.what, source="camera"))
        live = self.live
        events = [one.event for one in wanted]
        changed_lines, start, _ = amendments([held[one.seq] for one in live], events)
        rows: list[list[tuple[str, int]]] = [[("line", one.seq)] for one in live]
        for change in changed_lines:
            for what in _single(change.what):
                if "insert" in what:
                    rows[change.index].insert(-1, ("change", len(changes)))
                elif "withdrawn" in what:
                    rows[change.index] = []
                changes.append(Corrected(corrects=live[change.index].seq, what=what, source="camera"))
        places = [place for row in rows for place in row]
        new = events[start:]
        return Patch(tuple(changes), tuple(new), tuple(wanted), (*places, *(("new", n) for n in range(len(new)))))


def _single(what: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """One correction for each event that is put in, so that each can be corrected by itself."""
    inserted = what.get("insert")
    if isinstance(inserted, list):
        yield from ({"insert": [line]} for line in inserted)
    else:
        yield what


# ---- the difference between record and belief -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Amendment:
    """What has to be put right in the record: the event at `index` gets these changes (a correction's `what`)."""

    index: int
    what: Mapping[str, Any]


def amendments(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Amendment], int, bool]:
    """How the record becomes the first part of `wanted`, where that part ends, and whether it did so smoothly.

    Where the acts came in another order all from the first difference on are withdrawn and recorded again.
    """
    smooth = _in_step(recorded, wanted)
    if smooth is not None:
        return *smooth, True
    same = 0
    for event, other in zip(recorded, wanted, strict=False):
        if not _same(event, other):
            break
        same += 1
    changed = [one for n in range(same) if (one := amendment(n, recorded[n], wanted[n])) is not None]
    return [*changed, *(Amendment(n, {"withdrawn": True}) for n in range(same, len(recorded)))], same, False


def amendment(index: int, event: Event, wanted: Event) -> Amendment | None:
    """The record's event as it is wanted: named, unnamed, or with other things held against somebody."""
    if isinstance(event, TilePlayed) and isinstance(wanted, TilePlayed) and event.tile != wanted.tile:
        tile = {"tile": list(wanted.tile)}
        rest = amendment(index, replace(event, tile=wanted.tile), wanted)
        return Amendment(index, tile if rest is None else {**rest.what, **tile})
    what: dict[str, Any] = {}
    if (event.who, event.perhaps) != (wanted.who, wanted.perhaps):
        what = {"by": wanted.who} | ({"maybe": list(wanted.perhaps)} if wanted.perhaps else {})
    held: tuple[Finding, ...] = getattr(event, "violations", ())
    found = (*getattr(wanted, "violations", ()), *(one for one in held if one.code in REVEALED_CODES))
    if held != found:
        what["violations"] = [one.to_json() for one in found]
    return Amendment(index, what) if what else None


def _in_step(recorded: Sequence[Event], wanted: Sequence[Event]) -> tuple[list[Amendment], int] | None:
    found: list[Amendment] = []
    at = 0
    for index, event in enumerate(recorded):
        inserted: list[dict[str, Any]] = []
        while at < len(wanted) and isinstance(wanted[at], Passed) and not _same(event, wanted[at]):
            inserted.append(wanted[at].to_insert())
            at += 1
        if isinstance(event, Passed) and not (at < len(wanted) and _same(event, wanted[at])):
            if event.source != "rule" or inserted:
                return None
            found.append(Amendment(index, {"withdrawn": True}))
            continue
        if at >= len(wanted) or not _same(event, wanted[at]):
            return None
        if inserted:
            found.append(Amendment(index, {"insert": inserted}))
        changed = amendment(index, event, wanted[at])
        if changed is not None:
            found.append(changed)
        at += 1
    return found, at


def _same(event: Event, wanted: Event) -> bool:
    """Whether this is the same thing on record, whoever did it; a pass is somebody's own."""
    if isinstance(event, Passed) and isinstance(wanted, Passed):
        return meant(event)[:1] == meant(wanted)[:1]
    return event.KIND == wanted.KIND and (isinstance(event, Drew) or action_of(event) == action_of(wanted))
