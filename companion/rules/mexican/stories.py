"""The stories that a change between two still tables allows: who may have done what. Source: docs/rules.md 9."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.actions import Action, End, Mark, Pass, Play, Unmark
from companion.rules.notation import print_act
from companion.rules.ruling import Ruling
from companion.rules.violations import Violation


@dataclass(frozen=True, slots=True)
class TurnStory:
    """One player's turn of a story: the acts in order and the ruling on them."""

    player: str
    acts: tuple[Action, ...]
    ruling: Ruling

    def __str__(self) -> str:
        """`Ben: draw, play 10-3@Ben`; the own marker is `mark`, another's `mark Q`; nothing laid or put is a `pass`."""
        words = []
        for act in self.acts:
            if isinstance(act, End | Pass):
                continue
            own = isinstance(act, Mark | Unmark) and act.player == self.player
            words.append(print_act(act).split()[0] if own else print_act(act))
        if not any(isinstance(act, Play | Mark) for act in self.acts):
            words.append("pass")
        return f"{self.player}: {', '.join(words)}"


@dataclass(frozen=True, slots=True)
class Story:
    """A row of turns that makes exactly the change; faultless when every turn in it is."""

    turns: tuple[TurnStory, ...]

    @property
    def blames(self) -> dict[str, frozenset[Violation]]:
        """Player -> the codes of a faulty turn, in the order of the row."""
        return {turn.player: turn.ruling.codes for turn in self.turns if turn.ruling.codes}

    def __str__(self) -> str:
        blames = self.blames
        if not blames:
            return "; ".join(str(turn) for turn in self.turns)
        return "; ".join(f"!{'+'.join(sorted(codes))} by {player}" for player, codes in blames.items())


@dataclass(frozen=True, slots=True)
class Inference:
    """`stories` are all the faultless ones when `explainable`, else the cheapest faulty ones.

    `vanished` is true where a laid tile is gone: nothing explains that, and nobody can be named.
    """

    explainable: bool
    stories: tuple[Story, ...] = ()
    vanished: bool = False

    @property
    def explanations(self) -> tuple[str, ...]:
        if self.vanished:
            return (f"!{Violation.TILE_MOVED} by ?",)
        return tuple(sorted({str(story) for story in self.stories}))
