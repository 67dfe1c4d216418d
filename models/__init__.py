"""The cards of the shipped weights, and what trains, evaluates and exports them."""
