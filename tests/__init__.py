"""Mirrors the rooms of the house; whole recorded games lie in tests/games."""
