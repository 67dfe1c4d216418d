"""The referee's desk behind `companion.session`: how recorded events become turns, rulings, rounds and a snapshot.

Reading order: `made_turn` (one player's turn as it is made), `course` (the course of one round), `match` (rounds,
scores, the whole game), `stories` (what may have happened between two still tables), `reveal` (what shown hands prove),
`scene` (the snapshot for the page).
"""
