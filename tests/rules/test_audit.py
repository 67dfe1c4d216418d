"""Shown hands prove or clear earlier passes and draws: docs/rules.md section 8."""

from __future__ import annotations

from companion.game.course import DEALT, NO_LAST_TILE, reported
from companion.judge_api.questions import answer
from companion.log.events import Announced
from companion.rules.audit import (
    AuditEntry,
    AuditFinding,
    Reveal,
    Status,
    audit_round,
    count_is_inconsistent,
    is_false_block,
    lap_was_cut,
    score_code,
    status_by_ends,
    unaccounted,
    wrong_scores,
)
from companion.rules.position import Discard, Draw, End, Play, Position
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid, Tile, chinese_set, double_set
from companion.rules.violations import Violation

TWO = Position(12, ("Ann", "Ben"), Laid(12, 12), {"Ann": (), "Ben": (), "MX": ()}, hands={"Ann": 1})
TACTIC, CZ, POLTAVA, CHEDENG = (load_ruleset(name) for name in ("tactic", "cz", "poltava", "chedeng"))


def tiles(text: str) -> frozenset[Tile]:
    return frozenset(Tile(*map(int, word.split("-"))) for word in text.split())


def laid(inner: int, outer: int, train: str = "Ann") -> Play:
    return Play(Laid(inner, outer), train)


def with_value(value: int, highest: int = 12) -> frozenset[Tile]:
    return frozenset(tile for tile in double_set(highest) if tile.has(value))


def test_more_fitting_tiles_than_draws_are_proof() -> None:
    assert status_by_ends(tiles("5-5 1-12"), {5, 12}, 1) is Status.CERTAIN


def test_as_many_draws_as_fitting_tiles_leave_it_possible() -> None:
    assert status_by_ends(tiles("6-1 2-6 3-3"), {6}, 2) is Status.POSSIBLE


def test_no_fitting_tile_is_clear() -> None:
    assert status_by_ends(tiles("6-1 2-6 3-3"), {0, 4}, 0) is Status.CLEAR


def test_a_tile_laid_later_and_shown_counts_once() -> None:
    assert status_by_ends([Tile(6, 1), Tile(1, 6)], {6}, 1) is Status.POSSIBLE


def test_a_pass_with_a_tile_in_hand_is_proved_at_the_end() -> None:
    log = [
        AuditEntry("Ann", Draw(), with_value(4)),
        AuditEntry("Ann", End(), with_value(4)),
        AuditEntry("Ann", laid(4, 7)),
    ]
    found = audit_round(TACTIC, log, Reveal({"Ann": ()}, {}))
    assert found == (
        AuditFinding(0, "Ann", Violation.NEEDLESS_DRAW, Status.POSSIBLE, True, (Tile(4, 7),), 1.0),
        AuditFinding(1, "Ann", Violation.PASSED_WITH_PLAYABLE, Status.CERTAIN, True, (Tile(4, 7),), 0.0),
    )


def test_a_tile_drawn_later_may_be_the_fitting_one() -> None:
    log = [AuditEntry("Ann", End(), with_value(4)), AuditEntry("Ann", Draw()), AuditEntry("Ann", laid(4, 7))]
    (found,) = audit_round(TACTIC, log, Reveal({"Ann": ()}, {}))
    assert found.status is Status.POSSIBLE


def test_it_is_told_how_often_an_honest_hand_comes_to_look_like_that() -> None:
    log = [AuditEntry("Ann", End(), with_value(4)), AuditEntry("Ann", Draw()), AuditEntry("Ann", laid(4, 7))]
    (found,) = audit_round(TACTIC, log, Reveal({"Ann": tiles("1-2 1-3 2-2")}, {}))
    assert found.by_chance == 0.25, "one of four tiles was drawn since"
    (found,) = audit_round(TACTIC, log, Reveal({"Ann": tiles("1-2 1-3 2-2")}, {}, astray=1))
    assert found.by_chance == 0.5, "and one more may have been"


def test_what_others_draw_and_lay_proves_nothing() -> None:
    log = [AuditEntry("Ann", End(), with_value(4)), AuditEntry("Ben", laid(4, 7))]
    assert audit_round(TACTIC, log, Reveal({"Ann": tiles("1-2"), "Ben": ()}, {})) == ()


def test_declining_is_information_where_the_rules_allow_it() -> None:
    log = [AuditEntry("Ann", End(), with_value(4)), AuditEntry("Ann", laid(4, 7))]
    (found,) = audit_round(CZ, log, Reveal({"Ann": ()}, {}))
    assert (found.code, found.status, found.offence) == (Violation.PASSED_WITH_PLAYABLE, Status.CERTAIN, False)


def test_feeding_a_double_is_no_choice_where_the_rules_allow_declining() -> None:
    """001: «musí nakrmit nenakrmený dabl další hráč», only «nemůže» excuses."""
    log = [AuditEntry("Ann", End(), with_value(4), feeding=True), AuditEntry("Ann", laid(4, 7))]
    (found,) = audit_round(CZ, log, Reveal({"Ann": ()}, {}))
    assert (found.code, found.status, found.offence) == (Violation.PASSED_WITH_PLAYABLE, Status.CERTAIN, True)
    question = {"ends": [4], "later_played": ["4-7"], "declared": [], "draws_after": 0}
    for decision, code in (("pass", "PASSED_WITH_PLAYABLE"), ("draw", "NEEDLESS_DRAW")):
        for feeding in (True, False):
            asked = {"id": 1, "kind": "audit", "rules": "cz", "decision": decision, "feeding": feeding, **question}
            assert answer(asked) == {"id": 1, "code": code, "status": "certain", "offence": feeding}
    assert "feeding" in answer({"id": 1, "kind": "audit", "rules": "cz", "feeding": "yes", **question})["error"]


def test_uncountable_draws_follow_from_what_is_shown_at_the_end() -> None:
    log = [AuditEntry("Ann", End(), with_value(4)), AuditEntry("Ann", laid(4, 7))]
    honest_or_not = Reveal({"Ann": tiles("1-2 1-3")}, {}, dealt=2, draws_seen=False)
    assert audit_round(TACTIC, log, honest_or_not)[0].status is Status.POSSIBLE
    no_draw_at_all = Reveal({"Ann": tiles("1-2 1-3")}, {}, dealt=3, draws_seen=False)
    assert audit_round(TACTIC, log, no_draw_at_all)[0].status is Status.CERTAIN
    a_tile_is_missing = Reveal({"Ann": tiles("1-2 1-3")}, {}, dealt=5, draws_seen=False)
    assert audit_round(TACTIC, log, a_tile_is_missing)[0].status is Status.POSSIBLE, "the log has a gap"
    hand_never_shown = Reveal({}, {}, dealt=3, draws_seen=False)
    assert audit_round(TACTIC, log, hand_never_shown)[0].status is Status.POSSIBLE


def test_a_first_train_that_could_be_longer_is_an_offence_only_in_a_strict_house() -> None:
    log = [AuditEntry("Ann", laid(12, 4)), AuditEntry("Ann", End(), with_value(4), first_train=True)]
    reveal = Reveal({"Ann": tiles("4-9")}, {})
    assert audit_round(POLTAVA, log, reveal) == ()
    (found,) = audit_round(load_ruleset("poltava", {"strict_first_train": True}), log, reveal)
    assert (found.code, found.status) == (Violation.FIRST_TRAIN_NOT_MAXIMAL, Status.CERTAIN)


def test_every_discard_is_provable_once_the_tiles_are_turned() -> None:
    fives = frozenset(tile for tile in chinese_set() if tile.has(5))
    log = [AuditEntry("Ann", Discard(), fives), AuditEntry("Ann", Discard(), fives), AuditEntry("Ann", laid(1, 2, "R"))]
    reveal = Reveal({"Ann": ()}, {"Ann": [Tile(1, 5), Tile(2, 2)]})
    (found,) = audit_round(CHEDENG, log, reveal)
    assert (found.at, found.code, found.status) == (0, Violation.DISCARD_WITH_PLAYABLE, Status.CERTAIN)


def test_dealt_and_drawn_less_laid_must_be_shown() -> None:
    assert not count_is_inconsistent(dealt=15, drawn=2, laid=10, shown=7)
    assert count_is_inconsistent(dealt=15, drawn=2, laid=10, shown=6)
    assert not count_is_inconsistent(dealt=15, drawn=None, laid=10, shown=9)
    assert count_is_inconsistent(dealt=15, drawn=None, laid=10, shown=4)


def test_the_whole_set_must_be_accounted_for() -> None:
    whole = dict.fromkeys(double_set(1), 1)
    assert not unaccounted(whole, tiles("1-1"), {"Ann": tiles("0-1")}, 1)
    assert unaccounted(whole, tiles("1-1"), {"Ann": tiles("0-1")}, 0)
    assert unaccounted(whole, tiles("1-1"), {"Ann": tiles("1-1")}, 1)
    assert not unaccounted(whole, tiles("1-1"), {"Ann": ()}, None)
    assert unaccounted(whole, tiles("1-2"), {"Ann": ()}, None)


def test_a_block_is_false_while_a_shown_hand_could_play() -> None:
    playable = {"Ann": with_value(4), "Ben": with_value(5)}
    assert is_false_block(POLTAVA, playable, {"Ann": tiles("4-9")}, 12)
    assert not is_false_block(POLTAVA, playable, {"Ann": tiles("5-9")}, 12)
    assert is_false_block(TACTIC, playable, {"Ann": tiles("5-9")}, 12)
    assert not is_false_block(TACTIC, playable, {"Ann": tiles("5-9")}, 0)
    assert not is_false_block(TACTIC, playable, {"Ann": tiles("5-9")}, None)


def test_a_written_score_that_differs_is_named() -> None:
    assert wrong_scores({"Ann": 0, "Ben": 17}, {"Ann": 0, "Ben": 17}) == ()
    assert wrong_scores({"Ann": 0, "Ben": 71}, {"Ann": 0, "Ben": 17}) == ("Ben",)
    assert score_code(TACTIC) is Violation.SCORE_ERROR
    assert score_code(CHEDENG) is Violation.SETTLEMENT_ERROR


def test_the_deal_is_counted() -> None:
    for dealt, codes in ((15, ["HAND_SIZE"]), (16, []), (None, [])):
        said = Announced(by="Ben", what=DEALT, value=dealt)
        assert [one.code for one in reported(TACTIC, TWO, said)] == codes


def test_nobody_loses_the_first_turn_where_the_lap_is_finished() -> None:
    assert lap_was_cut({"Ann"}, ("Ann", "Ben"), POLTAVA)
    assert not lap_was_cut({"Ann"}, ("Ann", "Ben"), TACTIC)


def test_the_last_tile_is_announced() -> None:
    silent = Announced(by="Ann", what=NO_LAST_TILE)
    assert [one.code for one in reported(TACTIC, TWO, silent)] == ["ANNOUNCE_MISSING"]
    assert reported(TACTIC, TWO, silent, {"Ann"}) == ()
    assert reported(CZ, TWO, silent) == ()
