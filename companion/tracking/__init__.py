"""The belief: all likely courses of a round, from the reports of the camera and of people, and who did what in them."""
