"""Who did what: a belief over the ways in which the round may have gone, from what the camera and people report."""
