"""Where people sit around the table, in degrees from its middle: not where their trains begin, though mostly behind.

A seat is a place for one person. What is said of seats may be wrong or left out; then nobody is named by an arm, and
`trouble_of` says in one line why.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from companion.geometry.angles import turn
from companion.geometry.table_view import Point

BEHIND_MM = 260.0
"""From the table's edge to the middle of whoever sits there: half a chair, and a lap."""

ENOUGH, MOST = 4, 0.75
"""So many plays of a player, of which this part came from one other seat, contradict what was said of the seats."""

LEAST_APART_DEG = 20.0
"""Of two people at one table of 90 by 120 cm, elbow to elbow, the seats are at least this far apart."""


def seats_of(given: Mapping[str, float], stations: Mapping[str, float], players: Sequence[str]) -> dict[str, float]:
    """The seats as they were said; who was not asked sits behind the station of their own train."""
    known = {**stations, **given}
    return {name: known[name] for name in players if name in known}


def trouble_of(seats: Mapping[str, float], players: Sequence[str]) -> str | None:
    """Why arms say nothing with these seats, in one line; None where they do."""
    missing = [name for name in players if name not in seats]
    if missing:
        return f"seats: {', '.join(missing)} has none, so arms name nobody"
    for n, name in enumerate(players):
        for other in players[n + 1 :]:
            if abs(turn(seats[name], seats[other])) < LEAST_APART_DEG:
                return (
                    f"seats: {name} and {other} sit in one place ({seats[name]:g} and {seats[other]:g} degrees), "
                    "so arms name nobody"
                )
    return None


def body_mm(seat_deg: float, size_mm: tuple[float, float]) -> Point:
    """The middle of whoever sits in this direction, on the table's plane."""
    w, h = size_mm
    ux, uy = math.cos(math.radians(seat_deg)), math.sin(math.radians(seat_deg))
    edge = min(w / 2 / max(abs(ux), 1e-6), h / 2 / max(abs(uy), 1e-6))
    return w / 2 + ux * (edge + BEHIND_MM), h / 2 + uy * (edge + BEHIND_MM)


def contradiction(plays: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Who seems to sit where somebody else was said to sit. `plays` are (player, from whose seat the arm came)."""
    from_where: dict[str, Counter[str]] = {}
    for player, seat in plays:
        from_where.setdefault(player, Counter())[seat] += 1
    for player, seats in from_where.items():
        (seat, count), total = seats.most_common(1)[0], sum(seats.values())
        if total >= ENOUGH and seat != player and count >= MOST * total:
            return player, seat
    return None
