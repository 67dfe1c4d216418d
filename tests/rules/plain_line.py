"""Rules.md 4.1, 4.3 and 7.4 read a second time, as plainly as they can be written: the oracle of `test_small_lines`.

Nothing of the referee is used here: a line is a list of pairs from left to right. Acts are ("play", (a, b), arm),
("discard",), ("faceup",) and ("pass",).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

Pair = tuple[int, int]
Act = tuple[Any, ...]

TWICE = "11 22 33 44 55 66 13 15 16 46 56"
ONCE = "12 14 23 24 25 26 34 35 36 45"


def box(rules: str, players: int) -> Counter[Pair]:
    """Tile -> copies; Kkori for two or three leaves out the doubles from three on."""
    tiles = Counter({(int(t[0]), int(t[1])): 2 for t in TWICE.split()})
    tiles.update({(int(t[0]), int(t[1])): 1 for t in ONCE.split()})
    if rules == "kkori" and players < 4:
        for value in (3, 4, 5, 6):
            del tiles[value, value]
    return tiles


def judge(rules: str, players: int, arms: int, line: list[Pair], acts: list[Act]) -> tuple[set[str], set[str]]:
    """Codes and may of one turn."""
    tiles, line = box(rules, players), list(line)
    codes: set[str] = set()
    may: set[str] = set()
    away = 0
    for act in acts:
        if act[0] == "play":
            (a, b), arm = act[1], act[2]
            lying = sum(sorted(tile) == sorted((a, b)) for tile in line)
            copies = tiles[min(a, b), max(a, b)]
            faults = [
                (copies == 0, "TILE_NOT_IN_SET"),
                (copies > 0 and lying >= copies, "MULTIPLICITY"),
                (bool(line) and arm == "L" and arms == 1, "CLOSED_END"),
                (bool(line) and arm == "R" and a != line[-1][1], "MISMATCH"),
                (bool(line) and arm == "L" and b != line[0][0], "MISMATCH"),
            ]
            named = [code for holds, code in faults if holds]
            codes.update(named[:1])
            may.update(named[1:])
            line.insert(len(line) if arm == "R" else 0, (a, b))
            away += 1
        elif act[0] in ("discard", "faceup"):
            if not line:
                codes.add("LEAD_MUST_PLAY")
            if act[0] == "faceup":
                codes.add("DISCARD_FACE_UP")
            away += 1
    if away == 0:
        codes.add("PASS_WITHOUT_DISCARD")
    if away > 1:
        codes.add("EXTRA_TILE")
    return codes, may - codes


def blocked(rules: str, players: int, arms: int, line: list[Pair]) -> bool:
    """Whether no tile that may still be somewhere shows an open end."""
    if not line:
        return False
    left = box(rules, players)
    left.subtract(Counter((min(tile), max(tile)) for tile in line))
    ends = {line[-1][1]} | ({line[0][0]} if arms == 2 else set())
    return not any(copies > 0 and ends & set(tile) for tile, copies in left.items())


def settle(
    mode: str, pips: list[int], discards: list[int] | None, head: int = 7, tail: int = 8
) -> tuple[list[int], int]:
    """The payment to each hand, the leader's first, and the winner's hand. Give `discards` only where they multiply."""
    hands = range(len(pips))
    winner = pips.index(min(pips))
    net = [0] * len(pips)

    def pay(payer: int, receiver: int, amount: int) -> None:
        net[payer] -= amount
        net[receiver] += amount

    for payer in hands:
        if mode == "winner_chip" and payer != winner:
            pay(payer, winner, 1)
        if mode == "kkori" and payer != winner:
            most = max(pips[hand] for hand in hands if hand != winner)
            last = max(hand for hand in hands if hand != winner and pips[hand] == most)
            if payer == last or pips[payer] > 30:
                pay(payer, winner, 1)
        for receiver in hands:
            if mode == "pairwise" and pips[payer] > pips[receiver]:
                times = 1
                if discards is not None:
                    times *= 2 if discards[receiver] == 0 else 1
                    times *= 2 if discards[payer] >= (head if payer == 0 else tail) else 1
                pay(payer, receiver, times * (pips[payer] - pips[receiver]))
    return net, winner
