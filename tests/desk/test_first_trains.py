"""Long first trains at the desk: what they leave behind, and who is bound by it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.stand_ins.making import ticking
from bench.stand_ins.playing import begin
from bench.stand_ins.settling import confirm
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.log.events import TilePlayed
from companion.rules.notation import Change, parse_delta
from companion.rules.position import MEXICAN, End, Play, Position
from companion.rules.tile import Laid, Tile
from datasets.bots.watching import note_layers, seen, table_change
from tests.lanes import nightly
from tests.shown import state_of

NAMES = ("Ann", "Ben", "Cy")


def table(tmp_path: Path, rules: str, players: tuple[str, ...] = NAMES, **options: object) -> Game:
    session = Game.create(tmp_path / "g.jsonl", Header(rules, "double-12", players, options), ticking())
    session.start_round(Laid(12, 12), players[0], draws_seen=True)
    return session


def watch(session: Game, *changes: str) -> None:
    """Each change as the camera sees it: what differs between two still tables."""
    for change in changes:
        session.observe(table_change(parse_delta(change.split("; "))))


def held(session: Game) -> set[tuple[str, bool]]:
    return {(finding.code, finding.certain) for _, finding in session.scoreboard.violations}


def position(session: Game) -> Position:
    table = session.position
    assert isinstance(table, Position)
    return table


def show(session: Game, **hands: list[tuple[int, int]]) -> None:
    session.end_round("blocked_declared")
    for player, tiles in hands.items():
        session.show_hand(player, tiles)


LAP = ("+12-3@Ann; +3-3@Ann", "+12-4@Ben", "+12-5@Cy")
"""Ann's first train ends on a double."""


class TestPoltava:
    """000: «Якщо хід починається, коли є відкритий дубль, то гравець в першу чергу має закрити його»."""

    def test_the_double_that_ends_a_first_train_is_to_be_closed_first(self, tmp_path: Path) -> None:
        session = table(tmp_path, "poltava")
        watch(session, *LAP)
        assert position(session).open == ("Ann",)
        assert state_of(session)["must_cover"]["train"] == "Ann"
        watch(session, "+3-7@Ann")
        assert position(session).open == ()
        assert held(session) == set()

    def test_while_first_trains_are_laid_nobody_is_bound_by_it(self, tmp_path: Path) -> None:
        session = table(tmp_path, "poltava")
        watch(session, LAP[0])
        assert state_of(session)["must_cover"] is None
        watch(session, *LAP[1:])
        assert held(session) == set()

    def test_whoever_cannot_close_it_draws_and_marks_and_the_next_closes_it(self, tmp_path: Path) -> None:
        session = table(tmp_path, "poltava")
        watch(session, *LAP, "boneyard-1; mark Ann", "+3-8@Ann")
        assert held(session) == set()

    def test_ignoring_it_is_a_fault(self, tmp_path: Path) -> None:
        session = table(tmp_path, "poltava")
        watch(session, *LAP, "boneyard-1; mark Ann", "+12-6@MX", "+3-8@Ann")
        assert ("OPEN_DOUBLE_IGNORED", True) in held(session)

    def test_the_reveal_proves_nothing_against_who_rightly_drew_for_it(self, tmp_path: Path) -> None:
        """Ann could have played elsewhere; but the double came first, and for that she had nothing."""
        session = table(tmp_path, "poltava", hand_table={"12": {"3": 4}})
        for tile, train in (((12, 3), "Ann"), ((3, 3), "Ann")):
            session.play(tile, train, "Ann")
        session.play((12, 4), "Ben", "Ben")
        session.play((12, 5), "Cy", "Cy")
        session.draw("Ann")
        session.mark("Ann")
        show(session, Ann=[(4, 6), (5, 6), (12, 6)])
        assert not {code for code, _ in held(session)} & {"NEEDLESS_DRAW", "PASSED_WITH_PLAYABLE"}


class TestCzech:
    """001 does not say whether the double that ends a first train must be fed: nobody is accused either way."""

    def test_whoever_covers_it_later_is_accused_of_nothing(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, *LAP, "+3-7@Ann", "+4-8@Ben")
        assert held(session) == set()

    def test_whoever_leaves_it_and_covers_it_a_turn_later_is_accused_of_nothing(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, *LAP, "+12-6@MX", "+3-8@Ann")
        assert held(session) == set()

    def test_whoever_draws_and_marks_for_it_is_accused_of_nothing(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, LAP[0] + "; boneyard-1; mark Ann", *LAP[1:])
        assert held(session) == set()

    def test_feeding_a_double_is_a_must_and_the_reveal_proves_it(self, tmp_path: Path) -> None:
        """001: «musí nakrmit nenakrmený dabl další hráč»; elsewhere whoever likes may decline."""
        session = table(tmp_path, "cz", hand_table={"any": {"3": 3}})
        for player, value in zip(NAMES, (3, 4, 5), strict=True):
            session.play((12, value), player, player)
        session.draw("Ann")
        session.mark("Ann")
        session.play((4, 4), "Ben", "Ben")
        session.draw("Ben")
        session.mark("Ben")
        show(session, Ann=[(3, 7), (3, 8), (0, 1)], Ben=[(4, 7), (4, 8)])
        found = [(finding.code, finding.by) for _, finding in session.scoreboard.violations if finding.certain]
        assert ("PASSED_WITH_PLAYABLE", "Ben") in found
        assert not [by for _, by in found if by == "Ann"]


def layers(session: Game) -> set[tuple[str | None, str]]:
    """(player, train) of every tile on the table."""
    lines = (line.event for line in session.scoreboard.lines)
    return {(event.by, event.train) for event in lines if isinstance(event, TilePlayed)}


OWN = {(name, name) for name in NAMES}


class TestTogether:
    """001: «mohou hrát všichni současně»: in the first lap there is no turn order."""

    def test_whoever_likes_begins_and_each_tile_is_the_owners(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "+12-3@Cy", "+12-4@Ann; +4-9@Ann; +3-8@Cy", "+12-5@Ben; +8-8@Cy", "+9-1@Ann")
        assert held(session) == set()
        assert layers(session) == OWN

    def test_several_first_trains_come_in_one_change(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "+12-3@Cy; +12-4@Ann; mark Ben; +3-8@Cy; +4-9@Ann; +9-9@Ann; +8-2@Cy; +2-5@Cy")
        assert held(session) == set()
        assert layers(session) == OWN - {("Ben", "Ben")}

    def test_whoever_declines_may_do_so_before_the_starter_has_begun(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "mark Cy", "+12-4@Ben", "+12-3@Ann", "+12-6@MX")
        assert held(session) == set()

    def test_the_turns_begin_with_the_starter_whoever_laid_the_last_first_train(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "+12-3@Cy", "+12-4@Ann", "+12-5@Ben")
        assert position(session).turn == "Ann"
        watch(session, "+12-6@MX", "+6-1@MX", "+1-7@MX", "+7-2@MX")
        assert held(session) == set()
        assert layers(session) - OWN == {(name, "MX") for name in NAMES}

    def test_a_tile_on_the_own_train_may_belong_to_the_first_train_or_be_a_turn(self, tmp_path: Path) -> None:
        """Everybody has begun. Ann's next tile may be either, so Ann and Ben may both go on elsewhere."""
        for mover, follower in (("Ann", "Ben"), ("Ben", "Cy")):
            folder = tmp_path / mover
            folder.mkdir()
            session = table(folder, "cz")
            watch(session, "+12-3@Cy", "+12-4@Ann", "+12-5@Ben", "+4-9@Ann", "+12-6@MX")
            watch(session, *(("+5-8@Ben", "+3-8@Cy") if follower == "Ben" else ("+3-8@Cy", "+9-1@Ann")))
            assert held(session) == set()
            assert (mover, "MX") in layers(session)

    def test_a_tile_by_nobody_in_particular_is_the_owners(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        session.play((12, 3), "Cy")
        session.play((12, 4), "Ann")
        session.play((3, 5), "Cy")
        session.mark("Ben")
        assert held(session) == set()
        assert layers(session) == OWN - {("Ben", "Ben")}

    def test_a_tile_on_the_mexican_train_is_too_early_while_somebody_has_not_begun(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "+12-3@Cy", "+12-6@MX")
        assert ("MX_TOO_EARLY", False) in held(session), "not certain: Cy may be a turn ahead of the others"

    def test_whose_marker_is_missing_is_found_once_the_turns_have_begun(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        session.play((12, 3), "Cy", "Cy")
        session.play((12, 4), "Ann", "Ann")
        session.pass_turn("Ben")
        found = [(finding.code, line.event.by) for line, finding in session.scoreboard.violations]  # type: ignore[attr-defined]
        assert found == [("MARKER_MISSING", "Ben")]

    def test_a_double_that_another_turned_over_is_not_held_against_its_owner(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz", NAMES[:2])
        session.play((12, 3), "Ann", "Ann")
        session.play((3, 3), "Ann", "Ann")
        session.flip("Ann", "Ben")
        session.play((12, 4), "Ben", "Ben")
        session.draw("Ann")
        session.play((12, 5), "MX", "Ann")
        found = {(finding.code, line.event.by) for line, finding in session.scoreboard.violations}  # type: ignore[attr-defined]
        assert found == {("FLIP_NOT_IN_RULES", "Ben")}

    def test_a_second_tile_in_an_ordinary_turn_is_one_too_many(self, tmp_path: Path) -> None:
        session = table(tmp_path, "cz")
        watch(session, "+12-3@Cy", "+12-4@Ann", "+12-5@Ben", "+12-6@MX", "+5-8@Ben")
        watch(session, "+3-7@Cy; +7-1@Cy", "+4-2@Ann")
        assert held(session), "one tile too many, or one on the Mexican train while first trains are laid"
        assert not any(certain for _, certain in held(session))


@pytest.mark.parametrize("boneyard", [True, False], ids=["open boneyard", "stacked boneyard"])
@pytest.mark.parametrize("seed", [0, 1, *map(nightly, (2, 3, 4, 5))])
@pytest.mark.slow
def test_first_trains_laid_in_any_order_are_held_against_nobody(tmp_path: Path, seed: int, boneyard: bool) -> None:
    """The first lap of bots, shuffled: each player keeps the order of their own acts."""
    chance = random.Random(seed)
    session, game = begin(tmp_path / "g.jsonl", "cz", chance.choice([2, 3, 4, 6]), seed, rounds=1)
    played = next(iter(game.rounds()))
    session.start_round(played.engine, played.starter, draws_seen=boneyard)
    turns = played.turns()
    players = len(session.header.players)
    first = [next(turns) for _ in range(players)]
    acts = {turn.player: [act for act in turn.actions if not isinstance(act, End)] for turn in first}
    while any(acts.values()):
        delta: list[Change] = []
        for _ in range(chance.choice([1, 1, 2, 3, 5])):
            player = chance.choice([name for name, left in acts.items() if left])
            act = acts[player].pop(0)
            delta.append(Play(act.tile, act.train) if isinstance(act, Play) else act)  # type: ignore[arg-type]
            if not any(acts.values()):
                break
        session.observe(table_change(delta))
    truth: dict[tuple[Tile, str], list[str]] = {}
    for turn in turns:
        if session.phase != "playing":
            break
        note_layers(turn, truth)
        session.observe(seen([turn], boneyard=boneyard))
    # Where nobody sees who draws, a fault may be held possible in a later lap; for certain none is.
    assert {one for one in held(session) if boneyard or one[1]} == set()
    plays = [line.event for line in session.scoreboard.lines if isinstance(line.event, TilePlayed)]
    assert len(plays) > 20
    late = [one for one in plays if (one.tile.tile, one.train) in truth]
    wrong = [one for one in late if one.by not in (None, *truth[(one.tile.tile, one.train)])]
    assert len(wrong) <= 0.05 * len(late)
    own = [one for one in plays if (one.tile.tile, one.train) not in truth]
    assert {one.by for one in own if one.by != one.train} <= {None}
    assert sum(one.by is None for one in own) <= 0.1 * len(own)


def test_whoever_marks_last_of_all_for_no_reason_is_not_out_of_turn(tmp_path: Path) -> None:
    """cz: everybody has begun, Ann is next, and Cy, who has just laid a first train, marks it."""
    session = table(tmp_path, "cz")
    for tile, player in (((12, 3), "Ann"), ((12, 4), "Ben"), ((12, 5), "Cy"), ((5, 6), "Cy")):
        session.play(tile, player, player)
    session.mark("Cy", by="Cy")
    assert held(session) == set() and not session.questions
    session.play((12, 7), MEXICAN, "Ann")
    assert held(session) == {("MARKER_UNEARNED", False)} and state_of(session)["turn"] == "Ben"


@pytest.mark.parametrize("begun", [(), ("Ben",), ("Ben", "Ann")], ids=["alone", "second", "last"])
@pytest.mark.parametrize("seen", [True, False], ids=["seen", "entered"])
def test_a_marker_on_a_first_train_that_has_begun_is_never_certain(
    tmp_path: Path, begun: tuple[str, ...], seen: bool
) -> None:
    """cz, and no source says it: Cy lays two tiles while the others lay theirs, and marks; then the turns begin."""
    session = table(tmp_path, "cz")
    outer = {"Ann": 3, "Ben": 4}
    before = [f"+12-{outer[name]}@{name}" for name in begun]
    after = [f"+12-{outer[name]}@{name}" for name in ("Ann", "Ben") if name not in begun]
    if seen:
        watch(session, *before, "+12-5@Cy", "+5-6@Cy", "mark Cy", *after, "+12-7@MX", "+4-8@Ben", "+6-9@Cy", "+3-1@Ann")
    else:
        for name in begun:
            session.play((12, outer[name]), name, name)
        session.play((12, 5), "Cy", "Cy")
        session.play((5, 6), "Cy", "Cy")
        session.mark("Cy", by="Cy")
        assert not any(certain for _, certain in held(session))
        for name in ("Ann", "Ben"):
            if name not in begun:
                session.play((12, outer[name]), name, name)
        session.play((12, 7), "MX", "Ann")
        session.play((4, 8), "Ben", "Ben")
    assert not any(certain for _, certain in held(session))


def test_whoever_turned_a_double_over_still_marks_for_the_first_train(tmp_path: Path) -> None:
    session = table(tmp_path, "cz")
    for tile, player in (((12, 3), "Ann"), ((3, 3), "Ann"), ((12, 4), "Ben")):
        session.play(tile, player, player)
    session.flip("Ann", by="Cy")
    session.mark("Cy", by="Cy")
    assert held(session) == {("FLIP_NOT_IN_RULES", False)}
    confirm(session)
    assert held(session) == {("FLIP_NOT_IN_RULES", True)}


def test_after_the_common_lap_it_is_the_starters_turn(tmp_path: Path) -> None:
    """cz: whoever still lays a first train when everybody has begun takes nobody's turn."""
    session = table(tmp_path, "cz")
    for tile, player in (((12, 3), "Cy"), ((12, 4), "Ben"), ((12, 5), "Ann"), ((5, 6), "Ann"), ((4, 7), "Ben")):
        session.play(tile, player, player)
    assert state_of(session)["turn"] == "Ann"
    session.play((3, 8), "Cy")
    assert state_of(session)["plays"][-1]["by"] == "Cy"
    for player in ("Cy", "Ann", "Ben"):
        session.done(player)
    assert state_of(session)["turn"] == "Ann"
    session.play((6, 9), "Ann")
    assert state_of(session)["turn"] == "Ben"
    session.play((7, 1), "Ben")
    assert state_of(session)["turn"] == "Cy" and held(session) == set()
