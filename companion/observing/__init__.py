"""From the camera's reports to the game: which are new, go on record, are asked about, or need another look."""
