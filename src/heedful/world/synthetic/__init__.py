"""The text layer's world: scripted truth, sampled with seeded noise, an ideal kinematic robot."""
