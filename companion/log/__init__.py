"""Facts on the disk: events, corrections, the journal, its copies and its repair."""
