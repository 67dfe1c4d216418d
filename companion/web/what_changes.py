"""What a correction would change, as its preview shows it, and whether that is still so when somebody keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from werkzeug.exceptions import Conflict

from companion.app.state import SessionLike
from companion.game.game_view import GameView
from companion.game.standing import standing_doubts, standing_faults, standing_open
from companion.web.access import who_changes
from companion.web.code_texts import code_title
from companion.web.languages import gettext as _
from companion.web.refusals import why
from companion.web.wording import fault_title


@dataclass(frozen=True, slots=True)
class Ruled:
    """What is held against a play, in words: what stands for certain, what is only possible, what would be asked."""

    faults: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    is_open: bool = False
    asked: tuple[str, ...] = ()

    @classmethod
    def of(cls, play: Mapping[str, Any] | None) -> Ruled:
        if play is None:
            return cls()
        faults = tuple(fault_title(play, code) for code in standing_faults(play))
        doubts = tuple(code_title(code) for code in standing_doubts(play))
        asked = tuple(code_title(code) for code in standing_open(play))
        return cls(faults, doubts, bool(doubts) or bool(play.get("ruling_open")), asked)


@dataclass(frozen=True, slots=True)
class Change:
    """A play that reads otherwise with a correction, before and after (None: it is not there), with its rulings."""

    seq: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    @property
    def ruled(self) -> tuple[Ruled, Ruled]:
        return Ruled.of(self.before), Ruled.of(self.after)


def changes_between(now: Sequence[Mapping[str, Any]], then: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Plays whose ruling or player differs between two lists of plays."""
    before = {play["seq"]: play for play in now}
    after = {play["seq"]: play for play in then}
    found = [Change(seq, before.get(seq), after.get(seq)) for seq in sorted({*before, *after})]
    return [one for one in found if one.ruled[0] != one.ruled[1] or _named_anew(one)]


def _named_anew(change: Change) -> bool:
    """Whether somebody else is named; where it only became open in which order they are likely, nothing changes."""
    old, new = change.before, change.after
    return old is not None and new is not None and old.get("by") != new.get("by")


@dataclass(frozen=True, slots=True)
class Preview:
    """The table `now` and `then`, with the correction."""

    now: GameView
    then: GameView

    @property
    def plays(self) -> list[Change]:
        return changes_between(self.now.plays, self.then.plays)

    @property
    def totals(self) -> dict[str, tuple[int, int]]:
        """Player -> points before and after, where they differ."""
        both = {name: (old, self.then.totals.get(name, old)) for name, old in self.now.totals.items()}
        return {name: pair for name, pair in both.items() if pair[0] != pair[1]}

    @property
    def turn(self) -> tuple[str | None, str | None]:
        return self.now.turn, self.then.turn

    @property
    def mark(self) -> str:
        """The same for as long as the same plays change in the same way: what is laid meanwhile takes nothing away from
        what somebody has read and keeps."""
        plays = [(one.seq, [asdict(ruled) for ruled in one.ruled], _named_anew(one)) for one in self.plays]
        told = json.dumps([plays, self.totals], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def what_changes(session: SessionLike, seq: int, what: Mapping[str, Any]) -> Preview:
    """Raises Conflict where entry `seq` cannot be corrected like that."""
    now = session.snapshot()
    try:
        then = session.what_if(seq, what, who_changes())  # type: ignore[attr-defined]
    except (ValueError, LookupError) as refusal:
        raise Conflict(why(refusal) or _("You cannot correct it like that.")) from None
    return Preview(now, then)
