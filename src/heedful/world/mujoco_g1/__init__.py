"""A walking Unitree G1 under MuJoCo, and its kinematic stand-in; only this folder imports MuJoCo."""
