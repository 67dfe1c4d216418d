"""The state of a turn, a round and a match, as the events make it. Pure.

Reading order: `event_actions` (events as actions), `turn` (one player's turn as it is made), `round` (the course of one
round), `match` (rounds, scores, the whole game), `timeline` (a game on record, event by event), `shown_hands` (what
shown hands prove), `scoreboard` (the scores, from the events alone).
"""
