"""Figures known from elsewhere, and agreements that must hold everywhere: the referee checked against arithmetic."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.chinese import SETTLEMENTS, settle
from companion.rules.mexican.judge import after_turn, judge_play, legal_plays
from companion.rules.notation import (
    Drawing,
    Vanishing,
    parse_action,
    parse_chain,
    parse_delta,
    print_action,
    print_chain,
    print_change,
)
from companion.rules.position import MEXICAN, Draw, End, Flip, LinePosition, Mark, Play, Position, Unmark
from companion.rules.referee import Referee
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile, chinese_set, double_set

NAMES = ("Ann", "Ben", "Cy", "Dee")


@pytest.mark.parametrize(
    ("highest", "tiles", "pips"), [(6, 28, 168), (9, 55, 495), (12, 91, 1092), (15, 136, 2040), (18, 190, 3420)]
)
def test_a_set_has_its_tiles_and_pips(highest: int, tiles: int, pips: int) -> None:
    box = double_set(highest)
    assert (len(box), sum(t.pips for t in box)) == (tiles, pips)


def test_the_chinese_set_has_32_tiles_and_227_pips() -> None:
    box = chinese_set()
    assert (sum(box.values()), sum(t.pips * n for t, n in box.items())) == (32, 227)
    small = chinese_set(3, kkori=True)
    assert (sum(small.values()), sum(t.pips * n for t, n in small.items())) == (24, 155)


def chains(highest: int, longest: int) -> Iterator[int]:
    """How many chains of 1, 2, 3 ... tiles `legal_plays` finds on one train from the highest double, with no duty on
    doubles: each tile is a turn of its own on the only player's train."""
    rules = load_ruleset("poltava")
    start = Position(highest, ("Ann",), Laid(highest, highest), {"Ann": (), MEXICAN: ()}, turn="Ann", first_turn=True)
    tables = [start]
    for _ in range(longest):
        grown = []
        for table in tables:
            for play in legal_plays(rules, table):
                if play.train == "Ann":
                    trains = {**table.trains, "Ann": (*table.trains["Ann"], play.tile)}
                    grown.append(Position(highest, ("Ann",), start.engine, trains, turn="Ann", first_turn=True))
        tables = grown
        yield len(tables)


@pytest.mark.parametrize(
    ("highest", "counts"),
    [
        (2, [2, 4, 6, 6, 2, 0]),
        (3, [3, 9, 24, 54, 102, 144, 114]),
        (6, [6, 36, 210, 1170]),
        (9, [9, 81, 720]),
        (12, [12, 144, 1716]),
    ],
)
def test_chains_from_the_engine_are_as_many_as_there_are(highest: int, counts: list[int]) -> None:
    assert list(chains(highest, len(counts))) == counts


@pytest.mark.parametrize("rules", ["tactic", "reeves", "cz", "poltava"])
@pytest.mark.parametrize("seed", range(3))
def test_a_play_is_legal_exactly_when_it_is_among_the_legal_plays(rules: str, seed: int) -> None:
    """Over every tile, way, train and seat along a seeded walk."""
    book, rng = load_ruleset(rules), random.Random(seed)
    highest = 6
    table = Position(
        highest, NAMES, Laid(6, 6), dict.fromkeys((*NAMES, MEXICAN), ()), turn="Ann", first_turn=True, boneyard=9
    )
    for _ in range(14):
        legal = set(legal_plays(book, table))
        for tile in double_set(highest):
            for way in (Laid(tile.low, tile.high), Laid(tile.high, tile.low)):
                for train in (*NAMES, MEXICAN):
                    play = Play(way, train)
                    assert judge_play(book, table, play).legal == (play in legal), (str(tile), train)
        acts: list[Draw | Mark | Unmark | Play | End] = [Draw(), Mark(table.turn), End()]
        if legal and rng.random() < 0.85:
            acts = [rng.choice(sorted(legal, key=str)), End()]
        elif rng.random() < 0.3:
            acts = [Mark(table.turn), End()]
        table = after_turn(book, table, acts)


@pytest.mark.parametrize("rules", ["jielong", "chedeng", "kkori"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_line_too_takes_exactly_its_legal_plays(rules: str, players: int) -> None:
    book = load_ruleset(rules, {"arms": 2} if rules == "jielong" and players == 2 else None)
    referee, rng = Referee(book), random.Random(players)
    table = LinePosition(NAMES[:players], turn="Ann")
    for _ in range(12):
        legal = set(referee.legal_plays(table))
        for tile in double_set(6):
            for way in (Laid(tile.low, tile.high), Laid(tile.high, tile.low)):
                for arm in ("R", "L") if table.line else ("R",):
                    play = Play(way, arm)
                    assert referee.judge_play(table, play).legal == (play in legal), (str(tile), arm)
        if not legal:
            break
        table = referee.after_turn(table, [rng.choice(sorted(legal, key=str))])


halves = st.integers(0, 18)
laid = st.builds(Laid, halves, halves)
names = st.sampled_from(["Ann", "Ben", "MX", "Юля", "ক", "Bo B"])
acts = st.one_of(
    st.builds(Play, laid, names),
    st.just(Draw()),
    st.builds(Mark, names),
    st.builds(Unmark, names),
    st.builds(Flip, names),
)
changes = st.one_of(
    st.builds(Play, laid, names),
    st.builds(Vanishing, laid, names),
    st.builds(Drawing, st.integers(0, 99)),
    st.builds(Mark, names),
    st.builds(Unmark, names),
)


@given(st.lists(laid))
def test_a_chain_reads_back_as_it_was_written(chain: list[Laid]) -> None:
    assert parse_chain(print_chain(chain)) == tuple(chain)


@given(st.lists(acts))
def test_an_action_reads_back_as_it_was_written(turn: list[Play | Draw | Mark | Unmark | Flip]) -> None:
    assert parse_action(print_action([*turn, End()])) == (*turn, End())


@given(st.lists(changes))
def test_a_delta_reads_back_as_it_was_written(delta: list[Play | Vanishing | Drawing | Mark | Unmark]) -> None:
    assert parse_delta([print_change(c) for c in delta]) == tuple(delta)


@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 8)), min_size=4, max_size=4), st.sampled_from(SETTLEMENTS))
def test_payments_add_up_to_nothing(hands: list[tuple[int, int]], mode: str) -> None:
    for name in ("jielong", "chedeng", "kkori"):
        pips = {player: hand[0] for player, hand in zip(NAMES, hands, strict=True)}
        discards = {player: hand[1] for player, hand in zip(NAMES, hands, strict=True)}
        paid = settle(load_ruleset(name), NAMES, pips, discards=discards, mode=mode)
        assert sum(paid.result.values()) == 0
        assert pips[paid.winner] == min(pips.values())


@given(halves, halves)
def test_a_tile_is_the_same_either_way(a: int, b: int) -> None:
    assert Tile(a, b) == Tile(b, a)
    assert hash(Tile(a, b)) == hash(Tile(b, a))
