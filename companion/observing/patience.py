"""How long what is doubtful waits before the game goes on."""

from __future__ import annotations

PATIENCE = 2
"""So many still tables in a row a questioned reading stays the same before it is believed."""

CLOUD_PATIENCE = 2
"""So many changes that would accuse somebody are held back by the same thing that nobody understands. What lies there
longer while the game goes on is no part of it."""

HAND_PATIENCE = 4
"""In so many still tables a stray tile along the table's edge may be a hand that is laid open."""

ROUND_PATIENCE = 2
"""So many further changes of the table wait for an answer about an unscored round before the next one begins."""
