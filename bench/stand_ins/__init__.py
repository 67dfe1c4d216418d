"""Stand-ins for a game, a camera and a browser where only the page is tried."""
