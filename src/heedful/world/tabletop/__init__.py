"""The tabletop as a world: scenes drawn, bodies simulated, views rendered."""
