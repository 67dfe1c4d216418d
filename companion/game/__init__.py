"""The game being played: commands in, events out, one lock; what is shown of it.

Reading order: `session` (the commands), `open_game` (what it shows), `ingest` (the camera's entry: changes go to the
belief), `believed` (what the belief comes to, as events), `camera_record` and `patch` (how the record is brought up to
it), `belief_input` (a round on record told to the belief again), `view` (the snapshot for the page).
"""
