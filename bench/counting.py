"""The score of a round on record: every play and every planted fault falls into exactly one class.

A play of the round is recorded with the right player (`named`), with nobody's name (`unnamed`), with another player's
(`misnamed`) or not at all (`lost`). Nobody's name is never counted as right.

A planted fault is `shown` (certain, with the right code and the right name), shown `nameless` (certain, right code, it
is left open who did it), only `possible` (its code and player stand among others, and nobody is accused) or `missed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.game.game import Game
from companion.game.game_view import SET_ASIDE
from companion.log.events import Event

Charge = tuple[str, str | None]
"""(code, player)."""

Laid = tuple[tuple[int, ...], str]
"""A tile, inner half first, and its train."""


@dataclass(frozen=True, slots=True)
class CountedPlays:
    """`named` + `unnamed` + `misnamed` + `lost` are all plays of the round. `extra` are recorded and were not made."""

    plays: int
    named: int
    unnamed: int
    misnamed: tuple[str, ...]
    lost: tuple[str, ...]
    extra: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountedFaults:
    """`shown` + `nameless` + `possible` + `missed` are all planted faults.

    `each` has (code, class) of every planted fault, in the order of the round.
    `false` are certain accusations at the end of the round that the truth does not hold, `false_ever` those that stood
    at any moment. `unsaid` are true ones that stood once and no longer do.
    """

    planted: int
    shown: int
    nameless: int
    possible: int
    missed: tuple[str, ...]
    false: tuple[str, ...]
    false_ever: tuple[str, ...]
    unsaid: tuple[str, ...]
    each: tuple[tuple[str, str], ...] = ()


def count_plays(true: Sequence[tuple[str, Laid]], recorded: Iterable[Mapping[str, Any]]) -> CountedPlays:
    """`true` are (player, tile and train) in order; `recorded` a snapshot's `plays`."""
    left = Counter(laid for _, laid in true)
    # Some Chinese tiles are in the box twice, so one tile on one arm may have two rightful players.
    players: dict[Laid, Counter[str]] = {}
    for player, laid in true:
        players.setdefault(laid, Counter())[player] += 1
    named = unnamed = 0
    misnamed: list[str] = []
    extra: list[str] = []
    for play in recorded:
        if play.get("event") != "tile_played" or any(play.get(key) for key in SET_ASIDE if key != "overruled"):
            continue
        laid = (tuple(play["tile"]), str(play["train"]))
        words, by = f"{laid[0][0]}-{laid[0][1]}@{laid[1]}", play.get("by")
        if left[laid] <= 0:
            extra.append(words)
            continue
        left[laid] -= 1
        if by is None:
            unnamed += 1
        elif players[laid][by] > 0:
            players[laid][by] -= 1
            named += 1
        else:
            misnamed.append(f"{words} by {by}")
    lost = [f"{tile[0]}-{tile[1]}@{train}" for (tile, train), count in left.items() for _ in range(count)]
    return CountedPlays(len(true), named, unnamed, tuple(misnamed), tuple(lost), tuple(extra))


def count_by(
    kinds: Iterable[tuple[str, str, Laid]], recorded: Iterable[Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    """`kinds` are (kind, player, tile and train) of every play; how many of each kind are named, unnamed, misnamed and
    lost. Of equal tiles on one train the kinds take turns in the order of play."""
    names: dict[Laid, list[str | None]] = {}
    for play in recorded:
        if play.get("event") == "tile_played" and not any(play.get(key) for key in SET_ASIDE if key != "overruled"):
            names.setdefault((tuple(play["tile"]), str(play["train"])), []).append(play.get("by"))
    found: dict[str, dict[str, int]] = {}
    for kind, player, laid in kinds:
        counts = found.setdefault(kind, {"named": 0, "unnamed": 0, "misnamed": 0, "lost": 0})
        known = names.get(laid, [])
        if not known:
            counts["lost"] += 1
            continue
        by = known.pop(known.index(player) if player in known else 0)
        counts["unnamed" if by is None else "named" if by == player else "misnamed"] += 1
    return found


def count_draws(true: Sequence[str], recorded: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Draws with the right name, with none, with another's, not recorded, and recorded though nobody drew."""
    on_record = [play.get("by") for play in recorded if play.get("event") == "drew" and not play.get("withdrawn")]
    left, named, others = Counter(true), 0, []
    for by in on_record:
        if by is not None and left[by] > 0:
            left[by] -= 1
            named += 1
        else:
            others.append(by)
    missing = sum(left.values())
    unnamed = min(missing, sum(by is None for by in others))
    missing -= unnamed
    misnamed = min(missing, sum(by is not None for by in others))
    return {
        "drawn": len(true),
        "named": named,
        "unnamed": unnamed,
        "misnamed": misnamed,
        "unseen": missing - misnamed,
        "invented": len(others) - unnamed - misnamed,
    }


def count_faults(
    planted: Sequence[tuple[str, str]],
    real: Iterable[tuple[str, str]],
    recorded: Sequence[Mapping[str, Any]],
    ever: Iterable[Charge] = (),
) -> CountedFaults:
    """`planted` are (code, player), `real` what the judge finds in the turns as they were made, `recorded` a snapshot's
    `plays`, `ever` the certain accusations that ever stood."""
    at_the_end = list(accusations(recorded))
    certain = [(code, by) for code, by, sure in at_the_end if sure]
    named: Counter[Charge] = Counter(certain)
    open_ = Counter((code, by) for code, by, sure in at_the_end if not sure)
    each: list[tuple[str, str]] = []
    missed: list[str] = []
    # Each accusation answers for one planted fault, the named ones first.
    for code, player in planted:
        classes = (
            (named, (code, player), "shown"),
            (named, (code, None), "nameless"),
            (open_, (code, player), "possible"),
        )
        for charges, charge, kind in classes:
            if charges[charge] > 0:
                charges[charge] -= 1
                each.append((code, kind))
                break
        else:
            each.append((code, "missed"))
            missed.append(f"{code} by {player}")
    kinds = Counter(kind for _, kind in each)
    true = {*real, *((code, None) for code, _ in real)}
    stood = sorted({*ever, *certain}, key=str)
    codes = {code for code, _ in certain}
    false = [f"{code} by {by}" for code, by in certain if (code, by) not in true]
    false_ever = [f"{code} by {by}" for code, by in stood if (code, by) not in true]
    unsaid = [f"{code} by {by}" for code, by in stood if (code, by) in true and code not in codes]
    return CountedFaults(
        len(planted), kinds["shown"], kinds["nameless"], kinds["possible"], tuple(missed), tuple(false),
        tuple(false_ever), tuple(unsaid), tuple(each),
    )  # fmt: skip


def accusations(plays: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str | None, bool]]:
    """(code, player, certain) of each fault that still stands against somebody."""
    for play in plays:
        if any(play.get(key) for key in SET_ASIDE):
            continue
        for finding in play.get("violations") or ():
            yield finding["code"], finding.get("by") or play.get("by"), bool(finding.get("certain", True))


class AccusationLog:
    """Every certain accusation that ever stood in a session, whatever became of it, and what did not last.

    `flips`: how often the name of an entry went, changed or came again (`names`), and how often a certain finding was
    taken back or came again (`certain`). Looked at after each change as a whole: between the lines of one change
    findings come and go that nobody sees.
    """

    def __init__(self, session: Game) -> None:
        self.ever: set[Charge] = set()
        self.flips: Counter[str] = Counter(names=0, certain=0)
        self._named: dict[int, str | None] = {}
        self._held: dict[tuple[int, str], bool] = {}
        self._session = session
        session.subscribe(self._look)

    def _look(self, _event: Event) -> None:
        plays = self._session.snapshot().plays
        self.ever |= {(code, by) for code, by, certain in accusations(plays) if certain}
        for play in plays:
            if any(play.get(key) for key in SET_ASIDE):
                continue
            seq, by = play["seq"], play.get("by")
            self.flips["names"] += self._named.get(seq, by) != by
            if by is not None or seq in self._named:
                self._named[seq] = by
            codes = {code for code, _, certain in accusations((play,)) if certain}
            for code in {*codes, *(code for one, code in self._held if one == seq)}:
                self.flips["certain"] += self._held.get((seq, code), True) != (code in codes)
                self._held[seq, code] = code in codes
