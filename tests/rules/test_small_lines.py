"""The referee and the plain reading agree on every short line and every settlement; more: `tests.rules.small_lines`."""

from __future__ import annotations

import random

import pytest

from companion.rules.chinese import blocked, legal_plays
from companion.rules.position import LinePosition
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from tests.lanes import nightly
from tests.rules import plain_line
from tests.rules.small_lines import GAMES, NAMES, compare, compare_settlements

EVERY_DAY = (("jielong", 3, 2), ("chedeng", 4, 1), ("kkori", 2, 1))
EVERY_GAME = pytest.mark.parametrize(
    "game", [game if game in EVERY_DAY else nightly(game) for game in GAMES], ids=lambda game: "-".join(map(str, game))
)


@EVERY_GAME
def test_every_turn_of_one_act_is_ruled_as_the_plain_reading_rules_it(game: tuple[str, int, int]) -> None:
    compared, differences = compare(game, laid=2, acts=1)
    assert differences == []
    assert compared > 10_000


@EVERY_GAME
def test_every_turn_of_two_acts_at_the_lead_is_ruled_as_the_plain_reading_rules_it(game: tuple[str, int, int]) -> None:
    assert compare(game, laid=0, acts=2) == (1 + 79 + 79**2, [])


@pytest.mark.parametrize("players", [2, 3])
def test_every_settlement_is_what_the_plain_reading_pays(players: int) -> None:
    assert compare_settlements(players)[1] == []


@EVERY_GAME
def test_a_line_played_to_its_end_is_blocked_when_the_plain_reading_says_so(game: tuple[str, int, int]) -> None:
    name, players, arms = game
    rules, chance, ends = load_ruleset(name, {"arms": arms}), random.Random(repr(game)), 0
    for _ in range(60):
        line: tuple[Laid, ...] = ()
        while plays := legal_plays(rules, LinePosition(NAMES[:players], line, turn="Ann")):
            play = chance.choice(plays)
            line = (play.tile, *line) if play.train == "L" else (*line, play.tile)
            told = plain_line.blocked(name, players, arms, [tuple(tile) for tile in line])
            assert blocked(rules, line, players) == told
            ends += told
    assert ends == 60
