"""Taps of legal rounds, derived from the texts without sight of the code: draws, markers, discards and ends of turns
tapped late, of one player or several. Nobody stands accused for certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.log.event_fields import Header

PLAYERS = ("Ann", "Ben", "Cy", "Dee")

SEQUENCES = (
    ("cz", 3, 12, "Ann 12-5@Ann, Cy 12-1@Cy, Ann 12-3@MX, Ben mark"),
    ("tactic", 3, 12, "Ann 12-5@Ann, Ben 12-7@Ben, Cy 12-1@MX, Ann 5-5@Ann, Ben 5-1@Ann, Ann draw, Ann mark"),
    ("reeves", 3, 12, "Ann 12-5@Ann, Ben 12-7@Ben, Cy 12-1@Cy, Ann 5-5@Ann, Ben 5-1@Ann, Ann draw, Ann mark"),
    ("reeves", 3, 12, "Ann 12-5@Ann, Ben 12-7@Ben, Cy 12-1@Cy, Ann 5-5@Ann, Ben draw, Ben 5-1@Ann, Ann draw, Ann mark"),
    ("jielong", 2, 0, "Ann 3-6@R, Ben pass, Ann 6-1@R, Ben discard, Ben 1-2@R"),
    ("jielong", 2, 0, "Ann 3-6@R, Ann 6-1@R, Ben discard, Ben 1-2@R"),
    ("tactic", 2, 12, "Ann draw, Ann mark, Ben 12-4@Ann, Ann 4-6@Ann, Ben 6-1@Ann, Ann unmark"),
    ("poltava", 2, 9, "Ann mark, Ben 9-1@Ben, Ann 9-3@MX, Ben 9-2@Ann, Ann unmark"),
    ("jielong", 2, 0, "Ann 3-6@R, Ann 6-1@R"),
    ("cz", 2, 12, "Ann 12-5@Ann, Ann 12-3@MX, Ben mark"),
    ("cz", 2, 12, "Ann 12-5@Ann, Ann done, Ann 12-3@MX, Ben mark, Ben 12-6@Ben, Ben unmark, Ann 3-4@MX"),
    ("cz", 2, 12, "Ann 12-5@Ann, Ann 12-3@Ben, Ben mark"),
    ("cz", 3, 12, "Ben 12-2@Ben, Cy 12-1@Cy, Ben 12-7@MX, Ann mark, Ann draw"),
    ("cz", 2, 12, "Ann draw, Ann mark, Ben mark"),
    ("tactic", 2, 12, "Ann 12-5@Ann, Ben done, Ann 5-6@Ann"),
    ("tactic", 2, 12, "Ann cannot, Ben 12-3@Ben, Ben 3-4@Ben"),
    ("tactic", 2, 12, "Ann 12-5@Ann, Ann 5-6@Ann"),
    ("cz", 2, 12, "Ann 12-5@Ann, Ben 12-2@Ben, Ann 5-5@Ann, Ann draw, Ann mark"),
    ("tactic", 2, 12, "Ann 12-5@Ann, Ben 12-3@Ben, Ann mark, Ann draw"),
    ("reeves", 3, 12, "Ann mark, Ben 12-3@Ben, Cy 12-4@Cy, Ann 12-5@Ann, Ben 3-6@Ben, Ann draw"),
    ("tactic", 3, 12, "Ann draw, Ben 12-3@Ben, Cy 12-4@Cy, Ann 12-5@MX, Ben 3-6@Ben, Ann mark"),
    ("tactic", 3, 12, "Ann draw, Ann mark, Ben draw, Ben mark, Cy 12-4@Cy, Ben 12-11@Ben, Ann draw, Ben unmark"),
    (
        "tactic",
        3,
        12,
        "Ann draw, Ann 12-1@MX, Ben 1-1@MX, Ben 1-9@MX, Cy 12-5@Cy, Ann draw, "
        "Ann mark, Ben 9-8@MX, Ann 12-4@Ann, Cy draw, Cy mark, Ann unmark",
    ),
    ("poltava", 3, 9, "Ann mark, Ben mark, Ann 9-0@MX, Cy mark, Ann unmark"),
    ("poltava", 3, 9, "Ann 9-4@Ann, Ann 4-2@Ann, Ben mark, Cy mark, Ann 9-1@Ben, Cy 9-5@Cy, Ben draw, Cy unmark"),
    (
        "cz",
        2,
        12,
        "Ann 12-8@Ann, Ann 8-6@Ann, Ben mark, Ann 6-6@Ann, Ann 6-3@Ann, "
        "Ben 12-3@MX, Ben 12-10@Ben, Ann draw, Ann mark, Ben unmark",
    ),
    ("poltava", 2, 9, "Ann 9-7@Ann, Ann 9-1@MX, Ben mark"),
    ("poltava", 2, 9, "Ann 9-5@Ann, Ann draw, Ann mark, Ben 5-6@Ann, Ben mark, Ben unmark"),
    ("poltava", 3, 9, "Ann 9-7@Ann, Ben mark, Ann draw, Ann mark, Ben 9-4@MX, Cy mark, Ben unmark"),
    ("poltava", 3, 9, "Ann mark, Ben 9-4@Ben, Cy mark, Ben draw, Ben mark, Cy 4-0@Ben, Ann draw, Cy unmark"),
    ("cz", 3, 12, "Ann 12-0@Ann, Ben mark, Ann 0-1@Ann, Cy mark, Ben 12-11@Cy"),
    ("cz", 3, 12, "Ann 12-2@Ann, Ben mark, Cy mark, Ben 12-0@Cy, Ann draw, Ann mark"),
    (
        "poltava",
        3,
        9,
        "Ann 9-7@Ann, Ben 9-4@Ben, Cy mark, Ann 7-7@Ann, Ann draw, "
        "Ben draw, Ben mark, Cy draw, Ann 7-4@Ann, Ann mark, Ann unmark",
    ),
    ("tactic", 4, 12, "Ann 12-8@Ann, Dee 12-2@Dee, Ben cannot, Cy cannot"),
    ("tactic", 4, 12, "Ann 12-8@Ann, Dee 12-2@Dee, Ben draw, Ben mark, Cy draw, Cy mark"),
    ("tactic", 3, 12, "Ann 12-8@Ann, Ann 8-3@Ann, Ben cannot, Cy cannot"),
    ("jielong", 4, 0, "Ann 4-5@R, Ben 5-6@R, Ann 6-2@R, Cy discard, Dee discard"),
    ("jielong", 3, 0, "Ann 4-5@R, Ann 5-6@R, Ben discard, Cy discard"),
    ("reeves", 3, 12, "Ann 12-3@MX, Ben draw, Ben mark, Cy draw, Cy mark, Ann mark, Ben draw, Cy 3-1@MX, Ann draw"),
    (
        "reeves",
        3,
        12,
        "Ann 12-0@MX, Ben 0-0@MX, Ben mark, Cy mark, Ann 0-3@MX, "
        "Ben draw, Cy draw, Ann draw, Ben 12-11@Ben, Ben unmark",
    ),
    (
        "reeves",
        3,
        12,
        "Ann 12-10@Ann, Ben 12-4@Ben, Ann draw, Ben draw, Ben mark, Cy 10-5@Ann, Cy draw, Cy mark, Ann mark",
    ),
    ("reeves", 2, 12, "Ann 12-3@MX, Ann 3-5@MX, Ben draw, Ben mark, Ann 12-1@Ben, Ben draw, Ben draw, Ben 5-1@MX"),
    ("reeves", 2, 12, "Ann 12-0@MX, Ann draw, Ann mark, Ben 0-10@MX, Ben mark, Ann 12-8@Ben, Ben draw"),
    ("reeves", 2, 12, "Ann draw, Ann draw, Ann 12-10@Ben, Ann mark, Ben draw, Ben mark"),
)
"""Rule set, players, the set's highest double, taps."""


def tap(session: Game, one: str) -> None:
    who, what = one.split()
    if "-" in what:
        tile, train = what.split("@")
        inner, outer = map(int, tile.split("-"))
        session.play((inner, outer), train, by=who)
    elif what in ("mark", "unmark"):
        getattr(session, what)(who, who)
    else:
        {
            "draw": session.draw,
            "pass": session.pass_turn,
            "done": session.done,
            "discard": session.discard,
            "cannot": session.cannot_play,
        }[what](who)


@pytest.mark.parametrize(("rules", "players", "highest", "taps"), SEQUENCES)
def test_taps_that_a_legal_round_explains_accuse_nobody_for_certain(
    tmp_path: Path, rules: str, players: int, highest: int, taps: str
) -> None:
    box = f"double-{highest}" if highest else "chinese"
    session = Game.create(tmp_path / "g.jsonl", Header(rules, box, PLAYERS[:players]), ticking())
    session.start_round(starter="Ann")
    for one in taps.split(", "):
        tap(session, one)
    assert [(line.event.who, found.code) for line, found in session.scoreboard.faults] == []
