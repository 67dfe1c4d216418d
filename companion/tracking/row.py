"""A row of turns by which a change between two still tables may have come about. Source: docs/rules.md 9."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.actions import Action, End, Mark, Pass, Play, Unmark
from companion.rules.notation import print_act
from companion.rules.violations import Violation


@dataclass(frozen=True, slots=True)
class RowTurn:
    """One player's turn of a row: the acts in order and what is wrong with them."""

    player: str
    acts: tuple[Action, ...]
    codes: frozenset[Violation] = frozenset()

    def __str__(self) -> str:
        """`Ben: draw, play 10-3@Ben`; their marker is `mark`, another's `mark Q`; nothing laid or put is a `pass`."""
        parts = []
        for act in self.acts:
            if isinstance(act, End | Pass):
                continue
            own = isinstance(act, Mark | Unmark) and act.player == self.player
            parts.append(print_act(act).split()[0] if own else print_act(act))
        if not any(isinstance(act, Play | Mark) for act in self.acts):
            parts.append("pass")
        return f"{self.player}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Row:
    """Turns that together make exactly the change; faultless when every turn in it is."""

    turns: tuple[RowTurn, ...]

    @property
    def blames(self) -> dict[str, frozenset[Violation]]:
        """Player -> the codes of a faulty turn, in the order of the row."""
        return {turn.player: turn.codes for turn in self.turns if turn.codes}

    def __str__(self) -> str:
        blames = self.blames
        if not blames:
            return "; ".join(str(turn) for turn in self.turns)
        return "; ".join(f"!{'+'.join(sorted(codes))} by {player}" for player, codes in blames.items())


@dataclass(frozen=True, slots=True)
class Inference:
    """`rows` are all the faultless ones when `explainable`, else those with the fewest faulty turns.

    `vanished` is true where a laid tile is gone: nothing explains that, and nobody can be named.
    """

    explainable: bool
    rows: tuple[Row, ...] = ()
    vanished: bool = False

    @property
    def explanations(self) -> tuple[str, ...]:
        if self.vanished:
            return (f"!{Violation.TILE_MOVED} by ?",)
        return tuple(sorted({str(row) for row in self.rows}))
