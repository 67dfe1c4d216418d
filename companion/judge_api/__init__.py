"""`companion judge`: questions to the referee as JSON, and the answers."""
