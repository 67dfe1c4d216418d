"""What the belief comes to, as events: its likeliest way of things, with the names and faults that it is sure of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.game.proof import Shown
from companion.log.event_fields import Finding
from companion.log.events import Event, Passed, TilePlayed
from companion.play.event_actions import event_of
from companion.rules.actions import Action, Draw, End, Flip
from companion.rules.violations import Violation
from companion.tracking.costs import Cause
from companion.tracking.evidence import ITEMS
from companion.tracking.filter import Hypothesis
from companion.tracking.pieces import Step
from companion.tracking.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Believed:
    """One act of change `number`. `item` None: a pass, which nothing shows."""

    number: int
    item: int | None
    event: Event

    @property
    def key(self) -> object:
        """What it is told by from one look at the belief to the next."""
        return (self.number, self.event.who) if self.item is None else self.item


def believed(
    way: Hypothesis, first: int, verdicts: Mapping[int, Verdict], players: Sequence[str], seen: Mapping[int, Action]
) -> list[Believed]:
    """The acts since change `first` in the order of the hypothesis `way`, as far as there are `verdicts` on them, with
    the passes between them; `seen`: item -> what was read."""
    acts: list[Believed] = []
    passes: list[Passed] = []
    for _, steps in way.path:
        for step in steps:
            if isinstance(step.act, End):
                passes += [Passed(by=step.player, source="rule")] if _passed(step, seen) else []
            elif step.item is not None:
                number = step.item // ITEMS
                if number >= first and step.item in verdicts:
                    acts += [Believed(number, None, one) for one in passes]
                    acts.append(judged(number, verdicts[step.item], step.player if step.act else None, players))
                passes = []
    return acts


def _passed(end: Step, seen: Mapping[int, Action]) -> bool:
    """Whether this end of a turn was a pass: nothing shows the turn, or it laid no tile and put no marker on."""
    if Cause.SILENT_PASS in end.causes or str(Violation.PASS_WITHOUT_DISCARD) in end.codes:
        return True
    return end.item is not None and isinstance(seen.get(end.item), (Draw, Flip))


def judged(number: int, verdict: Verdict, first: str | None, players: Sequence[str]) -> Believed:
    """One act with its verdict; `first` is whom the likeliest way of things has for it (None: nobody, it was none)."""
    by = verdict.by if first is not None else None
    findings = tuple(_findings(verdict, by))
    maybe: tuple[str, ...] = ()
    if by is None:
        likely = verdict.maybe if len(set(verdict.maybe)) > 1 else players
        maybe = tuple(dict.fromkeys((*((first,) if first is not None else ()), *likely)))
    elif any(not one.certain for one in findings) or any(one.by not in (None, by) for one in findings):
        maybe = tuple(dict.fromkeys((by, *(one.by for one in findings if one.by is not None))))
    return Believed(number, verdict.item, event_of(verdict.act, by, maybe=maybe, violations=findings))


def as_people_say(number: int, verdict: Verdict, event: Event, misfits: Sequence[str]) -> Believed:
    """An act of which people say whose it was, or what: that stands as it is, and nothing is certain but what a picture
    proves. That a tile does not fit (`misfits`) is said also where the belief holds that they are mistaken."""
    charged = {one.code for one in verdict.charges}
    findings = (
        *(
            Finding(one.code, certain=one.certain and one.proved, by=None if one.by == event.who else one.by)
            for one in verdict.charges
        ),
        *(Finding(code, certain=False) for code in misfits if code not in charged),
    )
    changed: dict[str, Any] = {"violations": findings}
    return Believed(number, verdict.item, replace(event, **changed))


def _findings(verdict: Verdict, by: str | None) -> Iterator[Finding]:
    for charge in verdict.charges:
        whose = None if charge.certain and charge.by == by else charge.by
        yield Finding(charge.code, certain=charge.certain, by=whose)


def shown(one: Believed, by: Shown) -> Believed:
    """The same with the picture that shows it, how surely its tile was read, and whose arm laid it."""
    extra: dict[str, Any] = {"frame": by.frame}
    if isinstance(one.event, TilePlayed):
        reading, lies = by.reading, one.event.tile
        if reading is not None and by.read not in (None, lies):
            reading = reading.of_another(by.read, lies)
        extra |= {"reading": reading, "arm": by.arm}
    return replace(one, event=replace(one.event, **extra))
