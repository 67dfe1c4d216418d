"""The state of a turn, a round and a match, as the events make it. Pure.

Reading order: `event_actions` (events as actions), `course` (the turns of one round), `match` (rounds, scores, the
whole game, the proofs of shown hands).
"""
