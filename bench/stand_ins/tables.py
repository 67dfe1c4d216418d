"""Tables as snapshots, for tests of the page: written out, not played, so that the page is tested on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PLAYERS = ("Ann", "Ben", "Cyril", "Dorothea")


def train(
    name: str,
    chain: str,
    *,
    seq: int = 100,
    engine: int = 12,
    marker: bool = False,
    open: bool = False,
    playable: bool = False,
    unsure: Sequence[int] = (),
) -> dict[str, Any]:
    """One row of `trains` from a chain like `"12-5 5-5"`."""
    tiles = [[int(half) for half in part.split("-")] for part in chain.split()]
    return {
        "name": name,
        "owner": None if name == "MX" else name,
        "tiles": [
            {"tile": tile, "seq": seq + i, "sure": 0.55 if i in unsure else 0.999} for i, tile in enumerate(tiles)
        ],
        "end": tiles[-1][1] if tiles else engine,
        "marker": marker,
        "open": open,
        "flipped": False,
        "dead": "no",
        "playable": playable,
    }


def play(seq: int, by: str | None, tile: Sequence[int], on: str, *codes: str, **more: Any) -> dict[str, Any]:
    """A `tile_played` line; the codes are certain violations."""
    line = {
        "seq": seq,
        "at": "2026-11-20T18:00:00.000Z",
        "source": "camera",
        "event": "tile_played",
        "by": by,
        "tile": list(tile),
        "train": on,
        "violations": [{"code": code, "certain": True} for code in codes],
    }
    return {**line, **more}


def midgame(**changes: Any) -> dict[str, Any]:
    """Tactic, four players, round 3 of 13, Ben to move; Ann's train carries her marker; one unsure tile."""
    table = {
        "seq": 31,
        "phase": "playing",
        "rules": "tactic",
        "title": "Mexican Train (boxed game)",
        "family": "mexican",
        "set": "double-12",
        "set_max": 12,
        "players": list(PLAYERS),
        "options": {},
        "round": 3,
        "rounds": 13,
        "engine": [10, 10],
        "starter": "Cyril",
        "how": None,
        "turn": "Ben",
        "first_turn": False,
        "turn_actions": [],
        "turn_finished": False,
        "laying_together": False,
        "unable": ["draw", "mark Ben", "end"],
        "still_laying": None,
        "after_double": None,
        "boneyard": 24,
        "hands": {"Ann": 9, "Ben": 10, "Cyril": 8, "Dorothea": 11},
        "trains": [
            train("Ann", "10-5 5-9 9-9 9-2 2-12", seq=2, engine=10, marker=True, playable=True),
            train("Ben", "10-1 1-7 7-4", seq=8, engine=10, playable=True),
            train("Cyril", "10-12 12-12 12-8 8-3 3-6 6-6 6-0", seq=12, engine=10, unsure=(4,)),
            train("Dorothea", "10-3 3-11", seq=20, engine=10),
            train("MX", "10-8 8-8 8-5", seq=24, engine=10, playable=True),
        ],
        "markers": ["Ann"],
        "line": [],
        "arms": 1,
        "ends": [None, None],
        "discards": {},
        "open_doubles": [],
        "may_play": [],
        "must_cover": None,
        "plays": [
            play(24, "Ann", (10, 8), "MX"),
            play(25, "Ben", (8, 8), "MX"),
            play(26, "Ben", (8, 5), "MX"),
            play(18, "Cyril", (6, 0), "Cyril"),
            {"seq": 28, "event": "drew", "by": "Dorothea", "source": "camera", "violations": []},
            play(21, "Dorothea", (3, 11), "Dorothea"),
            {"seq": 30, "event": "drew", "by": "Ann", "source": "camera", "violations": []},
            {"seq": 31, "event": "marker_placed", "by": "Ann", "train": "Ann", "source": "camera", "violations": []},
        ],
        "questions": [],
        "to_come": [],
        "put_before": [],
        "own_turns": {},
        "blocked": None,
        "rounds_played": [
            {"round": 1, "how": "out", "out": None, "scores": {"Ann": 0, "Ben": 43, "Cyril": 61, "Dorothea": 18}},
            {
                "round": 2,
                "how": "blocked_proved",
                "out": None,
                "scores": {"Ann": 37, "Ben": 12, "Cyril": 0, "Dorothea": 55},
            },
        ],
        "totals": {"Ann": 37, "Ben": 55, "Cyril": 61, "Dorothea": 73},
        "most_points_win": False,
        "winner": None,
        "audit": [],
        "shown": {},
        "next": None,
        "camera": None,
    }
    whole = {**table, **changes}
    return {**whole, "totals": dict.fromkeys(whole["players"], 0) | whole["totals"]}


def illegal() -> dict[str, Any]:
    """Midgame after Ben laid on Cyril's closed train: one certain accusation."""
    table = midgame(seq=32, turn="Cyril")
    table["trains"][2] = train("Cyril", "10-12 12-12 12-8 8-3 3-6 6-6 6-0 0-11", seq=12, engine=10, playable=True)
    table["trains"][1]["playable"] = False
    table["trains"][2]["tiles"][-1]["seq"] = 32
    table["plays"].append(play(32, "Ben", (0, 11), "Cyril", "CLOSED_TRAIN", frame="f32.jpg"))
    return table


def uncovered_double() -> dict[str, Any]:
    """Dorothea laid 11-11 and left it: everybody must cover it."""
    table = midgame(seq=33, turn="Ann", must_cover={"train": "Dorothea", "value": 11, "by": "Ann", "since": 22})
    for row in table["trains"]:
        row["playable"] = False
    table["trains"][3] = train("Dorothea", "10-3 3-11 11-11", seq=20, engine=10, open=True, playable=True)
    table["plays"].append(play(22, "Dorothea", (11, 11), "Dorothea"))
    return table


def off_record() -> dict[str, Any]:
    """Two tiles on Dorothea's double are not on record, and a third lies apart from all trains."""
    table = midgame(seq=34, off_record={"left": 0, "right": 0, "apart": 1})
    table["trains"][3] = train("Dorothea", "10-3 3-11 11-11", seq=20, engine=10) | {"end": None, "off_record": 2}
    table["questions"] = [
        {
            "seq": 33,
            "reason": "unreadable_tile: Dorothea",
            "candidates": [
                {"story": "11-4", "events": [play(0, "Dorothea", (11, 4), "Dorothea")], "p": 0.2},
                {"story": "11-5", "events": [play(0, "Dorothea", (11, 5), "Dorothea")], "p": 0.2},
            ],
        }
    ]
    return table


def question() -> dict[str, Any]:
    """The camera saw a change that two stories explain."""
    table = midgame(seq=34)
    table["questions"] = [
        {
            "seq": 34,
            "reason": "several_stories",
            "candidates": [
                {"story": "Ben: play 4-0@Ben", "events": [play(0, "Ben", (4, 0), "Ben")], "p": 0.71},
                {"story": "Ben: play 4-9@Ben", "events": [play(0, "Ben", (4, 9), "Ben")], "p": 0.29},
            ],
        }
    ]
    return table


def unscored() -> dict[str, Any]:
    """The table was cleared before round 3 was scored, and the page asks whether another has begun."""
    stories = [{"story": "new_round", "events": []}, {"story": "same_round", "events": []}]
    asked = {"event": "unclear", "source": "camera", "seq": 40, "reason": "new_round: 3", "candidates": stories}
    return midgame(questions=[asked])


def eight_players() -> dict[str, Any]:
    """The fullest table: eight trains and the Mexican one, the longest of sixteen tiles."""
    names = ["Ann", "Ben", "Cyril", "Dorothea", "Eva", "Fyodor", "Olena", "রহিম"]
    chain = "12-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9 9-9 9-10 10-11 11-0 0-0 0-2 2-2"
    parts = chain.split()
    rows = [train(name, " ".join(parts[: 3 + 2 * i]), seq=2 + 20 * i) for i, name in enumerate(names)]
    rows[6] = train("Olena", chain, seq=130, marker=True, playable=True)
    rows.append(train("MX", "12-7 7-7 7-11 11-4", seq=200, playable=True))
    return midgame(
        players=names,
        turn="Eva",
        engine=[12, 12],
        hands={name: 4 + i for i, name in enumerate(names)},
        trains=rows,
        totals={name: 30 + 17 * i for i, name in enumerate(names)},
        rounds_played=[
            {"round": 1, "how": "out", "out": None, "scores": {name: 30 + 17 * i for i, name in enumerate(names)}}
        ],
    )


def chinese_line() -> dict[str, Any]:
    """Jielong with one arm, ten tiles laid."""
    chain = "3:6 6:6 6:6 6:1 1:1 1:5 5:5 5:3 3:3 3:4"
    line = [
        {"tile": [int(h) for h in part.split(":")], "seq": 2 + i, "sure": 1.0} for i, part in enumerate(chain.split())
    ]
    return {
        **midgame(),
        "rules": "jielong",
        "family": "chinese",
        "set": "chinese",
        "set_max": 6,
        "engine": None,
        "boneyard": None,
        "rounds": None,
        "trains": [],
        "line": line,
        "arms": 1,
        "ends": [None, 4],
        "unable": ["discard"],
        "discards": {"Ann": 1, "Ben": 0, "Cyril": 2, "Dorothea": 0},
        "plays": [play(10, "Ann", (3, 3), "R"), play(11, "Ben", (3, 4), "R")],
    }


def waiting(players: Sequence[str] = PLAYERS, **changes: Any) -> dict[str, Any]:
    """A game that was set up, before its first round."""
    empty: Mapping[str, Any] = {
        "seq": 0,
        "phase": "waiting",
        "round": None,
        "engine": None,
        "turn": None,
        "trains": [],
        "plays": [],
        "rounds_played": [],
        "totals": dict.fromkeys(players, 0),
        "hands": {},
        "players": list(players),
        "boneyard": None,
    }
    return midgame(**{**empty, **changes})


def lines() -> list[dict[str, Any]]:
    """A journal that fits `illegal`: 32 lines, the last one Ben's tile on a closed train."""
    rows: list[dict[str, Any]] = [
        {"seq": 1, "event": "round_started", "round": 3, "engine": [10, 10], "starter": "Cyril", "source": "person"}
    ]
    told = {row["seq"]: row for row in illegal()["plays"]}
    for seq in range(2, 33):
        rows.append(told.get(seq) or {"seq": seq, "event": "drew", "by": "Cyril", "source": "camera", "violations": []})
    rows[29]["frame"] = "f30.jpg"
    return rows


def round_over() -> dict[str, Any]:
    """Nobody is to move; the hands are waited for."""
    return midgame(phase="round_over", turn=None)


def match_over() -> dict[str, Any]:
    return midgame(phase="match_over", turn=None, winner=["Ann"], round=13)


LONG_NAMES = (
    "Bartholomew Featherstone", "Grandma", "Maximiliana von Weissen", "Cy", "Alexandrina-Wilhelmina", "Olena", "Jo",
    "Christopher-Alexander III",
)  # fmt: skip


def chain(first: int, length: int, highest: int = 12) -> str:
    """A train of so many tiles from `first` on, every fifth one a double; tiles may come twice."""
    parts, end = [], first
    for n in range(length):
        outer = end if n % 5 == 2 else (end * 5 + n * 7 + 3) % (highest + 1)
        parts.append(f"{end}-{outer}")
        end = outer
    return " ".join(parts)


def wall(
    players: int, length: int, mexican: int, *, alerts: int = 0, names: Sequence[str] = LONG_NAMES
) -> dict[str, Any]:
    """A table as full as one can be: every train of `length` tiles, and so many things to be said at once."""
    chosen = [name[:24] for name in names[:players]]
    rows = [
        train(name, chain(12, max(1, length - 3 * i)), seq=100 * (i + 1), marker=i % 2 == 0, playable=i % 3 < 2)
        for i, name in enumerate(chosen)
    ]
    rows.append(train("MX", chain(12, mexican), seq=2000, playable=True))
    table = midgame(
        players=chosen,
        turn=chosen[-1],
        engine=[12, 12],
        hands={name: 3 + i for i, name in enumerate(chosen)},
        trains=rows,
        totals={name: 94 + 57 * i for i, name in enumerate(chosen)},
        rounds_played=[
            {"round": 1, "how": "out", "out": None, "scores": {name: 94 + 57 * i for i, name in enumerate(chosen)}}
        ],
        plays=[
            play(50 + i, chosen[0], (12, 5), chosen[-1], *(["CLOSED_TRAIN"] if i >= 8 - min(alerts, 3) else []))
            for i in range(8)
        ],
    )
    if alerts > 3:
        table["questions"] = question()["questions"] * (alerts - 3)
    return table


def wall_under_a_double() -> dict[str, Any]:
    """Eight short names: the first train ends in a double that everybody must cover."""
    table = wall(8, 9, 14, names=("Ann", "Ben", "Cy", "Dee", "Eva", "Fay", "Gus", "Hal"))
    first, *others = table["trains"]
    first |= {"open": True, "playable": True}
    for row in others:
        row["playable"] = False
    return table | {"must_cover": {"train": "Ann", "value": first["end"], "by": table["turn"], "since": 100}}


PAGES = (
    "/", "/tv", "/scores", "/ask", "/games", "/setup", "/setup?rules=poltava", "/setup?rules=chedeng", "/pin",
    "/play/32", "/play/1", "/round-start", "/round-end", "/games/tonight/replay?at=5", "/games/tonight/changes",
    "/qr.svg", "/health",
)  # fmt: skip
