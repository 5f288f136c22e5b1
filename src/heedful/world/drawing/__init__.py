"""Drawing MuJoCo models into memory, without a display."""
