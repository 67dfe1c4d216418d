"""The belief run again over a round's evidence: what the camera saw, and between it what people said, as it came.

What the program concluded at the time is not read back: the events on record only tell which line each piece has.
Where they do not fit together, as when a crash cut off the events of a change, the run says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, MutableSet, Sequence

from companion.game.belief_input import act_of, enter_again, is_put_right, is_stated
from companion.log.corrections import EffectiveEvent, effective_events
from companion.log.events import Corrected, Event
from companion.log.table_change import Seen, TableChange
from companion.rules.actions import Action
from companion.tracking.evidence import Evidence
from companion.tracking.tracker import RoundTracker

Look = Callable[[TableChange, Evidence], None]


class EvidenceRun:
    """A round told to a new belief. `items` is the line of each item, `stated_items` are those that only people say.

    `held` are the events in force, `lines` all of the journal, `seen` what was seen in it.
    """

    def __init__(
        self, tracker: RoundTracker, held: Sequence[EffectiveEvent], lines: Sequence[Event], seen: Iterable[Seen]
    ) -> None:
        self.tracker = tracker
        self.items: dict[int, int] = {}
        self.stated_items: set[int] = set()
        self._held = round_of(held)
        self._lines = lines
        self._begun = self._held[0].event.seq if self._held else 0
        self._seen = [one for one in seen if self._held and one.after >= self._begun]
        self._acts: dict[int, Action] = {}

    @property
    def is_watched(self) -> bool:
        """Whether it is known what the camera saw in this round."""
        return bool(self._seen)

    def run(self, look: Look = lambda change, evidence: None, *, until: int | None = None) -> bool:
        """Tell everything, `look` before each change; whether the record is what came of it.

        `until`: stop before the change of this number; then nothing is said about the record.
        """
        known = self._begun
        for n, one in enumerate(self._seen):
            if until is not None and self.tracker.number >= until:
                return True
            if not self._apply_statements(known, one.after):
                return False
            self._observe(one.change, look)
            later = self._seen[n + 1].after if n + 1 < len(self._seen) else len(self._lines)
            known = self._written(one.after, later)
            self._find_lines(one.after, known)
        return self._apply_statements(known, len(self._lines)) and self._is_whole()

    def _observe(self, change: TableChange, look: Look) -> None:
        tracker = self.tracker
        evidence = Evidence.of(tracker.number, change)
        look(change, evidence)
        self._acts |= {piece.item: piece.act for piece in evidence.pieces}
        lying = tracker.standing
        tracker.observe(evidence)
        for item in (lying - tracker.standing).intersection(tracker.entries):
            self.items.pop(item, None)

    def _written(self, after: int, later: int) -> int:
        """The last line that a change after line `after` brought, before people had a say or the next one came."""
        entered = (n for n in range(after, later) if self._lines[n].source == "person")
        return next(entered, later)

    def _find_lines(self, after: int, until: int) -> None:
        """Which of the lines that a change brought has which item; a line in another's place has its item."""
        new = self._lines[after:until]
        gone = {one.corrects for one in new if isinstance(one, Corrected) and one.what.get("withdrawn") is True}
        self.items = {item: seq for item, seq in self.items.items() if seq not in gone}
        free = [line for line in new if line.source == "camera" and act_of(line) is not None]
        standing = self.tracker.standing
        for item, act in sorted(self._acts.items()):
            if item in self.items or item in self.tracker.shown or item not in standing:
                continue
            entry = self.tracker.entries.get(item)
            acts = (act,) if entry is None else (entry.verdict.act, act)
            line = next((one for lies in acts for one in free if act_of(one) == lies), None)
            if line is not None:
                free.remove(line)
                self.items[item] = line.seq

    def _apply_statements(self, known: int, until: int) -> bool:
        if all(line.source != "person" for line in self._lines[known:until]):
            return True
        lines = self._lines[:until]
        held = round_of(effective_events(lines))
        if not held or held[0].event.seq != self._begun:
            return False
        return apply_statements(self.tracker, self.items, self.stated_items, held, lines, known)

    def _is_whole(self) -> bool:
        """Whether each piece that lies there has its line, and each line of the camera its piece."""
        standing = {one.event.seq for one in self._held if not one.undone}
        seen = {
            one.event.seq
            for one in self._held
            if not one.undone and act_of(one.event) is not None and not is_stated(one, self._lines)
        }
        lines = {item: seq for item, seq in self.items.items() if item not in self.stated_items and seq in standing}
        withdrawn = {item for item, one in self.tracker.statements.items() if one.withdrawn}
        pieces = self.tracker.standing.intersection(self._acts) - self.tracker.shown.keys() - withdrawn
        return seen == set(lines.values()) and pieces == set(lines)


def apply_statements(
    tracker: RoundTracker,
    items: MutableMapping[int, int],
    stated_items: MutableSet[int],
    held: Sequence[EffectiveEvent],
    lines: Sequence[Event],
    known: int,
) -> bool:
    """Tell the belief what people have said and changed since line `known`; False where they have put in something that
    is to have happened before.

    `held` are the events of the round in force, `lines` the journal. `items` and `stated_items` grow.
    """
    seqs = set(items.values())
    standing = {one.event.seq: one for one in held if not one.undone}
    lifted = {one.event.seq for one in held if one.undone}
    new = [one for seq, one in standing.items() if seq not in seqs and act_of(one.event) is not None]
    if any(one.event.seq <= known or not is_stated(one, lines) for one in new):
        return False
    for item, seq in items.items():
        there = standing.get(seq)
        if there is None:
            tracker.withdraw(item, lifted=seq in lifted)
            continue
        tracker.restore(item)
        tracker.name_player(item, there.event.who if is_put_right(there, lines, "by") else None)
        other = is_put_right(there, lines, "tile") or is_put_right(there, lines, "train")
        tracker.put_right(item, act_of(there.event) if other else None)
    for item, event in enter_again(tracker, new, held):
        items[item] = event.seq
        stated_items.add(item)
    return True


def round_of(held: Sequence[EffectiveEvent]) -> list[EffectiveEvent]:
    """The events of the last round, from its beginning on."""
    start = max((n for n, item in enumerate(held) if item.event.KIND == "round_started"), default=None)
    return [] if start is None else list(held[start:])
