"""What happened: the records of a run, written append-only and read back exactly."""
