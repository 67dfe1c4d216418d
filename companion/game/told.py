"""Everything a game has told, and when: each event as it was first told, and what reads differently by now.

A screen hears an event once. Its meaning may change with later reports: a correction tells that, and no journal holds
it. A file beside the journal keeps what was told and when. The game never reads it: the page shows from it how an entry
read at first, and which accusations fell.

An accusation falls where somebody was certainly to blame and is not any more. Two moments of the game are compared,
before and after everything that one change brought. Between them lines come and go that nobody ever saw.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from companion.game.corrections import PUT_BACK, UNDONE, standing_corrections
from companion.game.course import action_of
from companion.game.game_view import GameView, RetractionShown, standing_findings
from companion.game.round import AppliedEvent, History, Round
from companion.log.event_fields import Finding
from companion.log.events import (
    Corrected,
    Event,
    HandShown,
    MatchEnded,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    Unclear,
    event_from_json,
)
from companion.log.journal import ONLY_THE_OWNER
from companion.storage.state_file import write_whole
from companion.tracking.filter import copied

log = logging.getLogger(__name__)

SHOWN_SUFFIX = ".shown"

OF_AN_END: Mapping[type[Event], tuple[str, ...]] = {
    RoundEnded: ("how", "out"),
    RoundScored: ("scores", "totals", "next_engine", "next_starter"),
    MatchEnded: ("winners", "totals"),
}
"""Fields that may change in events that follow from the rules."""


def difference(event: Event, wanted: Event) -> dict[str, Any]:
    """The correction that makes an event read as `wanted`."""
    what: dict[str, Any] = {}
    if isinstance(event, TilePlayed) and isinstance(wanted, TilePlayed) and event.tile != wanted.tile:
        what["tile"] = list(wanted.tile)
    if getattr(event, "train", None) != getattr(wanted, "train", None):
        what["train"] = getattr(wanted, "train", None)
    if (event.who, event.perhaps) != (wanted.who, wanted.perhaps):
        what |= {"by": wanted.who} | ({"maybe": list(wanted.perhaps)} if wanted.perhaps else {})
    changed = [name for name in OF_AN_END.get(type(event), ()) if getattr(event, name) != getattr(wanted, name, None)]
    if changed:
        now = wanted.to_json()
        what |= {name: now.get(name) for name in changed}
    found: tuple[Finding, ...] = getattr(wanted, "violations", ())
    if getattr(event, "violations", ()) != found:
        what["violations"] = [one.to_json() for one in found]
    return what


def differences(before: Mapping[int, Event], now: Mapping[int, Event]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line -> what has to be put right for the events of `before` to read as they do now."""
    for seq in sorted({*before, *now}):
        old, new = before.get(seq), now.get(seq)
        if old is None or new is None:
            yield seq, {"withdrawn": new is None}
        elif old is not new and (what := difference(old, new)):
            yield seq, what


class ToldSoFar:
    """Everything that was told of one game, in order.

    Args:
        lines: the journal's.
        now: line -> how it reads by now, of those that are in force.
        file: where it is kept; None: nowhere.
        writes: whether this program tells more of the game; else it is only looked at.

    >>> from companion.log.events import Drew
    >>> drew = Drew(seq=1, by="Ann")
    >>> told = ToldSoFar([drew], {1: drew})
    >>> [event.KIND for event in told.tell([], {1: drew}, {1: Drew(seq=1, by="Ben")}, [])]
    ['corrected']
    >>> [event.what["by"] for event in told.corrections({1: Drew(seq=1, by="Ben")})]
    ['Ben']
    """

    def __init__(
        self, lines: Sequence[Event], now: Mapping[int, Event], file: Path | None = None, *, writes: bool = False
    ) -> None:
        self.events: list[Event] = []
        self.fallen: list[Corrected] = []
        self._file = file if writes else None
        self._first: dict[int, Event] = {}
        self._ever: dict[int, set[str]] = {}
        whole = self._read(file, lines)
        people = {one.corrects for one in lines if isinstance(one, Corrected) and one.source == "person"}
        more = [line if line.seq in people else _as_told(line, now.get(line.seq)) for line in lines[len(self.events) :]]
        self._add(more)
        for line in (self._first[line.seq] for line in more if line.seq in self._first):
            # An earlier telling of it may have said anything.
            self._ever[line.seq] = {name for name in ("by", "maybe", "violations") if hasattr(line, name)}
        if self._file is not None and lines and (more or not whole):
            self._write_anew()

    def fork(self) -> ToldSoFar:
        """The same, to be tried further: nothing of it is kept."""
        other = copied(self)
        other._file, other._ever = None, {seq: set(names) for seq, names in self._ever.items()}
        return other

    def corrections(self, now: Mapping[int, Event]) -> Iterator[Corrected]:
        """The reading by `now` of each line that was ever told otherwise, for those who may have heard that."""
        seq, at = len(self.events), self.events[-1].at if self.events else ""
        fell = {one.corrects: one.what for one in self.fallen}
        # That people withdrew a line, their own line says.
        people = {one.corrects for one in self.events if isinstance(one, Corrected) and one.source == "person"}
        changed = [(line, what) for line, what in differences(self._first, now) if line in self._first]
        otherwise = {line: what for line, what in changed if line in now or line not in people}
        for line in sorted({*self._ever, *otherwise}):
            first = self._first.get(line, self.events[line - 1]).to_json()
            what = {name: first.get(name, [] if name != "by" else None) for name in self._ever.get(line, ())}
            by_now = otherwise.get(line, {})
            if "maybe" in what and "by" in by_now:
                what["maybe"] = []
            why = {name: fell[line][name] for name in ("retracts", "because") if line in fell and name in fell[line]}
            gone = {"withdrawn": "withdrawn" in by_now} if "withdrawn" in what | by_now else {}
            what = {name: value for name, value in (what | by_now).items() if name != "withdrawn"} | gone
            if what:
                yield Corrected(seq=seq, at=at, corrects=line, what=what | why, source="rule")

    def tell(
        self, lines: Sequence[Event], before: Mapping[int, Event], now: Mapping[int, Event], fallen: Iterable[Corrected]
    ) -> tuple[Event, ...]:
        """Tell `lines` that were added, and correct earlier ones: each that read as `before` and reads
        otherwise `now`, and which accusations have `fallen`."""
        known, made = len(self.events), [_as_told(line, now.get(line.seq)) for line in lines]
        self._add(made)
        seq, at = len(self.events), self.events[-1].at if self.events else ""
        later = {one.corrects: replace(one, seq=seq, at=at) for one in fallen}
        said = {line.corrects for line in made if isinstance(line, Corrected)}
        changed = dict(differences(before, now))
        for line, what in changed.items():
            if line in said:
                what = {name: value for name, value in what.items() if name == "violations"}
            if what and line <= known:
                fell = later[line].what if line in later else {}
                later[line] = Corrected(seq=seq, at=at, corrects=line, what={**what, **fell}, source="rule")
        self.fallen.extend(one for one in later.values() if "retracts" in one.what)
        self._note(later.values())
        told = (*made, *(later[line] for line in sorted(later)))
        self._keep(told)
        return told

    def _note(self, told: Iterable[Corrected]) -> None:
        for one in told:
            self._ever.setdefault(one.corrects, set()).update(set(one.what) - {"retracts", "because"})

    def _add(self, events: Iterable[Event]) -> None:
        for event in events:
            self.events.append(event)
            if action_of(event) is not None or isinstance(event, (RoundStarted, HandShown, Unclear, *OF_AN_END)):
                self._first[event.seq] = event
            elif isinstance(event, Corrected) and "insert" in event.what:
                self._first[event.seq] = event_from_json({**event.what["insert"][0], "seq": event.seq, "at": event.at})

    def _write_anew(self) -> None:
        """Replace a file that lacks or breaks something by what is known."""
        file, fallen = self._file, list(self.fallen)
        rows: list[Event] = []
        for event in self.events:
            rows += [event, *(one for one in fallen if one.seq == event.seq)]
        text = "".join(json.dumps(event.to_json(), ensure_ascii=False) + "\n" for event in rows)
        try:
            if file is not None and (file.is_file() or not file.exists()):
                write_whole(file, text.encode())
        except OSError:
            log.warning("what was shown of this game is not kept any more", exc_info=True)
            self._file = None

    def _read(self, file: Path | None, lines: Sequence[Event]) -> bool:
        """Read back what was told of these lines; whether the whole file is that."""
        if file is None or not file.is_file():
            return True
        try:
            for text in file.read_text(encoding="utf-8").splitlines():
                event = event_from_json(json.loads(text))
                due = len(self.events)
                line = lines[due] if event.seq == due + 1 and due < len(lines) else None
                if line and (event.KIND, event.at, event.source) == (line.KIND, line.at, line.source):
                    self._add((event,))
                elif isinstance(event, Corrected) and event.seq == due and 0 < event.corrects <= due:
                    self.fallen += [event] if _says_what_fell(event) else []
                    self._note((event,))
                else:
                    return False
        except Exception:  # whatever stands there, the game goes on without it
            log.warning("what was shown of this game cannot be read any further: %s", file)
            return False
        return True

    def _keep(self, events: Sequence[Event]) -> None:
        if self._file is None or not events:
            return
        text = "".join(json.dumps(event.to_json(), ensure_ascii=False) + "\n" for event in events)
        try:
            with open(self._file, "a", encoding="utf-8", opener=partial(os.open, mode=ONLY_THE_OWNER)) as file:
                file.write(text)
        except OSError:
            log.warning("what was shown of this game is not kept any more", exc_info=True)
            self._file = None


def _says_what_fell(told: Corrected) -> bool:
    fell = told.what.get("retracts")
    named = ((one.get("code"), one.get("by") or "") if isinstance(one, dict) else (None,) for one in fell or ())
    return bool(fell) and all(isinstance(name, str) for names in named for name in names)


def _as_told(line: Event, now: Event | None) -> Event:
    """A line as it is told: as it counts, with what stands against it; so is what a correction puts in."""
    if now is None:
        return line
    if isinstance(line, Corrected):
        found: tuple[Finding, ...] = getattr(now, "violations", ())
        ruling = {"violations": [one.to_json() for one in found]} if found else {}
        return replace(line, what={**line.what, "insert": [{**line.what["insert"][0], **ruling}]})
    return now


Act = tuple[object, ...]
"""An act by what it is, so that it is the same one where it is recorded anew."""


class Accusation(NamedTuple):
    """A finding that is certain."""

    act: Act
    code: str
    by: str | None
    """None: it is open who it was."""


def accusations(rounds: Iterable[Round]) -> frozenset[Accusation]:
    """All accusations that are certain."""
    found = set[Accusation]()
    for one in rounds:
        for seq, event, act in _standing(one.acts):
            certain = (finding for finding in one.findings(seq) if finding.certain)
            found.update(Accusation(act, each.code, each.by or event.who) for each in certain)
    return frozenset(found)


def retracted(then: History, now: History, because: str) -> list[Corrected]:
    """Corrections that tell which accusations of `then` fell, for acts still on record.

    Plays that were let stand, taken back or withdrawn retract nothing: people know what they did.
    """
    before, now_stand = accusations(then.changed(now)), accusations(now.changed(then))
    # A fault whose player is known by now has not fallen.
    known = {(one.act, one.code) for one in now_stand}
    fallen = {one for one in before - now_stand if one.by is not None or (one.act, one.code) not in known}
    found: list[Corrected] = []
    for seq, event, act in _standing(now.acts) if fallen else ():
        mine = sorted((one for one in fallen if one.act == act), key=str) if hasattr(event, "violations") else ()
        if mine:
            found_now = [finding.to_json() for finding in now.findings(seq)]
            gone = [{"code": one.code, "by": one.by} for one in mine]
            what = {"violations": found_now, "retracts": gone, "because": because}
            found.append(Corrected(corrects=seq, what=what, source="rule"))
    return found


def retractions(
    lines: Sequence[Event], fallen: Sequence[Corrected], accused: frozenset[tuple[int, str, str | None]]
) -> list[RetractionShown]:
    """This round's fallen accusations as a snapshot shows them; `lines` are the journal's.

    `accused` are (line, code, player) of every accusation that is certain by now: an accusation may stand again. An act
    that somebody has undone, and its consequences, are no news any more.
    """
    start = max((n for n, event in enumerate(lines) if isinstance(event, RoundStarted)), default=len(lines))
    gone = {one.corrects for one in standing_corrections(lines) if one.what.get("withdrawn") is True}
    shown: list[RetractionShown] = []
    for told in fallen:
        if told.seq <= start or told.corrects in gone:
            continue
        cause = next((line for line in reversed(lines[start : told.seq]) if line.source != "rule"), None)
        step_back = isinstance(cause, Corrected) and dict(cause.what) in (UNDONE, PUT_BACK)
        if step_back or (cause is not None and cause.seq in gone):
            continue
        still = tuple(
            one for one in told.what["retracts"] if (told.corrects, one["code"], one.get("by")) not in accused
        )
        if still:
            shown.append(RetractionShown(told.seq, told.corrects, still, told.what.get("because")))
    return shown


def with_told(shown: GameView, lines: Sequence[Event], told: ToldSoFar, guesses: Mapping[int, str]) -> GameView:
    """The view with what was told before: how an entry read first, who changed it, and which accusations fell."""
    accused = frozenset(
        (play["seq"], finding["code"], finding.get("by") or play.get("by"))
        for play in shown.plays
        for finding in standing_findings(play)
    )
    fell = retractions(lines, [one for one in told.fallen if one.seq <= len(lines)], accused)
    plays = []
    for play in shown.plays:
        guess = {"guess": guesses[play["seq"]]} if play["seq"] in guesses and not play.get("by") else {}
        changers = {"changers": _changers(play["changed_by"], lines)} if play.get("corrected") else {}
        first = {"original": told.events[play["seq"] - 1].to_json()} if "original" in play and "piece" in play else {}
        plays.append({**play, **guess, **changers, **first})
    return replace(shown, plays=tuple(plays), retractions=tuple(fell))


def _changers(seqs: Sequence[int], events: Sequence[Event]) -> list[str]:
    """By whom an entry was changed, each once: the name of the phone, or the one that an older journal gives."""
    people = [event for seq in seqs if isinstance(event := events[seq - 1], Corrected) and event.source == "person"]
    return list(dict.fromkeys(event.author or event.by or "" for event in people))


def _standing(acts: Mapping[int, AppliedEvent]) -> Iterator[tuple[int, Event, Act]]:
    """Entry, event and act of all that counts. A tile that lies there twice is two acts, the first and the second."""
    times = Counter[Act]()
    for seq, act in acts.items():
        if act.event is not None and not act.held.overruled and not act.held.undone:
            sheet, event = act.after.board.round, act.event
            number = None if sheet is None else sheet.round
            what: Act = (number, event.KIND, event.seq)
            if isinstance(event, TilePlayed):
                what = number, event.tile, event.train
            times[what] += 1
            yield seq, event, (*what, times[what])


class Follower:
    """One listener: remembers which corrections of earlier lines it has heard.

    >>> from companion.log.events import Drew
    >>> one = Follower()
    >>> otherwise = [Corrected(corrects=1, what={"by": "Ben"}, source="rule")]
    >>> [event.what for event in one.news([Drew(seq=1, by="Ann")], otherwise, sent=1)]
    [{'by': 'Ben'}]
    >>> list(one.news([Drew(seq=1, by="Ann")], otherwise, sent=1))
    []
    >>> [event.what for event in one.news([Drew(seq=1, by="Ann")], [], sent=1)]
    [{'by': 'Ann'}]
    """

    def __init__(self) -> None:
        self._said: dict[int, Mapping[str, Any]] = {}

    def forget(self) -> None:
        """Everything is to be said again."""
        self._said.clear()

    def news(self, events: Sequence[Event], otherwise: Iterable[Corrected], sent: int) -> Iterator[Corrected]:
        """Corrections of the first `sent` of these events that are new, or say something else than the last time."""
        now = {one.corrects: one for one in otherwise if one.corrects <= sent}
        for seq in sorted({*self._said, *now}):
            before, what = self._said.get(seq, {}), dict(now[seq].what) if seq in now else {}
            if what != before:
                self._said[seq] = what
                first = {"withdrawn": False, **events[seq - 1].to_json()}
                back = {name: first.get(name) for name in before}
                what = back | ({"maybe": []} if "by" in what and "maybe" in back else {}) | what
                yield Corrected(seq=sent, at=events[sent - 1].at, corrects=seq, what=what, source="rule")
