"""The game being played: commands in, events out, one lock; what is shown of it.

Reading order: `session` (the commands), `open_game` (what it shows, and the camera's entry: changes go to the
belief), `watched_round` (what a round that the camera watches comes to), `ledger` (the journal, and the events in force
of all rounds), `view` (the snapshot for the page).
"""
