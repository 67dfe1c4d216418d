"""Jie Long, Che Deng, Kkori: docs/rules.md sections 4 and 7.4."""

from __future__ import annotations

import pytest

from companion.rules.chinese import (
    LineDeal,
    after_turn,
    blocked,
    count_of,
    deal_line,
    judge_play,
    judge_turn,
    legal_plays,
    must_redeal,
    settle,
    supply_of,
    tiles_of,
)
from companion.rules.notation import parse_action, parse_chain
from companion.rules.position import LEFT, Discard, LinePosition, Play
from companion.rules.ruleset import RuleSet, load_ruleset
from companion.rules.tile import Laid, Tile

JIELONG, CHEDENG, KKORI = (load_ruleset(name) for name in ("jielong", "chedeng", "kkori"))
TWO_ARMS = load_ruleset("jielong", {"arms": 2})
FOUR = ("Ann", "Ben", "Cy", "Dee")


def codes(rules: RuleSet, line: str, action: str, players: tuple[str, ...] = FOUR) -> tuple[set[str], set[str]]:
    position = LinePosition(players=players, line=parse_chain(line, ":"), turn=players[0])
    ruling = judge_turn(rules, position, parse_action(action, ":"))
    return {str(code) for code in ruling.codes}, {str(code) for code in ruling.may}


@pytest.mark.parametrize(
    ("rules", "line", "action", "expected"),
    [
        (CHEDENG, "2:6 6:4", "play 4:4@R", set()),
        (CHEDENG, "", "play 4:1@R", set()),
        (CHEDENG, "", "play 4:1@L", set()),
        (CHEDENG, "4:4", "play 4:4@R", set()),
        (CHEDENG, "2:6 6:4", "discard", set()),
        (CHEDENG, "2:6 6:4", "discard; pass", set()),
        (CHEDENG, "2:6 6:4", "play 1:4@R", {"MISMATCH"}),
        (TWO_ARMS, "3:6", "play 1:2@L", {"MISMATCH"}),
        (TWO_ARMS, "3:6", "play 1:3@L", set()),
        (JIELONG, "3:6", "play 1:3@L", {"CLOSED_END"}),
        (CHEDENG, "2:6", "play 6:7@R", {"TILE_NOT_IN_SET"}),
        (CHEDENG, "", "play 0:6@R", {"TILE_NOT_IN_SET"}),
        (CHEDENG, "2:6 6:2", "play 2:6@R", {"MULTIPLICITY"}),
        (CHEDENG, "4:4 4:4", "play 4:4@R", {"MULTIPLICITY"}),
        (CHEDENG, "", "discard", {"LEAD_MUST_PLAY"}),
        (CHEDENG, "2:6", "discard faceup", {"DISCARD_FACE_UP"}),
        (CHEDENG, "2:6", "pass", {"PASS_WITHOUT_DISCARD"}),
        (CHEDENG, "2:6", "", {"PASS_WITHOUT_DISCARD"}),
        (CHEDENG, "2:6", "discard; discard", {"EXTRA_TILE"}),
        (CHEDENG, "2:6", "play 6:4@R; play 4:4@R", {"EXTRA_TILE"}),
        (CHEDENG, "2:6", "play 6:4@R; discard", {"EXTRA_TILE"}),
    ],
)
def test_a_turn_at_the_line(rules: RuleSet, line: str, action: str, expected: set[str]) -> None:
    assert codes(rules, line, action) == (expected, set())


def test_the_first_fault_of_a_tile_is_the_root_and_the_others_may_be_meant() -> None:
    assert codes(JIELONG, "3:6 6:3", "play 3:6@L") == ({"MULTIPLICITY"}, {"CLOSED_END", "MISMATCH"})


def test_kkori_for_three_has_no_high_doubles() -> None:
    assert codes(KKORI, "1:3", "play 3:3@R", FOUR[:3])[0] == {"TILE_NOT_IN_SET"}
    assert codes(KKORI, "1:3", "play 3:3@R") == (set(), set())
    assert codes(JIELONG, "1:3", "play 3:3@R", FOUR[:3]) == (set(), set())


def test_what_is_legal_is_what_the_judge_lets_pass() -> None:
    for rules in (JIELONG, TWO_ARMS, KKORI):
        for line in ("", "2:6 6:4", "4:4 4:4", "1:1 1:3 3:3"):
            for players in (FOUR, FOUR[:3]):
                position = LinePosition(players=players, line=parse_chain(line, ":"), turn="Ann")
                offered = {(p.tile, p.train) for p in legal_plays(rules, position)}
                for a in range(8):
                    for b in range(8):
                        for arm in "LR":
                            legal = judge_play(rules, position, Play(Laid(a, b), arm)).legal
                            if line or arm == "R":
                                assert legal == ((Laid(a, b), arm) in offered), (rules.name, line, a, b, arm)


def test_a_hand_limits_what_is_offered() -> None:
    position = LinePosition(players=FOUR, line=parse_chain("2:6 6:4", ":"), turn="Ann")
    plays = legal_plays(CHEDENG, position, [Tile(1, 4), Tile(2, 2), Tile(4, 6), Tile(4, 4)])
    assert {p.tile for p in plays} == {Laid(4, 1), Laid(4, 6), Laid(4, 4)}


def test_a_turn_goes_round_counter_clockwise_and_discards_are_counted() -> None:
    position = LinePosition(players=FOUR, turn="Ann", hands=dict.fromkeys(FOUR, 1))
    position = after_turn(position, parse_action("play 4:1@R", ":"))
    assert (position.turn, position.ends, position.hands["Ann"]) == ("Ben", (4, 1), 0)
    for _ in range(3):
        position = after_turn(position, [Discard()])
    assert (position.discards, position.passes, position.turn) == ({"Ben": 1, "Cy": 1, "Dee": 1}, 3, "Ann")
    assert after_turn(position, [Discard()]).passes == len(FOUR)


def test_a_play_on_the_left_arm_lengthens_the_line_there() -> None:
    position = LinePosition(players=FOUR, line=parse_chain("3:6", ":"), turn="Ann")
    assert after_turn(position, [Play(Laid(1, 3), LEFT)]).ends == (1, 6)


@pytest.mark.parametrize(
    ("rules", "players", "expected"),
    [
        (JIELONG, 4, LineDeal("ok", 8, 32, 0)),
        (JIELONG, 3, LineDeal("ok", 10, 32, 2)),
        (JIELONG, 2, LineDeal("ok", 16, 32, 0)),
        (JIELONG, 5, LineDeal("unsupported")),
        (CHEDENG, 4, LineDeal("ok", 8, 32, 0)),
        (CHEDENG, 3, LineDeal("players_must_be_4")),
        (KKORI, 4, LineDeal("ok", 8, 32, 0)),
        (KKORI, 3, LineDeal("ok", 8, 24, 0)),
        (KKORI, 2, LineDeal("ok", 12, 24, 0)),
        (KKORI, 1, LineDeal("unsupported")),
    ],
)
def test_the_tiles_are_dealt_by_the_number_of_players(rules: RuleSet, players: int, expected: LineDeal) -> None:
    assert deal_line(rules, players) == expected


def test_seven_doubles_are_dealt_again_in_che_deng_only() -> None:
    hand = [Tile(n, n) for n in (1, 2, 3, 4, 5, 6, 6)] + [Tile(1, 2)]
    assert must_redeal(CHEDENG, hand)
    assert must_redeal(CHEDENG, [*hand[:7], Tile(5, 5)])
    assert not must_redeal(CHEDENG, hand[1:])
    assert not must_redeal(KKORI, hand)


def test_the_supply_of_each_value_is_the_tables() -> None:
    assert [supply_of(tiles_of(JIELONG, 4), value) for value in range(1, 7)] == [10, 7, 8, 8, 9, 10]
    assert [supply_of(tiles_of(KKORI, 3), value) for value in range(1, 7)] == [10, 7, 6, 6, 7, 8]


def test_a_line_is_blocked_when_all_tiles_of_its_end_lie_there() -> None:
    line = parse_chain("3:1 1:3 3:3 3:3 3:2 2:4 4:3 3:5 5:6 6:3", ":")
    assert blocked(JIELONG, line)
    assert not blocked(JIELONG, line[:-1])
    assert blocked(TWO_ARMS, line)
    assert not blocked(TWO_ARMS, parse_chain("2:3", ":") + line[1:])
    assert not blocked(JIELONG, ())
    small = parse_chain("3:1 1:3 3:2 2:4 4:3 3:5 5:6 6:3", ":")
    assert blocked(KKORI, small, 3) and not blocked(KKORI, small, 4)


def test_a_tile_misread_twice_blocks_nothing() -> None:
    line = parse_chain("3:1 1:3 3:3 3:3 3:2 2:3 3:5 5:6 6:3", ":")
    assert count_of(tiles_of(JIELONG, 4), line, 3) == 7
    assert not blocked(JIELONG, line)


def test_everybody_pays_everybody_the_difference() -> None:
    pips = {"Kateryna": 2, "Serhii": 12, "Andrii": 34, "Hanna": 18}
    settled = settle(JIELONG, tuple(pips), pips)
    assert settled.result == {"Kateryna": 58, "Serhii": 18, "Andrii": -70, "Hanna": -6}
    assert settled.winner == "Kateryna"


def test_equal_sums_pay_nothing_and_the_lower_hand_wins() -> None:
    settled = settle(JIELONG, ("Ben", "Ann"), {"Ann": 5, "Ben": 5})
    assert (settled.result, settled.winner) == ({"Ben": 0, "Ann": 0}, "Ben")


def test_the_winner_takes_a_chip_from_every_loser() -> None:
    settled = settle(KKORI, FOUR, {"Ann": 9, "Ben": 9, "Cy": 12, "Dee": 40}, mode="winner_chip")
    assert (settled.result, settled.winner) == ({"Ann": 3, "Ben": -1, "Cy": -1, "Dee": -1}, "Ann")


@pytest.mark.parametrize(
    ("pips", "result"),
    [
        ((8, 33, 12, 31), (2, -1, 0, -1)),
        ((8, 20, 12, 19), (1, -1, 0, 0)),
        ((8, 30, 30, 12), (1, 0, -1, 0)),
        ((8, 31, 31, 12), (2, -1, -1, 0)),
        ((8, 40, 31, 30), (2, -1, -1, 0)),
        ((7, 7, 7, 7), (1, 0, 0, -1)),
        ((31, 31, 31, 31), (3, -1, -1, -1)),
    ],
)
def test_in_kkori_the_highest_sum_pays_and_whoever_has_more_than_thirty(
    pips: tuple[int, ...], result: tuple[int, ...]
) -> None:
    settled = settle(KKORI, FOUR, dict(zip(FOUR, pips, strict=True)))
    assert tuple(settled.result.values()) == result
    assert settled.winner == "Ann"


def test_che_deng_doubles_for_the_clean_and_from_the_penalised() -> None:
    pips = {"Ann": 9, "Ben": 0, "Cy": 41, "Dee": 9}
    discards = {"Ann": 2, "Ben": 0, "Cy": 8, "Dee": 1}
    settled = settle(CHEDENG, FOUR, pips, discards=discards)
    assert settled.result == {"Ann": 46, "Ben": 200, "Cy": -292, "Dee": 46}
    assert settled.winner == "Ben"
    assert settle(CHEDENG, FOUR, pips).result == settle(JIELONG, FOUR, pips, discards=discards).result


def test_the_head_falls_at_seven_and_a_tail_at_eight_or_one_less_in_a_strict_house() -> None:
    pips = {"Ann": 30, "Ben": 30, "Cy": 10, "Dee": 10}
    discards = {"Ann": 7, "Ben": 7, "Cy": 1, "Dee": 1}
    assert settle(CHEDENG, FOUR, pips, discards=discards).result == {"Ann": -80, "Ben": -40, "Cy": 60, "Dee": 60}
    strict = load_ruleset("chedeng", {"head_tail": [6, 7]})
    assert settle(strict, FOUR, pips, discards={**discards, "Ann": 6}).result["Ann"] == -80
    assert settle(strict, FOUR, pips, discards=discards).result["Ben"] == -80


def test_a_penalised_player_pays_double_to_a_penalised_player_too() -> None:
    pips = {"Ann": 30, "Ben": 20, "Cy": 20, "Dee": 20}
    discards = {"Ann": 7, "Ben": 8, "Cy": 8, "Dee": 8}
    assert settle(CHEDENG, FOUR, pips, discards=discards).result["Ann"] == -60


def test_payments_add_up_to_nothing() -> None:
    for seed in range(200):
        pips = dict(zip(FOUR, (seed % 7, seed * 13 % 41, seed * 29 % 37, seed * 5 % 50), strict=True))
        discards = {player: (seed + n) % 9 for n, player in enumerate(FOUR)}
        for rules in (JIELONG, CHEDENG, KKORI):
            for mode in ("pairwise", "kkori", "winner_chip"):
                assert sum(settle(rules, FOUR, pips, discards=discards, mode=mode).result.values()) == 0
