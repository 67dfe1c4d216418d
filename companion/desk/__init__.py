"""The referee's desk behind `companion.session`: how recorded events become turns, rulings, rounds and a snapshot.

Reading order: `acts` (events as acts), `made_turn` (one player's turn as it is made), `course` (the course of one
round), `match` (rounds, scores, the whole game), `stories` (what may have happened between two still tables), `worlds`
(all tellings that still stand), `minutes` (what of them goes on record), `watching` (the camera's entry), `proof` (what
shown hands prove), `scene` (the snapshot for the page).
"""
