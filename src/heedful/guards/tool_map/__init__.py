"""What a robot's tools mean: the map from its server's words to the spec's, and back."""
