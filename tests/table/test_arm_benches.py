"""The counts of the arm benches. None of them takes an unnamed player for a right name."""

from typing import Any

import pytest

from bench.armed import who_plays
from bench.arms import Act, reliability, rules_for, summary
from bench.counting import count_draws
from bench.drawn import drawn, line_of
from bench.replay import Recorded
from companion.rules.referee import undealt
from companion.rules.ruleset import load_ruleset


def act(player: str, clear: str | None, **shares: float) -> Act:
    return Act(1, len(shares) or 2, "plain", False, player, shares, clear, "" if clear else "two arms were over it")


ACTS = [
    act("Ann", "Ann", Ann=0.9, Ben=0.1),
    act("Ben", "Ann", Ann=0.9, Ben=0.1),
    act("Ann", None, Ann=0.5, Ben=0.5),
    act("Ben", None),
]


def test_an_arm_that_says_nothing_is_neither_right_nor_wrong() -> None:
    assert [one.outcome for one in ACTS] == ["named", "misnamed", "unnamed", "unnamed"]
    found = summary(ACTS, [1.0, 2.0, 3.0])
    assert found["all"] == {"named": 1, "unnamed": 2, "misnamed": 1}
    assert found["unclear"] == {"two arms were over it": 2} and found["ms_per_frame"]["median"] == 2.0


def test_the_reliability_is_over_what_was_said() -> None:
    curve, error = reliability(ACTS)
    assert [(row["from"], row["n"], row["said"], row["true"]) for row in curve] == [
        (0.0, 2, 0.1, 0.5),
        (0.4, 2, 0.5, 0.5),
        (0.9, 2, 0.9, 0.5),
    ]
    assert error == pytest.approx((0.4 + 0.0 + 0.4) / 3)


def drew(*names: str | None) -> list[dict[str, Any]]:
    return [{"event": "drew", "by": name} for name in names]


@pytest.mark.parametrize(
    ("true", "recorded", "counts"),
    [
        (["Ann", "Ben"], drew("Ann", "Ben"), (2, 0, 0, 0, 0)),
        (["Ann", "Ben"], drew("Ann", None), (1, 1, 0, 0, 0)),
        (["Ann", "Ben"], drew("Ann", "Cy"), (1, 0, 1, 0, 0)),
        (["Ann", "Ben"], drew("Ann"), (1, 0, 0, 1, 0)),
        (["Ann"], drew("Ann", "Ann", None), (1, 0, 0, 0, 2)),
        ([], [], (0, 0, 0, 0, 0)),
    ],
)
def test_every_draw_falls_into_one_class(
    true: list[str], recorded: list[dict[str, Any]], counts: tuple[int, ...]
) -> None:
    found = count_draws(true, recorded)
    names = ("named", "unnamed", "misnamed", "unseen", "invented")
    assert tuple(found[name] for name in names) == counts
    assert found["drawn"] == sum(found[name] for name in names[:4])


def test_the_draws_of_recorded_rounds_are_told_by_how_the_boneyard_lies() -> None:
    laid = [["Ann", "draw"], ["Ben", "play 12-5@Ben"], ["Ben", "draw"]]
    heads = [{"seed": 1, "rules": rules, "spread": spread} for rules, spread in (("reeves", True), ("tactic", False))]
    rounds = [Recorded("x", head, (), {"laid": laid}, {"plays": drew("Ann", "Cy", None)}) for head in heads]
    rounds.append(Recorded("x", {"seed": 1, "rules": "jielong", "spread": False}, (), {"laid": []}, {"plays": []}))
    found = list(drawn(rounds))
    assert [(name, how) for name, how, _ in found] == [("1 reeves", "spread"), ("1 tactic", "stacked")]
    assert (
        line_of(found[0][2]) == "2 of 2 (100.0 %) draws seen: 1 named, 1 unnamed, 0 misnamed; invented 1 of 2 (50.0 %)"
    )


def test_rounds_go_round_the_rules_and_the_players() -> None:
    rounds = [who_plays(n) for n in range(49)]
    assert len({rules for rules, _ in rounds}) == 7
    trains = [(rules, players) for rules, players in rounds if players is not None]
    assert {players for _, players in trains} == set(range(2, 9))
    assert all(undealt(load_ruleset(rules), 12, players) is None for rules, players in trains)
    assert all(
        undealt(load_ruleset(rules_for(n, players)), 12, players) is None for n in range(9) for players in (2, 8)
    )
