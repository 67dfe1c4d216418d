"""One test per rule of a turn, named after the rule. The numbers are sources, see docs/rules.md 0."""

from __future__ import annotations

import pytest

from companion.rules.mexican.judge import after_turn
from companion.rules.mexican.turn import dead_status, live_doubles, provably_blocked
from companion.rules.notation import parse_action
from companion.rules.position import Position
from companion.rules.ruleset import load_ruleset
from tests.rules.mexican_table import codes, may, seen, table

ALL = ("tactic", "reeves", "cz", "poltava")
OPEN_MX = {"trains": {"Ann": "12-4 4-9", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6 6-6"}, "open": ["MX"]}
TWO_OPEN = {
    "trains": {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6 6-6"},
    "open": ["MX", "Ann"],
}
FIRST = {"trains": {"Ann": "12-4 4-9"}, "turn": "Ben", "first_turn": True}
ALL_NINES = "9-0 0-12 12-12 9-12"


@pytest.mark.parametrize("rules", ALL)
class TestEveryRuleSet:
    def test_a_fitting_tile_on_the_own_train_is_a_turn(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy; end") == set()

    def test_the_mexican_train_is_open_to_everybody(self, rules: str) -> None:
        assert codes(rules, "play 6-3@MX") == set()

    def test_a_marked_train_is_open_to_everybody(self, rules: str) -> None:
        assert codes(rules, "play 9-2@Ann", markers=["Ann"]) == set()

    def test_a_closed_train_refuses_a_stranger(self, rules: str) -> None:
        assert codes(rules, "play 9-2@Ann") == {"CLOSED_TRAIN"}

    def test_touching_halves_must_be_equal(self, rules: str) -> None:
        assert codes(rules, "play 3-8@Cy") == {"MISMATCH"}

    def test_a_train_starts_with_the_value_of_the_engine(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy", trains={"Ann": "12-4"}) == {"WRONG_ROOT"}

    def test_a_tile_exists_once(self, rules: str) -> None:
        assert codes(rules, "play 8-1@Cy") == {"DUPLICATE_TILE"}

    def test_a_pip_above_the_set_is_no_tile_of_it(self, rules: str) -> None:
        assert codes(rules, "play 8-13@Cy") == {"TILE_NOT_IN_SET"}

    def test_only_one_mexican_train(self, rules: str) -> None:
        assert codes(rules, "play 12-7@MX2") == {"SECOND_MEXICAN"}

    def test_one_tile_in_a_turn(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy; play 3-5@Cy") == {"EXTRA_TILE"}

    def test_an_open_double_comes_first(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy", **OPEN_MX) == {"OPEN_DOUBLE_IGNORED"}
        assert codes(rules, "play 6-3@MX", **OPEN_MX) == set()

    def test_an_open_double_opens_its_train_to_everybody(self, rules: str) -> None:
        trains = {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6"}
        assert codes(rules, "play 4-0@Ann", trains=trains, open=["Ann"]) == set()

    def test_nothing_laid_means_a_draw_and_a_marker(self, rules: str) -> None:
        if rules != "cz":
            assert codes(rules, "end") == {"MARKER_MISSING", "NO_DRAW"}
            assert codes(rules, "mark Cy; end") == {"NO_DRAW"}
        assert codes(rules, "draw; end") == {"MARKER_MISSING"}
        assert codes(rules, "draw; mark Cy; end") == set()

    def test_an_old_marker_serves_again(self, rules: str) -> None:
        assert codes(rules, "draw; end", markers=["Cy"]) == set()

    def test_a_drawn_tile_may_be_laid(self, rules: str) -> None:
        assert codes(rules, "draw; play 8-3@Cy; end") == set()

    def test_one_draw_in_a_turn(self, rules: str) -> None:
        assert codes(rules, "draw; draw; mark Cy; end") == {"EXTRA_DRAW"}
        assert codes(rules, "play 8-3@Cy; draw; end") == {"EXTRA_DRAW"}

    def test_a_double_that_was_drawn_earns_another_draw(self, rules: str) -> None:
        assert codes(rules, "draw; play 8-8@Cy; draw; mark Cy; end") == set()

    def test_nobody_draws_from_an_empty_boneyard(self, rules: str) -> None:
        assert codes(rules, "draw; mark Cy", boneyard=0) == {"DRAW_FROM_EMPTY"}

    def test_a_boneyard_in_a_stack_accuses_nobody_of_not_drawing(self, rules: str) -> None:
        assert codes(rules, "mark Cy; end", boneyard=None) == set()
        assert may(rules, "mark Cy; end", boneyard=None) == {"NO_DRAW"}

    def test_a_double_asks_for_a_second_tile(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; end") == {"DOUBLE_NOT_FOLLOWED"}
        assert may(rules, "play 8-8@Cy; end") == {"NO_DRAW", "MARKER_MISSING"}
        assert codes(rules, "play 8-8@Cy; play 8-3@Cy; end") == set()

    def test_a_double_without_a_second_tile_ends_in_a_draw_and_a_marker(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; draw; mark Cy; end") == set()
        assert codes(rules, "play 8-8@Cy; draw; end") == {"MARKER_MISSING"}
        assert codes(rules, "play 8-8@Cy; mark Cy; end") == {"NO_DRAW"}

    def test_the_last_tile_may_be_a_double(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; end", hands={"Cy": 1}) == set()

    def test_a_drawn_tile_counts_into_the_hand(self, rules: str) -> None:
        assert codes(rules, "draw; play 8-8@Cy; end", hands={"Cy": 1}) == {"DOUBLE_NOT_FOLLOWED"}

    def test_a_marker_is_not_put_after_a_good_turn(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy; mark Cy") == {"MARKER_UNEARNED"}

    def test_markers_of_others_are_left_alone(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy; mark Ann") == {"MARKER_WRONG_TRAIN"}
        assert codes(rules, "play 8-3@Cy; unmark Ann", markers=["Ann"]) == {"MARKER_WRONG_TRAIN"}

    def test_the_own_marker_stays_while_nothing_is_laid(self, rules: str) -> None:
        assert codes(rules, "draw; unmark Cy", markers=["Cy"]) == {"MARKER_REMOVED_WRONGLY"}

    def test_a_play_on_the_own_train_takes_the_marker_off(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy; unmark Cy", markers=["Cy"]) == set()

    def test_no_tile_after_the_round(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Ann; end", ended=True) == {"PLAY_AFTER_END"}
        assert codes(rules, "draw; mark Cy; end", ended=True) == set()

    def test_independent_acts_give_independent_codes(self, rules: str) -> None:
        assert codes(rules, "play 9-2@Ann; mark Cy") == {"CLOSED_TRAIN", "MARKER_UNEARNED"}


class TestMarkers:
    """000: any play clears the coin. 001, 003, 004: only a play on their own train."""

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "cz"])
    def test_a_play_elsewhere_keeps_the_marker(self, rules: str) -> None:
        assert codes(rules, "play 6-3@MX", markers=["Cy"]) == set()
        taken = codes(rules, "play 6-3@MX; unmark Cy", markers=["Cy"])
        assert taken == (set() if rules == "reeves" else {"MARKER_REMOVED_WRONGLY"})

    def test_in_poltava_any_play_clears_the_coin(self) -> None:
        assert codes("poltava", "play 6-3@MX; unmark Cy", markers=["Cy"]) == set()
        assert codes("poltava", "play 6-3@MX", markers=["Cy"]) == {"MARKER_NOT_REMOVED"}

    @pytest.mark.parametrize("rules", ["tactic", "cz"])
    def test_the_marker_must_come_off(self, rules: str) -> None:
        assert codes(rules, "play 8-3@Cy", markers=["Cy"]) == {"MARKER_NOT_REMOVED"}

    def test_in_reeves_the_marker_may_come_off(self) -> None:
        assert codes("reeves", "play 8-3@Cy", markers=["Cy"]) == set()
        assert may("reeves", "play 8-3@Cy", markers=["Cy"]) == {"MARKER_NOT_REMOVED"}

    def test_in_reeves_the_marker_may_come_off_a_turn_later(self) -> None:
        """003 sets no time limit; only a train that nobody has started yet has never been played on."""
        assert may("reeves", "play 6-3@MX; unmark Cy", markers=["Cy"]) == {"MARKER_REMOVED_WRONGLY"}
        unstarted = {"trains": {"Ann": "12-4", "MX": "12-6"}, "markers": ["Cy"]}
        assert codes("reeves", "play 6-3@MX; unmark Cy", **unstarted) == {"MARKER_REMOVED_WRONGLY"}

    @pytest.mark.parametrize("rules", ["tactic", "cz"])
    def test_a_double_on_the_own_train_takes_the_marker_off_wherever_the_second_tile_goes(self, rules: str) -> None:
        """004: «пока в один из Ваших ходов Вы не положите кость домино в свой личный поезд»: any tile of the turn."""
        second = "6-3@MX" if rules == "tactic" else "8-3@Cy"
        assert codes(rules, f"play 8-8@Cy; play {second}", markers=["Cy"]) == {"MARKER_NOT_REMOVED"}
        assert codes(rules, f"play 8-8@Cy; play {second}; unmark Cy", markers=["Cy"]) == set()

    @pytest.mark.parametrize("rules", ALL)
    def test_nobody_need_take_a_marker_off_when_the_round_is_over(self, rules: str) -> None:
        last = {"markers": ["Cy"], "hands": {"Cy": 1}}
        assert codes(rules, "play 8-3@Cy", **last) == set()
        assert may(rules, "play 8-3@Cy", **last) == {"MARKER_NOT_REMOVED"}

    def test_in_tactic_a_marker_after_a_draw_and_a_tile_elsewhere_is_accused_of_nothing(self) -> None:
        """004: one paragraph asks for it, the next does not."""
        assert codes("tactic", "draw; play 6-3@MX; mark Cy") == set()
        assert may("tactic", "draw; play 6-3@MX; mark Cy") == {"MARKER_UNEARNED"}
        assert codes("tactic", "play 6-3@MX; mark Cy") == {"MARKER_UNEARNED"}
        assert codes("tactic", "draw; play 8-3@Cy; mark Cy") == {"MARKER_UNEARNED"}
        assert codes("reeves", "draw; play 6-3@MX; mark Cy") == {"MARKER_UNEARNED"}

    def test_a_house_may_ask_for_the_marker_whenever_nothing_was_laid_on_the_own_train(self) -> None:
        house = {"marker_after": "nothing_on_own"}
        assert codes("tactic", "draw; play 6-3@MX", options=house) == {"MARKER_MISSING"}
        assert codes("tactic", "draw; play 6-3@MX; mark Cy", options=house) == set()
        assert codes("tactic", "draw; play 8-3@Cy; mark Cy", options=house) == {"MARKER_UNEARNED"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_an_empty_boneyard_still_asks_for_the_marker(self, rules: str) -> None:
        assert codes(rules, "end", boneyard=0) == {"MARKER_MISSING"}

    def test_in_cz_whoever_declines_may_not_have_to_draw(self) -> None:
        """001: «pokud může a chce»; whether one who does not want to lay draws first is not said."""
        for action, certain in (("end", {"MARKER_MISSING"}), ("mark Cy; end", set())):
            assert codes("cz", action) == certain
            assert may("cz", action) == {"NO_DRAW"}

    def test_in_cz_feeding_a_double_is_a_must(self) -> None:
        """001: «musí nakrmit nenakrmený dabl další hráč»; only who cannot draws, and must."""
        assert codes("cz", "mark Cy; end", **OPEN_MX) == {"NO_DRAW"}
        assert codes("cz", "play 8-8@Cy; mark Cy; end") == {"NO_DRAW"}

    def test_in_cz_an_empty_boneyard_asks_for_a_pass_only(self) -> None:
        assert codes("cz", "end", boneyard=0) == set()
        assert codes("cz", "mark Cy; end", boneyard=0) == set()


class TestFirstTurns:
    """000 and 001: a long first train. 003 and 004: an ordinary turn."""

    @pytest.mark.parametrize("rules", ["poltava", "cz"])
    def test_a_first_train_is_as_long_as_one_likes(self, rules: str) -> None:
        assert codes(rules, "play 12-3@Ben; play 3-3@Ben; play 3-5@Ben; end", **FIRST) == set()

    @pytest.mark.parametrize("rules", ["poltava", "cz"])
    def test_a_first_train_may_end_on_a_double(self, rules: str) -> None:
        assert codes(rules, "play 12-3@Ben; play 3-3@Ben; end", **FIRST) == set()

    @pytest.mark.parametrize("rules", ["poltava", "cz"])
    def test_a_first_train_is_the_own_train(self, rules: str) -> None:
        assert codes(rules, "play 9-3@Ann", **FIRST) == {"FIRST_TURN_OWN_ONLY"}
        assert codes(rules, "play 12-3@MX", **FIRST) == {"MX_TOO_EARLY"}

    @pytest.mark.parametrize("rules", ["poltava", "cz"])
    def test_without_a_tile_a_first_turn_is_the_marker(self, rules: str) -> None:
        assert codes(rules, "mark Ben; end", **FIRST) == set()
        assert codes(rules, "end", **FIRST) == {"MARKER_MISSING"}

    def test_whether_a_first_turn_has_a_draw_is_open_in_poltava(self) -> None:
        assert codes("cz", "draw; mark Ben; end", **FIRST) == {"DRAW_FIRST_TURN"}
        assert codes("poltava", "draw; mark Ben; end", **FIRST) == set()
        assert may("poltava", "draw; mark Ben; end", **FIRST) == {"DRAW_FIRST_TURN"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves"])
    def test_an_ordinary_first_turn_is_one_tile(self, rules: str) -> None:
        assert codes(rules, "play 12-3@Ben; play 3-5@Ben", **FIRST) == {"EXTRA_TILE"}
        assert codes(rules, "play 12-3@MX", **FIRST) == set()
        assert codes(rules, "draw; mark Ben", **FIRST) == set()


TWOS_OUT = {
    "set": 6,
    "engine": "6-6",
    "trains": {
        "Ann": "6-3 3-5 5-4", "Ben": "6-0 0-2 2-3 3-4 4-2", "Cy": "6-2 2-1 1-5 5-2", "MX": "6-5 5-0 0-1"
    },
    "markers": ["Ann"],
}  # fmt: skip
"""Every two lies there but 2-2, which Cy can lay."""
TWOS_AND_ONES_OUT = {
    **TWOS_OUT,
    "players": ["Ann", "Ben", "Cy", "Dee"],
    "trains": {
        "Ann": "6-3 3-5 5-4 4-1", "Ben": "6-0 0-2 2-3 3-4 4-2", "Cy": "6-2 2-1 1-5 5-2", "Dee": "6-5 5-0 0-4",
        "MX": "6-1 1-3 3-0 0-1",
    },
    "markers": ["Dee"],
}  # fmt: skip
"""Every two lies there but 2-2 and every one but 1-1."""


def after(rules: str, action: str, **changes: object) -> Position:
    """The table after this turn."""
    return after_turn(load_ruleset(rules), table(**changes), parse_action(action))


class TestDoublesOfFirstTrains:
    """000: «Якщо хід починається, коли є відкритий дубль ...»: a turn that begins while a double is open closes it
    first. 001 does not say whether a first train that ends on a double must be fed."""

    def test_in_poltava_a_first_train_that_ends_on_a_double_leaves_an_open_double(self) -> None:
        assert after("poltava", "play 12-3@Ben; play 3-3@Ben; end", **FIRST).open == ("Ben",)
        assert after("poltava", "play 12-3@Ben; play 3-3@Ben; play 3-5@Ben; end", **FIRST).open == ()
        assert after("cz", "play 12-3@Ben; play 3-3@Ben; end", **FIRST).open == ()

    def test_in_poltava_the_other_first_trains_are_not_bound_by_it(self) -> None:
        trains = {"Ann": "12-4 4-4"}
        first = {"trains": trains, "open": ["Ann"], "turn": "Ben", "first_turn": True}
        assert codes("poltava", "play 12-3@Ben; play 3-5@Ben", **first) == set()
        assert codes("poltava", "mark Ben", **first) == set()

    def test_in_poltava_every_ordinary_turn_closes_such_a_double_first(self) -> None:
        trains = {"Ann": "12-4 4-4", "Ben": "12-3 3-3", "Cy": "12-1 1-8"}
        late = {"trains": trains, "open": ["Ann", "Ben"], "turn": "Cy"}
        assert codes("poltava", "play 4-0@Ann", **late) == set()
        assert codes("poltava", "play 3-0@Ben", **late) == set()
        assert codes("poltava", "play 8-0@Cy", **late) == {"OPEN_DOUBLE_IGNORED"}
        assert codes("poltava", "draw; mark Cy", **late) == set()

    def test_in_poltava_a_dead_double_of_a_first_train_is_turned_over(self) -> None:
        dead = {**DEAD, "trains": {**DEAD["trains"], "Ben": "6-0 0-2"}}
        assert dead_status(table(**dead), "Ann") == "certain"
        assert codes("poltava", "flip Ann; play 6-4@MX", **dead) == set()

    def test_in_poltava_a_table_with_such_a_double_is_blocked_once_nothing_fits(self) -> None:
        trains = {"Ann": "6-2 2-1 1-4 4-2 2-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"}
        blocked = {"set": 6, "engine": "6-6", "trains": trains, "open": ["Ann"], "turn": "Ben"}
        assert provably_blocked(load_ruleset("poltava"), table(**blocked))
        assert live_doubles(load_ruleset("poltava"), table(**blocked)) == ()

    def test_in_cz_drawing_and_marking_for_such_a_double_is_accused_of_nothing(self) -> None:
        laid = "play 12-3@Ben; play 3-3@Ben"
        for action, possible in (
            (f"{laid}; draw; mark Ben", {"DRAW_FIRST_TURN", "MARKER_UNEARNED"}),
            (f"{laid}; mark Ben", {"MARKER_UNEARNED"}),
            (f"{laid}; draw; play 3-5@Ben", {"DRAW_FIRST_TURN"}),
        ):
            assert codes("cz", action, **FIRST) == set()
            assert may("cz", action, **FIRST) == possible
        assert codes("cz", f"{laid}; draw; play 3-5@Ben; mark Ben", **FIRST) == {"MARKER_UNEARNED"}
        assert codes("cz", "draw; play 12-3@Ben; play 3-3@Ben", **FIRST) == {"DRAW_FIRST_TURN"}
        assert codes("cz", f"{laid}; draw; draw", **FIRST) == {"DRAW_FIRST_TURN"}
        assert codes("poltava", f"{laid}; draw; mark Ben", **FIRST) == {"DRAW_FIRST_TURN", "MARKER_UNEARNED"}

    def test_in_cz_covering_such_a_double_later_is_accused_of_nothing(self) -> None:
        trains = {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6 6-6"}
        assert codes("cz", "play 4-0@Ann", trains=trains) == set()
        assert may("cz", "play 4-0@Ann", trains=trains) == {"CLOSED_TRAIN"}
        assert codes("cz", "play 8-0@Cy", trains=trains) == set()
        assert codes("cz", "play 10-0@Ben", trains=trains) == {"CLOSED_TRAIN"}
        assert codes("tactic", "play 4-0@Ann", trains=trains) == {"CLOSED_TRAIN"}
        also = {"trains": trains, "open": ["MX"]}
        assert codes("cz", "play 4-0@Ann", **also) == set()
        assert may("cz", "play 4-0@Ann", **also) == {"CLOSED_TRAIN", "OPEN_DOUBLE_IGNORED"}


class TestSecondTiles:
    def test_cz_feeds_this_very_double(self) -> None:
        """001: the tile after a double goes onto the double just laid."""
        assert codes("cz", "play 8-8@Cy; play 6-3@MX") == {"EXTRA_NOT_ON_DOUBLE"}
        assert codes("cz", "play 8-8@Cy; play 6-6@MX; draw; mark Cy") == {"EXTRA_NOT_ON_DOUBLE"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_elsewhere_the_second_tile_goes_anywhere(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; play 6-3@MX") == set()

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_several_doubles_in_a_turn(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; play 6-6@MX; play 8-3@Cy") == set()

    def test_reeves_puts_the_extra_tile_on_the_first_of_several_doubles(self) -> None:
        """003: after two or more doubles only the first one takes it; where a house closes in reverse, the last one."""
        on_first, on_last = (f"play 8-8@Cy; play 6-6@MX; play {end}" for end in ("8-3@Cy", "6-3@MX"))
        assert codes("reeves", on_first) == set()
        assert codes("reeves", on_last) == {"EXTRA_NOT_ON_FIRST_DOUBLE"}
        reverse = {"order": "lifo"}
        assert codes("reeves", on_first, options=reverse) == {"EXTRA_NOT_ON_FIRST_DOUBLE"}
        assert codes("reeves", on_last, options=reverse) == may("reeves", on_last, options=reverse) == set()
        either = {"order": "either"}
        assert codes("reeves", on_first, options=either) == codes("reeves", on_last, options=either) == set()
        assert may("reeves", on_first, options=either) == {"EXTRA_NOT_ON_FIRST_DOUBLE"}
        assert may("reeves", on_last, options=either) == set()

    def test_in_reeves_the_first_double_that_can_still_be_closed_takes_the_extra_tile(self) -> None:
        """003: a double whose suit is used up «আর সীমাবদ্ধ করে না», no longer restricts."""
        doubles = "play 2-2@Cy; play 1-1@MX"
        assert codes("reeves", f"{doubles}; play 1-6@MX", **TWOS_OUT) == set()
        assert codes("reeves", f"{doubles}; play 4-6@Ann", **TWOS_OUT) == set()
        assert may("reeves", f"{doubles}; play 4-6@Ann", **TWOS_OUT) == {"EXTRA_NOT_ON_FIRST_DOUBLE"}
        three = f"{doubles}; play 4-4@Ann"
        assert codes("reeves", f"{three}; play 1-6@MX", **TWOS_OUT) == set()
        assert codes("reeves", f"{three}; play 4-6@Ann", **TWOS_OUT) == {"EXTRA_NOT_ON_FIRST_DOUBLE"}

    def test_in_reeves_the_extra_tile_goes_anywhere_when_no_double_can_be_closed(self) -> None:
        doubles = "play 2-2@Cy; play 1-1@MX"
        assert codes("reeves", f"{doubles}; play 4-6@Dee", **TWOS_AND_ONES_OUT) == set()
        assert may("reeves", f"{doubles}; play 4-6@Dee", **TWOS_AND_ONES_OUT) == set()

    def test_in_tactic_it_is_open_whether_the_extra_tile_closes_the_first_own_double_first(self) -> None:
        """004: «в том порядке, как они были выложены» against «так и в другой открытый поезд»."""
        doubles = "play 8-8@Cy; play 6-6@MX"
        assert codes("tactic", f"{doubles}; play 6-3@MX") == set()
        assert may("tactic", f"{doubles}; play 6-3@MX") == {"DOUBLE_ORDER"}
        assert may("tactic", f"{doubles}; play 8-3@Cy") == set()
        assert may("tactic", f"{doubles}; play 9-3@Ann", markers=["Ann"]) == set()
        assert codes("tactic", f"{doubles}; play 6-3@MX", options={"extra_in_order": True}) == {"DOUBLE_ORDER"}
        assert may("tactic", f"{doubles}; play 6-3@MX", options={"extra_in_order": False}) == set()
        backwards = {"extra_in_order": True, "order": "lifo"}
        assert codes("tactic", f"{doubles}; play 8-3@Cy", options=backwards) == {"DOUBLE_ORDER"}
        assert codes("tactic", f"{doubles}; play 6-3@MX", options=backwards) == set()
        backwards["order"] = "either"
        assert codes("tactic", f"{doubles}; play 8-3@Cy", options=backwards) == set()
        assert may("tactic", f"{doubles}; play 8-3@Cy", options=backwards) == {"DOUBLE_ORDER"}

    @pytest.mark.parametrize("rules", ["tactic", "poltava"])
    def test_after_several_doubles_any_train_will_do(self, rules: str) -> None:
        assert codes(rules, "play 8-8@Cy; play 6-6@MX; play 6-3@MX") == set()

    def test_a_stranger_may_feed_the_double_he_laid_on_a_marked_train(self) -> None:
        action = "play 9-9@Ann; unmark Ann; play 9-3@Ann"
        assert codes("tactic", action, markers=["Ann"]) == {"MARKER_WRONG_TRAIN"}


class TestOpenDoubles:
    @pytest.mark.parametrize("rules", ["tactic", "reeves"])
    def test_doubles_are_closed_in_the_order_of_laying(self, rules: str) -> None:
        assert codes(rules, "play 6-3@MX", **TWO_OPEN) == set()
        assert codes(rules, "play 4-0@Ann", **TWO_OPEN) == {"DOUBLE_ORDER"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_where_a_house_closes_in_reverse_the_last_double_comes_first(self, rules: str) -> None:
        assert codes(rules, "play 4-0@Ann", options={"order": "lifo"}, **TWO_OPEN) == set()
        assert codes(rules, "play 6-3@MX", options={"order": "lifo"}, **TWO_OPEN) == {"DOUBLE_ORDER"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_where_it_may_be_in_reverse_neither_order_is_a_fault(self, rules: str) -> None:
        either = {"order": "either"}
        assert codes(rules, "play 4-0@Ann", options=either, **TWO_OPEN) == set()
        assert codes(rules, "play 6-3@MX", options=either, **TWO_OPEN) == set()
        assert may(rules, "play 4-0@Ann", options=either, **TWO_OPEN) == set()
        assert may(rules, "play 6-3@MX", options=either, **TWO_OPEN) == {"DOUBLE_ORDER"}
        assert may(rules, "play 6-3@MX", options=either, **OPEN_MX) == set()

    @pytest.mark.parametrize("rules", ["poltava", "cz"])
    def test_where_the_order_is_free_either_will_do(self, rules: str) -> None:
        assert codes(rules, "play 4-0@Ann", **TWO_OPEN) == set()
        assert codes(rules, "play 6-3@MX", **TWO_OPEN) == set()

    @pytest.mark.parametrize("rules", ["tactic", "reeves"])
    def test_one_double_is_closed_in_a_turn(self, rules: str) -> None:
        assert codes(rules, "play 6-3@MX; play 4-0@Ann", **TWO_OPEN) == {"EXTRA_TILE"}

    def test_a_second_double_does_not_cover_an_open_one(self) -> None:
        assert codes("tactic", "play 8-8@Cy; play 8-3@Cy", **OPEN_MX) == {"OPEN_DOUBLE_IGNORED"}


DEAD = {
    "set": 6,
    "engine": "6-6",
    "trains": {"Ann": "6-2 2-1 1-5 5-2 2-3 3-4 4-2 2-2", "Ben": "6-0 0-2", "Cy": "6-3", "MX": ""},
    "open": ["Ann"],
    "turn": "Ben",
    "boneyard": 4,
}


class TestDeadDoubles:
    @pytest.mark.parametrize("rules", ["tactic", "reeves", "poltava"])
    def test_a_dead_double_binds_nobody(self, rules: str) -> None:
        """000, 003, 004: once every tile of the suit lies there the double is no obstacle any more."""
        assert codes(rules, "play 6-4@MX", **DEAD) == set()

    def test_in_cz_it_is_open_whether_a_dead_double_locks_the_table(self) -> None:
        assert codes("cz", "play 6-4@MX", **DEAD) == set()
        assert may("cz", "play 6-4@MX", **DEAD) == {"OPEN_DOUBLE_IGNORED"}
        assert codes("cz", "play 6-4@MX", options={"dead_double": "blocks"}, **DEAD) == {"OPEN_DOUBLE_IGNORED"}
        assert codes("cz", "play 6-4@MX", **{**DEAD, "options": {"dead_double": "blocks"}}) == {"OPEN_DOUBLE_IGNORED"}

    def test_poltava_turns_a_dead_double_over(self) -> None:
        assert codes("poltava", "flip Ann; play 6-4@MX", **DEAD) == set()

    def test_a_live_double_is_not_turned_over(self) -> None:
        trains = {"Ann": "12-4 4-4", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6"}
        assert codes("poltava", "flip Ann; play 4-0@Ann", trains=trains, open=["Ann"]) == {"WRONG_FLIP", "DEAD_TRAIN"}

    @pytest.mark.parametrize("rules", ["tactic", "reeves", "cz"])
    def test_nobody_else_turns_doubles_over(self, rules: str) -> None:
        assert "FLIP_NOT_IN_RULES" in codes(rules, "flip Ann; play 6-4@MX", **DEAD)

    def test_a_flipped_train_takes_no_tile(self) -> None:
        table = {**DEAD, "open": [], "flipped": ["Ann"]}
        assert codes("poltava", "play 2-6@Ann", **table) == {"DEAD_TRAIN"}
        assert "DUPLICATE_TILE" in may("poltava", "play 2-6@Ann", **table)

    def test_the_flipped_double_still_counts_as_seen(self) -> None:
        table = {**DEAD, "open": [], "flipped": ["Ann"]}
        assert "DUPLICATE_TILE" in may("poltava", "play 2-2@Ann", **table)


def test_drawing_from_a_blocked_table_is_only_a_hint() -> None:
    """000: end the game, do not draw from the market."""
    blocked = {
        "set": 6,
        "engine": "6-6",
        "trains": {"Ann": "6-2 2-2 2-1 1-4 4-2", "Ben": "6-0 0-2", "Cy": "6-3 3-2", "MX": "6-5 5-2"},
        "turn": "Ann",
        "boneyard": 3,
    }
    assert codes("poltava", "draw; mark Ann", **blocked) == set()
    assert may("poltava", "draw; mark Ann", **blocked) == {"DRAW_WHEN_BLOCKED"}
    assert may("tactic", "draw; mark Ann", **blocked) == set()


def test_the_mexican_train_may_start_with_anything_where_the_house_says_so() -> None:
    """001 names no value for its first tile: the default accuses nobody, a house's own rule does."""
    started = {"Ann": "12-4 4-9", "Cy": "12-1 1-8"}
    for options, certain, possible in (
        ({}, set(), {"WRONG_ROOT"}),
        ({"mx_root": "any"}, set(), set()),
        ({"mx_root": "engine"}, {"WRONG_ROOT"}, set()),
    ):
        assert codes("cz", "play 5-3@MX", trains=started, options=options) == certain
        assert may("cz", "play 5-3@MX", trains=started, options=options) == possible
    assert seen("cz", trains={**started, "MX": "5-3"}) == set()
    assert seen("tactic", trains={**started, "MX": "5-3"}) == {"WRONG_ROOT"}
