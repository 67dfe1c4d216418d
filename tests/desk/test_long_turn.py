"""A turn that never ends: a journal of thousands of acts opens in time that grows with its length only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from companion.app.games import look_at_game
from companion.log.event_fields import Header
from companion.log.events import Corrected, Drew, Event, MarkerPlaced, MarkerRemoved, RoundStarted, TilePlayed
from companion.log.journal import Journal
from companion.rules.mexican.turn import TurnState
from companion.rules.tile import Laid
from tests.shown import state_of

HEADER = Header("tactic", "double-9", ("Ann", "Ben"))
START = RoundStarted(round=1, engine=Laid(9, 9), starter="Ann")
PUT_IN = Corrected(corrects=1, what={"insert": [{"event": "drew", "by": "Ann"}], "after": True})

ENDLESS: dict[str, Callable[[int], Sequence[Event]]] = {
    "draws": lambda count: [Drew(by="Ann")] * count,
    "markers": lambda count: [MarkerPlaced(by="Ann", train="Ann"), MarkerRemoved(by="Ann", train="Ann")] * (count // 2),
    "one tile": lambda count: [TilePlayed(by="Ann", tile=Laid(9, 5), train="MX")] * count,
    "draws put in": lambda count: [PUT_IN] * count,
}


@pytest.mark.parametrize("acts", ENDLESS.values(), ids=ENDLESS)
def test_twice_as_many_acts_take_twice_as_much_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, acts: Callable[[int], Sequence[Event]]
) -> None:
    done = 0
    act = TurnState.act

    def counted(state: TurnState, *arguments: Any) -> Any:
        nonlocal done
        done += 1
        return act(state, *arguments)

    monkeypatch.setattr(TurnState, "act", counted)
    work = []
    for count in (60, 120):
        path = tmp_path / f"{count}" / "journal.jsonl"
        path.parent.mkdir()
        with Journal.create(path, HEADER) as journal:
            journal.append_all([START, *acts(count)])
        done = 0
        state_of(look_at_game(path))
        work.append(done)
    assert work[1] < 2.3 * work[0], work
