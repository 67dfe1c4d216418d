"""Long first trains at the desk: what they leave behind, and who is bound by it."""

from __future__ import annotations

from pathlib import Path

from companion.events import Header
from companion.notation import parse_delta
from companion.position import Position
from companion.session import Session
from companion.tile import Laid
from tests.desk.making import ticking

NAMES = ("Ann", "Ben", "Cy")


def table(tmp_path: Path, rules: str, players: tuple[str, ...] = NAMES, **options: object) -> Session:
    session = Session.create(tmp_path / "g.jsonl", Header(rules, "double-12", players, options), ticking())
    session.start_round(Laid(12, 12), players[0], draws_seen=True)
    return session


def watch(session: Session, *changes: str) -> None:
    """Each change as the camera sees it: what differs between two still tables."""
    for change in changes:
        session.observe(parse_delta(change.split("; ")))


def held(session: Session) -> set[tuple[str, bool]]:
    return {(finding.code, finding.certain) for _, finding in session.scoreboard.violations}


def position(session: Session) -> Position:
    table = session.position
    assert isinstance(table, Position)
    return table


def show(session: Session, **hands: list[tuple[int, int]]) -> None:
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
        assert session.snapshot()["must_cover"]["train"] == "Ann"
        watch(session, "+3-7@Ann")
        assert position(session).open == ()
        assert held(session) == set()

    def test_while_first_trains_are_laid_nobody_is_bound_by_it(self, tmp_path: Path) -> None:
        session = table(tmp_path, "poltava")
        watch(session, LAP[0])
        assert session.snapshot()["must_cover"] is None
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
        session = table(tmp_path, "poltava")
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
        session = table(tmp_path, "cz")
        for player, value in zip(NAMES, (3, 4, 5), strict=True):
            session.play((12, value), player, player)
        session.draw("Ann")
        session.mark("Ann")
        session.play((4, 4), "Ben", "Ben")
        session.draw("Ben")
        session.mark("Ben")
        show(session, Ann=[(3, 7), (3, 8)], Ben=[(4, 7), (4, 8)])
        found = [(finding.code, finding.by) for _, finding in session.scoreboard.violations if finding.certain]
        assert ("PASSED_WITH_PLAYABLE", "Ben") in found
        assert not [by for _, by in found if by == "Ann"]
