"""How the round begins that lies on the table: its engine, who starts, its number, and whether draws can be counted."""

from __future__ import annotations

from companion.game.session import Session
from companion.geometry import Layout
from companion.observing.readings import surely_laid
from companion.play.setup_file import GameSetup
from companion.rules.mexican.scoring import round_of, tiles_in
from companion.rules.position import Position
from companion.rules.tile import Laid

NEARLY_ALL = 2
"""By so many tiles the count of a spread boneyard may be off, and its changes still show draws."""


class RoundStart:
    """What the set-up file says counts for the journal's first round alone; later ones follow from the game."""

    def __init__(self, session: Session, setup: GameSetup) -> None:
        self.session = session
        self.rules = session.rules
        self.setup = setup

    @property
    def first(self) -> bool:
        """No round has been played or begun yet."""
        return bool(self.session.phase == "waiting")

    @property
    def waiting(self) -> bool:
        """No round is being played, so the next table that is set up begins one."""
        return self.session.phase in ("waiting", "scored")

    @property
    def starter_is_given(self) -> bool:
        return bool((self.first and self.setup.round.starter is not None) or self.session.starter_is_named)

    def engine(self) -> Laid | None:
        """The engine of the round that is played or due; None where nobody has said which round that is."""
        if not self.waiting:
            table = self.session.position
            return table.engine if isinstance(table, Position) else None
        if self.first and (self.setup.round.engine is not None or self.setup.round.number is None):
            return self.setup.round.engine
        if self.session.dealt_again:
            return None
        due: Laid | None = self.session.engine_due(self.setup.round.number if self.first else None)
        return due

    def of(self, layout: Layout) -> tuple[Laid | None, str | None, int | None]:
        """Engine, starter and the match's first number: the engine as it surely lies, the set-up's, then what is due.

        Where watching begins with a later round of a match, its engine is not held to be wrong, nor misread.
        """
        sure, seen = surely_laid(layout.engine), layout.engine.laid if layout.engine is not None else None
        given = (self.setup.round.engine, self.setup.round.starter, self.setup.round.number)
        engine, starter, number = given if self.first else (None, None, None)
        if not self.rules.is_mexican:
            return None, starter, number
        middle = engine or seen
        if self.first and number is None and middle is not None and middle.is_double:
            number = round_of(self.rules, self.setup.header.set_max or 0, middle.inner)
            sure = sure or middle
        return sure or engine, starter, number

    def draws_countable(self, layout: Layout) -> bool:
        """Draws can be counted where all tiles not dealt are seen spread out; in Chinese games nothing is drawn."""
        if not self.rules.is_mexican:
            return True
        return layout.boneyard is not None and layout.boneyard == self.left_over()

    def draws_shown(self, layout: Layout) -> bool:
        """Draws show where about all tiles not dealt are seen, though none can be counted: one may be overlooked, or
        something taken for one."""
        due = self.left_over()
        return due is not None and layout.boneyard is not None and abs(layout.boneyard - due) <= NEARLY_ALL

    def left_over(self) -> int | None:
        """How many tiles lie face down and spread out when all have their hands."""
        if not self.rules.is_mexican or self.setup.boneyard == "stacked":
            return None
        set_max, players = self.setup.header.set_max or 0, len(self.setup.header.players)
        hand = self.rules.hand_size(set_max, players)
        return None if hand is None else tiles_in(set_max) - 1 - hand * players
