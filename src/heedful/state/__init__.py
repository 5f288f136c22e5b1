"""What the world is at an instant: poses, motions, regions, values over time. Data and arithmetic only."""
