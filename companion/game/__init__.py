"""The game being played: commands in, events out, one lock; what is shown of it.

Reading order: `game` (the journal, what is shown, the commands), `round` (a round worked out, and all of a game),
`watched_round` (a camera's), `view` (a snapshot for the page). `said` and `reports` find what a command writes: of what
people say, and of what a camera saw. Below them: `corrections` (events as they count), `course` (the turns of one
round), `match` (rounds, scores, proofs of shown hands).
"""
