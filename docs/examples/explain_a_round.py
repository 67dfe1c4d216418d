"""Every fault of a round that somebody wrote down: `python docs/examples/explain_a_round.py [ROUND]`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from companion.rules import Board, RulesError, print_act

ROUND = """
rules: tactic
player: Ann
player: Ben

Ann: play 12-5@Ann
Ben: play 5-6@Ann   # Ann's train is closed to him
Ann: draw; mark Ann
"""


def faults_of(board: Board) -> Iterator[str]:
    """A line for each fault, certain or only possible, with the turn in which it happened."""
    for number, turn in enumerate(board.turns, 1):
        acts = ", ".join(map(print_act, turn.actions))
        for reason in board.explain(turn, may=True):
            yield f"{number}. {turn.player}, {acts}: {'' if reason.certain else 'possibly: '}{reason.sentence}"


if __name__ == "__main__":
    try:
        played = Board.read(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else ROUND)
    except (RulesError, OSError) as refused:
        raise SystemExit(str(refused)) from None
    print("\n".join(faults_of(played)) or "no fault")
