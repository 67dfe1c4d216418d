"""Pictures for disputes: the table at a play and just before it, and each played tile from close by.

Reading order: closeups (a tile before and after it was laid), store (what is kept, for how long, how it is deleted).
"""
