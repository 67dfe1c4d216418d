"""Long runs that try to break the box: harmed input, killed processes, power cuts, hostile guests, a long evening."""
