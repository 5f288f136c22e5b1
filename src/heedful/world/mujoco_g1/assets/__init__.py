"""What the simulated G1 needs from elsewhere: which files, whether they are here, how they are fetched."""
