"""On thousands of made-up tables the referee says what a second, plain reading of the rules says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bench import second_reading
from bench.plain_reading import (
    HOUSES,
    Act,
    Table,
    explanations,
    explanations_together,
    judge,
    written,
)  # fmt: skip
from bench.second_reading import made_up_of
from companion.judge_api.questions import answer

PLAYERS = ["Ann", "Ben", "Cy"]


def made_up_table(chance: random.Random) -> Table:
    return made_up_of(chance, chance.choice([2, 3, 6]), PLAYERS, (0, 1, 2, 3, 4, 6), (None, 0, 1, 5, 5))


def made_up_turn(chance: random.Random, table: Table) -> list[Act]:
    """Acts that often fit and often do not."""
    due = {name: chain[-1][1] if chain else table["set"] for name, chain in table["trains"].items()}
    due["MX2"] = table["set"]
    acts: list[Act] = []
    for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 4])):
        kind = chance.choices(["play", "draw", "mark", "unmark", "flip"], [12, 4, 2, 2, 1])[0]
        if kind == "play":
            name = table["turn"] if chance.random() < 0.5 else chance.choice(list(due))
            inner = due[name] if chance.random() < 0.85 else chance.randint(0, table["set"] + 1)
            outer = inner if chance.random() < 0.25 else chance.randint(0, table["set"])
            acts.append(("play", (inner, outer), name))
            due[name] = outer
        elif kind == "draw":
            acts.append(("draw",))
        elif kind == "flip":
            acts.append(("flip", chance.choice([*PLAYERS, "MX"])))
        else:
            acts.append((kind, table["turn"] if chance.random() < 0.7 else chance.choice(PLAYERS)))
    return acts


def told(table: Table) -> dict[str, Any]:
    def chain(tiles: Any) -> str:
        return " ".join(f"{a}-{b}" for a, b in tiles)

    return {
        **table,
        "engine": chain([table["engine"]]),
        "trains": {name: chain(tiles) for name, tiles in table["trains"].items()},
        "markers": sorted(table["markers"]),
        "open": list(table["open"]),
        "flipped": sorted(table["flipped"]),
    }


@pytest.mark.parametrize("rules", list(HOUSES))
def test_every_turn_is_ruled_as_the_plain_reading_rules_it(rules: str) -> None:
    chance = random.Random(f"turns of {rules}")
    legal = 0
    for _ in range(1000):
        table = made_up_table(chance)
        table["first_turn"] = chance.random() < 0.25
        acts = made_up_turn(chance, table)
        codes, may, _following = judge(rules, table, acts)
        action = "; ".join(map(written, acts))
        ruling = answer({"id": 1, "kind": "turn", "rules": rules, "state": told(table), "action": action})
        assert set(ruling["codes"]) == codes, (told(table), action)
        assert set(ruling["may"]) == may, (told(table), action)
        legal += not codes
    assert legal > 40


@pytest.mark.parametrize("rules", list(HOUSES))
def test_every_change_is_explained_as_the_plain_reading_explains_it(rules: str) -> None:
    chance = random.Random(f"changes of {rules}")
    explained = 0
    for _ in range(120):
        table = made_up_table(chance)
        tiles, draws, marks = made_up_change(chance, rules, table)
        if not (any(tiles) or draws or marks):
            continue
        delta = [written(act).replace("play ", "+") for chain in tiles for act in chain]
        delta += [written(act).replace("unmark", "-mark") for act in marks] + [f"boneyard-{draws}"] * bool(draws)
        question = {"before": told(table), "delta": delta, "expected_player": table["turn"]}
        found = answer({"id": 1, "kind": "inference", "rules": rules, **question})
        explainable, stories = explanations(rules, table, tiles, draws, marks, table["turn"])
        assert (found["explainable"], set(found["explanations"])) == (explainable, stories), question
        explained += explainable
    assert explained > 40


def test_first_trains_laid_together_are_explained_as_the_plain_reading_explains_them() -> None:
    """cz; neither Cy nor Dee begins: that both forgot the marker is never the cheapest story."""
    chance = random.Random("first trains")
    explained = 0
    for _ in range(400):
        table = {**made_up_table(chance), "open": (), "flipped": frozenset(), "first_turn": True, "hands": {}}
        begun = chance.choice(([], ["Ann"], ["Ben"]))
        table["players"] = [*PLAYERS, "Dee"]
        trains = {**table["trains"], "Dee": ()}
        table["trains"] = {name: chain if name in begun else () for name, chain in trains.items()}
        table["markers"] = frozenset(table["markers"]) & set(begun)
        tiles: dict[str, list[Act]] = {}
        for _ in range(chance.choice([1, 2, 3, 4])):
            name = chance.choice(["Ann", "Ben", "Ann", "Ben", "MX"])
            laid = [act[1] for act in tiles.get(name, [])] or table["trains"][name]
            due = laid[-1][1] if laid else table["set"]
            inner = due if chance.random() < 0.9 else chance.randint(0, table["set"] + 1)
            tiles.setdefault(name, []).append(("play", (inner, chance.choice([inner, *range(table["set"] + 1)])), name))
        marks: list[Act] = [("mark", name) for name in ("Ann", "Ben") if chance.random() < 0.15]
        marks = [mark for mark in marks if mark[1] not in table["markers"]]
        draws = chance.choice([0, 0, 0, 1]) if table["boneyard"] else 0
        expected = chance.choice([name for name in table["players"] if name not in begun])
        delta = [written(act).replace("play ", "+") for chain in tiles.values() for act in chain]
        delta += [written(act) for act in marks] + [f"boneyard-{draws}"] * bool(draws)
        if len({frozenset(act[1]) for chain in tiles.values() for act in chain}) < sum(map(len, tiles.values())):
            continue
        question = {"before": told(table), "delta": delta, "expected_player": expected}
        found = answer({"id": 1, "kind": "inference", "rules": "cz", **question})
        expect = explanations_together(table, list(tiles.values()), draws, marks, expected)
        assert (found["explainable"], set(found["explanations"])) == expect, question
        explained += found["explainable"]
    assert 40 < explained < 300


def made_up_change(chance: random.Random, rules: str, table: Table) -> tuple[list[list[Act]], int, list[Act]]:
    """The change that one to three turns, mostly faultless, leave behind: tiles by train, draws, changed markers."""
    tiles: dict[str, list[Act]] = {}
    draws, now = 0, table
    for _ in range(chance.choice([1, 1, 2, 3])):
        for _attempt in range(30):
            acts = [act for act in made_up_turn(chance, now) if act[0] != "flip" and act[-1] != "MX2"][:3]
            codes, _may, following = judge(rules, now, acts)
            if not codes:
                break
        if sum(map(len, tiles.values())) + sum(act[0] == "play" for act in acts) > 3:
            break
        for act in acts:
            if act[0] == "play":
                tiles.setdefault(act[2], []).append(act)
            elif act[0] == "draw" and now["boneyard"]:
                draws += 1
        now = following
    draws = min(draws, table["boneyard"] or 0)
    marks: list[Act] = [("mark", name) for name in PLAYERS if name in now["markers"] - table["markers"]]
    marks += [("unmark", name) for name in PLAYERS if name in table["markers"] - now["markers"]]
    return list(tiles.values()), draws, marks


def test_the_bench_compares_the_same_two_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, turns, different = second_reading.compare(1)
    assert asked > 500 and turns == 4 * second_reading.TURNS and different == []
    monkeypatch.setitem(HOUSES["tactic"], "off", "any")
    assert any(second_reading.compare(seed)[2] for seed in range(8)), "it notices another rule"
