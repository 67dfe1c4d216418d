"""The state of a turn, a round and a match, as the events make it. Pure.

Reading order: `course` (events as acts, the turns of one round), `match` (rounds, scores, the whole game, the proofs of
shown hands).
"""
