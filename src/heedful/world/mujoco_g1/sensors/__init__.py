"""What the simulated G1 senses with its head: colour, depth, people's distance and keypoints."""
