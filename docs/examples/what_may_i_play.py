"""List the plays that the tiles in your hand allow: `python docs/examples/what_may_i_play.py [ROUND] [TILE ...]`.

ROUND is a round as text, as `Board.text` writes it; without one nothing has been laid yet.
"""

import sys
from itertools import islice
from pathlib import Path

from companion.rules import Board, RulesError, print_action

MOST = 20


def turns_of(board: Board, hand: str) -> list[str]:
    """The turns that the player to move may make, most tiles first."""
    turns = islice(board.legal_turns(hand), 1000)
    return [print_action(turn, "-" if board.rules.is_mexican else ":") for turn in sorted(turns, key=len, reverse=True)]


if __name__ == "__main__":
    words = sys.argv[1:]
    text = Path(words.pop(0)).read_text(encoding="utf-8") if words and Path(words[0]).is_file() else "rules: tactic\n"
    text += "" if "player:" in text else "player: Ann\nplayer: Ben\n"
    try:
        found = Board.read(text)
        told = turns_of(found, " ".join(words) or "12-5 5-5 5-8 3-3")
    except RulesError as refused:
        raise SystemExit(str(refused)) from None
    print(f"{found.turn} may play:")
    for line in told[:MOST]:
        print(f"  {line}")
