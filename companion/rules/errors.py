"""The one exception of the rules."""

from __future__ import annotations


class RulesError(Exception):
    """What every public function of `companion.rules` raises for input that it cannot use.

    The text is one line: the field, what was expected, and what was given. An illegal play is no such input: it gets a
    ruling. `NotationError`, `RuleSetError` and `ScoringError` are kinds of it.

    >>> from companion.rules import Board
    >>> Board('tactic', ['Ann'])
    Traceback (most recent call last):
        ...
    companion.rules.errors.RulesError: players: expected two or more different names, not ['Ann']
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(" ".join(text.splitlines()))  # what was given may have lines of its own
