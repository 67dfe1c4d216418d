"""What a game makes of the camera's reports: what is new, what goes on record, what is asked, where to look again."""
