"""The renderer of tables with exact labels, the simulator of whole games, and the cards of real data."""
