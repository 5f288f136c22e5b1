"""Labels to estimates: every figure with its interval, its n and what was left out."""
