"""Options that the sources offer beside their main rules: plain points, chips, ends of a match, sizes of a hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from companion.game.game import Game
from companion.judge_api.questions import answer
from companion.log.event_fields import Header
from companion.rules.ruleset import load_ruleset
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy", "Dee")


def deal(session: Game, *pips: tuple[int, int]) -> None:
    """A whole deal in which everybody puts away one tile."""
    session.start_round(starter="Ann")
    session.end_round("blocked_declared")
    for name, tile in zip(NAMES, pips, strict=True):
        session.show_hand(name, [tile])


def test_plain_points_are_the_own_pips_and_the_fewest_win(tmp_path: Path) -> None:
    """002: «записувати очки та грати до певної кількості очок, або кількості партій»."""
    options = {"settlement": "points", "match_points": 20}
    session = Game.create(tmp_path / "g.jsonl", Header("jielong", "chinese", NAMES, options), ticking())
    deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
    assert session.scoreboard.totals == {"Ann": 3, "Ben": 11, "Cy": 10, "Dee": 4}
    assert session.phase == "scored"
    deal(session, (1, 2), (5, 6), (1, 1), (2, 2))
    assert session.phase == "over"
    assert session.scoreboard.winners == ("Ann",)


def test_a_match_of_so_many_deals_ends_by_itself(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("kkori", "chinese", NAMES, {"match_deals": 1}), ticking())
    deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
    assert session.phase == "over"
    assert session.scoreboard.winners == ("Ann",)


def test_a_mexican_match_ends_once_somebody_has_the_points_agreed_on(tmp_path: Path) -> None:
    header = Header("tactic", "double-9", NAMES, {"match_points": 30, "match_until": "22:30"})
    session = Game.create(tmp_path / "g.jsonl", header, ticking())
    for number, points in ((1, (0, 29, 8, 9)), (2, (30, 0, 8, 9))):
        assert session.phase != "over"
        session.start_round(starter="Ann")
        session.enter_scores(dict(zip(NAMES, points, strict=True)), number, out=NAMES[points.index(0)])
    assert session.phase == "over" and session.scoreboard.winners == ("Cy",), "the fewest points win"


def test_without_an_agreement_the_table_says_when_a_chinese_match_ends(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "g.jsonl", Header("kkori", "chinese", NAMES), ticking())
    for _ in range(3):
        deal(session, (1, 2), (5, 6), (4, 6), (2, 2))
        assert session.phase == "scored"
    session.end_match()
    assert session.phase == "over"


def test_in_poltava_a_single_round_is_won_by_whoever_finishes_first() -> None:
    """000: «Виграш стандартний - хто першим закінчив, або хто набрав менше очок»."""
    single = {"scoring": "first_out", "rounds": 1}
    hands = {"Ann": ["4-4"], "Ben": [], "Cy": ["0-0"]}
    question = {"id": 1, "kind": "score", "rules": "poltava", "options": single, "hands": hands}
    assert answer(question)["scores"] == {"Ann": 0, "Ben": 1, "Cy": 0}
    blocked = {**question, "hands": {"Ann": ["4-4"], "Ben": ["1-0"], "Cy": ["0-1", "1-1"]}, "end": "blocked"}
    assert answer(blocked)["scores"] == {"Ann": 0, "Ben": 1, "Cy": 0}
    totals = {"id": 1, "kind": "match", "rules": "poltava", "options": single, "totals": {"Ann": 0, "Ben": 1, "Cy": 0}}
    assert answer(totals)["winner"] == "Ben"


@pytest.mark.parametrize("players", [9, 12])
def test_in_reeves_a_house_names_the_hand_for_nine_to_twelve(players: int) -> None:
    """003: «9-12 প্লেয়ার/ডাবল-15 বা -18 সেট», without a number of tiles."""
    question = {"id": 1, "kind": "setup", "rules": "reeves", "set": 15, "players": players}
    assert answer(question)["verdict"] == "unsupported"
    assert answer({**question, "options": {"hand": 8}}) == {
        "id": 1, "hand": 8, "boneyard": 135 - 8 * players, "verdict": "ok",
    }  # fmt: skip
    assert load_ruleset("reeves", {"hand": 8}).players_allowed(15) == tuple(range(2, 13))


def test_a_session_of_twelve_is_dealt_from_a_double_eighteen_set(tmp_path: Path) -> None:
    many = tuple(f"P{number}" for number in range(12))
    session = Game.create(tmp_path / "g.jsonl", Header("reeves", "double-18", many, {"hand": 11}), ticking())
    session.start_round(starter="P0")
    assert state_of(session)["boneyard"] == 189 - 132


class TestReports:
    """People report faults that no camera sees, and the table does not contradict them."""

    def session(self, tmp_path: Path, rules: str, players: tuple[str, ...] = NAMES[:2], **options: object) -> Game:
        tiles = "double-12" if load_ruleset(rules).is_mexican else "chinese"
        session = Game.create(tmp_path / "g.jsonl", Header(rules, tiles, players, options), ticking())
        session.start_round(starter="Ann")
        return session

    def held(self, session: Game) -> list[tuple[str, bool, str]]:
        lines = session.scoreboard.violations
        return [(one.code, one.certain, getattr(line.event, "by", "")) for line, one in lines]

    def test_a_last_tile_that_was_not_announced(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "tactic", hand_table={"12": {"2": 2}})
        session.report("Ann", "no_last_tile")
        assert self.held(session) == []
        session.play((12, 3), "Ann", "Ann")
        session.report("Ann", "no_last_tile")
        assert self.held(session) == [("ANNOUNCE_MISSING", True, "Ann")]

    def test_of_who_has_announced_it_on_record_nothing_is_held(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "tactic", hand_table={"12": {"2": 2}})
        session.play((12, 3), "Ann", "Ann")
        session.announce("Ann")
        session.report("Ann", "no_last_tile")
        assert self.held(session) == []

    def test_where_nothing_is_announced_nobody_forgot_it(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "poltava")
        session.report("Ann", "no_last_tile")
        assert self.held(session) == []

    def test_where_a_knock_is_a_courtesy_silence_is_only_possible(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "goodsam-florida", hand_table={"12": {"2": 1}})
        session.report("Ben", "no_last_tile")
        assert self.held(session) == [("ANNOUNCE_MISSING", False, "Ben")]

    def test_a_hand_of_the_wrong_size(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "tactic")
        session.report("Ben", "dealt", 16)
        assert self.held(session) == []
        session.report("Ben", "dealt", 15)
        assert self.held(session) == [("HAND_SIZE", True, "Ben")]

    def test_who_was_dealt_one_too_many_is_not_out_when_the_count_says_so(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "tactic", hand_table={"12": {"2": 1}})
        session.report("Ann", "dealt", 2)
        session.play((12, 3), "Ann", "Ann")
        assert session.phase == "playing"
        session.play((12, 5), "Ben", "Ben")
        assert session.phase == "ended"

    def test_after_a_wrong_deal_the_boneyard_is_not_counted(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "tactic", hand_table={"12": {"2": 45}})
        session.report("Ann", "dealt", 44)
        session.draw("Ann")
        session.mark("Ann")
        assert self.held(session) == [("HAND_SIZE", True, "Ann")], "one tile more lies there than was counted"

    def test_an_open_end_that_was_not_named(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "kkori", NAMES)
        session.play((2, 5), "R", "Ann")
        session.report("Ann", "no_open_end")
        assert self.held(session) == [("OPEN_END_UNDECLARED", True, "Ann")]

    def test_a_double_needs_no_name_for_its_open_end(self, tmp_path: Path) -> None:
        session = self.session(tmp_path, "kkori", NAMES)
        session.play((2, 2), "R", "Ann")
        session.report("Ann", "no_open_end")
        assert self.held(session) == []


def test_the_page_reminds_whoever_begins_the_mexican_train(tmp_path: Path) -> None:
    """004: the black marker; 001: «Oznámí že zahajuje trať do Mexika». A hint, never a fault."""
    session = Game.create(tmp_path / "t.jsonl", Header("tactic", "double-12", NAMES), ticking())
    session.start_round(starter="Ann")
    session.play((12, 3), "MX", "Ann")
    assert state_of(session)["reminders"] == ["MX_MARKER_MISSING"]
    session.play((12, 4), "Ben", "Ben")
    assert state_of(session)["reminders"] == []
    session = Game.create(tmp_path / "c.jsonl", Header("cz", "double-12", NAMES[:2]), ticking())
    session.start_round(starter="Ann")
    for name, value in (("Ann", 3), ("Ben", 4)):
        session.play((12, value), name, name)
    session.play((12, 5), "MX", "Ann")
    assert state_of(session)["reminders"] == ["MX_ANNOUNCE"]
    assert list(session.scoreboard.violations) == []
