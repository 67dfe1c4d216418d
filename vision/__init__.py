"""Reads domino tiles in pictures. Has never heard of a game."""
