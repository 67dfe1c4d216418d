"""Made-up events and clocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from companion.log.event_fields import Candidate, Finding, Header  # fmt: skip
from companion.log.events import (
    Announced,
    Corrected,
    Discarded,
    DoubleFlipped,
    Drew,
    Event,
    HandShown,
    MarkerPlaced,
    MarkerRemoved,
    MatchEnded,
    Passed,
    PlayerLeft,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TilePlayed,
    TileTakenBack,
    Unclear,
)
from companion.rules.tile import Laid, Tile

HEADER = Header("tactic", "double-12", ("Ann", "Ben", "Cy"))


def ticking(start: str = "2026-11-20T18:00:00+00:00") -> Callable[[], datetime]:
    """A clock that goes on by one second each time it is asked."""
    now = datetime.fromisoformat(start).astimezone(UTC) - timedelta(seconds=1)

    def tick() -> datetime:
        nonlocal now
        now += timedelta(seconds=1)
        return now

    return tick


pieces = st.none() | st.integers(0, 9999)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
someone = st.none() | names
pips = st.integers(0, 18)
laid = st.builds(Laid, pips, pips)
tiles = st.builds(Tile, pips, pips)
findings = st.lists(st.builds(Finding, names, st.booleans(), someone), max_size=2).map(tuple)
maybe = st.lists(names, max_size=3).map(tuple)
points = st.dictionaries(names, st.integers(-999, 999), max_size=4)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
stories = st.lists(
    st.builds(Candidate, st.text(max_size=9), st.just(()), p=st.none() | st.just(0.25), codes=maybe), max_size=2
).map(tuple)


def _of(kind: type[Event], **own: st.SearchStrategy[object]) -> st.SearchStrategy[Event]:
    return st.builds(
        kind, source=st.sampled_from(["camera", "person", "rule"]), frame=st.none() | st.just("0007.jpg"), **own
    )


events: st.SearchStrategy[Event] = st.one_of(
    _of(RoundStarted, round=st.integers(1, 13), engine=st.none() | laid, starter=someone, draws_seen=st.booleans()),
    _of(TilePlayed, by=someone, tile=laid, train=names, violations=findings, maybe=maybe, piece=pieces),
    _of(TileTakenBack, by=someone, tile=laid, train=names, undoes=st.none() | st.integers(1, 99)),
    _of(Drew, by=someone, tile=st.none() | tiles, violations=findings, maybe=maybe, piece=pieces),
    _of(Passed, by=someone, violations=findings, maybe=maybe),
    _of(Discarded, by=someone, tile=st.none() | tiles, face_up=st.booleans(), violations=findings),
    _of(MarkerPlaced, by=someone, train=names, violations=findings, piece=pieces),
    _of(MarkerRemoved, by=someone, train=names, violations=findings),
    _of(DoubleFlipped, by=someone, train=names),
    _of(Announced, by=someone, what=st.sampled_from(["last_tile", "open_end"]), value=st.none() | pips),
    _of(PlayerLeft, by=names),
    _of(HandShown, by=names, tiles=st.lists(tiles, max_size=4).map(tuple)),
    _of(Unclear, reason=st.text(max_size=20), candidates=stories),
    _of(Corrected, corrects=st.integers(1, 99), what=st.dictionaries(names, plain, max_size=2), by=someone),
    _of(RoundEnded, how=st.sampled_from(["out", "blocked_proved", "blocked_declared", "abandoned"]), out=someone),
    _of(RoundScored, scores=points, totals=points, next_engine=st.none() | laid, next_starter=someone),
    _of(MatchEnded, winners=maybe, totals=points),
)
