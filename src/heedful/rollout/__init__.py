"""Episodes on the tabletop: a policy in a world, recorded."""
