"""A game as the camera sees it: what it reports goes to the belief and on record, and what it asks changes nothing."""

from __future__ import annotations

from companion.game.open_game import OpenGame
from companion.log.events import Event
from companion.log.table_change import TableChange
from companion.rules.notation import Laying
from companion.rules.tile import Laid


class WatchedGame(OpenGame):
    """`observe` records; `accuses`, `other_tiles`, `expects` and `foresee` say what would come of a change."""

    def observe(self, change: TableChange) -> tuple[Event, ...]:
        """What the camera saw change between two still tables."""
        with self._lock:
            return self._publish(self._watching.see(change))

    def look_on(self) -> None:
        """The camera looks at the table of this round: what people tell of it from now on is never certain alone."""
        with self._lock:
            self._ledger.look_on()

    def accuses(self, change: TableChange) -> bool:
        """Whether `observe` of this change would hold something against somebody, or ask."""
        with self._lock:
            return self._watching.accuses(change)

    def other_tiles(self, change: TableChange) -> list[dict[Laying, Laid]]:
        """Which other tiles those now laid may be so that no rule is broken, the likeliest first; nothing is recorded.
        Only what is hardly less likely than that what was read lies there."""
        with self._lock:
            return self._watching.other_tiles(change)

    def expects(self, change: TableChange) -> bool:
        """Whether this change would be legal whichever way everything before it went."""
        with self._lock:
            return self._watching.expects(change)

    def foresee(self, change: TableChange) -> tuple[Event, ...]:
        """What `observe` would record where this change breaks no rule, else nothing; nothing is recorded."""
        with self._lock:
            return self._watching.foresee(change)
