"""The referee beside the plain reading on every short line: `python -m tests.rules.small_lines`.

"Every" means, for each connecting game with each number of players and of arms it can have:

* line: every row of at most `laid` tiles that fit, with as many copies of each tile as the box has;
* turn: every row of at most `acts` acts: each of the 21 kinds of tiles in both directions and two that are no tiles of
  the box, at either end; a tile put away face down or face up; a pass;
* settlement: every combination of a few sums around the bounds of the rules, and for Che Deng of counts of discards.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product

from companion.rules.chinese import blocked, judge_turn, legal_plays, settle
from companion.rules.position import Action, Discard, LinePosition, Pass, Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid
from tests.rules import plain_line
from tests.rules.plain_line import Act, Pair

NAMES = ("Ann", "Ben", "Cy", "Dee")
GAMES = (
    *(("jielong", players, arms) for players in (2, 3, 4) for arms in (1, 2)),
    ("chedeng", 4, 1),
    ("kkori", 2, 1),
    ("kkori", 4, 1),
)
"""Game, players, arms."""

SUMS = (0, 1, 29, 30, 31, 40)
AWAY = (0, 1, 6, 7, 8)


def lines(rules: str, players: int, laid: int) -> Iterator[list[Pair]]:
    """Every line of at most `laid` fitting tiles; it grows to the right, so that every line comes once."""

    def grow(line: list[Pair], left: Counter[Pair]) -> Iterator[list[Pair]]:
        yield line
        if len(line) == laid:
            return
        for low, high in [tile for tile, copies in left.items() if copies]:
            for tile in {(low, high), (high, low)}:
                if not line or tile[0] == line[-1][1]:
                    yield from grow([*line, tile], left - Counter([(low, high)]))

    return grow([], plain_line.box(rules, players))


def alphabet() -> list[Act]:
    kinds = plain_line.box("jielong", 4)
    tiles = sorted({pair for a, b in kinds for pair in ((a, b), (b, a))} | {(0, 3), (7, 1)})
    return [*(("play", tile, arm) for tile in tiles for arm in "RL"), ("discard",), ("faceup",), ("pass",)]


def action_of(act: Act) -> Action:
    match act:
        case ("play", (a, b), arm):
            return Play(Laid(a, b), arm)
        case ("pass",):
            return Pass()
    return Discard(face_up=act == ("faceup",))


def compare(game: tuple[str, int, int], laid: int, acts: int) -> tuple[int, list[str]]:
    """How many rulings were compared, and where the two differ."""
    name, players, arms = game
    rules = load_ruleset(name, {"arms": arms})
    every = [
        (turn, tuple(map(action_of, turn)))
        for turn in chain.from_iterable(product(alphabet(), repeat=n) for n in range(acts + 1))
    ]
    singles = [act for act in alphabet() if act[0] == "play"]
    compared, differences = 0, []
    for line in lines(name, players, laid):
        position = LinePosition(NAMES[:players], tuple(Laid(*tile) for tile in line), turn="Ann")
        for plain, turn in every:
            ruling = judge_turn(rules, position, turn)
            if (ruling.codes, ruling.may) != plain_line.judge(name, players, arms, line, list(plain)):
                differences.append(f"{game}: {line}: {plain}: {sorted(ruling.codes)}/{sorted(ruling.may)}")
        compared += len(every)
        choices = {(tuple(play.tile), play.train) for play in legal_plays(rules, position)}
        fitting = {
            (act[1], act[2])
            for act in singles
            if (line or act[2] == "R") and not plain_line.judge(name, players, arms, line, [act])[0]
        }
        if choices != fitting:
            differences.append(f"{game}: {line}: may be laid: {sorted(choices)}")
        if blocked(rules, position.line, players) != plain_line.blocked(name, players, arms, line):
            differences.append(f"{game}: {line}: blocked")
    return compared, differences


def compare_settlements(players: int = 4) -> tuple[int, list[str]]:
    """Every payment of `players` by every mode, Che Deng's with every count of discards."""
    order = NAMES[:players]
    cases = [(name, mode, pips, None, (7, 8)) for name, mode in (
        ("jielong", "pairwise"), ("jielong", "winner_chip"), ("kkori", "kkori"),
    ) for pips in product(SUMS, repeat=players)]  # fmt: skip
    cases += [
        ("chedeng", "pairwise", pips, discards, bounds)
        for pips in product((0, 9, 41), repeat=players)
        for discards in product(AWAY, repeat=players)
        for bounds in ((7, 8), (6, 7))
    ]
    rules = {key: load_ruleset(key[0], {"head_tail": list(key[1])}) for key in {(case[0], case[4]) for case in cases}}
    differences = []
    for name, mode, pips, discards, bounds in cases:
        counts = None if discards is None else dict(zip(order, discards, strict=True))
        paid = settle(rules[name, bounds], order, dict(zip(order, pips, strict=True)), discards=counts, mode=mode)
        net, winner = plain_line.settle(mode, list(pips), None if discards is None else list(discards), *bounds)
        if (list(paid.result.values()), paid.winner) != (net, order[winner]):
            differences.append(f"{name} {mode}: {pips} {discards} {bounds}: {paid}")
    return len(cases), differences


def main() -> int:
    wrong = 0
    for game in GAMES:
        for laid, acts in ((4, 1), (2, 2)):
            began = time.monotonic()
            compared, differences = compare(game, laid, acts)
            took = time.monotonic() - began
            told = f"{game[0]}, {game[1]} players, {game[2]} arms, {laid} tiles, {acts} acts"
            print(f"{told}: {compared} rulings, {len(differences)} differences, {took:.0f} s", flush=True)
            print("\n".join(differences[:5]), file=sys.stderr, end="")
            wrong += len(differences)
    for players in (2, 3, 4):
        compared, differences = compare_settlements(players)
        print(f"{players} players: {compared} settlements, {len(differences)} differences", flush=True)
        print("\n".join(differences[:5]), file=sys.stderr, end="")
        wrong += len(differences)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
