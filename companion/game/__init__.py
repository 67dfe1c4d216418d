"""The game being played: commands in, events out, one lock; what is shown of it.

Reading order: `session` (the commands), `open_game` (the journal, what is shown, the camera's entry), `round` (a round
worked out, and all of a game), `watched_round` (a camera's), `view` (a snapshot for the page).
Below them: `corrections` (events as they count), `course` (the turns of one round), `match` (rounds, scores, proofs of
shown hands).
"""
