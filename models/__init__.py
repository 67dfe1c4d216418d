"""The shipped weights with their cards, and what trains, evaluates and exports them."""
