"""What acts came to that were tried: another order of taps mostly begins as one did that was tried a tap ago."""

from __future__ import annotations

from dataclasses import replace

from companion.log.events import Event
from companion.play.event_actions import is_act
from companion.play.match import Match, MatchStep

KEPT = 4000
"""So many steps are kept at least, and twice as many at most; one is some kilobytes."""

_Known = dict[tuple[int, int, int], tuple[Match, Event, MatchStep]]


class Steps:
    """Steps of matches by what they began with. Forgets those that were asked for the longest ago."""

    def __init__(self) -> None:
        self._late: _Known = {}
        self._early: _Known = {}

    def take(self, match: Match, event: Event, key: int) -> MatchStep:
        """`match.take(event, key)`."""
        if not is_act(event):
            return match.take(event, key)
        # The match is kept, so that its number is no other's.
        which = (id(match), key, event.seq)
        known = self._late.get(which) or self._early.get(which)
        if known is None or (known[1] is not event and known[1] != replace(event, at=known[1].at)):
            known = match, event, match.take(event, key)
        if len(self._late) >= KEPT:
            self._early, self._late = self._late, {}
        self._late[which] = known
        return known[2]
