"""The referee's desk behind `companion.session`: how recorded events become turns, rulings, rounds and a snapshot.

Reading order: `acts` (events as acts), `made_turn` (one player's turn as it is made), `course` (the course of one
round), `match` (rounds, scores, the whole game), `watching` (the camera's entry: changes go to the belief), `believed`
(what the belief comes to, as events), `camera_record` and `patch` (how the record is brought up to it), `evidence` (a
round on record told to the belief again), `proof` (what shown hands prove), `scene` (the snapshot for the page).
"""
