"""Mexican Train: one judge for every published rule set; what differs between them stands in the rule set's fields."""
